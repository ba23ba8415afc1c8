/* explain.c - the account of an evaluation: what is bound, the formulas with
 * numbers put in, the definitions they called, the result.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/lang/calls.h"
#include "perf/models/model.h"
#include "perf/lang/words.h"

enum { FORMULA_INDENT = 2 };

/* ---- lines ------------------------------------------------------------------------ */

/* A line, and below it what it called, the outermost first. */
static bool explain_line(struct tl_buf *b, struct tl_eval *e, const char *name, const struct tl_node *node, struct tl_value *v)
{
	struct tl_call_log log = { .n = 0 };

	e->calls = &log;
	bool ok = tl_expr_eval(e, node, v);
	e->calls = NULL;
	tl_line_show(b, e, FORMULA_INDENT, name, node, ok ? v : NULL);
	tl_calls_show(b, &log);
	if (!ok)
		tl_buf_addf(b, "%*s-> %s\n", FORMULA_INDENT, "", e->reason);
	return ok;
}

/* ---- the parts ----------------------------------------------------------------------------- */

/* A condition that keeps the model from going on. */
static bool stops(const struct tl_item *it, const struct tl_value *v)
{
	return it->kind == TL_ITEM_DROP ? tl_v_truth(v) : it->kind > TL_ITEM_DEF && !tl_v_truth(v);
}

/* Until one stops the model. modelled: has it passed the `only` lines? If not,
 * what fails before them does not count. */
static bool explain_items(struct tl_buf *b, struct tl_eval *e, const struct tl_op *op, const bool *used, bool modelled)
{
	const struct tl_model *m = op->model;
	struct tl_value v;

	for (size_t i = 0; i < m->n_items; i++) {
		const struct tl_item *it = &m->items[i];
		const struct tl_node *node = tl_op_step(op, i, used);
		if (!node)
			continue;
		const char *name = it->name ? tl_str(e->scope->strings, it->name) : tl_body_word(TL_WORD_ITEM, it->kind);
		bool ok = explain_line(b, e, name, node, &v);
		if (ok && stops(it, &v))
			tl_buf_addf(b, "%*s-> the model stops here\n", FORMULA_INDENT, "");
		if (ok ? stops(it, &v) : modelled || it->kind == TL_ITEM_ONLY)
			return false;
		if (ok)
			tl_eval_set(e, it, &v);
	}
	return true;
}

static void explain_formulas(struct tl_buf *b, struct tl_eval *e, const struct tl_model *m, bool backward)
{
	static const uint8_t formulas[2][2] = { { TL_OUT_FLOPS, TL_OUT_BYTES }, { TL_OUT_FLOPS_BWD, TL_OUT_BYTES_BWD } };
	struct tl_value v;

	tl_buf_adds(b, "formulas:\n");
	for (size_t i = 0; i < 2; i++) {
		const struct tl_node *node = m->out[formulas[backward][i]].node;
		if (node && !explain_line(b, e, tl_body_word(TL_WORD_OUTPUT, formulas[backward][i]), node, &v))
			return;
	}
}

static void explain_result(struct tl_buf *b, const struct tl_perf_result *res)
{
	static const char *const outcomes[] = { "ok", "failed", "dropped" };

	tl_buf_addf(b, "result: %s%s%s\n", outcomes[res->outcome], *res->reason ? ": " : "", res->reason);
	if (res->outcome != TL_PERF_OK)
		return;
	tl_buf_adds(b, "  flops: ");
	tl_value_repr(b, &res->flops_value, false);
	tl_buf_adds(b, "\n  bytes: ");
	tl_value_repr(b, &res->bytes_value, false);
	tl_buf_addf(b, "\n  compute spec: %s\n", *res->spec ? res->spec : "unknown");
	for (size_t i = 0; i < res->n_params; i++) {
		tl_buf_addf(b, "  param %s: ", res->params[i].name);
		tl_value_repr(b, &res->params[i].value, false);
		tl_buf_addc(b, '\n');
	}
}

static void explain_list(struct tl_buf *b, const char *name, const struct tl_value *v)
{
	tl_buf_addf(b, "  %s: ", name);
	if (v)
		tl_value_repr(b, v, false);
	else
		tl_buf_adds(b, "absent");
	tl_buf_addc(b, '\n');
}

static void explain_event(struct tl_buf *b, const struct tl_perf_event *ev)
{
	tl_buf_adds(b, "arguments:\n");
	explain_list(b, "Input Dims", ev->dims);
	explain_list(b, "Input type", ev->types);
	explain_list(b, "Input Strides", ev->strides);
	explain_list(b, "Concrete Inputs", ev->concrete);
	for (size_t i = 0; i < ev->n_kernels; i++)
		tl_buf_addf(b, "  kernel %zu: %s\n", i, ev->kernels[i]);
	if (ev->annotation)
		tl_buf_addf(b, "  annotation: %s\n", ev->annotation);
}

void tl_perf_explain(const struct tl_registry *r, const struct tl_perf_op *pub, const struct tl_perf_event *ev,
                     struct tl_perf_memory *memory, bool backward, struct tl_arena *arena, struct tl_perf_result *res,
                     struct tl_buf *b)
{
	const struct tl_op *op = tl_op_of(pub);
	struct tl_eval e;

	tl_buf_addf(b, "model: %s\ncategory: %s\nsheet family: %s\n", tl_str(&r->strings, op->model->name),
	            backward && pub->backward ? pub->backward : pub->category, pub->family ? pub->family : "none");
	explain_event(b, ev);
	tl_perf_evaluate(r, pub, ev, memory, backward, arena, res);
	if (op->failed)
		return;
	tl_eval_start(&e, r, op, ev, memory, arena);
	tl_buf_adds(b, "bound:\n");
	bool modelled = backward || tl_op_models(r, pub, ev);
	if (explain_items(b, &e, op, op->used[backward], modelled))
		explain_formulas(b, &e, op->model, backward);
	if (modelled)
		explain_result(b, res);
	else
		tl_buf_adds(b, "result: not modelled for these arguments; the operator counts as one without model\n");
}
