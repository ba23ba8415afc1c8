/* name_rules.c - answers a question about a name: tries rules on the name.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "kernels/name_rules.h"
#include "kernels/rule_table.h"

#include <stdlib.h>
#include <string.h>

static const char *const works[] = { "communication", "memcpy", "computation", NULL };
static const char *const phases[] = { "Prefill", "Decode", "Mixed", NULL };

#define DECLARE(id, name, answers) extern const char tl_data_##name[]; extern const size_t tl_data_##name##_len;
TL_BUILT_IN_RULES(DECLARE)

#define ENTRY(id, name, answers) [id] = { #name, tl_data_##name, &tl_data_##name##_len, answers },
static const struct { const char *name, *text; const size_t *len; const char *const *answers; } built_in[] = { TL_BUILT_IN_RULES(ENTRY) };

/* regexec takes memory in proportion to the text, so regular expressions see no more
 * bytes of a name than this. No real name is as long. */
enum { REGEX_MAX = 65536 };

struct tl_name_rules {
	struct tl_rule_list rules;
	struct tl_strtab names;
	const char **answers; size_t cap_answers; /* by id of the name */
	struct tl_buf folded; /* the current name in lower case */
};

/* Which pairs of neighbouring bytes a text has. Pairs may share a bit, so a set bit proves
 * nothing; but a word with a pair whose bit is not set does not occur in the text. Most words
 * of rules are such, and need no search. */
enum { PAIRS = 4096 };
struct pairs { uint64_t bits[PAIRS / 64]; };

/* A name as it is written and in lower case, with a NUL behind each. */
struct both_cases { const char *written, *folded; size_t len; struct pairs of_folded; };

struct tl_name_rules *tl_name_rules_new(enum tl_built_in_rules table)
{
	struct tl_name_rules *r = tl_calloc(1, sizeof *r);

	if (table)
		tl_name_rules_add_built_in(r, table);
	return r;
}

void tl_name_rules_add_built_in(struct tl_name_rules *r, enum tl_built_in_rules table)
{
	struct tl_error err;

	r->rules.answers = built_in[table].answers;
	tl_must(tl_name_rules_add(r, built_in[table].name, built_in[table].text, *built_in[table].len, &err), &err);
}

void tl_name_rules_free(struct tl_name_rules *r)
{
	if (!r)
		return;
	tl_rule_list_release(&r->rules);
	tl_strtab_release(&r->names);
	tl_buf_release(&r->folded);
	free(r->answers);
	free(r);
}

enum tl_status tl_name_rules_add(struct tl_name_rules *r, const char *table, const char *text,
                                 size_t len, struct tl_error *err)
{
	tl_strtab_clear(&r->names); /* earlier answers may be wrong now */
	return tl_rule_list_add(&r->rules, table, text, len, err);
}

void tl_name_rules_add_answer(struct tl_name_rules *r, int64_t priority, const char *answer,
                              struct tl_name_rules *others, const char *theirs)
{
	tl_strtab_clear(&r->names);
	tl_rule_list_add_answer(&r->rules, priority, answer, others, theirs);
}

static unsigned pair_at(const char *s)
{
	return ((unsigned char)s[0] << 5 ^ (unsigned char)s[1]) % PAIRS;
}

static void find_pairs(struct pairs *p, const char *s, size_t len)
{
	for (size_t i = 1; i < len; i++)
		p->bits[pair_at(s + i - 1) / 64] |= UINT64_C(1) << pair_at(s + i - 1) % 64;
}

/* pairs: of s, or NULL */
static bool word_occurs(const char *word, size_t n, const char *s, size_t len, const struct pairs *pairs)
{
	for (size_t i = 1; pairs && i < n; i++)
		if (!(pairs->bits[pair_at(word + i - 1) / 64] >> pair_at(word + i - 1) % 64 & 1))
			return false;
	return memmem(s, len, word, n);
}

/* Is one of the words in "word|word|…" a part of s? */
static bool any_word_occurs(const char *words, const char *s, size_t len, const struct pairs *pairs)
{
	for (const char *word = words, *end;; word = end + 1) {
		end = strchrnul(word, '|');
		if (word_occurs(word, (size_t)(end - word), s, len, pairs))
			return true;
		if (!*end)
			return false;
	}
}

static bool regex_matches(const regex_t *regex, const char *s, size_t len)
{
	char *start = len > REGEX_MAX ? tl_strndup(s, REGEX_MAX) : NULL;
	bool yes = !regexec(regex, start ? start : s, 0, NULL, 0);

	free(start);
	return yes;
}

static bool term_matches(const struct tl_rule_term *t, const struct both_cases *name)
{
	const char *s = t->fold ? name->folded : name->written, *colons;

	switch (t->kind) {
	case TL_TERM_WORDS:
		return any_word_occurs(t->text, s, name->len, t->fold ? &name->of_folded : NULL);
	case TL_TERM_NAMESPACE:
		colons = memmem(s, name->len, "::", 2);
		return colons && any_word_occurs(t->text, s, (size_t)(colons - s), NULL);
	case TL_TERM_START:
		return !strncmp(s, t->text, strlen(t->text));
	case TL_TERM_ANSWER:
		return !strcmp(tl_name_rules_find(t->others, name->written, name->len), t->text);
	default:
		return regex_matches(t->regex, s, name->len);
	}
}

static bool rule_matches(const struct tl_name_rule *r, const struct both_cases *name)
{
	for (uint32_t i = 0; i < r->n_terms; i++)
		if (!term_matches(&r->terms[i], name))
			return false;
	return !r->exclusion || !term_matches(r->exclusion, name);
}

/* The lower case is valid until the next call. */
static struct both_cases both_cases(struct tl_name_rules *r, const char *written, size_t len)
{
	struct both_cases name = { .written = written, .len = len };

	tl_buf_clear(&r->folded);
	tl_buf_add(&r->folded, written, len);
	for (size_t i = 0; i < len; i++)
		if (written[i] >= 'A' && written[i] <= 'Z')
			r->folded.data[i] += 'a' - 'A';
	name.folded = r->folded.data;
	find_pairs(&name.of_folded, name.folded, len);
	return name;
}

static const char *ask_rules(struct tl_name_rules *r, const char *written, size_t len)
{
	struct both_cases name = both_cases(r, written, len);

	for (size_t i = 0; i < r->rules.n; i++)
		if (rule_matches(&r->rules.items[i], &name))
			return r->rules.items[i].answer;
	return "";
}

const char *tl_name_rules_find(struct tl_name_rules *r, const char *name, size_t len)
{
	uint32_t known = r->names.count, id = tl_intern(&r->names, name, len);

	if (id > known) {
		TL_GROW(r->answers, r->cap_answers, (size_t)id + 1);
		r->answers[id] = ask_rules(r, tl_str(&r->names, id), len);
	}
	return r->answers[id];
}

uint64_t tl_name_rules_all(struct tl_name_rules *r, const char *written, size_t len, const char *const *answers)
{
	struct both_cases name = both_cases(r, written, len);
	uint64_t found = 0;

	for (size_t a = 0; answers[a] && a < 64; a++)
		for (size_t i = 0; i < r->rules.n && !(found >> a & 1); i++)
			if (!strcmp(r->rules.items[i].answer, answers[a]) && rule_matches(&r->rules.items[i], &name))
				found |= (uint64_t)1 << a;
	return found;
}
