/* kernels.c - the kernel sheets.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/kernels.h"

#include "analysis/args.h"
#include "analysis/devices.h"
#include "analysis/nearest.h"
#include "kernels/name_rules.h"
#include "roofline/measure.h"
#include "sheets/kernel_config.h"
#include "sheets/kernel_kinds.h"
#include "sheets/timeline.h"
#include "table/statistics.h"

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
	struct tl_phases *phases;
	struct tl_name_rules *kernel_categories;
	struct tl_name_answers launch_calls;
	struct tl_map category_of; /* name -> its category, both ids of strings */
	struct kernel *items; size_t n, cap;
	bool any_op, gpu_only;
	double total_us;
};

/* ---- the kernels ------------------------------------------------------------- */

static void add_kernel(struct tl_kernels *k, struct tl_nearest *operators, struct tl_categories *categories,
                       uint32_t event)
{
	const struct tl_ev *events = k->trace->events;
	uint32_t call = events[event].parent;
	struct kernel item = { event, .launcher = call, .op = tl_nearest(operators, call) };

	if (item.op != TL_NONE) {
		k->any_op = true;
		item.category = tl_event_category(categories, item.op, events[item.op].name);
	}
	TL_GROW(k->items, k->cap, k->n + 1);
	k->items[k->n++] = item;
}

struct tl_kernels *tl_kernels_new(struct tl_trace *t, const struct tl_kernels_options *o,
                                  const struct tl_registry *registry, struct tl_name_rules *kernel_categories,
                                  struct tl_phases *phases)
{
	struct tl_kernels *k = tl_calloc(1, sizeof *k);
	const struct tl_launchers *launchers = tl_launchers_of(t);
	struct tl_nearest operators = { t, tl_nearest_operator, 0, NULL };
	struct tl_categories categories = { t, registry, { 0 } };

	*k = (struct tl_kernels){ .trace = t, .options = *o, .phases = phases, .kernel_categories = kernel_categories };
	tl_name_answers_init(&k->launch_calls, TL_LAUNCH_CALLS, &t->strings);
	k->gpu_only = tl_trace_gpu_only(t);
	k->total_us = tl_timeline_total_us(t, &o->select);
	for (uint32_t i = 0; i < launchers->n_gpus; i++) {
		uint32_t e = launchers->gpus[i];
		if (t->events[e].kind == TL_KIND_KERNEL && tl_gpu_usable(&t->events[e]))
			add_kernel(k, &operators, &categories, e);
	}
	tl_nearest_release(&operators);
	tl_categories_release(&categories);
	return k;
}

void tl_kernels_free(struct tl_kernels *k)
{
	if (!k)
		return;
	tl_name_answers_release(&k->launch_calls);
	tl_map_release(&k->category_of);
	free(k->items);
	free(k);
}

/* The name of an event; null for no event. */
static struct tl_cell name_of(const struct tl_kernels *k, uint32_t event)
{
	return event == TL_NONE ? tl_cell_null() : tl_name_cell(k->trace, k->trace->events[event].name);
}

/* ---- rows of all kernels ------------------------------------------------------------- */

#define DURATION "Kernel duration (µs)"
#define CATEGORY "Kernel category"
/* Each phase has a column: the duration, if the kernel is of the phase. */
enum { NAME, STREAM, DUR, PARENT_CATEGORY, PARENT, UID, TS, PROCESS, DEVICE, CORRELATION, START, KERNEL_CATEGORY,
	FIRST_PHASE, IS_PREFILL = FIRST_PHASE + TL_PHASES, IS_DECODE, N_COLUMNS };
static const char *const row_columns[] = {
	"Kernel name", "Kernel stream", DURATION, "Parent op category", "Parent cpu_op", "uid", "ts", "process", "device",
	"correlation", "start_us", CATEGORY, "unknown", "prefill", "decode", "mixed", "is prefill", "is decode", NULL
};

static struct tl_cell parent_category(struct tl_kernels *k, const struct kernel *item)
{
	if (item->op != TL_NONE)
		return tl_cell_text(item->category);
	if (item->launcher == TL_NONE)
		return tl_cell_null();
	return tl_cell_str(&k->trace->strings, tl_name_answer(&k->launch_calls, k->trace->events[item->launcher].name));
}

static uint32_t kernel_category(struct tl_kernels *k, const struct tl_ev *e)
{
	struct tl_strtab *strings = &k->trace->strings;
	bool is_new;
	uint32_t *category = tl_map_put(&k->category_of, e->name, &is_new);

	if (is_new)
		*category = tl_intern_str(strings, tl_name_rules_find(k->kernel_categories, tl_str(strings, e->name), tl_str_len(strings, e->name)));
	return *category;
}

static void phase_cells(struct tl_cell *c, enum tl_phase phase)
{
	c[FIRST_PHASE + phase] = c[DUR];
	c[IS_PREFILL] = tl_cell_bool(phase == TL_PHASE_PREFILL);
	c[IS_DECODE] = tl_cell_bool(phase == TL_PHASE_DECODE);
}

/* categories: fill that column and, if they are known, those of phases. */
static struct tl_table *all_rows(struct tl_kernels *k, bool categories)
{
	struct tl_table *rows = tl_table_new(&k->trace->strings, k->trace->ticks_per_us, row_columns);
	const struct tl_devices *devices = tl_devices_of(k->trace);
	struct tl_arg stream = tl_arg_of(k->trace, TL_KEY_STREAM), correlation = tl_arg_of(k->trace, TL_KEY_CORRELATION);

	tl_table_reserve(rows, k->n);
	for (size_t i = 0; i < k->n; i++) {
		const struct kernel *item = &k->items[i];
		const struct tl_ev *e = &k->trace->events[item->event];
		const struct tl_device *d = &devices->items[devices->of[item->event]];
		struct tl_cell c[N_COLUMNS] = { 0 };

		c[NAME] = name_of(k, item->event);
		c[STREAM] = tl_arg_cell(k->trace, &stream, item->event);
		c[DUR] = tl_duration_cell(e);
		c[PARENT_CATEGORY] = parent_category(k, item);
		c[PARENT] = name_of(k, item->op != TL_NONE ? item->op : item->launcher);
		c[UID] = tl_cell_int(e->uid);
		c[TS] = tl_cell_time(e->ts, false);
		c[START] = tl_start_cell(k->trace, e->ts);
		c[PROCESS] = d->process;
		c[DEVICE] = d->device;
		c[CORRELATION] = tl_arg_cell(k->trace, &correlation, item->event);
		if (categories) {
			c[KERNEL_CATEGORY] = tl_cell_text(kernel_category(k, e));
			if (k->phases)
				phase_cells(c, tl_phases_of_event(k->phases, item->event).phase);
		}
		tl_table_add_row(rows, c);
	}
	return rows;
}

/* ---- kernel_summary and kernel_categories ---------------------------------------------- */

enum { OPERATORS = 1, CATEGORIES = 2, IN_PHASES = 4, DEVIATION = 8 };

/* What all summaries of kernels begin with. */
#define SUMMARY_COLUMNS \
	{ CATEGORY, .kind = TL_KEY, .when = CATEGORIES }, \
	{ "Parent op category", .kind = TL_KEY }, \
	{ "Parent cpu_op", .kind = TL_KEY, .when = OPERATORS }, \
	{ "Kernel name", .kind = TL_KEY }, \
	{ "Kernel stream", .kind = TL_KEY }, \
	{ DURATION "_sum", .kind = TL_SUM, .in = DURATION }, \
	{ DURATION "_count", .kind = TL_COUNT }, \
	{ DURATION "_mean", .kind = TL_MEAN, .in = DURATION }, \
	{ DURATION "_min", .kind = TL_MIN, .in = DURATION }, \
	{ DURATION "_max", .kind = TL_MAX, .in = DURATION }
static const struct tl_column summary_columns[] = {
	SUMMARY_COLUMNS,
	TL_STATISTIC(DURATION, TL_STD, "_std", DEVIATION, false),
	{ "Percent of kernels time (%)", .kind = TL_PERCENT, .in = DURATION "_sum", .total = 1 },
	{ "Percent of total time (%)", .kind = TL_PERCENT, .in = DURATION "_sum", .total = 2 },
	{ .name = NULL }
};
static const struct tl_sheet_def summary = {
	.name = "kernel_summary", .rows = row_columns, .columns = summary_columns,
	.keys_ascending = true, .order = { { DURATION "_sum", true } },
};

/* The sum of the durations of all kernels, in the order in which numpy adds. */
static double kernels_us(const struct tl_kernels *k)
{
	double *us = tl_alloc((k->n + 1) * sizeof *us), sum;

	for (size_t i = 0; i < k->n; i++)
		us[i] = tl_trace_us(k->trace, k->trace->events[k->items[i].event].dur);
	sum = tl_pairwise_sum(us, k->n);
	free(us);
	return sum;
}

static const struct tl_column category_columns[] = {
	{ CATEGORY, .kind = TL_KEY },
	{ DURATION "_sum", .kind = TL_SUM, .in = DURATION },
	{ DURATION "_count", .kind = TL_COUNT },
	{ "Percent of kernels time (%)", .kind = TL_PERCENT, .in = DURATION "_sum", .total = 1 },
	{ "Percent of total time (%)", .kind = TL_PERCENT, .in = DURATION "_sum", .total = 2 },
	{ "Prefill (µs)", .kind = TL_SUM, .in = "prefill", .when = IN_PHASES },
	{ "Decode (µs)", .kind = TL_SUM, .in = "decode", .when = IN_PHASES },
	{ "Mixed (µs)", .kind = TL_SUM, .in = "mixed", .when = IN_PHASES },
	{ "Unknown (µs)", .kind = TL_SUM, .in = "unknown", .when = IN_PHASES },
	{ .name = NULL }
};
static const struct tl_sheet_def by_category = {
	.name = "kernel_categories", .rows = row_columns, .columns = category_columns,
	.keys_ascending = true, .order = { { DURATION "_sum", true } },
};

static void times(struct tl_kernels *k, bool categories, struct tl_sheet_input *in)
{
	double sum = kernels_us(k);

	in->own_rows = all_rows(k, categories);
	tl_table_unify_column(in->own_rows, STREAM);
	in->conditions = (k->any_op ? OPERATORS : 0) | (categories ? CATEGORIES : 0) | (k->phases ? IN_PHASES : 0);
	in->totals[0] = sum > 0 ? sum : NAN;
	in->totals[1] = k->total_us;
}

static void summary_rows(void *ctx, struct tl_sheet_input *in)
{
	struct tl_kernels *k = ctx;

	times(k, k->options.category, in);
	in->conditions |= k->options.std ? DEVIATION : 0;
}

static void category_rows(void *ctx, struct tl_sheet_input *in)
{
	times(ctx, true, in);
}

static const struct tl_column of_phase_columns[] = {
	SUMMARY_COLUMNS,
	{ "Percent of kernels time (%)", .kind = TL_PERCENT, .in = DURATION "_sum" },
	{ .name = NULL }
};
const struct tl_sheet_def tl_kernels_of_phase_sheet = {
	.name = "kernel_summary_prefill, kernel_summary_decode", .rows = row_columns, .columns = of_phase_columns,
	.keys_ascending = true, .order = { { DURATION "_sum", true } },
};

void tl_kernels_of_phase(struct tl_kernels *k, struct tl_sheet_input *in)
{
	times(k, true, in);
}

/* ---- one row a kernel --------------------------------------------------------------- */

static tl_column_fn operator_cells;

static const struct tl_column kernel_columns[] = {
	{ "uid", .kind = TL_FIRST },
	{ "category", .kind = TL_FIRST, .in = CATEGORY },
	{ "name", .kind = TL_FIRST, .in = "Kernel name" },
	{ "ts", .kind = TL_TICKS },
	{ "dur", .kind = TL_TICKS, .in = DURATION },
	{ "process", .kind = TL_FIRST },
	{ "device", .kind = TL_FIRST },
	{ "stream", .kind = TL_FIRST, .in = "Kernel stream" },
	{ "correlation", .kind = TL_FIRST },
	{ "launcher", .kind = TL_CALL, .fn = operator_cells },
	{ "parent_op", .kind = TL_CALL, .fn = operator_cells, .cell = 1 },
	{ "parent_op_uid", .kind = TL_CALL, .fn = operator_cells, .cell = 2 },
	{ "parent_op_category", .kind = TL_CALL, .fn = operator_cells, .cell = 3 },
	{ "start_us", .kind = TL_FIRST },
	{ .name = NULL }
};
static const struct tl_sheet_def kernels = {
	.name = "kernels", .rows = row_columns, .columns = kernel_columns, .ungrouped = true,
};

static void operator_cells(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	struct tl_kernels *k = ctx;
	const struct kernel *item = &k->items[rows[0]];

	(void)n;
	cells[0] = name_of(k, item->launcher);
	cells[1] = name_of(k, item->op);
	cells[2] = item->op != TL_NONE ? tl_cell_int(k->trace->events[item->op].uid) : tl_cell_null();
	cells[3] = tl_cell_text(item->category);
}

static void kernel_rows(void *ctx, struct tl_sheet_input *in)
{
	in->own_rows = all_rows(ctx, true);
}

/* ---- short_kernel_histogram ------------------------------------------------------------ */

static bool is_short(const struct tl_kernels *k, const struct kernel *item)
{
	return k->trace->events[item->event].dur < tl_ticks_of_us(k->options.short_us, k->trace->ticks_per_us);
}

static void histogram(void *ctx, struct tl_sheet_input *in)
{
	struct tl_kernels *k = ctx;
	double *durs = tl_alloc((k->n + 1) * sizeof *durs);
	size_t n = 0;

	for (size_t i = 0; i < k->n; i++)
		if (is_short(k, &k->items[i]))
			durs[n++] = tl_trace_us(k->trace, k->trace->events[k->items[i].event].dur);
	in->own_rows = tl_histogram(&k->trace->strings, durs, n, k->options.bins);
	free(durs);
}

/* ---- short_kernels_summary ------------------------------------------------------------ */

#define SHORT "Short Kernel "
enum { SHORT_NAME, SHORT_DUR, SHORT_PARENT, SHORT_DIMS, SHORT_STRIDES, SHORT_CONCRETE, N_SHORT_COLUMNS };
static const char *const short_row_columns[] = {
	"Kernel name", DURATION, "Parent cpu_op", "Input dims", "Input strides", "Concrete Inputs", NULL
};
static const struct tl_column short_columns[] = {
	{ "Parent cpu_op", .kind = TL_KEY, .when = OPERATORS },
	{ "Input dims", .kind = TL_KEY, .when = OPERATORS },
	{ "Input strides", .kind = TL_KEY, .when = OPERATORS },
	{ "Concrete Inputs", .kind = TL_KEY, .when = OPERATORS },
	{ "Kernel name", .kind = TL_KEY },
	{ SHORT "duration (µs) sum", .kind = TL_SUM, .in = DURATION },
	{ SHORT "count", .kind = TL_COUNT },
	{ SHORT "duration (µs) mean", .kind = TL_MEAN, .in = DURATION },
	{ SHORT "duration (µs) percent of total time", .kind = TL_PERCENT, .in = SHORT "duration (µs) sum", .total = 1 },
	{ .name = NULL }
};
static const struct tl_sheet_def short_summary = {
	.name = "short_kernels_summary", .rows = short_row_columns, .columns = short_columns, .drop_null_keys = true,
	.order = { { SHORT "duration (µs) sum", true }, { SHORT "count", false },
		{ SHORT "duration (µs) mean", false } },
};

static void short_rows(void *ctx, struct tl_sheet_input *in)
{
	struct tl_kernels *k = ctx;
	static const char *const arg_names[] = { TL_KEY_INPUT_DIMS, TL_KEY_INPUT_STRIDES, TL_KEY_CONCRETE_INPUTS };
	struct tl_table *rows = tl_table_new(&k->trace->strings, k->trace->ticks_per_us, short_row_columns);
	struct tl_arg args[3];

	for (size_t i = 0; i < 3; i++)
		args[i] = tl_arg_of(k->trace, arg_names[i]);
	for (size_t i = 0; i < k->n; i++) {
		const struct kernel *item = &k->items[i];
		struct tl_cell c[N_SHORT_COLUMNS] = { 0 };

		if (!is_short(k, item))
			continue;
		c[SHORT_NAME] = name_of(k, item->event);
		c[SHORT_DUR] = tl_duration_cell(&k->trace->events[item->event]);
		c[SHORT_PARENT] = name_of(k, item->op);
		for (size_t a = 0; a < 3 && item->op != TL_NONE; a++)
			c[SHORT_DIMS + a] = tl_arg_cell(k->trace, &args[a], item->op);
		tl_table_add_row(rows, c);
	}
	in->own_rows = rows;
	in->conditions = k->gpu_only ? 0 : OPERATORS;
	in->totals[0] = k->total_us;
	in->top = &k->options.top_short;
}

static void config_rows(void *ctx, struct tl_sheet_input *in)
{
	in->ctx = in->own_rows = tl_kernel_config_rows(((struct tl_kernels *)ctx)->trace, !strcmp(in->name, tl_kernel_launches_sheet.name));
}

static void kind_rows(void *ctx, struct tl_sheet_input *in)
{
	in->own_rows = tl_kernel_kinds_rows(((struct tl_kernels *)ctx)->trace);
}

/* ---- sheets ------------------------------------------------------------------------- */

static const struct tl_sheet sheets[] = {
	{ "kernel_summary", "device time by kernel and the operator above it", "enable_kernel_summary",
	  TL_SHEET_NEEDS_ROWS | TL_SHEET_USUAL | TL_SHEET_LINKED_TOTAL, 0, &summary, summary_rows, NULL },
	{ "kernel_categories", "device time by kernel category", "kernel_category",
	  TL_SHEET_NEEDS_ROWS | TL_SHEET_LINKED_TOTAL, 0, &by_category, category_rows, NULL },
	{ "short_kernel_histogram", "how many short kernels take how long", "short_kernel_study",
	  0, 0, NULL, histogram, NULL },
	{ "short_kernels_summary", "time of short kernels by operator and arguments", "short_kernel_study",
	  TL_SHEET_LINKED_TOTAL, 0, &short_summary, short_rows, NULL },
	{ "kernel_config", "blocks of kernels, and how they fill the device", NULL, TL_SHEET_NEEDS_ROWS, 0, &tl_kernel_config_sheet, config_rows, NULL },
	{ "kernel_launches", "the same by operator, grid, block, registers and shared memory", NULL, TL_SHEET_EXTRA, 0, &tl_kernel_launches_sheet, config_rows, NULL },
	{ "kernel_kinds", "what kernels do, in which precision, by their names", NULL, TL_SHEET_EXTRA, 0, &tl_kernel_kinds_sheet, kind_rows, NULL },
	{ "kernels", "every kernel", NULL, TL_SHEET_EXTRA, 0, &kernels, kernel_rows, NULL },
	{ .name = NULL },
};
const struct tl_sheet_family tl_kernels_sheets = { "tl-kcat", sheets };
