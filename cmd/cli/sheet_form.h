/* sheet_form.h - a single sheet on standard output, or in the file of -o: as TSV, JSON, text, Markdown or folded stacks, all rows or some.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SHEET_FORM_H
#define TL_SHEET_FORM_H

#include "cli/cli.h"
#include "table/tsv.h"

extern const char *tl_sheet_form; /* --format; NULL: not given */
extern int64_t tl_form_rows, tl_form_offset;

#define TL_QUOTES_OPTION \
	{ 0, "tsv-quotes", "HOW", "in TSV, the quote that a field begins with: plain, or escape (\\x22)", TL_OPT_CALL, \
	  &tl_tsv_escapes_quotes, 0, 0, tl_take_quotes }
const char *tl_take_quotes(void *dest, const char *how);

#define TL_FORM_OPTIONS \
	{ 0, "format", "FORM", "of what goes to standard output: tsv, text (on a terminal), json, jsonl, markdown or folded", TL_OPT_CALL, \
	  &tl_sheet_form, 0, 0, tl_take_form }, \
	{ 0, "rows", "N", "of the sheet on standard output, at most N rows (all)", TL_OPT_INT, &tl_form_rows, 1, INT64_MAX, NULL }, \
	{ 0, "offset", "N", "of that sheet, leave out the first N rows", TL_OPT_INT, &tl_form_offset, 0, INT64_MAX, NULL }, \
	TL_QUOTES_OPTION
const char *tl_take_form(void *dest, const char *form);

/* Is one of these options given? */
bool tl_form_is_asked(void);
/* Would a sheet for this path be shown on a terminal, as text? Then what a name in a trace could say to the terminal is left out. */
bool tl_form_is_text(const char *path);
/* Writes the sheet as these options say. path NULL: standard output; name NULL: it is an answer to a query; trace: its file, NULL
 * if nobody knows. */
void tl_form_write(const char *path, const struct tl_table *, const char *name, const char *trace);

#endif
