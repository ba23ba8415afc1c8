/* tl-rewrite.c - edits a linked stream by rules: names, pseudo operators, places.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"

static struct tl_opt_list rule_files;
static bool lenient, dry_run;
static struct tl_link_options link_options = { .keep = true };
static struct tl_common common;

static const struct tl_opt options[] = {
	TL_EDIT_OPTIONS,
	TL_CAPTURE_OPTION,
	{ 0, "rules", "FILE", "apply the rules of FILE, after the built-in ones; may be repeated",
	  TL_OPT_LIST, &rule_files, 0, 0, NULL },
	{ 'n', "dry-run", NULL, "check the options and read the rules, but no trace", TL_OPT_FLAG, &dry_run, 0, 0, NULL },
	{ 0, "python", NULL, "link a raw trace with Python frames in the call tree",
	  TL_OPT_FLAG, &link_options.python, 0, 0, NULL },
	TL_LENIENT_OPTION(&lenient),
	{ 0, NULL, NULL, NULL, 0, NULL, 0, 0, NULL },
};

static const struct tl_program program = {
	.name = "tl-rewrite",
	.synopsis = "[OPTION]... [FILE]",
	.purpose = "edit a linked event stream by rules",
	.detail = "FILE is a linked event stream or a raw trace; without it, or with -, standard input is read.",
	.options = options,
	.common = TL_COMMON_OUTPUT | TL_COMMON_PROVENANCE | TL_COMMON_VERBOSE,
	.c = &common,
};

int main(int argc, char **argv)
{
	const char *path = tl_cli_start_one(&program, argc, argv);
	if (!tl_pseudo_ops && !rule_files.n && !tl_capture_folder)
		tl_usage("nothing to do: --enable_pseudo_ops, --rules or --capture_folder expected");
	link_options.python |= tl_capture_folder != NULL;
	struct tl_rules *rules = tl_edit_rules(&rule_files);
	if (!dry_run) {
		struct tl_pass pass;

		tl_pass_open(&pass, path, &common);
		struct tl_sink *rewriter = tl_rewriter_new(pass.writer, rules);
		const struct tl_merge_options *captures = tl_open_captures(lenient, common.verbose);
		struct tl_sink *merger = captures ? tl_merger_new(rewriter, captures) : rewriter;
		tl_pass_link(&pass, &(struct tl_read_options){ .lenient = lenient }, &link_options, merger, false, false);
		tl_show_edits(tl_rewriter_report(rewriter), common.verbose);
		if (captures) {
			tl_show_merge(tl_merger_report(merger), common.verbose);
			tl_merger_free(merger);
		}
		tl_rewriter_free(rewriter);
		tl_pass_close(&pass);
	}
	tl_rules_free(rules);
	return 0;
}
