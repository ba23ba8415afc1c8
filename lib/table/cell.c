/* cell.c - comparing and hashing cells.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "table/cell.h"

#include <stdlib.h>
#include <string.h>

static int compare_texts(const struct tl_strtab *t, uint32_t a, uint32_t b)
{
	if (a == b)
		return 0;
	size_t m = tl_str_len(t, a), n = tl_str_len(t, b);
	int r = memcmp(tl_str(t, a), tl_str(t, b), m < n ? m : n);
	return r ? r : (m > n) - (m < n);
}

static int compare_numbers(struct tl_cell a, struct tl_cell b)
{
	if (a.type == TL_CELL_INT && b.type == TL_CELL_INT)
		return (a.i > b.i) - (a.i < b.i);
	double x = a.type == TL_CELL_INT ? (double)a.i : a.d;
	double y = b.type == TL_CELL_INT ? (double)b.i : b.d;
	if (x == y && a.type != b.type) /* 2^63 against an integer rounded up to it */
		return a.type == TL_CELL_INT ? -1 : 1;
	return (x > y) - (x < y);
}

static int rank_of(struct tl_cell c)
{
	static const int rank[] = {
		[TL_CELL_BOOL] = 0, [TL_CELL_INT] = 1, [TL_CELL_REAL] = 1, [TL_CELL_TEXT] = 2, [TL_CELL_NULL] = 3,
	};
	return rank[c.type];
}

int tl_cell_compare(const struct tl_strtab *t, struct tl_cell a, struct tl_cell b)
{
	int ra = rank_of(a), rb = rank_of(b);
	if (ra != rb)
		return ra - rb;
	switch (ra) {
	case 0: return (a.i > b.i) - (a.i < b.i);
	case 1: return compare_numbers(a, b);
	case 2: return compare_texts(t, a.text, b.text);
	default: return 0;
	}
}
