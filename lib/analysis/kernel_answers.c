/* kernel_answers.c - what kernel-kinds.tsv says of the names of a trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/kernel_answers.h"

struct kept { struct tl_name_answers of[TL_KERNEL_INTERNAL - TL_KERNEL_KINDS + 1]; };

static void release(void *p)
{
	struct kept *k = p;

	for (size_t i = 0; i < sizeof k->of / sizeof *k->of; i++)
		tl_name_answers_release(&k->of[i]);
}

struct tl_name_answers *tl_kernel_answers(const struct tl_trace *t, enum tl_built_in_rules question)
{
	struct tl_name_answers *a = &((struct kept *)tl_trace_keep(t, sizeof(struct kept), release))->of[question - TL_KERNEL_KINDS];

	if (!a->rules)
		tl_name_answers_init(a, question, &t->strings);
	return a;
}
