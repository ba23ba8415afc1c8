/* edit_rules.c - the rules of tree edits, built in and from files, with their settings.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_RULES_FILE = 16 << 20 };

bool tl_pseudo_ops;
struct tl_opt_list tl_rule_settings;

static void add_rules(struct tl_rules *rules, const char *path)
{
	struct tl_error err;
	size_t len;
	char *text = tl_read_file(path, MAX_RULES_FILE, &len);

	if (tl_rules_add(rules, path, text, len, &err) != TL_OK)
		tl_die("%s", err.text);
	free(text);
}

static void set_value(struct tl_rules *rules, const char *setting)
{
	struct tl_error err;
	const char *equals = strchr(setting, '=');

	if (!equals || equals == setting)
		tl_usage("--set %s: expected NAME=VALUE", setting);
	char *name = tl_strndup(setting, (size_t)(equals - setting));
	if (tl_rules_set(rules, name, equals + 1, &err) != TL_OK)
		tl_usage("--set %s: %s", setting, err.text);
	free(name);
}

struct tl_rules *tl_edit_rules(const struct tl_opt_list *files)
{
	struct tl_rules *rules = tl_rules_new();
	struct tl_error err;

	if (tl_pseudo_ops && tl_rules_add_pseudo_ops(rules, &err) != TL_OK)
		tl_die("%s", err.text);
	for (size_t i = 0; files && i < files->n; i++)
		add_rules(rules, files->items[i]);
	for (size_t i = 0; i < tl_rule_settings.n; i++)
		set_value(rules, tl_rule_settings.items[i]);
	return rules;
}

void tl_show_edits(const struct tl_rewrite_report *r, bool verbose)
{
	for (size_t i = 0; i < r->n_notes; i++)
		tl_warn("rule %s: %s (%llu times, first at event %llu)", r->notes[i].rule, r->notes[i].text,
		        (unsigned long long)r->notes[i].count, (unsigned long long)r->notes[i].uid);
	if (!verbose)
		return;
	tl_tell("operators renamed: %llu", (unsigned long long)r->n_renamed);
	tl_tell("operators added: %llu", (unsigned long long)r->n_new);
	tl_tell("events moved: %llu", (unsigned long long)r->n_moved);
}
