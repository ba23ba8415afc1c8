/* pickle.h - plain values in a file that Python's pickle wrote: dictionaries, lists, tuples, texts, numbers.
 *
 * A pickle is a program for a machine with a stack. This one knows the few opcodes that make plain values. An opcode
 * that imports or calls anything is an error that names it, so nothing of a file is ever executed.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PICKLE_H
#define TL_PICKLE_H

#include "base/base.h"
#include "base/error.h"

enum tl_pickle_type { TL_PICKLE_OTHER, TL_PICKLE_INT, TL_PICKLE_TEXT, TL_PICKLE_LIST, TL_PICKLE_DICT };

/* A value. OTHER: None, a bool, a real, bytes. LIST: a tuple, too. A value may stand in several others, even in itself. */
struct tl_pickle_value {
	uint8_t type;
	bool seen;           /* for callers that walk the values */
	uint32_t n, cap;     /* n: bytes of a text, items of a list, keys and values of a dictionary */
	union {
		int64_t i;       /* the lowest 64 bits */
		const char *text; /* in the file's bytes */
		uint32_t *items; /* numbers of values */
	};
};
struct tl_pickle {
	struct tl_pickle_value *values; uint32_t n; size_t cap;
	uint32_t root;
};
/* Reads a pickle; `data` must outlive it. TL_ERR_DATA with the offset: damaged, cut short or not a plain value.
 * Takes time and memory in proportion to len. Release it in any case. */
enum tl_status tl_pickle_read(struct tl_pickle *, const void *data, size_t len, struct tl_error *);
void tl_pickle_release(struct tl_pickle *);

/* Returns what a dictionary has for a key. NULL: nothing, or the value is no dictionary of at
 * most TL_PICKLE_KEYS keys. */
enum { TL_PICKLE_KEYS = 256 };
struct tl_pickle_value *tl_pickle_member(const struct tl_pickle *, const struct tl_pickle_value *, const char *key);

#endif
