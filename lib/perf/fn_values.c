/* fn_values.c - functions of values: texts to numbers, tuples, types, outcome.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/fn.h"
#include "perf/text.h"

#include <math.h>
#include <string.h>

static bool seq_arg(struct tl_eval *e, const struct tl_value *v)
{
	return tl_v_is_seq(v) || tl_eval_fail(e, "a list or tuple is needed");
}

static bool small_int(struct tl_eval *e, const struct tl_value *v, int *out)
{
	*out = 0;
	if (v->type != TL_V_INT || v->i < -1000000 || v->i > 1000000)
		return tl_eval_fail(e, "a small integer is needed");
	*out = (int)v->i;
	return true;
}

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
static bool bracketed_ints(struct tl_eval *e, const struct tl_value *v, struct tl_value *out)
{
	if (v->type != TL_V_TEXT || v->len < 2 || !strchr("[(", v->text[0]) || !strchr("])", v->text[v->len - 1]))
		return tl_eval_fail(e, "not a list of integers");
	return split_ints(e, v->text + 1, v->len - 2, out);
}

FN(fn_ints) { (void)n; return bracketed_ints(e, &a[0], out); }

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
	if (!bracketed_ints(e, &a[0], &v))
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
