/* tl-diff.c - compares two traces of a program by their call trees.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/device_events.h"
#include "cli/filter.h"
#include "cli/outputs.h"
#include "cli/sheet_form.h"
#include "compare/op_maps.h"
#include "table/tsv.h"

#include <stdlib.h>
#include <string.h>

static bool python, prune, stats, unique, summary, lenient;
static struct tl_outputs outputs;
static struct tl_common common;

static const struct tl_opt options[] = {
	TL_OUTPUT_OPTIONS(&outputs, 'd', 0),
	{ 0, "stats", NULL, "print diff_stats instead of the tree", TL_OPT_FLAG, &stats, 0, 0, NULL },
	{ 0, "summary", NULL, "print diff_summary instead of the tree: counts and times of both traces by operator", TL_OPT_FLAG, &summary, 0, 0, NULL },
	{ 0, "unique_args", NULL, "print diff_stats_unique_args_summary instead of the tree", TL_OPT_FLAG, &unique, 0, 0, NULL },
	{ 0, "python", NULL, "make Python frames part of the call trees", TL_OPT_FLAG, &python, 0, 0, NULL },
	{ 0, "prune_non_gpu", NULL, "leave roots that launch no work out of the tree", TL_OPT_FLAG, &prune, 0, 0, NULL },
	TL_FORM_OPTIONS,
	TL_LENIENT_OPTION(&lenient),
	TL_EDIT_OPTIONS,
	{ .long_name = NULL },
};
static const struct tl_opt *const more[] = { tl_part_options, NULL };

static const struct tl_program program = {
	.name = "tl-diff",
	.synopsis = "[OPTION]... TRACE1 TRACE2",
	.purpose = "compare two traces by their call trees",
	.detail =
		"TRACE1 and TRACE2 are raw traces or event streams; - is standard input. The merged tree goes to "
		"standard output.\n\n"
		"Sheets: diff_stats, diff_stats_unique_args_summary, diff_summary. Beside them stand, in the folders of -d and "
		"--output_csvs_dir, merged_tree_output.txt, cpu_op_map_trace1.json, cpu_op_map_trace2.json, cpu_op_map.json.",
	.options = options, .more = more, .common = TL_COMMON_OUTPUT | TL_COMMON_VERBOSE, .c = &common,
};

/* ---- output ------------------------------------------------------------------------------ */

/* What stands beside the sheets. */
enum file { TREE, MAP1, MAP2, MAP, N_FILES };
static const char *const files[N_FILES] = { "merged_tree_output.txt", "cpu_op_map_trace1.json", "cpu_op_map_trace2.json",
	"cpu_op_map.json" };

static void write_one(const struct tl_diff *d, const struct tl_diff_tables *t, enum file file, struct tl_output *out)
{
	struct tl_buf text = { 0 };
	struct tl_error err;
	enum tl_status s;

	if (file == MAP)
		tl_op_map_of_both(&text, t);
	else if (file != TREE)
		tl_op_map_of_trace(&text, t, file == MAP2);
	s = file == TREE ? tl_tree_text(d, prune, out, &err) : out->write(out, text.data, text.len, &err);
	if (s)
		tl_die_error(out->name, &err);
	tl_buf_release(&text);
}

/* Into the folder of TSV, and into that of CSV. */
static void write_file(const struct tl_diff *d, const struct tl_diff_tables *t, enum file file, const char *folder)
{
	const char *folders[] = { folder, outputs.to[TL_AS_CSV] };

	for (size_t i = 0; i < 2 && folders[i]; i++) {
		char *path = tl_join_path(folders[i], files[file]);
		struct tl_output *out = tl_open_output(path, false);
		write_one(d, t, file, out);
		tl_close_output_for_later(out);
		free(path);
	}
}

static void write_files(const struct tl_diff *d, struct tl_diff_tables *t, const char *of)
{
	const char *scratch = outputs.to[TL_AS_TSV] ? NULL : tl_make_scratch_folder(program.name);
	struct tl_sheet_files s = { .folder = scratch ? scratch : outputs.to[TL_AS_TSV], .of = of };

	tl_make_folder(s.folder);
	if (outputs.to[TL_AS_CSV])
		tl_make_folder(outputs.to[TL_AS_CSV]);
	for (enum file file = TREE; file < MAP; file++)
		write_file(d, t, file, s.folder);
	tl_sheet_files_write(&s, tl_diff_stats_sheet.name, t->stats);
	tl_op_names_unify(t); /* the other two have the new names */
	tl_sheet_files_write(&s, tl_diff_stats_unique_args_summary_sheet.name, t->summary);
	tl_sheet_files_write(&s, tl_diff_summary_sheet.name, t->operators);
	write_file(d, t, MAP, s.folder);
	tl_sheet_files_finish(&s);
	tl_sheet_files_convert(&s, &outputs);
	tl_sheet_files_release(&s);
	if (scratch)
		tl_remove_scratch(scratch);
}

static void write_output(const struct tl_diff *d, const struct tl_diff_tables *t)
{
	if (stats) {
		tl_form_write(common.output, t->stats, tl_diff_stats_sheet.name, NULL);
	} else if (unique) {
		tl_form_write(common.output, t->summary, tl_diff_stats_unique_args_summary_sheet.name, NULL);
	} else if (summary) {
		tl_form_write(common.output, t->operators, tl_diff_summary_sheet.name, NULL);
	} else {
		struct tl_output *out = tl_open_output(common.output, false);
		write_one(d, t, TREE, out);
		tl_close_output(out);
	}
}

/* ---- input -------------------------------------------------------------------------------- */

static struct tl_trace *load(const char *path)
{
	struct tl_load_options o = { .path = path, .drop_kinds = TL_UNUSED_BY_SHEETS, .python = python, .lenient = lenient,
		.verbose = common.verbose };

	if (tl_pseudo_ops)
		o.rules = tl_edit_rules(NULL);
	struct tl_trace *t = tl_load_trace(&o);
	tl_rules_free(o.rules);
	return t;
}

static void check_options(int n, char **operands)
{
	if (n != 2)
		tl_usage("two traces expected, %d given", n);
	if (!strcmp(operands[0], "-") && !strcmp(operands[1], "-"))
		tl_usage("standard input cannot be both traces");
	bool files_wanted = tl_outputs_any(&outputs);
	if (files_wanted + stats + summary + unique > 1 || (files_wanted && common.output))
		tl_usage("-d, --stats, --summary and --unique_args exclude each other, and so do -d and -o");
	if (tl_form_is_asked() && !stats && !summary && !unique)
		tl_usage("--format, --rows and --offset are for a sheet: --stats, --summary or --unique_args");
	for (int i = 0; i < 2; i++)
		tl_will_read(operands[i]);
	tl_outputs_check(&outputs);
	for (size_t f = TL_AS_TSV; f <= TL_AS_CSV; f++)
		for (size_t i = 0; outputs.to[f] && i < N_FILES; i++) {
			char *path = tl_join_path(outputs.to[f], files[i]);
			tl_check_output(path);
			free(path);
		}
	if (!files_wanted)
		tl_check_output(common.output);
}

int main(int argc, char **argv)
{
	struct tl_trace *traces[2];
	struct tl_diff_tables tables;
	struct tl_diff *diff;
	int n;
	char **operands = tl_cli_start(&program, argc, argv, &n);

	check_options(n, operands);
	for (int i = 0; i < 2; i++)
		traces[i] = load(operands[i]);
	tl_compare_traces(&diff, &tables, traces, (const char *[]){ operands[0], operands[1] });
	if (tl_outputs_any(&outputs))
		write_files(diff, &tables, operands[0]);
	else
		write_output(diff, &tables);
	tl_diff_tables_release(&tables);
	tl_diff_free(diff);
	tl_trace_free(traces[0]);
	tl_trace_free(traces[1]);
	return 0;
}
