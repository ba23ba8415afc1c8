/* model.c - the bodies of models: from text to something that can be evaluated.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/lang/functions.h"
#include "perf/models/model.h"
#include "base/text.h"
#include "perf/lang/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LIKE 16
#define MAX_ITEMS 1000

struct compiler {
	struct tl_registry *r;
	struct tl_model *m;
	struct tl_error *err;
	struct tl_span_of body; /* being collected: that of the model, or of one it is like */
	bool own_params; /* a model's own params replace those of the one it is like */
};

static bool is_within(struct tl_span_of at, struct tl_span_of body)
{
	return at.in == body.in && at.pos >= body.pos && at.pos <= body.end;
}

static const char *text_of(struct compiler *k, uint32_t id)
{
	return tl_str(&k->r->strings, id);
}

/* ---- collecting the pieces ---------------------------------------------------- */

static struct tl_item *item_named(struct tl_model *m, uint32_t name)
{
	for (size_t i = 0; name && i < m->n_items; i++)
		if (m->items[i].name == name)
			return &m->items[i];
	return NULL;
}

static enum tl_status given_twice(const struct tl_cursor *c, size_t pos, const char *name, size_t n)
{
	return tl_cursor_fail(c, pos, "\"%.*s\" is given twice", (int)(n > 60 ? 60 : n), name);
}

static enum tl_status check_name(const struct tl_cursor *c, size_t pos, enum tl_item_kind kind, const char *name, size_t n)
{
	if (tl_expr_reserved(name, n))
		return tl_cursor_fail(c, pos, "\"%.*s\" is a word of the language", (int)n, name);
	if (kind != TL_ITEM_DEF && tl_function_find(name, n))
		return tl_cursor_fail(c, pos, "\"%.*s\" is the name of a function", (int)n, name);
	if (kind == TL_ITEM_SLOT && tl_word_find(tl_op_words, name, n))
		return tl_cursor_fail(c, pos, "\"%.*s\" has another meaning in op lines", (int)n, name);
	return TL_OK;
}

/* "name = expression" or "name" or, for need, drop and only, an expression. */
static enum tl_status add_item(struct compiler *k, enum tl_item_kind kind, struct tl_cursor *c, uint32_t in, size_t end)
{
	struct tl_model *m = k->m;
	struct tl_item it = { .kind = (uint8_t)kind, .has_expr = true, .at = { in, c->pos, end } };
	struct tl_item *old = NULL;
	size_t start = c->pos;

	if (kind <= TL_ITEM_DEF) {
		const char *name;
		size_t n = tl_cursor_name(c, &name);
		if (!n)
			return tl_cursor_fail(c, c->pos, "expected a name");
		start = (size_t)(name - c->text);
		enum tl_status s = check_name(c, start, kind, name, n);
		if (s)
			return s;
		it.name = tl_intern(&k->r->strings, name, n);
		old = item_named(m, it.name);
		if (old && is_within(old->at, k->body))
			return given_twice(c, start, name, n);
		if (kind != TL_ITEM_DEF)
			it.has_expr = tl_cursor_take(c, '=');
		if (kind == TL_ITEM_LET && !it.has_expr)
			return tl_cursor_fail(c, c->pos, "expected \"=\" and an expression");
		tl_cursor_skip(c);
		if (!it.has_expr && c->pos < end)
			return tl_cursor_fail(c, c->pos, "expected \"=\", \";\" or the end of the line");
		it.at.pos = c->pos;
	}
	if (old) {
		*old = it;
	} else {
		if (m->n_items == MAX_ITEMS)
			return tl_cursor_fail(c, start, "more than %d lines in a model", MAX_ITEMS);
		TL_GROW(m->items, m->cap_items, m->n_items + 1);
		m->items[m->n_items++] = it;
	}
	c->pos = end;
	return TL_OK;
}

static enum tl_status add_param(struct compiler *k, struct tl_cursor *c, uint32_t in, size_t end)
{
	struct tl_model *m = k->m;
	const char *name;
	size_t pos = c->pos, n = tl_cursor_name(c, &name);

	if (!n)
		return tl_cursor_fail(c, pos, "expected the name of a parameter");
	if (!k->own_params) {
		k->own_params = true;
		m->n_params = 0;
	}
	struct tl_param_of p = { .name = tl_intern(&k->r->strings, name, n), .at = { in, pos, end } };
	for (size_t i = 0; i < m->n_params; i++)
		if (m->params[i].name == p.name)
			return given_twice(c, (size_t)(name - c->text), name, n);
	if (tl_cursor_take(c, '='))
		p.at.pos = c->pos;
	else
		c->pos = pos; /* "M" stands for "M=M" */
	if (m->n_params == MAX_ITEMS)
		return tl_cursor_fail(c, pos, "more than %d parameters", MAX_ITEMS);
	TL_GROW(m->params, m->cap_params, m->n_params + 1);
	m->params[m->n_params++] = p;
	c->pos = end;
	return TL_OK;
}

/* Has the body that is being collected this line already? */
static bool is_given(const struct compiler *k, size_t output)
{
	return k->m->out[output].given && is_within(k->m->out[output].at, k->body);
}

static enum tl_status add_spec(struct compiler *k, struct tl_cursor *c, uint32_t in, size_t end)
{
	const char *name;
	size_t pos, n;

	tl_cursor_skip(c);
	pos = c->pos;
	n = tl_cursor_name(c, &name);
	if (!tl_text_is(name, n, "matrix") && !tl_text_is(name, n, "vector"))
		return tl_cursor_fail(c, pos, "expected matrix or vector and an expression for the precision");
	if (is_given(k, TL_OUT_SPEC))
		return given_twice(c, pos, "spec", 4);
	k->m->spec_kind = tl_intern(&k->r->strings, name, n);
	k->m->out[TL_OUT_SPEC] = (struct tl_output_of){ .at = { in, c->pos, end }, .given = true };
	c->pos = end;
	return TL_OK;
}

static enum tl_status add_output(struct compiler *k, const struct tl_word *w, struct tl_cursor *c, uint32_t in, size_t end)
{
	size_t start = c->pos - w->len;

	if (w->what == TL_OUT_SPEC)
		return add_spec(k, c, in, end);
	if (is_given(k, w->what))
		return given_twice(c, start, w->text, w->len);
	k->m->out[w->what] = (struct tl_output_of){ .at = { in, c->pos, end }, .given = true };
	c->pos = end;
	return TL_OK;
}

/* One line of a body; its pieces are separated by ";". */
static enum tl_status read_line(struct compiler *k, struct tl_cursor *c, uint32_t in, size_t end)
{
	const char *name;
	size_t n = tl_cursor_name(c, &name);
	const struct tl_word *w = tl_word_find(tl_body_words, name, n);
	enum tl_status s = TL_OK;

	if (w && w->kind == TL_WORD_OUTPUT)
		return add_output(k, w, c, in, end);
	if (!w || w->kind == TL_WORD_ATTRIBUTE) { /* read before */
		c->pos = end;
		return TL_OK;
	}
	for (bool first = true; first || (!s && tl_cursor_take(c, ';')); first = false) {
		tl_cursor_skip(c);
		size_t stop = tl_cursor_piece_end(c, c->pos, end);
		if (c->pos >= end && !first) /* a ";" may be the last */
			break;
		s = w->kind == TL_WORD_PARAM ? add_param(k, c, in, stop) : add_item(k, (enum tl_item_kind)w->what, c, in, stop);
	}
	if (!s && c->pos < end) {
		tl_cursor_skip(c);
		if (c->pos < end)
			return tl_cursor_fail(c, c->pos, "expected \";\" or the end of the line");
	}
	return s;
}

static enum tl_status collect(struct compiler *k, const struct tl_model *from, int depth)
{
	struct tl_cursor c = tl_cursor_of(k->r, k->m->head, k->err);
	enum tl_status s;

	if (depth > MAX_LIKE)
		return tl_cursor_fail(&c, c.pos, "like= chains longer than %d", MAX_LIKE);
	if (from->like && (s = collect(k, k->r->models[from->like - 1], depth + 1)))
		return s;
	c = tl_cursor_of(k->r, from->body, k->err);
	k->body = from->body;
	k->own_params = false;
	while (c.pos < from->body.end) {
		if (!tl_cursor_at_end(&c) && (s = read_line(k, &c, from->body.in, tl_cursor_line_end(&c, c.pos))))
			return s;
		tl_cursor_skip(&c);
		c.pos += c.pos < c.len;
	}
	return TL_OK;
}

/* ---- parsing the pieces ---------------------------------------------------------- */

static enum tl_status parse_span(struct compiler *k, struct tl_span_of at, struct tl_node **out, struct tl_cursor *rest)
{
	struct tl_cursor c = tl_cursor_of(k->r, at, k->err);
	c.len = at.end; /* the expression ends where its piece ends */
	enum tl_status s = tl_expr_parse(&c, &k->m->scope, out);
	if (s)
		return s;
	tl_cursor_skip(&c);
	if (!rest && c.pos < at.end)
		return tl_cursor_fail(&c, c.pos, c.text[c.pos] == ';' ? "expected the end of the line" : "expected \";\" or the end of the line");
	if (rest)
		*rest = c;
	return TL_OK;
}

/* name(a, b) = expression: the parameters are variables that only the body
 * should use. */
static enum tl_status parse_def(struct compiler *k, struct tl_item *it)
{
	struct tl_scope *scope = &k->m->scope;
	struct tl_cursor c = tl_cursor_of(k->r, it->at, k->err);
	struct tl_expr_def d = { .name = it->name };
	size_t visible = scope->n_vars;
	const char *name;
	size_t n;

	if (!tl_cursor_take(&c, '('))
		return tl_cursor_fail(&c, c.pos, "expected \"(\" and the parameters of the definition");
	while ((n = tl_cursor_name(&c, &name))) {
		if (d.n_params == 8)
			return tl_cursor_fail(&c, c.pos, "more than 8 parameters");
		if (tl_expr_reserved(name, n))
			return tl_cursor_fail(&c, (size_t)(name - c.text), "\"%.*s\" is a word of the language", (int)n, name);
		uint32_t id = tl_intern(scope->strings, name, n);
		for (size_t i = visible; i < scope->n_vars; i++)
			if (scope->vars[i] == id)
				return given_twice(&c, (size_t)(name - c.text), name, n);
		TL_GROW(scope->vars, scope->cap_vars, scope->n_vars + 1);
		scope->vars[scope->n_vars] = id;
		d.params[d.n_params++] = (uint32_t)scope->n_vars++;
		if (!tl_cursor_take(&c, ','))
			break;
	}
	if (!tl_cursor_take(&c, ')') || !tl_cursor_take(&c, '='))
		return tl_cursor_fail(&c, c.pos, "expected \")\" and \"=\" after the parameters");
	it->at.pos = c.pos;
	enum tl_status s = parse_span(k, it->at, &d.body, NULL);
	if (s)
		return s;
	for (size_t i = visible; i < scope->n_vars; i++)
		scope->vars[i] |= TL_HIDDEN;
	d.traits = tl_expr_traits(d.body, scope);
	it->node = d.body;
	TL_GROW(scope->defs, scope->cap_defs, scope->n_defs + 1);
	scope->defs[scope->n_defs++] = d;
	return TL_OK;
}

static enum tl_status parse_item(struct compiler *k, struct tl_item *it)
{
	enum tl_status s;

	if (it->kind == TL_ITEM_DEF)
		return parse_def(k, it);
	if (it->has_expr && (s = parse_span(k, it->at, &it->node, NULL)))
		return s;
	if (it->kind <= TL_ITEM_LET)
		it->var = tl_scope_add(&k->m->scope, it->name);
	return TL_OK;
}

static enum tl_status parse_param(struct compiler *k, struct tl_param_of *p)
{
	struct tl_cursor rest;
	const char *name;
	enum tl_status s = parse_span(k, p->at, &p->node, &rest);

	if (s || rest.pos >= p->at.end)
		return s;
	size_t pos = rest.pos, n = tl_cursor_name(&rest, &name);
	if (!tl_text_is(name, n, "if"))
		return tl_cursor_fail(&rest, pos, "expected \"if\", \";\" or the end of the line");
	return parse_span(k, (struct tl_span_of){ p->at.in, rest.pos, p->at.end }, &p->condition, NULL);
}

enum tl_status tl_model_blame(const struct tl_registry *r, const struct tl_model *m, const char *what, struct tl_error *err)
{
	struct tl_cursor c = tl_cursor_of(r, m->head, err);
	char text[sizeof err->text] = "";

	if (err)
		snprintf(text, sizeof text, "%s", err->text);
	return tl_cursor_fail(&c, c.pos, "model \"%.60s\" %s: %s", tl_str(&r->strings, m->name), what, text);
}

/* A mistake in a line of the model that this one is like is one of this one. */
static enum tl_status mistake(struct compiler *k, struct tl_span_of at, enum tl_status s)
{
	if (is_within(at, k->m->body))
		return s;
	return tl_model_blame(k->r, k->m, "does not fit a line of the model it is like", k->err);
}

enum tl_status tl_model_compile(struct tl_registry *r, struct tl_model *m, struct tl_error *err)
{
	struct compiler k = { .r = r, .m = m, .err = err };
	struct tl_cursor c = tl_cursor_of(r, m->head, err);
	enum tl_status s;

	if (m->compiled)
		return m->failed ? tl_cursor_fail(&c, c.pos, "model \"%.60s\" has a mistake", tl_str(&r->strings, m->name)) : TL_OK;
	m->compiled = m->failed = true;
	m->scope.strings = &r->strings;
	m->scope.arena = &r->arena;
	if ((s = collect(&k, m, 0)))
		return s;
	for (size_t i = 0; i < m->n_items; i++)
		if ((s = parse_item(&k, &m->items[i])))
			return mistake(&k, m->items[i].at, s);
	for (size_t i = 0; i < TL_OUTPUTS; i++)
		if (m->out[i].given && (s = parse_span(&k, m->out[i].at, &m->out[i].node, NULL)))
			return mistake(&k, m->out[i].at, s);
	for (size_t i = 0; i < m->n_params; i++)
		if ((s = parse_param(&k, &m->params[i])))
			return mistake(&k, m->params[i].at, s);
	if (!m->out[TL_OUT_FLOPS].given)
		return tl_cursor_fail(&c, c.pos, "model \"%.60s\" has no flops line", text_of(&k, m->name));
	m->failed = false;
	return TL_OK;
}

/* ---- operators ---------------------------------------------------------------------- */

static enum tl_status no_slot(struct compiler *k, const struct tl_cursor *c, size_t pos, const char *name, size_t n)
{
	enum { MOST = 300 }; /* bytes of names in a message */
	struct tl_buf b = { 0 };

	for (size_t i = 0; i < k->m->n_items && b.len < MOST; i++)
		if (k->m->items[i].kind == TL_ITEM_SLOT)
			tl_buf_addf(&b, "%s%.60s", b.len ? ", " : "; its slots are ", text_of(k, k->m->items[i].name));
	if (b.len >= MOST)
		tl_buf_adds(&b, ", …");
	enum tl_status s = tl_cursor_fail(c, pos, "model \"%.60s\" has no slot \"%.*s\"%s", text_of(k, k->m->name), (int)(n > 60 ? 60 : n), name,
	                                  b.len ? b.data : "; it has none");
	tl_buf_release(&b);
	return s;
}

static enum tl_status bind(struct compiler *k, struct tl_op *op, struct tl_cursor *c, const char *name, size_t n, size_t pos, size_t end)
{
	uint32_t id = tl_strtab_find(&k->r->strings, name, n);
	struct tl_item *it = item_named(k->m, id);
	struct tl_model *m = k->m;

	if (!it || it->kind != TL_ITEM_SLOT)
		return no_slot(k, c, pos, name, n);
	size_t i = (size_t)(it - m->items), before = m->scope.n_vars;
	if (op->bound[i])
		return tl_cursor_fail(c, pos, "slot \"%.60s\" is set twice", text_of(k, it->name));
	struct tl_node *node;
	enum tl_status s = parse_span(k, (struct tl_span_of){ op->bindings.in, c->pos, end }, &node, NULL);
	if (s)
		return s;
	/* it may use what the model has computed by then, no more */
	bool *used = tl_calloc(m->scope.n_vars + 1, sizeof *used);
	for (size_t d = 0; d < m->scope.n_defs; d++)
		m->scope.defs[d].walked = false;
	tl_expr_uses(node, &m->scope, used);
	for (size_t j = i; j < m->n_items && !s; j++)
		if (m->items[j].kind <= TL_ITEM_LET && m->items[j].var < before && used[m->items[j].var])
			s = tl_cursor_fail(c, pos, "slot \"%.60s\" comes before \"%.60s\" and cannot use it", text_of(k, it->name), text_of(k, m->items[j].name));
	free(used);
	op->bound[i] = node;
	return s;
}

static enum tl_status bind_all(struct compiler *k, struct tl_op *op)
{
	struct tl_cursor c = tl_cursor_of(k->r, op->bindings, k->err);
	const char *name;
	enum tl_status s;

	while (!tl_cursor_at_end(&c) && c.pos < op->bindings.end) {
		size_t pos = c.pos, n = tl_cursor_name(&c, &name);
		if (!n || !tl_cursor_take(&c, '='))
			return tl_cursor_fail(&c, pos, "expected SLOT=EXPRESSION");
		size_t end = tl_cursor_piece_end(&c, c.pos, op->bindings.end);
		if (!tl_word_find(tl_op_words, name, n) && (s = bind(k, op, &c, name, n, pos, end)))
			return s;
		c.pos = end;
		tl_cursor_take(&c, ';');
	}
	for (size_t i = 0; i < k->m->n_items; i++)
		if (k->m->items[i].kind == TL_ITEM_SLOT && !k->m->items[i].has_expr && !op->bound[i])
			return tl_cursor_fail(&c, op->at.pos, "slot \"%.60s\" of model \"%.60s\" must be set", text_of(k, k->m->items[i].name), text_of(k, k->m->name));
	return TL_OK;
}

/* Which variables the results need: what nothing needs is not evaluated. */
static void find_used(struct tl_op *op, bool backward, bool *used)
{
	struct tl_model *m = op->model;
	struct tl_scope *scope = &m->scope;

	for (size_t d = 0; d < scope->n_defs; d++)
		scope->defs[d].walked = false;
	for (size_t i = 0; i < TL_OUTPUTS; i++)
		if (m->out[i].node && (i == TL_OUT_SPEC || (i >= TL_OUT_FLOPS_BWD) == backward))
			tl_expr_uses(m->out[i].node, scope, used);
	for (size_t i = 0; i < m->n_params; i++) {
		tl_expr_uses(m->params[i].node, scope, used);
		if (m->params[i].condition)
			tl_expr_uses(m->params[i].condition, scope, used);
	}
	for (size_t i = m->n_items; i-- > 0;) {
		const struct tl_item *it = &m->items[i];
		const struct tl_node *node = tl_op_node(op, i);
		if (node && it->kind != TL_ITEM_DEF && (it->kind >= TL_ITEM_NEED || used[it->var]))
			tl_expr_uses(node, scope, used);
	}
}

/* Of everything that may be evaluated for the operator. */
static uint8_t traits_of(const struct tl_op *op)
{
	const struct tl_model *m = op->model;
	uint8_t traits = 0;

	for (size_t i = 0; i < m->n_items; i++) {
		const struct tl_node *node = tl_op_node(op, i);
		traits |= node ? tl_expr_traits(node, &m->scope) : 0;
	}
	for (size_t i = 0; i < TL_OUTPUTS; i++)
		traits |= m->out[i].node ? tl_expr_traits(m->out[i].node, &m->scope) : 0;
	for (size_t i = 0; i < m->n_params; i++) {
		traits |= tl_expr_traits(m->params[i].node, &m->scope);
		traits |= m->params[i].condition ? tl_expr_traits(m->params[i].condition, &m->scope) : 0;
	}
	return traits;
}

enum tl_status tl_op_compile(struct tl_registry *r, struct tl_op *op, struct tl_error *err)
{
	struct compiler k = { .r = r, .m = op->model, .err = err };
	enum tl_status s;

	op->compiled = op->failed = true;
	if ((s = tl_model_compile(r, op->model, err)))
		return s;
	op->bound = tl_arena_alloc(&r->arena, (op->model->n_items + 1) * sizeof *op->bound);
	memset(op->bound, 0, (op->model->n_items + 1) * sizeof *op->bound);
	if ((s = bind_all(&k, op)))
		return s;
	size_t n = op->model->scope.n_vars + 1; /* sumpairs in a binding adds some */
	for (int i = 0; i < 2; i++) {
		op->used[i] = tl_arena_alloc(&r->arena, n);
		memset(op->used[i], 0, n);
		find_used(op, i == 1, op->used[i]);
	}
	uint8_t traits = traits_of(op);
	op->pub.looks_beyond = traits != 0;
	op->pub.remembers = traits & TL_FN_MEMORY;
	op->pub.conditional = false; /* it may be that of another model before */
	for (size_t i = 0; i < op->model->n_items; i++)
		op->pub.conditional |= op->model->items[i].kind == TL_ITEM_ONLY;
	op->failed = false;
	return TL_OK;
}
