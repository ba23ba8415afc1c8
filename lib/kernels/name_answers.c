/* name_answers.c - answers of rules for names that are ids of one string table.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "kernels/name_answers.h"

#include <stdlib.h>
#include <string.h>

void tl_name_answers_init(struct tl_name_answers *a, enum tl_built_in_rules table, const struct tl_strtab *strings)
{
	*a = (struct tl_name_answers){ .strings = strings, .rules = tl_name_rules_new(table) };
}

const char *tl_name_answer(struct tl_name_answers *a, uint32_t name)
{
	size_t before = a->cap;

	TL_GROW(a->known, a->cap, (size_t)name + 1);
	memset(a->known + before, 0, (a->cap - before) * sizeof *a->known);
	if (!a->known[name])
		a->known[name] = tl_name_rules_find(a->rules, tl_str(a->strings, name), tl_str_len(a->strings, name));
	return a->known[name];
}

bool tl_name_is(struct tl_name_answers *a, uint32_t name, const char *answer)
{
	return !strcmp(tl_name_answer(a, name), answer);
}

void tl_name_answers_forget(struct tl_name_answers *a)
{
	if (a->cap)
		memset(a->known, 0, a->cap * sizeof *a->known);
}

void tl_name_answers_release(struct tl_name_answers *a)
{
	tl_name_rules_free(a->rules);
	free(a->known);
	*a = (struct tl_name_answers){ 0 };
}
