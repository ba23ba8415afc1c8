/* rank_sync.c - collectives that all ranks must join: nccl_implicit_sync,
 * nccl_summary_implicit_sync, straggler_summary.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/meeting_sheet.h"

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
	struct sync s = { .bandwidth = tl_meeting_bandwidth(r, m, sheet->times.shortest), .whole_start = r->whole_ts,
		.whole_end = r->whole_ts && r->whole_dur };

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
static const char *const columns[] = { "Full msg size (MB)", "comm_latency", "skew in start time", "earliest arrival rank",
	"avg_wait_time", "skew in end time", "algo bw (GB/s)", "bus bw (GB/s)", NULL };
static const char *const times_of_rank[] = { "ts", "dur", NULL }, *const wait_of_rank[] = { "wait_time", NULL };

static void put_of_rank(struct tl_meeting_sheet *s, const struct tl_rank_event *e, bool wait, bool always)
{
	bool whole_ts = always && s->ranks->whole_ts;

	if (wait) {
		tl_rank_sheet_put(&s->out, tl_cell_time(s->times.last_start - e->ts, whole_ts));
	} else {
		tl_rank_sheet_put(&s->out, tl_cell_time(e->ts, whole_ts));
		tl_rank_sheet_put(&s->out, tl_cell_time(e->dur, always && s->ranks->whole_dur));
	}
}

static void put_row(struct tl_meeting_sheet *sheet, const struct sync *s)
{
	const struct tl_ranks *r = sheet->ranks;
	const struct tl_meeting *m = &sheet->meeting;
	const struct tl_meeting_times *t = &sheet->times;
	struct tl_rank_sheet *out = &sheet->out;

	tl_rank_sheet_put(out, s->bandwidth.full);
	tl_rank_sheet_put(out, tl_cell_time(t->shortest, r->whole_dur));
	tl_rank_sheet_put(out, tl_cell_time(t->last_start - t->first_start, s->whole_start));
	tl_rank_sheet_put(out, tl_cell_int(s->earliest));
	tl_rank_sheet_put(out, tl_cell_real(tl_divide(s->waits, r->ticks_per_us * (int64_t)m->n)));
	tl_rank_sheet_put(out, tl_cell_time(t->last_end - t->first_end, s->whole_end));
	tl_rank_sheet_put(out, s->bandwidth.algo);
	tl_rank_sheet_put(out, s->bandwidth.bus);
}

/* ---- nccl_summary_implicit_sync -------------------------------------------------------------------- */

enum { S_NAME, S_DTYPE, S_IN, S_GROUP, S_GROUP_SIZE, S_FULL, S_LATENCY, S_START, S_END, S_ALGO, S_BUS, S_N };
static const char *const raw_columns[] = { "Collective name", "dtype", "In msg nelems", "Process Group Name", "Group size",
	"Full msg size (MB)", "comm_latency", "skew in start time", "skew in end time", "algo bw (GB/s)", "bus bw (GB/s)", NULL };
enum { WHEN_ALGO = 1, WHEN_BUS = 2 };

static struct tl_cell known(struct tl_meeting_sheet *s, struct tl_cell c)
{
	return tl_cell_is_null(c) ? tl_cell_str(&s->strings, "Unknown") : tl_meeting_sheet_raw(s, c);
}

static void add_raw(struct tl_meeting_sheet *sheet, const struct sync *s)
{
	const struct tl_cell *c = sheet->meeting.events[0].cells;
	const struct tl_meeting_times *t = &sheet->times;
	const struct tl_cell cells[S_N] = {
		[S_NAME] = known(sheet, c[COLL_COLLECTIVE_NAME]), [S_DTYPE] = known(sheet, c[COLL_DTYPE]),
		[S_IN] = known(sheet, c[COLL_IN_MSG_NELEMS]), [S_GROUP] = tl_meeting_sheet_raw(sheet, c[COLL_PROCESS_GROUP_NAME]),
		[S_GROUP_SIZE] = c[COLL_GROUP_SIZE], [S_FULL] = s->bandwidth.full,
		[S_LATENCY] = tl_cell_time(t->shortest, sheet->ranks->whole_dur),
		[S_START] = tl_cell_time(t->last_start - t->first_start, s->whole_start),
		[S_END] = tl_cell_time(t->last_end - t->first_end, s->whole_end),
		[S_ALGO] = s->bandwidth.algo, [S_BUS] = s->bandwidth.bus,
	};

	tl_table_add_row(sheet->raw, cells);
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
	const struct tl_ranks *r = s->ranks;
	struct tl_summary_columns c = { 0 };

	for (int k = S_NAME; k <= S_IN; k++)
		tl_summary_column(&c, raw_columns[k], TL_KEY, NULL, 0);
	for (int k = S_GROUP; k <= S_FULL; k++)
		tl_summary_column(&c, raw_columns[k], TL_FIRST, NULL, 0);
	for (int k = S_LATENCY; k <= S_BUS; k++)
		tl_summary_metrics(&c, raw_columns[k], r->job, k == S_ALGO ? WHEN_ALGO : k == S_BUS ? WHEN_BUS : 0);
	tl_summary_column(&c, "count", TL_COUNT, NULL, 0);
	tl_summary_column(&c, "total", TL_SUM, "comm_latency", 0)->hidden = true;
	tl_summary_column(&c, "Total comm latency (ms)", TL_MS, "total", 0);
	const struct tl_sheet_def def = { .name = "nccl_summary_implicit_sync", .rows = raw_columns,
		.columns = tl_summary_columns_end(&c), .keys_ascending = true, .order = { { "Total comm latency (ms)", true } } };
	struct tl_table *t = tl_sheet_make(&def, &(struct tl_sheet_input){ .rows = s->raw,
		.conditions = (some(s->raw, S_ALGO) ? WHEN_ALGO : 0) | (some(s->raw, S_BUS) ? WHEN_BUS : 0) });
	enum tl_status st = tl_rank_sheet_of_table(r, def.name, t, err);
	tl_summary_columns_release(&c);
	return st;
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

static int by_wait(const void *a, const void *b, void *ctx)
{
	const struct tl_rank_totals *t = ctx;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return t[x].wait != t[y].wait ? (t[x].wait > t[y].wait) - (t[x].wait < t[y].wait) : (x > y) - (x < y);
}

static enum tl_status write_stragglers(const struct tl_ranks *r, struct tl_rank_columns *c, struct tl_error *err)
{
	static const char *const names[] = { "rank", "total_wait_time_us", "mean_wait_time_us", "times_arrived_last",
		"times_arrived_first", "pct_arrived_last", "num_collectives", "total_nccl_dur_us", NULL };
	uint64_t n = r->meetings[TL_RANKS_SYNC].n;
	struct tl_rank_sheet s;

	tl_rank_sheet_open(&s, r, "straggler_summary", names, err);
	qsort_r(c->parts, c->n, sizeof *c->parts, by_wait, r->totals);
	for (size_t i = 0; i < c->n; i++) {
		const struct tl_rank_totals *t = &r->totals[c->parts[i]];
		double wait = tl_divide(t->wait, r->ticks_per_us);
		tl_rank_sheet_put(&s, tl_cell_int(t->rank));
		tl_rank_sheet_put(&s, tl_cell_real(tenths(wait)));
		tl_rank_sheet_put(&s, tl_cell_real(tenths(wait / (double)t->seen[TL_RANKS_SYNC].joined)));
		tl_rank_sheet_put(&s, tl_cell_int((int64_t)t->last));
		tl_rank_sheet_put(&s, tl_cell_int((int64_t)t->first));
		tl_rank_sheet_put(&s, tl_cell_real(tenths(100.0 * (double)t->last / (double)n)));
		tl_rank_sheet_put(&s, tl_cell_int((int64_t)n));
		tl_rank_sheet_put(&s, r->whole_dur ? tl_cell_time(t->dur, true) : tl_cell_real(tenths(tl_divide(t->dur, r->ticks_per_us))));
		tl_rank_sheet_end_row(&s, NULL);
	}
	return tl_rank_sheet_close(&s);
}

/* ---- all of it --------------------------------------------------------------------------------------- */

static void put(struct tl_meeting_sheet *sheet)
{
	struct sync s = sync_of(sheet);

	put_row(sheet, &s);
	add_raw(sheet, &s);
	count_arrivals(sheet, s.earliest);
}

static enum tl_status sum_up(struct tl_meeting_sheet *s, struct tl_error *err)
{
	enum tl_status st = write_summary(s, err);

	return st || !s->ranks->meetings[TL_RANKS_SYNC].n ? st : write_stragglers(s->ranks, &s->columns, err);
}

const struct tl_meeting_sheet_def tl_sync_sheet = {
	.name = "nccl_implicit_sync", .kind = TL_RANKS_SYNC, .metadata = metadata, .n_metadata = sizeof metadata,
	.columns = columns, .of_rank = { times_of_rank, wait_of_rank }, .raw = raw_columns,
	.put = put, .put_of_rank = put_of_rank, .sum_up = sum_up,
};
