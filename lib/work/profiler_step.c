/* profiler_step.c - annotations of the host, and the number of a training step, as PyTorch's profiler annotates it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/profiler_step.h"

#include "base/text.h"

#include <string.h>

int64_t tl_profiler_step(const char *name)
{
	static const char prefix[] = "ProfilerStep#";
	int64_t n = 0;

	if (*name != *prefix || !tl_starts_with(name, prefix) || !name[sizeof prefix - 1])
		return -1;
	for (const char *s = name + sizeof prefix - 1; *s; s++) {
		if (!tl_is_digit(*s) || n > INT64_MAX / 10 - 1)
			return -1;
		n = n * 10 + (*s - '0');
	}
	return n;
}

bool tl_is_annotation(const struct tl_trace *t, const struct tl_ev *e)
{
	return e->kind == TL_KIND_ANNOTATION || (e->kind == TL_KIND_CPU_OP && strchr(tl_str(&t->strings, e->name), '#'));
}
