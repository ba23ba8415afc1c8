/* headroom.c - the sheet headroom: how much time operators would save at their roofline, and why they are not there.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/roofline_rows.h"

#include "work/devices.h"
#include "work/kept.h"
#include "work/waves.h"
#include "base/text.h"
#include "work/name_rules.h"
#include "lang/values.h"
#include "sheets/window.h"
#include "table/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the definition -------------------------------------------------------------------- */

/* Rows of unified_perf_summary that are one row of the sheet. */
struct group {
	const struct tl_row_about *row;  /* the first of them that has kernels */
	size_t count;                    /* how many have */
	uint32_t longest;                /* the kernel that took longest */
	bool has_roof;
	struct tl_roof roof;             /* of the first one */
	double roof_us, best;            /* least time of all; percent of the roofline that the best row reaches, 0: none */
	bool is_best, near;              /* it is that row; it is near what good libraries reach */
	double good;                     /* percent of the roofline that good libraries reach, or another row if that is more */
	uint32_t slow_calls;             /* those that take ten times the median and more, and what they take above it */
	double slow_us;
	int64_t kernel, fair;            /* ticks: busy time, fair time */
};

#define FP32 "fp32" /* reasons */
#define LAYOUT "layout"

/* What tells rows of unified_perf_summary apart. bound: the letter that it begins with; 0: none. args: see number_args. */
struct keys { uint32_t name, category, process_name, process_label, thread_name, args, recompute, spec, bound; };

/* ---- groups ------------------------------------------------------------------------------- */

struct maker {
	const struct tl_unified *rows;
	bool recompute;                        /* is recomputed work told apart? */
	struct tl_trace *t;
	const struct tl_arch *arch;
	const struct tl_fair_time *fair;
	struct tl_map args_of;                 /* signature -> number in args */
	struct tl_strtab args, keys;
	uint32_t *row_of;                      /* see tl_row_events */
	struct group *groups; size_t n;
	uint32_t *kernels; size_t cap_kernels; /* of a row */
	int64_t *fair_of;                      /* by row of unified_perf_summary: its fair time */
	struct tl_spans scratch;
	struct tl_measure *measure;
	struct tl_waves waves;
	struct tl_name_answers *internal;      /* what kernels do for others, by their names */
	int64_t kernel_ticks;                  /* of all groups */
};

/* Input Dims, Input type and so on, until the next call. */
static const struct tl_cell *cells_of(const struct maker *m, const struct tl_row_about *row)
{
	return tl_signature_cells(m->measure->signatures, row->event, false);
}

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
static uint32_t kernels_of(struct maker *m, const struct tl_row_about *row)
{
	bool converts = tl_starts_with(tl_str(&m->t->strings, row->category), "CONV");
	uint32_t kept = 0;

	TL_GROW(m->kernels, m->cap_kernels, (size_t)row->n_kernels + 1);
	for (uint32_t i = 0; i < row->n_kernels; i++) {
		const struct tl_ev *e = &m->t->events[row->kernels[i]];
		if (converts && tl_name_is(m->internal, e->name, LAYOUT))
			continue;
		if (e->kind == TL_KIND_KERNEL && tl_gpu_usable(e) && tl_gpu_work(e) == TL_GPU_COMPUTE)
			m->kernels[kept++] = row->kernels[i];
	}
	return kept;
}

static void add_row(struct maker *m, struct group *g, const struct tl_row_about *row, int64_t *fair_of)
{
	uint32_t n = kernels_of(m, row);
	struct tl_roof roof;
	bool ints;

	if (!n)
		return;
	int64_t ticks = tl_busy_ticks(m->t, m->kernels, n, &m->scratch, &ints), fair = 0;
	for (uint32_t i = 0; i < n; i++)
		fair = tl_ticks_add(fair, tl_fair_time_of(m->fair, m->t, m->kernels[i]));
	if (!g->count) {
		g->row = row;
		g->has_roof = roof_of(m, row->x, &g->roof);
		g->longest = m->kernels[0];
	}
	for (uint32_t i = 0; i < n; i++)
		if (m->t->events[m->kernels[i]].dur > m->t->events[g->longest].dur)
			g->longest = m->kernels[i];
	if (g->has_roof && roof_of(m, row->x, &roof))
		g->roof_us += roof.least;
	for (uint32_t i = 0; i < n; i++)
		m->row_of[tl_trace_gpu(m->t, m->kernels[i])] = (uint32_t)g->row->uid + 1;
	g->count++;
	g->kernel = tl_ticks_add(g->kernel, ticks);
	g->fair = tl_ticks_add(g->fair, fair);
	*fair_of = fair;
	m->kernel_ticks = tl_ticks_add(m->kernel_ticks, ticks);
}

enum { SLOW_US = 100, SLOW_TIMES = 10, LEAST_CALLS = 3 };

/* Calls with the same dims take about the same time: what a few of them take above ten times the median is an event of its own. */
static void find_slow_calls(struct maker *m, uint32_t *of)
{
	size_t n_rows = m->rows->n;

	for (size_t i = 0; i < n_rows; i++)
		of[i] = m->fair_of[i] > 0 ? of[i] : TL_NONE;
	struct tl_split_events rows = tl_split_events(of, m->n, NULL, (uint32_t)n_rows);
	double *us = tl_alloc((n_rows + 1) * sizeof *us);
	for (size_t k = 0; k < m->n; k++) {
		struct group *g = &m->groups[k];
		size_t n = rows.start[k + 1] - rows.start[k];
		for (size_t i = 0; i < n; i++)
			us[i] = us_of(m, m->fair_of[rows.items[rows.start[k] + i]]);
		double median = n < LEAST_CALLS || tl_cell_is_null(cells_of(m, g->row)[0]) ? 0 : tl_median(us, n);
		for (size_t i = 0; median > 0 && i < n; i++)
			if (us[i] >= SLOW_US && us[i] >= SLOW_TIMES * median) {
				g->slow_us += us[i] - median;
				g->slow_calls++;
			}
	}
	tl_split_events_release(&rows);
	free(us);
}

/* Arguments that sheets show alike have one number. */
static uint32_t number_args(struct maker *m, const struct tl_row_about *row)
{
	unsigned char key[TL_SIGNATURE_CELLS][TL_CELL_KEY];
	bool is_new;
	uint32_t *known = tl_map_put(&m->args_of, tl_signature(m->measure->signatures, row->event), &is_new);

	for (size_t i = 0; is_new && i < TL_SIGNATURE_CELLS; i++)
		tl_cell_key(cells_of(m, row)[i], key[i]);
	if (is_new)
		*known = tl_intern(&m->args, (const char *)key, sizeof key);
	return *known;
}

static uint32_t number_group(struct maker *m, const struct tl_row_about *row)
{
	const struct tl_ev *e = &m->t->events[row->event];
	const struct tl_trace_track *track = &m->t->tracks[e->track];
	struct keys keys = {
		.name = tl_name_cell(m->t, row->name).text, .category = row->category, .process_name = track->process_name,
		.process_label = track->process_label, .thread_name = track->thread_name, .args = number_args(m, row),
		.recompute = m->recompute && e->flags & TL_EV_RECOMPUTE,
		.spec = row->x ? row->x->spec : 0, .bound = row->x && row->x->has_roof ? (uint32_t)*row->x->roof.bound : 0,
	};

	return tl_intern(&m->keys, (const char *)&keys, sizeof keys) - 1;
}

static void find_groups(struct maker *m)
{
	size_t n = m->rows->n;
	uint32_t *of = tl_alloc((n + 1) * sizeof *of);

	for (size_t i = 0; i < n; i++)
		of[i] = number_group(m, &m->rows->items[i]);
	m->n = m->keys.count;
	m->groups = tl_calloc(m->n + 1, sizeof *m->groups);
	m->fair_of = tl_calloc(n + 1, sizeof *m->fair_of);
	for (size_t i = 0; i < n; i++)
		add_row(m, &m->groups[of[i]], &m->rows->items[i], &m->fair_of[i]);
	find_slow_calls(m, of);
	tl_map_release(&m->args_of);
	tl_strtab_release(&m->args);
	tl_strtab_release(&m->keys);
	free(m->fair_of);
	free(of);
}

/* ---- what can be reached --------------------------------------------------------------------- */

/* Rows with less than this share of all kernel time are no example for others. */
#define LEAST_SHARE 0.01
/* A row that reaches this share of what good libraries reach has nothing to gain. */
#define NEAR 0.94

static double percent_of(const struct maker *m, const struct group *g)
{
	return g->has_roof && g->kernel ? g->roof_us / us_of(m, g->kernel) * 100 : 0;
}

/* What good libraries reach of such a roofline. */
static double good_percent(const struct maker *m, struct tl_name_rules *rules, const struct group *g)
{
	struct tl_buf asked = { 0 };

	tl_buf_addf(&asked, "%s %s %s", m->arch->basis, tl_str(&m->t->strings, g->row->category), g->roof.bound);
	const char *answer = tl_name_rules_find(rules, asked.data, asked.len);
	double percent = *answer ? atof(answer) : 100;
	tl_buf_release(&asked);
	return percent;
}

/* The row of a spec, a bound and a good percent that reaches most of its roofline: how much, at most 100. */
struct best { double percent; const struct group *of; };

/* What a product reaches another one may, too: that of this trace counts if it is more than what good libraries reach. Rows that
 * move memory are no such example, as caches may have helped. */
static void find_best(struct maker *m)
{
	struct TL_KEYED(struct best) best = { 0 };
	struct tl_name_rules *rules = tl_name_rules_new(TL_GOOD_PERCENTS);

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < m->n; i++) {
			struct group *g = &m->groups[i];
			if (!g->count || !g->has_roof)
				continue;
			bool computes = *g->roof.bound == 'C';
			g->good = pass ? g->good : good_percent(m, rules, g);
			struct best *b = TL_ITEM(&best, (uint64_t)g->row->x->spec << 8 | (uint64_t)g->good << 1 | computes, NULL);
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
	TL_KEYED_RELEASE(&best);
	tl_name_rules_free(rules);
}

/* ---- why a row does not reach its roofline, as far as it tells ---------------------------------- */

static const char *spec_of(const struct maker *m, const struct group *g)
{
	return tl_str(&m->t->strings, g->row->x->spec);
}

static const char *kernel_of(const struct maker *m, const struct group *g)
{
	return tl_str(&m->t->strings, m->t->events[g->longest].name);
}

/* The bytes of an element of the precision that a compute spec ends with; 0: not known. */
static int bytes_of(const char *spec)
{
	size_t n = strlen(spec);

	return n > 2 && !strcmp(spec + n - 2, "64") ? 8 : n > 2 && !strcmp(spec + n - 2, "32") ? 4 :
		n > 2 && !strcmp(spec + n - 2, "16") ? 2 : n && spec[n - 1] == '8' ? 1 : 0;
}

double tl_headroom_faster(const struct tl_arch *arch)
{
	static const char *const faster[] = { "matrix_tf32", "matrix_fp16", "matrix_bf16" };

	for (size_t i = 0; i < sizeof faster / sizeof *faster; i++)
		if (tl_arch_peak(arch, faster[i]) > tl_arch_peak(arch, "matrix_fp32"))
			return tl_arch_peak(arch, faster[i]);
	return 0;
}

/* Matrix units could multiply faster in another precision, and the kernel's name says that they do not. */
static bool is_fp32(const struct maker *m, const struct group *g)
{
	const char *kernel = kernel_of(m, g);

	return !strcmp(spec_of(m, g), "matrix_fp32") && !strcmp(tl_precision_of(m->measure->precisions, &kernel, 1), FP32) &&
		tl_headroom_faster(m->arch) > 0;
}

enum {
	ROW_BYTES = 16, /* so many bytes of a row are read at once */
	MOST_WAVES = 4, /* of more, the last one does not matter */
	LONG_US = 20,   /* a kernel that is no short one */
	USUAL_TILE = 128,
};
#define TAIL 0.2 /* share of the last wave that has no blocks, over all waves */
/* Kernels that stay on the units and take work one by one may leave out some. */
#define ENOUGH_BLOCKS 0.9
/* Percent of the roofline that odd sizes need not keep a product from. */
#define FAR_BELOW 60

/* A size that the model tells, or `otherwise`. */
static int64_t size_of(const struct tl_evaluation *x, const char *param, int64_t otherwise)
{
	for (size_t i = 0; i < x->n_params; i++)
		if (!strcmp(x->params[i].name, param) && x->params[i].value.type == TL_CELL_INT)
			return x->params[i].value.i;
	return otherwise;
}

/* The number behind these letters of a name; 0: it has none. */
static int number_behind(const char *name, const char *letters)
{
	const char *at = strstr(name, letters);

	return at ? atoi(at + strlen(letters)) : 0;
}

static bool is_misaligned(const struct maker *m, const struct group *g, double percent)
{
	int bytes = bytes_of(spec_of(m, g)), at_once = number_behind(kernel_of(m, g), "_align"); /* CUTLASS names how many elements a kernel may read at once */

	if (!bytes || !tl_starts_with(spec_of(m, g), "matrix_"))
		return false;
	if (at_once)
		return at_once * bytes < ROW_BYTES;
	return percent < FAR_BELOW && (size_of(g->row->x, "K", 0) * bytes % ROW_BYTES || size_of(g->row->x, "N", 0) * bytes % ROW_BYTES);
}

/* The GPU's SMs or CUs; 0: not known. */
static double units_of(const struct maker *m)
{
	return m->waves.gpu.units ? (double)m->waves.gpu.units : m->arch->units;
}

/* Do units of which only a share works tell most of why a row reaches that percent? If it reaches less than half of what they allow,
 * something else does. */
static bool explains(double share, double percent)
{
	return percent > share * 50;
}

/* The blocks fill the GPU few times, and the last time only a part of it. */
static bool wastes_tiles(const struct maker *m, const struct group *g, double percent)
{
	/* what a trace says of its GPU may be too much for integers */
	double at_once = (double)tl_resident_blocks(&m->waves, g->longest) * units_of(m);
	double blocks = (double)tl_blocks_of(&m->waves, g->longest);

	if (!(at_once > 0) || blocks <= at_once || blocks > MOST_WAVES * at_once)
		return false;
	double used = blocks / (ceil(blocks / at_once) * at_once);
	return 1 - used > TAIL && explains(used, percent);
}

static bool is_memory_bound_product(const struct maker *m, const struct group *g)
{
	return *g->roof.bound == 'M' && tl_starts_with(spec_of(m, g), "matrix_");
}

/* The blocks of a product by its sizes. Tensile's names tell the tile of a block, MT256x128, and how many blocks share K, GSU2;
 * of other kernels it is taken for 128 x 128. 0: it is no product whose sizes are known. */
static double tiles_of(const struct maker *m, const struct group *g)
{
	const char *kernel = kernel_of(m, g), *tile = strstr(kernel, "_MT");
	int rows = tile ? number_behind(tile, "_MT") : 0, columns = tile ? number_behind(tile, "x") : 0, shared = number_behind(kernel, "_GSU");
	double height = (double)size_of(g->row->x, "M", 0), width = (double)size_of(g->row->x, "N", 0);

	if (rows <= 0 || columns <= 0)
		rows = columns = USUAL_TILE;
	return ceil(height / rows) * ceil(width / columns) * (double)size_of(g->row->x, "B", 1) * (shared > 1 ? shared : 1);
}

/* Blocks for a part of the units only, in a kernel that is no short one. */
static bool has_few_blocks(const struct maker *m, const struct group *g, double percent)
{
	double blocks = (double)tl_blocks_of(&m->waves, g->longest);

	if (!(blocks > 0) && !is_memory_bound_product(m, g))
		blocks = tiles_of(m, g);
	return blocks > 0 && blocks < ENOUGH_BLOCKS * units_of(m) && m->t->events[g->longest].dur > tl_ticks_of_us(LONG_US, m->t->ticks_per_us) &&
		explains(blocks / units_of(m), percent);
}

/* Do the first two tensors, which have the same dims, lie in memory in different orders? */
static bool copies_across(const struct maker *m, const struct group *g)
{
	uint32_t event = g->row->event;
	struct tl_value dims, strides;

	return tl_arg_list(&m->measure->signatures->args[0], m->t, event, &dims) && dims.len > 1 &&
		tl_arg_list(&m->measure->signatures->args[2], m->t, event, &strides) && strides.len > 1 &&
		tl_v_equal(&dims.items[0], &dims.items[1]) && !tl_v_equal(&strides.items[0], &strides.items[1]);
}

/* Kernels that only bring tensors into another order, and copies between different orders. */
static bool changes_layout(const struct maker *m, const struct group *g)
{
	const char *name = tl_str(&m->t->strings, m->t->events[g->row->event].name);

	return tl_name_is(m->internal, m->t->events[g->longest].name, LAYOUT) || (!strcmp(name, "aten::copy_") && copies_across(m, g));
}

/* Why a row does not reach its roofline, of which it reaches that percent; tl-roofline(1) lists the reasons. */
static const char *reason_of(const struct maker *m, const struct group *g, double percent)
{
	if (g->row->x && !m->arch)
		return "no architecture";
	if (!g->has_roof)
		return "no model";
	if (bytes_of(spec_of(m, g)) == 8)
		return "fp64";
	if (is_fp32(m, g))
		return FP32;
	if (changes_layout(m, g))
		return LAYOUT;
	if (g->near)
		return "none";
	return g->roof.least < 1 ? "small" : is_misaligned(m, g, percent) ? "misaligned" : wastes_tiles(m, g, percent) ? "tile-waste" :
		has_few_blocks(m, g, percent) ? "few-blocks" : is_memory_bound_product(m, g) ? "memory-bound" : "none";
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A time in whole ticks, 0 if it is below. */
static struct tl_cell cell_of_us(const struct maker *m, double us)
{
	double ticks = us * (double)m->t->ticks_per_us;

	return tl_cell_ms(ticks > 0 && ticks < 9e18 ? (int64_t)(ticks + 0.5) : 0);
}

static void model_cells(const struct maker *m, const struct group *g, struct tl_cell *c)
{
	double usual = us_of(m, g->fair) - g->slow_us;

	c[HEADROOM_ROOFLINE_MS] = cell_of_us(m, g->roof_us);
	c[HEADROOM_PCT_ROOFLINE] = tl_cell_real(percent_of(m, g));
	c[HEADROOM_ROOFLINE_BOUND] = tl_cell_str(&m->t->strings, g->roof.bound);
	c[HEADROOM_GOOD_PCT] = tl_cell_real(g->good);
	c[HEADROOM_HEADROOM_MS] = cell_of_us(m, g->near ? 0 : usual - g->roof_us * 100 / g->good);
	if (g->best > 0)
		c[HEADROOM_BEST_PCT] = tl_cell_real(g->best);
	if (g->best > 0 && !g->is_best)
		c[HEADROOM_REACHABLE_MS] = cell_of_us(m, usual - g->roof_us * 100 / g->best);
}

/* What a row in fp32 would save at the peak of the next precision, for which matrix units are faster. Its rows are alike. */
static struct tl_cell faster_cell(const struct maker *m, const struct group *g)
{
	double us = g->row->x->gflops * 1e3 / tl_headroom_faster(m->arch), least = us > g->roof.memory ? us : g->roof.memory;

	return cell_of_us(m, us_of(m, g->fair) - g->slow_us - least * (double)g->count);
}

static void add_group(struct maker *m, const struct group *g, int64_t window, struct tl_table *out)
{
	struct tl_cell c[N_HEADROOM] = {
		[HEADROOM_NAME] = tl_name_cell(m->t, g->row->name), [HEADROOM_OP_CATEGORY] = tl_cell_text(g->row->category),
		[HEADROOM_INPUT_DIMS] = cells_of(m, g->row)[0], [HEADROOM_INPUT_TYPE] = cells_of(m, g->row)[1],
		[HEADROOM_EX_UID] = tl_cell_int(g->row->uid),
	};

	if (g->row->x) {
		c[HEADROOM_COMPUTE_SPEC] = tl_cell_text(g->row->x->spec);
		c[HEADROOM_PERF_PARAMS] = g->row->x->params_text;
	}
	c[HEADROOM_OPERATION_COUNT] = tl_cell_int((int64_t)g->count);
	c[HEADROOM_KERNEL_MS] = tl_cell_ms(g->kernel);
	c[HEADROOM_FAIR_MS] = tl_cell_ms(g->fair);
	if (g->has_roof)
		model_cells(m, g, c);
	c[HEADROOM_LONGEST_KERNEL] = tl_name_cell(m->t, m->t->events[g->longest].name);
	const char *reason = reason_of(m, g, percent_of(m, g));
	c[HEADROOM_REASON] = tl_cell_str(&m->t->strings, reason);
	if (!strcmp(reason, FP32))
		c[HEADROOM_TENSOR_CORE_MS] = faster_cell(m, g);
	if (g->slow_calls) {
		c[HEADROOM_SLOW_CALLS] = tl_cell_int(g->slow_calls);
		c[HEADROOM_SLOW_MS] = cell_of_us(m, g->slow_us);
	}
	if (window > 0)
		c[HEADROOM_PERCENT_OF_WINDOW] = tl_cell_real((double)g->fair / (double)window * 100);
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

static struct tl_table *make_sheet(struct tl_roofline_tools *k, const struct tl_unified *rows)
{
	struct tl_trace *t = k->measure.trace;
	const struct tl_window *window = tl_window_of(t);
	struct maker m = { .rows = rows, .recompute = k->options.select.detect_recompute, .t = t, .arch = k->options.rated, .fair = &window->fair,
		.measure = &k->measure, .internal = tl_kept_answers(t, TL_KERNEL_INTERNAL), .row_of = tl_row_events(t, tl_roofline_headroom_sheet.name) };
	struct tl_table *raw = tl_table_new(&t->strings, t->ticks_per_us, tl_roofline_headroom_rows);
	struct tl_trace_facts facts;

	tl_trace_facts_read(&facts, t);
	tl_waves_init(&m.waves, t, tl_working_gpu_kind(&facts, t));
	tl_trace_facts_release(&facts);
	find_groups(&m);
	find_best(&m);
	for (size_t i = 0; i < m.n; i++)
		if (m.groups[i].count)
			add_group(&m, &m.groups[i], window->all_ticks, raw);
	tl_spans_release(&m.scratch);
	free(m.kernels);
	free(m.groups);
	return tl_sheet_make(&tl_roofline_headroom_sheet, &(struct tl_sheet_input){ .own_rows = raw, .top = &k->options.top });
}

enum tl_status tl_headroom_make(struct tl_rated_sheets *out, struct tl_trace *t, const struct tl_registry *g,
                                const struct tl_roofline_options *o, struct tl_error *err)
{
	struct tl_roofline_tools tools = { .options = *o, .launchers = tl_launchers_of(t) };
	struct tl_unified rows = { 0 };

	tools.options.include_overlap = tools.options.call_stack = false;
	tools.options.arch = o->rated;
	tl_measure_init(&tools.measure, t, g, o->rated);
	tools.measure.inference = true; /* a model may read the annotation of its step, of whatever report this is */
	tl_measure_find_named(&tools.measure);
	remember(&tools.measure);
	if (!tl_trace_gpu_only(t))
		tl_unified_rows(&rows, &tools);
	enum tl_status s = tl_device_work_check(&tools.measure.device_work, err);
	*out = (struct tl_rated_sheets){ 0 };
	if (!s && o->headroom && (rows.has_metrics || o->rated))
		out->headroom = make_sheet(&tools, &rows);
	if (!s && o->mfu)
		s = tl_mfu_make(&out->mfu, &tools, &rows, err);
	free(rows.items);
	tl_measure_release(&tools.measure);
	return s;
}
