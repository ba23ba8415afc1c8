/* sheet_sum.c - the rows of any number of tables, added up by a definition while they come.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "table/sheet_sum.h"

#include <stdlib.h>

enum { ROWS_BETWEEN = 4096 }; /* rows that are added before a sum is made at all */

static void take_rows(struct tl_sheet_sum *s, const struct tl_table *rows)
{
	s->strings = tl_calloc(1, sizeof *s->strings);
	s->table = tl_table_new(s->strings, rows->ticks_per_us, NULL);
	tl_table_append(s->table, rows);
}

/* Adds up the rows; the texts of the old ones are freed. */
static void compact(struct tl_sheet_sum *s)
{
	struct tl_table *sum = tl_sheet_make(s->def, &(struct tl_sheet_input){ .rows = s->table });
	struct tl_sheet_sum old = *s;

	take_rows(s, sum);
	tl_table_free(sum);
	tl_sheet_sum_release(&old);
	s->limit = 2 * s->table->n_rows + ROWS_BETWEEN;
}

void tl_sheet_sum_add(struct tl_sheet_sum *s, const struct tl_table *rows)
{
	if (!s->table)
		take_rows(s, rows);
	else
		tl_table_append(s->table, rows);
	if (s->table->n_rows > (s->limit ? s->limit : ROWS_BETWEEN))
		compact(s);
}

struct tl_table *tl_sheet_sum_rows(struct tl_sheet_sum *s)
{
	if (s->table)
		compact(s);
	return s->table;
}

void tl_sheet_sum_release(struct tl_sheet_sum *s)
{
	tl_table_free(s->table);
	if (s->strings)
		tl_strtab_release(s->strings);
	free(s->strings);
	*s = (struct tl_sheet_sum){ .def = s->def };
}
