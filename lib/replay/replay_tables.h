/* replay_tables.h - what is known about operators that are run again: how they are declared, which of
 * them multiply matrices, and what tools call the types of elements.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_REPLAY_TABLES_H
#define TL_REPLAY_TABLES_H

#include "base/base.h"

/* A type of elements; NULL: the tool has no such type. */
struct tl_bench_type { const char *name /* in traces */, *torch, *hipblaslt, *cublas, *miopen; };
/* An operator that multiplies matrices, and its arguments, counted from 0; -1: there is none. */
struct tl_bench_gemm { const char *name; int left, right, added, out_dtype, scales, beta; };
/* An argument of an operator. */
struct tl_schema_arg {
	const char *type, *name;
	bool keyword;               /* is given by its name */
	bool has_default;
};
/* One form of an operator. */
struct tl_op_schema { const char *name; struct tl_schema_arg *args; size_t n; };

struct tl_replay_tables {
	struct tl_bench_type *types; size_t n_types, cap_types;
	struct tl_bench_gemm *gemms; size_t n_gemms, cap_gemms;
	struct tl_op_schema *schemas; size_t n_schemas, cap_schemas;
	int64_t rotate;             /* MB of tensors that benchmarks go round, so that caches hold none of them; 0: they reuse one set */
	struct tl_arena arena;
};
/* Reads the tables that are built in; rotate becomes TL_ROTATE_MB. */
enum { TL_ROTATE_MB = 512 };
void tl_replay_tables_read(struct tl_replay_tables *);
void tl_replay_tables_release(struct tl_replay_tables *);
/* Adds operators: lines of name, tab, "TYPE NAME[=DEFAULT], ..."; those behind "*" are given by name. They are
 * tried after those that are there. A mistake is TL_ERR_DATA. */
enum tl_status tl_replay_schemas_add(struct tl_replay_tables *, const char *file, const char *text, size_t len, struct tl_error *);
/* Add types and products of matrices: lines as in bench-types.tsv and bench-gemms.tsv. */
enum tl_status tl_bench_types_add(struct tl_replay_tables *, const char *file, const char *text, size_t len, struct tl_error *);
enum tl_status tl_bench_gemms_add(struct tl_replay_tables *, const char *file, const char *text, size_t len, struct tl_error *);

/* NULL: unknown. */
const struct tl_bench_type *tl_bench_type_of(const struct tl_replay_tables *, const char *name);
const struct tl_bench_gemm *tl_bench_gemm_of(const struct tl_replay_tables *, const char *op);

#endif
