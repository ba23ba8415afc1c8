/* fn_args.c - functions that look at an event's arguments: dims, types,
 * strides, concrete inputs. "Strict" ones fail where others give null.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/lang/fn.h"

#include <math.h>
#include <string.h>

#define UNUSED (void)e, (void)a, (void)n

/* An argument that must be a small integer. */
static bool index_arg(struct tl_eval *e, const struct tl_value *v, int *out)
{
	*out = 0;
	if (v->type != TL_V_INT || v->i < -100000 || v->i > 100000)
		return tl_eval_fail(e, "a slot or position must be a small integer");
	*out = (int)v->i;
	return true;
}

/* Entry i of one of the four lists, or NULL. */
static const struct tl_value *entry(const struct tl_value *list, int i)
{
	if (!list || !tl_v_is_seq(list) || i < 0 || (uint32_t)i >= list->len)
		return NULL;
	return &list->items[i];
}

static bool strict(struct tl_eval *e, const struct tl_value *list, const char *what, const struct tl_value *slot,
                   const struct tl_value **out)
{
	int i;

	if (!index_arg(e, slot, &i))
		return false;
	*out = entry(list, i);
	if (*out)
		return true;
	if (!list || !tl_v_is_seq(list))
		return tl_eval_fail(e, "no %s", what);
	return tl_eval_fail(e, "no %s[%d]: there are %u", what, i, list->len);
}

static bool optional(struct tl_eval *e, const struct tl_value *list, const struct tl_value *slot,
                     const struct tl_value **out)
{
	int i;

	if (!index_arg(e, slot, &i))
		return false;
	*out = entry(list, i);
	return true;
}

/* ---- Input Dims -------------------------------------------------------------- */

static bool shape(struct tl_eval *e, const struct tl_value *slot, const struct tl_value **out)
{
	if (!strict(e, e->event->dims, "Input Dims", slot, out))
		return false;
	if (!tl_v_is_seq(*out))
		return tl_eval_fail(e, "Input Dims[%d] is not a list", (int)slot->i);
	return true;
}

static bool pick(struct tl_eval *e, const struct tl_value *s, int j, struct tl_value *out)
{
	int at = j < 0 ? j + (int)s->len : j;

	if (at < 0 || at >= (int)s->len)
		return tl_eval_fail(e, "no position %d in a list of %u", j, s->len);
	*out = s->items[at];
	return true;
}

FN(fn_dim)
{
	const struct tl_value *s;
	int j;
	(void)n;
	return shape(e, &a[0], &s) && index_arg(e, &a[1], &j) && pick(e, s, j, out);
}

FN(fn_dimopt)
{
	const struct tl_value *s;
	int j;
	(void)n;
	if (!optional(e, e->event->dims, &a[0], &s) || !index_arg(e, &a[1], &j))
		return false;
	*out = s && tl_v_is_seq(s) && j >= 0 && (uint32_t)j < s->len ? s->items[j] : tl_v_null();
	return true;
}

/* k-th entry from the end of a shape of at least `least` dims */
static bool from_end(struct tl_eval *e, const struct tl_value *a, int least, struct tl_value *out)
{
	const struct tl_value *s;
	int k;

	if (!shape(e, &a[0], &s) || !index_arg(e, &a[1], &k))
		return false;
	if ((int)s->len < least || (int)s->len < k || k < 1)
		return tl_eval_fail(e, "Input Dims[%d] has rank %u", (int)a[0].i, s->len);
	*out = s->items[s->len - (uint32_t)k];
	return true;
}

FN(fn_dimr) { (void)n; return from_end(e, a, 3, out); }
FN(fn_dimb) { (void)n; return from_end(e, a, 1, out); }

FN(fn_last)
{
	const struct tl_value *s;
	(void)n;
	return shape(e, &a[0], &s) && pick(e, s, -1, out);
}

FN(fn_rank)
{
	const struct tl_value *s;
	(void)n;
	if (!shape(e, &a[0], &s))
		return false;
	*out = tl_v_int(s->len);
	return true;
}

static bool shape_as(struct tl_eval *e, const struct tl_value *slot, enum tl_value_type type, struct tl_value *out)
{
	const struct tl_value *s;

	if (!shape(e, slot, &s))
		return false;
	*out = *s;
	out->type = (uint8_t)type;
	return true;
}

FN(fn_shp) { (void)n; return shape_as(e, a, TL_V_TUPLE, out); }
FN(fn_lst) { (void)n; return shape_as(e, a, TL_V_LIST, out); }

FN(fn_tup0)
{
	const struct tl_value *s;
	(void)n;
	if (!optional(e, e->event->dims, a, &s))
		return false;
	if (!s)
		return tl_v_seq(e, TL_V_TUPLE, 0, out);
	return shape_as(e, a, TL_V_TUPLE, out);
}

FN(fn_shpn)
{
	const struct tl_value *s;
	(void)n;
	if (!strict(e, e->event->dims, "Input Dims", &a[0], &s))
		return false;
	*out = *s;
	return true;
}

FN(fn_ndims)
{
	(void)a, (void)n;
	if (!e->event->dims || !tl_v_is_seq(e->event->dims))
		return tl_eval_fail(e, "no Input Dims");
	*out = tl_v_int(e->event->dims->len);
	return true;
}

FN(fn_ndims0)
{
	UNUSED;
	*out = tl_v_int(e->event->dims && tl_v_is_seq(e->event->dims) ? e->event->dims->len : 0);
	return true;
}

FN(fn_ntypes)
{
	UNUSED;
	*out = tl_v_int(e->event->types && tl_v_is_seq(e->event->types) ? e->event->types->len : 0);
	return true;
}

/* of a slot: has it dims? of a text: the text itself, failed when empty */
FN(fn_nonempty)
{
	const struct tl_value *s;
	(void)n;
	if (a[0].type == TL_V_TEXT || a[0].type == TL_V_NULL) {
		*out = a[0];
		return tl_v_truth(&a[0]) || tl_eval_fail(e, "an empty text");
	}
	if (!strict(e, e->event->dims, "Input Dims", &a[0], &s))
		return false;
	*out = tl_v_bool(tl_v_truth(s));
	return true;
}

FN(fn_find_rank)
{
	const struct tl_value *d = e->event->dims;
	int rank, k;
	(void)n;
	if (!index_arg(e, &a[0], &rank) || !index_arg(e, &a[1], &k))
		return false;
	for (uint32_t i = 0; d && tl_v_is_seq(d) && i < d->len; i++)
		if (tl_v_is_seq(&d->items[i]) && (int)d->items[i].len == rank && k-- == 0) {
			*out = tl_v_int(i);
			return true;
		}
	*out = a[2];
	return true;
}

/* ---- Input type ------------------------------------------------------------------ */

FN(fn_typ)
{
	const struct tl_value *s;
	if (n == 2) {
		if (!optional(e, e->event->types, &a[0], &s))
			return false;
		*out = s ? *s : a[1];
		return true;
	}
	if (!strict(e, e->event->types, "Input type", &a[0], &s))
		return false;
	*out = *s;
	return true;
}

FN(fn_typk)
{
	if (!e->event->types) {
		*out = tl_v_null();
		return true;
	}
	return fn_typ(e, a, n, out);
}

FN(fn_typopt)
{
	const struct tl_value *s;
	(void)n;
	if (a[0].type == TL_V_NULL) {
		*out = tl_v_null();
		return true;
	}
	if (!optional(e, e->event->types, &a[0], &s))
		return false;
	*out = s ? *s : tl_v_null();
	return true;
}

FN(fn_typs)
{
	const struct tl_value *t = e->event->types;
	int i, count;
	(void)n;
	if (!index_arg(e, &a[0], &i) || !index_arg(e, &a[1], &count))
		return false;
	if (!t || !tl_v_is_seq(t))
		return tl_eval_fail(e, "no Input type");
	int have = (int)t->len - i;
	if (i < 0 || have < 0)
		have = 0;
	if (count < have)
		have = count;
	if (!tl_v_seq(e, TL_V_TUPLE, (size_t)(have < 0 ? 0 : have), out))
		return false;
	for (int k = 0; k < have; k++)
		out->items[k] = t->items[i + k];
	return true;
}

FN(fn_typlast2)
{
	const struct tl_value *t = e->event->types, *s = entry(t, 1);
	(void)a, (void)n;
	if (!s)
		s = entry(t, 0);
	*out = s ? *s : tl_v_null();
	return true;
}

/* ---- Input Strides ------------------------------------------------------------------ */

static bool stride_tuple(struct tl_eval *e, const struct tl_value *s, struct tl_value *out)
{
	if (!tl_v_is_seq(s))
		return tl_eval_fail(e, "Input Strides holds something other than a list");
	*out = *s;
	out->type = TL_V_TUPLE;
	return true;
}

FN(fn_stup)
{
	const struct tl_value *s;
	(void)n;
	return strict(e, e->event->strides, "Input Strides", &a[0], &s) && stride_tuple(e, s, out);
}

FN(fn_stupk)
{
	if (!e->event->strides) {
		*out = tl_v_null();
		return true;
	}
	return fn_stup(e, a, n, out);
}

FN(fn_stupq)
{
	const struct tl_value *s[2];
	int which;
	(void)n;
	if (!index_arg(e, &a[2], &which) || !optional(e, e->event->strides, &a[0], &s[0]) ||
	    !optional(e, e->event->strides, &a[1], &s[1]))
		return false;
	if (!s[0] || !s[1]) {
		*out = tl_v_null();
		return true;
	}
	struct tl_value other;
	return stride_tuple(e, s[which ? 0 : 1], &other) && stride_tuple(e, s[which ? 1 : 0], out);
}

FN(fn_need_strides)
{
	const struct tl_value *s;
	for (uint32_t i = 0; i < n; i++)
		if (!strict(e, e->event->strides, "Input Strides", &a[i], &s))
			return false;
	*out = tl_v_bool(true);
	return true;
}

/* ---- Concrete Inputs ------------------------------------------------------------------ */

FN(fn_con)
{
	const struct tl_value *s;
	(void)n;
	if (!strict(e, e->event->concrete, "Concrete Inputs", &a[0], &s))
		return false;
	*out = *s;
	return true;
}

FN(fn_conopt)
{
	const struct tl_value *s;
	(void)n;
	if (!optional(e, e->event->concrete, &a[0], &s))
		return false;
	*out = s ? *s : tl_v_null();
	return true;
}

FN(fn_conbool)
{
	if (!fn_con(e, a, n, out))
		return false;
	*out = tl_v_bool(tl_v_truth(out));
	return true;
}

FN(fn_blankopt)
{
	if (!fn_conopt(e, a, n, out))
		return false;
	*out = tl_v_bool(out->type == TL_V_NULL || tl_v_is(out, ""));
	return true;
}

FN(fn_con_ints)
{
	const struct tl_value *c = e->event->concrete;
	uint32_t max = c && tl_v_is_seq(c) ? c->len : 0, count = 0;
	(void)a, (void)n;
	if (!tl_v_seq(e, TL_V_TUPLE, max, out))
		return false;
	for (uint32_t i = 0; i < max; i++) {
		__int128 x;
		if (c->items[i].type == TL_V_TEXT && tl_parse_pyint(c->items[i].text, c->items[i].len, &x))
			out->items[count++] = tl_v_int(x);
		else if (c->items[i].type == TL_V_INT)
			out->items[count++] = c->items[i];
		else if (c->items[i].type == TL_V_BOOL)
			out->items[count++] = tl_v_int(c->items[i].b);
		else if (c->items[i].type == TL_V_REAL && fabs(c->items[i].d) < 1e37)
			out->items[count++] = tl_v_int((__int128)c->items[i].d);
	}
	out->len = count;
	return true;
}

/* ---- others ------------------------------------------------------------------------------ */

FN(fn_arg)
{
	const struct tl_value *v = NULL;

	if (a[0].type != TL_V_TEXT)
		return tl_eval_fail(e, "arg() takes the name of an argument");
	if (e->event->arg) {
		char key[128];
		if (a[0].len < sizeof key) {
			memcpy(key, a[0].text, a[0].len);
			key[a[0].len] = 0;
			v = e->event->arg(e->event->ctx, key);
		}
	}
	*out = v ? *v : n == 2 ? a[1] : tl_v_null();
	return true;
}

FN(fn_hasname)
{
	(void)n;
	if (a[0].type != TL_V_TEXT)
		return tl_eval_fail(e, "hasname() takes a text");
	*out = tl_v_bool(a[0].len == 0 || memmem(e->event->name, e->event->name_len, a[0].text, a[0].len));
	return true;
}

FN(fn_kernel0)
{
	(void)a, (void)n;
	if (!e->event->n_kernels)
		return tl_eval_fail(e, "no kernel");
	*out = tl_v_text(e->event->kernels[0], strlen(e->event->kernels[0]));
	return true;
}

FN(fn_outtype)
{
	const struct tl_value *s = entry(e->event->out_types, 0);
	(void)a, (void)n;
	*out = s ? *s : tl_v_null();
	return true;
}

const struct tl_function tl_fn_args[] = {
	{ "dim", 2, 2, 0, fn_dim, "dim(i, j): D[i][j], j from the end when negative" },
	{ "dimopt", 2, 2, 0, fn_dimopt, "dimopt(i, j): the same, null when there is none" },
	{ "dimr", 2, 2, 0, fn_dimr, "dimr(i, k): k-th dim from the end of D[i], which needs rank 3" },
	{ "dimb", 2, 2, 0, fn_dimb, "dimb(i, k): k-th dim from the end of D[i]" },
	{ "last", 1, 1, 0, fn_last, "last(i): last dim of D[i]" },
	{ "rank", 1, 1, 0, fn_rank, "rank(i): number of dims of D[i]" },
	{ "shp", 1, 1, 0, fn_shp, "shp(i): D[i] as a tuple" },
	{ "tup", 1, 1, 0, fn_shp, "tup(i): D[i] as a tuple" },
	{ "lst", 1, 1, 0, fn_lst, "lst(i): D[i] as a list" },
	{ "tup0", 1, 1, 0, fn_tup0, "tup0(i): D[i] as a tuple, () when there is none" },
	{ "shpn", 1, 1, 0, fn_shpn, "shpn(i): D[i] as it is, which may be null" },
	{ "ndims", 0, 0, 0, fn_ndims, "ndims(): number of entries of D" },
	{ "ndims0", 0, 0, 0, fn_ndims0, "ndims0(): the same, 0 without Input Dims" },
	{ "ntypes", 0, 0, 0, fn_ntypes, "ntypes(): number of entries of T, 0 without Input type" },
	{ "nonempty", 1, 1, 0, fn_nonempty, "nonempty(i): has D[i] dims; nonempty(text): the text, failed when empty" },
	{ "find_rank", 3, 3, 0, fn_find_rank, "find_rank(r, k, d): slot of the k-th entry of D with rank r, else d" },
	{ "typ", 1, 2, 0, fn_typ, "typ(i): T[i]; typ(i, d): T[i], d when there is none" },
	{ "typk", 1, 1, 0, fn_typk, "typk(i): T[i], null without Input type" },
	{ "typopt", 1, 1, 0, fn_typopt, "typopt(i): T[i], null when there is none or i is null" },
	{ "typs", 2, 2, 0, fn_typs, "typs(i, n): up to n types from slot i, a tuple" },
	{ "typlast2", 0, 0, 0, fn_typlast2, "typlast2(): T[1], else T[0], else null" },
	{ "stup", 1, 1, 0, fn_stup, "stup(i): S[i] as a tuple" },
	{ "stupk", 1, 1, 0, fn_stupk, "stupk(i): the same, null without Input Strides" },
	{ "stupq", 3, 3, 0, fn_stupq, "stupq(i, j, k): (S[i], S[j])[k], null when either is missing" },
	{ "need_strides", 1, 8, 0, fn_need_strides, "need_strides(i, …): failed unless S has these slots" },
	{ "con", 1, 1, 0, fn_con, "con(i): C[i]" },
	{ "conopt", 1, 1, 0, fn_conopt, "conopt(i): C[i], null when there is none" },
	{ "con0", 1, 1, 0, fn_conopt, "con0(i): the same as conopt" },
	{ "conbool", 1, 1, 0, fn_conbool, "conbool(i): is C[i] a text that is not empty" },
	{ "blankopt", 1, 1, 0, fn_blankopt, "blankopt(i): is C[i] missing or empty" },
	{ "con_ints", 0, 0, 0, fn_con_ints, "con_ints(): the integers among C, a tuple" },
	{ "arg", 1, 2, TL_FN_BEYOND, fn_arg, "arg(key[, d]): another argument of the event, else d or null" },
	{ "hasname", 1, 1, 0, fn_hasname, "hasname(t): does the operator's name contain t" },
	{ "kernel0", 0, 0, 0, fn_kernel0, "kernel0(): name of the first kernel by start" },
	{ "outtype", 0, 0, 0, fn_outtype, "outtype(): first of Output type, or null" },
	{ .name = NULL },
};
