/* explain_event.c - how the numbers of one operator of a trace come about.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "roofline/explain_event.h"
#include "model/trace_work.h"
#include "roofline/measure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct account { struct tl_measure m; struct tl_buf *b; };

static const char *name_of(const struct account *a, uint32_t event)
{
	return tl_str(&a->m.trace->strings, a->m.trace->events[event].name);
}

static unsigned uid_of(const struct account *a, uint32_t event)
{
	return a->m.trace->events[event].uid;
}

/* ---- rates ------------------------------------------------------------------------- */

static const char *why_no_roof(const struct tl_arch *arch, const struct tl_perf_result *x)
{
	if (!*x->spec)
		return "the operator's types are not known (types= of its op line)";
	if (!(tl_arch_peak(arch, x->spec) > 0))
		return "the architecture has no peak for this compute spec";
	if (!(tl_arch_bandwidth(arch) > 0))
		return "the bandwidth of the architecture is not known";
	return x->has_bytes ? "the operator does no floating point operations" : "the model says nothing about bytes";
}

static void explain_roof(const struct tl_arch *arch, const struct tl_perf_result *x, double us, struct tl_buf *b)
{
	struct tl_roof roof;

	tl_buf_addf(b, "architecture: %s\n", tl_arch_name(arch));
	if (!tl_roof_of(arch, x->spec, x->flops / 1e9, x->has_bytes, x->bytes, &roof)) {
		tl_buf_addf(b, "  no roofline: %s\n", why_no_roof(arch, x));
		return;
	}
	tl_buf_addf(b, "  compute = flops / %g TFLOP/s = %.3f µs\n", tl_arch_peak(arch, x->spec), roof.compute);
	tl_buf_addf(b, "  memory = bytes / %g GB/s = %.3f µs\n", tl_arch_bandwidth(arch), roof.memory);
	tl_buf_addf(b, "  roofline time = the longer = %.3f µs (%s)\n", roof.least, roof.bound);
	if (us > 0)
		tl_buf_addf(b, "  percent of roofline = %.3f / %.3f = %.2f\n", roof.least, us, roof.least / us * 100);
}

static void explain_rates(const struct account *a, const struct tl_perf_result *x, double us)
{
	struct tl_buf *b = a->b;

	if (us > 0)
		tl_buf_addf(b, "TFLOPS/s = flops / kernel time = %.6g\n", x->flops / us / 1e6);
	if (us > 0 && x->has_bytes)
		tl_buf_addf(b, "TB/s = bytes / kernel time = %.6g\n", x->bytes / us / 1e6);
	if (x->has_bytes && x->bytes > 0)
		tl_buf_addf(b, "FLOPS/Byte = flops / bytes = %.6g\n", x->flops / x->bytes);
	if (a->m.arch)
		explain_roof(a->m.arch, x, us, b);
}

/* ---- models ---------------------------------------------------------------------------- */

/* What the model of an operator says of an event, or of the event's backward pass. */
static void explain_model(struct account *a, const struct tl_perf_op *op, uint32_t event, bool backward)
{
	struct tl_measure *m = &a->m;
	struct tl_arena arena = { 0 };
	struct tl_perf_event ev;
	struct tl_perf_result x;
	struct tl_work work;

	if (backward)
		tl_work_backward(&m->device_work, event, &work);
	else
		tl_work_below(&m->device_work, event, &work);
	double us = tl_trace_us(m->trace, work.ticks);
	tl_measure_event(m, op, event, &work, &arena, &ev);
	tl_perf_explain(m->registry, op, &ev, m->memory, backward, &arena, &x, a->b);
	tl_buf_addf(a->b, "kernel time: %.3f µs\n", us);
	const char *spec = tl_precision_spec(m->precisions, m->arch, x.spec, ev.kernels, ev.n_kernels);
	if (strcmp(spec, x.spec))
		tl_buf_addf(a->b, "compute spec: %s, as the names of the kernels say\n", spec);
	x.spec = spec;
	if (x.outcome == TL_PERF_OK)
		explain_rates(a, &x, us);
	tl_arena_release(&arena);
}

/* The backward event (autograd node) that an event is, or whose work this event alone
 * does; else TL_NONE. */
static uint32_t backward_node(struct account *a, uint32_t event)
{
	if (a->m.trace->fwd_of[event] != TL_NONE)
		return event;
	uint32_t node = tl_backward_wrapper(a->m.trace, event);
	return node != TL_NONE && tl_measure_stands_for(&a->m, node) ? node : TL_NONE;
}

static const char *category_of(struct account *a, uint32_t event)
{
	struct tl_trace *t = a->m.trace;
	struct tl_launchers launchers;
	struct tl_categories categories = { t, a->m.registry, &launchers, { 0 } };

	tl_launchers_build(&launchers, t);
	uint32_t category = tl_event_category(&categories, event, t->events[event].name);
	tl_launchers_release(&launchers);
	tl_categories_release(&categories);
	return tl_str(&t->strings, category);
}

/* An operator without a model of its own. */
static void explain_unmodelled(struct account *a, uint32_t event)
{
	struct tl_measure *m = &a->m;
	uint32_t node = backward_node(a, event), forward = node == TL_NONE ? TL_NONE : m->trace->fwd_of[node];
	const struct tl_perf_op *op = forward == TL_NONE ? NULL : tl_measure_op(m, forward);
	struct tl_work work;

	if (forward != TL_NONE)
		tl_buf_addf(a->b, "backward pass of: %s, uid %u%s\n", name_of(a, forward), uid_of(a, forward),
		            !op ? ", which has no model" : op->backward ? "" : ", whose model has no backward formulas");
	if (op && op->backward) {
		explain_model(a, op, forward, true);
		return;
	}
	tl_work_below(&m->device_work, event, &work);
	tl_buf_addf(a->b, "model: none\ncategory: %s\nkernel time: %.3f µs\n",
	            category_of(a, event), tl_trace_us(m->trace, work.ticks));
}

static void explain_modelled(struct account *a, const struct tl_perf_op *op, uint32_t event)
{
	uint32_t n;
	const uint32_t *backward = tl_backward_events(&a->m.device_work, event, &n);

	explain_model(a, op, event, false);
	if (!op->backward || !n)
		return;
	tl_buf_adds(a->b, "\nbackward pass:\n");
	for (uint32_t i = 0; i < n; i++)
		tl_buf_addf(a->b, "event: uid %u, %s\n", uid_of(a, backward[i]), name_of(a, backward[i]));
	explain_model(a, op, event, true);
}

/* The first event of that name with device work, else the first. */
static uint32_t find_event(struct tl_trace *t, uint32_t name)
{
	uint32_t best = TL_NONE;

	for (uint32_t e = 0; name && e < t->n_events; e++) {
		if (t->events[e].name != name)
			continue;
		if (tl_trace_work_count(t, e))
			return e;
		if (best == TL_NONE)
			best = e;
	}
	return best;
}

/* No operator has a name of digits alone. */
static bool is_uid(const char *op)
{
	return *op && !op[strspn(op, "0123456789")];
}

static uint32_t find_uid(const struct tl_trace *t, const char *digits)
{
	errno = 0;
	uint64_t uid = strtoull(digits, NULL, 10);
	return errno ? TL_NONE : tl_trace_by_uid(t, uid);
}

/* Evaluates all models that keep values for others, as unified_perf_summary does. */
static void fill_memory(struct tl_measure *m)
{
	tl_measure_find_named(m);
	for (size_t i = 0; i < m->n_named; i++) {
		const struct tl_perf_op *op = tl_measure_op(m, m->named[i]);
		struct tl_work work;
		if (!op->remembers)
			continue;
		tl_work_below(&m->device_work, m->named[i], &work);
		tl_measure_evaluate(m, op, m->named[i], &work, false);
	}
}

bool tl_explain_event(struct tl_trace *t, const struct tl_registry *g, const struct tl_arch *arch, const char *op,
                      struct tl_buf *b)
{
	uint32_t event = is_uid(op) ? find_uid(t, op) : find_event(t, tl_strtab_find(&t->strings, op, strlen(op)));
	struct account a = { .b = b };

	if (event == TL_NONE)
		return false;
	tl_measure_init(&a.m, t, g, arch);
	const struct tl_perf_op *model = tl_measure_op(&a.m, event);
	tl_buf_addf(b, "event: uid %u\noperator: %s\n", uid_of(&a, event), name_of(&a, event));
	fill_memory(&a.m);
	if (model)
		explain_modelled(&a, model, event);
	else
		explain_unmodelled(&a, event);
	tl_measure_release(&a.m);
	return true;
}
