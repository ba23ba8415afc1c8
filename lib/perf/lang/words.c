/* words.c - the words of the table language.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/models/model.h"
#include "perf/lang/words.h"

#include <stdio.h>

#define SETS(text, what, expects) { text, sizeof text - 1, 0, what, expects }

const struct tl_word tl_line_words[] = {
	TL_WORD("op", 0, TL_LINE_OP),
	TL_WORD("prefix", 0, TL_LINE_PREFIX),
	TL_WORD("model", 0, TL_LINE_MODEL),
	TL_WORD("category", 0, TL_LINE_CATEGORY),
	TL_WORD("category-prefix", 0, TL_LINE_CATEGORY_PREFIX),
	TL_WORD("kernel", 0, TL_LINE_KERNEL),
	TL_WORD("family", 0, TL_LINE_FAMILY),
	TL_WORD("map", 0, TL_LINE_MAP),
	{ .text = NULL },
};

const struct tl_word tl_op_words[] = {
	SETS("category", TL_SET_CATEGORY, "a category after category="),
	SETS("row", TL_SET_ROW, "row=moved"),
	SETS("linked", TL_SET_LINKED, "linked=none or linked=hidden"),
	SETS("annotation", TL_SET_ANNOTATION, "annotation=step"),
	{ .text = NULL },
};

const struct tl_word tl_body_words[] = {
	TL_WORD("category", TL_WORD_ATTRIBUTE, TL_ATTR_CATEGORY),
	TL_WORD("family", TL_WORD_ATTRIBUTE, TL_ATTR_FAMILY),
	TL_WORD("backward", TL_WORD_ATTRIBUTE, TL_ATTR_BACKWARD),
	TL_WORD("slot", TL_WORD_ITEM, TL_ITEM_SLOT),
	TL_WORD("let", TL_WORD_ITEM, TL_ITEM_LET),
	TL_WORD("def", TL_WORD_ITEM, TL_ITEM_DEF),
	TL_WORD("need", TL_WORD_ITEM, TL_ITEM_NEED),
	TL_WORD("drop", TL_WORD_ITEM, TL_ITEM_DROP),
	TL_WORD("only", TL_WORD_ITEM, TL_ITEM_ONLY),
	TL_WORD("flops", TL_WORD_OUTPUT, TL_OUT_FLOPS),
	TL_WORD("bytes", TL_WORD_OUTPUT, TL_OUT_BYTES),
	TL_WORD("flops_bwd", TL_WORD_OUTPUT, TL_OUT_FLOPS_BWD),
	TL_WORD("bytes_bwd", TL_WORD_OUTPUT, TL_OUT_BYTES_BWD),
	TL_WORD("spec", TL_WORD_OUTPUT, TL_OUT_SPEC),
	TL_WORD("param", TL_WORD_PARAM, 0),
	{ .text = NULL },
};

const char *tl_body_word(enum tl_word_kind kind, uint8_t what)
{
	const struct tl_word *w = tl_body_words;

	while (w->text && (w->kind != kind || w->what != what))
		w++;
	return w->text;
}

const char *tl_words_listed(const struct tl_word *words, char buf[TL_WORDS_TEXT])
{
	size_t n = 0;

	buf[0] = 0;
	for (const struct tl_word *w = words; w->text && n < TL_WORDS_TEXT; w++)
		n += (size_t)snprintf(buf + n, TL_WORDS_TEXT - n, "%s%s", w == words ? "" : w[1].text ? ", " : " or ", w->text);
	return buf;
}
