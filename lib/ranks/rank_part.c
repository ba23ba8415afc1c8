/* rank_part.c - writes and reads the part of a rank.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "ranks/rank_part.h"

#include "base/merge_sort.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_COLUMNS "rank\tuid\tts_"

/* ---- writing ------------------------------------------------------------------------ */

enum tl_status tl_rank_part_write(struct tl_collectives *c, const struct tl_part_end *e, struct tl_output *out, struct tl_error *err)
{
	struct tl_table *sheet = tl_collectives_sheet(c);
	enum tl_status st = tl_tsv_write(sheet, out, err);
	struct tl_part_end end = *e;
	struct tl_buf b = { 0 };

	end.rows = (int64_t)sheet->n_rows;
	end.simple = tl_collectives_simple(c);
	tl_part_end_add(&b, &end, sheet->n_columns);
	if (!st)
		st = out->write(out, b.data, b.len, err);
	tl_buf_release(&b);
	tl_table_free(sheet);
	return st;
}

/* ---- reading ------------------------------------------------------------------------ */

bool tl_rank_part_begins(const char *s, size_t len)
{
	size_t n = strlen(FIRST_COLUMNS);

	return len >= n && !memcmp(s, FIRST_COLUMNS, n);
}

struct reading { struct tl_rank_part *part; uint8_t to[TL_COLL_N]; bool ended; };

/* The raw column that a column of the sheet shows. */
static uint8_t raw_column(const struct tl_column *c)
{
	uint8_t i = 0;

	while (strcmp(tl_coll_events.rows[i], tl_column_source(c)))
		i++;
	return i;
}

static enum tl_status not_a_part(struct tl_error *err)
{
	return tl_fail(err, TL_ERR_DATA, "this is no part of a rank: expected the columns of the sheet collectives");
}

/* The unit of time stands in the names of the columns of times: ts_ns. */
static bool is_header_of(struct tl_rank_part *p, const struct tl_column *c, const struct tl_field_text *f)
{
	size_t len = strlen(c->name);

	if (c->kind != TL_TICKS)
		return tl_text_is(f->s, f->len, c->name);
	if (f->len != len + 3 || memcmp(f->s, c->name, len))
		return false;
	p->ticks_per_us = tl_text_is(f->s + len, 3, "_ps") ? 1000000 : 1000;
	return p->ticks_per_us == 1000000 || tl_text_is(f->s + len, 3, "_ns");
}

static enum tl_status read_header(struct reading *r, const struct tl_field_text *f, size_t n, struct tl_error *err)
{
	const struct tl_column *c = tl_coll_events.columns;
	size_t i = 0;

	for (; c[i].name && i < n; i++) {
		r->to[i] = raw_column(&c[i]);
		if (!is_header_of(r->part, &c[i], &f[i]))
			return not_a_part(err);
	}
	if (c[i].name || i != n)
		return not_a_part(err);
	r->part->rows = tl_table_new(&r->part->strings, r->part->ticks_per_us, tl_coll_events.rows);
	return TL_OK;
}

static struct tl_cell read_cell(struct tl_strtab *strings, const struct tl_field_text *f, uint8_t column)
{
	static const bool is_text[TL_COLL_N] = { [TL_COLL_GROUP] = true, [TL_COLL_RANKS] = true, [TL_COLL_NAME] = true,
		[TL_COLL_DTYPE] = true, [TL_COLL_IN_SPLIT] = true, [TL_COLL_OUT_SPLIT] = true, [TL_COLL_KERNEL] = true };
	char text[40], *end;
	int64_t i;

	if (!f->len)
		return tl_cell_null();
	if (!is_text[column] && tl_field_int(f, &i))
		return tl_cell_int(i);
	if (!is_text[column] && f->len < sizeof text) {
		memcpy(text, f->s, f->len);
		text[f->len] = '\0';
		double d = tl_parse_double(text, &end);
		if (!*end)
			return tl_cell_real(d);
	}
	return tl_cell_text(tl_intern(strings, f->s, f->len));
}

static enum tl_status read_end(struct reading *r, const struct tl_field_text *f, struct tl_error *err)
{
	struct tl_rank_part *p = r->part;
	enum tl_status st = tl_part_end_read(&p->end, &p->strings, f, err);

	r->ended = true;
	if (!st && (uint64_t)p->end.rows != p->rows->n_rows)
		st = tl_fail(err, TL_ERR_DATA, "the part is not whole: it has %zu rows, its last line says %" PRId64, p->rows->n_rows,
		             p->end.rows);
	return st;
}

/* So that differences of times are no larger than an int64_t holds. */
static bool in_range(int64_t start, int64_t ticks)
{
	const int64_t most = INT64_C(1) << 62;

	return start > -most && start < most && ticks >= 0 && ticks < most && start + ticks < most;
}

static enum tl_status read_row(void *ctx, size_t row, const struct tl_field_text *f, size_t n, struct tl_error *err)
{
	struct reading *r = ctx;
	struct tl_cell c[TL_COLL_N];

	if (!row)
		return read_header(r, f, n, err);
	if (r->ended)
		return tl_fail(err, TL_ERR_DATA, "rows stand behind the last line of the part");
	if (tl_part_end_is(f, n))
		return read_end(r, f, err);
	for (size_t i = 0; i < n; i++)
		c[r->to[i]] = read_cell(&r->part->strings, &f[i], r->to[i]);
	if (c[TL_COLL_TS].type != TL_CELL_INT || c[TL_COLL_DUR].type != TL_CELL_INT || c[TL_COLL_EXPOSED].type != TL_CELL_INT)
		return tl_fail(err, TL_ERR_DATA, "a row of the part has no times");
	if (!in_range(c[TL_COLL_TS].i, c[TL_COLL_DUR].i) || !in_range(c[TL_COLL_TS].i, c[TL_COLL_EXPOSED].i))
		return tl_fail(err, TL_ERR_DATA, "a row of the part has times beyond 2^62");
	c[TL_COLL_TS] = tl_cell_time(c[TL_COLL_TS].i, c[TL_COLL_TS].i % r->part->ticks_per_us == 0);
	c[TL_COLL_DUR] = tl_cell_time(c[TL_COLL_DUR].i, c[TL_COLL_DUR].i % r->part->ticks_per_us == 0);
	tl_table_add_row(r->part->rows, c);
	return TL_OK;
}

/* ---- numbers in groups ------------------------------------------------------------------ */

static int by_group_and_start(const void *a, const void *b, void *ctx)
{
	const struct tl_table *t = ctx;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	uint32_t g = tl_table_cell(t, x, TL_COLL_GROUP).text, h = tl_table_cell(t, y, TL_COLL_GROUP).text;
	int64_t p = tl_table_cell(t, x, TL_COLL_TS).i, q = tl_table_cell(t, y, TL_COLL_TS).i;

	return g != h ? (g > h) - (g < h) : (p > q) - (p < q);
}

static void number_rows(struct tl_rank_part *p)
{
	size_t n = p->rows->n_rows, *order = tl_alloc((n + 1) * sizeof *order);
	uint32_t group = 0;
	int64_t next = 0;

	p->index = tl_alloc((n + 1) * sizeof *p->index);
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	tl_merge_sort(order, n, sizeof *order, by_group_and_start, p->rows);
	for (size_t i = 0; i < n; i++) {
		uint32_t g = tl_table_cell(p->rows, order[i], TL_COLL_GROUP).text;
		next = g == group ? next + 1 : 0;
		group = g;
		p->index[order[i]] = next;
	}
	free(order);
}

enum tl_status tl_rank_part_read(struct tl_rank_part *p, struct tl_input *in, struct tl_error *err)
{
	struct reading r = { .part = p };

	*p = (struct tl_rank_part){ 0 };
	enum tl_status st = tl_tsv_read(in, read_row, &r, err);
	if (!st && !r.ended)
		st = tl_fail(err, TL_ERR_DATA, "the part is not whole: its last line is missing");
	if (st)
		tl_rank_part_release(p);
	else
		number_rows(p);
	return st;
}

void tl_rank_part_release(struct tl_rank_part *p)
{
	tl_table_free(p->rows);
	free(p->index);
	tl_strtab_release(&p->strings);
	*p = (struct tl_rank_part){ 0 };
}
