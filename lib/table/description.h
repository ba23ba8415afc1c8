/* description.h - what finished sheets are, for all who show, compare or load them: the .sheet files as data.
 * Nothing here refers to what makes sheets, so a program that only reads them stays small.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_DESCRIPTION_H
#define TL_DESCRIPTION_H

#include "base/memory.h"
#include "table/column.h"
#include "table/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tl_described_column {
	const char *name;      /* the header; of `each` what headers begin with */
	enum tl_type type;
	enum tl_unit unit;
	enum tl_role role;
	enum tl_column_rank rank;
	enum tl_column_bar bar;
	enum tl_column_metric metric;
	uint8_t width;         /* in a workbook at most, in characters */
	bool each;             /* stands for any number of columns */
	bool sometimes;        /* only some traces or options give it */
	const char *text;      /* what it says, in sentences */
};
struct tl_description {
	const char *sheet;     /* its name; NULL ends a list */
	const char *program;   /* "tl-ops" */
	const char *option;    /* that asks for it, or leaves it out; "": none */
	const char *help;      /* one line */
	const char *file;      /* of the sources: it makes the rows; "": this is not known */
	bool pattern;          /* the name stands for several sheets, as tl_sheet.flags says */
	const struct tl_described_column *columns;
	size_t n_columns;
};
extern const struct tl_description tl_descriptions[];

/* Which sheet has this name and these columns: several programs make a kernel_summary, so the one with most of the columns counts.
 * name NULL, or that of no sheet: any sheet that has the first column and at least half of them. NULL: none. A header may
 * begin with a report's name, as in a comparison: REPORT::COLUMN. */
const struct tl_description *tl_description_of(const char *name, const char *const *headers, size_t n);
/* Is this sure to be what the sheet is, so that its sentences may be shown? It has this name, or is one of a pattern's, and no other
 * program's sheet of the name has these columns, too. */
bool tl_description_is_sure(const struct tl_description *, const char *name, const char *const *headers, size_t n);
/* The same of a table, which is the sheet of this name. */
const struct tl_description *tl_table_description(const struct tl_table *, const char *name);
/* The sheet of this name that the program makes; program NULL: the first of the name. NULL: there is none. */
const struct tl_description *tl_description_named(const char *program, const char *sheet);
/* NULL: the sheet has no such column. */
const struct tl_described_column *tl_described_column(const struct tl_description *, const char *header);
/* The first column with the role; NULL: none. */
const struct tl_described_column *tl_column_of_role(const struct tl_description *, enum tl_role);
/* What people call a row: the first key that never leaves a narrow page, else the first key; NULL: none. */
const struct tl_described_column *tl_label_column(const struct tl_description *);

/* "ms", "percent", "count"; "" of TL_UNIT_NONE. */
const char *tl_unit_word(enum tl_unit);

/* Adds the column's name as databases and programs want it: lower case; (µs) is us, GB/s gb_s, (%) pct without the word Percent;
 * every other run of characters is one "_". */
void tl_column_key(struct tl_buf *, const char *header);

#endif
