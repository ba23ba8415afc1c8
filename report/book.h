/* book.h - between the files of report only.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_XLSX_PRIVATE_H
#define TL_XLSX_PRIVATE_H

#include "report/xlsx.h"

#include <xlsxwriter.h>

/* How the numbers of a column are shown; also indexes the book's formats. */
enum look { LOOK_GENERAL, LOOK_PLAIN, LOOK_COUNT, LOOK_TIME, LOOK_RATIO, LOOK_PRECISE, LOOK_RATE, LOOK_COUNT_OF };

struct column {
	const char *name;
	uint8_t look;     /* enum look */
	double cap;       /* widest the column may become, in characters */
	double width;     /* of the contents so far */
	double header_width; /* on one line */
	const char **texts;  /* of the first N_KEPT rows, for the first column and those that a chart needs, else NULL */
};

#define N_KEPT 50 /* rows at the start that charts look at */
struct sheet {
	const char *name;
	lxw_worksheet *ws;
	struct column *columns;
	size_t n_columns, n_rows;       /* without the header */
	double *kept;                   /* numbers of the first rows, NaN for all else */
	size_t n_cut;
	size_t charts_row;              /* where the next chart goes */
};

struct tl_book {
	lxw_workbook *wb;
	lxw_format *header, *look[LOOK_COUNT_OF];
	char *path;
	size_t n_cells;                 /* in the file, with those of the headers */
	struct sheet *sheets;
	size_t n_sheets, cap_sheets;
	struct tl_arena arena;
	struct tl_buf text;
};

/* Whether a text that is not empty is a decimal number as sheets write them,
 * and its value; infinity when a workbook cannot hold it. */
bool tl_book_number(const char *s, size_t len, double *x);
/* Look and widest width of a column, by its name. */
void tl_book_look(struct column *);
const char *tl_book_number_format(enum look);
/* Characters that x takes in a look. */
double tl_book_number_width(enum look, double x, size_t text_len);
/* Data bars of a finished sheet; charts of all. */
void tl_book_add_bars(struct sheet *);
void tl_book_add_charts(struct tl_book *);
/* The start of the names of the columns with roofs. */
#define ROOF "roof "
/* Adds the sheet behind the roofline chart when there is what it needs. */
enum tl_status tl_book_add_roofline(struct tl_book *, struct tl_error *);
struct sheet *tl_book_find(struct tl_book *, const char *name); /* or NULL */
/* Index of a sheet's column by name, or -1. */
int tl_book_column(const struct sheet *, const char *name);

#endif
