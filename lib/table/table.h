/* table.h - tables in memory, the one table engine, and sheets as TSV.
 *
 * A table has named columns and rows of cells. A sheet is a definition
 * (struct tl_sheet_def) applied to a table of raw rows: group, aggregate, sort,
 * shares, choose columns. Text cells are ids in the table's string table.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TABLE_H
#define TL_TABLE_H

#include "base/io.h"

enum tl_cell_type { TL_CELL_NULL, TL_CELL_INT, TL_CELL_REAL, TL_CELL_TEXT, TL_CELL_BOOL };
struct tl_cell {
	uint8_t type;
	union { int64_t i; double d; uint32_t text; };
};
static inline struct tl_cell tl_cell_null(void) { return (struct tl_cell){ .type = TL_CELL_NULL, .i = 0 }; }
static inline struct tl_cell tl_cell_int(int64_t i) { return (struct tl_cell){ .type = TL_CELL_INT, .i = i }; }
static inline struct tl_cell tl_cell_real(double d) { return (struct tl_cell){ .type = TL_CELL_REAL, .d = d }; }
static inline struct tl_cell tl_cell_text(uint32_t id) { return (struct tl_cell){ .type = (uint8_t)(id ? TL_CELL_TEXT : TL_CELL_NULL), .text = id }; }
static inline struct tl_cell tl_cell_bool(bool b) { return (struct tl_cell){ .type = TL_CELL_BOOL, .i = b }; }

struct tl_table {
	struct tl_strtab *strings; /* borrowed; outlives the table */
	char **columns; size_t n_columns, cap_columns;
	struct tl_cell *cells;     /* row-major */
	size_t n_rows, cap_cells;
};
struct tl_table *tl_table_new(struct tl_strtab *strings);
void tl_table_free(struct tl_table *);
/* Adds a column (before any row) and returns its index. */
size_t tl_table_add_column(struct tl_table *, const char *name);
/* Index of a column, or -1. */
int tl_table_column(const struct tl_table *, const char *name);
/* Room for n more rows, so that adding them moves nothing. */
void tl_table_reserve(struct tl_table *, size_t n);
/* Appends a row of nulls; returns its cells, valid until the next row. */
struct tl_cell *tl_table_add_row(struct tl_table *);
static inline struct tl_cell *tl_table_cell(const struct tl_table *t, size_t row, size_t col)
{
	return &t->cells[row * t->n_columns + col];
}

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
struct tl_order { const char *column; bool descending; };
/* percent = value / total * 100; cumulative = running sum of percent, in the
 * final row order. total: pairwise sum of the column when total_is_sum, else
 * the number in `total` (0 or NaN gives empty cells). */
struct tl_share { const char *of, *percent, *cumulative; bool total_is_sum; double total; };

#define TL_SHEET_MAX 24
#define TL_SHEET_ORDER 6
#define TL_SHEET_SHARES 4
/* Arrays end with an entry whose first pointer (in/out/column/of) is NULL. */
struct tl_sheet_def {
	const char *name;
	struct tl_key keys[TL_SHEET_MAX];
	struct tl_agg aggs[64];           /* ends at out == NULL */
	struct tl_scale scales[TL_SHEET_MAX];
	struct tl_order order[TL_SHEET_ORDER]; /* stable; ties keep the group order */
	struct tl_share shares[TL_SHEET_SHARES];
	const char *columns[96];          /* final columns; a name that does not exist is left out */
	bool keys_ascending;  /* groups start in ascending key order (nulls last);
	                         else in order of first appearance */
	bool drop_null_keys;  /* rows with a null key are left out */
	bool no_groups;       /* every raw row is a row of the sheet */
};
/* Makes the sheet. ctx goes to TL_AGG_CALL functions. The result shares the
 * string table of rows. */
struct tl_table *tl_sheet_make(const struct tl_sheet_def *, const struct tl_table *rows, void *ctx);

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
struct tl_table *tl_sheet_make_raw(const struct tl_sheet_def *, const struct tl_raw *, void *ctx);
/* Keeps the first n rows. */
void tl_table_head(struct tl_table *, size_t n);

/* A column is written as integers only if every row has one (the reference's
 * dataframes do so): makes every integer of such a mixed column a real, over
 * the columns of raw rows. To be called before grouping where that matters. */
void tl_table_unify_column(struct tl_table *, size_t col);

/* ---- numbers, as the reference computes them ------------------------------- */

double tl_pairwise_sum(const double *a, size_t n);  /* numpy's sum */
double tl_kahan_sum(const double *a, size_t n);     /* pandas' group sum */
/* Both of these and the bounds of four times n numbers (n not 0, none of them
 * NaN) in one go. */
#define TL_MOMENT_LANES 4
struct tl_moments { double kahan, std, min, max; };
void tl_moments(const double *const a[TL_MOMENT_LANES], size_t n, struct tl_moments out[TL_MOMENT_LANES]);
double tl_median(double *a, size_t n);              /* reorders a */
double tl_numpy_round2(double x);                   /* rint(x * 100) / 100 */

/* ---- TSV -------------------------------------------------------------------- */

/* One header line, one line a row; tab, newline, CR and backslash as \t \n \r
 * \\; null and NaN are empty; reals by tl_format_double; bools True/False. */
enum tl_status tl_tsv_write(const struct tl_table *, struct tl_output *, struct tl_error *);
/* Appends a text as it stands in a field, with its escapes. */
void tl_tsv_add_text(struct tl_buf *, const char *s, size_t len);

/* Reads a TSV: calls row() for the header (row number 0) and each line with its
 * unescaped fields. A row with another number of fields than the header is
 * TL_ERR_DATA; error records are row numbers. Fields are valid during the call. */
struct tl_field_text { const char *s; size_t len; };
typedef enum tl_status tl_tsv_row(void *ctx, size_t row, const struct tl_field_text *, size_t n, struct tl_error *);
enum tl_status tl_tsv_read(struct tl_input *, tl_tsv_row *, void *ctx, struct tl_error *);

#endif
