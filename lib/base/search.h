/* search.h - search in what is sorted.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SEARCH_H
#define TL_SEARCH_H

#include <stddef.h>

/* Sets `found`, a size_t, to the first index below n for which `before`, an expression of the
 * index `mid`, is false; n if none is. It is true for all indexes before that one, and false from
 * there on.
 *   TL_SEARCH(i, s->n, mid, s->items[mid].end <= time); */
#define TL_SEARCH(found, n, mid, before) \
	do { \
		size_t past_ = (n); \
		(found) = 0; \
		while ((found) < past_) { \
			size_t mid = (found) + (past_ - (found)) / 2; \
			if (before) \
				(found) = mid + 1; \
			else \
				past_ = mid; \
		} \
	} while (0)

#endif
