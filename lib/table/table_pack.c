/* table_pack.c - tables as bytes, for another process of the same program.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "table/table_pack.h"

#include <stdlib.h>
#include <string.h>

/* The head is followed by the texts, each its length and its bytes; then by the columns, each a name with its NUL, a byte that
 * says whether it has any cell, and its cells. In cells and in `overflow` a text is its number among the texts. */
struct head { int64_t ticks_per_us; uint64_t n_columns, n_rows, n_texts; uint32_t overflow, unused; };

/* The texts of a table: `number` is by the id in its table of strings. */
struct texts { const struct tl_strtab *strings; uint32_t *number; struct tl_buf b; uint64_t n; };

static uint32_t number_of(struct texts *t, uint32_t id)
{
	uint64_t len = tl_str_len(t->strings, id);

	if (id && !t->number[id]) {
		t->number[id] = (uint32_t)++t->n;
		tl_buf_add(&t->b, &len, sizeof len);
		tl_buf_add(&t->b, tl_str(t->strings, id), len);
	}
	return t->number[id];
}

static void pack_column(struct tl_buf *b, const struct tl_table *t, size_t i, struct texts *texts)
{
	const struct tl_table_column *c = &t->columns[i];

	tl_buf_add(b, c->name, strlen(c->name) + 1);
	tl_buf_addc(b, c->tags != NULL);
	if (!c->tags)
		return;
	for (size_t row = 0; row < t->n_rows; row++) {
		struct tl_cell from = tl_table_cell(t, row, i), cell;
		memset(&cell, 0, sizeof cell); /* no byte of it stays unknown */
		cell.type = from.type;
		cell.whole = from.whole;
		cell.ms = from.ms;
		cell.i = from.type == TL_CELL_TEXT ? 0 : from.i;
		if (from.type == TL_CELL_TEXT)
			cell.text = number_of(texts, from.text);
		tl_buf_add(b, &cell, sizeof cell);
	}
}

void tl_table_pack(const struct tl_table *t, struct tl_buf *b)
{
	struct texts texts = { .strings = t->strings, .number = tl_calloc((size_t)t->strings->count + 1, sizeof(uint32_t)) };
	struct head head = { .ticks_per_us = t->ticks_per_us, .n_columns = t->n_columns, .n_rows = t->n_rows };
	struct tl_buf columns = { 0 };

	for (size_t i = 0; i < t->n_columns; i++)
		pack_column(&columns, t, i, &texts);
	head.overflow = number_of(&texts, t->overflow);
	head.n_texts = texts.n;
	tl_buf_add(b, &head, sizeof head);
	tl_buf_add(b, tl_buf_text(&texts.b), texts.b.len);
	tl_buf_add(b, tl_buf_text(&columns), columns.len);
	tl_buf_release(&texts.b);
	tl_buf_release(&columns);
	free(texts.number);
}

static const char *unpack_column(struct tl_table *t, const char *p)
{
	size_t at = tl_table_add_column(t, p);
	struct tl_cell cell;

	p += strlen(p) + 1;
	if (!*p++)
		return p;
	for (size_t row = 0; row < t->n_rows; row++, p += sizeof cell) {
		memcpy(&cell, p, sizeof cell);
		tl_table_set(t, row, at, cell);
	}
	return p;
}

struct tl_table *tl_table_unpack(const char *bytes, struct tl_strtab *strings)
{
	const char *p = bytes + sizeof(struct head);
	struct head head;

	memcpy(&head, bytes, sizeof head);
	struct tl_table *t = tl_table_new(strings, head.ticks_per_us, NULL);
	for (uint64_t i = 0, len; i < head.n_texts; i++, p += len) {
		memcpy(&len, p, sizeof len);
		p += sizeof len;
		tl_intern(strings, p, len); /* they are different, and counted in this order */
	}
	t->n_rows = t->cap_rows = head.n_rows;
	for (uint64_t i = 0; i < head.n_columns; i++)
		p = unpack_column(t, p);
	t->overflow = head.overflow;
	return t;
}
