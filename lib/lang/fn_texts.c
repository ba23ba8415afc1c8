/* fn_texts.c - functions of texts: numbers and Python literals in them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/text.h"
#include "lang/functions.h"

#include <math.h>
#include <string.h>

/* ---- numbers ---------------------------------------------------------------------- */

static bool parse_int(const struct tl_value *v, struct tl_value *out)
{
	__int128 i;

	if (v->type == TL_V_INT)
		return tl_give(out, *v);
	if (v->type == TL_V_BOOL)
		return tl_give(out, tl_v_int(v->b));
	if (v->type == TL_V_TEXT && tl_parse_pyint(v->text, v->len, &i))
		return tl_give(out, tl_v_int(i));
	if (v->type == TL_V_REAL && fabs(v->d) < 1e37)
		return tl_give(out, tl_v_int((__int128)v->d));
	return false;
}

TL_FN(fn_int)
{
	if (parse_int(&a[0], out))
		return true;
	return n == 2 ? tl_give(out, a[1]) : tl_eval_fail(e, "not an integer");
}

/* The double that Python's float() makes of a text; numbers as they are. */
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
			return false; /* C reads hexadecimal and nan(…), Python does not */
		if (c == '_' && i > from && i + 1 < to && tl_is_digit(v->text[i - 1]) && tl_is_digit(v->text[i + 1]))
			continue;
		copy[n++] = c;
	}
	copy[n] = 0;
	*out = tl_parse_double(copy, &end);
	return *end == 0;
}

TL_FN(fn_float)
{
	double d;

	if (parse_float(&a[0], &d))
		return tl_give(out, tl_v_real(d));
	return n == 2 ? tl_give(out, a[1]) : tl_eval_fail(e, "not a number");
}

/* ---- Python literals ------------------------------------------------------------------ */

struct literal { const char *s, *end; struct tl_eval *e; int depth; };

static int literal_next(struct literal *l)
{
	while (l->s < l->end && tl_is_blank(*l->s))
		l->s++;
	return l->s < l->end ? (unsigned char)*l->s : -1;
}

static bool literal_value(struct literal *l, struct tl_value *out);

static bool literal_items(struct literal *l, char close, struct tl_value *out)
{
	struct tl_value items[64];
	uint32_t n = 0;
	bool comma = false;

	for (l->s++; literal_next(l) != close;) {
		if (n == 64 || (n && !comma) || !literal_value(l, &items[n]))
			return false;
		n++;
		comma = literal_next(l) == ',';
		l->s += comma;
	}
	l->s++;
	if (close == ')' && n == 1 && !comma)
		return tl_give(out, items[0]);
	if (!tl_eval_seq(l->e, close == ')' ? TL_V_TUPLE : TL_V_LIST, n, out))
		return false;
	if (n)
		memcpy(out->items, items, n * sizeof *items);
	return true;
}

/* Profilers write no escapes. */
static bool literal_text(struct literal *l, struct tl_value *out)
{
	char quote = *l->s++;
	const char *from = l->s, *to = memchr(from, quote, (size_t)(l->end - from));

	if (!to || memchr(from, '\\', (size_t)(to - from)))
		return false;
	l->s = to + 1;
	return tl_give(out, tl_v_text(from, (size_t)(to - from)));
}

static bool literal_word(struct literal *l, struct tl_value *out)
{
	const char *from = l->s;

	while (l->s < l->end && !strchr(",]) \t", *l->s))
		l->s++;
	struct tl_value t = tl_v_text(from, (size_t)(l->s - from));
	double d;
	if (tl_v_is(&t, "True") || tl_v_is(&t, "False"))
		return tl_give(out, tl_v_bool(*from == 'T'));
	if (tl_v_is(&t, "None"))
		return tl_give(out, tl_v_null());
	if (!t.len || !(*from == '-' || *from == '+' || *from == '.' || tl_is_digit(*from)))
		return false;
	return parse_int(&t, out) || (parse_float(&t, &d) && tl_give(out, tl_v_real(d)));
}

static bool literal_value(struct literal *l, struct tl_value *out)
{
	int ch = literal_next(l);

	if (ch == -1 || ++l->depth > 20)
		return false;
	bool ok = ch == '[' || ch == '(' ? literal_items(l, ch == '[' ? ']' : ')', out)
	        : ch == '\'' || ch == '"' ? literal_text(l, out) : literal_word(l, out);
	l->depth--;
	return ok;
}

TL_FN(fn_lit)
{
	struct literal l = { .e = e };

	if (a[0].type == TL_V_TEXT) {
		l.s = a[0].text;
		l.end = l.s + a[0].len;
	}
	return (literal_value(&l, out) && literal_next(&l) == -1) || tl_eval_fail(e, "not a literal");
}

/* ---- texts --------------------------------------------------------------------------------- */

enum { MAX_TEXT = 1000000 };

bool tl_fn_lower(struct tl_eval *e, const struct tl_value *v, struct tl_value *out)
{
	if (v->type != TL_V_TEXT)
		return tl_eval_fail(e, "a text is needed");
	if (!tl_eval_spend(e, v->len / TL_BYTES_A_STEP))
		return false;
	char *s = tl_arena_dup(e->arena, v->text, v->len);
	for (uint32_t i = 0; i < v->len; i++)
		if (s[i] >= 'A' && s[i] <= 'Z')
			s[i] = (char)(s[i] + 'a' - 'A');
	return tl_give(out, tl_v_text(s, v->len));
}

TL_FN(fn_lower) { return tl_fn_lower(e, &a[0], out); }

TL_FN(fn_has)
{
	if (a[0].type != TL_V_TEXT || a[1].type != TL_V_TEXT)
		return tl_eval_fail(e, "has takes two texts");
	return tl_give(out, tl_v_bool(!a[1].len || memmem(a[0].text, a[0].len, a[1].text, a[1].len)));
}

TL_FN(fn_join)
{
	bool ok = a[0].type == TL_V_TEXT && tl_v_is_seq(&a[1]);
	struct tl_buf b = { 0 };

	for (uint32_t i = 0; ok && i < a[1].len; i++) {
		const struct tl_value *item = &a[1].items[i];
		ok = item->type == TL_V_TEXT && b.len <= MAX_TEXT;
		if (ok && i)
			tl_buf_add(&b, a[0].text, a[0].len);
		if (ok)
			tl_buf_add(&b, item->text, item->len);
	}
	tl_give_buf(e, out, &b);
	if (!ok)
		return tl_eval_fail(e, "join takes a text and a list of texts, %d bytes in all", MAX_TEXT);
	return tl_eval_spend(e, out->len / TL_BYTES_A_STEP);
}

const struct tl_function tl_fn_texts[] = {
	{ "int", 1, 2, 0, fn_int,
	  "int(x): the integer of a text or of a number, cut towards zero; int(x, d): d instead of failing" },
	{ "float", 1, 2, 0, fn_float, "float(x): the real of a text or of a number; float(x, d): d instead of failing" },
	{ "lit", 1, 1, 0, fn_lit, "lit(t): value of a Python literal, as [1, 2], True, 0.5 or 'text'" },
	{ "lower", 1, 1, 0, fn_lower, "lower(t): the text in lower case" },
	{ "has", 2, 2, 0, fn_has, "has(t, u): does the text t contain u" },
	{ "join", 2, 2, 0, fn_join, "join(t, x): the texts of a list, with t between them" },
	{ .name = NULL },
};
