/* fn_values.c - functions of values: lists, numbers, texts, types.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/lang/fn.h"

#include <math.h>
#include <string.h>

/* ---- lists ------------------------------------------------------------------------------ */

FN(fn_len)
{
	(void)n;
	if (a[0].type != TL_V_TEXT && !seq_arg(e, &a[0]))
		return false;
	return give(out, tl_v_int(a[0].len));
}

FN(fn_item)
{
	int i;
	(void)n;
	if (!seq_arg(e, &a[0]) || !small_int(e, &a[1], &i))
		return false;
	int at = i < 0 ? i + (int)a[0].len : i;
	if (at < 0 || at >= (int)a[0].len)
		return tl_eval_fail(e, "no item %d in %u", i, a[0].len);
	return give(out, a[0].items[at]);
}

FN(fn_slice)
{
	int from, to;

	if (!seq_arg(e, &a[0]) || !small_int(e, &a[1], &from))
		return false;
	to = (int)a[0].len;
	if (n == 3 && !small_int(e, &a[2], &to))
		return false;
	if (from < 0 || to < 0)
		return tl_eval_fail(e, "slice bounds must not be negative");
	if (to > (int)a[0].len)
		to = (int)a[0].len;
	if (from > to)
		from = to;
	*out = a[0];
	out->items = a[0].items + from;
	out->len = (uint32_t)(to - from);
	return true;
}

FN(fn_cat)
{
	(void)n;
	if (!seq_arg(e, &a[0]) || !seq_arg(e, &a[1]) ||
	    !tl_v_seq(e, (enum tl_value_type)a[0].type, (size_t)a[0].len + a[1].len, out))
		return false;
	if (a[0].len)
		memcpy(out->items, a[0].items, a[0].len * sizeof *out->items);
	if (a[1].len)
		memcpy(out->items + a[0].len, a[1].items, a[1].len * sizeof *out->items);
	return tl_v_fits(e, out);
}

static bool repeat(struct tl_eval *e, const struct tl_value *v, const struct tl_value *count, struct tl_value *out)
{
	int k;

	if (!small_int(e, count, &k))
		return false;
	if (!tl_v_seq(e, TL_V_TUPLE, k < 0 ? 0 : (size_t)k, out))
		return false;
	for (uint32_t i = 0; i < out->len; i++)
		out->items[i] = *v;
	return !tl_v_is_seq(v) || tl_v_fits(e, out);
}

FN(fn_rep) { (void)n; return repeat(e, &a[0], &a[1], out); }

FN(fn_bcast1)
{
	(void)n;
	if (!seq_arg(e, &a[0]))
		return false;
	return a[0].len == 1 ? repeat(e, &a[0].items[0], &a[1], out) : give(out, a[0]);
}

/* spread("[1, 1]", d, n): the integers of the text; one alone n times; d n times when empty */
FN(fn_spread)
{
	struct tl_value v;
	(void)n;
	if (tl_v_is(&a[0], ""))
		return repeat(e, &a[1], &a[2], out);
	if (!tl_fn_int_list(e, &a[0], &v))
		return false;
	return v.len == 1 ? repeat(e, &v.items[0], &a[2], out) : give(out, v);
}

FN(fn_pick)
{
	int i;
	if (!small_int(e, &a[0], &i))
		return false;
	if (i < 1 || i >= (int)n)
		return tl_eval_fail(e, "no choice %d of %u", i, n - 1);
	return give(out, a[i]);
}

bool tl_fn_product(struct tl_eval *e, const struct tl_value *list, struct tl_value *out)
{
	struct tl_value p = tl_v_int(1);

	if (!seq_arg(e, list))
		return false;
	for (uint32_t i = 0; i < list->len; i++)
		if (!tl_v_arith(e, TL_N_MUL, &p, &list->items[i], &p))
			return false;
	return give(out, p);
}

FN(fn_prod) { (void)n; return tl_fn_product(e, &a[0], out); }

FN(fn_totup)
{
	(void)n;
	if (!seq_arg(e, &a[0]))
		return false;
	*out = a[0];
	out->type = TL_V_TUPLE;
	return true;
}

FN(fn_join)
{
	(void)n;
	if (a[0].type != TL_V_TEXT || !seq_arg(e, &a[1]))
		return tl_eval_fail(e, "join takes a text and a list of texts");
	size_t len = 0;
	for (uint32_t i = 0; i < a[1].len; i++) {
		if (a[1].items[i].type != TL_V_TEXT)
			return tl_eval_fail(e, "join takes a text and a list of texts");
		len += a[1].items[i].len + a[0].len;
	}
	if (len > 1000000)
		return tl_eval_fail(e, "text of %zu bytes is too long", len);
	if (!tl_eval_spend(e, len / 16))
		return false;
	char *s = tl_arena_alloc(e->arena, len + 1), *p = s;
	for (uint32_t i = 0; i < a[1].len; i++) {
		if (i) {
			memcpy(p, a[0].text, a[0].len);
			p += a[0].len;
		}
		memcpy(p, a[1].items[i].text, a[1].items[i].len);
		p += a[1].items[i].len;
	}
	return give(out, tl_v_text(s, (size_t)(p - s)));
}

/* ---- numbers ------------------------------------------------------------------------------ */

static bool extreme(struct tl_eval *e, const struct tl_value *a, uint32_t n, bool max, struct tl_value *out)
{
	double d;
	uint32_t at = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (!tl_v_number(&a[i], &d))
			return tl_eval_fail(e, "a number is needed");
		if (tl_v_compare(&a[i], &a[at]) == (max ? 1 : -1))
			at = i;
	}
	return give(out, a[at]);
}

FN(fn_max) { return extreme(e, a, n, true, out); }
FN(fn_min) { return extreme(e, a, n, false, out); }

FN(fn_cdiv)
{
	struct tl_value one = tl_v_int(1), t;
	(void)n;
	return tl_v_arith(e, TL_N_ADD, &a[0], &a[1], &t) && tl_v_arith(e, TL_N_SUB, &t, &one, &t) &&
	       tl_v_arith(e, TL_N_FLOORDIV, &t, &a[1], out);
}

static bool to_integer(struct tl_eval *e, const struct tl_value *v, double (*round_it)(double), struct tl_value *out)
{
	double d;

	if (v->type == TL_V_INT)
		return give(out, *v);
	if (!tl_v_number(v, &d) || !(fabs(d) < 1e37))
		return tl_eval_fail(e, "not a number that can be an integer");
	return give(out, tl_v_int((__int128)round_it(d)));
}

FN(fn_trunc) { (void)n; return to_integer(e, &a[0], trunc, out); }
FN(fn_ceil) { (void)n; return to_integer(e, &a[0], ceil, out); }

FN(fn_pow)
{
	double x, y;
	(void)n;
	if (!tl_v_number(&a[0], &x) || !tl_v_number(&a[1], &y))
		return tl_eval_fail(e, "a number is needed");
	if (x == 0 && y < 0)
		return tl_eval_fail(e, "division by zero");
	double r = pow(x, y);
	if (isfinite(x) && isfinite(y) && !isfinite(r))
		return tl_eval_fail(e, "a power that is not a number");
	return give(out, tl_v_real(r));
}

/* ---- texts ------------------------------------------------------------------------------------ */

bool tl_fn_lower(struct tl_eval *e, const struct tl_value *v, struct tl_value *out)
{
	if (v->type != TL_V_TEXT)
		return tl_eval_fail(e, "a text is needed");
	if (!tl_eval_spend(e, v->len / 16))
		return false;
	char *s = tl_arena_dup(e->arena, v->text, v->len);
	for (uint32_t i = 0; i < v->len; i++)
		if (s[i] >= 'A' && s[i] <= 'Z')
			s[i] = (char)(s[i] + 'a' - 'A');
	return give(out, tl_v_text(s, v->len));
}

FN(fn_lower) { (void)n; return tl_fn_lower(e, &a[0], out); }

FN(fn_has)
{
	(void)n;
	if (a[0].type != TL_V_TEXT || a[1].type != TL_V_TEXT)
		return tl_eval_fail(e, "has takes two texts");
	return give(out, tl_v_bool(!a[1].len || memmem(a[0].text, a[0].len, a[1].text, a[1].len)));
}

/* ---- types ---------------------------------------------------------------------------------- */

static bool by_lower(struct tl_eval *e, const char *map, const struct tl_value *t, struct tl_value *out)
{
	struct tl_value key;

	if (t->type == TL_V_NULL)
		return give(out, tl_v_null());
	if (!tl_fn_lower(e, t, &key))
		return false;
	const struct tl_value *v = tl_registry_lookup(e->registry, map, key.text, key.len);
	return give(out, v ? *v : tl_v_null());
}

bool tl_type_bytes(struct tl_eval *e, const struct tl_value *type, struct tl_value *out)
{
	return by_lower(e, "bytes", type, out);
}

bool tl_type_precision(struct tl_eval *e, const struct tl_value *type, struct tl_value *out)
{
	return by_lower(e, "precision", type, out);
}

FN(fn_bpe) { (void)n; return tl_type_bytes(e, &a[0], out); }
FN(fn_prec) { (void)n; return tl_type_precision(e, &a[0], out); }

static const struct tl_value *exact(struct tl_eval *e, const char *map, const struct tl_value *t)
{
	return t->type == TL_V_TEXT ? tl_registry_lookup(e->registry, map, t->text, t->len) : NULL;
}

FN(fn_mbpe)
{
	const struct tl_value *v = exact(e, "moe-bytes", &a[0]);
	(void)n;
	return give(out, v ? *v : a[1]);
}

FN(fn_mbpereq)
{
	const struct tl_value *v = exact(e, "moe-bytes", &a[0]);
	(void)n;
	return v ? give(out, *v) : tl_eval_fail(e, "a type whose size is not known");
}

FN(fn_lookup)
{
	char map[64];
	(void)n;
	if (a[0].type != TL_V_TEXT || a[0].len >= sizeof map)
		return tl_eval_fail(e, "lookup takes the name of a map and a key");
	memcpy(map, a[0].text, a[0].len);
	map[a[0].len] = 0;
	const struct tl_value *v = exact(e, map, &a[1]);
	return give(out, v ? *v : tl_v_null());
}

const struct tl_function tl_fn_values[] = {
	{ "len", 1, 1, 0, fn_len, "len(x): items of a list or tuple, bytes of a text" },
	{ "item", 2, 2, 0, fn_item, "item(x, i): item i, from the end when negative" },
	{ "slice", 2, 3, 0, fn_slice, "slice(x, i[, j]): items i up to before j" },
	{ "cat", 2, 2, 0, fn_cat, "cat(x, y): x and then y" },
	{ "rep", 2, 2, 0, fn_rep, "rep(v, n): tuple of n times v" },
	{ "bcast1", 2, 2, 0, fn_bcast1, "bcast1(x, n): a single item n times, else x" },
	{ "spread", 3, 3, 0, fn_spread, "spread(text, d, n): ints(text), one alone n times; d n times when empty" },
	{ "pick", 2, TL_FN_MAX_ARGS, 0, fn_pick, "pick(n, a, b, …): the n-th, from 1" },
	{ "prod", 1, 1, 0, fn_prod, "prod(x): product of the items, 1 when there are none" },
	{ "totup", 1, 1, 0, fn_totup, "totup(x): x as a tuple" },
	{ "join", 2, 2, 0, fn_join, "join(sep, x): texts joined" },
	{ "max", 1, TL_FN_MAX_ARGS, 0, fn_max, "max(a, …): the largest" },
	{ "min", 1, TL_FN_MAX_ARGS, 0, fn_min, "min(a, …): the smallest" },
	{ "cdiv", 2, 2, 0, fn_cdiv, "cdiv(a, b): (a+b-1)//b" },
	{ "trunc", 1, 1, 0, fn_trunc, "trunc(x): towards zero, an integer" },
	{ "ceil", 1, 1, 0, fn_ceil, "ceil(x): upwards, an integer" },
	{ "pow", 2, 2, 0, fn_pow, "pow(x, y): x to the power of y, a real" },
	{ "lower", 1, 1, 0, fn_lower, "lower(t): text in lower case" },
	{ "has", 2, 2, 0, fn_has, "has(t, u): does t contain u" },
	{ "bpe", 1, 1, 0, fn_bpe, "bpe(t): bytes of an element of type t, null when unknown" },
	{ "prec", 1, 1, 0, fn_prec, "prec(t): name of the precision of type t, null when unknown" },
	{ "mbpe", 2, 2, 0, fn_mbpe, "mbpe(t, d): bytes by the map moe-bytes, else d" },
	{ "mbpereq", 1, 1, 0, fn_mbpereq, "mbpereq(t): bytes by the map moe-bytes, else failed" },
	{ "lookup", 2, 2, 0, fn_lookup, "lookup(map, key): value of a map line, null when there is none" },
	{ .name = NULL },
};
