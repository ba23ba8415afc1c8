/* json_writer.h - writes JSON, with a line for each value as people read it, or all in one line.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_JSON_WRITER_H
#define TL_JSON_WRITER_H

#include "base/base.h"

/* Adds a text with its quotes; malformed UTF-8 becomes U+FFFD. */
void tl_json_quote(struct tl_buf *, const char *s, size_t len);
/* Adds a number; what is no number is NaN, Infinity or -Infinity, as Python writes it. */
void tl_json_double(struct tl_buf *, double);

/* A text while it is written: what is appended to the buffer is a value, or the beginning of one. */
struct tl_json {
	struct tl_buf *to;
	bool in_line;  /* no further lines: "key": 1, "key": 2 */
	int depth;     /* of open objects and lists; each is 2 blanks */
	bool has_key;  /* private */
};
/* Each of these writes a value: a member of the object that is open or, with NULL as the key, an item of the list,
 * or the whole. bracket: '{' or '[', and at the end '}' or ']'. */
void tl_json_open(struct tl_json *, const char *key, char bracket);
void tl_json_close(struct tl_json *, char bracket);
void tl_json_put_int(struct tl_json *, const char *key, int64_t value);
void tl_json_put_real(struct tl_json *, const char *key, double value);
void tl_json_put_text(struct tl_json *, const char *key, const char *value, size_t len);
void tl_json_put_string(struct tl_json *, const char *key, const char *value);
/* The same as JSON text: "true". With "" the caller appends it to the buffer. */
void tl_json_put(struct tl_json *, const char *key, const char *json);
/* The key, which may hold NUL bytes, of the value that comes next, with NULL as its key. */
void tl_json_key(struct tl_json *, const char *key, size_t len);

#endif
