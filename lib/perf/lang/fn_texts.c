/* fn_texts.c - functions of texts: numbers, lists and Python literals in them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/lang/fn.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

/* ---- texts to numbers ------------------------------------------------------------- */

static bool parse_int(const struct tl_value *v, struct tl_value *out)
{
	__int128 i;

	if (v->type == TL_V_INT)
		return give(out, *v);
	if (v->type == TL_V_BOOL)
		return give(out, tl_v_int(v->b));
	if (v->type == TL_V_TEXT && tl_parse_pyint(v->text, v->len, &i))
		return give(out, tl_v_int(i));
	if (v->type == TL_V_REAL && fabs(v->d) < 1e37)
		return give(out, tl_v_int((__int128)v->d));
	return false;
}

FN(fn_int)
{
	(void)n;
	return parse_int(&a[0], out) || tl_eval_fail(e, "not an integer");
}

FN(fn_intopt)
{
	(void)e, (void)n;
	return a[0].type == TL_V_REAL || !parse_int(&a[0], out) ? give(out, a[1]) : true;
}

/* Decimal text of a double by Python's float() rules. */
static bool parse_float(const struct tl_value *v, double *out)
{
	char copy[128], *end;
	uint32_t from = 0, to = v->len, n = 0;

	if (v->type != TL_V_TEXT)
		return tl_v_number(v, out);
	while (from < to && tl_is_blank(v->text[from]))
		from++;
	while (to > from && tl_is_blank(v->text[to - 1]))
		to--;
	if (from == to || to - from >= sizeof copy)
		return false;
	for (uint32_t i = from; i < to; i++) {
		char c = v->text[i];
		if (c == 'x' || c == 'X' || c == '(' || c == 0)
			return false; /* hexadecimal and nan(…) are C's alone */
		if (c == '_' && i > from && i + 1 < to && tl_is_digit(v->text[i - 1]) && tl_is_digit(v->text[i + 1]))
			continue;
		copy[n++] = c;
	}
	copy[n] = 0;
	*out = tl_parse_double(copy, &end);
	return *end == 0;
}

FN(fn_float)
{
	double d;
	(void)n;
	if (!parse_float(&a[0], &d))
		return tl_eval_fail(e, "not a number");
	return give(out, tl_v_real(d));
}

FN(fn_optfloat)
{
	double d;
	(void)e, (void)n;
	return give(out, tl_v_real(parse_float(&a[0], &d) ? d : 0.0));
}

static bool equal_nocase(const struct tl_value *v, uint32_t from, uint32_t to, const char *word)
{
	return to - from == strlen(word) && !strncasecmp(v->text + from, word, to - from);
}

FN(fn_txtbool)
{
	(void)e, (void)n;
	if (a[0].type != TL_V_TEXT)
		return give(out, tl_v_bool(a[0].type == TL_V_BOOL && a[0].b));
	return give(out, tl_v_bool(equal_nocase(&a[0], 0, a[0].len, "true")));
}

FN(fn_boolish)
{
	uint32_t from = 0, to = a[0].len;
	(void)e, (void)n;
	if (a[0].type != TL_V_TEXT)
		return give(out, tl_v_bool(tl_v_truth(&a[0])));
	while (from < to && tl_is_blank(a[0].text[from]))
		from++;
	while (to > from && tl_is_blank(a[0].text[to - 1]))
		to--;
	return give(out, tl_v_bool(from != to && !equal_nocase(&a[0], from, to, "false") && !equal_nocase(&a[0], from, to, "0")));
}

/* Integers between commas. */
static bool split_ints(struct tl_eval *e, const char *s, uint32_t len, struct tl_value *out)
{
	uint32_t count = 1, from = 0;

	for (uint32_t i = 0; i < len; i++)
		count += s[i] == ',';
	if (!tl_v_seq(e, TL_V_TUPLE, count, out))
		return false;
	for (uint32_t k = 0; k < count; k++) {
		uint32_t to = from;
		__int128 x;
		while (to < len && s[to] != ',')
			to++;
		if (!tl_parse_pyint(s + from, to - from, &x))
			return tl_eval_fail(e, "not a list of integers");
		out->items[k] = tl_v_int(x);
		from = to + 1;
	}
	return true;
}

/* "[a, b]" or "(a, b)" */
bool tl_fn_int_list(struct tl_eval *e, const struct tl_value *v, struct tl_value *out)
{
	if (v->type != TL_V_TEXT || v->len < 2 || !strchr("[(", v->text[0]) || !strchr("])", v->text[v->len - 1]))
		return tl_eval_fail(e, "not a list of integers");
	return split_ints(e, v->text + 1, v->len - 2, out);
}

FN(fn_ints) { (void)n; return tl_fn_int_list(e, &a[0], out); }

/* Square brackets at the ends may be missing, blanks do not count. */
FN(fn_padlist)
{
	uint32_t from = 0, to = a[0].len, len = 0;
	(void)n;
	if (a[0].type != TL_V_TEXT)
		return tl_eval_fail(e, "not a list of integers");
	while (from < to && (a[0].text[from] == '[' || a[0].text[from] == ']'))
		from++;
	while (to > from && (a[0].text[to - 1] == '[' || a[0].text[to - 1] == ']'))
		to--;
	char *s = tl_arena_alloc(e->arena, to - from + 1);
	for (uint32_t i = from; i < to; i++)
		if (a[0].text[i] != ' ')
			s[len++] = a[0].text[i];
	if (!split_ints(e, s, len, out))
		return false;
	out->type = TL_V_LIST;
	return true;
}

/* ---- Python literals ------------------------------------------------------------------ */

struct literal { const char *s, *end; struct tl_eval *e; int depth; };

static void literal_skip(struct literal *l)
{
	while (l->s < l->end && tl_is_blank(*l->s))
		l->s++;
}

static bool literal_value(struct literal *l, struct tl_value *out);

static bool literal_items(struct literal *l, char close, struct tl_value *out)
{
	struct tl_value items[64];
	uint32_t n = 0;
	bool comma = false;

	for (l->s++;;) {
		literal_skip(l);
		if (l->s < l->end && *l->s == close)
			break;
		if (n == 64 || (n && !comma) || !literal_value(l, &items[n]))
			return false;
		n++;
		literal_skip(l);
		comma = l->s < l->end && *l->s == ',';
		l->s += comma;
	}
	l->s++;
	if (close == ')' && n == 1 && !comma)
		return give(out, items[0]);
	if (!tl_v_seq(l->e, close == ')' ? TL_V_TUPLE : TL_V_LIST, n, out))
		return false;
	if (n)
		memcpy(out->items, items, n * sizeof *items);
	return true;
}

static bool literal_text(struct literal *l, struct tl_value *out)
{
	char quote = *l->s++;
	const char *from = l->s;

	while (l->s < l->end && *l->s != quote) {
		if (*l->s == '\\')
			return false; /* escapes do not occur in what profilers write */
		l->s++;
	}
	if (l->s == l->end)
		return false;
	return give(out, tl_v_text(from, (size_t)(l->s++ - from)));
}

static bool literal_word(struct literal *l, struct tl_value *out)
{
	const char *from = l->s;

	while (l->s < l->end && !strchr(",]) \t", *l->s))
		l->s++;
	struct tl_value t = tl_v_text(from, (size_t)(l->s - from));
	double d;
	__int128 i;
	if (tl_v_is(&t, "True") || tl_v_is(&t, "False"))
		return give(out, tl_v_bool(*from == 'T'));
	if (tl_v_is(&t, "None"))
		return give(out, tl_v_null());
	if (!t.len || !(*from == '-' || *from == '+' || *from == '.' || tl_is_digit(*from)))
		return false;
	if (tl_parse_pyint(from, t.len, &i))
		return give(out, tl_v_int(i));
	return parse_float(&t, &d) && give(out, tl_v_real(d));
}

static bool literal_value(struct literal *l, struct tl_value *out)
{
	bool ok;

	literal_skip(l);
	if (l->s == l->end || ++l->depth > 20)
		return false;
	if (*l->s == '[' || *l->s == '(')
		ok = literal_items(l, *l->s == '[' ? ']' : ')', out);
	else if (*l->s == '\'' || *l->s == '"')
		ok = literal_text(l, out);
	else
		ok = literal_word(l, out);
	l->depth--;
	return ok;
}

static bool literal(struct tl_eval *e, const struct tl_value *v, struct tl_value *out)
{
	if (v->type == TL_V_TEXT) {
		struct literal l = { v->text, v->text + v->len, e, 0 };
		if (literal_value(&l, out)) {
			literal_skip(&l);
			if (l.s == l.end)
				return true;
		}
	}
	return tl_eval_fail(e, "not a literal");
}

FN(fn_lit) { (void)n; return literal(e, &a[0], out); }

static bool literal_list(struct tl_eval *e, const struct tl_value *v, struct tl_value *out)
{
	return literal(e, v, out) && seq_arg(e, out);
}

FN(fn_litints)
{
	(void)n;
	if (!literal_list(e, &a[0], out))
		return false;
	for (uint32_t i = 0; i < out->len; i++)
		if (!parse_int(&out->items[i], &out->items[i]))
			return tl_eval_fail(e, "not a list of integers");
	return true;
}

FN(fn_litbools)
{
	(void)n;
	if (!literal_list(e, &a[0], out))
		return false;
	for (uint32_t i = 0; i < out->len; i++)
		out->items[i] = tl_v_bool(tl_v_truth(&out->items[i]));
	out->type = TL_V_LIST;
	return true;
}

const struct tl_function tl_fn_texts[] = {
	{ "int", 1, 1, 0, fn_int, "int(x): an integer from a text or number, else failed" },
	{ "intreq", 1, 1, 0, fn_int, "intreq(x): the same" },
	{ "intopt", 2, 2, 0, fn_intopt, "intopt(x, d): the same, d instead of failing" },
	{ "float", 1, 1, 0, fn_float, "float(x): a real from a text or number, else failed" },
	{ "optfloat", 1, 1, 0, fn_optfloat, "optfloat(x): the same, 0.0 instead of failing" },
	{ "txtbool", 1, 1, 0, fn_txtbool, "txtbool(x): is x the text true, in any case of letters" },
	{ "boolish", 1, 1, 0, fn_boolish, "boolish(x): false for null, \"\", 0 and false, else true" },
	{ "ints", 1, 1, 0, fn_ints, "ints(x): tuple of the integers of a text like [1, 2]" },
	{ "padlist", 1, 1, 0, fn_padlist, "padlist(x): list of the integers of a text like [1, 2] or 1, 2" },
	{ "lit", 1, 1, 0, fn_lit, "lit(x): value of a Python literal" },
	{ "litints", 1, 1, 0, fn_litints, "litints(x): literal list as integers" },
	{ "litbools", 1, 1, 0, fn_litbools, "litbools(x): literal list as bools" },
	{ .name = NULL },
};
