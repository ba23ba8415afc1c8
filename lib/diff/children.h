/* children.h - the children of two events, aligned; tree_merge.h says how.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CHILDREN_H
#define TL_CHILDREN_H

#include "diff/pairing.h"

struct tl_aligner {
	struct tl_side *sides; /* two */
	struct tl_list lists[2]; /* the events that the edits are about */
	uint32_t n_cut;          /* how often lists were so long that tl_edit_script cut them */
	struct tl_pairing pairing;
	/* private: room to work in */
	struct tl_edits edits;
};
void tl_aligner_init(struct tl_aligner *, struct tl_side sides[2]);
void tl_aligner_release(struct tl_aligner *);

/* Aligns the children of two events, one of which may be TL_NONE. of: an event becomes the one
 * whose children are taken instead. The result, and the lists, are valid until the next call. */
const struct tl_edits *tl_align_children(struct tl_aligner *, uint32_t of[2]);

#endif
