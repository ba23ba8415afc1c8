/* group_names.h - names of process groups, where groups of other ranks have the same name.
 *
 * Frameworks number their groups on each rank alone, so the group "tp" of ranks 0 and 1 and that of ranks 2 and 3 may have one name.
 * They are told apart by their members.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_GROUP_NAMES_H
#define TL_GROUP_NAMES_H

#include "job/rank_part.h"

struct tl_group_names;
struct tl_group_names *tl_group_names_new(void);
void tl_group_names_free(struct tl_group_names *); /* NULL is allowed */
/* Gives each group of a part that shares its name with groups of earlier parts, and no rank with any of them, a name of its own:
 * with its ranks behind. The same part gets the same names each time. */
void tl_group_names_set(struct tl_group_names *, struct tl_rank_part *);
/* How many groups got one. */
size_t tl_group_names_changed(const struct tl_group_names *);

/* The next number of a text and what is behind it; false: there is none. Lists of ranks are cut by PyTorch ("[0, 1, ...]"), and some
 * are no lists ("0-1"): every number counts. */
bool tl_next_rank(const char **text, int64_t *rank);

#endif
