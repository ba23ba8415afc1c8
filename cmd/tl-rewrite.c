/* tl-rewrite.c - edits a linked stream by rules: names, pseudo operators, places.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "tl.h"

#include <stdlib.h>
#include <string.h>

static struct tl_opt_list rule_files, settings;
static bool pseudo_ops, lenient, dry_run;
static struct tl_link_options link_options = { .keep = true };
static struct tl_common common;

static const struct tl_opt options[] = {
	{ 0, "enable_pseudo_ops", NULL, "apply the built-in rules, before any others", TL_OPT_FLAG, &pseudo_ops, 0, 0, NULL },
	{ 0, "rules", "FILE", "apply the rules of FILE; may be repeated", TL_OPT_LIST, &rule_files, 0, 0, NULL },
	{ 0, "set", "NAME=VALUE", "what rules ask for: model, tp (degree of tensor parallelism); may be repeated", TL_OPT_LIST, &settings, 0, 0, NULL },
	{ 'n', "dry-run", NULL, "check the options and read the rules, but no trace", TL_OPT_FLAG, &dry_run, 0, 0, NULL },
	{ 0, "python", NULL, "link a raw trace with Python frames in the call tree", TL_OPT_FLAG, &link_options.python, 0, 0, NULL },
	{ 0, "lenient", NULL, "go on after damaged events of a raw trace, and count them", TL_OPT_FLAG, &lenient, 0, 0, NULL },
	{ 0, NULL, NULL, NULL, 0, NULL, 0, 0, NULL },
};

static const struct tl_program program = {
	.name = "tl-rewrite",
	.synopsis = "[OPTION]... [FILE]",
	.purpose = "edit a linked event stream by rules",
	.detail = "FILE is a linked event stream or a raw trace; without it, or with -, standard input is read.",
	.options = options,
	.common = TL_COMMON_OUTPUT | TL_COMMON_THREADS | TL_COMMON_PROVENANCE | TL_COMMON_VERBOSE,
	.c = &common,
};

enum { MAX_RULES_FILE = 16 << 20 };

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

static struct tl_rules *read_rules(void)
{
	struct tl_rules *rules = tl_rules_new();
	struct tl_error err;
	if (!pseudo_ops && !rule_files.n)
		tl_usage("nothing to do: --enable_pseudo_ops or --rules expected");
	if (pseudo_ops && tl_rules_add_pseudo_ops(rules, &err) != TL_OK)
		tl_die("%s", err.text);
	for (size_t i = 0; i < rule_files.n; i++)
		add_rules(rules, rule_files.items[i]);
	for (size_t i = 0; i < settings.n; i++)
		set_value(rules, settings.items[i]);
	return rules;
}

static void show_report(const struct tl_rewrite_report *r)
{
	for (size_t i = 0; i < r->n_notes; i++)
		tl_warn("rule %s: %s (%llu times, first at event %llu)", r->notes[i].rule, r->notes[i].text,
		        (unsigned long long)r->notes[i].count, (unsigned long long)r->notes[i].uid);
	if (!common.verbose)
		return;
	tl_note("operators renamed: %llu", (unsigned long long)r->n_renamed);
	tl_note("operators added: %llu", (unsigned long long)r->n_new);
	tl_note("events moved: %llu", (unsigned long long)r->n_moved);
}

static void edit(const char *path, struct tl_rules *rules, const char *line)
{
	struct tl_input *in = tl_open_input(path);
	struct tl_output *out = tl_open_output(common.output, true);
	struct tl_sink *writer = tl_writer_new(out, common.no_provenance ? NULL : line);
	struct tl_sink *rewriter = tl_rewriter_new(writer, rules);
	struct tl_sink *linker = tl_linker_new(rewriter, &link_options);
	struct tl_read_options ro = { .lenient = lenient, .threads = (int)common.threads };
	struct tl_read_report report = { 0 };
	struct tl_error err;
	if (tl_read(in, &ro, linker, &report, &err) != TL_OK)
		tl_die_error(in->name, &err);
	tl_close_output(out);
	tl_warn_drops(in->name, &report);
	tl_warn_linker(tl_linker_report(linker));
	show_report(tl_rewriter_report(rewriter));
	tl_linker_free(linker);
	tl_rewriter_free(rewriter);
	tl_writer_free(writer);
	tl_close_input(in);
}

int main(int argc, char **argv)
{
	int n;
	char *line = tl_provenance_line(&program, argc, argv);
	char **operands = tl_cli_start(&program, argc, argv, &n);
	if (n > 1)
		tl_usage("one file expected, %d given", n);
	struct tl_rules *rules = read_rules();
	if (!dry_run)
		edit(n ? operands[0] : NULL, rules, line);
	tl_rules_free(rules);
	free(line);
	return 0;
}
