/* kernels.c - the kernel sheets.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/kernels.h"

#include "analysis/args.h"
#include "sheets/timeline.h"
#include "sheets/tick_columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct kernel {
	uint32_t event;
	uint32_t launcher;  /* the runtime call's event, or TL_NONE */
	uint32_t op;        /* nearest cpu_op above, or TL_NONE */
	uint32_t category;  /* of op; string id, 0 without op */
};

struct tl_kernels {
	struct tl_trace *trace;
	struct tl_kernels_options options;
	struct tl_kcat *kcat;
	struct tl_arg_cells cells;
	struct kernel *items; size_t n, cap;
	bool any_op, gpu_only;
	double total_us;
};

/* ---- the kernels ------------------------------------------------------------- */

struct finder {
	const struct tl_categories *categories;
	struct tl_launchers launchers;
	struct tl_map op_category; /* event -> string id */
};

/* The category of an operator that may or may not be a launcher: only
 * launchers have kernels of their own to be judged by. */
static uint32_t category_of(struct finder *f, struct tl_trace *t, uint32_t op)
{
	uint32_t item = f->launchers.of_event[op];
	const char *kernel = NULL;
	bool is_new;
	uint32_t *slot = tl_map_put(&f->op_category, op, &is_new);

	if (!is_new)
		return *slot;
	if (item != TL_NONE)
		kernel = tl_str(&t->strings, t->events[f->launchers.by_ts[f->launchers.items[item].first]].name);
	return *slot = tl_intern_str(&t->strings,
		f->categories->fn(f->categories->ctx, tl_str(&t->strings, t->events[op].name), kernel));
}

static void add_kernel(struct tl_kernels *k, struct finder *f, uint32_t event)
{
	const struct tl_ev *events = k->trace->events;
	struct kernel item = { .event = event, .launcher = events[event].parent, .op = events[event].parent };

	while (item.op != TL_NONE && events[item.op].kind != TL_KIND_CPU_OP)
		item.op = events[item.op].parent;
	if (item.op != TL_NONE) {
		k->any_op = true;
		item.category = category_of(f, k->trace, item.op);
	}
	TL_GROW(k->items, k->cap, k->n + 1);
	k->items[k->n++] = item;
}

struct tl_kernels *tl_kernels_new(struct tl_trace *t, const struct tl_kernels_options *o,
                                  const struct tl_categories *categories, struct tl_kcat *kcat)
{
	struct tl_kernels *k = tl_calloc(1, sizeof *k);
	struct finder f = { .categories = categories };

	*k = (struct tl_kernels){ .trace = t, .options = *o, .kcat = kcat, .cells = { .trace = t } };
	k->gpu_only = tl_trace_gpu_only(t);
	k->total_us = tl_timeline_total_us(t, &o->select);
	tl_launchers_build(&f.launchers, t);
	k->cap = (size_t)f.launchers.n_gpus + 1;
	k->items = tl_alloc(k->cap * sizeof *k->items);
	for (uint32_t i = 0; i < f.launchers.n_gpus; i++) {
		uint32_t e = f.launchers.gpus[i];
		if (t->events[e].kind == TL_KIND_KERNEL && tl_gpu_usable(&t->events[e]))
			add_kernel(k, &f, e);
	}
	tl_launchers_release(&f.launchers);
	tl_map_release(&f.op_category);
	return k;
}

void tl_kernels_free(struct tl_kernels *k)
{
	if (!k)
		return;
	tl_arg_cells_release(&k->cells);
	free(k->items);
	free(k);
}

static struct tl_cell name_cell(const struct tl_kernels *k, uint32_t event)
{
	uint32_t id = event == TL_NONE ? 0 : k->trace->events[event].name;

	/* an event has a name, be it an empty one */
	return event != TL_NONE && !id ? tl_cell_text(tl_intern(&k->trace->strings, "", 0)) : tl_cell_text(id);
}

static struct tl_cell dur_cell(const struct tl_kernels *k, const struct kernel *item)
{
	const struct tl_trace *t = k->trace;
	const struct tl_ev *e = &t->events[item->event];

	if ((e->flags & TL_EV_INT_DUR) && e->dur % t->ticks_per_us == 0)
		return tl_cell_int(e->dur / t->ticks_per_us);
	return tl_cell_real(tl_trace_us(t, e->dur));
}

/* ---- kernel_summary --------------------------------------------------------------- */

#define DUR "Kernel duration (µs)"
enum { S_CATEGORY, S_NAME, S_STREAM, S_PARENT };

static const struct tl_sheet_def summary_def = {
	.name = "kernel_summary",
	.keys = { { "Parent op category", NULL }, { "Parent cpu_op", NULL }, { "Kernel name", NULL }, { "Kernel stream", NULL } },
	.keys_ascending = true,
	.aggs = {
		{ TL_AGG_SUM, DUR, DUR "_sum", NULL }, { TL_AGG_COUNT, NULL, DUR "_count", NULL },
		{ TL_AGG_MEAN, DUR, DUR "_mean", NULL }, { TL_AGG_MIN, DUR, DUR "_min", NULL },
		{ TL_AGG_MAX, DUR, DUR "_max", NULL },
	},
	.order = { { DUR "_sum", true } },
	.shares = {
		{ DUR "_sum", "Percent of kernels time (%)", NULL, false, 0 },
		{ DUR "_sum", "Percent of total time (%)", NULL, false, 0 },
	},
	.columns = { "Parent op category", "Parent cpu_op", "Kernel name", "Kernel stream", DUR "_sum", DUR "_count",
		DUR "_mean", DUR "_min", DUR "_max", "Percent of kernels time (%)", "Percent of total time (%)" },
};

/* Is this the name of a call that launches a whole graph? */
static bool launches_graph(const char *name)
{
	return strcasestr(name, "cudagraph") || strcasestr(name, "graphlaunch");
}

static struct tl_cell summary_category(const struct tl_kernels *k, const struct kernel *item)
{
	struct tl_strtab *strings = &k->trace->strings;

	if (item->op != TL_NONE)
		return tl_cell_text(item->category);
	if (item->launcher == TL_NONE)
		return tl_cell_null();
	return tl_cell_text(tl_intern_str(strings,
		launches_graph(tl_str(strings, k->trace->events[item->launcher].name)) ? "graph" : "runtime"));
}

/* Durations in µs: integers if all of them are, which `ints` tells. */
struct durations { double *us; int64_t *whole; bool ints; };

static void release_durations(struct durations *d)
{
	free(d->us);
	free(d->whole);
}

static struct durations durations_of(const struct tl_kernels *k)
{
	struct durations d = { .us = tl_alloc((k->n + 1) * sizeof *d.us), .whole = tl_alloc((k->n + 1) * sizeof *d.whole), .ints = true };

	for (size_t i = 0; i < k->n; i++) {
		struct tl_cell c = dur_cell(k, &k->items[i]);
		d.ints &= c.type == TL_CELL_INT;
		d.whole[i] = c.type == TL_CELL_INT ? c.i : 0;
		d.us[i] = c.type == TL_CELL_INT ? (double)c.i : c.d;
	}
	return d;
}

/* What kernels of one name, stream and parent have in common: rows of a table,
 * and which of them each kernel has. */
struct common { struct tl_table *table; uint32_t *of; };
struct common_key { uint32_t category, parent, name, type; int64_t stream; };

static void add_common(struct tl_kernels *k, struct tl_table *table, const struct tl_arg *stream, const struct kernel *item, struct tl_cell category)
{
	struct tl_cell *c = tl_table_add_row(table);

	c[S_CATEGORY] = category;
	c[S_NAME] = name_cell(k, item->event);
	c[S_STREAM] = tl_arg_cell(&k->cells, stream, item->event);
	if (k->any_op)
		c[S_PARENT] = name_cell(k, item->op != TL_NONE ? item->op : item->launcher);
}

static struct common common_of(struct tl_kernels *k)
{
	struct common out = { tl_table_new(&k->trace->strings), tl_alloc((k->n + 1) * sizeof *out.of) };
	const struct tl_ev *events = k->trace->events;
	struct tl_strtab keys; /* id: 1 + row */
	struct tl_arg stream;

	tl_table_add_column(out.table, "Parent op category");
	tl_table_add_column(out.table, "Kernel name");
	tl_table_add_column(out.table, "Kernel stream");
	if (k->any_op)
		tl_table_add_column(out.table, "Parent cpu_op");
	tl_strtab_init(&keys);
	tl_arg_init(&stream, k->trace, "stream");
	for (size_t i = 0; i < k->n; i++) {
		const struct kernel *item = &k->items[i];
		uint32_t parent = item->op != TL_NONE ? item->op : item->launcher;
		struct tl_cell category = summary_category(k, item);
		struct common_key key;

		memset(&key, 0, sizeof key);
		key.category = category.text; /* 0 of null */
		key.parent = parent == TL_NONE ? TL_NONE : events[parent].name;
		key.name = events[item->event].name;
		key.type = (uint32_t)tl_arg_get(&stream, k->trace, item->event, &key.stream);
		uint32_t id = tl_intern(&keys, (const char *)&key, sizeof key);
		if (id > out.table->n_rows)
			add_common(k, out.table, &stream, item, category);
		out.of[i] = id - 1;
	}
	tl_arg_release(&stream);
	tl_strtab_release(&keys);
	tl_table_unify_column(out.table, S_STREAM);
	return out;
}

static struct tl_table *make_summary(struct tl_kernels *k)
{
	struct common common = common_of(k);
	struct durations d = durations_of(k);
	const struct tl_raw_column dur = { DUR, d.ints ? d.whole : NULL, d.us, sizeof *d.us };
	const struct tl_raw raw = { .strings = &k->trace->strings, .n_rows = k->n, .columns = &dur, .n_columns = 1,
		.shared = common.table, .of = common.of };
	struct tl_sheet_def def = summary_def;
	double sum = tl_pairwise_sum(d.us, k->n);

	def.shares[0].total = sum > 0 ? sum : NAN;
	def.shares[1].total = k->total_us;
	struct tl_table *out = tl_sheet_make_raw(&def, &raw, NULL);
	release_durations(&d);
	tl_table_free(common.table);
	free(common.of);
	return out;
}

/* ---- short kernels ------------------------------------------------------------------ */

static bool is_short(const struct tl_kernels *k, const struct kernel *item)
{
	int64_t limit;

	if (__builtin_mul_overflow(k->options.short_us, k->trace->ticks_per_us, &limit))
		limit = INT64_MAX;
	return k->trace->events[item->event].dur < limit;
}

/* Lower edge of bin i; the last bin ends at high itself. */
static double edge(double low, double high, int64_t bins, int64_t i)
{
	return i == bins ? high : (double)i * ((high - low) / (double)bins) + low;
}

/* The last bin that begins at or below v: nearly always the one that division
 * tells, or the one beside it. */
static int64_t bin_of(double low, double high, int64_t bins, double v)
{
	int64_t from = 0, past = bins;
	/* where the numbers are so big that their bins are no wider than nothing, it tells nothing */
	int64_t guess = high > low ? (int64_t)((v - low) / (high - low) * (double)bins) : 0;

	for (int64_t i = guess - 1; i <= guess + 1; i++)
		if (i >= 0 && i + 1 < bins && edge(low, high, bins, i) <= v && v < edge(low, high, bins, i + 1))
			return i;
	while (past - from > 1) {
		int64_t mid = from + (past - from) / 2;

		if (edge(low, high, bins, mid) <= v)
			from = mid;
		else
			past = mid;
	}
	return from;
}

static void fill_bins(struct tl_table *t, const double *durs, size_t n, int64_t bins)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < n; i++) {
		low = durs[i] < low ? durs[i] : low;
		high = durs[i] > high ? durs[i] : high;
	}
	if (low == high) {
		low -= 0.5;
		high += 0.5;
	}
	for (int64_t i = 0; i < bins; i++) {
		struct tl_cell *c = tl_table_add_row(t);

		c[0] = tl_cell_real(edge(low, high, bins, i));
		c[1] = tl_cell_real(edge(low, high, bins, i + 1));
		c[2] = tl_cell_int(0);
	}
	for (size_t i = 0; i < n; i++)
		tl_table_cell(t, (size_t)bin_of(low, high, bins, durs[i]), 2)->i++;
}

static struct tl_table *make_histogram(struct tl_kernels *k)
{
	struct tl_table *t = tl_table_new(&k->trace->strings);
	double *durs = tl_alloc((k->n + 1) * sizeof *durs);
	size_t n = 0;

	tl_table_add_column(t, "bin_start");
	tl_table_add_column(t, "bin_end");
	tl_table_add_column(t, "count");
	for (size_t i = 0; i < k->n; i++)
		if (is_short(k, &k->items[i]))
			durs[n++] = tl_trace_us(k->trace, k->trace->events[k->items[i].event].dur);
	if (n)
		fill_bins(t, durs, n, k->options.bins);
	free(durs);
	return t;
}

#define SHORT "Short Kernel "
static const struct tl_sheet_def short_def = {
	.name = "short_kernels_summary",
	.keys = { { "Parent cpu_op", NULL }, { "Input dims", NULL }, { "Input strides", NULL },
		{ "Concrete Inputs", NULL }, { "Kernel name", NULL } },
	.drop_null_keys = true,
	.aggs = {
		{ TL_AGG_SUM, DUR, SHORT "duration (µs) sum", NULL }, { TL_AGG_COUNT, NULL, SHORT "count", NULL },
		{ TL_AGG_MEAN, DUR, SHORT "duration (µs) mean", NULL },
	},
	.order = { { SHORT "duration (µs) sum", true }, { SHORT "count", false }, { SHORT "duration (µs) mean", false } },
	.shares = { { SHORT "duration (µs) sum", SHORT "duration (µs) percent of total time", NULL, false, 0 } },
	.columns = { "Parent cpu_op", "Input dims", "Input strides", "Concrete Inputs", "Kernel name",
		SHORT "duration (µs) sum", SHORT "count", SHORT "duration (µs) mean", SHORT "duration (µs) percent of total time" },
};

static struct tl_table *short_rows(struct tl_kernels *k)
{
	static const char *const names[] = { "Kernel name", DUR, "Parent cpu_op", "Input dims", "Input strides", "Concrete Inputs" };
	static const char *const arg_names[] = { "Input Dims", "Input Strides", "Concrete Inputs" };
	struct tl_table *rows = tl_table_new(&k->trace->strings);
	struct tl_arg args[3];

	for (size_t i = 0; i < (k->gpu_only ? 2 : 6); i++)
		tl_table_add_column(rows, names[i]);
	for (size_t i = 0; i < 3; i++)
		tl_arg_init(&args[i], k->trace, arg_names[i]);
	for (size_t i = 0; i < k->n; i++) {
		const struct kernel *item = &k->items[i];
		struct tl_cell *c;

		if (!is_short(k, item))
			continue;
		c = tl_table_add_row(rows);
		c[0] = name_cell(k, item->event);
		c[1] = dur_cell(k, item);
		if (k->gpu_only || item->op == TL_NONE)
			continue;
		c[2] = name_cell(k, item->op);
		for (size_t a = 0; a < 3; a++)
			c[3 + a] = tl_arg_cell(&k->cells, &args[a], item->op);
	}
	for (size_t i = 0; i < 3; i++)
		tl_arg_release(&args[i]);
	tl_table_unify_column(rows, 1);
	return rows;
}

static struct tl_table *make_short(struct tl_kernels *k)
{
	struct tl_table *rows = short_rows(k), *out;
	struct tl_sheet_def def = short_def;

	def.shares[0].total = k->total_us;
	out = tl_sheet_make(&def, rows, NULL);
	if (k->options.top_short >= 0)
		tl_table_head(out, (size_t)k->options.top_short);
	tl_table_free(rows);
	return out;
}

/* ---- one row a kernel --------------------------------------------------------------- */

enum { K_UID, K_CATEGORY, K_NAME, K_TS, K_DUR, K_DEVICE, K_STREAM, K_CORRELATION, K_LAUNCHER, K_OP, K_OP_UID, K_OP_CATEGORY, K_COLUMNS };

static struct tl_table *kernel_columns(const struct tl_kernels *k)
{
	struct tl_table *t = tl_table_new(&k->trace->strings);
	char name[64];

	tl_table_add_column(t, "uid");
	tl_table_add_column(t, "category");
	tl_table_add_column(t, "name");
	tl_table_add_column(t, tl_tick_column(name, sizeof name, "ts", k->trace));
	tl_table_add_column(t, tl_tick_column(name, sizeof name, "dur", k->trace));
	tl_table_add_column(t, "device");
	tl_table_add_column(t, "stream");
	tl_table_add_column(t, "correlation");
	tl_table_add_column(t, "launcher");
	tl_table_add_column(t, "parent_op");
	tl_table_add_column(t, "parent_op_uid");
	tl_table_add_column(t, "parent_op_category");
	return t;
}

static struct tl_table *make_kernels(struct tl_kernels *k)
{
	struct tl_strtab *strings = &k->trace->strings;
	struct tl_table *t = kernel_columns(k);
	struct tl_arg stream, correlation;

	tl_arg_init(&stream, k->trace, "stream");
	tl_arg_init(&correlation, k->trace, "correlation");
	for (size_t i = 0; i < k->n; i++) {
		const struct kernel *item = &k->items[i];
		const struct tl_ev *e = &k->trace->events[item->event];
		struct tl_cell *c = tl_table_add_row(t);
		const char *name = tl_str(strings, e->name);

		c[K_UID] = tl_cell_int(e->uid);
		c[K_CATEGORY] = tl_cell_text(tl_intern_str(strings, tl_kcat_of(k->kcat, name, tl_str_len(strings, e->name))));
		c[K_NAME] = name_cell(k, item->event);
		c[K_TS] = tl_cell_int(e->ts);
		c[K_DUR] = tl_cell_int(e->dur);
		c[K_DEVICE] = tl_cell_text(k->trace->tracks[e->track].pid);
		c[K_STREAM] = tl_arg_cell(&k->cells, &stream, item->event);
		c[K_CORRELATION] = tl_arg_cell(&k->cells, &correlation, item->event);
		c[K_LAUNCHER] = name_cell(k, item->launcher);
		c[K_OP] = name_cell(k, item->op);
		if (item->op != TL_NONE)
			c[K_OP_UID] = tl_cell_int(k->trace->events[item->op].uid);
		c[K_OP_CATEGORY] = tl_cell_text(item->category);
	}
	tl_arg_release(&stream);
	tl_arg_release(&correlation);
	return t;
}

/* ---- by name ------------------------------------------------------------------------- */

static const struct { const char *name; struct tl_table *(*make)(struct tl_kernels *); } sheets[] = {
	{ "kernel_summary", make_summary },
	{ "short_kernel_histogram", make_histogram },
	{ "short_kernels_summary", make_short },
	{ "kernels", make_kernels },
};
enum { N_SHEETS = sizeof sheets / sizeof *sheets };

const char *tl_kernels_sheet_name(size_t i)
{
	return i < N_SHEETS ? sheets[i].name : NULL;
}

struct tl_table *tl_kernels_sheet(struct tl_kernels *k, const char *name)
{
	for (size_t i = 0; i < N_SHEETS; i++)
		if (!strcmp(sheets[i].name, name))
			return sheets[i].make(k);
	return NULL;
}
