/* jax.c - the sheets of tl-jax: what the GPUs of a JAX trace did, its kernels and summaries of them, what operations of
 * XLA achieved that have a performance model, and the matrix products of a program.
 *
 * An operation may launch several kernels. Each of them counts with the work of the whole
 * operation, as in TraceLens.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/jax_events.h"

#include "work/kernel_details.h"
#include "work/python_set.h"
#include "work/spans.h"
#include "base/text.h"
#include "perf/measure.h"
#include "table/statistics.h"

#include <stdlib.h>
#include <string.h>

/* ---- gpu_timeline, gpu_events_averages: what the time was spent on, GPU by GPU --------------- */

/* Of a GPU, in ticks. False: it has no events. */
static bool measure(const struct tl_jax *j, const struct tl_jax_gpu *gpu, int64_t ticks[TL_TIMES])
{
	struct tl_spans of[TL_GPU_WORKS] = { 0 };

	for (const struct tl_jax_event *e = &j->events[gpu->first]; e < &j->events[gpu->first + gpu->n]; e++) {
		int64_t ts = j->trace->events[e->event].ts;
		tl_spans_add(&of[e->work], ts, tl_ticks_add(ts, tl_jax_dur(j, e)));
	}
	return tl_gpu_times(of, NULL, ticks);
}

static struct tl_cell percent_of(double time, double total)
{
	return total > 0 ? tl_cell_real(100 * time / total) : tl_cell_null();
}

static int by_pid(const void *pa, const void *pb)
{
	int64_t a = ((const struct tl_jax_gpu *)pa)->pid, b = ((const struct tl_jax_gpu *)pb)->pid;

	return (a > b) - (a < b);
}

/* The rows of TraceLens are in the order in which Python walks a set of the pids. */
void tl_jax_times(void *ctx, struct tl_sheet_input *in)
{
	struct tl_jax *j = ctx;
	struct tl_table *t = in->own_rows = tl_table_new(&j->trace->strings, j->trace->ticks_per_us, tl_jax_gpu_time_rows);
	struct tl_pyset pids = { 0 };
	int64_t ticks[TL_TIMES];
	uint32_t pid;

	for (size_t i = 0; i < j->n_gpus; i++)
		if (j->gpus[i].pid < TL_PYSET_DELETED)
			tl_pyset_add(&pids, (uint32_t)j->gpus[i].pid);
	for (size_t at = 0; tl_pyset_next(&pids, &at, &pid);) {
		const struct tl_jax_gpu key = { .pid = pid }, *gpu = bsearch(&key, j->gpus, j->n_gpus, sizeof *j->gpus, by_pid);
		bool any = measure(j, gpu, ticks);
		for (size_t i = 0; any && i < TL_TIMES; i++)
			tl_table_add_row(t, (struct tl_cell[N_GPU_TIME]){
				[GPU_TIME_TYPE] = tl_cell_str(t->strings, tl_gpu_time_names[i]),
				[GPU_TIME_TIME_MS] = tl_cell_ms(ticks[i]),
				[GPU_TIME_PERCENT] = percent_of((double)ticks[i], (double)ticks[TL_TIME_TOTAL]),
				[GPU_TIME_GPU_PID] = tl_cell_int(pid) });
	}
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
	struct tl_jax *j = ctx;
	struct tl_table *t = in->own_rows = tl_table_new(&j->trace->strings, j->trace->ticks_per_us, tl_jax_mean_time_rows);
	double ms[TL_TIMES];
	bool any = mean_times(j, ms);

	for (size_t i = 0; any && i < TL_TIMES; i++)
		tl_table_add_row(t, (struct tl_cell[N_MEAN_TIME]){
			[MEAN_TIME_TYPE] = tl_cell_str(t->strings, tl_gpu_time_names[i]),
			[MEAN_TIME_TIME_MS] = tl_cell_real(ms[i]),
			[MEAN_TIME_PERCENT] = percent_of(ms[i], ms[TL_TIME_TOTAL]) });
}

/* ---- kernels ------------------------------------------------------------------------------- */

/* What a sheet of kernels is made of; kernels[i] is row i. */
struct kernels {
	struct tl_jax *jax;
	struct tl_table *rows;
	const struct tl_jax_event **kernels; size_t n, cap;
	struct tl_details details;
	struct tl_buf buf;
};

static struct kernels *new_kernels(struct tl_jax *j, const char *const *columns,
                                   void (*add_facts)(void *ctx, size_t row, struct tl_buf *))
{
	struct kernels *k = tl_calloc(1, sizeof *k);

	k->jax = j;
	k->rows = tl_table_new(&j->trace->strings, j->trace->ticks_per_us, columns);
	tl_details_init(&k->details, j->trace);
	k->details.add_facts = add_facts;
	k->details.facts_ctx = k;
	return k;
}

static void free_kernels(void *kernels)
{
	struct kernels *k = kernels;

	tl_details_release(&k->details);
	tl_buf_release(&k->buf);
	free(k->kernels);
	free(k);
}

static void add_kernel(struct kernels *k, const struct tl_jax_event *e, const struct tl_cell *cells)
{
	const struct tl_jax *j = k->jax;

	tl_table_add_row(k->rows, cells);
	tl_details_add_row(&k->details);
	tl_details_add(&k->details, &(struct tl_detail){
		.name = j->trace->events[e->event].name, .event = e->event, .dur = tl_trace_us(j->trace, tl_jax_dur(j, e)) });
	TL_PUSH(k->kernels, k->n, k->cap, e);
}

static struct tl_cell value_cell(struct kernels *k, const struct tl_value *v)
{
	return tl_value_cell(v, true, &k->jax->trace->strings, &k->buf);
}

/* Does the metadata of its operation have one of the words? */
static bool is_wanted(const struct tl_jax *j, const struct tl_jax_event *e)
{
	const struct tl_jax_options *o = &j->options;

	for (size_t i = 0; i < o->n_keywords; i++)
		if (e->op && e->op->metadata && strstr(e->op->metadata, o->keywords[i]))
			return true;
	return !o->n_keywords;
}

static void add_launcher(struct kernels *k, const struct tl_jax_event *e)
{
	struct tl_trace *t = k->jax->trace;
	struct tl_strtab *strings = &t->strings;
	const struct tl_ev *ev = &t->events[e->event];
	uint32_t short_name = tl_without_digits(strings, tl_str(strings, ev->name), tl_str_len(strings, ev->name));
	struct tl_arena arena = { 0 };
	struct tl_hlo_inputs in = tl_hlo_inputs(e->op, e->model, &arena);
	struct tl_cell c[N_LAUNCHER] = {
		[LAUNCHER_NAME] = tl_name_cell(t, ev->name),
		[LAUNCHER_SHORT_NAME] = tl_cell_text(short_name),
		[LAUNCHER_UID] = tl_cell_int((int64_t)e->uid),
		[LAUNCHER_OP_CATEGORY] = tl_cell_str(strings, e->category),
		[LAUNCHER_TOTAL_DIRECT_KERNEL_TIME] = tl_cell_time(tl_jax_dur(k->jax, e), false),
		[LAUNCHER_DIRECT_KERNEL_COUNT] = tl_cell_int(1),
		[LAUNCHER_PID] = tl_json_cell(t, t->tracks[ev->track].pid),
		[LAUNCHER_TID] = tl_json_cell(t, t->tracks[ev->track].tid),
		[LAUNCHER_INPUT_DIMS] = value_cell(k, &in.dims),
		[LAUNCHER_INPUT_TYPE] = value_cell(k, &in.types),
		[LAUNCHER_INPUT_STRIDES] = tl_cell_str(strings, "()"),
		[LAUNCHER_CONCRETE_INPUTS] = value_cell(k, &in.concrete),
		[LAUNCHER_IS_XLA] = tl_cell_bool(!strcmp(e->category, TL_JAX_OTHER_KERNELS)),
	};

	if (e->call != TL_NONE)
		c[LAUNCHER_GPU_KERNEL_LAUNCH_LATENCY] = tl_cell_time(tl_ticks_sub(ev->ts, t->events[e->call].ts), false);
	add_kernel(k, e, c);
	tl_arena_release(&arena);
}

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

void tl_jax_details_cell(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
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

void tl_jax_summary_cell(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
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

void tl_jax_bytes_cell(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	const struct kernels *k = ctx;
	const struct tl_hlo_op *op = k->kernels[rows[0]]->op;
	int64_t sum = 0;

	(void)n;
	for (size_t i = 0; op && i < op->n_operands; i++)
		sum = tl_ticks_add(sum, bytes_of(k->jax, op->operands[i]));
	cells[0] = tl_cell_int(sum);
}

void tl_jax_categories_cell(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	const struct kernels *k = ctx;

	cells[0] = tl_distinct_texts(k->rows, LAUNCHER_OP_CATEGORY, rows, n);
}

/* in->where "is xla": only kernels whose category is TL_JAX_OTHER_KERNELS. */
void tl_jax_kernels(void *ctx, struct tl_sheet_input *in)
{
	struct tl_jax *j = ctx;
	struct kernels *k = new_kernels(j, tl_jax_launcher_rows, add_facts);
	struct tl_map pids = { 0 }; /* of the GPUs that ran the kernels of the sheet's rows */

	TL_EACH_OF(const struct tl_jax_event, e, j->events, j->n) {
		if (!tl_jax_is_kernel(e) || !is_wanted(j, e))
			continue;
		add_launcher(k, e);
		if (!in->where || tl_table_cell(k->rows, k->n - 1, LAUNCHER_IS_XLA).i)
			tl_map_add(&pids, (uint64_t)tl_jax_track(j, e->event)->pid);
	}
	j->doubts.no_keyword |= j->options.n_keywords && !k->n;
	in->own_rows = k->rows;
	in->conditions = in->where ? TL_JAX_IF_INPUTS : 0;
	in->totals[0] = (double)pids.count;
	in->ctx = k;
	in->done = free_kernels;
	tl_map_release(&pids);
}

/* ---- what operations of XLA achieved: a sheet for each category of kernels ------------------ */

static size_t param_column(struct kernels *k, const char *name)
{
	tl_buf_clear(&k->buf);
	tl_buf_addf(&k->buf, "param: %s", name);
	int at = tl_table_column(k->rows, k->buf.data);
	return at >= 0 ? (size_t)at : tl_table_add_column(k->rows, k->buf.data);
}

static void add_op(struct kernels *k, const struct tl_jax_event *e)
{
	struct tl_trace *t = k->jax->trace;
	struct tl_strtab *strings = &t->strings;
	const struct tl_ev *ev = &t->events[e->event];
	const struct tl_jax_metrics *m = e->metrics;
	struct tl_arena arena = { 0 };
	struct tl_hlo_inputs in = tl_hlo_inputs(e->op, e->model, &arena);
	double us = tl_trace_us(t, tl_jax_dur(k->jax, e));
	struct tl_rates rates = tl_rates_of(m->gflops, m->has_bytes, m->bytes, us);
	struct tl_cell unknown = tl_cell_str(strings, "Unknown"); /* TraceLens does not find them */
	struct tl_roof roof;
	struct tl_cell c[N_ACHIEVED] = {
		[ACHIEVED_NAME] = tl_name_cell(t, ev->name),
		[ACHIEVED_PROCESS_NAME] = unknown,
		[ACHIEVED_PROCESS_LABEL] = unknown,
		[ACHIEVED_THREAD_NAME] = tl_cell_text(t->tracks[ev->track].thread_name),
		[ACHIEVED_INPUT_DIMS] = value_cell(k, &in.dims),
		[ACHIEVED_INPUT_TYPE] = value_cell(k, &in.types),
		[ACHIEVED_KERNEL_TIME_US] = tl_cell_time(tl_jax_dur(k->jax, e), false),
		[ACHIEVED_UID] = tl_cell_int((int64_t)e->uid),
		[ACHIEVED_GFLOPS] = tl_cell_real(m->gflops),
		[ACHIEVED_DATA_MOVED_MB] = rates.moved,
		[ACHIEVED_FLOPS_BYTE] = rates.intensity,
		[ACHIEVED_TB_S] = rates.tbs,
		[ACHIEVED_TFLOPS_S] = rates.tflops,
		[ACHIEVED_COMPUTE_SPEC] = tl_cell_str(strings, m->spec),
	};

	if (tl_roof_of(k->jax->options.arch, m->spec, m->gflops, m->has_bytes, m->bytes, &roof)) {
		c[ACHIEVED_ROOFLINE_TIME_US] = tl_cell_real(roof.least);
		c[ACHIEVED_ROOFLINE_BOUND] = tl_cell_str(strings, roof.bound);
		c[ACHIEVED_PCT_ROOFLINE] = tl_cell_real(roof.least / us * 100);
	}
	add_kernel(k, e, c);
	tl_arena_release(&arena);
}

static void no_facts(void *ctx, size_t row, struct tl_buf *b)
{
	(void)ctx, (void)row, (void)b;
}

/* Is op_fa_bwd the sheet of "FA BWD"? */
static bool is_sheet_of(const char *sheet, const char *category)
{
	for (sheet += strlen("op_"); *sheet && *category; sheet++, category++) {
		char c = *category == ' ' ? '_' : *category >= 'A' && *category <= 'Z' ? (char)(*category + 'a' - 'A') : *category;
		if (*sheet != c)
			return false;
	}
	return !*sheet && !*category;
}

void tl_jax_ops(void *ctx, struct tl_sheet_input *in)
{
	struct tl_jax *j = ctx;
	struct kernels *k = new_kernels(j, tl_jax_achieved_rows, no_facts);

	TL_EACH_OF(const struct tl_jax_event, e, j->events, j->n)
		if (tl_jax_is_kernel(e) && e->metrics && is_sheet_of(in->name, e->category))
			add_op(k, e);
	for (size_t row = 0; row < k->n; row++) {
		const struct tl_jax_metrics *m = k->kernels[row]->metrics;
		for (size_t i = 0; i < m->n_params; i++)
			tl_table_set(k->rows, row, param_column(k, m->params[i].name), m->params[i].value);
	}
	for (size_t i = N_ACHIEVED; i < k->rows->n_columns; i++)
		tl_table_unify_column(k->rows, i);
	in->own_rows = k->rows;
	in->conditions = j->options.arch ? TL_JAX_IF_ROOFLINE : 0;
	in->ctx = k;
	in->done = free_kernels;
}

/* ---- the sheets of TraceLens's second report ---------------------------------------------------
 *
 * GPU time and computation by category, rounded to two decimals. Here the category of a kernel is what
 * its own name says; that of its operation counts where the name says nothing. */

#define UNCATEGORISED "Uncategorized Events"

static void add_time(struct tl_table *t, const char *name, double ms, double total)
{
	tl_table_add_row(t, (struct tl_cell[N_MEAN_TIME]){
		[MEAN_TIME_TYPE] = tl_cell_str(t->strings, name),
		[MEAN_TIME_TIME_MS] = tl_cell_real(tl_numpy_round2(ms)),
		[MEAN_TIME_PERCENT] = total > 0 ? tl_cell_real(tl_numpy_round2(ms / total * 100)) : tl_cell_null() });
}

void tl_jax_analysis_times(void *ctx, struct tl_sheet_input *in)
{
	struct tl_jax *j = ctx;
	struct tl_table *t = in->own_rows = tl_table_new(&j->trace->strings, 1, tl_jax_mean_time_rows);
	double ms[TL_TIMES];
	bool any = mean_times(j, ms);

	for (size_t i = 0; any && i < TL_TIMES; i++) {
		if (i == TL_TIME_COMM)
			add_time(t, "overlapped_comm", ms[TL_TIME_COMM] - ms[TL_TIME_EXPOSED_COMM], ms[TL_TIME_TOTAL]);
		add_time(t, tl_gpu_time_names[i], ms[i], ms[TL_TIME_TOTAL]);
	}
}

/* The name without digits and without the underscores at its end. */
static uint32_t stem_of(struct tl_strtab *strings, uint32_t name)
{
	const char *s = tl_str(strings, name);
	size_t len = tl_str_len(strings, name);

	while (len && s[len - 1] == '_')
		len--;
	return tl_without_digits(strings, s, len);
}

/* The kernels that compute; if each of them has a category, a row without time, too: of those without. Totals: how many
 * GPUs; the time that percentages are of. */
void tl_jax_computation(void *ctx, struct tl_sheet_input *in)
{
	struct tl_jax *j = ctx;
	struct tl_strtab *strings = &j->trace->strings;
	struct tl_table *rows = in->own_rows = tl_table_new(strings, j->trace->ticks_per_us, tl_jax_computation_rows);
	double ms[TL_TIMES], gpus = (double)mean_times(j, ms);
	int64_t uncategorised = 0; /* ticks of kernels without a category */

	TL_EACH_OF(const struct tl_jax_event, e, j->events, j->n) {
		if (e->work != TL_GPU_COMPUTE)
			continue;
		uint32_t name = j->trace->events[e->event].name;
		const char *category = tl_jax_category(j, name);
		if (!*category)
			category = tl_jax_category(j, tl_jax_text(j, TL_JAX_HLO_OP, e->event));
		if (!*category)
			uncategorised = tl_ticks_add(uncategorised, tl_jax_dur(j, e));
		tl_table_add_row(rows, (struct tl_cell[N_COMPUTATION]){
			[COMPUTATION_CATEGORY] = tl_cell_str(strings, *category ? category : UNCATEGORISED),
			[COMPUTATION_SHORT_NAME] = tl_cell_text(stem_of(strings, name)),
			[COMPUTATION_TIME] = tl_cell_time(tl_jax_dur(j, e), false),
			[COMPUTATION_UNCATEGORISED] = tl_cell_bool(!*category) });
	}
	if (rows->n_rows && !uncategorised)
		tl_table_add_row(rows, (struct tl_cell[N_COMPUTATION]){
			[COMPUTATION_CATEGORY] = tl_cell_str(strings, UNCATEGORISED) });
	in->totals[0] = gpus;
	in->totals[1] = in->where ? tl_trace_us(j->trace, uncategorised) : ms[TL_TIME_COMPUTATION] * 1000 * gpus;
}

void tl_jax_products(void *ctx, struct tl_sheet_input *in)
{
	struct tl_jax *j = ctx;
	struct tl_table *t = in->own_rows = tl_table_new(&j->trace->strings, 1, tl_jax_product_rows);
	const struct tl_hlo_op *ops;
	size_t n, p = 0;

	for (; tl_hlo_program(j->programs, j->options.program, p, &ops, &n); p++)
		TL_EACH_OF(const struct tl_hlo_op, op, ops, n) {
			struct tl_hlo_gemm g;
			const char *reason;
			if (!op->is_gemm || op->root)
				continue;
			struct tl_cell c[N_PRODUCT] = {
				[PRODUCT_NAME] = tl_cell_str(t->strings, op->name), [PRODUCT_TYPE] = tl_cell_str(t->strings, op->type) };
			if (tl_hlo_gemm(op, &g, &reason)) {
				c[PRODUCT_BATCH] = tl_cell_int(g.batch);
				c[PRODUCT_M] = tl_cell_int(g.m);
				c[PRODUCT_N] = tl_cell_int(g.n);
				c[PRODUCT_K] = tl_cell_int(g.k);
				c[PRODUCT_BETA] = tl_cell_int(g.beta);
			}
			tl_table_add_row(t, c);
		}
	j->doubts.no_program |= !p;
}

/* The parameters of the model jax_gemm, and the columns that have them. */
static const struct { const char *param; size_t column; } params[] = {
	{ "M", PRODUCT_KERNEL_PARAM_M }, { "N", PRODUCT_KERNEL_PARAM_N }, { "K", PRODUCT_KERNEL_PARAM_K },
	{ "bias", PRODUCT_KERNEL_PARAM_BIAS }, { "dtype_A_B", PRODUCT_KERNEL_PARAM_DTYPE_A_B }, { "B", PRODUCT_KERNEL_PARAM_OP_B },
	{ "simulation_dtype", PRODUCT_KERNEL_PARAM_SIMULATION_DTYPE }, { "transpose", PRODUCT_KERNEL_PARAM_TRANSPOSE },
};

static void add_product_kernel(struct tl_table *t, const struct tl_jax *j, const struct tl_jax_event *e)
{
	const struct tl_jax_metrics *m = e->metrics;
	double us = tl_trace_us(j->trace, tl_jax_dur(j, e));
	struct tl_rates rates = tl_rates_of(m->gflops, m->has_bytes, m->bytes, us);
	struct tl_cell c[N_PRODUCT_KERNEL] = {
		[PRODUCT_KERNEL_GFLOPS] = tl_cell_real(m->gflops),
		[PRODUCT_KERNEL_KERNEL_TIME_US] = tl_cell_real(us),
		[PRODUCT_KERNEL_TFLOPS_S] = rates.tflops,
		[PRODUCT_KERNEL_DATA_MOVED_MB] = rates.moved,
		[PRODUCT_KERNEL_FLOPS_BYTE] = rates.intensity,
		[PRODUCT_KERNEL_TB_S] = rates.tbs,
		[PRODUCT_KERNEL_PARAM_B] = tl_cell_int(1),
	};

	for (size_t i = 0; i < m->n_params; i++)
		for (size_t p = 0; p < sizeof params / sizeof *params; p++)
			if (!strcmp(m->params[i].name, params[p].param))
				c[params[p].column] = m->params[i].value;
	for (size_t i = 0; i < N_PRODUCT_KERNEL; i++)
		if (c[i].type == TL_CELL_REAL)
			c[i] = tl_cell_real(tl_numpy_round2(c[i].d));
	tl_table_add_row(t, c);
}

static bool in_program(const struct tl_jax *j, const struct tl_hlo_op *op)
{
	const struct tl_hlo_op *ops;
	size_t n;

	for (size_t p = 0; tl_hlo_program(j->programs, j->options.program, p, &ops, &n); p++)
		if (op >= ops && op < ops + n)
			return true;
	return false;
}

void tl_jax_product_kernels(void *ctx, struct tl_sheet_input *in)
{
	struct tl_jax *j = ctx;
	struct tl_table *t = in->own_rows = tl_table_new(&j->trace->strings, 1, tl_jax_product_kernel_rows);
	const struct tl_hlo_op *ops;
	size_t n;

	j->doubts.no_program |= !tl_hlo_program(j->programs, j->options.program, 0, &ops, &n);
	TL_EACH_OF(const struct tl_jax_event, e, j->events, j->n) {
		bool on_first = tl_jax_track(j, e->event)->pid == j->gpus[0].pid;
		if (e->metrics && e->op->is_gemm && tl_jax_is_kernel(e) && on_first && in_program(j, e->op))
			add_product_kernel(t, j, e);
	}
}
