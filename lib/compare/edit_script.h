/* edit_script.h - two lists of names, aligned by their edit distance.
 *
 * The distance is that of Wagner and Fischer: an item that is inserted or deleted costs 1, one
 * that is replaced too. Going back from the ends of both lists, equal items are a match; else
 * the item of the first list is deleted if that is on a shortest way; else that of the second
 * one is inserted. So a replaced item is an inserted and a deleted one.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_EDIT_SCRIPT_H
#define TL_EDIT_SCRIPT_H

#include "base/base.h"

/* Indexes in the first and the second list. TL_NO_ITEM in one of them: the other item is deleted
 * or inserted. */
#define TL_NO_ITEM UINT32_MAX
struct tl_edit { uint32_t a, b; };
struct tl_edits { struct tl_edit *items; size_t n, cap; };
static inline void tl_edits_add(struct tl_edits *e, uint32_t a, uint32_t b)
{
	TL_GROW(e->items, e->cap, e->n + 1);
	e->items[e->n++] = (struct tl_edit){ a, b };
}

/* Equal beginnings and ends of the lists cost nothing. Lists that are longer between them are
 * cut into pieces of at most so many items, which are aligned one by one. */
enum { TL_EDIT_PIECE = 1 << 16 };

/* Appends the edits in the order of the lists. Returns false if the lists were cut. Time:
 * proportional to the lengths and, of what differs, to the product of the lengths, divided by
 * 64. */
bool tl_edit_script(const uint32_t *a, size_t m, const uint32_t *b, size_t n, struct tl_edits *out);

#endif
