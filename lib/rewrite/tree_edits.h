/* tree_edits.h - carries out the rules that change the tree.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TREE_EDITS_H
#define TL_TREE_EDITS_H

#include "rewrite/editor.h"

/* All of them, in order; the editor has the whole trace. */
enum tl_status tl_tree_edits(struct tl_editor *, struct tl_error *);

#endif
