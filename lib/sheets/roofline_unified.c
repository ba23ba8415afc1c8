/* roofline_unified.c - the sheet unified_perf_summary: every piece of device work once,
 * under the operator that says most about it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/roofline_rows.h"
#include "analysis/event_order.h"
#include "model/trace_work.h"

#include <stdlib.h>
#include <string.h>

enum { LEAF_LEVELS = 10 };

struct tl_unified {
	struct tl_measure *m;
	const struct tl_roofline_options *options;
	struct tl_row_tools *tools;
	struct tl_launchers *launchers;
	struct tl_rows rows;
	uint8_t *marks;            /* of the measure */
	struct category { uint32_t first; bool any; uint32_t id; } *categories; /* by name: the last one asked for, its first kernel
	                              or that any may be it */
	uint32_t n_categories;
	struct tl_map wrapper_at;  /* wrapper -> 1 + index in wrappers */
	struct wrapper { uint32_t forward; const struct tl_evaluation *x; struct tl_work work; } *wrappers;
	size_t n_wrappers, cap_wrappers;
	uint32_t *todo; size_t n_todo, cap_todo;
	uint64_t next_uid;
	bool python;
	bool stacks;               /* kernels are shown with their call stacks */
	struct tl_buf text;
	/* per raw row, where call stacks are wanted */
	uint32_t *gpu_start, *gpu_events; size_t n_gpu, cap_gpu, cap_start;
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
		for (uint32_t p = t->events[e].parent; p != TL_NONE && !(u->marks[p] & TL_MARK_MODELLED_BELOW); p = t->events[p].parent) {
			if (t->events[p].kind != TL_KIND_CPU_OP && t->events[p].kind != TL_KIND_PYTHON)
				break;
			u->marks[p] |= TL_MARK_MODELLED_BELOW;
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
		if (tl_gpu_is_comm(&u->launchers->work, u->m->trace, gpu[i]))
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
	const struct tl_perf_op *op = tl_measure_op(u->m, f);
	tl_measure_backward_work(u->m, f, &r.work);
	r.x = tl_measure_evaluate(u->m, op, f, &r.work, true);
	if (r.x->outcome == TL_PERF_OK)
		r.forward = f;
	return r;
}

/* The forward event whose backward pass e alone is, or TL_NONE; then also its
 * backward evaluation and the time of that work. */
static uint32_t sole_forward(struct tl_unified *u, uint32_t e, const struct tl_evaluation **x, struct tl_work *work)
{
	uint32_t w = tl_measure_wrapper(u->m, e);

	if (w == TL_NONE)
		return TL_NONE;
	uint32_t *at = tl_map_put(&u->wrapper_at, w, NULL);
	if (!*at) {
		struct wrapper r = look_at_wrapper(u, w);
		TL_GROW(u->wrappers, u->cap_wrappers, u->n_wrappers + 1);
		u->wrappers[u->n_wrappers++] = r;
		*at = (uint32_t)u->n_wrappers;
	}
	const struct wrapper *r = &u->wrappers[*at - 1];
	*x = r->x;
	*work = r->work;
	return r->forward;
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* Name of the first kernel of e as a launcher; 0 when it is none. */
static uint32_t kernel0(struct tl_unified *u, uint32_t e)
{
	uint32_t at = u->launchers->of_event[e];

	return at == TL_NONE ? 0 : ev(u, u->launchers->by_ts[u->launchers->items[at].first])->name;
}

static uint32_t category_of(struct tl_unified *u, uint32_t e, uint32_t name)
{
	struct tl_strtab *s = &u->m->trace->strings;
	struct category own = { 0, false, 0 }, *c = name < u->n_categories ? &u->categories[name] : &own;

	if (c->id && c->any)
		return c->id;
	uint32_t first = kernel0(u, e);
	if (c->id && c->first == first)
		return c->id;
	const char *category = tl_op_category_by_name(u->m->registry, tl_str(s, name));
	c->any = category != NULL;
	c->first = first;
	if (!category)
		category = tl_op_category(u->m->registry, tl_str(s, name), first ? tl_str(s, first) : NULL);
	return c->id = tl_intern_str(s, category);
}

static void keep_gpu(struct tl_unified *u, const uint32_t *gpu, uint32_t n)
{
	size_t row = u->rows.n - 1;

	TL_GROW(u->gpu_start, u->cap_start, row + 2);
	TL_GROW(u->gpu_events, u->cap_gpu, u->n_gpu + n + 1);
	u->gpu_start[row] = (uint32_t)u->n_gpu;
	if (n)
		memcpy(u->gpu_events + u->n_gpu, gpu, n * sizeof *gpu);
	u->n_gpu += n;
	u->gpu_start[row + 1] = (uint32_t)u->n_gpu;
}

/* As above, but the list stays as it is. */
static void own_time(struct tl_unified *u, const uint32_t *gpu, uint32_t n, struct tl_work *out)
{
	uint32_t *copy;

	tl_measure_time(u->m, tl_events_by_start(u->m->trace, gpu, n, &copy), n, out);
	out->events = gpu;
	free(copy);
}

/* A row about e with these device events; its name may be another one. */
static void add_row(struct tl_unified *u, uint32_t e, uint32_t name, const uint32_t *gpu, uint32_t n, int64_t uid)
{
	const struct tl_perf_op *op = name == ev(u, e)->name ? tl_measure_op(u->m, e) : NULL;
	const struct tl_evaluation *x = NULL;
	struct tl_work work;
	uint32_t f = TL_NONE;

	if (op && !tl_measure_modelled(u->m, e))
		op = NULL;
	if (op) {
		tl_measure_work_of(u->m, e, gpu, n, &work);
		x = tl_measure_evaluate(u->m, op, e, &work, false);
		if (x->outcome == TL_PERF_DROPPED)
			return;
		if (x->outcome == TL_PERF_FAILED) {
			tl_measure_note_failure(u->m, e, x);
			x = NULL;
		}
	} else {
		f = sole_forward(u, e, &x, &work);
	}
	if (!x || (!op && f == TL_NONE)) {
		x = NULL;
		own_time(u, gpu, n, &work);
	}
	uint32_t category = f == TL_NONE ? category_of(u, e, name)
	                                 : tl_intern_str(&u->m->trace->strings, tl_measure_op(u->m, f)->backward);
	tl_rows_add(&u->rows, &(struct tl_row_about){
		.event = e, .name = name, .category = category, .modelled = op || f != TL_NONE, .uid = uid >= 0 ? uid : ev(u, e)->uid,
		.x = x, .time = &work, .kernels = gpu, .n_kernels = n }, u->stacks && uid < 0);
	if (u->options->call_stack)
		keep_gpu(u, gpu, n);
}

static void collect(struct tl_unified *u, uint32_t e)
{
	uint32_t n;
	const uint32_t *gpu = gpu_of(u, e, &n);

	for (uint32_t i = 0; i < n; i++)
		u->marks[gpu[i]] |= TL_MARK_COVERED;
	add_row(u, e, ev(u, e)->name, gpu, n, -1);
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
	const struct tl_evaluation *x;
	struct tl_work work;
	bool cpu_op = ev(u, e)->kind == TL_KIND_CPU_OP;

	if ((!cpu_op && !u->python) || !has_gpu(u, e))
		return;
	if (tl_measure_op(u->m, e) && tl_measure_modelled(u->m, e)) {
		collect(u, e);
	} else if (cpu_op && sole_forward(u, e, &x, &work) != TL_NONE) {
		if (u->marks[e] & TL_MARK_MODELLED_BELOW)
			push_children(u, e);
		else
			collect(u, e);
	} else if (!(u->marks[e] & TL_MARK_MODELLED_BELOW) && cpu_op && is_leaf(u, e, LEAF_LEVELS)) {
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
		if (u->marks[e] & TL_MARK_VISITED)
			continue;
		u->marks[e] |= TL_MARK_VISITED;
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

	tl_buf_clear(&u->text);
	tl_buf_addf(&u->text, "%s->%s (Synthetic Op)", tl_str(s, ev(u, o->parent)->name), tl_str(s, ev(u, o->gpu)->name));
	uint32_t name = tl_intern(s, u->text.data, u->text.len);
	uint32_t *gpu = tl_arena_alloc(&u->m->arena, sizeof *gpu);
	*gpu = o->gpu;
	add_row(u, o->parent, name, gpu, 1, (int64_t)u->next_uid++);
}

static void add_orphans(struct tl_unified *u)
{
	const struct tl_trace *t = u->m->trace;
	struct orphan *below = NULL, *others = NULL; /* an operator; none */
	size_t n_below = 0, cap_below = 0, n_others = 0, cap_others = 0;
	struct tl_map order = { 0 };
	bool is_new;

	for (uint32_t i = 0; i < u->launchers->n_gpus; i++) {
		uint32_t g = u->launchers->gpus[i];
		if ((u->marks[g] & TL_MARK_COVERED) || tl_gpu_is_comm(&u->launchers->work, t, g) || t->events[g].parent == TL_NONE)
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

#define TIME "Kernel Time (µs)"
#define REST(in) { TL_AGG_MEDIAN, in, in "_median", NULL }, { TL_AGG_MIN, in, in "_min", NULL }, { TL_AGG_MAX, in, in "_max", NULL }
#define REST_NAMES(in) in "_median", in "_min", in "_max"
#define TWO(in) { TL_AGG_MEAN, in, in "_mean", NULL }, { TL_AGG_STD, in, in "_std", NULL }
#define TWO_NAMES(in) in "_mean", in "_std"
#define SAME(in) { TL_AGG_FIRST, in, in, NULL }
#define FIVE_NAMES(in) in "_mean", in "_median", in "_std", in "_min", in "_max"

static tl_agg_fn entry_point, call_stack;

static const struct tl_old_sheet_def unified_sheet = {
	.name = "unified_perf_summary",
	.keys = { { "name", NULL }, { "op category", NULL }, { "process_name", NULL }, { "process_label", NULL }, { "thread_name", NULL },
		{ "Input Dims", NULL }, { "Input type", NULL }, { "Input Strides", NULL }, { "Concrete Inputs", NULL }, { "is_recompute", NULL } },
	.aggs = {
		{ TL_AGG_FIRST, "UID", "ex_UID", NULL }, { TL_AGG_COUNT, NULL, "operation_count", NULL },
		{ TL_AGG_SUM, "duration_us", "total_duration_us", NULL }, { TL_AGG_MEAN, "duration_us", "mean_duration_us", NULL },
		{ TL_AGG_STD, "duration_us", "std_duration_us", NULL },
		SAME("GFLOPS"), SAME("Data Moved (MB)"), SAME("FLOPS/Byte"), SAME("Compute Spec"), SAME("Roofline Bound"),
		TWO("TB/s"), TWO("TFLOPS/s"), TWO(TIME), { TL_AGG_SUM, TIME, TIME "_sum", NULL },
		REST("duration_us"), REST("TB/s"), REST("TFLOPS/s"),
		{ TL_AGG_FIRST, "Roofline Time (µs)", "Roofline Time (µs)_first", NULL },
		TWO("Pct Roofline"), REST("Pct Roofline"), REST(TIME),
		{ TL_AGG_CALL, NULL, "kernel_details_summary", tl_rows_kernel_summary },
		{ TL_AGG_CALL, NULL, "trunc_kernel_details", tl_rows_kernel_trunc },
		SAME("perf_params"), SAME("has_perf_model"), { TL_AGG_SUM, "rounded", "rounded", NULL },
		{ TL_AGG_FIRST, "group ticks", "group ticks", NULL }, { TL_AGG_FIRST, "group UID", "group UID", NULL },
		{ TL_AGG_FIRST, "group rounded", "group rounded", NULL },
	},
	.order = { { TIME "_sum", true }, { "rounded", true }, { "ex_UID", false } },
	.shares = { { TIME "_sum", "Percentage (%)", "Cumulative Percentage (%)", true, 0 } },
	.columns = { "name", "overlapping_kernel_names", "op category", "process_name", "process_label", "thread_name",
		"Input Dims", "Input type", "Input Strides", "Concrete Inputs", "is_recompute",
		"ex_UID", "operation_count", "total_duration_us", "mean_duration_us", "std_duration_us",
		"GFLOPS", "Data Moved (MB)", "FLOPS/Byte", "Compute Spec", "Roofline Bound",
		TWO_NAMES("TB/s"), TWO_NAMES("TFLOPS/s"), TWO_NAMES(TIME), TIME "_sum", REST_NAMES("duration_us"),
		REST_NAMES("TB/s"), REST_NAMES("TFLOPS/s"), "Roofline Time (µs)_first", FIVE_NAMES("Pct Roofline"), REST_NAMES(TIME),
		"kernel_details_summary", "trunc_kernel_details",
		"overlapping_kernels_details_summary", "trunc_overlapping_kernels_details", FIVE_NAMES("overlap_pct"),
		"perf_params", "has_perf_model", "entry_point", "call_stack_full", "Percentage (%)", "Cumulative Percentage (%)" },
};

static void add_agg(struct tl_old_sheet_def *def, struct tl_agg agg)
{
	size_t n = 0;

	while (def->aggs[n].out)
		n++;
	def->aggs[n] = agg;
}

static void add_overlap(struct tl_old_sheet_def *def)
{
	static const struct tl_agg more[] = {
		{ TL_AGG_CALL, NULL, "overlapping_kernels_details_summary", tl_rows_overlap_summary },
		{ TL_AGG_CALL, NULL, "trunc_overlapping_kernels_details", tl_rows_overlap_trunc },
		TWO("overlap_pct"), REST("overlap_pct"),
	};
	static const struct tl_old_order order[] = {
		{ "group ticks", true }, { "group rounded", true }, { "group UID", false }, { TIME "_sum", true }, { "rounded", true }, { "ex_UID", false },
	};
	size_t n = 0;

	for (size_t i = 0; i < sizeof more / sizeof *more; i++)
		add_agg(def, more[i]);
	while (def->keys[n].in)
		n++;
	def->keys[n] = (struct tl_key){ "overlapping_kernel_names", NULL };
	memcpy(def->order, order, sizeof order);
}

static void drop_columns(struct tl_old_sheet_def *def, const char *const *names)
{
	size_t n = 0;

	for (size_t i = 0; def->columns[i]; i++) {
		bool drop = false;
		for (size_t k = 0; names[k]; k++)
			drop |= !strncmp(def->columns[i], names[k], strlen(names[k]));
		if (!drop)
			def->columns[n++] = def->columns[i];
	}
	def->columns[n] = NULL;
}

/* Device events of the group's first row that has any, in summary order. */
static size_t template_row(const struct tl_unified *u, const struct tl_group *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (u->gpu_start[g->index[i]] != u->gpu_start[g->index[i] + 1])
			return g->index[i];
	return g->index[0];
}

static void stack_cells(struct tl_unified *u, const struct tl_group *g, struct tl_cell *entry, struct tl_cell *full)
{
	size_t row = template_row(u, g);
	uint32_t from = u->gpu_start[row], n = u->gpu_start[row + 1] - from;
	const struct tl_details *d = &u->rows.kernels;
	uint32_t *gpu = tl_alloc(((size_t)n + 1) * sizeof *gpu);

	for (uint32_t i = 0; i < n; i++)
		gpu[i] = u->gpu_events[from + (i < d->n_order ? d->order[i] : i)];
	uint32_t name = tl_rows_shared(&u->rows, row, TL_C_NAME)->text;
	bool synthetic = name != ev(u, u->rows.rows[row].event)->name;
	tl_stack_columns(u->m, synthetic ? TL_NONE : u->rows.rows[row].event, tl_str(&u->m->trace->strings, name), gpu, n, entry, full);
	free(gpu);
}

/* tl_rows is the first thing these are given; the unified sheet is around it. */
static struct tl_unified *unified_of(void *ctx)
{
	return (struct tl_unified *)(void *)((char *)ctx - offsetof(struct tl_unified, rows));
}

static struct tl_cell entry_point(void *ctx, const struct tl_group *g)
{
	struct tl_cell entry, full;
	tl_rows_kernel_summary(ctx, g); /* its order is that of the stacks */
	stack_cells(unified_of(ctx), g, &entry, &full);
	return entry;
}

static struct tl_cell call_stack(void *ctx, const struct tl_group *g)
{
	struct tl_cell entry, full;
	tl_rows_kernel_summary(ctx, g);
	stack_cells(unified_of(ctx), g, &entry, &full);
	return full;
}

struct tl_table *tl_unified_make(struct tl_unified *u, bool overlap)
{
	static const char *const metrics[] = { "GFLOPS", "Data Moved", "FLOPS/Byte", "Compute Spec", "TB/s", "TFLOPS/s", NULL };
	static const char *const roof[] = { "Roofline", "Pct Roofline", NULL };
	struct tl_old_sheet_def def = unified_sheet;
	struct tl_rows *r = &u->rows;

	if (!r->n && !u->options->even_empty)
		return NULL;
	if (overlap) {
		int key[11] = { TL_C_NAME, TL_C_CATEGORY, TL_C_PROCESS, TL_C_LABEL, TL_C_THREAD, TL_C_DIMS, TL_C_TYPES, TL_C_STRIDES,
			TL_C_CONCRETE, r->recompute };
		tl_rows_group_totals(r, key, r->recompute >= 0 ? 10 : 9);
		add_overlap(&def);
	}
	if (u->options->call_stack && !overlap) {
		add_agg(&def, (struct tl_agg){ TL_AGG_CALL, NULL, "entry_point", entry_point });
		add_agg(&def, (struct tl_agg){ TL_AGG_CALL, NULL, "call_stack_full", call_stack });
	}
	if (!r->has_metrics && r->n)
		drop_columns(&def, metrics);
	if (!r->has_roof && (r->n || !u->options->arch))
		drop_columns(&def, roof);
	tl_rows_sum_ticks(r, &def);
	r->kernels.hide_stacks = u->options->call_stack && !overlap; /* they have a column */
	struct tl_table *t = tl_rows_sheet(r, &def);
	if (overlap)
		tl_rows_round_overlap(t);
	if (u->options->top >= 0)
		tl_table_head(t, (size_t)u->options->top);
	return t;
}

struct tl_unified *tl_unified_new(struct tl_measure *m, const struct tl_roofline_options *o, struct tl_launchers *l,
                                  struct tl_overlaps *overlaps, struct tl_row_tools *tools)
{
	struct tl_unified *u = tl_calloc(1, sizeof *u);

	u->m = m;
	u->options = o;
	u->tools = tools;
	u->launchers = l;
	u->python = m->trace->python;
	u->next_uid = m->trace->n_source_events;
	tl_rows_init(&u->rows, m, o, tools, false, l->n);
	u->stacks = u->python && (o->call_stack ? o->include_overlap : o->select.detect_recompute);
	u->rows.launchers = l;
	u->rows.overlaps = overlaps;
	u->marks = m->marks;
	u->n_categories = m->trace->strings.count + 1;
	u->categories = tl_calloc(u->n_categories, sizeof *u->categories);
	if (!tl_trace_gpu_only(m->trace)) {
		mark_modelled(u);
		traverse_all(u);
		add_orphans(u);
	}
	tl_rows_finish(&u->rows);
	return u;
}

void tl_unified_free(struct tl_unified *u)
{
	if (!u)
		return;
	tl_rows_release(&u->rows);
	tl_map_release(&u->wrapper_at);
	free(u->wrappers);
	tl_buf_release(&u->text);
	free(u->categories);
	free(u->todo);
	free(u->gpu_start);
	free(u->gpu_events);
	free(u);
}
