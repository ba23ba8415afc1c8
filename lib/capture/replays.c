/* replays.c - the steps of a serving engine, the graphs that they replay, and what these ran
 * on the device.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "capture/replays.h"

#include "analysis/device_events.h"
#include "analysis/event_order.h"
#include "base/merge_sort.h"
#include "base/search.h"
#include "base/text.h"
#include "model/fields.h"
#include "model/trace_work.h"

#include <stdlib.h>
#include <string.h>

/* ---- steps and calls ------------------------------------------------------------------ */

static bool launches_graph(const struct tl_trace *t, struct tl_name_answers *names, uint32_t event)
{
	const struct tl_ev *e = &t->events[event];

	return tl_kind_is_launch(e->kind) && tl_ev_has_span(e) && tl_name_is(names, e->name, "launch-graph");
}

/* A call and the number of its step. */
struct placed { uint32_t call; size_t step; };

static int by_step(const void *pa, const void *pb, void *trace)
{
	const struct placed *a = pa, *b = pb;
	const struct tl_ev *events = ((const struct tl_trace *)trace)->events;

	if (a->step != b->step)
		return a->step < b->step ? -1 : 1;
	int64_t x = events[a->call].ts, y = events[b->call].ts;
	return x < y ? -1 : x > y;
}

/* The first step that a call lies in; n: none. latest[i]: the latest end of steps 0 to i. */
static size_t step_of(const struct tl_steps *steps, const int64_t *latest, const struct tl_ev *call)
{
	int64_t end = tl_ev_end(call);
	size_t at;

	TL_SEARCH(at, steps->n, mid, latest[mid] < end);
	return at < steps->n && steps->items[at].from <= call->ts ? at : steps->n;
}

static struct placed *place_calls(const struct tl_trace *t, struct tl_name_answers *names, const struct tl_steps *steps,
                                  size_t *n)
{
	int64_t *latest = tl_alloc((steps->n + 1) * sizeof *latest);
	struct placed *placed = NULL;
	size_t cap = 0;

	*n = 0;
	for (size_t i = 0; i < steps->n; i++) {
		int64_t end = steps->items[i].to;
		latest[i] = i && latest[i - 1] > end ? latest[i - 1] : end;
	}
	for (uint32_t i = 0; i < t->n_events; i++) {
		uint32_t parent = t->events[i].parent;
		if (!launches_graph(t, names, i) || (parent != TL_NONE && launches_graph(t, names, parent)))
			continue;
		size_t step = step_of(steps, latest, &t->events[i]);
		if (step == steps->n)
			continue;
		TL_GROW(placed, cap, *n + 1);
		placed[(*n)++] = (struct placed){ i, step };
	}
	tl_merge_sort(placed, *n, sizeof *placed, by_step, (void *)(uintptr_t)t);
	free(latest);
	return placed;
}

void tl_replay_steps_find(struct tl_replay_steps *s, const struct tl_trace *t, struct tl_name_answers *names)
{
	size_t n;

	tl_steps_of_engine(&s->steps, t);
	struct placed *placed = place_calls(t, names, &s->steps, &n);
	s->calls = tl_alloc((n + 1) * sizeof *s->calls);
	s->first = tl_calloc(s->steps.n + 1, sizeof *s->first);
	for (size_t i = 0; i < n; i++) {
		s->calls[i] = placed[i].call;
		s->first[placed[i].step + 1]++;
	}
	for (size_t i = 0; i < s->steps.n; i++)
		s->first[i + 1] += s->first[i];
	free(placed);
}

void tl_replay_steps_release(struct tl_replay_steps *s)
{
	tl_steps_release(&s->steps);
	free(s->first);
	free(s->calls);
}

bool tl_batch_size_of(const struct tl_trace *t, const struct tl_step *step, int64_t *out)
{
	const char *p = strchr(tl_str(&t->strings, t->events[step->event].name), '_');
	char *end;

	if (step->text.kind != TL_STEP_NONE) {
		*out = step->text.batch_size;
		return true;
	}
	if (!p || !tl_is_digit(p[1]))
		return false;
	*out = strtoll(p + 1, &end, 10);
	return !*end || *end == '_';
}

/* ---- what a call replays ----------------------------------------------------------------- */

static enum tl_copy copy_of(struct tl_name_answers *names, uint32_t name)
{
	return tl_name_is(names, name, "launch-copy") ? TL_COPY_MEMCPY :
		tl_name_is(names, name, "launch-fill") ? TL_COPY_MEMSET : TL_COPY_NONE;
}

/* The stream of a device event as a string id; 0: it says none. */
static uint32_t stream_of(struct tl_trace *t, uint32_t event)
{
	uint32_t key = tl_strtab_find(&t->strings, TL_KEY_STREAM, strlen(TL_KEY_STREAM));
	char digits[24];
	int64_t value;
	int type = tl_trace_field(t, event, key, false, &value);

	if (type == TL_FIELD_INT)
		return tl_intern(&t->strings, digits, tl_format_int(digits, value));
	return type ? (uint32_t)value : 0;
}

static bool is_merged(const struct tl_trace *t, uint32_t call)
{
	uint32_t child = t->events[call].first_child;

	return child != TL_NONE && !strcmp(tl_str(&t->strings, t->events[child].name), TL_CAPTURE_ROOT);
}

void tl_replay_init(struct tl_replay *r, struct tl_trace *t, struct tl_name_answers *names, uint32_t call)
{
	const uint32_t *work = tl_trace_work(t, call, &r->n);

	r->call = call;
	r->events = tl_alloc(((size_t)r->n + 1) * sizeof *r->events);
	r->names = tl_alloc(((size_t)r->n + 1) * sizeof *r->names);
	memcpy(r->events, work, r->n * sizeof *r->events);
	tl_sort_by_start(t, r->events, r->n);
	for (uint32_t i = 0; i < r->n; i++) {
		uint32_t name = t->events[r->events[i]].name;
		r->names[i] = (struct tl_replayed){ name, stream_of(t, r->events[i]), copy_of(names, name) };
	}
	r->why = is_merged(t, call) ? "the capture is merged already" : r->n ? NULL : "the call has no kernels";
}

void tl_replay_release(struct tl_replay *r)
{
	free(r->events);
	free(r->names);
}

/* ---- what was captured --------------------------------------------------------------------- */

struct tl_captured_call *tl_captured_calls(struct tl_capture_trace *c, const struct tl_capture_graph *g,
                                           const struct tl_trace *replay)
{
	struct tl_captured_call *calls = tl_calloc((size_t)g->n_calls + 1, sizeof *calls);
	const struct tl_trace *t = c->trace;
	uint32_t key = tl_strtab_find(&t->strings, TL_KEY_KERNEL, strlen(TL_KEY_KERNEL));

	for (uint32_t i = 0; i < g->n_calls; i++) {
		uint32_t event = g->events[g->calls[i]].event, own = t->events[event].name, name = own;
		int64_t kernel;
		int type = tl_trace_field(t, event, key, false, &kernel);
		calls[i].says_kernel = type != 0;
		if (type)
			name = type == TL_FIELD_STRING ? (uint32_t)kernel : 0;
		calls[i].name = name ? tl_strtab_find(&replay->strings, tl_str(&t->strings, name), tl_str_len(&t->strings, name)) : 0;
		calls[i].copy = copy_of(&c->names, own);
	}
	return calls;
}
