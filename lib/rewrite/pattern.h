/* pattern.h - what a rule compares names with.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PATTERN_H
#define TL_PATTERN_H

#include <regex.h>

#include "base/base.h"

struct pattern {
	regex_t regex;
	const char *exact; /* when not NULL: the whole text, and regex is unused */
	bool negated;
	uint32_t number;   /* of all patterns of the rules, to remember verdicts by */
};
struct patterns { struct pattern **items; size_t n, cap; };

/* Negation counts. */
bool tl_pattern_matches(const struct pattern *p, const char *s, size_t len);
/* Replaces the first match in s, which goes to out; false when there is none. `to`
 * may name groups: tl-rewrite(1). */
bool tl_pattern_replace(const struct pattern *p, const char *to, const char *s, size_t len, struct tl_buf *out);

#endif
