/* sort.c - stable sorting of rows.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "table/old_cell.h"

#include <stdlib.h>
#include <string.h>

/* ---- merge sort ----------------------------------------------------------- */

static void merge_sort(size_t *a, size_t *spare, size_t n, tl_index_compare *cmp, const void *ctx)
{
	if (n < 2)
		return;
	size_t half = n / 2, i = 0, j = half, k = 0;
	merge_sort(a, spare, half, cmp, ctx);
	merge_sort(a + half, spare, n - half, cmp, ctx);
	if (cmp(ctx, a[half - 1], a[half]) <= 0)
		return; /* in order already */
	memcpy(spare, a, half * sizeof *a);
	while (i < half && j < n)
		a[k++] = cmp(ctx, spare[i], a[j]) <= 0 ? spare[i++] : a[j++];
	memcpy(a + k, spare + i, (half - i) * sizeof *a);
}

void tl_sort_indexes(size_t *index, size_t n, tl_index_compare *cmp, const void *ctx)
{
	size_t *spare = tl_alloc((n / 2 + 1) * sizeof *spare);
	merge_sort(index, spare, n, cmp, ctx);
	free(spare);
}

/* ---- rows ------------------------------------------------------------------
 * Each key of a row is packed into one word first, whose two upper bits are its
 * kind (bool, number, text, null) and whose rest orders it within that, so that
 * most comparisons need neither the table nor the texts. */

#define KIND(k) ((uint64_t)(k) << 62)

struct rows {
	const struct tl_table *table;
	const struct tl_sort_key *keys;
	size_t n_keys;
	uint64_t *words;   /* n_keys for each row */
	bool *exact;       /* of each key: equal words mean equal cells */
};

static struct tl_cell cell_of(const struct rows *r, size_t row, size_t key)
{
	return tl_cell_canonical(*tl_table_cell(r->table, row, r->keys[key].col));
}

/* The bits of x, so changed that their order is that of the numbers. */
static uint64_t ordered_bits(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof bits);
	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static uint64_t pack(const struct tl_map *ranks, struct tl_cell c, bool *exact)
{
	switch (c.type) {
	case TL_CELL_BOOL:
		return KIND(0) | (uint64_t)(c.i != 0);
	case TL_CELL_INT:
	case TL_CELL_REAL: {
		uint64_t bits = ordered_bits(c.type == TL_CELL_INT ? (double)c.i : c.d);
		bool far = c.type == TL_CELL_INT && (c.i > INT64_C(1) << 50 || c.i < -(INT64_C(1) << 50));
		if (far || (bits & 3) != (bits >> 63 ? 0 : 3))
			*exact = false;
		return KIND(1) | bits >> 2;
	}
	case TL_CELL_TEXT:
		return KIND(2) | *tl_map_get(ranks, c.text);
	default:
		return KIND(3);
	}
}

static int compare_ids(const void *strings, size_t a, size_t b)
{
	return tl_cell_compare(strings, tl_cell_text((uint32_t)a), tl_cell_text((uint32_t)b));
}

/* The place of each text of a key among them all. */
static void rank_texts(const struct rows *r, size_t n, size_t key, struct tl_map *ranks)
{
	size_t *ids = NULL, count = 0, cap = 0;

	for (size_t i = 0; i < n; i++) {
		struct tl_cell c = cell_of(r, i, key);
		bool is_new = false;
		if (c.type == TL_CELL_TEXT)
			tl_map_put(ranks, c.text, &is_new);
		if (!is_new)
			continue;
		TL_GROW(ids, cap, count + 1);
		ids[count++] = c.text;
	}
	if (count)
		tl_sort_indexes(ids, count, compare_ids, r->table->strings);
	for (size_t i = 0; i < count; i++)
		*tl_map_put(ranks, ids[i], NULL) = (uint32_t)i;
	free(ids);
}

static void pack_key(struct rows *r, size_t n, size_t key)
{
	struct tl_map ranks = { 0 };

	rank_texts(r, n, key, &ranks);
	r->exact[key] = true;
	for (size_t i = 0; i < n; i++) {
		uint64_t word = pack(&ranks, cell_of(r, i, key), &r->exact[key]);
		if (r->keys[key].descending && word < KIND(3))
			word = KIND(3) - 1 - word;
		r->words[i * r->n_keys + key] = word;
	}
	tl_map_release(&ranks);
}

static int compare_items(const void *ctx, size_t a, size_t b)
{
	const struct rows *r = ctx;
	const uint64_t *x = r->words + a * r->n_keys, *y = r->words + b * r->n_keys;

	for (size_t k = 0; k < r->n_keys; k++) {
		if (x[k] != y[k])
			return x[k] < y[k] ? -1 : 1;
		if (r->exact[k])
			continue;
		int c = tl_cell_compare(r->table->strings, cell_of(r, a, k), cell_of(r, b, k));
		if (c)
			return r->keys[k].descending ? -c : c;
	}
	return 0;
}

void tl_sort_rows(const struct tl_table *t, size_t *order, size_t n,
                  const struct tl_sort_key *keys, size_t n_keys)
{
	struct rows r = { .table = t, .keys = keys, .n_keys = n_keys };

	if (n < 2 || !n_keys)
		return;
	r.words = tl_alloc(n * n_keys * sizeof *r.words);
	r.exact = tl_alloc(n_keys * sizeof *r.exact);
	for (size_t k = 0; k < n_keys; k++)
		pack_key(&r, n, k);
	tl_sort_indexes(order, n, compare_items, &r);
	free(r.exact);
	free(r.words);
}
