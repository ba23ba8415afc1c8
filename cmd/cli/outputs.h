/* outputs.h - what the sheets of a report are written as: TSV, CSV, JSON, a workbook, a page. Programs that write a report take
 * these options, and a new form is a row of tl_output_forms and a program that makes it of sheets in TSV.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_OUTPUTS_H
#define TL_OUTPUTS_H

#include "cli/cli.h"
#include "sheets/sheet_list.h"

/* ---- forms ---------------------------------------------------------------------------------- */
enum tl_output_form { TL_AS_TSV, TL_AS_CSV, TL_AS_BOOK, TL_AS_PAGE, TL_AS_JSON, TL_AS_SQLITE, TL_AS_METRICS, TL_OUTPUT_FORMS };
struct tl_output_forms {
	const char *what;     /* for messages */
	const char *suffix;   /* of a sheet's file in a folder; NULL: one file holds all sheets */
	const char *program;  /* that makes it of sheets in TSV; NULL: nothing is to be made */
	const char *option;   /* of that program: names what it writes */
};
extern const struct tl_output_forms tl_output_forms[TL_OUTPUT_FORMS];

/* Folders and files that options name; NULL: not wanted. */
struct tl_outputs {
	const char *to[TL_OUTPUT_FORMS];
	bool spreadsheet_safe; /* of CSV: no text is taken for a formula, see tl-csv(1) */
};
#define TL_SAFE_OPTION(outputs) \
	{ 0, "spreadsheet-safe", NULL, "in CSV, put ' before a text that a spreadsheet would take for a formula", TL_OPT_FLAG, \
	  &(outputs)->spreadsheet_safe, 0, 0, NULL }
/* d and o: the short options of the folder of TSV and of the workbook; 0: none. */
#define TL_OUTPUT_OPTIONS(outputs, d, o) \
	TL_OTHER_OUTPUT_OPTIONS(outputs, o), \
	{ d, "dir", "DIR", "write every sheet as DIR/NAME.tsv", TL_OPT_TEXT, &(outputs)->to[TL_AS_TSV], 0, 0, NULL }
/* Without the folder of TSV. */
#define TL_OTHER_OUTPUT_OPTIONS(outputs, o) \
	{ o, "output_xlsx_path", "FILE", "write the workbook to FILE", TL_OPT_TEXT, &(outputs)->to[TL_AS_BOOK], 0, 0, NULL }, \
	{ 0, "html", "FILE", "write the report as a page (HTML) to FILE", TL_OPT_TEXT, &(outputs)->to[TL_AS_PAGE], 0, 0, NULL }, \
	{ 0, "json", "FILE", "write every sheet as a member of one JSON object to FILE", TL_OPT_TEXT, &(outputs)->to[TL_AS_JSON], 0, 0, NULL }, \
	{ 0, "sqlite", "FILE", "write every sheet as a table of a database (SQLite) to FILE", TL_OPT_TEXT, &(outputs)->to[TL_AS_SQLITE], 0, 0, NULL }, \
	{ 0, "openmetrics", "FILE", "write the headline figures as metrics (OpenMetrics) to FILE", TL_OPT_TEXT, &(outputs)->to[TL_AS_METRICS], 0, 0, NULL }, \
	{ 0, "output_csvs_dir", "DIR", "write every sheet as DIR/NAME.csv", TL_OPT_TEXT, &(outputs)->to[TL_AS_CSV], 0, 0, NULL }, \
	TL_SAFE_OPTION(outputs)
bool tl_outputs_any(const struct tl_outputs *);
/* The one that names the others: the workbook, else the first one there is. */
const char *tl_outputs_first(const struct tl_outputs *);
/* Ends the program if a file cannot be made, two are one, or one would replace what is read. */
void tl_outputs_check(const struct tl_outputs *);

/* ---- sheets --------------------------------------------------------------------------------- */
/* FOLDER/NAME.tsv, with "_" for each slash in NAME; the caller frees it. */
char *tl_sheet_path(const char *folder, const char *name);

struct tl_sheet_files {
	const char *folder;
	const char *of; /* the path of what the sheets are of, the first if there are several; for the manifest */
	char **words; size_t n, cap; /* NAME=FILE; the file's name is that of the sheet, too */
};
/* Adds a sheet, whose file is made by others; returns its path, which the caller frees. */
char *tl_sheet_files_add(struct tl_sheet_files *, const char *name);
/* Adds a sheet and writes it. The file gets its name in tl_sheet_files_finish. */
void tl_sheet_files_write(struct tl_sheet_files *, const char *name, const struct tl_table *);
/* Puts all sheets of the folder in place, see tl_manifest_close. */
void tl_sheet_files_finish(const struct tl_sheet_files *);
/* Makes all forms but TSV, which is there. */
void tl_sheet_files_convert(const struct tl_sheet_files *, const struct tl_outputs *);
/* Prints the paths of all that was written. */
void tl_sheet_files_list(const struct tl_sheet_files *, const struct tl_outputs *);
void tl_sheet_files_release(struct tl_sheet_files *);

/* ---- for the shell -------------------------------------------------------------------------- */
/* Adds the function write_outputs, which makes all forms but TSV of the sheets that are its arguments; it calls `run` with a
 * program's words, and `step` with a text about what was done. */
void tl_outputs_add_shell(struct tl_buf *, const struct tl_outputs *);

#endif
