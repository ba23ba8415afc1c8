/* evaluate.c - evaluates models for events.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/perf_registry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- before the results ----------------------------------------------------------- */

/* An evaluation of an operator's model, ready to start. */
static struct tl_eval eval_of(const struct tl_registry *r, const struct tl_perf_op *op, const struct tl_perf_event *ev,
                              struct tl_perf_memory *memory, struct tl_arena *arena)
{
	struct tl_eval e = { .scope = &op->model->scope, .event = ev, .maps = &r->maps, .memory = memory, .arena = arena };

	tl_eval_start(&e);
	return e;
}

/* Puts the name of the line before the reason. */
static bool name_line(struct tl_eval *e, const struct tl_item *it)
{
	char reason[sizeof e->reason];

	memcpy(reason, e->reason, sizeof reason);
	if (e->outcome == TL_PERF_FAILED)
		snprintf(e->reason, sizeof e->reason, "%.60s: %.130s",
		         it->name ? tl_str(e->scope->strings, it->name) : tl_line_words[it->kind], reason);
	return false;
}

static bool fail_need(struct tl_eval *e, const struct tl_node *condition)
{
	struct tl_buf b = { 0 };

	tl_expr_show(&b, condition, e->scope, NULL, NULL);
	tl_eval_fail(e, "the model needs %.150s", b.data);
	tl_buf_release(&b);
	return false;
}

/* Applies the value of item i, which is no result: sets the variable, or checks the
 * condition. ok: the item could be evaluated. False: the evaluation ends. */
static bool apply_item(struct tl_eval *e, const struct tl_perf_op *op, size_t i, bool ok, const struct tl_value *v)
{
	const struct tl_item *it = &op->model->items[i];

	switch (it->kind) {
	case TL_LINE_ONLY:
		return (ok && tl_v_truth(v)) || tl_eval_drop(e, "not modelled for these arguments");
	case TL_LINE_NEED:
		return ok ? tl_v_truth(v) || fail_need(e, tl_op_node(op, i)) : name_line(e, it);
	case TL_LINE_DROP:
		return ok ? !tl_v_truth(v) || tl_eval_drop(e, "not modelled") : name_line(e, it);
	default:
		if (!ok)
			return name_line(e, it);
		tl_eval_set(e, it->number, v);
		return true;
	}
}

static bool run_items(struct tl_eval *e, const struct tl_perf_op *op, enum tl_purpose purpose)
{
	struct tl_value v;

	for (size_t i = 0; i < op->model->n_items; i++) {
		uint8_t kind = op->model->items[i].kind;
		bool evaluated = op->needed[purpose][i] && kind < TL_LINE_FLOPS && kind != TL_LINE_DEF;
		if (evaluated && !apply_item(e, op, i, tl_expr_eval(e, tl_op_node(op, i), &v), &v))
			return false;
	}
	return true;
}

/* ---- results -------------------------------------------------------------------------- */

/* Operations and bytes must be finite and not negative. A wrong argument in the trace,
 * such as a padding, can make a formula give another number. */
static bool check_amount(struct tl_eval *e, const char *what, const struct tl_value *v, double *out)
{
	if (!tl_v_number(v, out))
		return tl_eval_fail(e, "%s is not a number", what);
	if (!isfinite(*out))
		return tl_eval_fail(e, "%s is too large for a number", what);
	return *out >= 0 || tl_eval_fail(e, "%s is negative", what);
}

static bool run_spec(struct tl_eval *e, const struct tl_item *it, struct tl_perf_result *res)
{
	struct tl_buf b = { 0 };
	struct tl_value v;

	if (!it)
		return true;
	if (!tl_expr_eval(e, it->node, &v))
		return false;
	if (v.type != TL_V_TEXT || !v.len)
		return true;
	tl_buf_addf(&b, "%s_%.*s", tl_str(e->scope->strings, it->name), (int)v.len, v.text);
	res->spec = tl_arena_keep(e->arena, &b);
	return true;
}

static bool run_params(struct tl_eval *e, const struct tl_model *m, struct tl_perf_result *res)
{
	struct tl_value v;

	res->params = tl_arena_alloc(e->arena, (m->n_items + 1) * sizeof *res->params);
	for (size_t i = 0; i < m->n_items; i++) {
		const struct tl_item *it = &m->items[i];
		if (it->kind != TL_LINE_PARAM)
			continue;
		if (it->condition && !tl_expr_eval(e, it->condition, &v))
			return false;
		if (it->condition && !tl_v_truth(&v))
			continue;
		if (!tl_expr_eval(e, it->node, &v))
			return false;
		res->params[res->n_params++] = (struct tl_perf_param){ tl_str(e->scope->strings, it->name), v };
	}
	return true;
}

static bool run_results(struct tl_eval *e, const struct tl_model *m, bool backward, struct tl_perf_result *res)
{
	const struct tl_item *flops = tl_model_item(m, backward ? TL_LINE_FLOPS_BWD : TL_LINE_FLOPS);
	const struct tl_item *bytes = tl_model_item(m, backward ? TL_LINE_BYTES_BWD : TL_LINE_BYTES);

	if (!flops)
		return tl_eval_fail(e, "the model has no such formula");
	if (!tl_expr_eval(e, flops->node, &res->flops_value) || !check_amount(e, "flops", &res->flops_value, &res->flops))
		return false;
	/* bytes are unknown when the model has no such line, or the line gives null */
	if (bytes && !tl_expr_eval(e, bytes->node, &res->bytes_value))
		return false;
	res->has_bytes = res->bytes_value.type != TL_V_NULL;
	if (res->has_bytes && !check_amount(e, "bytes", &res->bytes_value, &res->bytes))
		return false;
	return run_spec(e, tl_model_item(m, TL_LINE_SPEC), res) && run_params(e, m, res);
}

/* ---- the whole ---------------------------------------------------------------------------- */

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

void tl_perf_evaluate(const struct tl_registry *r, const struct tl_perf_op *op, const struct tl_perf_event *ev,
                      struct tl_perf_memory *memory, bool backward, struct tl_arena *arena, struct tl_perf_result *res)
{
	const struct tl_perf_result nothing = { .reason = "", .spec = "" };
	struct tl_eval e = eval_of(r, op, ev, memory, arena);

	/* formulas would make plausible numbers of negative dims, too */
	bool sound = !ev->dims || !has_negative(ev->dims, 3) || tl_eval_fail(&e, "a negative number in Input Dims");

	*res = nothing;
	if (sound && run_items(&e, op, backward ? TL_BACKWARD : TL_FORWARD) &&
	    run_results(&e, op->model, backward, res))
		return;
	*res = nothing;
	res->outcome = e.outcome;
	res->reason = tl_arena_dup(arena, e.reason, strlen(e.reason));
}

bool tl_op_models(const struct tl_registry *r, const struct tl_perf_op *op, const struct tl_perf_event *ev)
{
	struct tl_arena arena = { 0 };

	if (!op->conditional)
		return true;
	struct tl_eval e = eval_of(r, op, ev, NULL, &arena);
	bool yes = run_items(&e, op, TL_APPLIES);
	tl_arena_release(&arena);
	return yes;
}

/* ---- accounts ------------------------------------------------------------------------ */

/* The account of an evaluation: arguments, values of the model's lines, formulas with numbers put in and
 * the definitions they called, results. */

enum { INDENT = 2 };

static void add_named_value(struct tl_buf *b, const char *name, const struct tl_value *v)
{
	tl_buf_addf(b, "  %s: ", name);
	if (v)
		tl_value_repr(b, v, false);
	else
		tl_buf_adds(b, "absent");
	tl_buf_addc(b, '\n');
}

/* Writes a line with its value and the calls that it made. False: the evaluation ends here. */
static bool explain_item(struct tl_buf *b, struct tl_eval *e, const struct tl_perf_op *op, size_t i)
{
	const struct tl_item *it = &op->model->items[i];
	const char *name = it->kind <= TL_LINE_DEF ? tl_str(e->scope->strings, it->name) : tl_line_words[it->kind];
	const struct tl_node *node = tl_op_node(op, i);
	struct tl_value v;
	struct tl_buf calls = { 0 };

	e->calls = &calls;
	bool ok = tl_expr_eval(e, node, &v);
	e->calls = NULL;
	tl_expr_show_steps(b, INDENT, name, node, e->scope, e->vars, e->set, ok ? &v : NULL);
	if (calls.len)
		tl_buf_add(b, calls.data, calls.len);
	bool goes_on = it->kind >= TL_LINE_FLOPS ? ok : apply_item(e, op, i, ok, &v);
	if (!goes_on)
		tl_buf_addf(b, "%*s-> %s\n", INDENT, "", e->reason);
	tl_buf_release(&calls);
	return goes_on;
}

static void explain_lines(struct tl_buf *b, struct tl_eval *e, const struct tl_perf_op *op, bool backward)
{
	const struct tl_model *m = op->model;
	bool formulas = false;

	tl_buf_adds(b, "bound:\n");
	for (size_t i = 0; i < m->n_items; i++) {
		uint8_t kind = m->items[i].kind;
		if (!op->needed[backward ? TL_BACKWARD : TL_FORWARD][i] || kind == TL_LINE_DEF || kind > TL_LINE_BYTES_BWD)
			continue;
		if (kind >= TL_LINE_FLOPS && !formulas)
			tl_buf_adds(b, "formulas:\n");
		formulas = kind >= TL_LINE_FLOPS;
		if (!explain_item(b, e, op, i))
			return;
	}
}

static void explain_result(struct tl_buf *b, const struct tl_perf_result *res)
{
	static const char *const outcomes[] = { "ok", "failed", "dropped" };

	tl_buf_addf(b, "result: %s%s%s\n", outcomes[res->outcome], *res->reason ? ": " : "", res->reason);
	if (res->outcome != TL_PERF_OK)
		return;
	add_named_value(b, "flops", &res->flops_value);
	add_named_value(b, "bytes", &res->bytes_value);
	tl_buf_addf(b, "  compute spec: %s\n", *res->spec ? res->spec : "unknown");
	for (size_t i = 0; i < res->n_params; i++) {
		tl_buf_addf(b, "  param %s: ", res->params[i].name);
		tl_value_repr(b, &res->params[i].value, false);
		tl_buf_addc(b, '\n');
	}
}

void tl_perf_explain(const struct tl_registry *r, const struct tl_perf_op *op, const struct tl_perf_event *ev,
                     struct tl_perf_memory *memory, bool backward, struct tl_arena *arena, struct tl_perf_result *res,
                     struct tl_buf *b)
{
	struct tl_eval e = eval_of(r, op, ev, memory, arena);

	tl_buf_addf(b, "model: %s\ncategory: %s\nsheet family: %s\n", op->model_name,
	            backward && op->backward ? op->backward : tl_op_category(r, ev->name, NULL),
	            op->family ? op->family : "none");
	tl_buf_adds(b, "arguments:\n");
	add_named_value(b, "Input Dims", ev->dims);
	add_named_value(b, "Input type", ev->types);
	add_named_value(b, "Input Strides", ev->strides);
	add_named_value(b, "Concrete Inputs", ev->concrete);
	for (size_t i = 0; i < ev->n_kernels; i++)
		tl_buf_addf(b, "  kernel %zu: %s\n", i, ev->kernels[i]);
	if (ev->annotation)
		tl_buf_addf(b, "  annotation: %s\n", ev->annotation);
	tl_perf_evaluate(r, op, ev, memory, backward, arena, res);
	explain_lines(b, &e, op, backward);
	if (backward || tl_op_models(r, op, ev))
		explain_result(b, res);
	else
		tl_buf_adds(b, "result: not modelled for these arguments; the operator counts as one without model\n");
}
