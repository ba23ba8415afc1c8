/* api.c - the sheets of tl-api: calls of the runtime and driver, copies and sets of memory, ranges of the host.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/args.h"
#include "work/calls.h"
#include "work/device_events.h"
#include "work/kept.h"
#include "work/range_names.h"
#include "base/merge_sort.h"
#include "base/search.h"
#include "work/name_rules.h"
#include "model/trace.h"
#include "sheet/api.h"
#include "sheets/api.h"

#include <stdlib.h>
#include <string.h>

/* ---- api ------------------------------------------------------------------------- */

struct tl_api {
	struct tl_trace *trace;
	struct tl_api_doubts doubts;
	bool full_range_text;
	const struct tl_table *copies, *ranges; /* the raw rows of the sheet that is being made */
};

struct tl_api *tl_api_new(struct tl_trace *t, bool full_range_text)
{
	struct tl_api *a = tl_calloc(1, sizeof *a);

	a->trace = t;
	a->full_range_text = full_range_text;
	return a;
}

void tl_api_free(struct tl_api *a)
{
	free(a);
}

struct tl_trace *tl_api_trace(const struct tl_api *a)
{
	return a->trace;
}

struct tl_api_doubts tl_api_doubts(const struct tl_api *a)
{
	return a->doubts;
}

/* ---- device work of ranges ---------------------------------------------------------- */

/* A call that launched work, or a range. first, last, n: of the work. */
struct item { uint64_t thread; int64_t start, end, first, last; uint32_t event, n, rank; };
struct items { struct item *items; size_t n, cap; };

/* The work of some calls together. */
struct work { int64_t first, last; uint64_t n; };

/* A Fenwick tree of the calls by rank, from the last: sums of those from a rank on. */
struct tree { struct work *nodes; size_t n; };

static void add_work(struct work *to, const struct work *w)
{
	if (!w->n)
		return;
	to->first = !to->n || w->first < to->first ? w->first : to->first;
	to->last = !to->n || w->last > to->last ? w->last : to->last;
	to->n += w->n;
}

static void tree_add(struct tree *t, size_t rank, const struct work *w)
{
	for (size_t i = t->n - rank; i <= t->n; i += i & -i)
		add_work(&t->nodes[i], w);
}

static struct work tree_from(const struct tree *t, size_t rank)
{
	struct work sum = { 0 };

	for (size_t i = t->n - rank; i; i -= i & -i)
		add_work(&sum, &t->nodes[i]);
	return sum;
}

static int compare(uint64_t a_thread, int64_t a, uint64_t b_thread, int64_t b)
{
	return a_thread != b_thread ? (a_thread < b_thread ? -1 : 1) : (a > b) - (a < b);
}

static int by_start(const void *a, const void *b, void *unused)
{
	const struct item *x = a, *y = b;

	(void)unused;
	return compare(x->thread, x->start, y->thread, y->start);
}

static int by_end(const void *a, const void *b, void *unused)
{
	const struct item *x = a, *y = b;

	(void)unused;
	return compare(x->thread, x->end, y->thread, y->end);
}

static void add_item(struct items *l, const struct tl_trace *t, uint32_t event)
{
	const struct tl_ev *e = &t->events[event];
	const struct tl_trace_track *track = &t->tracks[e->track];

	TL_GROW(l->items, l->cap, l->n + 1);
	l->items[l->n++] = (struct item){ .thread = (uint64_t)track->pid << 32 | track->tid, .start = e->ts, .end = tl_ev_end(e),
	                                  .event = event };
}

static void add_call_with_work(struct items *calls, const struct tl_copies *copies, uint32_t event)
{
	const struct tl_trace *t = copies->trace;
	uint32_t n;
	const uint32_t *launched = tl_launched_by(copies, event, &n);
	struct work w = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		const struct tl_ev *e = &t->events[launched[i]];
		if (tl_gpu_usable(e))
			add_work(&w, &(struct work){ e->ts, tl_ev_end(e), 1 });
	}
	if (!w.n)
		return;
	add_item(calls, t, event);
	struct item *c = &calls->items[calls->n - 1];
	c->first = w.first;
	c->last = w.last;
	c->n = (uint32_t)w.n;
}

/* The first call of a thread, by start, that starts at a time or later. */
static size_t first_from(const struct items *starts, uint64_t thread, int64_t time)
{
	size_t at;

	TL_SEARCH(at, starts->n, mid, compare(starts->items[mid].thread, starts->items[mid].start, thread, time) < 0);
	return at;
}

/* Fills the work of the ranges. Calls enter the tree by thread and end, so that those in it
 * end before the range does; those of later threads are not in it yet. */
static void find_work(struct items *ranges, struct items *calls)
{
	struct items starts = { .n = calls->n };
	struct tree tree = { tl_calloc(calls->n + 1, sizeof(struct work)), calls->n };
	size_t next = 0;

	tl_merge_sort(calls->items, calls->n, sizeof *calls->items, by_start, NULL);
	for (size_t i = 0; i < calls->n; i++)
		calls->items[i].rank = (uint32_t)i;
	starts.items = tl_alloc((calls->n + 1) * sizeof *starts.items);
	if (calls->n)
		memcpy(starts.items, calls->items, calls->n * sizeof *starts.items);
	tl_merge_sort(calls->items, calls->n, sizeof *calls->items, by_end, NULL);
	tl_merge_sort(ranges->items, ranges->n, sizeof *ranges->items, by_end, NULL);
	for (size_t i = 0; i < ranges->n; i++) {
		struct item *r = &ranges->items[i];
		for (; next < calls->n && by_end(&calls->items[next], r, NULL) <= 0; next++) {
			const struct item *c = &calls->items[next];
			tree_add(&tree, c->rank, &(struct work){ c->first, c->last, c->n });
		}
		struct work w = tree_from(&tree, first_from(&starts, r->thread, r->start));
		r->first = w.first;
		r->last = w.last;
		r->n = (uint32_t)w.n;
	}
	free(starts.items);
	free(tree.nodes);
}

/* ---- rows ------------------------------------------------------------------------------ */

struct fields { struct tl_arg domain, style, end_thread; };

/* DOMAIN:NAME if the range tells its domain, as Nsight Systems shows ranges; else the name. */
static struct tl_cell name_cell(struct tl_trace *t, const struct fields *f, uint32_t event, uint32_t name, struct tl_buf *text)
{
	int64_t domain;

	if (tl_arg_get(&f->domain, t, event, &domain) != TL_FIELD_STRING)
		return tl_name_cell(t, name);
	tl_buf_clear(text);
	tl_buf_add(text, tl_str(&t->strings, (uint32_t)domain), tl_str_len(&t->strings, (uint32_t)domain));
	tl_buf_addc(text, ':');
	tl_buf_add(text, tl_str(&t->strings, name), tl_str_len(&t->strings, name));
	return tl_cell_text(tl_intern(&t->strings, text->data, text->len));
}

static void add_row(const struct tl_api *a, struct tl_table *rows, const struct fields *f, const struct item *r, struct tl_buf *text)
{
	struct tl_trace *t = a->trace;
	uint32_t whole = tl_range_text(t, r->event);
	struct tl_cell c[N_RANGE] = { 0 };
	int64_t value;
	bool moves = tl_arg_get(&f->end_thread, t, r->event, &value) != 0;

	c[RANGE_NAME] = name_cell(t, f, r->event, a->full_range_text ? whole : tl_range_folded(t, r->event), text);
	c[RANGE_TEXT] = tl_name_cell(t, whole);
	if (tl_arg_get(&f->style, t, r->event, &value) == TL_FIELD_STRING)
		c[RANGE_STYLE] = tl_cell_text((uint32_t)value);
	c[RANGE_HOST_TIME_US] = tl_duration_cell(&t->events[r->event]);
	c[RANGE_LAUNCHES] = tl_cell_int(r->n && !moves);
	c[RANGE_DEVICE_EVENTS] = tl_cell_int(moves ? 0 : r->n);
	if (r->n && !moves)
		c[RANGE_DEVICE_SPAN_US] = tl_cell_time(tl_ticks_sub(r->last, r->first), false);
	tl_table_add_row(rows, c);
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Fills how many different texts ranges have, and the first one. */
void tl_api_texts(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	const struct tl_api *a = ctx;
	uint32_t *texts = tl_alloc((n + 1) * sizeof *texts);
	int64_t different = 0;

	for (size_t i = 0; i < n; i++)
		texts[i] = tl_table_cell(a->ranges, rows[i], RANGE_TEXT).text;
	cells[1] = tl_cell_text(texts[0]);
	qsort(texts, n, sizeof *texts, by_number);
	for (size_t i = 0; i < n; i++)
		different += !i || texts[i] != texts[i - 1];
	cells[0] = tl_cell_int(different);
	free(texts);
}

/* A row for the ranges of one name and style. A range's device time goes from the first start
 * to the last end of the device events whose calls lie wholly inside the range, on the thread
 * of the range; one that ends on another thread has none. The trace must have its annotations.
 * Takes the time of sorting its ranges and launching calls. */
void tl_api_ranges(void *ctx, struct tl_sheet_input *in)
{
	struct tl_api *a = ctx;
	struct tl_trace *t = a->trace;
	struct tl_table *rows = in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, tl_api_range_rows);
	struct items ranges = { 0 }, calls = { 0 };
	struct tl_buf text = { 0 };
	struct fields f;
	const struct tl_copies *copies = tl_copies_of(t);

	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (!(e->flags & TL_EV_HAS_TS) || !(e->flags & TL_EV_HAS_DUR))
			continue;
		if (tl_is_range(t, i))
			add_item(&ranges, t, i);
		else if (tl_kind_is_launch(e->kind) && !tl_is_copy(copies, i))
			add_call_with_work(&calls, copies, i);
	}
	find_work(&ranges, &calls);
	f.domain = tl_arg_of(t, TL_KEY_DOMAIN);
	f.style = tl_arg_of(t, TL_KEY_STYLE);
	f.end_thread = tl_arg_of(t, TL_KEY_END_THREAD);
	for (size_t i = 0; i < ranges.n; i++)
		add_row(a, rows, &f, &ranges.items[i], &text);
	a->ranges = rows;
	tl_buf_release(&text);
	free(ranges.items);
	free(calls.items);
}

/* ---- api_summary -------------------------------------------------------------- */

/* The device event that a call launched and that starts first, or TL_NONE; *n: how many
 * the call launched. */
static uint32_t first_launched(const struct tl_copies *copies, uint32_t call, uint32_t *n)
{
	const struct tl_trace *t = copies->trace;
	uint32_t first = TL_NONE, all, usable = 0;
	const uint32_t *gpus = tl_launched_by(copies, call, &all);

	for (uint32_t i = 0; i < all; i++) {
		const struct tl_ev *e = &t->events[gpus[i]];
		if (!tl_gpu_usable(e))
			continue;
		usable++;
		if (first == TL_NONE || e->ts < t->events[first].ts)
			first = gpus[i];
	}
	*n = usable;
	return first;
}

static void latency_cells(struct tl_api *a, const struct tl_ev *call, uint32_t first, struct tl_cell *c)
{
	const struct tl_ev *g = &a->trace->events[first];
	int64_t queued = tl_ticks_sub(g->ts, tl_ev_end(call));

	a->doubts.launches++;
	a->doubts.early += g->ts < call->ts;
	if (g->ts >= call->ts)
		c[CALL_LAUNCH_LATENCY_US] = tl_cell_time(tl_ticks_sub(g->ts, call->ts), false);
	c[CALL_QUEUE_TIME_US] = tl_cell_time(queued > 0 ? queued : 0, false);
}

static void add_call(struct tl_api *a, const struct tl_copies *copies, struct tl_table *rows, uint32_t event,
                     const struct tl_cell api[2])
{
	const struct tl_ev *e = &a->trace->events[event];
	struct tl_cell c[N_CALL] = { 0 };
	uint32_t n, first = first_launched(copies, event, &n);

	c[CALL_NAME] = tl_name_cell(a->trace, e->name);
	c[CALL_API] = api[e->kind == TL_KIND_DRIVER];
	c[CALL_HOST_TIME_US] = tl_duration_cell(e);
	c[CALL_DEVICE_EVENTS] = tl_cell_int(n);
	if (n)
		latency_cells(a, e, first, c);
	tl_table_add_row(rows, c);
}

void tl_api_calls(void *ctx, struct tl_sheet_input *in)
{
	struct tl_api *a = ctx;
	struct tl_trace *t = a->trace;
	struct tl_table *rows = in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, tl_api_call_rows);
	const struct tl_cell api[] = { tl_cell_str(&t->strings, "runtime"),
		tl_cell_str(&t->strings, "driver") };
	const struct tl_copies *copies = tl_copies_of(t);

	a->doubts.launches = a->doubts.early = 0;
	for (uint32_t i = 0; i < t->n_events; i++)
		if (tl_kind_is_launch(t->events[i].kind) && tl_ev_has_span(&t->events[i]) && !tl_is_copy(copies, i))
			add_call(a, copies, rows, i, api);
}

/* ---- memcpy_summary ----------------------------------------------------------- */

/* GB/s, 10^9 bytes a second; null if no time passed. */
static struct tl_cell rate(const struct tl_trace *t, double bytes, int64_t ticks)
{
	return ticks > 0 ? tl_cell_real(bytes / tl_trace_us(t, ticks) / 1e3) : tl_cell_null();
}

/* Fills the sum of the bytes that copies have, and the rate of those copies; null without any. */
void tl_api_amounts(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	const struct tl_api *a = ctx;
	int64_t bytes = 0, ticks = 0;
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		struct tl_cell b = tl_table_cell(a->copies, rows[i], COPY_BYTES);
		if (b.type != TL_CELL_INT)
			continue;
		any = true;
		bytes = tl_ticks_add(bytes, b.i);
		ticks = tl_ticks_add(ticks, tl_table_cell(a->copies, rows[i], COPY_TIME_US).i);
	}
	cells[0] = any ? tl_cell_int(bytes) : tl_cell_null();
	cells[1] = any ? rate(a->trace, (double)bytes, ticks) : tl_cell_null();
}

struct copies {
	struct tl_api *api;
	struct tl_table *rows;
	struct tl_arg bytes, memory, cause, migration;
	struct tl_name_answers *directions;
};

/* "HtoD" and so on; "" for a kernel that neither copies nor sets memory. */
static const char *direction_of(struct copies *c, const struct tl_ev *e)
{
	const char *answer = tl_name_answer(c->directions, e->name);

	if (*answer || e->kind == TL_KIND_KERNEL)
		return answer;
	return e->kind == TL_KIND_MEMSET ? "memset" : "unknown";
}

static void add_copy(struct copies *c, uint32_t event, const char *direction)
{
	struct tl_trace *t = c->api->trace;
	const struct tl_ev *e = &t->events[event];
	struct tl_cell cells[N_COPY] = { 0 };
	int64_t bytes;

	cells[COPY_DIRECTION] = tl_cell_str(&t->strings, direction);
	cells[COPY_MEMORY] = tl_memory_kinds(t, &c->memory, event);
	cells[COPY_NAME] = tl_name_cell(t, e->name);
	cells[COPY_CAUSE] = tl_arg_cell(t, &c->cause, event);
	cells[COPY_MIGRATION] = tl_cell_bool(tl_arg_get(&c->migration, t, event, &bytes) != 0);
	cells[COPY_TIME_US] = tl_duration_cell(e);
	bytes = -1;
	if (tl_arg_get(&c->bytes, t, event, &bytes) == TL_FIELD_INT && bytes >= 0) {
		cells[COPY_BYTES] = tl_cell_int(bytes);
		cells[COPY_GB_S] = rate(t, (double)bytes, e->dur);
	} else {
		c->api->doubts.copies_without_bytes++;
	}
	c->api->doubts.copies++;
	tl_table_add_row(c->rows, cells);
}

/* All sheets of copies. */
void tl_api_copies(void *ctx, struct tl_sheet_input *in)
{
	struct tl_api *a = ctx;
	struct tl_trace *t = a->trace;
	struct copies c = { .api = a, .rows = tl_table_new(&t->strings, t->ticks_per_us, tl_api_copy_rows) };

	a->doubts.copies = a->doubts.copies_without_bytes = 0;
	c.bytes = tl_arg_of(t, TL_KEY_BYTES);
	c.memory = tl_arg_of(t, TL_KEY_MEMORY);
	c.cause = tl_arg_of(t, TL_KEY_CAUSE);
	c.migration = tl_arg_of(t, TL_KEY_MIGRATION);
	c.directions = tl_kept_answers(t, TL_MEMCPY_DIRECTIONS);
	for (uint32_t i = 0; i < t->n_events; i++) {
		const char *direction = tl_gpu_usable(&t->events[i]) ? direction_of(&c, &t->events[i]) : "";
		if (*direction)
			add_copy(&c, i, direction);
	}
	in->own_rows = c.rows;
	a->copies = c.rows;
}

/* ---- nodes of graphs ------------------------------------------------------------------------ */

void tl_api_graph_nodes(void *ctx, struct tl_sheet_input *in)
{
	struct tl_trace *t = ((const struct tl_api *)ctx)->trace;
	struct tl_arg of_node = tl_arg_of(t, TL_KEY_NSYS_NODE), of_graph = tl_arg_of(t, TL_KEY_NSYS_GRAPH);
	struct tl_table *rows = in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, tl_api_graph_node_rows);
	int64_t node, graph;

	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (!tl_gpu_usable(e) || tl_arg_get(&of_node, t, i, &node) != TL_FIELD_INT)
			continue;
		if (tl_arg_get(&of_graph, t, i, &graph) != TL_FIELD_INT) /* older versions */
			graph = (int64_t)((uint64_t)node >> 32);
		struct tl_cell cells[N_GRAPH_NODE] = { [GRAPH_NODE_GRAPH] = tl_cell_int(graph), [GRAPH_NODE_NODE] = tl_cell_int(node & UINT32_MAX),
			[GRAPH_NODE_NAME] = tl_name_cell(t, e->name), [GRAPH_NODE_TIME_US] = tl_duration_cell(e) };
		tl_table_add_row(rows, cells);
	}
}
