/* report_input.h - a report that is read: a folder of sheets, a workbook, or a trace whose sheets are made.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_REPORT_INPUT_H
#define TL_REPORT_INPUT_H

#include "table/table.h"

enum tl_report_kind { TL_REPORT_FOLDER, TL_REPORT_BOOK, TL_REPORT_TRACE };
struct tl_report {
	const char *path;
	char *tag;              /* what it is called; freed by tl_report_close */
	enum tl_report_kind kind;
	struct tl_book *book;
	const char *folder;     /* with the sheets; of a trace: a scratch folder */
};
/* The file's name without folder and last suffix, and without .gz before; to be freed. */
char *tl_report_name(const char *path);

/* What cannot be used ends the program. Opens what `path` names; does not make sheets yet. */
void tl_report_open(struct tl_report *);
/* Makes the sheets of a trace, by tl-sheets. */
void tl_report_make(struct tl_report *);
bool tl_report_has(const struct tl_report *, const char *sheet);
/* Reads a sheet. A column whose texts are all integers, all numbers, or all True or False, is one of such cells; others are texts;
 * what pandas takes for a missing cell is null. A sheet that is not there ends the program. */
struct tl_table *tl_report_sheet(const struct tl_report *, const char *sheet, struct tl_strtab *);
void tl_report_close(struct tl_report *);

#endif
