/* roofline.c - all roofline sheets of a trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/roofline.h"

#include "base/text.h"
#include "sheets/roofline_rows.h"

#include <stdlib.h>
#include <string.h>

struct named_sheet { char *name; struct tl_table *table; };

struct tl_roofline {
	struct tl_roofline_options options;
	struct tl_measure measure;
	struct tl_launchers launchers;
	struct tl_overlaps overlaps;
	struct tl_row_tools tools;
	struct named_sheet *sheets; size_t n_sheets, cap_sheets;
};

/* Takes the table over. */
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

/* Events of every family, in file order. */
struct by_family { uint32_t *start, *events; };

static size_t family_index(const struct tl_registry *g, const char *family)
{
	bool one;
	size_t i = 0;

	while (i < tl_families(g) && tl_family_at(g, i, &one) != family)
		i++;
	return i;
}

enum { NOT_ASKED, NO_FAMILY, FIRST_FAMILY };

/* FIRST_FAMILY + index of the family of an event's operator, or NO_FAMILY. */
static uint32_t family_of(struct tl_roofline *r, const struct tl_registry *g, uint32_t event)
{
	const struct tl_perf_op *op = tl_measure_op(&r->measure, event);
	size_t family = op && op->family ? family_index(g, op->family) : tl_families(g);

	return family < tl_families(g) ? (uint32_t)family + FIRST_FAMILY : NO_FAMILY;
}

/* An operator without duration was left out of the tree too; pseudo operators
 * are in it. */
static bool has_row(const struct tl_ev *e)
{
	return e->kind != TL_KIND_CPU_OP || (e->flags & (TL_EV_HAS_DUR | TL_EV_IN_TREE));
}

static void sort_by_family(struct tl_roofline *r, const struct tl_registry *g, struct by_family *out)
{
	const struct tl_trace *t = r->measure.trace;
	const struct tl_ev *events = t->events;
	uint32_t *of = tl_calloc((size_t)t->strings.count + 1, sizeof *of); /* by name */
	uint32_t *found = tl_alloc((r->measure.n_named + 1) * sizeof *found);
	size_t n = tl_families(g), n_found = 0;

	out->start = tl_calloc(n + 2, sizeof *out->start);
	for (size_t i = 0; i < r->measure.n_named; i++) {
		uint32_t e = r->measure.named[i], *family = &of[events[e].name];
		if (*family == NOT_ASKED)
			*family = family_of(r, g, e);
		if (*family == NO_FAMILY || !has_row(&events[e]))
			continue;
		found[n_found++] = e;
		out->start[*family - FIRST_FAMILY + 2]++;
	}
	for (size_t i = 0; i <= n; i++) /* start[i + 1]: where the next one of family i goes, and its end after all */
		out->start[i + 1] += out->start[i];
	out->events = tl_alloc((n_found + 1) * sizeof *out->events);
	for (size_t i = 0; i < n_found; i++)
		out->events[out->start[of[events[found[i]].name] - FIRST_FAMILY + 1]++] = found[i];
	free(found);
	free(of);
}

/* Is a family to be made? Even if no sheet of it is wanted, its models may
 * remember things that those of the wanted one recall. */
static bool family_wanted(struct tl_roofline *r, const char *family, const uint32_t *events, size_t n)
{
	const char *only = r->options.only;
	bool asked = !only || tl_starts_with(only, family);

	if (!n)
		return only && asked && r->options.even_empty;
	if (asked)
		return true;
	for (size_t i = 0; i < n; i++)
		if (tl_measure_op(&r->measure, events[i])->remembers)
			return true;
	return false;
}

static void make_families(struct tl_roofline *r, const struct tl_registry *g)
{
	struct by_family by;
	bool one;

	if (!tl_trace_gpu_only(r->measure.trace))
		tl_measure_find_named(&r->measure);
	sort_by_family(r, g, &by);
	for (size_t i = 0; i < tl_families(g); i++) {
		struct tl_table *t[4];
		const char *name = tl_family_at(g, i, &one);
		if (!family_wanted(r, name, by.events + by.start[i], by.start[i + 1] - by.start[i]))
			continue;
		tl_family_sheets(&(struct tl_family_job){ &r->measure, &r->options, &r->launchers, &r->overlaps, &r->tools, name, one,
		                 by.events + by.start[i], by.start[i + 1] - by.start[i] }, t);
		add_sheet(r, r->n_sheets, name, one ? "" : "_fwd", t[0]);
		add_sheet(r, r->n_sheets, name, "_bwd", t[1]);
		add_sheet(r, r->n_sheets, name, one ? "_kl_overlap" : "_fwd_kl_overlap", t[2]);
		add_sheet(r, r->n_sheets, name, "_bwd_kl_overlap", t[3]);
	}
	free(by.start);
	free(by.events);
}

/* Made last, since models may remember what the families showed them; stands
 * first. */
static void make_unified(struct tl_roofline *r)
{
	struct tl_unified *u = tl_unified_new(&r->measure, &r->options, &r->launchers, &r->overlaps, &r->tools);

	if (r->options.include_overlap)
		add_sheet(r, 0, "unified_perf_summary", "_kl_overlap", tl_unified_make(u, true));
	add_sheet(r, 0, "unified_perf_summary", "", tl_unified_make(u, false));
	tl_unified_free(u);
}

enum tl_status tl_roofline_new(struct tl_roofline **out, struct tl_trace *t, const struct tl_registry *g,
                               const struct tl_roofline_options *o, struct tl_error *err)
{
	struct tl_roofline *r = tl_calloc(1, sizeof *r);

	*out = NULL;
	r->options = *o;
	tl_measure_init(&r->measure, t, g);
	tl_launchers_build(&r->launchers, t);
	if (!tl_trace_gpu_only(t) || o->even_empty) {
		if (o->include_overlap) {
			enum tl_status s = tl_overlaps_build(&r->overlaps, t, &o->select, err);
			if (s) {
				tl_roofline_free(r);
				return s;
			}
		}
		make_families(r, g);
		if (!o->only || tl_starts_with(o->only, "unified"))
			make_unified(r);
		if (o->include_overlap)
			tl_overlaps_release(&r->overlaps);
	}
	if (r->measure.exhausted) {
		tl_roofline_free(r);
		return tl_fail(err, TL_ERR_DATA, "operators are nested so deeply that each device event counts for more than 64 of them");
	}
	*out = r;
	return TL_OK;
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
	tl_launchers_release(&r->launchers);
	tl_row_tools_release(&r->tools);
	tl_measure_release(&r->measure);
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
	const struct tl_measure *m = &r->measure;

	if (i >= m->n_failed)
		return false;
	*name = tl_str(&m->trace->strings, m->failed[i]);
	*count = m->failed_count[i];
	*reason = m->failed_why[i];
	return true;
}
