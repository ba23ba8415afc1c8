/* sheet_list.h - every sheet that there is, each in one place: its entry at the end
 * of the file that makes it. Help, lists of sheets, reserved names, the plan of a
 * report and the tests of the manual read these entries.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SHEET_LIST_H
#define TL_SHEET_LIST_H

#include "table/sheet.h"

enum { /* tl_sheet.flags */
	TL_SHEET_USUAL = 1,      /* written when no sheet is named and there is no folder to write to */
	TL_SHEET_EXTRA = 2,      /* not part of a report: written only when named */
	TL_SHEET_NEEDS_ROWS = 4, /* left out of a folder when it has no rows */
	TL_SHEET_PATTERN = 8,    /* stands for several sheets: FAMILY in its name is the name of a family of
	                            operators, which the tables of operators tell (tl-models(5)) */
};
enum { /* tl_sheet.needs: what the trace must have in memory */
	TL_NEEDS_OPERATORS = 1,   /* host operators: a report of a trace without any has no such sheet */
	TL_NEEDS_ANNOTATIONS = 2, /* events of the kinds annotation and gpu annotation */
};

struct tl_sheet {
	const char *name;      /* NULL ends a list */
	const char *help;      /* one line */
	const char *option;    /* the option that puts it into a report, or leaves it out if it begins with
	                          "disable_"; NULL: it is always part of one */
	unsigned flags, needs;
	const struct tl_sheet_def *def; /* NULL: make() does without */
	/* `filter` is what the filter made of a trace: a struct tl_ops for the sheets of tl-ops, and so on.
	 * The table is to be freed; NULL: this trace, or these options, have no such sheet. make is NULL for
	 * the sheets of tl-roofline, which tl_roofline_new makes all at once. */
	struct tl_table *(*make)(void *filter, const struct tl_sheet *);
};

struct tl_sheet_family {
	const char *filter;    /* "tl-ops" */
	const struct tl_sheet *sheets;
};
/* In the order of a report; NULL ends. */
extern const struct tl_sheet_family *const tl_sheet_families[];

/* The sheet of a family, or NULL. */
const struct tl_sheet *tl_sheet_find(const struct tl_sheet_family *, const char *name);
/* Checks the definitions of all sheets (tl_sheet_check). */
enum tl_status tl_sheets_check(struct tl_error *);

#endif
