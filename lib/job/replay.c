/* replay.c - the ranks and meetings of a job, and the job replayed.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/replay_parts.h"

#include "base/merge_sort.h"
#include "table/statistics.h"
#include "work/spans.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A seat whose end is up to so much before the last start waits for it: clocks are not exact. */
enum { GRACE_US = 2, KEPT = 16 /* communications of a rank that a later one may wait for, a power of 2 */ };

static const double SLOW_LINK = 1.2; /* times what is usual */

struct tl_replay *tl_replay_new(size_t ranks)
{
	struct tl_replay *r = tl_calloc(1, sizeof *r);

	r->ranks = tl_calloc(ranks + 1, sizeof *r->ranks);
	r->n = ranks;
	r->sums = tl_sorter_new();
	r->meetings = tl_sorter_new();
	for (size_t i = 0; i < ranks; i++) {
		r->ranks[i].stage = -1;
		r->ranks[i].expert_group = SIZE_MAX;
	}
	return r;
}

void tl_replay_free(struct tl_replay *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++) {
		for (int w = 0; w < TL_OWN; w++) {
			free(r->ranks[i].lines[w].x);
			free(r->ranks[i].lines[w].e);
		}
		free(r->ranks[i].pauses);
	}
	tl_sorter_free(r->sums);
	tl_sorter_free(r->meetings);
	free(r->ranks);
	free(r->groups);
	free(r->link_groups);
	free(r->absent);
	for (size_t i = 0; i < r->alikes.n; i++)
		free(r->alikes.items[i].ticks);
	for (size_t i = 0; i < r->lates.n; i++)
		free(r->lates.items[i].ticks);
	TL_KEYED_RELEASE(&r->alikes);
	TL_KEYED_RELEASE(&r->lates);
	tl_map_release(&r->members);
	tl_map_release(&r->lacking);
	free(r);
}

/* ---- the ranks --------------------------------------------------------------------------------------- */

struct kind { uint64_t kind; int64_t n; };
struct kinds TL_KEYED(struct kind);

static void count_kinds(struct kinds *k, const struct tl_replay_comm *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct kind *kind = TL_ITEM(k, c[i].kind, NULL);
		kind->kind = c[i].kind;
		kind->n++;
	}
}

/* Communications of a kind in a step; some may lack in the first step, or be there once before it. */
static int64_t in_step(int64_t n, int64_t steps)
{
	return steps > 1 ? n / steps + (n % steps >= steps - n % steps) : n;
}

void tl_replay_see(struct tl_replay *r, size_t rank, const struct tl_replay_comm *c, size_t n, int64_t steps)
{
	struct replay_rank *to = &r->ranks[rank];
	struct kinds kinds = { 0 };

	count_kinds(&kinds, c, n);
	to->n = (int64_t)n;
	to->role = 0;
	to->places = 0;
	for (size_t i = 0; i < kinds.n; i++) {
		int64_t each = in_step(kinds.items[i].n, steps);
		to->places += each;
		to->role += each ? tl_hash_u64(kinds.items[i].kind ^ tl_hash_u64((uint64_t)each)) : 0; /* in any order */
	}
	to->places = to->places ? to->places : to->n ? to->n : 1;
	to->steps = to->n ? (to->n + to->places - 1) / to->places : 1;
	TL_KEYED_RELEASE(&kinds);
}

void tl_replay_set_stage(struct tl_replay *r, size_t rank, int64_t stage)
{
	r->ranks[rank].stage = stage;
	r->stages = stage >= r->stages ? stage + 1 : r->stages;
}

struct started { int64_t ts; size_t row; };
TL_ORDER(by_start, struct started, TL_ASC(x->ts) TL_ASC(x->row))

/* numbers[row]: by start. */
static void set_edges(struct tl_seat_work *to, const struct tl_comm_edges *from, const struct tl_replay_comm *c, const int64_t *numbers,
	int64_t start, int64_t ts)
{
	to->n = from->n;
	for (size_t i = 0; i < from->n; i++) {
		const struct tl_comm_edge *e = &from->edges[i];
		int64_t begin = e->from == TL_FROM_START ? start : c[e->from].end;
		int64_t slack = tl_ticks_sub(ts, tl_ticks_add(begin, tl_ticks_add(e->compute, tl_ticks_add(e->experts, e->gap))));
		to->edges[i] = (struct tl_seat_edge){ e->from == TL_FROM_START ? TL_FROM_START : numbers[e->from], e->compute, e->experts, e->gap,
			slack < 0 ? 0 : slack };
	}
}

/* How much earlier the work before a communication had ended than the communication that binds it; 0: work binds it. */
static int64_t hidden_before(const struct tl_seat_work *w)
{
	int64_t least = INT64_MAX;
	bool bound = false;

	for (size_t i = 0; i < w->n; i++) {
		const struct tl_seat_edge *e = &w->edges[i];
		bool direct = e->from != TL_FROM_START && !e->compute && !e->experts;
		bound = bound || (direct && !e->slack);
		least = !direct && e->slack < least ? e->slack : least;
	}
	return bound && least < INT64_MAX ? least : 0;
}

enum tl_status tl_replay_take(struct tl_replay *r, size_t rank, const struct tl_replay_comm *c, size_t n, const struct tl_rank_edges *e, int64_t offset,
	struct tl_seat_work *seats, struct tl_error *err)
{
	struct replay_rank *to = &r->ranks[rank];
	struct started *order = tl_alloc((n + 1) * sizeof *order);
	int64_t *numbers = tl_alloc((n + 1) * sizeof *numbers);
	struct kinds left = { 0 };
	struct tl_buf key = { 0 };
	enum tl_status st = TL_OK;

	for (size_t i = 0; i < n; i++)
		order[i] = (struct started){ c[i].ts, i };
	tl_merge_sort(order, n, sizeof *order, by_start, NULL);
	for (size_t i = 0; i < n; i++)
		numbers[order[i].row] = (int64_t)i;
	count_kinds(&left, c, n);
	for (size_t i = 0; i < n && !st; i++) {
		size_t row = order[i].row;
		struct replay_sum sum = { .rank = (uint32_t)rank, .number = (int64_t)i, .own = { e->of[row].compute, e->of[row].idle } };
		struct kind *kind = TL_ITEM(&left, c[row].kind, NULL);
		seats[row].number = (int64_t)i;
		set_edges(&seats[row], &e->of[row], c, numbers, e->start, c[row].ts);
		sum.hidden = hidden_before(&seats[row]);
		tl_buf_clear(&key);
		tl_key_add_int(&key, (int64_t)(to->role ^ tl_hash_u64((uint64_t)to->stage)));
		tl_key_add_int(&key, (int64_t)c[row].kind);
		tl_key_add_int(&key, kind->n--); /* from the last one, as the first may be missing */
		st = tl_sorter_add(r->sums, key.data, key.len, &sum, sizeof sum, err);
	}
	set_edges(&to->last, &e->of[n], c, numbers, e->start, e->end);
	to->known = true;
	to->start = tl_ticks_sub(e->start, offset);
	to->end = tl_ticks_sub(e->end, offset);
	to->compute = e->of[n].compute;
	to->experts = e->of[n].experts;
	TL_KEYED_RELEASE(&left);
	tl_buf_release(&key);
	free(order);
	free(numbers);
	return st;
}

/* ---- the meetings ---------------------------------------------------------------------------------------- */

/* share: what of an all-to-all is left if all ranks have the mean. */
struct head { size_t group, link, n, last_seat; uint32_t alike, late; double share; int64_t last; };
struct seat { size_t rank; int64_t ts, end; struct tl_seat_work work; };

static struct replay_group *group_of(struct tl_replay *r, size_t group)
{
	if (group >= r->n_groups) {
		TL_GROW(r->groups, r->cap_groups, group + 1);
		memset(r->groups + r->n_groups, 0, (group + 1 - r->n_groups) * sizeof *r->groups);
		r->n_groups = group + 1;
	}
	return &r->groups[group];
}

/* What even messages would leave of an all-to-all: the mean of what ranks send or, if that is more, receive, of the most. */
static double even_share(const struct tl_replay_meeting *m)
{
	double in = 0, out = 0, most = 0;

	for (size_t i = 0; i < m->n; i++) {
		in += m->seats[i].in;
		out += m->seats[i].out;
		most = fmax(most, fmax(m->seats[i].in, m->seats[i].out));
	}
	return most > 0 ? fmax(in, out) / (double)m->n / most : 1;
}

/* Notes how long the last seat takes, by which one that is not there shows. */
static void note_alike(struct tl_replay *r, const struct tl_replay_meeting *m, struct head *h)
{
	const struct tl_replay_seat *last = &m->seats[h->last_seat];
	struct replay_alike *a = TL_ITEM(&r->alikes, m->alike, NULL);

	h->alike = (uint32_t)(a - r->alikes.items);
	TL_PUSH(a->ticks, a->n, a->cap, last->end - last->ts);
	if (m->whole)
		return;
	struct replay_late *l = TL_ITEM(&r->lates, tl_key_of_two(h->alike, (uint32_t)m->group), NULL);
	h->late = (uint32_t)(l - r->lates.items);
	l->alike = h->alike;
	l->group = m->group;
	TL_PUSH(l->ticks, l->n, l->cap, last->end - last->ts);
}

TL_ORDER(by_ticks, int64_t, TL_ASC(*x))
TL_ORDER_IN(by_lateness, uint32_t, struct replay_late, TL_ASC(ctx[*x].alike) TL_ASC(ctx[*x].median))

void tl_replay_find_late(struct tl_replay *r)
{
	uint32_t *order = tl_alloc((r->lates.n + 1) * sizeof *order);
	struct replay_late *lates = r->lates.items;

	for (size_t i = 0; i < r->alikes.n; i++) {
		struct replay_alike *a = &r->alikes.items[i];
		tl_merge_sort(a->ticks, a->n, sizeof *a->ticks, by_ticks, NULL);
		a->usual = a->ticks[a->n / 10];
	}
	for (size_t i = 0; i < r->lates.n; i++) {
		for (size_t k = 0; k < lates[i].n; k++)
			lates[i].ticks[k] = tl_replay_lateness(&r->alikes.items[lates[i].alike], lates[i].ticks[k]);
		lates[i].median = (double)tl_median_int(lates[i].ticks, lates[i].n, false);
		order[i] = (uint32_t)i;
	}
	tl_merge_sort(order, r->lates.n, sizeof *order, by_lateness, lates);
	for (size_t from = 0, to; from < r->lates.n; from = to) { /* the median of other groups, the lower one of two */
		for (to = from; to < r->lates.n && lates[order[to]].alike == lates[order[from]].alike; to++)
			;
		size_t n = to - from;
		for (size_t i = 0; i < n; i++)
			lates[order[from + i]].usual = n > 1 ? lates[order[from + tl_middle_of_others(n, i, false)]].median : lates[order[from]].median;
	}
	free(order);
}

void tl_replay_add_absent(struct tl_replay *r, size_t group, int64_t rank)
{
	if (group >= r->n_groups)
		return;
	TL_PUSH(r->absent, r->n_absent, r->cap_absent, (struct replay_absent){ group, rank });
	tl_map_add(&r->lacking, tl_key_of_two((uint32_t)group, (uint32_t)rank));
	r->groups[group].n_absent++;
}

static void add_work(struct tl_buf *b, const struct tl_seat_work *w)
{
	tl_buf_add(b, w, offsetof(struct tl_seat_work, edges) + w->n * sizeof *w->edges);
}

enum tl_status tl_replay_meet(struct tl_replay *r, const struct tl_replay_meeting *m, struct tl_error *err)
{
	struct head h = { .group = m->group, .link = m->link, .n = m->n, .share = m->experts ? even_share(m) : 1, .last = INT64_MIN, .late = UINT32_MAX };
	struct replay_group *g = m->group == SIZE_MAX ? NULL : group_of(r, m->group);
	struct tl_buf key = { 0 }, data = { 0 };

	r->n_shared += m->n > 1;
	if (g)
		g->shared = g->shared || m->n > 1;
	if (m->link != SIZE_MAX) {
		TL_GROW(r->link_groups, r->cap_links, m->link + 1);
		r->link_groups[m->link] = m->group;
		r->n_links = m->link >= r->n_links ? m->link + 1 : r->n_links; /* links come in their order */
	}
	for (size_t i = 0; i < m->n; i++) {
		h.last_seat = m->seats[i].ts > h.last ? i : h.last_seat;
		h.last = m->seats[i].ts > h.last ? m->seats[i].ts : h.last;
	}
	if (g)
		note_alike(r, m, &h);
	tl_key_add_int(&key, h.last);
	tl_buf_add(&data, &h, sizeof h);
	for (size_t i = 0; i < m->n; i++) {
		struct replay_rank *rank = &r->ranks[m->seats[i].rank];
		tl_buf_add(&data, &m->seats[i].rank, sizeof m->seats[i].rank);
		tl_buf_add(&data, &m->seats[i].ts, sizeof m->seats[i].ts);
		tl_buf_add(&data, &m->seats[i].end, sizeof m->seats[i].end);
		add_work(&data, m->seats[i].work);
		if (m->experts)
			rank->expert_group = m->group;
		if (g)
			tl_map_add(&r->members, tl_key_of_two((uint32_t)m->group, (uint32_t)m->seats[i].rank));
	}
	enum tl_status st = tl_sorter_add(r->meetings, key.data, key.len, data.data, data.len, err);
	tl_buf_release(&key);
	tl_buf_release(&data);
	return st;
}

/* ---- a pass ------------------------------------------------------------------------------------------------ */

/* How much earlier, as a negative number, what a rank did ends in each replay: its last KEPT communications. */
struct behind { int64_t number; double shift[TL_CONFIGS]; };
struct passing {
	struct tl_replay *r;
	const struct tl_links *links;
	const struct replay_removed *off;
	const double *expert_factors;
	size_t n;                        /* replays */
	struct behind (*behind)[KEPT];   /* by rank */
	struct seat *seats; size_t cap_seats;
	double (*starts)[TL_CONFIGS]; size_t cap_starts; /* by seat */
	struct replay_trail *trail;
};

/* Times what a rank or group took it takes in a replay, where questions give a factor. */
static double factor_of(const struct replay_removed *off, enum tl_what_if_kind kind, size_t of, size_t replay)
{
	double factor = 1;

	for (size_t i = 0; i < off->n_ifs; i++)
		if (off->ifs[i].kind == kind && off->ifs[i].of == of && (replay == i + 1 || replay == off->n_ifs + 1))
			factor *= off->ifs[i].factor;
	return factor;
}

/* How much less an edge takes in each replay. */
static void find_less(const struct passing *p, size_t rank, const struct tl_seat_edge *e, int64_t number, double *less)
{
	const struct replay_rank *r = &p->r->ranks[rank];
	const struct replay_removed *off = p->off;
	uint32_t own = off->own[rank], pauses = off->pauses[rank], balanced = off->balanced, others = off->as_others;
	uint32_t experts = r->expert_group != SIZE_MAX ? off->experts[r->expert_group] : 0;
	double much[TL_OWN] = { 0, 0 }, paused[TL_OWN] = { 0, 0 }, works[TL_OWN] = { (double)e->compute, (double)e->gap };
	uint32_t scaled = off->scaled[rank];
	int64_t step = tl_replay_step(r, number);
	size_t place = tl_replay_place(r, number);

	for (size_t k = 0; k < p->n; k++)
		less[k] = 0;
	if (!(own | pauses | balanced | others | experts | scaled))
		return;
	for (int w = 0; w < TL_OWN; w++) {
		much[w] = own ? tl_replay_too_much(r, w, place, works[w]) : 0;
		paused[w] = pauses ? tl_replay_paused(r, w, step, place, works[w]) : 0;
	}
	double factor = r->stage >= 0 && off->stage_factors ? off->stage_factors[r->stage] : 1;
	double slow_factor = r->stage >= 0 && r->stage == off->slow_stage ? off->slow_factor : 1;
	for (size_t k = 0; k < p->n; k++) {
		uint32_t bit = 1u << k;
		double compute = works[TL_OWN_COMPUTE], gap = works[TL_OWN_IDLE], expert = (double)e->experts;
		double then = compute - (own & bit ? much[TL_OWN_COMPUTE] : 0) - (pauses & bit ? paused[TL_OWN_COMPUTE] : 0);
		double idle = gap - (own & bit ? much[TL_OWN_IDLE] : 0) - (pauses & bit ? paused[TL_OWN_IDLE] : 0);
		double scale = scaled & bit ? factor_of(off, TL_IF_RANK_COMPUTES, rank, k) : 1;
		then *= (balanced & bit ? factor : others & bit ? slow_factor : 1) * scale;
		less[k] = compute - fmax(then, 0) + gap - fmax(idle, 0) + expert * (1 - (experts & bit ? p->expert_factors[rank] : 1) * scale);
	}
}

/* What a rank waits for, by its number: of what is further back than those that are kept, the oldest of them tells. NULL: it is the start,
 * or it met no other. */
static const struct behind *behind(const struct passing *p, size_t rank, int64_t from)
{
	const struct behind *kept = p->behind[rank], *b = from < 0 ? NULL : &kept[from % KEPT];

	if (!b || b->number < from)
		return NULL;
	for (size_t i = 0; b->number > from && i < KEPT; i++)
		b = kept[i].number > from && kept[i].number < b->number ? &kept[i] : b;
	return b;
}

/* When a seat starts in each replay, less its recorded start. */
static void find_shifts(const struct passing *p, size_t rank, const struct tl_seat_work *w, double *shifts)
{
	double less[TL_CONFIGS];

	for (size_t k = 0; k < p->n; k++)
		shifts[k] = w->n ? -INFINITY : 0;
	for (size_t i = 0; i < w->n; i++) {
		const struct tl_seat_edge *e = &w->edges[i];
		const struct behind *b = behind(p, rank, e->from);
		find_less(p, rank, e, w->number, less);
		for (size_t k = 0; k < p->n; k++) {
			double shift = (b ? b->shift[k] : 0) - less[k] - (double)e->slack;
			shifts[k] = shift > shifts[k] ? shift : shifts[k];
		}
	}
}

double tl_replay_link_over(const struct tl_link_sum *s)
{
	return s->peers && (double)s->ticks > SLOW_LINK * (double)s->usual ? (double)(s->ticks - s->usual) : 0;
}

/* How much shorter a meeting's transfer is in each replay; most: what it takes. */
static void find_transfer(const struct passing *p, const struct head *h, double most, double *less)
{
	size_t n;
	struct tl_link_sum s = { 0, 0, 0 };
	const struct replay_removed *off = p->off;
	bool of_group = h->group != SIZE_MAX;
	uint32_t links = of_group ? off->links[h->group] : 0, experts = of_group ? off->experts[h->group] : 0;
	uint32_t scaled = of_group ? off->scaled_groups[h->group] : 0;

	if (links && h->link != SIZE_MAX)
		s = tl_links_one(p->links, h->link, &n);
	double over = tl_replay_link_over(&s);
	for (size_t k = 0; k < p->n; k++) {
		uint32_t bit = 1u << k;
		double factor = scaled & bit ? factor_of(off, TL_IF_GROUP_TAKES, h->group, k) : 1;
		less[k] = (links & bit ? over : 0) + (experts & bit ? most * (1 - h->share) : 0) + most * (1 - factor);
		less[k] = less[k] < most ? less[k] : most;
	}
}

static void read_seats(struct passing *p, const struct head *h, const char *at)
{
	TL_GROW(p->seats, p->cap_seats, h->n + 1);
	TL_GROW(p->starts, p->cap_starts, h->n + 1);
	for (size_t i = 0; i < h->n; i++) {
		struct seat *s = &p->seats[i];
		memcpy(&s->rank, at, sizeof s->rank);
		memcpy(&s->ts, at += sizeof s->rank, sizeof s->ts);
		memcpy(&s->end, at += sizeof s->ts, sizeof s->end);
		memcpy(&s->work, at += sizeof s->end, offsetof(struct tl_seat_work, edges));
		memcpy(s->work.edges, at += offsetof(struct tl_seat_work, edges), s->work.n * sizeof *s->work.edges);
		at += s->work.n * sizeof *s->work.edges;
	}
}

/* Of a group that lacks ranks: how much later than the last seat at hand the last one comes, in the trace and in each replay. */
static int64_t find_absent(const struct passing *p, const struct head *h, double *late)
{
	const struct seat *last = &p->seats[h->last_seat];
	const struct replay_late *l = h->late == UINT32_MAX ? NULL : &p->r->lates.items[h->late];
	int64_t recorded = l ? tl_replay_lateness(&p->r->alikes.items[h->alike], last->end - last->ts) : 0;

	for (size_t k = 0; k < p->n; k++)
		late[k] = l && p->off->absent[h->group] & 1u << k ? fmin((double)recorded, l->usual) : (double)recorded;
	return recorded;
}

static void take_meeting(struct passing *p, const struct head *h, const char *packed)
{
	int64_t grace = GRACE_US * p->r->ticks_per_us, transfer = INT64_MAX;
	double last[TL_CONFIGS], less[TL_CONFIGS], late[TL_CONFIGS];

	read_seats(p, h, packed);
	int64_t start = h->last + find_absent(p, h, late);
	for (size_t k = 0; k < p->n; k++)
		last[k] = -INFINITY;
	for (size_t i = 0; i < h->n; i++) {
		const struct seat *s = &p->seats[i];
		find_shifts(p, s->rank, &s->work, p->starts[i]);
		if (s->end + grace >= start && s->end - start < transfer)
			transfer = s->end > start ? s->end - start : 0;
		for (size_t k = 0; k < p->n; k++) /* less the recorded start of the last one */
			last[k] = fmax(last[k], p->starts[i][k] + (double)(s->ts - start) + (i == h->last_seat ? late[k] : 0));
	}
	find_transfer(p, h, transfer == INT64_MAX ? 0 : (double)transfer, less);
	for (size_t i = 0; i < h->n; i++) {
		const struct seat *s = &p->seats[i];
		struct behind *b = &p->behind[s->rank][s->work.number % KEPT];
		bool waits = s->end + grace >= start;
		b->number = s->work.number;
		if (p->trail) {
			const struct seat *l = &p->seats[h->last_seat];
			tl_replay_trail_add(p->trail, s->rank, &s->work, &(struct trail_seat){ .ts = s->ts, .late = start - h->last, .last_rank = l->rank,
				.last_number = l->work.number, .group = h->group, .waits = waits });
		}
		for (size_t k = 0; k < p->n; k++)
			b->shift[k] = waits ? last[k] - less[k] : p->starts[i][k];
	}
}

static void clear(struct passing *p)
{
	for (size_t i = 0; i < p->r->n; i++)
		for (size_t k = 0; k < KEPT; k++)
			p->behind[i][k].number = -1;
}

enum tl_status tl_replay_pass(struct tl_replay *r, const struct tl_links *links, const struct replay_removed *off, const double *expert_factors, size_t n,
	double *ends, struct replay_trail *trail, struct tl_error *err)
{
	struct passing p = { .r = r, .links = links, .off = off, .expert_factors = expert_factors, .n = n, .trail = trail,
		.behind = tl_alloc((r->n + 1) * sizeof *p.behind) };
	double shifts[TL_CONFIGS];
	struct tl_sorted next;
	struct head h;
	enum tl_status st;

	clear(&p);
	tl_sorter_rewind(r->meetings);
	while (!(st = tl_sorter_next(r->meetings, &next, err)) && next.data) {
		memcpy(&h, next.data, sizeof h);
		take_meeting(&p, &h, (const char *)next.data + sizeof h);
	}
	int64_t start = INT64_MAX;
	for (size_t i = 0; i < r->n; i++)
		start = r->ranks[i].known && r->ranks[i].start < start ? r->ranks[i].start : start;
	for (size_t k = 0; k < n; k++)
		ends[k] = 0;
	for (size_t i = 0; i < r->n; i++) {
		const struct replay_rank *rank = &r->ranks[i];
		struct tl_seat_work last = rank->last;
		if (!rank->known)
			continue;
		last.number = rank->n - 1;
		find_shifts(&p, i, &last, shifts);
		for (size_t k = 0; k < n; k++)
			ends[k] = fmax(ends[k], (double)tl_ticks_sub(rank->end, start) + shifts[k]);
	}
	free(p.behind);
	free(p.seats);
	free(p.starts);
	return st;
}
