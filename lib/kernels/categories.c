/* categories.c - kernel categories by name: asks the rules.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "kernels/category_rules.h"

#include <stdlib.h>
#include <string.h>

extern const char tl_data_kernel_categories[];
extern const size_t tl_data_kernel_categories_len;

/* regexec takes memory in proportion to the text, so very long names are cut
 * for regular expressions (only); no kernel name comes near. */
enum { REGEX_MAX = 65536 };

struct tl_kcat *tl_kcat_new(bool builtin)
{
	struct tl_kcat *k = tl_calloc(1, sizeof *k);

	/* a mistake in our own table is found by the tests */
	if (builtin)
		tl_kcat_add(k, "built-in", tl_data_kernel_categories, tl_data_kernel_categories_len, NULL);
	return k;
}

void tl_kcat_free(struct tl_kcat *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->n_regexes; i++) {
		regfree(k->regexes[i]);
		free(k->regexes[i]);
	}
	free(k->regexes);
	free(k->rules);
	free(k->answers);
	free(k->found);
	tl_words_release(&k->words);
	tl_strtab_release(&k->names);
	tl_buf_release(&k->folded);
	tl_arena_release(&k->arena);
	free(k);
}

/* Priority, then the later table, then the earlier line. */
static int by_priority(const void *pa, const void *pb)
{
	const struct rule *a = pa, *b = pb;

	if (a->priority != b->priority)
		return a->priority < b->priority ? -1 : 1;
	if (a->table != b->table)
		return a->table > b->table ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

static void get_ready(struct tl_kcat *k)
{
	size_t size;

	if (k->ready)
		return;
	if (k->n_rules)
		qsort(k->rules, k->n_rules, sizeof *k->rules, by_priority);
	tl_words_build(&k->words);
	size = tl_words_size(&k->words);
	free(k->found);
	k->found = tl_calloc(2 * size, sizeof *k->found);
	k->found_space = k->found + size;
	tl_strtab_clear(&k->names);
	k->ready = true;
}

static bool any_found(const struct term *t, const uint64_t *found)
{
	for (uint32_t i = 0; i < t->n_words; i++)
		if (found[t->words[i] >> 6] >> (t->words[i] & 63) & 1)
			return true;
	return false;
}

static bool any_occurs(const struct term *t, const char *s, size_t len)
{
	for (uint32_t i = 0; i < t->n_words; i++)
		if (memmem(s, len, t->texts[i], strlen(t->texts[i])))
			return true;
	return false;
}

static bool regex_matches(const struct term *t, const char *s, size_t len)
{
	char *cut = NULL;
	bool yes;

	if (len > REGEX_MAX)
		s = cut = tl_strndup(s, REGEX_MAX);
	yes = !regexec(t->regex, s, 0, NULL, 0);
	free(cut);
	return yes;
}

static bool term_matches(const struct tl_kcat *k, const struct term *t, const char *name, size_t len)
{
	const char *s = t->fold ? k->folded.data : name;

	switch (t->kind) {
	case TERM_ALWAYS:
		return true;
	case TERM_WORDS:
		return t->fold ? any_found(t, k->found) : any_occurs(t, name, len);
	case TERM_SPACE:
		return any_found(t, k->found_space);
	case TERM_PREFIX:
		return strlen(t->text) <= len && !memcmp(s, t->text, strlen(t->text));
	default:
		return regex_matches(t, s, len);
	}
}

static bool rule_matches(const struct tl_kcat *k, const struct rule *r, const char *name, size_t len)
{
	for (uint32_t i = 0; i < r->n_terms; i++)
		if (!term_matches(k, &r->terms[i], name, len))
			return false;
	return !r->exclusion || !term_matches(k, r->exclusion, name, len);
}

/* Lower-case copy, words found in it and in the part before the first "::". */
static void look_at(struct tl_kcat *k, const char *name, size_t len)
{
	size_t size = tl_words_size(&k->words), space_len = 0;
	uint32_t state = 0;
	const char *colons;

	tl_buf_clear(&k->folded);
	tl_buf_add(&k->folded, name, len);
	tl_buf_reserve(&k->folded, 0);
	for (size_t i = 0; i < len; i++)
		if (k->folded.data[i] >= 'A' && k->folded.data[i] <= 'Z')
			k->folded.data[i] += 'a' - 'A';
	memset(k->found, 0, 2 * size * sizeof *k->found);
	colons = memmem(k->folded.data, len, "::", 2);
	if (colons) {
		space_len = (size_t)(colons - k->folded.data);
		tl_words_find(&k->words, k->folded.data, space_len, &state, k->found);
		memcpy(k->found_space, k->found, size * sizeof *k->found);
	}
	tl_words_find(&k->words, k->folded.data + space_len, len - space_len, &state, k->found);
}

const char *tl_kcat_of(struct tl_kcat *k, const char *name, size_t len)
{
	const char *answer = "Uncategorized";
	uint32_t known, id;

	get_ready(k);
	known = k->names.count;
	id = tl_intern(&k->names, name, len);
	if (id <= known)
		return k->answers[id];
	name = tl_str(&k->names, id); /* ends with a NUL, as regexec wants */
	look_at(k, name, len);
	for (size_t i = 0; i < k->n_rules; i++)
		if (rule_matches(k, &k->rules[i], name, len)) {
			answer = k->rules[i].category;
			break;
		}
	TL_GROW(k->answers, k->cap_answers, (size_t)id + 1);
	return k->answers[id] = answer;
}

const char *tl_kcat_rule(struct tl_kcat *k, size_t i)
{
	get_ready(k);
	return i < k->n_rules ? k->rules[i].category : NULL;
}
