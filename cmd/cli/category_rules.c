/* category_rules.c - --kernel-categories: which rules give kernels their categories.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "work/name_rules.h"

#include <string.h>

struct tl_opt_list tl_categories_named;

/* Files are read once, since they may be pipes. */
static struct table { const char *name, *text; size_t len; } *tables;
static size_t n_tables, cap_tables;
static bool only_reference, have_read;

static void read_tables(void)
{
	for (size_t i = 0; i < tl_categories_named.n; i++) {
		const char *name = tl_categories_named.items[i];

		if (!strcmp(name, "reference")) {
			only_reference = true;
			continue;
		}
		TL_GROW(tables, cap_tables, n_tables + 1);
		tables[n_tables].name = name;
		tables[n_tables].text = tl_read_file(name, TL_RULE_TABLE_MAX, &tables[n_tables].len);
		n_tables++;
	}
	have_read = true;
}

static struct tl_name_rules *new_rules(enum tl_built_in_rules built_in, bool more)
{
	struct tl_name_rules *rules = tl_name_rules_new(TL_NO_RULES);

	tl_name_rules_ask(rules, tl_work_of_categories());
	tl_name_rules_add_built_in(rules, built_in);
	if (more)
		tl_name_rules_add_built_in(rules, TL_KERNEL_CATEGORIES_MORE);
	struct tl_error err;

	for (size_t i = 0; i < n_tables; i++)
		if (tl_name_rules_add(rules, tables[i].name, tables[i].text, tables[i].len, &err) != TL_OK)
			tl_die("%s", err.text);
	return rules;
}

struct tl_name_rules *tl_kernel_category_rules(void)
{
	static struct tl_name_rules *rules;

	if (!have_read)
		read_tables();
	if (!rules)
		rules = new_rules(TL_KERNEL_CATEGORIES, !only_reference);
	return rules;
}

struct tl_name_rules *tl_rocprof_category_rules(bool reference)
{
	static struct tl_name_rules *rules;

	if (!have_read)
		read_tables();
	if (!reference && !only_reference)
		return tl_kernel_category_rules();
	if (!rules)
		rules = new_rules(TL_ROCPROF_CATEGORIES, false);
	return rules;
}
