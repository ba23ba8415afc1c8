/* finding_times.h - when the time of findings is: a command that shows it, and the sheet finding_times.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_FINDING_TIMES_H
#define TL_FINDING_TIMES_H

#include "findings/findings.h"
#include "model/trace.h"
#include "table/sheet.h"

/* Of the input only `sheet`, `events` and `ctx` are looked at.
 *
 * The events that a row of a finding is about; none: the rows of its sheet are not about events. */
size_t tl_finding_events(const struct tl_findings_input *, const struct tl_finding *, size_t row, const uint32_t **events);

/* A command that shows the longest piece of a finding's first row, and at least a millisecond before and behind it; the whole trace
 * if the time is not known. It is in the arena. */
const char *tl_finding_slice(const struct tl_findings_input *, const struct tl_trace *, const struct tl_finding *, const char *input, struct tl_arena *);

/* The rows that the sheet is made of: for each finding the times of its device events, or the gaps of which it is the main cause;
 * what touches or overlaps is one. */
struct tl_table *tl_finding_times(const struct tl_findings_input *, struct tl_trace *, const struct tl_findings *);

#endif
