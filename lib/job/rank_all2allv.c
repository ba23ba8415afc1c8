/* rank_all2allv.c - collectives in which each rank sends its own amount: nccl_all2allv,
 * nccl_summary_all2allv, nccl_all2allv_heatmap.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/meeting_sheet.h"

#include "work/spans.h"
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
	return ticks > 0 ? tl_cell_real(mib / 1024 / (tl_divide(ticks, r->facts.ticks_per_us) / 1e6)) : tl_cell_null();
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

/* ---- nccl_all2allv, nccl_summary_all2allv ------------------------------------------------------------ */

static const uint8_t metadata[] = { COLL_PROCESS_GROUP_NAME, COLL_PROCESS_GROUP_RANKS, COLL_COLLECTIVE_NAME, COLL_GROUP_SIZE, COLL_DTYPE, COLL_STREAM };
static const uint8_t cells_of_rank[] = { COLL_IN_MSG_NELEMS, COLL_OUT_MSG_NELEMS, COLL_IN_MSG_SIZE_MB,
	COLL_OUT_MSG_SIZE_MB, COLL_IN_SPLIT_SIZE, COLL_OUT_SPLIT_SIZE };
static void put_of_rank(struct tl_meeting_sheet *s, const struct tl_rank_event *e, bool skews, bool always)
{
	bool whole_ts = always && s->ranks->facts.whole_ts, whole_dur = always && s->ranks->facts.whole_dur;

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

/* Fills the row, and adds it to those of nccl_summary_all2allv. */
static void put(struct tl_meeting_sheet *s, struct tl_cell *c)
{
	const struct tl_ranks *r = s->ranks;
	struct tl_meeting *m = &s->meeting;
	const struct tl_meeting_times *t = &s->times;
	const struct tl_cell *of_first = m->events[0].cells;
	struct all2allv a = all2allv_of(s);

	c[VARIED_COLLECTIVE_ID] = tl_collective_id(r, &m->events[0], &m->strings);
	c[VARIED_PROCESS_GROUP_NAME] = of_first[COLL_PROCESS_GROUP_NAME];
	c[VARIED_PROCESS_GROUP_RANKS] = of_first[COLL_PROCESS_GROUP_RANKS];
	c[VARIED_COLLECTIVE_NAME] = of_first[COLL_COLLECTIVE_NAME];
	c[VARIED_GROUP_SIZE] = of_first[COLL_GROUP_SIZE];
	c[VARIED_DTYPE] = of_first[COLL_DTYPE];
	c[VARIED_STREAM] = of_first[COLL_STREAM];
	c[VARIED_TOTAL_DATA_COMMUNICATED_MB] = a.mib;
	c[VARIED_TOTAL_NELEMS_COMMUNICATED] = a.nelems;
	c[VARIED_WALL_TIME_US] = tl_cell_time(a.wall, r->facts.whole_ts && r->facts.whole_dur);
	c[VARIED_MAX_RANK_DUR_US] = tl_cell_time(t->longest, r->facts.whole_dur);
	c[VARIED_MIN_RANK_DUR_US] = tl_cell_time(t->shortest, r->facts.whole_dur);
	c[VARIED_AVG_RANK_DUR_US] = tl_cell_real(tl_divide(a.dur, r->facts.ticks_per_us * (int64_t)m->n));
	c[VARIED_THROUGHPUT_GB_S] = a.throughput;
	c[VARIED_MAX_RANK_THROUGHPUT_GB_S] = a.best;
	c[VARIED_MIN_RANK_THROUGHPUT_GB_S] = a.worst;
	c[VARIED_SIZE_IMBALANCE] = a.imbalance;
	c[VARIED_SKEW_IN_START_TIME] = tl_cell_time(t->last_start - t->first_start, r->facts.whole_ts);
	c[VARIED_SKEW_IN_END_TIME] = tl_cell_time(t->last_end - t->first_end, r->facts.whole_ts && r->facts.whole_dur);
	tl_table_add_row(s->raw, (const struct tl_cell[N_UNEVEN]){
		[UNEVEN_PROCESS_GROUP_NAME] = tl_meeting_sheet_raw(s, c[VARIED_PROCESS_GROUP_NAME]),
		[UNEVEN_DTYPE] = tl_meeting_sheet_raw(s, c[VARIED_DTYPE]),
		[UNEVEN_TOTAL_DATA_COMMUNICATED_MB] = a.mib,
		[UNEVEN_WALL_TIME_US] = c[VARIED_WALL_TIME_US],
		[UNEVEN_THROUGHPUT_GB_S] = a.throughput,
		[UNEVEN_SIZE_IMBALANCE] = a.imbalance,
		[UNEVEN_MAX_RANK_DUR_US] = c[VARIED_MAX_RANK_DUR_US],
		[UNEVEN_SKEW_IN_START_TIME] = c[VARIED_SKEW_IN_START_TIME],
		[UNEVEN_SKEW_IN_END_TIME] = c[VARIED_SKEW_IN_END_TIME],
		[UNEVEN_PROCESS_GROUP_RANKS] = tl_meeting_sheet_raw(s, c[VARIED_PROCESS_GROUP_RANKS]),
		[UNEVEN_COLLECTIVE_NAME] = tl_meeting_sheet_raw(s, c[VARIED_COLLECTIVE_NAME]),
		[UNEVEN_GROUP_SIZE] = c[VARIED_GROUP_SIZE],
	});
}

static enum tl_status sum_up(struct tl_meeting_sheet *s, struct tl_error *err)
{
	const struct tl_sheet_def *def = &tl_ranks_nccl_summary_all2allv_sheet;
	struct tl_table *t = tl_meeting_sheet_sum(s, def, 0);

	if (t->n_rows)
		return tl_rank_sheet_of_table(s->ranks, def->name, t, err);
	tl_table_free(t);
	return TL_OK;
}

const struct tl_meeting_sheet_def tl_all2allv_sheet = {
	.sheet = &tl_ranks_nccl_all2allv_sheet, .of_rank = { VARIED_RANK_N_TS, VARIED_RANK_N_SKEW_IN_START_TIME, N_VARIED }, .kind = TL_RANKS_ALL2ALLV,
	.metadata = metadata, .n_metadata = sizeof metadata, .raw = tl_ranks_uneven_rows, .cells_of_all = true,
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
		if (all2allv && name.type == TL_CELL_TEXT && name.text == all2allv && !add_event(h, r, p, row, r->facts.some_group_size, &n))
			r->report->unusable_splits++;
	}
	if (n && !h->open)
		tl_rank_sheet_open(&h->sheet, r, &tl_ranks_nccl_all2allv_heatmap_sheet, err);
	h->open |= n > 0;
	for (size_t to = 0; to < n; to++) {
		double mib = (double)h->pairs[to].bytes / 1048576;
		tl_rank_sheet_row(&h->sheet, NULL, N_SENT, (const struct tl_cell[N_SENT]){
			[SENT_SRC_RANK] = tl_cell_int(rank),
			[SENT_DST_RANK] = tl_cell_int((int64_t)to),
			[SENT_TOTAL_SENT_MB] = tl_cell_real(mib),
			[SENT_AVG_SENT_MB] = tl_cell_real(mib / (double)h->pairs[to].count),
			[SENT_COUNT] = tl_cell_int((int64_t)h->pairs[to].count),
		});
	}
}

enum tl_status tl_heatmap_close(struct tl_heatmap *h)
{
	free(h->pairs);
	return h->open ? tl_rank_sheet_close(&h->sheet) : TL_OK;
}
