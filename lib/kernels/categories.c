/* categories.c - the category of a kernel: matches its name with rules.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "kernels/categories.h"
#include "kernels/category_rules.h"

#include <stdlib.h>
#include <string.h>

extern const char tl_data_kernel_categories[], tl_data_kernel_work[];
extern const size_t tl_data_kernel_categories_len, tl_data_kernel_work_len;

/* regexec takes memory in proportion to the text. Regular expressions see no
 * more than this of a name; no real kernel name is as long. */
enum { REGEX_MAX = 65536 };

struct tl_kcat {
	struct tl_category_rules rules;
	struct tl_strtab names;
	const char **answers; size_t cap_answers; /* by the name's id */
	struct tl_buf folded;
};

/* A name as written and in lower case. A NUL follows either. */
struct kernel_name { const char *written, *folded; size_t len; };

struct tl_kcat *tl_kcat_new(void)
{
	return tl_calloc(1, sizeof(struct tl_kcat));
}

static struct tl_kcat *new_with(const char *table, size_t len)
{
	struct tl_kcat *k = tl_kcat_new();

	/* the tests find mistakes in our own tables */
	tl_kcat_add(k, "built-in", table, len, NULL);
	return k;
}

struct tl_kcat *tl_kcat_new_categories(void)
{
	return new_with(tl_data_kernel_categories, tl_data_kernel_categories_len);
}

struct tl_kcat *tl_kcat_new_work(void)
{
	return new_with(tl_data_kernel_work, tl_data_kernel_work_len);
}

void tl_kcat_free(struct tl_kcat *k)
{
	if (!k)
		return;
	tl_category_rules_release(&k->rules);
	tl_strtab_release(&k->names);
	tl_buf_release(&k->folded);
	free(k->answers);
	free(k);
}

enum tl_status tl_kcat_add(struct tl_kcat *k, const char *name, const char *text,
                           size_t len, struct tl_error *err)
{
	tl_strtab_clear(&k->names); /* earlier answers may be wrong now */
	return tl_category_rules_add(&k->rules, name, text, len, err);
}

/* words: word|word|… */
static bool any_word_occurs(const char *words, const char *s, size_t len)
{
	for (const char *word = words, *end;; word = end + 1) {
		end = strchrnul(word, '|');
		if (memmem(s, len, word, (size_t)(end - word)))
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

static bool term_matches(const struct tl_category_term *t, const struct kernel_name *name)
{
	const char *s = t->fold ? name->folded : name->written, *colons;

	switch (t->kind) {
	case TL_TERM_WORDS:
		return any_word_occurs(t->text, s, name->len);
	case TL_TERM_NAMESPACE:
		colons = memmem(s, name->len, "::", 2);
		return colons && any_word_occurs(t->text, s, (size_t)(colons - s));
	case TL_TERM_START:
		return !strncmp(s, t->text, strlen(t->text));
	default:
		return regex_matches(t->regex, s, name->len);
	}
}

static bool rule_matches(const struct tl_category_rule *r, const struct kernel_name *name)
{
	for (uint32_t i = 0; i < r->n_terms; i++)
		if (!term_matches(&r->terms[i], name))
			return false;
	return !r->exclusion || !term_matches(r->exclusion, name);
}

static const char *find_category(struct tl_kcat *k, const char *written, size_t len)
{
	tl_buf_clear(&k->folded);
	tl_buf_add(&k->folded, written, len);
	for (size_t i = 0; i < len; i++)
		if (written[i] >= 'A' && written[i] <= 'Z')
			k->folded.data[i] += 'a' - 'A';
	struct kernel_name name = { written, k->folded.data, len };
	for (size_t i = 0; i < k->rules.n; i++)
		if (rule_matches(&k->rules.items[i], &name))
			return k->rules.items[i].category;
	return "Uncategorized";
}

const char *tl_kcat_of(struct tl_kcat *k, const char *name, size_t len)
{
	uint32_t known = k->names.count, id = tl_intern(&k->names, name, len);

	if (id > known) {
		TL_GROW(k->answers, k->cap_answers, (size_t)id + 1);
		k->answers[id] = find_category(k, tl_str(&k->names, id), len);
	}
	return k->answers[id];
}
