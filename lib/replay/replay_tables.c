/* replay_tables.c - the tables about operators that are run again.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "replay/replay_tables.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

extern const char tl_data_bench_types[], tl_data_bench_gemms[], tl_data_op_schemas[];
extern const size_t tl_data_bench_types_len, tl_data_bench_gemms_len, tl_data_op_schemas_len;

enum { MAX_FIELDS = 7, MAX_ARGS = 64 };

/* The lines of a table but comments; fields are separated by tabs. */
struct lines { struct tl_arena *arena; const char *text; size_t len; int64_t number; char *fields[MAX_FIELDS]; size_t n; };

static bool next_line(struct lines *l)
{
	while (l->len) {
		const char *line = l->text, *end = memchr(line, '\n', l->len);
		size_t used = end ? (size_t)(end - line) : l->len;
		char *save = NULL;

		l->text += end ? used + 1 : used;
		l->len -= end ? used + 1 : used;
		l->number++;
		if (!used || *line == '#')
			continue;
		l->n = 0;
		for (char *f = strtok_r(tl_arena_dup(l->arena, line, used), "\t", &save); f && l->n < MAX_FIELDS; f = strtok_r(NULL, "\t", &save))
			l->fields[l->n++] = f;
		return true;
	}
	return false;
}

static const char *or_none(const char *field)
{
	return strcmp(field, "-") ? field : NULL;
}

static int index_of(const char *field)
{
	return strcmp(field, "-") ? atoi(field) : -1;
}

static void read_types(struct tl_replay_tables *t)
{
	struct lines l = { .arena = &t->arena, .text = tl_data_bench_types, .len = tl_data_bench_types_len };

	while (next_line(&l)) {
		TL_GROW(t->types, t->cap_types, t->n_types + 1);
		t->types[t->n_types++] = (struct tl_bench_type){ l.fields[0], l.fields[1], or_none(l.fields[2]), or_none(l.fields[3]),
			or_none(l.fields[4]) };
	}
}

static void read_gemms(struct tl_replay_tables *t)
{
	struct lines l = { .arena = &t->arena, .text = tl_data_bench_gemms, .len = tl_data_bench_gemms_len };

	while (next_line(&l)) {
		TL_GROW(t->gemms, t->cap_gemms, t->n_gemms + 1);
		t->gemms[t->n_gemms++] = (struct tl_bench_gemm){ l.fields[0], index_of(l.fields[1]), index_of(l.fields[2]),
			index_of(l.fields[3]), index_of(l.fields[4]), index_of(l.fields[5]), index_of(l.fields[6]) };
	}
}

/* ---- schemas ----------------------------------------------------------------------------- */

/* "TYPE NAME" or "TYPE NAME=DEFAULT". False: it is neither. */
static bool read_arg(char *s, bool keyword, struct tl_schema_arg *arg)
{
	while (tl_is_blank(*s))
		s++;
	char *blank = strchr(s, ' ');
	if (!blank || blank == s || !blank[1])
		return false;
	*blank = 0;
	char *equals = strchr(blank + 1, '=');
	*arg = (struct tl_schema_arg){ s, blank + 1, keyword, equals != NULL };
	if (equals)
		*equals = 0;
	return *arg->name != 0;
}

/* The end of an argument: a comma that is in no brackets. */
static char *arg_end(char *s)
{
	int depth = 0;

	for (; *s; s++) {
		depth += *s == '[' || *s == '(';
		depth -= *s == ']' || *s == ')';
		if (*s == ',' && !depth)
			break;
	}
	return s;
}

static bool read_schema(struct tl_arena *arena, char *text, struct tl_op_schema *schema)
{
	struct tl_schema_arg args[MAX_ARGS];
	bool keyword = false, more = *text != 0;
	size_t n = 0;

	while (more) {
		char *end = arg_end(text);
		more = *end != 0;
		*end = 0;
		const char *star = text + strspn(text, " ");
		if (!strcmp(star, "*"))
			keyword = true;
		else if (n == MAX_ARGS || !read_arg(text, keyword, &args[n++]))
			return false;
		text = end + 1;
	}
	schema->args = tl_arena_alloc(arena, n * sizeof *args);
	memcpy(schema->args, args, n * sizeof *args);
	schema->n = n;
	return true;
}

enum tl_status tl_replay_schemas_add(struct tl_replay_tables *t, const char *text, size_t len, struct tl_error *err)
{
	struct lines l = { .arena = &t->arena, .text = text, .len = len };

	while (next_line(&l)) {
		struct tl_op_schema s = { .name = l.fields[0] };
		if (l.n != 2 || !read_schema(&t->arena, l.fields[1], &s)) {
			tl_fail(err, TL_ERR_DATA, "expected an operator, a tab and its arguments: TYPE NAME, TYPE NAME");
			if (err)
				err->record = l.number;
			return TL_ERR_DATA;
		}
		TL_GROW(t->schemas, t->cap_schemas, t->n_schemas + 1);
		t->schemas[t->n_schemas++] = s;
	}
	return TL_OK;
}

/* ---- all ------------------------------------------------------------------------------------ */

void tl_replay_tables_read(struct tl_replay_tables *t)
{
	*t = (struct tl_replay_tables){ 0 };
	read_types(t);
	read_gemms(t);
	tl_replay_schemas_add(t, tl_data_op_schemas, tl_data_op_schemas_len, NULL);
}

void tl_replay_tables_release(struct tl_replay_tables *t)
{
	free(t->types);
	free(t->gemms);
	free(t->schemas);
	tl_arena_release(&t->arena);
	*t = (struct tl_replay_tables){ 0 };
}

const struct tl_bench_type *tl_bench_type_of(const struct tl_replay_tables *t, const char *name)
{
	for (size_t i = 0; i < t->n_types; i++)
		if (!strcmp(t->types[i].name, name))
			return &t->types[i];
	return NULL;
}

const struct tl_bench_gemm *tl_bench_gemm_of(const struct tl_replay_tables *t, const char *op)
{
	for (size_t i = 0; i < t->n_gemms; i++)
		if (!strcmp(t->gemms[i].name, op))
			return &t->gemms[i];
	return NULL;
}
