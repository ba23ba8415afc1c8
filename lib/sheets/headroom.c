/* headroom.c - the sheet headroom: how much time operators would save at their roofline, and why they are not there.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/headroom.h"

#include "analysis/row_events.h"
#include "base/text.h"
#include "kernels/name_rules.h"
#include "sheets/mfu.h"
#include "sheets/window.h"
#include "table/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the definition -------------------------------------------------------------------- */

enum { NAME, CATEGORY, DIMS, TYPES, SPEC, UID, COUNT, KERNEL, FAIR, ROOF, PCT, BOUND, GOOD, HEADROOM, BEST, REACHABLE, FASTER, SLOW_CALLS, SLOW,
	REASON, LONGEST, PARAMS, WINDOW, N_COLUMNS };
static const char *const row_columns[] = {
	"name", "op category", "Input Dims", "Input type", "Compute Spec", "ex_UID", "operation_count", "kernel_ms", "fair_ms",
	"roofline_ms", "Pct Roofline", "Roofline Bound", "good_pct", "headroom_ms", "best_pct", "reachable_ms", "tensor_core_ms",
	"slow_calls", "slow_ms", "reason", "longest_kernel", "perf_params", "Percent of window (%)", NULL
};
static const struct tl_column columns[] = { { "all", .kind = TL_REST }, { .name = NULL } };
const struct tl_sheet_def tl_headroom_sheet = {
	.name = "headroom", .rows = row_columns, .columns = columns, .ungrouped = true,
	.order = { { "headroom_ms", true }, { "fair_ms", true }, { "ex_UID", false } },
};

/* What tells rows of unified_perf_summary apart. */
static const size_t keys[] = { TL_R_NAME, TL_R_CATEGORY, TL_R_PROCESS, TL_R_LABEL, TL_R_THREAD, TL_R_DIMS, TL_R_TYPES,
	TL_R_STRIDES, TL_R_CONCRETE, TL_R_RECOMPUTE, TL_R_SPEC, TL_R_ROOF_BOUND };

/* ---- groups ------------------------------------------------------------------------------- */

struct maker {
	struct tl_rows *rows;
	struct tl_trace *t;
	const struct tl_arch *arch;
	const struct tl_fair_time *fair;
	uint32_t *row_of;                      /* see tl_row_events */
	struct tl_headroom *groups; size_t n;
	uint32_t *kernels; size_t cap_kernels; /* of a row */
	int64_t *fair_of;                      /* by row of unified_perf_summary: its fair time */
	struct tl_spans scratch;
	struct tl_reasons reasons;
	int64_t kernel_ticks;                  /* of all groups */
};

static double us_of(const struct maker *m, int64_t ticks)
{
	return tl_trace_us(m->t, ticks);
}

/* The least time of the work that a model tells. Unlike in the other sheets, no operations are no obstacle, nor is a peak
 * that is not known for operations that no matrix units do: time for the bytes alone is the least time still. */
static bool roof_of(const struct maker *m, const struct tl_evaluation *x, struct tl_roof *roof)
{
	if (!x || !m->arch)
		return false;
	*roof = x->roof;
	if (x->has_roof)
		return true;
	if (!x->has_bytes || !(x->bytes > 0) || !(m->arch->bandwidth > 0) ||
	    (x->gflops > 0 && tl_starts_with(tl_str(&m->t->strings, x->spec), "matrix_")))
		return false;
	roof->compute = 0;
	roof->memory = roof->least = x->bytes / (m->arch->bandwidth * 1e9) * 1e6;
	roof->bound = "MEMORY_BOUND";
	return true;
}

/* The kernels of a row that compute, in m->kernels. */
static uint32_t kernels_of(struct maker *m, size_t row)
{
	uint32_t n, kept = 0;
	const struct tl_detail *items = tl_details_of(&m->rows->kernels, row, &n);
	bool converts = tl_starts_with(tl_str(&m->t->strings, tl_table_cell(m->rows->table, row, TL_R_CATEGORY).text), "CONV");

	TL_GROW(m->kernels, m->cap_kernels, (size_t)n + 1);
	for (uint32_t i = 0; i < n; i++) {
		const struct tl_ev *e = &m->t->events[items[i].event];
		if (converts && tl_name_is(m->reasons.internal, e->name, TL_REASON_LAYOUT))
			continue;
		if (e->kind == TL_KIND_KERNEL && tl_gpu_usable(e) && tl_gpu_work(e) == TL_GPU_COMPUTE)
			m->kernels[kept++] = items[i].event;
	}
	return kept;
}

static void add_row(struct maker *m, struct tl_headroom *g, size_t row)
{
	uint32_t n = kernels_of(m, row);
	struct tl_roof roof;
	bool ints;

	if (!n)
		return;
	int64_t ticks = tl_busy_ticks(m->t, m->kernels, n, &m->scratch, &ints), fair = 0;
	for (uint32_t i = 0; i < n; i++)
		fair = tl_ticks_add(fair, m->fair->ticks[m->kernels[i]]);
	if (!g->count) {
		g->row = row;
		g->x = m->rows->evaluations[row];
		g->has_roof = roof_of(m, g->x, &g->roof);
		g->longest = m->kernels[0];
	}
	for (uint32_t i = 0; i < n; i++)
		if (m->t->events[m->kernels[i]].dur > m->t->events[g->longest].dur)
			g->longest = m->kernels[i];
	if (g->has_roof && roof_of(m, m->rows->evaluations[row], &roof))
		g->roof_us += roof.least;
	uint32_t uid = (uint32_t)tl_table_cell(m->rows->table, g->row, TL_R_UID).i;
	for (uint32_t i = 0; i < n; i++)
		m->row_of[m->kernels[i]] = uid + 1;
	g->count++;
	g->kernel = tl_ticks_add(g->kernel, ticks);
	g->fair = tl_ticks_add(g->fair, fair);
	m->fair_of[row] = fair;
	m->kernel_ticks = tl_ticks_add(m->kernel_ticks, ticks);
}

enum { SLOW_US = 100, SLOW_TIMES = 10, LEAST_CALLS = 3 };

/* Calls with the same dims take about the same time: what a few of them take above ten times the median is an event of its own. */
static void find_slow_calls(struct maker *m, uint32_t *of)
{
	size_t n_rows = m->rows->table->n_rows;

	for (size_t i = 0; i < n_rows; i++)
		of[i] = m->fair_of[i] > 0 ? of[i] : TL_NONE;
	struct tl_split_events rows = tl_split_events(of, m->n, NULL, (uint32_t)n_rows);
	double *us = tl_alloc((n_rows + 1) * sizeof *us);
	for (size_t k = 0; k < m->n; k++) {
		struct tl_headroom *g = &m->groups[k];
		size_t n = rows.start[k + 1] - rows.start[k];
		for (size_t i = 0; i < n; i++)
			us[i] = us_of(m, m->fair_of[rows.items[rows.start[k] + i]]);
		double median = n < LEAST_CALLS || tl_cell_is_null(tl_table_cell(m->rows->table, g->row, TL_R_DIMS)) ? 0 : tl_median(us, n);
		for (size_t i = 0; median > 0 && i < n; i++)
			if (us[i] >= SLOW_US && us[i] >= SLOW_TIMES * median) {
				g->slow_us += us[i] - median;
				g->slow_calls++;
			}
	}
	tl_split_events_release(&rows);
	free(us);
}

static void find_groups(struct maker *m)
{
	const struct tl_table *t = m->rows->table;
	uint32_t *of = tl_alloc((t->n_rows + 1) * sizeof *of);

	m->n = tl_table_group(t, keys, sizeof keys / sizeof *keys, NULL, t->n_rows, of);
	m->groups = tl_calloc(m->n + 1, sizeof *m->groups);
	m->fair_of = tl_calloc(t->n_rows + 1, sizeof *m->fair_of);
	for (size_t i = 0; i < t->n_rows; i++)
		add_row(m, &m->groups[of[i]], i);
	find_slow_calls(m, of);
	free(m->fair_of);
	free(of);
}

/* ---- what can be reached --------------------------------------------------------------------- */

/* Rows with less than this share of all kernel time are no example for others. */
#define LEAST_SHARE 0.01
/* A row that reaches this share of what good libraries reach has nothing to gain. */
#define NEAR 0.94

static double percent_of(const struct maker *m, const struct tl_headroom *g)
{
	return g->has_roof && g->kernel ? g->roof_us / us_of(m, g->kernel) * 100 : 0;
}

/* What good libraries reach of such a roofline. */
static double good_percent(const struct maker *m, struct tl_name_rules *rules, const struct tl_headroom *g)
{
	struct tl_buf asked = { 0 };

	tl_buf_addf(&asked, "%s %s %s", m->arch->basis, tl_str(&m->t->strings, tl_table_cell(m->rows->table, g->row, TL_R_CATEGORY).text), g->roof.bound);
	const char *answer = tl_name_rules_find(rules, asked.data, asked.len);
	double percent = *answer ? atof(answer) : 100;
	tl_buf_release(&asked);
	return percent;
}

/* The row of a spec, a bound and a good percent that reaches most of its roofline: how much, at most 100. */
struct best { double percent; const struct tl_headroom *of; };

/* What a product reaches another one may, too: that of this trace counts if it is more than what good libraries reach. Rows that
 * move memory are no such example, as caches may have helped. */
static void find_best(struct maker *m)
{
	struct tl_map at = { 0 };
	struct tl_name_rules *rules = tl_name_rules_new(TL_GOOD_PERCENTS);
	struct best *best = tl_calloc(m->n + 1, sizeof *best); /* by number */

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < m->n; i++) {
			struct tl_headroom *g = &m->groups[i];
			if (!g->count || !g->has_roof)
				continue;
			bool computes = *g->roof.bound == 'C';
			g->good = pass ? g->good : good_percent(m, rules, g);
			uint32_t *number = tl_map_put(&at, (uint64_t)g->x->spec << 8 | (uint64_t)g->good << 1 | computes, NULL);
			*number = *number ? *number : at.count;
			struct best *b = &best[*number - 1];
			double percent = fmin(percent_of(m, g), 100);
			if (!pass && percent > b->percent && (double)g->kernel >= LEAST_SHARE * (double)m->kernel_ticks)
				*b = (struct best){ percent, g };
			if (!pass)
				continue;
			g->best = b->percent;
			g->is_best = b->of == g;
			g->near = percent >= NEAR * g->good;
			g->good = computes ? fmax(g->good, g->best) : g->good;
		}
	tl_map_release(&at);
	tl_name_rules_free(rules);
	free(best);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A time in whole ticks, 0 if it is below. */
static struct tl_cell cell_of_us(const struct maker *m, double us)
{
	double ticks = us * (double)m->t->ticks_per_us;

	return tl_cell_ms(ticks > 0 && ticks < 9e18 ? (int64_t)(ticks + 0.5) : 0);
}

static void model_cells(const struct maker *m, const struct tl_headroom *g, struct tl_cell *c)
{
	double usual = us_of(m, g->fair) - g->slow_us;

	c[ROOF] = cell_of_us(m, g->roof_us);
	c[PCT] = tl_cell_real(percent_of(m, g));
	c[BOUND] = tl_cell_str(&m->t->strings, g->roof.bound);
	c[GOOD] = tl_cell_real(g->good);
	c[HEADROOM] = cell_of_us(m, g->near ? 0 : usual - g->roof_us * 100 / g->good);
	if (g->best > 0)
		c[BEST] = tl_cell_real(g->best);
	if (g->best > 0 && !g->is_best)
		c[REACHABLE] = cell_of_us(m, usual - g->roof_us * 100 / g->best);
}

/* What a row in fp32 would save at the peak of the next precision, for which matrix units are faster. Its rows are alike. */
static struct tl_cell faster_cell(const struct maker *m, const struct tl_headroom *g)
{
	double us = g->x->gflops * 1e3 / tl_headroom_faster(m->arch), least = us > g->roof.memory ? us : g->roof.memory;

	return cell_of_us(m, us_of(m, g->fair) - g->slow_us - least * (double)g->count);
}

static void add_group(struct maker *m, const struct tl_headroom *g, int64_t window, struct tl_table *out)
{
	static const struct { size_t to, from; } same[] = {
		{ NAME, TL_R_NAME }, { CATEGORY, TL_R_CATEGORY }, { DIMS, TL_R_DIMS }, { TYPES, TL_R_TYPES }, { SPEC, TL_R_SPEC },
		{ UID, TL_R_UID }, { PARAMS, TL_R_PARAMS },
	};
	struct tl_cell c[N_COLUMNS] = { 0 };

	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		c[same[i].to] = tl_table_cell(m->rows->table, g->row, same[i].from);
	c[COUNT] = tl_cell_int((int64_t)g->count);
	c[KERNEL] = tl_cell_ms(g->kernel);
	c[FAIR] = tl_cell_ms(g->fair);
	if (g->has_roof)
		model_cells(m, g, c);
	c[LONGEST] = tl_name_cell(m->t, m->t->events[g->longest].name);
	const char *reason = tl_headroom_reason(&m->reasons, g, percent_of(m, g));
	c[REASON] = tl_cell_str(&m->t->strings, reason);
	if (!strcmp(reason, TL_REASON_FP32))
		c[FASTER] = faster_cell(m, g);
	if (g->slow_calls) {
		c[SLOW_CALLS] = tl_cell_int(g->slow_calls);
		c[SLOW] = cell_of_us(m, g->slow_us);
	}
	if (window > 0)
		c[WINDOW] = tl_cell_real((double)g->fair / (double)window * 100);
	tl_table_add_row(out, c);
}

/* Values that models of other operators recall. */
static void remember(struct tl_measure *m)
{
	struct tl_work work;

	for (size_t i = 0; i < m->n_named; i++) {
		if (!tl_measure_op(m, m->named[i])->remembers)
			continue;
		tl_work_below(&m->device_work, m->named[i], &work);
		tl_measure_evaluate(m, tl_measure_op(m, m->named[i]), m->named[i], &work, false);
	}
}

static struct tl_table *make_sheet(struct tl_roofline_tools *k, struct tl_rows *rows)
{
	struct tl_trace *t = k->measure.trace;
	const struct tl_window *window = tl_window_of(t);
	struct maker m = { .rows = rows, .t = t, .arch = k->options.rated, .fair = &window->fair, .row_of = tl_row_events(t, tl_headroom_sheet.name) };
	struct tl_table *raw = tl_table_new(&t->strings, t->ticks_per_us, row_columns);

	tl_reasons_init(&m.reasons, &k->measure, rows);
	find_groups(&m);
	find_best(&m);
	for (size_t i = 0; i < m.n; i++)
		if (m.groups[i].count)
			add_group(&m, &m.groups[i], window->all_ticks, raw);
	tl_spans_release(&m.scratch);
	free(m.kernels);
	free(m.groups);
	return tl_sheet_make(&tl_headroom_sheet, &(struct tl_sheet_input){ .own_rows = raw, .top = &k->options.top });
}

enum tl_status tl_headroom_make(struct tl_rated_sheets *out, struct tl_trace *t, const struct tl_registry *g,
                                const struct tl_roofline_options *o, struct tl_error *err)
{
	struct tl_roofline_tools tools = { .options = *o, .launchers = tl_launchers_of(t) };
	struct tl_rows rows;

	tools.options.include_overlap = tools.options.call_stack = false;
	tools.options.arch = o->rated;
	tl_measure_init(&tools.measure, t, g, o->rated);
	tools.measure.inference = true; /* a model may read the annotation of its step, of whatever report this is */
	tl_measure_find_named(&tools.measure);
	remember(&tools.measure);
	tl_rows_init(&rows, &tools, false, tools.launchers->n);
	if (!tl_trace_gpu_only(t))
		tl_unified_rows(&rows, &tools);
	enum tl_status s = tl_device_work_check(&tools.measure.device_work, err);
	*out = (struct tl_rated_sheets){ 0 };
	if (!s && o->headroom && (rows.has_metrics || o->rated))
		out->headroom = make_sheet(&tools, &rows);
	if (!s && o->mfu)
		s = tl_mfu_make(&out->mfu, &tools, &rows, err);
	tl_rows_release(&rows);
	tl_measure_release(&tools.measure);
	tl_excess_release(&tools.in_unified);
	return s;
}
