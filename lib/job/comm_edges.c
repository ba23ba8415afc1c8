/* comm_edges.c - what each communication of a rank had to wait for.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/comm_edges.h"

#include "base/map.h"
#include "base/merge_sort.h"
#include "base/search.h"
#include "job/rank_parallel.h"
#include "steps/step_find.h"
#include "table/table_reader.h"
#include "work/args.h"
#include "work/name_rules.h"
#include "work/spans.h"

#include <stdlib.h>
#include <string.h>

enum { ROW, FROM, COMPUTE, EXPERTS, GAP, N };
static const char *const columns[] = { "row", "from", "compute", "experts", "gap", NULL };
/* Rows with one of these in place of a communication: what the rank has done up to that row, which is `from`; when it starts and ends. */
enum { SUMS = -1, TIMES = -2 };
enum { CHAIN_US = 5 };

/* ---- the chain of work before each event ------------------------------------------------------------- */

/* The communications that work can be traced back to, each with the longest way. */
struct origins { struct tl_comm_edge items[TL_EDGES_MOST + 1]; size_t n; };

/* A device event. Work goes back to its origins by a way that is longer by compute, experts and gap. */
struct node {
	int64_t ts, end, launch /* -1: not known */;
	int64_t row;           /* of a communication; -1: work */
	uint32_t stream, origins;
	bool sends, grouped;
	int64_t compute, experts, gap;
	int64_t sum_compute, sum_experts, sum_idle; /* of all up to its end */
};

struct making {
	struct tl_trace *trace;
	struct node *nodes; size_t n;          /* by start */
	uint32_t *by_end;
	struct origins *origins; size_t n_origins, cap_origins;
	struct tl_comm_edges *of;              /* by row; the last one: of the end */
	const int64_t *ends; size_t n_rows;    /* of the communications */
	uint32_t *last; size_t n_streams;      /* by stream: its last event, or TL_NONE */
	uint32_t *joined; size_t n_joined;     /* collectives that have ended, by end */
	uint32_t *computing; size_t n_computing; /* the work of the stream that computes most, by start */
	uint32_t computes;                     /* that stream */
	int64_t start, five;
	int64_t busy, counted;                 /* the last end so far; up to where idle time is in the sums */
};

static int64_t length(const struct tl_comm_edge *e)
{
	return tl_ticks_add(tl_ticks_add(e->compute, e->experts), e->gap);
}

/* When what the edge leads to can begin. */
static int64_t arrival(const struct making *m, const struct tl_comm_edge *e)
{
	return tl_ticks_add(e->from == TL_FROM_START ? m->start : m->ends[e->from], length(e));
}

/* Of two ways from the same one the longer counts; where there are too many, those that bind least go. */
static void add_origin(const struct making *m, struct origins *o, struct tl_comm_edge e)
{
	size_t at = 0, least = 0;

	while (at < o->n && o->items[at].from != e.from)
		at++;
	if (at < o->n && length(&o->items[at]) >= length(&e))
		return;
	o->items[at] = e;
	o->n += at == o->n;
	if (o->n <= TL_EDGES_MOST)
		return;
	for (size_t i = 1; i < o->n; i++)
		least = arrival(m, &o->items[i]) < arrival(m, &o->items[least]) ? i : least;
	o->items[least] = o->items[--o->n];
}

/* Adds those of an event, `gap` after its end. */
static void add_origins_of(const struct making *m, struct origins *o, const struct node *v, int64_t gap)
{
	if (v->row >= 0) {
		add_origin(m, o, (struct tl_comm_edge){ .from = v->row, .gap = gap });
		return;
	}
	for (size_t i = 0; i < m->origins[v->origins].n; i++) {
		struct tl_comm_edge e = m->origins[v->origins].items[i];
		e.compute += v->compute;
		e.experts += v->experts;
		e.gap += v->gap + gap;
		add_origin(m, o, e);
	}
}

enum { MOST_AWAITED = 8, MOST_BETWEEN = 64 /* collectives that are looked at */ };
struct awaited { uint32_t nodes[MOST_AWAITED]; size_t n; };

static void await(struct awaited *a, uint32_t node)
{
	if (node != TL_NONE && a->n < MOST_AWAITED)
		a->nodes[a->n++] = node;
}

static uint32_t predecessor(const struct making *m, const struct node *v)
{
	uint32_t before = m->last[v->stream];

	return before != TL_NONE && m->nodes[before].end <= v->ts ? before : TL_NONE;
}

/* Rule 1. What was launched later, or has not ended, is not awaited. */
static void await_launched(const struct making *m, struct awaited *a, const struct node *v, size_t n_ended)
{
	size_t launched = n_ended;

	if (v->launch >= 0)
		TL_SEARCH(launched, n_ended, mid, m->nodes[m->computing[mid]].launch <= v->launch);
	await(a, launched ? m->computing[launched - 1] : TL_NONE);
}

/* Rule 3. ended: how many of by_end ended before the event starts. */
static void await_ended(const struct making *m, struct awaited *a, size_t ended)
{
	int64_t from = ended ? tl_ticks_sub(m->nodes[m->by_end[ended - 1]].end, m->five) : 0;

	for (int sends = 0; sends < 2 && !a->n; sends++)
		for (size_t i = ended; i-- > 0 && m->nodes[m->by_end[i]].end >= from && a->n < MOST_AWAITED; )
			if (m->nodes[m->by_end[i]].sends == sends)
				await(a, m->by_end[i]);
}

/* Rule 1, where a communication starts over 5 us later than all that: the stream that computes may itself have waited for a communication
 * that was launched between, and ended last. */
static void await_between(const struct making *m, struct awaited *a, const struct node *v)
{
	int64_t last = INT64_MIN, launched = -1;

	for (size_t i = 0; i < a->n; i++) {
		const struct node *n = &m->nodes[a->nodes[i]];
		last = n->end > last ? n->end : last;
		launched = n->row < 0 ? n->launch : launched;
	}
	if (a->n && tl_ticks_sub(v->ts, last) <= m->five)
		return;
	for (size_t i = m->n_joined; i-- > 0 && m->n_joined - i <= MOST_BETWEEN && m->nodes[m->joined[i]].end > last; ) {
		const struct node *n = &m->nodes[m->joined[i]];
		if (n->launch >= 0 && v->launch >= 0 && (n->launch < launched || n->launch > v->launch))
			continue;
		await(a, m->joined[i]);
		return;
	}
}

/* Sets what an event goes back to: the origins of a communication are its edges. How long after all that it starts. */
static int64_t trace_back(struct making *m, struct node *v, const struct awaited *a)
{
	struct origins o = { .n = 0 };
	int64_t last = m->start, gap;

	for (size_t i = 0; i < a->n; i++)
		last = m->nodes[a->nodes[i]].end > last || !i ? m->nodes[a->nodes[i]].end : last;
	gap = tl_ticks_sub(v->ts, last);
	gap = gap < 0 ? 0 : gap;
	if (a->n == 1 && v->row < 0 && m->nodes[a->nodes[0]].row < 0) { /* the chain goes on */
		const struct node *before = &m->nodes[a->nodes[0]];
		v->origins = before->origins;
		v->compute = before->compute;
		v->experts = before->experts;
		v->gap = before->gap + gap;
	} else {
		for (size_t i = 0; i < a->n; i++)
			add_origins_of(m, &o, &m->nodes[a->nodes[i]], gap);
		if (!a->n)
			add_origin(m, &o, (struct tl_comm_edge){ .from = TL_FROM_START, .gap = gap });
		v->origins = (uint32_t)m->n_origins;
		if (v->row < 0)
			TL_PUSH(m->origins, m->n_origins, m->cap_origins, o);
	}
	if (v->row >= 0) {
		memcpy(m->of[v->row].edges, o.items, o.n * sizeof *o.items);
		m->of[v->row].n = o.n;
		return gap;
	}
	*(v->grouped ? &v->experts : &v->compute) += tl_ticks_sub(v->end, v->ts);
	return gap;
}

/* The running sums, and those of a communication: of the work that it waits for, whatever has started since. The stream that computes
 * is idle for the gap after what it waits for, also beside a communication; others count where the device has nothing to do. No moment
 * counts twice: a communication that was launched before work may start in the gap of that. */
static void sum_up(struct making *m, struct node *v, struct node *before, const struct awaited *a, int64_t gap)
{
	int64_t from = v->row < 0 && v->stream == m->computes ? tl_ticks_sub(v->ts, gap) : m->busy;
	int64_t idle = tl_ticks_sub(v->ts, from > m->counted ? from : m->counted), dur = tl_ticks_sub(v->end, v->ts);

	v->sum_compute = tl_ticks_add(before ? before->sum_compute : 0, v->row < 0 && !v->grouped ? dur : 0);
	v->sum_experts = tl_ticks_add(before ? before->sum_experts : 0, v->row < 0 && v->grouped ? dur : 0);
	v->sum_idle = tl_ticks_add(before ? before->sum_idle : 0, idle > 0 ? idle : 0);
	m->counted = idle > 0 ? v->ts : m->counted;
	m->busy = v->end > m->busy ? v->end : m->busy;
	if (v->row < 0)
		return;
	struct tl_comm_edges *of = &m->of[v->row];
	const struct node *sent = NULL;
	for (size_t i = 0; i < a->n; i++)
		sent = m->nodes[a->nodes[i]].row < 0 ? &m->nodes[a->nodes[i]] : sent;
	of->compute = sent ? sent->sum_compute : v->sum_compute;
	of->experts = sent ? sent->sum_experts : v->sum_experts;
	of->idle = v->sum_idle;
}

static void walk(struct making *m)
{
	size_t ended = 0, computed = 0;

	m->busy = m->counted = m->start;
	for (size_t i = 0; i < m->n; i++) {
		struct node *v = &m->nodes[i];
		struct awaited a = { .n = 0 };
		/* what ended, and comes before this one also if both take no time */
		for (; ended < m->n && m->nodes[m->by_end[ended]].end <= v->ts && m->by_end[ended] < i; ended++)
			if (m->nodes[m->by_end[ended]].row >= 0 && !m->nodes[m->by_end[ended]].sends)
				m->joined[m->n_joined++] = m->by_end[ended];
		while (computed < m->n_computing && m->computing[computed] < i && m->nodes[m->computing[computed]].end <= v->ts)
			computed++;
		uint32_t before = predecessor(m, v);
		if (v->row >= 0) {
			await(&a, before);
			await_launched(m, &a, v, computed);
			await_between(m, &a, v);
		} else if (before != TL_NONE && tl_ticks_sub(v->ts, m->nodes[before].end) <= m->five) {
			await(&a, before);
		} else {
			await_ended(m, &a, ended);
		}
		int64_t gap = trace_back(m, v, &a);
		sum_up(m, v, i ? v - 1 : NULL, &a, gap);
		m->last[v->stream] = (uint32_t)i;
	}
	struct origins o = { .n = 0 };
	for (size_t s = 0; s < m->n_streams; s++)
		if (m->last[s] != TL_NONE)
			add_origins_of(m, &o, &m->nodes[m->last[s]], 0);
	struct tl_comm_edges *end = &m->of[m->n_rows];
	memcpy(end->edges, o.items, o.n * sizeof *o.items);
	end->n = o.n;
	if (m->n) {
		end->compute = m->nodes[m->n - 1].sum_compute;
		end->experts = m->nodes[m->n - 1].sum_experts;
		end->idle = m->nodes[m->n - 1].sum_idle;
	}
}

/* ---- the events ---------------------------------------------------------------------------------------- */

TL_ORDER_IN(by_end, uint32_t, struct node, TL_ASC(ctx[*x].end) TL_ASC(*x))
TL_ORDER(by_start, struct node, TL_ASC(x->ts) TL_ASC(x->end))

static void take_events(struct making *m, const struct tl_table *rows)
{
	struct tl_trace *t = m->trace;
	struct tl_name_answers grouped, types;
	struct tl_arg correlation = tl_arg_of(t, "correlation");
	struct tl_map streams = { 0 }, row_of = { 0 };

	tl_name_answers_init(&grouped, TL_KERNEL_GROUPED, &t->strings);
	tl_name_answers_init(&types, TL_COLLECTIVE_TYPES, rows->strings);
	for (size_t i = 0; i < rows->n_rows; i++)
		*tl_map_put(&row_of, (uint64_t)tl_table_cell(rows, i, COLL_UID).i, NULL) = (uint32_t)i;
	m->nodes = tl_alloc((t->n_events + 1) * sizeof *m->nodes);
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		int64_t launch;
		if (!tl_gpu_usable(e))
			continue;
		const uint32_t *row = tl_map_get(&row_of, e->uid);
		struct node *v = &m->nodes[m->n++];
		*v = (struct node){ .ts = e->ts, .end = tl_ev_end(e), .row = row ? (int64_t)*row : -1, .stream = tl_map_number(&streams, e->track, NULL),
			.launch = tl_arg_get(&correlation, t, i, &launch) == TL_FIELD_INT ? launch : -1, .grouped = !row && *tl_name_answer(&grouped, e->name) };
		struct tl_cell name = row ? tl_table_cell(rows, *row, COLL_COLLECTIVE_NAME) : tl_cell_null();
		v->sends = name.type == TL_CELL_TEXT && !strcmp(tl_name_answer(&types, name.text), "send");
	}
	m->n_streams = streams.count;
	tl_merge_sort(m->nodes, m->n, sizeof *m->nodes, by_start, NULL);
	tl_name_answers_release(&grouped);
	tl_name_answers_release(&types);
	tl_map_release(&streams);
	tl_map_release(&row_of);
}

/* The orders of the events that the rules need. */
static void arrange(struct making *m)
{
	int64_t *ticks = tl_calloc(m->n_streams + 1, sizeof *ticks);
	size_t most = 0;

	m->by_end = tl_alloc((m->n + 1) * sizeof *m->by_end);
	m->computing = tl_alloc((m->n + 1) * sizeof *m->computing);
	m->joined = tl_alloc((m->n_rows + 1) * sizeof *m->joined);
	m->last = tl_alloc((m->n_streams + 1) * sizeof *m->last);
	for (size_t i = 0; i < m->n; i++) {
		const struct node *v = &m->nodes[i];
		m->by_end[i] = (uint32_t)i;
		if (v->row < 0)
			ticks[v->stream] = tl_ticks_add(ticks[v->stream], tl_ticks_sub(v->end, v->ts));
	}
	for (size_t s = 0; s < m->n_streams; s++) {
		m->last[s] = TL_NONE;
		most = ticks[s] > ticks[most] ? s : most;
	}
	for (size_t i = 0; i < m->n; i++)
		if (m->nodes[i].row < 0 && m->nodes[i].stream == most)
			m->computing[m->n_computing++] = (uint32_t)i;
	m->computes = (uint32_t)most;
	tl_merge_sort(m->by_end, m->n, sizeof *m->by_end, by_end, m->nodes);
	free(ticks);
}

/* ---- the table ------------------------------------------------------------------------------------------- */

static void add(struct tl_table *t, int64_t row, int64_t from, int64_t compute, int64_t experts, int64_t gap)
{
	tl_table_add_row(t, (const struct tl_cell[]){ tl_cell_int(row), tl_cell_int(from), tl_cell_int(compute), tl_cell_int(experts), tl_cell_int(gap) });
}

struct tl_table *tl_comm_edges_table(struct tl_trace *t, const struct tl_collectives *c, struct tl_strtab *strings)
{
	const struct tl_table *rows = tl_collectives_rows(c);
	const struct tl_steps *steps = tl_steps_of(t);
	struct making m = { .trace = t, .n_rows = rows->n_rows, .five = tl_ticks_of_us(CHAIN_US, t->ticks_per_us) };
	int64_t *ends = tl_alloc((rows->n_rows + 1) * sizeof *ends), end = 0;

	if (!rows->n_rows) {
		free(ends);
		return NULL;
	}
	for (size_t i = 0; i < rows->n_rows; i++)
		ends[i] = tl_ticks_add(tl_table_cell(rows, i, COLL_TS).i, tl_table_cell(rows, i, COLL_DUR).i);
	m.ends = ends;
	m.of = tl_calloc(rows->n_rows + 1, sizeof *m.of);
	take_events(&m, rows);
	arrange(&m);
	m.start = m.n ? m.nodes[0].ts : 0;
	if (tl_steps_are_marked(steps) && steps->n && steps->items[0].from < m.start)
		m.start = steps->items[0].from;
	walk(&m);
	for (size_t i = 0; i < m.n; i++)
		end = !i || m.nodes[i].end > end ? m.nodes[i].end : end;
	struct tl_table *to = tl_table_new(strings, t->ticks_per_us, columns);
	for (size_t i = 0; i <= m.n_rows; i++) {
		const struct tl_comm_edges *of = &m.of[i];
		add(to, SUMS, (int64_t)i, of->compute, of->experts, of->idle);
		for (size_t k = 0; k < of->n; k++)
			add(to, (int64_t)i, of->edges[k].from, of->edges[k].compute, of->edges[k].experts, of->edges[k].gap);
	}
	add(to, TIMES, 0, m.start, end, 0);
	free(m.nodes);
	free(m.by_end);
	free(m.computing);
	free(m.joined);
	free(m.origins);
	free(m.last);
	free(m.of);
	free(ends);
	return to;
}

/* ---- reading ----------------------------------------------------------------------------------------------- */

void tl_rank_edges_release(struct tl_rank_edges *e)
{
	free(e->of);
	*e = (struct tl_rank_edges){ 0 };
}

static enum tl_cell_type type_of(const char *column)
{
	(void)column;
	return TL_CELL_INT;
}

/* One row; false: it is none. */
static bool take_row(struct tl_rank_edges *e, const int64_t *v)
{
	if (v[ROW] == TIMES) {
		e->start = v[COMPUTE];
		e->end = v[EXPERTS];
		return e->end >= e->start;
	}
	int64_t of = v[ROW] == SUMS ? v[FROM] : v[ROW];
	if (of < 0 || (uint64_t)of > e->n || v[COMPUTE] < 0 || v[EXPERTS] < 0 || v[GAP] < 0)
		return false;
	struct tl_comm_edges *to = &e->of[of];
	if (v[ROW] == SUMS) {
		to->compute = v[COMPUTE];
		to->experts = v[EXPERTS];
		to->idle = v[GAP];
		return true;
	}
	if (v[FROM] < TL_FROM_START || v[FROM] >= (int64_t)e->n || to->n == TL_EDGES_MOST)
		return false;
	to->edges[to->n++] = (struct tl_comm_edge){ v[FROM], v[COMPUTE], v[EXPERTS], v[GAP] };
	return true;
}

enum tl_status tl_comm_edges_read(struct tl_rank_edges *e, size_t n, struct tl_input *in, struct tl_error *err)
{
	static const struct tl_tsv_columns wanted = { columns, NULL, type_of };
	struct tl_strtab strings = { 0 };
	struct tl_table *t = NULL;

	if (e->of)
		return tl_fail(err, TL_ERR_DATA, "the part has two tables " TL_COMM_EDGES);
	enum tl_status st = tl_tsv_read_table(in, &strings, &wanted, &t, err);
	*e = (struct tl_rank_edges){ .n = n, .of = tl_calloc(n + 1, sizeof *e->of) };
	for (size_t i = 0; !st && i < t->n_rows; i++) {
		int64_t v[N];
		bool whole = true;
		for (size_t k = 0; k < N; k++) {
			struct tl_cell c = tl_table_cell(t, i, k);
			v[k] = c.i;
			whole = whole && c.type == TL_CELL_INT && c.i < INT64_C(1) << 62 && c.i > -(INT64_C(1) << 62);
		}
		if (!whole || !take_row(e, v))
			st = tl_fail(err, TL_ERR_DATA, "row %zu of the table " TL_COMM_EDGES " of the part is no edge", i + 1);
	}
	if (st)
		tl_rank_edges_release(e);
	tl_table_free(t);
	tl_strtab_release(&strings);
	return st;
}
