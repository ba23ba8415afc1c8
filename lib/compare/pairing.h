/* pairing.h - children of the same name, paired anew by what is below them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PAIRING_H
#define TL_PAIRING_H

#include "compare/edit_script.h"
#include "compare/side.h"

/* What stands below an event on the GPU path, TL_SHAPE_LEVELS levels deep: of each level its
 * names, sorted. Ids of equal levels are equal. */
enum { TL_SHAPE_LEVELS = 4 };
struct tl_shape { uint32_t n, levels[TL_SHAPE_LEVELS]; };

/* Children of one name that differ in more pairs of shapes than this stay paired as they are. */
enum { TL_PAIRING_MAX = 1 << 20 };

struct tl_pairing {
	struct tl_side *sides[2];
	uint32_t n_left; /* names whose children were too many and too different */
	/* private */
	struct tl_strtab levels;
};
void tl_pairing_release(struct tl_pairing *);

/* edits: how the children of two events, in lists[0] and lists[1], are aligned. Of each name that
 * occurs in both lists, in one of them more than once, and that has a match, all children are
 * paired anew, the most alike first: by how many levels below them are equal, then by how many
 * names of the first other level are, then a pair that was a match already, then in their order.
 * If this changes a match, the new ones follow those of other names, in the order of the first
 * list, then what is deleted, then what is inserted. */
void tl_pair_again(struct tl_pairing *, const struct tl_list lists[2], struct tl_edits *edits);

#endif
