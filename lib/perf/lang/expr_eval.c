/* expr_eval.c - values of expressions. Numbers keep their kind, as in Python:
 * an integer stays one under + - * // %, "/" makes a double. An integer result
 * beyond 128 bits goes on as a double.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/lang/calls.h"
#include "perf/lang/expr.h"
#include "perf/lang/functions.h"
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_STEPS 200000
#define MAX_ITEMS 65536
#define BYTES_A_STEP 16 /* of text */

struct tl_value tl_v_null(void) { return (struct tl_value){ .type = TL_V_NULL }; }
struct tl_value tl_v_bool(bool b) { return (struct tl_value){ .type = TL_V_BOOL, .b = b }; }
struct tl_value tl_v_int(__int128 i) { return (struct tl_value){ .type = TL_V_INT, .i = i }; }
struct tl_value tl_v_real(double d) { return (struct tl_value){ .type = TL_V_REAL, .d = d }; }

struct tl_value tl_v_text(const char *s, size_t len)
{
	return (struct tl_value){ .type = TL_V_TEXT, .len = (uint32_t)len, .text = s };
}

bool tl_v_is_seq(const struct tl_value *v)
{
	return v->type == TL_V_LIST || v->type == TL_V_TUPLE;
}

bool tl_v_is(const struct tl_value *v, const char *text)
{
	return v->type == TL_V_TEXT && tl_text_is(v->text, v->len, text);
}

bool tl_v_truth(const struct tl_value *v)
{
	switch (v->type) {
	case TL_V_NULL:
		return false;
	case TL_V_BOOL:
		return v->b;
	case TL_V_INT:
		return v->i != 0;
	case TL_V_REAL:
		return v->d != 0;
	default:
		return v->len > 0;
	}
}

bool tl_v_number(const struct tl_value *v, double *out)
{
	if (v->type == TL_V_INT)
		*out = (double)v->i;
	else if (v->type == TL_V_BOOL)
		*out = v->b;
	else if (v->type == TL_V_REAL)
		*out = v->d;
	else
		return false;
	return true;
}

static bool is_number(const struct tl_value *v)
{
	return v->type == TL_V_INT || v->type == TL_V_BOOL || v->type == TL_V_REAL;
}

static __int128 as_int(const struct tl_value *v)
{
	return v->type == TL_V_BOOL ? v->b : v->i;
}

int tl_v_compare(const struct tl_value *a, const struct tl_value *b)
{
	if (a->type != TL_V_REAL && b->type != TL_V_REAL) {
		__int128 x = as_int(a), y = as_int(b);
		return (x > y) - (x < y);
	}
	double x = 0, y = 0;
	tl_v_number(a, &x);
	tl_v_number(b, &y);
	if (isnan(x) || isnan(y))
		return 2;
	return (x > y) - (x < y);
}

bool tl_v_equal(const struct tl_value *a, const struct tl_value *b)
{
	if (is_number(a) && is_number(b))
		return tl_v_compare(a, b) == 0;
	if (a->type != b->type)
		return false;
	if (a->type == TL_V_NULL)
		return true;
	if (a->len != b->len)
		return false;
	if (a->type == TL_V_TEXT)
		return !a->len || !memcmp(a->text, b->text, a->len);
	for (uint32_t i = 0; i < a->len; i++)
		if (!tl_v_equal(&a->items[i], &b->items[i]))
			return false;
	return true;
}

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

	sum += 1 + (v->type == TL_V_TEXT ? v->len / BYTES_A_STEP : 0);
	for (uint32_t i = 0; i < items && sum <= MAX_ITEMS; i++)
		sum = add_sizes(&v->items[i], sum);
	return sum;
}

bool tl_v_fits(struct tl_eval *e, const struct tl_value *v)
{
	size_t n = add_sizes(v, 0);

	return n > MAX_ITEMS ? tl_eval_fail(e, "a list of more than %d items, those of its lists included", MAX_ITEMS) : tl_eval_spend(e, n);
}

bool tl_v_seq(struct tl_eval *e, enum tl_value_type type, size_t n, struct tl_value *out)
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

/* ---- arithmetic ---------------------------------------------------------------- */

static const char *kind_of(const struct tl_value *v)
{
	static const char *const names[] = { "null", "a bool", "an integer", "a real", "a text", "a list", "a tuple", "a dictionary" };
	return v->type <= TL_V_DICT ? names[v->type] : "?";
}

/* Floored quotient and remainder, with the sign of the divisor. */
static double floor_div(double a, double b)
{
	double m = fmod(a, b), d = (a - m) / b;

	if (m != 0 && (b < 0) != (m < 0))
		d -= 1;
	if (d == 0)
		return copysign(0, a / b);
	double f = floor(d);
	return d - f > 0.5 ? f + 1 : f;
}

static double floor_mod(double a, double b)
{
	double m = fmod(a, b);

	if (m == 0)
		return copysign(0, b);
	return (b < 0) != (m < 0) ? m + b : m;
}

static bool real_arith(struct tl_eval *e, enum tl_node_kind kind, double a, double b, struct tl_value *out)
{
	double r = 0;

	if (b == 0 && (kind == TL_N_DIV || kind == TL_N_FLOORDIV || kind == TL_N_MOD))
		return tl_eval_fail(e, "division by zero");
	switch (kind) {
	case TL_N_ADD: r = a + b; break;
	case TL_N_SUB: r = a - b; break;
	case TL_N_MUL: r = a * b; break;
	case TL_N_DIV: r = a / b; break;
	case TL_N_FLOORDIV: r = floor_div(a, b); break;
	default: r = floor_mod(a, b);
	}
	*out = tl_v_real(r);
	return true;
}

/* False when the result needs more than 128 bits (or b is 0). */
static bool int_arith(enum tl_node_kind kind, __int128 a, __int128 b, __int128 *r)
{
	const __int128 lowest = -((__int128)1 << 126) * 2;

	switch (kind) {
	case TL_N_ADD:
		return !__builtin_add_overflow(a, b, r);
	case TL_N_SUB:
		return !__builtin_sub_overflow(a, b, r);
	case TL_N_MUL:
		return !__builtin_mul_overflow(a, b, r);
	default:
		if (b == 0 || (b == -1 && a == lowest))
			return false;
	}
	__int128 q = a / b, m = a % b;
	if (m != 0 && (m < 0) != (b < 0)) {
		q--;
		m += b;
	}
	*r = kind == TL_N_FLOORDIV ? q : m;
	return true;
}

bool tl_v_arith(struct tl_eval *e, enum tl_node_kind kind, const struct tl_value *a,
                const struct tl_value *b, struct tl_value *out)
{
	__int128 r;
	double x, y;

	if (!tl_v_number(a, &x) || !tl_v_number(b, &y))
		return tl_eval_fail(e, "arithmetic on %s", kind_of(is_number(a) ? b : a));
	if (kind != TL_N_DIV && a->type != TL_V_REAL && b->type != TL_V_REAL &&
	    int_arith(kind, as_int(a), as_int(b), &r)) {
		*out = tl_v_int(r);
		return true;
	}
	return real_arith(e, kind, x, y, out);
}

static bool negate(struct tl_eval *e, const struct tl_value *a, struct tl_value *out)
{
	struct tl_value zero = a->type == TL_V_REAL ? tl_v_real(-0.0) : tl_v_int(0);
	return tl_v_arith(e, TL_N_SUB, &zero, a, out);
}

static int compare_texts(const struct tl_value *a, const struct tl_value *b)
{
	uint32_t n = a->len < b->len ? a->len : b->len;
	int c = n ? memcmp(a->text, b->text, n) : 0;

	return c ? c : (a->len > b->len) - (a->len < b->len);
}

static bool ordered(struct tl_eval *e, enum tl_node_kind kind, const struct tl_value *a,
                    const struct tl_value *b, struct tl_value *out)
{
	int c;

	if (is_number(a) && is_number(b))
		c = tl_v_compare(a, b);
	else if (a->type == TL_V_TEXT && b->type == TL_V_TEXT)
		c = compare_texts(a, b);
	else
		return tl_eval_fail(e, "%s cannot be compared with %s", kind_of(a), kind_of(b));
	bool r = c != 2 && (kind == TL_N_LT ? c < 0 : kind == TL_N_LE ? c <= 0 : kind == TL_N_GT ? c > 0 : c >= 0);
	*out = tl_v_bool(r);
	return true;
}

/* ---- nodes ---------------------------------------------------------------------- */

static bool eval_seq(struct tl_eval *e, const struct tl_node *n, struct tl_value *out)
{
	if (!tl_v_seq(e, n->kind == TL_N_TUPLE ? TL_V_TUPLE : TL_V_LIST, n->n, out))
		return false;
	bool nested = false;

	for (uint32_t i = 0; i < n->n; i++) {
		if (!tl_expr_eval(e, n->arg[i], &out->items[i]))
			return false;
		nested |= tl_v_is_seq(&out->items[i]);
	}
	return !nested || tl_v_fits(e, out); /* lists that share lists grow fast */
}

/* A definition's parameters are variables of the model; what they held before
 * comes back afterwards. */
static bool eval_def(struct tl_eval *e, const struct tl_node *n, struct tl_value *out)
{
	const struct tl_expr_def *d = &e->scope->defs[n->def];
	struct tl_value args[8], saved[8];
	bool saved_set[8];

	for (uint32_t i = 0; i < d->n_params; i++)
		if (!tl_expr_eval(e, n->arg[i], &args[i]))
			return false;
	for (uint32_t i = 0; i < d->n_params; i++) {
		saved[i] = e->vars[d->params[i]];
		saved_set[i] = e->set[d->params[i]];
		e->vars[d->params[i]] = args[i];
		e->set[d->params[i]] = true;
	}
	bool ok = tl_expr_eval(e, d->body, out);
	if (e->calls)
		tl_eval_note_call(e, d, ok ? out : NULL);
	for (uint32_t i = 0; i < d->n_params; i++) {
		e->vars[d->params[i]] = saved[i];
		e->set[d->params[i]] = saved_set[i];
	}
	return ok;
}

static bool eval_call(struct tl_eval *e, const struct tl_node *n, struct tl_value *out)
{
	struct tl_value args[TL_FN_MAX_ARGS];

	for (uint32_t i = 0; i < n->n; i++)
		if (!tl_expr_eval(e, n->arg[i], &args[i]))
			return false;
	return n->fn->call(e, args, n->n, out);
}

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

static bool eval_each(struct tl_eval *e, const struct tl_node *n, struct tl_value *out)
{
	struct tl_value list, made;
	bool nested = false;

	if (!tl_expr_eval(e, n->arg[0], &list))
		return false;
	if (!tl_v_is_seq(&list))
		return tl_eval_fail(e, "each() of %s", kind_of(&list));
	if (!tl_v_seq(e, (enum tl_value_type)list.type, list.len, &made))
		return false;
	made.len = 0;
	for (uint32_t i = 0; i < list.len; i++) {
		struct tl_value *v = &made.items[made.len];
		e->vars[n->var] = list.items[i];
		e->set[n->var] = true;
		if (!tl_expr_eval(e, n->arg[1], v))
			return false;
		made.len += v->type != TL_V_NULL;
		nested |= tl_v_is_seq(v);
	}
	*out = made;
	return !nested || tl_v_fits(e, out);
}

static bool eval_pair(struct tl_eval *e, const struct tl_node *n, struct tl_value *out)
{
	struct tl_value a, b;

	if (!tl_expr_eval(e, n->arg[0], &a))
		return false;
	if (n->kind == TL_N_NOT) {
		*out = tl_v_bool(!tl_v_truth(&a));
		return true;
	}
	if (n->kind == TL_N_NEG)
		return negate(e, &a, out);
	if ((n->kind == TL_N_AND && !tl_v_truth(&a)) || (n->kind == TL_N_OR && tl_v_truth(&a))) {
		*out = a;
		return true;
	}
	if (!tl_expr_eval(e, n->arg[1], &b))
		return false;
	if (n->kind == TL_N_AND || n->kind == TL_N_OR) {
		*out = b;
		return true;
	}
	if (n->kind == TL_N_EQ || n->kind == TL_N_NE) {
		if (tl_v_is_seq(&a) && tl_v_is_seq(&b) && !tl_v_fits(e, &a))
			return false;
		*out = tl_v_bool(tl_v_equal(&a, &b) == (n->kind == TL_N_EQ));
		return true;
	}
	if (n->kind >= TL_N_LT)
		return ordered(e, (enum tl_node_kind)n->kind, &a, &b, out);
	return tl_v_arith(e, (enum tl_node_kind)n->kind, &a, &b, out);
}

static bool eval_sel(struct tl_eval *e, const struct tl_node *n, struct tl_value *out)
{
	if (!tl_expr_eval(e, n->arg[0], out))
		return false;
	return tl_expr_eval(e, n->arg[tl_v_truth(out) ? 1 : 2], out);
}

static bool eval_node(struct tl_eval *e, const struct tl_node *n, struct tl_value *out)
{
	switch (n->kind) {
	case TL_N_CONST:
		*out = *n->value;
		return true;
	case TL_N_VAR:
		if (!e->set[n->var])
			return tl_eval_fail(e, "\"%s\" has no value", tl_str(e->scope->strings, e->scope->vars[n->var] & ~TL_HIDDEN));
		*out = e->vars[n->var];
		return true;
	case TL_N_CALL:
		return eval_call(e, n, out);
	case TL_N_DEF:
		return eval_def(e, n, out);
	case TL_N_TUPLE:
	case TL_N_LIST:
		return eval_seq(e, n, out);
	case TL_N_SEL:
		return eval_sel(e, n, out);
	case TL_N_KNOWN:
		return eval_known(e, n, out);
	case TL_N_EACH:
		return eval_each(e, n, out);
	default:
		return eval_pair(e, n, out);
	}
}

bool tl_expr_eval(struct tl_eval *e, const struct tl_node *n, struct tl_value *out)
{
	if (++e->steps > MAX_STEPS)
		return tl_eval_spend(e, 0);
	return eval_node(e, n, out);
}
