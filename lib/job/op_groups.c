/* op_groups.c - the groups of operators of op-groups.tsv.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/op_groups.h"

#include "base/rows.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

extern const char tl_data_op_groups[];
extern const size_t tl_data_op_groups_len;

/* How the name is compared. */
enum { IS, STARTS, CATEGORY };

/* A new group gets the next number. */
static uint8_t group_index(struct tl_op_groups *g, struct tl_rows *r, uint8_t use)
{
	struct tl_field_text name = r->fields[1];
	size_t i = 0;

	while (i < g->n_groups[use] && !tl_text_is(name.s, name.len, g->groups[use][i]))
		i++;
	if (i == TL_OP_GROUPS)
		return tl_rows_fail(r, name.s, "more than %d groups", TL_OP_GROUPS), 0;
	if (i == g->n_groups[use])
		g->groups[use][g->n_groups[use]++] = tl_rows_text(r, 1, &g->arena);
	return (uint8_t)i;
}

enum tl_status tl_op_groups_add(struct tl_op_groups *g, const char *file, const char *text, size_t len, struct tl_error *err)
{
	static const char *const uses[] = { "sheet", "breakdown", "replay", "launching", NULL }, *const hows[] = { "is", "starts", "category", NULL };
	struct tl_rows r = { .file = file, .text = text, .len = len, .columns = "where, group, how, name", .err = err };

	while (tl_rows_next(&r)) {
		size_t use = tl_rows_word(&r, 0, uses);
		struct tl_op_name n = { .use = use <= TL_GROUP_REPLAY ? (uint8_t)use : TL_GROUP_SHEET };
		n.group = group_index(g, &r, n.use == TL_GROUP_BREAKDOWN ? TL_GROUP_BREAKDOWN : TL_GROUP_SHEET);
		n.how = (uint8_t)tl_rows_word(&r, 2, hows);
		n.name = tl_rows_text(&r, 3, &g->arena);
		g->launching |= use > TL_GROUP_REPLAY ? 1u << n.group : 0;
		g->replayed |= use == TL_GROUP_REPLAY ? 1u << n.group : 0;
		TL_PUSH(g->names, g->n, g->cap, n);
	}
	return r.status;
}

void tl_op_groups_read(struct tl_op_groups *g)
{
	struct tl_error err;

	*g = (struct tl_op_groups){ 0 };
	tl_must(tl_op_groups_add(g, "op-groups", tl_data_op_groups, tl_data_op_groups_len, &err), &err);
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
		if ((n->use == use || (use == TL_GROUP_REPLAY && n->use == TL_GROUP_SHEET)) &&
		    (n->how == STARTS ? tl_starts_with(name, n->name) : n->how == IS && !strcmp(name, n->name)))
			bits |= 1u << n->group;
	}
	return use == TL_GROUP_REPLAY ? bits & g->replayed : bits;
}

uint32_t tl_op_groups_of_category(const struct tl_op_groups *g, const char *category)
{
	uint32_t bits = 0;

	for (size_t i = 0; category && i < g->n; i++)
		if (g->names[i].how == CATEGORY && tl_starts_with(category, g->names[i].name))
			bits |= 1u << g->names[i].group;
	return bits;
}
