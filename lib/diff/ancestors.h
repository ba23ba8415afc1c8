/* ancestors.h - the lowest common ancestors of two traces, and which device events of the first
 * trace have them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ANCESTORS_H
#define TL_ANCESTORS_H

#include "diff/stats.h"

struct tl_ancestor {
	uint32_t node, name;   /* name: string id of the first trace */
	int64_t busy[2];       /* ticks that its work is busy, of the first row of each side; 0: it has none there */
	bool in_second;        /* it has rows of the second trace */
};
/* Those with device events in the first trace. Zero bytes are none. */
struct tl_ancestors {
	struct tl_ancestor *items; uint32_t n;  /* by node */
	bool some_without;                      /* some row of either trace has no ancestor */
	/* private */
	struct tl_by_event { uint32_t event, ancestor; } *by_event; size_t n_by_event;
};
void tl_ancestors_find(struct tl_ancestors *, const struct tl_diff *);
void tl_ancestors_release(struct tl_ancestors *);

/* Appends the ancestors of a device event of the first trace, as indexes in items. */
void tl_ancestors_of(const struct tl_ancestors *, uint32_t event, struct tl_list *);

#endif
