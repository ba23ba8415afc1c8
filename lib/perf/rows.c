/* rows.c - raw rows of the roofline sheets: an event, its time, its metrics.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const row_names[TL_R_FIXED] = {
	"UID", "duration_us", "TB/s", "TFLOPS/s", "Pct Roofline", "Kernel Time (µs)", "ticks", "rounded", "row",
};
static const char *const class_names[TL_C_FIXED] = {
	"name", "op category", "process_name", "process_label", "thread_name", "Input Dims", "Input type", "Input Strides",
	"Concrete Inputs", "GFLOPS", "Data Moved (MB)", "FLOPS/Byte", "Compute Spec",
	"Roofline Time (µs)", "Roofline Bound", "perf_params", "has_perf_model",
};
static const char *const total_names[] = { "group ticks", "group UID", "group rounded" };

/* ---- tools -------------------------------------------------------------------- */

void tl_row_tools_release(struct tl_row_tools *k)
{
	tl_map_release(&k->list_texts);
	tl_arena_release(&k->arena);
	tl_buf_release(&k->buf);
	tl_detail_texts_release(&k->detail_texts);
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
static struct tl_cell list_cell(struct tl_row_tools *k, const struct tl_measure *m, size_t which, uint32_t event, bool tuples)
{
	struct tl_trace *t = m->trace;
	int64_t value;
	int type = tl_arg_get(&m->args[which], t, event, &value);
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
	r->family = family;
	r->table = tl_table_new(&m->trace->strings);
	r->shared = tl_table_new(&m->trace->strings);
	take_spare(k, r->table);
	for (size_t i = 0; i < TL_R_FIXED; i++)
		tl_table_add_column(r->table, row_names[i]);
	for (size_t i = 0; i < TL_C_FIXED; i++)
		tl_table_add_column(r->shared, class_names[i]);
	r->recompute = optional(r->shared, o->select.detect_recompute, "is_recompute");
	r->num_kernels = optional(r->shared, family && o->group_by_num_kernels, "num_kernels");
	r->names = optional(r->table, o->include_overlap, "overlapping_kernel_names");
	r->share = optional(r->table, o->include_overlap, "overlap_pct");
	r->group = optional(r->shared, family, "group");
	for (size_t i = 0; i < 3; i++)
		optional(r->shared, o->include_overlap, total_names[i]);
	r->kernels.strings = r->overlapping.strings = &m->trace->strings;
	tl_details_of_trace(&r->kernels, m->trace);
	r->kernels.texts = r->overlapping.texts = &k->detail_texts;
	r->overlapping.with_overlap = true;
}

void tl_rows_release(struct tl_rows *r)
{
	keep_spare(r->tools, r->table);
	tl_table_free(r->table);
	tl_table_free(r->shared);
	tl_details_release(&r->kernels);
	tl_details_release(&r->overlapping);
	free(r->classes);
	free(r->class_slots);
	free(r->class_of);
	free(r->events);
}

static struct tl_cell real_or_null(double x, bool known)
{
	return known ? tl_cell_real(x) : tl_cell_null();
}

/* ---- what rows share --------------------------------------------------------------- */

/* Least time on an architecture. */
static void roof_cells(struct tl_rows *r, struct tl_row_class *class, struct tl_cell *c)
{
	const struct tl_evaluation *x = class->x;
	struct tl_strtab *strings = &r->measure->trace->strings;
	const struct tl_arch *arch = r->options->arch;
	double peak = arch ? tl_arch_peak(arch, tl_str(strings, x->spec)) : 0;
	double bandwidth = arch ? tl_arch_bandwidth(arch) : 0;

	if (!(peak > 0) || !(bandwidth > 0) || !x->has_bytes || !(x->gflops > 0))
		return;
	double compute = x->gflops * 1e9 / (peak * 1e12) * 1e6, memory = x->bytes / (bandwidth * 1e9) * 1e6;
	class->least_us = compute >= memory ? compute : memory;
	c[TL_C_ROOF_TIME] = tl_cell_real(class->least_us);
	c[TL_C_ROOF_BOUND] = tl_cell_text(tl_intern_str(strings, compute >= memory ? "COMPUTE_BOUND" : "MEMORY_BOUND"));
	class->has_roof = r->has_roof = true;
}

static void model_cells(struct tl_rows *r, struct tl_row_class *class, struct tl_cell *c)
{
	const struct tl_evaluation *x = class->x;

	r->has_metrics = true;
	class->tera_flops = x->gflops / 1e3;
	c[TL_C_GFLOPS] = tl_cell_real(x->gflops);
	c[TL_C_SPEC] = tl_cell_text(x->spec);
	if (x->has_bytes) {
		class->tera_bytes = x->bytes / 1e12;
		c[TL_C_MOVED] = tl_cell_real(x->bytes / 1048576);
		c[TL_C_INTENSITY] = real_or_null(x->gflops * 1e9 / x->bytes, x->bytes > 0);
	}
	roof_cells(r, class, c);
	if (!r->family)
		c[TL_C_PARAMS] = tl_measure_params(r->measure, x);
}

static void class_cells(struct tl_rows *r, struct tl_row_class *class, const struct tl_row_about *about)
{
	struct tl_trace *t = r->measure->trace;
	const struct tl_ev *e = &t->events[about->event];
	const struct tl_trace_track *track = &t->tracks[e->track];
	struct tl_cell *c = tl_table_add_row(r->shared);

	c[TL_C_NAME] = tl_cell_text(about->name ? about->name : tl_intern(&t->strings, "", 0));
	c[TL_C_CATEGORY] = tl_cell_text(about->category);
	c[TL_C_PROCESS] = tl_cell_text(track->process_name);
	c[TL_C_LABEL] = tl_cell_text(track->process_label);
	c[TL_C_THREAD] = tl_cell_text(track->thread_name);
	for (size_t i = 0; i < 4; i++)
		c[TL_C_DIMS + i] = list_cell(r->tools, r->measure, i, about->event, !r->family);
	c[TL_C_MODELLED] = tl_cell_bool(about->modelled);
	if (r->recompute >= 0)
		c[r->recompute] = tl_cell_bool((e->flags & TL_EV_RECOMPUTE) != 0);
	if (r->num_kernels >= 0)
		c[r->num_kernels] = tl_cell_int(about->n_kernels);
	if (class->x)
		model_cells(r, class, c);
}

enum { MARK_MODELLED = 1, MARK_RECOMPUTE = 2 };

static struct tl_class_key key_of(const struct tl_rows *r, const struct tl_row_about *about)
{
	const struct tl_ev *e = &r->measure->trace->events[about->event];

	return (struct tl_class_key){
		.sig = tl_measure_sig(r->measure, about->event), .track = e->track, .name = about->name, .category = about->category,
		.x = about->x ? about->x->index + 1 : 0,
		.marks = (about->modelled ? MARK_MODELLED : 0u) | (e->flags & TL_EV_RECOMPUTE ? MARK_RECOMPUTE : 0u),
		.n_kernels = r->num_kernels >= 0 ? about->n_kernels : 0,
	};
}

static uint32_t hash_key(const struct tl_class_key *k)
{
	uint64_t h = ((uint64_t)k->sig << 32 | k->x) * 0x9e3779b97f4a7c15u;
	h ^= ((uint64_t)k->track << 32 | k->name) * 0xd6e8feb86659fd93u;
	h ^= ((uint64_t)k->category << 32 | k->n_kernels << 2 | k->marks) * 0xbf58476d1ce4e5b9u;
	return (uint32_t)tl_hash_u64(h);
}

static bool same_key(const struct tl_class_key *a, const struct tl_class_key *b)
{
	return a->sig == b->sig && a->track == b->track && a->name == b->name && a->category == b->category &&
	       a->x == b->x && a->marks == b->marks && a->n_kernels == b->n_kernels;
}

static void widen_classes(struct tl_rows *r)
{
	uint32_t size = r->class_slots ? 2 * (r->class_mask + 1) : 64;

	free(r->class_slots);
	r->class_slots = tl_calloc(size, sizeof *r->class_slots);
	r->class_mask = size - 1;
	for (size_t i = 0; i < r->shared->n_rows; i++) {
		uint32_t at = hash_key(&r->classes[i].key) & r->class_mask;
		while (r->class_slots[at])
			at = (at + 1) & r->class_mask;
		r->class_slots[at] = (uint32_t)i + 1;
	}
}

static uint32_t class_of(struct tl_rows *r, const struct tl_row_about *about)
{
	struct tl_class_key key = key_of(r, about);

	if (!r->class_slots || r->shared->n_rows >= r->class_mask / 2)
		widen_classes(r);
	uint32_t at = hash_key(&key) & r->class_mask;
	for (; r->class_slots[at]; at = (at + 1) & r->class_mask)
		if (same_key(&r->classes[r->class_slots[at] - 1].key, &key))
			return r->class_slots[at] - 1;
	size_t n = r->shared->n_rows;
	TL_GROW(r->classes, r->cap_classes, n + 1);
	r->classes[n] = (struct tl_row_class){ .key = key, .x = about->x };
	class_cells(r, &r->classes[n], about);
	r->class_slots[at] = (uint32_t)n + 1;
	return (uint32_t)n;
}

/* ---- what is a row's own ------------------------------------------------------------- */

static struct tl_cell us_cell(const struct tl_trace *t, int64_t ticks, double us, bool ints)
{
	return ints && ticks % t->ticks_per_us == 0 ? tl_cell_int(ticks / t->ticks_per_us) : tl_cell_real(us);
}

static void own_cells(struct tl_rows *r, const struct tl_row_class *class, const struct tl_row_about *about, struct tl_cell *c)
{
	const struct tl_trace *t = r->measure->trace;
	const struct tl_ev *e = &t->events[about->event];
	const struct tl_work *w = about->time;
	double busy = tl_trace_us(t, w->ticks);

	c[TL_R_UID] = tl_cell_int(about->uid);
	if (e->flags & TL_EV_HAS_DUR)
		c[TL_R_DUR] = us_cell(t, e->dur, tl_trace_us(t, e->dur), e->flags & TL_EV_INT_DUR);
	c[TL_R_TIME] = us_cell(t, w->ticks, busy, w->ints);
	c[TL_R_TICKS] = tl_cell_int(w->ticks);
	c[TL_R_ROUNDED] = tl_cell_real(w->rounded);
	if (!class->x)
		return;
	c[TL_R_TFLOPS] = real_or_null(class->tera_flops / (busy / 1e6), busy > 0);
	if (class->x->has_bytes)
		c[TL_R_TBS] = real_or_null(class->tera_bytes / (busy / 1e6), busy > 0);
	if (class->has_roof)
		c[TL_R_ROOF_PCT] = real_or_null(class->least_us / busy * 100, busy != 0);
}

static void add_kernels(struct tl_rows *r, const struct tl_row_about *about, bool stacks)
{
	if (!stacks) {
		tl_details_list(&r->kernels, about->kernels, about->n_kernels);
		return;
	}
	tl_details_row(&r->kernels);
	for (uint32_t i = 0; i < about->n_kernels; i++) {
		struct tl_detail d = tl_details_of_event(&r->kernels, about->kernels[i]);
		d.call_stack = tl_stack_text(r->measure, about->event, about->kernels[i]);
		tl_details_add(&r->kernels, &d);
	}
}

/* Overlap columns: of the launcher; of the row's device events where it has
 * none and the sheet is not one of a family. */
static void add_overlap(struct tl_rows *r, const struct tl_row_about *about, struct tl_cell *c)
{
	uint32_t at = r->launchers->of_event[about->event];

	tl_details_row(&r->overlapping);
	if (at != TL_NONE) {
		const struct tl_launcher *l = &r->launchers->items[at];
		tl_overlaps_of(r->overlaps, r->launchers->direct + l->first, l->n, &r->overlapping, &c[r->names], &c[r->share]);
	}
	if (c[r->share].type == TL_CELL_NULL && !r->family && about->n_kernels)
		tl_overlaps_of(r->overlaps, about->kernels, about->n_kernels, &r->overlapping, &c[r->names], &c[r->share]);
}

void tl_rows_add(struct tl_rows *r, const struct tl_row_about *about, bool stacks)
{
	size_t row = r->table->n_rows;
	uint32_t class = class_of(r, about);
	struct tl_cell *c = tl_table_add_row(r->table);

	TL_GROW(r->events, r->cap_events, row + 1);
	TL_GROW(r->class_of, r->cap_class_of, row + 1);
	r->events[row] = about->event;
	r->class_of[row] = class;
	c[TL_R_ROW] = tl_cell_int((int64_t)row);
	own_cells(r, &r->classes[class], about, c);
	add_kernels(r, about, stacks);
	if (r->names >= 0)
		add_overlap(r, about, c);
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

struct total { int64_t ticks, uid; double rounded, carry; };

/* Numbers the groups of shared rows that have equal cells in the key columns. */
static uint32_t *number_groups(const struct tl_rows *r, const int *key, size_t n_key)
{
	uint32_t *of = tl_alloc((r->shared->n_rows + 1) * sizeof *of);
	struct tl_strtab groups;

	tl_strtab_init(&groups);
	for (size_t i = 0; i < r->shared->n_rows; i++) {
		struct tl_cell k[16];
		memset(k, 0, sizeof k);
		for (size_t j = 0; j < n_key && j < 16; j++) {
			const struct tl_cell *c = tl_table_cell(r->shared, i, (size_t)key[j]);
			k[j].type = c->type;
			k[j].i = c->type == TL_CELL_TEXT ? (int64_t)c->text : c->type == TL_CELL_NULL ? 0 : c->i;
		}
		of[i] = tl_intern(&groups, (const char *)k, sizeof k) - 1;
	}
	tl_strtab_release(&groups);
	return of;
}

static void add_total(struct total *s, const struct tl_cell *row)
{
	double y = row[TL_R_ROUNDED].d - s->carry, t = s->rounded + y;

	s->carry = t - s->rounded - y;
	s->rounded = t;
	s->ticks = tl_ticks_add(s->ticks, row[TL_R_TICKS].i);
	if (row[TL_R_UID].i < s->uid)
		s->uid = row[TL_R_UID].i;
}

void tl_rows_group_totals(struct tl_rows *r, const int *key, size_t n_key)
{
	size_t n = r->shared->n_rows, first = (size_t)tl_table_column(r->shared, total_names[0]);
	uint32_t *of = number_groups(r, key, n_key);
	struct total *totals = tl_calloc(n + 1, sizeof *totals);

	for (size_t i = 0; i < n; i++)
		totals[i].uid = INT64_MAX;
	for (size_t i = 0; i < r->table->n_rows; i++)
		add_total(&totals[of[r->class_of[i]]], tl_table_cell(r->table, i, 0));
	for (size_t i = 0; i < n; i++) {
		struct tl_cell *c = tl_table_cell(r->shared, i, first);
		c[0] = tl_cell_int(totals[of[i]].ticks);
		c[1] = tl_cell_int(totals[of[i]].uid);
		c[2] = tl_cell_real(totals[of[i]].rounded);
	}
	free(totals);
	free(of);
}

struct tl_table *tl_rows_sheet(struct tl_rows *r, const struct tl_sheet_def *def)
{
	r->kernel_memo.valid = r->overlap_memo.valid = false;
	return tl_sheet_make_shared(def, r->table, &(struct tl_shared){ r->shared, r->class_of }, r);
}

void tl_rows_sum_ticks(const struct tl_rows *r, struct tl_sheet_def *def)
{
	struct tl_agg *agg = def->aggs;

	/* a column of whole µs stays one of integers */
	if (r->table->n_rows && tl_table_cell(r->table, 0, TL_R_TIME)->type == TL_CELL_INT)
		return;
	while (agg->out && !(agg->kind == TL_AGG_SUM && agg->in && !strcmp(agg->in, row_names[TL_R_TIME])))
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
