/* tl-compare.c - the sheets of several reports side by side, with differences.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/memory_io.h"
#include "base/number.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/filter.h"
#include "cli/outputs.h"
#include "cli/report_files.h"
#include "cli/sheet_form.h"
#include "compare/compare.h"
#include "compare/digest.h"
#include "compare/gate.h"
#include "report/workbook.h"
#include "table/table.h"
#include "table/tsv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LARGE 200000 /* cells of a result: beyond, a workbook's rows are not held in memory */

static struct tl_outputs outputs;
static struct tl_opt_list names, groups, sides[2]; /* sides: runs of the baseline and of the variant */
static bool verdict;
static const char *markdown_path, *json_path;
static struct tl_gate *gates;
static size_t n_gates, cap_gates;
static double min_share = 0.1; /* percent */
static struct tl_common common;

/* For TL_OPT_CALL. */
static const char *add_gate(void *dest, const char *text)
{
	(void)dest;
	TL_PUSH(gates, n_gates, cap_gates, (struct tl_gate){ .text = text });
	return NULL;
}

static const char *set_share(void *dest, const char *text)
{
	char *end;

	*(double *)dest = tl_parse_double(text, &end);
	return end > text && (!*end || !strcmp(end, "%")) && *(double *)dest >= 0 ? NULL : "expected percent, such as 0.1";
}

static const struct tl_opt options[] = {
	TL_OUTPUT_OPTIONS(&outputs, 'd', 'o'),
	TL_QUOTES_OPTION,
	{ 0, "output", "FILE", NULL, TL_OPT_TEXT, &outputs.to[TL_AS_BOOK], 0, 0, NULL }, /* TraceLens's name */
	{ 0, "baseline", "REPORT...",
	  "several runs as the baseline: the spread between runs judges; with --variant, instead of operands",
	  TL_OPT_LIST, &sides[0], 0, 0, NULL },
	{ 0, "variant", "REPORT...", "the runs that are compared with these", TL_OPT_LIST, &sides[1], 0, 0, NULL },
	{ 0, "names", "NAME...", "what each report is called in columns and sheets (its file's name)", TL_OPT_LIST, &names, 0, 0, NULL },
	{ 0, "sheets", "GROUP...",
	  "only these groups: gpu_timeline, ops_summary, kernel_summary, ops_all, roofline, steps, ranks, findings, all",
	  TL_OPT_LIST, &groups, 0, 0, NULL },
	TL_STEP_MARKER_OPTION,
	{ 0, "verdict", NULL, "columns that tell how sure differences are; rows of one key are joined in their order", TL_OPT_FLAG, &verdict, 0, 0, NULL },
	{ 0, "markdown", "FILE", "write the rows that lost and won most time as Markdown, with verdicts", TL_OPT_TEXT, &markdown_path, 0, 0, NULL },
	{ 0, "json", "FILE", "the same as JSON", TL_OPT_TEXT, &json_path, 0, 0, NULL },
	{ 0, "fail-if", "CONDITION",
	  "exit with 3 if this holds: 'busy_time > +3 %', 'kernel_summary.slower > 1 %'; several times",
	  TL_OPT_CALL, NULL, 0, 0, add_gate },
	{ 0, "min-share", "PERCENT", "for --fail-if: rows with less of the time of their sheet do not count (0.1)", TL_OPT_CALL, &min_share, 0, 0, set_share },
	{ .long_name = NULL },
};

static const struct tl_opt_need needs[] = {
	{ "min-share", "fail-if", NULL },
	{ "spreadsheet-safe", "output_csvs_dir", NULL },
	{ "tsv-quotes", "dir", NULL },
	{ .option = NULL },
};

static const struct tl_program program = {
	.name = "tl-compare",
	.synopsis = "REPORT REPORT... [OPTION]... | --baseline REPORT... --variant REPORT... [OPTION]...",
	.purpose = "the sheets of several reports side by side, with differences",
	.detail = "A REPORT is a folder of sheets in TSV or CSV, a workbook, or a trace. The "
	          "first is the baseline. Without an output, the workbook is comparison.xlsx.",
	.options = options, .needs = needs,
	.c = &common,
	.lists_take_words = true,
};

/* ---- reports ------------------------------------------------------------------------- */

static struct tl_report_files *reports;
static char **report_names;
static size_t n_reports;

/* Are traces of several profilers compared, whose sheets kernel_summary differ? */
static bool has_several_reports(void)
{
	const char *first = NULL;

	for (size_t i = 0; i < n_reports; i++) {
		const char *report = reports[i].kind == TL_REPORT_TRACE ? tl_report_of_file(reports[i].path) : first;
		if (first && strcmp(report, first) != 0)
			return true;
		first = report;
	}
	return false;
}

/* The file's name without folder and last suffix, and without .gz before; to be freed. */
static char *name_of_report(const char *path)
{
	size_t end = strlen(path);

	while (end > 1 && path[end - 1] == '/')
		end--;
	size_t from = end;
	while (from && path[from - 1] != '/')
		from--;
	size_t len = end - from;
	if (len > 3 && !memcmp(path + end - 3, ".gz", 3))
		len -= 3;
	const char *name = path + from, *dot = memrchr(name, '.', len);
	return tl_strndup(name, dot && dot > name ? (size_t)(dot - name) : len);
}

/* ---- what is compared --------------------------------------------------------------------- */

static struct tl_strtab strings;

/* What is compared: each report, or each side, and what they are called. */
static size_t n_compared;
static const char **tags;

static bool has_sides(void)
{
	return sides[0].n;
}

/* Reports of two kinds have no sheet in common; a folder of something else has none. */
static void check_common(const struct tl_report_files *a, const struct tl_report_files *b)
{
	const struct tl_comparison *d;

	for (size_t i = 0; (d = tl_comparison(i)); i++)
		if (tl_report_has(a, d->sheet) && tl_report_has(b, d->sheet))
			return;
	tl_die("%s and %s have no sheet in common: expected reports of one kind, SHEET.tsv or SHEET.csv in a folder", a->path, b->path);
}

static void open_reports(char **paths, size_t n)
{
	if (!sides[0].n != !sides[1].n)
		tl_usage("--baseline and --variant belong together");
	if (has_sides() && n)
		tl_usage("with --baseline and --variant there are no other reports");
	if (n < 2 && !has_sides())
		tl_usage("need at least two reports, %zu given", n);
	n_compared = has_sides() ? 2 : n;
	if (names.n && names.n != n_compared)
		tl_usage("--names: %zu name%s for %zu %s", names.n, names.n == 1 ? "" : "s", n_compared, has_sides() ? "sides" : "reports");
	n_reports = has_sides() ? sides[0].n + sides[1].n : n;
	reports = tl_calloc(n_reports, sizeof *reports);
	report_names = tl_calloc(n_reports, sizeof *report_names);
	for (size_t i = 0; i < n_reports; i++) {
		const char *path = !has_sides() ? paths[i] : i < sides[0].n ? sides[0].items[i] : sides[1].items[i - sides[0].n];
		tl_report_open(&reports[i], path);
		report_names[i] = name_of_report(path);
	}
	static const char *const usual[] = { "baseline", "variant" };

	tags = tl_alloc(n_compared * sizeof *tags);
	for (size_t i = 0; i < n_compared; i++) {
		tags[i] = names.n ? names.items[i] : has_sides() ? usual[i] : report_names[i];
		for (size_t j = 0; j < i; j++)
			if (!strcmp(tags[i], tags[j]))
				tl_die("%s and %s would both be called '%s': %s", reports[j].path, reports[i].path, tags[i],
				       names.n ? "--names must differ" : "name them with --names");
	}
	const char *kernels = has_several_reports() ? "--kernel_stats" : "--enable_kernel_summary"; /* kernel_summary differs */
	for (size_t i = 0; i < n_reports; i++)
		tl_report_make(&reports[i], kernels);
	for (size_t i = 1; i < n_reports; i++)
		check_common(&reports[0], &reports[i]);
}

/* ---- comparing -------------------------------------------------------------------------- */

static struct tl_compared_list results;

/* Was this group asked for, by name or by a condition? */
static bool is_asked(enum tl_compare_group group)
{
	bool asked = tl_opt_list_has(&groups, "all") || tl_opt_list_has(&groups, tl_compare_groups[group]);

	for (size_t i = 0; i < n_gates; i++)
		asked |= gates[i].of->group == group;
	return asked;
}

static bool all_have(const char *sheet)
{
	size_t n = 0;

	while (n < n_reports && tl_report_has(&reports[n], sheet))
		n++;
	return n == n_reports;
}

/* Whether the sheet is compared. One that is absent is empty; but where this tells nothing, the sheet is left out, unless it was asked for. */
static bool is_compared(const struct tl_comparison *d)
{
	bool asked = is_asked(d->group), any = false, all = true;

	if (!asked && (groups.n || (d->group == TL_COMPARE_STEPS && !verdict)))
		return false;
	for (size_t r = 0; r < n_reports; r++) {
		bool has = tl_report_has(&reports[r], d->sheet);
		any |= has;
		all &= has || reports[r].kind == TL_REPORT_TRACE; /* of a trace all sheets are made */
	}
	if (d->unless && all_have(d->unless) && (!asked || !all_have(d->sheet)))
		return false;
	if (!any || all || asked || !d->on_request)
		return any;
	tl_note("%s: not compared, not all reports have this sheet", d->sheet);
	return false;
}

static void tell(const struct tl_comparison *d, const struct tl_compare_report *told)
{
	if (told->repeated)
		tl_note("%s: %zu key%s in several rows of a report; every combination of them is a row (with --verdict, "
		        "they are joined in their order)", d->sheet, told->repeated, told->repeated == 1 ? " is" : "s are");
	if (told->no_metric)
		tl_note("%s: sheet '%s' has no column '%s': no difference of it", reports[told->without].path, d->sheet, told->no_metric);
}

static void die_of(const struct tl_comparison *d, size_t bad, const struct tl_error *err)
{
	tl_die("%s: sheet '%s': %s", bad < n_reports ? reports[bad].path : "the reports", d->sheet, err->text);
}

static void compare_tables(const struct tl_comparison *d, struct tl_table **tables, const struct tl_runs *made)
{
	struct tl_compare_report told;
	struct tl_error err;
	size_t bad;

	struct tl_compare_input in = { .tags = tags, .tables = tables, .n = n_compared, .sides = made, .verdict = verdict };
	if (tl_compare(d, &in, &results, &told, &bad, &err))
		die_of(d, bad < n_compared ? bad : n_reports, &err);
	tell(d, &told);
}

static void compare_sides(const struct tl_comparison *d, struct tl_table **tables)
{
	struct tl_runs made[2];
	struct tl_error err;
	size_t bad;

	for (size_t i = 0; i < 2; i++) {
		size_t first = i ? sides[0].n : 0;
		if (tl_runs_make(&made[i], d, tables + first, sides[i].n, &bad, &err))
			die_of(d, first + bad, &err);
		if (tl_runs_are_copies(&made[i]))
			tl_warn("%s: the runs of %s are equal in all times, as copies of one run are: they tell no spread", d->sheet, tags[i]);
	}
	compare_tables(d, (struct tl_table *[]){ made[0].table, made[1].table }, made);
	tl_runs_release(&made[0]);
	tl_runs_release(&made[1]);
}

/* The sheet of a report, as it is compared; NULL: it has none. */
static struct tl_table *load(const struct tl_report_files *r, const struct tl_comparison *d)
{
	struct tl_table *t = tl_report_has(r, d->sheet) ? tl_report_read(r, d->sheet, &strings) : NULL, *turned;

	if (!t || !d->turned)
		return t;
	turned = tl_turned(t, d->turned);
	tl_table_free(t);
	return turned;
}

/* Loads the sheet of each report, NULL where it is absent. If one has rows that the definition is for, a table without rows gets its
 * columns and its name is added to those that are empty; else there is nothing to compare: false. */
static bool load_all(struct tl_table **tables, const struct tl_comparison *d, struct tl_buf *empty)
{
	const struct tl_table *full = NULL;

	for (size_t r = 0; r < n_reports; r++) {
		tables[r] = load(&reports[r], d);
		if (!full && tables[r] && tables[r]->n_rows && (!d->if_column || tl_table_column(tables[r], d->if_column) >= 0))
			full = tables[r];
	}
	for (size_t r = 0; r < n_reports && full; r++) {
		if (tables[r] && tables[r]->n_rows)
			continue;
		tl_table_free(tables[r]);
		tables[r] = tl_table_new(&strings, 1, NULL);
		for (size_t i = 0; i < full->n_columns; i++)
			tl_table_add_column(tables[r], full->columns[i].name);
		tl_buf_addf(&empty[r], "%s%s", empty[r].len ? ", " : "", d->sheet);
	}
	return full;
}

static void compare_all(void)
{
	struct tl_table **tables = tl_alloc(n_reports * sizeof *tables);
	struct tl_buf *empty = tl_calloc(n_reports, sizeof *empty); /* of each report the names of sheets */
	const char *done = ""; /* the sheet that was compared last */
	const struct tl_comparison *d;

	for (size_t i = 0; (d = tl_comparison(i)); i++) {
		if (!strcmp(d->sheet, done))
			continue;
		if (!is_compared(d)) {
			done = d->sheet; /* nor is it by another definition */
			continue;
		}
		if (load_all(tables, d, empty)) {
			if (has_sides())
				compare_sides(d, tables);
			else
				compare_tables(d, tables, NULL);
			done = d->sheet;
		}
		for (size_t r = 0; r < n_reports; r++)
			tl_table_free(tables[r]);
	}
	for (size_t r = 0; r < n_reports; r++) {
		if (empty[r].len)
			tl_note("%s: no rows of %s: what others have there is new or gone", reports[r].path, empty[r].data);
		tl_buf_release(&empty[r]);
	}
	free(empty);
	free(tables);
	if (!results.n)
		tl_die("no report has rows in the sheets that are to be compared");
}

/* ---- conditions --------------------------------------------------------------------------- */

/* Prints a line for each condition and report for which it holds. Does any? */
static bool try_gates(void)
{
	bool any = false;

	for (size_t i = 0; i < n_gates; i++) {
		for (size_t other = 1; other < n_compared; other++) {
			struct tl_buf told = { 0 };
			struct tl_error err;
			enum tl_gate_answer answer;
			if (tl_gate_try(&gates[i], &results, tags, other, min_share, &answer, &told, &err))
				tl_die("--fail-if '%s': %s", gates[i].text, err.text);
			if (answer == TL_GATE_HOLDS)
				printf("%s: %s: %s\n", tags[other], gates[i].text, tl_buf_text(&told));
			if (answer == TL_GATE_NOT_JUDGED)
				tl_warn("%s: --fail-if '%s': %s", tags[other], gates[i].text, tl_buf_text(&told));
			any |= answer == TL_GATE_HOLDS;
			tl_buf_release(&told);
		}
		tl_gate_release(&gates[i]);
	}
	free(gates);
	tl_finish_stdout();
	return any;
}

/* ---- output ------------------------------------------------------------------------------- */

/* In the folder of TSV or, if other forms are made of them, in one for a while. */
static void write_sheets(void)
{
	struct tl_outputs others = outputs;
	const char *scratch = NULL;

	others.to[TL_AS_BOOK] = NULL; /* it marks what differs, which sheets in TSV do not tell */
	if (!tl_outputs_any(&others))
		return;
	if (!outputs.to[TL_AS_TSV])
		scratch = tl_make_scratch_folder("tl-compare");
	struct tl_sheet_files s = { .folder = scratch ? scratch : outputs.to[TL_AS_TSV], .of = reports[0].path };
	tl_make_folder(s.folder);
	for (size_t i = 0; i < results.n; i++)
		tl_sheet_files_write(&s, results.items[i].name, results.items[i].table);
	tl_sheet_files_finish(&s);
	tl_sheet_files_convert(&s, &others);
	tl_sheet_files_release(&s);
	if (scratch)
		tl_remove_scratch(scratch);
}

static bool is_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

static void write_digests(struct tl_buf *headlines)
{
	struct tl_buf markdown = { 0 }, text = { 0 };
	struct tl_json json = { .to = &text };

	tl_json_open(&json, NULL, '[');
	for (size_t other = 1; other < n_compared; other++) {
		struct tl_digest d;
		tl_digest_make(&d, &results, tags, other);
		if (other > 1)
			tl_buf_addc(&markdown, '\n');
		tl_digest_add_markdown(&markdown, &d);
		tl_digest_add_json(&json, &d);
		tl_buf_addf(headlines, "%s\n", tl_buf_text(&d.headline));
		tl_digest_release(&d);
	}
	tl_json_close(&json, ']');
	tl_buf_addc(&text, '\n');
	if (markdown_path)
		tl_write_text(markdown_path, &markdown);
	if (json_path)
		tl_write_text(json_path, &text);
	tl_buf_release(&markdown);
	tl_buf_release(&text);
}

static size_t count_cells(void)
{
	size_t n = 0;

	for (size_t i = 0; i < results.n; i++)
		n += results.items[i].table->n_rows * results.items[i].table->n_columns;
	return n;
}

/* ---- the workbook --------------------------------------------------------------------------
 * Columns of statistics are folded. */

static bool hides(const void *ctx, const char *column)
{
	return tl_comparison_hides(ctx, column);
}

static enum tl_status fill_sheet(struct tl_workbook *book, size_t i, const struct tl_compared *sheet, size_t *n_cut, struct tl_error *err)
{
	struct tl_memory_output out = tl_memory_output(sheet->name);
	size_t n = 0;

	if (!sheet->table->n_columns) /* no rows of this kind */
		return TL_OK;
	tl_workbook_fold(book, i, hides, sheet->of);
	enum tl_status st = tl_tsv_write(sheet->table, &out.out, err);
	struct tl_memory_input in = tl_memory_input(sheet->name, out.text.data, out.text.len);
	if (!st)
		st = tl_workbook_fill(book, i, &in.in, &n, err);
	*n_cut += n;
	tl_buf_release(&out.text);
	return st;
}

static enum tl_status fill_book(struct tl_workbook *book, size_t *n_cut, struct tl_error *err)
{
	enum tl_status st = TL_OK;

	for (size_t i = 0; i < results.n && !st; i++) {
		char *name = tl_workbook_fit_name(book, results.items[i].name, true);
		st = tl_workbook_add(book, name, err);
		free(name);
	}
	for (size_t i = 0; i < results.n && !st; i++)
		st = fill_sheet(book, i, &results.items[i], n_cut, err);
	return st;
}

/* libxlsxwriter goes back in the file that it writes: it writes a temporary file, which is
 * copied once it is whole. */
static void write_workbook(const char *path)
{
	struct tl_output *out = tl_open_output(path, true);
	const char *scratch;
	int fd = tl_open_scratch("tl-compare", &scratch);
	struct tl_workbook *book = tl_workbook_new(scratch, tl_source_date(), count_cells() > LARGE);
	struct tl_error err;
	size_t n_cut = 0;

	if (!book)
		tl_die("out of memory");
	enum tl_status st = fill_book(book, &n_cut, &err);
	if (!st)
		st = tl_workbook_close(book, &err);
	if (st == TL_ERR_IO)
		tl_die("%s: temporary files in %s: %s", out->name, tl_shown_temp_folder(), err.text);
	if (st)
		tl_die_error(out->name, &err);
	if (n_cut)
		tl_warn("%s: %zu cell%s longer than 32767 characters cut to that", out->name, n_cut, n_cut == 1 ? "" : "s");
	tl_workbook_free(book);
	tl_remove_scratch(scratch);
	tl_copy_out(fd, out);
	close(fd);
	tl_close_output_for_later(out);
}

int main(int argc, char **argv)
{
	struct tl_buf headlines = { 0 };
	int n;
	char **operands = tl_cli_start(&program, argc, argv, &n);

	struct tl_opt_list words = { 0 };
	for (size_t i = 0; i < groups.n; i++)
		tl_add_names(&words, groups.items[i]);
	free(groups.items);
	groups = words;
	for (size_t i = 0; i < groups.n; i++)
		if (strcmp(groups.items[i], "all") && !tl_is_one_of(tl_compare_groups, groups.items[i]))
			tl_usage("--sheets: '%s' is none of gpu_timeline, ops_summary, kernel_summary, ops_all, roofline, steps, ranks, findings, all", groups.items[i]);
	struct tl_error err;
	for (size_t i = 0; i < n_gates; i++)
		if (tl_gate_parse(&gates[i], gates[i].text, has_sides(), &err))
			tl_usage("--fail-if: '%s': %s", gates[i].text, err.text);
	verdict |= markdown_path || json_path || has_sides();
	for (size_t i = 0; i < n_gates; i++)
		verdict |= tl_gate_needs_verdicts(&gates[i]);
	open_reports(operands, (size_t)n);
	compare_all();
	if (!n_gates && !markdown_path && !json_path && !outputs.to[TL_AS_TSV] && !outputs.to[TL_AS_PAGE] && !outputs.to[TL_AS_BOOK])
		outputs.to[TL_AS_BOOK] = "comparison.xlsx";
	if (outputs.to[TL_AS_BOOK])
		write_workbook(outputs.to[TL_AS_BOOK]);
	write_sheets();
	write_digests(&headlines);
	tl_rename_outputs();
	if (tl_outputs_any(&outputs) && !tl_is_quiet() && !is_stdout(markdown_path) && !is_stdout(json_path))
		fputs(tl_buf_text(&headlines), stdout);
	tl_buf_release(&headlines);
	bool fails = try_gates();
	tl_compared_release(&results);
	free(tags);
	for (size_t i = 0; i < n_reports; i++) {
		tl_report_close(&reports[i]);
		free(report_names[i]);
	}
	free(report_names);
	free(reports);
	tl_strtab_release(&strings);
	return fails ? 3 : 0;
}
