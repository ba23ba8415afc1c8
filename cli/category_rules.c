/* category_rules.c - --kernel-categories: which rules give kernels their categories.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "kernels/name_rules.h"

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

/* What is added to the rules of TraceLens. */
struct additions {
	enum tl_built_in_rules more;
	int64_t priority; const char *communication; /* what communication is called */
};

static struct tl_name_rules *make(enum tl_built_in_rules reference, const struct additions *a)
{
	struct tl_name_rules *rules = tl_name_rules_new(reference);
	struct tl_error err;

	if (!have_read)
		read_tables();
	if (a && !only_reference) {
		if (a->more)
			tl_name_rules_add_built_in(rules, a->more);
		tl_name_rules_add_answer(rules, a->priority, a->communication, tl_communication_rules(), "communication");
	}
	for (size_t i = 0; i < n_tables; i++)
		if (tl_name_rules_add(rules, tables[i].name, tables[i].text, tables[i].len, &err) != TL_OK)
			tl_die("%s", err.text);
	return rules;
}

struct tl_name_rules *tl_kernel_category_rules(void)
{
	static const struct additions additions = { TL_KERNEL_CATEGORIES_MORE, 9998, "Comm-Generic" };
	static struct tl_name_rules *rules;

	if (!rules)
		rules = make(TL_KERNEL_CATEGORIES, &additions);
	return rules;
}

struct tl_name_rules *tl_rocprof_category_rules(bool reference)
{
	/* TraceLens takes an all-reduce for a reduction */
	static const struct additions additions = { TL_NO_RULES, 10, "COMM" };
	static struct tl_name_rules *rules[2];

	if (!rules[reference])
		rules[reference] = make(TL_ROCPROF_CATEGORIES, reference ? NULL : &additions);
	return rules[reference];
}
