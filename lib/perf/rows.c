/* rows.c - raw rows of the roofline sheets: an event, its time, its metrics.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const tl_row_names[TL_R_FIXED] = {
	"name", "op category", "process_name", "process_label", "thread_name", "Input Dims", "Input type", "Input Strides",
	"Concrete Inputs", "UID", "duration_us", "GFLOPS", "Data Moved (MB)", "FLOPS/Byte", "TB/s", "TFLOPS/s", "Compute Spec",
	"Roofline Time (µs)", "Roofline Bound", "Pct Roofline", "Kernel Time (µs)", "ticks", "rounded",
	"perf_params", "has_perf_model", "row",
};
static const char *const list_names[] = { "Input Dims", "Input type", "Input Strides", "Concrete Inputs" };

/* ---- tools -------------------------------------------------------------------- */

void tl_row_tools_init(struct tl_row_tools *k, const struct tl_trace *t)
{
	memset(k, 0, sizeof *k);
	for (size_t i = 0; i < 4; i++)
		tl_arg_init(&k->args[i], t, list_names[i]);
	tl_arg_init(&k->stream, t, "stream");
	k->streams.trace = (struct tl_trace *)(uintptr_t)t;
}

void tl_row_tools_release(struct tl_row_tools *k)
{
	for (size_t i = 0; i < 4; i++)
		tl_arg_release(&k->args[i]);
	tl_arg_release(&k->stream);
	tl_arg_cells_release(&k->streams);
	tl_map_release(&k->list_texts);
	tl_arena_release(&k->arena);
	tl_buf_release(&k->buf);
	free(k->texts);
	free(k->spare[0].cells);
	free(k->spare[1].cells);
}

static void take_spare(struct tl_row_tools *k, struct tl_table *t)
{
	struct tl_spare_cells *s = &k->spare[k->spare[1].cap > k->spare[0].cap];

	t->cells = s->cells;
	t->cap_cells = s->cap;
	*s = (struct tl_spare_cells){ NULL, 0 };
}

static void keep_spare(struct tl_row_tools *k, struct tl_table *t)
{
	struct tl_spare_cells *s = &k->spare[k->spare[1].cap < k->spare[0].cap];

	if (t->cap_cells <= s->cap)
		return;
	free(s->cells);
	*s = (struct tl_spare_cells){ t->cells, t->cap_cells };
	t->cells = NULL;
	t->cap_cells = t->n_rows = 0;
}

static uint32_t text_of(struct tl_row_tools *k, struct tl_strtab *strings, const struct tl_value *v, bool tuples)
{
	tl_buf_clear(&k->buf);
	tl_value_str(&k->buf, v, tuples);
	return tl_intern(strings, k->buf.data ? k->buf.data : "", k->buf.len);
}

/* One of an event's lists as text. JSON null and what does not parse are null. */
static struct tl_cell list_cell(struct tl_row_tools *k, struct tl_trace *t, size_t which, uint32_t event, bool tuples)
{
	int64_t value;
	int type = tl_arg_get(&k->args[which], t, event, &value);
	bool is_new;

	if (type == TL_FIELD_INT)
		return tl_cell_int(value);
	if (type == TL_FIELD_STRING)
		return tl_cell_text((uint32_t)value);
	if (!type)
		return tl_cell_null();
	uint32_t *at = tl_map_put(&k->list_texts, (uint64_t)value, &is_new);
	if (is_new) {
		struct tl_value v;
		struct tl_list_text text = { 0, 0 };
		tl_arena_clear(&k->arena);
		if (!tl_value_parse(&k->arena, tl_str(&t->strings, (uint32_t)value), tl_str_len(&t->strings, (uint32_t)value), &v, NULL) &&
		    v.type != TL_V_NULL) {
			text.list = text_of(k, &t->strings, &v, false);
			text.tuple = text_of(k, &t->strings, &v, true);
		}
		TL_GROW(k->texts, k->cap_texts, k->n_texts + 1);
		k->texts[k->n_texts++] = text;
		*at = (uint32_t)k->n_texts;
	}
	return tl_cell_text(tuples ? k->texts[*at - 1].tuple : k->texts[*at - 1].list);
}

/* ---- rows ------------------------------------------------------------------------ */

static int optional(struct tl_table *t, bool wanted, const char *name)
{
	return wanted ? (int)tl_table_add_column(t, name) : -1;
}

void tl_rows_init(struct tl_rows *r, struct tl_measure *m, const struct tl_roofline_options *o, struct tl_row_tools *k, bool family)
{
	memset(r, 0, sizeof *r);
	r->tools = k;
	r->measure = m;
	r->options = o;
	r->tuples = !family;
	r->table = tl_table_new(&m->trace->strings);
	take_spare(k, r->table);
	for (size_t i = 0; i < TL_R_FIXED; i++)
		tl_table_add_column(r->table, tl_row_names[i]);
	r->recompute = optional(r->table, o->select.detect_recompute, "is_recompute");
	r->num_kernels = optional(r->table, family && o->group_by_num_kernels, "num_kernels");
	r->names = optional(r->table, o->include_overlap, "overlapping_kernel_names");
	r->share = optional(r->table, o->include_overlap, "overlap_pct");
	r->group = optional(r->table, family, "group");
	optional(r->table, o->include_overlap, "group ticks");
	optional(r->table, o->include_overlap, "group UID");
	optional(r->table, o->include_overlap, "group rounded");
	r->kernels.strings = r->overlapping.strings = &m->trace->strings;
	r->overlapping.with_overlap = true;
}

void tl_rows_release(struct tl_rows *r)
{
	keep_spare(r->tools, r->table);
	tl_table_free(r->table);
	tl_details_release(&r->kernels);
	tl_details_release(&r->overlapping);
	free(r->events);
	free(r->evaluations);
}

struct tl_cell *tl_rows_add(struct tl_rows *r, struct tl_row_tools *k, uint32_t event)
{
	struct tl_trace *t = r->measure->trace;
	const struct tl_ev *e = &t->events[event];
	const struct tl_trace_track *track = &t->tracks[e->track];
	size_t row = r->table->n_rows;
	struct tl_cell *c = tl_table_add_row(r->table);

	TL_GROW(r->events, r->cap_events, row + 1);
	TL_GROW(r->evaluations, r->cap_evaluations, row + 1);
	r->events[row] = event;
	r->evaluations[row] = NULL;
	c[TL_R_NAME] = tl_cell_text(e->name ? e->name : tl_intern(&t->strings, "", 0));
	c[TL_R_PROCESS] = tl_cell_text(track->process_name);
	c[TL_R_LABEL] = tl_cell_text(track->process_label);
	c[TL_R_THREAD] = tl_cell_text(track->thread_name);
	for (size_t i = 0; i < 4; i++)
		c[TL_R_DIMS + i] = list_cell(k, t, i, event, r->tuples);
	c[TL_R_UID] = tl_cell_int(e->uid);
	c[TL_R_ROW] = tl_cell_int((int64_t)row);
	if (e->flags & TL_EV_HAS_DUR)
		c[TL_R_DUR] = (e->flags & TL_EV_INT_DUR) && e->dur % t->ticks_per_us == 0
		            ? tl_cell_int(e->dur / t->ticks_per_us) : tl_cell_real(tl_trace_us(t, e->dur));
	if (r->recompute >= 0)
		c[r->recompute] = tl_cell_bool((e->flags & TL_EV_RECOMPUTE) != 0);
	return c;
}

static struct tl_cell real_or_null(double x, bool known)
{
	return known ? tl_cell_real(x) : tl_cell_null();
}

/* Least time on an architecture, and the share of it in the time taken. */
static void roof_cells(struct tl_rows *r, struct tl_cell *c, const struct tl_evaluation *x, double busy)
{
	const struct tl_arch *arch = r->options->arch;
	double peak = arch ? tl_arch_peak(arch, tl_str(&r->measure->trace->strings, x->spec)) : 0;
	double bandwidth = arch ? tl_arch_bandwidth(arch) : 0;

	if (!(peak > 0) || !(bandwidth > 0) || !x->has_bytes || !(x->gflops > 0))
		return;
	double compute = x->gflops * 1e9 / (peak * 1e12) * 1e6, memory = x->bytes / (bandwidth * 1e9) * 1e6;
	double least = compute >= memory ? compute : memory;
	c[TL_R_ROOF_TIME] = tl_cell_real(least);
	c[TL_R_ROOF_BOUND] = tl_cell_text(tl_intern_str(&r->measure->trace->strings, compute >= memory ? "COMPUTE_BOUND" : "MEMORY_BOUND"));
	c[TL_R_ROOF_PCT] = real_or_null(least / busy * 100, busy != 0);
	r->has_roof = true;
}

void tl_rows_measure(struct tl_rows *r, struct tl_cell *c, const struct tl_evaluation *x, const struct tl_work *w)
{
	const struct tl_trace *t = r->measure->trace;
	double busy = tl_trace_us(t, w->ticks);

	r->evaluations[r->table->n_rows - 1] = x;
	c[TL_R_TICKS] = tl_cell_int(w->ticks);
	c[TL_R_TIME] = w->ints && w->ticks % t->ticks_per_us == 0 ? tl_cell_int(w->ticks / t->ticks_per_us) : tl_cell_real(busy);
	c[TL_R_ROUNDED] = tl_cell_real(w->rounded);
	if (!x)
		return;
	r->has_metrics = true;
	c[TL_R_GFLOPS] = tl_cell_real(x->gflops);
	c[TL_R_TFLOPS] = real_or_null(x->gflops / 1e3 / (busy / 1e6), busy > 0);
	c[TL_R_SPEC] = tl_cell_text(x->spec);
	if (x->has_bytes) {
		c[TL_R_MOVED] = tl_cell_real(x->bytes / 1048576);
		c[TL_R_INTENSITY] = real_or_null(x->gflops * 1e9 / x->bytes, x->bytes > 0);
		c[TL_R_TBS] = real_or_null(x->bytes / 1e12 / (busy / 1e6), busy > 0);
	}
	roof_cells(r, c, x, busy);
}

void tl_rows_kernels(struct tl_rows *r, struct tl_row_tools *k, const uint32_t *events, uint32_t n)
{
	const struct tl_trace *t = r->measure->trace;
	uint32_t about = r->events[r->table->n_rows - 1];

	tl_details_row(&r->kernels);
	for (uint32_t i = 0; i < n; i++) {
		const struct tl_ev *e = &t->events[events[i]];
		tl_details_add(&r->kernels, &(struct tl_detail){
			.name = e->name, .stream = tl_arg_cell(&k->streams, &k->stream, events[i]),
			.dur = tl_trace_us(t, e->dur), .int_dur = (e->flags & TL_EV_INT_DUR) != 0,
			.call_stack = r->stacks ? tl_stack_text(r->measure, about, events[i]) : 0 });
	}
	if (r->num_kernels >= 0)
		tl_table_cell(r->table, r->table->n_rows - 1, (size_t)r->num_kernels)[0] = tl_cell_int(n);
}

void tl_rows_overlap(struct tl_rows *r, struct tl_cell *c, uint32_t event, const uint32_t *events, uint32_t n)
{
	uint32_t at = r->launchers->of_event[event];

	if (r->names < 0)
		return;
	tl_details_row(&r->overlapping);
	if (at != TL_NONE) {
		const struct tl_launcher *l = &r->launchers->items[at];
		tl_overlaps_of(r->overlaps, r->launchers->direct + l->first, l->n, &r->overlapping, &c[r->names], &c[r->share]);
	}
	if (c[r->share].type == TL_CELL_NULL && n)
		tl_overlaps_of(r->overlaps, events, n, &r->overlapping, &c[r->names], &c[r->share]);
}

void tl_rows_finish(struct tl_rows *r)
{
	tl_table_unify_column(r->table, TL_R_TIME);
	tl_table_unify_column(r->table, TL_R_DUR);
}

/* ---- detail columns ------------------------------------------------------------------ */

/* Two columns come from one computation; the group's first row tells whether it
 * is the same group again. */
static const struct tl_row_memo *memo_of(struct tl_row_memo *m, struct tl_details *d, const struct tl_group *g)
{
	if (!m->valid || m->row != g->index[0])
		tl_details_summarise(d, g->index, g->n, &m->summary, &m->trunc);
	m->valid = true;
	m->row = g->index[0];
	return m;
}

struct tl_cell tl_rows_kernel_summary(void *ctx, const struct tl_group *g)
{
	struct tl_rows *r = ctx;
	return memo_of(&r->kernel_memo, &r->kernels, g)->summary;
}

struct tl_cell tl_rows_kernel_trunc(void *ctx, const struct tl_group *g)
{
	struct tl_rows *r = ctx;
	return memo_of(&r->kernel_memo, &r->kernels, g)->trunc;
}

struct tl_cell tl_rows_overlap_summary(void *ctx, const struct tl_group *g)
{
	struct tl_rows *r = ctx;
	return memo_of(&r->overlap_memo, &r->overlapping, g)->summary;
}

struct tl_cell tl_rows_overlap_trunc(void *ctx, const struct tl_group *g)
{
	struct tl_rows *r = ctx;
	return memo_of(&r->overlap_memo, &r->overlapping, g)->trunc;
}

/* ---- helpers of both kinds of sheets ---------------------------------------------------- */

void tl_rows_group_totals(struct tl_rows *r, const int *key, size_t n_key)
{
	size_t total = (size_t)tl_table_column(r->table, "group ticks"), first = (size_t)tl_table_column(r->table, "group UID");
	size_t noise = (size_t)tl_table_column(r->table, "group rounded");
	struct tl_strtab groups;
	struct { int64_t ticks, uid; double rounded, carry; } *sums = NULL;
	size_t cap = 0, n = 0;
	uint32_t *of = tl_alloc((r->table->n_rows + 1) * sizeof *of);

	tl_strtab_init(&groups);
	for (size_t i = 0; i < r->table->n_rows; i++) {
		struct tl_cell k[16];
		memset(k, 0, sizeof k);
		for (size_t j = 0; j < n_key && j < 16; j++) {
			const struct tl_cell *c = tl_table_cell(r->table, i, (size_t)key[j]);
			k[j].type = c->type;
			k[j].i = c->type == TL_CELL_TEXT ? (int64_t)c->text : c->type == TL_CELL_NULL ? 0 : c->i;
		}
		of[i] = tl_intern(&groups, (const char *)k, sizeof k) - 1;
		int64_t uid = tl_table_cell(r->table, i, TL_R_UID)->i;
		if (of[i] == n) {
			TL_GROW(sums, cap, n + 1);
			sums[n].ticks = 0;
			sums[n].rounded = sums[n].carry = 0;
			sums[n++].uid = uid;
		}
		sums[of[i]].ticks = tl_ticks_add(sums[of[i]].ticks, tl_table_cell(r->table, i, TL_R_TICKS)->i);
		if (uid < sums[of[i]].uid)
			sums[of[i]].uid = uid;
		double y = tl_table_cell(r->table, i, TL_R_ROUNDED)->d - sums[of[i]].carry, t = sums[of[i]].rounded + y;
		sums[of[i]].carry = t - sums[of[i]].rounded - y;
		sums[of[i]].rounded = t;
	}
	for (size_t i = 0; i < r->table->n_rows; i++) {
		*tl_table_cell(r->table, i, total) = tl_cell_int(sums[of[i]].ticks);
		*tl_table_cell(r->table, i, first) = tl_cell_int(sums[of[i]].uid);
		*tl_table_cell(r->table, i, noise) = tl_cell_real(sums[of[i]].rounded);
	}
	tl_strtab_release(&groups);
	free(sums);
	free(of);
}

void tl_rows_sum_ticks(const struct tl_rows *r, struct tl_sheet_def *def)
{
	struct tl_agg *agg = def->aggs;

	/* a column of whole µs stays one of integers */
	if (r->table->n_rows && tl_table_cell(r->table, 0, TL_R_TIME)->type == TL_CELL_INT)
		return;
	while (agg->out && !(agg->kind == TL_AGG_SUM && agg->in && !strcmp(agg->in, tl_row_names[TL_R_TIME])))
		agg++;
	if (!agg->out)
		return;
	memmove(def->scales + 1, def->scales, sizeof def->scales - sizeof *def->scales);
	def->scales[0] = (struct tl_scale){ "ticks", agg->out, (double)r->measure->trace->ticks_per_us, 1 };
	agg->in = agg->out = "ticks";
}

void tl_rows_round_overlap(struct tl_table *t)
{
	static const char *const names[] = { "overlap_pct_mean", "overlap_pct_median", "overlap_pct_std", "overlap_pct_min", "overlap_pct_max" };
	int mean = tl_table_column(t, names[0]);

	for (size_t row = 0; mean >= 0 && row < t->n_rows; row++)
		for (size_t i = 0; i < 5; i++) {
			int col = tl_table_column(t, names[i]);
			struct tl_cell *c = col < 0 ? NULL : tl_table_cell(t, row, (size_t)col);
			if (c && c->type == TL_CELL_NULL && i == 2 && tl_table_cell(t, row, (size_t)mean)->type != TL_CELL_NULL)
				*c = tl_cell_real(0);
			if (c && c->type == TL_CELL_REAL)
				c->d = tl_numpy_round2(c->d);
		}
}
