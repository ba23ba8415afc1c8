/* judged.h - how much of the kernels' time is judged, and how: what "no finding" rests on.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_JUDGED_H
#define TL_JUDGED_H

#include "model/trace.h"
#include "perf/models/arch.h"
#include "table/sheet.h"

/* Each kernel's time is one part. Judged: it has a roofline, its name suffices, or rules about communication and copies ask it.
 * Not judged: nobody's known kernel, replayed by a graph without captures, without shapes, peaks or a model. */
enum { TL_RATED, TL_BY_NAME, TL_COMMUNICATION, TL_COPIES, TL_FIRST_UNJUDGED, TL_OWN_KERNEL = TL_FIRST_UNJUDGED, TL_IN_GRAPH,
	TL_NO_SHAPES, TL_NO_PEAK, TL_NO_MODEL, TL_JUDGED_PARTS };
struct tl_judged { int64_t ticks[TL_JUDGED_PARTS], all; };

struct tl_judging {
	struct tl_trace *trace;
	const struct tl_table *kinds;    /* the sheet kernel_kinds */
	const struct tl_table *headroom; /* that sheet, or NULL */
	const struct tl_arch *arch;      /* NULL: not known */
	bool has_shapes;
};
/* Judges each kernel. Gives the rows of kernel_kinds anew: kernels with a roofline and others are different rows, for
 * tl_row_events, too, by the column rated; tensor_core_ms is what products in fp32 would save at the GPU's next precision,
 * by the model if there is one, and half of their time if the peaks are not known. The caller frees the table. */
struct tl_table *tl_judge_kernels(const struct tl_judging *, struct tl_judged *);
/* The sheet judged: part, ms, percent. */
struct tl_table *tl_judged_rows(const struct tl_judged *, struct tl_trace *);
/* The share of a part of all, in percent; 0 without kernels. */
double tl_judged_percent(const struct tl_judged *, int64_t ticks);
/* What the sheet gpu_work is made of: the time of each kind and precision, in words such as "fp32 products without tensor cores".
 * kinds: rows of kernel_kinds. */
struct tl_table *tl_gpu_work_rows(const struct tl_table *kinds, struct tl_trace *);

#endif
