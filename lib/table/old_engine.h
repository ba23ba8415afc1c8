/* old_engine.h - the table engine that the roofline sheets still use; table/sheet.h
 * takes its place.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_OLD_ENGINE_H
#define TL_OLD_ENGINE_H

#include "table/old_cell.h"
#include "table/table.h"

/* ---- the engine ------------------------------------------------------------ */

enum tl_agg_kind {
	TL_AGG_COUNT,  /* rows of the group */
	TL_AGG_FIRST,  /* first value that is not null */
	TL_AGG_SUM,    /* numbers: exact for integers, Kahan for reals; nulls left out */
	TL_AGG_MEAN, TL_AGG_MEDIAN, TL_AGG_STD /* ddof 1, null for one value */,
	TL_AGG_MIN, TL_AGG_MAX,
	TL_AGG_DISTINCT, /* distinct texts, ascending, as a Python list of strings */
	TL_AGG_CALL,   /* fn decides */
};
struct tl_group { const struct tl_table *rows /* or NULL */; const size_t *index; size_t n; };
typedef struct tl_cell tl_agg_fn(void *ctx, const struct tl_group *);
struct tl_agg {
	uint8_t kind;        /* enum tl_agg_kind */
	const char *in;      /* column of the raw rows; NULL for COUNT, CALL */
	const char *out;     /* column of the sheet */
	tl_agg_fn *fn;       /* TL_AGG_CALL */
};
struct tl_key {
	const char *in, *out; /* out NULL: same name. A key whose column the raw
	                         rows lack is left out (optional keys). */
};
/* out = in / divisor * factor, row by row after aggregation (NULL in ends). */
struct tl_scale { const char *in, *out; double divisor, factor; };
struct tl_old_order { const char *column; bool descending; };
/* percent = value / total * 100; cumulative = running sum of percent, in the
 * final row order. total: pairwise sum of the column when total_is_sum, else
 * the number in `total` (0 or NaN gives empty cells). */
struct tl_share { const char *of, *percent, *cumulative; bool total_is_sum; double total; };

#define TL_SHEET_MAX 24
#define TL_SHEET_ORDER 6
#define TL_SHEET_SHARES 4
/* Arrays end with an entry whose first pointer (in/out/column/of) is NULL. */
struct tl_old_sheet_def {
	const char *name;
	struct tl_key keys[TL_SHEET_MAX];
	struct tl_agg aggs[64];           /* ends at out == NULL */
	struct tl_scale scales[TL_SHEET_MAX];
	struct tl_old_order order[TL_SHEET_ORDER]; /* stable; ties keep the group order */
	struct tl_share shares[TL_SHEET_SHARES];
	const char *columns[96];          /* final columns; a name that does not exist is left out */
	bool keys_ascending;  /* groups start in ascending key order (nulls last);
	                         else in order of first appearance */
	bool drop_null_keys;  /* rows with a null key are left out */
	bool no_groups;       /* every raw row is a row of the sheet */
};
/* Makes the sheet. ctx goes to TL_AGG_CALL functions. The result shares the
 * string table of rows. */
struct tl_table *tl_old_sheet_make(const struct tl_old_sheet_def *, const struct tl_table *rows, void *ctx);

/* Raw rows that are not a table: numbers stand wherever there is one each
 * `stride` bytes, and what many rows have in common is kept once. No two parts
 * have a column of one name. */
struct tl_raw_column {
	const char *name;
	const int64_t *ints;     /* of the first row; or NULL … */
	const double *reals;     /* … and this; NaN is null */
	size_t stride;
};
struct tl_raw {
	struct tl_strtab *strings;
	size_t n_rows;
	const struct tl_raw_column *columns; size_t n_columns;
	const struct tl_table *own;    /* cells of each row; NULL: none */
	const struct tl_table *shared; /* row i has those of row of[i] of this; NULL: none */
	const uint32_t *of;
};
/* The sheet of such rows; not one without groups. */
struct tl_table *tl_old_sheet_make_raw(const struct tl_old_sheet_def *, const struct tl_raw *, void *ctx);

#define TL_MOMENT_LANES 4
struct tl_moments { double kahan, std, min, max; };
void tl_moments(const double *const a[TL_MOMENT_LANES], size_t n, struct tl_moments out[TL_MOMENT_LANES]);

#endif
