/* tl-compare.c - the sheets of several reports side by side, with differences.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/memory_io.h"
#include "base/number.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/csv_rows.h"
#include "cli/outputs.h"
#include "cli/programs.h"
#include "compare/compare.h"
#include "compare/digest.h"
#include "compare/gate.h"
#include "report/book_reader.h"
#include "report/workbook.h"
#include "table/tsv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGE 200000 /* cells of a result: beyond, a workbook's rows are not held in memory */

static struct tl_outputs outputs;
static struct tl_opt_list names, groups;
static bool verdict;
static const char *markdown_path, *json_path;
static struct tl_gate *gates;
static size_t n_gates, cap_gates;
static double min_share = 0.1; /* percent */
static struct tl_common common;

/* For TL_OPT_CALL. */
static const char *add_gate(void *dest, const char *text)
{
	static struct tl_error err;

	(void)dest;
	TL_GROW(gates, cap_gates, n_gates + 1);
	return tl_gate_parse(&gates[n_gates++], text, &err) ? err.text : NULL;
}

static const char *set_share(void *dest, const char *text)
{
	char *end;

	*(double *)dest = tl_parse_double(text, &end);
	return end > text && (!*end || !strcmp(end, "%")) && *(double *)dest >= 0 ? NULL : "expected percent, such as 0.1";
}

static const struct tl_opt options[] = {
	TL_OUTPUT_OPTIONS(&outputs, 'd', 'o'),
	{ 0, "output", "FILE", NULL, TL_OPT_TEXT, &outputs.to[TL_AS_BOOK], 0, 0, NULL }, /* TraceLens's name */
	{ 0, "names", "NAME...", "what each report is called in columns and sheets (its file's name)", TL_OPT_LIST, &names, 0, 0, NULL },
	{ 0, "sheets", "GROUP...", "only these groups: gpu_timeline, ops_summary, kernel_summary, ops_all, roofline, all", TL_OPT_LIST, &groups, 0, 0, NULL },
	{ 0, "verdict", NULL, "columns that tell how sure differences are; rows of one key are joined in their order", TL_OPT_FLAG, &verdict, 0, 0, NULL },
	{ 0, "markdown", "FILE", "write the rows that lost and won most time as Markdown, with verdicts", TL_OPT_TEXT, &markdown_path, 0, 0, NULL },
	{ 0, "json", "FILE", "the same as JSON", TL_OPT_TEXT, &json_path, 0, 0, NULL },
	{ 0, "fail-if", "CONDITION", "exit with 3 if this holds: 'busy_time > +3 %', 'kernel_summary.slower > 1 %'; several times", TL_OPT_CALL, NULL, 0, 0, add_gate },
	{ 0, "min-share", "PERCENT", "for --fail-if: rows with less of the time of their sheet do not count (0.1)", TL_OPT_CALL, &min_share, 0, 0, set_share },
	{ .long_name = NULL },
};

static const struct tl_program program = {
	.name = "tl-compare",
	.synopsis = "REPORT REPORT... [OPTION]...",
	.purpose = "the sheets of several reports side by side, with differences",
	.detail = "A REPORT is a folder of sheets in TSV or CSV, a workbook, or a trace. The\n"
	          "first is the baseline. Without an output, the workbook is comparison.xlsx.",
	.options = options,
	.c = &common,
	.lists_take_words = true,
};

/* ---- sheets that are read as text, as tables with typed columns --------------------------- */

/* What pandas takes for a missing cell by default (pandas.read_csv, na_values). */
static const char *const missing[] = {
	"", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>",
	"N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
};

static bool is_missing(const struct tl_field_text *f)
{
	for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
		if (tl_text_is(f->s, f->len, missing[i]))
			return true;
	return false;
}

static void add_columns(struct tl_table *t, const struct tl_field_text *f, size_t n)
{
	for (size_t i = 0; i < n && (n > 1 || f[0].len); i++) {
		char *name = tl_strndup(f[i].s, f[i].len);
		tl_table_add_column(t, name);
		free(name);
	}
}

/* A tl_tsv_row. ctx: a table without columns, which gets the columns of row 0 and the cells of the further rows as texts;
 * missing ones are nulls. A header of one empty field, as pandas writes it for a sheet without columns, adds no column;
 * rows below it are passed over. */
static enum tl_status add_row_of_texts(void *ctx, size_t row, const struct tl_field_text *f, size_t n, struct tl_error *err)
{
	struct tl_table *t = ctx;

	(void)err;
	if (row == 0) {
		add_columns(t, f, n);
		return TL_OK;
	}
	if (!t->n_columns)
		return TL_OK;
	if (t->n_rows == t->cap_rows)
		tl_table_reserve(t, t->n_rows + t->n_rows / 2 + 16);
	for (size_t i = 0; i < n; i++)
		tl_table_set(t, t->n_rows, i, is_missing(&f[i]) ? tl_cell_null() : tl_cell_text(tl_intern(t->strings, f[i].s, f[i].len)));
	t->n_rows++;
	return TL_OK;
}

static bool as_bool(const char *s, struct tl_cell *cell)
{
	*cell = tl_cell_bool(!strcasecmp(s, "true"));
	return !strcasecmp(s, "true") || !strcasecmp(s, "false");
}

static bool as_int(const char *s, struct tl_cell *cell)
{
	char *end;

	if (!tl_is_digit(s[*s == '-' || *s == '+']))
		return false;
	errno = 0;
	*cell = tl_cell_int(strtoll(s, &end, 10));
	return !*end && !errno;
}

static bool as_real(const char *s, struct tl_cell *cell)
{
	char *end;

	if (s[strspn(s, "0123456789+-.eE")] && strcasecmp(s + (*s == '-'), "inf"))
		return false;
	*cell = tl_cell_real(tl_parse_double(s, &end));
	return end > s && !*end;
}

typedef bool reads_as(const char *, struct tl_cell *);

/* Whether all texts of a column are of a type; with set, makes its cells be of it. */
static bool column_is(struct tl_table *t, size_t column, reads_as *is, bool set)
{
	for (size_t row = 0; row < t->n_rows; row++) {
		struct tl_cell c = tl_table_cell(t, row, column);
		if (c.type != TL_CELL_TEXT)
			continue;
		if (!is(tl_str(t->strings, c.text), &c))
			return false;
		if (set)
			tl_table_set(t, row, column, c);
	}
	return true;
}

/* To be called after the last row. A column whose texts are all integers, all numbers, or all
 * True or False, becomes one of such cells; others stay texts. */
static void find_types(struct tl_table *t)
{
	static reads_as *const types[] = { as_bool, as_int, as_real };

	for (size_t column = 0; column < t->n_columns; column++)
		for (size_t i = 0; i < sizeof types / sizeof *types; i++)
			if (column_is(t, column, types[i], false)) {
				column_is(t, column, types[i], true);
				break;
			}
}

/* ---- reports ------------------------------------------------------------------------- */

enum report_kind { FOLDER, WORKBOOK, TRACE };
struct report {
	const char *path;
	enum report_kind kind;
	char *tag;
	struct tl_book *book;
	const char *folder;  /* with the sheets; of a trace: a scratch folder */
};
static struct report *reports;
static size_t n_reports;
static struct tl_strtab strings;

static enum report_kind kind_of(const char *path)
{
	struct stat st;
	struct tl_error err;
	char start[TL_FOREIGN_LOOK];

	if (stat(path, &st))
		tl_die("%s: cannot open: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return FOLDER;
	if (!S_ISREG(st.st_mode))
		tl_die("%s: expected a folder or a file", path);
	struct tl_input *in = tl_open_input(path);
	int64_t n = tl_read_start(in, start, sizeof start, &err);
	if (n < 0)
		tl_die_error(in->name, &err);
	tl_close_input(in);
	return n >= 4 && !memcmp(start, "PK\3\4", 4) ? WORKBOOK : TRACE;
}

/* The length of a name without its last suffix. */
static size_t without_suffix(const char *name, size_t len)
{
	const char *dot = memrchr(name, '.', len);

	return dot && dot > name ? (size_t)(dot - name) : len;
}

/* The file's name without folder and last suffix, and without .gz before; to be freed. */
static char *name_of(const char *path)
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
	return tl_strndup(path + from, without_suffix(path + from, len));
}

static void read_file(const char *path, struct tl_table *t)
{
	struct tl_input *in = tl_open_input(path);
	struct tl_error err;
	bool tsv = !strcmp(path + strlen(path) - 4, ".tsv");

	if (tsv ? tl_tsv_read(in, add_row_of_texts, t, &err) : tl_csv_read(in, add_row_of_texts, t, &err))
		tl_die_error(in->name, &err);
	tl_close_input(in);
}

/* Makes the sheets of a trace. */
static void make_sheets(struct report *r)
{
	r->folder = tl_make_scratch_folder("tl-compare");
	char *driver = tl_strdupf("%ld %s", (long)getpid(), r->folder); /* its messages do not name the folder, see cli.h */
	pid_t pid = tl_try_program(&(struct tl_process){
		.argv = (const char *const[]){ "tl-sheets", "--enable_kernel_summary", "-d", r->folder, "--", r->path, NULL },
		.environment = (const char *const[]){ "TL_REPORT", driver, NULL } });
	int status = pid < 0 ? TL_NO_PROGRAM : tl_wait_for_program(&pid);
	if (status == TL_NO_PROGRAM)
		tl_die("%s: cannot run tl-sheets, which makes the sheets of a trace", r->path);
	if (status)
		tl_die("%s: its sheets could not be made", r->path);
	free(driver);
}

static void open_report(struct report *r)
{
	struct tl_error err;

	r->kind = kind_of(r->path);
	r->folder = r->path;
	if (r->kind == WORKBOOK && !(r->book = tl_book_open(r->path, &err)))
		tl_die_error(r->path, &err);
}

static void open_reports(char **paths, size_t n)
{
	if (n < 2)
		tl_usage("need at least two reports, %zu given", n);
	if (names.n && names.n != n)
		tl_usage("--names: %zu name%s for %zu reports", names.n, names.n == 1 ? "" : "s", n);
	n_reports = n;
	reports = tl_calloc(n, sizeof *reports);
	for (size_t i = 0; i < n; i++) {
		reports[i] = (struct report){ .path = paths[i], .tag = names.n ? tl_strdup(names.items[i]) : name_of(paths[i]) };
		for (size_t j = 0; j < i; j++)
			if (!strcmp(reports[i].tag, reports[j].tag))
				tl_die("%s and %s would both be called '%s': %s", paths[j], paths[i], reports[i].tag,
				       names.n ? "--names must differ" : "name them with --names");
	}
	for (size_t i = 0; i < n; i++)
		open_report(&reports[i]);
	for (size_t i = 0; i < n; i++)
		if (reports[i].kind == TRACE)
			make_sheets(&reports[i]);
}

/* The path of a sheet's file, to be freed; NULL: the report has none. */
static char *sheet_path(const struct report *r, const char *sheet)
{
	static const char *const suffixes[] = { "tsv", "csv" };

	for (size_t i = 0; i < 2; i++) {
		char *path = tl_strdupf("%s/%s.%s", r->folder, sheet, suffixes[i]);
		if (!access(path, F_OK))
			return path;
		free(path);
	}
	return NULL;
}

/* The number of a workbook's sheet; SIZE_MAX: it has none of that name. */
static size_t book_sheet(const struct report *r, const char *sheet)
{
	const char *name;

	for (size_t i = 0; (name = tl_book_sheet(r->book, i)); i++)
		if (!strcmp(name, sheet))
			return i;
	return SIZE_MAX;
}

static bool has_sheet(const struct report *r, const char *sheet)
{
	if (r->kind == WORKBOOK)
		return book_sheet(r, sheet) < SIZE_MAX;
	char *path = sheet_path(r, sheet);
	bool has = path;
	free(path);
	return has;
}

static struct tl_table *load_sheet(const struct report *r, const char *sheet)
{
	struct tl_table *t = tl_table_new(&strings, 1, NULL);
	struct tl_error err;

	if (!has_sheet(r, sheet))
		tl_die("%s: has no sheet '%s'%s", r->path, sheet, r->kind == FOLDER ? ": expected SHEET.tsv or SHEET.csv in the folder" : "");
	if (r->kind != WORKBOOK) {
		char *path = sheet_path(r, sheet);
		read_file(path, t);
		free(path);
	} else if (tl_book_read(r->book, book_sheet(r, sheet), add_row_of_texts, t, &err)) {
		tl_die("%s: sheet '%s': %s", r->path, sheet, err.text);
	}
	find_types(t);
	return t;
}

/* ---- comparing -------------------------------------------------------------------------- */

static struct tl_compared_list results;

static bool is_group(const char *word)
{
	size_t g = 0;

	while (g < TL_COMPARE_GROUPS && strcmp(word, tl_compare_group_name(g)))
		g++;
	return g < TL_COMPARE_GROUPS || !strcmp(word, "all");
}

static void check_groups(void)
{
	struct tl_opt_list words = { 0 };

	for (size_t i = 0; i < groups.n; i++)
		tl_add_names(&words, groups.items[i]);
	free(groups.items);
	groups = words;
	for (size_t i = 0; i < groups.n; i++)
		if (!is_group(groups.items[i]))
			tl_usage("--sheets: '%s' is none of gpu_timeline, ops_summary, kernel_summary, ops_all, roofline, all", groups.items[i]);
}

/* Sheets of conditions are compared though they were not asked for. */
static bool is_wanted(enum tl_compare_group group)
{
	for (size_t i = 0; i < n_gates; i++)
		if (gates[i].of->group == group)
			return true;
	return !groups.n || tl_opt_list_has(&groups, "all") || tl_opt_list_has(&groups, tl_compare_group_name(group));
}

/* Is a summary that was not asked for by name left out because the baseline lacks it, but has
 * the other one? */
static bool is_left_out(const char *sheet, const char *other)
{
	if (groups.n || has_sheet(&reports[0], sheet) || !has_sheet(&reports[0], other))
		return false;
	tl_note("%s: has no sheet '%s', which is not compared", reports[0].path, sheet);
	return true;
}

/* Whether the sheet is compared; ends the program if it must be, and the baseline lacks it. */
static bool is_compared(const struct tl_comparison *d)
{
	if (!is_wanted(d->group))
		return false;
	if (d->group == TL_COMPARE_OPS)
		return !is_left_out("ops_summary", "kernel_summary");
	if (d->group == TL_COMPARE_KERNELS)
		return !is_left_out("kernel_summary", "ops_summary");
	return d->group == TL_COMPARE_TIMELINE || has_sheet(&reports[0], d->sheet);
}

static void tell(const struct tl_comparison *d, const struct tl_compare_report *told)
{
	if (told->empty)
		tl_note("%s: not compared, one of the reports has no rows of it", d->sheet);
	if (told->repeated)
		tl_note("%s: %zu key%s in several rows of a report; every combination of them is a row (with --verdict, "
		        "they are joined in their order)", d->sheet, told->repeated, told->repeated == 1 ? " is" : "s are");
	if (told->no_metric)
		tl_note("%s: sheet '%s' has no column '%s': no difference of it", reports[told->without].path, d->sheet, told->no_metric);
}

static void compare_tables(const struct tl_comparison *d, struct tl_table **tables, const char *const *tags)
{
	struct tl_compare_report told;
	struct tl_error err;
	size_t bad;

	struct tl_compare_input in = { .tags = tags, .tables = tables, .n = n_reports, .verdict = verdict };
	if (tl_compare(d, &in, &results, &told, &bad, &err))
		tl_die("%s: sheet '%s': %s", bad < n_reports ? reports[bad].path : "the reports", d->sheet, err.text);
	tell(d, &told);
}

static void compare_all(const char *const *tags)
{
	struct tl_table **tables = tl_alloc(n_reports * sizeof *tables);
	const char *done = ""; /* the sheet that was compared last */
	const struct tl_comparison *d;

	for (size_t i = 0; (d = tl_comparison(i)); i++) {
		if (!strcmp(d->sheet, done) || !is_compared(d))
			continue;
		for (size_t r = 0; r < n_reports; r++)
			tables[r] = load_sheet(&reports[r], d->sheet);
		if (!d->if_column || tl_table_column(tables[0], d->if_column) >= 0) {
			compare_tables(d, tables, tags);
			done = d->sheet;
		}
		for (size_t r = 0; r < n_reports; r++)
			tl_table_free(tables[r]);
	}
	free(tables);
	if (!results.n)
		tl_die("%s: has none of the sheets that are to be compared", reports[0].path);
}

/* ---- conditions --------------------------------------------------------------------------- */

static void prepare_verdicts(void)
{
	verdict |= markdown_path || json_path;
	for (size_t i = 0; i < n_gates; i++)
		verdict |= tl_gate_needs_verdicts(&gates[i]);
}

/* Prints a line for each condition and report for which it holds. Does any? */
static bool try_gates(const char *const *tags)
{
	bool any = false;

	for (size_t i = 0; i < n_gates; i++) {
		for (size_t other = 1; other < n_reports; other++) {
			struct tl_buf told = { 0 };
			struct tl_error err;
			bool holds;
			if (tl_gate_try(&gates[i], &results, tags, other, min_share, &holds, &told, &err))
				tl_die("--fail-if '%s': %s", gates[i].text, err.text);
			if (holds)
				printf("%s: %s: %s\n", tags[other], gates[i].text, tl_buf_text(&told));
			any |= holds;
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
	tl_sheet_files_convert(&s, &others, &common);
	tl_sheet_files_release(&s);
	if (scratch)
		tl_remove_scratch(scratch);
}

static void write_digests(const char *const *tags)
{
	struct tl_buf markdown = { 0 }, text = { 0 };
	struct tl_json json = { .to = &text };

	tl_json_open(&json, NULL, '[');
	for (size_t other = 1; other < n_reports; other++) {
		struct tl_digest d;
		tl_digest_make(&d, &results, tags, other);
		if (other > 1)
			tl_buf_addc(&markdown, '\n');
		tl_digest_add_markdown(&markdown, &d);
		tl_digest_add_json(&json, &d);
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
	int n;
	char **operands = tl_cli_start(&program, argc, argv, &n);

	check_groups();
	prepare_verdicts();
	open_reports(operands, (size_t)n);
	const char **tags = tl_alloc((size_t)n * sizeof *tags);
	for (int i = 0; i < n; i++)
		tags[i] = reports[i].tag;
	compare_all(tags);
	if (!n_gates && !markdown_path && !json_path && !outputs.to[TL_AS_TSV] && !outputs.to[TL_AS_PAGE] && !outputs.to[TL_AS_BOOK])
		outputs.to[TL_AS_BOOK] = "comparison.xlsx";
	if (outputs.to[TL_AS_BOOK])
		write_workbook(outputs.to[TL_AS_BOOK]);
	write_sheets();
	if (markdown_path || json_path)
		write_digests(tags);
	tl_rename_outputs();
	bool fails = try_gates(tags);
	tl_compared_release(&results);
	free(tags);
	for (size_t i = 0; i < n_reports; i++) {
		tl_book_close(reports[i].book);
		if (reports[i].kind == TRACE)
			tl_remove_scratch(reports[i].folder);
		free(reports[i].tag);
	}
	free(reports);
	tl_strtab_release(&strings);
	return fails ? 3 : 0;
}
