/* kernel_rules.c - options that say what kernels are: communication, categories.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "work/device_events.h"
#include "work/name_rules.h"

#include <string.h>
#include <unistd.h>

/* ---- --communication: which device events are communication -------------------- */

struct tl_opt_list tl_communication_named;
static struct tl_name_rules *work_rules; /* stay until the program ends */
static enum tl_work_rules work_base = TL_WORK_REFERENCE;

static bool is_built_in(const char *name, enum tl_work_rules *which)
{
	*which = strcmp(name, "reference") ? TL_WORK_TABLE : TL_WORK_REFERENCE;
	return *which == TL_WORK_REFERENCE || !strcmp(name, "table");
}

void tl_prepare_communication(void)
{
	const struct tl_opt_list *named = &tl_communication_named;
	enum tl_work_rules which;

	if (tl_option_given("communication") < 0)
		return;
	if (named->n) /* who adds a file wants the table as well, unless another word says otherwise */
		work_base = TL_WORK_TABLE;
	for (size_t i = 0; i < named->n; i++)
		if (is_built_in(named->items[i], &which))
			work_base = which;
	work_rules = tl_work_rules_new(work_base);
	for (size_t i = 0; i < named->n; i++)
		if (!is_built_in(named->items[i], &which)) {
			if (access(named->items[i], F_OK))
				tl_usage("--communication: '%s' is not reference, table or a file", named->items[i]);
			tl_add_rule_file(work_rules, named->items[i]);
		}
}

struct tl_name_rules *tl_communication_rules(void)
{
	if (!work_rules)
		work_rules = tl_work_rules_new(work_base);
	return work_rules;
}

/* What categories of kernels call communication: those rules, unless they are TraceLens's; then, the table. */
static struct tl_name_rules *rules_of_categories(void)
{
	static struct tl_name_rules *table;

	if (work_rules && work_base == TL_WORK_TABLE)
		return work_rules;
	if (!table)
		table = tl_work_rules_new(TL_WORK_TABLE);
	return table;
}

static void note_difference(const struct tl_trace *t, uint32_t n, int64_t ticks, const char *here, const char *there)
{
	const char *other = work_base == TL_WORK_REFERENCE ? "table, which knows more libraries" : "reference, which is TraceLens's rule";

	if (n)
		tl_note("communication %s %u device event%s (%s) that %s%s, %s", here, (unsigned)n,
		        n == 1 ? "" : "s", tl_note_time(t, ticks).text, tl_advice("communication", "--communication "), other, there);
}

void tl_mark_communication(struct tl_trace *t)
{
	struct tl_work_difference diff;

	if (tl_option_given("communication") < 0)
		return;
	struct tl_name_rules *other = tl_work_rules_new(work_base == TL_WORK_REFERENCE ? TL_WORK_TABLE : TL_WORK_REFERENCE);
	tl_mark_work(t, work_rules, other, &diff);
	note_difference(t, diff.more, diff.more_ticks, "counts", "leaves out");
	note_difference(t, diff.fewer, diff.fewer_ticks, "leaves out", "counts");
	tl_name_rules_free(other);
}

/* ---- --kernel-categories: which rules give kernels their categories ------------ */

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

	tl_name_rules_ask(rules, rules_of_categories());
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
