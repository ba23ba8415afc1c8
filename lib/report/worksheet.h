/* worksheet.h - a worksheet filled from a sheet in TSV, and what charts need of it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_WORKSHEET_H
#define TL_WORKSHEET_H

#include "base/io.h"
#include "base/memory.h"
#include "report/column_kind.h"
#include "report/first_rows.h"

#include <stdbool.h>
#include <xlsxwriter.h>

enum tl_number_format {
	TL_NUMBERS_GENERAL,
	TL_NUMBERS_ID,    /* integers without separators */
	TL_NUMBERS_COUNT, /* integers with separators */
	TL_NUMBERS_TIME,
	TL_NUMBERS_SHARE,
	TL_NUMBERS_BIN,   /* limits of a histogram's bins */
	TL_NUMBERS_RATE,  /* amounts and amounts per second, which may be tiny */
	TL_NUMBERS_MIXED, /* of several kinds: integers as counts, others as shares */
	TL_NUMBERS_N
};

struct tl_column_format {
	uint8_t numbers;               /* enum tl_number_format */
	uint8_t max_width;             /* in characters */
	bool wraps;                    /* long texts are set in several lines */
	bool links;                    /* names of sheets are links to them */
	uint8_t bar;                   /* enum tl_column_bar */
};

/* The formats of a workbook. */
struct tl_formats {
	lxw_format *header, *text, *wrapped, *link, *boolean, *mixed_whole, *numbers[TL_NUMBERS_N];
	/* of the overview: the first row of a section, the name of a section once more, and the headline */
	lxw_format *section, *repeated, *headline;
};
void tl_formats_add(struct tl_formats *, lxw_workbook *);

/* Charts look at the first rows of a worksheet only. */
#define TL_CHART_ROWS 50

struct tl_column {
	const char *name;
	struct tl_column_format format;
	bool names_bars;      /* tl_chart_names */
	bool folded;
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
	bool has_charts;
	bool (*folds)(const void *ctx, const char *column); /* which columns are folded; NULL: tl_column_is_folded */
	const void *folds_ctx;
	struct tl_arena arena;      /* of names */
	struct tl_column *columns;
	size_t n_columns, n_rows;   /* n_rows: without the header */
	/* of sheets with charts TL_CHART_ROWS at most, more of sheets to which others lead, of the others only the header */
	struct tl_first_rows first;
	/* the rows, from 0, of the device that charts show (chart_list.h); n 0: there is no column "device" */
	struct { size_t first, n; const char *process, *device; } of_device;
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

/* The worksheet of a name (upper and lower case are the same), or NULL. */
struct tl_worksheet *tl_worksheet_find(const struct tl_worksheet *sheets, size_t n, const char *name);

#endif
