/* phase_words.h - what the words and numbers in names say about the phase.
 *
 * TraceLens looks for words in the text "OP KERNEL KERNEL …" of a launch. That text may be
 * very long (a graph has thousands of kernels), so each distinct name is looked at once, and
 * what the names of a launch say is put together. The answers are the same.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PHASE_WORDS_H
#define TL_PHASE_WORDS_H

#include "kernels/name_rules.h"

/* The answers of kernels/phase-words.tsv. */
enum tl_phase_word {
	TL_WORD_PREFILL = 1, TL_WORD_DECODE = 2, TL_WORD_CONTINUOUS = 4,
	TL_WORD_SAYS_PREFILL = 8, TL_WORD_SAYS_DECODE = 16,
	TL_WORD_NAME_PREFILL = 32, TL_WORD_NAME_DECODE = 64,
	TL_WORD_ATTENTION = 128, TL_WORD_ATTENTION_DECODE = 256, TL_WORD_ATTENTION_PREFILL = 512,
};

/* What a text says: its words, and the numbers in it that look like sequence lengths: sl64, seq64,
 * seqlen64, seqlen_64. Zeros do not count. */
struct tl_phase_text {
	unsigned words;
	uint64_t n_lengths, sum_lengths; /* the sum is limited to 2^63 */
	bool is_open;                    /* the text ends in "seqlen": a number at the start of the next name counts */
};

struct tl_phase_words;
/* strings: names are ids of this table, which outlives the result. */
struct tl_phase_words *tl_phase_words_new(const struct tl_strtab *strings);
void tl_phase_words_free(struct tl_phase_words *); /* NULL is allowed */
/* Adds " NAME" to a text. Zero bytes are no text yet; then no blank is added. */
void tl_phase_text_add(struct tl_phase_words *, struct tl_phase_text *, uint32_t name);

#endif
