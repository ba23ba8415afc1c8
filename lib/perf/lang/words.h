/* words.h - the words of the table language: one table for each place that has
 * some, in the order in which messages list them. Private to lib/perf.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERF_WORDS_H
#define TL_PERF_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct tl_word {
	const char *text;    /* NULL ends a table */
	uint8_t len;
	uint8_t kind, what;
	const char *expects; /* of a word of op lines: what may follow */
};

#define TL_WORD(text, kind, what) { text, sizeof text - 1, kind, what, NULL }

/* What a line of a table begins with. */
enum {
	TL_LINE_OP, TL_LINE_PREFIX, TL_LINE_MODEL, TL_LINE_CATEGORY, TL_LINE_CATEGORY_PREFIX,
	TL_LINE_KERNEL, TL_LINE_FAMILY, TL_LINE_MAP,
};
extern const struct tl_word tl_line_words[];

/* What an op line may set that is no slot. */
enum { TL_SET_CATEGORY, TL_SET_ROW, TL_SET_LINKED, TL_SET_ANNOTATION, TL_SETS };
extern const struct tl_word tl_op_words[];

/* What a line of a model begins with. */
enum tl_word_kind {
	TL_WORD_ATTRIBUTE, /* what: TL_ATTR_* */
	TL_WORD_ITEM,      /* what: TL_ITEM_* */
	TL_WORD_OUTPUT,    /* what: TL_OUT_* */
	TL_WORD_PARAM,
};
enum { TL_ATTR_CATEGORY, TL_ATTR_FAMILY, TL_ATTR_BACKWARD, TL_ATTRS };
extern const struct tl_word tl_body_words[];

/* A word of a table, or NULL. */
static inline const struct tl_word *tl_word_find(const struct tl_word *words, const char *s, size_t n)
{
	for (const struct tl_word *w = words; w->text; w++)
		if (w->len == n && w->text[0] == *s && !memcmp(w->text, s, n))
			return w;
	return NULL;
}

/* The text of a word of models. */
const char *tl_body_word(enum tl_word_kind, uint8_t what);

/* "a, b or c", for messages. */
#define TL_WORDS_TEXT 160
const char *tl_words_listed(const struct tl_word *words, char buf[TL_WORDS_TEXT]);

#endif
