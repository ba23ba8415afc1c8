/* profiler_step.c - the number of a training step, as PyTorch's profiler annotates it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/profiler_step.h"

#include "base/text.h"

int64_t tl_profiler_step(const char *name)
{
	static const char prefix[] = "ProfilerStep#";
	int64_t n = 0;

	if (!tl_starts_with(name, prefix) || !name[sizeof prefix - 1])
		return -1;
	for (const char *s = name + sizeof prefix - 1; *s; s++) {
		if (!tl_is_digit(*s) || n > INT64_MAX / 10 - 1)
			return -1;
		n = n * 10 + (*s - '0');
	}
	return n;
}
