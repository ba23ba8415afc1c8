/* op_groups.h - the groups of operators of op-groups.tsv.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_OP_GROUPS_H
#define TL_OP_GROUPS_H

#include "base/base.h"

/* TL_GROUP_REPLAY has the groups of TL_GROUP_SHEET that have lines of their own for it: the operators of both. */
enum tl_op_group_use { TL_GROUP_SHEET, TL_GROUP_BREAKDOWN, TL_GROUP_REPLAY };
enum { TL_OP_GROUPS = 16 }; /* of one use, at most */

struct tl_op_groups {
	struct tl_op_name { uint8_t use, how, group; const char *name; } *names; size_t n, cap;
	uint32_t launching;         /* bit i: groups[TL_GROUP_SHEET][i] leaves out events that launched no kernel */
	uint32_t replayed;          /* bit i: groups[TL_GROUP_SHEET][i] is a group of TL_GROUP_REPLAY */
	const char *groups[2][TL_OP_GROUPS]; size_t n_groups[2]; /* by use but TL_GROUP_REPLAY: their names, in the order of the table */
	struct tl_arena arena;
};
/* Reads op-groups.tsv; adds the lines of a text like it, whose mistakes are TL_ERR_DATA. */
void tl_op_groups_read(struct tl_op_groups *);
enum tl_status tl_op_groups_add(struct tl_op_groups *, const char *file, const char *text, size_t len, struct tl_error *);
void tl_op_groups_release(struct tl_op_groups *);
/* Bit i is set if the operator is in groups[use][i], for TL_GROUP_REPLAY in the group of groups[TL_GROUP_SHEET][i]. */
uint32_t tl_op_groups_of(const struct tl_op_groups *, enum tl_op_group_use, const char *name);
/* The groups of TL_GROUP_REPLAY that have operators of this category, as tl_op_groups_of; NULL: of none. */
uint32_t tl_op_groups_of_category(const struct tl_op_groups *, const char *category);

#endif
