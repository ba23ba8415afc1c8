/* values.h - values of expressions: made, compared, computed with.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERF_VALUES_H
#define TL_PERF_VALUES_H

#include "base/value.h"

struct tl_value tl_v_null(void);
struct tl_value tl_v_bool(bool b);
struct tl_value tl_v_int(__int128 i);
struct tl_value tl_v_real(double d);
struct tl_value tl_v_text(const char *s, size_t len); /* s stays the caller's */

/* "null", "an integer", … for messages. */
const char *tl_v_kind(const struct tl_value *);
/* False for null, False, 0 and an empty text or list. */
bool tl_v_truth(const struct tl_value *);
/* A number (bool, integer or real) as a double; false for any other value. */
bool tl_v_number(const struct tl_value *, double *out);
bool tl_v_is_seq(const struct tl_value *);  /* a list or a tuple */
bool tl_v_is(const struct tl_value *, const char *text); /* this very text */
/* Numbers are equal by value, whatever their kinds; a list is no tuple. */
bool tl_v_equal(const struct tl_value *, const struct tl_value *);
/* -1, 0 or 1, as the first of two numbers, or of two texts by their bytes, is less,
 * equal or greater. 2: NaN and other values have no order. */
int tl_v_compare(const struct tl_value *, const struct tl_value *);

/* The operators on numbers. + - * // and % of integers make an integer, or a real
 * when the result needs more than 128 bits; / makes a real. // and % round down. */
enum tl_arithmetic { TL_ADD, TL_SUB, TL_MUL, TL_DIV, TL_FLOORDIV, TL_MOD };
/* Both values must be numbers. False: division by zero. */
bool tl_v_arith(enum tl_arithmetic, const struct tl_value *a, const struct tl_value *b, struct tl_value *out);

#endif
