/* pairing.c - children of the same name, paired anew by what is below them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "compare/pairing.h"

#include "base/merge_sort.h"

#include <stdlib.h>
#include <string.h>

void tl_pairing_release(struct tl_pairing *p)
{
	tl_strtab_release(&p->levels);
}

/* ---- shapes ------------------------------------------------------------------------------ */

static struct tl_shape shape_of(struct tl_pairing *p, struct tl_side *s, uint32_t event)
{
	struct tl_list level = { 0 }, next = { 0 }, names = { 0 };
	struct tl_shape shape = { 0 };

	tl_list_add(&level, event);
	do {
		next.n = names.n = 0;
		for (size_t i = 0; i < level.n; i++)
			tl_side_children(s, level.items[i], true, &next);
		for (size_t i = 0; i < next.n; i++)
			tl_list_add(&names, tl_side_name(s, next.items[i], false));
		tl_sort_numbers(names.items, names.n);
		shape.levels[shape.n++] = tl_intern(&p->levels, names.n ? (const char *)names.items : "", names.n * sizeof *names.items);
		struct tl_list done = level;
		level = next;
		next = done;
	} while (level.n && shape.n < TL_SHAPE_LEVELS);
	free(level.items);
	free(next.items);
	free(names.items);
	return shape;
}

/* How alike two shapes are: the number of equal levels, and how many names of the next one are. */
static uint64_t likeness(const struct tl_pairing *p, const struct tl_shape *a, const struct tl_shape *b)
{
	uint32_t n = a->n > b->n ? a->n : b->n, same = 0, common = 0, x, y;

	while (same < n && a->levels[same] == b->levels[same])
		same++;
	if (same == n)
		return (uint64_t)n << 32;
	const char *na = tl_str(&p->levels, a->levels[same]), *nb = tl_str(&p->levels, b->levels[same]);
	const char *end_a = na + tl_str_len(&p->levels, a->levels[same]), *end_b = nb + tl_str_len(&p->levels, b->levels[same]);
	while (na < end_a && nb < end_b) {
		memcpy(&x, na, sizeof x);
		memcpy(&y, nb, sizeof y);
		na += x <= y ? sizeof x : 0;
		nb += y <= x ? sizeof y : 0;
		common += x == y;
	}
	return (uint64_t)same << 32 | common;
}

/* ---- the children of one name --------------------------------------------------------------- */

/* Children of a list, and which of the distinct shapes each one has. */
struct half {
	struct tl_list items;            /* ascending */
	uint32_t *shape_of, *next;       /* of an item: its shape; the index of the next item of that shape */
	struct tl_shape *shapes; uint32_t *heads, n_shapes; /* head: the first item of a shape */
	size_t n_bytes;                  /* of the levels of all shapes */
};
struct group { uint32_t name; bool matched; struct half halves[2]; };

struct score { uint64_t like; uint32_t shape[2]; };

/* All that is known of the lists at hand. */
struct work {
	struct tl_pairing *p;
	const struct tl_list *lists;
	struct tl_edits *edits;
	uint32_t *match;            /* of a child of the first list: its match in `edits` */
	uint32_t *now[2];           /* of a child of a list: its new match */
	bool *handled[2];           /* of a child: it is paired anew */
	uint32_t *shape_at;         /* of a child of the second list: its shape, while its name is at hand */
};

static void find_shapes(struct work *w, struct group *g, int s)
{
	struct half *h = &g->halves[s];
	struct tl_strtab known = { 0 };

	tl_sort_numbers(h->items.items, h->items.n);
	h->shape_of = tl_alloc(h->items.n * sizeof *h->shape_of);
	h->next = tl_alloc(h->items.n * sizeof *h->next);
	h->heads = tl_alloc(h->items.n * sizeof *h->heads);
	h->shapes = tl_alloc(h->items.n * sizeof *h->shapes);
	for (size_t i = 0; i < h->items.n; i++) {
		struct tl_shape shape = shape_of(w->p, w->p->sides[s], w->lists[s].items[h->items.items[i]]);
		uint32_t id = tl_intern(&known, (const char *)&shape, sizeof shape) - 1;
		h->shape_of[i] = id;
		if (id < h->n_shapes)
			continue;
		h->shapes[h->n_shapes++] = shape;
		for (uint32_t k = 0; k < shape.n; k++)
			h->n_bytes += tl_str_len(&w->p->levels, shape.levels[k]);
	}
	memset(h->heads, 0xff, h->items.n * sizeof *h->heads);
	for (size_t i = h->items.n; i--;) {
		h->next[i] = h->heads[h->shape_of[i]];
		h->heads[h->shape_of[i]] = (uint32_t)i;
	}
	tl_strtab_release(&known);
}

TL_ORDER(by_score, struct score, TL_DESC(x->like) TL_ASC(x->shape[0]) TL_ASC(x->shape[1]))

static void pair(struct work *w, uint32_t i, uint32_t j)
{
	w->now[0][i] = j;
	w->now[1][j] = i;
}

/* Takes children that have a new match from the beginning of a shape's chain. */
static uint32_t first_free(const struct work *w, struct half *h, int s, uint32_t shape)
{
	uint32_t *head = &h->heads[shape];

	while (*head != TL_NO_ITEM && w->now[s][h->items.items[*head]] != TL_NO_ITEM)
		*head = h->next[*head];
	return *head;
}

/* A child of the first list, and with which shapes of the second one it is to be paired: of the scores
 * from … to - 1. */
struct seeker { uint32_t item; size_t from, to; };

TL_ORDER(by_item, struct seeker, TL_ASC(x->item))

static struct seeker *find_seekers(const struct work *w, struct half *a, const struct score *run, size_t n, size_t *found)
{
	struct seeker *out = NULL;
	size_t cap = 0;

	*found = 0;
	for (size_t from = 0, to; from < n; from = to) {
		uint32_t shape = run[from].shape[0];
		for (to = from + 1; to < n && run[to].shape[0] == shape; to++)
			;
		for (uint32_t i = first_free(w, a, 0, shape); i != TL_NO_ITEM; i = a->next[i]) {
			if (w->now[0][a->items.items[i]] != TL_NO_ITEM)
				continue;
			TL_GROW(out, cap, *found + 1);
			out[(*found)++] = (struct seeker){ a->items.items[i], from, to };
		}
	}
	tl_merge_sort(out, *found, sizeof *out, by_item, NULL);
	return out;
}

/* Pairs children of shapes that are all equally alike: matches first, then in their order. */
static void pair_run(struct work *w, struct group *g, const struct score *run, size_t n)
{
	struct half *b = &g->halves[1];
	size_t n_seekers;
	struct seeker *seekers = find_seekers(w, &g->halves[0], run, n, &n_seekers);

	for (size_t i = 0; i < n_seekers; i++) {
		uint32_t j = w->match[seekers[i].item];
		for (size_t k = seekers[i].from; j != TL_NO_ITEM && k < seekers[i].to; k++)
			if (w->shape_at[j] == run[k].shape[1] && w->now[1][j] == TL_NO_ITEM)
				pair(w, seekers[i].item, j);
	}
	for (size_t i = 0; i < n_seekers; i++) {
		uint32_t best = TL_NO_ITEM;
		if (w->now[0][seekers[i].item] != TL_NO_ITEM)
			continue;
		for (size_t k = seekers[i].from; k < seekers[i].to; k++) {
			uint32_t at = first_free(w, b, 1, run[k].shape[1]);
			if (at < best) /* items are in ascending order */
				best = at;
		}
		if (best != TL_NO_ITEM)
			pair(w, seekers[i].item, b->items.items[best]);
	}
	free(seekers);
}

static void pair_group(struct work *w, struct group *g)
{
	const struct half *a = &g->halves[0], *b = &g->halves[1];
	size_t n = (size_t)a->n_shapes * b->n_shapes, at = 0;
	struct score *scores = tl_alloc(n * sizeof *scores);

	for (size_t i = 0; i < b->items.n; i++)
		w->shape_at[b->items.items[i]] = b->shape_of[i];
	for (uint32_t x = 0; x < a->n_shapes; x++)
		for (uint32_t y = 0; y < b->n_shapes; y++)
			scores[at++] = (struct score){ likeness(w->p, &a->shapes[x], &b->shapes[y]), { x, y } };
	tl_merge_sort(scores, n, sizeof *scores, by_score, NULL);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && scores[to].like == scores[from].like; to++)
			;
		pair_run(w, g, scores + from, to - from);
	}
	for (size_t i = 0; i < b->items.n; i++)
		w->shape_at[b->items.items[i]] = TL_NO_ITEM;
	free(scores);
}

/* ---- all names --------------------------------------------------------------------------------- */

/* The caller frees them. */
static struct group *find_groups(struct work *w, size_t *n)
{
	struct TL_KEYED(struct group) groups = { 0 };

	for (size_t k = 0; k < w->edits->n; k++) {
		const struct tl_edit *e = &w->edits->items[k];
		const uint32_t item[2] = { e->a, e->b };
		for (int s = 0; s < 2; s++) {
			if (item[s] == TL_NO_ITEM)
				continue;
			uint32_t name = tl_side_name(w->p->sides[s], w->lists[s].items[item[s]], false);
			struct group *g = TL_ITEM(&groups, name, NULL);
			g->name = name;
			tl_list_add(&g->halves[s].items, item[s]);
			g->matched |= e->a != TL_NO_ITEM && e->b != TL_NO_ITEM;
		}
	}
	tl_map_release(&groups.numbers);
	*n = groups.n;
	return groups.items;
}

static bool is_ambiguous(const struct group *g)
{
	size_t n = g->halves[0].items.n, m = g->halves[1].items.n;

	return g->matched && n && m && (n > 1 || m > 1);
}

static void handle_group(struct work *w, struct group *g)
{
	for (int s = 0; s < 2; s++)
		find_shapes(w, g, s);
	const struct half *a = &g->halves[0], *b = &g->halves[1];
	/* what scores cost, and what pairing does */
	if ((uint64_t)a->n_shapes * b->n_shapes > TL_PAIRING_MAX || (uint64_t)a->items.n * b->n_shapes > (uint64_t)TL_PAIRING_MAX << 6 ||
	    a->n_bytes * b->n_shapes + b->n_bytes * a->n_shapes > (uint64_t)TL_PAIRING_MAX << 8) {
		w->p->n_left++;
		return;
	}
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < g->halves[s].items.n; i++)
			w->handled[s][g->halves[s].items.items[i]] = true;
	pair_group(w, g);
}

static void replace_edits(struct work *w)
{
	struct tl_edits out = { 0 };

	for (size_t k = 0; k < w->edits->n; k++) {
		const struct tl_edit *e = &w->edits->items[k];
		if (!(e->a != TL_NO_ITEM && w->handled[0][e->a]) && !(e->b != TL_NO_ITEM && w->handled[1][e->b]))
			tl_edits_add(&out, e->a, e->b);
	}
	for (uint32_t i = 0; i < w->lists[0].n; i++)
		if (w->now[0][i] != TL_NO_ITEM)
			tl_edits_add(&out, i, w->now[0][i]);
	for (uint32_t i = 0; i < w->lists[0].n; i++)
		if (w->handled[0][i] && w->now[0][i] == TL_NO_ITEM)
			tl_edits_add(&out, i, TL_NO_ITEM);
	for (uint32_t j = 0; j < w->lists[1].n; j++)
		if (w->handled[1][j] && w->now[1][j] == TL_NO_ITEM)
			tl_edits_add(&out, TL_NO_ITEM, j);
	free(w->edits->items);
	*w->edits = out;
}

/* n numbers TL_NO_ITEM. */
static uint32_t *no_items(size_t n)
{
	return memset(tl_alloc((n + 1) * sizeof(uint32_t)), 0xff, (n + 1) * sizeof(uint32_t));
}

static void pair_groups(struct work *w, struct group *groups, size_t n)
{
	bool changed = false;

	w->match = no_items(w->lists[0].n);
	w->shape_at = no_items(w->lists[1].n);
	for (int s = 0; s < 2; s++) {
		w->now[s] = no_items(w->lists[s].n);
		w->handled[s] = tl_calloc(w->lists[s].n + 1, 1);
	}
	for (size_t k = 0; k < w->edits->n; k++)
		if (w->edits->items[k].a != TL_NO_ITEM)
			w->match[w->edits->items[k].a] = w->edits->items[k].b;
	for (size_t i = 0; i < n; i++)
		if (is_ambiguous(&groups[i]))
			handle_group(w, &groups[i]);
	for (size_t i = 0; i < w->lists[0].n && !changed; i++)
		changed = w->now[0][i] != TL_NO_ITEM && w->now[0][i] != w->match[i];
	if (changed)
		replace_edits(w);
	free(w->match);
	free(w->shape_at);
	for (int s = 0; s < 2; s++) {
		free(w->now[s]);
		free(w->handled[s]);
	}
}

void tl_pair_again(struct tl_pairing *p, const struct tl_list lists[2], struct tl_edits *edits)
{
	struct work w = { .p = p, .lists = lists, .edits = edits };
	size_t n;
	bool any = false;

	if (lists[0].n + lists[1].n < 3)
		return;
	struct group *groups = find_groups(&w, &n);
	for (size_t i = 0; i < n && !any; i++)
		any = is_ambiguous(&groups[i]);
	if (any)
		pair_groups(&w, groups, n);
	for (size_t i = 0; i < n; i++)
		for (int s = 0; s < 2; s++) {
			free(groups[i].halves[s].items.items);
			free(groups[i].halves[s].shape_of);
			free(groups[i].halves[s].next);
			free(groups[i].halves[s].heads);
			free(groups[i].halves[s].shapes);
		}
	free(groups);
}
