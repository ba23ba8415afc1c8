/* trace_notes.c - what is said of a trace if its sheets do not hold all device time.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"

#include "sheets/populations.h"
#include "sheets/timeline.h"
#include "work/range_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTION "include_unlinked_kernels"

/* The wanted sheets that have a flag: how many, and the name of the first. A sheet that
 * only repeats numbers of others is the first if no other has the flag; what it repeats of
 * reports other than PyTorch's leaves nothing out. */
struct flagged { size_t n; const char *first; bool repeats; };

static bool has_ranges(const struct tl_trace *t)
{
	for (uint32_t i = 0; i < t->n_events; i++)
		if (tl_is_range(t, i))
			return true;
	return false;
}

static struct flagged find_flagged(const struct tl_choice *c, size_t n, unsigned flag, const struct tl_trace *t)
{
	bool no_operators = tl_trace_gpu_only(t), no_ranges = !has_ranges(t), pytorch = !strcmp(tl_report_of(t->source), "pytorch");
	struct flagged found = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct tl_sheet *s = c[i].sheet;
		if (!c[i].wanted || !(s->flags & flag) || (no_operators && s->needs & TL_NEEDS_OPERATORS) ||
		    (no_ranges && s->needs & TL_NEEDS_RANGES) || (c[i].filter->runs_last && !pytorch))
			continue;
		if (!found.n++ || found.repeats) {
			found.first = c[i].name;
			found.repeats = c[i].filter->runs_last;
		}
	}
	return found;
}

void tl_warn_of_timeline(const struct tl_timeline *l, bool fell_back)
{
	size_t n_devices = tl_timeline_devices(l);

	if (fell_back)
		tl_warn("no device event is linked to a runtime call: all are counted%s",
		        tl_advice("include_unlinked_kernels", ", as with --include_unlinked_kernels"));
	if (n_devices > 1 && (tl_wants_sheet("gpu_timeline") || tl_wants_sheet("overview")))
		tl_warn("gpu_timeline pools %zu devices: computation on one hides communication and idle time of another; "
		        "gpu_timeline_by_device shows each by itself", n_devices);
}

void tl_note_unrecorded(const struct tl_table *populations)
{
	double ms = 0;

	if (tl_wants_sheet("gpu_timeline") || tl_wants_sheet("gpu_timeline_by_device"))
		ms = tl_populations_unrecorded_ms(populations);
	if (ms > 0)
		tl_note("%.3f ms of the idle time in gpu_timeline are unrecorded: the device ran work launched before the recording or left out of a slice; ledger, "
		        "idle_summary and GPU busy leave them out", ms);
}

void tl_note_busy(struct tl_trace *t)
{
	struct tl_busy busy = tl_busy_of(t);
	const struct tl_busy_time *b = &busy.times[TL_BUSY_RECORDED];

	if (b->n && tl_wants_sheet("gpu_timeline") && tl_busy_is_apart(&busy, TL_BUSY_SPAN))
		tl_note("GPU busy %.*f %s of %.*f ms; gpu_timeline is about its first start to its last end", tl_decimals(b->percent), b->percent,
		        tl_busy_units[TL_BUSY_RECORDED], tl_decimals(b->ms), b->ms);
}

struct tl_note_time tl_note_time(const struct tl_trace *t, int64_t ticks)
{
	struct tl_note_time time = { "2^63 ticks or more" };

	if (ticks < INT64_MAX)
		snprintf(time.text, sizeof time.text, "%.3f ms", tl_trace_us(t, ticks) / 1e3);
	return time;
}

void tl_note_unlinked(struct tl_trace *t, const struct tl_choice *c, size_t n)
{
	struct tl_unlinked u = tl_gpu_unlinked(t);
	struct tl_buf sheets = { 0 };

	if (u.events) {
		/* which sheets leave them out; none if all have them */
		const struct tl_gpu_select select = { .include_unlinked = tl_option_given(OPTION) > 0 };
		bool by_choice = tl_gpu_leaves_out(&select, &u);
		struct flagged time = find_flagged(c, n, by_choice ? TL_SHEET_LINKED_TIME : 0, t);
		struct flagged total = find_flagged(c, n, by_choice ? TL_SHEET_LINKED_TOTAL : 0, t);
		struct flagged only = find_flagged(c, n, TL_SHEET_LINKED_ONLY, t);

		if (time.n)
			tl_buf_adds(&sheets, time.first);
		if (total.n)
			tl_buf_addf(&sheets, "%sthe total time in %s", sheets.len ? " and " : "", total.first);
		if (sheets.len && !tl_option_given(OPTION))
			tl_buf_adds(&sheets, tl_advice(OPTION, " (--" OPTION " counts them)"));
		if (only.n)
			tl_buf_addf(&sheets, "%s%s", sheets.len ? " and of " : "", only.n == 1 ? only.first : "sheets by operator");
	}
	if (sheets.len)
		tl_note("device events that no runtime call of the trace launched: %u (%s, %.3g %% of the busy time), left out of %s",
		        (unsigned)u.events, tl_note_time(t, u.ticks).text,
		        u.busy ? 100.0 * (double)u.ticks / (double)u.busy : 0.0, sheets.data);
	tl_buf_release(&sheets);
}

/* Is a sheet wanted that has one of these flags or needs? coll_analysis has a note of its own. */
static bool wants_some(const struct tl_choice *c, size_t n, unsigned flags, unsigned needs)
{
	for (size_t i = 0; i < n; i++)
		if (c[i].wanted && (c[i].sheet->flags & flags || c[i].sheet->needs & needs) && strcmp(c[i].name, "coll_analysis"))
			return true;
	return false;
}

void tl_note_no_operators(const struct tl_trace *t, const struct tl_choice *c, size_t n)
{
	const struct tl_gpu_select all = { .include_unlinked = true };
	struct tl_spans scratch = { 0 };
	bool all_ints;
	size_t n_events;

	if (!wants_some(c, n, 0, TL_NEEDS_OPERATORS) || !tl_trace_gpu_only(t))
		return;
	uint32_t *events = tl_gpu_events(t, &all, 0, &n_events, NULL);
	if (n_events)
		tl_note("the trace has no host operators: its device events, %zu (%s), are in no sheet by operator", n_events,
		        tl_note_time(t, tl_busy_ticks(t, events, (uint32_t)n_events, &scratch, &all_ints)).text);
	tl_spans_release(&scratch);
	free(events);
}

void tl_note_graphs(const struct tl_trace *t)
{
	unsigned long n = 0;

	if (tl_option_given("inference") <= 0 || tl_capture_folder)
		return;
	for (uint32_t i = 0; i < t->n_events; i++)
		n += tl_kind_is_launch(t->events[i].kind) && strcasestr(tl_str(&t->strings, t->events[i].name), "graphlaunch");
	if (n)
		tl_note("%lu call%s a graph: the kernels of graphs have no operators of their own%s",
		        n, n == 1 ? " launches" : "s launch", tl_advice("capture_folder", " (--capture_folder adds those of their capture)"));
}

void tl_warn_of_no_device_events(const struct tl_trace *t, const struct tl_choice *c, size_t n)
{
	for (uint32_t i = 0; i < t->n_events; i++)
		if (tl_kind_is_gpu(t->events[i].kind))
			return;
	if (!wants_some(c, n, TL_SHEET_LINKED_TOTAL | TL_SHEET_LINKED_ONLY, 0) || tl_wants_sheet("gpu_timeline"))
		return;
	struct tl_buf why = { 0 };
	tl_add_why_no_gpu_events(&why, t);
	tl_warn("the trace has no device events: sheets of the device's work are empty or left out%s", tl_buf_text(&why));
	tl_buf_release(&why);
}
