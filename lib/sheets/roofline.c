/* roofline.c - all roofline sheets of a trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/roofline.h"

#include "base/text.h"
#include "diff/diff_tables.h"
#include "sheets/headroom.h"
#include "sheets/kernel_chains.h"
#include "sheets/mfu.h"
#include "sheets/roofline_rows.h"

#include <stdlib.h>
#include <string.h>

struct named_sheet { char *name; struct tl_table *table; };

struct tl_roofline {
	struct tl_roofline_tools tools;
	struct named_sheet *sheets; size_t n_sheets, cap_sheets;
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

/* ---- families ---------------------------------------------------------------------- */

/* Events of operators of a family, in file order. */
struct family_events { uint32_t *items; size_t n, cap; };

static size_t family_index(const struct tl_registry *g, const char *family)
{
	bool one;
	size_t i = 0;

	while (i < tl_families(g) && tl_family_at(g, i, false, &one) != family)
		i++;
	return i;
}

/* An operator without a duration has no row; but a pseudo operator, which has none
 * either, is in the tree. */
static bool has_row(const struct tl_ev *e)
{
	return e->kind != TL_KIND_CPU_OP || (e->flags & (TL_EV_HAS_DUR | TL_EV_IN_TREE));
}

static struct family_events *events_of_families(struct tl_measure *m)
{
	struct family_events *of = tl_calloc(tl_families(m->registry) + 1, sizeof *of); /* the last is for no family */

	for (size_t i = 0; i < m->n_named; i++) {
		uint32_t e = m->named[i];
		struct family_events *f = &of[family_index(m->registry, tl_measure_op(m, e)->family)];
		if (!has_row(&m->trace->events[e]))
			continue;
		TL_GROW(f->items, f->cap, f->n + 1);
		f->items[f->n++] = e;
	}
	return of;
}

/* Must the sheets of a family be made? Even if none is wanted: if a model of the family
 * remembers values, models of a wanted sheet may recall them. */
static bool family_wanted(struct tl_roofline_tools *k, const char *family, const struct family_events *events)
{
	const char *only = k->options.only;
	bool asked = !only || tl_starts_with(only, family);

	if (!events->n)
		return only && asked && k->options.even_empty;
	if (asked)
		return true;
	for (size_t i = 0; i < events->n; i++)
		if (tl_measure_op(&k->measure, events->items[i])->remembers)
			return true;
	return false;
}

static void make_family(struct tl_roofline *r, size_t i, const struct family_events *events)
{
	struct tl_table *t[4];
	bool one;
	const char *name = tl_family_at(r->tools.measure.registry, i, r->tools.options.inference, &one);

	if (!family_wanted(&r->tools, name, events))
		return;
	tl_family_sheets(&r->tools, one, events->items, events->n, t);
	add_sheet(r, r->n_sheets, name, one ? "" : "_fwd", t[0]);
	add_sheet(r, r->n_sheets, name, "_bwd", t[1]);
	add_sheet(r, r->n_sheets, name, one ? "_kl_overlap" : "_fwd_kl_overlap", t[2]);
	add_sheet(r, r->n_sheets, name, "_bwd_kl_overlap", t[3]);
}

static void make_families(struct tl_roofline *r)
{
	struct tl_measure *m = &r->tools.measure;

	if (!tl_trace_gpu_only(m->trace))
		tl_measure_find_named(m);
	struct family_events *of = events_of_families(m);
	for (size_t i = 0; i <= tl_families(m->registry); i++) {
		if (i < tl_families(m->registry))
			make_family(r, i, &of[i]);
		free(of[i].items);
	}
	free(of);
}

/* ---- all sheets --------------------------------------------------------------------- */

/* The unified sheets are made last, because their models may recall values that models
 * of families remember, but come first. */
static void make_unified(struct tl_roofline *r)
{
	struct tl_unified *u = tl_unified_new(&r->tools);

	if (r->tools.options.include_overlap)
		add_sheet(r, 0, "unified_perf_summary", "_kl_overlap", tl_unified_make(u, true));
	add_sheet(r, 0, "unified_perf_summary", "", tl_unified_make(u, false));
	tl_unified_free(u);
}

/* Adds a sheet behind those that concern all operators, if it has rows. */
static void add_behind_unified(struct tl_roofline *r, const char *name, struct tl_table *t)
{
	size_t at = 0;

	while (at < r->n_sheets && (tl_starts_with(r->sheets[at].name, "unified") || !strcmp(r->sheets[at].name, "headroom") ||
	                            !strcmp(r->sheets[at].name, "mfu")))
		at++;
	if (t)
		add_sheet(r, at, name, "", t);
}

static enum tl_status make_headroom(struct tl_roofline *r, struct tl_error *err)
{
	const struct tl_measure *m = &r->tools.measure;
	const struct tl_roofline_options *o = &r->tools.options;
	struct tl_rated_sheets made;

	enum tl_status s = tl_headroom_make(&made, m->trace, o->more ? o->more : m->registry, o, err);
	add_behind_unified(r, "headroom", made.headroom);
	add_behind_unified(r, "mfu", made.mfu);
	return s;
}

/* Their floors are those of the GPU that the trace names, if no other one is wanted. */
static void make_chains(struct tl_roofline *r)
{
	const struct tl_roofline_options *o = &r->tools.options;
	struct tl_measure m;

	tl_measure_init(&m, r->tools.measure.trace, r->tools.measure.registry, o->rated);
	m.inference = o->inference;
	add_behind_unified(r, "kernel_chains", tl_kernel_chains(&m, o->top));
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
	struct tl_cell dims = tl_arg_cell(m->trace, &m->args[0], e->event);
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

/* ---- entries ------------------------------------------------------------------------ */

static const struct tl_sheet sheets[] = {
	{ "unified_perf_summary", "what each operator achieved; every piece of device work once", NULL,
	  TL_SHEET_NEEDS_ROWS | TL_SHEET_USUAL | TL_SHEET_LINKED_ONLY,
	  TL_NEEDS_OPERATORS | TL_NEEDS_ANNOTATIONS, &tl_unified_sheet, NULL, NULL },
	{ "unified_perf_summary_kl_overlap", "the same, and what ran at the same time", "include_overlap_info",
	  TL_SHEET_NEEDS_ROWS | TL_SHEET_LINKED_ONLY,
	  TL_NEEDS_OPERATORS | TL_NEEDS_ANNOTATIONS, &tl_unified_sheet, NULL, NULL },
	{ "headroom", "time that operators would save at their roofline, and why they are not there", NULL,
	  TL_SHEET_NEEDS_ROWS | TL_SHEET_LINKED_ONLY,
	  TL_NEEDS_OPERATORS | TL_NEEDS_ANNOTATIONS, &tl_headroom_sheet, NULL, NULL },
	{ "mfu", "what share of the GPU's peak the model's operations need: of steps, phases, regions", NULL, TL_SHEET_NEEDS_ROWS,
	  TL_NEEDS_OPERATORS | TL_NEEDS_ANNOTATIONS, &tl_mfu_sheet, NULL, NULL },
	{ "kernel_chains", "runs of operators that one kernel could do, and the time that it would save", NULL,
	  TL_SHEET_NEEDS_ROWS | TL_SHEET_LINKED_ONLY, TL_NEEDS_OPERATORS | TL_NEEDS_FRAMES, &tl_kernel_chains_sheet, NULL, NULL },
	{ "diff_stats", "device work that differs from that of another trace, and the lowest common ancestor",
	  "comparison_json_path", TL_SHEET_NEEDS_ROWS | TL_SHEET_LINKED_ONLY, TL_NEEDS_OPERATORS, &tl_diff_stats_sheet, NULL, NULL },
	{ "FAMILY", "operators of a family and their parameters: NAME, or NAME_fwd and NAME_bwd", NULL,
	  TL_SHEET_NEEDS_ROWS | TL_SHEET_PATTERN | TL_SHEET_LINKED_ONLY,
	  TL_NEEDS_OPERATORS | TL_NEEDS_ANNOTATIONS, &tl_family_sheet, NULL, NULL },
	{ "FAMILY_kl_overlap", "the same, and what ran at the same time", "include_overlap_info",
	  TL_SHEET_NEEDS_ROWS | TL_SHEET_PATTERN | TL_SHEET_LINKED_ONLY,
	  TL_NEEDS_OPERATORS | TL_NEEDS_ANNOTATIONS, &tl_family_sheet, NULL, NULL },
	{ .name = NULL },
};
const struct tl_sheet_family tl_roofline_sheets = { "tl-roofline", sheets };
