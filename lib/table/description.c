/* description.c - finding the description of a sheet and of its columns.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "table/description.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *tl_unit_word(enum tl_unit unit)
{
	static const char *const words[] = {
		[TL_UNIT_NONE] = "", [TL_UNIT_NS] = "ns", [TL_UNIT_US] = "us", [TL_UNIT_MS] = "ms", [TL_UNIT_PERCENT] = "percent", [TL_UNIT_BYTES] = "bytes",
		[TL_UNIT_COUNT] = "count", [TL_UNIT_RATE] = "rate", [TL_UNIT_ID] = "id", [TL_UNIT_SHARE] = "share", [TL_UNIT_BIN] = "bin",
	};

	return words[unit];
}

/* A number stands for the N of rank_N_ts. */
static bool is_called(const char *name, const char *header)
{
	for (char before = 0; *name; before = *name, name++, header++) {
		if (*name == 'N' && before == '_' && (!name[1] || name[1] == '_') && isdigit((unsigned char)*header)) {
			while (isdigit((unsigned char)header[1]))
				header++;
			continue;
		}
		if (*name != *header)
			return false;
	}
	return !*header;
}

const struct tl_described_column *tl_described_column(const struct tl_description *d, const char *header)
{
	const char *own = strstr(header, "::");

	header = own ? own + 2 : header;
	for (size_t i = 0; i < d->n_columns; i++) {
		const struct tl_described_column *c = &d->columns[i];
		if (c->each ? !strncmp(header, c->name, strlen(c->name)) : *header == *c->name && is_called(c->name, header))
			return c;
	}
	return NULL;
}

const struct tl_description *tl_description_of(const char *name, const char *const *headers, size_t n)
{
	const struct tl_description *best = NULL;
	bool known = false;

	for (const struct tl_description *d = tl_descriptions; d->sheet && name; d++)
		known |= !strcmp(d->sheet, name);
	size_t most = known || !n ? 0 : (n - 1) / 2; /* of the columns, which more must be there */
	for (const struct tl_description *d = tl_descriptions; d->sheet; d++) {
		size_t have = 0;
		if (known && strcmp(d->sheet, name) != 0)
			continue;
		if (!known && (!n || !tl_described_column(d, headers[0])))
			continue;
		for (size_t i = 0; i < n && have + n - i > most; i++)
			have += tl_described_column(d, headers[i]) != NULL;
		if (have > most) {
			best = d;
			most = have;
		}
	}
	return best;
}

const struct tl_description *tl_description_named(const char *program, const char *sheet)
{
	for (const struct tl_description *d = tl_descriptions; d->sheet; d++)
		if (!strcmp(d->sheet, sheet) && (!program || !strcmp(d->program, program)))
			return d;
	return NULL;
}

bool tl_description_is_sure(const struct tl_description *d, const char *name, const char *const *headers, size_t n)
{
	if (!d || !name || (!d->pattern && strcmp(d->sheet, name) != 0))
		return false;
	for (const struct tl_description *o = tl_descriptions; o->sheet; o++) {
		size_t have = 0;
		for (size_t i = 0; i < n && o != d && !strcmp(o->sheet, name); i++)
			have += (tl_described_column(o, headers[i]) != NULL) == (tl_described_column(d, headers[i]) != NULL);
		if (n && have == n)
			return false;
	}
	return true;
}

const struct tl_description *tl_table_description(const struct tl_table *t, const char *name)
{
	const char **headers = tl_alloc((t->n_columns + 1) * sizeof *headers);

	for (size_t i = 0; i < t->n_columns; i++)
		headers[i] = t->columns[i].name;
	const struct tl_description *d = tl_description_of(name, headers, t->n_columns);
	free(headers);
	return d;
}

const struct tl_described_column *tl_column_of_role(const struct tl_description *d, enum tl_role role)
{
	for (size_t i = 0; i < d->n_columns; i++)
		if (d->columns[i].role == role)
			return &d->columns[i];
	return NULL;
}

const struct tl_described_column *tl_label_column(const struct tl_description *d)
{
	for (size_t i = 0; i < d->n_columns; i++)
		if (d->columns[i].role == TL_ROLE_KEY && d->columns[i].rank == TL_RANK_KEY)
			return &d->columns[i];
	return tl_column_of_role(d, TL_ROLE_KEY);
}

/* The part of a header that a word of a key stands for. */
static size_t replaced(const char *s, const char **by)
{
	static const struct { const char *from, *to; } words[] = {
		{ "(µs)", "us" }, { "(ms)", "ms" }, { "(ns)", "ns" }, { "(GiB/s)", "gib_s" }, { "GB/s", "gb_s" }, { "TB/s", "tb_s" }, { "(%)", "pct" }, { "%", "pct" },
		{ "Percentage", "" }, { "Percent", "" }, { "µs", "us" },
	};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strncmp(s, words[i].from, strlen(words[i].from))) {
			*by = words[i].to;
			return strlen(words[i].from);
		}
	return 0;
}

void tl_column_key(struct tl_buf *b, const char *header)
{
	bool percent = strstr(header, "(%)") != NULL, apart = false;
	size_t start = b->len;

	while (*header) {
		const char *by = NULL;
		size_t len = replaced(header, &by);
		bool word = len && (*by || percent);
		if (!word && !isalnum((unsigned char)*header)) {
			apart = true;
			header++;
			continue;
		}
		if (apart && b->len > start && !(word && !*by))
			tl_buf_addc(b, '_');
		apart = word && !*by ? apart : false;
		if (word)
			tl_buf_adds(b, by);
		else
			tl_buf_addc(b, (char)tolower((unsigned char)*header));
		header += word ? len : 1;
	}
	tl_buf_text(b);
}
