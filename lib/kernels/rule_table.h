/* rule_table.h - a table of rules as it stands in memory; see name_rules.h.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RULE_TABLE_H
#define TL_RULE_TABLE_H

#include "base/base.h"

#include <regex.h>

enum tl_rule_term_kind {
	TL_TERM_WORDS,     /* one of the words a|b|c occurs in the name */
	TL_TERM_NAMESPACE, /* one of the words occurs before the first "::" */
	TL_TERM_START,     /* the name starts with the text */
	TL_TERM_REGEX,     /* the regular expression matches */
	TL_TERM_ANSWER,    /* other rules answer the text */
};
struct tl_name_rules;
struct tl_rule_term {
	enum tl_rule_term_kind kind;
	bool fold;         /* match the name in lower case, else as it is written */
	const char *text;  /* the words, the start or the answer */
	regex_t *regex;    /* of TL_TERM_REGEX only; tl_rule_list owns it */
	struct tl_name_rules *others; /* of TL_TERM_ANSWER only */
};

struct tl_name_rule {
	int64_t priority;
	uint32_t table, line;           /* where the rule stands: table 1 was read first */
	const char *answer;
	struct tl_rule_term *terms;     /* all must match */
	uint32_t n_terms;
	struct tl_rule_term *exclusion; /* must not match; NULL: none */
};

/* Zero bytes are an empty list. */
struct tl_rule_list {
	struct tl_name_rule *items; size_t n, cap; /* in the order in which they are tried */
	uint32_t n_tables;
	const char *const *answers;         /* those that rules may give, then NULL; NULL: any */
	struct tl_arena arena; /* texts and terms */
	regex_t **regexes; size_t n_regexes, cap_regexes; /* of all terms */
};

/* Adds the rules of a table, as tl_name_rules_add does. */
enum tl_status tl_rule_list_add(struct tl_rule_list *, const char *name,
                                const char *text, size_t len, struct tl_error *err);
/* Adds one rule, as tl_name_rules_add_answer does. */
void tl_rule_list_add_answer(struct tl_rule_list *, int64_t priority, const char *answer,
                             struct tl_name_rules *others, const char *theirs);
void tl_rule_list_release(struct tl_rule_list *);

#endif
