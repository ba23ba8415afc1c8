/* tsv.h - tables as tab-separated text.
 *
 * One header line, one line a row; tab, newline, CR and backslash in a field are
 * written as \t \n \r \\; null and NaN are empty fields.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TSV_H
#define TL_TSV_H

#include "base/io.h"
#include "table/table.h"

enum tl_status tl_tsv_write(const struct tl_table *, struct tl_output *, struct tl_error *);
/* Appends a text as it stands in a field, with its escapes. */
void tl_tsv_add_text(struct tl_buf *, const char *s, size_t len);

/* Reads a TSV: calls row() for the header (row number 0) and each line with its
 * unescaped fields. A row with another number of fields than the header is
 * TL_ERR_DATA; error records are row numbers. Fields are valid during the call. */
struct tl_field_text { const char *s; size_t len; };
typedef enum tl_status tl_tsv_row(void *ctx, size_t row, const struct tl_field_text *, size_t n, struct tl_error *);
enum tl_status tl_tsv_read(struct tl_input *, tl_tsv_row *, void *ctx, struct tl_error *);

#endif
