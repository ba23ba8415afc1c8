/* fn_values.c - functions of values: whether there is one, lists, numbers, types.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "lang/functions.h"

#include <math.h>
#include <string.h>

/* ---- values and outcomes ---------------------------------------------------------- */

TL_FN(fn_dflt) { return tl_give(out, a[0].type == TL_V_NULL ? a[1] : a[0]); }
TL_FN(fn_bool) { return tl_give(out, tl_v_bool(tl_v_truth(&a[0]))); }

TL_FN(fn_need)
{
	*out = tl_v_bool(true);
	return tl_v_truth(&a[0]) || tl_eval_fail(e, "a condition of the model does not hold");
}

TL_FN(fn_drop)
{
	return tl_eval_drop(e, "not modelled");
}

/* ---- lists -------------------------------------------------------------------------- */

TL_FN(fn_len)
{
	return tl_eval_need_seq(e, &a[0]) && tl_give(out, tl_v_int(a[0].len));
}

TL_FN(fn_item)
{
	int i;

	if (!tl_eval_need_seq(e, &a[0]) || !tl_eval_small_int(e, &a[1], &i))
		return false;
	int at = i < 0 ? i + (int)a[0].len : i;
	if (at < 0 || at >= (int)a[0].len)
		return tl_eval_fail(e, "no item %d in %u", i, a[0].len);
	return tl_give(out, a[0].items[at]);
}

TL_FN(fn_slice)
{
	int from, to;

	if (!tl_eval_need_seq(e, &a[0]) || !tl_eval_small_int(e, &a[1], &from))
		return false;
	to = (int)a[0].len;
	if (n == 3 && !tl_eval_small_int(e, &a[2], &to))
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

TL_FN(fn_cat)
{
	if (!tl_eval_need_seq(e, &a[0]) || !tl_eval_need_seq(e, &a[1]) ||
	    !tl_eval_seq(e, (enum tl_value_type)a[0].type, (size_t)a[0].len + a[1].len, out))
		return false;
	if (a[0].len)
		memcpy(out->items, a[0].items, a[0].len * sizeof *out->items);
	if (a[1].len)
		memcpy(out->items + a[0].len, a[1].items, a[1].len * sizeof *out->items);
	return tl_eval_fits(e, out);
}

TL_FN(fn_range)
{
	int count;

	if (!tl_eval_small_int(e, &a[0], &count) || !tl_eval_seq(e, TL_V_TUPLE, count < 0 ? 0 : (size_t)count, out))
		return false;
	for (int i = 0; i < count; i++)
		out->items[i] = tl_v_int(i);
	return true;
}

/* All items of a list joined by + or *. */
static bool fold(struct tl_eval *e, enum tl_arithmetic operator, struct tl_value start, const struct tl_value *list,
                 struct tl_value *out)
{
	if (!tl_eval_need_seq(e, list))
		return false;
	for (uint32_t i = 0; i < list->len; i++)
		if (!tl_eval_arith(e, operator, &start, &list->items[i], &start))
			return false;
	return tl_give(out, start);
}

TL_FN(fn_sum) { return fold(e, TL_ADD, tl_v_int(0), &a[0], out); }
TL_FN(fn_prod) { return fold(e, TL_MUL, tl_v_int(1), &a[0], out); }

/* Broadcast of two shapes, aligned at the right. */
TL_FN(fn_bcast)
{
	const struct tl_value one = tl_v_int(1);
	double x, y;

	if (!tl_eval_need_seq(e, &a[0]) || !tl_eval_need_seq(e, &a[1]))
		return false;
	uint32_t len = a[0].len > a[1].len ? a[0].len : a[1].len;
	if (!tl_eval_seq(e, TL_V_TUPLE, len, out))
		return false;
	for (uint32_t i = 0; i < len; i++) {
		const struct tl_value *p = i < a[0].len ? &a[0].items[a[0].len - 1 - i] : &one;
		const struct tl_value *q = i < a[1].len ? &a[1].items[a[1].len - 1 - i] : &one;
		if (!tl_v_number(p, &x) || !tl_v_number(q, &y) || (x != y && x != 1 && y != 1))
			return tl_eval_fail(e, "shapes that cannot be broadcast");
		out->items[len - 1 - i] = tl_v_compare(p, q) == 1 ? *p : *q;
	}
	return true;
}

/* ---- numbers ------------------------------------------------------------------------------ */

/* Of the arguments, or of the items of the only one. */
static bool extreme(struct tl_eval *e, const struct tl_value *a, uint32_t n, int sign, struct tl_value *out)
{
	bool list = n == 1 && tl_v_is_seq(a);
	const struct tl_value *v = list ? a->items : a, *best = v;
	uint32_t count = list ? a->len : n;
	double d;

	if (!count)
		return tl_eval_fail(e, "an empty list has no largest and no smallest item");
	for (uint32_t i = 0; i < count; i++) {
		if (!tl_v_number(&v[i], &d))
			return tl_eval_fail(e, "a number is needed");
		if (tl_v_compare(&v[i], best) == sign)
			best = &v[i];
	}
	return tl_give(out, *best);
}

TL_FN(fn_max) { return extreme(e, a, n, 1, out); }
TL_FN(fn_min) { return extreme(e, a, n, -1, out); }

TL_FN(fn_cdiv)
{
	struct tl_value one = tl_v_int(1), t;

	return tl_eval_arith(e, TL_ADD, &a[0], &a[1], &t) && tl_eval_arith(e, TL_SUB, &t, &one, &t) &&
	       tl_eval_arith(e, TL_FLOORDIV, &t, &a[1], out);
}

TL_FN(fn_pow)
{
	double x, y;

	if (!tl_v_number(&a[0], &x) || !tl_v_number(&a[1], &y))
		return tl_eval_fail(e, "a number is needed");
	if (x == 0 && y < 0)
		return tl_eval_fail(e, "division by zero");
	double r = pow(x, y);
	if (isfinite(x) && isfinite(y) && !isfinite(r))
		return tl_eval_fail(e, "a power that is not a number");
	return tl_give(out, tl_v_real(r));
}

/* ---- maps ---------------------------------------------------------------------------------- */

static bool map_value(struct tl_eval *e, const struct tl_value *map, const struct tl_value *key, struct tl_value none,
                      struct tl_value *out)
{
	const struct tl_value *v = NULL;

	if (key->type == TL_V_TEXT)
		v = tl_lookup_get(e->maps, map->text, map->len, key->text, key->len);
	return tl_give(out, v ? *v : none);
}

TL_FN(fn_lookup)
{
	if (a[0].type != TL_V_TEXT)
		return tl_eval_fail(e, "lookup takes the name of a map and a key");
	return map_value(e, &a[0], &a[1], n == 3 ? a[2] : tl_v_null(), out);
}

/* The keys of these maps are in lower case. */
static bool of_type(struct tl_eval *e, const char *map, const struct tl_value *type, struct tl_value *out)
{
	struct tl_value key, name = tl_v_text(map, strlen(map));

	if (type->type == TL_V_NULL)
		return tl_give(out, tl_v_null());
	return tl_fn_lower(e, type, &key) && map_value(e, &name, &key, tl_v_null(), out);
}

TL_FN(fn_bpe) { return of_type(e, "bytes", &a[0], out); }
TL_FN(fn_prec) { return of_type(e, "precision", &a[0], out); }

const struct tl_function tl_fn_values[] = {
	{ "dflt", 2, 2, 0, fn_dflt, "dflt(x, d): x; d when x is null" },
	{ "bool", 1, 1, 0, fn_bool, "bool(x): False when x is null, False, 0 or empty, else True" },
	{ "need", 1, 1, 0, fn_need, "need(c): True; the model fails when c is not true" },
	{ "drop", 0, 0, 0, fn_drop, "drop(): the model is dropped" },
	{ "len", 1, 1, 0, fn_len, "len(x): items of a list" },
	{ "item", 2, 2, 0, fn_item, "item(x, i): item i of a list, from the end when negative" },
	{ "slice", 2, 3, 0, fn_slice, "slice(x, i[, j]): items i up to before j" },
	{ "cat", 2, 2, 0, fn_cat, "cat(x, y): the items of x and then those of y; a list or a tuple as x is" },
	{ "range", 1, 1, 0, fn_range, "range(n): (0, 1, ..., n-1)" },
	{ "sum", 1, 1, 0, fn_sum, "sum(x): sum of the items" },
	{ "prod", 1, 1, 0, fn_prod, "prod(x): product of the items" },
	{ "bcast", 2, 2, 0, fn_bcast, "bcast(x, y): the shape that two shapes make together (broadcasting)" },
	{ "max", 1, TL_FN_MAX_ARGS, 0, fn_max,
	  "max(a, ...), max(x): the largest of the arguments, or of the items of a list" },
	{ "min", 1, TL_FN_MAX_ARGS, 0, fn_min, "min(a, ...), min(x): the smallest" },
	{ "cdiv", 2, 2, 0, fn_cdiv, "cdiv(a, b): (a+b-1)//b" },
	{ "pow", 2, 2, 0, fn_pow, "pow(x, y): x to the power of y, a real" },
	{ "lookup", 2, 3, TL_FN_MAP, fn_lookup, "lookup(map, key[, d]): value of a map line; d, or null, when there is none" },
	{ "bpe", 1, 1, 0, fn_bpe, "bpe(t): bytes of an element of type t, null when unknown" },
	{ "prec", 1, 1, 0, fn_prec, "prec(t): name of the precision of type t, null when unknown" },
	{ .name = NULL },
};
