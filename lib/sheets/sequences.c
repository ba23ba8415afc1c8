/* sequences.c - the sheets kernel_sequences, launches that repeat, which a graph could replay; and operator_sequences, what
 * operators launch.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/sequences.h"

#include "analysis/launchers.h"
#include "analysis/waits.h"
#include "base/merge_sort.h"
#include "base/pattern.h"
#include "steps/step_find.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SEQUENCE, NAME, LENGTH, REPEATS, EVENTS, HOST, DEVICE, IDLE, HINDERED, N_COLUMNS };
static const char *const row_columns[] = {
	"sequence", "first_name", "length", "repeats", "events", "host", "device", "idle", "hindered", NULL
};

/* Could a graph replay all runs of the sequence? */
static void capturable(void *ctx, const size_t *rows, size_t n, struct tl_cell cells[TL_MAX_CALL_CELLS])
{
	bool yes = true;

	for (size_t i = 0; i < n; i++)
		yes &= !tl_table_cell(ctx, rows[i], HINDERED).i;
	cells[0] = tl_cell_bool(yes);
}

static const struct tl_column columns[] = {
	{ "sequence", .kind = TL_KEY, .hidden = true },
	{ "length", .kind = TL_FIRST },
	{ "repeats", .kind = TL_SUM },
	{ "events", .kind = TL_SUM },
	{ "host", .kind = TL_SUM, .hidden = true }, { "host_ms", .kind = TL_MS, .in = "host" },
	{ "device", .kind = TL_SUM, .hidden = true }, { "device_ms", .kind = TL_MS, .in = "device" },
	{ "idle", .kind = TL_SUM, .hidden = true }, { "idle_ms", .kind = TL_MS, .in = "idle" },
	{ "capturable", .kind = TL_CALL, .fn = capturable },
	{ "first_name", .kind = TL_FIRST },
	{ .name = NULL }
};
const struct tl_sheet_def tl_kernel_sequences_sheet = {
	.name = "kernel_sequences", .rows = row_columns, .columns = columns, .order = { { "idle", true }, { "events", true } },
};

/* A call of a thread; they are sorted by thread and start, what one call launched by the starts on the device. gpu: the device event that it launched, of several each stands by itself; TL_NONE: it launched none. */
struct call { uint32_t event, gpu; };

struct maker {
	struct tl_trace *t;
	struct call *calls; size_t n, cap;
	uint32_t *hindered;      /* by index of calls: how many before it no graph can hold */
	uint32_t *at, *names;    /* of the launches among them: index of calls, name of the device event */
	size_t n_launches;
	struct tl_spans busy;    /* all device events, merged */
	struct tl_strtab sequences;
	struct tl_table *rows;
};

static int by_thread(const void *pa, const void *pb, void *ctx)
{
	const struct call *x = pa, *y = pb;
	const struct tl_ev *events = ctx, *a = &events[x->event], *b = &events[y->event];

	if (x->event == y->event) /* of a graph */
		return events[x->gpu].ts < events[y->gpu].ts ? -1 : events[x->gpu].ts > events[y->gpu].ts;
	return a->track != b->track ? (a->track < b->track ? -1 : 1) : a->ts < b->ts ? -1 : a->ts > b->ts;
}

static void add_call(struct maker *m, uint32_t event, uint32_t gpu)
{
	TL_GROW(m->calls, m->cap, m->n + 1);
	m->calls[m->n++] = (struct call){ event, gpu };
}

static void find_calls(struct maker *m)
{
	size_t n;
	struct tl_launch *launches = tl_launches_with_lone(m->t, &n);
	bool *launched = tl_calloc((size_t)m->t->n_events + 1, sizeof *launched);

	for (size_t i = 0; i < n; i++) {
		if (!tl_gpu_usable(&m->t->events[launches[i].gpu]) || !tl_ev_has_span(&m->t->events[launches[i].runtime]))
			continue;
		add_call(m, launches[i].runtime, launches[i].gpu);
		launched[launches[i].runtime] = true;
	}
	for (uint32_t i = 0; i < m->t->n_events; i++) {
		const struct tl_ev *e = &m->t->events[i];
		if (tl_kind_is_launch(e->kind) && tl_ev_has_span(e) && !launched[i])
			add_call(m, i, TL_NONE);
		if (tl_gpu_usable(e))
			tl_spans_add(&m->busy, e->ts, tl_ev_end(e));
	}
	tl_spans_merge(&m->busy);
	tl_merge_sort(m->calls, m->n, sizeof *m->calls, by_thread, m->t->events);
	free(launched);
	free(launches);
}

/* Is it a wait, an allocation, or a copy of pageable memory? A graph can hold none of them. */
static bool hinders(struct maker *m, struct tl_waits *waits, struct tl_name_answers *names, const struct call *c)
{
	const struct tl_ev *gpu = c->gpu == TL_NONE ? NULL : &m->t->events[c->gpu];

	return tl_call_waits(waits, c->event) || tl_name_is(names, m->t->events[c->event].name, "allocate") ||
		(gpu && gpu->kind == TL_KIND_MEMCPY && strstr(tl_str(&m->t->strings, gpu->name), "Pageable"));
}

static void look_at_calls(struct maker *m)
{
	struct tl_name_answers names;
	struct tl_waits waits;

	tl_waits_init(&waits, m->t);
	tl_name_answers_init(&names, TL_GRAPH_NAMES, &m->t->strings);
	m->hindered = tl_calloc(m->n + 1, sizeof *m->hindered);
	m->at = tl_alloc((m->n + 1) * sizeof *m->at);
	m->names = tl_alloc((m->n + 1) * sizeof *m->names);
	for (size_t i = 0; i < m->n; i++) {
		m->hindered[i + 1] = m->hindered[i] + hinders(m, &waits, &names, &m->calls[i]);
		if (m->calls[i].gpu == TL_NONE)
			continue;
		m->at[m->n_launches] = (uint32_t)i;
		m->names[m->n_launches++] = m->t->events[m->calls[i].gpu].name;
	}
	tl_name_answers_release(&names);
}

/* From launch `from` on, `period` launches stand `count` times. */
static void add_run(struct maker *m, size_t from, size_t period, size_t count)
{
	uint32_t first = m->at[from], last = m->at[from + period * count - 1];
	const struct tl_ev *events = m->t->events;
	int64_t device = 0, start = INT64_MAX, end = INT64_MIN;

	for (size_t i = from; i < from + period * count; i++) {
		const struct tl_ev *e = &events[m->calls[m->at[i]].gpu];
		device = tl_ticks_add(device, e->dur);
		start = e->ts < start ? e->ts : start;
		end = tl_ev_end(e) > end ? tl_ev_end(e) : end;
	}
	uint32_t sequence = tl_intern(&m->sequences, (const char *)(m->names + from), period * sizeof *m->names);
	struct tl_cell c[N_COLUMNS] = {
		[SEQUENCE] = tl_cell_int(sequence), [NAME] = tl_name_cell(m->t, m->names[from]), [LENGTH] = tl_cell_int((int64_t)period),
		[REPEATS] = tl_cell_int((int64_t)count), [EVENTS] = tl_cell_int((int64_t)(period * count)),
		[HOST] = tl_cell_time(tl_ticks_sub(tl_ev_end(&events[m->calls[last].event]), events[m->calls[first].event].ts), false),
		[DEVICE] = tl_cell_time(device, false),
		[IDLE] = tl_cell_time(tl_ticks_sub(tl_ticks_sub(end, start), tl_spans_within(&m->busy, start, end)), false),
		[HINDERED] = tl_cell_int(m->hindered[last + 1] - m->hindered[first]),
	};
	tl_table_add_row(m->rows, c);
}

static void find_runs(struct maker *m)
{
	for (size_t from = 0, to; from < m->n_launches; from = to) {
		uint32_t track = m->t->events[m->calls[m->at[from]].event].track;
		for (to = from; to < m->n_launches && m->t->events[m->calls[m->at[to]].event].track == track; to++)
			;
		while (from < to) {
			struct tl_name_period p = tl_name_repetition(m->names + from, to - from);
			if (p.period)
				add_run(m, from, p.period, p.count);
			from += p.period ? p.period * p.count : 1;
		}
	}
}

static void release(struct maker *m)
{
	tl_strtab_release(&m->sequences);
	tl_spans_release(&m->busy);
	free(m->calls);
	free(m->hindered);
	free(m->at);
	free(m->names);
}

struct tl_table *tl_kernel_sequences(struct tl_trace *t)
{
	struct maker m = { .t = t, .rows = tl_table_new(&t->strings, t->ticks_per_us, row_columns) };

	find_calls(&m);
	look_at_calls(&m);
	find_runs(&m);
	release(&m);
	return m.rows;
}

/* ---- by operator ------------------------------------------------------------------ */

enum { O_OPERATOR, O_NUMBER, O_LENGTH, O_HOST, O_DEVICE, O_START, O_SEQUENCE, N_O_COLUMNS };
static const char *const o_row_columns[] = { "operator", "number", "length", "host", "device", "first_us", "sequence", NULL };
static const struct tl_column o_columns[] = {
	{ "operator", .kind = TL_KEY },
	{ "number", .kind = TL_KEY, .hidden = true },
	{ "Count", .kind = TL_COUNT },
	{ "length", .kind = TL_FIRST },
	{ "host", .kind = TL_SUM, .hidden = true }, { "host_ms", .kind = TL_MS, .in = "host" },
	{ "device", .kind = TL_SUM, .hidden = true }, { "device_ms", .kind = TL_MS, .in = "device" },
	{ "first_us", .kind = TL_MIN },
	{ "sequence", .kind = TL_FIRST },
	{ .name = NULL }
};
const struct tl_sheet_def tl_operator_sequences_sheet = {
	.name = "operator_sequences", .rows = o_row_columns, .columns = o_columns, .order = { { "device", true }, { "first_us", false } },
};
enum { MOST_NAMES = 20 }; /* in the column sequence */

struct wanted { const struct tl_pattern *pattern; struct tl_map by_name; /* name -> 1 no, 2 yes */ };

static enum tl_nearest_answer is_wanted(const struct tl_trace *t, uint32_t event, uintptr_t ctx)
{
	struct wanted *w = (struct wanted *)ctx;
	uint32_t name = t->events[event].name, *known;

	if (!w->pattern || t->events[event].kind != TL_KIND_CPU_OP)
		return tl_nearest_operator(t, event, 0);
	known = tl_map_put(&w->by_name, name, NULL);
	if (!*known)
		*known = 1 + tl_pattern_matches(w->pattern, tl_str(&t->strings, name), tl_str_len(&t->strings, name));
	return *known == 2 ? TL_NEAREST_THIS : TL_NEAREST_ABOVE;
}

static uint32_t outermost(struct tl_nearest *operators, uint32_t event)
{
	uint32_t op = TL_NONE;

	for (uint32_t next = event; (next = tl_nearest(operators, next)) != TL_NONE; next = operators->trace->events[op].parent)
		op = next;
	return op;
}

/* The launches from one index to another are those of an operator. */
static void add_operator(struct maker *m, uint32_t op, size_t from, size_t to)
{
	const struct tl_ev *events = m->t->events;
	uint32_t sequence = tl_intern(&m->sequences, (const char *)(m->names + from), (to - from) * sizeof *m->names);
	int64_t device = 0;
	struct tl_buf b = { 0 };

	for (size_t i = from; i < to; i++)
		device = tl_ticks_add(device, events[m->calls[m->at[i]].gpu].dur);
	struct tl_cell c[N_O_COLUMNS] = {
		[O_OPERATOR] = tl_name_cell(m->t, events[op].name), [O_NUMBER] = tl_cell_int(sequence), [O_LENGTH] = tl_cell_int((int64_t)(to - from)),
		[O_HOST] = tl_cell_time(events[op].dur, false), [O_DEVICE] = tl_cell_time(device, false), [O_START] = tl_start_cell(m->t, events[op].ts),
	};
	for (size_t i = from; i < to && i < from + MOST_NAMES; i++)
		tl_buf_addf(&b, "%s%s", i > from ? " | " : "", tl_str(&m->t->strings, m->names[i]));
	if (to - from > MOST_NAMES)
		tl_buf_addf(&b, " | and %zu more", to - from - MOST_NAMES);
	c[O_SEQUENCE] = tl_cell_text(tl_intern(&m->t->strings, b.data, b.len));
	tl_table_add_row(m->rows, c);
	tl_buf_release(&b);
}

struct tl_table *tl_operator_sequences(struct tl_trace *t, const char *regex)
{
	struct maker m = { .t = t, .rows = tl_table_new(&t->strings, t->ticks_per_us, o_row_columns) };
	struct tl_pattern pattern;
	struct wanted wanted = { regex ? &pattern : NULL, { 0 } };
	struct tl_nearest operators = { t, is_wanted, (uintptr_t)&wanted, NULL };
	uint32_t op = TL_NONE;
	size_t from = 0;
	char why[200];

	bool is_sound = !regex || tl_pattern_compile(&pattern, regex, 0, NULL, why);
	assert(is_sound);
	(void)is_sound;
	find_calls(&m);
	look_at_calls(&m);
	for (size_t i = 0; i < m.n_launches; i++) {
		const struct tl_ev *call = &t->events[m.calls[m.at[i]].event], *last = op == TL_NONE ? NULL : &t->events[op];
		bool same = last && call->track == last->track && call->ts < tl_ev_end(last); /* outermost ones of a thread do not overlap */
		uint32_t now = same ? op : outermost(&operators, m.calls[m.at[i]].event);
		if (op != TL_NONE && now != op)
			add_operator(&m, op, from, i);
		from = now == op ? from : i;
		op = now;
	}
	if (op != TL_NONE)
		add_operator(&m, op, from, m.n_launches);
	tl_nearest_release(&operators);
	tl_map_release(&wanted.by_name);
	if (regex)
		tl_pattern_release(&pattern);
	release(&m);
	return m.rows;
}
