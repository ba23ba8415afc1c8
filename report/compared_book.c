/* compared_book.c - the sheets of a comparison in a workbook.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/compared_book.h"
#include "base/memory_io.h"
#include "report/cell_value.h"
#include "report/worksheet.h"
#include "table/tsv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- names ----------------------------------------------------------------------- */

/* Adds the first characters of a name, up to `most` UTF-16 units, as a workbook allows them. */
static void add_name(struct tl_buf *b, const char *name, size_t most)
{
	size_t len = strlen(name), units = 0, used;

	for (size_t i = 0; i < len; i += used) {
		uint32_t c = tl_utf8_decode(name + i, len - i, &used);
		units += tl_utf16_units(c);
		if (units > most)
			return;
		if (c == TL_UTF8_MALFORMED || c < 0x20 || c == 0x7f || c == 0xfffe || c == 0xffff || (c < 0x80 && strchr("[]:*?/\\'", (int)c)))
			tl_buf_addc(b, '_');
		else
			tl_buf_add(b, name + i, used);
	}
}

static bool is_taken(char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcasecmp(names[i], name)) /* as workbooks do */
			return true;
	return false;
}

/* A name for the n-th sheet that none of the n before has. */
static char *distinct_name(char *const *names, size_t n, const char *name)
{
	struct tl_buf b = { 0 };
	char number[24] = "";

	for (unsigned long i = 2;; i++) {
		tl_buf_clear(&b);
		add_name(&b, name, TL_MAX_SHEET_NAME - strlen(number));
		tl_buf_adds(&b, number);
		if (!is_taken(names, n, b.data))
			return b.data;
		snprintf(number, sizeof number, "%lu", i);
	}
}

/* ---- sheets ------------------------------------------------------------------------ */

static bool hides(const void *ctx, const char *column)
{
	return tl_comparison_hides(ctx, column);
}

static enum tl_status fill_sheet(struct tl_workbook *book, size_t i, const struct tl_compared *sheet, size_t *n_cut, struct tl_error *err)
{
	struct tl_memory_output out = tl_memory_output(sheet->name);

	if (!sheet->table->n_columns) /* no rows of this kind */
		return TL_OK;
	tl_workbook_fold(book, i, hides, sheet->of);
	enum tl_status st = tl_tsv_write(sheet->table, &out.out, err);
	struct tl_memory_input in = tl_memory_input(sheet->name, out.text.data, out.text.len);
	if (!st)
		st = tl_workbook_fill(book, i, &in.in, n_cut, err);
	tl_buf_release(&out.text);
	return st;
}

enum tl_status tl_compared_book(struct tl_workbook *book, const struct tl_compared_list *sheets, size_t *n_cut, struct tl_error *err)
{
	char **names = tl_calloc(sheets->n + 1, sizeof *names);
	enum tl_status st = TL_OK;

	*n_cut = 0;
	for (size_t i = 0; i < sheets->n && !st; i++) {
		names[i] = distinct_name(names, i, sheets->items[i].name);
		st = tl_workbook_add(book, names[i], err);
	}
	for (size_t i = 0; i < sheets->n && !st; i++) {
		size_t n = 0;
		st = fill_sheet(book, i, &sheets->items[i], &n, err);
		*n_cut += n;
	}
	for (size_t i = 0; i < sheets->n; i++)
		free(names[i]);
	free(names);
	return st;
}
