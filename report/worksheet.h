/* worksheet.h - a worksheet filled from a sheet in TSV, and what charts need of it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_WORKSHEET_H
#define TL_WORKSHEET_H

#include "base/io.h"
#include "base/memory.h"
#include "report/column_format.h"
#include "report/first_rows.h"

#include <stdbool.h>

/* Charts look at the first rows of a worksheet only. */
#define TL_CHART_ROWS 50

struct tl_column {
	const char *name;
	struct tl_column_format format;
	bool names_bars;      /* tl_charts_name */
	double width;         /* of the widest cell below the header, in characters */
};

/* What a sheet is besides a table; zero bytes: nothing. */
struct tl_sheet_role {
	const struct tl_worksheet *sheets; size_t n_sheets; /* of the workbook, to link to */
	void (*look)(void *ctx, const struct tl_field_text *, size_t n); /* sees each row, the header first; may be NULL */
	void *ctx;
};

struct tl_worksheet {
	const char *name;
	lxw_worksheet *lxw;
	const struct tl_formats *formats;
	bool is_overview;           /* the sheet of tl-overview */
	bool (*folds)(const void *ctx, const char *column); /* which columns are folded; NULL: tl_column_is_folded */
	const void *folds_ctx;
	struct tl_arena arena;      /* of names */
	struct tl_column *columns;
	size_t n_columns, n_rows;   /* n_rows: without the header */
	struct tl_first_rows first; /* TL_CHART_ROWS at most */
	size_t n_cells;             /* cells written, with those of the header */
	size_t n_cut;               /* texts that were cut */
	lxw_row_t high_row;         /* the last row with texts of several lines … */
	size_t high_lines;          /* … and how many */
	size_t charts_end;          /* the row below the last chart on this sheet */
};

/* Fills `s`, in which only the members up to folds_ctx are set, from a TSV, as
 * tl_workbook_fill says. Malformed TSV and too many rows or columns are TL_ERR_DATA.
 * Call tl_worksheet_release even after an error. */
enum tl_status tl_worksheet_fill(struct tl_worksheet *s, const struct tl_sheet_role *, struct tl_input *tsv,
                                 struct tl_error *);
void tl_worksheet_release(struct tl_worksheet *);

#define TL_MAX_SHEET_NAME 31 /* UTF-16 units */
/* The worksheet of a name (upper and lower case are the same), or NULL. */
struct tl_worksheet *tl_worksheet_find(const struct tl_worksheet *sheets, size_t n, const char *name);

#endif
