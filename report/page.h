/* page.h - a page (HTML) made of sheets in TSV. The page is one file: it loads nothing from elsewhere,
 * and its content-security policy forbids any connection.
 *
 * Call tl_page_new, tl_page_add for each sheet in their order, then tl_page_close, and at last
 * tl_page_free. Rows are written as they come: memory does not grow with them. The same sheets
 * make the same bytes.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PAGE_H
#define TL_PAGE_H

#include "base/io.h"

struct tl_page;

/* out must stay open until tl_page_close. Nothing is written to it before the first rows. */
struct tl_page *tl_page_new(struct tl_output *out);
void tl_page_free(struct tl_page *);

/* What is known of a sheet besides its rows; texts are copied. */
struct tl_page_sheet {
	const char *name;
	const char *help;   /* one line; "": not known */
	const char *filter; /* the program that makes it; "": not known */
};

/* Adds a sheet. TL_ERR_USAGE: the page has a sheet of that name. TL_ERR_DATA: the TSV is malformed,
 * or has more rows or bytes than a browser can show. TL_ERR_IO: the TSV cannot be read, or the page
 * cannot be written. */
enum tl_status tl_page_add(struct tl_page *, const struct tl_page_sheet *, struct tl_input *tsv, struct tl_error *);

/* Writes the rest of the page. */
enum tl_status tl_page_close(struct tl_page *, struct tl_error *);

#endif
