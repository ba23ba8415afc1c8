/* evaluate.c - models applied to events, and the account of how.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/model.h"

#include <stdlib.h>
#include <string.h>

struct tl_perf_memory *tl_memory_new(void)
{
	struct tl_perf_memory *m = tl_calloc(1, sizeof *m);
	tl_arena_init(&m->arena);
	tl_strtab_init(&m->keys);
	return m;
}

void tl_memory_free(struct tl_perf_memory *m)
{
	if (!m)
		return;
	tl_arena_release(&m->arena);
	tl_strtab_release(&m->keys);
	free(m->values);
	free(m);
}

/* pub is the first member */
static struct tl_op *op_of(const struct tl_perf_op *pub)
{
	return (struct tl_op *)(uintptr_t)pub;
}

static void start(struct tl_eval *e, const struct tl_registry *r, const struct tl_op *op, const struct tl_perf_event *ev,
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

/* Slots, lets and conditions, from the top. */
static bool run_items(struct tl_eval *e, const struct tl_op *op, const bool *used)
{
	const struct tl_model *m = op->model;
	struct tl_value v;

	for (size_t i = 0; i < m->n_items; i++) {
		const struct tl_item *it = &m->items[i];
		const struct tl_node *node = op->bound[i] ? op->bound[i] : it->node;
		if (!node || it->kind == TL_ITEM_DEF || (it->kind <= TL_ITEM_LET && !used[it->var]))
			continue;
		if (!tl_expr_eval(e, node, &v))
			return it->kind == TL_ITEM_ONLY ? tl_eval_drop(e, "not modelled for these arguments") : false;
		if (it->kind == TL_ITEM_ONLY && !tl_v_truth(&v))
			return tl_eval_drop(e, "not modelled for these arguments");
		if (it->kind == TL_ITEM_NEED && !tl_v_truth(&v))
			return tl_eval_fail(e, "a condition of the model does not hold");
		if (it->kind == TL_ITEM_DROP && tl_v_truth(&v))
			return tl_eval_drop(e, "not modelled");
		if (it->kind <= TL_ITEM_LET) {
			e->vars[it->var] = v;
			e->set[it->var] = true;
		}
	}
	return true;
}

static bool run_flops(struct tl_eval *e, const struct tl_output_of *out, struct tl_perf_result *res)
{
	if (!out->node)
		return tl_eval_fail(e, "the model has no such formula");
	if (!tl_expr_eval(e, out->node, &res->flops_value))
		return false;
	return tl_v_number(&res->flops_value, &res->flops) || tl_eval_fail(e, "flops is not a number");
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
	res->has_bytes = tl_v_number(&res->bytes_value, &res->bytes);
	return res->has_bytes || tl_eval_fail(e, "bytes is not a number");
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

static bool run_all(struct tl_eval *e, const struct tl_op *op, bool backward, struct tl_perf_result *res)
{
	const struct tl_model *m = op->model;

	return run_items(e, op, op->used[backward]) &&
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
	const struct tl_op *op = op_of(pub);
	struct tl_eval e;

	memset(res, 0, sizeof *res);
	res->reason = "";
	res->spec = "";
	if (op->failed) {
		res->outcome = TL_PERF_FAILED;
		res->reason = "the model has a mistake";
		return;
	}
	start(&e, r, op, ev, memory, arena);
	if (!run_all(&e, op, backward, res))
		report(&e, res);
}

bool tl_op_models(const struct tl_registry *r, const struct tl_perf_op *pub, const struct tl_perf_event *ev)
{
	const struct tl_op *op = op_of(pub);
	const struct tl_model *m = op->model;
	struct tl_arena arena;
	struct tl_eval e;
	bool yes = true, has_only = false;
	struct tl_value v;

	for (size_t i = 0; !op->failed && i < m->n_items; i++)
		has_only |= m->items[i].kind == TL_ITEM_ONLY;
	if (!has_only)
		return true;
	tl_arena_init(&arena);
	start(&e, r, op, ev, NULL, &arena);
	for (size_t i = 0; yes && i < m->n_items; i++) {
		const struct tl_item *it = &m->items[i];
		const struct tl_node *node = op->bound[i] ? op->bound[i] : it->node;
		if (!node || (it->kind > TL_ITEM_LET && it->kind != TL_ITEM_ONLY))
			continue;
		bool ok = tl_expr_eval(&e, node, &v);
		if (it->kind == TL_ITEM_ONLY)
			yes = ok && tl_v_truth(&v);
		else if (ok)
			e.vars[it->var] = v;
		if (it->kind <= TL_ITEM_LET)
			e.set[it->var] = ok;
	}
	tl_arena_release(&arena);
	return yes;
}

/* ---- explaining ------------------------------------------------------------------- */

/* "name = expression", and below it with values put in, and the value; lines
 * that would say the same again are left out. */
static void show_line(struct tl_buf *b, const struct tl_eval *e, const char *name, const struct tl_node *node,
                      const struct tl_value *v)
{
	struct tl_buf text[3] = { { 0 } };
	size_t shown = 0;

	tl_expr_show(&text[0], node, e->scope, NULL, NULL);
	tl_expr_show(&text[1], node, e->scope, e->vars, e->set);
	if (v)
		tl_value_repr(&text[2], v, false);
	for (size_t i = 0; i < 3; i++) {
		if (!text[i].data || (i && !strcmp(text[i].data, text[shown].data)))
			continue;
		shown = i;
		if (i)
			tl_buf_addf(b, "  %*s = %s\n", (int)strlen(name), "", text[i].data);
		else
			tl_buf_addf(b, "  %s = %s\n", name, text[i].data);
	}
	for (size_t i = 0; i < 3; i++)
		tl_buf_release(&text[i]);
}

static void explain_items(struct tl_buf *b, struct tl_eval *e, const struct tl_op *op)
{
	const struct tl_model *m = op->model;
	static const char *const words[] = { "", "", "", "need", "drop", "only" };
	struct tl_value v;

	for (size_t i = 0; i < m->n_items; i++) {
		const struct tl_item *it = &m->items[i];
		const struct tl_node *node = op->bound[i] ? op->bound[i] : it->node;
		if (!node || it->kind == TL_ITEM_DEF || (it->kind <= TL_ITEM_LET && !op->used[0][it->var]))
			continue;
		bool ok = tl_expr_eval(e, node, &v);
		show_line(b, e, it->name ? tl_str(e->scope->strings, it->name) : words[it->kind], node, ok ? &v : NULL);
		if (!ok) {
			tl_buf_addf(b, "  -> %s\n", e->reason);
			return;
		}
		if (it->kind <= TL_ITEM_LET) {
			e->vars[it->var] = v;
			e->set[it->var] = true;
		}
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

static void explain_defs(struct tl_buf *b, const struct tl_model *m)
{
	const struct tl_scope *s = &m->scope;

	for (size_t i = 0; i < s->n_defs; i++) {
		tl_buf_addf(b, "  def %s(", tl_str(s->strings, s->defs[i].name));
		for (uint32_t p = 0; p < s->defs[i].n_params; p++)
			tl_buf_addf(b, "%s%s", p ? ", " : "", tl_str(s->strings, s->vars[s->defs[i].params[p]] & ~TL_HIDDEN));
		tl_buf_adds(b, ") = ");
		tl_expr_show(b, s->defs[i].body, s, NULL, NULL);
		tl_buf_addc(b, '\n');
	}
}

void tl_perf_explain(const struct tl_registry *r, const struct tl_perf_op *pub, const struct tl_perf_event *ev,
                     struct tl_perf_memory *memory, struct tl_buf *b)
{
	const struct tl_op *op = op_of(pub);
	const struct tl_model *m = op->model;
	struct tl_arena arena;
	struct tl_perf_result res;
	struct tl_value v;
	struct tl_eval e;

	/* not the name in the table, which may be but the beginning of many */
	tl_buf_addf(b, "operator: %.*s\nmodel: %s\ncategory: %s\nsheet family: %s\n", (int)ev->name_len, ev->name,
	            tl_str(&r->strings, m->name), pub->category, pub->family ? pub->family : "none");
	explain_event(b, ev);
	if (op->failed)
		return;
	tl_arena_init(&arena);
	start(&e, r, op, ev, memory, &arena);
	tl_buf_adds(b, "bound:\n");
	explain_items(b, &e, op);
	tl_buf_adds(b, "formulas:\n");
	explain_defs(b, m);
	for (size_t i = 0; i < 2 && e.outcome == TL_PERF_OK; i++)
		if (m->out[i].node) {
			bool ok = tl_expr_eval(&e, m->out[i].node, &v);
			show_line(b, &e, i ? "bytes" : "flops", m->out[i].node, ok ? &v : NULL);
		}
	tl_perf_evaluate(r, pub, ev, memory, false, &arena, &res);
	explain_result(b, &res);
	tl_arena_release(&arena);
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
