/* findings_sheets.h - the sheets of tl-findings, and what they are made with.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_FINDINGS_SHEETS_H
#define TL_FINDINGS_SHEETS_H

#include "work/requeue.h"
#include "findings/findings.h"
#include "model/trace.h"
#include "perf/arch.h"
#include "sheets/window.h"
#include "table/sheet_family.h"

struct tl_trace_findings;
struct tl_trace_findings_options {
	const struct tl_rule_table *rules;
	const struct tl_arch *arch;      /* NULL: not known */
	const char *input;               /* the trace's name, for commands */
	double least_percent;            /* of the window: what is less is no finding */
	const struct tl_table *before;   /* the sheet findings of an earlier run, or NULL */
	struct tl_buf *explain; const char *explain_id; /* see tl_findings_input */
};
/* The sheets that rules may read, from all filters; NULL ends. */
extern const char *const tl_findings_read[];

struct tl_trace_findings *tl_trace_findings_new(void);
/* Keeps a copy of a sheet that rules read; others are ignored. */
void tl_trace_findings_take(struct tl_trace_findings *, const char *sheet, const struct tl_table *);
/* Makes the findings of the sheets taken. TL_ERR_DATA: a rule has a mistake. */
enum tl_status tl_trace_findings_make(struct tl_trace_findings *, struct tl_trace *, const struct tl_trace_findings_options *,
                                      struct tl_error *);
/* After that: the findings, and the ms of the window that they are shares of. */
const struct tl_findings *tl_trace_findings_list(const struct tl_trace_findings *, double *window_ms);
void tl_trace_findings_free(struct tl_trace_findings *);

/* Adds the row of a finding of a trace or of a job; columns are those of tl_findings_finding_rows. rank: its
 * number among them, 0: it is about the recording; change: see tl-findings(1), or NULL. */
void tl_finding_row(struct tl_table *, const struct tl_finding *, int64_t rank, double window_ms, const char *change);

/* ---- what findings are worth: how much earlier the trace would end without them, one after the other ---- */

/* Times of the host in which a device was idle, by row of idle_summary. */
struct tl_host_pieces { struct tl_host_piece *items; size_t n; };

/* Sets device_ms, stake_ms, alone_ms, pick, after and joins of findings, whose rows say what of them goes: the rule's effect says
 * how (tl-findings(5)). The largest is the first pick; what the others save is asked again without it, and so on, three times, or
 * once if that would take longer than a second.
 * Of the input `events` and `ctx`, the window and the least share are looked at. */
void tl_finding_stakes(const struct tl_findings_input *, struct tl_trace *, const struct tl_window *, const struct tl_host_pieces *,
                       struct tl_finding *, size_t n);

/* ---- how much of the kernels' time is judged, and how: what "no finding" rests on ---- */

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

/* ---- the sheets ---- */

/* Made from a struct tl_trace_findings. */
extern const struct tl_sheet_family tl_findings_sheets;

#endif
