/* evaluate.c - models applied to events.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/models/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tl_eval_start(struct tl_eval *e, const struct tl_registry *r, const struct tl_op *op, const struct tl_perf_event *ev,
                   struct tl_perf_memory *memory, struct tl_arena *arena)
{
	size_t n = op->model->scope.n_vars + 1;

	memset(e, 0, sizeof *e);
	e->registry = r;
	e->event = ev;
	e->memory = memory;
	e->arena = arena;
	e->scope = &op->model->scope;
	e->vars = tl_arena_alloc(arena, n * sizeof *e->vars);
	e->set = tl_arena_alloc(arena, n);
	memset(e->set, 0, n);
}

/* Says before a reason which line it is of. */
static bool blame(struct tl_eval *e, const struct tl_item *it)
{
	char reason[sizeof e->reason];

	memcpy(reason, e->reason, sizeof reason);
	if (e->outcome == TL_PERF_FAILED)
		snprintf(e->reason, sizeof e->reason, "%.60s: %.130s", it->name ? tl_str(e->scope->strings, it->name) : "need", reason);
	return false;
}

bool tl_eval_fail_need(struct tl_eval *e, const struct tl_node *condition)
{
	struct tl_buf b = { 0 };

	tl_expr_show(&b, condition, e->scope, NULL, NULL);
	tl_eval_fail(e, "the model needs %.150s", b.data);
	tl_buf_release(&b);
	return false;
}

/* Slots, lets and conditions, from the top. */
static bool run_items(struct tl_eval *e, const struct tl_op *op, const bool *used)
{
	const struct tl_model *m = op->model;
	struct tl_value v;

	for (size_t i = 0; i < m->n_items; i++) {
		const struct tl_item *it = &m->items[i];
		const struct tl_node *node = tl_op_step(op, i, used);
		if (!node)
			continue;
		if (!tl_expr_eval(e, node, &v))
			return it->kind == TL_ITEM_ONLY ? tl_eval_drop(e, "not modelled for these arguments") : blame(e, it);
		if (it->kind == TL_ITEM_ONLY && !tl_v_truth(&v))
			return tl_eval_drop(e, "not modelled for these arguments");
		if (it->kind == TL_ITEM_NEED && !tl_v_truth(&v))
			return tl_eval_fail_need(e, node);
		if (it->kind == TL_ITEM_DROP && tl_v_truth(&v))
			return tl_eval_drop(e, "not modelled");
		tl_eval_set(e, it, &v);
	}
	return true;
}

/* Overflow makes no number of operations or bytes, nor does a part that is
 * negative, as of a padding that the profiler did not write. */
static bool amount(struct tl_eval *e, const char *what, const struct tl_value *v, double *out)
{
	if (!tl_v_number(v, out))
		return tl_eval_fail(e, "%s is not a number", what);
	if (!isfinite(*out))
		return tl_eval_fail(e, "%s is too large for a number", what);
	return *out >= 0 || tl_eval_fail(e, "%s is negative", what);
}

static bool run_flops(struct tl_eval *e, const struct tl_output_of *out, struct tl_perf_result *res)
{
	if (!out->node)
		return tl_eval_fail(e, "the model has no such formula");
	if (!tl_expr_eval(e, out->node, &res->flops_value))
		return false;
	return amount(e, "flops", &res->flops_value, &res->flops);
}

/* A model that says nothing about bytes leaves them unknown. */
static bool run_bytes(struct tl_eval *e, const struct tl_output_of *out, struct tl_perf_result *res)
{
	if (!out->node)
		return true;
	if (!tl_expr_eval(e, out->node, &res->bytes_value))
		return false;
	if (res->bytes_value.type == TL_V_NULL)
		return true;
	res->has_bytes = amount(e, "bytes", &res->bytes_value, &res->bytes);
	return res->has_bytes;
}

static bool run_spec(struct tl_eval *e, const struct tl_model *m, struct tl_perf_result *res)
{
	struct tl_value v;

	res->spec = "";
	if (!m->out[TL_OUT_SPEC].node)
		return true;
	if (!tl_expr_eval(e, m->out[TL_OUT_SPEC].node, &v))
		return false;
	if (v.type != TL_V_TEXT || !v.len)
		return true;
	const char *kind = tl_str(e->scope->strings, m->spec_kind);
	size_t n = strlen(kind);
	char *s = tl_arena_alloc(e->arena, n + v.len + 2);
	memcpy(s, kind, n);
	s[n] = '_';
	memcpy(s + n + 1, v.text, v.len);
	s[n + 1 + v.len] = 0;
	res->spec = s;
	return true;
}

static bool run_params(struct tl_eval *e, const struct tl_model *m, struct tl_perf_result *res)
{
	struct tl_value v;

	res->params = tl_arena_alloc(e->arena, (m->n_params + 1) * sizeof *res->params);
	for (size_t i = 0; i < m->n_params; i++) {
		const struct tl_param_of *p = &m->params[i];
		if (p->condition) {
			if (!tl_expr_eval(e, p->condition, &v))
				return false;
			if (!tl_v_truth(&v))
				continue;
		}
		if (!tl_expr_eval(e, p->node, &v))
			return false;
		res->params[res->n_params++] = (struct tl_perf_param){ tl_str(e->scope->strings, p->name), v };
	}
	return true;
}

static bool has_negative(const struct tl_value *v, int depth)
{
	double d;

	if (tl_v_number(v, &d))
		return d < 0;
	for (uint32_t i = 0; tl_v_is_seq(v) && i < v->len && depth; i++)
		if (has_negative(&v->items[i], depth - 1))
			return true;
	return false;
}

/* Formulas would give numbers for negative dims too. */
static bool plain_dims(struct tl_eval *e)
{
	return !e->event->dims || !has_negative(e->event->dims, 3) || tl_eval_fail(e, "a negative number in Input Dims");
}

static bool run_all(struct tl_eval *e, const struct tl_op *op, bool backward, struct tl_perf_result *res)
{
	const struct tl_model *m = op->model;

	return plain_dims(e) && run_items(e, op, op->used[backward]) &&
	       run_flops(e, &m->out[backward ? TL_OUT_FLOPS_BWD : TL_OUT_FLOPS], res) &&
	       run_bytes(e, &m->out[backward ? TL_OUT_BYTES_BWD : TL_OUT_BYTES], res) &&
	       run_spec(e, m, res) && run_params(e, m, res);
}

static void report(const struct tl_eval *e, struct tl_perf_result *res)
{
	res->outcome = e->outcome;
	res->reason = tl_arena_dup(e->arena, e->reason, strlen(e->reason));
	res->has_bytes = false;
	res->n_params = 0;
	res->flops_value = res->bytes_value = tl_v_null();
	res->spec = "";
}

void tl_perf_evaluate(const struct tl_registry *r, const struct tl_perf_op *pub, const struct tl_perf_event *ev,
                      struct tl_perf_memory *memory, bool backward, struct tl_arena *arena, struct tl_perf_result *res)
{
	const struct tl_op *op = tl_op_of(pub);
	struct tl_eval e;

	memset(res, 0, sizeof *res);
	res->reason = "";
	res->spec = "";
	if (op->failed) {
		res->outcome = TL_PERF_FAILED;
		res->reason = "the model has a mistake";
		return;
	}
	tl_eval_start(&e, r, op, ev, memory, arena);
	if (!run_all(&e, op, backward, res))
		report(&e, res);
}

bool tl_op_models(const struct tl_registry *r, const struct tl_perf_op *pub, const struct tl_perf_event *ev)
{
	const struct tl_op *op = tl_op_of(pub);
	const struct tl_model *m = op->model;
	struct tl_arena arena = { 0 };
	struct tl_eval e;
	bool yes = true;
	struct tl_value v;

	if (op->failed || !pub->conditional)
		return true;
	tl_eval_start(&e, r, op, ev, NULL, &arena);
	for (size_t i = 0; yes && i < m->n_items; i++) {
		const struct tl_item *it = &m->items[i];
		const struct tl_node *node = tl_op_node(op, i);
		if (!node || (it->kind > TL_ITEM_LET && it->kind != TL_ITEM_ONLY))
			continue;
		bool ok = tl_expr_eval(&e, node, &v);
		if (it->kind == TL_ITEM_ONLY)
			yes = ok && tl_v_truth(&v);
		else if (ok)
			tl_eval_set(&e, it, &v);
	}
	tl_arena_release(&arena);
	return yes;
}

/* ---- listing -------------------------------------------------------------------------- */

void tl_model_describe(const struct tl_registry *r, size_t i, struct tl_buf *b)
{
	const struct tl_model *m = r->models[i];
	const struct tl_source *src = &r->sources[m->body.in];
	const char *note = memmem(src->text + m->body.pos, m->body.end - m->body.pos, "# source: ", 10);

	tl_buf_addf(b, "%s\t%s\t", tl_str(&r->strings, m->name), tl_str(&r->strings, m->category));
	if (m->family)
		tl_buf_adds(b, tl_str(&r->strings, m->family));
	tl_buf_addc(b, '\t');
	for (bool first = true; note; first = false) {
		const char *from = note + (first ? 10 : 2), *nl = strchr(from, '\n');
		if (!first)
			tl_buf_addc(b, ' ');
		tl_buf_add(b, from, nl ? (size_t)(nl - from) : strlen(from));
		note = nl && nl[1] == '\t' && nl[2] == '#' && nl[3] == ' ' ? nl + 2 : NULL;
	}
	tl_buf_addc(b, '\n');
}
