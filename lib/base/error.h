/* error.h - the status that a call returns, and the reason of a failure.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ERROR_H
#define TL_ERROR_H

#include <stdint.h>

enum tl_status {
	TL_OK = 0,
	TL_ERR_IO = -1,    /* a file could not be opened, read or written */
	TL_ERR_DATA = -2,  /* the input is malformed, truncated or inconsistent */
	TL_ERR_USAGE = -3, /* the caller asked for something impossible */
};

/* Why a call failed. A function that takes a struct tl_error fills it only when
 * it returns a status other than TL_OK. */
struct tl_error {
	enum tl_status status;
	int64_t offset; /* byte of the decompressed input; -1: does not apply */
	int64_t record; /* number of an event or a row; -1: does not apply */
	char text[600]; /* one line, without the program's name and a full stop */
};

/* Fills *err (err may be NULL) and returns status, so that a caller writes
 * `return tl_fail(err, TL_ERR_DATA, "…", …)`. Control characters in the text
 * become '?'. offset and record become -1. */
enum tl_status tl_fail(struct tl_error *err, enum tl_status status,
                       const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same, and err->offset becomes offset: where the input is wrong. */
enum tl_status tl_fail_at(struct tl_error *err, enum tl_status status,
                          int64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* For reading what is built in, where a mistake is one of the program: unless the status is TL_OK, calls
 * the handler with the error's text. A handler must not return. The default one aborts; a program's prints
 * a message and exits. */
void tl_must(enum tl_status, const struct tl_error *);
typedef void tl_mistake_handler(const char *text);
void tl_set_mistake_handler(tl_mistake_handler *);

#endif
