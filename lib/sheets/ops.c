/* ops.c - the operator sheets.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/ops.h"

#include "analysis/args.h"
#include "analysis/kernel_details.h"
#include "analysis/event_order.h"
#include "analysis/overlap.h"
#include "sheets/tick_columns.h"

#include <stdlib.h>
#include <string.h>

struct tl_ops {
	struct tl_trace *trace;
	struct tl_ops_options options;
	struct tl_launchers launchers;
	struct tl_table *rows;    /* one a launcher: what is its own */
	struct tl_table *shared;  /* what launchers of one operator, arguments and place have in common */
	uint32_t *shared_of;      /* by row: row of shared */
	struct tl_details kernels, overlapping;
	struct tl_detail_texts detail_texts;
	/* texts of the group at hand, by what asks for them */
	struct memo { size_t row; bool valid; struct tl_cell summary, trunc; } kernel_memo, overlap_memo;
};

/* ---- definitions ------------------------------------------------------------- */

static tl_agg_fn kernel_summary, kernel_trunc, overlap_summary, overlap_trunc;

#define DIRECT "total_direct_kernel_time"
#define SUBTREE "total_subtree_kernel_time"
/* tl_rounded_time of the direct kernels: it breaks ties. */
#define ROUNDED "rounded direct time"

static const struct tl_sheet_def by_category = {
	.name = "ops_summary_by_category",
	.keys = { { "op category", NULL }, { "is_recompute", NULL } },
	.keys_ascending = true,
	.aggs = { { TL_AGG_COUNT, NULL, "Count", NULL }, { TL_AGG_SUM, DIRECT, DIRECT "_sum", NULL },
		{ TL_AGG_SUM, ROUNDED, ROUNDED, NULL } },
	.scales = { { DIRECT "_sum", DIRECT "_ms", 1000, 1 } },
	.order = { { DIRECT "_sum", true }, { ROUNDED, true } },
	.shares = { { DIRECT "_ms", "Percentage (%)", "Cumulative Percentage (%)", true, 0 } },
	.columns = { "op category", "is_recompute", "Count", DIRECT "_ms", "Percentage (%)", "Cumulative Percentage (%)" },
};

static const struct tl_sheet_def summary = {
	.name = "ops_summary",
	.keys = { { "name", NULL }, { "is_recompute", NULL } },
	.keys_ascending = true,
	.aggs = {
		{ TL_AGG_SUM, DIRECT, DIRECT "_sum", NULL }, { TL_AGG_SUM, SUBTREE, SUBTREE "_sum", NULL },
		{ TL_AGG_COUNT, NULL, "Count", NULL }, { TL_AGG_DISTINCT, "op category", "Categories", NULL },
		{ TL_AGG_SUM, ROUNDED, ROUNDED, NULL },
	},
	.scales = { { DIRECT "_sum", DIRECT "_ms", 1000, 1 }, { SUBTREE "_sum", SUBTREE "_ms", 1000, 1 } },
	.order = { { DIRECT "_sum", true }, { ROUNDED, true }, { "name", true } },
	.shares = { { DIRECT "_ms", "Percentage (%)", "Cumulative Percentage (%)", true, 0 } },
	.columns = { "name", "is_recompute", DIRECT "_sum", SUBTREE "_sum", DIRECT "_ms", SUBTREE "_ms",
		"Count", "Categories", "Percentage (%)", "Cumulative Percentage (%)" },
};

#define ARGS_KEYS { "op category", NULL }, { "process_name", NULL }, { "process_label", NULL }, \
	{ "thread_name", NULL }, { "Input Dims", NULL }, { "Input type", NULL }, { "Input Strides", NULL }, \
	{ "Concrete Inputs", NULL }, { "num_kernels", NULL }, { "is_recompute", NULL }
#define BOTH(kind, suffix) { kind, DIRECT, DIRECT suffix, NULL }, { kind, SUBTREE, SUBTREE suffix, NULL }
#define ARGS_AGGS { TL_AGG_COUNT, NULL, "operation_count", NULL }, \
	{ TL_AGG_MIN, "since first", "first_occurrence_time", NULL }, \
	BOTH(TL_AGG_MEAN, "_mean"), BOTH(TL_AGG_MEDIAN, "_median"), BOTH(TL_AGG_STD, "_std"), \
	BOTH(TL_AGG_MIN, "_min"), BOTH(TL_AGG_MAX, "_max"), BOTH(TL_AGG_SUM, "_sum"), \
	{ TL_AGG_FIRST, "UID", "ex_UID", NULL }, \
	{ TL_AGG_CALL, NULL, "kernel_details_summary", kernel_summary }, \
	{ TL_AGG_CALL, NULL, "trunc_kernel_details", kernel_trunc }, \
	{ TL_AGG_SUM, ROUNDED, ROUNDED, NULL }
#define BOTH_NAMES(suffix) DIRECT suffix, SUBTREE suffix
#define ARGS_COLUMNS "op category", "process_name", "process_label", "thread_name", "Input Dims", "Input type", \
	"Input Strides", "Concrete Inputs", "num_kernels", "is_recompute", "operation_count", "first_occurrence_time", \
	BOTH_NAMES("_mean"), BOTH_NAMES("_median"), BOTH_NAMES("_std"), BOTH_NAMES("_min"), BOTH_NAMES("_max"), \
	BOTH_NAMES("_sum"), "ex_UID", "kernel_details_summary", "trunc_kernel_details"
#define ARGS_ORDER { { DIRECT "_sum", true }, { ROUNDED, true }, { "ex_UID", false } }
#define ARGS_SHARES { { DIRECT "_sum", "Percentage (%)", "Cumulative Percentage (%)", true, 0 } }

static const struct tl_sheet_def unique_args = {
	.name = "ops_unique_args",
	.keys = { { "name", NULL }, ARGS_KEYS },
	.aggs = { ARGS_AGGS },
	.order = ARGS_ORDER,
	.shares = ARGS_SHARES,
	.columns = { "name", ARGS_COLUMNS, "Percentage (%)", "Cumulative Percentage (%)" },
};

static const struct tl_sheet_def unique_args_overlap = {
	.name = "ops_unique_args_kl_overlap",
	.keys = { { "name", NULL }, { "overlapping_kernel_names", NULL }, ARGS_KEYS },
	.aggs = { ARGS_AGGS,
		{ TL_AGG_CALL, NULL, "overlapping_kernels_details_summary", overlap_summary },
		{ TL_AGG_CALL, NULL, "trunc_overlapping_kernels_details", overlap_trunc },
		{ TL_AGG_MEAN, "overlap_pct", "overlap_pct_mean", NULL },
		{ TL_AGG_MEDIAN, "overlap_pct", "overlap_pct_median", NULL },
		{ TL_AGG_STD, "overlap_pct", "overlap_pct_std", NULL },
		{ TL_AGG_MIN, "overlap_pct", "overlap_pct_min", NULL },
		{ TL_AGG_MAX, "overlap_pct", "overlap_pct_max", NULL } },
	.order = ARGS_ORDER,
	.shares = ARGS_SHARES,
	.columns = { "name", "overlapping_kernel_names", ARGS_COLUMNS, "overlapping_kernels_details_summary",
		"trunc_overlapping_kernels_details", "overlap_pct_mean", "overlap_pct_median", "overlap_pct_std",
		"overlap_pct_min", "overlap_pct_max", "Percentage (%)", "Cumulative Percentage (%)" },
};

/* Sums of time are made in ticks and only then become µs. */
#define DIRECT_T "direct ticks"
#define SUBTREE_T "subtree ticks"

/* ---- raw rows: one a launcher ---------------------------------------------------- */

enum { NAME, CATEGORY, PROCESS_NAME, PROCESS_LABEL, THREAD_NAME, DIMS, TYPES, STRIDES, CONCRETE, SHARED_COLUMNS };
static const char *const shared_names[SHARED_COLUMNS] = {
	"name", "op category", "process_name", "process_label", "thread_name", "Input Dims", "Input type",
	"Input Strides", "Concrete Inputs"
};
enum { UID, TS, DIRECT_TICKS, SUBTREE_TICKS, KERNEL_COUNT, DIRECT_TIME, SUBTREE_TIME, ROUNDED_TIME, RECOMPUTED, OWN_COLUMNS };
static const char *const own_names[OWN_COLUMNS] = {
	"UID", "ts", DIRECT_T, SUBTREE_T, "kernels", DIRECT, SUBTREE, ROUNDED, "recompute"
};
static const char *const arg_names[] = { "Input Dims", "Input type", "Input Strides", "Concrete Inputs" };
enum { N_ARGS = 4 };

/* Columns that are there only when an option asks for them; the first two are shared. */
struct optional { int num_kernels, recompute, since, names, share; };

/* What tells the shared cells of rows apart. */
struct shared_key { uint32_t name, category, track, num_kernels, recompute, types; int64_t args[N_ARGS]; };

struct builder {
	struct tl_ops *ops;
	struct optional at;
	struct tl_arg args[N_ARGS];
	struct tl_arg_cells cells;
	struct tl_overlaps overlaps;
	struct tl_busy busy;
	struct tl_strtab keys;  /* id: 1 + row of shared */
};

static int add_optional(struct tl_table *t, bool wanted, const char *name)
{
	return wanted ? (int)tl_table_add_column(t, name) : -1;
}

static void add_columns(struct builder *b)
{
	const struct tl_ops_options *o = &b->ops->options;
	struct tl_table *t = b->ops->rows, *shared = b->ops->shared;

	for (size_t i = 0; i < SHARED_COLUMNS; i++)
		tl_table_add_column(shared, shared_names[i]);
	for (size_t i = 0; i < OWN_COLUMNS; i++)
		tl_table_add_column(t, own_names[i]);
	b->at.num_kernels = add_optional(shared, o->group_by_num_kernels, "num_kernels");
	b->at.recompute = add_optional(shared, o->select.detect_recompute, "is_recompute");
	b->at.since = add_optional(t, o->first_occurrence, "since first");
	b->at.names = add_optional(t, o->include_overlap, "overlapping_kernel_names");
	b->at.share = add_optional(t, o->include_overlap, "overlap_pct");
}

/* Ticks as µs: an integer if the source wrote integers. */
static struct tl_cell time_cell(const struct tl_trace *t, int64_t ticks, bool ints)
{
	if (ints && ticks % t->ticks_per_us == 0)
		return tl_cell_int(ticks / t->ticks_per_us);
	return tl_cell_real(tl_us(t, ticks));
}

static void time_cells(struct builder *b, const struct tl_launcher *l, struct tl_cell *c)
{
	struct tl_trace *t = b->ops->trace;
	const uint32_t *direct = b->ops->launchers.direct + l->first, *work;
	bool ints;
	int64_t ticks = tl_busy_of(&b->busy, direct, l->n, &ints);
	uint32_t n;

	c[DIRECT_TICKS] = tl_cell_int(ticks);
	c[DIRECT_TIME] = time_cell(t, ticks, ints);
	c[ROUNDED_TIME] = tl_cell_real(tl_rounded_time(t, b->ops->launchers.by_ts + l->first, l->n));
	work = tl_trace_work(t, l->event, &n);
	if (n != l->n || memcmp(work, direct, n * sizeof *work))
		ticks = tl_busy_of(&b->busy, work, n, &ints);
	c[SUBTREE_TICKS] = tl_cell_int(ticks);
	c[SUBTREE_TIME] = time_cell(t, ticks, ints);
}

static struct shared_key key_of(const struct builder *b, const struct tl_launcher *l)
{
	const struct tl_trace *t = b->ops->trace;
	const struct tl_ev *e = &t->events[l->event];
	struct shared_key k;

	memset(&k, 0, sizeof k);
	k.name = e->name;
	k.category = l->category;
	k.track = e->track;
	k.num_kernels = b->at.num_kernels >= 0 ? l->n : 0;
	k.recompute = b->at.recompute >= 0 && (e->flags & TL_EV_RECOMPUTE);
	for (size_t i = 0; i < N_ARGS; i++)
		k.types |= (uint32_t)tl_arg_get(&b->args[i], t, l->event, &k.args[i]) << (8 * i);
	return k;
}

static void add_shared(struct builder *b, const struct tl_launcher *l)
{
	struct tl_trace *t = b->ops->trace;
	const struct tl_ev *e = &t->events[l->event];
	const struct tl_trace_track *track = &t->tracks[e->track];
	struct tl_cell *c = tl_table_add_row(b->ops->shared);

	c[NAME] = tl_cell_text(e->name ? e->name : tl_intern(&t->strings, "", 0));
	c[CATEGORY] = tl_cell_text(l->category);
	c[PROCESS_NAME] = tl_cell_text(track->process_name);
	c[PROCESS_LABEL] = tl_cell_text(track->process_label);
	c[THREAD_NAME] = tl_cell_text(track->thread_name);
	for (size_t i = 0; i < N_ARGS; i++)
		c[DIMS + i] = tl_arg_cell(&b->cells, &b->args[i], l->event);
	if (b->at.num_kernels >= 0)
		c[b->at.num_kernels] = tl_cell_int(l->n);
	if (b->at.recompute >= 0)
		c[b->at.recompute] = tl_cell_bool((e->flags & TL_EV_RECOMPUTE) != 0);
}

/* Row of the shared table. */
static uint32_t shared_of(struct builder *b, const struct tl_launcher *l)
{
	struct shared_key k = key_of(b, l);
	uint32_t id = tl_intern(&b->keys, (const char *)&k, sizeof k);

	if (id > b->ops->shared->n_rows)
		add_shared(b, l);
	return id - 1;
}

static void add_row(struct builder *b, const struct tl_launcher *l, int64_t first_ts)
{
	struct tl_ops *ops = b->ops;
	struct tl_trace *t = ops->trace;
	const struct tl_ev *e = &t->events[l->event];
	struct tl_cell *c = tl_table_add_row(ops->rows);

	ops->shared_of[ops->rows->n_rows - 1] = shared_of(b, l);
	c[UID] = tl_cell_int(e->uid);
	c[TS] = tl_cell_int(e->ts);
	time_cells(b, l, c);
	c[KERNEL_COUNT] = tl_cell_int(l->n);
	c[RECOMPUTED] = tl_cell_bool((e->flags & TL_EV_RECOMPUTE) != 0);
	tl_details_list(&b->ops->kernels, b->ops->launchers.by_ts + l->first, l->n);
	if (b->at.since >= 0)
		c[b->at.since] = time_cell(t, tl_ticks_sub(e->ts, first_ts), (e->flags & TL_EV_INT_TS) != 0);
	if (b->at.names < 0)
		return;
	tl_details_row(&b->ops->overlapping);
	tl_overlaps_of(&b->overlaps, b->ops->launchers.direct + l->first, l->n, &b->ops->overlapping,
	               &c[b->at.names], &c[b->at.share]);
}

static void add_rows(struct builder *b)
{
	struct tl_ops *ops = b->ops;
	const struct tl_launchers *l = &ops->launchers;

	for (size_t i = 0; i < N_ARGS; i++)
		tl_arg_init(&b->args[i], ops->trace, arg_names[i]);
	tl_table_reserve(ops->rows, l->n);
	ops->shared_of = tl_alloc(((size_t)l->n + 1) * sizeof *ops->shared_of);
	tl_strtab_init(&b->keys);
	for (uint32_t i = 0; i < l->n; i++)
		add_row(b, &l->items[i], ops->trace->events[l->items[0].event].ts);
	tl_table_unify_column(ops->rows, DIRECT_TIME);
	tl_table_unify_column(ops->rows, SUBTREE_TIME);
	if (b->at.since >= 0)
		tl_table_unify_column(ops->rows, (size_t)b->at.since);
	for (size_t i = 0; i < N_ARGS; i++)
		tl_arg_release(&b->args[i]);
	tl_arg_cells_release(&b->cells);
	tl_strtab_release(&b->keys);
	tl_busy_release(&b->busy);
}

enum tl_status tl_ops_new(struct tl_ops **out, struct tl_trace *t, const struct tl_ops_options *o,
                          const struct tl_categories *categories, struct tl_error *err)
{
	struct tl_ops *ops = tl_calloc(1, sizeof *ops);
	struct builder b = { .ops = ops, .cells = { .trace = t }, .busy = { .trace = t } };
	enum tl_status rc = TL_OK;

	ops->trace = t;
	ops->options = *o;
	ops->rows = tl_table_new(&t->strings);
	ops->shared = tl_table_new(&t->strings);
	ops->kernels.strings = ops->overlapping.strings = &t->strings;
	ops->kernels.texts = ops->overlapping.texts = &ops->detail_texts;
	tl_details_of_trace(&ops->kernels, t);
	ops->overlapping.with_overlap = true;
	add_columns(&b);
	if (!tl_trace_gpu_only(t)) {
		tl_launchers_build(&ops->launchers, t);
		tl_launchers_categorise(&ops->launchers, t, categories);
		if (o->include_overlap)
			rc = tl_overlaps_build(&b.overlaps, t, &o->select, err);
		if (!rc)
			add_rows(&b);
		if (!rc && o->include_overlap)
			tl_overlaps_release(&b.overlaps);
	}
	if (rc)
		tl_ops_free(ops);
	else
		*out = ops;
	return rc;
}

void tl_ops_free(struct tl_ops *ops)
{
	if (!ops)
		return;
	tl_launchers_release(&ops->launchers);
	tl_table_free(ops->rows);
	tl_table_free(ops->shared);
	free(ops->shared_of);
	tl_details_release(&ops->kernels);
	tl_details_release(&ops->overlapping);
	tl_detail_texts_release(&ops->detail_texts);
	free(ops);
}

/* ---- sheets -------------------------------------------------------------------- */

/* Two columns come from one computation; the group's first row tells whether it
 * is the same group again. */
static const struct memo *memo_of(struct memo *m, struct tl_details *d, const struct tl_group *g)
{
	if (!m->valid || m->row != g->index[0])
		tl_details_summarise(d, g->index, g->n, &m->summary, &m->trunc);
	m->valid = true;
	m->row = g->index[0];
	return m;
}

static struct tl_cell kernel_summary(void *ctx, const struct tl_group *g)
{
	struct tl_ops *o = ctx;
	return memo_of(&o->kernel_memo, &o->kernels, g)->summary;
}

static struct tl_cell kernel_trunc(void *ctx, const struct tl_group *g)
{
	struct tl_ops *o = ctx;
	return memo_of(&o->kernel_memo, &o->kernels, g)->trunc;
}

static struct tl_cell overlap_summary(void *ctx, const struct tl_group *g)
{
	struct tl_ops *o = ctx;
	return memo_of(&o->overlap_memo, &o->overlapping, g)->summary;
}

static struct tl_cell overlap_trunc(void *ctx, const struct tl_group *g)
{
	struct tl_ops *o = ctx;
	return memo_of(&o->overlap_memo, &o->overlapping, g)->trunc;
}

/* "[{'name': …, 'dur': …, 'stream': …}]" of one launcher. */
static struct tl_cell details_text(struct tl_ops *ops, size_t row, struct tl_buf *b)
{
	struct tl_details *d = &ops->kernels;

	tl_buf_clear(b);
	tl_buf_addc(b, '[');
	for (uint32_t i = 0, n = tl_details_length(d, row); i < n; i++) {
		struct tl_detail item = tl_details_get(d, row, i);

		tl_buf_adds(b, i ? ", {'name': " : "{'name': ");
		tl_cell_repr(b, d->strings, tl_cell_text(item.name));
		tl_buf_adds(b, ", 'dur': ");
		tl_cell_repr(b, d->strings, item.int_dur ? tl_cell_int((int64_t)item.dur) : tl_cell_real(item.dur));
		tl_buf_adds(b, ", 'stream': ");
		tl_cell_repr(b, d->strings, item.stream);
		tl_buf_addc(b, '}');
	}
	tl_buf_addc(b, ']');
	return tl_cell_text(tl_intern(d->strings, b->data, b->len));
}

static struct tl_table *launcher_rows(struct tl_ops *ops)
{
	static const struct { int from; const char *name; bool ticks, shared; } columns[] = {
		{ UID, "uid", false, false }, { NAME, "name", false, true }, { CATEGORY, "category", false, true },
		{ TS, "ts", true, false }, { DIRECT_TICKS, "direct", true, false }, { SUBTREE_TICKS, "subtree", true, false },
		{ KERNEL_COUNT, "num_kernels", false, false }, { RECOMPUTED, "is_recompute", false, false },
		{ PROCESS_NAME, "process_name", false, true }, { PROCESS_LABEL, "process_label", false, true },
		{ THREAD_NAME, "thread_name", false, true }, { DIMS, "input_dims", false, true }, { TYPES, "input_type", false, true },
		{ STRIDES, "input_strides", false, true }, { CONCRETE, "concrete_inputs", false, true },
	};
	enum { N = sizeof columns / sizeof *columns };
	struct tl_table *out = tl_table_new(&ops->trace->strings);
	struct tl_buf text = { 0 };
	char name[64];

	for (size_t i = 0; i < N; i++)
		tl_table_add_column(out, columns[i].ticks ? tl_tick_column(name, sizeof name, columns[i].name, ops->trace)
		                                          : columns[i].name);
	tl_table_add_column(out, "kernel_details");
	for (size_t r = 0; r < ops->rows->n_rows; r++) {
		struct tl_cell *c = tl_table_add_row(out);

		for (size_t i = 0; i < N; i++)
			c[i] = columns[i].shared ? *tl_table_cell(ops->shared, ops->shared_of[r], (size_t)columns[i].from)
			                         : *tl_table_cell(ops->rows, r, (size_t)columns[i].from);
		c[N] = details_text(ops, r, &text);
	}
	tl_buf_release(&text);
	return out;
}

/* Lets a sum of µs be a sum of ticks, divided once. */
static void sum_ticks(struct tl_sheet_def *def, const struct tl_ops *ops, size_t column, const char *ticks)
{
	const char *us = own_names[column];
	struct tl_agg *agg = def->aggs;

	/* a column of whole µs stays one of integers */
	if (ops->rows->n_rows && tl_table_cell(ops->rows, 0, column)->type == TL_CELL_INT)
		return;
	while (agg->out && !(agg->kind == TL_AGG_SUM && !strcmp(agg->in, us)))
		agg++;
	if (!agg->out)
		return;
	memmove(def->scales + 1, def->scales, sizeof def->scales - sizeof *def->scales);
	def->scales[0] = (struct tl_scale){ ticks, agg->out, (double)ops->trace->ticks_per_us, 1 };
	agg->in = agg->out = ticks;
}

static struct tl_table *make_sheet(struct tl_ops *ops, const struct tl_sheet_def *model)
{
	struct tl_sheet_def def = *model;

	sum_ticks(&def, ops, DIRECT_TIME, DIRECT_T);
	sum_ticks(&def, ops, SUBTREE_TIME, SUBTREE_T);
	ops->kernel_memo.valid = ops->overlap_memo.valid = false;
	const struct tl_raw raw = { .strings = ops->rows->strings, .n_rows = ops->rows->n_rows, .own = ops->rows,
		.shared = ops->shared, .of = ops->shared_of };
	return tl_sheet_make_raw(&def, &raw, ops);
}

static const struct tl_sheet_def *const sheets[] = { &by_category, &summary, &unique_args, &unique_args_overlap };
enum { N_SHEETS = sizeof sheets / sizeof *sheets };

const char *tl_ops_sheet_name(size_t i)
{
	return i < N_SHEETS ? sheets[i]->name : i == N_SHEETS ? "launchers" : NULL;
}

struct tl_table *tl_ops_sheet(struct tl_ops *ops, const char *name)
{
	for (size_t i = 0; i < N_SHEETS; i++) {
		struct tl_table *t;

		if (strcmp(sheets[i]->name, name))
			continue;
		t = make_sheet(ops, sheets[i]);
		if (ops->options.top >= 0 && i >= 2)
			tl_table_head(t, (size_t)ops->options.top);
		return t;
	}
	return strcmp(name, "launchers") ? NULL : launcher_rows(ops);
}
