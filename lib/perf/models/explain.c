/* explain.c - the account of an evaluation: arguments, values of the model's lines,
 * formulas with numbers put in and the definitions they called, results.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/models/perf_registry.h"

enum { INDENT = 2 };

static void list(struct tl_buf *b, const char *name, const struct tl_value *v)
{
	tl_buf_addf(b, "  %s: ", name);
	if (v)
		tl_value_repr(b, v, false);
	else
		tl_buf_adds(b, "absent");
	tl_buf_addc(b, '\n');
}

static void explain_arguments(struct tl_buf *b, const struct tl_perf_event *ev)
{
	tl_buf_adds(b, "arguments:\n");
	list(b, "Input Dims", ev->dims);
	list(b, "Input type", ev->types);
	list(b, "Input Strides", ev->strides);
	list(b, "Concrete Inputs", ev->concrete);
	for (size_t i = 0; i < ev->n_kernels; i++)
		tl_buf_addf(b, "  kernel %zu: %s\n", i, ev->kernels[i]);
	if (ev->annotation)
		tl_buf_addf(b, "  annotation: %s\n", ev->annotation);
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
	bool goes_on = it->kind >= TL_LINE_FLOPS ? ok : tl_item_apply(e, op, i, ok, &v);
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
	list(b, "flops", &res->flops_value);
	list(b, "bytes", &res->bytes_value);
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
	struct tl_eval e = tl_op_eval(r, op, ev, memory, arena);

	tl_buf_addf(b, "model: %s\ncategory: %s\nsheet family: %s\n", op->model_name,
	            backward && op->backward ? op->backward : tl_op_category(r, ev->name, NULL),
	            op->family ? op->family : "none");
	explain_arguments(b, ev);
	tl_perf_evaluate(r, op, ev, memory, backward, arena, res);
	explain_lines(b, &e, op, backward);
	if (backward || tl_op_models(r, op, ev))
		explain_result(b, res);
	else
		tl_buf_adds(b, "result: not modelled for these arguments; the operator counts as one without model\n");
}
