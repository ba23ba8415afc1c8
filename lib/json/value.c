/* value.c - JSON text to values. jsmn finds the pieces; it checks neither the
 * punctuation between them nor numbers nor escapes, so that is done here.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "json/value.h"

#define JSMN_STATIC
#define JSMN_PARENT_LINKS
#include <jsmn.h>

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 64
#define STACK_TOKENS 128

struct walk {
	struct tl_arena *arena;
	const char *json;
	int pos, len;             /* next byte to account for */
	const jsmntok_t *token;   /* next token */
	bool distinct;            /* a repeated key is an error */
	struct tl_error *err;
};

static void skip_blanks(struct walk *w, int limit)
{
	while (w->pos < limit && (w->json[w->pos] == ' ' || w->json[w->pos] == '\t' ||
	                          w->json[w->pos] == '\n' || w->json[w->pos] == '\r'))
		w->pos++;
}

static enum tl_status fail(struct walk *w, const char *what)
{
	skip_blanks(w, w->len); /* the place is that of what stands there instead */
	return tl_fail_at(w->err, TL_ERR_DATA, w->pos, "malformed JSON value: %s", what);
}

/* Takes blanks and then byte c, which must stand there. */
static bool expect(struct walk *w, char c)
{
	skip_blanks(w, w->len);
	if (w->pos >= w->len || w->json[w->pos] != c)
		return false;
	w->pos++;
	return true;
}

/* ---- numbers and words -------------------------------------------------- */

static size_t skip_digits(const char *s, size_t n, size_t i)
{
	while (i < n && s[i] >= '0' && s[i] <= '9')
		i++;
	return i;
}

/* Checks JSON's number grammar; *integer tells whether it has no fraction and
 * no exponent. */
static bool is_number(const char *s, size_t n, bool *integer)
{
	size_t i = n && s[0] == '-' ? 1 : 0;
	size_t first = i;

	i = skip_digits(s, n, i);
	if (i == first || (s[first] == '0' && i > first + 1))
		return false;
	*integer = i == n;
	if (i < n && s[i] == '.') {
		size_t from = ++i;
		i = skip_digits(s, n, i);
		if (i == from)
			return false;
	}
	if (i < n && (s[i] == 'e' || s[i] == 'E')) {
		i++;
		if (i < n && (s[i] == '+' || s[i] == '-'))
			i++;
		size_t from = i;
		i = skip_digits(s, n, i);
		if (i == from)
			return false;
	}
	return i == n;
}

static void real_of(struct walk *w, const char *s, size_t n, struct tl_value *v)
{
	char small[64];
	char *copy = n < sizeof small ? small : tl_arena_alloc(w->arena, n + 1);
	memcpy(copy, s, n);
	copy[n] = '\0';
	v->type = TL_V_REAL;
	v->d = tl_parse_double(copy, NULL);
}

static bool word_is(const char *s, size_t n, const char *word)
{
	return n == strlen(word) && !memcmp(s, word, n);
}

static enum tl_status primitive(struct walk *w, const char *s, size_t n, struct tl_value *v)
{
	bool integer;
	__int128 i;

	if (word_is(s, n, "null"))
		v->type = TL_V_NULL;
	else if (word_is(s, n, "true") || word_is(s, n, "false"))
		v->type = TL_V_BOOL, v->b = s[0] == 't';
	else if (word_is(s, n, "NaN"))
		v->type = TL_V_REAL, v->d = NAN;
	else if (word_is(s, n, "Infinity"))
		v->type = TL_V_REAL, v->d = INFINITY;
	else if (word_is(s, n, "-Infinity"))
		v->type = TL_V_REAL, v->d = -INFINITY;
	else if (!is_number(s, n, &integer))
		return fail(w, "neither a number nor true, false, null");
	else if (!integer)
		real_of(w, s, n, v);
	else if (tl_parse_pyint(s, n, &i))
		v->type = TL_V_INT, v->i = i;
	else
		real_of(w, s, n, v), v->big = tl_arena_dup(w->arena, s, n);
	return TL_OK;
}

/* ---- text ----------------------------------------------------------------- */

static int hex4(const char *s)
{
	int x = 0;
	for (int i = 0; i < 4; i++) {
		char c = s[i];
		int d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
		        c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
		if (d < 0)
			return -1;
		x = x << 4 | d;
	}
	return x;
}

static char *put_utf8(char *p, unsigned c)
{
	if (c < 0x80) {
		*p++ = (char)c;
	} else if (c < 0x800) {
		*p++ = (char)(0xc0 | c >> 6);
		*p++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*p++ = (char)(0xe0 | c >> 12);
		*p++ = (char)(0x80 | (c >> 6 & 0x3f));
		*p++ = (char)(0x80 | (c & 0x3f));
	} else {
		*p++ = (char)(0xf0 | c >> 18);
		*p++ = (char)(0x80 | (c >> 12 & 0x3f));
		*p++ = (char)(0x80 | (c >> 6 & 0x3f));
		*p++ = (char)(0x80 | (c & 0x3f));
	}
	return p;
}

/* Code point of the \u escape whose digits start at s; a surrogate without its
 * partner is U+FFFD. Returns the bytes taken, 0 when malformed. */
static size_t unicode_escape(const char *s, size_t n, unsigned *point)
{
	int c = n < 4 ? -1 : hex4(s);
	if (c < 0)
		return 0;
	*point = (unsigned)c;
	if (c < 0xd800 || c > 0xdfff)
		return 4;
	int d = c <= 0xdbff && n >= 10 && s[4] == '\\' && s[5] == 'u' ? hex4(s + 6) : -1;
	if (d < 0xdc00 || d > 0xdfff) {
		*point = 0xfffd;
		return 4;
	}
	*point = 0x10000u + (((unsigned)c & 0x3ff) << 10) + ((unsigned)d & 0x3ff);
	return 10;
}

static enum tl_status text(struct walk *w, const char *s, size_t n, struct tl_value *v)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	char *out = tl_arena_alloc(w->arena, n + 1), *p = out; /* never longer than s */

	for (size_t i = 0; i < n; i++) {
		if (s[i] != '\\') {
			*p++ = s[i];
			continue;
		}
		const char *at = ++i < n && s[i] ? strchr(from, s[i]) : NULL;
		if (at) {
			*p++ = to[at - from];
			continue;
		}
		unsigned point;
		size_t used = i < n && s[i] == 'u' ? unicode_escape(s + i + 1, n - i - 1, &point) : 0;
		if (!used)
			return fail(w, "unknown escape in a string");
		p = put_utf8(p, point);
		i += used;
	}
	*p = '\0';
	v->type = TL_V_TEXT;
	v->len = (uint32_t)(p - out);
	v->text = out;
	return TL_OK;
}

/* ---- lists and objects -------------------------------------------------------- */

static enum tl_status value(struct walk *w, struct tl_value *v, int depth);

static enum tl_status list(struct walk *w, struct tl_value *v, uint32_t n, int depth)
{
	v->type = TL_V_LIST;
	v->len = n;
	v->items = tl_arena_alloc(w->arena, n * sizeof *v->items + 1);
	for (uint32_t i = 0; i < n; i++) {
		if (i && !expect(w, ','))
			return fail(w, "expected ',' or ']'");
		enum tl_status st = value(w, &v->items[i], depth);
		if (st)
			return st;
	}
	if (expect(w, ']'))
		return TL_OK;
	return fail(w, expect(w, ',') ? "expected a value" : "expected ',' or ']'");
}

static bool small_and_distinct(const struct tl_value *v)
{
	if (v->len > 2 * 8)
		return false;
	for (uint32_t i = 2; i < v->len; i += 2)
		for (uint32_t j = 0; j < i; j += 2)
			if (v->items[i].len == v->items[j].len &&
			    !memcmp(v->items[i].text, v->items[j].text, v->items[i].len))
				return false;
	return true;
}

/* A repeated key gives its value to its first appearance. */
static void merge_keys(struct tl_value *v)
{
	struct tl_strtab seen = { 0 };
	uint32_t kept = 0;

	for (uint32_t i = 0; i < v->len; i += 2) {
		uint32_t before = seen.count;
		uint32_t id = tl_intern(&seen, v->items[i].text, v->items[i].len);
		uint32_t place = id > before ? kept : 2 * (id - 1);
		if (id > before) {
			v->items[place] = v->items[i];
			kept += 2;
		}
		v->items[place + 1] = v->items[i + 1];
	}
	v->len = kept;
	tl_strtab_release(&seen);
}

/* Takes a key; seen: those before it, NULL when one may stand there again. */
static enum tl_status key(struct walk *w, struct tl_value *v, struct tl_strtab *seen, int depth)
{
	if (w->token->type != JSMN_STRING)
		return fail(w, "expected a string as key");
	skip_blanks(w, w->len);
	int at = w->pos;
	enum tl_status st = value(w, v, depth);
	if (st || !seen)
		return st;
	uint32_t before = seen->count;
	if (tl_intern(seen, v->text, v->len) > before)
		return TL_OK;
	return tl_fail_at(w->err, TL_ERR_DATA, at, "malformed JSON value: key given twice: \"%.60s\"", v->text);
}

static enum tl_status members(struct walk *w, struct tl_value *v, struct tl_strtab *seen, int depth)
{
	for (uint32_t i = 0; i < v->len; i += 2) {
		if (i && !expect(w, ','))
			return fail(w, "expected ',' or '}'");
		enum tl_status st = key(w, &v->items[i], seen, depth);
		if (st)
			return st;
		if (!expect(w, ':'))
			return fail(w, "expected ':'");
		st = value(w, &v->items[i + 1], depth);
		if (st)
			return st;
	}
	if (expect(w, '}'))
		return TL_OK;
	return fail(w, expect(w, ',') ? "expected a string as key" : "expected ',' or '}'");
}

static enum tl_status object(struct walk *w, struct tl_value *v, uint32_t n, int depth)
{
	struct tl_strtab seen = { 0 };
	enum tl_status st;

	v->type = TL_V_DICT;
	v->len = 2 * n;
	v->items = tl_arena_alloc(w->arena, 2 * (size_t)n * sizeof *v->items + 1);
	if (!w->distinct) {
		st = members(w, v, NULL, depth);
		if (!st && !small_and_distinct(v))
			merge_keys(v);
		return st;
	}
	st = members(w, v, &seen, depth);
	tl_strtab_release(&seen);
	return st;
}

/* Items of the object or list at token t. jsmn counts a key's value as the
 * key's own child, so an object's size is its number of keys. */
static enum tl_status value(struct walk *w, struct tl_value *v, int depth)
{
	const jsmntok_t *t = w->token;

	memset(v, 0, sizeof *v);
	if (t->start < 0) /* the sentinel: text where a value was expected */
		return fail(w, "expected a value");
	int start = t->type == JSMN_STRING ? t->start - 1 : t->start;
	skip_blanks(w, start);
	if (w->pos != start)
		return fail(w, "expected a value");
	w->token++;
	const char *s = w->json + t->start;
	size_t n = (size_t)(t->end - t->start);
	enum tl_status st;

	switch (t->type) {
	case JSMN_PRIMITIVE:
		st = primitive(w, s, n, v);
		w->pos = t->end;
		return st;
	case JSMN_STRING:
		st = text(w, s, n, v);
		w->pos = t->end + 1;
		return st;
	case JSMN_ARRAY:
	case JSMN_OBJECT:
		if (depth >= MAX_DEPTH)
			return fail(w, "nested deeper than 64");
		w->pos++;
		return t->type == JSMN_ARRAY ? list(w, v, (uint32_t)t->size, depth + 1) :
		                               object(w, v, (uint32_t)t->size, depth + 1);
	default:
		return fail(w, "expected a value");
	}
}

/* ---- tokens ------------------------------------------------------------------- */

/* Runs jsmn into `small` or, when that is too short, into memory that doubles.
 * One token more than it needs is kept for the sentinel. *stop becomes where it
 * ended: what fails inside a string ends at its quote. */
static int tokenize(const char *json, size_t len, jsmntok_t *small, jsmntok_t **tokens, int *stop)
{
	jsmn_parser parser;
	unsigned room = STACK_TOKENS - 1;
	int n;

	jsmn_init(&parser);
	*tokens = small;
	while ((n = jsmn_parse(&parser, json, len, *tokens, room)) == JSMN_ERROR_NOMEM) {
		jsmntok_t *more = *tokens == small ? NULL : *tokens;
		more = tl_realloc(more, (2 * (size_t)room + 1) * sizeof *more);
		if (*tokens == small)
			memcpy(more, small, room * sizeof *more);
		*tokens = more;
		room *= 2;
	}
	*stop = (int)parser.pos;
	if (n < 0)
		return n;
	(*tokens)[n] = (jsmntok_t){ .start = -1 };
	return n;
}

/* Why there are no tokens, n being what jsmn says about it. */
static enum tl_status no_tokens(struct walk *w, int n)
{
	bool in_string = w->pos < w->len && w->json[w->pos] == '"';

	if (n == JSMN_ERROR_PART)
		return fail(w, in_string ? "a string without its end" : "it ends too early");
	if (!n)
		return fail(w, "empty text");
	return fail(w, in_string ? "unknown escape in a string" : "invalid character");
}

static enum tl_status parse(struct walk *w, struct tl_value *out)
{
	jsmntok_t small[STACK_TOKENS], *tokens = small;
	int stop;
	enum tl_status st;

	int n = tokenize(w->json, (size_t)w->len, small, &tokens, &stop);
	if (n <= 0) {
		w->pos = stop;
		st = no_tokens(w, n);
	} else {
		w->token = tokens;
		st = value(w, out, 0);
		skip_blanks(w, w->len);
		if (!st && w->pos != w->len)
			st = fail(w, "text after its end");
	}
	if (tokens != small)
		free(tokens);
	return st;
}

enum tl_status tl_value_parse(struct tl_arena *arena, const char *json, size_t len,
                              struct tl_value *out, struct tl_error *err)
{
	struct walk w = { .arena = arena, .json = json, .len = (int)len, .err = err };

	memset(out, 0, sizeof *out);
	if (len > INT_MAX / 4)
		return tl_fail(err, TL_ERR_DATA, "JSON value of %zu bytes is too long", len);
	return parse(&w, out);
}

enum tl_status tl_value_parse_file(struct tl_arena *arena, const char *file, const char *json, size_t len,
                                   struct tl_value *out, struct tl_error *err)
{
	struct tl_error why;
	struct walk w = { .arena = arena, .json = json, .len = (int)len, .distinct = true, .err = &why };
	size_t line = 1, start = 0;

	memset(out, 0, sizeof *out);
	if (len > INT_MAX / 4)
		return tl_fail(err, TL_ERR_DATA, "%s: JSON of %zu bytes is too long", file, len);
	if (!parse(&w, out))
		return TL_OK;
	for (size_t i = 0; i < (size_t)why.offset; i++)
		if (json[i] == '\n')
			line++, start = i + 1;
	return tl_fail(err, TL_ERR_DATA, "%s:%zu:%zu: %s", file, line, (size_t)why.offset - start + 1, why.text);
}
