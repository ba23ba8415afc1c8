/* fn.h - what the files of functions (fn_*.c) share. Private to them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERF_FN_H
#define TL_PERF_FN_H

#include "perf/lang/expr.h"
#include "perf/lang/functions.h"

#define FN(name) static bool name(struct tl_eval *e, const struct tl_value *a, uint32_t n, struct tl_value *out)

static inline bool give(struct tl_value *out, struct tl_value v)
{
	*out = v;
	return true;
}

static inline bool need_seq(struct tl_eval *e, const struct tl_value *v)
{
	return tl_v_is_seq(v) || tl_eval_fail(e, "a list or tuple is needed");
}

static inline bool small_int(struct tl_eval *e, const struct tl_value *v, int *out)
{
	*out = 0;
	if (v->type != TL_V_INT || v->i < -1000000 || v->i > 1000000)
		return tl_eval_fail(e, "a small integer is needed");
	*out = (int)v->i;
	return true;
}

/* lower(text) */
bool tl_fn_lower(struct tl_eval *, const struct tl_value *text, struct tl_value *out);

#endif
