/* value.c - JSON text to values: the checker says whether it is JSON, jsmn finds
 * the pieces, and the values are built of these.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/value.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "base/check.h"
#include "base/scan.h"
#include "base/unprintable.h"

#define JSMN_STATIC
#define JSMN_PARENT_LINKS /* without them its time grows with the square of the length */
#include <jsmn.h>

#define MAX_DEPTH 64
#define FIRST_TOKENS 128

struct build {
	struct tl_arena *arena;
	struct tl_json_text text;
	struct tl_buf string;   /* the text of the string at hand */
	const char *json;       /* the whole text, padded for the checker */
	const jsmntok_t *token; /* the next one */
	bool distinct;          /* a repeated key is an error */
	struct tl_error *err;
};

static enum tl_status fail(struct build *b, const char *at, const char *what)
{
	return tl_fail_at(b->err, TL_ERR_DATA, at - b->json, "malformed JSON value: %s", what);
}

/* ---- from tokens ---------------------------------------------------------- */

static void build_word_or_number(struct build *b, const char *s, size_t n, struct tl_value *v)
{
	size_t digits = s[0] == '-';
	__int128 i;

	while (digits < n && tl_is_digit(s[digits]))
		digits++;
	if (s[0] == 'n') {
		v->type = TL_V_NULL;
	} else if (s[0] == 't' || s[0] == 'f') {
		v->type = TL_V_BOOL;
		v->b = s[0] == 't';
	} else if (digits == n && tl_parse_pyint(s, n, &i)) {
		v->type = TL_V_INT;
		v->i = i;
	} else {
		v->type = TL_V_REAL;
		v->d = tl_parse_double(s, NULL); /* it stops at the byte behind the number */
		v->big = digits == n ? tl_arena_dup(b->arena, s, n) : NULL;
	}
}

static void build_text(struct build *b, const char *quote, struct tl_value *v)
{
	tl_buf_clear(&b->string);
	tl_json_string(&b->text, quote, &b->string);
	v->type = TL_V_TEXT;
	v->len = (uint32_t)b->string.len;
	v->text = tl_arena_dup(b->arena, tl_buf_text(&b->string), b->string.len);
}

static enum tl_status build_value(struct build *b, struct tl_value *v, int depth);

static enum tl_status build_list(struct build *b, struct tl_value *v, uint32_t n, int depth)
{
	enum tl_status st = TL_OK;

	v->type = TL_V_LIST;
	v->len = n;
	v->items = tl_arena_alloc(b->arena, n * sizeof *v->items + 1);
	for (uint32_t i = 0; i < n && !st; i++)
		st = build_value(b, &v->items[i], depth);
	return st;
}

/* One member. `seen` numbers the keys from 1, which gives each its place. */
static enum tl_status build_member(struct build *b, struct tl_value *v, struct tl_strtab *seen, int depth)
{
	const char *quote = b->json + b->token->start - 1;
	struct tl_value key = { 0 };
	uint32_t before = seen->count, id;

	build_text(b, quote, &key);
	b->token++;
	id = tl_intern(seen, key.text, key.len);
	if (id > before)
		v->items[2 * (id - 1)] = key;
	else if (b->distinct)
		return tl_fail_at(b->err, TL_ERR_DATA, quote - b->json, "malformed JSON value: key given twice: \"%.60s\"", key.text);
	return build_value(b, &v->items[2 * (id - 1) + 1], depth);
}

static enum tl_status build_object(struct build *b, struct tl_value *v, uint32_t n, int depth)
{
	struct tl_strtab seen = { 0 };
	enum tl_status st = TL_OK;

	v->type = TL_V_DICT;
	v->items = tl_arena_alloc(b->arena, 2 * (size_t)n * sizeof *v->items + 1);
	for (uint32_t i = 0; i < n && !st; i++)
		st = build_member(b, v, &seen, depth);
	v->len = 2 * seen.count;
	tl_strtab_release(&seen);
	return st;
}

/* jsmn counts a key's value as the key's own child, so an object's size is its
 * number of keys. */
static enum tl_status build_value(struct build *b, struct tl_value *v, int depth)
{
	const jsmntok_t *t = b->token++;
	const char *s = b->json + t->start;

	memset(v, 0, sizeof *v);
	switch (t->type) {
	case JSMN_STRING:
		build_text(b, s - 1, v);
		return TL_OK;
	case JSMN_ARRAY:
	case JSMN_OBJECT:
		if (depth == MAX_DEPTH)
			return fail(b, s, "nested deeper than 64");
		return (t->type == JSMN_ARRAY ? build_list : build_object)(b, v, (uint32_t)t->size, depth + 1);
	default:
		build_word_or_number(b, s, (size_t)(t->end - t->start), v);
		return TL_OK;
	}
}

/* ---- from text --------------------------------------------------------------- */

/* Whether there is one JSON value and nothing else. */
static enum tl_status check(struct build *b, size_t len)
{
	const char *nul = memchr(b->json, 0, len), *p; /* which jsmn takes for the end */

	if (nul)
		return fail(b, nul, "a NUL byte");
	p = tl_json_value(&b->text, b->json, NULL);
	if (!p)
		return fail(b, b->text.at > b->json + len ? b->json + len : b->text.at,
		            b->text.what ? b->text.what : "it ends too early");
	p = tl_json_blanks(p);
	return p < b->text.end ? fail(b, p, "text after its end") : TL_OK;
}

static enum tl_status build(struct build *b, size_t len, struct tl_value *out)
{
	jsmntok_t *tokens = tl_alloc(FIRST_TOKENS * sizeof *tokens);
	size_t cap = FIRST_TOKENS;
	jsmn_parser parser;
	int n;

	jsmn_init(&parser);
	/* it goes on where it stopped for want of tokens */
	while ((n = jsmn_parse(&parser, b->json, len, tokens, (unsigned)cap)) == JSMN_ERROR_NOMEM)
		tokens = tl_grow(tokens, &cap, cap + 1, sizeof *tokens);
	b->token = tokens;
	enum tl_status st = n > 0 ? build_value(b, out, 0) : fail(b, b->json + parser.pos, "invalid character");
	free(tokens);
	return st;
}

static enum tl_status parse(struct build *b, const char *json, size_t len, struct tl_value *out)
{
	char *padded;
	enum tl_status st;

	memset(out, 0, sizeof *out);
	if (len > INT_MAX / 4)
		return tl_fail_at(b->err, TL_ERR_DATA, 0, "malformed JSON value: %zu bytes are too many", len);
	padded = tl_alloc(len + 1 + TL_JSON_PAD);
	memcpy(padded, json, len);
	memset(padded + len, 0, 1 + TL_JSON_PAD);
	padded[len] = '\n'; /* a number ends where something else stands */
	b->json = padded;
	b->text.end = padded + len + 1;
	st = check(b, len);
	if (!st)
		st = build(b, len, out);
	tl_buf_release(&b->string);
	free(padded);
	return st;
}

enum tl_status tl_value_parse(struct tl_arena *arena, const char *json, size_t len,
                              struct tl_value *out, struct tl_error *err)
{
	struct build b = { .arena = arena, .err = err };

	return parse(&b, json, len, out);
}

enum tl_status tl_value_parse_file(struct tl_arena *arena, const char *file, const char *json, size_t len,
                                   struct tl_value *out, struct tl_error *err)
{
	struct tl_error why;
	struct build b = { .arena = arena, .distinct = true, .err = &why };
	size_t line = 1, start = 0;

	if (!parse(&b, json, len, out))
		return TL_OK;
	for (size_t i = 0; i < (size_t)why.offset; i++)
		if (json[i] == '\n')
			line++, start = i + 1;
	return tl_fail(err, TL_ERR_DATA, "%s:%zu:%zu: %s", file, line, (size_t)why.offset - start + 1, why.text);
}

const struct tl_value *tl_value_member(const struct tl_value *v, const char *key)
{
	for (uint32_t i = 0; v->type == TL_V_DICT && i + 1 < v->len; i += 2)
		if (tl_text_is(v->items[i].text, v->items[i].len, key))
			return &v->items[i + 1];
	return NULL;
}

/* NULL: the key has no value of that type. */
static const struct tl_value *member_of_type(const struct tl_value *v, const char *key, enum tl_value_type type)
{
	const struct tl_value *m = v ? tl_value_member(v, key) : NULL;

	return m && m->type == type ? m : NULL;
}

const char *tl_value_text_member(const struct tl_value *v, const char *key)
{
	const struct tl_value *m = member_of_type(v, key, TL_V_TEXT);

	return m ? m->text : "";
}

int64_t tl_value_int_member(const struct tl_value *v, const char *key)
{
	const struct tl_value *m = member_of_type(v, key, TL_V_INT);

	return m ? (int64_t)m->i : 0;
}

const struct tl_value *tl_value_list_member(const struct tl_value *v, const char *key)
{
	static const struct tl_value none = { .type = TL_V_LIST };
	const struct tl_value *m = member_of_type(v, key, TL_V_LIST);

	return m ? m : &none;
}

/* ---- as Python prints values and reads integers -------------------------------------------- */

/* ---- printable or not --------------------------------------------------- */

static bool is_printable(uint32_t c)
{
	size_t a = 0, b = sizeof unprintable / sizeof *unprintable;

	if (c < 0x80)
		return c >= 0x20 && c != 0x7f;
	while (a < b) {
		size_t m = (a + b) / 2;

		if (c > unprintable[m][1])
			a = m + 1;
		else
			b = m;
	}
	return a == sizeof unprintable / sizeof *unprintable || c < unprintable[a][0];
}

/* ---- repr ----------------------------------------------------------------- */

static void add_escaped(struct tl_buf *b, uint32_t c)
{
	switch (c) {
	case '\n': tl_buf_adds(b, "\\n"); return;
	case '\r': tl_buf_adds(b, "\\r"); return;
	case '\t': tl_buf_adds(b, "\\t"); return;
	}
	tl_buf_addf(b, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)c);
}

void tl_repr_text(struct tl_buf *b, const char *s, size_t len)
{
	char quote = len && memchr(s, '\'', len) && !memchr(s, '"', len) ? '"' : '\'';

	tl_buf_addc(b, quote);
	while (len) {
		/* bytes that repr copies as they are */
		size_t used = 0;
		while (used < len && (unsigned char)(s[used] - 0x20) < 0x5f && s[used] != quote && s[used] != '\\')
			used++;
		if (used) {
			tl_buf_add(b, s, used);
		} else {
			uint32_t c = tl_utf8_decode(s, len, &used);
			if (c == TL_UTF8_MALFORMED)
				tl_buf_adds(b, "\xef\xbf\xbd");
			else if (c == (unsigned char)quote || c == '\\')
				tl_buf_addc(b, '\\'), tl_buf_addc(b, (char)c);
			else if (is_printable(c))
				tl_buf_add(b, s, used);
			else
				add_escaped(b, c);
		}
		s += used;
		len -= used;
	}
	tl_buf_addc(b, quote);
}

static void repr_items(struct tl_buf *b, const struct tl_value *v, bool tuples)
{
	bool tuple = v->type == TL_V_TUPLE || (v->type == TL_V_LIST && tuples);

	tl_buf_addc(b, tuple ? '(' : '[');
	for (uint32_t i = 0; i < v->len; i++) {
		if (i)
			tl_buf_add(b, ", ", 2);
		tl_value_repr(b, &v->items[i], tuples);
	}
	if (tuple && v->len == 1)
		tl_buf_addc(b, ',');
	tl_buf_addc(b, tuple ? ')' : ']');
}

static void repr_dict(struct tl_buf *b, const struct tl_value *v, bool tuples)
{
	tl_buf_addc(b, '{');
	for (uint32_t i = 0; i + 1 < v->len; i += 2) {
		if (i)
			tl_buf_add(b, ", ", 2);
		tl_value_repr(b, &v->items[i], tuples);
		tl_buf_add(b, ": ", 2);
		tl_value_repr(b, &v->items[i + 1], tuples);
	}
	tl_buf_addc(b, '}');
}

void tl_value_repr(struct tl_buf *b, const struct tl_value *v, bool lists_as_tuples)
{
	char text[48];

	switch (v->type) {
	case TL_V_NULL: tl_buf_adds(b, "None"); break;
	case TL_V_BOOL: tl_buf_adds(b, v->b ? "True" : "False"); break;
	case TL_V_INT: tl_buf_add(b, text, tl_format_i128(text, v->i)); break;
	case TL_V_REAL:
		if (v->big)
			tl_buf_adds(b, v->big);
		else
			tl_buf_add(b, text, tl_format_double(text, v->d));
		break;
	case TL_V_TEXT: tl_repr_text(b, v->text, v->len); break;
	case TL_V_LIST:
	case TL_V_TUPLE: repr_items(b, v, lists_as_tuples); break;
	case TL_V_DICT: repr_dict(b, v, lists_as_tuples); break;
	}
}

void tl_value_str(struct tl_buf *b, const struct tl_value *v, bool lists_as_tuples)
{
	if (v->type == TL_V_TEXT)
		tl_buf_add(b, v->text, v->len);
	else
		tl_value_repr(b, v, lists_as_tuples);
}

/* ---- integers --------------------------------------------------------------- */

size_t tl_format_i128(char *buf, __int128 x)
{
	if (x >= INT64_MIN && x <= INT64_MAX)
		return tl_format_int(buf, (int64_t)x);
	char text[48];
	char *end = text + sizeof text, *p = end;
	unsigned __int128 u = x < 0 ? 0 - (unsigned __int128)x : (unsigned __int128)x;
	while (u) {
		*--p = (char)('0' + (int)(u % 10));
		u /= 10;
	}
	if (x < 0)
		*--p = '-';
	size_t n = (size_t)(end - p);
	memcpy(buf, p, n);
	buf[n] = '\0';
	return n;
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f);
}

bool tl_parse_pyint(const char *s, size_t len, __int128 *out)
{
	while (len && is_blank(s[0]))
		s++, len--;
	while (len && is_blank(s[len - 1]))
		len--;
	bool negative = len && s[0] == '-';
	if (len && (s[0] == '-' || s[0] == '+'))
		s++, len--;

	__int128 x = 0; /* kept negative: that side reaches one further */
	bool digit_before = false;
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '_' && digit_before && i + 1 < len) {
			digit_before = false;
			continue;
		}
		if (s[i] < '0' || s[i] > '9')
			return false;
		digit_before = true;
		if (__builtin_mul_overflow(x, (__int128)10, &x) ||
		    __builtin_sub_overflow(x, (__int128)(s[i] - '0'), &x))
			return false;
	}
	if (!digit_before || (!negative && __builtin_sub_overflow((__int128)0, x, &x)))
		return false;
	*out = x;
	return true;
}
