/* tl-sheets.c - the sheets of all filters from one trace, which is read once.
 *
 * Its options are those of the filters, and what concerns the trace or the choice
 * of sheets. tl-report asks it what the words of its command line mean.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILTERS = 16, MAX_SWITCHES = 16 };

static bool dry_run, list_sheets;
static struct tl_load_options load = { .notes = true };
static struct tl_common common;

static const struct tl_opt options[] = {
	{ 0, "list-sheets", NULL, "list the sheets: name, filter, option that adds it, help", TL_OPT_FLAG, &list_sheets, 0, 0, NULL },
	{ 'n', "dry-run", NULL, "check the options and read the tables, but no trace", TL_OPT_FLAG, &dry_run, 0, 0, NULL },
	{ .long_name = NULL },
};

static const struct tl_opt trace_options[] = {
	{ 0, "keep-stream", "FILE", "keep the linked event stream as FILE", TL_OPT_TEXT, &load.keep, 0, 0, NULL },
	TL_LENIENT_OPTION(&load.lenient),
	{ .long_name = NULL },
};

/* ---- options that put sheets into a report ----------------------------------------- */

static struct tl_opt switches[MAX_SWITCHES + 1];
static const struct tl_opt *tables[MAX_FILTERS + 4];

static bool has_option(const struct tl_opt *o, const char *name)
{
	while (o->long_name && strcmp(o->long_name, name))
		o++;
	return o->long_name;
}

/* "add SHEET, SHEET", to be kept */
static const char *help_of(const char *option)
{
	struct tl_buf b = { 0 };
	const char *between = strncmp(option, "disable_", 8) ? "add " : "leave out ";

	for (const struct tl_filter *const *f = tl_filters; *f; f++)
		for (const struct tl_sheet *s = (*f)->sheets->sheets; s->name; s++)
			if (s->option && !strcmp(s->option, option)) {
				tl_buf_addf(&b, "%s%s", between, s->name);
				between = ", ";
			}
	return b.data;
}

/* A row for each option that a sheet names and its filter does not have. */
static void add_switches(const struct tl_filter *f)
{
	static bool unused;
	size_t n = 0;

	while (switches[n].long_name)
		n++;
	for (const struct tl_sheet *s = f->sheets->sheets; s->name; s++)
		if (s->option && !has_option(f->options, s->option) && !has_option(switches, s->option) && n < MAX_SWITCHES)
			switches[n++] = (struct tl_opt){ 0, s->option, NULL, help_of(s->option), TL_OPT_FLAG, &unused, 0, 0, NULL };
}

/* The tables of options of all filters. */
static const struct tl_opt *const *all_tables(void)
{
	size_t n = 0;

	tables[n++] = tl_choice_options;
	tables[n++] = trace_options;
	tables[n++] = switches;
	for (size_t i = 0; tl_filters[i] && i < MAX_FILTERS; i++) {
		add_switches(tl_filters[i]);
		tables[n++] = tl_filters[i]->options;
	}
	return tables;
}

/* ---- the words of tl-report --------------------------------------------------------- */

static struct { const char *trace, *xlsx, *csvs, *tsvs, *unused; bool progress, no_progress; } report;
static struct tl_buf words; /* for tl-sheets, as the shell reads them */

static const char *refuse(void *dest, const char *arg)
{
	(void)dest;
	(void)arg;
	return "this option of TraceLens is not built";
}

static const struct tl_opt report_options[] = {
	{ 0, "profile_json_path", "FILE", "the trace (or give it as the operand)", TL_OPT_TEXT, &report.trace, 0, 0, NULL },
	{ 'o', "output_xlsx_path", "FILE", "write the workbook to FILE", TL_OPT_TEXT, &report.xlsx, 0, 0, NULL },
	{ 0, "output_csvs_dir", "DIR", "write every sheet as DIR/NAME.csv", TL_OPT_TEXT, &report.csvs, 0, 0, NULL },
	{ 0, "tsv-dir", "DIR", "write every sheet as DIR/NAME.tsv", TL_OPT_TEXT, &report.tsvs, 0, 0, NULL },
	{ 0, "progress", NULL, "show progress even if standard error is no terminal", TL_OPT_FLAG, &report.progress, 0, 0, NULL },
	{ 0, "no-progress", NULL, "show no progress", TL_OPT_FLAG, &report.no_progress, 0, 0, NULL },
	{ 0, "comparison_json_path", "FILE", "not built yet", TL_OPT_CALL, NULL, 0, 0, refuse },
	{ 0, "extension_file", "FILE", "not built: use --ops, tl-rewrite or a filter of your own", TL_OPT_CALL, NULL, 0, 0, refuse },
	{ 0, "enable-origami", NULL, "not built", TL_OPT_CALL, NULL, 0, 0, refuse },
	{ 0, "python_path", "FILE", "not built", TL_OPT_CALL, NULL, 0, 0, refuse },
	{ 0, "inductor_cache_dir", "DIR", "accepted; has no effect on any sheet", TL_OPT_TEXT, &report.unused, 0, 0, NULL },
	{ .long_name = NULL },
};

static void add_quoted(struct tl_buf *b, const char *s)
{
	tl_buf_addc(b, '\'');
	for (; *s; s++)
		if (*s == '\'')
			tl_buf_adds(b, "'\\''");
		else
			tl_buf_addc(b, *s);
	tl_buf_addc(b, '\'');
}

static void add_variable(struct tl_buf *b, const char *name, const char *value)
{
	tl_buf_addf(b, "%s=", name);
	add_quoted(b, value ? value : "");
	tl_buf_addc(b, '\n');
}

static void pass_on(const struct tl_opt *o, const char *arg)
{
	struct tl_buf word = { 0 };

	if (has_option(report_options, o->long_name))
		return;
	tl_buf_addf(&word, "--%s%s%s", o->long_name, arg ? "=" : "", arg ? arg : "");
	tl_buf_addc(&words, ' ');
	add_quoted(&words, word.data);
	tl_buf_release(&word);
}

/* Parses a command line of tl-report and writes what it says to a file that a shell
 * can read: variables for tl-report's own options, positional parameters for those
 * of tl-sheets. After --help and --version there is no file. */
static int write_words(const char *path, int argc, char **argv)
{
	const struct tl_program program = {
		.name = "tl-report", .synopsis = "[OPTION]... FILE", .purpose = "make the performance report of a profiler trace",
		.options = report_options, .more = all_tables(), .common = TL_COMMON_VERBOSE, .c = &common,
		.seen = pass_on,
	};
	int n;
	char **operands = tl_cli_start(&program, argc, argv, &n);
	struct tl_buf b = { 0 };

	if (n + (report.trace != NULL) > 1)
		tl_usage("one trace at a time: '%s' and '%s'", report.trace ? report.trace : operands[0], operands[n - 1]);
	if (n)
		report.trace = operands[0];
	if (!report.trace)
		tl_usage("no trace given");
	if (!strcmp(report.trace, "-") && !report.xlsx && !report.csvs && !report.tsvs)
		tl_usage("the trace comes from standard input: say where the report goes (-o, --output_csvs_dir, --tsv-dir)");
	add_variable(&b, "trace", report.trace);
	add_variable(&b, "xlsx", report.xlsx);
	add_variable(&b, "csvs", report.csvs);
	add_variable(&b, "tsvs", report.tsvs);
	add_variable(&b, "progress", report.progress ? "1" : report.no_progress ? "0" : "");
	add_variable(&b, "quiet", common.quiet ? "-q" : "");
	tl_buf_addf(&b, "set --%s\n", words.data ? words.data : "");
	tl_write_text(path, &b);
	tl_buf_release(&b);
	return 0;
}

/* ---- main ------------------------------------------------------------------------------ */

static void print_sheets(const struct tl_choice *c, size_t n)
{
	printf("sheet\tfilter\toption\thelp\n");
	for (size_t i = 0; i < n; i++)
		printf("%s\t%s\t%s\t%s\n", c[i].name, c[i].filter->sheets->filter, c[i].sheet->option ? c[i].sheet->option : "", c[i].sheet->help);
	tl_finish_stdout();
}

static void make_sheets(const struct tl_choice *choices, size_t n)
{
	tl_run_filters(choices, n, &load);
	tl_speak_as("tl-sheets");
	if (tl_missing_sheet(0))
		tl_die("no sheet '%s' could be made of this trace", tl_missing_sheet(0));
	tl_finish_sheets();
}

int main(int argc, char **argv)
{
	static const struct tl_opt *more[MAX_FILTERS + 6] = { tl_folder_options };
	struct tl_program program = {
		.name = "tl-sheets", .synopsis = "[OPTION]... -d DIR [FILE]", .purpose = "make the sheets of all filters from one trace",
		.options = options, .more = more, .common = TL_COMMON_OUTPUT | TL_COMMON_VERBOSE, .c = &common,
	};
	size_t n_choices;
	int n;

	tl_speak_as(program.name);
	if (argc > 2 && !strcmp(argv[1], "--words-of-report"))
		return write_words(argv[2], argc - 2, argv + 2);
	memcpy(more + 1, all_tables(), sizeof tables);
	program.detail = tl_filter_detail(tl_filters);
	load.provenance = tl_provenance_line(&program, argc, argv);
	char **operands = tl_cli_start(&program, argc, argv, &n);
	if (n > 1)
		tl_usage("one file expected, %d given", n);
	load.path = n ? operands[0] : NULL;
	load.verbose = common.verbose;
	if (load.keep && !strcmp(load.keep, "-"))
		tl_usage("--keep-stream: standard output is for the paths of the sheets");
	tl_prepare_filters(tl_filters, &load);
	const struct tl_choice *choices = tl_list_choices(tl_filters, &n_choices);
	tl_speak_as(program.name);
	if (list_sheets) {
		print_sheets(choices, n_choices);
		return 0;
	}
	tl_choose_sheets(common.output);
	if (!tl_into_folder() && !tl_only_sheet())
		tl_usage("-d DIR is needed: where the sheets go");
	if (!dry_run)
		make_sheets(choices, n_choices);
	return 0;
}
