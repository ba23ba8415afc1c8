/* roofline_rows.c - raw rows of the roofline sheets: an event, its time, its metrics.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/roofline_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_stack(void *ctx, size_t row, uint32_t event, struct tl_buf *b)
{
	struct tl_rows *r = ctx;

	tl_stack_text(&r->tools->stacks, r->stacks[row], event, b);
}

void tl_rows_show_stacks(struct tl_rows *r, bool show)
{
	r->kernels.add_stack = show ? add_stack : NULL;
	r->kernels.stack_ctx = r;
}

void tl_rows_init(struct tl_rows *r, struct tl_roofline_tools *k, bool family, size_t n)
{
	struct tl_trace *t = k->measure.trace;

	memset(r, 0, sizeof *r);
	r->tools = k;
	r->family = family;
	r->table = tl_table_new(&t->strings, t->ticks_per_us, tl_roofline_perf_rows);
	tl_table_reserve(r->table, n);
	tl_details_init(&r->kernels, t);
	tl_details_init(&r->overlapping, t);
	r->overlapping.with_overlap = true;
}

void tl_rows_release(struct tl_rows *r)
{
	tl_table_free(r->table);
	tl_details_release(&r->kernels);
	tl_details_release(&r->overlapping);
	free(r->evaluations);
	free(r->stacks);
	free(r->params);
}

/* ---- events that are faster than the roofline allows --------------------------------- */

/* An event that took less than this share of the mean time of its like lacks device work. */
#define INCOMPLETE 0.5

void tl_excess_release(struct tl_excess *e)
{
	TL_KEYED_RELEASE(&e->groups);
	tl_map_release(&e->names);
	free(e->kernels);
}

/* Adds what a row is about, whose evaluation has a roofline, and lives as long as the tl_excess. us: the kernel time. */
static void add_excess(struct tl_excess *e, struct tl_measure *m, const struct tl_row_about *about, double us)
{
	const struct tl_evaluation *x = about->x;
	struct tl_excess_group *group = TL_ITEM(&e->groups, tl_key_of_two(about->name, tl_signature(m->signatures, about->event)), NULL);
	double percent = us > 0 ? x->roof.least / us * 100 : 0;

	group->us += us;
	group->events++;
	if (!(percent > 100))
		return;
	e->events++;
	tl_map_add(&e->names, about->name);
	if (!(percent > e->percent))
		return;
	e->percent = percent;
	e->us = us;
	e->event = about->event;
	e->name = about->name;
	e->group = (size_t)(group - e->groups.items);
	e->x = x;
	free(e->kernels);
	e->kernels = tl_alloc(((size_t)about->n_kernels + 1) * sizeof *e->kernels);
	e->n_kernels = about->n_kernels;
	for (uint32_t i = 0; i < about->n_kernels; i++)
		e->kernels[i] = tl_str(&m->trace->strings, m->trace->events[about->kernels[i]].name);
}

/* ---- the reason ---------------------------------------------------------------------- */

/* Its device events are cut off or missing: its like take much longer. */
static bool incomplete(const struct tl_excess *e, struct tl_buf *b)
{
	const struct tl_excess_group *g = &e->groups.items[e->group];

	if (g->events < 2)
		return false;
	double others = (g->us - e->us) / (g->events - 1);
	if (!(e->us < others * INCOMPLETE))
		return false;
	tl_buf_addf(b, "its device time is %.3g µs, that of its like %.3g µs: the trace lacks a part of it", e->us, others);
	return true;
}

/* The kernels multiply in a precision for which the GPU is faster, or not known. */
static bool lower_precision(const struct tl_excess *e, struct tl_measure *m, struct tl_buf *b)
{
	const char *spec = tl_str(&m->trace->strings, e->x->spec);
	const char *precision = tl_precision_of(m->precisions, e->kernels, e->n_kernels);
	struct tl_buf other = { 0 };

	if (strncmp(spec, "matrix_", 7) || !*precision || e->x->roof.compute <= e->us)
		return false;
	tl_buf_addf(&other, "matrix_%s", precision);
	double peak = tl_arch_peak(m->arch, other.data);
	bool yes = strcmp(spec, other.data) && !(peak > 0 && peak <= tl_arch_peak(m->arch, spec));
	if (yes)
		tl_buf_addf(b, "its kernels' names say %s, the types of its tensors %s", precision, spec + 7);
	if (yes && !(peak > 0))
		tl_buf_addf(b, "; %s has no peak for %s", m->arch->name, other.data);
	tl_buf_release(&other);
	return yes;
}

/* Not all bytes came from memory. */
static bool cached(const struct tl_excess *e, const struct tl_measure *m, struct tl_buf *b)
{
	double cache = m->arch->cache;

	if (strcmp(e->x->roof.bound, "MEMORY_BOUND") || e->x->roof.memory <= e->us || e->x->bytes > cache)
		return false;
	tl_buf_addf(b, "its %.3g MiB fit in the GPU's cache of %g MiB", e->x->bytes / 1048576, cache / 1048576);
	return true;
}

void tl_excess_reason(const struct tl_excess *e, struct tl_measure *m, struct tl_buf *b)
{
	if (incomplete(e, b) || lower_precision(e, m, b) || cached(e, m, b))
		return;
	if (!strcmp(m->arch->basis, "achievable"))
		tl_buf_addf(b, "the rates of %s were measured as achievable and can be exceeded", m->arch->name);
	else
		tl_buf_addf(b, "its model counts more %s than its kernels need%s",
		            e->x->roof.compute > e->us ? "operations" : "bytes",
		            *m->arch->basis ? "" : ", or the numbers of the architecture are too low");
}

/* ---- cells of a row --------------------------------------------------------------- */

static void event_cells(struct tl_rows *r, const struct tl_row_about *about, struct tl_cell *c)
{
	struct tl_roofline_tools *k = r->tools;
	struct tl_trace *t = k->measure.trace;
	const struct tl_ev *e = &t->events[about->event];
	const struct tl_trace_track *track = &t->tracks[e->track];

	c[PERF_NAME] = tl_name_cell(t, about->name);
	c[PERF_OP_CATEGORY] = tl_cell_text(about->category);
	c[PERF_PROCESS_NAME] = tl_cell_text(track->process_name);
	c[PERF_PROCESS_LABEL] = tl_cell_text(track->process_label);
	c[PERF_THREAD_NAME] = tl_cell_text(track->thread_name);
	memcpy(&c[PERF_INPUT_DIMS], tl_signature_cells(k->measure.signatures, about->event, r->family), TL_SIGNATURE_CELLS * sizeof *c);
	if (k->options.select.detect_recompute)
		c[PERF_IS_RECOMPUTE] = tl_cell_bool((e->flags & TL_EV_RECOMPUTE) != 0);
	if (k->options.group_by_num_kernels)
		c[PERF_NUM_KERNELS] = tl_cell_int(about->n_kernels);
	c[PERF_UID] = tl_cell_int(about->uid);
	if (e->flags & TL_EV_HAS_DUR)
		c[PERF_DURATION_US] = tl_duration_cell(e);
	c[PERF_KERNEL_TIME_US] = tl_cell_time(about->ticks, about->ints);
	c[PERF_HAS_PERF_MODEL] = tl_cell_bool(about->modelled);
	if (r->family) {
		c[PERF_SHOWN] = tl_cell_bool(about->shown);
		c[PERF_MOVED_TO_BACKWARD] = tl_cell_bool(about->moved);
	}
}

/* What the model says, and the rates that follow from the kernel time. */
static void metric_cells(struct tl_rows *r, const struct tl_evaluation *x, double us, struct tl_cell *c)
{
	struct tl_rates rates = tl_rates_of(x->gflops, x->has_bytes, x->bytes, us);

	c[PERF_GFLOPS] = tl_cell_real(x->gflops);
	c[PERF_COMPUTE_SPEC] = tl_cell_text(x->spec);
	if (x->typed_by_kernels) {
		c[PERF_DTYPE_FROM] = tl_cell_str(r->table->strings, "kernels");
		r->typed_by_kernels = true;
	}
	c[PERF_PERF_PARAMS] = x->params_text;
	c[PERF_DATA_MOVED_MB] = rates.moved;
	c[PERF_FLOPS_BYTE] = rates.intensity;
	c[PERF_TB_S] = rates.tbs;
	c[PERF_TFLOPS_S] = rates.tflops;
	if (x->has_roof) {
		c[PERF_ROOFLINE_TIME_US] = tl_cell_real(x->roof.least);
		c[PERF_ROOFLINE_BOUND] = tl_cell_str(r->table->strings, x->roof.bound);
		if (us != 0)
			c[PERF_PCT_ROOFLINE] = tl_cell_real(x->roof.least / us * 100);
	}
	r->has_metrics = true;
	r->has_roof |= x->has_roof;
}

/* What overlaps the launcher that the row is about. If the event is no launcher, or
 * nothing overlaps it: what overlaps the row's device events, but not in families. */
static void overlap_cells(struct tl_rows *r, const struct tl_row_about *about, struct tl_cell *c)
{
	struct tl_roofline_tools *k = r->tools;
	uint32_t at = k->launchers->of_event[about->event];
	struct tl_cell *names = &c[PERF_OVERLAPPING_KERNEL_NAMES], *share = &c[PERF_OVERLAP_PCT];

	tl_details_add_row(&r->overlapping);
	if (at != TL_NONE) {
		const struct tl_launcher *l = &k->launchers->items[at];
		tl_overlaps_of(&k->overlaps, k->launchers->direct + l->first, l->n, &r->overlapping, names, share);
	}
	if (share->type == TL_CELL_NULL && !r->family && about->n_kernels)
		tl_overlaps_of(&k->overlaps, about->kernels, about->n_kernels, &r->overlapping, names, share);
}

void tl_rows_add(struct tl_rows *r, const struct tl_row_about *about)
{
	size_t row = r->table->n_rows;
	double us = tl_trace_us(r->tools->measure.trace, about->ticks);
	struct tl_cell c[N_PERF] = { 0 };

	TL_GROW(r->stacks, r->cap_stacks, row + 1);
	TL_GROW(r->evaluations, r->cap_evaluations, row + 1);
	r->stacks[row] = (struct tl_stack_row){ about->event, about->top };
	r->evaluations[row] = about->x;
	event_cells(r, about, c);
	if (about->x)
		metric_cells(r, about->x, us, c);
	if (about->x && about->x->has_roof && (!r->family || about->shown || about->moved))
		add_excess(r->family ? &r->tools->in_families : &r->tools->in_unified, &r->tools->measure, about, us);
	size_t from = r->kernels.n;
	tl_details_add_row(&r->kernels);
	tl_details_add_events(&r->kernels, about->kernels, about->n_kernels);
	for (size_t i = from; about->stacks && i < r->kernels.n; i++)
		r->kernels.items[i].has_stack = true;
	if (r->tools->options.include_overlap)
		overlap_cells(r, about, c);
	tl_table_add_row(r->table, c);
}

/* ---- parameters -------------------------------------------------------------------- */

/* The column of a parameter. Equal names have one address: they come from one table of
 * strings. The place among its model's parameters is mostly that among all. */
static size_t param_column(struct tl_rows *r, const char *name, size_t i)
{
	struct tl_buf column = { 0 };

	if (i >= r->n_params || r->params[i] != name)
		for (i = 0; i < r->n_params && r->params[i] != name;)
			i++;
	if (i < r->n_params)
		return N_PERF + i;
	TL_PUSH(r->params, r->n_params, r->cap_params, name);
	tl_buf_addf(&column, TL_PARAM "%s", name);
	tl_table_add_column(r->table, column.data);
	tl_buf_release(&column);
	return N_PERF + i;
}

void tl_rows_add_params(struct tl_rows *r)
{
	for (size_t row = 0; row < r->table->n_rows; row++) {
		const struct tl_evaluation *x = r->evaluations[row];
		for (size_t i = 0; i < x->n_params; i++)
			tl_table_set(r->table, row, param_column(r, x->params[i].name, i), x->params[i].value);
	}
	for (size_t i = 0; i < r->n_params; i++)
		tl_table_unify_column(r->table, N_PERF + i);
}

/* ---- sheets ------------------------------------------------------------------------- */

struct tl_table *tl_rows_sheet(struct tl_rows *r, const struct tl_sheet_def *def, unsigned conditions, const char *where)
{
	const struct tl_roofline_options *o = &r->tools->options;
	bool none = !r->table->n_rows;

	conditions |= (o->select.detect_recompute ? TL_ROOFLINE_IF_RECOMPUTE : 0u) |
	              (o->group_by_num_kernels ? TL_ROOFLINE_IF_NUM_KERNELS : 0u) | (o->host_copies ? TL_ROOFLINE_IF_HOST_COPIES : 0u) |
	              (r->has_metrics || none ? TL_ROOFLINE_IF_METRICS : 0u) | (r->typed_by_kernels ? TL_ROOFLINE_IF_TYPED_BY_KERNELS : 0u) |
	              (r->has_roof || (none && o->arch) ? TL_ROOFLINE_IF_ROOF : 0u);
	return tl_sheet_make(def, &(struct tl_sheet_input){
		.rows = r->table, .where = where, .conditions = conditions, .ctx = r });
}
