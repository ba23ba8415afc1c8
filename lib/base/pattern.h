/* pattern.h - what names are compared with: whole names and Perl's regular expressions, by PCRE2.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PATTERN_H
#define TL_PATTERN_H

#include "base/base.h"

/* What the expressions of a table may weigh in all: one weighs 1000, for each is tried on each name, and
 * the bytes that it takes compiled. */
#define TL_PATTERNS_WEIGHT_MAX (1 << 20)

enum { TL_PATTERN_EXACT = 1, TL_PATTERN_ANY_CASE = 2, TL_PATTERN_NEGATED = 4 };

struct tl_pattern {
	struct tl_pattern *next;  /* another one that the same key of a rule gave */
	struct tl_pattern *older; /* the one read before it, of the same table or tables */
	uint32_t number;       /* among all patterns of the rules, from 0 */
	bool negated;
	const char *exact;     /* not NULL: the whole name; then the others are unused */
	struct pcre2_real_code_8 *code;
	struct pcre2_real_match_context_8 *limits;
	struct pcre2_real_match_data_8 *found; /* by the last comparison */
};

/* Makes a pattern of a text: the whole name if `how` has TL_PATTERN_EXACT, and the text must
 * outlive it, else a regular expression: pcre2pattern(3), of bytes; "." is any byte, "$" only the end.
 * False if the expression is wrong or too large; `why` receives the reason and its place, and nothing is
 * to be released. *weight: of the table's earlier expressions; that of this one is added. NULL: there are none. */
bool tl_pattern_compile(struct tl_pattern *, const char *text, unsigned how, size_t *weight, char why[200]);
void tl_pattern_release(struct tl_pattern *);

/* An expression that the user gave; text NULL: none. */
struct tl_regex { const char *text; struct tl_pattern pattern; };

/* Does the name match or, for a negated pattern, not match? A name on which an expression takes more than
 * a million steps, or 64 MB, is none that it matches; the handler is told of it. */
bool tl_pattern_matches(const struct tl_pattern *, const char *s, size_t len);
void tl_set_given_up_handler(void (*)(const char *name, size_t len));
/* Where the group n of the first match in s is. False: nothing matches, or the group is not in the match. */
bool tl_pattern_group(const struct tl_pattern *, const char *s, size_t len, uint32_t n, const char **group, size_t *group_len);
/* Replaces the first match in s, and `out` receives the result; false if nothing
 * matches. In `to`, \0 to \9 stand for the match and its groups. */
bool tl_pattern_replace(const struct tl_pattern *, const char *to, const char *s, size_t len, struct tl_buf *out);
/* How many groups the expression has; the number of the one with this name, 0 if there is none. */
uint32_t tl_pattern_groups(const struct tl_pattern *);
uint32_t tl_pattern_group_named(const struct tl_pattern *, const char *name);

#endif
