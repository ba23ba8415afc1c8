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

/* A program does the same again and again, so that the values before mostly tell the
 * next one. A text that is guessed right need not be searched for its end and looked
 * up. */
struct guess {
	uint32_t id;            /* of the string that came next; 0: none has */
	uint32_t raw : 24;      /* of its text in `known`, where it stands there; else 0 */
	uint32_t form : 8;      /* of that value */
};

struct tl_templates {
	struct tl_tables *tables;
	struct tl_arena arena;
	struct step *first;
	struct tl_strtab known; /* texts of lists and objects as they stand, with their blanks, */
	uint32_t *known_ids;    /* and by their number in there the ids of the strings they became */
	size_t cap_known_ids;
	struct tl_buf json;     /* a text without its blanks */
	uint64_t context;       /* made of the last values; the older, the less they count */
	struct guess guesses[1 << GUESSES_LOG]; /* by context */
};

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
	free(t->known_ids);
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

/* p behind a string's first quote. */
static const char *read_string(struct tl_templates *t, const char *p, struct guess *g)
{
	const char *q = tl_json_string_stop(p);

	if (*q != '"')
		return NULL;
	*g = (struct guess){ tl_add_string(t->tables, p, (size_t)(q - p)), 0, TL_FORM_TEXT };
	return q + 1;
}

/* A value that becomes JSON text. */
static const char *read_json(struct tl_templates *t, const char *p, const char *end, uint8_t form, struct guess *g)
{
	bool nested = *p == '[' || *p == '{';
	struct tl_json_text text = { .end = end };
	const char *q = nested ? tl_json_nested_stop(p, 0, end) : p;
	uint32_t raw = q && nested ? tl_strtab_find(&t->known, p, (size_t)(q - p)) : 0, id = raw ? t->known_ids[raw] : 0;
	int64_t integer;

	if (!raw) {
		tl_buf_clear(&t->json);
		if (!q || q - p > MAX_TEXT || !(q = tl_json_value(&text, p, &t->json)) || text.problems)
			return NULL;
		if (form == TL_FORM_TRACK ? *p == 'n' : *p == '"' || tl_json_int64(t->json.data, t->json.data + t->json.len, &integer))
			return NULL;
		id = tl_add_string(t->tables, t->json.data, t->json.len);
	}
	if (!raw && nested) {
		raw = tl_intern(&t->known, p, (size_t)(q - p));
		TL_GROW(t->known_ids, t->cap_known_ids, (size_t)raw + 1);
		t->known_ids[raw] = id;
	}
	*g = (struct guess){ id, raw, form };
	return q;
}

/* A value that becomes the id of a string. */
static inline const char *take_text(struct tl_templates *t, const char *p, const char *end, uint8_t form, int64_t *value)
{
	struct guess *g = &t->guesses[t->context * 0x9e3779b97f4a7c15u >> (64 - GUESSES_LOG)];
	bool string = form == TL_FORM_TEXT;

	if (string && *p++ != '"')
		return NULL;
	const struct tl_strtab_entry *e = NULL;

	if (g->id && g->form == form)
		e = g->raw ? &t->known.entries[g->raw] : &t->tables->strings.entries[g->id];
	if (e && e->len < (size_t)(end - p) && same(p, e->s, e->len) && (string ? p[e->len] == '"' : ends_value(p[e->len])))
		p += e->len + string;
	else
		p = string ? read_string(t, p, g) : read_json(t, p, end, form, g);
	if (p) {
		*value = g->id;
		t->context = (t->context << 8) + g->id * 0x9e3779b97f4a7c15u;
	}
	return p;
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
