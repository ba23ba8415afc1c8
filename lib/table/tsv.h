/* tsv.h - tables as tab-separated text.
 *
 * A header line, then a line for each row. Tab, newline, CR and backslash in a field
 * are written as \t \n \r \\; null and NaN are empty fields.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TSV_H
#define TL_TSV_H

#include "base/io.h"
#include "base/rows.h"
#include "table/table.h"

enum tl_status tl_tsv_write(const struct tl_table *, struct tl_output *, struct tl_error *);
/* Appends a text as a field, with escapes. */
void tl_tsv_add_text(struct tl_buf *, const char *s, size_t len);
/* Appends a cell as a field; strings: of its text. */
void tl_tsv_add_cell(struct tl_buf *, struct tl_cell, const struct tl_strtab *strings, int64_t ticks_per_us);

/* Reads a TSV to its end. Calls row() for the header (row 0) and each further line
 * with its n unescaped fields, which are valid during the call; reading stops when
 * row() returns an error. Malformed text, and a line with another number of fields
 * than the header, is TL_ERR_DATA with the number of the row in tl_error.record. */
typedef enum tl_status tl_tsv_row(void *ctx, size_t row, const struct tl_field_text *, size_t n, struct tl_error *);
enum tl_status tl_tsv_read(struct tl_input *, tl_tsv_row *, void *ctx, struct tl_error *);

#endif
