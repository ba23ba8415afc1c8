/* explain.c - how the numbers of one operator of a trace come about.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "roofline/roofline.h"

#include "roofline/measure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct account {
	struct tl_measure m;
	const struct tl_arch *arch;
	struct tl_buf *b;
};

static const char *name_of(const struct account *a, uint32_t event)
{
	return tl_str(&a->m.trace->strings, a->m.trace->events[event].name);
}

static unsigned uid_of(const struct account *a, uint32_t event)
{
	return a->m.trace->events[event].uid;
}

/* ---- rates ------------------------------------------------------------------------- */

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

static void explain_rates(const struct account *a, const struct tl_perf_result *x, double us)
{
	struct tl_buf *b = a->b;

	if (us > 0)
		tl_buf_addf(b, "TFLOPS/s = flops / kernel time = %.6g\n", x->flops / us / 1e6);
	if (us > 0 && x->has_bytes)
		tl_buf_addf(b, "TB/s = bytes / kernel time = %.6g\n", x->bytes / us / 1e6);
	if (x->has_bytes && x->bytes > 0)
		tl_buf_addf(b, "FLOPS/Byte = flops / bytes = %.6g\n", x->flops / x->bytes);
	if (a->arch)
		explain_roof(a->arch, x, us, b);
}

/* ---- models ---------------------------------------------------------------------------- */

/* The model of op put to the event it models; backward: to its backward pass. */
static void explain_model(struct account *a, const struct tl_perf_op *op, uint32_t event, bool backward)
{
	struct tl_measure *m = &a->m;
	struct tl_arena arena = { 0 };
	struct tl_perf_event ev;
	struct tl_perf_result x;
	struct tl_work work;

	if (backward)
		tl_measure_backward_work(m, event, &work);
	else
		tl_measure_work(m, event, &work);
	double us = tl_trace_us(m->trace, work.ticks);
	tl_measure_event(m, op, event, &work, &ev);
	tl_perf_explain(m->registry, op, &ev, m->memory, backward, a->b);
	tl_buf_addf(a->b, "kernel time: %.3f µs\n", us);
	tl_perf_evaluate(m->registry, op, &ev, m->memory, backward, &arena, &x);
	if (x.outcome == TL_PERF_OK)
		explain_rates(a, &x, us);
	tl_arena_release(&arena);
}

/* The forward event whose backward pass an event is, or is part of, or TL_NONE. */
static uint32_t forward_of(struct account *a, uint32_t event)
{
	const struct tl_trace *t = a->m.trace;
	uint32_t node = t->fwd_of[event] == TL_NONE ? tl_measure_wrapper(&a->m, event) : event;

	return node == TL_NONE ? TL_NONE : t->fwd_of[node];
}

/* An operator without a model of its own. */
static void explain_unmodelled(struct account *a, uint32_t event)
{
	struct tl_measure *m = &a->m;
	uint32_t forward = forward_of(a, event);
	const struct tl_perf_op *op = forward == TL_NONE ? NULL : tl_measure_op(m, forward);
	struct tl_work work;

	if (forward != TL_NONE)
		tl_buf_addf(a->b, "backward pass of: %s, uid %u%s\n", name_of(a, forward), uid_of(a, forward),
		            !op ? ", which has no model" : op->backward ? "" : ", whose model has no backward formulas");
	if (op && op->backward) {
		explain_model(a, op, forward, true);
		return;
	}
	tl_measure_work(m, event, &work);
	tl_buf_addf(a->b, "model: none\ncategory: %s\nkernel time: %.3f µs\n",
	            tl_op_category(m->registry, name_of(a, event), work.n ? name_of(a, work.events[0]) : NULL), tl_trace_us(m->trace, work.ticks));
}

static void explain_modelled(struct account *a, const struct tl_perf_op *op, uint32_t event)
{
	struct tl_measure *m = &a->m;

	explain_model(a, op, event, false);
	if (!op->backward || !tl_measure_has_backward(m, event))
		return;
	tl_buf_adds(a->b, "\nbackward pass:\n");
	for (uint32_t i = m->bwd_start[event]; i < m->bwd_start[event + 1]; i++)
		tl_buf_addf(a->b, "event: uid %u, %s\n", uid_of(a, m->bwd_items[i]), name_of(a, m->bwd_items[i]));
	explain_model(a, op, event, true);
}

/* The first event of that name with device work, else the first. */
static uint32_t find_event(struct tl_trace *t, uint32_t name)
{
	uint32_t best = TL_NONE, n;

	for (uint32_t e = 0; name && e < t->n_events; e++) {
		if (t->events[e].name != name)
			continue;
		tl_trace_work(t, e, &n);
		if (n)
			return e;
		if (best == TL_NONE)
			best = e;
	}
	return best;
}

/* Digits alone are a uid: no operator is called so. */
static uint32_t find_uid(const struct tl_trace *t, const char *digits)
{
	char *end;

	errno = 0;
	uint64_t uid = strtoull(digits, &end, 10);
	return errno || *end ? TL_NONE : tl_trace_by_uid(t, uid);
}

bool tl_roofline_explain(struct tl_trace *t, const struct tl_registry *g, const struct tl_arch *arch, const char *op,
                         struct tl_buf *b)
{
	bool is_uid = *op && !op[strspn(op, "0123456789")];
	uint32_t event = is_uid ? find_uid(t, op) : find_event(t, tl_strtab_find(&t->strings, op, strlen(op)));
	struct account a = { .arch = arch, .b = b };

	if (event == TL_NONE)
		return false;
	tl_measure_init(&a.m, t, g);
	const struct tl_perf_op *model = tl_measure_op(&a.m, event);
	/* not the name in the table, which may be but the beginning of many */
	tl_buf_addf(b, "event: uid %u\noperator: %s\n", uid_of(&a, event), name_of(&a, event));
	if (model)
		explain_modelled(&a, model, event);
	else
		explain_unmodelled(&a, event);
	tl_measure_release(&a.m);
	return true;
}
