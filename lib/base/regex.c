/* regex.c - regular expressions of users that the C library could choke on.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/regex.h"

#include <stdbool.h>
#include <string.h>

enum { MAX_REPEATS = 1000 };

/* regcomp makes copies of what {n,m} or + repeats, and copies of copies where
 * repetitions are nested; its time grows with the fifth power of the length of a
 * row of *. Multiplies all counts, as if all were nested. */
static bool repeats_too_much(const char *s)
{
	long product = 1;

	for (const char *at = s; *at; at++) {
		if (at > s && strchr("*+?", *at) && strchr(*at == '+' ? ")}*+?" : "}*+?", at[-1]))
			product *= 2;
		if (*at == '{') {
			long n = 0, most = 1;
			while ((at[1] >= '0' && at[1] <= '9') || at[1] == ',') {
				at++;
				n = *at == ',' ? 0 : n < 100000 ? n * 10 + (*at - '0') : n;
				most = n > most ? n : most;
			}
			product *= most;
		}
		if (product > MAX_REPEATS)
			return true;
	}
	return false;
}

/* The first back-reference; NULL for none. The time for matching one may grow with
 * any power of the name's length. \1 in brackets is none, but is refused too. */
static const char *back_reference(const char *s)
{
	while ((s = strchr(s, '\\')) && s[1]) {
		if (s[1] >= '1' && s[1] <= '9')
			return s;
		s += 2;
	}
	return NULL;
}

const char *tl_regex_refused(const char *regex, const char **where)
{
	*where = regex;
	if (repeats_too_much(regex))
		return "more than 1000 repetitions in all";
	const char *at = back_reference(regex);
	if (!at)
		return NULL;
	*where = at;
	return "a back-reference";
}
