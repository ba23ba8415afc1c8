/* fn.h - what the files of functions (fn_*.c) share. Private to them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERF_FN_H
#define TL_PERF_FN_H

#include "perf/expr.h"
#include "perf/functions.h"

#define FN(name) static bool name(struct tl_eval *e, const struct tl_value *a, uint32_t n, struct tl_value *out)

static inline bool give(struct tl_value *out, struct tl_value v)
{
	*out = v;
	return true;
}

/* prod(list) and lower(text) */
bool tl_fn_product(struct tl_eval *, const struct tl_value *list, struct tl_value *out);
bool tl_fn_lower(struct tl_eval *, const struct tl_value *text, struct tl_value *out);

#endif
