/* rows.h - text in lines of fields with tabs between them, as tables of knowledge have it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ROWS_H
#define TL_ROWS_H

#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>

struct tl_field_text { const char *s; size_t len; }; /* no NUL follows */

/* Cuts a line at its tabs or other separators: *fields, which the caller frees, receives the fields, of which there is at
 * least one. Returns their number; most + 1 if there are more than `most`. */
size_t tl_cut_fields(const char *line, size_t len, char separator, size_t most, struct tl_field_text **fields, size_t *cap);

/* A table while it is read. The caller gives the first members, all others are zero:
 *   struct tl_rows r = { .file = "t.tsv", .text = text, .len = len, .columns = "how, name[, kind]", .err = err };
 *   while (tl_rows_next(&r))
 *           … r.fields[0] …
 *   return r.status; */
struct tl_rows {
	const char *file;           /* its name in messages */
	const char *text; size_t len; /* what is not read yet */
	const char *columns;        /* their names, those that may be missing in brackets; NULL: any number may be there */
	struct tl_error *err;
	enum tl_status status;      /* TL_ERR_DATA after a mistake; then *err names file, line and column */
	uint32_t number;            /* of the line, from 1 */
	const char *line; size_t line_len;
	struct tl_field_text *fields; size_t n, cap; /* of the line; valid until the next */
};
/* Goes to the next line that is neither blank nor a comment (#). False: there is none, or a mistake was found;
 * then nothing is to be released. */
bool tl_rows_next(struct tl_rows *);
/* A mistake at this place of the line, after which there are no more lines. */
enum tl_status tl_rows_fail(struct tl_rows *, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The number of the field among the words, which NULL ends; a mistake and 0 if it is none of them. */
size_t tl_rows_word(struct tl_rows *, size_t field, const char *const *words);
/* A copy of the field as a string; NULL if the line has no such field. */
const char *tl_rows_text(const struct tl_rows *, size_t field, struct tl_arena *);
/* The whole number that a field is; false: it is none, or has no 64 bits. */
bool tl_field_int(const struct tl_field_text *, int64_t *);

#endif
