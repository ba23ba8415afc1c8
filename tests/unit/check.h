/* check.h - how unit tests tell what holds: a line "ok WHAT" or "FAIL WHAT".
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CHECK_H
#define TL_CHECK_H

#include <stdbool.h>
#include <stdio.h>

static int failures;

static inline void check(const char *what, bool ok)
{
	printf("%s %s\n", ok ? "ok" : "FAIL", what);
	failures += !ok;
}

#endif
