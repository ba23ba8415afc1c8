/* old_cell.h - comparing and hashing cells; private to the table engine.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_OLD_CELL_H
#define TL_OLD_CELL_H

#include <math.h>
#include <string.h>

#include "table/table.h"

/* The one form in which equal cells are equal bytes: integral reals become
 * integers, NaN becomes null. */
static inline struct tl_cell tl_cell_canonical(struct tl_cell c)
{
	if (c.type != TL_CELL_REAL)
		return c;
	if (isnan(c.d))
		return tl_cell_null();
	if (c.d >= -0x1p63 && c.d < 0x1p63 && c.d == (double)(int64_t)c.d)
		return tl_cell_int((int64_t)c.d);
	return c;
}
/* What of a cell counts besides its type. */
static inline uint64_t tl_cell_payload(struct tl_cell c)
{
	uint64_t bits = 0;
	switch (c.type) {
	case TL_CELL_REAL: memcpy(&bits, &c.d, sizeof bits); break;
	case TL_CELL_TEXT: bits = c.text; break;
	case TL_CELL_INT:
	case TL_CELL_BOOL: bits = (uint64_t)c.i; break;
	}
	return bits;
}
/* Of canonical cells. Order: bools, numbers, texts by bytes, nulls. */
static inline bool tl_cell_equal(struct tl_cell a, struct tl_cell b)
{
	return a.type == b.type && tl_cell_payload(a) == tl_cell_payload(b);
}
/* To be finished by tl_hash_u64 when the last cell is in. */
static inline uint64_t tl_cell_hash(struct tl_cell c, uint64_t seed)
{
	uint64_t h = ((seed << 23 | seed >> 41) ^ (tl_cell_payload(c) + c.type)) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

/* Stable sort of indexes. */
typedef int tl_index_compare(const void *ctx, size_t a, size_t b);
void tl_sort_indexes(size_t *index, size_t n, tl_index_compare *, const void *ctx);

/* Stable sort of all rows of a table, of which `order` has the indexes in the
 * order they had so far, by their cells. Nulls come last either way. */
struct tl_sort_key { size_t col; bool descending; };
void tl_sort_rows(const struct tl_table *, size_t *order, size_t n,
                  const struct tl_sort_key *, size_t n_keys);

#endif
