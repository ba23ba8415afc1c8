/* device_events.c - the device events of a trace: what work they do, which of them count.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/device_events.h"

#include "base/text.h"
#include "model/fields.h"
#include "work/devices.h"
#include "work/trace_facts.h"

#include <stdlib.h>
#include <string.h>

struct tl_name_rules *tl_work_rules_new(enum tl_work_rules which)
{
	struct tl_name_rules *rules = tl_name_rules_new(TL_KERNEL_WORK);

	if (which == TL_WORK_TABLE)
		tl_name_rules_add_built_in(rules, TL_KERNEL_COMMUNICATION);
	return rules;
}

enum tl_gpu_work tl_work_of_name(struct tl_name_rules *rules, const char *name, size_t len)
{
	const char *work = tl_name_rules_find(rules, name, len);

	return !strcmp(work, "communication") ? TL_GPU_COMM : !strcmp(work, "memcpy") ? TL_GPU_MEMCPY : TL_GPU_COMPUTE;
}

static enum tl_gpu_work work_of(struct tl_name_rules *rules, const struct tl_trace *t, uint32_t name)
{
	return tl_work_of_name(rules, tl_str(&t->strings, name), tl_str_len(&t->strings, name));
}

/* Device events that the rules see otherwise than others do. */
struct differing { uint32_t *events; uint32_t n; size_t cap; };

static void add_differing(struct differing *d, uint32_t event)
{
	TL_PUSH(d->events, d->n, d->cap, event);
}

static int64_t busy_and_free(const struct tl_trace *t, struct differing *d)
{
	struct tl_spans spans = { 0 };
	bool ints;
	int64_t ticks = tl_busy_ticks(t, d->events, d->n, &spans, &ints);

	tl_spans_release(&spans);
	free(d->events);
	return ticks;
}

void tl_mark_work(struct tl_trace *t, struct tl_name_rules *rules, struct tl_name_rules *other,
                  struct tl_work_difference *diff)
{
	struct tl_map known = { 0 }; /* name -> its work, and 4 times that by the other rules */
	struct differing more = { 0 }, fewer = { 0 };
	bool is_new;

	for (uint32_t i = 0; i < t->n_events; i++) {
		struct tl_ev *e = &t->events[i];

		if (!tl_kind_is_gpu(e->kind))
			continue;
		uint32_t *works = tl_map_put(&known, e->name, &is_new);
		if (is_new)
			*works = work_of(rules, t, e->name) | (other ? work_of(other, t, e->name) * 4u : 0);
		e->work = *works & 3;
		if (!other || e->work == *works >> 2 || !tl_gpu_usable(e))
			continue;
		if (e->work == TL_GPU_COMM)
			add_differing(&more, i);
		else if (*works >> 2 == TL_GPU_COMM)
			add_differing(&fewer, i);
	}
	t->work_marked = true;
	tl_map_release(&known);
	if (other)
		*diff = (struct tl_work_difference){ more.n, fewer.n, busy_and_free(t, &more), busy_and_free(t, &fewer) };
}

void tl_mark_work_once(struct tl_trace *t)
{
	if (t->work_marked)
		return;
	struct tl_name_rules *rules = tl_work_rules_new(TL_WORK_REFERENCE);
	tl_mark_work(t, rules, NULL, NULL);
	tl_name_rules_free(rules);
}

static bool any_linked(const struct tl_trace *t)
{
	for (uint32_t i = 0; i < t->n_events; i++)
		if (tl_gpu_usable(&t->events[i]) && tl_gpu_linked(&t->events[i]))
			return true;
	return false;
}

/* from: n_from events to choose from; NULL: the first ones of the trace. */
static uint32_t *choose_events(const struct tl_trace *t, const uint32_t *from, size_t n_from, const struct tl_gpu_select *sel, int part,
                               size_t *n, bool *fell_back)
{
	uint32_t *out = NULL;
	size_t cap = 0;
	bool whole = sel->include_unlinked || tl_trace_of_other_writer(t), all = whole || !any_linked(t);

	*n = 0;
	for (size_t i = 0; i < n_from; i++) {
		uint32_t event = from ? from[i] : (uint32_t)i;
		const struct tl_ev *e = &t->events[event];

		if (!tl_gpu_usable(e) || (!all && !tl_gpu_linked(e)))
			continue;
		if (sel->detect_recompute && (e->flags & TL_EV_RECOMPUTE ? 1 : 0) != part)
			continue;
		TL_PUSH(out, *n, cap, event);
	}
	if (fell_back)
		*fell_back = *n && all && !whole;
	return out;
}

uint32_t *tl_gpu_events(const struct tl_trace *t, const struct tl_gpu_select *sel, int part, size_t *n, bool *fell_back)
{
	return choose_events(t, NULL, t->n_events, sel, part, n, fell_back);
}

uint32_t *tl_gpu_events_by_start(struct tl_trace *t, const struct tl_gpu_select *sel, int part, size_t *n, bool *fell_back)
{
	const struct tl_devices *d = tl_devices_of(t);

	return choose_events(t, d->by_start, d->n_events, sel, part, n, fell_back);
}

/* Adds the times of the events of one device. */
static void add_unlinked_time(const struct tl_trace *t, const uint32_t *events, size_t n, struct tl_unlinked *u)
{
	struct tl_spans linked = { 0 }, unlinked = { 0 }, missing = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct tl_ev *e = &t->events[events[i]];
		tl_spans_add(tl_gpu_linked(e) ? &linked : &unlinked, e->ts, tl_ev_end(e));
	}
	tl_spans_merge(&linked);
	tl_spans_merge(&unlinked);
	tl_spans_subtract(&unlinked, &linked, &missing);
	u->ticks = tl_ticks_add(u->ticks, tl_spans_length(&missing));
	u->busy = tl_ticks_add(u->busy, tl_ticks_add(tl_spans_length(&missing), tl_spans_length(&linked)));
	tl_spans_release(&linked);
	tl_spans_release(&unlinked);
	tl_spans_release(&missing);
}

struct tl_unlinked tl_gpu_unlinked(struct tl_trace *t)
{
	struct tl_unlinked u = { .counted = tl_trace_of_other_writer(t) };

	for (uint32_t i = 0; i < t->n_events; i++) {
		if (!tl_gpu_usable(&t->events[i]))
			continue;
		if (tl_gpu_linked(&t->events[i]))
			u.linked++;
		else
			u.events++;
	}
	if (!u.events)
		return u;
	const struct tl_devices *devices = tl_devices_of(t);
	const struct tl_split_events *of = &devices->events;
	for (size_t i = 0; i < devices->n; i++)
		add_unlinked_time(t, of->items + of->start[i], of->start[i + 1] - of->start[i], &u);
	return u;
}

int64_t tl_busy_ticks(const struct tl_trace *t, const uint32_t *events, uint32_t n,
                      struct tl_spans *scratch, bool *all_ints)
{
	*all_ints = true;
	tl_spans_clear(scratch);
	for (uint32_t i = 0; i < n; i++) {
		const struct tl_ev *e = &t->events[events[i]];

		if (!tl_gpu_usable(e))
			continue;
		*all_ints &= (e->flags & TL_EV_INT_TS) && (e->flags & TL_EV_INT_DUR);
		tl_spans_add(scratch, e->ts, tl_ev_end(e));
	}
	tl_spans_merge(scratch);
	return tl_spans_length(scratch);
}

bool tl_trace_gpu_only(const struct tl_trace *t)
{
	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].kind == TL_KIND_CPU_OP)
			return false;
	return true;
}

/* How a profiler records device work, by the source of its traces. with_calls: tl_work_comes_with_calls. */
static const struct { const char *source, *how; bool with_calls; } recording[] = {
	{ "nsys", "nsys profile -t cuda,nvtx COMMAND records device work", true },
	{ "rocpd", "rocprofv3 --sys-trace -- COMMAND records device work", false },
	{ "rpd", "runTracer.sh COMMAND records device work", true },
	{ "rocprofv3", "rocprofv3 --sys-trace -- COMMAND records device work", false },
	{ "rocprof", "rocprof --hip-trace COMMAND records device work", true },
	{ "memory timeline", "it is a memory timeline, which tl-memory shows", false },
	{ "memory snapshot", "it is a memory snapshot, which tl-memory shows", false },
	{ "chrome", "it is a Chrome trace of an unknown writer, in which no device work is known", false },
	{ "onnxruntime", "the session ran on the host; with CUDAExecutionProvider or ROCMExecutionProvider its profile has kernels", false },
	{ "proton", "proton.start(data=\"trace\") records device work", false },
	{ "pytorch", "the program used no GPU, or one of a kind that is not known, or the profiler was not asked for it", false },
};

const char *tl_device_activity(const struct tl_trace *t)
{
	static const struct { const char *category, *activity; } activities[] = {
		{ "xpu_", "ProfilerActivity.XPU" }, { "mtia_", "ProfilerActivity.MTIA" }, { "privateuse1_", "ProfilerActivity.PrivateUse1" } };

	if (strcmp(tl_trace_profiler(t), "pytorch") != 0)
		return NULL;
	for (uint32_t i = 1; i < t->n_layouts; i++)
		for (size_t k = 0; t->layouts[i].cat && k < sizeof activities / sizeof *activities; k++)
			if (tl_starts_with(tl_str(&t->strings, t->layouts[i].cat), activities[k].category))
				return activities[k].activity;
	return "ProfilerActivity.CUDA";
}

const char *tl_other_device(const struct tl_trace *t)
{
	for (uint32_t i = 1; i < t->n_tracks; i++) {
		const char *name = tl_str(&t->strings, t->tracks[i].process_name);
		if (tl_starts_with(name, "/device:") && !tl_starts_with(name, "/device:GPU"))
			return name;
	}
	return NULL;
}

bool tl_work_comes_with_calls(const struct tl_trace *t)
{
	for (size_t i = 0; i < sizeof recording / sizeof *recording; i++)
		if (!strcmp(recording[i].source, tl_trace_profiler(t)))
			return recording[i].with_calls;
	return false;
}

int64_t tl_add_not_analysed(struct tl_buf *b, const struct tl_trace *t, const char *words)
{
	struct tl_arena arena = { 0 };
	struct tl_value notes = { 0 };
	int64_t all = 0;

	if (!tl_trace_member(t, TL_META_NOTES, &arena, &notes) || notes.type != TL_V_DICT)
		notes.len = 0;
	for (uint32_t i = 0; i + 1 < notes.len; i += 2) {
		const struct tl_value *what = &notes.items[i], *events = tl_value_member(what + 1, "events");
		if (what->type != TL_V_TEXT || !tl_starts_with(what->text, words) || !events || events->type != TL_V_INT || events->i <= 0)
			continue;
		tl_buf_addf(b, "%s%lld event%s, %s", all ? "; " : "", (long long)events->i, events->i == 1 ? "" : "s", what->text + strlen(TL_NOT_ANALYSED));
		all = tl_ticks_add(all, (int64_t)events->i);
	}
	tl_arena_release(&arena);
	return all;
}

void tl_add_why_no_gpu_events(struct tl_buf *b, const struct tl_trace *t)
{
	const char *profiler = tl_trace_profiler(t);
	bool pytorch = !strcmp(profiler, "pytorch");
	uint32_t n = 0, calls = 0;
	struct tl_buf other = { 0 };

	for (uint32_t i = 0; i < t->n_events; i++)
		if (tl_kind_is_gpu(t->events[i].kind))
			return;
	struct tl_name_answers names;
	tl_name_answers_init(&names, TL_HOST_NAMES, &t->strings);
	for (uint32_t i = 0; i < t->n_events; i++) {
		calls += tl_kind_is_launch(t->events[i].kind);
		n += tl_kind_is_launch(t->events[i].kind) && tl_name_is(&names, t->events[i].name, "launch");
	}
	tl_name_answers_release(&names);
	if (tl_add_not_analysed(&other, t, TL_NOT_ANALYSED)) {
		tl_buf_addf(b, "; " TL_NOT_ANALYSED "%s", other.data);
		tl_buf_release(&other);
		return;
	}
	if (n)
		tl_buf_addf(b, "; %u call%s launched work that the profiler did not record", (unsigned)n, n == 1 ? "" : "s");
	if (n && pytorch)
		tl_buf_addf(b, ": CUPTI or roctracer did not fit the driver, was not permitted, was in use by another profiler, "
		            "the profiler was not asked for it (%s), "
		            "or it stopped before the device was done", tl_device_activity(t));
	if (tl_other_device(t))
		tl_buf_addf(b, "; the work of %s is not analysed: the trace has no operations of it", tl_other_device(t));
	if (calls && tl_work_comes_with_calls(t)) {
		tl_buf_adds(b, n ? "" : "; calls were recorded, and none of them launched work");
		return;
	}
	for (size_t i = 0; !(pytorch && (n || !t->n_source_events)) && i < sizeof recording / sizeof *recording; i++)
		if (!strcmp(recording[i].source, profiler))
			tl_buf_addf(b, pytorch ? "; %s (%s)" : "; %s", recording[i].how, tl_device_activity(t));
}

enum tl_status tl_no_gpu_events(const struct tl_trace *t, struct tl_error *err)
{
	uint32_t count[TL_KIND_COUNT] = { 0 };
	struct tl_buf found = { 0 };

	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].kind < TL_KIND_COUNT)
			count[t->events[i].kind]++;
	for (unsigned k = 0; k < TL_KIND_COUNT; k++)
		if (count[k])
			tl_buf_addf(&found, "%s %u %s%s", found.len ? "," : ", among them", (unsigned)count[k], tl_kind_name(k),
			            tl_kind_is_gpu(k) ? " without start or duration" : "");
	tl_add_why_no_gpu_events(&found, t);
	tl_fail(err, TL_ERR_DATA, "No GPU events found in the trace: it has %llu event%s%s",
	        (unsigned long long)t->n_source_events, t->n_source_events == 1 ? "" : "s", tl_buf_text(&found));
	tl_buf_release(&found);
	return TL_ERR_DATA;
}

/* ---- what the time of devices was spent on --------------------------------------------------------------- */

const char *const tl_gpu_time_names[TL_TIMES] = {
	"computation_time", "exposed_comm_time", "exposed_memcpy_time", "busy_time", "idle_time", "total_time",
	"total_comm_time", "total_memcpy_time",
};

bool tl_gpu_times(struct tl_spans of[TL_GPU_WORKS], struct tl_spans *all, int64_t ticks[TL_TIMES])
{
	struct tl_spans part = { 0 }, rest = { 0 };
	struct tl_span whole = { INT64_MAX, INT64_MIN };

	for (unsigned w = 0; w < TL_GPU_WORKS; w++) {
		tl_spans_merge(&of[w]);
		for (size_t i = 0; all && i < of[w].n; i++)
			tl_spans_add(all, of[w].items[i].start, of[w].items[i].end);
		if (of[w].n && of[w].items[0].start < whole.start)
			whole.start = of[w].items[0].start;
		if (of[w].n && of[w].items[of[w].n - 1].end > whole.end)
			whole.end = of[w].items[of[w].n - 1].end;
	}
	if (all)
		tl_spans_merge(all);
	bool any = whole.start <= whole.end;
	ticks[TL_TIME_COMPUTATION] = tl_spans_length(&of[TL_GPU_COMPUTE]);
	ticks[TL_TIME_COMM] = tl_spans_length(&of[TL_GPU_COMM]);
	ticks[TL_TIME_MEMCPY] = tl_spans_length(&of[TL_GPU_MEMCPY]);
	tl_spans_subtract(&of[TL_GPU_COMM], &of[TL_GPU_COMPUTE], &part);
	ticks[TL_TIME_EXPOSED_COMM] = tl_spans_length(&part);
	tl_spans_subtract(&of[TL_GPU_MEMCPY], &of[TL_GPU_COMPUTE], &part);
	tl_spans_subtract(&part, &of[TL_GPU_COMM], &rest);
	ticks[TL_TIME_EXPOSED_MEMCPY] = tl_spans_length(&rest);
	ticks[TL_TIME_BUSY] = tl_ticks_add(tl_ticks_add(ticks[TL_TIME_COMPUTATION], ticks[TL_TIME_EXPOSED_COMM]), ticks[TL_TIME_EXPOSED_MEMCPY]);
	ticks[TL_TIME_TOTAL] = any ? tl_ticks_sub(whole.end, whole.start) : 0;
	ticks[TL_TIME_IDLE] = tl_ticks_sub(ticks[TL_TIME_TOTAL], ticks[TL_TIME_BUSY]);
	for (unsigned w = 0; w < TL_GPU_WORKS; w++)
		tl_spans_release(&of[w]);
	tl_spans_release(&part);
	tl_spans_release(&rest);
	return any;
}
