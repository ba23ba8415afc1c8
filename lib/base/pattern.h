/* pattern.h - what names are compared with.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PATTERN_H
#define TL_PATTERN_H

#include <regex.h>

#include "base/base.h"

enum { TL_PATTERN_EXACT = 1, TL_PATTERN_ANY_CASE = 2, TL_PATTERN_NEGATED = 4 };

struct tl_pattern {
	struct tl_pattern *next;  /* another one that the same key of a rule gave */
	struct tl_pattern *older; /* the one read before it, of any rule */
	uint32_t number;       /* among all patterns of the rules, from 0 */
	bool negated;
	const char *exact;     /* not NULL: the whole name; then regex is unused */
	regex_t regex;
};

/* Makes a pattern of a text: the whole name if `how` has TL_PATTERN_EXACT, and the text must
 * outlive it, else an extended regular expression. False if the expression is
 * wrong or takes too long; `why` receives the reason, and nothing is to be released.
 * *weight: see tl_regex_refused. */
bool tl_pattern_compile(struct tl_pattern *, const char *text, unsigned how, size_t *weight, char why[200]);
void tl_pattern_release(struct tl_pattern *);

/* Does the name match or, for a negated pattern, not match? */
bool tl_pattern_matches(const struct tl_pattern *p, const char *s, size_t len);
/* Replaces the first match in s, and `out` receives the result; false if nothing
 * matches. In `to`, \0 to \9 stand for the match and its groups. */
bool tl_pattern_replace(const struct tl_pattern *p, const char *to, const char *s, size_t len, struct tl_buf *out);
/* Does the expression have the group n? The highest is 9. */
bool tl_pattern_has_group(const struct tl_pattern *, long n);

#endif
