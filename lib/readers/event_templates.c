/* event_templates.c - a fast way to parse events that are written like earlier ones.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/event_templates.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/check.h"
#include "base/decimal.h"
#include "base/scan.h"
#include "base/varint.h"
#include "model/fields.h"

#define MAX_BYTES ((size_t)1024 * 1024) /* of templates, and of known values; beyond that both start anew */
#define MAX_TEXT 4096                   /* bytes of a text or value that is kept */
#define MAX_SIBLINGS 64                 /* steps that may follow a step; beyond that they start anew */
#define GUESSES_LOG 14
#define MAX_HOPE 256

/* Templates that start alike share their first steps, so that all templates are a tree.
 * A step is a literal text and the value behind that text. Its children are the steps
 * that may come next. */
struct step {
	const char *text;
	uint32_t len;
	uint32_t layout;        /* of TL_FORM_END */
	uint16_t value;
	uint8_t form;
	int64_t least;
	uint32_t track;         /* of TL_FORM_TRACK: the known value that stood here last, 0: none */
	struct step *children, *next;
};

/* What a known value means when it is written in this form. */
struct meaning {
	uint32_t id;            /* of a string of the tables */
	uint8_t form;
	bool is_module;         /* as a name: the call of a module */
};

struct tl_templates {
	struct tl_tables *tables;
	struct tl_arena arena;
	struct step *first;
	struct tl_strtab known; /* values as they stand in the trace, with quotes and blanks */
	struct meaning *meanings; /* by the id of the known value */
	size_t cap_meanings;
	struct tl_buf string;   /* the value at hand, parsed */
	/* A program repeats itself, so that the last values mostly tell the next one. A value
	 * that is guessed right is neither searched for its end nor looked up. */
	uint64_t context;       /* a hash of the last values; the older a value, the less it counts */
	uint32_t guesses[1 << GUESSES_LOG]; /* by context: the known value that came next, 0: none */
	uint64_t n_texts, n_forms; /* misses */
	bool is_module;         /* the event at hand, by its name */
	unsigned hope;          /* a hit gives some, a miss takes some */
	bool left_alone;        /* without hope most events are neither tried nor learnt */
	unsigned n_left;
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
	t->hope = MAX_HOPE;
	return t;
}

void tl_templates_free(struct tl_templates *t)
{
	if (!t)
		return;
	tl_arena_release(&t->arena);
	tl_strtab_release(&t->known);
	tl_buf_release(&t->string);
	free(t->meanings);
	free(t);
}

/* memcmp without a call for the texts that are frequent. Eight bytes can be read from each. */
static inline bool same(const char *a, const char *b, size_t n)
{
	if (n > 16)
		return !memcmp(a, b, n);
	if (n > 8)
		return !((tl_load_le64(a) ^ tl_load_le64(b)) | (tl_load_le64(a + n - 8) ^ tl_load_le64(b + n - 8)));
	return !n || !((tl_load_le64(a) ^ tl_load_le64(b)) << (64 - 8 * n));
}

/* ---- values that become strings of the tables -------------------------------------- */

/* Whether a number or a word ends before this byte. */
static inline bool ends_value(char c)
{
	return c <= ' ' || c == ',' || c == '}' || c == ']';
}

/* Where the value at p ends; NULL: not before `end`. */
static const char *value_end(const char *p, const char *end)
{
	if (*p == '[' || *p == '{')
		return tl_json_nested_stop(p, 0, end);
	if (*p == '"') {
		while (*(p = tl_json_string_stop(p + 1)) != '"' && p < end)
			p += *p == '\\';
		return p < end ? p + 1 : NULL;
	}
	while (!ends_value(*p))
		p++;
	return p;
}

/* Parses the value from p to q. False if it is malformed or not of this form. */
static bool parse(struct tl_templates *t, const char *p, const char *q, uint8_t form, struct meaning *m)
{
	struct tl_json_text text = { .end = q + 1 }; /* the checker wants to see a byte behind a number */
	int64_t integer;

	if (*p == '"' ? form == TL_FORM_JSON : form == TL_FORM_TEXT || (form == TL_FORM_TRACK && *p == 'n'))
		return false;
	tl_buf_clear(&t->string);
	if ((form == TL_FORM_TEXT ? tl_json_string : tl_json_value)(&text, p, &t->string) != q || text.problems)
		return false;
	if (form == TL_FORM_JSON && tl_json_int64(t->string.data, t->string.data + t->string.len, &integer))
		return false;
	const char *s = tl_buf_text(&t->string);
	*m = (struct meaning){ tl_add_string(t->tables, s, t->string.len), form, tl_is_module_frame(s) };
	return true;
}

/* Finds the id of the value at p among the known ones, or adds the value. */
static const char *look_up(struct tl_templates *t, const char *p, const char *end, uint8_t form, uint32_t *known)
{
	const char *q = value_end(p, end);
	struct meaning m;
	uint32_t id;

	if (!q || q - p > MAX_TEXT)
		return NULL;
	id = tl_strtab_find(&t->known, p, (size_t)(q - p));
	if (!id || t->meanings[id].form != form) {
		if (!parse(t, p, q, form, &m))
			return NULL;
		id = tl_intern(&t->known, p, (size_t)(q - p));
		TL_GROW(t->meanings, t->cap_meanings, (size_t)id + 1);
		t->meanings[id] = m;
	}
	*known = id;
	return q;
}

/* Takes a value that becomes the id of a string. The next event is mostly of the same track. */
static const char *take_string(struct tl_templates *t, struct step *s, const char *p, const char *end, int64_t *value)
{
	uint8_t form = s->form;
	uint32_t *guess = form == TL_FORM_TRACK ? &s->track : &t->guesses[t->context * 0x9e3779b97f4a7c15u >> (64 - GUESSES_LOG)];
	const struct tl_strtab_entry *e = *guess && t->meanings[*guess].form == form ? &t->known.entries[*guess] : NULL;

	if (e && e->len < (size_t)(end - p) && same(p, e->s, e->len) && ends_value(p[e->len]))
		p += e->len;
	else if (!(p = look_up(t, p, end, form, guess)))
		return NULL;
	*value = t->meanings[*guess].id;
	if (s->value == TL_EVENT_NAME)
		t->is_module = t->meanings[*guess].is_module;
	if (form != TL_FORM_TRACK)
		t->context = (t->context << 8) + *guess * 0x9e3779b97f4a7c15u;
	return p;
}

/* Takes a number of this form. */
static const char *take_number(const char *p, uint8_t form, int64_t *value)
{
	bool decimals;
	const char *q = form == TL_FORM_INT ? tl_json_usual_number(p, 1, &decimals, value) : tl_json_usual_number(p, 1000, &decimals, value);

	return q && decimals == (form == TL_FORM_DECIMAL) && ends_value(*q) ? q : NULL;
}

/* ---- events --------------------------------------------------------------------- */

/* Whether the step's value tells that the event is to be left out. */
static inline bool is_short(const struct tl_templates *t, const struct step *s, const int64_t *values)
{
	return s->least && values[s->value] < s->least && !t->is_module;
}

/* Takes the step's text and value; the rest of the event, too, if nothing of it is needed. NULL if another text stands at p, or the value is
 * written in another form. */
static const char *take_step(struct tl_templates *t, struct step *s, const char *p, const char *end, int64_t *values)
{
	int64_t *value = &values[s->value];

	if (s->len > (size_t)(end - p) || !same(p, s->text, s->len))
		return NULL;
	p += s->len;
	switch (s->form) {
	case TL_FORM_INT: case TL_FORM_MICROS: case TL_FORM_DECIMAL:
		p = take_number(p, s->form, value);
		return p && is_short(t, s, values) ? tl_json_nested_stop(p, 1, end) : p;
	case TL_FORM_SKIP: return tl_json_nested_stop(p, 1, end);
	case TL_FORM_END: return p;
	default: return take_string(t, s, p, end, value);
	}
}

/* Returns NULL. */
static const char *count_miss(struct tl_templates *t, const struct step *s, const char *p, const char *end)
{
	while (s && (s->len > (size_t)(end - p) || memcmp(p, s->text, s->len) != 0))
		s = s->next;
	++*(s ? &t->n_forms : &t->n_texts);
	t->hope -= t->hope > 0;
	return NULL;
}

void tl_templates_misses(const struct tl_templates *t, uint64_t *texts, uint64_t *forms)
{
	*texts = t ? t->n_texts : 0;
	*forms = t ? t->n_forms : 0;
}

const char *tl_templates_parse(struct tl_templates *t, const char *p, const char *end, int64_t *values, uint32_t *layout)
{
	struct step **siblings, *s;

	t->left_alone = !t->hope && ++t->n_left % 16;
	if (t->left_alone) {
		t->n_texts++;
		return NULL;
	}
	if (t->arena.total > MAX_BYTES || t->known.bytes > MAX_BYTES)
		tl_templates_forget(t);
	memset(values, 0, TL_EVENT_FIELDS * sizeof *values);
	for (siblings = &t->first; ; siblings = &s->children) {
		const char *q = NULL;

		for (s = *siblings; s && !(q = take_step(t, s, p, end, values)); s = s->next)
			;
		if (!s)
			return count_miss(t, *siblings, p, end);
		p = q;
		if (s->form >= TL_FORM_SKIP || is_short(t, s, values)) {
			*layout = s->form >= TL_FORM_SKIP ? s->layout : TL_TOO_SHORT;
			t->hope += t->hope < MAX_HOPE;
			return p;
		}
	}
}

/* ---- learning -------------------------------------------------------------------- */

/* The step with this text and value among its siblings, or a new one. */
static struct step *find_step(struct tl_templates *t, struct step **siblings, const char *text, size_t len,
                              const struct tl_place *place)
{
	struct step *s;
	int n = 0;

	for (s = *siblings; s; s = s->next, n++)
		if (s->len == len && s->value == place->value && s->form == place->form && !memcmp(s->text, text, len))
			return s;
	s = tl_arena_alloc(&t->arena, sizeof *s);
	*s = (struct step){ .text = tl_arena_dup(&t->arena, text, len), .len = (uint32_t)len, .value = place->value,
		.form = place->form, .least = place->least, .next = n < MAX_SIBLINGS ? *siblings : NULL };
	return *siblings = s;
}

void tl_templates_learn(struct tl_templates *t, const char *text, const struct tl_place *places, size_t n, uint32_t layout)
{
	struct step **siblings = &t->first, *s = NULL;
	uint32_t at = 0;

	if (t->left_alone)
		return;
	for (size_t i = 0; i < n; at = places[i++].to) {
		if (places[i].from - at > MAX_TEXT)
			return;
		s = find_step(t, siblings, text + at, places[i].from - at, &places[i]);
		siblings = &s->children;
	}
	s->layout = layout;
}
