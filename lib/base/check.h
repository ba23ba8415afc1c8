/* check.h - the strict checker of JSON text in memory: strings, numbers, whole values.
 *
 * The text lies in a buffer as scan.h wants it. Each function begins at p, the
 * value's first byte, and returns the position after the value; or NULL, and then
 * the text's `at` and `what` tell what is wrong. The result is appended to `out`
 * unless that is NULL; a failure may leave a part of the result there.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_JSON_CHECK_H
#define TL_JSON_CHECK_H

#include "base/base.h"

#define TL_JSON_MAX_DEPTH 512

/* What is accepted although it is not valid JSON or not valid Unicode. */
enum {
	TL_JSON_CONTROL = 1,   /* a raw control character inside a string: kept */
	TL_JSON_UTF8 = 2,      /* bytes that are not UTF-8: replaced by U+FFFD */
	TL_JSON_SURROGATE = 4, /* an escaped surrogate without its pair: replaced by U+FFFD */
};

struct tl_json_text {
	const char *end;   /* of the text at hand */
	unsigned problems; /* the TL_JSON_CONTROL, ... met; the caller clears them */
	const char *at;    /* after a failure: the place */
	const char *what;  /* after a failure: what was expected there; NULL: the text ends too early */
};

/* A string, p at its opening quote. out: its text as UTF-8, escapes resolved. */
const char *tl_json_string(struct tl_json_text *, const char *p, struct tl_buf *out);
/* Any value, maybe with blanks before it. out: its text without blanks. Lists and
 * objects more than TL_JSON_MAX_DEPTH deep fail. NaN, Infinity, -Infinity pass. */
const char *tl_json_value(struct tl_json_text *, const char *p, struct tl_buf *out);
/* A number, NaN or an infinity. A number that ends where the text ends fails, since
 * more digits may follow in text not yet read. */
const char *tl_json_number(struct tl_json_text *, const char *p);

#endif
