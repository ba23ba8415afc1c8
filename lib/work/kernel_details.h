/* kernel_details.h - the columns kernel_details_summary and trunc_kernel_details, and
 * those of overlapping kernels: what the kernels of a group of launchers did, place
 * by place: the first kernels of all launchers, the second ones, and so on.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_KERNEL_DETAILS_H
#define TL_KERNEL_DETAILS_H

#include "work/args.h"

struct tl_detail {
	uint32_t name;         /* string id */
	uint32_t event;        /* the device event, or TL_NONE */
	bool has_stack;        /* the summary shows its call stack */
	bool int_dur;          /* the trace states the duration without a fraction */
	double dur;            /* µs */
	double overlap;        /* with_overlap: share of the launcher's time */
	bool of_event;         /* the stream is that of the event */
	struct tl_cell stream; /* else this one; see tl_detail_stream */
};

/* A list of details for each raw row of a table. */
struct tl_details {
	struct tl_trace *trace;
	bool with_overlap;
	/* Appends the call stack of a row's device event; NULL: summaries show none. Stacks
	 * are long, so none is made before a summary shows it. */
	void (*add_stack)(void *ctx, size_t row, uint32_t event, struct tl_buf *);
	void *stack_ctx;
	/* Appends what stands behind the name, ", 'key': value" for each fact about the kernels of
	 * that row; NULL: the stream. */
	void (*add_facts)(void *ctx, size_t row, struct tl_buf *);
	void *facts_ctx;
	struct tl_detail *items; size_t n, cap;
	size_t *first; size_t n_rows, cap_rows; /* by row: where its list begins in items */
	uint32_t *order, n_order; size_t cap_order; /* of the last summary: places in the order in which it shows them */
	/* private */
	struct tl_arg stream;
	double *values; size_t cap_values;
};
/* The trace must outlive the details; texts go into its string table. */
void tl_details_init(struct tl_details *, struct tl_trace *);
void tl_details_release(struct tl_details *);

/* Begins the list of the next row; items added afterwards are in it. */
void tl_details_add_row(struct tl_details *);
void tl_details_add(struct tl_details *, const struct tl_detail *);
/* Adds an item for each of these device events. */
void tl_details_add_events(struct tl_details *, const uint32_t *events, uint32_t n);
/* The list of a row, NULL if it is empty; *n receives its length. */
const struct tl_detail *tl_details_of(const struct tl_details *, size_t row, uint32_t *n);

/* The stream of an item. */
struct tl_cell tl_detail_stream(const struct tl_details *, const struct tl_detail *);

/* The texts about a group of raw rows, given by their numbers: texts[0] the summary,
 * texts[1] the short form. The first list that is not empty gives names, streams and
 * length; lists of another length are left out of the statistics. */
void tl_details_summarise(struct tl_details *, const size_t *rows, size_t n, struct tl_cell texts[2]);

/* Appends Python's repr of a cell: text quoted, null as None. */
void tl_cell_repr(struct tl_buf *, const struct tl_strtab *, struct tl_cell);
/* The distinct texts of a column in n rows, given by their numbers, ascending, as the text of a Python list. */
struct tl_cell tl_distinct_texts(const struct tl_table *, size_t column, const size_t *rows, size_t n);

#endif
