/* tl-series.c - queues, copies, busy devices and memory over time, and what launches take.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/queue.h"
#include "cli/filter.h"
#include "sheets/series_sheets.h"

#include <math.h>

static struct tl_series_options series = { .window_ms = -1, .full = TL_QUEUE_FULL };

static const char *set_window(void *dest, const char *text)
{
	char *end;
	double ms = tl_parse_double(text, &end);

	if (end == text || *end || !isfinite(ms) || ms < 0)
		return "expected milliseconds, from 0";
	*(double *)dest = ms;
	return NULL;
}

static const struct tl_opt options[] = {
	{ 0, "window", "MS", "time that a row of a series is about (a 1000th of the recorded window); 0: rows are points",
	  TL_OPT_CALL, &series.window_ms, 0, 0, set_window },
	{ 0, "queue-full", "N", "a queue of this length is full (1000)", TL_OPT_INT, &series.full, 1, INT32_MAX, NULL },
	{ .long_name = NULL },
};

static void run_series(struct tl_trace *trace, const char *input)
{
	struct tl_series_view *view;
	struct tl_error err;

	if (tl_series_new(&view, trace, &series, &err) != TL_OK)
		tl_die("--window: %s", err.text);
	struct tl_series_doubts d = tl_series_doubts(view);
	bool copies = tl_wants_sheet("copy_bandwidth") || tl_wants_sheet("series_summary");
	if (d.empty)
		tl_warn("%s: no device events or allocations in the trace", input);
	if (d.no_call && (tl_wants_sheet("queue_length") || tl_wants_sheet("series_summary")))
		tl_note("%u device events without a call in the trace are in no queue", (unsigned)d.no_call);
	if (d.early)
		tl_note("%u device events start before their call, by %s at most: the clocks of host and device differ, and queue lengths and "
		        "launch delays by as much", (unsigned)d.early, tl_note_time(trace, d.earliest).text);
	if (d.no_bytes && copies)
		tl_note("copies and sets of memory without bytes: %u of %u, left out of copy_bandwidth", (unsigned)d.no_bytes, (unsigned)d.copies);
	tl_write_sheets(&tl_series_sheets, view, trace);
	tl_series_free(view);
}

const struct tl_filter tl_filter_series = {
	.purpose = "queues, copies, busy devices and memory over time", .sheets = &tl_series_sheets,
	.options = options, .run = run_series, .weight = 3,
};
