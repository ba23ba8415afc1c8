/* edit_script.c - two lists of names, aligned by their edit distance.
 *
 * The table of distances is computed 64 rows at a time, as differences of neighbours (Myers 1999,
 * "A fast bit-vector algorithm for approximate string matching"; Hyyrö 2003). The way back asks
 * one thing of a cell: is it larger by 1 than the one above? That is a bit of the column.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "compare/edit_script.h"

#include <stdlib.h>
#include <string.h>

/* ---- the table -------------------------------------------------------------------------- */

/* Where a name occurs in the first list: items first … first + n - 1 of positions. A name that
 * occurs often has its bits, too. */
struct place { uint32_t first, n; uint64_t *bits; };

struct table {
	const uint32_t *a, *b; size_t m, n, words;
	struct tl_map names;      /* name -> index in places */
	struct place *places; uint32_t *positions;
	uint64_t *up, *down;      /* of the column at hand: is a cell larger, smaller by 1 than the one above? */
	uint64_t *equal;          /* room for the bits of a rare name; all 0 between columns */
	size_t block;             /* the way back keeps so many columns */
	uint64_t *starts;         /* up and down before each block of columns */
	uint64_t *kept;           /* up after each column of a block */
};

static void index_names(struct table *t)
{
	size_t n_places = 0;
	bool is_new;

	t->places = tl_calloc(t->m + 1, sizeof *t->places);
	t->positions = tl_alloc((t->m + 1) * sizeof *t->positions);
	for (size_t i = 0; i < t->m; i++) {
		uint32_t *at = tl_map_put(&t->names, t->a[i], &is_new);
		if (is_new)
			*at = (uint32_t)n_places++;
		t->places[*at].n++;
	}
	for (size_t k = 1; k < n_places; k++)
		t->places[k].first = t->places[k - 1].first + t->places[k - 1].n;
	for (size_t k = 0; k < n_places; k++) {
		t->places[k].bits = t->places[k].n > t->words ? tl_calloc(t->words, sizeof *t->places[k].bits) : NULL;
		t->places[k].n = 0;
	}
	for (size_t i = 0; i < t->m; i++) {
		struct place *p = &t->places[*tl_map_get(&t->names, t->a[i])];
		t->positions[p->first + p->n++] = (uint32_t)i;
		if (p->bits)
			p->bits[i / 64] |= UINT64_C(1) << i % 64;
	}
}

/* The next column: up and down from those of the one before. equal: rows with the column's name. */
static void step(struct table *t, const uint64_t *equal)
{
	uint64_t plus = 1, minus = 0; /* the difference to the left, of the row above this word */

	for (size_t w = 0; w < t->words; w++) {
		uint64_t up = t->up[w], down = t->down[w], eq = equal[w], vertical = eq | down;
		eq |= minus;
		uint64_t same = (((eq & up) + up) ^ up) | eq;
		uint64_t right = down | ~(same | up), left = up & same;
		uint64_t plus_out = right >> 63, minus_out = left >> 63;
		right = right << 1 | plus;
		left = left << 1 | minus;
		t->up[w] = left | ~(vertical | right);
		t->down[w] = right & vertical;
		plus = plus_out;
		minus = minus_out;
	}
}

static void column(struct table *t, size_t j)
{
	const uint32_t *at = tl_map_get(&t->names, t->b[j]);
	const struct place *p = at ? &t->places[*at] : NULL;

	if (p && p->bits) {
		step(t, p->bits);
		return;
	}
	for (uint32_t k = 0; p && k < p->n; k++)
		t->equal[t->positions[p->first + k] / 64] |= UINT64_C(1) << t->positions[p->first + k] % 64;
	step(t, t->equal);
	for (uint32_t k = 0; p && k < p->n; k++)
		t->equal[t->positions[p->first + k] / 64] = 0;
}

static void table_init(struct table *t)
{
	enum { KEPT_WORDS = 1 << 22 };

	t->words = (t->m + 63) / 64;
	index_names(t);
	t->up = tl_alloc(t->words * sizeof *t->up);
	t->down = tl_calloc(t->words, sizeof *t->down);
	t->equal = tl_calloc(t->words, sizeof *t->equal);
	memset(t->up, 0xff, t->words * sizeof *t->up);
	t->block = KEPT_WORDS / t->words + 1;
	if (t->block > t->n)
		t->block = t->n;
	t->kept = tl_alloc(t->block * t->words * sizeof *t->kept);
	t->starts = tl_alloc(((t->n - 1) / t->block + 1) * 2 * t->words * sizeof *t->starts);
}

static void table_release(struct table *t)
{
	for (size_t k = 0; k < t->names.count; k++)
		free(t->places[k].bits);
	free(t->places);
	free(t->positions);
	free(t->up);
	free(t->down);
	free(t->equal);
	free(t->starts);
	free(t->kept);
	tl_map_release(&t->names);
}

/* Computes the columns of block k again, and keeps them. */
static void keep_block(struct table *t, size_t k)
{
	const uint64_t *start = t->starts + k * 2 * t->words;
	size_t bytes = t->words * sizeof *start;

	memcpy(t->up, start, bytes);
	memcpy(t->down, start + t->words, bytes);
	for (size_t j = k * t->block; j < t->n && j < (k + 1) * t->block; j++) {
		column(t, j);
		memcpy(t->kept + (j - k * t->block) * t->words, t->up, bytes);
	}
}

/* Goes back from the ends of the core until one of the lists is used up. *i, *j: what is left. */
static void way_back(struct table *t, uint32_t shift, size_t *i, size_t *j, struct tl_edits *out)
{
	size_t n_blocks = (t->n - 1) / t->block + 1, bytes = t->words * sizeof *t->up;

	for (size_t k = 0; k < n_blocks; k++) {
		memcpy(t->starts + k * 2 * t->words, t->up, bytes);
		memcpy(t->starts + (k * 2 + 1) * t->words, t->down, bytes);
		for (size_t c = k * t->block; k + 1 < n_blocks && c < (k + 1) * t->block; c++)
			column(t, c);
	}
	for (size_t k = n_blocks; k-- && *i;) {
		size_t first = k * t->block;
		keep_block(t, k);
		while (*i && *j > first) {
			const uint64_t *up = t->kept + (*j - 1 - first) * t->words;
			if (t->a[*i - 1] == t->b[*j - 1])
				tl_edits_add(out, shift + (uint32_t)--*i, shift + (uint32_t)--*j);
			else if (up[(*i - 1) / 64] >> (*i - 1) % 64 & 1)
				tl_edits_add(out, shift + (uint32_t)--*i, TL_NO_ITEM);
			else
				tl_edits_add(out, TL_NO_ITEM, shift + (uint32_t)--*j);
		}
	}
}

/* ---- lists ------------------------------------------------------------------------------- */

/* Appends the edits from the last one to the first. `equal` items at both beginnings are the
 * same: where one list has only these left, distances are known without a table. */
static void align(const uint32_t *a, size_t m, const uint32_t *b, size_t n, size_t equal, struct tl_edits *out)
{
	if (m > equal && n > equal) {
		struct table t = { .a = a + equal, .b = b + equal, .m = m - equal, .n = n - equal };
		size_t i = t.m, j = t.n;
		table_init(&t);
		way_back(&t, (uint32_t)equal, &i, &j, out);
		table_release(&t);
		m = equal + i;
		n = equal + j;
	}
	while (m || n) {
		if (m && n && a[m - 1] == b[n - 1])
			tl_edits_add(out, (uint32_t)--m, (uint32_t)--n);
		else if (m > n)
			tl_edits_add(out, (uint32_t)--m, TL_NO_ITEM);
		else
			tl_edits_add(out, TL_NO_ITEM, (uint32_t)--n);
	}
}

/* As align(), in pieces. */
static void align_pieces(const uint32_t *a, size_t m, const uint32_t *b, size_t n, struct tl_edits *out)
{
	size_t pieces = ((m > n ? m : n) - 1) / TL_EDIT_PIECE + 1;

	for (size_t k = pieces; k--;) {
		size_t a0 = m / pieces * k, a1 = k + 1 < pieces ? m / pieces * (k + 1) : m;
		size_t b0 = n / pieces * k, b1 = k + 1 < pieces ? n / pieces * (k + 1) : n;
		size_t from = out->n;
		align(a + a0, a1 - a0, b + b0, b1 - b0, 0, out);
		for (size_t i = from; i < out->n; i++) {
			if (out->items[i].a != TL_NO_ITEM)
				out->items[i].a += (uint32_t)a0;
			if (out->items[i].b != TL_NO_ITEM)
				out->items[i].b += (uint32_t)b0;
		}
	}
}

bool tl_edit_script(const uint32_t *a, size_t m, const uint32_t *b, size_t n, struct tl_edits *out)
{
	size_t from = out->n, equal = 0;

	while (m && n && a[m - 1] == b[n - 1])
		tl_edits_add(out, (uint32_t)--m, (uint32_t)--n);
	while (equal < m && equal < n && a[equal] == b[equal])
		equal++;
	bool cut = m - equal > TL_EDIT_PIECE && n - equal > TL_EDIT_PIECE;
	if (cut)
		align_pieces(a, m, b, n, out);
	else
		align(a, m, b, n, equal, out);
	for (size_t i = from, j = out->n; i + 1 < j; i++) {
		struct tl_edit last = out->items[--j];
		out->items[j] = out->items[i];
		out->items[i] = last;
	}
	return !cut;
}
