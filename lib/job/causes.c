/* causes.c - what a job loses, by what: the causes that cost most, each moment once.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/replay_parts.h"

#include "base/merge_sort.h"
#include "table/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Candidates are those with most excess. Each is replayed alone, all in one pass; the one that saves most is removed, and the rest replayed
 * without it, until one saves less than LEAST of the job. A loss is what a cause saves then, so losses add up to what the job takes
 * less without all of them. Causes of which each hides the others save nothing alone: at last, those that are left are removed one after the
 * other, and what several save together is shared out evenly. */
static const double LEAST = 0.001, SLOW_STAGE = 1.05, HOT_EXPERT = 1.25;

struct finding {
	struct tl_replay *r;
	const struct tl_links *links;
	struct tl_cause *found; size_t n, cap;   /* candidates; those that are causes stand first in the end */
	double *expert_factors, *stage_factors;
	int64_t slow_stage; double slow_factor;
	size_t *absent;                          /* by group that lacks ranks: the first one that lacks the same */
	uint32_t *masks;                         /* room for struct replay_removed */
	double recorded;
};

/* ---- candidates ------------------------------------------------------------------------------------------- */

static void add_candidate(struct finding *f, struct tl_cause c)
{
	TL_PUSH(f->found, f->n, f->cap, c);
}

static double steps_of(const struct replay_rank *r)
{
	return (double)(r->steps > 0 ? r->steps : 1);
}

/* Too much in a step. */
static double growth_of(const struct replay_rank *r, int what)
{
	return r->lines[what].e ? (double)r->lines[what].e[r->places - 1] : 0;
}

static void add_ranks(struct finding *f)
{
	for (size_t i = 0; i < f->r->n; i++) {
		const struct replay_rank *r = &f->r->ranks[i];
		double compute = growth_of(r, TL_OWN_COMPUTE), idle = growth_of(r, TL_OWN_IDLE), paused = 0;
		for (size_t k = 0; k < r->n_pauses; k++)
			paused += r->pauses[k].ticks;
		if (compute + idle > 0)
			add_candidate(f, (struct tl_cause){ TL_CAUSE_RANK, .first = i, .n = 1, .compute = compute, .idle = idle, .excess = (compute + idle) * steps_of(r) });
		if (paused > 0)
			add_candidate(f, (struct tl_cause){ TL_CAUSE_PAUSES, .first = i, .n = 1, .idle = paused, .excess = paused });
	}
}

/* A node of neighbours whose ranks are slow alike, half of them or more: each has at least half of what the slowest of it has. */
static void add_nodes(struct finding *f, const int64_t *nodes)
{
	for (size_t first = 0, past; nodes && first < f->r->n; first = past) {
		double compute = 0, idle = 0, most = 0;
		size_t slow = 0;
		for (past = first; past < f->r->n && nodes[past] == nodes[first]; past++)
			most = fmax(most, growth_of(&f->r->ranks[past], TL_OWN_COMPUTE) + growth_of(&f->r->ranks[past], TL_OWN_IDLE));
		for (size_t i = first; i < past; i++) {
			double c = growth_of(&f->r->ranks[i], TL_OWN_COMPUTE), d = growth_of(&f->r->ranks[i], TL_OWN_IDLE);
			slow += c + d > most / 2;
			compute += c / (double)(past - first);
			idle += d / (double)(past - first);
		}
		if (slow > 1 && 2 * slow >= past - first && past - first < f->r->n && compute + idle > 0)
			add_candidate(f, (struct tl_cause){ TL_CAUSE_NODE, .first = first, .n = past - first, .compute = compute, .idle = idle,
				.excess = (compute + idle) * steps_of(&f->r->ranks[first]) });
	}
}

/* The rank without a trace that a group waits for; -1: one of several. It is the only one that the group lacks or, of several, the one for which
 * groups that lack no other wait longest. */
static int64_t awaited_by(const struct finding *f, size_t group, const double *excess)
{
	int64_t best = -1;
	double most = 0;

	for (size_t i = 0; i < f->r->n_absent; i++) {
		double sum = 0;
		if (f->r->absent[i].group != group)
			continue;
		for (size_t k = 0; k < f->r->n_absent; k++)
			if (f->r->absent[k].rank == f->r->absent[i].rank && f->r->groups[f->r->absent[k].group].n_absent == 1)
				sum += excess[f->r->absent[k].group];
		if (f->r->groups[group].n_absent == 1 || sum > most) {
			best = f->r->absent[i].rank;
			most = sum;
		}
	}
	return best;
}

/* Ranks without a trace, for which groups wait longer than others alike do. */
static void add_absent(struct finding *f)
{
	struct tl_cause *of = tl_calloc(f->r->n_groups + 1, sizeof *of);
	double *excess = tl_calloc(f->r->n_groups + 1, sizeof *excess);

	for (size_t i = 0; i < f->r->lates.n; i++)
		for (size_t k = 0; k < f->r->lates.items[i].n; k++)
			excess[f->r->lates.items[i].group] += fmax((double)f->r->lates.items[i].ticks[k] - f->r->lates.items[i].usual, 0);
	for (size_t g = 0; g < f->r->n_groups; g++) {
		if (!(excess[g] > 0))
			continue;
		int64_t rank = awaited_by(f, g, excess);
		size_t first = 0;
		while (first != g && (rank < 0 || !(of[first].excess > 0) || of[first].absent != rank))
			first++;
		f->absent[g] = first;
		of[first].excess += excess[g];
		of[first].absent = rank;
	}
	for (size_t i = 0; i < f->r->lates.n; i++)
		if (f->absent[f->r->lates.items[i].group] != SIZE_MAX)
			of[f->absent[f->r->lates.items[i].group]].idle += (double)f->r->lates.items[i].n;
	for (size_t i = 0; i < f->r->n_groups; i++)
		if (of[i].excess > 0)
			add_candidate(f, (struct tl_cause){ TL_CAUSE_ABSENT, .group = i, .absent = of[i].absent, .idle = of[i].excess / of[i].idle, .excess = of[i].excess });
	free(of);
	free(excess);
}

static void add_groups(struct finding *f)
{
	for (size_t i = 0; i < f->r->n_links; i++) {
		size_t n;
		struct tl_link_sum s = tl_links_one(f->links, i, &n);
		struct replay_group *g = &f->r->groups[f->r->link_groups[i]];
		g->over += tl_replay_link_over(&s) * (double)n;
		g->n_over += tl_replay_link_over(&s) > 0 ? n : 0;
		g->compared = g->compared || s.peers;
	}
	for (size_t i = 0; i < f->r->n_groups; i++)
		if (f->r->groups[i].over > 0)
			add_candidate(f, (struct tl_cause){ TL_CAUSE_GROUP, .group = i, .excess = f->r->groups[i].over,
				.idle = f->r->groups[i].over / (double)f->r->groups[i].n_over });
}

/* Grouped GEMMs of the ranks of each group: all would have the mean if tokens were spread evenly. */
static void add_experts(struct finding *f)
{
	struct of_group { double sum, most; size_t n, most_rank; } *groups = tl_calloc(f->r->n_groups + 1, sizeof *groups);

	for (size_t i = 0; i < f->r->n; i++) {
		const struct replay_rank *r = &f->r->ranks[i];
		f->expert_factors[i] = 1;
		if (r->expert_group == SIZE_MAX || r->experts <= 0)
			continue;
		struct of_group *g = &groups[r->expert_group];
		g->sum += (double)r->experts;
		g->n++;
		if ((double)r->experts > g->most) {
			g->most = (double)r->experts;
			g->most_rank = i;
		}
	}
	for (size_t i = 0; i < f->r->n; i++) {
		const struct replay_rank *r = &f->r->ranks[i];
		if (r->expert_group != SIZE_MAX && r->experts > 0)
			f->expert_factors[i] = groups[r->expert_group].sum / (double)groups[r->expert_group].n / (double)r->experts;
	}
	for (size_t i = 0; i < f->r->n_groups; i++) {
		const struct of_group *g = &groups[i];
		double mean = g->n ? g->sum / (double)g->n : 0;
		if (g->n > 1 && g->most > HOT_EXPERT * mean)
			add_candidate(f, (struct tl_cause){ TL_CAUSE_EXPERTS, .group = i, .first = g->most_rank, .n = 1,
				.compute = (g->most - mean) / steps_of(&f->r->ranks[g->most_rank]), .excess = g->most - mean });
	}
	free(groups);
}

/* What a stage computes is what its lower-median rank does: where only some of its ranks are slow, it is they. */
static void add_stage(struct finding *f)
{
	size_t n = (size_t)f->r->stages, slowest = 0;
	double *own = tl_calloc(n + 1, sizeof *own), *others = tl_alloc((n + 1) * sizeof *others), mean = 0;
	int64_t *of_ranks = tl_alloc((f->r->n + 1) * sizeof *of_ranks);
	size_t first = 0, known = 0, k = 0;

	for (size_t s = 0; s < n; s++) {
		size_t ranks = 0;
		for (size_t i = 0; i < f->r->n; i++)
			if (f->r->ranks[i].known && f->r->ranks[i].stage == (int64_t)s)
				of_ranks[ranks++] = f->r->ranks[i].compute;
		own[s] = (double)tl_median_int(of_ranks, ranks, false);
		known += own[s] > 0;
		mean += own[s];
		slowest = own[s] > own[slowest] ? s : slowest;
	}
	mean /= known ? (double)known : 1;
	for (size_t s = 0; s < n; s++) {
		if (own[s] > 0 && s != slowest)
			others[k++] = own[s];
		f->stage_factors[s] = own[s] > 0 ? mean / own[s] : 1;
	}
	double usual = tl_median(others, k);
	f->slow_stage = -1;
	if (k && own[slowest] > SLOW_STAGE * usual) {
		while (f->r->ranks[first].stage != (int64_t)slowest)
			first++;
		f->slow_stage = (int64_t)slowest;
		f->slow_factor = usual / own[slowest];
		add_candidate(f, (struct tl_cause){ TL_CAUSE_STAGE, .stage = (int64_t)slowest, .first = first, .n = 1,
			.compute = (own[slowest] - usual) / steps_of(&f->r->ranks[first]), .excess = own[slowest] - usual });
	}
	free(own);
	free(others);
	free(of_ranks);
}

/* ---- replays ------------------------------------------------------------------------------------------------ */

/* Is the rank that groups wait for in a group of a rank that does too much itself? Then it may have waited for that one, and nothing tells
 * that apart: what it is late counts for the one at hand, if that does enough too much. */
static bool may_follow(const struct finding *f, const struct tl_cause *absent, const struct tl_cause *c)
{
	size_t groups = 0;
	bool met = false;

	if (absent->kind != TL_CAUSE_ABSENT || (c->kind != TL_CAUSE_RANK && c->kind != TL_CAUSE_NODE && c->kind != TL_CAUSE_PAUSES))
		return false;
	for (size_t i = 0; i < f->r->n_groups; i++)
		groups += f->absent[i] == absent->group;
	if (2 * c->excess * (double)groups < absent->excess)
		return false;
	for (size_t i = 0; i < f->r->n_absent && !met; i++) {
		const struct replay_absent *a = &f->r->absent[i];
		if (absent->absent >= 0 ? a->rank != absent->absent : !tl_map_get(&f->r->lacking, tl_key_of_two((uint32_t)absent->group, (uint32_t)a->rank)))
			continue;
		for (size_t rank = c->first; rank < c->first + c->n && !met; rank++)
			met = tl_map_get(&f->r->members, tl_key_of_two((uint32_t)a->group, (uint32_t)rank)) != NULL;
	}
	return met;
}

static void remove_cause(const struct finding *f, struct replay_removed *off, const struct tl_cause *c, uint32_t bits)
{
	uint32_t *own = c->kind == TL_CAUSE_PAUSES ? off->pauses : off->own;

	if (c->kind == TL_CAUSE_GROUP)
		off->links[c->group] |= bits;
	else if (c->kind == TL_CAUSE_EXPERTS)
		off->experts[c->group] |= bits;
	else if (c->kind == TL_CAUSE_STAGE)
		off->as_others |= bits;
	else if (c->kind == TL_CAUSE_ABSENT)
		for (size_t i = 0; i < f->r->n_groups; i++)
			off->absent[i] |= f->absent[i] == c->group ? bits : 0;
	else
		for (size_t i = c->first; i < c->first + c->n; i++)
			own[i] |= bits;
}

/* A question, in the replays of these bits. */
static void assume(const struct finding *f, struct replay_removed *off, const struct tl_what_if *w, uint32_t bits)
{
	bool all = w->kind == TL_IF_ALL;

	for (size_t i = 0; i < f->r->n; i++) {
		bool median = all || (w->kind == TL_IF_RANK_MEDIAN && w->of == i);
		off->own[i] |= median ? bits : 0;
		off->pauses[i] |= median || w->kind == TL_IF_NO_PAUSES ? bits : 0;
		off->scaled[i] |= w->kind == TL_IF_RANK_COMPUTES && w->of == i ? bits : 0;
	}
	for (size_t i = 0; i < f->r->n_groups; i++) {
		off->links[i] |= all || (w->kind == TL_IF_GROUP_MEDIAN && w->of == i) ? bits : 0;
		off->experts[i] |= all || w->kind == TL_IF_EVEN_EXPERTS ? bits : 0;
		off->absent[i] |= all ? bits : 0;
		off->scaled_groups[i] |= w->kind == TL_IF_GROUP_TAKES && w->of == i ? bits : 0;
	}
	off->as_others |= all ? bits : 0;
	off->balanced |= w->kind == TL_IF_BALANCED ? bits : 0;
}

/* Room for what is removed: nothing is yet. */
static struct replay_removed removed_in(const struct finding *f)
{
	size_t ranks = f->r->n + 1, groups = f->r->n_groups + 1;

	memset(f->masks, 0, (3 * ranks + 4 * groups) * sizeof *f->masks);
	return (struct replay_removed){ .own = f->masks, .pauses = f->masks + ranks, .links = f->masks + 2 * ranks, .experts = f->masks + 2 * ranks + groups,
		.absent = f->masks + 2 * ranks + 2 * groups, .scaled = f->masks + 2 * ranks + 3 * groups, .scaled_groups = f->masks + 3 * ranks + 3 * groups,
		.stage_factors = f->stage_factors, .slow_stage = f->slow_stage, .slow_factor = f->slow_factor };
}

/* Replays n times, in the k-th without the causes of which bit k is set in without[]. */
static enum tl_status replay(struct finding *f, const uint32_t *without, uint32_t balanced, const struct tl_what_if *ifs, size_t n_ifs, size_t n, double *ends,
	struct tl_error *err)
{
	struct replay_removed off = removed_in(f);

	off.balanced = balanced;
	off.ifs = ifs;
	off.n_ifs = n_ifs;
	for (size_t i = 0; i < n_ifs; i++)
		assume(f, &off, &ifs[i], 1u << (i + 1) | 1u << (n_ifs + 1));
	for (size_t i = 0; i < f->n; i++) {
		if (without[i])
			remove_cause(f, &off, &f->found[i], without[i]);
		for (size_t k = 0; k < f->n && without[i]; k++)
			if (may_follow(f, &f->found[k], &f->found[i]))
				remove_cause(f, &off, &f->found[k], without[i]);
	}
	return tl_replay_pass(f->r, f->links, &off, f->expert_factors, n, ends, NULL, err);
}

TL_ORDER(by_excess, struct tl_cause, TL_DESC(x->excess) TL_ASC(x->kind) TL_ASC(x->first) TL_ASC(x->group))
TL_ORDER(by_loss, struct tl_cause, TL_DESC(x->loss) TL_DESC(x->excess))

static void swap(struct tl_cause *a, struct tl_cause *b)
{
	struct tl_cause c = *a;

	*a = *b;
	*b = c;
}

/* Takes causes out one after the other: found[0 .. *taken]. */
static enum tl_status take_best(struct finding *f, size_t *taken, double *now, struct tl_error *err)
{
	uint32_t without[TL_CONFIGS];
	double ends[TL_CONFIGS];
	enum tl_status st;

	for (*taken = 0;; ++*taken) {
		size_t best = 0;
		for (size_t i = 0; i < f->n; i++)
			without[i] = i < *taken ? UINT32_MAX : 1u << (i - *taken + 1);
		if ((st = replay(f, without, 0, NULL, 0, f->n - *taken + 1, ends, err)))
			return st;
		if (!*taken) {
			f->recorded = ends[0];
			for (size_t i = 0; i < f->n; i++)
				f->found[i].alone = ends[0] - ends[i + 1];
		}
		*now = ends[0];
		for (size_t k = 1; k < f->n - *taken + 1; k++)
			best = !best || ends[k] < ends[best] ? k : best;
		if (!best || !(ends[best] < *now) || *now - ends[best] < LEAST * f->recorded)
			return TL_OK;
		f->found[*taken + best - 1].loss = *now - ends[best];
		swap(&f->found[*taken], &f->found[*taken + best - 1]);
	}
}

/* Those of which each hides others. */
static enum tl_status take_hidden(struct finding *f, size_t *taken, double *now, struct tl_error *err)
{
	uint32_t without[TL_CONFIGS];
	double ends[TL_CONFIGS];
	size_t left = f->n - *taken, from = *taken;
	enum tl_status st;

	if (!left)
		return TL_OK;
	tl_merge_sort(f->found + *taken, left, sizeof *f->found, by_excess, NULL);
	for (size_t i = 0; i < f->n; i++)
		without[i] = i < *taken ? UINT32_MAX : UINT32_MAX << (i - *taken + 1);
	if ((st = replay(f, without, 0, NULL, 0, left + 1, ends, err)))
		return st;
	for (size_t k = 1; k <= left; k++) {
		double saved = *now - ends[k];
		if (!(saved > 0) || saved < LEAST * f->recorded)
			continue;
		size_t several = f->n - left + k - from; /* since the last one that saved */
		for (size_t i = from; i < from + several; i++)
			f->found[i].loss = saved / (double)several;
		from += several;
		*taken = from;
		*now = ends[k];
	}
	return TL_OK;
}

static enum tl_status find_balanced(struct finding *f, struct tl_error *err)
{
	uint32_t without[TL_CONFIGS] = { 0 };
	double end;
	enum tl_status st = TL_OK;

	for (size_t i = 0; i < f->n && !st; i++) {
		if (f->found[i].kind != TL_CAUSE_STAGE)
			continue;
		st = replay(f, without, 1, NULL, 0, 1, &end, err);
		f->found[i].balanced = f->recorded - end;
	}
	return st;
}

/* Answers the questions, each for itself, and together. */
static enum tl_status answer(struct finding *f, struct tl_what_if *ifs, size_t n, struct tl_error *err)
{
	uint32_t without[TL_CONFIGS] = { 0 };
	double ends[TL_CONFIGS];
	enum tl_status st = n > 1 ? replay(f, without, 0, ifs, n - 1, n + 1, ends, err) : TL_OK;

	for (size_t i = 0; i < n && !st; i++)
		ifs[i].end = ends[i + 1];
	return st;
}

static enum tl_status find_path(struct finding *f, struct tl_replay_result *result, struct tl_error *err)
{
	struct replay_trail trail;
	double end;

	tl_replay_trail_open(&trail, f->r);
	struct replay_removed off = removed_in(f);
	enum tl_status st = tl_replay_pass(f->r, f->links, &off, f->expert_factors, 1, &end, &trail, err);
	if (!st)
		result->path = tl_replay_walk(f->r, &trail, &result->n_path);
	tl_replay_trail_close(&trail);
	return st;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static enum tl_status find_causes(struct tl_replay *r, const struct tl_replay_asked *asked, struct tl_replay_result *result, struct tl_error *err)
{
	struct finding f = { .r = r, .links = asked->links, .expert_factors = tl_alloc((r->n + 1) * sizeof *f.expert_factors),
		.stage_factors = tl_calloc((size_t)r->stages + 1, sizeof *f.stage_factors),
		.masks = tl_alloc((3 * (r->n + 1) + 4 * (r->n_groups + 1)) * sizeof *f.masks),
		.absent = tl_alloc((r->n_groups + 1) * sizeof *f.absent) };
	size_t taken = 0;
	double now = 0;

	add_ranks(&f);
	add_nodes(&f, asked->nodes);
	for (size_t i = 0; i < r->n_groups; i++)
		f.absent[i] = SIZE_MAX;
	add_absent(&f);
	add_groups(&f);
	add_experts(&f);
	add_stage(&f);
	tl_merge_sort(f.found, f.n, sizeof *f.found, by_excess, NULL);
	f.n = f.n < TL_CONFIGS - 1 ? f.n : TL_CONFIGS - 1;
	enum tl_status st = take_best(&f, &taken, &now, err);
	if (!st)
		st = take_hidden(&f, &taken, &now, err);
	if (!st)
		st = find_balanced(&f, err);
	if (!st)
		st = answer(&f, asked->ifs, asked->n_ifs, err);
	if (!st && asked->path)
		st = find_path(&f, result, err);
	free(f.expert_factors);
	free(f.stage_factors);
	free(f.masks);
	free(f.absent);
	if (st) {
		free(f.found);
		return st;
	}
	tl_merge_sort(f.found, taken, sizeof *f.found, by_loss, NULL);
	result->causes = f.found;
	result->n = taken;
	result->recorded = f.recorded;
	result->ideal = now;
	return TL_OK;
}

enum tl_status tl_replay_find(struct tl_replay *r, const struct tl_replay_asked *asked, struct tl_replay_result *result, struct tl_error *err)
{
	r->ticks_per_us = asked->ticks_per_us;
	enum tl_status st = tl_replay_find_usual(r, err);

	*result = (struct tl_replay_result){ .shared = r->n_shared, .slow = SIZE_MAX };
	tl_replay_find_late(r);
	int64_t first = INT64_MAX, last = INT64_MIN;
	for (size_t i = 0; i < r->n && !st; i++) {
		if (r->ranks[i].known) {
			first = r->ranks[i].start < first ? r->ranks[i].start : first;
			last = r->ranks[i].start > last ? r->ranks[i].start : last;
			result->starts_apart = (double)(last - first);
		}
		result->judged_ranks += r->ranks[i].judged || (r->ranks[i].known && r->ranks[i].stage >= 0 && r->stages > 1);
		double more = r->ranks[i].judged ? (growth_of(&r->ranks[i], TL_OWN_COMPUTE) + growth_of(&r->ranks[i], TL_OWN_IDLE)) * steps_of(&r->ranks[i]) : 0;
		result->slow = more > result->slow_more ? i : result->slow;
		result->slow_more = more > result->slow_more ? more : result->slow_more;
		result->steps = r->ranks[i].steps > result->steps ? r->ranks[i].steps : result->steps;
	}
	if (!st)
		st = find_causes(r, asked, result, err);
	for (size_t i = 0; i < r->n_groups; i++) {
		result->groups += r->groups[i].shared;
		result->judged_groups += r->groups[i].shared && r->groups[i].compared;
	}
	return st;
}
