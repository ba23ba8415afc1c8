/* category_rules.c - --kernel-categories: which rules give kernels their categories.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"

#include <string.h>

struct tl_opt_list tl_categories_named;

static bool is_reference(const char *name)
{
	return !strcmp(name, "reference");
}

struct tl_name_rules *tl_category_rules(enum tl_built_in_rules reference, enum tl_built_in_rules more)
{
	const struct tl_opt_list *named = &tl_categories_named;
	struct tl_name_rules *rules = tl_name_rules_new(reference);

	for (size_t i = 0; i < named->n; i++)
		if (is_reference(named->items[i]))
			more = TL_NO_RULES;
	if (more)
		tl_name_rules_add_built_in(rules, more);
	for (size_t i = 0; i < named->n; i++)
		if (!is_reference(named->items[i]))
			tl_add_rule_file(rules, named->items[i]);
	return rules;
}
