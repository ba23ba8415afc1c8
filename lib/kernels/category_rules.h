/* category_rules.h - rules that give a kernel name its category, as read from tables.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CATEGORY_RULES_H
#define TL_CATEGORY_RULES_H

#include "base/base.h"

#include <regex.h>

enum tl_category_term_kind {
	TL_TERM_WORDS,     /* one of the words a|b|c occurs in the name */
	TL_TERM_NAMESPACE, /* one of the words occurs before the first "::" */
	TL_TERM_START,     /* the name starts with the text */
	TL_TERM_REGEX,     /* the regular expression matches */
};
struct tl_category_term {
	enum tl_category_term_kind kind;
	bool fold;         /* match the name in lower case */
	const char *text;  /* the words or the start */
	regex_t *regex;    /* of TL_TERM_REGEX only */
};

struct tl_category_rule {
	int64_t priority;
	uint32_t table, line;             /* where the rule stands: table 1 was read first */
	const char *category;
	struct tl_category_term *terms;   /* all must match */
	uint32_t n_terms;
	struct tl_category_term *exclusion; /* must not match; NULL: none */
};

/* Zero bytes are a valid start. */
struct tl_category_rules {
	struct tl_category_rule *items; size_t n, cap; /* in the order of matching */
	uint32_t n_tables;
	struct tl_arena arena;            /* texts and terms */
	regex_t **regexes; size_t n_regexes, cap_regexes; /* of all terms, to be freed */
};

/* Adds the rules of a table, as tl_kcat_add does. */
enum tl_status tl_category_rules_add(struct tl_category_rules *, const char *name,
                                     const char *text, size_t len, struct tl_error *err);
void tl_category_rules_release(struct tl_category_rules *);

#endif
