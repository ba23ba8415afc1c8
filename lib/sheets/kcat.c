/* kcat.c - the sheets of kernels: their times, how they fill the device, what they do by their names.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/kcat.h"

#include "work/args.h"
#include "work/calls.h"
#include "work/devices.h"
#include "work/kept.h"
#include "work/launchers.h"
#include "work/waves.h"
#include "base/merge_sort.h"
#include "perf/measure.h"
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
	struct kernel *items; size_t n, cap;
	bool any_op, gpu_only;
	double total_us;
};

/* ---- the kernels ------------------------------------------------------------- */

static bool is_kernel(const struct tl_ev *e)
{
	return e->kind == TL_KIND_KERNEL && tl_gpu_usable(e);
}

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

	*k = (struct tl_kernels){ .trace = t, .options = *o, .phases = phases, .kernel_categories = kernel_categories,
	                          .gpu_only = tl_trace_gpu_only(t), .total_us = tl_timeline_total_us(t, &o->select) };
	for (uint32_t i = 0; i < launchers->n_gpus; i++)
		if (is_kernel(&t->events[launchers->gpus[i]]))
			add_kernel(k, &operators, &categories, launchers->gpus[i]);
	tl_nearest_release(&operators);
	tl_categories_release(&categories);
	return k;
}

void tl_kernels_free(struct tl_kernels *k)
{
	if (!k)
		return;
	free(k->items);
	free(k);
}

/* The name of an event; null for no event. */
static struct tl_cell name_of(const struct tl_kernels *k, uint32_t event)
{
	return event == TL_NONE ? tl_cell_null() : tl_name_cell(k->trace, k->trace->events[event].name);
}

/* ---- a row for each kernel ------------------------------------------------------------- */

static struct tl_cell parent_category(struct tl_kernels *k, const struct kernel *item)
{
	if (item->op != TL_NONE)
		return tl_cell_text(item->category);
	if (item->launcher == TL_NONE)
		return tl_cell_null();
	struct tl_name_answers *launch_calls = tl_kept_answers(k->trace, TL_LAUNCH_CALLS);
	return tl_cell_str(&k->trace->strings, tl_name_answer(launch_calls, k->trace->events[item->launcher].name));
}

static struct tl_cell kernel_category(struct tl_kernels *k, uint32_t name)
{
	struct tl_strtab *s = &k->trace->strings;

	return tl_cell_str(s, tl_name_rules_find(k->kernel_categories, tl_str(s, name), tl_str_len(s, name)));
}

/* categories: fill that column and, if they are known, those of phases. */
static struct tl_table *all_rows(struct tl_kernels *k, bool categories)
{
	struct tl_table *rows = tl_table_new(&k->trace->strings, k->trace->ticks_per_us, tl_kcat_kernel_rows);
	const struct tl_devices *devices = tl_devices_of(k->trace);
	struct tl_arg stream = tl_arg_of(k->trace, TL_KEY_STREAM), correlation = tl_arg_of(k->trace, TL_KEY_CORRELATION);

	tl_table_reserve(rows, k->n);
	for (size_t i = 0; i < k->n; i++) {
		const struct kernel *item = &k->items[i];
		const struct tl_ev *e = &k->trace->events[item->event];
		const struct tl_device *d = &devices->items[devices->of[item->event]];
		struct tl_cell c[N_KERNEL] = {
			[KERNEL_NAME] = name_of(k, item->event), [KERNEL_STREAM] = tl_arg_cell(k->trace, &stream, item->event),
			[KERNEL_DURATION] = tl_duration_cell(e), [KERNEL_PARENT_CATEGORY] = parent_category(k, item),
			[KERNEL_PARENT] = name_of(k, item->op != TL_NONE ? item->op : item->launcher),
			[KERNEL_UID] = tl_cell_int(e->uid), [KERNEL_TS] = tl_cell_time(e->ts, false),
			[KERNEL_PROCESS] = d->process, [KERNEL_DEVICE] = d->device,
			[KERNEL_CORRELATION] = tl_arg_cell(k->trace, &correlation, item->event),
			[KERNEL_START_US] = tl_start_cell(k->trace, e->ts),
		};

		if (categories)
			c[KERNEL_CATEGORY] = kernel_category(k, e->name);
		if (categories && k->phases) {
			enum tl_phase phase = tl_phases_of_event(k->phases, item->event).phase;
			c[KERNEL_UNKNOWN + phase] = c[KERNEL_DURATION]; /* each phase has a column, in the order of enum tl_phase */
			c[KERNEL_IS_PREFILL] = tl_cell_bool(phase == TL_PHASE_PREFILL);
			c[KERNEL_IS_DECODE] = tl_cell_bool(phase == TL_PHASE_DECODE);
		}
		tl_table_add_row(rows, c);
	}
	return rows;
}

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

static void summary(struct tl_kernels *k, bool categories, struct tl_sheet_input *in)
{
	double sum = kernels_us(k);

	in->own_rows = all_rows(k, categories);
	tl_table_unify_column(in->own_rows, KERNEL_STREAM);
	in->conditions = (k->any_op ? TL_KCAT_IF_OPERATORS : 0) | (categories ? TL_KCAT_IF_CATEGORIES : 0) |
	                 (k->phases ? TL_KCAT_IF_PHASES : 0);
	in->totals[0] = sum > 0 ? sum : NAN;
	in->totals[1] = k->total_us;
}

void tl_kcat_all(struct tl_kernels *k, struct tl_sheet_input *in)
{
	summary(k, true, in);
}

void tl_kcat_summary(void *ctx, struct tl_sheet_input *in)
{
	struct tl_kernels *k = ctx;

	summary(k, k->options.category, in);
	in->conditions |= k->options.std ? TL_KCAT_IF_DEVIATION : 0;
}

void tl_kcat_categories(void *ctx, struct tl_sheet_input *in)
{
	summary(ctx, true, in);
}

void tl_kcat_kernels(void *ctx, struct tl_sheet_input *in)
{
	in->own_rows = all_rows(ctx, true);
}

/* The runtime call of a kernel; the operator above that, its uid and category. */
void tl_kcat_operator(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	struct tl_kernels *k = ctx;
	const struct kernel *item = &k->items[rows[0]];

	(void)n;
	cells[0] = name_of(k, item->launcher);
	cells[1] = name_of(k, item->op);
	cells[2] = item->op != TL_NONE ? tl_cell_int(k->trace->events[item->op].uid) : tl_cell_null();
	cells[3] = tl_cell_text(item->category);
}

/* ---- kernel_stats: kernels of each device by name ---------------------------------------- */

void tl_kcat_stats(void *ctx, struct tl_sheet_input *in)
{
	struct tl_kernels *k = ctx;
	struct tl_trace *t = k->trace;
	const struct tl_devices *devices = tl_devices_of(t);
	struct tl_arg grid = tl_arg_of(t, TL_KEY_GRID), block = tl_arg_of(t, TL_KEY_BLOCK);
	struct tl_graph_nodes nodes = tl_graph_nodes_of(t);
	int64_t *all = tl_calloc(devices->n + 1, sizeof *all); /* by device */

	in->ctx = in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, tl_kcat_stat_rows);
	tl_table_reserve(in->own_rows, k->n);
	for (size_t i = 0; i < k->n; i++) {
		int64_t *of = &all[devices->of[k->items[i].event]];
		*of = tl_ticks_add(*of, t->events[k->items[i].event].dur);
	}
	for (size_t i = 0; i < k->n; i++) {
		uint32_t event = k->items[i].event, device = devices->of[event];
		struct tl_cell c[N_STAT] = {
			[STAT_NAME] = name_of(k, event), [STAT_CATEGORY] = kernel_category(k, t->events[event].name),
			[STAT_TIME] = tl_cell_time(t->events[event].dur, false), [STAT_ALL] = tl_cell_time(all[device], false),
			[STAT_GRID] = tl_arg_list_cell(t, &grid, event), [STAT_BLOCK] = tl_arg_list_cell(t, &block, event),
		};
		if (tl_is_of_graph(&nodes, event, k->items[i].launcher))
			c[STAT_GRAPH] = tl_cell_int(1);
		tl_device_cells(&devices->items[device], c);
		tl_table_add_row(in->own_rows, c);
	}
	free(all);
}

/* Grid and block that all launches have. */
void tl_kcat_common(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	static const size_t columns[] = { STAT_GRID, STAT_BLOCK };

	for (size_t c = 0; c < 2; c++) {
		struct tl_cell first = tl_table_cell(ctx, rows[0], columns[c]);
		size_t i = 1;
		while (i < n && !tl_cell_is_null(first) && tl_table_cell(ctx, rows[i], columns[c]).text == first.text)
			i++;
		if (i >= n)
			cells[c] = first;
	}
}

/* ---- short kernels --------------------------------------------------------------------- */

static bool is_short(const struct tl_kernels *k, const struct kernel *item)
{
	return k->trace->events[item->event].dur < tl_ticks_of_us(k->options.short_us, k->trace->ticks_per_us);
}

void tl_kcat_histogram(void *ctx, struct tl_sheet_input *in)
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

void tl_kcat_short(void *ctx, struct tl_sheet_input *in)
{
	struct tl_kernels *k = ctx;
	struct tl_table *rows = tl_table_new(&k->trace->strings, k->trace->ticks_per_us, tl_kcat_short_rows);
	const struct tl_arg args[] = { tl_arg_of(k->trace, TL_KEY_INPUT_DIMS), tl_arg_of(k->trace, TL_KEY_INPUT_STRIDES),
		tl_arg_of(k->trace, TL_KEY_CONCRETE_INPUTS) };

	for (size_t i = 0; i < k->n; i++) {
		const struct kernel *item = &k->items[i];
		struct tl_cell c[N_SHORT] = { 0 };

		if (!is_short(k, item))
			continue;
		c[SHORT_NAME] = name_of(k, item->event);
		c[SHORT_DURATION] = tl_duration_cell(&k->trace->events[item->event]);
		c[SHORT_PARENT] = name_of(k, item->op);
		for (size_t a = 0; a < 3 && item->op != TL_NONE; a++)
			c[SHORT_DIMS + a] = tl_arg_cell(k->trace, &args[a], item->op);
		tl_table_add_row(rows, c);
	}
	in->own_rows = rows;
	in->conditions = k->gpu_only ? 0 : TL_KCAT_IF_OPERATORS;
	in->totals[0] = k->total_us;
	in->top = &k->options.top_short;
}

/* ---- how kernels fill the device ---------------------------------------------------------- */

/* The means of tail_share, blocks_per_sm and occupancy, by time; null if no kernel has them. */
void tl_kcat_means(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	static const size_t columns[] = { CONFIG_TAIL_SHARE, CONFIG_BLOCKS_PER_SM, CONFIG_OCCUPANCY };

	for (size_t c = 0; c < 3; c++) {
		double sum = 0, weight = 0;
		for (size_t i = 0; i < n; i++) {
			struct tl_cell cell = tl_table_cell(ctx, rows[i], columns[c]);
			double ticks = (double)tl_table_cell(ctx, rows[i], CONFIG_TIME).i;
			if (tl_cell_is_null(cell))
				continue;
			sum += cell.d * ticks;
			weight += ticks;
		}
		if (weight > 0)
			cells[c] = tl_cell_real(sum / weight);
	}
}

struct filling {
	struct tl_trace *t;
	struct tl_waves waves;
	struct tl_arg per_unit, occupancy;
	struct tl_nearest operators;
	const uint32_t *call_of; /* NULL: of kernel_config, whose columns from operator on are null and take no memory */
	struct tl_table *rows;
};

static void launch_cells(struct filling *f, uint32_t event, struct tl_cell *c)
{
	const struct tl_arg *args[] = { &f->waves.grid, &f->waves.block, &f->waves.registers, &f->waves.shared };
	uint32_t call = f->call_of[event], op = tl_nearest(&f->operators, call);

	if (op != TL_NONE)
		c[CONFIG_OPERATOR] = tl_name_cell(f->t, f->t->events[op].name);
	else
		c[CONFIG_OPERATOR] = tl_cell_str(&f->t->strings, call == TL_NONE ? "(not launched)" : "(no operator)");
	for (size_t i = 0; i < sizeof args / sizeof *args; i++)
		c[CONFIG_GRID + i] = tl_arg_list_cell(f->t, args[i], event);
}

static void add_launch(struct filling *f, uint32_t event)
{
	const struct tl_waves *w = &f->waves;
	const struct tl_ev *e = &f->t->events[event];
	int64_t blocks = tl_blocks_of(w, event), resident = tl_resident_blocks(w, event);
	double per_unit = tl_arg_positive(f->t, &f->per_unit, event), share = tl_arg_positive(f->t, &f->occupancy, event);
	struct tl_cell c[N_CONFIG] = {
		[CONFIG_NAME] = tl_name_cell(f->t, e->name), [CONFIG_TIME] = tl_cell_time(e->dur, false)
	};

	if (blocks)
		c[CONFIG_BLOCKS] = tl_cell_int(blocks);
	if (w->gpu.units)
		c[CONFIG_UNITS] = tl_cell_int(w->gpu.units);
	if (per_unit > 0)
		c[CONFIG_BLOCKS_PER_SM] = tl_cell_real(per_unit);
	if (share > 0)
		c[CONFIG_OCCUPANCY] = tl_cell_real(share);
	if (blocks && resident && w->gpu.units) {
		double waves = (double)blocks / ((double)w->gpu.units * (double)resident);
		c[CONFIG_WAVES] = tl_cell_real(waves);
		c[CONFIG_TAIL_SHARE] = tl_cell_real(1 - waves / ceil(waves));
	}
	if (f->call_of)
		launch_cells(f, event, c);
	tl_table_add_row(f->rows, c);
}

static void add_launches(struct tl_trace *t, struct tl_sheet_input *in, const uint32_t *call_of)
{
	struct filling f = { .t = t, .operators = { t, tl_nearest_operator, 0, NULL }, .call_of = call_of,
	                     .per_unit = tl_arg_of(t, "blocks per SM"), .occupancy = tl_arg_of(t, "est. achieved occupancy %"),
	                     .rows = tl_table_new(&t->strings, t->ticks_per_us, tl_kcat_config_rows) };
	struct tl_trace_facts facts;

	tl_trace_facts_read(&facts, t);
	tl_waves_init(&f.waves, t, tl_working_gpu_kind(&facts, t));
	for (uint32_t i = 0; i < t->n_events; i++)
		if (is_kernel(&t->events[i]))
			add_launch(&f, i);
	tl_trace_facts_release(&facts);
	tl_nearest_release(&f.operators);
	in->ctx = in->own_rows = f.rows;
}

void tl_kcat_config(void *ctx, struct tl_sheet_input *in)
{
	add_launches(((struct tl_kernels *)ctx)->trace, in, NULL);
}

void tl_kcat_launches(void *ctx, struct tl_sheet_input *in)
{
	struct tl_trace *t = ((struct tl_kernels *)ctx)->trace;

	add_launches(t, in, tl_calls_of_work(t));
}

/* ---- what kernels do, by their names ------------------------------------------------------- */

/* The kernels of a name. */
struct name { uint32_t name, count, uid; int64_t ticks; };
TL_ORDER(by_ticks, struct name, TL_DESC(x->ticks))

enum { ANSWERS = KIND_TIME }; /* the columns that names answer, which are the first */

static struct tl_table *rows_of_names(struct tl_trace *t, const struct name *names, size_t n)
{
	static const enum tl_built_in_rules questions[ANSWERS] = {
		TL_KERNEL_KINDS, TL_KERNEL_PRECISION, TL_KERNEL_TENSOR_CORES, TL_KERNEL_LIBRARY, TL_KERNEL_INTERNAL
	};
	struct tl_table *rows = tl_table_new(&t->strings, t->ticks_per_us, tl_kcat_kind_rows);

	for (size_t i = 0; i < n; i++) {
		struct tl_cell c[N_KIND] = {
			[KIND_TIME] = tl_cell_time(names[i].ticks, false), [KIND_COUNT] = tl_cell_int(names[i].count),
			[KIND_NAME] = tl_name_cell(t, names[i].name), [KIND_UID] = tl_cell_int(names[i].uid),
		};
		for (size_t k = 0; k < ANSWERS; k++) {
			const char *answer = tl_name_answer(tl_kept_answers(t, questions[k]), names[i].name);
			c[k] = tl_cell_str(&t->strings, *answer ? answer : k == KIND_KIND ? "unknown" : NULL);
		}
		tl_table_add_row(rows, c);
	}
	return rows;
}

/* Tells tl_row_events which row each kernel is in. */
static void tell_events(struct tl_trace *t, const struct name *names, const struct tl_table *rows)
{
	static const size_t keys[ANSWERS] = { KIND_KIND, KIND_PRECISION, KIND_TENSOR_CORES, KIND_LIBRARY, KIND_INTERNAL };
	uint32_t *of_event = tl_row_events(t, tl_kcat_kernel_kinds_sheet.name);
	uint32_t *of_name = tl_calloc((size_t)t->strings.count + 1, sizeof *of_name);
	uint32_t *groups = tl_calloc(rows->n_rows + 1, sizeof *groups), *uids = tl_calloc(rows->n_rows + 1, sizeof *uids);

	tl_table_group(rows, keys, ANSWERS, NULL, rows->n_rows, groups);
	for (size_t i = 0; i < rows->n_rows; i++) {
		uids[groups[i]] = uids[groups[i]] ? uids[groups[i]] : names[i].uid + 1;
		of_name[names[i].name] = uids[groups[i]];
	}
	const struct tl_launchers *l = tl_launchers_of(t);
	for (uint32_t i = 0; i < l->n_gpus; i++)
		if (is_kernel(&t->events[l->gpus[i]]))
			of_event[tl_trace_gpu(t, l->gpus[i])] = of_name[t->events[l->gpus[i]].name];
	free(of_name);
	free(groups);
	free(uids);
}

/* A row for each name that kernels have, the longest first: so the first one of a group is its top_name. */
void tl_kcat_kinds(void *ctx, struct tl_sheet_input *in)
{
	struct tl_trace *t = ((struct tl_kernels *)ctx)->trace;
	struct name *names = tl_calloc((size_t)t->strings.count + 1, sizeof *names);
	const struct tl_launchers *l = tl_launchers_of(t);
	size_t n = 0;

	for (uint32_t i = 0; i < l->n_gpus; i++) {
		const struct tl_ev *e = &t->events[l->gpus[i]];
		struct name *name = &names[e->name];
		if (!is_kernel(e))
			continue;
		if (!name->count++)
			*name = (struct name){ .name = e->name, .count = 1, .uid = e->uid };
		name->ticks = tl_ticks_add(name->ticks, e->dur);
	}
	for (size_t i = 0; i <= t->strings.count; i++)
		if (names[i].count)
			names[n++] = names[i];
	tl_merge_sort(names, n, sizeof *names, by_ticks, NULL);
	in->own_rows = rows_of_names(t, names, n);
	tell_events(t, names, in->own_rows);
	free(names);
}
