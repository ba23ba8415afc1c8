/* sheet.h - sheets are definitions: which columns a sheet has and what each says
 * about a group of raw rows.
 *
 * A filter makes a table of raw rows once. A definition is a constant; applied to
 * raw rows it groups them by its keys, computes each column for every group,
 * sorts, and adds shares. A column of a sheet stands in one place: its line in
 * the definition.
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

#include "table/table.h"

enum tl_column_kind {
	/* of a column of the raw rows, named by `in` */
	TL_KEY,        /* rows with equal keys are one group */
	TL_EACH_KEY,   /* so is every raw column whose name begins with `in`, under its name */
	TL_FIRST,      /* the first cell that is not null */
	TL_TICKS,      /* the same of a time, as ticks; the column's name gets the unit: ts_ns */
	TL_SUM,        /* of integers and times exact; nulls are left out of this and what follows */
	TL_MEAN, TL_MEDIAN,
	TL_STD,        /* ddof 1; null for one value */
	TL_MIN, TL_MAX,
	/* of the group */
	TL_COUNT,      /* how many rows it has */
	TL_CALL,       /* fn() says */
	/* of an earlier column of the sheet, named by `in` */
	TL_MS,         /* a time in ms */
	TL_PERCENT,    /* of a total */
	TL_CUMULATIVE, /* the sum down to this row */
};
enum { TL_MAX_CALL_CELLS = 4 };
/* Fills cells for a group, whose rows are given by their numbers. */
typedef void tl_column_fn(void *ctx, const size_t *rows, size_t n, struct tl_cell cells[TL_MAX_CALL_CELLS]);

struct tl_column {
	const char *name;
	enum tl_column_kind kind;
	const char *in;     /* NULL: the same name */
	unsigned when;      /* bits of tl_sheet_input.conditions that must be set for the column to be there */
	bool hidden;        /* only to order rows by */
	bool rounded;       /* to two decimals; then the deviation of one value is 0 */
	tl_column_fn *fn;   /* TL_CALL: called once a group for all columns that name it */
	unsigned cell;      /* TL_CALL: which of the cells it fills */
	unsigned total;     /* TL_PERCENT: 0: the sum of the column; n: totals[n - 1] of the input */
};
/* Is it made from another column of the sheet, not from the raw rows? */
static inline bool tl_column_is_of_sheet(enum tl_column_kind kind)
{
	return kind == TL_MS || kind == TL_PERCENT || kind == TL_CUMULATIVE;
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
	struct tl_order order[TL_SHEET_ORDER]; /* columns of the sheet; NULL ends; nulls come last either way */
	bool keys_ascending;  /* rows that tie are in ascending order of their keys, else of first appearance */
	bool drop_null_keys;  /* raw rows with a null key are left out */
	bool ungrouped;       /* every raw row is a group of its own */
};
/* Does every name in the definition exist? TL_ERR_DATA with the sheet and the
 * name when not, which is a mistake in the program. */
enum tl_status tl_sheet_check(const struct tl_sheet_def *, struct tl_error *);

struct tl_sheet_input {
	const struct tl_table *rows;    /* its first columns are those of the definition */
	const char *where;              /* only rows that are true in this raw column; NULL: all */
	unsigned conditions;
	double totals[TL_SHEET_TOTALS]; /* of TL_PERCENT; 0 or NaN: no percentages */
	void *ctx;                      /* for TL_CALL */
};
/* Makes the sheet. Its texts are in the string table of the raw rows. */
struct tl_table *tl_sheet_make(const struct tl_sheet_def *, const struct tl_sheet_input *);

#endif
