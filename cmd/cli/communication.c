/* communication.c - --communication: which device events are communication, for all sheets
 * of a run.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/device_events.h"
#include "cli/filter.h"

#include <string.h>
#include <unistd.h>

struct tl_opt_list tl_communication_named;
static struct tl_name_rules *rules; /* stay until the program ends */
static enum tl_work_rules base = TL_WORK_REFERENCE;

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
		base = TL_WORK_TABLE;
	for (size_t i = 0; i < named->n; i++)
		if (is_built_in(named->items[i], &which))
			base = which;
	rules = tl_work_rules_new(base);
	for (size_t i = 0; i < named->n; i++)
		if (!is_built_in(named->items[i], &which)) {
			if (access(named->items[i], F_OK))
				tl_usage("--communication: '%s' is not reference, table or a file", named->items[i]);
			tl_add_rule_file(rules, named->items[i]);
		}
}

struct tl_name_rules *tl_communication_rules(void)
{
	if (!rules)
		rules = tl_work_rules_new(base);
	return rules;
}

struct tl_name_rules *tl_work_of_categories(void)
{
	static struct tl_name_rules *table;

	if (rules && base == TL_WORK_TABLE)
		return rules;
	if (!table)
		table = tl_work_rules_new(TL_WORK_TABLE);
	return table;
}

static void note_difference(const struct tl_trace *t, uint32_t n, int64_t ticks, const char *here, const char *there)
{
	const char *other = base == TL_WORK_REFERENCE ? "table, which knows more libraries" : "reference, which is TraceLens's rule";

	if (n)
		tl_note("communication %s %u device event%s (%s) that %s%s, %s", here, (unsigned)n,
		        n == 1 ? "" : "s", tl_note_time(t, ticks).text, tl_advice("communication", "--communication "), other, there);
}

void tl_mark_communication(struct tl_trace *t)
{
	struct tl_work_difference diff;

	if (tl_option_given("communication") < 0)
		return;
	struct tl_name_rules *other = tl_work_rules_new(base == TL_WORK_REFERENCE ? TL_WORK_TABLE : TL_WORK_REFERENCE);
	tl_mark_work(t, rules, other, &diff);
	note_difference(t, diff.more, diff.more_ticks, "counts", "leaves out");
	note_difference(t, diff.fewer, diff.fewer_ticks, "leaves out", "counts");
	tl_name_rules_free(other);
}
