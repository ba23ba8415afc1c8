/* values.h - values of expressions: made, compared, seen as numbers.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERF_VALUES_H
#define TL_PERF_VALUES_H

#include "json/value.h"

struct tl_value tl_v_null(void);
struct tl_value tl_v_bool(bool b);
struct tl_value tl_v_int(__int128 i);
struct tl_value tl_v_real(double d);
struct tl_value tl_v_text(const char *s, size_t len); /* s stays the caller's */

/* "null", "an integer", … for messages. */
const char *tl_v_kind(const struct tl_value *);
/* False for null, False, 0 and what is empty. */
bool tl_v_truth(const struct tl_value *);
/* A number (bool, integer or real) as a double; false for any other value. */
bool tl_v_number(const struct tl_value *, double *out);
bool tl_v_is_seq(const struct tl_value *);  /* a list or a tuple */
bool tl_v_is(const struct tl_value *, const char *text);
/* Numbers are equal by value, whatever their kinds; a list is no tuple. */
bool tl_v_equal(const struct tl_value *, const struct tl_value *);
/* Of two numbers, or of two texts by their bytes: -1, 0, 1. 2 where there is no
 * order: NaN, or other values. */
int tl_v_compare(const struct tl_value *, const struct tl_value *);

/* The operators on numbers. An integer stays one under + - * // and %, unless the
 * result needs more than 128 bits; / makes a real. // and % round down. */
enum tl_arithmetic { TL_ADD, TL_SUB, TL_MUL, TL_DIV, TL_FLOORDIV, TL_MOD };
/* NULL and *out, or why there is no result. */
const char *tl_v_arith(enum tl_arithmetic, const struct tl_value *a, const struct tl_value *b, struct tl_value *out);

#endif
