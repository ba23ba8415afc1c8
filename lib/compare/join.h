/* join.h - a full outer join of tables: which rows belong together by their keys.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_JOIN_H
#define TL_JOIN_H

#include "base/error.h"
#include "table/table.h"

#define TL_NO_ROW SIZE_MAX

struct tl_join {
	size_t n_tables, n;     /* n: joined rows */
	size_t *rows;           /* [joined row * n_tables + table]: a row of the table, or TL_NO_ROW */
	struct tl_table *keys;  /* the key columns of all rows of all tables */
	size_t *key_row;        /* of a joined row: one in `keys` */
	size_t repeated;        /* keys of several joined rows because they stand in several rows of a table */
};

struct tl_join_options {
	const char *const *keys; size_t n_keys; /* names of columns; a table without one has nulls there */
	bool pair; /* rows of one key are joined in their order: the first with the first, and so on.
	              Otherwise each with each, as in SQL */
};

/* Joins tables that have the same strings. Rows come in the order of their keys, nulls last;
 * those of one key in the order of the tables' rows. Nulls equal each other, and a number is
 * not equal to a text unless a key is text in any of the tables: then all are texts.
 * TL_ERR_DATA if there would be more than TL_JOIN_MOST rows. */
#define TL_JOIN_MOST ((size_t)1 << 24)
enum tl_status tl_join(struct tl_join *, struct tl_table *const *tables, size_t n_tables, const struct tl_join_options *,
                       struct tl_error *);
void tl_join_release(struct tl_join *);
static inline size_t tl_join_row(const struct tl_join *j, size_t i, size_t table)
{
	return j->rows[i * j->n_tables + table];
}

#endif
