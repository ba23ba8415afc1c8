/* roofline_families.c - the sheets of a family of operators: GEMM, SDPA_fwd, SDPA_bwd …
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/roofline_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------ */

/* How a column of parameters is shown; it depends on all its values. */
enum show { SHOW_INTEGERS, SHOW_NUMBERS, SHOW_TEXT };
struct param { const char *name; bool some, text, real, gap; enum show show; };
struct params {
	struct param *items; size_t n, cap;
	uint32_t *slot_of;              /* evaluation index -> 1 + row of cells */
	const struct tl_evaluation **distinct; size_t n_distinct, cap_distinct;
	struct tl_cell *cells;          /* distinct evaluations by columns */
	uint32_t *groups;               /* by distinct evaluation: text id that tells it apart */
};

/* Names of parameters come from one table of strings. */
static bool same_name(const char *a, const char *b)
{
	return a == b;
}

static size_t param_column(struct params *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (same_name(p->items[i].name, name))
			return i;
	TL_GROW(p->items, p->cap, p->n + 1);
	p->items[p->n] = (struct param){ .name = name };
	return p->n++;
}

static void note_values(struct params *p, const struct tl_evaluation *x)
{
	for (size_t i = 0; i < x->n_params; i++) {
		size_t column = param_column(p, x->params[i].name); /* may move the items */
		struct param *c = &p->items[column];
		switch (x->params[i].value.type) {
		case TL_V_NULL:
			c->gap = true;
			break;
		case TL_V_REAL:
			c->real = c->some = true;
			break;
		case TL_V_INT:
			c->some = true;
			break;
		default:
			c->some = c->text = true;
		}
	}
}

/* Value of a column for an evaluation; NULL when it is missing. */
static const struct tl_value *value_of(const struct tl_evaluation *x, const char *name)
{
	const struct tl_value *v = NULL;

	for (size_t i = 0; i < x->n_params; i++)
		if (same_name(x->params[i].name, name))
			v = &x->params[i].value;
	return v;
}

static struct tl_cell cell_of(struct tl_strtab *strings, struct tl_buf *b, const struct tl_value *v, enum show show)
{
	double d;

	if (!v || v->type == TL_V_NULL)
		return tl_cell_null();
	if (show == SHOW_NUMBERS) {
		d = v->type == TL_V_INT ? (double)v->i : v->d;
		return isnan(d) ? tl_cell_null() : tl_cell_real(d);
	}
	if (v->type == TL_V_INT && v->i >= INT64_MIN && v->i <= INT64_MAX)
		return tl_cell_int((int64_t)v->i);
	if (v->type == TL_V_BOOL)
		return tl_cell_bool(v->b);
	tl_buf_clear(b);
	tl_value_str(b, v, false);
	return tl_cell_text(tl_intern(strings, b->data ? b->data : "", b->len));
}

/* What tells the parameters of two evaluations apart: their texts, where null
 * and missing differ only in a column of texts. */
static uint32_t group_of(struct params *p, size_t i, struct tl_strtab *strings, struct tl_buf *b)
{
	tl_buf_clear(b);
	for (size_t c = 0; c < p->n; c++) {
		struct tl_cell cell = p->cells[i * p->n + c];
		char mark = 0;
		if (cell.type == TL_CELL_NULL)
			mark = p->items[c].text && value_of(p->distinct[i], p->items[c].name) ? 'n' : 'm';
		tl_buf_addc(b, mark ? mark : 'v');
		if (!mark) {
			uint64_t bits = 0;
			memcpy(&bits, &cell.i, cell.type == TL_CELL_TEXT ? 4 : 8);
			tl_buf_addc(b, (char)cell.type);
			tl_buf_add(b, &bits, sizeof bits);
		}
	}
	return tl_intern(strings, b->data ? b->data : "", b->len);
}

static void params_make(struct params *p, const struct tl_rows *r)
{
	struct tl_strtab *strings = r->shared->strings, groups = { 0 };
	struct tl_buf b = { 0 };

	p->slot_of = tl_calloc((size_t)r->measure->n_made + 1, sizeof *p->slot_of);
	for (size_t i = 0; i < r->shared->n_rows; i++) {
		const struct tl_evaluation *x = r->classes[i].x;
		if (p->slot_of[x->index])
			continue;
		TL_GROW(p->distinct, p->cap_distinct, p->n_distinct + 1);
		p->distinct[p->n_distinct++] = x;
		p->slot_of[x->index] = (uint32_t)p->n_distinct;
		note_values(p, x);
	}
	for (size_t c = 0; c < p->n; c++) {
		struct param *q = &p->items[c];
		for (size_t i = 0; i < p->n_distinct && !q->gap; i++)
			q->gap = !value_of(p->distinct[i], q->name);
		q->show = q->text ? SHOW_TEXT : q->real || q->gap ? SHOW_NUMBERS : SHOW_INTEGERS;
	}
	p->cells = tl_alloc((p->n_distinct * p->n + 1) * sizeof *p->cells);
	p->groups = tl_alloc((p->n_distinct + 1) * sizeof *p->groups);
	for (size_t i = 0; i < p->n_distinct; i++) {
		for (size_t c = 0; c < p->n; c++)
			p->cells[i * p->n + c] = cell_of(strings, &b, value_of(p->distinct[i], p->items[c].name), p->items[c].show);
		p->groups[i] = group_of(p, i, &groups, &b);
	}
	tl_strtab_release(&groups);
	tl_buf_release(&b);
}

static void params_release(struct params *p)
{
	free(p->items);
	free(p->slot_of);
	free(p->distinct);
	free(p->cells);
	free(p->groups);
}

/* ---- the sheet ----------------------------------------------------------------------- */

#define FIVE(in) { TL_AGG_MEAN, in, in "_mean", NULL }, { TL_AGG_MEDIAN, in, in "_median", NULL }, \
	{ TL_AGG_STD, in, in "_std", NULL }, { TL_AGG_MIN, in, in "_min", NULL }, { TL_AGG_MAX, in, in "_max", NULL }
#define FIVE_NAMES(in) in "_mean", in "_median", in "_std", in "_min", in "_max"
#define FIRST(in) { TL_AGG_FIRST, in, in "_first", NULL }
#define TIME "Kernel Time (µs)"

static tl_agg_fn first_row;

static const struct tl_old_sheet_def family_sheet = {
	.name = "family",
	.keys = { { "name", NULL }, { "group", NULL }, { "num_kernels", NULL }, { "is_recompute", NULL } },
	.aggs = {
		FIRST("GFLOPS"), FIRST("Data Moved (MB)"), FIRST("FLOPS/Byte"), FIVE("TB/s"), FIVE("TFLOPS/s"),
		FIRST("process_name"), FIRST("process_label"), FIRST("thread_name"),
		{ TL_AGG_FIRST, "Compute Spec", "Compute Spec", NULL },
		FIRST("Roofline Time (µs)"), FIRST("Roofline Bound"), FIVE("Pct Roofline"),
		{ TL_AGG_CALL, NULL, "kernel_details__summarize_kernel_stats", tl_rows_kernel_summary },
		{ TL_AGG_CALL, NULL, "trunc_kernel_details", tl_rows_kernel_trunc },
		FIRST("Input Dims"), FIRST("Input type"), FIRST("Input Strides"), FIRST("Concrete Inputs"),
		FIVE(TIME), { TL_AGG_SUM, TIME, TIME "_sum", NULL },
		{ TL_AGG_COUNT, NULL, "name_count", NULL }, FIRST("UID"), { TL_AGG_CALL, NULL, "row_first", first_row },
		FIRST("group ticks"), FIRST("group UID"), FIRST("group rounded"), { TL_AGG_SUM, "rounded", "rounded", NULL },
	},
	.order = { { TIME "_sum", true }, { "rounded", true }, { "UID_first", false } },
	.columns = { "name", "overlapping_kernel_names", "num_kernels", "is_recompute",
		"GFLOPS_first", "Data Moved (MB)_first", "FLOPS/Byte_first", FIVE_NAMES("TB/s"), FIVE_NAMES("TFLOPS/s"),
		"process_name_first", "process_label_first", "thread_name_first", "Compute Spec",
		"Roofline Time (µs)_first", "Roofline Bound_first", FIVE_NAMES("Pct Roofline"),
		"kernel_details__summarize_kernel_stats", "trunc_kernel_details",
		"overlapping_kernels_details__summarize_kernel_stats", "trunc_overlapping_kernels_details", FIVE_NAMES("overlap_pct"),
		"Input Dims_first", "Input type_first", "Input Strides_first", "Concrete Inputs_first",
		FIVE_NAMES(TIME), TIME "_sum", "name_count", "UID_first", "row_first" },
};

static struct tl_cell first_row(void *ctx, const struct tl_group *g)
{
	(void)ctx;
	return tl_cell_int((int64_t)g->index[0]);
}

/* The overlap form: names tell groups apart, and their own order. */
static void add_overlap(struct tl_old_sheet_def *def)
{
	static const struct tl_agg more[] = {
		{ TL_AGG_CALL, NULL, "overlapping_kernels_details__summarize_kernel_stats", tl_rows_overlap_summary },
		{ TL_AGG_CALL, NULL, "trunc_overlapping_kernels_details", tl_rows_overlap_trunc }, FIVE("overlap_pct"),
	};
	static const struct tl_old_order order[] = {
		{ "group ticks_first", true }, { "group rounded_first", true }, { "group UID_first", false }, { TIME "_sum", true }, { "rounded", true }, { "UID_first", false },
	};
	size_t n = 0;

	while (def->aggs[n].out)
		n++;
	memcpy(def->aggs + n, more, sizeof more);
	def->keys[4] = (struct tl_key){ "overlapping_kernel_names", NULL };
	memcpy(def->order, order, sizeof order);
}

static void drop_columns(struct tl_old_sheet_def *def, const char *prefix, const char *prefix2)
{
	size_t n = 0;

	for (size_t i = 0; def->columns[i]; i++)
		if (strncmp(def->columns[i], prefix, strlen(prefix)) && strncmp(def->columns[i], prefix2, strlen(prefix2)))
			def->columns[n++] = def->columns[i];
	def->columns[n] = NULL;
}

/* name, overlapping names, parameters, the rest. row_first stays the last. */
static struct tl_table *assemble(const struct tl_rows *r, const struct params *p, const struct tl_table *t)
{
	struct tl_table *out = tl_table_new(t->strings, 1, NULL);
	struct tl_buf b = { 0 };
	size_t row_col = t->n_columns - 1, at = 1;

	tl_table_add_column(out, "name");
	if (t->n_columns > 1 && !strcmp(t->columns[1], "overlapping_kernel_names"))
		at = tl_table_add_column(out, "overlapping_kernel_names_first") + 1;
	for (size_t c = 0; c < p->n; c++) {
		tl_buf_clear(&b);
		tl_buf_addf(&b, "param: %s", p->items[c].name);
		tl_table_add_column(out, b.data);
	}
	for (size_t c = at; c < t->n_columns; c++)
		tl_table_add_column(out, t->columns[c]);
	for (size_t i = 0; i < t->n_rows; i++) {
		struct tl_cell *to = tl_table_add_row(out);
		const struct tl_cell *from = tl_table_cell(t, i, 0);
		size_t slot = p->slot_of[tl_rows_evaluation(r, (size_t)from[row_col].i)->index] - 1;
		memcpy(to, from, at * sizeof *to);
		if (p->n)
			memcpy(to + at, p->cells + slot * p->n, p->n * sizeof *to);
		memcpy(to + at + p->n, from + at, (t->n_columns - at) * sizeof *to);
	}
	tl_buf_release(&b);
	return out;
}

static struct tl_table *make_sheet(struct tl_rows *r, const struct params *p, bool overlap)
{
	struct tl_old_sheet_def def = family_sheet;
	int key[4] = { TL_C_NAME, r->group, r->num_kernels, r->recompute };
	size_t n_key = 2;

	if (overlap) {
		for (size_t i = 2; i < 4; i++)
			if (key[i] >= 0)
				key[n_key++] = key[i];
		tl_rows_group_totals(r, key, n_key);
		add_overlap(&def);
	}
	if (!r->has_roof && (r->n || !r->options->arch))
		drop_columns(&def, "Roofline", "Pct Roofline");
	tl_rows_sum_ticks(r, &def);
	struct tl_table *t = tl_rows_sheet(r, &def);
	if (overlap)
		tl_rows_round_overlap(t);
	struct tl_table *out = assemble(r, p, t);
	tl_table_free(t);
	return out;
}

/* ---- rows --------------------------------------------------------------------------------- */

static void add_row(struct tl_rows *r, const struct tl_family_job *job, uint32_t event, bool backward)
{
	struct tl_measure *m = job->measure;
	const struct tl_perf_op *op = tl_measure_op(m, event);
	struct tl_work work;

	if (backward)
		tl_measure_backward_work(m, event, &work);
	else
		tl_measure_work(m, event, &work);
	const struct tl_evaluation *x = tl_measure_evaluate(m, op, event, &work, backward);
	/* a kernel may bear an operator's name */
	if (x->outcome == TL_PERF_FAILED && !backward && !tl_kind_is_gpu(m->trace->events[event].kind))
		tl_measure_note_failure(m, event, x);
	if (x->outcome != TL_PERF_OK)
		return;
	const struct tl_ev *e = &m->trace->events[event];
	tl_rows_add(r, &(struct tl_row_about){ .event = event, .name = e->name, .uid = e->uid, .x = x, .time = &work,
	                                       .kernels = work.events, .n_kernels = work.n }, false);
}

struct side { struct tl_rows rows; struct params params; };

static void side_init(struct side *s, const struct tl_family_job *job, bool backward)
{
	memset(s, 0, sizeof *s);
	tl_rows_init(&s->rows, job->measure, job->options, job->tools, true, backward ? 0 : job->n_events);
	s->rows.launchers = job->launchers;
	s->rows.overlaps = job->overlaps;
	for (size_t i = 0; i < job->n_events; i++) {
		const struct tl_perf_op *op = tl_measure_op(job->measure, job->events[i]);
		if (!backward || (!op->linked_none && tl_measure_has_backward(job->measure, job->events[i])))
			add_row(&s->rows, job, job->events[i], backward);
	}
	tl_rows_finish(&s->rows);
	params_make(&s->params, &s->rows);
	for (size_t i = 0; i < s->rows.shared->n_rows; i++)
		*tl_table_cell(s->rows.shared, i, (size_t)s->rows.group) =
			tl_cell_int(s->params.groups[s->params.slot_of[s->rows.classes[i].x->index] - 1]);
}

static void side_release(struct side *s)
{
	tl_rows_release(&s->rows);
	params_release(&s->params);
}

/* ---- splitting and joining ------------------------------------------------------------------- */

/* Does the operator of this row (by row_first, the last column) have a mark? */
static const struct tl_perf_op *op_of_row(const struct side *s, const struct tl_table *t, size_t row)
{
	int64_t raw = tl_table_cell(t, row, t->n_columns - 1)->i;
	return tl_measure_op(s->rows.measure, s->rows.rows[raw].event);
}

static void add_columns(struct tl_table *out, const struct tl_table *from)
{
	for (size_t c = 0; c + 1 < from->n_columns; c++) /* not row_first */
		if (tl_table_column(out, from->columns[c]) < 0)
			tl_table_add_column(out, from->columns[c]);
}

enum which { ALL, MOVED, NOT_MOVED, NOT_HIDDEN };

static void add_rows(struct tl_table *out, const struct side *s, const struct tl_table *from, enum which which)
{
	int *to = tl_alloc(from->n_columns * sizeof *to);

	for (size_t c = 0; c + 1 < from->n_columns; c++)
		to[c] = tl_table_column(out, from->columns[c]);
	for (size_t i = 0; i < from->n_rows; i++) {
		const struct tl_perf_op *op = op_of_row(s, from, i);
		if ((which == MOVED && !op->moved) || (which == NOT_MOVED && op->moved) || (which == NOT_HIDDEN && op->linked_hidden))
			continue;
		struct tl_cell *cells = tl_table_add_row(out);
		for (size_t c = 0; c + 1 < from->n_columns; c++)
			cells[to[c]] = *tl_table_cell(from, i, c);
	}
	free(to);
}

static struct tl_table *finish(struct tl_table *t, const struct tl_roofline_options *o)
{
	if (!t->n_rows && !o->even_empty) {
		tl_table_free(t);
		return NULL;
	}
	if (o->top >= 0)
		tl_table_head(t, (size_t)o->top);
	return t;
}

/* Forward rows without the moved ones; backward rows and after them the moved
 * ones, whose columns stand at the right where the others lack them. */
static void make_pair(const struct tl_family_job *job, struct side *f, struct side *b, bool overlap, struct tl_table **out)
{
	struct tl_table *forward = make_sheet(&f->rows, &f->params, overlap), *backward = NULL;
	struct tl_table *first = tl_table_new(forward->strings, 1, NULL), *second = tl_table_new(forward->strings, 1, NULL);

	add_columns(first, forward);
	add_rows(first, f, forward, job->one ? ALL : NOT_MOVED);
	if (!job->one) {
		if (b->rows.n) {
			backward = make_sheet(&b->rows, &b->params, overlap);
			add_columns(second, backward);
		}
		add_columns(second, forward);
		if (backward)
			add_rows(second, b, backward, NOT_HIDDEN);
		add_rows(second, f, forward, MOVED);
	}
	out[0] = finish(first, job->options);
	out[1] = finish(second, job->options);
	tl_table_free(forward);
	tl_table_free(backward);
}

void tl_family_sheets(const struct tl_family_job *job, struct tl_table *sheets[4])
{
	struct side f, b;

	for (size_t i = 0; i < 4; i++)
		sheets[i] = NULL;
	side_init(&f, job, false);
	if (!job->one)
		side_init(&b, job, true);
	make_pair(job, &f, &b, false, sheets);
	if (job->options->include_overlap)
		make_pair(job, &f, &b, true, sheets + 2);
	side_release(&f);
	if (!job->one)
		side_release(&b);
}
