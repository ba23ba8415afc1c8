/* fn_args.c - functions that look at the event: its lists of arguments, its name
 * and kernels, the annotation of its step.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/text.h"
#include "lang/functions.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* ---- step annotations of serving engines, in three forms -------------------------------- */

/* Four sums over the context (prefill) requests, then the same four over the generation
 * (decode) requests: query tokens, key tokens, the squares of query tokens, the products
 * of query and key tokens. */
#define TL_STEP_SUMS 8
struct tl_step_sums { int64_t of[TL_STEP_SUMS]; };

#define MOST (INT64_MAX / 16) /* larger numbers count as this one, so that sums of all eight fit */

static bool skip_word(const char **s, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*s, word, n))
		return false;
	*s += n;
	return true;
}

static bool digits(const char **s, int64_t *out)
{
	int64_t v = 0;

	if (!tl_is_digit(**s))
		return false;
	for (; tl_is_digit(**s); ++*s)
		v = v < MOST / 10 ? 10 * v + (**s - '0') : MOST;
	*out = v;
	return true;
}

/* ---- vLLM ---------------------------------------------------------------------- */

static bool vllm_group(const char **s, int64_t *sum)
{
	int64_t count;

	return digits(s, &count) && skip_word(s, "(sq") && digits(s, &sum[0]) && skip_word(s, "sk") && digits(s, &sum[1]) &&
	       skip_word(s, "sqsq") && digits(s, &sum[2]) && skip_word(s, "sqsk") && digits(s, &sum[3]) && skip_word(s, ")");
}

static bool vllm(const char *s, struct tl_step_sums *out)
{
	int64_t step;

	return skip_word(&s, "execute_") && digits(&s, &step) && skip_word(&s, "_context_") && vllm_group(&s, out->of) &&
	       skip_word(&s, "_generation_") && vllm_group(&s, out->of + 4);
}

/* ---- pairs of key and value ------------------------------------------------------ */

/* Finds the next "key=" from *s on, before end, and moves past it. */
static bool next_key(const char **s, const char *end, const char **key, size_t *len)
{
	while (*s < end) {
		*key = *s;
		while (*s < end && tl_in_name(**s))
			++*s;
		*len = (size_t)(*s - *key);
		if (*s < end && *(*s)++ == '=' && *len)
			return true;
	}
	return false;
}

/* Does "sqsq=" and a digit stand between s and end? */
static bool has_squares(const char *s, const char *end)
{
	for (; (s = strstr(s, "sqsq=")) && s < end; s++)
		if (tl_is_digit(s[5]))
			return true;
	return false;
}

static bool sglang(const char *s, struct tl_step_sums *out)
{
	static const char *const keys[TL_STEP_SUMS] = {
		"c_sq", "c_sk", "c_sqsq", "c_sqsk", "g_sq", "g_sk", "g_sqsq", "g_sqsk",
	};
	const char *key, *first = strchr(s, ']'), *last = strrchr(s, ']');
	size_t len;
	int64_t v;

	if (!skip_word(&s, "step[") || (!skip_word(&s, "EXTEND") && !skip_word(&s, "DECODE") && !skip_word(&s, "MIXED")) || tl_in_name(*s) ||
	    !first || !has_squares(s, first))
		return false;
	while (next_key(&s, last, &key, &len)) {
		bool number = digits(&s, &v);
		for (size_t i = 0; i < TL_STEP_SUMS; i++)
			if (number && tl_text_is(key, len, keys[i]))
				out->of[i] = v;
	}
	return true;
}

/* Moves past a value. A value ends at a blank; one that begins with "[" ends at the next
 * "]" (`last` is the last "]" before end). Only whole numbers count; any other value is 0. */
static int64_t atom_value(const char **s, const char *end, const char *last)
{
	const char *stop = *s, *bracket = **s == '[' && last && *s < last ? memchr(*s, ']', (size_t)(end - *s)) : NULL;
	int64_t v = 0;

	bool number = digits(&stop, &v);
	while (!bracket && *s < end && **s != ' ' && **s != '\t')
		++*s;
	number &= stop == *s;
	if (bracket)
		*s = bracket + 1;
	return number ? v : 0;
}

static bool atom(const char *s, struct tl_step_sums *out)
{
	static const char *const keys[] = { "tok", "sk", "sqsq", "sqsk" };
	bool prefill = skip_word(&s, "prefill["), found[4] = { false };
	const char *key, *last, *end = strrchr(s, ']');
	size_t len;

	if ((!prefill && !skip_word(&s, "decode[")) || !end || !has_squares(s, end) || memchr(s, '\n', (size_t)(end - s)))
		return false;
	last = memrchr(s, ']', (size_t)(end - s));
	while (next_key(&s, end, &key, &len)) {
		int64_t v = atom_value(&s, end, last);
		for (size_t i = 0; i < 4; i++)
			if (tl_text_is(key, len, keys[i])) {
				found[i] = true;
				out->of[prefill ? i : i + 4] = v;
			}
	}
	return found[2] && found[3];
}

/* ---- lists -------------------------------------------------------------------- */

/* A list as a tuple; any other value as it is. */
static struct tl_value as_tuple(struct tl_value v)
{
	if (v.type == TL_V_LIST)
		v.type = TL_V_TUPLE;
	return v;
}

/* An argument that is there is a list, or the model fails. */
static bool is_sound(struct tl_eval *e, const struct tl_value *list, const char *what)
{
	return !list || tl_v_is_seq(list) || tl_eval_fail(e, "%s is not a list", what);
}

/* Without arguments the whole list, else entry a[0], or a[1] when the list has no such
 * entry and a second argument is given. */
static bool look_up(struct tl_eval *e, const struct tl_value *list, const char *what, const struct tl_value *a,
                    uint32_t n, struct tl_value *out)
{
	int i;

	if (!is_sound(e, list, what))
		return false;
	if (!n)
		return tl_give(out, list ? as_tuple(*list) : tl_v_null());
	if (!tl_eval_small_int(e, &a[0], &i))
		return false;
	if (list && i >= 0 && (uint32_t)i < list->len)
		return tl_give(out, as_tuple(list->items[i]));
	if (n == 2)
		return tl_give(out, a[1]);
	if (!list)
		return tl_eval_fail(e, "no %s", what);
	return tl_eval_fail(e, "no %s[%d]: there are %u", what, i, list->len);
}

TL_FN(fn_shp) { return look_up(e, e->event->dims, "Input Dims", a, n, out); }
TL_FN(fn_typ) { return look_up(e, e->event->types, "Input type", a, n, out); }
TL_FN(fn_con) { return look_up(e, e->event->concrete, "Concrete Inputs", a, n, out); }

TL_FN(fn_stup)
{
	const struct tl_value *s = e->event->strides;
	bool is_entry = n && s && tl_v_is_seq(s) && a[0].type == TL_V_INT && a[0].i >= 0 && a[0].i < s->len;

	if (is_entry && !tl_v_is_seq(&s->items[a[0].i]))
		return tl_eval_fail(e, "Input Strides[%d] is not a list", (int)a[0].i);
	return look_up(e, s, "Input Strides", a, n, out);
}

static bool shape(struct tl_eval *e, const struct tl_value *a, struct tl_value *out)
{
	return fn_shp(e, a, 1, out) && (tl_v_is_seq(out) || tl_eval_fail(e, "Input Dims[%d] is not a list", (int)a[0].i));
}

TL_FN(fn_rank)
{
	struct tl_value s;

	return shape(e, a, &s) && tl_give(out, tl_v_int(s.len));
}

TL_FN(fn_dim)
{
	const struct tl_value or_null[] = { a[0], tl_v_null() };
	struct tl_value s;
	int j;

	if (!(n == 3 ? fn_shp(e, or_null, 2, &s) : shape(e, a, &s)) || !tl_eval_small_int(e, &a[1], &j))
		return false;
	int len = tl_v_is_seq(&s) ? (int)s.len : 0, at = j < 0 ? j + len : j;
	if (at >= 0 && at < len)
		return tl_give(out, s.items[at]);
	return n == 3 ? tl_give(out, a[2]) : tl_eval_fail(e, "no position %d in a list of %d", j, len);
}

static bool all_ints(const struct tl_value *v)
{
	for (uint32_t i = 0; tl_v_is_seq(v) && i < v->len; i++)
		if (v->items[i].type != TL_V_INT)
			return false;
	return tl_v_is_seq(v);
}

/* [(shape, type), …] of the operands that have dims */
TL_FN(fn_operands)
{
	const struct tl_value *d = e->event->dims;
	uint32_t count = 0, max = d && tl_v_is_seq(d) ? d->len : 0;

	if (!is_sound(e, d, "Input Dims") || !tl_eval_seq(e, TL_V_LIST, max, out))
		return false;
	for (uint32_t i = 0; i < max; i++) {
		if (!all_ints(&d->items[i]) || !d->items[i].len)
			continue;
		struct tl_value *o = &out->items[count++];
		if (!tl_eval_seq(e, TL_V_TUPLE, 2, o))
			return false;
		o->items[0] = as_tuple(d->items[i]);
		if (!fn_typ(e, (struct tl_value[]){ tl_v_int(i), tl_v_null() }, 2, &o->items[1]))
			return false;
	}
	out->len = count;
	return true;
}

/* Is dim d of a shape with `rank` dims one of the n integers, which may count from the end? */
static bool is_reduced(const struct tl_value *dims, uint32_t n, uint32_t d, uint32_t rank)
{
	for (uint32_t i = 0; i < n; i++)
		if (dims[i].i == d || dims[i].i == (__int128)d - rank)
			return true;
	return false;
}

/* Elements that a reduction leaves. The reduced dims are the last integer, or list of
 * integers, after C[0]. PyTorch writes all of C as text; TraceLens then counts one element. */
TL_FN(fn_reduce_out)
{
	const struct tl_value *c = e->event->concrete, *dims = NULL;
	struct tl_value s, zero = tl_v_int(0);
	uint32_t n_dims = 0;

	*out = tl_v_int(1);
	if (!is_sound(e, c, "Concrete Inputs"))
		return false;
	for (uint32_t i = 1; c && i < c->len; i++) {
		const struct tl_value *v = &c->items[i];
		if (v->type == TL_V_INT || all_ints(v)) {
			dims = v->type == TL_V_INT ? v : v->items;
			n_dims = v->type == TL_V_INT ? 1 : v->len;
		}
	}
	if (!n_dims)
		return true;
	if (!shape(e, &zero, &s))
		return false;
	for (uint32_t i = 0; i < s.len; i++)
		if (!is_reduced(dims, n_dims, i, s.len) && !tl_eval_arith(e, TL_MUL, out, &s.items[i], out))
			return false;
	return true;
}

/* ---- what else is known of the event -------------------------------------------- */

TL_FN(fn_arg)
{
	const struct tl_value *v = NULL;
	char key[128];

	if (a[0].type != TL_V_TEXT)
		return tl_eval_fail(e, "arg() takes the name of an argument");
	if (e->event->arg && a[0].len < sizeof key) {
		memcpy(key, a[0].text, a[0].len);
		key[a[0].len] = 0;
		v = e->event->arg(e->event->ctx, key);
	}
	return tl_give(out, v ? *v : n == 2 ? a[1] : tl_v_null());
}

TL_FN(fn_outtype)
{
	const struct tl_value *t = e->event->out_types;

	return tl_give(out, t && tl_v_is_seq(t) && t->len ? t->items[0] : tl_v_null());
}

TL_FN(fn_hasname)
{
	if (a[0].type != TL_V_TEXT)
		return tl_eval_fail(e, "hasname() takes a text");
	return tl_give(out, tl_v_bool(!a[0].len || memmem(e->event->name, e->event->name_len, a[0].text, a[0].len)));
}

TL_FN(fn_kernel0)
{
	if (!e->event->n_kernels)
		return tl_eval_fail(e, "no kernel");
	return tl_give(out, tl_v_text(e->event->kernels[0], strlen(e->event->kernels[0])));
}

TL_FN(fn_annot)
{
	static bool (*const forms[])(const char *, struct tl_step_sums *) = { vllm, sglang, atom };
	struct tl_step_sums sums; /* a sum that the text does not give is 0 */
	bool known = false;

	for (size_t i = 0; e->event->annotation && !known && i < sizeof forms / sizeof *forms; i++) {
		memset(&sums, 0, sizeof sums);
		known = forms[i](e->event->annotation, &sums);
	}
	if (!known)
		return tl_give(out, tl_v_null());
	if (!tl_eval_seq(e, TL_V_TUPLE, TL_STEP_SUMS, out))
		return false;
	for (size_t i = 0; i < TL_STEP_SUMS; i++)
		out->items[i] = tl_v_int(sums.of[i]);
	return true;
}

const struct tl_function tl_fn_args[] = {
	{ "shp", 0, 2, 0, fn_shp,
	  "shp(i): D[i], a tuple; shp(i, d): d when there is none; shp(): all of D, null without Input Dims" },
	{ "typ", 0, 2, 0, fn_typ, "typ(i), typ(i, d), typ(): the same of T" },
	{ "stup", 0, 2, 0, fn_stup, "stup(i), stup(i, d), stup(): the same of S" },
	{ "con", 0, 2, 0, fn_con, "con(i), con(i, d), con(): the same of C" },
	{ "rank", 1, 1, 0, fn_rank, "rank(i): number of dims of D[i]" },
	{ "dim", 2, 3, 0, fn_dim, "dim(i, j): D[i][j], j from the end when negative; dim(i, j, d): d when there is none" },
	{ "operands", 0, 0, 0, fn_operands, "operands(): [(D[i], T[i] or null), ...] of those that have dims" },
	{ "reduce_out", 0, 0, 0, fn_reduce_out,
	  "reduce_out(): elements of D[0] that stay when the dims given as numbers in C are reduced; 1 without any" },
	{ "outtype", 0, 0, 0, fn_outtype, "outtype(): first of Output type, or null" },
	{ "arg", 1, 2, TL_FN_BEYOND, fn_arg,
	  "arg(key[, d]): any other argument of the event; d, or null, when there is none" },
	{ "hasname", 1, 1, 0, fn_hasname, "hasname(t): does the operator's name contain t" },
	{ "kernel0", 0, 0, 0, fn_kernel0, "kernel0(): name of the kernel that started first" },
	{ "annot", 0, 0, TL_FN_BEYOND, fn_annot,
	  "annot(): (c_sq, c_sk, c_sqsq, c_sqsk, g_sq, g_sk, g_sqsq, g_sqsk) of the step, or null" },
	{ .name = NULL },
};
