/* regex.c - finds regular expressions that would take the C library too long.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/regex.h"
#include "base/text.h"

enum { MAX_REPEATS = 1000, REGEX_WEIGHT = 1000 };

/* regcomp copies what {n,m} or + repeats; where repetitions are nested it copies the
 * copies. A row of * takes it a time that grows with the fifth power of the row's
 * length. So this function multiplies all counts, as if all repetitions were nested;
 * a + behind a group and each further sign in a row count as 2. Above
 * MAX_REPEATS it stops. */
static size_t repeats(const char *s)
{
	size_t product = 1;

	for (const char *at = s; *at && product <= MAX_REPEATS; at++) {
		if (at > s && strchr("*+?", *at) && strchr(*at == '+' ? ")}*+?" : "}*+?", at[-1]))
			product *= 2;
		if (*at == '{') {
			size_t n = 0, most = 1;
			while (tl_is_digit(at[1]) || at[1] == ',') {
				at++;
				n = *at == ',' ? 0 : n < 100000 ? n * 10 + (size_t)(*at - '0') : n;
				most = n > most ? n : most;
			}
			product *= most;
		}
	}
	return product;
}

/* The first back-reference; NULL if there is none. Matching one may take a time that
 * grows with any power of the text's length. \1 in brackets, which is no
 * back-reference, is refused too. */
static const char *back_reference(const char *s)
{
	while ((s = strchr(s, '\\')) && s[1]) {
		if (tl_is_digit(s[1]) && s[1] != '0')
			return s;
		s += 2;
	}
	return NULL;
}

const char *tl_regex_refused(const char *regex, size_t *weight, const char **where)
{
	size_t n = repeats(regex);
	*where = regex;
	if (n > MAX_REPEATS)
		return "more than 1000 repetitions in all";
	*weight += REGEX_WEIGHT + strlen(regex) * n + n * n;
	if (*weight > TL_REGEX_TABLE_MAX)
		return "too many regular expressions before it, or they repeat too much";
	const char *at = back_reference(regex);
	if (!at)
		return NULL;
	*where = at;
	return "a back-reference";
}
