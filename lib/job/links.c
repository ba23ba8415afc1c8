/* links.c - how long collectives take to move their data, in one group against others alike.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/links.h"

#include "work/spans.h"
#include "base/map.h"
#include "base/merge_sort.h"
#include "base/strings.h"
#include "table/statistics.h"

#include <stdlib.h>

/* Collectives of one row that can be compared with those of others. */
struct link {
	size_t row;
	uint32_t alike;                     /* id of the text */
	int64_t *ticks; size_t n, cap;
	int64_t median, usual;
	size_t peers;
};

struct tl_links {
	struct tl_strtab texts;
	struct TL_KEYED(struct link) links; /* by row and text */
};

struct tl_links *tl_links_new(void)
{
	return tl_calloc(1, sizeof(struct tl_links));
}

void tl_links_free(struct tl_links *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->links.n; i++)
		free(l->links.items[i].ticks);
	TL_KEYED_RELEASE(&l->links);
	tl_strtab_release(&l->texts);
	free(l);
}

size_t tl_links_add(struct tl_links *l, size_t row, const char *alike, size_t len, int64_t ticks)
{
	uint32_t text = tl_intern(&l->texts, alike, len);
	struct link *link = TL_ITEM(&l->links, tl_key_of_two((uint32_t)row, text), NULL);

	link->row = row;
	link->alike = text;
	TL_PUSH(link->ticks, link->n, link->cap, ticks);
	return (size_t)(link - l->links.items);
}

TL_ORDER_IN(by_median, size_t, struct link, TL_ASC(ctx[*x].alike) TL_ASC(ctx[*x].median) TL_ASC(*x))

/* Of n links alike, by their medians: the median of all others is what is usual for one. */
static void compare(struct link *links, const size_t *order, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct link *link = &links[order[i]];
		link->peers = n - 1;
		link->usual = n > 1 ? links[order[tl_middle_of_others(n, i, false)]].median : link->median;
	}
}

void tl_links_find(struct tl_links *l)
{
	size_t *order = tl_alloc((l->links.n + 1) * sizeof *order);

	for (size_t i = 0; i < l->links.n; i++) {
		l->links.items[i].median = tl_median_int(l->links.items[i].ticks, l->links.items[i].n, false);
		order[i] = i;
	}
	tl_merge_sort(order, l->links.n, sizeof *order, by_median, l->links.items);
	for (size_t from = 0, to; from < l->links.n; from = to) {
		for (to = from; to < l->links.n && l->links.items[order[to]].alike == l->links.items[order[from]].alike; to++)
			;
		compare(l->links.items, order + from, to - from);
	}
	free(order);
}

struct tl_link_sum tl_links_one(const struct tl_links *l, size_t link, size_t *n)
{
	const struct link *i = &l->links.items[link];

	*n = i->n;
	return (struct tl_link_sum){ i->median, i->usual, i->peers };
}

struct tl_link_sum tl_links_sum(const struct tl_links *l, size_t row)
{
	struct tl_link_sum s = { 0, 0, 0 };

	for (size_t i = 0; i < l->links.n; i++) {
		const struct link *link = &l->links.items[i];
		if (link->row != row || !link->peers)
			continue;
		s.ticks = tl_ticks_add(s.ticks, tl_ticks_times(link->median, (int64_t)link->n));
		s.usual = tl_ticks_add(s.usual, tl_ticks_times(link->usual, (int64_t)link->n));
		s.peers = link->peers > s.peers ? link->peers : s.peers;
	}
	return s;
}
