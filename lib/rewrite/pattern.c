/* pattern.c - what a rule compares names with.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "rewrite/pattern.h"

#include <string.h>

/* Longer names are no names; what regexec takes may grow with the square of
 * their length. */
enum { MAX_NAME = 1 << 13, MAX_GROUPS = 10 };

static bool find(const struct pattern *p, const char *s, size_t len, regmatch_t *groups)
{
	if (p->exact)
		return strlen(p->exact) == len && !memcmp(p->exact, s, len);
	return len <= MAX_NAME && !regexec(&p->regex, s, groups ? MAX_GROUPS : 0, groups, 0);
}

bool tl_pattern_matches(const struct pattern *p, const char *s, size_t len)
{
	return find(p, s, len, NULL) != p->negated;
}

bool tl_pattern_replace(const struct pattern *p, const char *to, const char *s, size_t len, struct tl_buf *out)
{
	regmatch_t g[MAX_GROUPS];
	if (p->exact || !find(p, s, len, g))
		return false;
	tl_buf_clear(out);
	tl_buf_add(out, s, (size_t)g[0].rm_so);
	for (; *to; to++) {
		if (to[0] != '\\' || !to[1]) {
			tl_buf_addc(out, *to);
			continue;
		}
		to++;
		if (*to < '0' || *to > '9')
			tl_buf_addc(out, *to);
		else if (g[*to - '0'].rm_so >= 0)
			tl_buf_add(out, s + g[*to - '0'].rm_so, (size_t)(g[*to - '0'].rm_eo - g[*to - '0'].rm_so));
	}
	tl_buf_add(out, s + g[0].rm_eo, len - (size_t)g[0].rm_eo);
	return true;
}
