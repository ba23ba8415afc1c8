/* rank_sync.c - collectives that all ranks must join: nccl_implicit_sync,
 * nccl_summary_implicit_sync, straggler_summary.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/meeting_sheet.h"

#include "base/merge_sort.h"

#include <math.h>
#include <stdlib.h>

/* ---- what a row says ------------------------------------------------------------------------ */

struct sync {
	struct tl_bandwidth bandwidth;
	int64_t waits;                  /* ticks: of all ranks */
	int64_t earliest;               /* rank */
	bool whole_start, whole_end;    /* differences of starts, of ends */
};

static struct sync sync_of(const struct tl_meeting_sheet *sheet)
{
	const struct tl_ranks *r = sheet->ranks;
	const struct tl_meeting *m = &sheet->meeting;
	struct sync s = { .bandwidth = tl_meeting_bandwidth(r, m, sheet->times.shortest), .whole_start = r->facts.whole_ts,
		.whole_end = r->facts.whole_ts && r->facts.whole_dur };

	for (size_t i = 0; i < m->n; i++) {
		s.waits = tl_ticks_add(s.waits, sheet->times.last_start - m->events[i].ts);
		if (m->events[i].ts == sheet->times.first_start)
			s.earliest = m->events[i].rank; /* the highest of several */
	}
	return s;
}

/* ---- nccl_implicit_sync ------------------------------------------------------------------------ */

static const uint8_t metadata[] = { COLL_PROCESS_GROUP_NAME, COLL_PROCESS_GROUP_RANKS, COLL_COLLECTIVE_NAME, COLL_GROUP_SIZE, COLL_DTYPE,
	COLL_IN_MSG_NELEMS, COLL_OUT_MSG_NELEMS, COLL_IN_MSG_SIZE_MB, COLL_OUT_MSG_SIZE_MB };

static void put_of_rank(struct tl_meeting_sheet *s, const struct tl_rank_event *e, bool wait, bool always)
{
	bool whole_ts = always && s->ranks->facts.whole_ts;

	if (wait) {
		tl_rank_sheet_put(&s->out, tl_cell_time(s->times.last_start - e->ts, whole_ts));
	} else {
		tl_rank_sheet_put(&s->out, tl_cell_time(e->ts, whole_ts));
		tl_rank_sheet_put(&s->out, tl_cell_time(e->dur, always && s->ranks->facts.whole_dur));
	}
}

static void fill_row(struct tl_meeting_sheet *sheet, const struct sync *s, struct tl_cell *c)
{
	const struct tl_ranks *r = sheet->ranks;
	struct tl_meeting *m = &sheet->meeting;
	const struct tl_meeting_times *t = &sheet->times;
	const struct tl_cell *of_first = m->events[0].cells;

	c[SYNC_COLLECTIVE_ID] = tl_collective_id(r, &m->events[0], &m->strings);
	c[SYNC_PROCESS_GROUP_NAME] = of_first[COLL_PROCESS_GROUP_NAME];
	c[SYNC_PROCESS_GROUP_RANKS] = of_first[COLL_PROCESS_GROUP_RANKS];
	c[SYNC_COLLECTIVE_NAME] = of_first[COLL_COLLECTIVE_NAME];
	c[SYNC_GROUP_SIZE] = of_first[COLL_GROUP_SIZE];
	c[SYNC_DTYPE] = of_first[COLL_DTYPE];
	c[SYNC_IN_MSG_NELEMS] = of_first[COLL_IN_MSG_NELEMS];
	c[SYNC_OUT_MSG_NELEMS] = of_first[COLL_OUT_MSG_NELEMS];
	c[SYNC_IN_MSG_SIZE_MB] = of_first[COLL_IN_MSG_SIZE_MB];
	c[SYNC_OUT_MSG_SIZE_MB] = of_first[COLL_OUT_MSG_SIZE_MB];
	c[SYNC_FULL_MSG_SIZE_MB] = s->bandwidth.full;
	c[SYNC_COMM_LATENCY] = tl_cell_time(t->shortest, r->facts.whole_dur);
	c[SYNC_SKEW_IN_START_TIME] = tl_cell_time(t->last_start - t->first_start, s->whole_start);
	c[SYNC_EARLIEST_ARRIVAL_RANK] = tl_cell_int(s->earliest);
	c[SYNC_AVG_WAIT_TIME] = tl_cell_real(tl_divide(s->waits, r->facts.ticks_per_us * (int64_t)m->n));
	c[SYNC_SKEW_IN_END_TIME] = tl_cell_time(t->last_end - t->first_end, s->whole_end);
	c[SYNC_ALGO_BW_GB_S] = s->bandwidth.algo;
	c[SYNC_BUS_BW_GB_S] = s->bandwidth.bus;
}

/* ---- nccl_summary_implicit_sync -------------------------------------------------------------------- */

static struct tl_cell known(struct tl_meeting_sheet *s, struct tl_cell c)
{
	return tl_cell_is_null(c) ? tl_cell_str(&s->strings, "Unknown") : tl_meeting_sheet_raw(s, c);
}

/* Of the cells of the row. */
static void add_raw(struct tl_meeting_sheet *s, const struct tl_cell *c)
{
	tl_table_add_row(s->raw, (const struct tl_cell[N_JOINED]){
		[JOINED_COLLECTIVE_NAME] = known(s, c[SYNC_COLLECTIVE_NAME]),
		[JOINED_DTYPE] = known(s, c[SYNC_DTYPE]),
		[JOINED_IN_MSG_NELEMS] = known(s, c[SYNC_IN_MSG_NELEMS]),
		[JOINED_PROCESS_GROUP_NAME] = tl_meeting_sheet_raw(s, c[SYNC_PROCESS_GROUP_NAME]),
		[JOINED_GROUP_SIZE] = c[SYNC_GROUP_SIZE],
		[JOINED_FULL_MSG_SIZE_MB] = c[SYNC_FULL_MSG_SIZE_MB],
		[JOINED_COMM_LATENCY] = c[SYNC_COMM_LATENCY],
		[JOINED_SKEW_IN_START_TIME] = c[SYNC_SKEW_IN_START_TIME],
		[JOINED_SKEW_IN_END_TIME] = c[SYNC_SKEW_IN_END_TIME],
		[JOINED_ALGO_BW_GB_S] = c[SYNC_ALGO_BW_GB_S],
		[JOINED_BUS_BW_GB_S] = c[SYNC_BUS_BW_GB_S],
	});
}

static bool some(const struct tl_table *t, size_t column)
{
	for (size_t row = 0; row < t->n_rows; row++)
		if (!tl_cell_is_null(tl_table_cell(t, row, column)))
			return true;
	return false;
}

static enum tl_status write_summary(const struct tl_meeting_sheet *s, struct tl_error *err)
{
	unsigned conditions = (some(s->raw, JOINED_ALGO_BW_GB_S) ? TL_RANKS_IF_ALGO : 0) | (some(s->raw, JOINED_BUS_BW_GB_S) ? TL_RANKS_IF_BUS : 0);
	const struct tl_sheet_def *def = &tl_ranks_nccl_summary_implicit_sync_sheet;

	return tl_rank_sheet_of_table(s->ranks, def->name, tl_meeting_sheet_sum(s, def, conditions), err);
}

/* ---- straggler_summary ------------------------------------------------------------------------------ */

static void count_arrivals(struct tl_meeting_sheet *s, int64_t earliest)
{
	struct tl_ranks *r = s->ranks;
	struct tl_rank_totals *last = NULL;

	for (size_t i = 0; i < s->meeting.n; i++) {
		struct tl_rank_totals *t = &r->totals[tl_rank_number(r, s->meeting.events[i].rank)];
		int64_t wait = s->times.last_start - s->meeting.events[i].ts;
		t->wait = tl_ticks_add(t->wait, wait);
		if (!wait && (!last || t->seen[TL_RANKS_SYNC].column < last->seen[TL_RANKS_SYNC].column))
			last = t;
	}
	last->last++;
	r->totals[tl_rank_number(r, earliest)].first++;
}

static double tenths(double x)
{
	return rint(x * 10) / 10;
}

TL_ORDER_IN(by_wait, size_t, struct tl_rank_totals, TL_ASC(ctx[*x].wait) TL_ASC(*x))

static enum tl_status write_stragglers(const struct tl_ranks *r, struct tl_rank_columns *c, struct tl_error *err)
{
	uint64_t n = r->meetings[TL_RANKS_SYNC].n;
	struct tl_rank_sheet s;

	tl_rank_sheet_open(&s, r, &tl_ranks_straggler_summary_sheet, err);
	tl_merge_sort(c->parts, c->n, sizeof *c->parts, by_wait, r->totals);
	for (size_t i = 0; i < c->n; i++) {
		const struct tl_rank_totals *t = &r->totals[c->parts[i]];
		double wait = tl_divide(t->wait, r->facts.ticks_per_us);
		tl_rank_sheet_row(&s, NULL, N_ARRIVAL, (const struct tl_cell[N_ARRIVAL]){
			[ARRIVAL_RANK] = tl_cell_int(t->rank),
			[ARRIVAL_TOTAL_WAIT_TIME_US] = tl_cell_real(tenths(wait)),
			[ARRIVAL_MEAN_WAIT_TIME_US] = tl_cell_real(tenths(wait / (double)t->seen[TL_RANKS_SYNC].joined)),
			[ARRIVAL_TIMES_ARRIVED_LAST] = tl_cell_int((int64_t)t->last),
			[ARRIVAL_TIMES_ARRIVED_FIRST] = tl_cell_int((int64_t)t->first),
			[ARRIVAL_PCT_ARRIVED_LAST] = tl_cell_real(tenths(100.0 * (double)t->last / (double)n)),
			[ARRIVAL_NUM_COLLECTIVES] = tl_cell_int((int64_t)n),
			[ARRIVAL_TOTAL_NCCL_DUR_US] = r->facts.whole_dur ? tl_cell_time(t->dur, true) : tl_cell_real(tenths(tl_divide(t->dur, r->facts.ticks_per_us))),
		});
	}
	return tl_rank_sheet_close(&s);
}

/* ---- all of it --------------------------------------------------------------------------------------- */

static void put(struct tl_meeting_sheet *sheet, struct tl_cell *cells)
{
	struct sync s = sync_of(sheet);

	fill_row(sheet, &s, cells);
	add_raw(sheet, cells);
	count_arrivals(sheet, s.earliest);
}

static enum tl_status sum_up(struct tl_meeting_sheet *s, struct tl_error *err)
{
	enum tl_status st = write_summary(s, err);

	return st || !s->ranks->meetings[TL_RANKS_SYNC].n ? st : write_stragglers(s->ranks, &s->columns, err);
}

const struct tl_meeting_sheet_def tl_sync_sheet = {
	.sheet = &tl_ranks_nccl_implicit_sync_sheet, .of_rank = { SYNC_RANK_N_TS, SYNC_RANK_N_WAIT_TIME, N_SYNC }, .kind = TL_RANKS_SYNC,
	.metadata = metadata, .n_metadata = sizeof metadata, .raw = tl_ranks_joined_rows,
	.put = put, .put_of_rank = put_of_rank, .sum_up = sum_up,
};
