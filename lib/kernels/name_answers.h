/* name_answers.h - answers of rules for names that are ids of one string table.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_NAME_ANSWERS_H
#define TL_NAME_ANSWERS_H

#include "kernels/name_rules.h"

/* The table outlives it. */
struct tl_name_answers {
	const struct tl_strtab *strings;
	struct tl_name_rules *rules;
	const char **known; size_t cap; /* by id; NULL: not asked yet */
};
void tl_name_answers_init(struct tl_name_answers *, enum tl_built_in_rules, const struct tl_strtab *);
/* As tl_name_rules_find: "" if no rule matches. The rules are asked once for each id. */
const char *tl_name_answer(struct tl_name_answers *, uint32_t name);
bool tl_name_is(struct tl_name_answers *, uint32_t name, const char *answer);
/* To be called when the table was emptied. */
void tl_name_answers_forget(struct tl_name_answers *);
void tl_name_answers_release(struct tl_name_answers *);

#endif
