/* fn_outcome.c - functions of what is null or true, and of an evaluation's outcome.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/lang/fn.h"
#include "base/text.h"

/* ---- null ------------------------------------------------------------------- */

FN(fn_isnull) { (void)e, (void)n; return give(out, tl_v_bool(a[0].type == TL_V_NULL)); }
FN(fn_dflt) { (void)e, (void)n; return give(out, a[0].type == TL_V_NULL ? a[1] : a[0]); }
FN(fn_or0) { (void)e, (void)n; return give(out, tl_v_truth(&a[0]) ? a[0] : a[1]); }
FN(fn_bool) { (void)e, (void)n; return give(out, tl_v_bool(tl_v_truth(&a[0]))); }

static bool blank(const struct tl_value *v)
{
	if (v->type != TL_V_TEXT)
		return v->type == TL_V_NULL;
	for (uint32_t i = 0; i < v->len; i++)
		if (!tl_is_blank(v->text[i]))
			return false;
	return true;
}

FN(fn_blank) { (void)e, (void)n; return give(out, tl_v_bool(blank(&a[0]))); }

/* ---- outcome ------------------------------------------------------------------- */

FN(fn_need)
{
	(void)n;
	return tl_v_truth(&a[0]) ? give(out, tl_v_bool(true)) : tl_eval_fail(e, "a condition of the model does not hold");
}

FN(fn_drop)
{
	if (n && !tl_v_truth(&a[0]))
		return give(out, tl_v_bool(true));
	return tl_eval_drop(e, "not modelled");
}

FN(fn_halve)
{
	struct tl_value two = tl_v_int(2);
	(void)n;
	if (!tl_v_truth(&a[0]))
		return tl_eval_fail(e, "a causal mask needs as many queries as keys");
	return tl_v_arith(e, TL_N_DIV, &a[1], &two, out);
}

static bool least(struct tl_eval *e, const struct tl_value *list, const struct tl_value *count, const char *what, struct tl_value *out)
{
	int want;

	if (!small_int(e, count, &want))
		return false;
	if (!list || !tl_v_is_seq(list) || (int)list->len < want)
		return tl_eval_fail(e, "fewer than %d entries in %s", want, what);
	return give(out, tl_v_bool(true));
}

FN(fn_need_ndims) { (void)n; return least(e, e->event->dims, &a[0], "Input Dims", out); }
FN(fn_need_types) { (void)n; return least(e, e->event->types, &a[0], "Input type", out); }

FN(fn_need_rank)
{
	const struct tl_value *d = e->event->dims;
	int i, r;
	(void)n;
	if (!small_int(e, &a[0], &i) || !small_int(e, &a[1], &r))
		return false;
	if (!d || !tl_v_is_seq(d) || i < 0 || i >= (int)d->len || !tl_v_is_seq(&d->items[i]) || (int)d->items[i].len != r)
		return tl_eval_fail(e, "Input Dims[%d] has not rank %d", i, r);
	return give(out, tl_v_bool(true));
}

const struct tl_function tl_fn_outcome[] = {
	{ "isnull", 1, 1, 0, fn_isnull, "isnull(x): is x null" },
	{ "dflt", 2, 2, 0, fn_dflt, "dflt(x, d): x, d when x is null" },
	{ "or0", 2, 2, 0, fn_or0, "or0(x, d): x, d when x is null, 0 or empty" },
	{ "bool", 1, 1, 0, fn_bool, "bool(x): is x true, not 0, not empty" },
	{ "blank", 1, 1, 0, fn_blank, "blank(x): is x null or a text of blanks" },
	{ "need", 1, 1, 0, fn_need, "need(c): failed unless c" },
	{ "drop", 0, 1, 0, fn_drop, "drop(c): dropped if c; drop(): dropped" },
	{ "drop_if", 1, 1, 0, fn_drop, "drop_if(c): dropped if c" },
	{ "halve", 2, 2, 0, fn_halve, "halve(c, x): x/2, failed unless c" },
	{ "need_ndims", 1, 1, 0, fn_need_ndims, "need_ndims(n): failed unless D has n entries or more" },
	{ "need_types", 1, 1, 0, fn_need_types, "need_types(n): failed unless T has n entries or more" },
	{ "need_rank", 2, 2, 0, fn_need_rank, "need_rank(i, r): failed unless D[i] has rank r" },
	{ .name = NULL },
};
