/* event_templates.c - a fast way to parse events that are written like earlier ones.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/event_templates.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/varint.h"
#include "json/check.h"
#include "json/decimal.h"
#include "json/scan.h"

#define MAX_BYTES ((size_t)1024 * 1024) /* of templates, and of texts known; then all start anew */
#define MAX_TEXT 4096                   /* bytes of a text that is kept */
#define MAX_SIBLINGS 64
#define GUESSES_LOG 14

/* Templates that start alike share their first steps: they are a tree. A step is a
 * literal text and the value behind that; its children are the steps that came next,
 * the one used last in front. */
struct step {
	const char *text;
	uint32_t len;
	uint32_t layout;        /* of TL_FORM_END */
	uint16_t value;
	uint8_t form;
	struct step *children, *next;
};

struct tl_templates {
	struct tl_tables *tables;
	struct tl_arena arena;
	struct step *first;
	/* Texts of values as they stand, blanks included, a string without its first quote;
	 * and by their numbers in here what they became. */
	struct tl_strtab known;
	struct meaning { uint32_t id; uint8_t form; } *meanings;
	size_t cap_meanings;
	struct tl_buf json;     /* a text without its blanks */
	/* A program does the same again and again, so that the values before mostly tell the
	 * next one. A text that is guessed right need not be searched for its end and looked up. */
	uint64_t context;       /* made of the last values; the older, the less they count */
	uint32_t guesses[1 << GUESSES_LOG]; /* by context: the known text that came next */
};

static uint32_t add_known(struct tl_templates *t, const char *text, size_t len, uint8_t form, uint32_t id)
{
	uint32_t i = tl_intern(&t->known, text, len);

	TL_GROW(t->meanings, t->cap_meanings, (size_t)i + 1);
	t->meanings[i] = (struct meaning){ id, form };
	return i;
}

void tl_templates_forget(struct tl_templates *t)
{
	if (!t)
		return;
	tl_arena_clear(&t->arena);
	tl_strtab_clear(&t->known);
	memset(t->guesses, 0, sizeof t->guesses);
	t->first = NULL;
}

struct tl_templates *tl_templates_new(struct tl_tables *tables)
{
	struct tl_templates *t = tl_calloc(1, sizeof *t);

	t->tables = tables;
	return t;
}

void tl_templates_free(struct tl_templates *t)
{
	if (!t)
		return;
	tl_arena_release(&t->arena);
	tl_strtab_release(&t->known);
	tl_buf_release(&t->json);
	free(t->meanings);
	free(t);
}

/* ---- texts ---------------------------------------------------------------------- */

/* Whether n bytes are equal. (Most texts are so short that a call of memcmp costs more.) */
static inline bool same(const char *a, const char *b, size_t n)
{
	size_t i = 0;

	if (n >= 8) {
		for (; i + 8 < n; i += 8)
			if (tl_load_le64(a + i) != tl_load_le64(b + i))
				return false;
		return tl_load_le64(a + n - 8) == tl_load_le64(b + n - 8);
	}
	while (i < n && a[i] == b[i])
		i++;
	return i == n;
}

/* Whether a number or a word ends before this byte. */
static inline bool ends_value(char c)
{
	return c <= ' ' || c == ',' || c == '}' || c == ']';
}

/* Where the text of a value ends; NULL if that cannot be told. */
static const char *text_end(const char *p, const char *end, uint8_t form)
{
	if (form == TL_FORM_TEXT || *p == '"') {
		p = tl_json_string_stop(p + (form != TL_FORM_TEXT));
		return *p == '"' ? p + 1 : NULL;
	}
	if (*p == '[' || *p == '{')
		return tl_json_nested_stop(p, 0, end);
	while (!ends_value(*p))
		p++;
	return p;
}

/* Makes the text from p to q known. 0: it is of another form, or not as it should be. */
static uint32_t make_known(struct tl_templates *t, const char *p, const char *q, const char *end, uint8_t form)
{
	struct tl_json_text text = { .end = end };
	int64_t integer;

	if (q - p > MAX_TEXT)
		return 0;
	if (form == TL_FORM_TEXT)
		return add_known(t, p, (size_t)(q - p), form, tl_add_string(t->tables, p, (size_t)(q - p - 1)));
	if (form == TL_FORM_JSON ? *p == '"' || tl_json_int64(p, q, &integer) : *p == 'n')
		return 0;
	tl_buf_clear(&t->json);
	if (tl_json_value(&text, p, &t->json) != q || text.problems)
		return 0;
	return add_known(t, p, (size_t)(q - p), form, tl_add_string(t->tables, t->json.data, t->json.len));
}

/* A value that becomes the id of a text. */
static inline const char *take_text(struct tl_templates *t, const char *p, const char *end, uint8_t form, int64_t *value)
{
	uint32_t *guess = &t->guesses[t->context * 0x9e3779b97f4a7c15u >> (64 - GUESSES_LOG)], i = *guess;
	const struct tl_strtab_entry *e = i && t->meanings[i].form == form ? &t->known.entries[i] : NULL;
	const char *q;

	if (form == TL_FORM_TEXT && *p++ != '"')
		return NULL;
	if (e && e->len < (size_t)(end - p) && same(p, e->s, e->len) && (form == TL_FORM_TEXT || ends_value(p[e->len]))) {
		q = p + e->len;
	} else {
		q = text_end(p, end, form);
		if (!q || q >= end)
			return NULL;
		i = tl_strtab_find(&t->known, p, (size_t)(q - p));
		if (!i || t->meanings[i].form != form)
			i = make_known(t, p, q, end, form);
		if (!i)
			return NULL;
		*guess = i;
	}
	*value = t->meanings[i].id;
	t->context = (t->context << 8) + i * 0x9e3779b97f4a7c15u;
	return q;
}

/* ---- numbers --------------------------------------------------------------------- */

/* At most 18 digits, written as JSON wants it. */
static const char *take_digits(const char *p, int64_t *value)
{
	const char *q = p;
	int64_t x = 0;

	while (tl_is_digit(*q) && q - p < 18)
		x = x * 10 + (*q++ - '0');
	if (q == p || (*p == '0' && q - p > 1) || tl_is_digit(*q) || (*q | 0x20) == 'e')
		return NULL;
	*value = x;
	return q;
}

static const char *take_int(const char *p, int64_t *value)
{
	bool negative = *p == '-';

	p = take_digits(p + negative, value);
	if (!p || *p == '.')
		return NULL;
	*value = negative ? -*value : *value;
	return p;
}

/* Up to 15 digits and up to three decimals. */
static const char *take_micros(const char *p, bool decimals, int64_t *value)
{
	const char *from = p;
	int64_t unit = 1000;

	p = take_digits(p, value);
	if (!p || p - from > 15 || (*p == '.') != decimals)
		return NULL;
	*value *= 1000;
	if (!decimals)
		return p;
	for (p++; tl_is_digit(*p) && unit > 1; p++)
		*value += (*p - '0') * (unit /= 10);
	return unit == 1000 || tl_is_digit(*p) || (*p | 0x20) == 'e' ? NULL : p;
}

/* Takes the value at p as the step wants it. NULL if it is written in another way. */
static const char *take(struct tl_templates *t, const struct step *s, const char *p, const char *end, int64_t *value)
{
	switch (s->form) {
	case TL_FORM_INT: return take_int(p, value);
	case TL_FORM_MICROS: return take_micros(p, false, value);
	case TL_FORM_DECIMAL: return take_micros(p, true, value);
	case TL_FORM_SKIP: return tl_json_nested_stop(p, 1, end);
	case TL_FORM_END: return p;
	default: return take_text(t, p, end, s->form, value);
	}
}

/* ---- events --------------------------------------------------------------------- */

static inline bool starts_with(const char *p, const char *end, const struct step *s)
{
	return s->len <= (size_t)(end - p) && same(p, s->text, s->len);
}

const char *tl_templates_parse(struct tl_templates *t, const char *p, const char *end, int64_t *values, uint32_t *layout)
{
	struct step **siblings = &t->first, **link, *s;

	if (t->arena.total > MAX_BYTES || t->known.bytes > MAX_BYTES)
		tl_templates_forget(t);
	memset(values, 0, TL_EVENT_FIELDS * sizeof *values);
	for (;; siblings = &s->children) {
		const char *q = NULL;

		for (link = siblings; (s = *link); link = &s->next)
			if (starts_with(p, end, s) && (q = take(t, s, p + s->len, end, &values[s->value])) && q <= end)
				break;
		if (!s)
			return NULL;
		if (link != siblings) {
			*link = s->next;
			s->next = *siblings;
			*siblings = s;
		}
		p = q;
		if (s->form >= TL_FORM_SKIP) {
			*layout = s->layout;
			return p;
		}
	}
}

/* ---- learning -------------------------------------------------------------------- */

/* The step with this text and value among its siblings, or a new one there. When they
 * are too many, the half that was used longest ago goes. */
static struct step *find_step(struct tl_templates *t, struct step **siblings, const char *text, size_t len,
                              const struct tl_place *place)
{
	struct step *s, *middle = NULL;
	int n = 0;

	for (s = *siblings; s; s = s->next) {
		if (s->len == len && s->value == place->value && s->form == place->form && !memcmp(s->text, text, len))
			return s;
		if (++n == MAX_SIBLINGS / 2)
			middle = s;
	}
	if (n >= MAX_SIBLINGS)
		middle->next = NULL;
	s = tl_arena_alloc(&t->arena, sizeof *s);
	*s = (struct step){ .text = tl_arena_dup(&t->arena, text, len), .len = (uint32_t)len, .value = place->value,
		.form = place->form, .next = *siblings };
	return *siblings = s;
}

void tl_templates_learn(struct tl_templates *t, const char *text, const struct tl_place *places, size_t n, uint32_t layout)
{
	struct step **siblings = &t->first, *s = NULL;
	uint32_t at = 0;

	for (size_t i = 0; i < n; at = places[i++].to) {
		if (places[i].from - at > MAX_TEXT)
			return;
		s = find_step(t, siblings, text + at, places[i].from - at, &places[i]);
		siblings = &s->children;
	}
	s->layout = layout;
}
