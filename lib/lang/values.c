/* values.c - values of expressions: made, compared, computed with as in Python.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "lang/values.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

struct tl_value tl_v_null(void) { return (struct tl_value){ .type = TL_V_NULL }; }
struct tl_value tl_v_bool(bool b) { return (struct tl_value){ .type = TL_V_BOOL, .b = b }; }
struct tl_value tl_v_int(__int128 i) { return (struct tl_value){ .type = TL_V_INT, .i = i }; }
struct tl_value tl_v_real(double d) { return (struct tl_value){ .type = TL_V_REAL, .d = d }; }

struct tl_value tl_v_text(const char *s, size_t len)
{
	return (struct tl_value){ .type = TL_V_TEXT, .len = (uint32_t)len, .text = s };
}

const char *tl_v_kind(const struct tl_value *v)
{
	static const char *const kinds[] = {
		"null", "a bool", "an integer", "a real", "a text", "a list", "a tuple", "a dictionary",
	};

	return kinds[v->type];
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
	double d;

	return tl_v_number(v, &d) ? d != 0 : v->type != TL_V_NULL && v->len > 0;
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

/* ---- order ---------------------------------------------------------------------- */

static bool is_whole(const struct tl_value *v)
{
	return v->type == TL_V_BOOL || v->type == TL_V_INT;
}

static __int128 whole(const struct tl_value *v)
{
	return v->type == TL_V_BOOL ? v->b : v->i;
}

static int compare_texts(const struct tl_value *a, const struct tl_value *b)
{
	uint32_t n = a->len < b->len ? a->len : b->len;
	int c = n ? memcmp(a->text, b->text, n) : 0;

	return c ? (c > 0) - (c < 0) : (a->len > b->len) - (a->len < b->len);
}

int tl_v_compare(const struct tl_value *a, const struct tl_value *b)
{
	double x, y;

	if (is_whole(a) && is_whole(b))
		return (whole(a) > whole(b)) - (whole(a) < whole(b));
	if (a->type == TL_V_TEXT && b->type == TL_V_TEXT)
		return compare_texts(a, b);
	if (!tl_v_number(a, &x) || !tl_v_number(b, &y) || isnan(x) || isnan(y))
		return 2;
	return (x > y) - (x < y);
}

bool tl_v_equal(const struct tl_value *a, const struct tl_value *b)
{
	bool nested = tl_v_is_seq(a) || a->type == TL_V_DICT;

	if (!nested)
		return tl_v_compare(a, b) == 0 || (a->type == TL_V_NULL && b->type == TL_V_NULL);
	if (a->type != b->type || a->len != b->len)
		return false;
	for (uint32_t i = 0; i < a->len; i++)
		if (!tl_v_equal(&a->items[i], &b->items[i]))
			return false;
	return true;
}

/* ---- arithmetic ------------------------------------------------------------------- */

/* Quotient and remainder of reals, rounded down, with the steps of CPython's float_divmod:
 * the results agree to the last bit. */
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

static double of_reals(enum tl_arithmetic op, double a, double b)
{
	switch (op) {
	case TL_ADD:
		return a + b;
	case TL_SUB:
		return a - b;
	case TL_MUL:
		return a * b;
	case TL_DIV:
		return a / b;
	case TL_FLOORDIV:
		return floor_div(a, b);
	default:
		return floor_mod(a, b);
	}
}

/* False when the result needs more than 128 bits. b is not 0 in a division. */
static bool of_integers(enum tl_arithmetic op, __int128 a, __int128 b, __int128 *r)
{
	const __int128 lowest = -((__int128)1 << 126) * 2;

	switch (op) {
	case TL_ADD:
		return !__builtin_add_overflow(a, b, r);
	case TL_SUB:
		return !__builtin_sub_overflow(a, b, r);
	case TL_MUL:
		return !__builtin_mul_overflow(a, b, r);
	default:
		if (b == -1 && a == lowest)
			return false;
	}
	__int128 q = a / b, m = a % b;
	if (m != 0 && (m < 0) != (b < 0)) {
		q--;
		m += b;
	}
	*r = op == TL_FLOORDIV ? q : m;
	return true;
}

bool tl_v_arith(enum tl_arithmetic op, const struct tl_value *a, const struct tl_value *b, struct tl_value *out)
{
	double x = 0, y = 0;
	__int128 r;

	tl_v_number(a, &x);
	tl_v_number(b, &y);
	if (op >= TL_DIV && y == 0)
		return false;
	if (op != TL_DIV && is_whole(a) && is_whole(b) && of_integers(op, whole(a), whole(b), &r))
		*out = tl_v_int(r);
	else
		*out = tl_v_real(of_reals(op, x, y));
	return true;
}
