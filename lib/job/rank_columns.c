/* rank_columns.c - columns that sheets have for each rank.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/rank_sheets.h"

#include "base/search.h"

#include <inttypes.h>
#include <stdlib.h>

size_t tl_rank_number(const struct tl_ranks *r, int64_t rank)
{
	size_t past;

	TL_SEARCH(past, r->job->n, mid, r->job->ranks[mid] <= rank);
	return past ? past - 1 : 0;
}

void tl_rank_columns_note(struct tl_ranks *r, enum tl_rank_kind kind, const struct tl_meeting *m)
{
	const struct tl_rank_event *first = &m->events[0];

	for (size_t i = 0; i < m->n; i++) {
		struct tl_rank_seen *s = &r->totals[tl_rank_number(r, m->events[i].rank)].seen[kind];
		if (!s->joined++ || first->rank < s->rank || (first->rank == s->rank && first->position < s->position)) {
			s->rank = first->rank;
			s->position = first->position;
		}
	}
}

static int by_first_row(const void *a, const void *b, void *ctx)
{
	const struct tl_rank_columns *c = ctx;
	const struct tl_rank_seen *x = &c->ranks->totals[*(const size_t *)a].seen[c->kind];
	const struct tl_rank_seen *y = &c->ranks->totals[*(const size_t *)b].seen[c->kind];

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	return *(const size_t *)a < *(const size_t *)b ? -1 : 1;
}

struct tl_rank_columns tl_rank_columns_make(struct tl_ranks *r, enum tl_rank_kind kind)
{
	struct tl_rank_columns c = { r, kind, tl_alloc((r->job->n + 1) * sizeof *c.parts), 0 };

	for (size_t i = 0; i < r->job->n; i++)
		if (r->totals[i].seen[kind].joined)
			c.parts[c.n++] = i;
	qsort_r(c.parts, c.n, sizeof *c.parts, by_first_row, &c);
	for (size_t i = 0; i < c.n; i++)
		r->totals[c.parts[i]].seen[kind].column = i;
	return c;
}

void tl_rank_columns_each(const struct tl_rank_columns *c, struct tl_rank_sheet *s, tl_rank_columns_fn *fn, void *ctx)
{
	for (size_t from = 0, to; from < c->n; from = to) {
		const struct tl_rank_seen *first = &c->ranks->totals[c->parts[from]].seen[c->kind];
		for (to = from; to < c->n; to++) {
			const struct tl_rank_seen *seen = &c->ranks->totals[c->parts[to]].seen[c->kind];
			if (seen->rank != first->rank || seen->position != first->position)
				break;
			fn(ctx, s, c->parts[to], false);
		}
		for (size_t i = from; i < to; i++)
			fn(ctx, s, c->parts[i], true);
	}
}

void tl_rank_columns_name(struct tl_rank_sheet *s, size_t part, const char *const *names)
{
	struct tl_buf b = { 0 };

	for (; *names; names++) {
		tl_buf_clear(&b);
		tl_buf_addf(&b, "rank_%" PRId64 "_%s", s->ranks->job->ranks[part], *names);
		tl_table_add_column(s->rows, b.data);
	}
	tl_buf_release(&b);
}
