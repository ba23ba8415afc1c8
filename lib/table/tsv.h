/* tsv.h - tables as text: tab-separated, and comma-separated.
 *
 * A header line, then a line for each row. Tab, newline, CR and backslash in a field
 * are written as \t \n \r \\; null and NaN are empty fields. A quote is a character like
 * any other, but may be written as \x22 where a field begins with it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TSV_H
#define TL_TSV_H

#include "base/io.h"
#include "base/rows.h"
#include "table/table.h"

enum tl_status tl_tsv_write(const struct tl_table *, struct tl_output *, struct tl_error *);
/* The same in pieces: with or without the header. */
enum tl_status tl_tsv_write_more(const struct tl_table *, bool header, struct tl_output *, struct tl_error *);
/* Is the quote that a field begins with written as \x22? */
extern bool tl_tsv_escapes_quotes;
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

/* ---- files that are no sheets, told by their first bytes -------------------------------- */

enum { TL_FOREIGN_LOOK = 4096 }; /* bytes that are looked at */

/* What a file is if its first bytes show that it is no table of text: "HTML", "JSON",
 * "compressed data (gzip)". NULL: it may be a table. len: see tl_read_start(). */
const char *tl_foreign(const char *s, size_t len);
/* Reads an input's first bytes, as many as can tell what it is: up to its end, or at
 * least TL_FOREIGN_LOOK; cap must not be less. Returns their number; -1: *err says why. */
int64_t tl_read_start(struct tl_input *, char *buf, size_t cap, struct tl_error *err);

#endif
