/* sheet_files.h - the sheets of a report, as files of a folder, and what is made of them all.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SHEET_FILES_H
#define TL_SHEET_FILES_H

#include "cli/cli.h"

/* FOLDER/NAME.tsv; the caller frees it. */
char *tl_sheet_path(const char *folder, const char *name);

struct tl_sheet_files {
	const char *folder;
	char **words; size_t n, cap; /* NAME=FILE; the file's name is that of the sheet, too */
};
/* Adds a sheet, whose file is made by others; returns its path, which the caller frees. */
char *tl_sheet_files_add(struct tl_sheet_files *, const char *name);
/* Adds a sheet and writes it. */
void tl_sheet_files_write(struct tl_sheet_files *, const char *name, const struct tl_table *);
/* Makes CSVs in a folder of them, or a workbook, by tl-csv and tl-xlsx. */
void tl_sheet_files_to_csv(const struct tl_sheet_files *, const char *folder, const struct tl_common *);
void tl_sheet_files_to_book(const struct tl_sheet_files *, const char *path, const struct tl_common *);
void tl_sheet_files_release(struct tl_sheet_files *);

#endif
