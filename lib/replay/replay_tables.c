/* replay_tables.c - the tables about operators that are run again.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "replay/replay_tables.h"

#include "base/rows.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

extern const char tl_data_bench_types[], tl_data_bench_gemms[], tl_data_op_schemas[];
extern const size_t tl_data_bench_types_len, tl_data_bench_gemms_len, tl_data_op_schemas_len;

enum { MAX_ARGS = 64 };

/* NULL for "-". */
static const char *text_or_none(struct tl_replay_tables *t, const struct tl_rows *r, size_t field)
{
	return tl_text_is(r->fields[field].s, r->fields[field].len, "-") ? NULL : tl_rows_text(r, field, &t->arena);
}

/* -1 for "-". */
static int index_or_none(struct tl_rows *r, size_t field)
{
	struct tl_field_text f = r->fields[field];
	int64_t i = -1;

	if (!tl_text_is(f.s, f.len, "-") && (!tl_field_int(&f, &i) || i < 0 || i >= MAX_ARGS))
		tl_rows_fail(r, f.s, "expected the number of an argument, or -");
	return (int)i;
}

enum tl_status tl_bench_types_add(struct tl_replay_tables *t, const char *file, const char *text, size_t len, struct tl_error *err)
{
	struct tl_rows r = { .file = file, .text = text, .len = len, .columns = "type, torch, hipBLASLt, cuBLAS, MIOpen", .err = err };

	while (tl_rows_next(&r)) {
		TL_PUSH(t->types, t->n_types, t->cap_types, (struct tl_bench_type){ tl_rows_text(&r, 0, &t->arena), tl_rows_text(&r, 1, &t->arena),
			text_or_none(t, &r, 2), text_or_none(t, &r, 3), text_or_none(t, &r, 4) });
	}
	return r.status;
}

enum tl_status tl_bench_gemms_add(struct tl_replay_tables *t, const char *file, const char *text, size_t len, struct tl_error *err)
{
	struct tl_rows r = { .file = file, .text = text, .len = len, .columns = "name, left, right, added, out_dtype, scales, beta",
		.err = err };

	while (tl_rows_next(&r)) {
		TL_PUSH(t->gemms, t->n_gemms, t->cap_gemms, (struct tl_bench_gemm){ tl_rows_text(&r, 0, &t->arena), index_or_none(&r, 1), index_or_none(&r, 2),
			index_or_none(&r, 3), index_or_none(&r, 4), index_or_none(&r, 5), index_or_none(&r, 6) });
	}
	return r.status;
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

enum tl_status tl_replay_schemas_add(struct tl_replay_tables *t, const char *file, const char *text, size_t len, struct tl_error *err)
{
	struct tl_rows r = { .file = file, .text = text, .len = len, .err = err };

	while (tl_rows_next(&r)) {
		struct tl_op_schema s = { .name = tl_rows_text(&r, 0, &t->arena) };
		if (r.n != 2 || !read_schema(&t->arena, tl_arena_dup(&t->arena, r.fields[1].s, r.fields[1].len), &s))
			tl_rows_fail(&r, r.line, "expected an operator, a tab and its arguments: TYPE NAME, TYPE NAME");
		TL_PUSH(t->schemas, t->n_schemas, t->cap_schemas, s);
	}
	return r.status;
}

/* ---- all ------------------------------------------------------------------------------------ */

void tl_replay_tables_read(struct tl_replay_tables *t)
{
	struct tl_error err;

	*t = (struct tl_replay_tables){ .rotate = TL_ROTATE_MB };
	tl_must(tl_bench_types_add(t, "bench-types", tl_data_bench_types, tl_data_bench_types_len, &err), &err);
	tl_must(tl_bench_gemms_add(t, "bench-gemms", tl_data_bench_gemms, tl_data_bench_gemms_len, &err), &err);
	tl_must(tl_replay_schemas_add(t, "op-schemas", tl_data_op_schemas, tl_data_op_schemas_len, &err), &err);
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
