/* jax_model.c - what performance models say of the operations of a JAX trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "roofline/measure.h"
#include "sheets/jax_events.h"

#include <stdlib.h>
#include <string.h>

/* ---- what a model may look at --------------------------------------------------------------- */

enum { BATCH, SIZE_M, SIZE_N, SIZE_K, BETA, TYPE, OUTPUT, N_ARGS };
static const char *const arg_names[N_ARGS] = { "Batch", "M", "N", "K", "Beta", "Type", "Output Dims" };
struct args { struct tl_value of[N_ARGS]; }; /* null: not there */

static const struct tl_value *arg_named(void *ctx, const char *key)
{
	const struct args *a = ctx;

	for (size_t i = 0; i < N_ARGS; i++)
		if (!strcmp(key, arg_names[i]) && a->of[i].type != TL_V_NULL)
			return &a->of[i];
	return NULL;
}

static void set_int(struct tl_value *v, int64_t i)
{
	v->type = TL_V_INT;
	v->i = i;
}

/* False: *reason tells why the sizes of the product are not known. */
static bool add_product(const struct tl_hlo_op *op, struct args *a, const char **reason)
{
	struct tl_hlo_gemm g;

	if (!tl_hlo_gemm(op, &g, reason))
		return false;
	set_int(&a->of[BATCH], g.batch);
	set_int(&a->of[SIZE_M], g.m);
	set_int(&a->of[SIZE_N], g.n);
	set_int(&a->of[SIZE_K], g.k);
	set_int(&a->of[BETA], g.beta);
	a->of[TYPE] = (struct tl_value){ .type = TL_V_TEXT, .len = (uint32_t)strlen(g.type) };
	a->of[TYPE].text = g.type;
	return true;
}

/* ---- evaluation ------------------------------------------------------------------------------ */

static const struct tl_jax_metrics *keep(struct tl_jax *j, const struct tl_perf_result *r, const char *kernel)
{
	const char *spec = tl_precision_spec(j->precisions, j->options.arch, r->spec, &kernel, 1);
	struct tl_jax_metrics *m = tl_arena_alloc(&j->kept, sizeof *m);
	struct tl_buf b = { 0 };

	*m = (struct tl_jax_metrics){
		.gflops = r->flops / 1e9, .has_bytes = r->has_bytes, .bytes = r->bytes, .n_params = r->n_params,
		.spec = tl_arena_dup(&j->kept, spec, strlen(spec)),
	};
	m->params = tl_arena_alloc(&j->kept, (r->n_params + 1) * sizeof *m->params);
	for (size_t i = 0; i < r->n_params; i++)
		m->params[i] = (struct tl_jax_param){
			r->params[i].name, tl_value_cell(&r->params[i].value, false, &j->trace->strings, &b)
		};
	tl_buf_release(&b);
	return m;
}

/* NULL: the model fails, for *reason, or does not apply; then *reason is NULL. */
static const struct tl_jax_metrics *evaluate(struct tl_jax *j, const struct tl_jax_event *e, const char **reason)
{
	const struct tl_registry *registry = j->options.registry;
	const struct tl_perf_op *model = tl_op_find(registry, e->model);
	struct tl_arena arena = { 0 };
	struct tl_hlo_inputs in = tl_hlo_inputs(e->op, e->model, &arena);
	struct args args = { .of[OUTPUT] = tl_hlo_output_dims(e->op, &arena) };
	const char *kernel = tl_str(&j->trace->strings, j->trace->events[e->event].name);
	struct tl_perf_event ev = {
		.name = e->model, .name_len = strlen(e->model), .dims = &in.dims, .types = &in.types, .concrete = &in.concrete,
		.kernels = &kernel, .n_kernels = 1, .arg = arg_named, .ctx = &args,
	};
	struct tl_perf_result result = { .outcome = TL_PERF_DROPPED };
	const struct tl_jax_metrics *m = NULL;

	*reason = NULL;
	if (e->op->is_gemm && !add_product(e->op, &args, reason))
		result.reason = *reason;
	else if (model && model->model && tl_op_models(registry, model, &ev))
		tl_perf_evaluate(registry, model, &ev, NULL, false, &arena, &result);
	if (result.outcome == TL_PERF_OK)
		m = keep(j, &result, kernel);
	else if (result.outcome == TL_PERF_FAILED)
		*reason = tl_arena_dup(&j->kept, result.reason, strlen(result.reason));
	tl_arena_release(&arena);
	return m;
}

static void note_failure(struct tl_jax_doubts *d, const char *op, const char *reason)
{
	d->failed_op = d->failed ? d->failed_op : op;
	d->reason = d->failed++ ? d->reason : reason;
}

void tl_jax_find_model(struct tl_jax *j, struct tl_jax_event *e)
{
	struct { const struct tl_hlo_op *op; const char *model; uint64_t name; } key = { e->op, NULL,
		j->trace->events[e->event].name };
	uint32_t known = j->modelled.count;

	e->model = key.model = tl_hlo_model(j->models, e->category, e->op);
	if (!e->model)
		return;
	uint32_t id = tl_intern(&j->modelled, (const char *)&key, sizeof key);
	if (id > known) {
		TL_GROW(j->answers, j->cap_answers, (size_t)id + 1);
		j->answers[id].metrics = evaluate(j, e, &j->answers[id].reason);
	}
	e->metrics = j->answers[id].metrics;
	if (e->metrics)
		return;
	e->model = NULL;
	if (j->answers[id].reason)
		note_failure(&j->doubts, e->op->name, j->answers[id].reason);
}
