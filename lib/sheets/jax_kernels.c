/* jax_kernels.c - what the GPUs of a JAX trace did, its kernels, and summaries of them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/jax_events.h"

#include "analysis/kernel_details.h"
#include "analysis/python_set.h"
#include "analysis/spans.h"
#include "base/text.h"
#include "table/statistics.h"

#include <stdlib.h>
#include <string.h>

/* ---- gpu_timeline, gpu_events_averages: what the time was spent on, GPU by GPU --------------- */

static void add_event(const struct tl_jax *j, const struct tl_jax_event *e, struct tl_spans *s)
{
	int64_t ts = j->trace->events[e->event].ts;

	tl_spans_add(s, ts, tl_ticks_add(ts, tl_jax_dur(j, e)));
}

/* Of a GPU, in ticks. False: it has no events. */
static bool measure(const struct tl_jax *j, const struct tl_jax_gpu *gpu, int64_t ticks[TL_TIMES])
{
	struct tl_spans of[TL_GPU_WORKS] = { 0 };

	for (size_t i = gpu->first; i < gpu->first + gpu->n; i++)
		add_event(j, &j->events[i], &of[j->events[i].work]);
	return tl_gpu_times(of, NULL, ticks);
}

static struct tl_cell percent_of(double time, double total)
{
	return total > 0 ? tl_cell_real(100 * time / total) : tl_cell_null();
}

static void add_gpu(struct tl_table *t, int64_t pid, const int64_t ticks[TL_TIMES])
{
	for (size_t i = 0; i < TL_TIMES; i++) {
		const struct tl_cell c[] = {
			tl_cell_str(t->strings, tl_gpu_time_names[i]), tl_cell_ms(ticks[i]),
			percent_of((double)ticks[i], (double)ticks[TL_TIME_TOTAL]), tl_cell_int(pid),
		};
		tl_table_add_row(t, c);
	}
}

static int by_pid(const void *pa, const void *pb)
{
	int64_t a = ((const struct tl_jax_gpu *)pa)->pid, b = ((const struct tl_jax_gpu *)pb)->pid;

	return (a > b) - (a < b);
}

/* The rows of TraceLens are in the order in which Python walks a set of the pids. */
void tl_jax_times(void *ctx, struct tl_sheet_input *in)
{
	static const char *const columns[] = { "type", "time ms", "percent", "gpu_pid", NULL };
	struct tl_jax *j = ctx;
	struct tl_table *t = in->own_rows = tl_table_new(&j->trace->strings, j->trace->ticks_per_us, columns);
	struct tl_pyset pids = { 0 };
	int64_t ticks[TL_TIMES];
	uint32_t pid;

	for (size_t i = 0; i < j->n_gpus; i++)
		if (j->gpus[i].pid < TL_PYSET_DELETED)
			tl_pyset_add(&pids, (uint32_t)j->gpus[i].pid);
	for (size_t at = 0; tl_pyset_next(&pids, &at, &pid);)
		if (measure(j, bsearch(&(struct tl_jax_gpu){ .pid = pid }, j->gpus, j->n_gpus, sizeof *j->gpus, by_pid), ticks))
			add_gpu(t, pid, ticks);
	tl_pyset_release(&pids);
}

/* The means over GPUs, in ms. Returns how many GPUs that are. */
static size_t mean_times(const struct tl_jax *j, double ms[TL_TIMES])
{
	int64_t ticks[TL_TIMES], sums[TL_TIMES] = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < j->n_gpus; i++) {
		if (!measure(j, &j->gpus[i], ticks))
			continue;
		n++;
		for (size_t k = 0; k < TL_TIMES; k++)
			sums[k] = tl_ticks_add(sums[k], ticks[k]);
	}
	for (size_t k = 0; k < TL_TIMES; k++)
		ms[k] = n ? (double)sums[k] / (double)j->trace->ticks_per_us / 1000 / (double)n : 0;
	return n;
}

void tl_jax_averages(void *ctx, struct tl_sheet_input *in)
{
	static const char *const columns[] = { "type", "time ms", "percent", NULL };
	struct tl_jax *j = ctx;
	struct tl_table *t = in->own_rows = tl_table_new(&j->trace->strings, j->trace->ticks_per_us, columns);
	double ms[TL_TIMES];

	if (!mean_times(j, ms))
		return;
	for (size_t i = 0; i < TL_TIMES; i++) {
		const struct tl_cell c[] = {
			tl_cell_str(t->strings, tl_gpu_time_names[i]), tl_cell_real(ms[i]),
			percent_of(ms[i], ms[TL_TIME_TOTAL]),
		};
		tl_table_add_row(t, c);
	}
}

#define TIME "total_direct_kernel_time"
#define SUBTREE "total_subtree_kernel_time" /* a kernel has nothing below it: the same */

/* ---- rows of all kernels ---------------------------------------------------------------- */

enum {
	NAME, SHORT_NAME, UID, CATEGORY, DUR, COUNT, PID, TID, DIMS, TYPES, STRIDES, CONCRETE, LATENCY, IS_XLA, N_COLUMNS
};
static const char *const row_columns[] = {
	"name", "short name", "UID", "op category", TIME, "direct_kernel_count", "pid", "tid", "Input Dims", "Input type",
	"Input Strides", "Concrete Inputs", "GPU_kernel_launch_latency", "is xla", NULL
};

/* What a sheet is made of; kernels[i] is row i. */
struct kernels {
	struct tl_jax *jax;
	struct tl_table *rows;
	const struct tl_jax_event **kernels; size_t n, cap;
	struct tl_details details;
	struct tl_buf buf;
	const char *where;        /* the sheet has the rows for which this column is true; NULL: all */
};

/* Does the metadata of its operation have one of the words? */
static bool is_wanted(const struct tl_jax *j, const struct tl_jax_event *e)
{
	const struct tl_jax_options *o = &j->options;

	for (size_t i = 0; i < o->n_keywords; i++)
		if (e->op && e->op->metadata && strstr(e->op->metadata, o->keywords[i]))
			return true;
	return !o->n_keywords;
}

static struct tl_cell latency_of(const struct tl_jax *j, const struct tl_jax_event *e)
{
	const struct tl_ev *events = j->trace->events;

	if (e->call == TL_NONE)
		return tl_cell_null();
	return tl_cell_time(tl_ticks_sub(events[e->event].ts, events[e->call].ts), false);
}

static struct tl_cell value_cell(struct kernels *k, const struct tl_value *v)
{
	return tl_value_cell(v, true, &k->jax->trace->strings, &k->buf);
}

/* The tuples of what the kernel's operation reads. */
static void add_inputs(struct kernels *k, const struct tl_jax_event *e, struct tl_cell *c)
{
	struct tl_arena arena = { 0 };
	struct tl_hlo_inputs in = tl_hlo_inputs(e->op, e->model, &arena);

	c[DIMS] = value_cell(k, &in.dims);
	c[TYPES] = value_cell(k, &in.types);
	c[CONCRETE] = value_cell(k, &in.concrete);
	c[STRIDES] = tl_cell_str(&k->jax->trace->strings, "()");
	tl_arena_release(&arena);
}

static void add_row(struct kernels *k, const struct tl_jax_event *e)
{
	struct tl_jax *j = k->jax;
	struct tl_strtab *strings = &j->trace->strings;
	const struct tl_ev *ev = &j->trace->events[e->event];
	struct tl_cell c[N_COLUMNS] = { 0 };

	c[NAME] = tl_name_cell(j->trace, ev->name);
	c[SHORT_NAME] = tl_cell_text(tl_without_digits(strings, tl_str(strings, ev->name), tl_str_len(strings, ev->name)));
	c[UID] = tl_cell_int((int64_t)e->uid);
	c[CATEGORY] = tl_cell_str(strings, e->category);
	c[DUR] = tl_cell_time(tl_jax_dur(j, e), false);
	c[COUNT] = tl_cell_int(1);
	c[PID] = tl_json_cell(j->trace, j->trace->tracks[ev->track].pid);
	c[TID] = tl_json_cell(j->trace, j->trace->tracks[ev->track].tid);
	add_inputs(k, e, c);
	c[LATENCY] = latency_of(j, e);
	c[IS_XLA] = tl_cell_bool(!strcmp(e->category, TL_JAX_OTHER_KERNELS));
	tl_table_add_row(k->rows, c);
	tl_details_add_row(&k->details);
	tl_details_add(&k->details, &(struct tl_detail){
		.name = ev->name, .event = e->event, .dur = tl_trace_us(j->trace, tl_jax_dur(j, e)),
	});
	TL_GROW(k->kernels, k->cap, k->n + 1);
	k->kernels[k->n++] = e;
}

/* How many GPUs ran the kernels of the sheet's rows. */
static double count_gpus(const struct kernels *k)
{
	struct tl_map pids = { 0 };

	for (size_t i = 0; i < k->n; i++)
		if (!k->where || tl_table_cell(k->rows, i, IS_XLA).i)
			tl_map_put(&pids, (uint64_t)tl_jax_track(k->jax, k->kernels[i]->event)->pid, NULL);
	double n = (double)pids.count;
	tl_map_release(&pids);
	return n;
}

/* ---- what is known of a kernel's operation ------------------------------------------------ */

static void add_text(struct tl_buf *b, const char *key, const char *text)
{
	tl_buf_addf(b, ", '%s': ", key);
	tl_repr_text(b, text ? text : "NA", strlen(text ? text : "NA"));
}

/* TraceLens looks for outputs under another name than it keeps them, and finds none. */
static void add_facts(void *ctx, size_t row, struct tl_buf *b)
{
	const struct kernels *k = ctx;
	const struct tl_hlo_op *op = k->kernels[row]->op;

	add_text(b, "custom_call_target", op ? op->custom_call_target : NULL);
	tl_buf_adds(b, ", 'operands': ");
	for (size_t i = 0; op && i < op->n_operands; i++) {
		tl_buf_adds(b, i ? ", " : "[");
		tl_repr_text(b, op->operands[i], strlen(op->operands[i]));
	}
	tl_buf_adds(b, !op ? "'NA'" : op->n_operands ? "]" : "[]");
	add_text(b, "outputs", NULL);
	add_text(b, "metadata", op ? op->metadata : NULL);
}

static void details_cell(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	struct kernels *k = ctx;
	struct tl_strtab *strings = &k->jax->trace->strings;
	const struct tl_jax_event *e = k->kernels[rows[0]];
	uint32_t name = k->jax->trace->events[e->event].name;
	struct tl_buf b = { 0 };

	(void)n;
	tl_buf_adds(&b, "[{'name': ");
	tl_repr_text(&b, tl_str(strings, name), tl_str_len(strings, name));
	tl_buf_adds(&b, ", 'dur': ");
	tl_cell_repr(&b, strings, tl_cell_real(tl_trace_us(k->jax->trace, tl_jax_dur(k->jax, e))));
	add_facts(k, rows[0], &b);
	tl_buf_adds(&b, "}]");
	cells[0] = tl_cell_text(tl_intern(strings, b.data, b.len));
	tl_buf_release(&b);
}

static void summary_cell(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	struct kernels *k = ctx;

	tl_details_summarise(&k->details, rows, n, cells);
}

/* The bytes of a shape, type[8,16]{1,0}. Those of a single element, of several shapes and of
 * types that are not known do not count. */
static int64_t bytes_of(struct tl_jax *j, const char *shape)
{
	size_t len = 0;
	int64_t bits, n;
	char *end;

	while (tl_in_name(shape[len]))
		len++;
	const char *p = shape + len, *size = tl_name_rules_find(j->type_bits, shape, len);
	if (!len || *p != '[' || !tl_is_digit(p[1]))
		return 0;
	if (!*size)
		j->doubts.unknown_types++;
	bits = strtoll(size, NULL, 10);
	do {
		n = strtoll(p + 1, &end, 10);
		if (end == p + 1 || __builtin_mul_overflow(bits, n, &bits))
			return 0;
	} while (*(p = end) == ',');
	return *p == ']' ? bits / 8 + (bits % 8 > 0) : 0;
}

static void bytes_cell(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	const struct kernels *k = ctx;
	const struct tl_hlo_op *op = k->kernels[rows[0]]->op;
	int64_t sum = 0;

	(void)n;
	for (size_t i = 0; op && i < op->n_operands; i++)
		sum = tl_ticks_add(sum, bytes_of(k->jax, op->operands[i]));
	cells[0] = tl_cell_int(sum);
}

/* ---- cells about a group of kernels ------------------------------------------------------ */

static void categories_cell(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	const struct kernels *k = ctx;

	cells[0] = tl_distinct_texts(k->rows, CATEGORY, rows, n);
}

/* ---- the definitions ------------------------------------------------------------------------- */

#define WITH_BYTES 1u
static const struct tl_column launcher_columns[] = {
	{ "name", .kind = TL_FIRST },
	{ "UID", .kind = TL_FIRST },
	{ "op category", .kind = TL_FIRST },
	{ TIME, .kind = TL_FIRST },
	{ SUBTREE, .kind = TL_FIRST, .in = TIME },
	{ "direct_kernel_count", .kind = TL_FIRST },
	{ "pid", .kind = TL_FIRST },
	{ "tid", .kind = TL_FIRST },
	{ "Input Dims", .kind = TL_FIRST },
	{ "Input type", .kind = TL_FIRST },
	{ "Input Strides", .kind = TL_FIRST },
	{ "Concrete Inputs", .kind = TL_FIRST },
	{ "kernel_details", .kind = TL_CALL, .fn = details_cell },
	{ "GPU_kernel_launch_latency", .kind = TL_FIRST },
	{ "total_input_bytes", .kind = TL_CALL, .fn = bytes_cell, .when = WITH_BYTES },
	{ .name = NULL }
};
const struct tl_sheet_def tl_jax_launchers = {
	.name = "kernel_launchers", .rows = row_columns, .columns = launcher_columns, .ungrouped = true,
};

/* The columns of a summary by NAME, which is that of the raw rows' column IN. */
#define SUMMARY_COLUMNS(in_) \
	{ "name", .kind = TL_KEY, .in = in_ }, \
	{ TIME "_sum", .kind = TL_SUM, .in = TIME }, \
	{ SUBTREE "_sum", .kind = TL_SUM, .in = TIME }, \
	{ TIME "_ms", .kind = TL_MS, .in = TIME "_sum" }, \
	{ SUBTREE "_ms", .kind = TL_MS, .in = TIME "_sum" }, \
	{ "Count", .kind = TL_COUNT }, \
	{ "Categories", .kind = TL_CALL, .fn = categories_cell }, \
	{ "Percentage (%)", .kind = TL_PERCENT, .in = TIME "_ms" }, \
	{ "Cumulative Percentage (%)", .kind = TL_CUMULATIVE, .in = "Percentage (%)" }, \
	{ "time ms per gpu", .kind = TL_SHARE, .in = TIME "_ms", .total = 1 }, \
	{ .name = NULL }
static const struct tl_column summary_columns[] = { SUMMARY_COLUMNS("name") };
static const struct tl_column xla_columns[] = { SUMMARY_COLUMNS("short name") };
const struct tl_sheet_def tl_jax_summary = {
	.name = "kernel_launchers_summary", .rows = row_columns, .columns = summary_columns,
	.keys_ascending = true, .order = { { TIME "_sum", true } },
};
const struct tl_sheet_def tl_jax_xla_summary = {
	.name = "xla_summary", .rows = row_columns, .columns = xla_columns,
	.keys_ascending = true, .order = { { TIME "_sum", true } },
};

static const struct tl_column category_columns[] = {
	{ "op category", .kind = TL_KEY },
	{ "Count", .kind = TL_COUNT },
	{ "sum", .kind = TL_SUM, .in = TIME, .hidden = true },
	{ TIME "_ms", .kind = TL_MS, .in = "sum" },
	{ "Percentage (%)", .kind = TL_PERCENT, .in = TIME "_ms" },
	{ "Cumulative Percentage (%)", .kind = TL_CUMULATIVE, .in = "Percentage (%)" },
	{ "time ms per gpu", .kind = TL_SHARE, .in = TIME "_ms", .total = 1 },
	{ .name = NULL }
};
const struct tl_sheet_def tl_jax_by_category = {
	.name = "kernel_launchers_summary_by_category", .rows = row_columns, .columns = category_columns,
	.keys_ascending = true, .order = { { "sum", true } },
};

/* A statistic of the time, and of the time of the subtree. */
#define BOTH(suffix, kind_) { TIME suffix, .kind = kind_, .in = TIME }, { SUBTREE suffix, .kind = kind_, .in = TIME }
static const struct tl_column args_columns[] = {
	{ "name", .kind = TL_KEY },
	{ "op category", .kind = TL_KEY },
	{ "Input Dims", .kind = TL_KEY },
	{ "Input type", .kind = TL_KEY },
	{ "Input Strides", .kind = TL_KEY },
	{ "Concrete Inputs", .kind = TL_KEY },
	{ "operation_count", .kind = TL_COUNT },
	BOTH("_mean", TL_MEAN), BOTH("_median", TL_MEDIAN), BOTH("_std", TL_STD), BOTH("_min", TL_MIN), BOTH("_max", TL_MAX),
	BOTH("_sum", TL_SUM),
	{ "ex_UID", .kind = TL_FIRST, .in = "UID" },
	{ "kernel_details_summary", .kind = TL_CALL, .fn = summary_cell },
	{ "Percentage (%)", .kind = TL_PERCENT, .in = TIME "_sum" },
	{ "Cumulative Percentage (%)", .kind = TL_CUMULATIVE, .in = "Percentage (%)" },
	{ .name = NULL }
};
const struct tl_sheet_def tl_jax_unique_args = {
	.name = "kernel_launchers_unique_args", .rows = row_columns, .columns = args_columns,
	.order = { { TIME "_sum", true }, { "ex_UID", false } },
};

/* ---- the sheets ---------------------------------------------------------------------------------- */

static void free_kernels(void *kernels)
{
	struct kernels *k = kernels;

	tl_details_release(&k->details);
	tl_buf_release(&k->buf);
	free(k->kernels);
	free(k);
}

void tl_jax_kernels(void *ctx, struct tl_sheet_input *in)
{
	struct tl_jax *j = ctx;
	struct kernels *k = tl_calloc(1, sizeof *k);

	*k = (struct kernels){ .jax = j, .where = in->where, .rows = tl_table_new(&j->trace->strings, j->trace->ticks_per_us, row_columns) };
	tl_details_init(&k->details, j->trace);
	k->details.add_facts = add_facts;
	k->details.facts_ctx = k;
	for (size_t i = 0; i < j->n; i++)
		if (tl_jax_is_kernel(&j->events[i]) && is_wanted(j, &j->events[i]))
			add_row(k, &j->events[i]);
	j->doubts.no_keyword |= j->options.n_keywords && !k->n;
	in->own_rows = k->rows;
	in->conditions = in->where ? WITH_BYTES : 0;
	in->totals[0] = count_gpus(k);
	in->ctx = k;
	in->done = free_kernels;
}

/* ---- the sheets of TraceLens's second report ---------------------------------------------------
 *
 * GPU time and computation by category, rounded to two decimals. Here the category of a kernel is what
 * its own name says; that of its operation counts where the name says nothing. */

#define UNCATEGORISED "Uncategorized Events"

static struct tl_cell rounded(double x)
{
	return tl_cell_real(tl_numpy_round2(x));
}

static void add_time(struct tl_table *t, const char *name, double ms, double total)
{
	const struct tl_cell c[] = {
		tl_cell_str(t->strings, name), rounded(ms), total > 0 ? rounded(ms / total * 100) : tl_cell_null(),
	};

	tl_table_add_row(t, c);
}

void tl_jax_analysis_times(void *ctx, struct tl_sheet_input *in)
{
	static const char *const columns[] = { "type", "time ms", "percent", NULL };
	struct tl_jax *j = ctx;
	struct tl_table *t = in->own_rows = tl_table_new(&j->trace->strings, 1, columns);
	double ms[TL_TIMES];

	if (!mean_times(j, ms))
		return;
	for (size_t i = 0; i < TL_TIMES; i++) {
		if (i == TL_TIME_COMM)
			add_time(t, "overlapped_comm", ms[TL_TIME_COMM] - ms[TL_TIME_EXPOSED_COMM], ms[TL_TIME_TOTAL]);
		add_time(t, tl_gpu_time_names[i], ms[i], ms[TL_TIME_TOTAL]);
	}
}

enum { C_CATEGORY, C_SHORT_NAME, C_TIME, C_OTHER, N_C_COLUMNS };
static const char *const computation_rows[] = { "category", "short name", "time", "uncategorised", NULL };

struct computation {
	struct tl_jax *jax;
	struct tl_table *rows;
	int64_t uncategorised;   /* ticks of kernels without a category */
};

/* The name without digits and without the underscores at its end. */
static uint32_t short_name(struct tl_strtab *strings, uint32_t name)
{
	const char *s = tl_str(strings, name);
	size_t len = tl_str_len(strings, name);

	while (len && s[len - 1] == '_')
		len--;
	return tl_without_digits(strings, s, len);
}

static void add_computation(struct computation *a, const struct tl_jax_event *e)
{
	struct tl_jax *j = a->jax;
	struct tl_strtab *strings = &j->trace->strings;
	uint32_t name = j->trace->events[e->event].name;
	const char *category = tl_jax_category(j, name);
	struct tl_cell c[N_C_COLUMNS] = { 0 };

	if (!*category)
		category = tl_jax_category(j, tl_jax_text(j, TL_JAX_HLO_OP, e->event));
	c[C_CATEGORY] = tl_cell_str(strings, *category ? category : UNCATEGORISED);
	c[C_SHORT_NAME] = tl_cell_text(short_name(strings, name));
	c[C_TIME] = tl_cell_time(tl_jax_dur(j, e), false);
	c[C_OTHER] = tl_cell_bool(!*category);
	if (!*category)
		a->uncategorised = tl_ticks_add(a->uncategorised, tl_jax_dur(j, e));
	tl_table_add_row(a->rows, c);
}

/* Totals: how many GPUs; the time that percentages are of. */
#define TIME_COLUMNS \
	{ "count", .kind = TL_COUNT, .in = "time" }, \
	{ "sum", .kind = TL_SUM, .in = "time", .hidden = true }, \
	{ "ms", .kind = TL_MS, .in = "sum", .hidden = true }, \
	{ "time ms", .kind = TL_MS, .in = "sum", .rounded = true }, \
	{ "time ms per gpu", .kind = TL_SHARE, .in = "ms", .total = 1, .rounded = true }, \
	{ "percent", .kind = TL_PERCENT, .in = "sum", .total = 2, .rounded = true }, \
	{ .name = NULL }
static const struct tl_column computation_by_category[] = { { "name", .kind = TL_KEY, .in = "category" }, TIME_COLUMNS };
static const struct tl_column computation_by_name[] = { { "short_name_grouped", .kind = TL_KEY, .in = "short name" }, TIME_COLUMNS };
const struct tl_sheet_def tl_jax_categorized = {
	.name = "gpu_events_categorized_mean", .rows = computation_rows, .columns = computation_by_category, .order = { { "sum", true } },
};
const struct tl_sheet_def tl_jax_xla_grouped = {
	.name = "xla_grouped", .rows = computation_rows, .columns = computation_by_name, .keys_ascending = true, .order = { { "sum", true } },
};

/* The kernels that compute; if each of them has a category, a row without time, too: of those without. */
void tl_jax_computation(void *ctx, struct tl_sheet_input *in)
{
	struct tl_jax *j = ctx;
	struct computation a = { .jax = j, .rows = tl_table_new(&j->trace->strings, j->trace->ticks_per_us, computation_rows) };
	double ms[TL_TIMES], gpus = (double)mean_times(j, ms);

	for (size_t i = 0; i < j->n; i++)
		if (j->events[i].work == TL_GPU_COMPUTE)
			add_computation(&a, &j->events[i]);
	if (a.rows->n_rows && !a.uncategorised)
		tl_table_add_row(a.rows, (struct tl_cell[N_C_COLUMNS]){ tl_cell_str(&j->trace->strings, UNCATEGORISED) });
	in->own_rows = a.rows;
	in->totals[0] = gpus;
	in->totals[1] = in->where ? tl_trace_us(j->trace, a.uncategorised) : ms[TL_TIME_COMPUTATION] * 1000 * gpus;
}
