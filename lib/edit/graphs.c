/* graphs.c - graphs that were captured, their replays, and which call launched which device event.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "edit/graphs.h"

#include <stdlib.h>
#include <string.h>

#include "work/device_events.h"
#include "base/merge_sort.h"
#include "base/search.h"
#include "base/text.h"
#include "model/fields.h"
#include "model/trace.h"

/* ---- calls and device events paired ------------------------------------------------------ */

/* Names compared on several streams: some seconds. */
#define MAX_COMPARED (UINT64_C(1) << 28)

struct sides {
	const struct tl_captured_call *calls; size_t n_calls;
	const struct tl_replayed *events; size_t n_events;
	struct tl_launch_pair *out;
	uint64_t compared;
};

static bool fits(const struct tl_captured_call *c, const struct tl_replayed *e)
{
	return (c->copy && c->copy == e->copy) || (c->name && c->name == e->name);
}

/* ---- one stream ------------------------------------------------------------------- */

static bool in_order(struct sides *s)
{
	size_t c = 0;

	for (size_t e = 0; e < s->n_events; e++) {
		while (c < s->n_calls && !fits(&s->calls[c], &s->events[e]))
			c++;
		if (c == s->n_calls)
			return false;
		s->out[e] = (struct tl_launch_pair){ (uint32_t)c++, (uint32_t)e };
	}
	return true;
}

static bool by_name(struct sides *s)
{
	struct tl_map first = { 0 }; /* name -> 1 + the first event of it that has no call yet */
	uint32_t *next = tl_calloc(s->n_events + 1, sizeof *next); /* event -> 1 + the next one of its name */
	bool all = true;

	for (size_t e = s->n_events; e-- > 0;) {
		uint32_t *head = tl_map_put(&first, s->events[e].name, NULL);
		next[e] = *head;
		*head = (uint32_t)e + 1;
	}
	for (size_t c = 0; all && c < s->n_calls; c++) {
		uint32_t *head = s->calls[c].name ? tl_map_get(&first, s->calls[c].name) : NULL;
		all = head && *head;
		if (!all)
			break;
		s->out[c] = (struct tl_launch_pair){ (uint32_t)c, *head - 1 };
		*head = next[*head - 1];
	}
	tl_map_release(&first);
	free(next);
	return all;
}

/* False: a call says another kernel than the event at its place. */
static bool by_place(struct sides *s, size_t *unchecked)
{
	for (size_t i = 0; i < s->n_events; i++) {
		const struct tl_captured_call *c = &s->calls[i];
		s->out[i] = (struct tl_launch_pair){ (uint32_t)i, (uint32_t)i };
		if (c->says_kernel && c->name != s->events[i].name)
			return false;
		*unchecked += !c->says_kernel && !c->copy;
	}
	return true;
}

/* ---- several streams ---------------------------------------------------------------- */

/* The events of the streams, each stream in order: those of stream i stand in
 * events[head[i]] up to events[past[i]]. Streams are numbered in the order of their first
 * events. */
struct streams { uint32_t *events, *head, *past, n; };

static struct streams find_streams(const struct sides *s)
{
	struct streams st = { .events = tl_alloc((s->n_events + 1) * sizeof *st.events) };
	uint32_t *of = tl_alloc((s->n_events + 1) * sizeof *of);
	struct tl_map numbers = { 0 };

	st.head = tl_calloc(s->n_events + 2, sizeof *st.head);
	st.past = tl_calloc(s->n_events + 2, sizeof *st.past);
	for (size_t e = 0; e < s->n_events; e++) {
		of[e] = tl_map_number(&numbers, s->events[e].stream, NULL);
		st.head[of[e] + 1]++;
	}
	st.n = (uint32_t)numbers.count;
	for (uint32_t i = 0; i < st.n; i++)
		st.past[i] = st.head[i] += i ? st.head[i - 1] : 0;
	for (size_t e = 0; e < s->n_events; e++)
		st.events[st.past[of[e]]++] = (uint32_t)e;
	tl_map_release(&numbers);
	free(of);
	return st;
}

/* How many calls from c on fit the events of a stream. */
static size_t run_length(struct sides *s, const struct streams *st, uint32_t stream, size_t c)
{
	uint32_t e = st->head[stream];
	size_t n = 0;

	while (e + n < st->past[stream] && c + n < s->n_calls && fits(&s->calls[c + n], &s->events[st->events[e + n]]))
		n++;
	s->compared += n + 1;
	return n;
}

/* The first stream from `from` on whose next event fits the call; st->n: none. */
static uint32_t next_fit(struct sides *s, const struct streams *st, uint32_t from, size_t c)
{
	for (; from < st->n; from++, s->compared++)
		if (st->head[from] < st->past[from] && fits(&s->calls[c], &s->events[st->events[st->head[from]]]))
			break;
	return from;
}

/* The stream whose next event the call launched; st->n: none. */
static uint32_t choose_stream(struct sides *s, const struct streams *st, size_t c)
{
	uint32_t best = next_fit(s, st, 0, c), other = next_fit(s, st, best + 1, c);

	if (other >= st->n)
		return best;
	size_t longest = run_length(s, st, best, c);
	for (; other < st->n && s->compared <= MAX_COMPARED; other = next_fit(s, st, other + 1, c)) {
		size_t n = run_length(s, st, other, c);
		if (n > longest) {
			best = other;
			longest = n;
		}
	}
	return best;
}

static bool by_stream(struct sides *s)
{
	struct streams st = find_streams(s);
	size_t paired = 0;

	for (size_t c = 0; c < s->n_calls && s->compared <= MAX_COMPARED; c++) {
		uint32_t stream = choose_stream(s, &st, c);
		if (stream >= st.n)
			continue;
		uint32_t e = st.events[st.head[stream]++];
		s->out[e] = (struct tl_launch_pair){ (uint32_t)c, e };
		paired++;
	}
	free(st.events);
	free(st.head);
	free(st.past);
	return paired == s->n_events;
}

/* ---- all ways ---------------------------------------------------------------------- */

static bool one_stream(const struct sides *s)
{
	for (size_t e = 1; e < s->n_events; e++)
		if (s->events[e].stream != s->events[0].stream)
			return false;
	return true;
}

static bool kernels_named(const struct sides *s)
{
	for (size_t c = 0; c < s->n_calls; c++)
		if (!s->calls[c].says_kernel && !s->calls[c].copy)
			return false;
	return true;
}

const char *tl_align(const struct tl_captured_call *calls, size_t n_calls, const struct tl_replayed *events,
                     size_t n_events, struct tl_launch_pair *out, size_t *unchecked)
{
	struct sides s = { calls, n_calls, events, n_events, out, 0 };

	*unchecked = 0;
	if (!one_stream(&s)) {
		if (!kernels_named(&s))
			return "the graph runs on several streams, and calls of its capture do not say their kernels";
		if (by_stream(&s))
			return NULL;
		return s.compared > MAX_COMPARED ? "the graph has too many streams"
		                                 : "kernels on several streams do not fit the calls of the capture";
	}
	if (n_calls != n_events)
		return in_order(&s) ? NULL : "kernels do not follow each other as the calls of the capture do";
	if (by_place(&s, unchecked))
		return NULL;
	*unchecked = 0;
	return by_name(&s) ? NULL : "the capture has other kernels";
}

/* ---- the graphs of a capture trace ------------------------------------------------------ */

/* The time of a capture, in ticks; both ends count. */
struct window { int64_t from, to; };

struct finder {
	struct tl_trace *t;
	struct tl_name_answers *names;
	uint32_t *by_start; uint32_t n; /* events of the tree */
	uint32_t *place;        /* by event: 1 + its index in `walk` or, later, in the graph; 0: not in it */
	uint32_t *stack_order;  /* by event: its place in the trace's roots */
	uint32_t *walk; size_t n_walk, cap_walk; /* events of the graph at hand, breadth first; [0]: TL_NONE */
	uint32_t *above; size_t cap_above;       /* by index in walk: that of the parent; then of the nearest kept one */
	bool *kept; size_t cap_kept;             /* the same: is the event worth a copy? */
	uint64_t n_looked_at;   /* events of all graphs */
};

/* ---- order -------------------------------------------------------------------------- */

static bool is_node(const struct tl_ev *e)
{
	return e->flags & TL_EV_IN_TREE && !tl_kind_is_gpu(e->kind);
}

static void start(struct finder *f, struct tl_capture_trace *c)
{
	struct tl_trace *t = c->trace;
	size_t n = (size_t)t->n_events + 1;

	*f = (struct finder){ .t = t, .names = &c->names, .by_start = tl_alloc(n * sizeof *f->by_start),
		.place = tl_calloc(n, sizeof *f->place), .stack_order = tl_calloc(n, sizeof *f->stack_order) };
	for (uint32_t i = 0; i < t->n_events; i++)
		if (is_node(&t->events[i]))
			f->by_start[f->n++] = i;
	tl_sort_by_start(t, f->by_start, f->n);
	for (size_t i = 0; i < t->n_roots; i++)
		f->stack_order[t->roots[i]] = (uint32_t)i;
}

/* ---- what lies in a capture ------------------------------------------------------------ */

static bool lies_in(const struct tl_ev *e, struct window w)
{
	return e->ts >= w.from && tl_ticks_add(e->ts, e->dur) <= w.to;
}

static void walk_on(struct finder *f, uint32_t event, uint32_t parent)
{
	TL_GROW(f->walk, f->cap_walk, f->n_walk + 1);
	TL_GROW(f->above, f->cap_above, f->n_walk + 1);
	f->above[f->n_walk] = parent;
	f->walk[f->n_walk++] = event;
	if (event != TL_NONE)
		f->place[event] = (uint32_t)f->n_walk;
}

/* Puts the outermost events of the capture into the walk, in file order. */
static void find_tops(struct finder *f, struct window w)
{
	const struct tl_ev *events = f->t->events;
	size_t at;

	TL_SEARCH(at, f->n, mid, events[f->by_start[mid]].ts < w.from);
	walk_on(f, TL_NONE, 0);
	for (; at < f->n && events[f->by_start[at]].ts <= w.to; at++, f->n_looked_at++) {
		const struct tl_ev *e = &events[f->by_start[at]];
		if ((e->kind == TL_KIND_CPU_OP || e->kind == TL_KIND_PYTHON) && e->parent != TL_NONE && lies_in(e, w) &&
		    !lies_in(&events[e->parent], w))
			walk_on(f, f->by_start[at], 0);
	}
	tl_sort_numbers(f->walk + 1, f->n_walk - 1);
}

static void walk_down(struct finder *f)
{
	for (size_t i = 1; i < f->n_walk; i++, f->n_looked_at++)
		for (uint32_t c = f->t->events[f->walk[i]].first_child; c != TL_NONE; c = f->t->events[c].next_sibling)
			if (is_node(&f->t->events[c]))
				walk_on(f, c, (uint32_t)i);
}

/* ---- a graph of it --------------------------------------------------------------------- */

static bool launches(const struct finder *f, const struct tl_ev *e)
{
	return tl_kind_is_launch(e->kind) && tl_starts_with(tl_name_answer(f->names, e->name), "launch");
}

/* Marks what is worth a copy. Breadth first, children come after their parents. */
static void choose_kept(struct finder *f)
{
	TL_GROW(f->kept, f->cap_kept, f->n_walk);
	memset(f->kept, 0, f->n_walk * sizeof *f->kept);
	f->kept[0] = true;
	for (size_t i = f->n_walk; --i > 0;) {
		const struct tl_ev *e = &f->t->events[f->walk[i]];
		if (launches(f, e) || f->kept[i])
			f->kept[f->above[i]] = f->kept[i] = true;
	}
	for (size_t i = 1; i < f->n_walk; i++) {
		const struct tl_ev *e = &f->t->events[f->walk[i]];
		f->kept[i] |= e->kind == TL_KIND_CPU_OP || tl_name_is(f->names, e->name, "module");
		if (!f->kept[f->above[i]])
			f->above[i] = f->above[f->above[i]];
	}
}

TL_ORDER_IN(in_stack_order, uint32_t, struct finder, TL_ASC(ctx->stack_order[*x]))

/* The walk's events that are kept, as a graph: by start, with numbers. */
static void list_events(struct finder *f, struct tl_capture_graph *g)
{
	uint32_t n = (uint32_t)f->n_walk, *sorted = tl_alloc(n * sizeof *sorted), *at = tl_calloc(n, sizeof *at);

	memcpy(sorted, f->walk, n * sizeof *sorted);
	tl_sort_by_start(f->t, sorted + 1, n - 1);
	g->n_numbers = n;
	g->events = tl_alloc(n * sizeof *g->events);
	g->events[g->n++] = (struct tl_captured){ TL_NONE, 0, 0 };
	for (uint32_t k = 1; k < n; k++) {
		uint32_t walked = f->place[sorted[k]] - 1;
		if (!f->kept[walked])
			continue;
		at[walked] = g->n;
		g->events[g->n++] = (struct tl_captured){ sorted[k], k, f->above[walked] };
	}
	for (uint32_t k = 1; k < g->n; k++)
		g->events[k].parent = at[g->events[k].parent];
	g->tree = tl_alloc(n * sizeof *g->tree);
	for (uint32_t i = 1, m = 0; i < n; i++)
		if (f->kept[i])
			g->tree[m++] = at[i];
	free(sorted);
	free(at);
}

static void list_calls_and_roots(struct finder *f, struct tl_capture_graph *g)
{
	uint32_t *roots = tl_alloc((size_t)g->n * sizeof *roots);

	g->calls = tl_alloc((size_t)g->n * sizeof *g->calls);
	g->roots = tl_alloc((size_t)g->n * sizeof *g->roots);
	for (uint32_t k = 1; k < g->n; k++) {
		const struct tl_ev *e = &f->t->events[g->events[k].event];
		f->place[g->events[k].event] = k;
		if (launches(f, e))
			g->calls[g->n_calls++] = k;
		if (e->flags & TL_EV_ROOT)
			roots[g->n_roots++] = g->events[k].event;
	}
	tl_merge_sort(roots, g->n_roots, sizeof *roots, in_stack_order, f);
	for (uint32_t i = 0; i < g->n_roots; i++)
		g->roots[i] = f->place[roots[i]];
	free(roots);
}

static void add_graph(struct finder *f, struct tl_capture_trace *c, struct window w)
{
	f->n_walk = 0;
	find_tops(f, w);
	for (size_t i = 1; i < f->n_walk; i++) /* sorting moved them */
		f->place[f->walk[i]] = (uint32_t)i + 1;
	walk_down(f);
	choose_kept(f);
	TL_GROW(c->graphs, c->cap, c->n + 1);
	struct tl_capture_graph *g = &c->graphs[c->n++];
	*g = (struct tl_capture_graph){ 0 };
	list_events(f, g);
	list_calls_and_roots(f, g);
	for (size_t i = 1; i < f->n_walk; i++)
		f->place[f->walk[i]] = 0;
}

/* ---- all captures ------------------------------------------------------------------------ */

/* The next call from `from` on that is `what`; n_events: none. */
static uint32_t next_call(const struct finder *f, uint32_t from, const char *what)
{
	for (; from < f->t->n_events; from++) {
		const struct tl_ev *e = &f->t->events[from];
		if (e->kind == TL_KIND_RUNTIME && tl_ev_has_span(e) && tl_name_is(f->names, e->name, what))
			break;
	}
	return from;
}

enum tl_status tl_capture_trace_new(struct tl_capture_trace **out, struct tl_trace *t, struct tl_error *err)
{
	struct tl_capture_trace *c = tl_calloc(1, sizeof *c);
	uint64_t most = 4 * (uint64_t)t->n_events + (1 << 20);
	struct finder f;
	uint32_t begin = 0, end = 0;

	c->trace = t;
	tl_name_answers_init(&c->names, TL_GRAPH_NAMES, &t->strings);
	start(&f, c);
	for (;; begin++, end++) {
		begin = next_call(&f, begin, "begin");
		end = next_call(&f, end, "end");
		if (begin == t->n_events || end == t->n_events || f.n_looked_at > most)
			break;
		add_graph(&f, c, (struct window){ tl_ev_end(&t->events[begin]), t->events[end].ts });
	}
	free(f.by_start);
	free(f.place);
	free(f.stack_order);
	free(f.walk);
	free(f.above);
	free(f.kept);
	*out = c;
	if (f.n_looked_at <= most)
		return TL_OK;
	tl_capture_trace_free(c);
	*out = NULL;
	return tl_fail(err, TL_ERR_DATA, "captures of graphs overlap too much");
}

void tl_capture_trace_free(struct tl_capture_trace *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++) {
		free(c->graphs[i].events);
		free(c->graphs[i].tree);
		free(c->graphs[i].calls);
		free(c->graphs[i].roots);
	}
	free(c->graphs);
	tl_name_answers_release(&c->names);
	tl_trace_free(c->trace);
	free(c);
}

/* ---- steps, the graphs that they replay, and what these ran on the device --------------- */

/* ---- steps and calls ------------------------------------------------------------------ */

static bool launches_graph(const struct tl_trace *t, struct tl_name_answers *names, uint32_t event)
{
	const struct tl_ev *e = &t->events[event];

	return tl_kind_is_launch(e->kind) && tl_ev_has_span(e) && tl_name_is(names, e->name, "launch-graph");
}

/* A call and the number of its step. */
struct placed { uint32_t call; size_t step; };

TL_ORDER_IN(by_step, struct placed, struct tl_trace, TL_ASC(x->step) TL_ASC(ctx->events[x->call].ts))

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
		TL_PUSH(placed, *n, cap, (struct placed){ i, step });
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
