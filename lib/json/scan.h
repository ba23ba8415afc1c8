/* scan.h - JSON text in memory: fast scanners and a strict, minifying checker.
 *
 * All text handed in lies in a buffer with TL_JSON_PAD readable bytes after
 * `end`, the first 64 of them zero: a zero byte stops every scanner, so none
 * tests for the end on its way. Whether a stop was the end or a stray byte is
 * told by comparing with `end`.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_JSON_SCAN_H
#define TL_JSON_SCAN_H

#include "base/base.h"

#define TL_JSON_PAD 4224
#define TL_JSON_MAX_DEPTH 512

/* Accepted, but not valid JSON or not valid Unicode; repaired on the way out. */
enum {
	TL_JSON_CONTROL = 1,   /* a raw control character inside a string */
	TL_JSON_UTF8 = 2,      /* bytes that are not UTF-8: U+FFFD each */
	TL_JSON_SURROGATE = 4, /* an escaped surrogate without its pair: U+FFFD */
};

struct tl_json_scan {
	const char *end;   /* of the text at hand */
	unsigned problems; /* collects TL_JSON_CONTROL, …; never cleared here */
	const char *at;    /* after a failure: where */
	const char *what;  /* after a failure: expected what; NULL: text ran out */
};

/* Each returns the position after what it read, or NULL with at and what set.
 * out may be NULL: then only checked. */

/* A string, p at its opening quote: its text, escapes resolved, as UTF-8. */
const char *tl_json_string(struct tl_json_scan *, const char *p, struct tl_buf *out);
/* Any value, blanks before it allowed: its text without blanks. Objects and
 * lists deeper than TL_JSON_MAX_DEPTH fail. NaN, Infinity, -Infinity pass. */
const char *tl_json_value(struct tl_json_scan *, const char *p, struct tl_buf *out);
/* A number, NaN or Infinity; *integer: no fraction, no exponent, finite. */
const char *tl_json_number(struct tl_json_scan *, const char *p, bool *integer);

/* The scanners, in the fastest form this processor runs. */
struct tl_json_ops {
	/* First quote, backslash or byte below 0x20 at or after p. */
	const char *(*string_stop)(const char *p);
	/* First byte that is no blank. */
	const char *(*blanks)(const char *p);
	/* p at '[' or '{': after the bracket that closes it, counting brackets
	 * outside strings; NULL when it does not close before end. Nothing else
	 * is checked. */
	const char *(*nested_stop)(const char *p, const char *end);
	/* The same for a run of such values: the end of the last one, and how many
	 * in *count. They go on as long as after one stands `next`, which is what is
	 * between two, a comma and blanks, and how the one after it starts. */
	const char *(*nested_run)(const char *p, const char *end, const char *next, size_t len, size_t *count);
	/* Whether the n > 0 bytes at both are equal; 32 more can be read at both.
	 * (So at `next` above.) */
	bool (*same)(const char *a, const char *b, size_t n);
};
extern const struct tl_json_ops tl_json_portable;
const struct tl_json_ops *tl_json_ops(void);
/* All forms it runs, for tests: the i-th, from 0, or NULL. */
const struct tl_json_ops *tl_json_form(int i);

static inline bool tl_json_is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

#endif
