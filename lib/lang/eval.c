/* eval.c - evaluating expressions for an event.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "lang/eval.h"

#include "lang/functions.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What an evaluation may cost at most, so that any table ends. */
enum { MAX_STEPS = 200000, MAX_ITEMS = 65536, MAX_CALLS_TEXT = 100000 };

void tl_eval_start(struct tl_eval *e)
{
	size_t n = e->scope->n_vars + 1;

	e->vars = tl_arena_alloc(e->arena, n * sizeof *e->vars);
	e->set = tl_arena_alloc(e->arena, n);
	memset(e->set, 0, n);
}

void tl_eval_set(struct tl_eval *e, uint32_t var, const struct tl_value *v)
{
	e->vars[var] = *v;
	e->set[var] = true;
}

/* ---- how an evaluation ends --------------------------------------------------------- */

bool tl_eval_fail(struct tl_eval *e, const char *fmt, ...)
{
	va_list ap;

	e->outcome = TL_PERF_FAILED;
	va_start(ap, fmt);
	vsnprintf(e->reason, sizeof e->reason, fmt, ap);
	va_end(ap);
	return false;
}

bool tl_eval_drop(struct tl_eval *e, const char *reason)
{
	e->outcome = TL_PERF_DROPPED;
	snprintf(e->reason, sizeof e->reason, "%s", reason);
	return false;
}

bool tl_eval_spend(struct tl_eval *e, size_t n)
{
	e->steps = n < MAX_STEPS ? e->steps + (uint32_t)n : MAX_STEPS + 1;
	return e->steps <= MAX_STEPS || tl_eval_fail(e, "more than %d steps", MAX_STEPS);
}

static size_t add_sizes(const struct tl_value *v, size_t sum)
{
	uint32_t items = tl_v_is_seq(v) || v->type == TL_V_DICT ? v->len : 0;

	sum += 1 + (v->type == TL_V_TEXT ? v->len / TL_BYTES_A_STEP : 0);
	for (uint32_t i = 0; i < items && sum <= MAX_ITEMS; i++)
		sum = add_sizes(&v->items[i], sum);
	return sum;
}

bool tl_eval_fits(struct tl_eval *e, const struct tl_value *v)
{
	size_t n = add_sizes(v, 0);

	if (n > MAX_ITEMS)
		return tl_eval_fail(e, "a list of more than %d items, those of its lists included", MAX_ITEMS);
	return tl_eval_spend(e, n);
}

bool tl_eval_seq(struct tl_eval *e, enum tl_value_type type, size_t n, struct tl_value *out)
{
	if (n > MAX_ITEMS)
		return tl_eval_fail(e, "list of %zu items is too long", n);
	if (!tl_eval_spend(e, n))
		return false;
	*out = (struct tl_value){ .type = (uint8_t)type, .len = (uint32_t)n };
	out->items = tl_arena_alloc(e->arena, (n + 1) * sizeof *out->items);
	for (size_t i = 0; i < n; i++)
		out->items[i] = tl_v_null();
	return true;
}

bool tl_eval_arith(struct tl_eval *e, enum tl_arithmetic op, const struct tl_value *a, const struct tl_value *b,
                   struct tl_value *out)
{
	double x;

	if (!tl_v_number(a, &x) || !tl_v_number(b, &x))
		return tl_eval_fail(e, "arithmetic on %s", tl_v_kind(tl_v_number(a, &x) ? b : a));
	return tl_v_arith(op, a, b, out) || tl_eval_fail(e, "division by zero");
}

bool tl_eval_need_seq(struct tl_eval *e, const struct tl_value *v)
{
	return tl_v_is_seq(v) || tl_eval_fail(e, "a list or tuple is needed");
}

bool tl_eval_small_int(struct tl_eval *e, const struct tl_value *v, int *out)
{
	enum { MOST = 1000000 };

	*out = 0;
	if (v->type != TL_V_INT || v->i < -MOST || v->i > MOST)
		return tl_eval_fail(e, "a small integer is needed");
	*out = (int)v->i;
	return true;
}

/* ---- calls ----------------------------------------------------------------------------- */

static bool eval_arguments(struct tl_eval *e, const struct tl_node *n, struct tl_value *args)
{
	for (uint32_t i = 0; i < n->n; i++)
		if (!tl_expr_eval(e, n->arg[i], &args[i]))
			return false;
	return true;
}

/* Writes a call as "name(values) = body …", unless the same text was written before. */
static void write_call(struct tl_eval *e, const struct tl_def *d, const struct tl_value *result)
{
	struct tl_buf call = { 0 }, text = { 0 };

	tl_buf_addf(&call, "%s(", tl_str(e->scope->strings, d->name));
	for (uint32_t i = 0; i < d->n_params; i++) {
		tl_buf_adds(&call, i ? ", " : "");
		tl_value_repr(&call, &e->vars[d->params[i]], false);
	}
	tl_buf_addc(&call, ')');
	tl_expr_show_steps(&text, 4, call.data, d->body, e->scope, e->vars, e->set, result);
	if (!e->calls->len || !memmem(e->calls->data, e->calls->len, text.data, text.len))
		tl_buf_add(e->calls, text.data, text.len);
	tl_buf_release(&call);
	tl_buf_release(&text);
}

/* No definition calls itself, directly or through others, since an expression can use
 * only the names before it. So one set of parameters a definition is enough. */
static bool eval_def(struct tl_eval *e, const struct tl_node *n, struct tl_value *out)
{
	const struct tl_def *d = &e->scope->defs[n->def];
	struct tl_value args[TL_MAX_PARAMS];

	if (!eval_arguments(e, n, args))
		return false;
	for (uint32_t i = 0; i < d->n_params; i++)
		tl_eval_set(e, d->params[i], &args[i]);
	bool ok = tl_expr_eval(e, d->body, out);
	if (e->calls && e->calls->len < MAX_CALLS_TEXT)
		write_call(e, d, ok ? out : NULL);
	return ok;
}

/* ---- lists ------------------------------------------------------------------------------- */

static bool eval_items(struct tl_eval *e, const struct tl_node *n, struct tl_value *out)
{
	bool nested = false;

	if (!tl_eval_seq(e, n->kind == TL_N_TUPLE ? TL_V_TUPLE : TL_V_LIST, n->n, out))
		return false;
	for (uint32_t i = 0; i < n->n; i++) {
		if (!tl_expr_eval(e, n->arg[i], &out->items[i]))
			return false;
		nested |= tl_v_is_seq(&out->items[i]);
	}
	return !nested || tl_eval_fits(e, out);
}

static bool eval_each(struct tl_eval *e, const struct tl_node *n, struct tl_value *out)
{
	struct tl_value list, made;
	bool nested = false;

	if (!tl_expr_eval(e, n->arg[0], &list))
		return false;
	if (!tl_v_is_seq(&list))
		return tl_eval_fail(e, "each() needs a list, not %s", tl_v_kind(&list));
	if (!tl_eval_seq(e, (enum tl_value_type)list.type, list.len, &made))
		return false;
	made.len = 0;
	for (uint32_t i = 0; i < list.len; i++) {
		struct tl_value *v = &made.items[made.len];
		tl_eval_set(e, n->var, &list.items[i]);
		if (!tl_expr_eval(e, n->arg[1], v))
			return false;
		made.len += v->type != TL_V_NULL;
		nested |= tl_v_is_seq(v);
	}
	*out = made;
	return !nested || tl_eval_fits(e, out);
}

/* ---- operators ------------------------------------------------------------------------------ */

/* The last of the arguments, or an earlier one that is null. */
static bool eval_known(struct tl_eval *e, const struct tl_node *n, struct tl_value *out)
{
	for (uint32_t i = 0; i < n->n; i++) {
		if (!tl_expr_eval(e, n->arg[i], out))
			return false;
		if (out->type == TL_V_NULL)
			return true;
	}
	return true;
}

static bool compare(struct tl_eval *e, enum tl_node_kind kind, const struct tl_value *a, const struct tl_value *b,
                    struct tl_value *out)
{
	if (kind == TL_N_EQ || kind == TL_N_NE) {
		if (tl_v_is_seq(a) && tl_v_is_seq(b) && !tl_eval_fits(e, a))
			return false;
		return tl_give(out, tl_v_bool(tl_v_equal(a, b) == (kind == TL_N_EQ)));
	}
	double x, y;
	bool numbers = tl_v_number(a, &x) && tl_v_number(b, &y), texts = a->type == TL_V_TEXT && b->type == TL_V_TEXT;
	if (e->null_is_false && (a->type == TL_V_NULL || b->type == TL_V_NULL))
		return tl_give(out, tl_v_bool(false));
	if (!numbers && !texts)
		return tl_eval_fail(e, "%s cannot be compared with %s", tl_v_kind(a), tl_v_kind(b));
	int c = tl_v_compare(a, b);
	bool holds = kind == TL_N_LT ? c < 0 : kind == TL_N_LE ? c <= 0 : kind == TL_N_GT ? c > 0 : c >= 0;
	return tl_give(out, tl_v_bool(c != 2 && holds));
}

static bool is_null(const struct tl_node *n)
{
	return n->kind == TL_N_CONST && n->value->type == TL_V_NULL;
}

static bool eval_operator(struct tl_eval *e, const struct tl_node *n, struct tl_value *out)
{
	struct tl_value a, b, zero = tl_v_int(0);

	if (!tl_expr_eval(e, n->arg[0], &a))
		return false;
	switch (n->kind) {
	case TL_N_NOT:
		return tl_give(out, tl_v_bool(!tl_v_truth(&a)));
	case TL_N_NEG:
		if (a.type == TL_V_REAL)
			zero = tl_v_real(-0.0); /* 0.0 - 0.0 would be 0.0, not -0.0 */
		return tl_eval_arith(e, TL_SUB, &zero, &a, out);
	case TL_N_SEL:
		return tl_expr_eval(e, n->arg[tl_v_truth(&a) ? 1 : 2], out);
	case TL_N_AND:
	case TL_N_OR:
		if (tl_v_truth(&a) == (n->kind == TL_N_AND))
			return tl_expr_eval(e, n->arg[1], out);
		return tl_give(out, a);
	default:
		if (!tl_expr_eval(e, n->arg[1], &b))
			return false;
	}
	if (n->kind >= TL_N_ARITHMETIC)
		return tl_eval_arith(e, (enum tl_arithmetic)(n->kind - TL_N_ARITHMETIC), &a, &b, out);
	/* x != null asks whether x is known; else what is not known is not unequal either */
	if (e->null_is_false && n->kind == TL_N_NE && (a.type == TL_V_NULL || b.type == TL_V_NULL) && !is_null(n->arg[0]) && !is_null(n->arg[1]))
		return tl_give(out, tl_v_bool(false));
	return compare(e, (enum tl_node_kind)n->kind, &a, &b, out);
}

static bool eval_function(struct tl_eval *e, const struct tl_node *n, struct tl_value *out)
{
	struct tl_value args[TL_FN_MAX_ARGS];

	return eval_arguments(e, n, args) && n->fn->call(e, args, n->n, out);
}

bool tl_expr_eval(struct tl_eval *e, const struct tl_node *n, struct tl_value *out)
{
	if (!tl_eval_spend(e, 1))
		return false;
	switch (n->kind) {
	case TL_N_CONST:
		return tl_give(out, *n->value);
	case TL_N_VAR:
		if (!e->set[n->var])
			return tl_eval_fail(e, "\"%s\" has no value", tl_str(e->scope->strings, e->scope->vars[n->var]));
		return tl_give(out, e->vars[n->var]);
	case TL_N_CALL:
		return eval_function(e, n, out);
	case TL_N_DEF:
		return eval_def(e, n, out);
	case TL_N_TUPLE:
	case TL_N_LIST:
		return eval_items(e, n, out);
	case TL_N_KNOWN:
		return eval_known(e, n, out);
	case TL_N_EACH:
		return eval_each(e, n, out);
	default:
		return eval_operator(e, n, out);
	}
}

/* ---- the maps of tables ----------------------------------------------------------------- */

void tl_lookup_set(struct tl_lookup *l, uint32_t map, uint32_t key, struct tl_value v)
{
	TL_ITEM(&l->values, tl_key_of_two(map, 0), NULL);
	*TL_ITEM(&l->values, tl_key_of_two(map, key), NULL) = v;
}

const struct tl_value *tl_lookup_get(const struct tl_lookup *l, const char *map, size_t map_len, const char *key,
                                     size_t key_len)
{
	uint32_t m = tl_strtab_find(l->strings, map, map_len), k = tl_strtab_find(l->strings, key, key_len);

	return m && k ? TL_ITEM_FIND(&l->values, tl_key_of_two(m, k)) : NULL;
}

bool tl_lookup_has(const struct tl_lookup *l, const char *map, size_t map_len)
{
	return TL_ITEM_FIND(&l->values, tl_key_of_two(tl_strtab_find(l->strings, map, map_len), 0));
}

void tl_lookup_release(struct tl_lookup *l)
{
	TL_KEYED_RELEASE(&l->values);
}
