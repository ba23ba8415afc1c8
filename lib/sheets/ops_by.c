/* ops_by.c - device work by step, by module, and by the sequences in which it is launched.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/ops.h"

#include "work/args.h"
#include "work/calls.h"
#include "work/devices.h"
#include "work/host_tree.h"
#include "work/kept.h"
#include "work/range_names.h"
#include "work/spans.h"
#include "base/merge_sort.h"
#include "base/text.h"
#include "steps/step_find.h"

#include <stdlib.h>
#include <string.h>

/* Which names the user asks for. Each is compared once. */
struct names { const struct tl_pattern *pattern; struct tl_map known; /* name -> 0 or 1 */ };

static bool is_asked_for(struct names *names, const struct tl_trace *t, uint32_t name)
{
	bool is_new;
	uint32_t *known = tl_map_put(&names->known, name, &is_new);

	if (is_new)
		*known = tl_pattern_matches(names->pattern, tl_str(&t->strings, name), tl_str_len(&t->strings, name));
	return *known;
}

/* ---- by step --------------------------------------------------------------------------- */

/* Annotations of one name and number. */
struct step { uint32_t name, windows; int64_t number, host_ticks; };
#define OUTSIDE (UINT64_C(0xffffffff) << 32) /* the key of the step that stands for work outside of steps; others have a name */

struct by_step {
	struct tl_trace *t;
	struct names annotations;
	struct TL_KEYED(struct step) steps;    /* by name and number; work outside of them is the last */
	struct tl_innermosts running;          /* of each process and each device; event: index in steps */
	struct tl_copies *copies;
	struct tl_map lone;                    /* device event without an arrow -> the call with its correlation */
	struct tl_nearest operators;
	struct tl_map launches;                /* launchers and steps that have a row */
	struct tl_table *rows;
};

static uint64_t process_key(const struct tl_trace *t, const struct tl_ev *e, bool device)
{
	return (uint64_t)t->tracks[e->track].pid << 1 | device;
}

/* With a pattern: the annotations that it names, those within each other, too. */
static void add_windows(struct by_step *s, struct tl_steps *windows)
{
	for (uint32_t i = 0; i < s->t->n_events; i++) {
		const struct tl_ev *e = &s->t->events[i];
		if ((e->kind == TL_KIND_ANNOTATION || e->kind == TL_KIND_GPU_ANNOTATION) && tl_ev_has_span(e) &&
		    is_asked_for(&s->annotations, s->t, e->name))
			tl_steps_add(windows, s->t, i);
	}
	tl_steps_settle(windows, s->t, true);
}

/* Which of the windows of its name in its process each one of the host is, from 0, if numbers do not tell: so windows of several ranks are
 * one step. TL_NONE: a device's of a name that the host has several times, which tells no step. The caller frees the list. */
static uint32_t *place_windows(const struct by_step *s, const struct tl_steps *windows)
{
	uint32_t *places = tl_calloc(windows->n + 1, sizeof *places);
	bool told = windows->source == TL_STEPS_PROFILER || windows->source == TL_STEPS_TOLD;
	struct tl_map seen = { 0 }, repeated = { 0 };

	for (size_t i = 0; i < windows->n; i++) {
		const struct tl_ev *e = &s->t->events[windows->items[i].event];
		uint32_t name = tl_step_name(s->t, &windows->items[i]);
		if (told)
			places[i] = (uint32_t)windows->items[i].number;
		else if (e->kind != TL_KIND_GPU_ANNOTATION && (places[i] = (*tl_map_put(&seen, tl_key_of_two(name, s->t->tracks[e->track].pid), NULL))++))
			tl_map_add(&repeated, name);
	}
	for (size_t i = 0; i < windows->n && !told; i++)
		if (s->t->events[windows->items[i].event].kind == TL_KIND_GPU_ANNOTATION && tl_map_get(&repeated, tl_step_name(s->t, &windows->items[i])))
			places[i] = TL_NONE;
	tl_map_release(&seen);
	tl_map_release(&repeated);
	return places;
}

/* Finds the steps; their order is that of their first starts. */
static void find_steps(struct by_step *s)
{
	struct tl_steps windows = { 0 };

	if (s->annotations.pattern)
		add_windows(s, &windows);
	else
		tl_steps_with_devices(&windows, s->t);
	if (!s->annotations.pattern && !tl_steps_are_marked(&windows))
		tl_steps_release(&windows);
	uint32_t *places = place_windows(s, &windows);
	TL_EACH(const struct tl_step, w, windows) {
		const struct tl_ev *e = &s->t->events[w->event];
		bool device = e->kind == TL_KIND_GPU_ANNOTATION, is_new;
		uint32_t name = tl_step_name(s->t, w), place = places[w - windows.items];

		if (place == TL_NONE)
			continue;
		struct step *step = TL_ITEM(&s->steps, tl_key_of_two(name, place), &is_new);
		if (is_new)
			*step = (struct step){ .name = name, .number = s->annotations.pattern ? place : w->number };
		if (!device) {
			step->windows++;
			step->host_ticks = tl_ticks_add(step->host_ticks, tl_ticks_sub(w->to, w->from));
		}
		tl_innermosts_add(&s->running, process_key(s->t, e, device), w->from, w->to, (uint32_t)(step - s->steps.items));
	}
	tl_innermosts_build(&s->running);
	free(places);
	tl_steps_release(&windows);
}

static void find_lone(struct by_step *s)
{
	size_t n;
	struct tl_launch *launches = tl_launches_with_lone(s->t, &n);

	for (size_t i = s->t->n_launches; i < n; i++)
		*tl_map_put(&s->lone, launches[i].gpu, NULL) = launches[i].runtime;
	free(launches);
}

/* The step of a device event, as tl-slice sees it: that in which its call started or, without a call, that of the
 * device in which it started itself. */
static uint32_t step_of(struct by_step *s, uint32_t gpu)
{
	uint32_t call = tl_launching_call(s->copies, gpu), *lone = call == TL_NONE ? tl_map_get(&s->lone, gpu) : NULL;

	call = lone ? *lone : call;
	const struct tl_ev *e = &s->t->events[call == TL_NONE ? gpu : call];
	uint32_t step = TL_NONE;

	if (e->flags & TL_EV_HAS_TS)
		step = tl_innermosts_at(&s->running, process_key(s->t, e, call == TL_NONE), e->ts);
	return step == TL_NONE ? (uint32_t)s->steps.n - 1 : step;
}

static void add_work_of_step(struct by_step *s, uint32_t gpu)
{
	struct tl_trace *t = s->t;
	uint32_t number = step_of(s, gpu), launcher = tl_launcher_of(&s->operators, gpu);
	const struct step *step = &s->steps.items[number];
	bool is_new = launcher != TL_NONE && tl_map_add(&s->launches, tl_key_of_two(launcher, number));
	struct tl_cell c[N_BY_STEP] = {
		[BY_STEP_STEP] = tl_name_cell(t, step->name), [BY_STEP_PLACE] = tl_cell_int(number),
		[BY_STEP_NUMBER] = number + 1 < s->steps.n ? tl_cell_int(step->number) : tl_cell_null(),
		[BY_STEP_LAUNCH] = tl_cell_int(is_new), [BY_STEP_DEVICE_TIME] = tl_duration_cell(&t->events[gpu]),
	};

	if (launcher == TL_NONE)
		c[BY_STEP_NAME] = tl_cell_str(&t->strings, "(not launched)");
	else
		c[BY_STEP_NAME] = tl_name_cell(t, t->events[launcher].name);
	if (step->windows) {
		c[BY_STEP_STEP_COUNT] = tl_cell_int(step->windows);
		c[BY_STEP_STEP_TIME_MS] = tl_cell_ms(step->host_ticks);
	}
	tl_table_add_row(s->rows, c);
}

/* The rows are device events; each is in one. The trace must have its annotations. Takes the time of
 * sorting the annotations, and that of the rest in proportion to the trace. */
void tl_ops_by_step(void *ctx, struct tl_sheet_input *in)
{
	struct tl_ops *ops = ctx;
	struct tl_trace *t = ops->trace;
	struct by_step s = { .t = t, .annotations.pattern = ops->options.step_annotation, .copies = tl_copies_of(t),
	                     .operators = tl_launching_operators(t),
	                     .rows = tl_table_new(&t->strings, t->ticks_per_us, tl_ops_by_step_rows) };

	find_lone(&s);
	find_steps(&s);
	ops->no_steps = !s.steps.n;
	TL_ITEM(&s.steps, OUTSIDE, NULL)->name = tl_intern_str(&t->strings, "(outside of steps)");
	for (uint32_t i = 0; i < t->n_events; i++)
		if (tl_gpu_usable(&t->events[i]))
			add_work_of_step(&s, i);
	in->own_rows = s.rows;
	tl_map_release(&s.annotations.known);
	TL_KEYED_RELEASE(&s.steps);
	tl_innermosts_release(&s.running);
	tl_map_release(&s.lone);
	tl_nearest_release(&s.operators);
	tl_map_release(&s.launches);
}

/* ---- by module -------------------------------------------------------------------------- */

/* Deeper modules count with the one at this depth: paths stay short. */
enum { MAX_DEPTH = 100 };

enum { NO_MODULE, NOT_LAUNCHED, FIRST_MODULE }; /* numbers of modules; the first two stand for what has none */

/* A module by its path: its name, and the module that it is in. */
struct module {
	uint32_t in;          /* always a lower number; NO_MODULE: none */
	uint32_t full;        /* of ranges: "model.layers.0"; string id */
	uint32_t path;        /* string id */
	uint32_t depth;
	uint64_t calls, events;
	int64_t direct, subtree, backward; /* ticks; backward is a part of subtree */
};

/* By event: the innermost of the modules of the event and those above it, TL_NONE until it is
 * known. `joins`: a backward operator outside of all modules is taken to be where its forward
 * operator is, and `backward` tells of what is at such an operator or below it. */
struct places { bool joins; uint32_t *module; bool *backward; uint32_t *stack; size_t cap; };

struct by_module {
	struct tl_trace *t;
	struct TL_KEYED(struct module) modules; /* by the number of the module around it and the name */
	struct tl_map names;    /* name of a frame -> name of the module; 0: the frame is of none */
	uint32_t *above;        /* calls of modules are ranges: by event, the operator or range around it; else NULL */
	struct places plain, joined;
};

/* The name of the module whose call a frame or a range is; 0 if the event is no such call. */
static uint32_t module_name(struct by_module *m, uint32_t event)
{
	const struct tl_ev *e = &m->t->events[event];
	const char *name = tl_str(&m->t->strings, e->name);
	bool is_new;

	if (m->above)
		return tl_range_module(m->t, event);
	if (e->kind != TL_KIND_PYTHON || !(e->flags & TL_EV_IN_TREE))
		return 0;
	uint32_t *known = tl_map_put(&m->names, e->name, &is_new);
	if (is_new)
		*known = tl_is_module_frame(name) ? tl_intern_str(&m->t->strings, name + strlen(TL_MODULE_FRAME)) : 0;
	return *known;
}

static uint32_t module_in(struct by_module *m, uint32_t in, uint32_t name)
{
	struct tl_strtab *strings = &m->t->strings;
	bool is_new;

	if (!name || m->modules.items[in].depth >= MAX_DEPTH)
		return in;
	struct module *found = TL_ITEM(&m->modules, tl_key_of_two(in, name), &is_new);
	if (is_new) {
		uint32_t full = m->above ? name : 0;
		if (full)
			name = tl_module_within(m->t, m->modules.items[in].full, full);
		const struct module *outer = &m->modules.items[in];
		struct tl_buf path = { 0 };
		tl_buf_addf(&path, "%s%s%s", in ? tl_str(strings, outer->path) : "", in ? "/" : "", tl_str(strings, name));
		*found = (struct module){ .in = in, .full = full, .depth = outer->depth + 1, .path = tl_intern(strings, path.data, path.len) };
		tl_buf_release(&path);
	}
	return (uint32_t)(found - m->modules.items);
}

static bool wants_module(const struct tl_trace *t, uint32_t event, void *unused)
{
	return tl_range_module(t, event) || tl_host_wants_operator(t, event, unused);
}

/* Ranges are not part of the call tree. */
static void nest_ranges(struct by_module *m)
{
	struct tl_host_tree *tree = tl_host_tree_new(m->t, wants_module, NULL);

	m->above = tl_alloc(((size_t)m->t->n_events + 1) * sizeof *m->above);
	memset(m->above, 0xff, ((size_t)m->t->n_events + 1) * sizeof *m->above); /* TL_NONE */
	for (uint32_t i = 0; i < tree->n; i++) {
		const struct tl_host_node *node = &tree->nodes[i];
		m->above[node->event] = node->around == TL_NONE ? TL_NONE : tree->nodes[node->around].event;
		for (uint32_t k = tree->work_from[i]; k < tree->work_from[i + 1]; k++)
			m->above[tree->work[k]] = node->event;
	}
	tl_host_tree_free(tree);
}

static uint32_t above(const struct by_module *m, uint32_t event)
{
	return m->above ? m->above[event] : m->t->events[event].parent;
}

/* Finds the places of an event and of those above it. */
static void resolve(struct by_module *m, struct places *p, uint32_t event)
{
	size_t n = 0;
	uint32_t e = event;

	for (; e != TL_NONE && p->module[e] == TL_NONE; e = above(m, e)) {
		TL_GROW(p->stack, p->cap, n + 1);
		p->stack[n++] = e;
	}
	uint32_t module = e == TL_NONE ? NO_MODULE : p->module[e];
	bool backward = e != TL_NONE && p->backward[e];
	while (n) {
		e = p->stack[--n];
		uint32_t forward = tl_trace_forward(m->t, e);
		if (p->joins && module == NO_MODULE && forward != TL_NONE) {
			resolve(m, &m->plain, forward);
			module = m->plain.module[forward];
			backward = true;
		}
		p->module[e] = module = module_in(m, module, module_name(m, e));
		p->backward[e] = backward;
	}
}

static void add_work_of_module(struct by_module *m, uint32_t gpu)
{
	const struct tl_ev *e = &m->t->events[gpu];
	uint32_t module = e->parent == TL_NONE ? NOT_LAUNCHED : NO_MODULE, up = above(m, gpu);
	bool backward = false;

	if (up != TL_NONE) {
		resolve(m, &m->joined, up);
		module = m->joined.module[up];
		backward = m->joined.backward[up];
	}
	struct module *to = &m->modules.items[module];
	to->events++;
	to->direct = tl_ticks_add(to->direct, e->dur);
	to->subtree = tl_ticks_add(to->subtree, e->dur);
	to->backward = tl_ticks_add(to->backward, backward ? e->dur : 0);
}

static void count_work(struct by_module *m)
{
	for (uint32_t i = 0; i < m->t->n_events; i++) {
		if (tl_gpu_usable(&m->t->events[i])) {
			add_work_of_module(m, i);
		} else if (module_name(m, i)) {
			resolve(m, &m->joined, i);
			m->modules.items[m->joined.module[i]].calls++;
		}
	}
	for (size_t i = m->modules.n; i-- > FIRST_MODULE;) { /* what is in a module has a higher number */
		struct module *inner = &m->modules.items[i], *outer = &m->modules.items[inner->in];
		if (inner->in == NO_MODULE)
			continue;
		outer->subtree = tl_ticks_add(outer->subtree, inner->subtree);
		outer->backward = tl_ticks_add(outer->backward, inner->backward);
	}
}

static struct places new_places(const struct tl_trace *t, bool joins)
{
	size_t n = (size_t)t->n_events + 1;
	struct places p = { .joins = joins, .module = tl_alloc(n * sizeof *p.module), .backward = tl_calloc(n, 1) };

	memset(p.module, 0xff, n * sizeof *p.module); /* TL_NONE */
	return p;
}

static void release_places(struct places *p)
{
	free(p->module);
	free(p->backward);
	free(p->stack);
}

/* A row for each module that Python frames of the call tree or, without any, ranges tell, by its path; every
 * device event is in the direct time of one row. Takes time and memory in proportion to the trace. */
void tl_ops_by_module(void *ctx, struct tl_sheet_input *in)
{
	static const char *const none[] = { "(no module)", "(not launched)" };
	struct tl_ops *ops = ctx;
	struct tl_trace *t = ops->trace;
	struct by_module m = { .t = t, .plain = new_places(t, false), .joined = new_places(t, true) };
	int64_t total = 0;

	for (uint32_t i = 0; i < FIRST_MODULE; i++)
		TL_ITEM(&m.modules, tl_key_of_two(TL_NONE, i), NULL)->path = tl_intern_str(&t->strings, none[i]);
	if (tl_modules_are_ranges(t))
		nest_ranges(&m);
	count_work(&m);
	ops->no_modules = m.modules.n == FIRST_MODULE;
	in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, tl_ops_module_rows);
	for (size_t i = 0; i < m.modules.n; i++) {
		const struct module *module = &m.modules.items[i];
		struct tl_cell c[N_MODULE] = {
			[MODULE_MODULE] = tl_cell_text(module->path),
			[MODULE_COUNT] = i >= FIRST_MODULE ? tl_cell_int((int64_t)module->calls) : tl_cell_null(),
			[MODULE_EVENTS] = tl_cell_int((int64_t)module->events), [MODULE_DIRECT] = tl_cell_ms(module->direct),
			[MODULE_SUBTREE] = tl_cell_ms(module->subtree), [MODULE_BACKWARD] = tl_cell_ms(module->backward),
		};
		total = tl_ticks_add(total, module->direct);
		if (i >= FIRST_MODULE || module->events)
			tl_table_add_row(in->own_rows, c);
	}
	in->totals[0] = tl_trace_us(t, total) / 1000;
	TL_KEYED_RELEASE(&m.modules);
	tl_map_release(&m.names);
	free(m.above);
	release_places(&m.plain);
	release_places(&m.joined);
}

/* ---- by sequence: the calls of threads -------------------------------------------------------- */

/* A call of a thread. gpu: the device event that it launched, of several each stands by itself; TL_NONE: none. */
struct call { uint32_t event, gpu; };

struct sequences {
	struct tl_trace *t;
	struct call *calls; size_t n, cap;
	uint32_t *hindered;      /* by index of calls: how many before it no graph can hold */
	uint32_t *at, *names;    /* of the launches among them: index of calls, name of the device event */
	size_t n_launches;
	struct tl_spans busy;    /* all device events, merged */
	struct tl_strtab known;  /* sequences of names */
	struct tl_table *rows;
};

static int compare_starts(const struct tl_ev *events, uint32_t a, uint32_t b)
{
	return (events[a].ts > events[b].ts) - (events[a].ts < events[b].ts);
}
/* By thread and start; what one call launched, as the launch of a graph does, by the starts on the device. */
TL_ORDER_IN(by_thread, struct call, struct tl_ev, TL_BY(a->event == b->event ? compare_starts(ctx, a->gpu, b->gpu) : 0)
            TL_ASC(ctx[x->event].track) TL_ASC(ctx[x->event].ts))

static void add_call(struct sequences *s, uint32_t event, uint32_t gpu)
{
	TL_GROW(s->calls, s->cap, s->n + 1);
	s->calls[s->n++] = (struct call){ event, gpu };
}

static void find_calls(struct sequences *s)
{
	struct tl_trace *t = s->t;
	size_t n;
	struct tl_launch *launches = tl_launches_with_lone(t, &n);
	bool *launched = tl_calloc((size_t)t->n_events + 1, sizeof *launched);
	const struct tl_devices *d = tl_devices_of(t);

	for (size_t i = 0; i < n; i++) {
		if (!tl_gpu_usable(&t->events[launches[i].gpu]) || !tl_ev_has_span(&t->events[launches[i].runtime]))
			continue;
		add_call(s, launches[i].runtime, launches[i].gpu);
		launched[launches[i].runtime] = true;
	}
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (tl_kind_is_launch(e->kind) && tl_ev_has_span(e) && !launched[i])
			add_call(s, i, TL_NONE);
	}
	for (size_t i = 0; i < d->n_events; i++)
		tl_spans_add(&s->busy, t->events[d->by_start[i]].ts, tl_ev_end(&t->events[d->by_start[i]]));
	tl_spans_merge(&s->busy);
	tl_merge_sort(s->calls, s->n, sizeof *s->calls, by_thread, t->events);
	free(launched);
	free(launches);
}

/* Is it a wait, an allocation, or a copy of pageable memory? A graph can hold none of them. */
static bool hinders(struct sequences *s, struct tl_waits *waits, struct tl_name_answers *names, const struct call *c)
{
	const struct tl_ev *gpu = c->gpu == TL_NONE ? NULL : &s->t->events[c->gpu];

	return tl_call_waits(waits, c->event) || tl_name_is(names, s->t->events[c->event].name, "allocate") ||
		(gpu && gpu->kind == TL_KIND_MEMCPY && strstr(tl_str(&s->t->strings, gpu->name), "Pageable"));
}

static struct sequences new_sequences(struct tl_trace *t, const char *const *columns)
{
	struct sequences s = { .t = t, .rows = tl_table_new(&t->strings, t->ticks_per_us, columns) };
	struct tl_name_answers *names = tl_kept_answers(t, TL_GRAPH_NAMES);
	struct tl_waits waits;

	find_calls(&s);
	tl_waits_init(&waits, t);
	s.hindered = tl_calloc(s.n + 1, sizeof *s.hindered);
	s.at = tl_alloc((s.n + 1) * sizeof *s.at);
	s.names = tl_alloc((s.n + 1) * sizeof *s.names);
	for (size_t i = 0; i < s.n; i++) {
		s.hindered[i + 1] = s.hindered[i] + hinders(&s, &waits, names, &s.calls[i]);
		if (s.calls[i].gpu == TL_NONE)
			continue;
		s.at[s.n_launches] = (uint32_t)i;
		s.names[s.n_launches++] = t->events[s.calls[i].gpu].name;
	}
	return s;
}

static void release_sequences(struct sequences *s)
{
	tl_strtab_release(&s->known);
	tl_spans_release(&s->busy);
	free(s->calls);
	free(s->hindered);
	free(s->at);
	free(s->names);
}

/* The call, and the device event, of a launch. */
static const struct tl_ev *call_of(const struct sequences *s, size_t launch)
{
	return &s->t->events[s->calls[s->at[launch]].event];
}
static const struct tl_ev *gpu_of(const struct sequences *s, size_t launch)
{
	return &s->t->events[s->calls[s->at[launch]].gpu];
}

/* The number of the sequence of some launches. */
static uint32_t sequence_of(struct sequences *s, size_t from, size_t n)
{
	return tl_intern(&s->known, (const char *)(s->names + from), n * sizeof *s->names);
}

/* ---- launches that repeat ------------------------------------------------------------------ */

/* From launch `from` on, `period` launches stand `count` times. */
static void add_run(struct sequences *s, size_t from, size_t period, size_t count)
{
	size_t to = from + period * count;
	const struct tl_ev *first = call_of(s, from), *last = call_of(s, to - 1);
	int64_t device = 0, start = INT64_MAX, end = INT64_MIN;

	for (size_t i = from; i < to; i++) {
		const struct tl_ev *e = gpu_of(s, i);
		device = tl_ticks_add(device, e->dur);
		start = e->ts < start ? e->ts : start;
		end = tl_ev_end(e) > end ? tl_ev_end(e) : end;
	}
	int64_t busy = tl_spans_within(&s->busy, start, end);
	struct tl_cell c[N_RUN] = {
		[RUN_SEQUENCE] = tl_cell_int(sequence_of(s, from, period)),
		[RUN_FIRST_NAME] = tl_name_cell(s->t, s->names[from]),
		[RUN_LENGTH] = tl_cell_int((int64_t)period), [RUN_REPEATS] = tl_cell_int((int64_t)count),
		[RUN_EVENTS] = tl_cell_int((int64_t)(period * count)),
		[RUN_HOST] = tl_cell_time(tl_ticks_sub(tl_ev_end(last), first->ts), false),
		[RUN_DEVICE] = tl_cell_time(device, false),
		[RUN_IDLE] = tl_cell_time(tl_ticks_sub(tl_ticks_sub(end, start), busy), false),
		[RUN_HINDERED] = tl_cell_int(s->hindered[s->at[to - 1] + 1] - s->hindered[s->at[from]]),
	};
	tl_table_add_row(s->rows, c);
}

/* A row for each run of repetitions. */
void tl_ops_repeated_sequences(void *ctx, struct tl_sheet_input *in)
{
	struct sequences s = new_sequences(((struct tl_ops *)ctx)->trace, tl_ops_run_rows);

	for (size_t from = 0, to; from < s.n_launches; from = to) {
		uint32_t track = call_of(&s, from)->track;
		for (to = from; to < s.n_launches && call_of(&s, to)->track == track; to++)
			;
		while (from < to) {
			struct tl_name_period p = tl_name_repetition(s.names + from, to - from);
			if (p.period)
				add_run(&s, from, p.period, p.count);
			from += p.period ? p.period * p.count : 1;
		}
	}
	in->ctx = in->own_rows = s.rows;
	release_sequences(&s);
}

/* Could a graph replay all runs of the sequence? */
void tl_ops_capturable(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	bool yes = true;

	for (size_t i = 0; i < n; i++)
		yes &= !tl_table_cell(ctx, rows[i], RUN_HINDERED).i;
	cells[0] = tl_cell_bool(yes);
}

/* ---- launches of operators ------------------------------------------------------------------ */

enum { MOST_NAMES = 20 }; /* in the column sequence */

static enum tl_nearest_answer is_wanted(const struct tl_trace *t, uint32_t event, uintptr_t ctx)
{
	struct names *names = (struct names *)ctx;

	if (!names->pattern || t->events[event].kind != TL_KIND_CPU_OP)
		return tl_nearest_operator(t, event, 0);
	return is_asked_for(names, t, t->events[event].name) ? TL_NEAREST_THIS : TL_NEAREST_ABOVE;
}

static uint32_t outermost(struct tl_nearest *operators, uint32_t event)
{
	uint32_t op = TL_NONE;

	while ((event = tl_nearest(operators, event)) != TL_NONE) {
		op = event;
		event = operators->trace->events[op].parent;
	}
	return op;
}

/* The launches from one index to another are those of an operator. */
static void add_operator(struct sequences *s, uint32_t op, size_t from, size_t to)
{
	struct tl_trace *t = s->t;
	int64_t device = 0;
	struct tl_buf b = { 0 };

	for (size_t i = from; i < to; i++) {
		device = tl_ticks_add(device, gpu_of(s, i)->dur);
		if (i < from + MOST_NAMES)
			tl_buf_addf(&b, "%s%s", i > from ? " | " : "", tl_str(&t->strings, s->names[i]));
	}
	if (to - from > MOST_NAMES)
		tl_buf_addf(&b, " | and %zu more", to - from - MOST_NAMES);
	struct tl_cell c[N_SEQUENCE] = {
		[SEQUENCE_OPERATOR] = tl_name_cell(t, t->events[op].name), [SEQUENCE_LENGTH] = tl_cell_int((int64_t)(to - from)),
		[SEQUENCE_NUMBER] = tl_cell_int(sequence_of(s, from, to - from)),
		[SEQUENCE_HOST] = tl_cell_time(t->events[op].dur, false), [SEQUENCE_DEVICE] = tl_cell_time(device, false),
		[SEQUENCE_FIRST_US] = tl_start_cell(t, t->events[op].ts),
		[SEQUENCE_SEQUENCE] = tl_cell_text(tl_intern(&t->strings, b.data, b.len)),
	};
	tl_table_add_row(s->rows, c);
	tl_buf_release(&b);
}

/* A row for each outermost operator that launched something, or for the outermost of those that the user asks for. */
void tl_ops_operator_sequences(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_ops *ops = ctx;
	struct tl_trace *t = ops->trace;
	struct sequences s = new_sequences(t, tl_ops_sequence_rows);
	struct names names = { .pattern = ops->options.sequences_of };
	struct tl_nearest operators = { t, is_wanted, (uintptr_t)&names, NULL };
	uint32_t op = TL_NONE;
	size_t from = 0;

	for (size_t i = 0; i < s.n_launches; i++) {
		const struct tl_ev *call = call_of(&s, i), *last = op == TL_NONE ? NULL : &t->events[op];
		/* outermost ones of a thread do not overlap */
		bool same = last && call->track == last->track && call->ts < tl_ev_end(last);
		uint32_t now = same ? op : outermost(&operators, (uint32_t)(call - t->events));
		if (op != TL_NONE && now != op)
			add_operator(&s, op, from, i);
		from = now == op ? from : i;
		op = now;
	}
	if (op != TL_NONE)
		add_operator(&s, op, from, s.n_launches);
	in->own_rows = s.rows;
	tl_nearest_release(&operators);
	tl_map_release(&names.known);
	release_sequences(&s);
}
