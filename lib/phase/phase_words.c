/* phase_words.c - what the words and numbers in names say about the phase.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "phase/phase_words.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* In the order of enum tl_phase_word. */
static const char *const words[] = {
	"prefill", "decode", "continuous", "says-prefill", "says-decode", "name-prefill", "name-decode",
	"attention", "attention-decode", "attention-prefill", NULL
};

/* Of one name. leading: the number at its start, 0 if it starts with none. */
struct name { struct tl_phase_text text; uint64_t leading; bool is_known; };

struct tl_phase_words {
	const struct tl_strtab *strings;
	struct tl_name_rules *rules;
	struct name *names; size_t cap; /* by string id */
};

#define LIMIT ((uint64_t)1 << 63)

struct tl_phase_words *tl_phase_words_new(const struct tl_strtab *strings)
{
	struct tl_phase_words *w = tl_calloc(1, sizeof *w);

	w->strings = strings;
	w->rules = tl_name_rules_new(TL_PHASE_WORDS);
	return w;
}

void tl_phase_words_free(struct tl_phase_words *w)
{
	if (!w)
		return;
	tl_name_rules_free(w->rules);
	free(w->names);
	free(w);
}

static uint64_t limited_sum(uint64_t a, uint64_t b)
{
	return a > LIMIT - b ? LIMIT : a + b;
}

/* The number at *s, which moves behind its digits. */
static uint64_t read_number(const char **s, const char *end)
{
	uint64_t n = 0;

	for (; *s < end && tl_is_digit(**s); ++*s)
		n = n > LIMIT / 10 - 1 ? LIMIT : n * 10 + (uint64_t)(**s - '0');
	return n;
}

static bool starts_with(const char *s, const char *end, const char *word)
{
	for (; *word; s++, word++)
		if (s == end || (*s | 0x20) != *word)
			return false;
	return true;
}

/* The digits behind "sl", "seqlen" or "seq" at s; NULL: no such word and digits stand there. */
static const char *digits_of_length(const char *s, const char *end)
{
	if (starts_with(s, end, "sl"))
		return end - s > 2 && tl_is_digit(s[2]) ? s + 2 : NULL;
	if (starts_with(s, end, "seqlen")) {
		s += 6;
		if (s < end && (*s == '_' || *s == ' ' || (*s >= '\t' && *s <= '\r')))
			s++;
		return s < end && tl_is_digit(*s) ? s : NULL;
	}
	return starts_with(s, end, "seq") && end - s > 3 && tl_is_digit(s[3]) ? s + 3 : NULL;
}

static void add_length(struct tl_phase_text *t, uint64_t length)
{
	if (!length)
		return;
	t->n_lengths++;
	t->sum_lengths = limited_sum(t->sum_lengths, length);
}

static void read_name(struct tl_phase_words *w, uint32_t id, struct name *out)
{
	const char *s = tl_str(w->strings, id), *end = s + tl_str_len(w->strings, id), *start = s;

	*out = (struct name){ .is_known = true };
	out->text.words = (unsigned)tl_name_rules_all(w->rules, s, (size_t)(end - s), words);
	out->text.is_open = end - s >= 6 && starts_with(end - 6, end, "seqlen");
	out->leading = read_number(&start, end);
	while (s < end) {
		const char *digits = *s == 's' || *s == 'S' ? digits_of_length(s, end) : NULL;

		if (digits)
			add_length(&out->text, read_number(&digits, end));
		s = digits ? digits : s + 1;
	}
}

static const struct name *name_of(struct tl_phase_words *w, uint32_t id)
{
	size_t before = w->cap;

	TL_GROW(w->names, w->cap, (size_t)id + 1);
	if (w->cap > before)
		memset(w->names + before, 0, (w->cap - before) * sizeof *w->names);
	if (!w->names[id].is_known)
		read_name(w, id, &w->names[id]);
	return &w->names[id];
}

void tl_phase_text_add(struct tl_phase_words *w, struct tl_phase_text *t, uint32_t name)
{
	const struct name *n = name_of(w, name);

	if (t->is_open)
		add_length(t, n->leading);
	/* the word for attention in an earlier name, that for the phase in this one */
	if (t->words & TL_WORD_ATTENTION && n->text.words & TL_WORD_DECODE)
		t->words |= TL_WORD_ATTENTION_DECODE;
	if (t->words & TL_WORD_ATTENTION && n->text.words & TL_WORD_PREFILL)
		t->words |= TL_WORD_ATTENTION_PREFILL;
	t->words |= n->text.words;
	t->n_lengths += n->text.n_lengths;
	t->sum_lengths = limited_sum(t->sum_lengths, n->text.sum_lengths);
	t->is_open = n->text.is_open;
}
