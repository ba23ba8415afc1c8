/* words.c - many words in one pass over a text (Aho and Corasick's automaton
 * as a full table over the bytes that occur in the words).
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "kernels/category_rules.h"

#include <stdlib.h>
#include <string.h>

uint32_t tl_words_add(struct tl_words *w, const char *s, size_t len)
{
	w->built = false;
	return tl_intern(&w->words, s, len);
}

static void forget(struct tl_words *w)
{
	free(w->next);
	free(w->word);
	free(w->suffix);
	w->next = w->word = w->suffix = NULL;
}

static void choose_classes(struct tl_words *w)
{
	memset(w->class_of, 0, sizeof w->class_of);
	w->n_classes = 1;
	for (uint32_t id = 1; id <= w->words.count; id++) {
		const char *s = tl_str(&w->words, id);

		for (size_t i = 0; i < tl_str_len(&w->words, id); i++) {
			uint8_t *c = &w->class_of[(uint8_t)s[i]];

			if (!*c && w->n_classes < 256)
				*c = (uint8_t)w->n_classes++;
		}
	}
}

static void add_word(struct tl_words *w, uint32_t id)
{
	const char *s = tl_str(&w->words, id);
	uint32_t state = 0;

	for (size_t i = 0; i < tl_str_len(&w->words, id); i++) {
		uint32_t *to = &w->next[(size_t)state * w->n_classes + w->class_of[(uint8_t)s[i]]];

		if (!*to)
			*to = w->n_states++;
		state = *to;
	}
	w->word[state] = id;
}

/* Breadth first: a state's failure state is shallower, so it is done by then. */
static void close_table(struct tl_words *w)
{
	uint32_t *queue = tl_alloc(w->n_states * sizeof *queue), head = 0, tail = 0;
	uint32_t *fail = tl_calloc(w->n_states, sizeof *fail);

	for (uint32_t c = 0; c < w->n_classes; c++)
		if (w->next[c])
			queue[tail++] = w->next[c];
	while (head < tail) {
		uint32_t s = queue[head++], f = fail[s];

		w->suffix[s] = w->word[f] ? f : w->suffix[f];
		for (uint32_t c = 0; c < w->n_classes; c++) {
			uint32_t *to = &w->next[(size_t)s * w->n_classes + c];
			uint32_t other = w->next[(size_t)f * w->n_classes + c];

			if (!*to) {
				*to = other;
				continue;
			}
			fail[*to] = other;
			queue[tail++] = *to;
		}
	}
	free(queue);
	free(fail);
}

void tl_words_build(struct tl_words *w)
{
	size_t states = w->words.bytes + 1;

	if (w->built)
		return;
	forget(w);
	choose_classes(w);
	w->next = tl_calloc(states * w->n_classes, sizeof *w->next);
	w->word = tl_calloc(states, sizeof *w->word);
	w->suffix = tl_calloc(states, sizeof *w->suffix);
	w->n_states = 1;
	for (uint32_t id = 1; id <= w->words.count; id++)
		add_word(w, id);
	close_table(w);
	w->built = true;
}

void tl_words_find(const struct tl_words *w, const char *text, size_t len,
                   uint32_t *state, uint64_t *found)
{
	uint32_t s = *state;

	for (size_t i = 0; i < len; i++) {
		s = w->next[(size_t)s * w->n_classes + w->class_of[(uint8_t)text[i]]];
		for (uint32_t e = w->word[s] ? s : w->suffix[s]; e; e = w->suffix[e])
			found[w->word[e] >> 6] |= UINT64_C(1) << (w->word[e] & 63);
	}
	*state = s;
}

size_t tl_words_size(const struct tl_words *w)
{
	return w->words.count / 64 + 1;
}

void tl_words_release(struct tl_words *w)
{
	forget(w);
	tl_strtab_release(&w->words);
}
