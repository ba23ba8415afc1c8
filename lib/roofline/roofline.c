/* roofline.c - all roofline sheets of a trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "roofline/roofline.h"

#include "roofline/rows.h"

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

static bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* Is a family to be made? Even if no sheet of it is wanted, its models may
 * remember things that those of unified_perf_summary recall. */
static bool family_wanted(struct tl_roofline *r, const char *family, const uint32_t *events, size_t n)
{
	const char *only = r->options.only;

	if (!only || starts_with(only, family))
		return true;
	if (!starts_with(only, "unified"))
		return false;
	for (size_t i = 0; i < n; i++)
		if (tl_measure_op(&r->measure, events[i])->remembers)
			return true;
	return false;
}

static void make_families(struct tl_roofline *r, const struct tl_registry *g)
{
	struct by_family by;
	bool one;

	tl_measure_find_named(&r->measure);
	sort_by_family(r, g, &by);
	for (size_t i = 0; i < tl_families(g); i++) {
		struct tl_table *t[4];
		const char *name = tl_family_at(g, i, &one);
		if (by.start[i] == by.start[i + 1] || !family_wanted(r, name, by.events + by.start[i], by.start[i + 1] - by.start[i]))
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
	if (!tl_trace_gpu_only(t)) {
		if (o->include_overlap) {
			enum tl_status s = tl_overlaps_build(&r->overlaps, t, &o->select, err);
			if (s) {
				tl_roofline_free(r);
				return s;
			}
		}
		make_families(r, g);
		if (!o->only || starts_with(o->only, "unified"))
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

static void explain_roof(const struct tl_arch *arch, const struct tl_perf_result *x, double us, struct tl_buf *b)
{
	double peak = tl_arch_peak(arch, x->spec), bandwidth = tl_arch_bandwidth(arch);

	tl_buf_addf(b, "architecture: %s\n", tl_arch_name(arch));
	if (!(peak > 0) || !(bandwidth > 0) || !x->has_bytes || !(x->flops > 0)) {
		tl_buf_addf(b, "  no roofline: %s\n", !*x->spec ? "the operator's types are not known (types= of its op line)" : !(peak > 0) ? "it has no peak for this compute spec" :
		            !(bandwidth > 0) ? "its bandwidth is not known" : "the model gives no FLOPs or no bytes");
		return;
	}
	double compute = x->flops / (peak * 1e12) * 1e6, memory = x->bytes / (bandwidth * 1e9) * 1e6;
	double least = compute >= memory ? compute : memory;
	tl_buf_addf(b, "  compute = flops / %g TFLOP/s = %.3f µs\n", peak, compute);
	tl_buf_addf(b, "  memory = bytes / %g GB/s = %.3f µs\n", bandwidth, memory);
	tl_buf_addf(b, "  roofline time = the longer = %.3f µs (%s)\n", least, compute >= memory ? "COMPUTE_BOUND" : "MEMORY_BOUND");
	if (us > 0)
		tl_buf_addf(b, "  percent of roofline = %.3f / %.3f = %.2f\n", least, us, least / us * 100);
}

/* Rates of one event that took `us`. */
static void explain_rates(const struct tl_registry *g, const struct tl_perf_op *op, const struct tl_perf_event *ev,
                          struct tl_perf_memory *memory, const struct tl_arch *arch, double us, struct tl_buf *b)
{
	struct tl_arena arena = { 0 };
	struct tl_perf_result x;

	tl_perf_evaluate(g, op, ev, memory, false, &arena, &x);
	if (x.outcome == TL_PERF_OK) {
		if (us > 0)
			tl_buf_addf(b, "TFLOPS/s = flops / kernel time = %.6g\n", x.flops / us / 1e6);
		if (us > 0 && x.has_bytes)
			tl_buf_addf(b, "TB/s = bytes / kernel time = %.6g\n", x.bytes / us / 1e6);
		if (x.has_bytes && x.bytes > 0)
			tl_buf_addf(b, "FLOPS/Byte = flops / bytes = %.6g\n", x.flops / x.bytes);
		if (arch)
			explain_roof(arch, &x, us, b);
	}
	tl_arena_release(&arena);
}

bool tl_roofline_explain(struct tl_trace *t, const struct tl_registry *g, const struct tl_arch *arch, const char *op_name,
                         struct tl_buf *b)
{
	uint32_t name = tl_strtab_find(&t->strings, op_name, strlen(op_name)), best = TL_NONE, n;
	struct tl_perf_event ev;
	struct tl_measure m;
	struct tl_work work;

	for (uint32_t e = 0; name && e < t->n_events; e++) {
		if (t->events[e].name != name)
			continue;
		tl_trace_work(t, e, &n);
		if (best == TL_NONE || n)
			best = e;
		if (n)
			break;
	}
	if (best == TL_NONE)
		return false;
	tl_measure_init(&m, t, g);
	const struct tl_perf_op *op = tl_measure_op(&m, best);
	tl_measure_work(&m, best, &work);
	tl_buf_addf(b, "event: uid %u\n", t->events[best].uid);
	if (op) {
		tl_measure_event(&m, op, best, &work, &ev);
		tl_perf_explain(g, op, &ev, m.memory, b);
	} else {
		tl_buf_addf(b, "operator: %s\nmodel: none\ncategory: %s\n", op_name,
		            tl_op_category(g, op_name, work.n ? tl_str(&t->strings, t->events[work.events[0]].name) : NULL));
	}
	tl_buf_addf(b, "kernel time: %.3f µs\n", tl_trace_us(t, work.ticks));
	if (op)
		explain_rates(g, op, &ev, m.memory, arch, tl_trace_us(t, work.ticks), b);
	tl_measure_release(&m);
	return true;
}
