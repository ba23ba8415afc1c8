/* group_names.c - names of process groups, where groups of other ranks have the same name.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/group_names.h"

#include "base/map.h"
#include "base/text.h"
#include "sheets/collectives.h"

#include <stdlib.h>

/* Whether a group, by the ids of its name and its list of ranks, keeps its name; and 1 by a name that some group has. */
enum { KEEPS = 1, GETS_ITS_OWN };

struct tl_group_names {
	struct tl_strtab texts;
	struct tl_map answers;
	struct group { uint32_t name, list; } *groups; size_t n, cap;
	size_t changed;
};

struct tl_group_names *tl_group_names_new(void)
{
	return tl_calloc(1, sizeof(struct tl_group_names));
}

void tl_group_names_free(struct tl_group_names *g)
{
	if (!g)
		return;
	tl_strtab_release(&g->texts);
	tl_map_release(&g->answers);
	free(g->groups);
	free(g);
}

size_t tl_group_names_changed(const struct tl_group_names *g)
{
	return g->changed;
}

bool tl_next_rank(const char **text, int64_t *rank)
{
	const char *s = *text;

	while (*s && !tl_is_digit(*s))
		s++;
	if (!*s)
		return false;
	*rank = strtoll(s, (char **)text, 10);
	return true;
}

static bool share_a_rank(const char *list, const char *other)
{
	int64_t a, b;

	while (tl_next_rank(&list, &a))
		for (const char *s = other; tl_next_rank(&s, &b); )
			if (a == b)
				return true;
	return false;
}

static bool is_apart(const struct tl_group_names *g, uint32_t name, uint32_t list)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->groups[i].name == name && share_a_rank(tl_str(&g->texts, g->groups[i].list), tl_str(&g->texts, list)))
			return false;
	return true;
}

static uint32_t answer(struct tl_group_names *g, uint32_t name, uint32_t list)
{
	bool is_new;
	uint32_t *known = tl_map_put(&g->answers, (uint64_t)name << 32 | list, &is_new), is;

	if (!is_new)
		return *known;
	is = tl_map_get(&g->answers, name) && is_apart(g, name, list) ? GETS_ITS_OWN : KEEPS;
	*known = is;
	*tl_map_put(&g->answers, name, NULL) = 1;
	TL_PUSH(g->groups, g->n, g->cap, (struct group){ name, list });
	g->changed += is == GETS_ITS_OWN;
	return is;
}

/* The name that a group has, an id of the part. */
static uint32_t name_of(struct tl_group_names *g, struct tl_rank_part *p, uint32_t name, uint32_t list)
{
	uint32_t name_id = tl_intern(&g->texts, tl_str(&p->strings, name), tl_str_len(&p->strings, name));
	uint32_t list_id = tl_intern(&g->texts, tl_str(&p->strings, list), tl_str_len(&p->strings, list));
	struct tl_buf b = { 0 };

	if (answer(g, name_id, list_id) == KEEPS)
		return name;
	tl_buf_addf(&b, "%s %s", tl_str(&g->texts, name_id), tl_str(&g->texts, list_id));
	name = tl_intern(&p->strings, b.data, b.len);
	tl_buf_release(&b);
	return name;
}

void tl_group_names_set(struct tl_group_names *g, struct tl_rank_part *p)
{
	struct tl_map known = { 0 }; /* name and list, ids of the part -> the name that it gets */

	for (size_t row = 0; row < p->rows->n_rows; row++) {
		struct tl_cell name = tl_table_cell(p->rows, row, COLL_PROCESS_GROUP_NAME), list = tl_table_cell(p->rows, row, COLL_PROCESS_GROUP_RANKS);
		bool is_new;
		if (name.type != TL_CELL_TEXT || list.type != TL_CELL_TEXT)
			continue;
		uint32_t *gets = tl_map_put(&known, (uint64_t)name.text << 32 | list.text, &is_new);
		if (is_new)
			*gets = name_of(g, p, name.text, list.text);
		if (*gets != name.text)
			tl_table_set(p->rows, row, COLL_PROCESS_GROUP_NAME, tl_cell_text(*gets));
	}
	tl_map_release(&known);
}
