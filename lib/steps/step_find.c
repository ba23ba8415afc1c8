/* step_find.c - the steps of a trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "steps/step_find.h"

#include "work/args.h"
#include "work/device_events.h"
#include "work/kept.h"
#include "work/profiler_step.h"
#include "base/merge_sort.h"
#include "work/name_rules.h"
#include "model/fields.h"
#include "model/trace.h"
#include "steps/step_marker.h"

#include <stdlib.h>
#include <string.h>

/* ---- operators that pick new tokens --------------------------------------------------- */

/* The fewest launches of a step. The launch of a graph counts as so many. */
enum { STEP_LAUNCHES = 16 };

struct cutter {
	struct tl_steps *out;
	const struct tl_trace *t;
	struct tl_name_answers *samplers, *calls;
	struct tl_arg dims;
	struct thread { int64_t start; size_t last; uint32_t launches; bool has_step, has_start; } *threads; /* by track */
};

/* Has the first argument as many columns as a vocabulary? */
static bool has_vocabulary(struct cutter *f, uint32_t event)
{
	struct tl_value dims;

	if (!tl_arg_list(&f->dims, f->t, event, &dims) || !dims.len || dims.items[0].type != TL_V_LIST ||
	    dims.items[0].len < 2)
		return false;
	const struct tl_value *last = &dims.items[0].items[dims.items[0].len - 1];
	return last->type == TL_V_INT && last->i >= TL_VOCABULARY;
}

static bool is_sampler(struct cutter *f, uint32_t event)
{
	const struct tl_ev *e = &f->t->events[event];

	return e->kind == TL_KIND_CPU_OP && tl_ev_has_span(e) && *tl_name_answer(f->samplers, e->name) &&
	       has_vocabulary(f, event);
}

static void end_step(struct cutter *f, struct thread *th, uint32_t sampler)
{
	int64_t end = tl_ev_end(&f->t->events[sampler]);

	if (th->launches >= STEP_LAUNCHES || !th->has_step) {
		th->last = f->out->n;
		tl_steps_add(f->out, f->t, sampler)->from = th->start;
		th->has_step = true;
	} else if (end > f->out->items[th->last].to) {
		f->out->items[th->last].to = end;
	}
	if (end > th->start)
		th->start = end;
	th->launches = 0;
}

/* The first step of a thread begins with the first event of it. */
static void begin_thread(struct cutter *f, const struct tl_ev *e)
{
	struct thread *th = &f->threads[e->track];

	if (!(e->flags & TL_EV_HAS_TS) || (e->kind != TL_KIND_CPU_OP && !tl_kind_is_launch(e->kind)))
		return;
	if (!th->has_start || e->ts < th->start)
		th->start = e->ts;
	th->has_start = true;
}

/* Adds the steps that end with operators that pick new tokens (work/phase-samplers.tsv), by end; each
 * begins where the step before of its thread ends. Several such operators with hardly any other launches
 * between them end one step. */
static void add_sampled(struct tl_steps *steps, const struct tl_trace *t)
{
	struct cutter f = { .out = steps, .t = t, .threads = tl_calloc((size_t)t->n_tracks + 1, sizeof *f.threads) };
	uint32_t *events = NULL;
	size_t n = 0, cap = 0;
	bool found = false;

	f.samplers = tl_kept_answers(t, TL_PHASE_SAMPLERS);
	f.calls = tl_kept_answers(t, TL_GRAPH_NAMES);
	f.dims = tl_arg_of(t, TL_KEY_INPUT_DIMS);
	for (uint32_t i = 0; i < t->n_events; i++) {
		bool samples = is_sampler(&f, i);
		begin_thread(&f, &t->events[i]);
		if (!samples && (!tl_kind_is_launch(t->events[i].kind) || t->events[i].first_child == TL_NONE))
			continue;
		found |= samples;
		TL_PUSH(events, n, cap, i);
	}
	if (found) {
		tl_sort_by_start(t, events, n);
		for (size_t i = 0; i < n; i++) {
			const struct tl_ev *e = &f.t->events[events[i]];
			struct thread *th = &f.threads[e->track];

			if (e->kind == TL_KIND_CPU_OP)
				end_step(&f, th, events[i]);
			else
				th->launches += tl_name_is(f.calls, e->name, "launch-graph") ? STEP_LAUNCHES : 1;
		}
	}
	free(f.threads);
	free(events);
}

#define MIN_REPEATS 3
/* Comparisons in all: about two seconds. A loop of 10,000 calls after as many others takes a tenth. */
#define MAX_WORK ((size_t)1 << 30)

/* ---- calls that repeat: a period in a list of names ------------------------------------------------- */

/* same[i]: how many names from i on are those from the start on. Returns the number of comparisons.
 *
 *     names   x  y  x  y  x  y  z      names from 2 on are the first ones for four names:
 *     same    7  0  4  0  2  0  0      so x y, with the period 2, stands there 1 + 4 / 2 times
 *
 * This is the Z algorithm. names[left] up to names[right] are known to be the first ones, of all such pieces that which ends
 * last. Within it, same[i] is that of the same place in the first piece; only what lies behind `right` is compared, so
 * that each name is compared once. */
static size_t find_same(const uint32_t *names, size_t n, size_t *same)
{
	size_t left = 0, right = 0, work = n;

	same[0] = n;
	for (size_t i = 1; i < n; i++) {
		size_t k = i < right ? same[i - left] : 0;
		if (i < right && k > right - i)
			k = right - i;
		for (; i + k < n && names[k] == names[i + k]; k++)
			work++;
		same[i] = k;
		if (i + k > right) {
			left = i;
			right = i + k;
		}
	}
	return work;
}

/* The smallest period at the start of the names; 0: none. */
static size_t period_at_start(const size_t *same, size_t n, size_t *count)
{
	for (size_t p = 1; p <= n / 2; p++) {
		*count = 1 + same[p] / p;
		if (*count >= MIN_REPEATS && *count * p > n / 2)
			return p;
	}
	return 0;
}

struct tl_name_period tl_name_period(const uint32_t *names, size_t n, size_t *work)
{
	struct tl_name_period found = { 0 };
	size_t *same = tl_alloc((n + 1) * sizeof *same);

	for (size_t start = 0; start + MIN_REPEATS <= n && *work && !found.period; start++) {
		size_t used = find_same(names + start, n - start, same) + (n - start) / 2;
		*work -= used < *work ? used : *work;
		found.start = start;
		found.period = period_at_start(same, n - start, &found.count);
	}
	free(same);
	return found;
}

struct tl_name_period tl_name_repetition(const uint32_t *names, size_t n)
{
	struct tl_name_period best = { 0 };

	for (size_t p = 1; p <= TL_LONGEST_PERIOD && p * MIN_REPEATS <= n; p++) {
		size_t same = p;
		if (names[p] != names[0] || names[2 * p] != names[0])
			continue;
		while (same < n && names[same] == names[same - p])
			same++;
		if (same / p >= MIN_REPEATS && same / p * p > best.period * best.count)
			best = (struct tl_name_period){ .period = p, .count = same / p };
	}
	return best;
}

/* ---- calls that repeat: the tree -------------------------------------------------------------------- */

struct search {
	const struct tl_trace *t;
	uint32_t total;    /* device events below the tops */
	uint32_t *queue; size_t n_queue, cap_queue;
	uint32_t *children, *names; size_t n_children, cap_children, cap_names;
	size_t work;
};

/* The tops of the tree: above each outermost operator the Python frame that called everything. */
static void queue_tops(struct search *s)
{
	const struct tl_trace *t = s->t;
	bool *seen = tl_calloc((size_t)t->n_events + 1, sizeof *seen);

	for (size_t i = 0; i < t->n_roots; i++) {
		uint32_t e = t->roots[i];
		while (t->events[e].parent != TL_NONE)
			e = t->events[e].parent;
		if (seen[e])
			continue;
		seen[e] = true;
		TL_PUSH(s->queue, s->n_queue, s->cap_queue, e);
		s->total += tl_trace_work_count(t, e);
	}
	free(seen);
}

/* The next child from *i on with that name; n_children if there is none. */
static size_t next_named(const struct search *s, size_t i, uint32_t name)
{
	while (i < s->n_children && s->names[i] != name)
		i++;
	return i;
}

/* Iterations: from the n-th child with the name of the period's first to the n-th with that
 * of its last. Returns how many device events they launched. */
static uint32_t make_iterations(const struct search *s, struct tl_name_period p, struct tl_steps *out)
{
	uint32_t first = s->names[p.start], last = s->names[p.start + p.period - 1], work = 0;
	size_t from = p.start, to = p.start, counted = p.start;

	for (;; from++, to++) {
		from = next_named(s, from, first);
		to = next_named(s, to, last);
		if (to == s->n_children || to < from)
			return work;
		tl_steps_add(out, s->t, s->children[from])->to = tl_ev_end(&s->t->events[s->children[to]]);
		for (counted = counted > from ? counted : from; counted <= to; counted++)
			work += tl_trace_work_count(s->t, s->children[counted]);
	}
}

/* Has the event, or have iterations, launched half of the device work? */
static bool is_half(const struct search *s, uint32_t work)
{
	return work && work >= s->total - s->total / 2;
}

static void search_below(struct search *s, uint32_t event, struct tl_steps *out)
{
	if (!is_half(s, tl_trace_work_count(s->t, event)))
		return;
	const struct tl_ev *events = s->t->events;
	s->n_children = 0;
	for (uint32_t c = events[event].first_child; c != TL_NONE; c = events[c].next_sibling) {
		TL_GROW(s->children, s->cap_children, s->n_children + 1);
		TL_GROW(s->names, s->cap_names, s->n_children + 1);
		s->names[s->n_children] = events[c].name;
		s->children[s->n_children++] = c;
	}
	struct tl_name_period p = tl_name_period(s->names, s->n_children, &s->work);
	if (p.period) {
		if (is_half(s, make_iterations(s, p, out)))
			return;
		out->n = 0;
	}
	for (size_t i = 0; i < s->n_children; i++)
		if (is_half(s, tl_trace_work_count(s->t, s->children[i])))
			TL_PUSH(s->queue, s->n_queue, s->cap_queue, s->children[i]);
}

/* Looks from the top of the tree downwards for an event whose children's names repeat and whose
 * iterations launched half of the trace's device work at least: so a few equal calls inside an operator
 * are no iterations. Adds a step for each iteration: from the start of its first child to the end of its
 * last one. */
static void add_repeated(struct tl_steps *out, const struct tl_trace *t)
{
	struct search s = { .t = t, .work = MAX_WORK };

	queue_tops(&s);
	for (size_t i = 0; i < s.n_queue && !out->n && s.work; i++)
		search_below(&s, s.queue[i], out);
	free(s.queue);
	free(s.children);
	free(s.names);
}

/* ---- other sources ------------------------------------------------------------------------- */

TL_ORDER(by_start, struct tl_step, TL_ASC(x->from))

/* Adds the events that are steps, and settles all. */
static void add_events(struct tl_steps *s, const struct tl_trace *t,
                       bool (*is_step)(const struct tl_trace *, const struct tl_ev *, void *ctx), void *ctx)
{
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (tl_ev_has_span(e) && is_step(t, e, ctx))
			tl_steps_add(s, t, i);
	}
	tl_steps_settle(s, t, false);
}

static void add_engine_steps(struct tl_steps *s, const struct tl_trace *t)
{
	int best = 2;

	for (uint32_t i = 0; i < t->n_events; i++) {
		if (t->events[i].kind != TL_KIND_ANNOTATION || !tl_ev_has_span(&t->events[i]))
			continue;
		int tier = tl_steps_add(s, t, i)->text.tier;
		if (!tier || tier > best) {
			s->n--;
		} else if (tier < best) {
			best = tier;
			s->items[0] = s->items[s->n - 1];
			s->n = 1;
		}
	}
	tl_merge_sort(s->items, s->n, sizeof *s->items, by_start, NULL);
}

static bool is_capture(const struct tl_trace *t, const struct tl_ev *e, void *ctx)
{
	const char *mode;
	int64_t size;

	(void)ctx;
	return e->kind == TL_KIND_ANNOTATION && tl_capture_text_read(tl_str(&t->strings, e->name), &size, &mode);
}

/* Old profilers write them as operators. */
static bool is_profiler_step(const struct tl_trace *t, const struct tl_ev *e, void *ctx)
{
	(void)ctx;
	return (e->kind == TL_KIND_ANNOTATION || e->kind == TL_KIND_CPU_OP) && tl_profiler_step(tl_str(&t->strings, e->name)) >= 0;
}

static bool launches_graph(const struct tl_trace *t, const struct tl_ev *e, void *calls)
{
	(void)t;
	return tl_kind_is_launch(e->kind) && tl_name_is(calls, e->name, "launch-graph");
}

static void add_graph_launches(struct tl_steps *s, const struct tl_trace *t)
{
	add_events(s, t, launches_graph, tl_kept_answers(t, TL_GRAPH_NAMES));
}

static void add_whole_trace(struct tl_steps *s, const struct tl_trace *t)
{
	struct tl_step whole = { .event = TL_NONE, .from = t->first_ts, .to = t->first_ts };

	for (uint32_t i = 0; i < t->n_events; i++)
		if (tl_ev_has_span(&t->events[i]) && tl_ev_end(&t->events[i]) > whole.to)
			whole.to = tl_ev_end(&t->events[i]);
	TL_GROW(s->items, s->cap, 1);
	s->items[0] = whole;
	s->n = t->n_events > 0;
}

static bool tells_step(const struct tl_trace *t, const struct tl_ev *e, void *ctx)
{
	int64_t step;

	return e->kind == TL_KIND_ANNOTATION && tl_arg_get(ctx, t, (uint32_t)(e - t->events), &step) == TL_FIELD_INT;
}

/* The number of a step is what its annotation tells. */
static void add_told(struct tl_steps *s, const struct tl_trace *t)
{
	struct tl_arg step = tl_arg_of(t, TL_KEY_STEP);

	if (!tl_strtab_find(&t->strings, TL_KEY_STEP, strlen(TL_KEY_STEP)))
		return;
	add_events(s, t, tells_step, &step);
	for (size_t i = 0; i < s->n; i++)
		tl_arg_get(&step, t, s->items[i].event, &s->items[i].number);
	if (s->n)
		s->marked = tl_folded_step_name(t, s);
}

static void number(struct tl_steps *s, const struct tl_trace *t)
{
	for (size_t i = 0; i < s->n; i++)
		s->items[i].number = s->source == TL_STEPS_PROFILER ? tl_profiler_step(tl_str(&t->strings, tl_step_name(t, &s->items[i]))) : (int64_t)i;
}

/* Finds the steps from a source; if they are fewer than `least`, there are none. */
static bool find_from(struct tl_steps *s, const struct tl_trace *t, enum tl_step_source source, size_t least)
{
	*s = (struct tl_steps){ .source = source };
	switch (s->source) {
	case TL_STEPS_ENGINE: add_engine_steps(s, t); break;
	case TL_STEPS_PROFILER: add_events(s, t, is_profiler_step, NULL); break;
	case TL_STEPS_TOLD: add_told(s, t); break;
	case TL_STEPS_NAMED: tl_steps_add_named(s, t); break;
	case TL_STEPS_REPEATED: add_repeated(s, t); break;
	case TL_STEPS_SAMPLED: add_sampled(s, t); break;
	case TL_STEPS_GRAPHS: add_graph_launches(s, t); break;
	case TL_STEPS_WHOLE: add_whole_trace(s, t); break;
	case TL_STEPS_MARKER: case TL_STEPS_NONE: break;
	}
	if (s->n < least)
		tl_steps_release(s);
	if (source != TL_STEPS_TOLD && source != TL_STEPS_NAMED && source != TL_STEPS_WHOLE)
		number(s, t);
	return s->n > 0;
}

/* ---- orders of sources ------------------------------------------------------------------ */

void tl_steps_of_engine(struct tl_steps *s, const struct tl_trace *t)
{
	find_from(s, t, TL_STEPS_ENGINE, 1);
}

/* A trace with one step of the profiler has what its user wanted to see. */
static void find_steps(struct tl_steps *s, const struct tl_trace *t)
{
	struct tl_steps repeated;

	if (find_from(s, t, TL_STEPS_ENGINE, 1))
		return;
	find_from(s, t, TL_STEPS_PROFILER, 1);
	if (s->n > 1 || (!s->n && (find_from(s, t, TL_STEPS_TOLD, 2) || find_from(s, t, TL_STEPS_NAMED, 2))) ||
	    !find_from(&repeated, t, TL_STEPS_REPEATED, 1))
		return;
	tl_steps_release(s);
	*s = repeated;
}

struct kept_steps {
	bool found, profiler_found, events_found;
	const struct tl_regex *marker;
	struct tl_steps steps, profiler;
	struct tl_map events;
};

static void release_kept(void *kept)
{
	struct kept_steps *k = kept;

	tl_steps_release(&k->steps);
	tl_steps_release(&k->profiler);
	tl_map_release(&k->events);
}

static struct kept_steps *kept_of(const struct tl_trace *t)
{
	return tl_trace_keep(t, sizeof(struct kept_steps), release_kept);
}

void tl_steps_mark_by(const struct tl_trace *t, const struct tl_regex *marker)
{
	if (marker->text)
		kept_of(t)->marker = marker;
}

const struct tl_steps *tl_steps_of(const struct tl_trace *t)
{
	struct kept_steps *k = kept_of(t);

	if (!k->found && k->marker)
		tl_steps_add_marked(&k->steps, t, k->marker);
	else if (!k->found)
		find_steps(&k->steps, t);
	k->found = true;
	return &k->steps;
}

const struct tl_steps *tl_numbered_steps_of(const struct tl_trace *t)
{
	const struct tl_steps *steps = tl_steps_of(t);
	struct kept_steps *k = kept_of(t);

	if (steps->source == TL_STEPS_MARKER || steps->source == TL_STEPS_PROFILER)
		return steps;
	if (!k->profiler_found)
		find_from(&k->profiler, t, TL_STEPS_PROFILER, 1);
	k->profiler_found = true;
	return k->profiler.n ? &k->profiler : steps;
}

const struct tl_map *tl_step_events(const struct tl_trace *t)
{
	const struct tl_steps *s = tl_steps_of(t);
	struct kept_steps *k = kept_of(t);

	if (!k->events_found && tl_steps_are_marked(s) && s->source != TL_STEPS_ENGINE && !s->on_device)
		TL_EACH(const struct tl_step, step, *s)
			*tl_map_put(&k->events, step->event, NULL) = 1;
	k->events_found = true;
	return &k->events;
}

static void add_copy(struct tl_steps *to, const struct tl_steps *from)
{
	TL_EACH(const struct tl_step, s, *from)
		TL_PUSH(to->items, to->n, to->cap, *s);
	to->source = from->source;
	to->on_device = from->on_device;
	to->marked = from->marked;
}

void tl_steps_with_devices(struct tl_steps *s, const struct tl_trace *t)
{
	struct tl_map numbers = { 0 }; /* name -> 1 + the step that has it alone; 0: several have it */
	bool is_new;

	*s = (struct tl_steps){ 0 };
	add_copy(s, tl_numbered_steps_of(t));
	for (size_t i = 0; i < s->n && s->items[i].event != TL_NONE && tl_steps_are_marked(s); i++) {
		uint32_t *of = tl_map_put(&numbers, tl_step_name(t, &s->items[i]), &is_new);
		*of = is_new ? (uint32_t)i + 1 : 0;
	}
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		const uint32_t *of = e->kind == TL_KIND_GPU_ANNOTATION && tl_ev_has_span(e) && !s->on_device ? tl_map_get(&numbers, e->name) : NULL;
		int64_t n = of && *of ? s->items[*of - 1].number : e->kind == TL_KIND_GPU_ANNOTATION ? tl_profiler_step(tl_str(&t->strings, e->name)) : -1;
		if (n >= 0 && tl_ev_has_span(e) && (of || s->source == TL_STEPS_PROFILER || !s->n))
			tl_steps_add(s, t, i)->number = n;
	}
	tl_steps_settle(s, t, false);
	tl_map_release(&numbers);
}

void tl_steps_with_phases(struct tl_steps *s, const struct tl_trace *t)
{
	const struct tl_steps *found = tl_steps_of(t), *known = tl_numbered_steps_of(t);
	struct tl_steps sampled;

	*s = (struct tl_steps){ .source = TL_STEPS_ENGINE };
	if (found->source == TL_STEPS_MARKER || found->source == TL_STEPS_ENGINE)
		add_copy(s, found);
	if (found->source == TL_STEPS_MARKER)
		return;
	add_events(s, t, is_capture, NULL);
	if (s->n)
		return;
	tl_steps_release(s);
	if (tl_steps_are_marked(known))
		add_copy(s, known);
	if (find_from(&sampled, t, TL_STEPS_SAMPLED, s->n + 1)) {
		tl_steps_release(s);
		*s = sampled;
	} else if (!s->n && !find_from(s, t, TL_STEPS_GRAPHS, 1)) {
		find_from(s, t, TL_STEPS_WHOLE, 1);
	}
}

int64_t tl_step_period(const struct tl_trace *t, const struct tl_steps *steps, size_t i)
{
	const struct tl_step *s = &steps->items[i], *next = s + 1, *end = steps->items + steps->n;

	if (steps->on_device)
		return tl_ticks_sub(s->device.end, s->device.start);
	while (next < end && t->tracks[t->events[next->event].track].pid != t->tracks[t->events[s->event].track].pid)
		next++;
	return tl_ticks_sub(next < end ? next->from : s->to, s->from);
}
