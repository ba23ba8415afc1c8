/* pattern.c - what names are compared with.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Steps and KiB of one comparison: some expressions would take any amount of them. */
enum { WEIGHT = 1000, MAX_STEPS = 1000000, MAX_KIB = 65536 };

/* Memory that runs out ends the program here, too. */
static void *allocate(size_t size, void *unused)
{
	(void)unused;
	return tl_alloc(size);
}

static void release(void *p, void *unused)
{
	(void)unused;
	free(p);
}

bool tl_pattern_compile(struct tl_pattern *p, const char *text, unsigned how, size_t *weight, char why[200])
{
	*p = (struct tl_pattern){ .negated = how & TL_PATTERN_NEGATED, .exact = how & TL_PATTERN_EXACT ? text : NULL };
	if (p->exact)
		return true;
	uint32_t options = PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_UTF | (how & TL_PATTERN_ANY_CASE ? PCRE2_CASELESS : 0);
	pcre2_general_context *memory = pcre2_general_context_create(allocate, release, NULL);
	pcre2_compile_context *context = pcre2_compile_context_create(memory);
	size_t at, size = 0;
	int mistake;
	p->code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, options, &mistake, &at, context);
	if (p->code) {
		p->found = pcre2_match_data_create_from_pattern(p->code, NULL);
		p->limits = pcre2_match_context_create(memory);
		pcre2_set_match_limit(p->limits, MAX_STEPS);
		pcre2_set_heap_limit(p->limits, MAX_KIB);
		pcre2_pattern_info(p->code, PCRE2_INFO_SIZE, &size);
	} else {
		pcre2_get_error_message(mistake, (PCRE2_UCHAR *)why, 150);
		snprintf(why + strlen(why), 50, " at byte %zu", at + 1);
	}
	pcre2_compile_context_free(context);
	pcre2_general_context_free(memory);
	if (!p->code || !weight || (*weight += WEIGHT + size) <= TL_PATTERNS_WEIGHT_MAX)
		return p->code;
	snprintf(why, 200, "too many regular expressions before it, or they repeat too much");
	tl_pattern_release(p);
	return false;
}

void tl_pattern_release(struct tl_pattern *p)
{
	pcre2_match_data_free(p->found);
	pcre2_match_context_free(p->limits);
	pcre2_code_free(p->code);
}

static void (*on_given_up)(const char *, size_t);

void tl_set_given_up_handler(void (*handler)(const char *, size_t))
{
	on_given_up = handler;
}

static bool find(const struct tl_pattern *p, const char *s, size_t len)
{
	if (p->exact)
		return strlen(p->exact) == len && !memcmp(p->exact, s, len);
	int found = pcre2_match(p->code, (PCRE2_SPTR)s, len, 0, 0, p->found, p->limits);
	if (found < 0 && found != PCRE2_ERROR_NOMATCH && on_given_up)
		on_given_up(s, len);
	return found > 0;
}

bool tl_pattern_matches(const struct tl_pattern *p, const char *s, size_t len)
{
	return find(p, s, len) != p->negated;
}

/* The group n of what was found. */
static bool found_group(const struct tl_pattern *p, const char *s, uint32_t n, const char **group, size_t *group_len)
{
	const size_t *at = pcre2_get_ovector_pointer(p->found) + 2 * n;
	if (n >= pcre2_get_ovector_count(p->found) || at[0] == PCRE2_UNSET)
		return false;
	*group = s + at[0];
	*group_len = at[1] - at[0];
	return true;
}

bool tl_pattern_group(const struct tl_pattern *p, const char *s, size_t len, uint32_t n, const char **group, size_t *group_len)
{
	return find(p, s, len) && found_group(p, s, n, group, group_len);
}

bool tl_pattern_replace(const struct tl_pattern *p, const char *to, const char *s, size_t len, struct tl_buf *out)
{
	const char *match, *group;
	size_t match_len, group_len;
	if (p->exact || !tl_pattern_group(p, s, len, 0, &match, &match_len))
		return false;
	tl_buf_clear(out);
	tl_buf_add(out, s, (size_t)(match - s));
	for (; *to; to++) {
		if (to[0] != '\\' || !to[1])
			tl_buf_addc(out, *to);
		else if (*++to < '0' || *to > '9')
			tl_buf_addc(out, *to);
		else if (found_group(p, s, (uint32_t)(*to - '0'), &group, &group_len))
			tl_buf_add(out, group, group_len);
	}
	tl_buf_add(out, match + match_len, len - (size_t)(match + match_len - s));
	return true;
}

uint32_t tl_pattern_groups(const struct tl_pattern *p)
{
	return pcre2_get_ovector_count(p->found) - 1;
}

uint32_t tl_pattern_group_named(const struct tl_pattern *p, const char *name)
{
	int n = pcre2_substring_number_from_name(p->code, (PCRE2_SPTR)name);
	return n > 0 ? (uint32_t)n : 0;
}
