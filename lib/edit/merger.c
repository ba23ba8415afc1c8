/* merger.c - the merger's sink: passes the trace on, holds its launches back, and at the end
 * copies captures below the calls that replay graphs.
 *
 * Copies have texts of their own, so the next sink gets tables of the merger's.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "edit/merger.h"

#include "work/device_events.h"
#include "base/merge_sort.h"
#include "base/search.h"
#include "base/text.h"
#include "edit/launch_pairs.h"
#include "work/name_rules.h"
#include "model/fields.h"
#include "model/trace.h"
#include "model/trace_source.h"
#include "steps/step_find.h"

#include <stdlib.h>
#include <string.h>

#define CAPTURES 8              /* capture traces in memory */
#define MAX_COPIES (1u << 24)   /* more would not fit the memory of most machines */
#define MAX_COMPARED (UINT64_C(1) << 29) /* calls and kernels of all replays: some seconds of work */

/* ---- the graphs of a capture trace ------------------------------------------------------ */

/* The name of the event that stands for the capture itself, above all copies. */
#define CAPTURE_ROOT "CaptureRoot"

/* An event of a graph; event: of the trace, but TL_NONE for the first one, which stands for
 * the capture itself. number: its place among all events of the capture by start; the events
 * that are left out have numbers, too. parent: an index in the list, 0 for the first one. */
struct captured { uint32_t event, number, parent; };

struct capture_graph {
	struct captured *events; uint32_t n; /* by start; those that are not worth a copy are left out */
	uint32_t n_numbers;                     /* all events of the capture, also those that are left out */
	uint32_t *tree;                         /* indexes of events but the first: parents before their children,
	                                           children in the order of the trace */
	uint32_t *calls; uint32_t n_calls;      /* indexes of the calls that launch, copy or fill, by start */
	uint32_t *roots; uint32_t n_roots;      /* indexes of outermost operators, in stack order */
};

struct capture_trace {
	struct tl_trace *trace;
	struct tl_name_answers names; /* of work/graph-names.tsv */
	struct capture_graph *graphs; size_t n, cap;
};

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

static void start(struct finder *f, struct capture_trace *c)
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
static void list_events(struct finder *f, struct capture_graph *g)
{
	uint32_t n = (uint32_t)f->n_walk, *sorted = tl_alloc(n * sizeof *sorted), *at = tl_calloc(n, sizeof *at);

	memcpy(sorted, f->walk, n * sizeof *sorted);
	tl_sort_by_start(f->t, sorted + 1, n - 1);
	g->n_numbers = n;
	g->events = tl_alloc(n * sizeof *g->events);
	g->events[g->n++] = (struct captured){ TL_NONE, 0, 0 };
	for (uint32_t k = 1; k < n; k++) {
		uint32_t walked = f->place[sorted[k]] - 1;
		if (!f->kept[walked])
			continue;
		at[walked] = g->n;
		g->events[g->n++] = (struct captured){ sorted[k], k, f->above[walked] };
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

static void list_calls_and_roots(struct finder *f, struct capture_graph *g)
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

static void add_graph(struct finder *f, struct capture_trace *c, struct window w)
{
	f->n_walk = 0;
	find_tops(f, w);
	for (size_t i = 1; i < f->n_walk; i++) /* sorting moved them */
		f->place[f->walk[i]] = (uint32_t)i + 1;
	walk_down(f);
	choose_kept(f);
	TL_GROW(c->graphs, c->cap, c->n + 1);
	struct capture_graph *g = &c->graphs[c->n++];
	*g = (struct capture_graph){ 0 };
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

static void capture_trace_free(struct capture_trace *c)
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

/* Takes over a trace that was linked with Python frames. The i-th graph is what lies between
 * the i-th call StreamBeginCapture and the i-th StreamEndCapture: the operators and Python
 * frames of all threads that lie in this time and whose parents do not, with all below
 * them. Calls and Python frames without a launch in them or below them are left out; frames
 * of modules stay. TL_ERR_DATA: the captures overlap so much that the work would grow with
 * the square of the trace; the trace is freed then, too. */
static enum tl_status capture_trace_new(struct capture_trace **out, struct tl_trace *t, struct tl_error *err)
{
	struct capture_trace *c = tl_calloc(1, sizeof *c);
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
	capture_trace_free(c);
	*out = NULL;
	return tl_fail(err, TL_ERR_DATA, "captures of graphs overlap too much");
}

/* ---- steps, the graphs that they replay, and what these ran on the device --------------- */

/* Kinds of events that replays are found without, as bits 1 << kind. */
#define NOT_REPLAYED \
	(1u << TL_KIND_OTHER | 1u << TL_KIND_META | 1u << TL_KIND_GPU_ANNOTATION | 1u << TL_KIND_LAUNCH_FLOW | \
	 1u << TL_KIND_FWDBWD_FLOW | 1u << TL_KIND_FLOW | 1u << TL_KIND_COUNTER | 1u << TL_KIND_INSTANT | \
	 1u << TL_KIND_OVERHEAD | 1u << TL_KIND_TRACE)

/* The steps of the engine, and their calls that launch a graph, by start: those of step i are calls[first[i]]
 * up to, but without, calls[first[i + 1]]. */
struct replay_steps { struct tl_steps steps; size_t *first; uint32_t *calls; };

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

/* A call belongs to a step if it launches a graph and lies in the step's time, whatever its thread. */
static void find_replay_steps(struct replay_steps *s, const struct tl_trace *t, struct tl_name_answers *names)
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

/* The batch size of a step: that of its text, else the number after the first "_" of the annotation. False:
 * it says none. */
static bool batch_size_of(const struct tl_trace *t, const struct tl_step *step, int64_t *out)
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

/* The device events of a call that replays a graph, by start. */
struct replay {
	uint32_t call;
	const char *why;           /* why nothing can be merged; NULL: something can */
	uint32_t *events, n;
	struct tl_replayed *names; /* one for each; name and stream are string ids of the trace */
};
static struct replay replay_of(struct tl_trace *t, struct tl_name_answers *names, uint32_t call)
{
	struct replay r = { .call = call };
	const uint32_t *work = tl_trace_work(t, call, &r.n);
	uint32_t child = t->events[call].first_child;
	bool merged = child != TL_NONE && !strcmp(tl_str(&t->strings, t->events[child].name), CAPTURE_ROOT);

	r.events = tl_alloc(((size_t)r.n + 1) * sizeof *r.events);
	r.names = tl_alloc(((size_t)r.n + 1) * sizeof *r.names);
	memcpy(r.events, work, r.n * sizeof *r.events);
	tl_sort_by_start(t, r.events, r.n);
	for (uint32_t i = 0; i < r.n; i++) {
		uint32_t name = t->events[r.events[i]].name;
		r.names[i] = (struct tl_replayed){ name, stream_of(t, r.events[i]), copy_of(names, name) };
	}
	r.why = merged ? "the capture is merged already" : r.n ? NULL : "the call has no kernels";
	return r;
}

/* The calls of a captured graph, with names as string ids of the trace of its replay. The
 * caller frees them. */
static struct tl_captured_call *captured_calls(struct capture_trace *c, const struct capture_graph *g,
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

/* ---- the merger ------------------------------------------------------------------------- */

struct loaded { const struct tl_capture *of; struct capture_trace *trace; uint64_t used; };
struct launch { uint32_t call, event; }; /* uids */

struct merger {
	struct tl_sink base;
	struct tl_sink *next;
	struct tl_merge_options options;
	struct tl_merge_report report;
	struct tl_trace_source copies; /* of a capture trace; its tables: of all events that go to `next`, or into `trace` */
	struct tl_translation ids;     /* of the source -> of these tables */
	int64_t *values; size_t cap_values; /* of the event at hand */
	uint64_t n_events;             /* numbers taken: the next copy gets this one */
	struct launch *launches; size_t n_launches, cap_launches;
	struct tl_map moved;           /* uid of a device event -> uid of the copy that launches it now */
	struct tl_trace *trace;        /* what replays are found in */
	struct tl_name_answers names;  /* of it, by work/graph-names.tsv */
	struct tl_sink *inner;         /* fills it */
	struct loaded loaded[CAPTURES];
	uint64_t n_used;
	uint64_t n_compared;           /* calls and kernels of all replays */
};

static struct merger *self(struct tl_sink *s)
{
	return (struct merger *)s;
}

static void note(struct merger *m, const char *why, uint32_t step)
{
	struct tl_merge_report *r = &m->report;

	for (size_t i = 0; i < r->n_notes; i++)
		if (r->notes[i].why == why) {
			r->notes[i].count++;
			return;
		}
	TL_PUSH(r->notes, r->n_notes, r->cap_notes,
		(struct tl_merge_note){ why, 1, tl_strdup(tl_str(&m->trace->strings, m->trace->events[step].name)) });
}

/* ---- capture traces ----------------------------------------------------------------- */

static enum tl_status get_capture(struct merger *m, const struct tl_capture *c, struct capture_trace **out,
                                  struct tl_error *err)
{
	struct loaded *l = m->loaded;
	struct tl_trace *trace;

	while (l < m->loaded + CAPTURES && l->of != c)
		l++;
	if (l == m->loaded + CAPTURES) {
		l = m->loaded;
		for (size_t i = 1; i < CAPTURES; i++)
			if (m->loaded[i].used < l->used)
				l = &m->loaded[i];
		tl_trace_source_forget(&m->copies);
		m->copies.trace = NULL;
		capture_trace_free(l->trace);
		*l = (struct loaded){ 0 };
		enum tl_status s = m->options.load(m->options.ctx, c->file, &trace, err);
		if (s || (s = capture_trace_new(&l->trace, trace, err)))
			return s;
		l->of = c;
	}
	l->used = ++m->n_used;
	*out = l->trace;
	return TL_OK;
}

/* ---- one replay ---------------------------------------------------------------------- */

/* Pushes a copy of an event of a capture trace with this number and the times of the replay's call.
 * event: TL_NONE makes the event CAPTURE_ROOT. */
static enum tl_status push_copy(struct merger *m, const struct tl_trace *from, uint32_t event, uint64_t uid,
                                const struct tl_ev *call, struct tl_error *err)
{
	struct tl_tables *t = &m->copies.tables;
	int64_t value = 1;
	struct tl_event e = { .uid = uid, .ts = call->ts, .dur = call->dur, .values = &value };
	uint8_t times = call->flags >> TL_EV_LAYOUT_SHIFT & (TL_HAS_TS | TL_HAS_DUR | TL_INT_TS | TL_INT_DUR);

	if (m->copies.trace != from)
		tl_trace_source_forget(&m->copies);
	m->copies.trace = from;
	if (event == TL_NONE) {
		struct tl_field mark = { tl_add_text(t, TL_KEY_CAPTURED), TL_FIELD_INT, 0 };
		struct tl_layout l = { .cat = tl_add_text(t, "cuda_runtime"), .kind = TL_KIND_RUNTIME, .ph = 'X',
			.flags = (uint8_t)(TL_HAS_NAME | TL_HAS_ARGS | times), .n_fields = 1, .fields = &mark };
		e.layout = tl_add_layout(t, &l);
		e.name = tl_add_text(t, CAPTURE_ROOT);
	} else {
		tl_trace_source_copy(&m->copies, event, times, &e);
	}
	return m->next->ops->event(m->next, &e, err);
}

/* Adds copies of the events of a graph below the call of its replay. */
static enum tl_status copy_graph(struct merger *m, const struct capture_trace *c, const struct capture_graph *g,
                                 uint32_t replay, struct tl_error *err)
{
	const struct tl_ev *call = &m->trace->events[replay];
	uint64_t first = m->n_events;
	enum tl_status s = TL_OK;

	m->n_events += g->n_numbers;
	m->report.n_events += g->n;
	if (m->n_events > UINT32_MAX - 2 || m->report.n_events > MAX_COPIES)
		return tl_fail(err, TL_ERR_DATA, "the captures of all replayed graphs have more than %u million events: "
		               "cut the trace", MAX_COPIES >> 20);
	for (uint32_t i = 0; !s && i < g->n; i++) {
		s = push_copy(m, c->trace, g->events[i].event, first + g->events[i].number, call, err);
		if (tl_tables_full(&m->copies.tables)) {
			m->next->ops->reset(m->next);
			tl_tables_clear(&m->copies.tables);
			tl_trace_source_forget(&m->copies);
		}
	}
	if (!s)
		s = tl_push_link(m->next, TL_LINK_NODE, first, call->uid, err);
	for (uint32_t i = 0; !s && i + 1 < g->n; i++) {
		const struct captured *e = &g->events[g->tree[i]];
		s = tl_push_link(m->next, TL_LINK_NODE, first + e->number, first + g->events[e->parent].number, err);
	}
	for (uint32_t i = 0; !s && i < g->n_roots; i++)
		s = tl_push_link(m->next, TL_LINK_ROOT, first + g->events[g->roots[i]].number, TL_NO_UID, err);
	return s;
}

/* Merges a graph into its replay; `why` becomes not NULL if they do not fit. */
static enum tl_status merge(struct merger *m, struct capture_trace *c, const struct capture_graph *g,
                            const struct replay *r, const char **why, struct tl_error *err)
{
	m->n_compared += (uint64_t)g->n_calls + r->n;
	if (m->n_compared > MAX_COMPARED)
		return tl_fail(err, TL_ERR_DATA, "too many graphs with too many kernels: cut the trace");
	struct tl_captured_call *calls = captured_calls(c, g, m->trace);
	struct tl_launch_pair *pairs = tl_alloc(((size_t)r->n + 1) * sizeof *pairs);
	uint64_t first = m->n_events;
	size_t unchecked;
	enum tl_status s = TL_OK;

	*why = tl_align(calls, g->n_calls, r->names, r->n, pairs, &unchecked);
	if (!*why) {
		s = copy_graph(m, c, g, r->call, err);
		for (uint32_t i = 0; i < r->n; i++)
			*tl_map_put(&m->moved, m->trace->events[r->events[pairs[i].event]].uid, NULL) =
				(uint32_t)(first + g->events[g->calls[pairs[i].call]].number);
		m->report.n_merged++;
		m->report.n_kernels += r->n;
		m->report.n_unchecked += unchecked;
	}
	free(calls);
	free(pairs);
	return s;
}

/* ---- steps ----------------------------------------------------------------------------- */

static enum tl_status merge_step(struct merger *m, const struct tl_step *step, const uint32_t *calls, size_t n,
                                 struct tl_error *err)
{
	struct capture_trace *c;
	int64_t batch_size;
	const char *why = NULL;

	m->report.n_replays += n;
	if (!n)
		return TL_OK;
	if (!batch_size_of(m->trace, step, &batch_size)) {
		note(m, "the step does not say its batch size", step->event);
		return TL_OK;
	}
	const struct tl_capture *file = tl_capture_find(m->options.index, batch_size, n);
	if (!file) {
		note(m, "no capture has a batch size as large as the step's", step->event);
		return TL_OK;
	}
	enum tl_status s = get_capture(m, file, &c, err);
	if (!s && c->n != 1 && c->n != n) {
		note(m, "the step replays another number of graphs than its capture has", step->event);
		return TL_OK;
	}
	for (size_t i = 0; !s && i < n; i++) {
		struct replay r = replay_of(m->trace, &m->names, calls[i]);
		why = r.why;
		if (!why)
			s = merge(m, c, &c->graphs[c->n == 1 ? 0 : i], &r, &why, err);
		if (why)
			note(m, why, step->event);
		free(r.events);
		free(r.names);
	}
	return s;
}

static enum tl_status merge_all(struct merger *m, struct tl_error *err)
{
	struct replay_steps steps;
	enum tl_status s = TL_OK;

	tl_name_answers_init(&m->names, TL_GRAPH_NAMES, &m->trace->strings);
	find_replay_steps(&steps, m->trace, &m->names);
	m->report.n_steps = steps.steps.n;
	for (size_t i = 0; !s && i < steps.steps.n; i++)
		s = merge_step(m, &steps.steps.items[i], steps.calls + steps.first[i], steps.first[i + 1] - steps.first[i], err);
	tl_steps_release(&steps.steps);
	free(steps.first);
	free(steps.calls);
	return s;
}

/* ---- the sink ----------------------------------------------------------------------------- */

static enum tl_status begin(struct tl_sink *s, const struct tl_header *h, const struct tl_tables *tables,
                            struct tl_error *err)
{
	struct merger *m = self(s);

	m->ids = (struct tl_translation){ .from = tables, .to = &m->copies.tables };
	if (!h->linked || !h->python)
		return tl_fail(err, TL_ERR_DATA, "captures are merged into a trace that was linked with Python frames "
		               "(tl-link --python)");
	enum tl_status status = m->inner->ops->begin(m->inner, h, &m->copies.tables, err);
	return status ? status : m->next->ops->begin(m->next, h, &m->copies.tables, err);
}

static void reset(struct tl_sink *s)
{
	tl_translation_forget(&self(s)->ids);
}

static enum tl_status add_meta(struct tl_sink *s, const char *key, size_t key_len, const char *json, size_t json_len,
                               struct tl_error *err)
{
	struct merger *m = self(s);
	uint64_t n_events = tl_meta_events(key, key_len, json, json_len);

	if (n_events > m->n_events)
		m->n_events = n_events;
	return m->next->ops->meta(m->next, key, key_len, json, json_len, err);
}

static enum tl_status add_event(struct tl_sink *s, const struct tl_event *given, struct tl_error *err)
{
	struct merger *m = self(s);
	struct tl_event e = *given;

	TL_GROW(m->values, m->cap_values, tl_layout_of(m->ids.from, given->layout)->n_fields);
	tl_translate_event(&m->ids, given, &e, m->values);
	if (m->n_events < e.uid + 1)
		m->n_events = e.uid + 1;
	enum tl_status status = m->inner->ops->event(m->inner, &e, err);
	if (!status)
		status = m->next->ops->event(m->next, &e, err);
	if (tl_tables_full(&m->copies.tables)) {
		m->inner->ops->reset(m->inner);
		m->next->ops->reset(m->next);
		tl_tables_clear(&m->copies.tables);
		tl_translation_forget(&m->ids);
	}
	return status;
}

static enum tl_status add_link(struct tl_sink *s, const struct tl_link *l, struct tl_error *err)
{
	struct merger *m = self(s);

	if (l->type == TL_LINK_ADOPT || l->type == TL_LINK_REPARENT || l->type == TL_LINK_REPLACE || l->type == TL_LINK_WORK)
		return tl_fail(err, TL_ERR_DATA, "the trace was edited before: captures are merged first");
	enum tl_status status = m->inner->ops->link(m->inner, l, err);
	if (status || l->type != TL_LINK_LAUNCH || l->a > UINT32_MAX || l->b > UINT32_MAX)
		return status ? status : m->next->ops->link(m->next, l, err);
	TL_PUSH(m->launches, m->n_launches, m->cap_launches, (struct launch){ (uint32_t)l->a, (uint32_t)l->b });
	return TL_OK;
}

static enum tl_status end(struct tl_sink *s, struct tl_error *err)
{
	struct merger *m = self(s);
	enum tl_status status = m->inner->ops->end(m->inner, err);

	if (!status)
		status = merge_all(m, err);
	for (size_t i = 0; !status && i < m->n_launches; i++) {
		const struct launch *l = &m->launches[i];
		const uint32_t *moved = tl_map_get(&m->moved, l->event);
		status = tl_push_link(m->next, TL_LINK_LAUNCH, moved ? *moved : l->call, l->event, err);
	}
	if (!status && m->report.n_merged) /* the last numbers may be of events that have no copies */
		status = tl_push_event_count(m->next, m->n_events, err);
	return status ? status : m->next->ops->end(m->next, err);
}

/* ---- interface ----------------------------------------------------------------------------- */

struct tl_sink *tl_merger_new(struct tl_sink *next, const struct tl_merge_options *o)
{
	static const struct tl_sink_ops ops = {
		.begin = begin, .reset = reset, .meta = add_meta, .event = add_event, .link = add_link, .end = end,
	};
	struct merger *m = tl_calloc(1, sizeof *m);

	m->base.ops = &ops;
	m->next = next;
	m->options = *o;
	m->inner = tl_trace_sink_new(&m->trace, &(struct tl_trace_options){ .drop_kinds = NOT_REPLAYED });
	m->copies = (struct tl_trace_source){ .to = next, .mark = TL_KEY_CAPTURED };
	return &m->base;
}

const struct tl_merge_report *tl_merger_report(const struct tl_sink *s)
{
	return &((const struct merger *)s)->report;
}

void tl_merger_free(struct tl_sink *s)
{
	if (!s)
		return;
	struct merger *m = self(s);
	for (size_t i = 0; i < CAPTURES; i++)
		capture_trace_free(m->loaded[i].trace);
	for (size_t i = 0; i < m->report.n_notes; i++)
		free(m->report.notes[i].step);
	free(m->report.notes);
	tl_trace_source_release(&m->copies);
	tl_trace_sink_free(m->inner);
	tl_name_answers_release(&m->names);
	tl_trace_free(m->trace);
	tl_map_release(&m->moved);
	tl_translation_release(&m->ids);
	free(m->launches);
	free(m->values);
	free(m);
}
