/* align.c - which collective of one rank is which of another, and how far their clocks are apart.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/align.h"

#include "work/spans.h"
#include "base/map.h"
#include "base/strings.h"
#include "table/statistics.h"

#include <stdlib.h>
#include <string.h>

/* Each rank numbers its collectives of a group from 0, but one whose recording began late lacks the first ones; and each trace has
 * a clock of its own. Both show in the ends of collectives that all ranks must join, which end everywhere at about one moment. If
 * the collective i of a rank is i + shift of another, the difference of their ends is that of the two clocks, each time. With a
 * wrong shift it varies, as the times between collectives do:
 *
 *     a ends at     0    10    40    60    65
 *     b ends at               1040  1060  1065    the first two are not recorded
 *     shift 0     1040  1050  1025                what b's i-th end is behind a's i-th
 *     shift 1           1030  1020  1005
 *     shift 2                 1000  1000  1000    so it is 2, and b's clock is 1000 ahead
 *
 * The spread of a shift is the median distance of its differences from their median. What shift 1 of a rank against itself shows
 * is how much the times between collectives vary. A spread far below that is good enough for shift 0. Another shift counts if
 * all its pairs are of one type, dtype and size, if enough of them overlap, and if its spread is less than a quarter of those of
 * smaller shifts. A rank that no shift fits is lost. Where the library numbered the collectives on all ranks of a group, these
 * numbers pair them. Each group compares its ranks with one of them; clocks.c puts the groups together. */
enum {
	FEWEST = 6,          /* pairs of collectives that can tell a shift */
	REFERENCES = 3,      /* so many ranks of a group are tried as the one that others are compared with */
	ROOM = 1 << 18,      /* collectives that are kept of all ranks, of one group each */
	AGREE_US = 50,       /* ends of one collective that differ by less are no sign of a wrong order */
};

/* A rank in a group. */
struct member {
	size_t rank;
	struct tl_align_event *events; size_t n;
	bool regular;        /* each collective has a sequence number, which is above the one before */
	int64_t shift, first; /* shift; the first sequence number */
	bool lost;
};

struct group {
	struct member *members; size_t n, cap;
	bool by_sequence, transfers;
	int64_t first;       /* the lowest sequence number */
};

struct tl_align {
	size_t n_ranks;
	struct tl_strtab names;      /* ids are 1 + indices of groups */
	struct group *groups; size_t n, cap;
	struct tl_map member_of;     /* group id and rank -> index of the member */
	struct tl_clocks *clocks;
	int64_t agree;               /* ticks of AGREE_US */
	int64_t differences[TL_ALIGN_MOST];
};

struct tl_align *tl_align_new(size_t ranks)
{
	struct tl_align *a = tl_calloc(1, sizeof *a);

	a->n_ranks = ranks;
	a->clocks = tl_clocks_new(ranks);
	return a;
}

void tl_align_free(struct tl_align *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->n; i++) {
		for (size_t k = 0; k < a->groups[i].n; k++)
			free(a->groups[i].members[k].events);
		free(a->groups[i].members);
	}
	free(a->groups);
	tl_strtab_release(&a->names);
	tl_map_release(&a->member_of);
	tl_clocks_free(a->clocks);
	free(a);
}

static uint64_t key_of(uint32_t group, size_t rank)
{
	return (uint64_t)group << 32 | rank;
}

void tl_align_add(struct tl_align *a, const char *group, size_t len, size_t rank, const struct tl_align_event *events, size_t n)
{
	uint32_t id = tl_intern(&a->names, group, len);
	size_t room = ROOM / (a->n_ranks + 1), most = room < FEWEST * 4 ? FEWEST * 4 : room < TL_ALIGN_MOST ? room : TL_ALIGN_MOST;
	size_t kept = n < most ? n : most;
	struct member m = { .rank = rank, .n = kept, .regular = true, .first = n ? events[0].sequence : 0 };

	if (id > a->n) {
		TL_PUSH(a->groups, a->n, a->cap, (struct group){ .by_sequence = true });
	}
	struct group *g = &a->groups[id - 1];
	for (size_t i = 0; i < n; i++)
		m.regular = m.regular && events[i].sequence >= 0 && (!i || events[i].sequence > events[i - 1].sequence);
	m.events = tl_alloc((kept + 1) * sizeof *m.events);
	memcpy(m.events, events, kept * sizeof *m.events);
	*tl_map_put(&a->member_of, key_of(id, rank), NULL) = (uint32_t)g->n;
	TL_PUSH(g->members, g->n, g->cap, m);
}

void tl_align_add_transfers(struct tl_align *a, const char *pair, size_t len, size_t rank, const struct tl_align_event *events, size_t n)
{
	tl_align_add(a, pair, len, rank, events, n);
	a->groups[tl_strtab_find(&a->names, pair, len) - 1].transfers = true;
}

/* ---- how two ranks fit ------------------------------------------------------------------------------- */

struct fit { int64_t shift, offset, spread; size_t pairs; bool differ; }; /* differ: a pair is of two kinds */

/* Makes offset and spread of the differences. */
static void measure(struct tl_align *a, struct fit *f)
{
	int64_t *d = a->differences;

	f->offset = tl_median_int(d, f->pairs, true);
	for (size_t i = 0; i < f->pairs; i++)
		d[i] = d[i] < f->offset ? tl_ticks_sub(f->offset, d[i]) : tl_ticks_sub(d[i], f->offset);
	f->spread = tl_median_int(d, f->pairs, true);
}

static void take_pair(struct tl_align *a, struct fit *f, const struct tl_align_event *x, const struct tl_align_event *y)
{
	f->differ = f->differ || x->kind != y->kind;
	if (x->together && y->together)
		a->differences[f->pairs++] = tl_ticks_sub(y->end, x->end);
}

/* The collective i of the rank m is i + shift of the rank r. */
static struct fit fit_by_shift(struct tl_align *a, const struct member *r, const struct member *m, int64_t shift)
{
	struct fit f = { .shift = shift };

	for (int64_t i = shift < 0 ? -shift : 0; i < (int64_t)m->n && i + shift < (int64_t)r->n; i++)
		take_pair(a, &f, &r->events[i + shift], &m->events[i]);
	measure(a, &f);
	return f;
}

static struct fit fit_by_sequence(struct tl_align *a, const struct member *r, const struct member *m)
{
	struct fit f = { .shift = 0 };

	for (size_t i = 0, k = 0; i < m->n && k < r->n; ) {
		int64_t x = r->events[k].sequence, y = m->events[i].sequence;
		if (x == y)
			take_pair(a, &f, &r->events[k], &m->events[i]);
		k += x <= y;
		i += y <= x;
	}
	f.differ = false; /* the library knows better */
	measure(a, &f);
	return f;
}

/* How much the times between the collectives of a rank vary: what a shift by one would show. */
static int64_t variation(struct tl_align *a, const struct member *m)
{
	struct fit f = fit_by_shift(a, m, m, 1);

	return f.spread;
}

/* The shift with the least spread, by itself the one nearest to 0 that is far better than those nearer. */
static struct fit best_fit(struct tl_align *a, const struct member *r, const struct member *m, int64_t varies)
{
	struct fit best = fit_by_shift(a, r, m, 0);
	size_t fewer = r->n < m->n ? r->n : m->n, least = fewer / 2 > FEWEST ? fewer / 2 : FEWEST;
	int64_t most = (int64_t)(r->n > m->n ? r->n : m->n);

	if (best.pairs < FEWEST || (!best.differ && best.spread <= varies / 8))
		return best;
	for (int64_t k = 1; k < most; k++)
		for (int sign = -1; sign <= 1; sign += 2) {
			struct fit f = fit_by_shift(a, r, m, sign * k);
			if (f.pairs >= least && !f.differ && (best.differ || f.spread < best.spread / 4))
				best = f;
		}
	return best;
}

/* ---- groups --------------------------------------------------------------------------------------------- */

/* Fits all members to one; returns how many do not. */
static size_t fit_group(struct tl_align *a, struct group *g, size_t reference, bool by_number, struct fit *fits)
{
	const struct member *r = &g->members[reference];
	int64_t varies = variation(a, r);
	size_t lost = 0;

	for (size_t i = 0; i < g->n; i++) {
		struct member *m = &g->members[i];
		struct fit *f = &fits[i];
		*f = i == reference ? (struct fit){ .pairs = 0 } : g->by_sequence ? fit_by_sequence(a, r, m) :
			by_number ? fit_by_shift(a, r, m, 0) : best_fit(a, r, m, varies);
		m->shift = f->shift;
		m->lost = !by_number && !g->by_sequence && f->pairs >= FEWEST && f->spread > a->agree && f->spread > varies / 2;
		lost += m->lost;
	}
	return lost;
}

/* The rank that most others fit to. */
static size_t choose_reference(struct tl_align *a, struct group *g, bool by_number, struct fit *fits)
{
	size_t best = 0, least = SIZE_MAX;

	for (size_t i = 0; i < g->n && i < REFERENCES && least; i++) {
		size_t lost = fit_group(a, g, i, by_number, fits);
		if (lost < least) {
			least = lost;
			best = i;
		}
		if (lost * 2 < g->n)
			break;
	}
	return best;
}

/* Shifts become numbers of collectives that a rank lacks at its start. */
static void settle_shifts(struct group *g)
{
	int64_t least = 0;

	g->first = INT64_MAX;
	for (size_t i = 0; i < g->n; i++) {
		const struct member *m = &g->members[i];
		least = m->shift < least ? m->shift : least;
		g->first = m->first < g->first ? m->first : g->first;
	}
	for (size_t i = 0; i < g->n; i++)
		g->members[i].shift = g->by_sequence ? g->members[i].first - g->first : g->members[i].shift - least;
}

static void find_pair(struct tl_align *a, const struct group *g)
{
	if (g->n != 2)
		return;
	struct fit f = best_fit(a, &g->members[0], &g->members[1], variation(a, &g->members[0]));
	if (f.pairs)
		tl_clocks_add(a->clocks, g->members[0].rank, g->members[1].rank, f.offset, f.spread, 0);
}

static void find_group(struct tl_align *a, struct group *g, bool by_number, struct tl_aligned *found)
{
	if (g->transfers) {
		find_pair(a, g);
		return;
	}
	struct fit *fits = tl_calloc(g->n + 1, sizeof *fits);

	for (size_t i = 0; i < g->n; i++)
		g->by_sequence = g->by_sequence && !by_number && g->members[i].regular;
	size_t reference = choose_reference(a, g, by_number, fits);
	fit_group(a, g, reference, by_number, fits);
	int64_t varies = variation(a, &g->members[reference]);
	bool any = false;
	settle_shifts(g);
	for (size_t i = 0; i < g->n && g->n > 1; i++) {
		const struct member *m = &g->members[i];
		bool sure = fits[i].pairs >= FEWEST && (g->by_sequence || fits[i].spread <= varies / 4);
		any = any || sure;
		struct tl_aligned *r = &found[m->rank];
		r->groups++;
		r->lost = r->lost || m->lost;
		r->sure = r->sure || (sure && i != reference);
		r->shift = r->shift ? r->shift : m->shift;
		r->shifted += m->shift != 0;
		if (fits[i].pairs && !m->lost)
			tl_clocks_add(a->clocks, g->members[reference].rank, m->rank, fits[i].offset, fits[i].spread, fits[i].pairs);
	}
	found[g->members[reference].rank].sure |= any;
	free(fits);
}

void tl_align_find(struct tl_align *a, bool by_number, int64_t ticks_per_us, struct tl_aligned *found)
{
	struct tl_clock *clocks = tl_alloc((a->n_ranks + 1) * sizeof *clocks);

	a->agree = AGREE_US * ticks_per_us;
	memset(found, 0, a->n_ranks * sizeof *found);
	for (size_t i = 0; i < a->n; i++)
		find_group(a, &a->groups[i], by_number, found);
	tl_clocks_find(a->clocks, clocks);
	for (size_t i = 0; i < a->n_ranks; i++)
		found[i].clock = clocks[i];
	free(clocks);
}

int64_t tl_align_number(const struct tl_align *a, const char *group, size_t len, size_t rank, int64_t index, int64_t sequence)
{
	uint32_t id = tl_strtab_find(&a->names, group, len);
	const uint32_t *member = id ? tl_map_get(&a->member_of, key_of(id, rank)) : NULL;

	if (!member)
		return index;
	const struct group *g = &a->groups[id - 1];
	return g->by_sequence ? sequence - g->first : index + g->members[*member].shift;
}
