/* what_if.c - questions about a job in words: "rank 9 = median".
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/what_if.h"

#include "base/number.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The text up to an ending, which it must have; false: it has another one. */
static bool ends(const char *s, const char *ending, size_t *before)
{
	size_t len = strlen(s), n = strlen(ending);

	*before = len > n ? len - n : 0;
	return len > n && !strcmp(s + *before, ending);
}

/* "x0.9" at the end, behind a blank or "computes ". */
static bool factor_of(const char *s, const char *verb, size_t *before, double *factor)
{
	const char *x = strrchr(s, 'x');
	char *end;
	size_t n = strlen(verb);

	if (!x || (size_t)(x - s) < n + 1 || strncmp(x - n, verb, n))
		return false;
	*before = (size_t)(x - s) - n;
	*factor = tl_parse_double(x + 1, &end);
	return end != x + 1 && !*end && *factor >= 0 && *factor <= 1000;
}

static bool of_rank(const struct tl_ranks *r, const char *s, size_t len, size_t *rank)
{
	char *end;
	long long n = strtoll(s, &end, 10);

	if (end == s || (size_t)(end - s) != len)
		return false;
	*rank = tl_rank_number(r, n);
	return r->job->ranks[*rank] == n;
}

static bool of_group(const struct tl_ranks *r, const char *s, size_t len, size_t *group)
{
	for (size_t i = 0; i < r->n_groups; i++) {
		struct tl_cell name = r->groups[i].name;
		*group = i;
		if (name.type == TL_CELL_TEXT && tl_str_len(&r->group_strings, name.text) == len && !memcmp(tl_str(&r->group_strings, name.text), s, len))
			return true;
	}
	return false;
}

static bool parse(struct tl_what_if *w, const char *s, const struct tl_ranks *r)
{
	size_t n;

	if (!strcmp(s, "all = median"))
		w->kind = TL_IF_ALL;
	else if (!strcmp(s, "no pauses"))
		w->kind = TL_IF_NO_PAUSES;
	else if (!strcmp(s, "experts even"))
		w->kind = TL_IF_EVEN_EXPERTS;
	else if (!strcmp(s, "stages balanced"))
		w->kind = TL_IF_BALANCED;
	else if (tl_starts_with(s, "rank ") && ends(s, " = median", &n))
		return (w->kind = TL_IF_RANK_MEDIAN, of_rank(r, s + 5, n - 5, &w->of));
	else if (tl_starts_with(s, "rank ") && factor_of(s, " computes ", &n, &w->factor))
		return (w->kind = TL_IF_RANK_COMPUTES, of_rank(r, s + 5, n - 5, &w->of));
	else if (tl_starts_with(s, "group ") && ends(s, " = median", &n))
		return (w->kind = TL_IF_GROUP_MEDIAN, of_group(r, s + 6, n - 6, &w->of));
	else if (tl_starts_with(s, "group ") && factor_of(s, " ", &n, &w->factor))
		return (w->kind = TL_IF_GROUP_TAKES, n > 6 && of_group(r, s + 6, n - 6, &w->of));
	else
		return false;
	return true;
}

enum tl_status tl_what_ifs_parse(struct tl_what_if *ifs, const struct tl_ranks *r, struct tl_error *err)
{
	for (size_t i = 0; i < r->job->n_what_ifs; i++) {
		ifs[i] = (struct tl_what_if){ .factor = 1 };
		if (!parse(&ifs[i], r->job->what_ifs[i], r))
			return tl_fail(err, TL_ERR_DATA, "--what-if: expected 'rank N = median', 'rank N computes xK', 'group NAME = median', 'group NAME xK', "
			               "'stages balanced', 'experts even', 'no pauses' or 'all = median', with a rank or group of the job, not '%s'", r->job->what_ifs[i]);
	}
	return TL_OK;
}
