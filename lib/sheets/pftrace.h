/* pftrace.h - what the sheets of tl-pftrace are made from: traces of Perfetto, as rocprofv3 writes them. pftrace.sheet
 * says what they are; pftrace_events.c reads events, their arguments and classes, pftrace.c makes the rows.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PFTRACE_H
#define TL_PFTRACE_H

#include "base/pattern.h"
#include "model/trace.h"
#include "sheet/pftrace.h"

enum { TL_PFTRACE_ACTIVITY = 1, TL_PFTRACE_API = 2, TL_PFTRACE_COPIES = 4, TL_PFTRACE_ALL = 7 };

struct tl_pftrace_options {
	unsigned reports;        /* which of the three */
	bool reference;          /* times and links as TraceLens has them: see tl-differences(7) */
	/* activity */
	bool merge_kernels;      /* names without their digits */
	int64_t min_tid, max_tid;
	int64_t min_event_ns;    /* shorter events are left out, but not of xla_top */
	bool no_kernel_summary, no_hip_summary;
	bool with_rccl;          /* kernel_summary has kernels of communication, too */
	bool of_compute;         /* its shares are of the computation, else of all */
	bool by_name;            /* its rows are names, else names and configurations */
	bool by_stream, by_op;   /* rows of hip_summary are besides by these */
	int64_t top_xla;         /* rows of xla_top */
	struct tl_name_rules *communication; /* what they call communication is of the class rccl; NULL: what TraceLens does */
	/* api */
	const struct tl_pattern *exclude; /* kernels whose names match are left out; NULL: none */
	bool all_kernels;        /* of a call that launched several, else the first */
	bool all_calls;          /* calls that launch nothing, too */
};

struct tl_pftrace;
/* The trace and the pattern must outlive the result. */
struct tl_pftrace *tl_pftrace_new(struct tl_trace *, const struct tl_pftrace_options *);
void tl_pftrace_free(struct tl_pftrace *);

/* What the Markdown report says besides the sheets. */
size_t tl_pftrace_agents(const struct tl_pftrace *);
const char *tl_pftrace_agent(const struct tl_pftrace *, size_t gpu);
bool tl_pftrace_has_fa3(struct tl_pftrace *); /* kernels of FlashAttention 3, by their names */

/* What the sheets that were made so far do not tell. */
struct tl_pftrace_doubts {
	uint64_t bad_times; /* events whose begin_ns or delta_ns is no number, left out */
	uint64_t unlinked;  /* kernels that no call of the sheet launched: api_kernel_summary */
};
struct tl_pftrace_doubts tl_pftrace_doubts(const struct tl_pftrace *);
#endif
