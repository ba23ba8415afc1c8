/* pattern.c - what names are compared with.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/pattern.h"

#include "base/regex.h"

#include <stdio.h>
#include <string.h>

/* A longer name matches no expression: the time of regexec may grow with the square
 * of the length. */
enum { MAX_NAME = 1 << 13, MAX_TEXT = 4096, MAX_GROUPS = 10 };

bool tl_pattern_compile(struct tl_pattern *p, const char *text, unsigned how, size_t *weight, char why[200])
{
	*p = (struct tl_pattern){ .negated = how & TL_PATTERN_NEGATED, .exact = how & TL_PATTERN_EXACT ? text : NULL };
	if (p->exact)
		return true;
	const char *where, *what = tl_regex_refused(text, weight, &where);
	if (what)
		snprintf(why, 200, "it has %s: '%.100s'", what, where);
	else if (strlen(text) > MAX_TEXT)
		snprintf(why, 200, "it has more than %d bytes", MAX_TEXT);
	if (what || strlen(text) > MAX_TEXT)
		return false;
	int code = regcomp(&p->regex, text, REG_EXTENDED | (how & TL_PATTERN_ANY_CASE ? REG_ICASE : 0));
	if (code)
		regerror(code, &p->regex, why, 200);
	return !code;
}

void tl_pattern_release(struct tl_pattern *p)
{
	if (!p->exact)
		regfree(&p->regex);
}

static bool find(const struct tl_pattern *p, const char *s, size_t len, regmatch_t *groups)
{
	if (p->exact)
		return strlen(p->exact) == len && !memcmp(p->exact, s, len);
	return len <= MAX_NAME && !regexec(&p->regex, s, groups ? MAX_GROUPS : 0, groups, 0);
}

bool tl_pattern_matches(const struct tl_pattern *p, const char *s, size_t len)
{
	return find(p, s, len, NULL) != p->negated;
}

bool tl_pattern_replace(const struct tl_pattern *p, const char *to, const char *s, size_t len, struct tl_buf *out)
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

bool tl_pattern_has_group(const struct tl_pattern *p, long n)
{
	return n < MAX_GROUPS && (size_t)n <= p->regex.re_nsub;
}
