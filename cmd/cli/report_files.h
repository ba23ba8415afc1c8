/* report_files.h - a report as programs read it that put several side by side: a folder of sheets in TSV or CSV, one such sheet,
 * a workbook, or a trace, whose sheets tl-sheets makes.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_REPORT_FILES_H
#define TL_REPORT_FILES_H

#include "cli/cli.h"
#include "report/book_reader.h"
#include "table/table.h"

enum tl_report_kind { TL_REPORT_FOLDER, TL_REPORT_SHEET, TL_REPORT_BOOK, TL_REPORT_TRACE };
struct tl_report_files {
	const char *path;
	enum tl_report_kind kind;
	char *sheet;        /* the name of a single one: that of its file */
	struct tl_book *book;
	const char *folder; /* with the sheets; of a trace: a scratch folder */
};
/* Opens what the path names; does not make sheets yet. What cannot be used ends the program. */
void tl_report_open(struct tl_report_files *, const char *path);
/* Makes the sheets of a trace; kernels: the option of tl-kcat that a trace of PyTorch gets. Nothing to do for others. */
void tl_report_make(struct tl_report_files *, const char *kernels);
void tl_report_close(struct tl_report_files *);
bool tl_report_has(const struct tl_report_files *, const char *sheet);
/* Reads a sheet. What pandas takes for a missing cell is null; a column of numbers only has such cells. A sheet that is not there
 * ends the program. */
struct tl_table *tl_report_read(const struct tl_report_files *, const char *sheet, struct tl_strtab *);

#endif
