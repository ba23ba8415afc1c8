/* path_sheets.c - the sheets of tl-path: what the length of a step, or of a trace, consists of.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/path_sheets.h"

#include "work/args.h"
#include "work/device_events.h"
#include "base/map.h"
#include "base/merge_sort.h"
#include "path/faster.h"
#include "sheet/path.h"

#include <stdlib.h>
#include <string.h>

/* An answer to a question: the path then. A gain is what has most more time on it than now. */
struct answer { int64_t on_path, saved, parts[TL_BOUNDS_N], gain; uint64_t gains; };
/* What is faster, how large a part of the path that is, and what it brings. All questions at once have no kind. */
struct ask { struct tl_faster what; struct answer answer; };
static const struct tl_faster all_at_once = { .kind = TL_FASTER_N };

struct tl_path {
	struct tl_path_graph graph;
	struct tl_path_step *steps; size_t n; /* the critical path */
	struct tl_faster_maker faster;
	struct ask *asks; size_t n_asks, cap_asks;
	bool answered;
};

enum tl_status tl_path_new(struct tl_path **out, struct tl_trace *t, const struct tl_path_options *o, struct tl_name_rules *categories,
                           struct tl_error *err)
{
	struct tl_path *p = tl_calloc(1, sizeof *p);
	enum tl_status status = tl_path_graph_make(&p->graph, t, o, err);

	tl_faster_init(&p->faster, &p->graph, categories);
	if (status == TL_OK)
		p->steps = tl_longest(&p->graph, &p->n);
	else
		tl_path_free(p);
	*out = status == TL_OK ? p : NULL;
	return status;
}

void tl_path_free(struct tl_path *p)
{
	tl_faster_release(&p->faster);
	tl_path_graph_release(&p->graph);
	free(p->steps);
	free(p->asks);
	free(p);
}

const struct tl_path_graph *tl_path_graph_of(const struct tl_path *p)
{
	return &p->graph;
}

static struct tl_cell name_of(const struct tl_path *p, uint32_t event)
{
	struct tl_trace *t = p->graph.trace;

	return event == TL_NONE ? tl_cell_null() : tl_name_cell(t, t->events[event].name);
}

static struct tl_cell text(const struct tl_path *p, const char *s)
{
	return tl_cell_str(&p->graph.trace->strings, s);
}

/* ---- the path ------------------------------------------------------------------------------ */

void tl_path_steps(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_path *p = ctx;
	const struct tl_path_graph *g = &p->graph;
	struct tl_trace *t = g->trace;
	struct tl_table *rows = in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, tl_path_step_rows);

	bool whole = !strcmp(in->name, "path"), named = whole || !strcmp(in->name, "path_events"); /* null columns take no memory */
	tl_table_reserve(rows, p->n);
	for (size_t i = 0; i < p->n; i++) {
		const struct tl_path_edge *e = &g->edges[p->steps[i].edge];
		int64_t start = g->nodes[e->from].at, end = g->nodes[p->steps[i].to].at;
		struct tl_cell c[N_STEP] = { [STEP_BOUND] = text(p, tl_bound_name(e->bound)), [STEP_TIME_US] = tl_cell_time(tl_ticks_sub(end, start), false) };
		if (named)
			c[STEP_NAME] = name_of(p, e->owner);
		if (whole) {
			c[STEP_EDGE] = text(p, tl_edge_name(e->type));
			c[STEP_START_US] = tl_start_cell(t, start);
			c[STEP_END_US] = tl_start_cell(t, end);
			c[STEP_UID] = e->owner == TL_NONE ? tl_cell_null() : tl_cell_int(t->events[e->owner].uid);
		}
		tl_table_add_row(rows, c);
	}
}

/* ---- slack ------------------------------------------------------------------------------------- */

/* What an event is among those that have slack; NULL: it has none. */
static const char *kind_of(const struct tl_ev *e)
{
	if (e->kind == TL_KIND_CPU_OP)
		return "operator";
	return !tl_kind_is_gpu(e->kind) ? NULL : e->kind == TL_KIND_KERNEL ? "kernel" : "copy";
}

void tl_path_slacks(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_path *p = ctx;
	const struct tl_path_graph *g = &p->graph;
	struct tl_trace *t = g->trace;
	struct tl_table *rows = in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, tl_path_slack_rows);
	int64_t *later = tl_path_slack(g);

	tl_table_reserve(rows, g->n_nodes / 2 + p->n);
	for (size_t i = 0; i < g->n_nodes; i++) {
		uint32_t event = g->nodes[i].ends;
		const char *kind = event == TL_NONE ? NULL : kind_of(&t->events[event]);
		if (kind)
			tl_table_add_row(rows, (struct tl_cell[N_SLACK]){ [SLACK_KIND] = text(p, kind), [SLACK_NAME] = name_of(p, event),
				[SLACK_TIME_US] = tl_duration_cell(&t->events[event]), [SLACK_SLACK_US] = tl_cell_time(later[i], false),
				[SLACK_NO_SLACK] = later[i] ? tl_cell_null() : tl_cell_bool(true) });
	}
	free(later);
	for (size_t i = 0; i < p->n; i++) {
		const struct tl_path_edge *e = &g->edges[p->steps[i].edge];
		const char *kind = e->owner == TL_NONE || (e->type != TL_EDGE_DEVICE && e->type != TL_EDGE_HOST) ? NULL :
			kind_of(&t->events[e->owner]);
		if (kind)
			tl_table_add_row(rows, (struct tl_cell[N_SLACK]){ [SLACK_KIND] = text(p, kind), [SLACK_NAME] = name_of(p, e->owner),
				[SLACK_PATH_US] = tl_cell_time(e->delay, false) });
	}
}

/* ---- if something were faster ------------------------------------------------------------------ */

static void add_ask(struct tl_path *p, const struct tl_faster *what)
{
	TL_PUSH(p->asks, p->n_asks, p->cap_asks, (struct ask){ .what = *what });
}

enum tl_status tl_path_ask(struct tl_path *p, const char *text, struct tl_error *err)
{
	struct tl_faster what;
	enum tl_status status = tl_faster_read(&p->faster, text, &what, err);

	if (status == TL_OK)
		add_ask(p, &what);
	return status;
}

void tl_path_ask_together(struct tl_path *p)
{
	if (p->n_asks > 1)
		add_ask(p, &all_at_once);
}

/* Kernels and operators with their time on the path: no event saves more than that. */
struct candidate { struct tl_faster what; int64_t ticks; size_t step; };
struct candidates TL_KEYED(struct candidate);

static void add_candidate(struct candidates *c, enum tl_faster_kind kind, uint32_t name, int64_t ticks, size_t step)
{
	bool is_new;
	struct candidate *x = TL_ITEM(c, tl_key_of_two(kind, name), &is_new);

	if (is_new)
		*x = (struct candidate){ { kind, name, 0 }, 0, SIZE_MAX };
	if (x->step != step) /* operators of one name within each other have the time once */
		x->ticks = tl_ticks_add(x->ticks, ticks);
	x->step = step;
}

TL_ORDER(most_first, struct candidate, TL_DESC(x->ticks))

struct tl_path_rest tl_path_ask_all(struct tl_path *p, int64_t most)
{
	const struct tl_path_graph *g = &p->graph;
	const struct tl_ev *all = g->trace->events;
	struct candidates c = { 0 };

	for (size_t i = 0; i < p->n; i++) {
		const struct tl_path_edge *e = &g->edges[p->steps[i].edge];
		if (!e->delay || e->owner == TL_NONE || e->bound == TL_BOUND_SYNC || (e->type != TL_EDGE_DEVICE && e->type != TL_EDGE_HOST))
			continue;
		if (e->type == TL_EDGE_DEVICE)
			add_candidate(&c, TL_FASTER_KERNEL, all[e->owner].name, e->delay, i);
		for (uint32_t at = e->owner; at != TL_NONE; at = all[at].parent)
			if (all[at].kind == TL_KIND_CPU_OP)
				add_candidate(&c, TL_FASTER_OPERATOR, all[at].name, e->delay, i);
	}
	if (c.n)
		tl_merge_sort(c.items, c.n, sizeof *c.items, most_first, NULL);
	size_t n = most > 0 && (uint64_t)most < c.n ? (size_t)most : c.n;
	for (size_t i = 0; i < n; i++)
		add_ask(p, &c.items[i].what);
	struct tl_path_rest rest = { n, c.n - n, n < c.n ? tl_trace_us(g->trace, c.items[n].ticks) / 1e3 : 0 };
	TL_KEYED_RELEASE(&c);
	return rest;
}

/* Time on a path by bound and name. */
struct gain { uint64_t key; int64_t ticks; };
struct gains TL_KEYED(struct gain);

static void add_gain(struct gains *s, const struct tl_path_graph *g, const struct tl_path_edge *e, int64_t ticks)
{
	uint64_t key = tl_key_of_two(e->bound, e->owner == TL_NONE ? 0 : g->trace->events[e->owner].name);
	struct gain *x = TL_ITEM(s, key, NULL);

	*x = (struct gain){ key, tl_ticks_add(x->ticks, ticks) };
}

static void tell_path_then(const struct tl_path *p, const int64_t *less, const int64_t *times, struct answer *a)
{
	const struct tl_path_graph *g = &p->graph;
	struct gains gains = { 0 };
	size_t n;
	struct tl_path_step *then = tl_longest_then(g, less, times, &n);

	for (size_t i = 0; i < p->n; i++) {
		const struct tl_path_edge *e = &g->edges[p->steps[i].edge];
		a->on_path = tl_ticks_add(a->on_path, less[p->steps[i].edge]);
		add_gain(&gains, g, e, -e->delay);
	}
	for (size_t i = 0; i < n; i++) {
		int64_t delay = tl_delay_then(g, less, then[i].edge);
		add_gain(&gains, g, &g->edges[then[i].edge], delay);
		a->parts[g->edges[then[i].edge].bound] += delay;
	}
	for (size_t i = 0; i < gains.n; i++)
		if (gains.items[i].ticks > a->gain) {
			a->gain = gains.items[i].ticks;
			a->gains = gains.items[i].key;
		}
	free(then);
	TL_KEYED_RELEASE(&gains);
}

/* Answers all questions, once. */
static void answer_all(struct tl_path *p)
{
	const struct tl_path_graph *g = &p->graph;
	int64_t *times = tl_alloc(g->n_nodes * sizeof *times), *less = tl_alloc((g->n_edges + 1) * sizeof *less);

	for (size_t i = 0; i < p->n_asks && !p->answered; i++) {
		struct ask *a = &p->asks[i];
		memset(less, 0, g->n_edges * sizeof *less);
		for (size_t k = a->what.kind == TL_FASTER_N ? 0 : i; k < p->n_asks && (k <= i || a->what.kind == TL_FASTER_N); k++)
			if (p->asks[k].what.kind != TL_FASTER_N)
				tl_faster_mark(&p->faster, &p->asks[k].what, less);
		tl_retime(g, less, times);
		a->answer.saved = tl_ticks_sub(g->window.end, times[g->sink]);
		tell_path_then(p, less, times, &a->answer);
	}
	p->answered = true;
	free(times);
	free(less);
}

/* The cells with which rows of path_what_if and path_then begin. */
static void name_ask(const struct tl_path *p, const struct ask *a, struct tl_cell *c)
{
	bool all = a->what.kind == TL_FASTER_N;

	c[ASK_KIND] = all ? tl_cell_null() : text(p, tl_faster_kind_name(a->what.kind));
	c[ASK_WHAT] = all ? text(p, "all of these") : tl_cell_text(a->what.name);
	c[ASK_TIMES_FASTER] = a->what.k ? tl_cell_int(a->what.k) : tl_cell_null();
}

void tl_path_what_if(void *ctx, struct tl_sheet_input *in)
{
	struct tl_path *p = ctx;
	const struct tl_path_graph *g = &p->graph;
	struct tl_trace *t = g->trace;
	int64_t length = tl_ticks_sub(g->window.end, g->window.start);

	in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, tl_path_ask_rows);
	answer_all(p);
	for (size_t i = 0; i < p->n_asks; i++) {
		const struct answer *a = &p->asks[i].answer;
		struct tl_cell c[N_ASK] = { [ASK_LENGTH_MS] = tl_cell_ms(tl_ticks_sub(length, a->saved)), [ASK_SAVED_MS] = tl_cell_ms(a->saved),
			[ASK_OFF_PATH_MS] = tl_cell_ms(a->on_path) };
		name_ask(p, &p->asks[i], c);
		if (length)
			c[ASK_PERCENTAGE] = tl_cell_real((double)a->saved / (double)length * 100);
		if (a->gain) {
			c[ASK_CRITICAL_THEN] = text(p, tl_bound_name((unsigned)(a->gains >> 32)));
			c[ASK_CRITICAL_THEN_NAME] = tl_cell_text((uint32_t)a->gains);
			c[ASK_CRITICAL_THEN_MS] = tl_cell_ms(a->gain);
		}
		tl_table_add_row(in->own_rows, c);
	}
}

/* The parts of the path then, beside those of now. */
void tl_path_then(void *ctx, struct tl_sheet_input *in)
{
	struct tl_path *p = ctx;
	const struct tl_path_graph *g = &p->graph;
	int64_t now[TL_BOUNDS_N] = { 0 };

	in->own_rows = tl_table_new(&g->trace->strings, g->trace->ticks_per_us, tl_path_then_rows);
	answer_all(p);
	for (size_t i = 0; i < p->n; i++)
		now[g->edges[p->steps[i].edge].bound] += g->edges[p->steps[i].edge].delay;
	for (size_t i = 0; i < p->n_asks; i++)
		for (unsigned b = 0; b < TL_BOUNDS_N; b++) {
			int64_t then = p->asks[i].answer.parts[b];
			struct tl_cell c[N_THEN] = { [THEN_BOUND] = text(p, tl_bound_name(b)), [THEN_NOW_MS] = tl_cell_ms(now[b]),
				[THEN_THEN_MS] = tl_cell_ms(then), [THEN_MORE_MS] = tl_cell_ms(tl_ticks_sub(then, now[b])) };
			name_ask(p, &p->asks[i], c);
			if (now[b] || then)
				tl_table_add_row(in->own_rows, c);
		}
}

/* ---- the graph ------------------------------------------------------------------------------------ */

static void add_fact(const struct tl_path *p, struct tl_table *rows, const char *item, struct tl_cell value)
{
	tl_table_add_row(rows, (struct tl_cell[N_FACT]){ [FACT_ITEM] = text(p, item), [FACT_VALUE] = value });
}

void tl_path_facts(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_path *p = ctx;
	const struct tl_path_graph *g = &p->graph;
	struct tl_trace *t = g->trace;
	struct tl_table *rows = in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, tl_path_fact_rows);
	int64_t edges[TL_EDGE_TYPES] = { 0 }, binding[TL_EDGE_TYPES] = { 0 };
	struct tl_buf name = { 0 };

	for (size_t v = 1; v < g->n_nodes; v++) {
		binding[g->edges[g->nodes[v].in].type]++;
		for (uint32_t e = g->nodes[v].in; e != TL_NONE; e = g->edges[e].next)
			edges[g->edges[e].type]++;
	}
	add_fact(p, rows, "start, us", tl_start_cell(t, g->window.start));
	add_fact(p, rows, "end of the host, us", tl_start_cell(t, g->host_end));
	add_fact(p, rows, "end, us", tl_start_cell(t, g->window.end));
	add_fact(p, rows, "length, us", tl_cell_time(tl_ticks_sub(g->window.end, g->window.start), false));
	add_fact(p, rows, "device events", tl_cell_int(g->launches));
	add_fact(p, rows, "nodes", tl_cell_int((int64_t)g->n_nodes));
	add_fact(p, rows, "edges", tl_cell_int((int64_t)g->n_edges));
	add_fact(p, rows, "least launch latency, us", tl_cell_time(g->launch_floor, false));
	add_fact(p, rows, "usual gap of kernels, us", tl_cell_time(g->gap_floor, false));
	for (unsigned i = 0; i < TL_EDGE_TYPES; i++) {
		if (!edges[i])
			continue;
		tl_buf_clear(&name);
		tl_buf_addf(&name, "edges: %s", tl_edge_name(i));
		add_fact(p, rows, name.data, tl_cell_int(edges[i]));
		tl_buf_clear(&name);
		tl_buf_addf(&name, "edges that bind: %s", tl_edge_name(i));
		add_fact(p, rows, name.data, tl_cell_int(binding[i]));
	}
	for (unsigned i = 0; i < TL_PATH_FACTS_N; i++)
		if (g->facts[i])
			add_fact(p, rows, tl_path_fact_name(i), tl_cell_int(g->facts[i]));
	tl_buf_release(&name);
}

void tl_path_edges(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_path *p = ctx;
	const struct tl_path_graph *g = &p->graph;
	struct tl_trace *t = g->trace;
	struct tl_table *rows = in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, tl_path_edge_rows);

	tl_table_reserve(rows, g->n_edges);
	for (size_t v = 1; v < g->n_nodes; v++)
		for (uint32_t i = g->nodes[v].in; i != TL_NONE; i = g->edges[i].next) {
			const struct tl_path_edge *e = &g->edges[i];
			tl_table_add_row(rows, (struct tl_cell[N_EDGE]){ [EDGE_FROM] = tl_cell_int(e->from), [EDGE_TO] = tl_cell_int((int64_t)v),
				[EDGE_FROM_US] = tl_start_cell(t, g->nodes[e->from].at), [EDGE_TO_US] = tl_start_cell(t, g->nodes[v].at),
				[EDGE_EDGE] = text(p, tl_edge_name(e->type)), [EDGE_BOUND] = text(p, tl_bound_name(e->bound)),
				[EDGE_DELAY_US] = tl_cell_time(e->delay, false), [EDGE_NAME] = name_of(p, e->owner) });
		}
}
