/* test_multi.c - groups of operators.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "check.h"
#include "job/op_groups.h"
#include "vectors.h"

#include <string.h>

/* The groups that have a bit, each with its place among all, a blank between them; "-": none. */
static void list_groups(struct tl_buf *b, const struct tl_op_groups *g, enum tl_op_group_use use, const char *op, bool category)
{
	uint32_t bits = category && use == TL_GROUP_REPLAY ? tl_op_groups_of_category(g, op) : tl_op_groups_of(g, use, op);

	size_t names = use == TL_GROUP_REPLAY ? TL_GROUP_SHEET : use;

	for (size_t i = 0; i < g->n_groups[names]; i++)
		if (bits >> i & 1)
			tl_buf_addf(b, "%s%zu:%s%s", b->len ? " " : "", i + 1, g->groups[names][i],
			            use == TL_GROUP_SHEET && g->launching >> i & 1 ? ":launching" : "");
	if (!b->len)
		tl_buf_adds(b, "-");
}

/* cells: row, operator, its groups among the sheets, those of the breakdown, those that are run again */
static bool groups_so(void *arg, char **cells)
{
	bool so = true;

	for (int use = 0; use < 3; use++) {
		struct tl_buf got = { 0 };
		list_groups(&got, arg, (enum tl_op_group_use)use, cells[1], strstr(cells[0], " category ") != NULL);
		if (strcmp(got.data, cells[2 + use])) {
			printf("row %s: %s: got %s, expected %s\n", cells[0], cells[1], got.data, cells[2 + use]);
			so = false;
		}
		tl_buf_release(&got);
	}
	return so;
}

static void groups(void)
{
	struct tl_op_groups g;

	tl_op_groups_read(&g);
	check_vectors("op-groups", 5, groups_so, &g);
	tl_op_groups_release(&g);
}

int main(void)
{
	groups();
	return failures != 0;
}
