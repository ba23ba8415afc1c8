/* tl-diff.c - compares two traces of a program by their call trees.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "diff/op_maps.h"
#include "diff/tree_text.h"
#include "table/csv.h"

#include <stdlib.h>
#include <string.h>

static bool python, prune, stats, summary, lenient;
static const char *folder;
static struct tl_common common;

static const struct tl_opt options[] = {
	{ 'd', "dir", "DIR", "write all six files into DIR", TL_OPT_TEXT, &folder, 0, 0, NULL },
	{ 0, "stats", NULL, "print diff_stats (TSV) instead of the tree", TL_OPT_FLAG, &stats, 0, 0, NULL },
	{ 0, "summary", NULL, "print diff_stats_unique_args_summary (TSV) instead of the tree", TL_OPT_FLAG, &summary, 0, 0, NULL },
	{ 0, "python", NULL, "make Python frames part of the call trees", TL_OPT_FLAG, &python, 0, 0, NULL },
	{ 0, "prune_non_gpu", NULL, "leave roots that launch no work out of the tree", TL_OPT_FLAG, &prune, 0, 0, NULL },
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
		"TRACE1 and TRACE2 are raw traces or event streams; - is standard input. The merged tree goes to\n"
		"standard output.\n\n"
		"Files of -d: diff_stats.csv, diff_stats_unique_args_summary.csv, merged_tree_output.txt,\n"
		"cpu_op_map_trace1.json, cpu_op_map_trace2.json, cpu_op_map.json",
	.options = options, .more = more, .common = TL_COMMON_OUTPUT | TL_COMMON_VERBOSE, .c = &common,
};

/* ---- output ------------------------------------------------------------------------------ */

enum what { STATS, SUMMARY, TREE, MAP1, MAP2, MAP, N_FILES };
static const char *const files[N_FILES] = { "diff_stats.csv", "diff_stats_unique_args_summary.csv", "merged_tree_output.txt",
	"cpu_op_map_trace1.json", "cpu_op_map_trace2.json", "cpu_op_map.json" };

/* csv: tables as CSV, else as TSV. */
static void write_table(const struct tl_table *t, bool identical, bool csv, struct tl_output *out)
{
	struct tl_table *half = identical ? tl_diff_first_half(t) : NULL;
	struct tl_error err;

	if ((csv ? tl_csv_write : tl_tsv_write)(half ? half : t, out, &err) != TL_OK)
		tl_die_error(out->name, &err);
	tl_table_free(half);
}

static void write_json(const struct tl_diff_tables *t, enum what what, struct tl_output *out)
{
	struct tl_buf text = { 0 };
	struct tl_error err;

	if (what == MAP)
		tl_op_map_of_both(&text, t);
	else
		tl_op_map_of_trace(&text, t, what == MAP2);
	if (out->write(out, text.data, text.len, &err) != TL_OK)
		tl_die_error(out->name, &err);
	tl_buf_release(&text);
}

static void write_one(const struct tl_diff *d, const struct tl_diff_tables *t, enum what what, bool csv, struct tl_output *out)
{
	struct tl_error err;

	if (what == STATS || what == SUMMARY)
		write_table(what == STATS ? t->stats : t->summary, t->identical, csv, out);
	else if (what != TREE)
		write_json(t, what, out);
	else if (tl_tree_text(d, prune, out, &err) != TL_OK)
		tl_die_error(out->name, &err);
}

static char *path_of(enum what what)
{
	struct tl_buf b = { 0 };

	tl_buf_addf(&b, "%s/%s", folder, files[what]);
	return b.data;
}

static void write_folder(const struct tl_diff *d, struct tl_diff_tables *t)
{
	static const enum what order[N_FILES] = { TREE, STATS, MAP1, MAP2, SUMMARY, MAP };
	struct tl_map names = { 0 };
	char *paths[N_FILES];

	tl_make_folder(folder);
	for (size_t i = 0; i < N_FILES; i++) {
		if (order[i] == SUMMARY) { /* it and the last map have the new names */
			tl_op_names_find(&names, t);
			tl_op_names_apply(&names, t);
		}
		paths[i] = path_of(order[i]);
		struct tl_output *out = tl_open_output(paths[i], false);
		write_one(d, t, order[i], true, out);
		tl_close_output_for_later(out);
	}
	tl_rename_outputs();
	for (size_t i = 0; i < N_FILES; i++)
		free(paths[i]);
	tl_map_release(&names);
}

static void write_output(const struct tl_diff *d, struct tl_diff_tables *t)
{
	struct tl_output *out = tl_open_output(common.output, false);

	write_one(d, t, stats ? STATS : summary ? SUMMARY : TREE, false, out);
	tl_close_output(out);
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
	if ((folder != NULL) + (stats || summary) > 1 || (folder && common.output) || (stats && summary))
		tl_usage("-d, --stats and --summary exclude each other, and so do -d and -o");
	for (int i = 0; i < 2; i++)
		tl_will_read(operands[i]);
	for (size_t i = 0; folder && i < N_FILES; i++) {
		char *path = path_of((enum what)i);
		tl_check_output(path);
		free(path);
	}
	if (!folder)
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
	const char *names[2] = { operands[0], operands[1] };
	tl_compare_traces(&diff, &tables, traces, names);
	if (folder)
		write_folder(diff, &tables);
	else
		write_output(diff, &tables);
	tl_diff_tables_release(&tables);
	tl_diff_free(diff);
	tl_trace_free(traces[0]);
	tl_trace_free(traces[1]);
	return 0;
}
