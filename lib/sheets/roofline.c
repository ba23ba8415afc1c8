/* roofline.c - the sheets of tl-roofline: unified_perf_summary and the sheets of families of operators, GEMM, SDPA_fwd, SDPA_bwd …;
 * headroom, mfu, kernel_chains and hot_kernels are made elsewhere.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/roofline.h"

#include "work/devices.h"
#include "base/merge_sort.h"
#include "base/text.h"
#include "compare/diff.h"
#include "sheets/roofline_rows.h"

#include <stdlib.h>
#include <string.h>

struct named_sheet { char *name; struct tl_table *table; };

struct tl_roofline {
	struct tl_roofline_tools tools;
	struct named_sheet *sheets; size_t n_sheets, cap_sheets; /* those that are about all operators come first */
	size_t n_about_all;
};

/* Adds a sheet at an index and takes its table over; a table of NULL is no sheet. */
static void add_sheet(struct tl_roofline *r, size_t at, const char *name, const char *suffix, struct tl_table *t)
{
	struct tl_buf b = { 0 };

	if (!t)
		return;
	tl_buf_addf(&b, "%s%s", name, suffix);
	TL_GROW(r->sheets, r->cap_sheets, r->n_sheets + 1);
	memmove(r->sheets + at + 1, r->sheets + at, (r->n_sheets - at) * sizeof *r->sheets);
	r->sheets[at] = (struct named_sheet){ b.data, t };
	r->n_sheets++;
}

static void add_about_all(struct tl_roofline *r, const char *name, struct tl_table *t)
{
	add_sheet(r, r->n_about_all, name, "", t);
	r->n_about_all += t != NULL;
}

/* ---- cells of groups of rows -------------------------------------------------------------- */

/* Fills the cells of call stacks, for the first row of the group that has device events,
 * in the order of the summary that has just been made. */
static void stack_cells(struct tl_rows *r, const size_t *rows, size_t n, struct tl_cell *entry, struct tl_cell *full)
{
	const struct tl_details *d = &r->kernels;
	const struct tl_detail *items = NULL;
	uint32_t length = 0;
	size_t i = 0;

	while (i < n && !length)
		items = tl_details_of(d, rows[i++], &length);
	size_t row = length ? rows[i - 1] : rows[0];
	uint32_t *gpu = tl_alloc(((size_t)length + 1) * sizeof *gpu);
	for (uint32_t k = 0; k < length; k++)
		gpu[k] = items[d->order[k]].event;
	uint32_t name = tl_table_cell(r->table, row, PERF_NAME).text;
	tl_stack_columns(&r->tools->stacks, r->stacks[row], name, gpu, length, entry, full);
	free(gpu);
}

void tl_roofline_kernel_texts(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	struct tl_rows *r = ctx;

	tl_details_summarise(&r->kernels, rows, n, cells);
	if (!r->family && !r->kernels.add_stack) /* call stacks have columns of their own */
		stack_cells(r, rows, n, &cells[2], &cells[3]);
}

void tl_roofline_overlap_texts(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	tl_details_summarise(&((struct tl_rows *)ctx)->overlapping, rows, n, cells);
}

/* The ancestors of the device events of a group: nodes, by number. The caller frees the list. */
static struct tl_list ancestors_of(const struct tl_rows *r, const size_t *rows, size_t n)
{
	const struct tl_ancestors *a = r->tools->options.ancestors;
	struct tl_list all = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t length = 0;
		const struct tl_detail *items = tl_details_of(&r->kernels, rows[i], &length);
		for (uint32_t k = 0; k < length; k++)
			tl_ancestors_of(a, items[k].event, &all);
	}
	tl_sort_numbers(all.items, all.n);
	for (size_t i = 0; i < all.n; i++)
		if (!i || all.items[i] != all.items[i - 1])
			all.items[kept++] = all.items[i];
	all.n = kept;
	return all;
}

/* Ratio, difference, and the times in both traces. */
void tl_roofline_compared_times(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	struct tl_rows *r = ctx;
	const struct tl_ancestors *a = r->tools->options.ancestors;
	struct tl_list of = ancestors_of(r, rows, n);
	int64_t busy[2] = { 0, 0 }, own = 0;

	for (size_t i = 0; i < of.n; i++)
		for (int s = 0; s < 2; s++)
			busy[s] = tl_ticks_add(busy[s], a->items[of.items[i]].busy[s]);
	for (size_t i = 0; i < n; i++)
		own = tl_ticks_add(own, tl_table_cell(r->table, rows[i], PERF_KERNEL_TIME_US).i);
	for (int i = 0; i < 4; i++)
		cells[i] = tl_cell_null();
	if (of.n) {
		if (busy[0])
			cells[0] = tl_cell_real((double)busy[1] / (double)busy[0]);
		cells[1] = tl_cell_time(tl_ticks_sub(busy[1], own), false);
		cells[2] = tl_cell_time(busy[0], false);
		cells[3] = tl_cell_time(busy[1], false);
	}
	free(of.items);
}

/* How many of them have work in the second trace, their numbers and their names. */
void tl_roofline_compared_ancestors(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	struct tl_rows *r = ctx;
	const struct tl_ancestors *a = r->tools->options.ancestors;
	struct tl_strtab *s = &r->tools->measure.trace->strings;
	struct tl_list of = ancestors_of(r, rows, n);
	struct tl_buf ids = { 0 }, names = { 0 };
	double count = 0;

	for (size_t i = 0; i < of.n; i++) {
		const struct tl_ancestor *x = &a->items[of.items[i]];
		count += x->in[1];
		tl_buf_addf(&ids, "%s%u%s", i ? "; " : "", of.items[i], a->some_without ? ".0" : "");
		tl_buf_adds(&names, names.len ? "; " : "");
		tl_buf_add(&names, tl_str(s, x->name), tl_str_len(s, x->name));
	}
	cells[0] = of.n ? tl_cell_real(count) : tl_cell_null();
	cells[1] = of.n ? tl_cell_text(tl_intern(s, ids.data, ids.len)) : tl_cell_null();
	cells[2] = of.n ? tl_cell_text(tl_intern(s, tl_buf_text(&names), names.len)) : tl_cell_null();
	cells[3] = tl_cell_null();
	tl_buf_release(&ids);
	tl_buf_release(&names);
	free(of.items);
}

/* ---- sheets of a family ---------------------------------------------------------------------- */

static void add_family_row(struct tl_rows *r, bool one, uint32_t event, bool backward)
{
	struct tl_measure *m = &r->tools->measure;
	const struct tl_ev *e = &m->trace->events[event];
	const struct tl_perf_op *op = tl_measure_op(m, event);
	struct tl_work work;

	if (backward)
		tl_work_backward(&m->device_work, event, &work);
	else
		tl_work_below(&m->device_work, event, &work);
	const struct tl_evaluation *x = tl_measure_evaluate(m, op, event, &work, backward);
	/* a device event that has an operator's name is no failure */
	if (x->outcome == TL_PERF_FAILED && !backward && !tl_kind_is_gpu(e->kind))
		tl_measure_note_failure(m, event, x);
	if (x->outcome != TL_PERF_OK)
		return;
	bool moved = !one && !backward && op->moved;
	tl_rows_add(r, &(struct tl_row_about){
		.event = event, .name = e->name, .uid = e->uid, .x = x, .ticks = work.ticks, .ints = work.ints, .kernels = work.events, .n_kernels = work.n,
		.top = TL_NONE, .moved = moved, .shown = !moved && !(backward && op->linked_hidden),
	});
}

static void add_family_rows(struct tl_rows *r, struct tl_roofline_tools *k, bool one, const uint32_t *events, size_t n,
                            bool backward)
{
	tl_rows_init(r, k, true, backward ? 0 : n);
	for (size_t i = 0; i < n; i++) {
		uint32_t n_backward;
		tl_backward_events(&k->measure.device_work, events[i], &n_backward);
		if (!backward || (n_backward && !tl_measure_op(&k->measure, events[i])->linked_none))
			add_family_row(r, one, events[i], backward);
	}
	tl_rows_add_params(r);
}

static struct tl_table *family_sheet(struct tl_rows *r, bool moved, bool overlap)
{
	return tl_rows_sheet(r, &tl_roofline_FAMILY_sheet, overlap ? TL_ROOFLINE_IF_OVERLAP : 0,
	                     tl_roofline_perf_rows[moved ? PERF_MOVED_TO_BACKWARD : PERF_SHOWN]);
}

/* The backward rows, and below them the forward rows that belong to this sheet. Columns
 * that only the latter have come last. */
static struct tl_table *backward_sheet(struct tl_rows *forward, struct tl_rows *backward, bool overlap)
{
	struct tl_table *moved = family_sheet(forward, true, overlap), *t;

	if (!backward->table->n_rows)
		return moved;
	t = family_sheet(backward, false, overlap);
	if (forward->table->n_rows) /* else the empty sheet has all columns, as it must if it stands alone */
		tl_table_append(t, moved);
	tl_table_free(moved);
	return t;
}

static void add_family_sheet(struct tl_roofline *r, const char *family, const char *suffix, struct tl_table *t)
{
	const struct tl_roofline_options *o = &r->tools.options;

	if (!t->n_rows && !o->even_empty) {
		tl_table_free(t);
		return;
	}
	tl_table_head(t, o->top);
	add_sheet(r, r->n_sheets, family, suffix, t);
}

/* Must the sheets of a family be made? Even if none is wanted: if a model of the family
 * remembers values, models of a wanted sheet may recall them. */
static bool family_wanted(struct tl_roofline_tools *k, const char *family, const uint32_t *events, size_t n)
{
	const char *only = k->options.only;
	bool asked = !only || tl_starts_with(only, family);

	if (!n)
		return only && asked && k->options.even_empty;
	for (size_t i = 0; !asked && i < n; i++)
		asked = tl_measure_op(&k->measure, events[i])->remembers;
	return asked;
}

/* `one`: the family has one sheet, not one for each direction. */
static void make_family(struct tl_roofline *r, const char *name, bool one, const uint32_t *events, size_t n)
{
	struct tl_rows forward, backward;

	if (!family_wanted(&r->tools, name, events, n))
		return;
	add_family_rows(&forward, &r->tools, one, events, n, false);
	add_family_rows(&backward, &r->tools, one, events, one ? 0 : n, true);
	for (int overlap = 0; overlap <= r->tools.options.include_overlap; overlap++) {
		const char *forward_suffix = one ? overlap ? "_kl_overlap" : "" : overlap ? "_fwd_kl_overlap" : "_fwd";
		add_family_sheet(r, name, forward_suffix, family_sheet(&forward, false, overlap));
		if (!one)
			add_family_sheet(r, name, overlap ? "_bwd_kl_overlap" : "_bwd", backward_sheet(&forward, &backward, overlap));
	}
	tl_rows_release(&forward);
	tl_rows_release(&backward);
}

/* TL_NONE: of no family, or without a row. An operator without a duration has no row; but a pseudo operator, which has none
 * either, is in the tree. */
static uint32_t family_of(struct tl_measure *m, uint32_t event)
{
	const struct tl_ev *e = &m->trace->events[event];
	const struct tl_perf_op *op = tl_measure_op(m, event);
	bool has_row = e->kind != TL_KIND_CPU_OP || e->flags & (TL_EV_HAS_DUR | TL_EV_IN_TREE);

	return has_row && op->family ? op->family_number : TL_NONE;
}

static void make_families(struct tl_roofline *r)
{
	struct tl_measure *m = &r->tools.measure;
	uint32_t *of = tl_alloc(((size_t)m->trace->n_events + 1) * sizeof *of);
	bool one;

	if (!tl_trace_gpu_only(m->trace))
		tl_measure_find_named(m);
	for (size_t i = 0; i < m->n_named; i++)
		of[m->named[i]] = family_of(m, m->named[i]);
	struct tl_split_events by = tl_split_events(of, tl_families(m->registry), m->named, m->n_named);
	for (size_t i = 0; i < tl_families(m->registry); i++) {
		const char *name = tl_family_at(m->registry, i, r->tools.options.inference, &one);
		make_family(r, name, one, by.items + by.start[i], by.start[i + 1] - by.start[i]);
	}
	tl_split_events_release(&by);
	free(of);
}

/* ---- sheets about all operators ---------------------------------------------------------------- */

static struct tl_table *unified_sheet(struct tl_rows *rows, bool overlap)
{
	const struct tl_roofline_options *o = &rows->tools->options;
	bool stacks = o->call_stack && !overlap;
	unsigned conditions = overlap ? TL_ROOFLINE_IF_OVERLAP : stacks ? TL_ROOFLINE_IF_STACKS : 0;

	if (!rows->table->n_rows && !o->even_empty)
		return NULL;
	tl_rows_show_stacks(rows, !stacks);
	if (o->ancestors && o->ancestors->n && !overlap)
		conditions |= TL_ROOFLINE_IF_COMPARED;
	struct tl_table *t = tl_rows_sheet(rows, &tl_roofline_unified_perf_summary_sheet, conditions, NULL);
	tl_table_head(t, o->top);
	return t;
}

/* To be made when families are, because the models may recall values that models of families remember. */
static void make_unified(struct tl_roofline *r)
{
	struct tl_roofline_tools *k = &r->tools;
	struct tl_unified all = { 0 };
	struct tl_rows rows;

	if (!tl_trace_gpu_only(k->measure.trace))
		tl_unified_rows(&all, k);
	tl_rows_init(&rows, k, false, all.n);
	for (size_t i = 0; i < all.n; i++)
		tl_rows_add(&rows, &all.items[i]);
	free(all.items);
	add_about_all(r, "unified_perf_summary", unified_sheet(&rows, false));
	if (k->options.include_overlap)
		add_about_all(r, "unified_perf_summary_kl_overlap", unified_sheet(&rows, true));
	tl_rows_release(&rows);
}

static enum tl_status make_headroom(struct tl_roofline *r, struct tl_error *err)
{
	const struct tl_measure *m = &r->tools.measure;
	const struct tl_roofline_options *o = &r->tools.options;
	struct tl_roofline_options all = *o;
	struct tl_rated_sheets made;

	all.top = o->hot ? -1 : o->top;
	enum tl_status s = tl_headroom_make(&made, m->trace, o->more ? o->more : m->registry, &all, err);
	if (o->hot && !s)
		add_about_all(r, "hot_kernels", tl_hot_kernels(m->trace, made.headroom, o->top));
	if (made.headroom)
		tl_table_head(made.headroom, o->top);
	if (made.mfu)
		tl_table_head(made.mfu, o->top);
	add_about_all(r, "headroom", made.headroom);
	add_about_all(r, "mfu", made.mfu);
	return s;
}

/* Their floors are those of the GPU that the trace names, if no other one is wanted. */
static void make_chains(struct tl_roofline *r)
{
	const struct tl_roofline_options *o = &r->tools.options;
	struct tl_measure m;

	tl_measure_init(&m, r->tools.measure.trace, r->tools.measure.registry, o->rated);
	m.inference = o->inference;
	add_about_all(r, "kernel_chains", tl_kernel_chains(&m, o->top));
	tl_measure_release(&m);
}

static enum tl_status make_sheets(struct tl_roofline *r, struct tl_error *err)
{
	struct tl_roofline_tools *k = &r->tools;
	const struct tl_roofline_options *o = &k->options;
	enum tl_status s = TL_OK;

	if (o->include_overlap)
		s = tl_overlaps_build(&k->overlaps, k->measure.trace, &o->select, err);
	if (s)
		return s;
	make_families(r);
	if (!o->only || tl_starts_with(o->only, "unified"))
		make_unified(r);
	if (o->headroom || o->mfu)
		s = make_headroom(r, err);
	if (o->chains)
		make_chains(r);
	if (o->include_overlap) {
		s = s ? s : tl_overlaps_check(&k->overlaps, err);
		tl_overlaps_release(&k->overlaps);
	}
	if (s)
		return s;
	if (k->stacks.exhausted)
		return tl_fail(err, TL_ERR_DATA, "the call stacks are too deep and too many: more than %u MB of text; "
		               "leave out --%s", (unsigned)(TL_STACKS_MAX >> 20),
		               o->call_stack ? "include_call_stack" : "detect_recompute");
	return tl_device_work_check(&k->measure.device_work, err);
}

enum tl_status tl_roofline_new(struct tl_roofline **out, struct tl_trace *t, const struct tl_registry *g,
                               const struct tl_roofline_options *o, struct tl_error *err)
{
	struct tl_roofline *r = tl_calloc(1, sizeof *r);
	enum tl_status s = TL_OK;

	r->tools.options = *o;
	tl_stacks_init(&r->tools.stacks, t, tl_name_rules_new(TL_WRAPPER_FRAMES));
	tl_measure_init(&r->tools.measure, t, g, o->arch);
	r->tools.measure.inference = o->inference;
	r->tools.measure.host_copies = o->host_copies;
	r->tools.launchers = tl_launchers_of(t);
	if (!tl_trace_gpu_only(t) || o->even_empty)
		s = make_sheets(r, err);
	else if (o->hot)
		add_about_all(r, "hot_kernels", tl_hot_kernels(t, NULL, o->top));
	if (s)
		tl_roofline_free(r);
	*out = s ? NULL : r;
	return s;
}

void tl_roofline_free(struct tl_roofline *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n_sheets; i++) {
		free(r->sheets[i].name);
		tl_table_free(r->sheets[i].table);
	}
	free(r->sheets);
	tl_name_rules_free(r->tools.stacks.wrappers);
	tl_stacks_release(&r->tools.stacks);
	tl_measure_release(&r->tools.measure);
	tl_excess_release(&r->tools.in_families);
	tl_excess_release(&r->tools.in_unified);
	free(r);
}

const char *tl_roofline_sheet_name(const struct tl_roofline *r, size_t i)
{
	return i < r->n_sheets ? r->sheets[i].name : NULL;
}

const struct tl_table *tl_roofline_sheet(const struct tl_roofline *r, size_t i)
{
	return i < r->n_sheets ? r->sheets[i].table : NULL;
}

bool tl_roofline_failure(const struct tl_roofline *r, size_t i, const char **name, uint32_t *count, const char **reason)
{
	const struct tl_measure *m = &r->tools.measure;

	if (i >= m->failures.n)
		return false;
	*name = tl_str(&m->trace->strings, m->failures.items[i].name);
	*count = m->failures.items[i].count;
	*reason = m->failures.items[i].reason;
	return true;
}

bool tl_roofline_find_excess(struct tl_roofline *r, struct tl_roofline_excess *out)
{
	struct tl_measure *m = &r->tools.measure;
	const struct tl_excess *e = r->tools.in_unified.events ? &r->tools.in_unified : &r->tools.in_families;
	struct tl_buf reason = { 0 };

	if (!e->events)
		return false;
	struct tl_cell dims = tl_arg_cell(m->trace, &m->signatures->args[0], e->event);
	tl_excess_reason(e, m, &reason);
	*out = (struct tl_roofline_excess){
		.events = e->events, .operators = e->names.count, .name = tl_str(&m->trace->strings, e->name),
		.dims = dims.type == TL_CELL_TEXT ? tl_str(&m->trace->strings, dims.text) : "",
		.uid = m->trace->events[e->event].uid, .percent = e->percent,
		.reason = tl_arena_dup(&m->arena, reason.data, reason.len),
	};
	tl_buf_release(&reason);
	return true;
}
