/* rank_waits.c - who waits for whom: ranks_collectives, ranks_stragglers, ranks_bandwidth, ranks_communication, ranks_wait_pairs.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/rank_sheets.h"

#include "sheet/ranks.h"
#include "table/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PAIRS = 1 << 18 };
static const double gb_of_gib = 1.073741824;

/* A rank's totals over all collectives, or over those of one kind. Ticks. */
struct share {
	uint64_t joined, incomplete; /* incomplete: of these, those that lack ranks of their group */
	uint64_t met, last;     /* those in which another rank is; of these, those in which it was the last one */
	int64_t late, latest;   /* behind the first rank: the sum, the most */
	int64_t wait, caused;   /* how long it waited for others; others for it */
	int64_t dur, exposed;
};

/* The collectives of the current group that have one name. */
struct kind {
	struct tl_cell name, ranks;     /* of the first one; texts in the strings of the merge */
	bool together;                  /* see tl_waits_add */
	uint64_t n, n_met;              /* n_met: of several ranks */
	size_t most_ranks;
	struct share sum;               /* of all ranks */
	int64_t start_skew, end_skew;   /* ticks: sums */
	int64_t most_skew;              /* of starts */
	double bandwidth; uint64_t n_bandwidth; /* GiB/s: the sum of so many */
	struct share *ranks_share;      /* by part */
};

/* The parts of a rank and of the one that it waited for. */
struct pair { uint32_t part, last; uint64_t n; int64_t wait; };

struct tl_waits {
	struct tl_ranks *ranks;
	struct tl_rank_sheet rows;      /* ranks_collectives */
	struct share *shares;           /* by part, of all collectives */
	struct tl_strtab strings;
	struct tl_table *stragglers;    /* rows of that sheet */
	/* by link; gb: bus bandwidth, 10^9 bytes/s, times ticks */
	struct message { size_t row; struct tl_cell dtype, mib; double gb; } *messages; size_t n_messages, cap_messages;
	struct TL_KEYED(struct pair) pairs; /* by both; at most MOST_PAIRS */
	struct tl_cell group;           /* the current one */
	struct TL_KEYED(struct kind) kinds; /* its collectives, by their name */
};

/* ---- a collective ------------------------------------------------------------------------------ */

/* One collective: its times, and who came last. */
struct look {
	struct tl_meeting_times times;
	struct tl_bandwidth bandwidth;
	size_t last;        /* event; of several the first */
	int64_t waits;      /* ticks: of all ranks */
	bool together, complete; /* see tl_waits_add */
};

static struct look look_at(const struct tl_ranks *r, const struct tl_meeting *m, bool together, bool complete)
{
	struct look l = { .times = tl_meeting_times(m), .together = together, .complete = complete };

	l.bandwidth = tl_meeting_bandwidth(r, m, l.times.shortest);
	for (size_t i = m->n; i--; )
		if (m->events[i].ts == l.times.last_start)
			l.last = i;
	for (size_t i = 0; i < m->n; i++)
		l.waits = tl_ticks_add(l.waits, l.times.last_start - m->events[i].ts);
	return l;
}

static void add_share(struct share *s, const struct tl_meeting *m, const struct look *l, size_t i)
{
	const struct tl_rank_event *e = &m->events[i];
	int64_t late = e->ts - l->times.first_start;
	bool last = i == l->last && m->n > 1;

	s->joined++;
	s->incomplete += !l->complete;
	s->met += m->n > 1;
	s->last += last;
	s->late = tl_ticks_add(s->late, late);
	s->latest = late > s->latest ? late : s->latest;
	s->wait = tl_ticks_add(s->wait, l->together ? l->times.last_start - e->ts : 0);
	s->caused = tl_ticks_add(s->caused, l->together && last ? l->waits : 0);
	s->dur = tl_ticks_add(s->dur, e->dur);
	s->exposed = tl_ticks_add(s->exposed, e->exposed);
}

/* A rank waited for the last one. */
static void add_pair(struct tl_waits *w, size_t part, size_t last, int64_t wait)
{
	uint64_t key = tl_key_of_two((uint32_t)part, (uint32_t)last);

	if (w->pairs.n == MOST_PAIRS && !TL_ITEM_FIND(&w->pairs, key)) {
		w->ranks->report->left_wait_ms += (double)wait / (double)w->ranks->facts.ticks_per_us / 1e3;
		return;
	}
	struct pair *p = TL_ITEM(&w->pairs, key, NULL);
	p->part = (uint32_t)part;
	p->last = (uint32_t)last;
	p->n++;
	p->wait = tl_ticks_add(p->wait, wait);
}

static enum tl_status write_pairs(struct tl_waits *w, struct tl_error *err)
{
	struct tl_table *t = tl_table_new(&w->strings, w->ranks->facts.ticks_per_us, tl_ranks_pair_rows);
	const int64_t *ranks = w->ranks->job->ranks;

	for (size_t i = 0; i < w->pairs.n; i++) {
		const struct pair *p = &w->pairs.items[i];
		tl_table_add_row(t, (const struct tl_cell[N_PAIR]){
			[PAIR_RANK] = tl_cell_int(ranks[p->part]),
			[PAIR_STRAGGLER_RANK] = tl_cell_int(ranks[p->last]),
			[PAIR_WAIT_MS] = tl_cell_ms(p->wait),
			[PAIR_COLLECTIVES] = tl_cell_int((int64_t)p->n),
		});
	}
	enum tl_status st = tl_rank_sheet_sorted(w->ranks, &tl_ranks_wait_pairs_sheet, t, err);
	tl_table_free(t);
	return st;
}

/* ---- ranks_collectives ---------------------------------------------------------------------------- */

static void add_rows(struct tl_waits *w, struct tl_meeting *m, const struct look *l)
{
	const struct tl_cell *of_first = m->events[0].cells;

	for (size_t i = 0; i < m->n; i++) {
		const struct tl_rank_event *e = &m->events[i];
		tl_rank_sheet_row(&w->rows, &m->strings, N_LATE, (const struct tl_cell[N_LATE]){
			[LATE_COLLECTIVE_ID] = tl_collective_id(w->ranks, e, &m->strings),
			[LATE_RANK] = tl_cell_int(e->rank),
			[LATE_PROCESS_GROUP_NAME] = of_first[COLL_PROCESS_GROUP_NAME],
			[LATE_COLLECTIVE_NAME] = of_first[COLL_COLLECTIVE_NAME],
			[LATE_DTYPE] = of_first[COLL_DTYPE],
			[LATE_IN_MSG_NELEMS] = of_first[COLL_IN_MSG_NELEMS],
			[LATE_DUR_US] = tl_cell_time(e->dur, false),
			[LATE_EXPOSED_US] = tl_cell_time(e->exposed, false),
			[LATE_LATE_US] = tl_cell_time(e->ts - l->times.first_start, false),
			[LATE_WAIT_US] = l->together ? tl_cell_time(l->times.last_start - e->ts, false) : tl_cell_null(),
			[LATE_LAST] = tl_cell_int(i == l->last && m->n > 1),
			[LATE_START_SKEW_US] = tl_cell_time(l->times.last_start - l->times.first_start, false),
			[LATE_END_SKEW_US] = tl_cell_time(l->times.last_end - l->times.first_end, false),
			[LATE_BUS_BW_GIB_S] = l->bandwidth.bus,
		});
	}
}

/* ---- ranks_stragglers ------------------------------------------------------------------------------- */

static struct tl_cell percent(double part, double whole)
{
	return whole > 0 ? tl_cell_real(100 * part / whole) : tl_cell_null();
}

/* The rank that others waited for longest or, where nobody waits, that came last most often. */
static size_t straggler_of(const struct tl_waits *w, const struct kind *k)
{
	size_t most = 0;

	for (size_t i = 1; i < w->ranks->job->n; i++) {
		const struct share *a = &k->ranks_share[most], *b = &k->ranks_share[i];
		if (b->caused > a->caused || (b->caused == a->caused && b->last > a->last))
			most = i;
	}
	return most;
}

/* The columns about the link follow, see set_link. */
static void add_stragglers(struct tl_waits *w, const struct kind *k)
{
	size_t straggler = straggler_of(w, k);
	const struct share *s = &k->ranks_share[straggler], *sum = &k->sum;
	double n = (double)k->n_met, tick = (double)w->ranks->facts.ticks_per_us;
	struct tl_cell c[N_WAIT] = {
		[WAIT_PROCESS_GROUP_NAME] = w->group,
		[WAIT_PROCESS_GROUP_RANKS] = k->ranks,
		[WAIT_COLLECTIVE_NAME] = k->name,
		[WAIT_COLLECTIVES] = tl_cell_int((int64_t)k->n),
		[WAIT_RANKS] = tl_cell_int((int64_t)k->most_ranks),
		[WAIT_DUR_MS] = tl_cell_ms(sum->dur),
		[WAIT_EXPOSED_MS] = tl_cell_ms(sum->exposed),
		[WAIT_EXPOSED_PCT] = percent((double)sum->exposed, (double)sum->dur),
		[WAIT_BUS_BW_GIB_S_MEAN] = k->n_bandwidth ? tl_cell_real(k->bandwidth / (double)k->n_bandwidth) : tl_cell_null(),
	};

	if (k->n_met) {
		c[WAIT_START_SKEW_US_MEAN] = tl_cell_real((double)k->start_skew / tick / n);
		c[WAIT_START_SKEW_US_MAX] = tl_cell_time(k->most_skew, false);
		c[WAIT_END_SKEW_US_MEAN] = tl_cell_real((double)k->end_skew / tick / n);
		c[WAIT_STRAGGLER_RANK] = tl_cell_int(w->ranks->job->ranks[straggler]);
		c[WAIT_STRAGGLER_LAST] = tl_cell_int((int64_t)s->last);
		c[WAIT_STRAGGLER_LAST_PCT] = percent((double)s->last, n);
	}
	if (k->n_met && k->together) {
		c[WAIT_WAIT_MS] = tl_cell_ms(sum->wait);
		c[WAIT_WAIT_PCT] = percent((double)sum->wait, (double)sum->dur);
		c[WAIT_STRAGGLER_WAIT_MS] = tl_cell_ms(s->caused);
	}
	tl_table_add_row(w->stragglers, c);
}

/* Makes rows of the collectives of the current group. */
static void end_group(struct tl_waits *w)
{
	for (size_t i = 0; i < w->kinds.n; i++) {
		add_stragglers(w, &w->kinds.items[i]);
		free(w->kinds.items[i].ranks_share);
	}
	TL_KEYED_RELEASE(&w->kinds);
	memset(&w->kinds, 0, sizeof w->kinds);
}

static struct tl_cell kept(struct tl_waits *w, const struct tl_meeting *m, int column)
{
	return tl_cell_copy(m->events[0].cells[column], &m->strings, &w->strings);
}

static struct kind *kind_of(struct tl_waits *w, const struct tl_meeting *m, bool together)
{
	struct tl_cell group = kept(w, m, COLL_PROCESS_GROUP_NAME), name = kept(w, m, COLL_COLLECTIVE_NAME);
	bool is_new;

	if (!w->ranks->n_groups || tl_cell_compare(&w->strings, group, w->group)) { /* the first one may have no name */
		end_group(w);
		w->ranks->report->groups++;
		TL_PUSH(w->ranks->groups, w->ranks->n_groups, w->ranks->cap_groups, (struct tl_ranks_group){
			tl_cell_copy(m->events[0].cells[COLL_PROCESS_GROUP_NAME], &m->strings, &w->ranks->group_strings),
			tl_cell_copy(m->events[0].cells[COLL_PROCESS_GROUP_RANKS], &m->strings, &w->ranks->group_strings) });
	}
	w->group = group;
	struct kind *k = TL_ITEM(&w->kinds, tl_cell_is_null(name) ? TL_NONE : name.text, &is_new);
	if (is_new)
		*k = (struct kind){ .name = name, .ranks = kept(w, m, COLL_PROCESS_GROUP_RANKS), .together = together,
			.ranks_share = tl_calloc(w->ranks->job->n + 1, sizeof *k->ranks_share) };
	return k;
}

static void add_to_kind(struct kind *k, const struct tl_meeting *m, const struct look *l)
{
	int64_t skew = l->times.last_start - l->times.first_start;

	k->n++;
	k->n_met += m->n > 1;
	k->most_ranks = m->n > k->most_ranks ? m->n : k->most_ranks;
	k->start_skew = tl_ticks_add(k->start_skew, skew);
	k->most_skew = skew > k->most_skew ? skew : k->most_skew;
	k->end_skew = tl_ticks_add(k->end_skew, l->times.last_end - l->times.first_end);
	if (!tl_cell_is_null(l->bandwidth.bus)) {
		k->bandwidth += l->bandwidth.bus.d;
		k->n_bandwidth++;
	}
}

/* ---- links --------------------------------------------------------------------------------------------------- */

/* What collectives have in common whose times can be compared. */
static void add_alike(struct tl_buf *b, const struct tl_ranks *r, const struct tl_meeting *m)
{
	static const uint8_t columns[] = { COLL_COLLECTIVE_NAME, COLL_DTYPE, COLL_IN_MSG_NELEMS, COLL_OUT_MSG_NELEMS, COLL_GROUP_SIZE };
	const struct tl_cell *c = m->events[0].cells;

	for (size_t i = 0; i < sizeof columns; i++)
		tl_cell_pack(b, c[columns[i]], &m->strings);
	if (r->job->gpus_per_node)
		tl_buf_adds(b, tl_node_span(r, &m->strings, c[COLL_PROCESS_GROUP_RANKS]));
}

/* The number of the link of a collective of which all ranks are there; else what takes long may be that all wait for one that is missing. */
static size_t link_of(struct tl_waits *w, const struct tl_meeting *m, const struct kind *k, const struct look *l, const struct tl_buf *alike)
{
	size_t row = w->stragglers->n_rows + (size_t)(k - w->kinds.items), link;
	const struct tl_bandwidth *b = &l->bandwidth;

	if (!l->together || !l->complete || m->n < 2)
		return SIZE_MAX;
	link = tl_links_add(w->ranks->links, row, alike->data, alike->len, l->times.shortest);
	if (link == w->n_messages) /* the first of the link */
		TL_PUSH(w->messages, w->n_messages, w->cap_messages, (struct message){ .row = row, .dtype = kept(w, m, COLL_DTYPE), .mib = b->full,
			.gb = tl_cell_is_null(b->bus) ? 0 : b->bus.d * gb_of_gib * (double)l->times.shortest });
	return link;
}

static enum tl_status add_to_replay(struct tl_waits *w, const struct tl_meeting *m, const struct kind *k, const struct look *l, struct tl_error *err)
{
	struct tl_buf alike = { 0 };

	add_alike(&alike, w->ranks, m);
	size_t link = link_of(w, m, k, l, &alike);
	enum tl_status st = tl_loss_meet(w->ranks, m, link, tl_hash(alike.data, alike.len), l->complete, err);
	tl_buf_release(&alike);
	return st;
}

static struct tl_cell ms_cell(const struct tl_waits *w, double ticks)
{
	return tl_cell_real(ticks / (double)w->ranks->facts.ticks_per_us / 1e3);
}

/* What the links of a group can carry, 10^9 bytes/s; 0: not known. */
static double limit_of(const struct tl_waits *w, size_t row)
{
	const struct tl_ranks_job *job = w->ranks->job;
	const char *span = job->gpus_per_node ? tl_node_span(w->ranks, &w->strings, tl_table_cell(w->stragglers, row, WAIT_PROCESS_GROUP_RANKS)) : "unknown";

	if (!strcmp(span, "intra_node"))
		return job->intra_gbps > 0 ? job->intra_gbps : tl_works_peer_gbps(w->ranks->works);
	return !strcmp(span, "inter_node") ? job->inter_gbps : 0;
}

/* The columns about the link of a row. */
static void set_link(const struct tl_waits *w, size_t row)
{
	struct tl_table *t = w->stragglers;
	struct tl_cell bandwidth = tl_table_cell(t, row, WAIT_BUS_BW_GIB_S_MEAN);
	struct tl_link_sum s = tl_links_sum(w->ranks->links, row);
	double limit;

	if (tl_cell_is_null(tl_table_cell(t, row, WAIT_WAIT_MS)))
		return;
	if (!tl_cell_is_null(bandwidth) && (limit = limit_of(w, row)) > 0) {
		tl_table_set(t, row, WAIT_LINK_GBPS, tl_cell_real(limit));
		tl_table_set(t, row, WAIT_OF_LINK_PCT, tl_cell_real(100 * bandwidth.d * gb_of_gib / limit));
	}
	if (!s.peers || s.ticks <= 0 || s.usual <= 0)
		return;
	tl_table_set(t, row, WAIT_PEERS, tl_cell_int((int64_t)s.peers));
	if (!tl_cell_is_null(bandwidth))
		tl_table_set(t, row, WAIT_EXPECTED_BUS_BW_GIB_S, tl_cell_real(bandwidth.d * (double)s.ticks / (double)s.usual));
	tl_table_set(t, row, WAIT_SLOW_BY_PCT, tl_cell_real(100 - 100 * (double)s.usual / (double)s.ticks));
	tl_table_set(t, row, WAIT_SLOW_MS, ms_cell(w, (double)(s.ticks - s.usual)));
}

static enum tl_status write_bandwidths(struct tl_waits *w, struct tl_error *err)
{
	struct tl_table *t = tl_table_new(&w->strings, w->ranks->facts.ticks_per_us, tl_ranks_message_rows);

	for (size_t i = 0; i < w->n_messages; i++) {
		const struct message *m = &w->messages[i];
		size_t n;
		struct tl_link_sum s = tl_links_one(w->ranks->links, i, &n);
		bool compared = s.peers && s.usual > 0;
		if (!(m->gb > 0) || s.ticks <= 0)
			continue;
		tl_table_add_row(t, (const struct tl_cell[N_MESSAGE]){
			[MESSAGE_PROCESS_GROUP_NAME] = tl_table_cell(w->stragglers, m->row, WAIT_PROCESS_GROUP_NAME),
			[MESSAGE_PROCESS_GROUP_RANKS] = tl_table_cell(w->stragglers, m->row, WAIT_PROCESS_GROUP_RANKS),
			[MESSAGE_COLLECTIVE_NAME] = tl_table_cell(w->stragglers, m->row, WAIT_COLLECTIVE_NAME),
			[MESSAGE_DTYPE] = m->dtype,
			[MESSAGE_MESSAGE_MIB] = m->mib,
			[MESSAGE_COLLECTIVES] = tl_cell_int((int64_t)n),
			[MESSAGE_BUS_GBPS] = tl_cell_real(m->gb / (double)s.ticks),
			[MESSAGE_PEERS] = tl_cell_int((int64_t)s.peers),
			[MESSAGE_EXPECTED_GBPS] = compared ? tl_cell_real(m->gb / (double)s.usual) : tl_cell_null(),
			[MESSAGE_SLOW_BY_PCT] = compared ? tl_cell_real(100 - 100 * (double)s.usual / (double)s.ticks) : tl_cell_null(),
		});
	}
	enum tl_status st = t->n_rows ? tl_rank_sheet_sorted(w->ranks, &tl_ranks_bandwidth_sheet, t, err) : TL_OK;
	tl_table_free(t);
	return st;
}

/* ---- ranks_communication ------------------------------------------------------------------------------ */

static void add_rank(const struct tl_waits *w, struct tl_table *t, size_t i)
{
	const struct share *s = &w->shares[i];
	const struct tl_clock *clock = &w->ranks->facts.aligned[i].clock;
	const int64_t *ranks = w->ranks->job->ranks;
	double n = (double)s->met, tick = (double)w->ranks->facts.ticks_per_us;
	struct tl_cell c[N_COMM] = {
		[COMM_RANK] = tl_cell_int(ranks[i]),
		[COMM_COLLECTIVES] = tl_cell_int((int64_t)s->joined),
		[COMM_INCOMPLETE] = tl_cell_int((int64_t)s->incomplete),
		[COMM_TIMES_LAST] = tl_cell_int((int64_t)s->last),
		[COMM_LAST_PCT] = percent((double)s->last, n),
		[COMM_DUR_MS] = tl_cell_ms(s->dur),
		[COMM_EXPOSED_MS] = tl_cell_ms(s->exposed),
		[COMM_EXPOSED_PCT] = percent((double)s->exposed, (double)s->dur),
		[COMM_CLOCK_COLLECTIVES] = tl_cell_int((int64_t)clock->collectives),
	};

	if (s->met) {
		c[COMM_LATE_US_MEAN] = tl_cell_real((double)s->late / tick / n);
		c[COMM_LATE_US_MAX] = tl_cell_time(s->latest, false);
	}
	if (s->met) {
		c[COMM_WAIT_MS] = tl_cell_ms(s->wait);
		c[COMM_CAUSED_WAIT_MS] = tl_cell_ms(s->caused);
	}
	w->ranks->totals[i].caused = s->caused;
	double gpu, usual;
	const char *unit = tl_works_clock(w->ranks->works, i, &gpu, &usual);
	if (unit) {
		c[COMM_GPU_CLOCK] = tl_cell_real(gpu);
		c[COMM_USUAL_GPU_CLOCK] = tl_cell_real(usual);
		c[COMM_GPU_CLOCK_UNIT] = tl_cell_str(t->strings, unit);
	}
	if (clock->collectives > 0) {
		c[COMM_CLOCK_OFFSET_US] = tl_cell_time(clock->offset, false);
		c[COMM_CLOCK_REFERENCE] = tl_cell_int(ranks[clock->reference]);
		c[COMM_CLOCK_SPREAD_US] = tl_cell_time(clock->spread, false);
	}
	tl_table_add_row(t, c);
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

struct tl_waits *tl_waits_open(struct tl_ranks *r, struct tl_error *err)
{
	struct tl_waits *w = tl_calloc(1, sizeof *w);

	w->ranks = r;
	w->shares = tl_calloc(r->job->n + 1, sizeof *w->shares);
	w->stragglers = tl_table_new(&w->strings, r->facts.ticks_per_us, tl_ranks_wait_rows);
	tl_rank_sheet_open(&w->rows, r, &tl_ranks_collectives_sheet, err);
	return w;
}

enum tl_status tl_waits_add(struct tl_waits *w, struct tl_meeting *m, bool together, bool complete, struct tl_error *err)
{
	struct look l = look_at(w->ranks, m, together, complete);
	struct kind *k = kind_of(w, m, together);

	add_rows(w, m, &l);
	add_to_kind(k, m, &l);
	for (size_t i = 0; i < m->n; i++) {
		size_t part = tl_rank_number(w->ranks, m->events[i].rank);
		add_share(&w->shares[part], m, &l, i);
		add_share(&k->ranks_share[part], m, &l, i);
		add_share(&k->sum, m, &l, i);
		if (together && l.times.last_start > m->events[i].ts)
			add_pair(w, part, tl_rank_number(w->ranks, m->events[l.last].rank), l.times.last_start - m->events[i].ts);
	}
	return add_to_replay(w, m, k, &l, err);
}

enum tl_status tl_waits_close(struct tl_waits *w, struct tl_error *err)
{
	struct tl_table *ranks = tl_table_new(&w->strings, w->ranks->facts.ticks_per_us, tl_ranks_comm_rows);
	enum tl_status st = tl_rank_sheet_close(&w->rows);

	end_group(w);
	tl_links_find(w->ranks->links);
	for (size_t i = 0; i < w->stragglers->n_rows; i++)
		set_link(w, i);
	for (size_t i = 0; i < w->ranks->job->n; i++) /* what a rank computes alone says nothing about the others */
		if (!w->ranks->totals[i].events)
			tl_works_leave_out(w->ranks->works, i);
	w->ranks->report->steps = tl_works_steps(w->ranks->works);
	for (size_t i = 0; i < w->ranks->job->n; i++)
		add_rank(w, ranks, i);
	if (!st)
		st = tl_rank_sheet_sorted(w->ranks, &tl_ranks_stragglers_sheet, w->stragglers, err);
	if (!st)
		st = write_bandwidths(w, err);
	if (!st)
		st = tl_rank_sheet_sorted(w->ranks, &tl_ranks_communication_sheet, ranks, err);
	if (!st)
		st = write_pairs(w, err);
	TL_KEYED_RELEASE(&w->pairs);
	tl_table_free(ranks);
	tl_table_free(w->stragglers);
	tl_strtab_release(&w->strings);
	free(w->messages);
	free(w->shares);
	free(w);
	return st;
}
