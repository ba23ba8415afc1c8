/* sheet.h - definitions of sheets: which columns a sheet has, and what each column
 * says about a group of raw rows.
 *
 * A filter makes a table of raw rows once and applies definitions to it. Applying
 * one groups the rows by their keys, computes each column for every group, sorts
 * the groups, and adds percentages and cumulative sums. A definition is a constant;
 * each line of it is a column:
 *
 *	static const struct tl_column columns[] = {
 *		{ "name", .kind = TL_KEY },
 *		{ "Count", .kind = TL_COUNT },
 *		{ "time_sum", .kind = TL_SUM, .in = "time" },
 *		{ "time_ms", .kind = TL_MS, .in = "time_sum" },
 *		{ "Percentage (%)", .kind = TL_PERCENT, .in = "time_ms" },
 *		{ NULL }
 *	};
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SHEET_H
#define TL_SHEET_H

#include "base/error.h"
#include "table/table.h"

enum tl_column_kind {
	/* of a column of the raw rows, named by `in` */
	TL_KEY,        /* rows with equal keys are one group */
	TL_EACH_KEY,   /* every raw column whose name begins with `in` is a key, under its own name */
	TL_FIRST,      /* the first cell that is not null */
	TL_REST,       /* the same of every raw column that no other column is made from, under its own name */
	TL_TICKS,      /* the first time, as an integer of ticks; the column's name gets their unit: ts_ns */
	/* statistics; nulls are left out */
	TL_SUM,        /* exact for integers and times */
	TL_MEAN, TL_MEDIAN,
	TL_P25, TL_P75, /* quartiles, between two values as numpy's percentile: on the line between them */
	TL_STD,        /* of the sample (n - 1); null for one value */
	TL_STD_ALL,    /* of all values (n) */
	TL_VAR,        /* the square of TL_STD */
	TL_MIN, TL_MAX,
	/* of values that rows stand for: of several raw columns, enum tl_merged_cell, of which `in` names the first */
	TL_MERGED,     /* their number and so on; cell: TL_MERGED_N … */
	/* of the group */
	TL_COUNT,      /* how many rows the group has; with `in`, how many of them have a cell there that is not null */
	TL_CALL,       /* a cell that fn() fills */
	/* of an earlier column of the sheet, named by `in` */
	TL_MS,         /* its time, in ms */
	TL_SHARE,      /* its share in a total */
	TL_PERCENT,    /* the same in percent */
	TL_CUMULATIVE, /* its sum over this row and the rows above; but see tl_sheet_input.shares_by_key */
};
/* Number, sum, mean and sum of squared deviations from the mean, all reals: what rows say of values, side by side. Rows without
 * a number count as none. From the mean on, they are null for no values. */
enum tl_merged_cell { TL_MERGED_N, TL_MERGED_SUM, TL_MERGED_MEAN, TL_MERGED_M2, TL_MERGED_CELLS,
	TL_MERGED_STD = TL_MERGED_CELLS /* as TL_STD */ };
enum { TL_MAX_CALL_CELLS = 9 };
/* Fills cells about a group; rows: the numbers of its raw rows. */
typedef void tl_column_fn(void *ctx, const size_t *rows, size_t n, struct tl_cell cells[TL_MAX_CALL_CELLS]);

struct tl_column {
	const char *name;
	enum tl_column_kind kind;
	const char *in;     /* NULL: the same name */
	unsigned when;      /* the sheet has the column only if tl_sheet_input.conditions has all these bits */
	bool hidden;        /* rows are ordered by the column, but the sheet does not show it */
	bool rounded;       /* to two decimals, a real; then the deviation of one value is 0 */
	bool zero;          /* a statistic of no value is 0, else null */
	bool fine;          /* TL_KEY: groups that differ in such keys only are one coarse group */
	bool coarse;        /* a statistic of the rows of the coarse group */
	tl_column_fn *fn;   /* TL_CALL; one call for a group serves all columns with this function */
	unsigned cell;      /* TL_CALL: which of the cells that fn() fills; TL_MERGED: one of enum tl_merged_cell */
	unsigned total;     /* of shares: the column's sum if 0, else tl_sheet_input.totals[total - 1] */
	const char *of;     /* of shares: not a total, but an earlier column of the sheet */
};
/* A statistic of the raw column OF, in a column OF_mean or so. */
#define TL_STATISTIC(of, kind_, suffix, when_, rounded_) \
	{ of suffix, .kind = kind_, .in = of, .when = when_, .rounded = rounded_ }
/* Five of them. */
#define TL_STATISTICS(of, when, rounded) \
	TL_STATISTIC(of, TL_MEAN, "_mean", when, rounded), TL_STATISTIC(of, TL_MEDIAN, "_median", when, rounded), \
	TL_STATISTIC(of, TL_STD, "_std", when, rounded), TL_STATISTIC(of, TL_MIN, "_min", when, rounded), \
	TL_STATISTIC(of, TL_MAX, "_max", when, rounded)

/* Is a column of this kind made from another column of the sheet, not from raw rows? */
static inline bool tl_column_is_of_sheet(enum tl_column_kind kind)
{
	return kind >= TL_MS;
}
static inline const char *tl_column_source(const struct tl_column *c)
{
	return c->in ? c->in : c->name;
}

struct tl_order { const char *column; bool descending; };

enum { TL_SHEET_ORDER = 6, TL_SHEET_TOTALS = 2 };
struct tl_sheet_def {
	const char *name;
	const char *const *rows;               /* names of the raw columns; end with NULL */
	const struct tl_column *columns;       /* end with a name of NULL */
	struct tl_order order[TL_SHEET_ORDER]; /* columns of the sheet; NULL ends; nulls come last in either order */
	bool keys_ascending;  /* rows that tie are in ascending order of their keys, else of first appearance */
	bool ties_as_texts;   /* only the first column of `order` is compared by value, all others by what they show */
	bool drop_null_keys;  /* raw rows with a null key are left out */
	bool ungrouped;       /* every raw row is a group of its own */
	bool as_made;         /* rows come with the columns of the sheet: the definition only says what they are */
};
/* Checks that all columns which the definition names exist. If not, it is a mistake
 * in the program: TL_ERR_DATA with the names of the sheet and the column. */
enum tl_status tl_sheet_check(const struct tl_sheet_def *, struct tl_error *);

struct tl_sheet_input {
	const char *name;               /* of the sheet, for what makes the rows */
	const struct tl_table *rows;    /* raw rows; they have the columns that the definition says */
	struct tl_table *own_rows;      /* the same, instead: tl_sheet_make frees them */
	bool as_is;                     /* own_rows are the sheet: the definition is not applied */
	const char *where;              /* a raw column of bools: only rows with True; NULL: all rows */
	const int64_t *top;             /* the sheet has so many rows at most; NULL or negative: all */
	unsigned conditions;            /* see tl_column.when */
	double totals[TL_SHEET_TOTALS]; /* see tl_column.total; a total of 0 or NaN makes shares null */
	bool shares_by_key;             /* cumulative sums are over the rows with lower keys, not over those above */
	void *ctx;                      /* of the functions of TL_CALL */
	void (*done)(void *ctx);        /* called when the sheet is made; NULL: nothing */
};
/* Makes the sheet. Its texts are in the string table of the raw rows. Free it with
 * tl_table_free. */
struct tl_table *tl_sheet_make(const struct tl_sheet_def *, const struct tl_sheet_input *);

#endif
