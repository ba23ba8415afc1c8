/* typed_columns.c - the columns of a sheet in TSV with their types.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "table/typed_columns.h"

#include "base/map.h"
#include "base/strings.h"
#include "table/description.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ------------------------------------------------------------------------------- */

static size_t digits(const char *s, const char *end)
{
	const char *p = s;

	while (p < end && isdigit((unsigned char)*p))
		p++;
	return (size_t)(p - s);
}

/* The grammar of JSON's numbers, which has no 007, .5, +1, or inf. *whole: the bytes without ".0"; 0: it is no integer. */
static bool is_number(const char *s, size_t len, size_t *whole)
{
	const char *p = s, *end = s + len;

	p += p < end && *p == '-';
	size_t n = digits(p, end);
	if (!n || (n > 1 && *p == '0'))
		return false;
	p += n;
	*whole = (size_t)(p - s);
	if (p < end && *p == '.') {
		n = digits(++p, end);
		if (!n)
			return false;
		for (; n--; p++)
			if (*p != '0')
				*whole = 0;
	}
	if (p < end && (*p == 'e' || *p == 'E')) {
		p++;
		p += p < end && (*p == '-' || *p == '+');
		n = digits(p, end);
		if (!n)
			return false;
		p += n;
		*whole = 0;
	}
	return p == end;
}

static bool is_word(const struct tl_field_text *f, const char *word)
{
	return f->len == strlen(word) && !memcmp(f->s, word, f->len);
}

/* Python and C print these where a number is meant. */
static bool is_no_finite_number(const struct tl_field_text *f)
{
	return is_word(f, "inf") || is_word(f, "-inf") || is_word(f, "nan");
}

enum tl_typed tl_typed_value(const struct tl_typed_column *c, const struct tl_field_text *f, size_t *whole)
{
	bool number = c->type != TL_TYPE_TEXT && c->type != TL_TYPE_BOOL, is_bool = c->type == TL_TYPE_BOOL || !c->described;

	if (!f->len || (number && c->type != TL_TYPE_ANY && is_no_finite_number(f)))
		return TL_VALUE_NULL;
	if ((is_bool && is_word(f, "True")) || (c->type == TL_TYPE_BOOL01 && is_word(f, "1")))
		return TL_VALUE_TRUE;
	if ((is_bool && is_word(f, "False")) || (c->type == TL_TYPE_BOOL01 && is_word(f, "0")))
		return TL_VALUE_FALSE;
	return number && is_number(f->s, f->len, whole) ? TL_VALUE_NUMBER : TL_VALUE_TEXT;
}

/* ---- columns ------------------------------------------------------------------------------ */

/* The headers of a trace's own names may differ only in what keys do not keep: the second is KEY_2. */
static char *free_key(struct tl_strtab *keys, struct tl_map *last, const char *header, size_t number)
{
	struct tl_buf b = { 0 };

	tl_column_key(&b, header);
	if (!b.len)
		tl_buf_addf(&b, "column_%zu", number);
	size_t len = b.len;
	uint32_t known = keys->count, *n = tl_map_put(last, tl_intern(keys, b.data, len), NULL);
	for (; keys->count == known; tl_intern(keys, b.data, b.len)) {
		b.len = len;
		tl_buf_addf(&b, "_%u", *n = *n ? *n + 1 : 2);
	}
	return b.data;
}

void tl_typed_columns_take(struct tl_typed_columns *t, const char *sheet, const struct tl_field_text *fields, size_t n,
                           const char *const *taken)
{
	char **headers = tl_calloc(n + 1, sizeof *headers);
	struct tl_strtab keys = { 0 };
	struct tl_map last = { 0 }; /* key -> the number that the last one like it has */

	for (; taken && *taken; taken++)
		tl_intern(&keys, *taken, strlen(*taken));
	for (size_t i = 0; i < n; i++)
		headers[i] = tl_strndup(fields[i].s, fields[i].len);
	const struct tl_description *d = tl_description_of(sheet, (const char *const *)headers, n);
	t->items = tl_calloc(n + 1, sizeof *t->items);
	for (size_t i = 0; i < n; i++) {
		const struct tl_described_column *c = d ? tl_described_column(d, headers[i]) : NULL;
		char *key = free_key(&keys, &last, headers[i], i + 1);
		t->items[t->n++] = (struct tl_typed_column){ key, c ? c->type : TL_TYPE_ANY, c != NULL };
	}
	for (size_t i = 0; i < n; i++)
		free(headers[i]);
	free(headers);
	tl_map_release(&last);
	tl_strtab_release(&keys);
}

void tl_typed_columns_release(struct tl_typed_columns *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->items[i].key);
	free(t->items);
}
