/* column_kind.c - what columns are: by the sheet's description, else by name; the reader of columns.tsv.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/column_kind.h"

#include "base/rows.h"
#include "base/text.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define NARROW_SHEET 12 /* columns; a sheet with more of them has folded ones */
#define DEFAULT_MAX_WIDTH 60

extern const char tl_data_columns[];
extern const size_t tl_data_columns_len;

struct tl_column_row {
	const char *name;
	size_t letters;    /* of a pattern, besides its wildcards; SIZE_MAX: it is a name */
	struct tl_column_facts kind;
	bool same_unit, same_width, same_rank; /* as of the column that = stands for */
};

/* ---- the table --------------------------------------------------------------------- */

/* 0 and true for "=", which must stand in the name, too. */
static bool is_same(struct tl_rows *r, const struct tl_column_row *row, size_t field)
{
	struct tl_field_text f = r->fields[field];

	if (!tl_text_is(f.s, f.len, "="))
		return false;
	if (!strchr(row->name, '='))
		tl_rows_fail(r, f.s, "no = in the name says of which column");
	return true;
}

static uint8_t width(struct tl_rows *r, size_t field)
{
	int64_t n;

	if (!tl_field_int(&r->fields[field], &n) || n < 1 || n > UINT8_MAX) {
		tl_rows_fail(r, r->fields[field].s, "expected a width from 1 to %d", UINT8_MAX);
		return 0;
	}
	return (uint8_t)n;
}

static void read_name(struct tl_column_table *t, struct tl_rows *r, struct tl_column_row *row)
{
	size_t stars = 0, same = 0;

	row->name = tl_rows_text(r, 0, &t->arena);
	for (const char *s = row->name; *s; s++) {
		stars += *s == '*';
		same += *s == '=';
	}
	if (stars > 1 || same > 1)
		tl_rows_fail(r, r->line, "more than one %c in the name", stars > 1 ? '*' : '=');
	row->letters = stars + same ? strlen(row->name) - stars - same : SIZE_MAX;
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->rows[i].name, row->name))
			tl_rows_fail(r, r->line, "'%s' has a row above", row->name);
}

enum tl_status tl_column_table_add(struct tl_column_table *t, const char *file, const char *text, size_t len, struct tl_error *err)
{
	static const char *const units[] = {
		"plain", "ns", "µs", "ms", "percent", "bytes", "count", "rate", "id", "share", "bin", NULL
	};
	static const char *const ranks[] = {
		"key", "total", "what", "rate", "shape", "other", "statistic", "place", "detail", "drawing", NULL
	};
	static const char *const shares[] = { "share", NULL };
	static const char *const bars[] = { "none", "whole", "greatest", "roof", NULL };
	struct tl_rows r = { .file = file, .text = text, .len = len, .columns = "name, unit, width, rank[, bar][, share]", .err = err };

	while (tl_rows_next(&r)) {
		struct tl_column_row row = { 0 };
		read_name(t, &r, &row);
		row.same_unit = is_same(&r, &row, 1);
		row.same_width = is_same(&r, &row, 2);
		row.same_rank = is_same(&r, &row, 3);
		if (!row.same_unit)
			row.kind.unit = tl_rows_word(&r, 1, units);
		if (!row.same_width)
			row.kind.max_width = width(&r, 2);
		if (!row.same_rank)
			row.kind.rank = tl_rows_word(&r, 3, ranks);
		if (r.n > 4)
			row.kind.bar = tl_rows_word(&r, 4, bars);
		if (r.n > 5)
			row.kind.is_share = !tl_rows_word(&r, 5, shares);
		TL_GROW(t->rows, t->cap, t->n + 1);
		t->rows[t->n++] = row;
	}
	return r.status;
}

void tl_column_table_release(struct tl_column_table *t)
{
	free(t->rows);
	tl_arena_release(&t->arena);
	*t = (struct tl_column_table){ 0 };
}

/* ---- a column ------------------------------------------------------------------------ */

/* *column receives what = stands for: of several ways to read the name the shortest. */
static bool fits(const char *pattern, const char *name, struct tl_field_text *column)
{
	for (; *pattern != '*' && *pattern != '='; pattern++, name++) {
		if (*pattern != *name)
			return false;
		if (!*name)
			return true;
	}
	bool is_column = *pattern == '=';
	for (size_t len = is_column, most = strlen(name); len <= most; len++)
		if (fits(pattern + 1, name + len, column)) {
			if (is_column)
				*column = (struct tl_field_text){ name, len };
			return true;
		}
	return false;
}

static const struct tl_column_row *row_of(const struct tl_column_table *t, const char *name, struct tl_field_text *column)
{
	const struct tl_column_row *best = NULL;
	struct tl_field_text part = { 0 };

	for (size_t i = 0; i < t->n; i++) {
		const struct tl_column_row *row = &t->rows[i];
		if (row->letters == SIZE_MAX && !strcmp(row->name, name))
			return row;
		if (row->letters == SIZE_MAX || (best && row->letters <= best->letters) || !fits(row->name, name, &part))
			continue;
		best = row;
		*column = part;
	}
	return best;
}

static struct tl_column_facts described(const struct tl_described_column *c)
{
	return (struct tl_column_facts){ c->unit, c->rank, c->bar, c->width, c->role == TL_ROLE_SHARE };
}

static bool find(const struct tl_column_table *t, const struct tl_description *sheet, const char *name, struct tl_column_facts *kind)
{
	const struct tl_described_column *c = sheet ? tl_described_column(sheet, name) : NULL;

	for (const struct tl_description *d = tl_descriptions; !c && d->sheet; d++)
		c = tl_described_column(d, name);
	/* of names that only begin as the sheet says, columns.tsv may know more */
	if ((!c || c->each) && tl_column_table_find(t, name, kind))
		return true;
	if (!c)
		return false;
	*kind = described(c);
	return true;
}

bool tl_column_table_find(const struct tl_column_table *t, const char *name, struct tl_column_facts *kind)
{
	struct tl_field_text column = { 0 };
	struct tl_column_facts same;
	const struct tl_column_row *row = row_of(t, name, &column);

	if (!row)
		return false;
	*kind = row->kind;
	if (!row->same_unit && !row->same_width && !row->same_rank)
		return true;
	char *of = tl_strndup(column.s, column.len);
	bool found = find(t, NULL, of, &same);
	free(of);
	if (!found)
		return false;
	if (row->same_unit)
		kind->unit = same.unit;
	if (row->same_width)
		kind->max_width = same.max_width;
	if (row->same_rank)
		kind->rank = same.rank;
	return true;
}

static struct tl_column_table columns;

static void read_columns(void)
{
	struct tl_error err;

	tl_must(tl_column_table_add(&columns, "columns", tl_data_columns, tl_data_columns_len, &err), &err);
}

struct tl_column_facts tl_column_facts(const struct tl_description *sheet, const char *name)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct tl_column_facts kind;
	const char *own = strstr(name, "::"); /* of a comparison: REPORT::COLUMN */

	pthread_once(&once, read_columns);
	if (!find(&columns, sheet, own ? own + 2 : name, &kind))
		kind = (struct tl_column_facts){ .rank = TL_RANK_OTHER, .max_width = DEFAULT_MAX_WIDTH };
	if (own) {
		kind.bar = TL_BAR_NONE;
		kind.is_share = false;
		if (kind.rank == TL_RANK_KEY) /* the names of a comparison's rows have no report */
			kind.rank = TL_RANK_WHAT;
	}
	return kind;
}

bool tl_column_is_folded(struct tl_column_facts facts, size_t i, size_t n)
{
	if (!i || i >= n)
		return false;
	return facts.rank == TL_RANK_DRAWING || (n > NARROW_SHEET && facts.rank >= TL_RANK_STATISTIC);
}
