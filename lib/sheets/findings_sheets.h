/* findings_sheets.h - the sheets findings, finding_evidence, findings_unasked of a trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_FINDINGS_SHEETS_H
#define TL_FINDINGS_SHEETS_H

#include "findings/findings.h"
#include "model/trace.h"
#include "perf/models/arch.h"
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

/* Made from a struct tl_trace_findings. */
extern const struct tl_sheet_family tl_findings_sheets;

#endif
