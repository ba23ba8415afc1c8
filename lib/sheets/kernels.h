/* kernels.h - the kernel sheets: kernel_summary, kernel_categories, short_kernel_histogram,
 * short_kernels_summary and kernels.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_KERNELS_H
#define TL_KERNELS_H

#include "analysis/device_events.h"
#include "kernels/name_rules.h"
#include "perf/models/perf.h"
#include "phase/phases.h"
#include "sheets/sheet_list.h"

struct tl_kernels_options {
	struct tl_gpu_select select; /* which device events make up the total time */
	int64_t short_us;            /* kernels shorter than this are short */
	int64_t bins;                /* of the histogram, at least 1 */
	int64_t top_short;           /* rows of short_kernels_summary; -1: all */
	bool category;               /* kernel_summary has the kernels' categories */
	bool std;                    /* … and the standard deviation */
};

struct tl_kernels;
/* Looks at every kernel of the trace, linked or not. The rules give the kernel
 * categories, if options or sheets want them. phases: kernel_categories tells the time in each; NULL: it does not. Trace, rules
 * and phases must outlive the result. */
struct tl_kernels *tl_kernels_new(struct tl_trace *, const struct tl_kernels_options *, const struct tl_registry *,
                                  struct tl_name_rules *kernel_categories, struct tl_phases *);
void tl_kernels_free(struct tl_kernels *);

/* What kernel_summary of the kernels of a phase is made of; in->where tells which: "is prefill" or "is decode".
 * The percentages refer to the time of these kernels. Made from kernels with phases and rules. */
void tl_kernels_of_phase(struct tl_kernels *, struct tl_sheet_input *in);
extern const struct tl_sheet_def tl_kernels_of_phase_sheet;

/* Made from a struct tl_kernels. */
extern const struct tl_sheet_family tl_kernels_sheets;

#endif
