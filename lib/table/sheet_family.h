/* sheet_family.h - what the program knows of a sheet besides its definition: how it is asked for, what it needs, who makes it.
 * lib/sheets/FAMILY.sheet says it; lib/sheets/README tells the form.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SHEET_FAMILY_H
#define TL_SHEET_FAMILY_H

#include "table/sheet.h"

enum { /* tl_sheet.flags */
	TL_SHEET_USUAL = 1,      /* the filter writes it if neither a sheet nor a folder is named */
	TL_SHEET_EXTRA = 2,      /* not part of a report: written only if it is named, or its option is given */
	TL_SHEET_NEEDS_ROWS = 4, /* left out of a folder if it has no rows */
	TL_SHEET_PATTERN = 8,    /* stands for several sheets: FAMILY in its name stands for the name of a family
	                            of operators, which the tables of operators give (tl-models(5)) */
	TL_SHEET_TRAINING = 128, /* not part of the report of an inference trace: written there only if it is named */
	/* Part of every report. In those that its filter is not part of, no option need ask for it. */
	TL_SHEET_EVERYWHERE = 256,
	/* Device events that no runtime call launched (tl_gpu_unlinked) are … */
	TL_SHEET_LINKED_ONLY = 16,  /* never in the sheet */
	TL_SHEET_LINKED_TIME = 32,  /* left out, as tl_gpu_leaves_out says */
	TL_SHEET_LINKED_TOTAL = 64, /* counted, but left out in the same way of the total that percentages refer to */
};
enum { /* tl_sheet.needs: events that the trace must keep in memory */
	TL_NEEDS_OPERATORS = 1,   /* host operators; a report of a trace without any has no such sheet */
	TL_NEEDS_ANNOTATIONS = 2, /* events of the kinds annotation and gpu annotation */
	TL_NEEDS_PYTHON = 4,      /* Python frames, as part of the call tree */
	TL_NEEDS_OTHERS = 8,      /* events of the kinds other and instant */
	TL_NEEDS_FRAMES = 32,     /* Python frames of TL_LEAST_FRAME_US and more, in the call tree or not */
	TL_NEEDS_INSTANTS = 64,   /* events of the kind instant, of raw traces too: no report reads them unless asked */
	TL_NEEDS_ALL_FRAMES = 128, /* as TL_NEEDS_PYTHON, but a trace without frames will do */
	TL_NEEDS_COUNTERS = 256,  /* samples of counters (tl_trace.samples) */
	TL_NEEDS_RANGES = 16,     /* annotations of the host; without any the sheet has no row */
};

struct tl_sheet {
	const char *name;      /* NULL ends a list */
	const char *help;      /* one line */
	const char *option;    /* the option that puts the sheet into a report or, if it begins with "disable_",
	                          leaves it out; NULL: the sheet is always part of a report */
	unsigned flags, needs;
	const struct tl_sheet_def *def; /* NULL: the rows are the sheet */
	/* Fills in->rows or in->own_rows, and what else the definition needs; with neither, the trace or the
	 * options give no such sheet. filter: what the filter made of a trace, for tl-ops a struct tl_ops and so
	 * on; in->ctx is that, too, and in->where the entry's. For the sheets of tl-roofline it is NULL:
	 * tl_roofline_new makes them all at once. */
	void (*rows)(void *filter, struct tl_sheet_input *in);
	const char *where;              /* see tl_sheet_input */
};
/* Makes the sheet; the caller frees it with tl_table_free. NULL: there is no such sheet. */
struct tl_table *tl_sheet_of(const struct tl_sheet *, void *filter);

struct tl_sheet_family {
	const char *filter;    /* "tl-ops" */
	const struct tl_sheet *sheets;
};

#endif
