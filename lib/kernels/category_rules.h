/* category_rules.h - inside this folder: compiled rules and the word finder.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_KCAT_PRIVATE_H
#define TL_KCAT_PRIVATE_H

#include "kernels/categories.h"

#include <regex.h>

/* ---- words.c: which of many words occur in a text, in one pass ------------- */

struct tl_words {
	struct tl_strtab words;  /* word ids from 1 */
	uint8_t class_of[256];   /* byte -> column of the table; 0: in no word */
	uint32_t n_classes;
	uint32_t *next;          /* state * n_classes + class -> state */
	uint32_t *word, *suffix; /* per state: word that ends here; next shorter end */
	uint32_t n_states;
	bool built;
};
uint32_t tl_words_add(struct tl_words *, const char *s, size_t len);
void tl_words_build(struct tl_words *);
/* Sets bit (id) in found for every word in text, going on from *state (0 at the
 * start). found holds tl_words_size() items. */
void tl_words_find(const struct tl_words *, const char *text, size_t len,
                   uint32_t *state, uint64_t *found);
size_t tl_words_size(const struct tl_words *);
void tl_words_release(struct tl_words *);

/* ---- rules -------------------------------------------------------------------- */

enum term_kind { TERM_ALWAYS, TERM_WORDS, TERM_SPACE, TERM_PREFIX, TERM_REGEX };
struct term {
	uint8_t kind;
	bool fold;           /* on the lower-case name */
	uint32_t n_words;
	uint32_t *words;     /* word ids; TERM_WORDS, TERM_SPACE */
	const char **texts;  /* the words, for names as written */
	const char *text;    /* TERM_PREFIX */
	regex_t *regex;
};
struct rule {
	int64_t priority;
	uint32_t table;      /* order of tl_kcat_add */
	uint32_t line;
	const char *category;
	struct term *terms;
	uint32_t n_terms;
	struct term *exclusion; /* NULL: none */
};

struct tl_kcat {
	struct tl_arena arena;
	struct tl_words words;
	struct rule *rules; size_t n_rules, cap_rules;
	regex_t **regexes; size_t n_regexes, cap_regexes; /* to be freed */
	uint32_t n_tables;
	bool ready;          /* rules sorted, words built */
	struct tl_strtab names;
	const char **answers; size_t cap_answers; /* by name id */
	struct tl_buf folded;
	uint64_t *found, *found_space;
};

#endif
