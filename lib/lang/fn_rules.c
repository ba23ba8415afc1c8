/* fn_rules.c - functions for rules over the rows of sheets: columns as lists, patterns, numbers as people read them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "lang/functions.h"

#include "base/escape.h"
#include "base/merge_sort.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- columns ----------------------------------------------------------------------- */

/* The first item that is not null; null if there is none. */
TL_FN(fn_first)
{
	if (!tl_eval_need_seq(e, &a[0]))
		return false;
	for (uint32_t i = 0; i < a[0].len; i++)
		if (a[0].items[i].type != TL_V_NULL)
			return tl_give(out, a[0].items[i]);
	return tl_give(out, tl_v_null());
}

TL_ORDER(by_value, double, TL_ASC(*x))

TL_FN(fn_median)
{
	if (!tl_eval_need_seq(e, &a[0]))
		return false;
	double *x = tl_arena_alloc(e->arena, ((size_t)a[0].len + 1) * sizeof *x);
	uint32_t count = 0;
	for (uint32_t i = 0; i < a[0].len; i++)
		if (a[0].items[i].type != TL_V_NULL && !tl_v_number(&a[0].items[i], &x[count++]))
			return tl_eval_fail(e, "a number is needed");
	if (!count)
		return tl_give(out, tl_v_null());
	tl_merge_sort(x, count, sizeof *x, by_value, NULL);
	return tl_give(out, tl_v_real(count % 2 ? x[count / 2] : (x[count / 2 - 1] + x[count / 2]) / 2));
}

/* ---- maps ---------------------------------------------------------------------------- */

static const struct tl_value *in_map(const struct tl_eval *e, const char *map, const char *key, size_t len)
{
	return e->maps ? tl_lookup_get(e->maps, map, strlen(map), key, len) : NULL;
}

/* What the map "advice" says of a key for a profiler, or for all. */
TL_FN(fn_advice)
{
	const struct tl_value *alias, *v = NULL;
	struct tl_buf key = { 0 };

	for (int all = 0; all < 2 && !v && a[0].type == TL_V_TEXT; all++) {
		struct tl_value word = all || a[1].type != TL_V_TEXT ? tl_v_text("other", 5) : a[1];
		if ((alias = in_map(e, "profiler", word.text, word.len)))
			word = *alias;
		tl_buf_clear(&key);
		tl_buf_addf(&key, "%.*s %.*s", (int)a[0].len, a[0].text, (int)word.len, word.text);
		v = in_map(e, "advice", key.data, key.len);
	}
	tl_buf_release(&key);
	return tl_give(out, v ? *v : tl_v_null());
}

/* ---- texts --------------------------------------------------------------------------- */

TL_FN(fn_match)
{
	if (a[0].type == TL_V_NULL)
		return tl_give(out, tl_v_bool(false));
	if (a[0].type != TL_V_TEXT || a[1].type != TL_V_TEXT)
		return tl_eval_fail(e, "match takes a text and a pattern");
	char why[200];
	const struct tl_pattern *p = e->memory ? tl_memory_pattern(e->memory, &a[1], why) : NULL;
	if (!p)
		return tl_eval_fail(e, "%s", e->memory ? why : "no patterns here");
	return tl_give(out, tl_v_bool(tl_pattern_matches(p, a[0].text, a[0].len)));
}

TL_FN(fn_joined)
{
	struct tl_buf b = { 0 };

	for (uint32_t i = 0; i < n; i++)
		if (a[i].type != TL_V_NULL)
			tl_value_str(&b, &a[i], false);
	return tl_give_buf(e, out, &b) && tl_eval_spend(e, out->len / TL_BYTES_A_STEP);
}

/* Of a text such as {'M': 16, 'flash_impl': True} what stands behind 'M': as a number, if it is one; null if there is no such name. */
TL_FN(fn_field)
{
	struct tl_buf name = { 0 };
	char *end;

	if (a[0].type == TL_V_NULL)
		return tl_give(out, tl_v_null());
	if (a[0].type != TL_V_TEXT || a[1].type != TL_V_TEXT)
		return tl_eval_fail(e, "field takes two texts");
	tl_buf_addf(&name, "'%.*s': ", (int)a[1].len, a[1].text);
	const char *text = tl_arena_dup(e->arena, a[0].text, a[0].len), *at = strstr(text, name.data);
	at = at ? at + name.len : NULL;
	tl_buf_release(&name);
	if (!at)
		return tl_give(out, tl_v_null());
	size_t len = *at == '(' || *at == '[' ? strcspn(at, ")]") + 1 : strcspn(at, ",}");
	double x = tl_parse_double(at, &end);
	return tl_give(out, end == at + len ? tl_v_real(x) : tl_v_text(at, len));
}

/* The text as one word of a shell. */
TL_FN(fn_q)
{
	struct tl_buf b = { 0 }, word = { 0 };

	if (a[0].type == TL_V_TEXT)
		tl_buf_add(&b, a[0].text, a[0].len);
	else
		tl_value_repr(&b, &a[0], false);
	tl_add_shell_word(&word, tl_buf_text(&b));
	tl_buf_release(&b);
	return tl_give_buf(e, out, &word);
}

/* ---- numbers as people read them -------------------------------------------------------- */

/* Three digits, but at least the whole number. */
static bool show(struct tl_eval *e, const struct tl_value *v, double factor, const char *unit, struct tl_value *out)
{
	struct tl_buf b = { 0 };
	double x;

	if (v->type == TL_V_NULL)
		return tl_give(out, tl_v_text("?", 1));
	if (!tl_v_number(v, &x))
		return tl_eval_fail(e, "a number is needed");
	x *= factor;
	tl_buf_addf(&b, "%.*f%s", !*unit && x == floor(x) ? 0 : tl_decimals(x), x, unit);
	return tl_give_buf(e, out, &b);
}

TL_FN(fn_ms)
{
	double x;

	return tl_v_number(&a[0], &x) && fabs(x) < 0.1 ? show(e, &a[0], 1000, " us", out) : show(e, &a[0], 1, " ms", out);
}

TL_FN(fn_percent) { return show(e, &a[0], 100, " %", out); }
TL_FN(fn_num) { return show(e, &a[0], 1, "", out); }

TL_FN(fn_size)
{
	static const char *const units[] = { " B", " KB", " MB", " GB", " TB" };
	double x, factor = 1;
	size_t i = 0;

	if (!tl_v_number(&a[0], &x))
		return show(e, &a[0], 1, " B", out);
	for (; i < 4 && fabs(x * factor) >= 1000; i++)
		factor /= 1000;
	return show(e, &a[0], factor, units[i], out);
}

const struct tl_function tl_fn_rules[] = {
	{ "first", 1, 1, 0, fn_first, "first(x): the first item of a list that is not null" },
	{ "median", 1, 1, 0, fn_median, "median(x): of the items that are not null" },
	{ "match", 2, 2, TL_FN_PATTERN, fn_match, "match(t, p): does the regular expression p match a part of the text t; of null it does not" },
	{ "advice", 2, 2, 0, fn_advice,
	  "advice(key, profiler): the line \"KEY PROFILER\" of the map advice, else \"KEY other\"; what the map profiler has stands for another one" },
	{ "text", 1, TL_FN_MAX_ARGS, 0, fn_joined, "text(a, ...): the texts of the arguments one behind the other, nothing for null" },
	{ "field", 2, 2, 0, fn_field, "field(t, k): what stands behind the name k in parameters such as {'M': 16}, null if k is none of them" },
	{ "q", 1, 1, 0, fn_q, "q(t): the text as one word of a shell" },
	{ "ms", 1, 1, 0, fn_ms, "ms(x): milliseconds as people read them, as \"12.3 ms\"" },
	{ "percent", 1, 1, 0, fn_percent, "percent(x): a share as \"12.3 %\"" },
	{ "size", 1, 1, 0, fn_size, "size(x): bytes as \"12.3 MB\" (10^6)" },
	{ "num", 1, 1, 0, fn_num, "num(x): a number with three digits" },
	{ .name = NULL },
};
