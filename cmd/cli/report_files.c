/* report_files.c - a folder of sheets, a workbook or a trace as a report.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/report_files.h"

#include "base/number.h"
#include "base/text.h"
#include "cli/csv_rows.h"
#include "cli/filter.h"
#include "cli/programs.h"
#include "readers/reader.h"
#include "table/tsv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* A tl_tsv_row. ctx: a table without columns, which gets the columns of row 0 and the cells of the further rows as texts;
 * missing ones are nulls. A header of one empty field, as pandas writes it for a sheet without columns, adds no column;
 * rows below it are passed over. */
static enum tl_status add_row_of_texts(void *ctx, size_t row, const struct tl_field_text *f, size_t n, struct tl_error *err)
{
	struct tl_table *t = ctx;

	(void)err;
	if (row == 0) {
		for (size_t i = 0; i < n && (n > 1 || f[0].len); i++) {
			char *name = tl_strndup(f[i].s, f[i].len);
			tl_table_add_column(t, name);
			free(name);
		}
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

/* ---- reports ------------------------------------------------------------------------- */

static bool ends_in(const char *path, const char *suffix)
{
	size_t len = strlen(path), n = strlen(suffix);

	return len > n && !strcmp(path + len - n, suffix);
}

static char *name_of_sheet(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;

	return tl_strndup(base, strlen(base) - 4);
}

/* A table may be a trace: rocprofv3 writes such ones. */
static bool is_trace(const char *start, size_t len)
{
	for (const struct tl_reader *const *r = tl_readers; *r; r++)
		if ((*r)->match((const unsigned char *)start, len) == TL_MATCH_YES)
			return true;
	return false;
}

static enum tl_report_kind kind_of(const char *path)
{
	struct stat st;
	struct tl_error err;
	char start[TL_FOREIGN_LOOK];

	if (stat(path, &st))
		tl_die("%s: cannot open: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return TL_REPORT_FOLDER;
	if (!S_ISREG(st.st_mode))
		tl_die("%s: expected a folder or a file", path);
	if (ends_in(path, ".tsv"))
		return TL_REPORT_SHEET;
	struct tl_input *in = tl_open_input(path);
	int64_t n = tl_read_start(in, start, sizeof start, &err);
	if (n < 0)
		tl_die_error(in->name, &err);
	tl_close_input(in);
	if (ends_in(path, ".csv") && !is_trace(start, (size_t)n))
		return TL_REPORT_SHEET;
	return n >= 4 && !memcmp(start, "PK\3\4", 4) ? TL_REPORT_BOOK : TL_REPORT_TRACE;
}

static void read_file(const char *path, struct tl_table *t)
{
	tl_will_read(path);
	struct tl_input *in = tl_open_own_file(path);
	struct tl_error err;

	if (ends_in(path, ".tsv") ? tl_tsv_read(in, add_row_of_texts, t, &err) : tl_csv_read(in, add_row_of_texts, t, &err))
		tl_die_error(in->name, &err);
	tl_close_input(in);
}

void tl_report_open(struct tl_report_files *r, const char *path)
{
	struct tl_error err;

	*r = (struct tl_report_files){ .path = path };
	r->kind = kind_of(r->path);
	r->folder = r->path;
	r->sheet = r->kind == TL_REPORT_SHEET ? name_of_sheet(path) : NULL;
	if (r->kind == TL_REPORT_BOOK && !(r->book = tl_book_open(r->path, &err)))
		tl_die_error(r->path, &err);
}

void tl_report_make(struct tl_report_files *r, const char *kernels)
{
	if (r->kind == TL_REPORT_TRACE) {
		r->folder = tl_make_scratch_folder("report");
		char *driver = tl_strdupf("%ld %s", (long)getpid(), r->folder); /* its messages do not name the folder, see cli.h */
		const char *argv[10] = { "tl-sheets", "-d", r->folder };
		size_t n = 3;

		if (tl_step_marker.text) {
			argv[n++] = "--step-marker";
			argv[n++] = tl_step_marker.text;
		}
		if (!strcmp(tl_report_of_file(r->path), "pytorch")) { /* others have kernel_summary without options, if at all */
			argv[n++] = kernels;
			argv[n++] = "--kernel_std";
		}
		argv[n++] = "--";
		argv[n++] = r->path;
		pid_t pid = tl_try_program(&(struct tl_process){ .argv = argv, .environment = (const char *const[]){ "TL_REPORT", driver, NULL } });
		int status = pid < 0 ? TL_NO_PROGRAM : tl_wait_for_program(&pid);
		if (status == TL_NO_PROGRAM)
			tl_die("%s: cannot run tl-sheets, which makes the sheets of a trace", r->path);
		if (status)
			tl_die("%s: its sheets could not be made", r->path);
		free(driver);
	}
}

void tl_report_close(struct tl_report_files *r)
{
	free(r->sheet);
	tl_book_close(r->book);
	if (r->kind == TL_REPORT_TRACE)
		tl_remove_scratch(r->folder);
}

/* The path of a sheet's file, to be freed; NULL: the report has none. */
static char *sheet_path(const struct tl_report_files *r, const char *sheet)
{
	static const char *const suffixes[] = { "tsv", "csv" };

	if (r->sheet)
		return strcmp(r->sheet, sheet) ? NULL : tl_strdup(r->path);
	for (size_t i = 0; i < 2; i++) {
		char *path = tl_strdupf("%s/%s.%s", r->folder, sheet, suffixes[i]);
		if (!access(path, F_OK))
			return path;
		free(path);
	}
	return NULL;
}

/* The number of a workbook's sheet; SIZE_MAX: it has none of that name. */
static size_t book_sheet(const struct tl_report_files *r, const char *sheet)
{
	const char *name;

	for (size_t i = 0; (name = tl_book_sheet(r->book, i)); i++)
		if (!strcmp(name, sheet))
			return i;
	return SIZE_MAX;
}

bool tl_report_has(const struct tl_report_files *r, const char *sheet)
{
	if (r->kind == TL_REPORT_BOOK)
		return book_sheet(r, sheet) < SIZE_MAX;
	char *path = sheet_path(r, sheet);
	bool has = path;
	free(path);
	return has;
}

struct tl_table *tl_report_read(const struct tl_report_files *r, const char *sheet, struct tl_strtab *strings)
{
	struct tl_table *t = tl_table_new(strings, 1, NULL);
	struct tl_error err;

	if (!tl_report_has(r, sheet))
		tl_die("%s: has no sheet '%s'%s", r->path, sheet, r->kind == TL_REPORT_FOLDER ? ": expected SHEET.tsv or SHEET.csv in the folder" : "");
	if (r->kind != TL_REPORT_BOOK) {
		char *path = sheet_path(r, sheet);
		read_file(path, t);
		free(path);
	} else if (tl_book_read(r->book, book_sheet(r, sheet), add_row_of_texts, t, &err)) {
		tl_die("%s: sheet '%s': %s", r->path, sheet, err.text);
	}
	/* A column whose texts are all integers, all numbers, or all True or False, becomes one of such cells. */
	static reads_as *const types[] = { as_bool, as_int, as_real };

	for (size_t column = 0; column < t->n_columns; column++)
		for (size_t i = 0; i < sizeof types / sizeof *types; i++)
			if (column_is(t, column, types[i], false)) {
				column_is(t, column, types[i], true);
				break;
			}
	return t;
}
