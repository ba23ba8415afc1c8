/* summary_columns.c - columns of a summary.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/summary_columns.h"

#include <stdlib.h>

struct tl_column *tl_summary_column(struct tl_summary_columns *c, const char *name, enum tl_column_kind kind, const char *in,
                                    unsigned when)
{
	TL_GROW(c->items, c->cap, c->n + 1);
	c->items[c->n] = (struct tl_column){ name, .kind = kind, .in = in, .when = when };
	return &c->items[c->n++];
}

void tl_summary_metrics(struct tl_summary_columns *c, const char *field, const struct tl_ranks_job *job, unsigned when)
{
	struct tl_buf b = { 0 };

	for (size_t i = 0; i < job->n_metrics; i++) {
		tl_buf_clear(&b);
		tl_buf_addf(&b, "%s_%s", field, job->metrics[i].name);
		tl_summary_column(c, tl_arena_dup(&c->names, b.data, b.len), job->metrics[i].kind, field, when);
	}
	tl_buf_release(&b);
}

const struct tl_column *tl_summary_columns_end(struct tl_summary_columns *c)
{
	tl_summary_column(c, NULL, TL_COUNT, NULL, 0);
	return c->items;
}

void tl_summary_columns_release(struct tl_summary_columns *c)
{
	free(c->items);
	tl_arena_release(&c->names);
}
