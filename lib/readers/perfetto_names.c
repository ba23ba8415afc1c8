/* perfetto_names.c - what names and numbers in packets of Perfetto stand for (perfetto-names.tsv).
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/perfetto.h"

#include <stdlib.h>
#include <string.h>

#include "base/rows.h"
#include "base/text.h"

extern const char tl_data_perfetto_names[];
extern const size_t tl_data_perfetto_names_len;

enum { WHAT, NAME, WHERE, MEANS };
enum { CATEGORY, TRACK, ARGUMENT, PACKET, UNIT, MARK };
static const char *const whats[] = { "category", "track", "argument", "packet", "unit", "mark", NULL };
static const char *const roles[] = { "", "gpu", "agent", "stream", NULL };

struct tl_pf_row {
	uint8_t what;
	const char *name;
	size_t len; /* of the name */
	struct tl_pf_where where;
	const char *means;
	int kind;              /* of a category; -1: left out */
	bool alone, range;
	enum tl_pf_track_role role;
};

/* ---- the table ---------------------------------------------------------------------------- */

static void read_where(struct tl_rows *r, struct tl_pf_row *row, struct tl_arena *arena)
{
	char *where = tl_strndup(r->fields[WHERE].s, r->fields[WHERE].len), *is = strchr(where, '=');

	if (is) {
		*is = '\0';
		row->where = (struct tl_pf_where){ .text = tl_arena_dup(arena, is + 1, strlen(is + 1)), .argument = tl_arena_dup(arena, where, strlen(where)) };
		row->where.how = !strcmp(where, "name") ? TL_PF_NAME_BEGINS : !strcmp(where, "stage") ? TL_PF_STAGE_BEGINS : TL_PF_HAS_ARGUMENT;
	} else if (strcmp(where, "-") != 0) {
		tl_rows_fail(r, r->fields[WHERE].s, "expected - or WHAT=TEXT");
	}
	free(where);
}

static void read_kind(struct tl_rows *r, struct tl_pf_row *row)
{
	const char *word = strchr(row->means, ',');

	row->alone = word && !strcmp(word, ",alone");
	row->range = word && !strcmp(word, ",range");
	row->kind = tl_kind_by_name(row->means, row->alone || row->range ? (size_t)(word - row->means) : strlen(row->means));
	if (row->kind < 0 && strcmp(row->means, "left out") != 0)
		tl_rows_fail(r, r->fields[MEANS].s, "expected a kind of event, maybe with \",alone\" or \",range\" behind it, or \"left out\"");
}

static enum tl_status read_rows(struct tl_pf_names *names, struct tl_rows r)
{
	r.columns = "what, name, where, means";
	while (tl_rows_next(&r)) {
		struct tl_pf_row row = { .what = (uint8_t)tl_rows_word(&r, WHAT, whats), .name = tl_rows_text(&r, NAME, &names->arena),
		                         .len = r.fields[NAME].len, .means = tl_rows_text(&r, MEANS, &names->arena) };
		int64_t number;
		if (!r.status)
			read_where(&r, &row, &names->arena);
		if (!r.status && row.what == CATEGORY)
			read_kind(&r, &row);
		else if (!r.status && row.what == TRACK)
			row.role = (enum tl_pf_track_role)tl_rows_word(&r, MEANS, roles);
		else if (!r.status && (row.what == PACKET || row.what == UNIT) && !tl_field_int(&r.fields[NAME], &number))
			tl_rows_fail(&r, r.fields[NAME].s, "expected a number");
		TL_PUSH(names->rows, names->n, names->cap, row);
	}
	return r.status;
}

void tl_pf_names_load(struct tl_pf_names *names)
{
	struct tl_error err;

	tl_must(read_rows(names, (struct tl_rows){ .file = "perfetto-names", .text = tl_data_perfetto_names,
	                                           .len = tl_data_perfetto_names_len, .err = &err }), &err);
}

void tl_pf_names_release(struct tl_pf_names *names)
{
	free(names->rows);
	tl_arena_release(&names->arena);
}

enum tl_status tl_pf_names_check(const char *file, const char *text, size_t len, struct tl_error *err)
{
	struct tl_pf_names names = { 0 };
	enum tl_status st = read_rows(&names, (struct tl_rows){ .file = file, .text = text, .len = len, .err = err });

	tl_pf_names_release(&names);
	return st;
}

/* ---- what is asked -------------------------------------------------------------------------- */

static bool is_category(const struct tl_pf_row *row, const char *s, size_t len)
{
	static const char prefix[] = "rocm_";
	size_t n = sizeof prefix - 1;

	if (len > n && !memcmp(s, prefix, n)) {
		s += n;
		len -= n;
	}
	return row->len == len && row->what == CATEGORY && !memcmp(s, row->name, len);
}

bool tl_pf_category(const struct tl_pf_names *names, const char *s, size_t len, struct tl_pf_category *c)
{
	for (size_t i = c->next; i < names->n; i++) {
		const struct tl_pf_row *row = &names->rows[i];
		if (!is_category(row, s, len))
			continue;
		*c = (struct tl_pf_category){ .next = i + 1, .kind = row->kind, .alone = row->alone, .range = row->range, .where = row->where };
		return true;
	}
	return false;
}

static bool begins(const char *text, const char *with)
{
	return text && tl_starts_with(text, with);
}

int tl_pf_stage_kind(const struct tl_pf_names *names, const char *stage, const char *event)
{
	static const char category[] = "render_stage";

	for (struct tl_pf_category c = { 0 }; tl_pf_category(names, category, sizeof category - 1, &c); )
		if (begins(c.where.how == TL_PF_STAGE_BEGINS ? stage : event, c.where.text))
			return c.kind;
	return -1;
}

/* Does the name have the form? *number: what stands for #. */
static bool has_form(const char *form, const char *s, size_t len, int64_t *number)
{
	const char *end = s + len;

	for (; *form; form++) {
		if (*form == '*') {
			for (; s < end; s++)
				if (has_form(form + 1, s, (size_t)(end - s), number))
					return true;
		} else if (*form == '#') {
			size_t n = 0;
			for (*number = 0; s < end && n < 9 && tl_is_digit(*s); s++, n++)
				*number = *number * 10 + (*s - '0');
			if (!n)
				return false;
		} else if (s == end || *s++ != *form) {
			return false;
		}
	}
	return s == end;
}

enum tl_pf_track_role tl_pf_track_role(const struct tl_pf_names *names, const char *s, size_t len, int64_t *number)
{
	for (size_t i = 0; i < names->n; i++)
		if (names->rows[i].what == TRACK && has_form(names->rows[i].name, s, len, number))
			return names->rows[i].role;
	return TL_PF_NO_TRACK;
}

const char *tl_pf_argument(const struct tl_pf_names *names, const char *s, size_t len)
{
	for (size_t i = 0; i < names->n; i++)
		if (names->rows[i].what == ARGUMENT && tl_text_is(s, len, names->rows[i].name))
			return names->rows[i].means;
	return NULL;
}

static const char *means_of(const struct tl_pf_names *names, int what, uint64_t number)
{
	for (size_t i = 0; i < names->n; i++)
		if (names->rows[i].what == what && strtoul(names->rows[i].name, NULL, 10) == number)
			return names->rows[i].means;
	return NULL;
}

const char *tl_pf_packet(const struct tl_pf_names *names, uint32_t number)
{
	return means_of(names, PACKET, number);
}

const char *tl_pf_unit(const struct tl_pf_names *names, uint64_t number)
{
	return means_of(names, UNIT, number);
}

size_t tl_pf_without_mark(const struct tl_pf_names *names, const char *s, size_t len)
{
	for (size_t i = 0; i < names->n; i++) {
		const struct tl_pf_row *row = &names->rows[i];
		if (row->what == MARK && len > row->len && !memcmp(s + len - row->len, row->name, row->len))
			return len - row->len;
	}
	return len;
}
