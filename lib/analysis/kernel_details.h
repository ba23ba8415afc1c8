/* kernel_details.h - the columns kernel_details_summary and trunc_kernel_details (and
 * their overlap twins): what the kernels of a group of launchers did, position
 * by position.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_KERNEL_DETAILS_H
#define TL_KERNEL_DETAILS_H

#include "analysis/args.h"

struct tl_detail {
	uint32_t name;         /* string id */
	uint32_t event;        /* the device event, or TL_NONE */
	uint32_t call_stack;   /* string id of the text of a list; 0: not shown */
	bool int_dur;          /* the source wrote the duration without a fraction */
	double dur;            /* µs */
	double overlap;        /* share of the launcher's time; with_overlap only */
	struct tl_cell stream;
};

/* One list of details for each raw row of a table. */
struct tl_details {
	struct tl_trace *trace;
	bool with_overlap;
	bool hide_stacks;      /* leave call_stack out of the text */
	struct tl_detail *items; size_t n, cap;
	size_t *first; size_t n_rows, cap_rows; /* by row: where its list begins in items */
	uint32_t *order, n_order; size_t cap_order; /* of the last summary: which of its places comes first, second … */
	/* private */
	struct tl_arg stream;
	struct tl_arg_cells streams;
	double *values; size_t cap_values;
};
/* The cells made go into the trace's strings. */
void tl_details_init(struct tl_details *, struct tl_trace *);
void tl_details_release(struct tl_details *);

/* The next row's list begins here; its items are added after this. */
void tl_details_add_row(struct tl_details *);
void tl_details_add(struct tl_details *, const struct tl_detail *);
/* Adds device events of the trace. */
void tl_details_add_events(struct tl_details *, const uint32_t *events, uint32_t n);
/* The list of a row, NULL if it is empty; *n receives its length. */
const struct tl_detail *tl_details_of(const struct tl_details *, size_t row, uint32_t *n);

/* Both texts of the rows of a group (numbers of raw rows), the summary and the
 * short form. The list of the first row that has one sets names, streams and
 * length; lists of another length are left out of the statistics. */
void tl_details_summarise(struct tl_details *, const size_t *rows, size_t n, struct tl_cell texts[2]);

/* Appends Python's repr of a cell: text quoted, null as None. */
void tl_cell_repr(struct tl_buf *, const struct tl_strtab *, struct tl_cell);

#endif
