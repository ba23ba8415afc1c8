/* clocks.c - how far the clocks of ranks are apart.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/clocks.h"

#include "work/spans.h"
#include "base/merge_sort.h"

#include <stdlib.h>
#include <string.h>

/* What the collectives of two ranks say. */
struct link { size_t a, b; int64_t offset, spread; uint64_t collectives; };

struct tl_clocks { size_t n_ranks; struct link *links; size_t n_links, cap_links; };

struct tl_clocks *tl_clocks_new(size_t ranks)
{
	struct tl_clocks *c = tl_calloc(1, sizeof *c);

	c->n_ranks = ranks;
	return c;
}

void tl_clocks_free(struct tl_clocks *c)
{
	if (!c)
		return;
	free(c->links);
	free(c);
}

void tl_clocks_add(struct tl_clocks *c, size_t a, size_t b, int64_t offset, int64_t spread, uint64_t collectives)
{
	TL_PUSH(c->links, c->n_links, c->cap_links, (struct link){ a, b, offset, spread, collectives });
}

/* ---- all ranks ------------------------------------------------------------------------------ */

/* Pairs with the most collectives first. */
TL_ORDER(by_collectives, struct link, TL_DESC(x->collectives) TL_ASC(x->a) TL_ASC(x->b))

/* The last reference on the way from a rank; *offset becomes its offset from that. */
static size_t follow(const struct tl_clock *clocks, size_t rank, int64_t *offset)
{
	for (*offset = 0; clocks[rank].reference != rank; rank = clocks[rank].reference)
		*offset = tl_ticks_add(*offset, clocks[rank].offset);
	return rank;
}

/* Ranks that can be compared have one reference; the link brings two such sets together. */
static void use_link(struct tl_clock *clocks, const struct link *l)
{
	int64_t of_a, of_b;
	size_t a = follow(clocks, l->a, &of_a), b = follow(clocks, l->b, &of_b);
	int64_t ahead = tl_ticks_sub(tl_ticks_add(l->offset, of_a), of_b); /* the clock of b, of that of a */

	if (a < b) {
		clocks[b].reference = a;
		clocks[b].offset = ahead;
	} else if (b < a) {
		clocks[a].reference = b;
		clocks[a].offset = tl_ticks_sub(0, ahead);
	}
}

static void note_link(struct tl_clock *clock, const struct link *l)
{
	if (clock->collectives)
		return;
	clock->collectives = l->collectives;
	clock->spread = l->spread;
}

void tl_clocks_find(struct tl_clocks *c, struct tl_clock *clocks)
{
	tl_merge_sort(c->links, c->n_links, sizeof *c->links, by_collectives, NULL);
	for (size_t i = 0; i < c->n_ranks; i++)
		clocks[i] = (struct tl_clock){ .reference = i };
	for (size_t i = 0; i < c->n_links; i++) {
		use_link(clocks, &c->links[i]);
		note_link(&clocks[c->links[i].a], &c->links[i]);
		note_link(&clocks[c->links[i].b], &c->links[i]);
	}
	for (size_t i = 0; i < c->n_ranks; i++) {
		int64_t offset;
		size_t reference = follow(clocks, i, &offset);
		clocks[i].reference = reference;
		clocks[i].offset = offset;
	}
}
