/* join.h - which rows of several tables belong together by their keys: a full outer join.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_JOIN_H
#define TL_JOIN_H

#include "base/error.h"
#include "compare/comparisons.h"

/* Names of columns. A table without one has nulls there. Free the items. */
struct tl_keys { const char **items; size_t n, cap; };
/* The keys of a comparison in these tables. They point into it and into the first table. TL_ERR_DATA if a table with rows lacks
 * one; *bad becomes its number. */
enum tl_status tl_keys_find(struct tl_keys *, const struct tl_comparison *, struct tl_table *const *tables, size_t n, size_t *bad,
                            struct tl_error *);
/* The key columns of all rows of all tables, which have the same strings. A key that is text in any of them is text in all. */
struct tl_table *tl_keys_table(const struct tl_keys *, struct tl_table *const *tables, size_t n);

#define TL_NO_ROW SIZE_MAX

struct tl_join {
	size_t n_tables, n;     /* n: joined rows */
	size_t *rows;           /* [joined row * n_tables + table]: a row of the table, or TL_NO_ROW */
	struct tl_table *keys;  /* tl_keys_table */
	size_t *key_row;        /* of a joined row: one in `keys` */
	size_t repeated;        /* keys of several joined rows because they stand in several rows of a table */
};
/* Rows come in the order of their keys, nulls last; those of one key in the order of the tables' rows. Nulls equal each other.
 * pair: rows of one key are joined in their order, the first with the first, and so on; otherwise each with each, as in SQL.
 * TL_ERR_DATA if there would be more than 2^24 rows. Release it also then. */
enum tl_status tl_join_tables(struct tl_join *, struct tl_table *const *tables, size_t n_tables, const struct tl_keys *, bool pair,
                              struct tl_error *);
void tl_join_release(struct tl_join *);
static inline size_t tl_join_row(const struct tl_join *j, size_t i, size_t table)
{
	return j->rows[i * j->n_tables + table];
}

#endif
