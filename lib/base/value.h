/* value.h - small dynamic values: decoded JSON arguments and Python text.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_VALUE_H
#define TL_VALUE_H

#include "base/base.h"

enum tl_value_type {
	TL_V_NULL, TL_V_BOOL, TL_V_INT, TL_V_REAL, TL_V_TEXT,
	TL_V_LIST, TL_V_TUPLE, TL_V_DICT, /* DICT: items are key, value, key, … */
};
/* Integers are 128 bits wide, enough for every product of dims we meet; one
 * beyond that in JSON becomes TL_V_REAL with `big` set to its digits. The type is
 * aligned to 8 bytes only, as arenas are: do not take the address of `i`. */
__extension__ typedef __int128 tl_int128; /* a GNU extension, of gcc and clang */
typedef tl_int128 tl_value_int __attribute__((aligned(8)));
struct tl_value {
	uint8_t type;
	bool b;
	uint32_t len;                 /* bytes of text; items of list, tuple, dict */
	union {
		tl_value_int i;
		double d;
		const char *text;
		struct tl_value *items;
	};
	const char *big;              /* digits of an integer beyond 128 bits, else NULL */
};

/* Parses one JSON text (jsmn) into arena memory. Nesting deeper than 64 or
 * malformed text is TL_ERR_DATA. NaN, Infinity, -Infinity are accepted. When an
 * object repeats a key the last one counts (at the first one's place). */
enum tl_status tl_value_parse(struct tl_arena *, const char *json, size_t len,
                              struct tl_value *out, struct tl_error *);
/* The same for a file that people write: a repeated key is an error, and messages
 * begin with FILE:LINE:COLUMN. */
enum tl_status tl_value_parse_file(struct tl_arena *, const char *file, const char *json, size_t len,
                                   struct tl_value *out, struct tl_error *);

/* The value of a key; NULL when the dictionary has no such key, and for any other value. */
const struct tl_value *tl_value_member(const struct tl_value *, const char *key);
/* The same of one type: a text, an integer (its lowest 64 bits), a list; "", 0 and an empty list if the
 * key has no such value. The dictionary may be NULL. */
const char *tl_value_text_member(const struct tl_value *, const char *key);
int64_t tl_value_int_member(const struct tl_value *, const char *key);
const struct tl_value *tl_value_list_member(const struct tl_value *, const char *key);

/* Python's repr of a value: 'text' quoted as Python does, None, True, (1,),
 * [1, 2.0], {'k': 1}. Lists print as tuples when lists_as_tuples. */
void tl_value_repr(struct tl_buf *, const struct tl_value *, bool lists_as_tuples);
/* Python's str: text itself without quotes at top level, else as repr. */
void tl_value_str(struct tl_buf *, const struct tl_value *, bool lists_as_tuples);
/* repr of a text of len bytes of UTF-8; malformed bytes become U+FFFD. */
void tl_repr_text(struct tl_buf *, const char *s, size_t len);

/* Integer of a text by Python's int() rules (blanks, sign, '_' between digits). */
bool tl_parse_pyint(const char *s, size_t len, tl_int128 *out);
/* Decimal text of a 128-bit integer; buf holds 48 bytes. Returns the length. */
size_t tl_format_i128(char *buf, tl_int128 x);

#endif
