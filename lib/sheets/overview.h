/* overview.h - the sheets of tl-overview: what a trace is, how it was read, what it lacks, which events sheets count.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_OVERVIEW_H
#define TL_OVERVIEW_H

#include "model/trace.h"
#include "perf/arch.h"
#include "perf/perf.h"
#include "sheets/headline.h"
#include "table/sheet_family.h"

/* A warning or note of a program. */
struct tl_remark { const char *by, *text; bool warning; };

/* What the sheet states besides what the trace says itself. */
struct tl_overview {
	struct tl_trace *trace;
	const char *input;             /* the trace's name */
	uint64_t n_bytes;              /* of the input */
	uint64_t n_text_bytes;         /* of its text, if gzip: uncompressed */
	bool gzip;
	const char *version;           /* of tl-tools */
	const struct tl_arch *arch;    /* of the rooflines; NULL: there are none */
	const struct tl_arch *rated;  /* of findings and headroom: see tl_rating_arch; NULL: not known */
	const struct tl_registry *registry; /* what is known of operators; NULL: trace_health is not made */
	const char *options;           /* of the command line; "": none */
	const struct tl_remark *remarks; size_t n_remarks;
	size_t n_more_remarks;         /* that are not among them */
	struct tl_headline headline;   /* to be released by the caller */
	struct tl_table *populations;  /* the same; see sheets/populations.h */
};

/* overview, trace_health, setup and populations, made from a struct tl_overview. */
extern const struct tl_sheet_family tl_overview_sheets;

#endif
