/* rank_loss.c - what the job loses, and by what: ranks_causes, ranks_judged.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/group_names.h"
#include "job/rank_sheets.h"
#include "job/what_if.h"

#include "sheet/ranks.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_STEPS = 3, MOST_UNLIKE = 20 /* of so many meetings, one may be of other ranks */ };

/* ---- the ranks ------------------------------------------------------------------------------------- */

/* What ranks of one role have alike: the operation, the size of the group, the direction of a transfer and, but for an all-to-all, the
 * size of the message. */
static uint64_t kind_of(const struct tl_ranks *r, const struct tl_rank_part *p, size_t row, int64_t rank)
{
	struct tl_cell name = tl_table_cell(p->rows, row, COLL_COLLECTIVE_NAME), peer = tl_table_cell(p->rows, row, COLL_PEER);
	const char *text = name.type == TL_CELL_TEXT ? tl_str(&p->strings, name.text) : "";
	bool uneven = !strncmp(tl_name_rules_find(r->types, text, strlen(text)), "alltoall", 8);
	struct tl_buf b = { 0 };

	tl_cell_pack(&b, name, &p->strings);
	tl_cell_pack(&b, tl_table_cell(p->rows, row, COLL_GROUP_SIZE), &p->strings);
	tl_buf_addc(&b, peer.type != TL_CELL_INT ? '=' : peer.i < rank ? '<' : '>');
	tl_cell_pack(&b, uneven ? tl_cell_null() : tl_table_cell(p->rows, row, COLL_IN_MSG_SIZE_MB), &p->strings);
	tl_cell_pack(&b, uneven ? tl_cell_null() : tl_table_cell(p->rows, row, COLL_OUT_MSG_SIZE_MB), &p->strings);
	uint64_t kind = tl_hash(b.data, b.len);
	tl_buf_release(&b);
	return kind;
}

/* The caller frees it. */
static struct tl_replay_comm *comms_of(const struct tl_ranks *r, size_t i, const struct tl_rank_part *p)
{
	struct tl_replay_comm *c = tl_alloc((p->rows->n_rows + 1) * sizeof *c);

	for (size_t row = 0; row < p->rows->n_rows; row++) {
		int64_t ts = tl_table_cell(p->rows, row, COLL_TS).i;
		c[row] = (struct tl_replay_comm){ ts, ts + tl_table_cell(p->rows, row, COLL_DUR).i, kind_of(r, p, row, r->job->ranks[i]) };
	}
	return c;
}

void tl_loss_see(struct tl_ranks *r, size_t i, const struct tl_rank_part *p)
{
	if (!r->replay)
		return;
	struct tl_replay_comm *c = comms_of(r, i, p);
	tl_replay_see(r->replay, i, c, p->rows->n_rows, tl_works_steps_of(r->works, i));
	free(c);
}

/* The clock that most ranks can be compared by: others are not judged. */
static void choose_clock(struct tl_ranks *r)
{
	size_t *n = tl_calloc(r->job->n + 1, sizeof *n);

	for (size_t i = 0; i < r->job->n; i++)
		n[r->facts.aligned[i].clock.reference] += r->totals[i].events > 0;
	for (size_t i = 0; i < r->job->n; i++)
		r->clock = n[i] > n[r->clock] ? i : r->clock;
	for (size_t i = 0; i < r->job->n; i++)
		if (r->totals[i].events && r->facts.aligned[i].clock.reference != r->clock && !r->report->unconnected++)
			r->report->first_unconnected = (uint64_t)r->job->ranks[i];
	free(n);
}

void tl_loss_stages(struct tl_ranks *r, const int64_t *stages)
{
	choose_clock(r);
	for (size_t i = 0; i < r->job->n; i++)
		tl_replay_set_stage(r->replay, i, stages[i]);
}

/* Nothing waits for what ends after it has begun: edges that say so would lead in circles. */
static enum tl_status check_edges(const struct tl_ranks *r, size_t i, const struct tl_rank_edges *e, const struct tl_replay_comm *c, struct tl_error *err)
{
	for (size_t row = 0; row < e->n; row++)
		for (size_t k = 0; k < e->of[row].n; k++) {
			int64_t from = e->of[row].edges[k].from;
			if (from != TL_FROM_START && c[from].end > c[row].ts)
				return tl_fail(err, TL_ERR_DATA, "the part of rank %" PRId64 " is damaged: communication %zu begins before number %" PRId64
				               " ends, for which it waits", r->job->ranks[i], row, from);
		}
	return TL_OK;
}

enum tl_status tl_loss_take(struct tl_ranks *r, size_t i, const struct tl_rank_part *p, struct tl_seat_work *works, struct tl_error *err)
{
	r->with_edges = r->with_edges || p->edges.n;
	if (!r->replay || !p->edges.n || r->facts.aligned[i].lost || r->facts.aligned[i].clock.reference != r->clock)
		return TL_OK;
	struct tl_replay_comm *c = comms_of(r, i, p);
	int64_t offset = p->edges.start - tl_by_one_clock(r, i, p->edges.start);
	enum tl_status st = check_edges(r, i, &p->edges, c, err);
	if (!st)
		st = tl_replay_take(r->replay, i, c, p->rows->n_rows, &p->edges, offset, works, err);
	free(c);
	return st;
}

/* ---- the meetings ------------------------------------------------------------------------------------ */

enum tl_status tl_loss_meet(struct tl_ranks *r, const struct tl_meeting *m, size_t link, uint64_t alike, bool whole, struct tl_error *err)
{
	struct tl_replay_seat *seats = tl_alloc((m->n + 1) * sizeof *seats);
	enum tl_meeting_type type = tl_meeting_type(r, m);
	int64_t last = INT64_MIN, left = INT64_MAX;

	for (size_t i = 0; i < m->n; i++) {
		const struct tl_rank_event *e = &m->events[i];
		last = e->ts > last ? e->ts : last;
		left = e->ts + e->dur < left ? e->ts + e->dur : left;
		double in = tl_cell_number(e->cells[COLL_IN_MSG_SIZE_MB], 1), out = tl_cell_number(e->cells[COLL_OUT_MSG_SIZE_MB], 1);
		seats[i] = (struct tl_replay_seat){ .rank = tl_rank_number(r, e->rank), .ts = e->ts, .end = e->ts + e->dur, .in = isnan(in) ? 0 : in,
			.out = isnan(out) ? 0 : out, .work = &e->work };
	}
	/* from a broadcast and the like a rank may go before others come */
	bool together = (type != TL_MEETING_OTHER && type != TL_ALLTOALLV) || m->events[0].cells[COLL_COLLECTIVE_NAME].type != TL_CELL_TEXT;
	r->unlike += together && r->groups[r->n_groups - 1].ranks.type == TL_CELL_NULL && left < last;
	enum tl_status st = tl_replay_meet(r->replay, &(struct tl_replay_meeting){ .group = r->n_groups - 1, .link = link, .alike = alike,
		.experts = type == TL_ALLTOALL || type == TL_ALLTOALLV, .whole = whole, .seats = seats, .n = m->n }, err);
	free(seats);
	return st;
}

enum tl_status tl_loss_transfer(struct tl_ranks *r, const struct tl_replay_seat seats[2], struct tl_error *err)
{
	return tl_replay_meet(r->replay, &(struct tl_replay_meeting){ .group = SIZE_MAX, .link = SIZE_MAX, .whole = true, .seats = seats, .n = 2 }, err);
}

/* ---- ranks_causes ---------------------------------------------------------------------------------------- */

/* Tells which ranks groups lack. Lists of ranks are cut by PyTorch: then it is not known. */
static void add_absent(const struct tl_ranks *r)
{
	for (size_t i = 0; i < r->n_groups; i++) {
		const char *list = r->groups[i].ranks.type == TL_CELL_TEXT ? tl_str(&r->group_strings, r->groups[i].ranks.text) : "";
		int64_t rank;
		if (strstr(list, "..."))
			continue;
		while (tl_next_rank(&list, &rank)) {
			size_t part = tl_rank_number(r, rank);
			if (r->job->ranks[part] != rank || !r->totals[part].events)
				tl_replay_add_absent(r->replay, i, rank);
		}
	}
}

struct writing { struct tl_ranks *r; const struct tl_replay_result *of; struct tl_table *to; double tick; };

static struct tl_cell ms_cell(const struct writing *w, double ticks)
{
	return tl_cell_real(ticks / w->tick / 1e3);
}

static struct tl_cell copy_text(const struct writing *w, struct tl_cell c)
{
	return tl_cell_copy(c, &w->r->group_strings, w->to->strings);
}

/* Whose it is, in words; the cells of whose it is. */
static void add_whose(const struct writing *w, const struct tl_cause *c, struct tl_cell *cells)
{
	const struct tl_ranks_job *job = w->r->job;
	int64_t rank = job->ranks[c->first];
	struct tl_buf b = { 0 };
	bool of_group = c->kind == TL_CAUSE_GROUP || c->kind == TL_CAUSE_EXPERTS || c->kind == TL_CAUSE_ABSENT;
	bool of_rank = c->kind != TL_CAUSE_GROUP && c->kind != TL_CAUSE_ABSENT;

	if (of_group && c->group < w->r->n_groups) {
		cells[LOSS_PROCESS_GROUP_NAME] = copy_text(w, w->r->groups[c->group].name);
		cells[LOSS_PROCESS_GROUP_RANKS] = copy_text(w, w->r->groups[c->group].ranks);
	}
	if (of_rank)
		cells[LOSS_RANK] = tl_cell_int(rank);
	else if (c->kind == TL_CAUSE_ABSENT && c->absent >= 0)
		cells[LOSS_RANK] = tl_cell_int(c->absent);
	uint32_t host = of_rank && c->kind != TL_CAUSE_STAGE ? w->r->totals[c->first].host : 0;
	cells[LOSS_HOST] = host ? copy_text(w, tl_cell_text(host)) : tl_cell_null();
	if (c->kind == TL_CAUSE_STAGE)
		cells[LOSS_STAGE] = tl_cell_int(c->stage);
	else if (of_rank && !host && job->gpus_per_node > 1) /* one is also what a rank sees that may see no other */
		cells[LOSS_NODE] = tl_cell_int(rank / job->gpus_per_node);
	if (c->kind == TL_CAUSE_GROUP)
		tl_buf_addf(&b, "group %s", cells[LOSS_PROCESS_GROUP_NAME].type == TL_CELL_TEXT ? tl_str(w->to->strings, cells[LOSS_PROCESS_GROUP_NAME].text) : "");
	else if (c->kind == TL_CAUSE_ABSENT && c->absent >= 0)
		tl_buf_addf(&b, "rank %" PRId64 ", which has no trace", c->absent);
	else if (c->kind == TL_CAUSE_ABSENT)
		tl_buf_addf(&b, "a rank without a trace in group %s %s", tl_str(&w->r->group_strings, w->r->groups[c->group].name.text),
			w->r->groups[c->group].ranks.type == TL_CELL_TEXT ? tl_str(&w->r->group_strings, w->r->groups[c->group].ranks.text) : "");
	else if (c->kind == TL_CAUSE_STAGE)
		tl_buf_addf(&b, "stage %" PRId64, c->stage);
	else if (c->kind == TL_CAUSE_NODE) {
		host ? tl_buf_adds(&b, tl_str(&w->r->group_strings, host)) : tl_buf_addf(&b, "node %" PRId64, rank / job->gpus_per_node);
		tl_buf_addf(&b, " (ranks %" PRId64 " to %" PRId64 ")", rank, job->ranks[c->first + c->n - 1]);
	} else
		tl_buf_addf(&b, "rank %" PRId64, rank);
	cells[LOSS_NAME] = tl_cell_str(w->to->strings, b.data);
	tl_buf_release(&b);
}

/* In what a rank is slow. */
static void add_why(const struct writing *w, const struct tl_cause *c, struct tl_cell *cells)
{
	const char *kernel = NULL, *category = NULL, *unit;
	bool computes = c->compute >= c->idle;
	double gpu, usual, steps = (double)w->of->steps, more = tl_works_more_kernels(w->r->works, c->first);

	cells[LOSS_COMPUTE_MS] = ms_cell(w, c->compute);
	cells[LOSS_IDLE_MS] = ms_cell(w, c->idle);
	cells[LOSS_SLOW_IN] = tl_cell_str(w->to->strings, computes ? "computation" : "waiting");
	cells[LOSS_WAITED_MS] = tl_cell_ms(w->r->totals[c->first].caused);
	if (computes)
		tl_works_slow_in(w->r->works, c->first, c->compute * steps / w->tick / 1e3, &category, &kernel);
	cells[LOSS_SLOW_CATEGORY] = tl_cell_str(w->to->strings, category);
	cells[LOSS_SLOW_KERNEL] = tl_cell_str(w->to->strings, kernel);
	cells[LOSS_MORE_KERNELS_PCT] = c->n > 1 || isnan(more) ? tl_cell_null() : tl_cell_real(100 * more);
	unit = tl_works_clock(w->r->works, c->first, &gpu, &usual);
	if (!unit)
		return;
	cells[LOSS_GPU_CLOCK] = tl_cell_real(gpu);
	cells[LOSS_USUAL_GPU_CLOCK] = tl_cell_real(usual);
	cells[LOSS_GPU_CLOCK_UNIT] = tl_cell_str(w->to->strings, unit);
}

static void add_cause(const struct writing *w, const struct tl_cause *c)
{
	static const char *const names[] = { [TL_CAUSE_RANK] = "rank", [TL_CAUSE_PAUSES] = "pauses", [TL_CAUSE_NODE] = "node", [TL_CAUSE_GROUP] = "group",
		[TL_CAUSE_EXPERTS] = "experts", [TL_CAUSE_STAGE] = "stage", [TL_CAUSE_ABSENT] = "absent" };
	double steps = (double)w->of->steps;
	struct tl_cell cells[N_LOSS] = {
		[LOSS_CAUSE] = tl_cell_str(w->to->strings, names[c->kind]),
		[LOSS_LOSS_MS] = ms_cell(w, c->loss),
		[LOSS_LOSS_PCT] = tl_cell_real(100 * c->loss / w->of->recorded),
		[LOSS_LOSS_STEP_MS] = ms_cell(w, c->loss / steps),
		[LOSS_ALONE_MS] = ms_cell(w, c->alone),
		[LOSS_BALANCED_MS] = c->kind == TL_CAUSE_STAGE ? ms_cell(w, c->balanced) : tl_cell_null(),
		[LOSS_MORE_MS] = ms_cell(w, c->compute + c->idle),
	};

	add_whose(w, c, cells);
	if (c->kind == TL_CAUSE_RANK || c->kind == TL_CAUSE_NODE)
		add_why(w, c, cells);
	else if (c->kind != TL_CAUSE_GROUP && c->kind != TL_CAUSE_ABSENT)
		cells[LOSS_WAITED_MS] = tl_cell_ms(w->r->totals[c->first].caused);
	tl_table_add_row(w->to, cells);
}

/* ---- ranks_judged ------------------------------------------------------------------------------------------- */

static const char *why_not_judged(const struct tl_ranks *r, const struct tl_replay_result *of)
{
	size_t ranks = 0;

	for (size_t i = 0; i < r->job->n; i++)
		ranks += r->totals[i].events > 0;
	return ranks < 2 ? "one rank alone: there is none to compare it with" :
		!of->shared ? "no two ranks have a communication in common" :
		r->unlike * MOST_UNLIKE > of->shared ? "which ranks meet is not known: communications that name no group, as those of CUDA graphs, "
			"end on one rank before they begin on another" :
		r->report->unconnected + 1 >= ranks ? "how far the clocks of ranks are apart is not known: no communication ends on two of them at one moment" :
		!r->with_edges ? "the parts do not tell what communications wait for, as those of tl-ranks --part do" :
		!of->judged_ranks ? "no two ranks do the same" : NULL;
}

static void add_judged(const struct writing *w, const char *not_judged, struct tl_table *to)
{
	const struct tl_replay_result *of = w->of;
	int64_t ranks = 0;

	for (size_t i = 0; i < w->r->job->n; i++)
		ranks += w->r->totals[i].events > 0;
	tl_table_add_row(to, (const struct tl_cell[N_REPLAYED]){
		[REPLAYED_JOB] = tl_cell_str(to->strings, "all"),
		[REPLAYED_RECORDED_MS] = ms_cell(w, of->recorded),
		[REPLAYED_IDEAL_MS] = not_judged ? tl_cell_null() : ms_cell(w, of->ideal),
		[REPLAYED_LOST_MS] = not_judged ? tl_cell_null() : ms_cell(w, of->recorded - of->ideal),
		[REPLAYED_LOST_PCT] = not_judged ? tl_cell_null() : tl_cell_real(100 * (of->recorded - of->ideal) / of->recorded),
		[REPLAYED_STARTS_APART_MS] = ms_cell(w, of->starts_apart),
		[REPLAYED_RANKS] = tl_cell_int(ranks),
		[REPLAYED_JUDGED_RANKS] = tl_cell_int(not_judged ? 0 : (int64_t)of->judged_ranks),
		[REPLAYED_GROUPS] = tl_cell_int((int64_t)of->groups),
		[REPLAYED_JUDGED_GROUPS] = tl_cell_int(not_judged ? 0 : (int64_t)of->judged_groups),
		[REPLAYED_SLOW_RANK] = of->slow == SIZE_MAX ? tl_cell_null() : tl_cell_int(w->r->job->ranks[of->slow]),
		[REPLAYED_SLOW_MS] = of->slow == SIZE_MAX ? tl_cell_null() : ms_cell(w, of->slow_more),
		[REPLAYED_STEPS] = tl_cell_int(of->steps),
		[REPLAYED_CONFIDENCE] = tl_cell_str(to->strings, of->steps < FEW_STEPS ? "low" : "high"),
		[REPLAYED_NOT_JUDGED] = tl_cell_str(to->strings, not_judged),
	});
}

/* ---- ranks_what_if -------------------------------------------------------------------------------------------- */

static enum tl_status write_what_ifs(const struct tl_ranks *r, const struct tl_replay_result *of, const struct tl_what_if *ifs, size_t n, struct tl_error *err)
{
	struct tl_strtab strings = { 0 };
	struct writing w = { .of = of, .to = tl_table_new(&strings, r->facts.ticks_per_us, tl_ranks_if_rows), .tick = (double)r->facts.ticks_per_us };

	for (size_t i = 0; i < n; i++)
		tl_table_add_row(w.to, (const struct tl_cell[N_IF]){
			[IF_WHAT_IF] = tl_cell_str(&strings, i < r->job->n_what_ifs ? r->job->what_ifs[i] : "all of these together"),
			[IF_JOB_MS] = ms_cell(&w, ifs[i].end),
			[IF_SAVED_MS] = ms_cell(&w, of->recorded - ifs[i].end),
			[IF_SAVED_PCT] = tl_cell_real(100 * (of->recorded - ifs[i].end) / of->recorded),
			[IF_SAVED_STEP_MS] = ms_cell(&w, (of->recorded - ifs[i].end) / (double)of->steps),
		});
	enum tl_status st = tl_rank_sheet_sorted(r, &tl_ranks_what_if_sheet, w.to, err);
	tl_table_free(w.to);
	tl_strtab_release(&strings);
	return st;
}

/* ---- ranks_path ------------------------------------------------------------------------------------------------- */

static enum tl_status write_path(struct tl_ranks *r, const struct tl_replay_result *of, struct tl_error *err)
{
	static const char *const names[] = { [TL_PART_BEFORE] = "starts later", [TL_PART_COMPUTES] = "computation", [TL_PART_EXPERTS] = "experts",
		[TL_PART_IDLES] = "idle", [TL_PART_COMMUNICATES] = "communication", [TL_PART_ABSENT] = "rank without a trace" };
	struct tl_strtab strings = { 0 };
	struct writing w = { .r = r, .of = of, .to = tl_table_new(&strings, r->facts.ticks_per_us, tl_ranks_chain_rows), .tick = (double)r->facts.ticks_per_us };

	for (size_t i = 0; i < of->n_path; i++) {
		const struct tl_job_part *p = &of->path[i];
		tl_table_add_row(w.to, (const struct tl_cell[N_CHAIN]){
			[CHAIN_RANK] = tl_cell_int(r->job->ranks[p->rank]),
			[CHAIN_STEP] = tl_cell_int(p->step),
			[CHAIN_WHAT] = tl_cell_str(&strings, names[p->kind]),
			[CHAIN_PROCESS_GROUP_NAME] = p->group < r->n_groups ? copy_text(&w, r->groups[p->group].name) : tl_cell_null(),
			[CHAIN_MS] = ms_cell(&w, (double)p->ticks),
		});
	}
	enum tl_status st = tl_rank_sheet_sorted(r, &tl_ranks_path_sheet, w.to, err);
	if (!st)
		st = tl_rank_sheet_sorted(r, &tl_ranks_path_shares_sheet, w.to, err);
	tl_table_free(w.to);
	tl_strtab_release(&strings);
	return st;
}

/* A name that more ranks have than a node has GPUs or, if that is not known, that all ranks have, is that of no machine ("localhost"): then
 * none is known; nor where only some are. */
static void check_hosts(struct tl_ranks *r)
{
	size_t most = r->job->gpus_per_node > 1 ? (size_t)r->job->gpus_per_node : r->job->n - 1, *n = tl_calloc(r->job->n + 1, sizeof *n);
	struct tl_map numbers = { 0 };
	bool wrong = false;

	for (size_t i = 0; i < r->job->n; i++)
		wrong = wrong || !r->totals[i].host || ++n[tl_map_number(&numbers, r->totals[i].host, NULL)] > most;
	for (size_t i = 0; i < r->job->n && wrong; i++)
		r->totals[i].host = 0;
	tl_map_release(&numbers);
	free(n);
}

/* The number of each rank's node: that of its host, if they are known. NULL: nothing tells it. The caller frees it. */
static int64_t *nodes_of(const struct tl_ranks *r)
{
	int64_t *nodes = tl_alloc((r->job->n + 1) * sizeof *nodes);
	bool hosts = r->job->n && r->totals[0].host;

	for (size_t i = 0; i < r->job->n; i++)
		nodes[i] = hosts ? r->totals[i].host : r->job->gpus_per_node ? r->job->ranks[i] / r->job->gpus_per_node : 0;
	if (!hosts && r->job->gpus_per_node < 2) {
		free(nodes);
		return NULL;
	}
	return nodes;
}

enum tl_status tl_loss_write(struct tl_ranks *r, struct tl_error *err)
{
	struct tl_replay_result of;
	struct tl_strtab strings = { 0 };
	struct tl_what_if ifs[TL_WHAT_IFS];
	size_t n_ifs = r->job->n_what_ifs ? r->job->n_what_ifs + 1 : 0; /* the last one is all of them */

	check_hosts(r);
	int64_t *nodes = nodes_of(r);
	struct tl_replay_asked asked = { .links = r->links, .nodes = nodes,
		.ticks_per_us = r->facts.ticks_per_us, .ifs = ifs, .n_ifs = n_ifs, .path = r->job->path };
	enum tl_status st = tl_what_ifs_parse(ifs, r, err);

	add_absent(r);
	if (!st)
		st = tl_replay_find(r->replay, &asked, &of, err);
	free(nodes);
	if (st)
		return st;
	struct writing w = { r, &of, tl_table_new(&strings, r->facts.ticks_per_us, tl_ranks_loss_rows), (double)r->facts.ticks_per_us };
	struct tl_table *judged = tl_table_new(&strings, r->facts.ticks_per_us, tl_ranks_replayed_rows);
	const char *not_judged = why_not_judged(r, &of);
	for (size_t i = 0; i < of.n && !not_judged; i++)
		add_cause(&w, &of.causes[i]);
	add_judged(&w, not_judged, judged);
	if (w.to->n_rows)
		st = tl_rank_sheet_sorted(r, &tl_ranks_causes_sheet, w.to, err);
	if (!st)
		st = tl_rank_sheet_sorted(r, &tl_ranks_judged_sheet, judged, err);
	if (!st && n_ifs && !not_judged)
		st = write_what_ifs(r, &of, ifs, n_ifs, err);
	if (!st && of.n_path && !not_judged)
		st = write_path(r, &of, err);
	tl_table_free(w.to);
	tl_table_free(judged);
	tl_strtab_release(&strings);
	free(of.causes);
	free(of.path);
	return st;
}
