/* rank_all2allv.c - collectives in which each rank sends its own amount: nccl_all2allv,
 * nccl_summary_all2allv, nccl_all2allv_heatmap.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/meeting_sheet.h"

#include "analysis/spans.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- what a row says ------------------------------------------------------------------------ */

struct all2allv {
	struct tl_cell mib, nelems, throughput, best, worst, imbalance; /* null: a rank does not say its size */
	int64_t wall, dur; /* ticks; dur: the sum */
};

/* The sum over ranks; null (not a number) if one lacks the cell, or has a text there. *most: the
 * largest of them. A column is of integers only if all its cells are, see tl_ranks_merge. */
static struct tl_cell sum_of(const struct tl_meeting *m, int column, double *most)
{
	struct tl_cell first = m->events[0].cells[column];
	int64_t whole = 0;
	double sum = 0;

	*most = 0;
	for (size_t i = 0; i < m->n; i++) {
		struct tl_cell c = m->events[i].cells[column];
		double d = tl_cell_number(c, 1);
		sum += d;
		whole = tl_ticks_add(whole, first.type == TL_CELL_INT ? c.i : 0);
		*most = d > *most ? d : *most;
	}
	return first.type == TL_CELL_INT ? tl_cell_int(whole) : tl_cell_real(sum);
}

/* GiB/s of an amount in MiB; null if no time passed. */
static struct tl_cell rate(const struct tl_ranks *r, double mib, int64_t ticks)
{
	return ticks > 0 ? tl_cell_real(mib / 1024 / (tl_divide(ticks, r->ticks_per_us) / 1e6)) : tl_cell_null();
}

static void add_rates_of_ranks(const struct tl_ranks *r, const struct tl_meeting *m, struct all2allv *a)
{
	for (size_t i = 0; i < m->n; i++) {
		double mib = tl_cell_number(m->events[i].cells[COLL_IN_MSG_SIZE_MB], 1);
		struct tl_cell c = mib > 0 ? rate(r, mib, m->events[i].dur) : tl_cell_null();
		if (tl_cell_is_null(c))
			continue;
		if (tl_cell_is_null(a->best) || c.d > a->best.d)
			a->best = c;
		if (tl_cell_is_null(a->worst) || c.d < a->worst.d)
			a->worst = c;
	}
}

static struct all2allv all2allv_of(const struct tl_meeting_sheet *s)
{
	const struct tl_ranks *r = s->ranks;
	const struct tl_meeting *m = &s->meeting;
	struct all2allv a = { .wall = s->times.last_end - s->times.first_start };
	double most, most_nelems;

	a.mib = sum_of(m, COLL_IN_MSG_SIZE_MB, &most);
	a.nelems = sum_of(m, COLL_IN_MSG_NELEMS, &most_nelems);
	for (size_t i = 0; i < m->n; i++)
		a.dur = tl_ticks_add(a.dur, m->events[i].dur);
	if (tl_cell_is_null(a.mib))
		return a;
	double mib = tl_cell_number(a.mib, 1);
	a.throughput = rate(r, mib, a.wall);
	if (mib > 0)
		a.imbalance = tl_cell_real(most / (mib / (double)m->n));
	add_rates_of_ranks(r, m, &a);
	return a;
}

/* The largest comes first; those of unknown size come last. */
static void add_key(struct tl_buf *key, const struct tl_meeting *m)
{
	double most;
	struct tl_cell mib = sum_of(m, COLL_IN_MSG_SIZE_MB, &most);
	bool unknown = tl_cell_is_null(mib);

	tl_key_add_int(key, unknown);
	tl_key_add_real(key, unknown ? 0 : -tl_cell_number(mib, 1));
}

/* ---- nccl_all2allv ------------------------------------------------------------------------------ */

static const uint8_t metadata[] = { COLL_PROCESS_GROUP_NAME, COLL_PROCESS_GROUP_RANKS, COLL_COLLECTIVE_NAME, COLL_GROUP_SIZE, COLL_DTYPE, COLL_STREAM };
static const char *const columns[] = { "total data communicated (MB)", "total nelems communicated", "wall_time (us)",
	"max_rank_dur (us)", "min_rank_dur (us)", "avg_rank_dur (us)", "throughput (GB/s)", "max_rank_throughput (GB/s)",
	"min_rank_throughput (GB/s)", "size_imbalance", "skew in start time", "skew in end time", NULL };
static const uint8_t cells_of_rank[] = { COLL_IN_MSG_NELEMS, COLL_OUT_MSG_NELEMS, COLL_IN_MSG_SIZE_MB, COLL_OUT_MSG_SIZE_MB, COLL_IN_SPLIT_SIZE, COLL_OUT_SPLIT_SIZE };
static const char *const columns_of_rank[] = { "ts", "dur", "In msg nelems", "Out msg nelems", "In msg size (MB)",
	"Out msg size (MB)", "In split size", "Out split size", NULL };
static const char *const skews_of_rank[] = { "skew in start time", "skew in end time", NULL };

static void put_of_rank(struct tl_meeting_sheet *s, const struct tl_rank_event *e, bool skews, bool always)
{
	bool whole_ts = always && s->ranks->whole_ts, whole_dur = always && s->ranks->whole_dur;

	if (skews) {
		tl_rank_sheet_put(&s->out, tl_cell_time(e->ts - s->times.first_start, whole_ts));
		tl_rank_sheet_put(&s->out, tl_cell_time(s->times.last_end - (e->ts + e->dur), whole_ts && whole_dur));
		return;
	}
	tl_rank_sheet_put(&s->out, tl_cell_time(e->ts, whole_ts));
	tl_rank_sheet_put(&s->out, tl_cell_time(e->dur, whole_dur));
	for (size_t k = 0; k < sizeof cells_of_rank; k++)
		tl_rank_sheet_put(&s->out, e->cells[cells_of_rank[k]]);
}

static void put_row(struct tl_meeting_sheet *s, const struct all2allv *a)
{
	const struct tl_ranks *r = s->ranks;
	const struct tl_meeting_times *t = &s->times;
	struct tl_rank_sheet *out = &s->out;

	tl_rank_sheet_put(out, a->mib);
	tl_rank_sheet_put(out, a->nelems);
	tl_rank_sheet_put(out, tl_cell_time(a->wall, r->whole_ts && r->whole_dur));
	tl_rank_sheet_put(out, tl_cell_time(t->longest, r->whole_dur));
	tl_rank_sheet_put(out, tl_cell_time(t->shortest, r->whole_dur));
	tl_rank_sheet_put(out, tl_cell_real(tl_divide(a->dur, r->ticks_per_us * (int64_t)s->meeting.n)));
	tl_rank_sheet_put(out, a->throughput);
	tl_rank_sheet_put(out, a->best);
	tl_rank_sheet_put(out, a->worst);
	tl_rank_sheet_put(out, a->imbalance);
	tl_rank_sheet_put(out, tl_cell_time(t->last_start - t->first_start, r->whole_ts));
	tl_rank_sheet_put(out, tl_cell_time(t->last_end - t->first_end, r->whole_ts && r->whole_dur));
}

/* ---- nccl_summary_all2allv -------------------------------------------------------------------------- */

static const char *const raw_columns[] = { "Process Group Name", "dtype", "total data communicated (MB)", "wall_time (us)",
	"throughput (GB/s)", "size_imbalance", "max_rank_dur (us)", "skew in start time", "skew in end time",
	"Process Group Ranks", "Collective name", "Group size", NULL };

static void put(struct tl_meeting_sheet *s)
{
	struct all2allv a = all2allv_of(s);
	const struct tl_cell *c = s->meeting.events[0].cells;
	const struct tl_meeting_times *t = &s->times;
	bool whole_ts = s->ranks->whole_ts, whole_dur = s->ranks->whole_dur, whole = whole_ts && whole_dur;

	put_row(s, &a);
	tl_table_add_row(s->raw, (const struct tl_cell[]){
		tl_meeting_sheet_raw(s, c[COLL_PROCESS_GROUP_NAME]), tl_meeting_sheet_raw(s, c[COLL_DTYPE]), a.mib, tl_cell_time(a.wall, whole),
		a.throughput, a.imbalance, tl_cell_time(t->longest, whole_dur), tl_cell_time(t->last_start - t->first_start, whole_ts),
		tl_cell_time(t->last_end - t->first_end, whole), tl_meeting_sheet_raw(s, c[COLL_PROCESS_GROUP_RANKS]),
		tl_meeting_sheet_raw(s, c[COLL_COLLECTIVE_NAME]), c[COLL_GROUP_SIZE] });
}

static void add_mean_and_max(struct tl_summary_columns *c, const char *field, const char *mean, const char *max)
{
	tl_summary_column(c, mean, TL_MEAN, field, 0);
	tl_summary_column(c, max, TL_MAX, field, 0);
}

static enum tl_status sum_up(struct tl_meeting_sheet *s, struct tl_error *err)
{
	const struct tl_ranks *r = s->ranks;
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
	struct tl_table *t = tl_sheet_make(&def, &(struct tl_sheet_input){ .rows = s->raw });
	enum tl_status st = TL_OK;
	if (t->n_rows)
		st = tl_rank_sheet_of_table(r, def.name, t, err);
	else
		tl_table_free(t);
	tl_summary_columns_release(&c);
	return st;
}

const struct tl_meeting_sheet_def tl_all2allv_sheet = {
	.name = "nccl_all2allv", .kind = TL_RANKS_ALL2ALLV, .metadata = metadata, .n_metadata = sizeof metadata,
	.columns = columns, .of_rank = { columns_of_rank, skews_of_rank }, .raw = raw_columns, .cells_of_all = true,
	.optional = true, .add_key = add_key, .put = put, .put_of_rank = put_of_rank, .sum_up = sum_up,
};

/* ---- nccl_all2allv_heatmap: how much each rank sends to each ------------------------------------------- */

/* Reads the next number of a list "[1, 2]" or "(1, 2)"; false at its end. *good becomes false if
 * this is no list of numbers: PyTorch cuts long lists, "[1, 2, ...]". */
static bool next_number(const char **s, int64_t *n, bool *good)
{
	char *end;

	while (**s == ' ' || **s == ',')
		++*s;
	if (**s == ']' || **s == ')')
		return false;
	*n = strtoll(*s, &end, 10);
	*good = end > *s;
	*s = end;
	return *good;
}

/* How many numbers the list has; -1: it is none. */
static int64_t count_numbers(const char *s)
{
	int64_t count = 0, n;
	bool good = *s == '[' || *s == '(';

	if (!good)
		return -1;
	for (s++; next_number(&s, &n, &good); count++)
		;
	return good ? count : -1;
}

static void open_sheet(struct tl_heatmap *h, const struct tl_ranks *r, struct tl_error *err)
{
	static const char *const names[] = { "src_rank", "dst_rank", "total_sent_MB", "avg_sent_MB", "count", NULL };

	tl_rank_sheet_open(&h->sheet, r, "nccl_all2allv_heatmap", names, err);
	h->open = true;
}

/* Adds what an event sends to the pairs; false: it does not say that. *n: how many pairs there are. */
static bool add_event(struct tl_heatmap *h, struct tl_ranks *r, const struct tl_rank_part *p, size_t row, bool sized, size_t *n)
{
	struct tl_cell split = tl_table_cell(p->rows, row, COLL_IN_SPLIT_SIZE), size = tl_table_cell(p->rows, row, COLL_GROUP_SIZE);
	struct tl_cell dtype = tl_table_cell(p->rows, row, COLL_DTYPE);
	const char *s = split.type == TL_CELL_TEXT ? tl_str(&p->strings, split.text) : "";
	int64_t count = count_numbers(s), nelems;
	int bytes = dtype.type != TL_CELL_TEXT ? 0 :
		atoi(tl_name_rules_find(r->dtype_bytes, tl_str(&p->strings, dtype.text), tl_str_len(&p->strings, dtype.text)));
	bool good = true;

	if (count < 0 || !bytes || (sized && tl_cell_number(size, 1) != (double)count))
		return false;
	if ((size_t)count > h->cap) {
		h->pairs = tl_realloc(h->pairs, (size_t)count * sizeof *h->pairs);
		h->cap = (size_t)count;
	}
	for (; *n < (size_t)count; ++*n)
		h->pairs[*n] = (struct tl_pair){ 0, 0 };
	s++;
	for (size_t to = 0; next_number(&s, &nelems, &good); to++) {
		h->pairs[to].bytes = tl_ticks_add(h->pairs[to].bytes, tl_ticks_of_us(nelems, bytes)); /* which do not overflow */
		h->pairs[to].count++;
	}
	return true;
}

void tl_heatmap_add(struct tl_heatmap *h, struct tl_ranks *r, const struct tl_rank_part *p, int64_t rank, struct tl_error *err)
{
	uint32_t all2allv = tl_strtab_find(&p->strings, "all_to_allv", strlen("all_to_allv"));
	size_t n = 0;

	for (size_t row = 0; row < p->rows->n_rows; row++) {
		struct tl_cell name = tl_table_cell(p->rows, row, COLL_COLLECTIVE_NAME);
		if (all2allv && name.type == TL_CELL_TEXT && name.text == all2allv && !add_event(h, r, p, row, r->some_group_size, &n))
			r->report->unusable_splits++;
	}
	if (n && !h->open)
		open_sheet(h, r, err);
	for (size_t to = 0; to < n; to++) {
		double mib = (double)h->pairs[to].bytes / 1048576;
		tl_rank_sheet_put(&h->sheet, tl_cell_int(rank));
		tl_rank_sheet_put(&h->sheet, tl_cell_int((int64_t)to));
		tl_rank_sheet_put(&h->sheet, tl_cell_real(mib));
		tl_rank_sheet_put(&h->sheet, tl_cell_real(mib / (double)h->pairs[to].count));
		tl_rank_sheet_put(&h->sheet, tl_cell_int((int64_t)h->pairs[to].count));
		tl_rank_sheet_end_row(&h->sheet, NULL);
	}
}

enum tl_status tl_heatmap_close(struct tl_heatmap *h)
{
	free(h->pairs);
	return h->open ? tl_rank_sheet_close(&h->sheet) : TL_OK;
}
