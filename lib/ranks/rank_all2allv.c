/* rank_all2allv.c - collectives in which each rank sends its own amount: nccl_all2allv,
 * nccl_summary_all2allv, nccl_all2allv_heatmap.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "ranks/rank_sheets.h"
#include "ranks/summary_columns.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a row says ------------------------------------------------------------------------ */

struct all2allv {
	struct tl_meeting_times times;
	struct tl_cell mib, nelems, throughput, best, worst, imbalance; /* null: a rank does not say its size */
	int64_t wall, dur; /* ticks; dur: the sum */
};

/* The sum over ranks; null if one lacks the cell. *most: the largest of them. */
static struct tl_cell sum_of(const struct tl_meeting *m, int column, double *most)
{
	struct tl_cell first = m->events[0].cells[column];
	int64_t whole = 0;
	double sum = 0;

	*most = 0;
	for (size_t i = 0; i < m->n; i++) {
		struct tl_cell c = m->events[i].cells[column];
		if (tl_cell_is_null(c) || c.type == TL_CELL_TEXT)
			return tl_cell_null();
		double d = tl_cell_number(c, 1);
		sum += d;
		whole += c.type == TL_CELL_INT ? c.i : 0;
		*most = d > *most ? d : *most;
	}
	return first.type == TL_CELL_INT ? tl_cell_int(whole) : tl_cell_real(sum);
}

/* GB/s of an amount in MB; null if no time passed. */
static struct tl_cell rate(const struct tl_ranks *r, double mib, int64_t ticks)
{
	return ticks > 0 ? tl_cell_real(mib / 1024 / (tl_divide(ticks, r->ticks_per_us) / 1e6)) : tl_cell_null();
}

static void add_rates_of_ranks(const struct tl_ranks *r, const struct tl_meeting *m, struct all2allv *a)
{
	for (size_t i = 0; i < m->n; i++) {
		double mib = tl_cell_number(m->events[i].cells[TL_COLL_IN_MB], 1);
		struct tl_cell c = mib > 0 ? rate(r, mib, m->events[i].dur) : tl_cell_null();
		if (tl_cell_is_null(c))
			continue;
		if (tl_cell_is_null(a->best) || c.d > a->best.d)
			a->best = c;
		if (tl_cell_is_null(a->worst) || c.d < a->worst.d)
			a->worst = c;
	}
}

static struct all2allv all2allv_of(const struct tl_ranks *r, const struct tl_meeting *m)
{
	struct all2allv a = { .times = tl_meeting_times(m) };
	double most, most_nelems;

	a.mib = sum_of(m, TL_COLL_IN_MB, &most);
	a.nelems = sum_of(m, TL_COLL_IN, &most_nelems);
	a.wall = a.times.last_end - a.times.first_start;
	for (size_t i = 0; i < m->n; i++)
		a.dur += m->events[i].dur;
	if (tl_cell_is_null(a.mib))
		return a;
	double mib = tl_cell_number(a.mib, 1);
	a.throughput = rate(r, mib, a.wall);
	if (mib > 0)
		a.imbalance = tl_cell_real(most / (mib / (double)m->n));
	add_rates_of_ranks(r, m, &a);
	return a;
}

enum tl_status tl_all2allv_add(struct tl_ranks *r, const struct tl_meeting *m, struct tl_error *err)
{
	struct tl_buf key = { 0 }, data = { 0 };
	double most;
	struct tl_cell mib = sum_of(m, TL_COLL_IN_MB, &most);
	bool unknown = tl_cell_is_null(mib);

	r->n_all2allvs++;
	tl_rank_columns_note(r, TL_RANKS_ALL2ALLV, m);
	tl_key_add_int(&key, unknown);
	tl_key_add_real(&key, unknown ? 0 : -tl_cell_number(mib, 1));
	tl_key_add_int(&key, m->events[0].rank);
	tl_key_add_int(&key, m->events[0].position);
	tl_meeting_pack(&data, m, true);
	enum tl_status st = tl_sorter_add(r->all2allvs, key.data, key.len, data.data, data.len, err);
	tl_buf_release(&key);
	tl_buf_release(&data);
	return st;
}

/* ---- nccl_all2allv ------------------------------------------------------------------------------ */

static const uint8_t metadata[] = { TL_COLL_GROUP, TL_COLL_RANKS, TL_COLL_NAME, TL_COLL_GROUP_SIZE, TL_COLL_DTYPE, TL_COLL_STREAM };
static const uint8_t of_ranks[] = { TL_COLL_IN, TL_COLL_OUT, TL_COLL_IN_MB, TL_COLL_OUT_MB, TL_COLL_IN_SPLIT, TL_COLL_OUT_SPLIT };

struct writing {
	struct tl_rank_sheet rows;
	struct tl_rank_columns columns;
	struct tl_meeting meeting;
	struct tl_rank_event **present; /* by part: its event of this row, or NULL */
	struct tl_strtab strings;
	struct tl_table *raw;           /* of the summary */
};

static void name_columns(void *ctx, struct tl_rank_sheet *s, size_t part, bool second)
{
	static const char *const skews[] = { "skew in start time", "skew in end time", NULL };
	const char *names[2 + sizeof of_ranks + 1] = { "ts", "dur" };

	(void)ctx;
	for (size_t k = 0; k < sizeof of_ranks; k++)
		names[2 + k] = tl_coll_analysis.rows[of_ranks[k]];
	tl_rank_columns_name(s, part, second ? skews : names);
}

static void open_rows(struct writing *w, struct tl_ranks *r, struct tl_error *err)
{
	static const char *const id[] = { "collective_id", NULL };
	static const char *const more[] = { "total data communicated (MB)", "total nelems communicated", "wall_time (us)",
		"max_rank_dur (us)", "min_rank_dur (us)", "avg_rank_dur (us)", "throughput (GB/s)", "max_rank_throughput (GB/s)",
		"min_rank_throughput (GB/s)", "size_imbalance", "skew in start time", "skew in end time" };

	tl_rank_sheet_open(&w->rows, r, "nccl_all2allv", id, err);
	for (size_t k = 0; k < sizeof metadata; k++)
		tl_rank_sheet_text(&w->rows, tl_coll_analysis.rows[metadata[k]]);
	for (size_t k = 0; k < sizeof more / sizeof *more; k++)
		tl_rank_sheet_text(&w->rows, more[k]);
	w->columns = tl_rank_columns_make(r, TL_RANKS_ALL2ALLV);
	tl_rank_columns_each(&w->columns, &w->rows, name_columns, NULL);
	if (r->job->gpus_per_node)
		tl_rank_sheet_text(&w->rows, "node_span");
	tl_rank_sheet_end_row(&w->rows);
}

struct row { struct writing *w; const struct all2allv *a; };

static void put_columns(void *ctx, struct tl_rank_sheet *s, size_t part, bool second)
{
	const struct row *row = ctx;
	const struct tl_rank_event *e = row->w->present[part];
	const struct tl_meeting_times *t = &row->a->times;
	const struct tl_ranks *r = s->ranks;
	bool always = r->totals[part].seen[TL_RANKS_ALL2ALLV].joined == r->n_all2allvs;
	bool whole_ts = always && r->whole_ts, whole_dur = always && r->whole_dur;

	if (!e) {
		for (size_t k = 0; k < (second ? 2 : 2 + sizeof of_ranks); k++)
			tl_rank_sheet_text(s, "");
	} else if (second) {
		tl_rank_sheet_time(s, e->ts - t->first_start, whole_ts);
		tl_rank_sheet_time(s, t->last_end - (e->ts + e->dur), whole_ts && whole_dur);
	} else {
		tl_rank_sheet_time(s, e->ts, whole_ts);
		tl_rank_sheet_time(s, e->dur, whole_dur);
		for (size_t k = 0; k < sizeof of_ranks; k++)
			tl_rank_sheet_cell(s, e->cells[of_ranks[k]], &row->w->meeting.strings);
	}
}

static void write_row(struct writing *w, struct tl_ranks *r, const struct all2allv *a)
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
	tl_rank_sheet_cell(out, a->mib, NULL);
	tl_rank_sheet_cell(out, a->nelems, NULL);
	tl_rank_sheet_time(out, a->wall, r->whole_ts && r->whole_dur);
	tl_rank_sheet_time(out, a->times.longest, r->whole_dur);
	tl_rank_sheet_time(out, a->times.shortest, r->whole_dur);
	tl_rank_sheet_real(out, tl_divide(a->dur, r->ticks_per_us * (int64_t)m->n));
	tl_rank_sheet_cell(out, a->throughput, NULL);
	tl_rank_sheet_cell(out, a->best, NULL);
	tl_rank_sheet_cell(out, a->worst, NULL);
	tl_rank_sheet_cell(out, a->imbalance, NULL);
	tl_rank_sheet_time(out, a->times.last_start - a->times.first_start, r->whole_ts);
	tl_rank_sheet_time(out, a->times.last_end - a->times.first_end, r->whole_ts && r->whole_dur);
	for (size_t i = 0; i < m->n; i++)
		w->present[tl_rank_number(r, m->events[i].rank)] = &m->events[i];
	tl_rank_columns_each(&w->columns, out, put_columns, &(struct row){ w, a });
	for (size_t i = 0; i < m->n; i++)
		w->present[tl_rank_number(r, m->events[i].rank)] = NULL;
	if (r->job->gpus_per_node)
		tl_rank_sheet_text(out, tl_node_span(r, &m->strings, first->cells[TL_COLL_RANKS]));
	tl_rank_sheet_end_row(out);
}

/* ---- nccl_summary_all2allv -------------------------------------------------------------------------- */

static const char *const raw_columns[] = { "Process Group Name", "dtype", "total data communicated (MB)", "wall_time (us)",
	"throughput (GB/s)", "size_imbalance", "max_rank_dur (us)", "skew in start time", "skew in end time",
	"Process Group Ranks", "Collective name", "Group size", NULL };

static struct tl_cell copied(struct writing *w, struct tl_cell c)
{
	const struct tl_strtab *from = &w->meeting.strings;

	return c.type == TL_CELL_TEXT ? tl_cell_text(tl_intern(&w->strings, tl_str(from, c.text), tl_str_len(from, c.text))) : c;
}

static void add_raw(struct writing *w, const struct tl_ranks *r, const struct all2allv *a)
{
	const struct tl_cell *c = w->meeting.events[0].cells;
	const struct tl_meeting_times *t = &a->times;
	bool whole_ts = r->whole_ts, whole = whole_ts && r->whole_dur;

	tl_table_add_row(w->raw, (const struct tl_cell[]){
		copied(w, c[TL_COLL_GROUP]), copied(w, c[TL_COLL_DTYPE]), a->mib, tl_cell_time(a->wall, whole), a->throughput,
		a->imbalance, tl_cell_time(t->longest, r->whole_dur), tl_cell_time(t->last_start - t->first_start, whole_ts),
		tl_cell_time(t->last_end - t->first_end, whole), copied(w, c[TL_COLL_RANKS]), copied(w, c[TL_COLL_NAME]),
		c[TL_COLL_GROUP_SIZE] });
}

static void add_mean_and_max(struct tl_summary_columns *c, const char *field, const char *mean, const char *max)
{
	tl_summary_column(c, mean, TL_MEAN, field, 0);
	tl_summary_column(c, max, TL_MAX, field, 0);
}

static enum tl_status write_summary(struct writing *w, const struct tl_ranks *r, struct tl_error *err)
{
	struct tl_summary_columns c = { 0 };

	tl_summary_column(&c, "Process Group Name", TL_KEY, NULL, 0);
	tl_summary_column(&c, "dtype", TL_KEY, NULL, 0);
	tl_summary_metrics(&c, "total data communicated (MB)", r->job, 0);
	tl_summary_metrics(&c, "wall_time (us)", r->job, 0);
	tl_summary_column(&c, "Total wall_time (us)", TL_SUM, "wall_time (us)", 0);
	tl_summary_metrics(&c, "throughput (GB/s)", r->job, 0);
	add_mean_and_max(&c, "size_imbalance", "size_imbalance_mean", "size_imbalance_max");
	add_mean_and_max(&c, "max_rank_dur (us)", "max_rank_dur (us)_mean", "max_rank_dur (us)_max");
	add_mean_and_max(&c, "skew in start time", "skew in start time_mean", "skew in start time_max");
	add_mean_and_max(&c, "skew in end time", "skew in end time_mean", "skew in end time_max");
	tl_summary_column(&c, "count", TL_COUNT, NULL, 0);
	tl_summary_column(&c, "Process Group Ranks", TL_FIRST, NULL, 0);
	tl_summary_column(&c, "Collective name", TL_FIRST, NULL, 0);
	tl_summary_column(&c, "Group size", TL_FIRST, NULL, 0);
	tl_summary_column(&c, "Total wall_time (ms)", TL_MS, "Total wall_time (us)", 0);
	const struct tl_sheet_def def = { .name = "nccl_summary_all2allv", .rows = raw_columns,
		.columns = tl_summary_columns_end(&c), .keys_ascending = true, .drop_null_keys = true,
		.order = { { "Total wall_time (ms)", true } } };
	struct tl_table *t = tl_sheet_make(&def, &(struct tl_sheet_input){ .rows = w->raw });
	enum tl_status st = TL_OK;
	if (t->n_rows)
		st = tl_rank_sheet_of_table(r, def.name, t, err);
	else
		tl_table_free(t);
	tl_summary_columns_release(&c);
	return st;
}

enum tl_status tl_all2allv_write(struct tl_ranks *r, struct tl_error *err)
{
	struct writing w = { .present = NULL };
	struct tl_sorted next;
	enum tl_status st;

	if (!r->n_all2allvs)
		return TL_OK;
	w.present = tl_calloc(r->job->n + 1, sizeof *w.present);
	w.raw = tl_table_new(&w.strings, r->ticks_per_us, raw_columns);
	open_rows(&w, r, err);
	while (!(st = tl_sorter_next(r->all2allvs, &next, err)) && next.data) {
		tl_meeting_unpack(&w.meeting, next.data, next.len);
		struct all2allv a = all2allv_of(r, &w.meeting);
		write_row(&w, r, &a);
		add_raw(&w, r, &a);
	}
	enum tl_status closed = tl_rank_sheet_close(&w.rows);
	st = st ? st : closed;
	if (!st)
		st = write_summary(&w, r, err);
	tl_table_free(w.raw);
	tl_strtab_release(&w.strings);
	tl_meeting_release(&w.meeting);
	free(w.columns.parts);
	free(w.present);
	return st;
}
