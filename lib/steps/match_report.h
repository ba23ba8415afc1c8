/* match_report.h - the reports about steps of two traces that match: match_report and match_notes.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MATCH_REPORT_H
#define TL_MATCH_REPORT_H

#include "model/trace.h"
#include "steps/step_match.h"

/* One of the two traces, for the report. */
struct tl_match_trace {
	struct tl_match_side side;
	const struct tl_trace *trace;
	const char *base; /* see tl_split_base */
};

/* A match, and the file of each side. */
struct tl_match_files { struct tl_match match; const char *paths[2]; };

/* The matches as JSON, with their steps, and as a sheet. */
void tl_match_add_json(struct tl_buf *, const struct tl_match_trace traces[2], const struct tl_match_files *, size_t n);
void tl_match_add_sheet(struct tl_buf *, const struct tl_match_trace traces[2], const struct tl_match_files *, size_t n);
/* The phases for which no pair was found, as JSON. */
void tl_match_add_notes(struct tl_buf *, const struct tl_match *without, size_t n);

#endif
