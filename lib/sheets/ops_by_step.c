/* ops_by_step.c - the sheet ops_by_step: device time by step and operator.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/ops_by_step.h"

#include "analysis/args.h"
#include "analysis/copies.h"
#include "analysis/innermost.h"
#include "analysis/launchers.h"
#include "analysis/profiler_step.h"
#include "base/pattern.h"
#include "steps/step_find.h"

#include <assert.h>
#include <stdlib.h>

/* ---- definition ------------------------------------------------------------------- */

#define TIME "device_time_us"

/* Columns of the rows, one a device event. */
enum { STEP, STEP_NUMBER, STEP_COUNT, STEP_TIME, NAME, LAUNCH, DURATION, N_COLUMNS };
static const char *const row_columns[] = {
	"step", "step number", "step_count", "step_time_ms", "name", "launch", TIME, NULL
};

static const struct tl_column columns[] = {
	{ "step", .kind = TL_KEY },
	{ "step number", .kind = TL_FIRST, .hidden = true },
	{ "step_count", .kind = TL_FIRST },
	{ "step_time_ms", .kind = TL_FIRST },
	{ "step device time", .kind = TL_SUM, .in = TIME, .coarse = true, .hidden = true },
	{ "step_device_time_ms", .kind = TL_MS, .in = "step device time" },
	{ "name", .kind = TL_KEY, .fine = true },
	{ "Count", .kind = TL_SUM, .in = "launch" },
	{ "device_event_count", .kind = TL_COUNT },
	{ TIME "_sum", .kind = TL_SUM, .in = TIME, .hidden = true },
	{ "device_time_ms", .kind = TL_MS, .in = TIME "_sum" },
	{ "Percent of step (%)", .kind = TL_PERCENT, .in = TIME "_sum", .of = "step device time" },
	{ "Percentage (%)", .kind = TL_PERCENT, .in = "device_time_ms" },
	{ .name = NULL }
};
const struct tl_sheet_def tl_ops_by_step_sheet = {
	.name = "ops_by_step", .rows = row_columns, .columns = columns,
	.keys_ascending = true, .order = { { "step number", false }, { TIME "_sum", true } },
};

/* ---- steps --------------------------------------------------------------------------- */

/* Annotations of one name; the last step stands for work outside of them. */
struct step { uint32_t name, windows; int64_t host_ticks; };

struct steps {
	struct tl_trace *t;
	bool by_pattern;                       /* else ProfilerStep#N, which may be operators, too */
	struct tl_pattern pattern;
	struct tl_map matches;                 /* name -> 1 no, 2 yes */
	struct step *items; uint32_t n; size_t cap;
	struct tl_map of_name;                 /* name -> 1 + index in items */
	struct tl_innermosts running;          /* of each process and each device; event: index in items */
	struct tl_copies *copies;
	struct tl_map lone;                    /* device event without an arrow -> the call with its correlation */
};

enum tl_status tl_check_name_regex(const char *regex, struct tl_error *err)
{
	struct tl_pattern p;
	char why[200];

	if (!tl_pattern_compile(&p, regex, 0, NULL, why))
		return tl_fail(err, TL_ERR_USAGE, "%s", why);
	tl_pattern_release(&p);
	return TL_OK;
}

static uint64_t process_key(const struct tl_trace *t, const struct tl_ev *e, bool device)
{
	return (uint64_t)t->tracks[e->track].pid << 1 | device;
}

static uint32_t new_step(struct steps *s, uint32_t name)
{
	TL_GROW(s->items, s->cap, (size_t)s->n + 1);
	s->items[s->n] = (struct step){ .name = name };
	return ++s->n;
}

static void add_window(struct steps *s, const struct tl_step *window)
{
	const struct tl_ev *e = &s->t->events[window->event];
	bool device = e->kind == TL_KIND_GPU_ANNOTATION;
	uint32_t *number = tl_map_put(&s->of_name, e->name, NULL);

	if (!*number)
		*number = new_step(s, e->name);
	struct step *step = &s->items[*number - 1];
	if (!device) {
		step->windows++;
		step->host_ticks = tl_ticks_add(step->host_ticks, tl_ticks_sub(window->to, window->from));
	}
	tl_innermosts_add(&s->running, process_key(s->t, e, device), window->from, window->to, *number - 1);
}

static bool name_matches(const struct steps *s, uint32_t name)
{
	const char *text = tl_str(&s->t->strings, name);

	if (s->by_pattern)
		return tl_pattern_matches(&s->pattern, text, tl_str_len(&s->t->strings, name));
	return tl_profiler_step(text) >= 0;
}

static bool is_window(struct steps *s, uint32_t event)
{
	const struct tl_ev *e = &s->t->events[event];

	if (e->kind != TL_KIND_ANNOTATION && e->kind != TL_KIND_GPU_ANNOTATION && (s->by_pattern || e->kind != TL_KIND_CPU_OP))
		return false;
	if (!tl_ev_has_span(e))
		return false;
	uint32_t *match = tl_map_put(&s->matches, e->name, NULL);
	if (!*match)
		*match = 1 + name_matches(s, e->name);
	return *match == 2;
}

/* Finds the steps, those within each other, too; they are numbered by their first starts. */
static void find_steps(struct steps *s)
{
	struct tl_steps windows = { 0 };

	for (uint32_t i = 0; i < s->t->n_events; i++) {
		const struct tl_ev *e = &s->t->events[i];
		if (!is_window(s, i))
			continue;
		TL_GROW(windows.items, windows.cap, windows.n + 1);
		windows.items[windows.n++] = (struct tl_step){ .event = i, .from = e->ts, .to = tl_ev_end(e) };
	}
	tl_steps_settle(&windows, s->t, true);
	for (size_t i = 0; i < windows.n; i++)
		add_window(s, &windows.items[i]);
	tl_innermosts_build(&s->running);
	tl_steps_release(&windows);
}

/* The step of a device event, as tl-slice sees it: that in which its call started or, without a call, that of the
 * device in which it started itself. `outside`: the index after the steps. */
static uint32_t step_of(struct steps *s, uint32_t gpu, uint32_t outside)
{
	uint32_t call = tl_launching_call(s->copies, gpu), *lone = call == TL_NONE ? tl_map_get(&s->lone, gpu) : NULL;

	call = lone ? *lone : call;
	const struct tl_ev *e = &s->t->events[call == TL_NONE ? gpu : call];
	uint32_t step = TL_NONE;

	if (e->flags & TL_EV_HAS_TS)
		step = tl_innermosts_at(&s->running, process_key(s->t, e, call == TL_NONE), e->ts);
	return step == TL_NONE ? outside : step;
}

static void find_lone(struct steps *s)
{
	size_t n;
	struct tl_launch *launches = tl_launches_with_lone(s->t, &n);

	for (size_t i = s->t->n_launches; i < n; i++)
		*tl_map_put(&s->lone, launches[i].gpu, NULL) = launches[i].runtime;
	free(launches);
}

/* ---- rows ---------------------------------------------------------------------------- */

static void release(struct steps *s)
{
	tl_map_release(&s->lone);
	tl_innermosts_release(&s->running);
	free(s->items);
	tl_map_release(&s->matches);
	tl_map_release(&s->of_name);
	if (s->by_pattern)
		tl_pattern_release(&s->pattern);
}

struct row_maker {
	struct steps *steps;
	struct tl_table *rows;
	struct tl_nearest operators;
	struct tl_map launches; /* launcher and step: those that have a row */
	uint32_t outside;
	struct tl_cell not_launched;
};

static void add_row(struct row_maker *m, uint32_t gpu)
{
	struct tl_trace *t = m->steps->t;
	const struct tl_ev *e = &t->events[gpu];
	uint32_t number = step_of(m->steps, gpu, m->outside), launcher = tl_launcher_of(&m->operators, gpu);
	const struct step *step = &m->steps->items[number];
	struct tl_cell c[N_COLUMNS] = { 0 };
	bool is_new = false;

	if (launcher != TL_NONE)
		tl_map_put(&m->launches, (uint64_t)launcher << 32 | number, &is_new);
	c[STEP] = tl_name_cell(t, step->name);
	c[STEP_NUMBER] = tl_cell_int(number);
	if (step->windows) {
		c[STEP_COUNT] = tl_cell_int(step->windows);
		c[STEP_TIME] = tl_cell_ms(step->host_ticks);
	}
	c[NAME] = launcher == TL_NONE ? m->not_launched : tl_name_cell(t, t->events[launcher].name);
	c[LAUNCH] = tl_cell_int(is_new);
	c[DURATION] = tl_duration_cell(e);
	tl_table_add_row(m->rows, c);
}

struct tl_table *tl_ops_by_step(struct tl_trace *t, const char *regex, bool *missing)
{
	struct steps s = { .t = t, .by_pattern = regex, .copies = tl_copies_of(t) };
	struct row_maker m = { .steps = &s, .rows = tl_table_new(&t->strings, t->ticks_per_us, row_columns),
	                       .operators = tl_launching_operators(t) };
	char why[200];

	bool is_sound = !regex || tl_pattern_compile(&s.pattern, regex, 0, NULL, why);
	assert(is_sound);
	(void)is_sound;
	find_lone(&s);
	find_steps(&s);
	*missing = !s.n;
	m.outside = s.n;
	m.not_launched = tl_cell_str(&t->strings, "(not launched)");
	new_step(&s, tl_intern_str(&t->strings, "(outside of steps)"));
	for (uint32_t i = 0; i < t->n_events; i++)
		if (tl_gpu_usable(&t->events[i]))
			add_row(&m, i);
	tl_map_release(&m.launches);
	tl_nearest_release(&m.operators);
	release(&s);
	return m.rows;
}
