/* roofline_unified.c - the sheet unified_perf_summary: every piece of device work once,
 * under the operator that says most about it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/roofline_rows.h"

#include "model/trace_work.h"
#include "roofline/call_stacks.h"

#include <stdlib.h>
#include <string.h>

enum { LEAF_LEVELS = 10 };

enum { /* marks of events */
	MODELLED_BELOW = 1, /* an operator below has a model and device work */
	VISITED = 2,
	COVERED = 4,        /* a device event of some row */
};

struct tl_unified {
	struct tl_roofline_tools *tools;
	struct tl_measure *m;
	struct tl_rows rows;
	uint8_t *marks;            /* by event */
	struct tl_map categories;  /* name and first kernel -> string id */
	struct tl_map wrapper_at;  /* wrapper -> 1 + index in wrappers */
	struct wrapper { uint32_t forward; const struct tl_evaluation *x; struct tl_work work; } *wrappers;
	size_t n_wrappers, cap_wrappers;
	uint32_t *todo; size_t n_todo, cap_todo;
	uint64_t next_uid;
	bool python;
	bool stacks;               /* kernels are shown with their call stacks */
};

static const struct tl_ev *ev(const struct tl_unified *u, uint32_t e)
{
	return &u->m->trace->events[e];
}

static const uint32_t *gpu_of(struct tl_unified *u, uint32_t e, uint32_t *n)
{
	return tl_trace_work(u->m->trace, e, n);
}

static bool has_gpu(struct tl_unified *u, uint32_t e)
{
	uint32_t n;
	gpu_of(u, e, &n);
	return n > 0;
}

/* ---- what is known beforehand ------------------------------------------------------ */

static void mark_modelled(struct tl_unified *u)
{
	const struct tl_trace *t = u->m->trace;

	for (size_t i = 0; i < u->m->n_named; i++) {
		uint32_t e = u->m->named[i];
		if (t->events[e].kind != TL_KIND_CPU_OP || !has_gpu(u, e) || !tl_measure_modelled(u->m, e))
			continue;
		for (uint32_t p = t->events[e].parent; p != TL_NONE && !(u->marks[p] & MODELLED_BELOW); p = t->events[p].parent) {
			if (t->events[p].kind != TL_KIND_CPU_OP && t->events[p].kind != TL_KIND_PYTHON)
				break;
			u->marks[p] |= MODELLED_BELOW;
		}
	}
}

/* Is there device work within a few levels of runtime calls and frames below e? */
static bool is_leaf(struct tl_unified *u, uint32_t e, int levels)
{
	uint32_t n;

	if (tl_kind_is_launch(ev(u, e)->kind)) {
		tl_trace_launched(u->m->trace, e, &n);
		if (n)
			return true;
	}
	if (!levels)
		return false;
	for (uint32_t c = ev(u, e)->first_child; c != TL_NONE; c = ev(u, c)->next_sibling) {
		if (tl_kind_is_gpu(ev(u, c)->kind))
			return true;
		if ((ev(u, c)->kind == TL_KIND_RUNTIME || ev(u, c)->kind == TL_KIND_PYTHON) && is_leaf(u, c, levels - 1))
			return true;
	}
	return false;
}

static bool has_comm(struct tl_unified *u, uint32_t e)
{
	uint32_t n;
	const uint32_t *gpu = gpu_of(u, e, &n);

	for (uint32_t i = 0; i < n; i++)
		if (tl_gpu_is_comm(&u->tools->launchers.work, u->m->trace, gpu[i]))
			return true;
	return false;
}

/* ---- backward nodes that stand for a modelled forward -------------------------------- */

/* What a wrapper stands for; forward TL_NONE when nothing does. */
static struct wrapper look_at_wrapper(struct tl_unified *u, uint32_t w)
{
	struct wrapper r = { .forward = TL_NONE };
	uint32_t f = u->m->trace->fwd_of[w];

	if (!tl_measure_stands_for(u->m, w))
		return r;
	tl_work_backward(&u->m->device_work, f, &r.work);
	r.x = tl_measure_evaluate(u->m, tl_measure_op(u->m, f), f, &r.work, true);
	if (r.x->outcome == TL_PERF_OK)
		r.forward = f;
	return r;
}

/* What the wrapper around e stands for when e alone is the backward pass of a
 * forward event, else NULL. */
static const struct wrapper *sole_backward(struct tl_unified *u, uint32_t e)
{
	uint32_t w = tl_backward_wrapper(u->m->trace, e);

	if (w == TL_NONE)
		return NULL;
	uint32_t *at = tl_map_put(&u->wrapper_at, w, NULL);
	if (!*at) {
		struct wrapper r = look_at_wrapper(u, w);
		TL_GROW(u->wrappers, u->cap_wrappers, u->n_wrappers + 1);
		u->wrappers[u->n_wrappers++] = r;
		*at = (uint32_t)u->n_wrappers;
	}
	const struct wrapper *r = &u->wrappers[*at - 1];
	return r->forward == TL_NONE ? NULL : r;
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* Name of the first kernel of e as a launcher; 0 when it is none. */
static uint32_t kernel0(struct tl_unified *u, uint32_t e)
{
	uint32_t at = u->tools->launchers.of_event[e];

	return at == TL_NONE ? 0 : ev(u, u->tools->launchers.by_ts[u->tools->launchers.items[at].first])->name;
}

static uint32_t category_of(struct tl_unified *u, uint32_t e, uint32_t name)
{
	struct tl_strtab *s = &u->m->trace->strings;
	uint32_t kernel = kernel0(u, e);
	bool is_new;
	uint32_t *known = tl_map_put(&u->categories, (uint64_t)name << 32 | kernel, &is_new);

	if (is_new)
		*known = tl_intern_str(s, tl_op_category(u->m->registry, tl_str(s, name), kernel ? tl_str(s, kernel) : NULL));
	return *known;
}

/* What a model says about e, if there is one, as an answer in row. False: the
 * model wants no row. */
static bool ask_model(struct tl_unified *u, uint32_t e, struct tl_row_about *row, struct tl_work *work)
{
	const struct tl_evaluation *x;

	if (row->name != ev(u, e)->name || !tl_measure_modelled(u->m, e)) {
		const struct wrapper *w = sole_backward(u, e);
		if (!w)
			return true;
		row->x = w->x;
		row->modelled = true;
		row->category = tl_intern_str(&u->m->trace->strings, tl_measure_op(u->m, w->forward)->backward);
		*work = w->work;
		return true;
	}
	x = tl_measure_evaluate(u->m, tl_measure_op(u->m, e), e, work, false);
	row->modelled = true;
	if (x->outcome == TL_PERF_OK)
		row->x = x;
	if (x->outcome == TL_PERF_FAILED)
		tl_measure_note_failure(u->m, e, x);
	return x->outcome != TL_PERF_DROPPED;
}

/* A row about e with these device events; its name may be another one. */
static void add_row(struct tl_unified *u, uint32_t e, uint32_t name, const uint32_t *gpu, uint32_t n, int64_t uid, bool stacks)
{
	struct tl_row_about row = { .event = e, .name = name, .uid = uid, .kernels = gpu, .n_kernels = n, .stacks = stacks };
	struct tl_work work;

	tl_work_of(&u->m->device_work, gpu, n, &work);
	row.work = &work;
	if (!ask_model(u, e, &row, &work))
		return;
	if (!row.category)
		row.category = category_of(u, e, name);
	tl_rows_add(&u->rows, &row);
}

static void collect(struct tl_unified *u, uint32_t e)
{
	uint32_t n;
	const uint32_t *gpu = gpu_of(u, e, &n);

	for (uint32_t i = 0; i < n; i++)
		u->marks[gpu[i]] |= COVERED;
	add_row(u, e, ev(u, e)->name, gpu, n, ev(u, e)->uid, u->stacks);
}

/* ---- traversal ---------------------------------------------------------------------------------- */

static void push_children(struct tl_unified *u, uint32_t e)
{
	size_t from = u->n_todo, to;

	for (uint32_t c = ev(u, e)->first_child; c != TL_NONE; c = ev(u, c)->next_sibling) {
		if (tl_kind_is_gpu(ev(u, c)->kind))
			continue;
		TL_GROW(u->todo, u->cap_todo, u->n_todo + 1);
		u->todo[u->n_todo++] = c;
	}
	for (to = u->n_todo; from + 1 < to; from++, to--) { /* the first child on top */
		uint32_t c = u->todo[from];
		u->todo[from] = u->todo[to - 1];
		u->todo[to - 1] = c;
	}
}

static void visit(struct tl_unified *u, uint32_t e)
{
	bool cpu_op = ev(u, e)->kind == TL_KIND_CPU_OP;

	if ((!cpu_op && !u->python) || !has_gpu(u, e))
		return;
	if (tl_measure_modelled(u->m, e)) {
		collect(u, e);
	} else if (cpu_op && sole_backward(u, e)) {
		if (u->marks[e] & MODELLED_BELOW)
			push_children(u, e);
		else
			collect(u, e);
	} else if (!(u->marks[e] & MODELLED_BELOW) && cpu_op && is_leaf(u, e, LEAF_LEVELS)) {
		if (!has_comm(u, e))
			collect(u, e);
	} else {
		push_children(u, e);
	}
}

static void traverse(struct tl_unified *u, uint32_t root)
{
	u->n_todo = 0;
	TL_GROW(u->todo, u->cap_todo, 1);
	u->todo[u->n_todo++] = root;
	while (u->n_todo) {
		uint32_t e = u->todo[--u->n_todo];
		if (u->marks[e] & VISITED)
			continue;
		u->marks[e] |= VISITED;
		visit(u, e);
	}
}

static void traverse_all(struct tl_unified *u)
{
	const struct tl_trace *t = u->m->trace;

	for (uint32_t e = 0; u->python && e < t->n_events; e++)
		if (t->events[e].kind == TL_KIND_PYTHON && (t->events[e].flags & TL_EV_IN_TREE) && t->events[e].parent == TL_NONE && has_gpu(u, e))
			traverse(u, e);
	for (size_t i = 0; i < t->n_roots; i++)
		traverse(u, t->roots[i]);
}

/* ---- device work that no row has -------------------------------------------------------------- */

struct orphan { uint32_t parent, gpu, order; };

static int by_order(const void *pa, const void *pb)
{
	const struct orphan *a = pa, *b = pb;

	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return a->gpu < b->gpu ? -1 : a->gpu > b->gpu;
}

static void add_synthetic(struct tl_unified *u, const struct orphan *o)
{
	struct tl_strtab *s = &u->m->trace->strings;
	struct tl_buf text = { 0 };

	tl_buf_addf(&text, "%s->%s (Synthetic Op)", tl_str(s, ev(u, o->parent)->name), tl_str(s, ev(u, o->gpu)->name));
	add_row(u, o->parent, tl_intern(s, text.data, text.len), &o->gpu, 1, (int64_t)u->next_uid++, false);
	tl_buf_release(&text);
}

static void add_orphans(struct tl_unified *u)
{
	const struct tl_trace *t = u->m->trace;
	struct orphan *below = NULL, *others = NULL; /* an operator; none */
	size_t n_below = 0, cap_below = 0, n_others = 0, cap_others = 0;
	struct tl_map order = { 0 };
	bool is_new;

	for (uint32_t i = 0; i < u->tools->launchers.n_gpus; i++) {
		uint32_t g = u->tools->launchers.gpus[i];
		if ((u->marks[g] & COVERED) || tl_gpu_is_comm(&u->tools->launchers.work, t, g) || t->events[g].parent == TL_NONE)
			continue;
		uint32_t p = t->events[g].parent;
		while (p != TL_NONE && t->events[p].kind != TL_KIND_CPU_OP)
			p = t->events[p].parent;
		if (p != TL_NONE) {
			TL_GROW(below, cap_below, n_below + 1);
			below[n_below++] = (struct orphan){ p, g, 0 };
			continue;
		}
		uint32_t *at = tl_map_put(&order, t->events[g].parent, &is_new);
		if (is_new)
			*at = (uint32_t)n_others;
		TL_GROW(others, cap_others, n_others + 1);
		others[n_others++] = (struct orphan){ t->events[g].parent, g, *at };
	}
	if (n_others)
		qsort(others, n_others, sizeof *others, by_order);
	for (size_t i = 0; i < n_others; i++)
		add_synthetic(u, &others[i]);
	for (size_t i = 0; i < n_below; i++)
		add_synthetic(u, &below[i]);
	tl_map_release(&order);
	free(below);
	free(others);
}

/* ---- the sheet ------------------------------------------------------------------------------------ */

static tl_column_fn kernel_texts, overlap_texts;

#define FIRST(name) { name, .kind = TL_FIRST }
#define STATISTIC(of, kind_, suffix, when_, rounded_) { of suffix, .kind = kind_, .in = of, .when = when_, .rounded = rounded_ }
#define TWO_WHEN(of, when) STATISTIC(of, TL_MEAN, "_mean", when, false), STATISTIC(of, TL_STD, "_std", when, false)
#define THREE_WHEN(of, when) STATISTIC(of, TL_MEDIAN, "_median", when, false), STATISTIC(of, TL_MIN, "_min", when, false), \
	STATISTIC(of, TL_MAX, "_max", when, false)
#define FIVE_WHEN(of, when, rounded) STATISTIC(of, TL_MEAN, "_mean", when, rounded), STATISTIC(of, TL_MEDIAN, "_median", when, rounded), \
	STATISTIC(of, TL_STD, "_std", when, rounded), STATISTIC(of, TL_MIN, "_min", when, rounded), STATISTIC(of, TL_MAX, "_max", when, rounded)
#define METRIC(name) { name, .kind = TL_FIRST, .when = TL_WHEN_METRICS }

static const struct tl_column unified_columns[] = {
	{ "name", .kind = TL_KEY },
	{ "overlapping_kernel_names", .kind = TL_KEY, .when = TL_WHEN_OVERLAP },
	{ "op category", .kind = TL_KEY },
	{ "process_name", .kind = TL_KEY },
	{ "process_label", .kind = TL_KEY },
	{ "thread_name", .kind = TL_KEY },
	{ "Input Dims", .kind = TL_KEY },
	{ "Input type", .kind = TL_KEY },
	{ "Input Strides", .kind = TL_KEY },
	{ "Concrete Inputs", .kind = TL_KEY },
	{ "is_recompute", .kind = TL_KEY, .when = TL_WHEN_RECOMPUTE },
	{ "ex_UID", .kind = TL_FIRST, .in = "UID" },
	{ "operation_count", .kind = TL_COUNT },
	{ "total_duration_us", .kind = TL_SUM, .in = "duration_us" },
	{ "mean_duration_us", .kind = TL_MEAN, .in = "duration_us" },
	{ "std_duration_us", .kind = TL_STD, .in = "duration_us" },
	METRIC("GFLOPS"), METRIC("Data Moved (MB)"), METRIC("FLOPS/Byte"), METRIC("Compute Spec"),
	{ "Roofline Bound", .kind = TL_FIRST, .when = TL_WHEN_ROOF },
	TWO_WHEN("TB/s", TL_WHEN_METRICS), TWO_WHEN("TFLOPS/s", TL_WHEN_METRICS), TWO_WHEN(TL_KERNEL_TIME, 0),
	{ TL_KERNEL_TIME "_sum", .kind = TL_SUM, .in = TL_KERNEL_TIME },
	THREE_WHEN("duration_us", 0), THREE_WHEN("TB/s", TL_WHEN_METRICS), THREE_WHEN("TFLOPS/s", TL_WHEN_METRICS),
	{ "Roofline Time (µs)_first", .kind = TL_FIRST, .in = "Roofline Time (µs)", .when = TL_WHEN_ROOF },
	FIVE_WHEN("Pct Roofline", TL_WHEN_ROOF, false),
	THREE_WHEN(TL_KERNEL_TIME, 0),
	{ "kernel_details_summary", .kind = TL_CALL, .fn = kernel_texts },
	{ "trunc_kernel_details", .kind = TL_CALL, .fn = kernel_texts, .cell = 1 },
	{ "overlapping_kernels_details_summary", .kind = TL_CALL, .fn = overlap_texts, .when = TL_WHEN_OVERLAP },
	{ "trunc_overlapping_kernels_details", .kind = TL_CALL, .fn = overlap_texts, .cell = 1, .when = TL_WHEN_OVERLAP },
	FIVE_WHEN("overlap_pct", TL_WHEN_OVERLAP, true),
	FIRST("perf_params"), FIRST("has_perf_model"),
	{ "entry_point", .kind = TL_CALL, .fn = kernel_texts, .cell = 2, .when = TL_WHEN_STACKS },
	{ "call_stack_full", .kind = TL_CALL, .fn = kernel_texts, .cell = 3, .when = TL_WHEN_STACKS },
	{ "Percentage (%)", .kind = TL_PERCENT, .in = TL_KERNEL_TIME "_sum" },
	{ "Cumulative Percentage (%)", .kind = TL_CUMULATIVE, .in = "Percentage (%)" },
	{ "group time", .kind = TL_FIRST, .when = TL_WHEN_OVERLAP, .hidden = true },
	{ "group UID", .kind = TL_FIRST, .when = TL_WHEN_OVERLAP, .hidden = true },
	{ .name = NULL }
};
const struct tl_sheet_def tl_unified_sheet = {
	.name = "unified_perf_summary", .rows = tl_roofline_columns, .columns = unified_columns,
	.order = { { "group time", true }, { "group UID", false }, { TL_KERNEL_TIME "_sum", true }, { "ex_UID", false } },
};

/* Of the group's first row that has device events, which are taken in the order
 * of the last summary. */
static void stack_cells(struct tl_unified *u, const size_t *rows, size_t n, struct tl_cell *entry, struct tl_cell *full)
{
	const struct tl_details *d = &u->rows.kernels;
	const struct tl_detail *items = NULL;
	uint32_t length = 0, event;
	size_t i = 0;

	while (i < n && !length)
		items = tl_details_of(d, rows[i++], &length);
	size_t row = length ? rows[i - 1] : rows[0];
	uint32_t *gpu = tl_alloc(((size_t)length + 1) * sizeof *gpu);
	for (uint32_t k = 0; k < length; k++)
		gpu[k] = items[d->order[k]].event;
	event = u->rows.events[row];
	uint32_t name = tl_table_cell(u->rows.table, row, TL_R_NAME).text;
	bool synthetic = name != ev(u, event)->name;
	tl_stack_columns(u->m->trace, synthetic ? TL_NONE : event, tl_str(&u->m->trace->strings, name), gpu, length, entry, full);
	free(gpu);
}

static void kernel_texts(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	struct tl_unified *u = ctx;

	tl_details_summarise(&u->rows.kernels, rows, n, cells);
	if (u->rows.kernels.hide_stacks) /* they have columns of their own */
		stack_cells(u, rows, n, &cells[2], &cells[3]);
}

static void overlap_texts(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	struct tl_unified *u = ctx;

	tl_details_summarise(&u->rows.overlapping, rows, n, cells);
}

struct tl_table *tl_unified_make(struct tl_unified *u, bool overlap)
{
	static const size_t key[] = { TL_R_NAME, TL_R_CATEGORY, TL_R_PROCESS, TL_R_LABEL, TL_R_THREAD, TL_R_DIMS, TL_R_TYPES, TL_R_STRIDES,
		TL_R_CONCRETE, TL_R_RECOMPUTE };
	const struct tl_roofline_options *o = &u->tools->options;
	bool stacks = o->call_stack && !overlap;

	if (!u->rows.table->n_rows && !o->even_empty)
		return NULL;
	if (overlap)
		tl_rows_group_totals(&u->rows, key, sizeof key / sizeof *key);
	u->rows.kernels.hide_stacks = stacks;
	struct tl_table *t = tl_rows_sheet(&u->rows, &tl_unified_sheet, overlap ? TL_WHEN_OVERLAP : stacks ? TL_WHEN_STACKS : 0, NULL, u);
	if (o->top >= 0)
		tl_table_head(t, (size_t)o->top);
	return t;
}

struct tl_unified *tl_unified_new(struct tl_roofline_tools *k)
{
	struct tl_unified *u = tl_calloc(1, sizeof *u);
	const struct tl_trace *t = k->measure.trace;
	const struct tl_roofline_options *o = &k->options;

	u->tools = k;
	u->m = &k->measure;
	u->python = t->python;
	u->next_uid = t->n_source_events;
	u->stacks = u->python && (o->call_stack ? o->include_overlap : o->select.detect_recompute);
	u->marks = tl_calloc((size_t)t->n_events + 1, 1);
	tl_rows_init(&u->rows, k, false, k->launchers.n);
	if (!tl_trace_gpu_only(t)) {
		mark_modelled(u);
		traverse_all(u);
		add_orphans(u);
	}
	return u;
}

void tl_unified_free(struct tl_unified *u)
{
	if (!u)
		return;
	tl_rows_release(&u->rows);
	tl_map_release(&u->wrapper_at);
	tl_map_release(&u->categories);
	free(u->wrappers);
	free(u->marks);
	free(u->todo);
	free(u);
}
