/* regex.c - which regular expressions of users are too much for the C library.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/base.h"

#include <string.h>

enum { MAX_REPEATS = 1000 };

/* The C library compiles a copy of what {n,m} and + repeat, nested ones copies of
 * copies. Taken together at worst, as if each were inside the next. */
static bool repeats_too_much(const char *s)
{
	long product = 1;

	for (const char *at = s; *at; at++) {
		if (*at == '+' && at > s && strchr(")}+*?", at[-1]))
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

/* The end of a bracket expression that begins at s: its ], or the text's end. */
static const char *bracket_end(const char *s)
{
	s += s[1] == '^' ? 2 : 1;
	s += *s == ']';
	for (; *s && *s != ']'; s++) {
		char end[] = { s[1], ']', 0 };
		if (*s != '[' || !s[1] || !strchr(".:=", s[1]))
			continue;
		const char *past = strstr(s + 2, end);
		if (!past)
			return s + strlen(s);
		s = past + 1;
	}
	return s;
}

/* The first back-reference, NULL for none: what matching one takes may grow with
 * any power of the name's length. */
static const char *back_reference(const char *s)
{
	for (; *s; s++) {
		if (*s == '[')
			s = bracket_end(s);
		else if (*s == '\\' && s[1] >= '1' && s[1] <= '9')
			return s;
		else if (*s == '\\' && s[1])
			s++;
		if (!*s)
			break;
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
