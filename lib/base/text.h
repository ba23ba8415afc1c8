/* text.h - tests of characters and pieces of text, for ASCII in any locale.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TEXT_H
#define TL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* ch is a char, or -1 for none. */
static inline bool tl_is_digit(int ch)
{
	return ch >= '0' && ch <= '9';
}

/* A letter or '_', with which a name may begin. */
static inline bool tl_is_letter(int ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_';
}

/* A letter, '_' or a digit, of which a name consists. */
static inline bool tl_in_name(int ch)
{
	return tl_is_letter(ch) || tl_is_digit(ch);
}

/* As isspace in the "C" locale. */
static inline bool tl_is_blank(int ch)
{
	return ch == ' ' || (ch >= '\t' && ch <= '\r');
}

/* Are the n bytes at s the word? */
static inline bool tl_text_is(const char *s, size_t n, const char *word)
{
	return n == strlen(word) && !memcmp(s, word, n);
}

/* Is it one of the words of the list, which NULL ends? A list that is NULL has none. */
static inline bool tl_is_one_of(const char *const *words, const char *s)
{
	for (; words && *words; words++)
		if (!strcmp(*words, s))
			return true;
	return false;
}

/* Copies n bytes but each "_" that stands before digits, and these digits: layer_12_in -> layer_in.
 * out has room for n bytes; returns how many were copied. */
static inline size_t tl_text_without_numbers(char *out, const char *s, size_t n)
{
	size_t copied = 0, i = 0;

	while (i < n) {
		if (s[i] == '_' && i + 1 < n && tl_is_digit(s[i + 1]))
			for (i++; i < n && tl_is_digit(s[i]); i++)
				;
		else
			out[copied++] = s[i++];
	}
	return copied;
}

/* The next word of a text whose words are separated by these characters; it gets a NUL behind it, and *rest moves on. NULL: there
 * is none left. */
static inline char *tl_next_word(char **rest, const char *separators)
{
	char *word = *rest + strspn(*rest, separators), *end = word + strcspn(word, separators);

	*rest = *end ? end + 1 : end;
	*end = '\0';
	return *word ? word : NULL;
}

static inline bool tl_starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static inline bool tl_ends_with(const char *s, const char *end)
{
	size_t len = strlen(s), n = strlen(end);

	return len >= n && !memcmp(s + len - n, end, n);
}

#endif
