/* range_summary.c - the sheet range_summary: ranges, and the device work launched in them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/range_summary.h"

#include "analysis/args.h"
#include "analysis/copies.h"
#include "analysis/device_events.h"
#include "base/merge_sort.h"
#include "base/search.h"
#include "model/trace_work.h"

#include <stdlib.h>
#include <string.h>

/* ---- definition ------------------------------------------------------------------- */

#define HOST "host_time_us"
#define DEVICE "device_span_us"

/* Columns of the rows, one a range. */
enum { NAME, STYLE, TIME, LAUNCHES, SPAN, EVENTS, N_COLUMNS };
static const char *const row_columns[] = { "name", "style", HOST, "launches", DEVICE, "device events", NULL };

static const struct tl_column columns[] = {
	{ "name", .kind = TL_KEY },
	{ "style", .kind = TL_KEY },
	{ "Count", .kind = TL_COUNT },
	{ HOST "_sum", .kind = TL_SUM, .in = HOST, .hidden = true },
	{ "host_time_ms", .kind = TL_MS, .in = HOST "_sum" },
	{ "Percentage (%)", .kind = TL_PERCENT, .in = "host_time_ms" },
	TL_STATISTICS(HOST, 0, false),
	{ "launching_count", .kind = TL_SUM, .in = "launches" },
	{ "device_event_count", .kind = TL_SUM, .in = "device events" },
	{ DEVICE "_sum", .kind = TL_SUM, .in = DEVICE, .hidden = true },
	{ "device_span_ms", .kind = TL_MS, .in = DEVICE "_sum" },
	TL_STATISTICS(DEVICE, 0, false),
	{ .name = NULL }
};
const struct tl_sheet_def tl_range_summary_sheet = {
	.name = "range_summary", .rows = row_columns, .columns = columns,
	.keys_ascending = true, .order = { { HOST "_sum", true } },
};

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

static void add_call(struct items *calls, const struct tl_copies *copies, uint32_t event)
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
static struct tl_cell name_cell(struct tl_trace *t, const struct fields *f, uint32_t event, struct tl_buf *text)
{
	uint32_t name = t->events[event].name;
	int64_t domain;

	if (tl_arg_get(&f->domain, t, event, &domain) != TL_FIELD_STRING)
		return tl_name_cell(t, name);
	tl_buf_clear(text);
	tl_buf_add(text, tl_str(&t->strings, (uint32_t)domain), tl_str_len(&t->strings, (uint32_t)domain));
	tl_buf_addc(text, ':');
	tl_buf_add(text, tl_str(&t->strings, name), tl_str_len(&t->strings, name));
	return tl_cell_text(tl_intern(&t->strings, text->data, text->len));
}

static void add_row(struct tl_table *rows, struct tl_trace *t, const struct fields *f, const struct item *r, struct tl_buf *text)
{
	struct tl_cell c[N_COLUMNS] = { 0 };
	int64_t value;
	bool moves = tl_arg_get(&f->end_thread, t, r->event, &value) != 0;

	c[NAME] = name_cell(t, f, r->event, text);
	if (tl_arg_get(&f->style, t, r->event, &value) == TL_FIELD_STRING)
		c[STYLE] = tl_cell_text((uint32_t)value);
	c[TIME] = tl_duration_cell(&t->events[r->event]);
	c[LAUNCHES] = tl_cell_int(r->n && !moves);
	c[EVENTS] = tl_cell_int(moves ? 0 : r->n);
	if (r->n && !moves)
		c[SPAN] = tl_cell_time(tl_ticks_sub(r->last, r->first), false);
	tl_table_add_row(rows, c);
}

struct tl_table *tl_range_summary(struct tl_trace *t)
{
	struct tl_table *rows = tl_table_new(&t->strings, t->ticks_per_us, row_columns);
	struct items ranges = { 0 }, calls = { 0 };
	struct tl_buf text = { 0 };
	struct fields f;
	struct tl_copies copies;

	tl_copies_init(&copies, t);
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (!(e->flags & TL_EV_HAS_TS) || !(e->flags & TL_EV_HAS_DUR))
			continue;
		if (e->kind == TL_KIND_ANNOTATION)
			add_item(&ranges, t, i);
		else if (tl_kind_is_launch(e->kind) && !tl_is_copy(&copies, i))
			add_call(&calls, &copies, i);
	}
	tl_copies_release(&copies);
	find_work(&ranges, &calls);
	tl_arg_init(&f.domain, t, TL_KEY_DOMAIN);
	tl_arg_init(&f.style, t, TL_KEY_STYLE);
	tl_arg_init(&f.end_thread, t, TL_KEY_END_THREAD);
	for (size_t i = 0; i < ranges.n; i++)
		add_row(rows, t, &f, &ranges.items[i], &text);
	tl_arg_release(&f.domain);
	tl_arg_release(&f.style);
	tl_arg_release(&f.end_thread);
	tl_buf_release(&text);
	free(ranges.items);
	free(calls.items);
	return tl_sheet_make(&tl_range_summary_sheet, &(struct tl_sheet_input){ .own_rows = rows });
}
