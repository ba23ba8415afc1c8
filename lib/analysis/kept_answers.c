/* kept_answers.c - what built-in tables of rules say of the names of a trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/kept_answers.h"

struct kept { struct tl_name_answers of[TL_N_RULE_TABLES]; };

static void release(void *p)
{
	struct kept *k = p;

	for (size_t i = 0; i < TL_N_RULE_TABLES; i++)
		tl_name_answers_release(&k->of[i]);
}

struct tl_name_answers *tl_kept_answers(const struct tl_trace *t, enum tl_built_in_rules table)
{
	struct tl_name_answers *a = &((struct kept *)tl_trace_keep(t, sizeof(struct kept), release))->of[table];

	if (!a->rules)
		tl_name_answers_init(a, table, &t->strings);
	return a;
}
