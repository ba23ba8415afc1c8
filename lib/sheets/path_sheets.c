/* path_sheets.c - the sheets of tl-path: what the length of a step, or of a trace, consists of.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/path_sheets.h"

#include "analysis/args.h"
#include "analysis/device_events.h"
#include "analysis/nearest.h"
#include "base/rows.h"
#include "base/text.h"
#include "path/retime.h"

#include <stdlib.h>
#include <string.h>

/* What is faster: a bound, or a name (string id). */
struct ask { uint32_t name; int bound; int64_t k; };

struct tl_path {
	struct tl_path_graph graph;
	struct tl_path_step *steps; size_t n; /* the critical path */
	struct ask *asks; size_t n_asks, cap_asks;
};

enum tl_status tl_path_new(struct tl_path **out, struct tl_trace *t, const struct tl_path_options *o, struct tl_error *err)
{
	struct tl_path *p = tl_calloc(1, sizeof *p);
	enum tl_status status = tl_path_graph_make(&p->graph, t, o, err);

	if (status == TL_OK)
		p->steps = tl_longest(&p->graph, &p->n);
	else
		tl_path_free(p);
	*out = status == TL_OK ? p : NULL;
	return status;
}

void tl_path_free(struct tl_path *p)
{
	tl_path_graph_release(&p->graph);
	free(p->steps);
	free(p->asks);
	free(p);
}

const struct tl_path_graph *tl_path_graph_of(const struct tl_path *p)
{
	return &p->graph;
}

static struct tl_cell text(const struct tl_path *p, const char *s)
{
	return tl_cell_text(tl_intern_str(&p->graph.trace->strings, s));
}

static struct tl_cell name_of(const struct tl_path *p, uint32_t event)
{
	struct tl_trace *t = p->graph.trace;

	return event == TL_NONE ? tl_cell_null() : tl_name_cell(t, t->events[event].name);
}

/* ---- the path ------------------------------------------------------------------------------ */

#define TIME "time_us"

enum { BOUND, NAME, EDGE, START, END, EDGE_TIME, STEP_UID, N_STEP_COLUMNS };
static const char *const step_columns[] = { "bound", "name", "edge", "start_us", "end_us", TIME, "UID", NULL };

static const struct tl_column summary_columns[] = {
	{ "bound", .kind = TL_KEY },
	{ "edges", .kind = TL_COUNT },
	{ TIME "_sum", .kind = TL_SUM, .in = TIME, .hidden = true },
	{ "time_ms", .kind = TL_MS, .in = TIME "_sum" },
	{ "Percentage (%)", .kind = TL_PERCENT, .in = "time_ms" },
	{ .name = NULL }
};
static const struct tl_sheet_def summary = {
	.name = "path_summary", .rows = step_columns, .columns = summary_columns,
	.keys_ascending = true, .order = { { TIME "_sum", true } },
};

static const struct tl_column event_columns[] = {
	{ "bound", .kind = TL_KEY },
	{ "name", .kind = TL_KEY },
	{ "edges", .kind = TL_COUNT },
	{ TIME "_sum", .kind = TL_SUM, .in = TIME, .hidden = true },
	{ "time_ms", .kind = TL_MS, .in = TIME "_sum" },
	{ "Percentage (%)", .kind = TL_PERCENT, .in = "time_ms" },
	{ .name = NULL }
};
static const struct tl_sheet_def events = {
	.name = "path_events", .rows = step_columns, .columns = event_columns,
	.keys_ascending = true, .order = { { TIME "_sum", true } },
};

static void step_rows(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_path *p = ctx;
	const struct tl_path_graph *g = &p->graph;
	struct tl_trace *t = g->trace;
	struct tl_table *rows = in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, step_columns);

	bool whole = !strcmp(in->name, "path"), named = whole || !strcmp(in->name, "path_events"); /* null columns take no memory */
	tl_table_reserve(rows, p->n);
	for (size_t i = 0; i < p->n; i++) {
		const struct tl_path_edge *e = &g->edges[p->steps[i].edge];
		int64_t start = g->nodes[e->from].at, end = g->nodes[p->steps[i].to].at;
		struct tl_cell c[N_STEP_COLUMNS] = { [BOUND] = text(p, tl_bound_name(e->bound)), [EDGE_TIME] = tl_cell_time(tl_ticks_sub(end, start), false) };
		if (named)
			c[NAME] = name_of(p, e->owner);
		if (whole) {
			c[EDGE] = text(p, tl_edge_name(e->type));
			c[START] = tl_start_cell(t, start);
			c[END] = tl_start_cell(t, end);
			c[STEP_UID] = e->owner == TL_NONE ? tl_cell_null() : tl_cell_int(t->events[e->owner].uid);
		}
		tl_table_add_row(rows, c);
	}
}

/* ---- slack ------------------------------------------------------------------------------------- */

#define SLACK "slack_us"
#define ON_PATH "path_us"

/* A row for each event, with its slack, and for each edge of the path that is an event's own time. */
enum { SLACK_KIND, SLACK_NAME, SLACK_TIME, SLACK_ON_PATH, SLACK_SLACK, SLACK_NONE, N_SLACK_COLUMNS };
static const char *const slack_columns_raw[] = { "kind", "name", TIME, ON_PATH, SLACK, "no slack", NULL };

static const struct tl_column slack_columns[] = {
	{ "kind", .kind = TL_KEY },
	{ "name", .kind = TL_KEY },
	{ "Count", .kind = TL_COUNT, .in = SLACK },
	{ TIME "_sum", .kind = TL_SUM, .in = TIME, .hidden = true, .zero = true },
	{ "time_ms", .kind = TL_MS, .in = TIME "_sum" },
	{ ON_PATH "_sum", .kind = TL_SUM, .in = ON_PATH, .hidden = true, .zero = true },
	{ "path_ms", .kind = TL_MS, .in = ON_PATH "_sum" },
	TL_STATISTIC(SLACK, TL_MIN, "_min", 0, false), TL_STATISTIC(SLACK, TL_MEDIAN, "_median", 0, false),
	{ "without_slack_count", .kind = TL_COUNT, .in = "no slack" },
	{ .name = NULL }
};
static const struct tl_sheet_def slack = {
	.name = "path_slack", .rows = slack_columns_raw, .columns = slack_columns,
	.keys_ascending = true, .order = { { ON_PATH "_sum", true }, { TIME "_sum", true } },
};

/* What an event is among those that have slack; NULL: it has none. */
static const char *kind_of(const struct tl_ev *e)
{
	if (e->kind == TL_KIND_CPU_OP)
		return "operator";
	return !tl_kind_is_gpu(e->kind) ? NULL : e->kind == TL_KIND_KERNEL ? "kernel" : "copy";
}

static void slack_rows(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_path *p = ctx;
	const struct tl_path_graph *g = &p->graph;
	struct tl_trace *t = g->trace;
	struct tl_table *rows = in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, slack_columns_raw);
	int64_t *later = tl_path_slack(g);

	for (size_t i = 0; i < g->n_nodes; i++) {
		uint32_t event = g->nodes[i].ends;
		const char *kind = event == TL_NONE ? NULL : kind_of(&t->events[event]);
		if (kind)
			tl_table_add_row(rows, (struct tl_cell[N_SLACK_COLUMNS]){ [SLACK_KIND] = text(p, kind), [SLACK_NAME] = name_of(p, event),
				[SLACK_TIME] = tl_duration_cell(&t->events[event]), [SLACK_SLACK] = tl_cell_time(later[i], false),
				[SLACK_NONE] = later[i] ? tl_cell_null() : tl_cell_bool(true) });
	}
	free(later);
	for (size_t i = 0; i < p->n; i++) {
		const struct tl_path_edge *e = &g->edges[p->steps[i].edge];
		const char *kind = e->owner == TL_NONE || (e->type != TL_EDGE_DEVICE && e->type != TL_EDGE_HOST) ? NULL :
			kind_of(&t->events[e->owner]);
		if (kind)
			tl_table_add_row(rows, (struct tl_cell[N_SLACK_COLUMNS]){ [SLACK_KIND] = text(p, kind), [SLACK_NAME] = name_of(p, e->owner),
				[SLACK_ON_PATH] = tl_cell_time(e->delay, false) });
	}
}

/* ---- if something were faster ------------------------------------------------------------------ */

static enum tl_nearest_answer has_name(const struct tl_trace *t, uint32_t event, uintptr_t name)
{
	return t->events[event].name == name ? TL_NEAREST_THIS : TL_NEAREST_ABOVE;
}

/* Marks the edges that an ask makes faster; how many have a delay. Waits stay as they are. */
static size_t mark_edges(const struct tl_path_graph *g, const struct ask *a, uint8_t *edges)
{
	struct tl_nearest named = { g->trace, has_name, a->name, NULL };
	size_t n = 0;

	for (size_t i = 0; i < g->n_edges; i++) {
		const struct tl_path_edge *e = &g->edges[i];
		if (a->bound >= 0)
			edges[i] = e->bound == a->bound;
		else if (e->owner == TL_NONE || e->bound == TL_BOUND_SYNC)
			edges[i] = 0;
		else if (e->type == TL_EDGE_DEVICE)
			edges[i] = g->trace->events[e->owner].name == a->name;
		else
			edges[i] = e->type == TL_EDGE_HOST && tl_nearest(&named, e->owner) != TL_NONE;
		n += edges[i] && e->delay;
	}
	tl_nearest_release(&named);
	return n;
}

static void add_ask(struct tl_path *p, const struct ask *a)
{
	TL_GROW(p->asks, p->cap_asks, p->n_asks + 1);
	p->asks[p->n_asks++] = *a;
}

enum tl_status tl_path_ask(struct tl_path *p, const char *s, struct tl_error *err)
{
	const struct tl_path_graph *g = &p->graph;
	const char *slash = strrchr(s, '/');
	struct ask a = { .bound = -1 };

	if (!slash || slash == s)
		return tl_fail(err, TL_ERR_USAGE, "'%s' is not NAME/K", s);
	const struct tl_field_text k = { slash + 1, strlen(slash + 1) };
	if (strcmp(k.s, "inf") && (!tl_field_int(&k, &a.k) || a.k < 1))
		return tl_fail(err, TL_ERR_USAGE, "'%s': K is '%s'; expected a whole number from 1, or inf", s, k.s);
	for (int b = 0; b < TL_BOUNDS_N; b++)
		if (tl_text_is(s, (size_t)(slash - s), tl_bound_name((unsigned)b)))
			a.bound = b;
	a.name = tl_strtab_find(&g->trace->strings, s, (size_t)(slash - s));
	uint8_t *edges = tl_calloc(g->n_edges + 1, 1);
	bool any = (a.bound >= 0 || a.name) && mark_edges(g, &a, edges);
	free(edges);
	if (!any)
		return tl_fail(err, TL_ERR_USAGE, "'%s': no time in the window is of '%.*s': neither a bound of path_summary nor an event", s,
		               (int)(slash - s), s);
	add_ask(p, &a);
	return TL_OK;
}

void tl_path_ask_all(struct tl_path *p)
{
	const struct tl_path_graph *g = &p->graph;
	const struct tl_ev *all = g->trace->events;
	struct tl_map seen = { 0 };
	bool is_new;

	for (size_t i = 0; i < p->n; i++) {
		const struct tl_path_edge *e = &g->edges[p->steps[i].edge];
		bool device = e->type == TL_EDGE_DEVICE;
		if (!e->delay || e->owner == TL_NONE || e->bound == TL_BOUND_SYNC || (!device && e->type != TL_EDGE_HOST))
			continue;
		for (uint32_t at = e->owner; at != TL_NONE; at = device ? TL_NONE : all[at].parent) {
			if (!device && all[at].kind != TL_KIND_CPU_OP)
				continue;
			tl_map_put(&seen, all[at].name, &is_new);
			if (is_new)
				add_ask(p, &(struct ask){ .name = all[at].name, .bound = -1 });
		}
	}
	tl_map_release(&seen);
}

/* Time on a path by bound and name. */
struct gain { uint64_t key; int64_t ticks; };
struct gains { struct gain *items; size_t n, cap; struct tl_map number; };

static void add_gain(struct gains *s, const struct tl_path_graph *g, const struct tl_path_edge *e, int64_t ticks)
{
	uint32_t name = e->owner == TL_NONE ? 0 : g->trace->events[e->owner].name;
	uint64_t key = (uint64_t)e->bound << 32 | name;
	uint32_t *number = tl_map_put(&s->number, key, NULL);

	if (!*number) {
		TL_GROW(s->items, s->cap, s->n + 1);
		s->items[s->n++] = (struct gain){ key, 0 };
		*number = (uint32_t)s->n;
	}
	s->items[*number - 1].ticks = tl_ticks_add(s->items[*number - 1].ticks, ticks);
}

enum { ASK_WHAT, ASK_K, ASK_LENGTH, ASK_SAVED, ASK_PERCENT, ASK_THEN_BOUND, ASK_THEN_NAME, ASK_THEN_MORE, N_ASK_COLUMNS };
static const char *const ask_columns_raw[] = { "what", "times_faster", "length_ms", "saved_ms", "Percentage (%)", "critical_then",
	"critical_then_name", "critical_then_ms", NULL };
static const struct tl_column ask_columns[] = {
	{ "what", .kind = TL_FIRST }, { "times_faster", .kind = TL_FIRST }, { "length_ms", .kind = TL_FIRST },
	{ "saved_ms", .kind = TL_FIRST }, { "Percentage (%)", .kind = TL_FIRST }, { "critical_then", .kind = TL_FIRST },
	{ "critical_then_name", .kind = TL_FIRST }, { "critical_then_ms", .kind = TL_FIRST }, { .name = NULL }
};
static const struct tl_sheet_def what_if = {
	.name = "path_what_if", .rows = ask_columns_raw, .columns = ask_columns, .ungrouped = true, .order = { { "saved_ms", true } },
};

/* What has most more time on the path then than now. */
static void tell_critical_then(const struct tl_path *p, const struct tl_faster *f, const int64_t *times, struct tl_cell *c)
{
	const struct tl_path_graph *g = &p->graph;
	struct gains gains = { 0 };
	size_t n;
	struct tl_path_step *then = tl_longest_then(g, f, times, &n);
	const struct gain *most = NULL;

	for (size_t i = 0; i < p->n; i++)
		add_gain(&gains, g, &g->edges[p->steps[i].edge], -g->edges[p->steps[i].edge].delay);
	for (size_t i = 0; i < n; i++)
		add_gain(&gains, g, &g->edges[then[i].edge], tl_delay_then(g, f, then[i].edge));
	for (size_t i = 0; i < gains.n; i++)
		if (gains.items[i].ticks > (most ? most->ticks : 0))
			most = &gains.items[i];
	if (most) {
		c[ASK_THEN_BOUND] = text(p, tl_bound_name((unsigned)(most->key >> 32)));
		c[ASK_THEN_NAME] = tl_cell_text((uint32_t)most->key);
		c[ASK_THEN_MORE] = tl_cell_ms(most->ticks);
	}
	free(then);
	free(gains.items);
	tl_map_release(&gains.number);
}

static void what_if_rows(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_path *p = ctx;
	const struct tl_path_graph *g = &p->graph;
	struct tl_trace *t = g->trace;
	int64_t length = tl_ticks_sub(g->window.end, g->window.start), *times = tl_alloc(g->n_nodes * sizeof *times);
	uint8_t *edges = tl_alloc(g->n_edges + 1);

	in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, ask_columns_raw);
	for (size_t i = 0; i < p->n_asks; i++) {
		const struct ask *a = &p->asks[i];
		const struct tl_faster f = { edges, a->k };
		mark_edges(g, a, edges);
		tl_retime(g, &f, times);
		int64_t saved = tl_ticks_sub(g->window.end, times[g->sink]);
		struct tl_cell c[N_ASK_COLUMNS] = { [ASK_WHAT] = a->bound >= 0 ? text(p, tl_bound_name((unsigned)a->bound)) : tl_cell_text(a->name),
			[ASK_K] = a->k ? tl_cell_int(a->k) : tl_cell_null(), [ASK_LENGTH] = tl_cell_ms(tl_ticks_sub(length, saved)),
			[ASK_SAVED] = tl_cell_ms(saved) };
		if (length)
			c[ASK_PERCENT] = tl_cell_real((double)saved / (double)length * 100);
		tell_critical_then(p, &f, times, c);
		tl_table_add_row(in->own_rows, c);
	}
	free(times);
	free(edges);
}

/* ---- the graph ------------------------------------------------------------------------------------ */

static const char *const fact_columns[] = { "item", "value", NULL };

static void add_fact(const struct tl_path *p, struct tl_table *rows, const char *item, struct tl_cell value)
{
	tl_table_add_row(rows, (struct tl_cell[]){ text(p, item), value });
}

static void fact_rows(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_path *p = ctx;
	const struct tl_path_graph *g = &p->graph;
	struct tl_trace *t = g->trace;
	struct tl_table *rows = in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, fact_columns);
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

static const char *const edge_columns[] = { "from", "to", "from_us", "to_us", "edge", "bound", "delay_us", "name", NULL };

static void edge_rows(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_path *p = ctx;
	const struct tl_path_graph *g = &p->graph;
	struct tl_trace *t = g->trace;
	struct tl_table *rows = in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, edge_columns);

	tl_table_reserve(rows, g->n_edges);
	for (size_t v = 1; v < g->n_nodes; v++)
		for (uint32_t i = g->nodes[v].in; i != TL_NONE; i = g->edges[i].next) {
			const struct tl_path_edge *e = &g->edges[i];
			tl_table_add_row(rows, (struct tl_cell[]){ tl_cell_int(e->from), tl_cell_int((int64_t)v),
				tl_start_cell(t, g->nodes[e->from].at), tl_start_cell(t, g->nodes[v].at), text(p, tl_edge_name(e->type)),
				text(p, tl_bound_name(e->bound)), tl_cell_time(e->delay, false), name_of(p, e->owner) });
		}
}

/* ---- list ---------------------------------------------------------------------------------------------- */

#define NEEDS (TL_NEEDS_ANNOTATIONS | TL_NEEDS_ALL_FRAMES | TL_NEEDS_OTHERS)
#define OPTION "critical_path"

static const struct tl_sheet sheets[] = {
	{ "path_summary", "the critical path by what it went to", OPTION, TL_SHEET_USUAL, NEEDS, &summary, step_rows, NULL },
	{ "path_events", "the critical path by what it went to and name", OPTION, 0, NEEDS, &events, step_rows, NULL },
	{ "path", "the critical path, edge by edge", OPTION, 0, NEEDS, NULL, step_rows, NULL },
	{ "path_slack", "how much longer operators and device events could take", OPTION, 0, NEEDS, &slack, slack_rows, NULL },
	{ "path_what_if", "how long it would be if something were faster", OPTION, TL_SHEET_NEEDS_ROWS, NEEDS, &what_if, what_if_rows, NULL },
	{ "path_facts", "the graph behind the critical path: counts, what is inferred, what is left out", OPTION, 0, NEEDS, NULL,
	  fact_rows, NULL },
	{ "path_graph", "all edges of that graph", NULL, TL_SHEET_EXTRA, NEEDS, NULL, edge_rows, NULL },
	{ .name = NULL }
};
const struct tl_sheet_family tl_path_sheets = { "tl-path", sheets };
