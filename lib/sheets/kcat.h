/* kcat.h - the sheets of kernels: their times, how they fill the device, what they do by their names.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_KCAT_H
#define TL_KCAT_H

#include "work/device_events.h"
#include "work/name_rules.h"
#include "perf/perf.h"
#include "steps/phases.h"
#include "sheet/kcat.h"

struct tl_kernels_options {
	struct tl_gpu_select select; /* which device events make up the total time */
	int64_t short_us;            /* kernels shorter than this are short */
	int64_t bins;                /* of the histogram, at least 1 */
	int64_t top_short;           /* rows of short_kernels_summary; -1: all */
	bool category;               /* kernel_summary has the kernels' categories */
	bool std;                    /* … and the standard deviation */
};

/* What tl_kcat_sheets are made from. */
struct tl_kernels;
/* Looks at every kernel of the trace, linked or not. The rules give the kernel categories, if options or sheets
 * want them. phases: kernel_categories tells the time in each; NULL: it does not. Trace, rules and phases must outlive
 * the result. */
struct tl_kernels *tl_kernels_new(struct tl_trace *, const struct tl_kernels_options *, const struct tl_registry *,
                                  struct tl_name_rules *kernel_categories, struct tl_phases *);
void tl_kernels_free(struct tl_kernels *);

/* The rows of all kernels, with categories and, if they are known, phases; the conditions are those of tl-kcat. */
void tl_kcat_all(struct tl_kernels *, struct tl_sheet_input *);

#endif
