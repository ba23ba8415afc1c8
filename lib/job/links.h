/* links.h - how long collectives take to move their data, once all ranks are there: in one group against others of the same
 * size, message and span of nodes.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_LINKS_H
#define TL_LINKS_H

#include "base/base.h"

struct tl_links;
struct tl_links *tl_links_new(void);
void tl_links_free(struct tl_links *); /* NULL is allowed */
/* Takes a collective of a row that took so many ticks; `alike` is the same text for all that can be compared. Returns the number
 * of the row and that text, from 0. */
size_t tl_links_add(struct tl_links *, size_t row, const char *alike, size_t len, int64_t ticks);
/* After the last one: finds what is usual. */
void tl_links_find(struct tl_links *);
/* Of a row: its collectives that have others to be compared with. */
struct tl_link_sum {
	int64_t ticks, usual; /* how long they take, by the median of the row, and how long by what is usual */
	size_t peers;         /* how many other rows there are, at most */
};
struct tl_link_sum tl_links_sum(const struct tl_links *, size_t row);
/* Of one of the collectives of a link; n: how many it has. */
struct tl_link_sum tl_links_one(const struct tl_links *, size_t link, size_t *n);

#endif
