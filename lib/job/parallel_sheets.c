/* parallel_sheets.c - how ranks work in parallel: ranks_p2p, which send is which receive, and who waits; ranks_stages, where stages of a
 * pipeline are idle; ranks_experts, how evenly grouped GEMMs and dispatched bytes are spread over ranks.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/rank_sheets.h"

#include "base/merge_sort.h"
#include "sheet/ranks.h"
#include "table/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- transfers, as they come ------------------------------------------------------------------------ */

/* One side of a transfer. */
struct transfer { int64_t ts, dur, exposed; double mib; struct tl_seat_work work; };

enum tl_status tl_transfer_add(struct tl_ranks *r, const struct tl_rank_part *p, size_t row, int64_t rank, const struct tl_seat_work *work,
	struct tl_error *err)
{
	struct tl_cell peer = tl_table_cell(p->rows, row, COLL_PEER), name = tl_table_cell(p->rows, row, COLL_COLLECTIVE_NAME);
	struct tl_cell mib = tl_table_cell(p->rows, row, COLL_IN_MSG_SIZE_MB), group = tl_table_cell(p->rows, row, COLL_PROCESS_GROUP_NAME);
	const char *type = tl_name_rules_find(r->types, tl_str(&p->strings, name.text), tl_str_len(&p->strings, name.text));
	bool receives = !strcmp(type, "recv");
	int64_t ts = tl_table_cell(p->rows, row, COLL_TS).i;
	struct transfer t = { r->job->reference_clocks ? tl_by_one_clock(r, tl_rank_number(r, rank), ts) : ts, tl_table_cell(p->rows, row, COLL_DUR).i,
		tl_table_cell(p->rows, row, COLL_EXPOSED).i, tl_cell_is_null(mib) ? 0 : tl_cell_number(mib, 1), *work };
	struct tl_buf key = { 0 };

	if (peer.type != TL_CELL_INT || !strcmp(type, "transfer")) {
		r->report->no_peer++;
		return TL_OK;
	}
	tl_key_add_text(&key, tl_str(&p->strings, group.text), tl_str_len(&p->strings, group.text));
	tl_key_add_int(&key, receives ? peer.i : rank);
	tl_key_add_int(&key, receives ? rank : peer.i);
	size_t pair = key.len;
	tl_key_add_int(&key, receives);
	tl_key_add_int(&key, t.ts);
	struct tl_buf data = { 0 };
	int64_t head[] = { (int64_t)pair, receives ? peer.i : rank, receives ? rank : peer.i, receives };
	tl_buf_add(&data, head, sizeof head);
	tl_buf_add(&data, &t, sizeof t);
	tl_buf_add(&data, tl_str(&p->strings, group.text), tl_str_len(&p->strings, group.text));
	enum tl_status st = tl_sorter_add(r->transfers, key.data, key.len, data.data, data.len, err);
	tl_buf_release(&key);
	tl_buf_release(&data);
	return st;
}

/* ---- ranks_p2p ---------------------------------------------------------------------------------------- */

/* All transfers from one rank to another in a group. */
struct pair {
	struct tl_buf key;
	uint32_t group;
	int64_t ranks[2];                                       /* from, to */
	struct side { struct transfer *items; size_t n, cap; } sides[2];
	int64_t *room; size_t cap;
};

static int64_t end_of(const struct transfer *t)
{
	return t->ts + t->dur;
}

/* Are both ranks there, and are their times by one clock? */
static bool one_clock(const struct tl_ranks *r, const struct pair *p)
{
	size_t a = tl_rank_number(r, p->ranks[0]), b = tl_rank_number(r, p->ranks[1]);

	return r->job->ranks[a] == p->ranks[0] && r->job->ranks[b] == p->ranks[1] && r->facts.aligned[a].clock.reference == r->facts.aligned[b].clock.reference;
}

/* The median of the differences of ends, of the transfers that are paired if the side that has more lacks its first `skip` ones. */
static int64_t median_gap(struct pair *p, size_t few, size_t skip)
{
	const struct side *s = p->sides;
	size_t n = s[few].n;

	TL_GROW(p->room, p->cap, n + 1);
	for (size_t i = 0; i < n; i++) {
		int64_t gap = end_of(&s[!few].items[i + skip]) - end_of(&s[few].items[i]);
		p->room[i] = few ? -gap : gap;
	}
	return tl_median_int(p->room, n, false);
}

/* Where one side has more, what it has and the other lacks may be at the start: pairs them where ends are closest. */
static size_t best_skip(struct pair *p, size_t few, bool clock)
{
	size_t best = 0, most = p->sides[!few].n - p->sides[few].n;
	int64_t least = INT64_MAX;

	for (size_t skip = 0; clock && skip <= most && skip < TL_ALIGN_MOST; skip++) {
		int64_t gap = median_gap(p, few, skip);
		gap = gap < 0 ? -gap : gap;
		best = gap < least ? skip : best;
		least = gap < least ? gap : least;
	}
	return best;
}

static int64_t at_most(int64_t ticks, int64_t most)
{
	return ticks < 0 ? 0 : ticks < most ? ticks : most;
}

static enum tl_status add_pair(struct tl_ranks *r, struct tl_table *rows, struct pair *p, struct tl_error *err)
{
	size_t few = p->sides[0].n > p->sides[1].n, n = p->sides[few].n;
	bool clock = one_clock(r, p);
	size_t skip = best_skip(p, few, clock);
	int64_t offset = clock ? 0 : median_gap(p, few, skip), waits[2] = { 0, 0 }, exposed[2] = { 0, 0 }, moving = 0, late = 0, latest = 0;
	double mib = 0, tick = (double)r->facts.ticks_per_us;
	size_t parts[2] = { tl_rank_number(r, p->ranks[0]), tl_rank_number(r, p->ranks[1]) };
	enum tl_status st = TL_OK;

	for (size_t i = 0; i < n && !st; i++) {
		const struct transfer *s = &p->sides[0].items[few == 0 ? i : i + skip], *t = &p->sides[1].items[few == 1 ? i : i + skip];
		int64_t behind = s->ts + offset - t->ts, start = behind > 0 ? s->ts + offset : t->ts;
		waits[0] = tl_ticks_add(waits[0], at_most(-behind, s->dur));
		waits[1] = tl_ticks_add(waits[1], at_most(behind, t->dur));
		exposed[0] = tl_ticks_add(exposed[0], s->exposed);
		exposed[1] = tl_ticks_add(exposed[1], t->exposed);
		moving = tl_ticks_add(moving, at_most(end_of(t) - start, INT64_MAX));
		late = tl_ticks_add(late, behind);
		latest = i && behind < latest ? latest : behind;
		mib += fmax(s->mib, t->mib);
		if (clock)
			st = tl_loss_transfer(r, (const struct tl_replay_seat[]){
				{ .rank = parts[0], .ts = s->ts, .end = end_of(s), .in = s->mib, .out = s->mib, .work = &s->work },
				{ .rank = parts[1], .ts = t->ts, .end = end_of(t), .in = t->mib, .out = t->mib, .work = &t->work } }, err);
	}
	struct tl_cell c[N_P2P] = {
		[P2P_PROCESS_GROUP_NAME] = tl_cell_text(p->group),
		[P2P_SRC_RANK] = tl_cell_int(p->ranks[0]),
		[P2P_DST_RANK] = tl_cell_int(p->ranks[1]),
		[P2P_TRANSFERS] = tl_cell_int((int64_t)n),
		[P2P_UNPAIRED] = tl_cell_int((int64_t)(p->sides[!few].n - n)),
	};
	if (n) {
		c[P2P_MIB] = tl_cell_real(mib);
		c[P2P_WAIT_MS] = tl_cell_ms(tl_ticks_add(waits[0], waits[1]));
		c[P2P_WAITING_RANK] = waits[0] != waits[1] ? tl_cell_int(p->ranks[waits[1] > waits[0]]) : tl_cell_null();
		c[P2P_RECV_WAIT_MS] = tl_cell_ms(waits[1]);
		c[P2P_SEND_WAIT_MS] = tl_cell_ms(waits[0]);
		c[P2P_TRANSFER_MS] = tl_cell_ms(moving);
		c[P2P_LATE_US_MEAN] = tl_cell_real((double)late / tick / (double)n);
		c[P2P_LATE_US_MAX] = tl_cell_real((double)latest / tick);
		c[P2P_RECV_EXPOSED_MS] = tl_cell_ms(exposed[1]);
		c[P2P_SEND_EXPOSED_MS] = tl_cell_ms(exposed[0]);
	}
	tl_table_add_row(rows, c);
	return st;
}

static enum tl_status add_pairs(struct tl_ranks *r, struct tl_table *rows, struct tl_error *err)
{
	struct pair p = { .group = 0 };
	struct tl_sorted next;
	enum tl_status st;

	while (!(st = tl_sorter_next(r->transfers, &next, err))) {
		int64_t head[4];
		struct transfer t;
		if (next.data)
			memcpy(head, next.data, sizeof head);
		bool same = next.data && p.key.len == (size_t)head[0] && !memcmp(p.key.data, next.key, p.key.len);
		if (p.key.len && !same && (st = add_pair(r, rows, &p, err)))
			break;
		if (!next.data)
			break;
		if (!same) {
			const char *group = (const char *)next.data + sizeof head + sizeof t;
			tl_buf_clear(&p.key);
			tl_buf_add(&p.key, next.key, (size_t)head[0]);
			p.group = tl_intern(rows->strings, group, next.len - sizeof head - sizeof t);
			memcpy(p.ranks, head + 1, sizeof p.ranks);
			p.sides[0].n = p.sides[1].n = 0;
		}
		struct side *s = &p.sides[head[3]];
		memcpy(&t, (const char *)next.data + sizeof head, sizeof t);
		TL_PUSH(s->items, s->n, s->cap, t);
	}
	tl_buf_release(&p.key);
	free(p.sides[0].items);
	free(p.sides[1].items);
	free(p.room);
	return st;
}

enum tl_status tl_transfers_write(struct tl_ranks *r, struct tl_error *err)
{
	struct tl_strtab strings = { 0 };
	struct tl_table *rows = tl_table_new(&strings, r->facts.ticks_per_us, tl_ranks_p2p_rows);
	enum tl_status st = add_pairs(r, rows, err);

	if (!st && rows->n_rows)
		st = tl_rank_sheet_sorted(r, &tl_ranks_p2p_sheet, rows, err);
	tl_table_free(rows);
	tl_strtab_release(&strings);
	return st;
}

/* ---- which stage a rank is ------------------------------------------------------------------------------- */

enum { MOST_STAGES = 1024, NO_STAGE = -1, RANKS_NAMED = 8 };

/* Who sends to whom first in most steps, of ranks that are both there. */
struct edge { size_t from, to; };

/* Each rank comes behind those that send to it; false: they go round. */
static bool find_depths(const struct edge *edges, size_t n, int64_t *stage, bool upwards)
{
	bool changed = true;

	for (size_t i = 0; i < n; i++)
		if (!upwards || edges[i].from < edges[i].to)
			stage[edges[i].from] = stage[edges[i].to] = 0;
	for (int pass = 0; changed && pass <= MOST_STAGES; pass++) {
		changed = false;
		for (size_t i = 0; i < n; i++) {
			const struct edge *e = &edges[i];
			if ((upwards && e->from > e->to) || stage[e->to] > stage[e->from])
				continue;
			stage[e->to] = stage[e->from] + 1;
			changed = true;
		}
	}
	return !changed;
}

/* By rank; the caller frees it. Of interleaved stages, the last rank sends to the first: only ranks that send to higher ones count. */
int64_t *tl_find_stages(const struct tl_ranks *r, int64_t *n_stages)
{
	const struct tl_parallels *p = r->parallels;
	struct edge *edges = tl_alloc((p->n_peers + 1) * sizeof *edges);
	int64_t *stage = tl_alloc((r->job->n + 1) * sizeof *stage);
	size_t n = 0;
	bool found = false;

	for (size_t i = 0; i < p->n_peers; i++) {
		size_t a = p->peers[i].number, b = tl_rank_number(r, p->peers[i].rank);
		if (a != b && p->peers[i].votes && r->job->ranks[b] == p->peers[i].rank)
			edges[n++] = p->peers[i].votes > 0 ? (struct edge){ a, b } : (struct edge){ b, a };
	}
	for (int upwards = 0; upwards < 2 && !found; upwards++) {
		for (size_t i = 0; i < r->job->n; i++)
			stage[i] = NO_STAGE;
		found = find_depths(edges, n, stage, upwards);
	}
	*n_stages = 0;
	for (size_t i = 0; i < r->job->n && found; i++)
		*n_stages = stage[i] >= *n_stages ? stage[i] + 1 : *n_stages;
	free(edges);
	return stage;
}

/* ---- ranks_stages -------------------------------------------------------------------------------------------- */

struct stage { double n, step, busy, comm, transfer, least, most; int64_t steps; struct tl_buf ranks; };

static void add_to_stage(struct stage *s, const struct tl_rank_stage *of, int64_t rank)
{
	double steps = (double)of->steps, busy = of->busy_ms / steps;

	if (s->n < RANKS_NAMED)
		tl_buf_addf(&s->ranks, "%s%lld", s->n > 0 ? ", " : "", (long long)rank);
	else if (s->n < RANKS_NAMED + 1)
		tl_buf_adds(&s->ranks, ", ...");
	s->least = s->n > 0 ? fmin(s->least, busy) : busy;
	s->most = fmax(s->most, busy);
	s->n++;
	s->step += of->step_ms / steps;
	s->busy += busy;
	s->comm += of->comm_ms / steps;
	s->transfer += of->transfer_ms / steps;
	s->steps = of->steps > s->steps ? of->steps : s->steps;
}

static void add_stage(struct tl_table *t, const struct stage *stages, size_t n, size_t i, double *room)
{
	const struct stage *s = &stages[i];
	double step = s->step / s->n, busy = s->busy / s->n, comm = s->comm / s->n, transfer = s->transfer / s->n;
	double bubble = fmax(step - busy - comm, 0);
	bool slowest = true;
	size_t others = 0;

	for (size_t k = 0; k < n; k++)
		if (k != i && stages[k].n > 0) {
			room[others++] = stages[k].busy / stages[k].n;
			slowest = slowest && room[others - 1] < busy;
		}
	double usual = tl_median(room, others);
	slowest = slowest && busy > usual;
	tl_table_add_row(t, (const struct tl_cell[N_STAGE]){
		[STAGE_STAGE] = tl_cell_int((int64_t)i),
		[STAGE_RANKS_OF_STAGE] = tl_cell_text(tl_intern(t->strings, s->ranks.data, s->ranks.len)),
		[STAGE_RANKS] = tl_cell_int((int64_t)s->n),
		[STAGE_STEPS] = tl_cell_int(s->steps),
		[STAGE_STEP_MS] = tl_cell_real(step),
		[STAGE_BUSY_MS] = tl_cell_real(busy),
		[STAGE_EXPOSED_COMM_MS] = tl_cell_real(comm),
		[STAGE_BUBBLE_MS] = tl_cell_real(bubble),
		[STAGE_BUBBLE_PCT] = step > 0 ? tl_cell_real(100 * bubble / step) : tl_cell_null(),
		[STAGE_EXPOSED_P2P_MS] = tl_cell_real(transfer),
		[STAGE_IDLE_MS] = tl_cell_real(fmax(bubble - transfer, 0)),
		[STAGE_SLOWEST] = tl_cell_int(slowest),
		[STAGE_EXCESS_MS] = tl_cell_real(busy - usual),
		[STAGE_EXCESS_PCT] = usual > 0 ? tl_cell_real(100 * (busy - usual) / usual) : tl_cell_null(),
		[STAGE_MIN_BUSY_MS] = tl_cell_real(s->least),
		[STAGE_MAX_BUSY_MS] = tl_cell_real(s->most),
	});
}

enum tl_status tl_stages_write(struct tl_ranks *r, struct tl_error *err)
{
	struct tl_strtab strings = { 0 };
	struct tl_table *rows = tl_table_new(&strings, r->facts.ticks_per_us, tl_ranks_stage_rows);
	int64_t n, *stage = tl_find_stages(r, &n);
	struct stage *stages = tl_calloc((size_t)n + 1, sizeof *stages);
	double *room = tl_alloc(((size_t)n + 1) * sizeof *room);
	enum tl_status st = TL_OK;

	for (size_t i = 0; i < r->job->n && n; i++)
		if (stage[i] != NO_STAGE && r->parallels->stages[i].steps > 0)
			add_to_stage(&stages[stage[i]], &r->parallels->stages[i], r->job->ranks[i]);
	for (size_t i = 0; i < (size_t)n; i++) {
		if (stages[i].n > 0)
			add_stage(rows, stages, (size_t)n, i, room);
		tl_buf_release(&stages[i].ranks);
	}
	if (rows->n_rows > 1)
		st = tl_rank_sheet_sorted(r, &tl_ranks_stages_sheet, rows, err);
	tl_table_free(rows);
	tl_strtab_release(&strings);
	free(room);
	free(stages);
	free(stage);
	return st;
}

/* ---- ranks_experts ------------------------------------------------------------------------------------- */

/* Of each kind and group, all calls come first. */
TL_ORDER_IN(by_kind, struct tl_expert_work, struct tl_strtab, TL_BY(strcmp(tl_str(ctx, b->what), tl_str(ctx, a->what)))
	TL_BY(strcmp(tl_str(ctx, a->group), tl_str(ctx, b->group))) TL_ASC(x->call))

enum tl_status tl_experts_write(struct tl_ranks *r, struct tl_error *err)
{
	struct tl_parallels *p = r->parallels;
	struct tl_table *rows = tl_table_new(&p->strings, r->facts.ticks_per_us, tl_ranks_expert_rows);
	enum tl_status st = TL_OK;

	tl_merge_sort(p->work.items, p->work.n, sizeof *p->work.items, by_kind, &p->strings);
	for (size_t i = 0; i < p->work.n; i++) {
		const struct tl_expert_work *w = &p->work.items[i];
		bool bytes = w->mib > 0;
		double n = (double)w->n, mean = (bytes ? w->mib : w->ms) / n, most = bytes ? w->most_mib : w->most_ms;
		if (w->n < 2 || !(mean > 0))
			continue;
		/* an all-to-all takes as long as the rank with most needs; the one that waits least in it tells how long */
		double excess = bytes ? w->least_ms * (1 - mean / most) : most - mean;
		tl_table_add_row(rows, (const struct tl_cell[N_EXPERT]){
			[EXPERT_WHAT] = tl_cell_text(w->what),
			[EXPERT_PROCESS_GROUP_NAME] = *tl_str(&p->strings, w->group) ? tl_cell_text(w->group) : tl_cell_null(),
			[EXPERT_CALL] = w->call < 0 ? tl_cell_null() : tl_cell_int(w->call),
			[EXPERT_RANKS] = tl_cell_int((int64_t)w->n),
			[EXPERT_IMBALANCE] = tl_cell_real(most / mean),
			[EXPERT_MOST_RANK] = tl_cell_int(r->job->ranks[w->most_rank]),
			[EXPERT_EXCESS_MS] = tl_cell_real(excess),
			[EXPERT_MEAN_MS] = tl_cell_real(w->ms / n),
			[EXPERT_MAX_MS] = tl_cell_real(w->most_ms),
			[EXPERT_MEAN_MIB] = bytes ? tl_cell_real(mean) : tl_cell_null(),
			[EXPERT_MAX_MIB] = bytes ? tl_cell_real(most) : tl_cell_null(),
		});
	}
	if (rows->n_rows)
		st = tl_rank_sheet_sorted(r, &tl_ranks_experts_sheet, rows, err);
	tl_table_free(rows);
	return st;
}
