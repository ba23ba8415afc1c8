/* op_groups.c - the groups of operators of op-groups.tsv.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "multi/op_groups.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

extern const char tl_data_op_groups[];
extern const size_t tl_data_op_groups_len;

static uint8_t group_index(struct tl_op_groups *g, uint8_t use, const char *name)
{
	size_t i = 0;

	while (i < g->n_groups[use] && strcmp(g->groups[use][i], name))
		i++;
	g->groups[use][i] = name;
	if (i == g->n_groups[use])
		g->n_groups[use]++;
	return (uint8_t)i;
}

/* The table is built in, so its lines need no check. */
void tl_op_groups_read(struct tl_op_groups *g)
{
	char *save_line = NULL, *save = NULL;

	*g = (struct tl_op_groups){ 0 };
	char *text = tl_arena_dup(&g->arena, tl_data_op_groups, tl_data_op_groups_len);
	for (char *line = strtok_r(text, "\n", &save_line); line; line = strtok_r(NULL, "\n", &save_line)) {
		if (*line == '#')
			continue;
		TL_GROW(g->names, g->cap, g->n + 1);
		struct tl_op_name *n = &g->names[g->n++];
		const char *use = strtok_r(line, "\t", &save);
		n->use = strcmp(use, "breakdown") ? TL_GROUP_SHEET : TL_GROUP_BREAKDOWN;
		n->group = group_index(g, n->use, strtok_r(NULL, "\t", &save));
		g->launching |= strcmp(use, "launching") ? 0 : 1u << n->group;
		n->starts = !strcmp(strtok_r(NULL, "\t", &save), "starts");
		n->name = strtok_r(NULL, "\t", &save);
	}
}

void tl_op_groups_release(struct tl_op_groups *g)
{
	free(g->names);
	tl_arena_release(&g->arena);
	*g = (struct tl_op_groups){ 0 };
}

uint32_t tl_op_groups_of(const struct tl_op_groups *g, enum tl_op_group_use use, const char *name)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < g->n; i++) {
		const struct tl_op_name *n = &g->names[i];
		if (n->use == use && (n->starts ? tl_starts_with(name, n->name) : !strcmp(name, n->name)))
			bits |= 1u << n->group;
	}
	return bits;
}
