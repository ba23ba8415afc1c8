/* timeline.h - the sheets of tl-timeline: what the time of devices was spent on, and why they did nothing.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TIMELINE_H
#define TL_TIMELINE_H

#include "work/device_events.h"
#include "work/devices.h"
#include "path/pieces.h"
#include "table/sheet_family.h"

struct tl_timeline_options {
	struct tl_gpu_select select;
	int64_t micro_idle_us; /* idle gaps shorter than this are "micro"; -1: no split */
	int64_t top_gaps;      /* rows of idle_gaps for each device; -1: all gaps */
	bool one_device;       /* make gpu_timeline_by_device of a trace with one device too */
};

struct tl_timeline {
	struct tl_trace *trace;
	struct tl_timeline_options options;
	const struct tl_devices *devices;
	struct tl_device_times *times; /* by number of the device; behind them those of all together */
};
/* Measures the device events of the trace, which must outlive the result. TL_ERR_DATA
 * if it has none. *fell_back: see tl_gpu_events. */
enum tl_status tl_timeline_new(struct tl_timeline **out, struct tl_trace *, const struct tl_timeline_options *,
                               bool *fell_back, struct tl_error *);
void tl_timeline_free(struct tl_timeline *);
/* How many devices have events that count. gpu_timeline is about all of them together:
 * computation of one hides communication of another. */
size_t tl_timeline_devices(const struct tl_timeline *);

/* Made from a struct tl_timeline. */
extern const struct tl_sheet_family tl_timeline_sheets;

/* Which row of idle_summary (the sheet) each piece of tl_idle_pieces_of(t) is in; TL_NONE: none. The caller frees it. */
uint32_t *tl_idle_rows(struct tl_trace *, const struct tl_table *idle_summary);

/* The last row of step_times, which has one for each step that tl-split knows: is it marked as cut? Kept with the trace, which must
 * have its annotations. */
struct tl_last_step { size_t n_steps; bool cut; int64_t device_events; };
struct tl_last_step tl_last_step_of(struct tl_trace *);

/* The total time in µs, of which other sheets give percentages: that of work that is not
 * recomputed or, if there is none, of recomputed work; 0 without device events. It is
 * "time ms" of total_time in gpu_timeline, times 1000. */
double tl_timeline_total_us(struct tl_trace *, const struct tl_gpu_select *);

#endif
