/* roofline_rows.c - raw rows of the roofline sheets: an event, its time, its metrics.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/roofline_rows.h"

#include "analysis/event_order.h"
#include "table/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
	tl_buf_release(&k->buf);
	tl_detail_texts_release(&k->detail_texts);
}

static uint32_t text_of(struct tl_row_tools *k, struct tl_strtab *strings, const struct tl_value *v, bool tuples)
{
	tl_buf_clear(&k->buf);
	tl_value_str(&k->buf, v, tuples);
	return tl_intern(strings, k->buf.data ? k->buf.data : "", k->buf.len);
}

/* One of an event's lists as text. JSON null and what does not parse are null. */
static struct tl_cell list_cell(struct tl_row_tools *k, struct tl_measure *m, size_t which, uint32_t event, bool tuples)
{
	int64_t value;
	int type = tl_arg_get(&m->args[which], m->trace, event, &value);
	bool is_new;

	if (type == TL_FIELD_INT)
		return tl_cell_int(value);
	if (type == TL_FIELD_STRING)
		return tl_cell_text((uint32_t)value);
	if (!type)
		return tl_cell_null();
	uint32_t *at = tl_map_put(&k->list_texts, (uint64_t)value << 1 | tuples, &is_new);
	if (is_new) {
		struct tl_value v = tl_measure_decode(m, type, value);
		*at = v.type == TL_V_NULL ? 0 : text_of(k, &m->trace->strings, &v, tuples);
	}
	return tl_cell_text(*at);
}

/* ---- rows ------------------------------------------------------------------------ */

static int optional(struct tl_table *t, bool wanted, const char *name)
{
	return wanted ? (int)tl_table_add_column(t, name) : -1;
}

void tl_rows_init(struct tl_rows *r, struct tl_measure *m, const struct tl_roofline_options *o, struct tl_row_tools *k, bool family, size_t n)
{
	memset(r, 0, sizeof *r);
	r->tools = k;
	r->measure = m;
	r->options = o;
	r->family = family;
	r->cap = n;
	r->rows = tl_alloc(n * sizeof *r->rows);
	r->shared = tl_table_new(&m->trace->strings, 1, NULL);
	for (size_t i = 0; i < TL_C_FIXED; i++)
		tl_table_add_column(r->shared, class_names[i]);
	r->recompute = optional(r->shared, o->select.detect_recompute, "is_recompute");
	r->num_kernels = optional(r->shared, family && o->group_by_num_kernels, "num_kernels");
	if (o->include_overlap) {
		r->overlap = tl_table_new(&m->trace->strings, 1, NULL);
		tl_table_add_column(r->overlap, "overlapping_kernel_names");
		tl_table_add_column(r->overlap, "overlap_pct");
	}
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
	free(r->rows);
	free(r->whole_dur);
	free(r->whole_time);
	tl_table_free(r->overlap);
	tl_table_free(r->shared);
	tl_details_release(&r->kernels);
	tl_details_release(&r->overlapping);
	free(r->classes);
	free(r->class_slots);
	free(r->class_of);
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
	struct tl_roof roof;

	if (!tl_roof_of(r->options->arch, tl_str(strings, x->spec), x->gflops, x->has_bytes, x->bytes, &roof))
		return;
	class->least_us = roof.least;
	c[TL_C_ROOF_TIME] = tl_cell_real(roof.least);
	c[TL_C_ROOF_BOUND] = tl_cell_text(tl_intern_str(strings, roof.bound));
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

static void own_numbers(const struct tl_rows *r, const struct tl_row_class *class, const struct tl_row_about *about, struct tl_row *row)
{
	const struct tl_trace *t = r->measure->trace;
	const struct tl_ev *e = &t->events[about->event];
	double busy = tl_us(t, about->time->ticks);

	*row = (struct tl_row){
		.uid = about->uid, .ticks = about->time->ticks, .event = about->event, .time = busy, .rounded = about->time->rounded,
		.dur = e->flags & TL_EV_HAS_DUR ? tl_us(t, e->dur) : NAN, .tbs = NAN, .tflops = NAN, .roof_pct = NAN,
	};
	if (!class->x)
		return;
	if (busy > 0) {
		row->tflops = class->tera_flops / (busy / 1e6);
		if (class->x->has_bytes)
			row->tbs = class->tera_bytes / (busy / 1e6);
	}
	if (class->has_roof && busy != 0)
		row->roof_pct = class->least_us / busy * 100;
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
static void add_overlap(struct tl_rows *r, const struct tl_row_about *about)
{
	uint32_t at = r->launchers->of_event[about->event];
	struct tl_cell *c = tl_table_add_row(r->overlap);

	tl_details_row(&r->overlapping);
	if (at != TL_NONE) {
		const struct tl_launcher *l = &r->launchers->items[at];
		tl_overlaps_of(r->overlaps, r->launchers->direct + l->first, l->n, &r->overlapping, &c[0], &c[1]);
	}
	if (c[1].type == TL_CELL_NULL && !r->family && about->n_kernels)
		tl_overlaps_of(r->overlaps, about->kernels, about->n_kernels, &r->overlapping, &c[0], &c[1]);
}

void tl_rows_add(struct tl_rows *r, const struct tl_row_about *about, bool stacks)
{
	uint32_t class = class_of(r, about);
	const struct tl_work *w = about->time;
	const struct tl_trace *t = r->measure->trace;
	const struct tl_ev *e = &t->events[about->event];

	TL_GROW(r->rows, r->cap, r->n + 1);
	struct tl_row *row = &r->rows[r->n++];
	own_numbers(r, &r->classes[class], about, row);
	row->class = class;
	r->fractions |= !w->ints || w->ticks % t->ticks_per_us;
	r->dur_fractions |= !(e->flags & TL_EV_HAS_DUR) || !(e->flags & TL_EV_INT_DUR) || e->dur % t->ticks_per_us;
	add_kernels(r, about, stacks);
	if (r->overlap)
		add_overlap(r, about);
}

/* A column is one of integers only if every row has one. */
void tl_rows_finish(struct tl_rows *r)
{
	const struct tl_trace *t = r->measure->trace;

	r->class_of = tl_alloc((r->n + 1) * sizeof *r->class_of);
	for (size_t i = 0; i < r->n; i++)
		r->class_of[i] = r->rows[i].class;
	if (!r->fractions) {
		r->whole_time = tl_alloc((r->n + 1) * sizeof *r->whole_time);
		for (size_t i = 0; i < r->n; i++)
			r->whole_time[i] = r->rows[i].ticks / t->ticks_per_us;
	}
	if (!r->dur_fractions) {
		r->whole_dur = tl_alloc((r->n + 1) * sizeof *r->whole_dur);
		for (size_t i = 0; i < r->n; i++)
			r->whole_dur[i] = t->events[r->rows[i].event].dur / t->ticks_per_us;
	}
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
	struct tl_strtab groups = { 0 };

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

static void add_total(struct total *s, const struct tl_row *row)
{
	double y = row->rounded - s->carry, t = s->rounded + y;

	s->carry = t - s->rounded - y;
	s->rounded = t;
	s->ticks = tl_ticks_add(s->ticks, row->ticks);
	if (row->uid < s->uid)
		s->uid = row->uid;
}

void tl_rows_group_totals(struct tl_rows *r, const int *key, size_t n_key)
{
	size_t n = r->shared->n_rows, first = (size_t)tl_table_column(r->shared, total_names[0]);
	uint32_t *of = number_groups(r, key, n_key);
	struct total *totals = tl_calloc(n + 1, sizeof *totals);

	for (size_t i = 0; i < n; i++)
		totals[i].uid = INT64_MAX;
	for (size_t i = 0; i < r->n; i++)
		add_total(&totals[of[r->rows[i].class]], &r->rows[i]);
	for (size_t i = 0; i < n; i++) {
		struct tl_cell *c = tl_table_cell(r->shared, i, first);
		c[0] = tl_cell_int(totals[of[i]].ticks);
		c[1] = tl_cell_int(totals[of[i]].uid);
		c[2] = tl_cell_real(totals[of[i]].rounded);
	}
	free(totals);
	free(of);
}

#define TIME "Kernel Time (µs)"

struct tl_table *tl_rows_sheet(struct tl_rows *r, const struct tl_old_sheet_def *def)
{
	static const struct tl_row none;
	const struct tl_row *row = r->n ? r->rows : &none;
	const size_t stride = sizeof *row;
	const struct tl_raw_column columns[] = {
		{ "UID", &row->uid, NULL, stride }, { "ticks", &row->ticks, NULL, stride },
		{ "duration_us", r->whole_dur, &row->dur, r->whole_dur ? sizeof *r->whole_dur : stride },
		{ TIME, r->whole_time, &row->time, r->whole_time ? sizeof *r->whole_time : stride },
		{ "TB/s", NULL, &row->tbs, stride }, { "TFLOPS/s", NULL, &row->tflops, stride },
		{ "Pct Roofline", NULL, &row->roof_pct, stride }, { "rounded", NULL, &row->rounded, stride },
	};
	const struct tl_raw raw = { .strings = r->shared->strings, .n_rows = r->n, .columns = columns, .n_columns = sizeof columns / sizeof *columns,
		.own = r->overlap, .shared = r->shared, .of = r->class_of };

	r->kernel_memo.valid = r->overlap_memo.valid = false;
	return tl_old_sheet_make_raw(def, &raw, r);
}

void tl_rows_sum_ticks(const struct tl_rows *r, struct tl_old_sheet_def *def)
{
	struct tl_agg *agg = def->aggs;

	if (r->n && r->whole_time) /* a column of whole µs stays one of integers */
		return;
	while (agg->out && !(agg->kind == TL_AGG_SUM && agg->in && !strcmp(agg->in, TIME)))
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
