/* keep.h - which events the fused trace keeps.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_KEEP_H
#define TL_KEEP_H

#include "fuse/fuse.h"

struct tl_keep {
	const struct tl_fuse_options *options;
	const struct tl_strtab *strings; /* of the trace that is read */
	struct tl_by_id verdict[2];      /* by name: of events that are not TL_KIND_META, and that are */
};
/* Can an event of the layout be kept? */
bool tl_keeps_layout(const struct tl_keep *, const struct tl_layout *);
/* Is an event of such a layout, of this kind and name, kept? */
bool tl_keeps_event(struct tl_keep *, unsigned kind, uint32_t name);
void tl_keep_forget(struct tl_keep *); /* ids are void */
void tl_keep_release(struct tl_keep *);

#endif
