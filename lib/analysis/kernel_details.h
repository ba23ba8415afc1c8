/* kernel_details.h - the columns kernel_details_summary and trunc_kernel_details (and
 * their overlap twins): what the kernels of a group of launchers did, position
 * by position.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_DETAILS_H
#define TL_DETAILS_H

#include "analysis/args.h"
#include "table/table.h"

struct tl_detail {
	uint32_t name;         /* string id */
	bool int_dur;          /* the source wrote the duration without a fraction */
	struct tl_cell stream;
	double dur;            /* µs */
	double overlap;        /* share of the launcher's time; with_overlap only */
	uint32_t call_stack;   /* string id of the text of a list; 0: not shown */
};

/* Texts made once, for any number of details of one string table. Zero bytes are
 * a valid start. */
struct tl_detail_texts {
	struct tl_map quoted, cut; /* by name: id of its text */
	struct tl_arena arena;
	struct tl_buf buf;
	/* summaries of groups of lists of events: several sheets have the same groups */
	struct tl_map summary_at;    /* hash of the lists -> 1 + index in summaries */
	struct tl_detail_summary *summaries; size_t n_summaries, cap_summaries;
};
void tl_detail_texts_release(struct tl_detail_texts *);

/* One list of details for each raw row of a table. Zero bytes are a valid start
 * once strings is set. */
struct tl_details {
	struct tl_strtab *strings; /* names; the cells made go there too */
	bool with_overlap;
	bool hide_stacks; /* leave call_stack out of the text */
	struct tl_detail *items; size_t n, cap;
	struct tl_detail_list {           /* of each row */
		const uint32_t *events;   /* device events of the trace; NULL: items from `first` on */
		uint32_t first, n;
	} *lists; size_t n_rows, cap_rows;
	struct tl_trace *trace;           /* NULL: no row is a list of events */
	struct tl_arg stream;
	struct tl_arg_cells streams;
	/* the list of the last summary: which of its places comes first, second … */
	uint32_t *order, n_order; size_t cap_order;
	struct tl_detail_texts *texts;    /* may be set before the first summary; NULL: own ones */
	/* private: room to work in */
	struct tl_detail_texts *own_texts;
	struct tl_buf buf;
	double *values; size_t cap_values;
};
/* Lets rows be lists of device events of a trace, which outlives the details. */
void tl_details_of_trace(struct tl_details *, struct tl_trace *);
/* The next row's list begins here; add its items after this … */
void tl_details_row(struct tl_details *);
void tl_details_add(struct tl_details *, const struct tl_detail *);
/* … or let these device events be its items. The array must stay where it is. */
static inline void tl_details_list(struct tl_details *d, const uint32_t *events, uint32_t n)
{
	TL_GROW(d->lists, d->cap_rows, d->n_rows + 1);
	d->lists[d->n_rows++] = (struct tl_detail_list){ events, (uint32_t)d->n, n };
}
static inline uint32_t tl_details_length(const struct tl_details *d, size_t row) { return d->lists[row].n; }
/* What is known of a device event; and the i-th item of a row. */
struct tl_detail tl_details_of_event(struct tl_details *, uint32_t event);
struct tl_detail tl_details_get(struct tl_details *, size_t row, uint32_t i);
void tl_details_release(struct tl_details *);

/* Both texts of the rows of a group (indexes of raw rows). The list of the
 * first row that has one sets names, streams and length; lists of another
 * length are left out of the statistics. */
void tl_details_summarise(struct tl_details *, const size_t *rows, size_t n,
                          struct tl_cell *summary, struct tl_cell *trunc);

/* Appends Python's repr of a cell: text quoted, null as None. */
void tl_cell_repr(struct tl_buf *, const struct tl_strtab *, struct tl_cell);

#endif
