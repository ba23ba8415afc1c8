/* first_rows.h - keeps the first rows of a sheet for charts, and chooses among them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_FIRST_ROWS_H
#define TL_FIRST_ROWS_H

#include "base/memory.h"
#include "table/description.h"
#include "table/tsv.h"

#include <stdbool.h>

/* Set `most`, all_texts and sheet, and leave the rest zero bytes before the first row. */
struct tl_first_rows {
	size_t most;                     /* rows that are kept */
	bool all_texts;                  /* texts are kept of all columns */
	const char *sheet;               /* its name; NULL: not known */
	const struct tl_description *description; /* NULL: nobody knows the sheet */
	bool is_sure;                    /* see tl_description_is_sure */
	struct tl_arena arena;           /* of names and texts */
	const char **columns; size_t n_columns;
	size_t n;                        /* rows that were kept, without the header */
	double *numbers; size_t cap_numbers;    /* row by row; NaN: no number */
	const char **texts; size_t cap_texts;   /* row by row; NULL in columns whose texts no chart needs */
};

/* Takes a row of the sheet, the header first. */
void tl_first_rows_add(struct tl_first_rows *, const struct tl_field_text *, size_t n);
void tl_first_rows_release(struct tl_first_rows *);

/* Index of a column by name, or -1. */
int tl_first_column(const struct tl_first_rows *, const char *name);
/* The number in one of the rows, or NaN. */
double tl_first_number(const struct tl_first_rows *, size_t row, int column);
/* The text in one of the rows. Without all_texts, only the first column, "Input Dims"
 * and "Compute Spec" keep their texts. Other columns, and column -1, give "". */
const char *tl_first_text(const struct tl_first_rows *, size_t row, int column);

/* Fills `rows` with the rows of the largest values, at most `most`, the largest first and equal
 * ones in the order of rows; returns how many. */
size_t tl_largest_rows(size_t *rows, const double *values, size_t n, size_t most);

/* Chooses which of n points get a label: at most `most` of the first `among`, the first ones
 * first. A point whose label would lie on an earlier label gets none. x, y: where points lie; they
 * become parts of the range of all points. width, height: the size of a label, in such parts. */
void tl_choose_labels(bool *labelled, double *x, double *y, size_t n, size_t among, size_t most, double width, double height);

#endif
