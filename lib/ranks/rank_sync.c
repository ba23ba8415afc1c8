/* rank_sync.c - collectives that all ranks must join: nccl_implicit_sync,
 * nccl_summary_implicit_sync, straggler_summary.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "ranks/rank_sheets.h"
#include "ranks/summary_columns.h"

#include <math.h>
#include <stdlib.h>

enum tl_status tl_sync_add(struct tl_ranks *r, const struct tl_meeting *m, struct tl_error *err)
{
	struct tl_buf key = { 0 }, data = { 0 };

	r->n_syncs++;
	tl_rank_columns_note(r, TL_RANKS_SYNC, m);
	tl_key_add_int(&key, m->events[0].rank);
	tl_key_add_int(&key, m->events[0].position);
	tl_meeting_pack(&data, m, false);
	enum tl_status st = tl_sorter_add(r->syncs, key.data, key.len, data.data, data.len, err);
	tl_buf_release(&key);
	tl_buf_release(&data);
	return st;
}

/* ---- what a row says ------------------------------------------------------------------------ */

struct sync {
	struct tl_meeting_times times;
	struct tl_cell full, algo, bus; /* MB; GB/s */
	int64_t waits;                  /* ticks: of all ranks */
	int64_t earliest;               /* rank */
	bool whole_start, whole_end;    /* differences of starts, of ends */
};

/* The bytes that a rank has to send, in terms of the message, for n ranks. */
static double bus_factor(enum tl_meeting_type type, double n)
{
	return (type == TL_ALLREDUCE ? 2 : 1) * (n - 1) / n;
}

static void add_bandwidth(const struct tl_ranks *r, const struct tl_meeting *m, struct sync *s)
{
	const struct tl_cell *c = m->events[0].cells;
	enum tl_meeting_type type = tl_meeting_type(r, m);

	s->full = s->algo = s->bus = tl_cell_null();
	if (type == TL_MEETING_OTHER || tl_cell_is_null(c[TL_COLL_IN_MB]) || tl_cell_is_null(c[TL_COLL_OUT_MB]))
		return;
	s->full = c[type == TL_ALLGATHER ? TL_COLL_OUT_MB : TL_COLL_IN_MB];
	if (s->times.shortest <= 0)
		return;
	double seconds = tl_divide(s->times.shortest, r->ticks_per_us) / 1e6;
	s->algo = tl_cell_real(tl_cell_number(s->full, 1) / 1024 / seconds);
	if (!tl_cell_is_null(c[TL_COLL_GROUP_SIZE]))
		s->bus = tl_cell_real(s->algo.d * bus_factor(type, tl_cell_number(c[TL_COLL_GROUP_SIZE], 1)));
}

static struct sync sync_of(const struct tl_ranks *r, const struct tl_meeting *m)
{
	struct sync s = { .times = tl_meeting_times(m), .whole_start = r->whole_ts, .whole_end = r->whole_ts && r->whole_dur };

	for (size_t i = 0; i < m->n; i++) {
		s.waits += s.times.last_start - m->events[i].ts;
		if (m->events[i].ts == s.times.first_start)
			s.earliest = m->events[i].rank; /* the highest of several */
	}
	add_bandwidth(r, m, &s);
	return s;
}

/* ---- nccl_implicit_sync ------------------------------------------------------------------------ */

static const uint8_t metadata[] = { TL_COLL_GROUP, TL_COLL_RANKS, TL_COLL_NAME, TL_COLL_GROUP_SIZE, TL_COLL_DTYPE,
	TL_COLL_IN, TL_COLL_OUT, TL_COLL_IN_MB, TL_COLL_OUT_MB };

struct writing {
	struct tl_rank_sheet rows;
	struct tl_rank_columns columns;
	struct tl_meeting meeting;
	struct tl_rank_event **present; /* by part: its event of this row, or NULL */
	struct tl_strtab strings;
	struct tl_table *raw;           /* of the summary */
	bool some_algo, some_bus;
};

static void name_columns(void *ctx, struct tl_rank_sheet *s, size_t part, bool second)
{
	static const char *const times[] = { "ts", "dur", NULL }, *const wait[] = { "wait_time", NULL };

	(void)ctx;
	tl_rank_columns_name(s, part, second ? wait : times);
}

static void open_rows(struct writing *w, struct tl_ranks *r, struct tl_error *err)
{
	static const char *const id[] = { "collective_id", NULL };
	static const char *const more[] = { "Full msg size (MB)", "comm_latency", "skew in start time",
		"earliest arrival rank", "avg_wait_time", "skew in end time", "algo bw (GB/s)", "bus bw (GB/s)" };

	tl_rank_sheet_open(&w->rows, r, "nccl_implicit_sync", id, err);
	for (size_t k = 0; k < sizeof metadata; k++)
		tl_rank_sheet_text(&w->rows, tl_coll_analysis.rows[metadata[k]]);
	for (size_t k = 0; k < sizeof more / sizeof *more; k++)
		tl_rank_sheet_text(&w->rows, more[k]);
	w->columns = tl_rank_columns_make(r, TL_RANKS_SYNC);
	tl_rank_columns_each(&w->columns, &w->rows, name_columns, NULL);
	if (r->job->gpus_per_node && r->n_syncs)
		tl_rank_sheet_text(&w->rows, "node_span");
	tl_rank_sheet_end_row(&w->rows);
}

struct row { struct writing *w; const struct sync *s; };

static void put_columns(void *ctx, struct tl_rank_sheet *s, size_t part, bool second)
{
	const struct row *row = ctx;
	const struct tl_rank_event *e = row->w->present[part];
	bool always = s->ranks->totals[part].seen[TL_RANKS_SYNC].joined == s->ranks->n_syncs;

	if (!e) {
		tl_rank_sheet_text(s, "");
		if (!second)
			tl_rank_sheet_text(s, "");
	} else if (second) {
		tl_rank_sheet_time(s, row->s->times.last_start - e->ts, always && row->s->whole_start);
	} else {
		tl_rank_sheet_time(s, e->ts, always && s->ranks->whole_ts);
		tl_rank_sheet_time(s, e->dur, always && s->ranks->whole_dur);
	}
}

static void write_row(struct writing *w, struct tl_ranks *r, const struct sync *s)
{
	const struct tl_meeting *m = &w->meeting;
	const struct tl_rank_event *first = &m->events[0];
	struct tl_rank_sheet *out = &w->rows;
	struct tl_buf id = { 0 };

	tl_add_collective_id(&id, r, first, &m->strings);
	tl_rank_sheet_text(out, id.data);
	tl_buf_release(&id);
	for (size_t k = 0; k < sizeof metadata; k++)
		tl_rank_sheet_cell(out, first->cells[metadata[k]], &m->strings);
	tl_rank_sheet_cell(out, s->full, &m->strings);
	tl_rank_sheet_time(out, s->times.shortest, r->whole_dur);
	tl_rank_sheet_time(out, s->times.last_start - s->times.first_start, s->whole_start);
	tl_rank_sheet_int(out, s->earliest);
	tl_rank_sheet_real(out, tl_divide(s->waits, r->ticks_per_us * (int64_t)m->n));
	tl_rank_sheet_time(out, s->times.last_end - s->times.first_end, s->whole_end);
	tl_rank_sheet_cell(out, s->algo, NULL);
	tl_rank_sheet_cell(out, s->bus, NULL);
	for (size_t i = 0; i < m->n; i++)
		w->present[tl_rank_number(r, m->events[i].rank)] = &m->events[i];
	tl_rank_columns_each(&w->columns, out, put_columns, &(struct row){ w, s });
	for (size_t i = 0; i < m->n; i++)
		w->present[tl_rank_number(r, m->events[i].rank)] = NULL;
	if (r->job->gpus_per_node)
		tl_rank_sheet_text(out, tl_node_span(r, &m->strings, first->cells[TL_COLL_RANKS]));
	tl_rank_sheet_end_row(out);
}

/* ---- nccl_summary_implicit_sync -------------------------------------------------------------------- */

enum { S_NAME, S_DTYPE, S_IN, S_GROUP, S_GROUP_SIZE, S_FULL, S_LATENCY, S_START, S_END, S_ALGO, S_BUS, S_N };
static const char *const raw_columns[] = { "Collective name", "dtype", "In msg nelems", "Process Group Name", "Group size",
	"Full msg size (MB)", "comm_latency", "skew in start time", "skew in end time", "algo bw (GB/s)", "bus bw (GB/s)", NULL };
enum { WHEN_ALGO = 1, WHEN_BUS = 2 };

static struct tl_cell copied(struct writing *w, struct tl_cell c)
{
	const struct tl_strtab *from = &w->meeting.strings;

	return c.type == TL_CELL_TEXT ? tl_cell_text(tl_intern(&w->strings, tl_str(from, c.text), tl_str_len(from, c.text))) : c;
}

static struct tl_cell known(struct writing *w, struct tl_cell c)
{
	return tl_cell_is_null(c) ? tl_cell_text(tl_intern_str(&w->strings, "Unknown")) : copied(w, c);
}

static void add_raw(struct writing *w, const struct sync *s, bool whole_dur)
{
	const struct tl_cell *c = w->meeting.events[0].cells;
	const struct tl_cell cells[S_N] = {
		[S_NAME] = known(w, c[TL_COLL_NAME]), [S_DTYPE] = known(w, c[TL_COLL_DTYPE]), [S_IN] = known(w, c[TL_COLL_IN]),
		[S_GROUP] = copied(w, c[TL_COLL_GROUP]), [S_GROUP_SIZE] = c[TL_COLL_GROUP_SIZE], [S_FULL] = s->full,
		[S_LATENCY] = tl_cell_time(s->times.shortest, whole_dur),
		[S_START] = tl_cell_time(s->times.last_start - s->times.first_start, s->whole_start),
		[S_END] = tl_cell_time(s->times.last_end - s->times.first_end, s->whole_end),
		[S_ALGO] = s->algo, [S_BUS] = s->bus,
	};

	tl_table_add_row(w->raw, cells);
	w->some_algo = w->some_algo || !tl_cell_is_null(s->algo);
	w->some_bus = w->some_bus || !tl_cell_is_null(s->bus);
}

static enum tl_status write_summary(struct writing *w, const struct tl_ranks *r, struct tl_error *err)
{
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
	struct tl_table *t = tl_sheet_make(&def, &(struct tl_sheet_input){ .rows = w->raw,
		.conditions = (w->some_algo ? WHEN_ALGO : 0) | (w->some_bus ? WHEN_BUS : 0) });
	enum tl_status st = tl_rank_sheet_of_table(r, def.name, t, err);
	tl_summary_columns_release(&c);
	return st;
}

/* ---- straggler_summary ------------------------------------------------------------------------------ */

static void count_arrivals(struct tl_ranks *r, const struct tl_meeting *m, const struct sync *s)
{
	struct tl_rank_totals *last = NULL;

	for (size_t i = 0; i < m->n; i++) {
		struct tl_rank_totals *t = &r->totals[tl_rank_number(r, m->events[i].rank)];
		int64_t wait = s->times.last_start - m->events[i].ts;
		t->wait += wait;
		if (!wait && (!last || t->seen[TL_RANKS_SYNC].column < last->seen[TL_RANKS_SYNC].column))
			last = t;
	}
	last->last++;
	r->totals[tl_rank_number(r, s->earliest)].first++;
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

static enum tl_status write_stragglers(struct tl_ranks *r, struct tl_rank_columns *c, struct tl_error *err)
{
	static const char *const names[] = { "rank", "total_wait_time_us", "mean_wait_time_us", "times_arrived_last",
		"times_arrived_first", "pct_arrived_last", "num_collectives", "total_nccl_dur_us", NULL };
	struct tl_rank_sheet s;

	tl_rank_sheet_open(&s, r, "straggler_summary", names, err);
	if (r->job->gpus_per_node)
		tl_rank_sheet_text(&s, "node_id");
	tl_rank_sheet_end_row(&s);
	qsort_r(c->parts, c->n, sizeof *c->parts, by_wait, r->totals);
	for (size_t i = 0; i < c->n; i++) {
		const struct tl_rank_totals *t = &r->totals[c->parts[i]];
		double wait = tl_divide(t->wait, r->ticks_per_us);
		tl_rank_sheet_int(&s, t->rank);
		tl_rank_sheet_real(&s, tenths(wait));
		tl_rank_sheet_real(&s, tenths(wait / (double)t->seen[TL_RANKS_SYNC].joined));
		tl_rank_sheet_int(&s, (int64_t)t->last);
		tl_rank_sheet_int(&s, (int64_t)t->first);
		tl_rank_sheet_real(&s, tenths(100.0 * (double)t->last / (double)r->n_syncs));
		tl_rank_sheet_int(&s, (int64_t)r->n_syncs);
		if (r->whole_dur)
			tl_rank_sheet_time(&s, t->dur, true);
		else
			tl_rank_sheet_real(&s, tenths(tl_divide(t->dur, r->ticks_per_us)));
		if (r->job->gpus_per_node)
			tl_rank_sheet_int(&s, t->rank / r->job->gpus_per_node);
		tl_rank_sheet_end_row(&s);
	}
	return tl_rank_sheet_close(&s);
}

/* ---- all of it --------------------------------------------------------------------------------------- */

enum tl_status tl_sync_write(struct tl_ranks *r, struct tl_error *err)
{
	struct writing w = { .present = tl_calloc(r->job->n + 1, sizeof *w.present) };
	struct tl_sorted next;
	enum tl_status st;

	w.raw = tl_table_new(&w.strings, r->ticks_per_us, raw_columns);
	open_rows(&w, r, err);
	while (!(st = tl_sorter_next(r->syncs, &next, err)) && next.data) {
		tl_meeting_unpack(&w.meeting, next.data, next.len);
		struct sync s = sync_of(r, &w.meeting);
		write_row(&w, r, &s);
		add_raw(&w, &s, r->whole_dur);
		count_arrivals(r, &w.meeting, &s);
	}
	enum tl_status closed = tl_rank_sheet_close(&w.rows);
	st = st ? st : closed;
	if (!st)
		st = write_summary(&w, r, err);
	if (!st && r->n_syncs)
		st = write_stragglers(r, &w.columns, err);
	tl_table_free(w.raw);
	tl_strtab_release(&w.strings);
	tl_meeting_release(&w.meeting);
	free(w.columns.parts);
	free(w.present);
	return st;
}
