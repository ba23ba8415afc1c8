/* rank_steps.c - the steps of all ranks side by side.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/rank_steps.h"
#include "job/sorter.h"

#include "base/text.h"
#include "sheet/ranks.h"
#include "table/statistics.h"
#include "table/table_reader.h"
#include "table/tsv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Columns of step_times, all in ms. A rank's own time is that of the first three: communication may be waiting. */
enum { COMPUTE, COPY, IDLE, COMMUNICATION, PERIOD, N_TIMES };
static const char *const time_names[N_TIMES] = { "compute_ms", "exposed_copy_ms", "idle_ms", "exposed_comm_ms", "period_ms" };
#define SMALL 0.01 /* a rank is the slowest only if it needs more than the median by this share */

struct step_row { int64_t rank, step; double ms[N_TIMES]; };

struct tl_rank_steps {
	struct tl_sorter *rows;                       /* by step and rank; a record is a struct step_row */
	struct tl_rank_score *scores; size_t n, cap;  /* by rank */
};

struct tl_rank_steps *tl_rank_steps_new(void)
{
	struct tl_rank_steps *s = tl_calloc(1, sizeof *s);

	s->rows = tl_sorter_new();
	return s;
}

void tl_rank_steps_free(struct tl_rank_steps *s)
{
	tl_sorter_free(s->rows);
	free(s->scores);
	free(s);
}

bool tl_rank_steps_any(const struct tl_rank_steps *s)
{
	return s->n > 0;
}

/* ---- reading ----------------------------------------------------------------------------------- */

static enum tl_cell_type type_of(const char *column)
{
	return tl_ends_with(column, "_ms") && strcmp(column, "slow_in_ms") ? TL_CELL_REAL : TL_CELL_NULL;
}

static enum tl_status add_rows(struct tl_rank_steps *s, int64_t rank, const struct tl_table *t, struct tl_error *err)
{
	int step = tl_table_column(t, "step"), columns[N_TIMES];
	struct tl_buf key = { 0 };
	enum tl_status st = TL_OK;

	for (int k = 0; k < N_TIMES; k++)
		if ((columns[k] = tl_table_column(t, time_names[k])) < 0 || step < 0)
			return tl_fail(err, TL_ERR_DATA, "this is no sheet step_times: it lacks the column '%s'", step < 0 ? "step" : time_names[k]);
	for (size_t row = 0; row < t->n_rows && !st; row++) {
		struct tl_cell number = tl_table_cell(t, row, (size_t)step);
		struct step_row r = { .rank = rank, .step = number.i };
		if (number.type != TL_CELL_INT)
			return tl_fail(err, TL_ERR_DATA, "row %zu of the sheet step_times: expected a number in the column 'step'", row + 1);
		for (int k = 0; k < N_TIMES; k++) {
			struct tl_cell c = tl_table_cell(t, row, (size_t)columns[k]);
			r.ms[k] = c.type == TL_CELL_REAL ? c.d : 0;
		}
		tl_buf_clear(&key);
		tl_key_add_int(&key, r.step);
		tl_key_add_int(&key, rank);
		st = tl_sorter_add(s->rows, key.data, key.len, &r, sizeof r, err);
	}
	tl_buf_release(&key);
	if (!st && t->n_rows) {
		TL_PUSH(s->scores, s->n, s->cap, (struct tl_rank_score){ .rank = rank });
	}
	return st;
}

enum tl_status tl_rank_steps_add(struct tl_rank_steps *s, int64_t rank, struct tl_input *in, struct tl_error *err)
{
	static const struct tl_tsv_columns any = { NULL, NULL, type_of };
	struct tl_strtab strings = { 0 };
	struct tl_table *t;
	enum tl_status st = tl_tsv_read_table(in, &strings, &any, &t, err);

	if (!st) {
		st = add_rows(s, rank, t, err);
		tl_table_free(t);
	}
	tl_strtab_release(&strings);
	return st;
}

/* ---- a step -------------------------------------------------------------------------------------- */

struct one_step { struct step_row *rows; size_t n, cap; double *room; size_t cap_room; };

static double own(const struct step_row *r)
{
	return r->ms[COMPUTE] + r->ms[COPY] + r->ms[IDLE];
}

static int by_rank(const void *a, const void *b)
{
	int64_t x = ((const struct tl_rank_score *)a)->rank, y = ((const struct tl_rank_score *)b)->rank;

	return (x > y) - (x < y);
}

const struct tl_rank_score *tl_rank_steps_score(const struct tl_rank_steps *s, int64_t rank)
{
	return s->n ? bsearch(&(struct tl_rank_score){ .rank = rank }, s->scores, s->n, sizeof *s->scores, by_rank) : NULL;
}

static void add_step(struct tl_rank_steps *s, struct tl_table *t, struct one_step *o)
{
	size_t slowest = 0, at = 0;

	TL_GROW(o->room, o->cap_room, o->n);
	for (size_t i = 0; i < o->n; i++) {
		o->room[i] = own(&o->rows[i]);
		slowest = own(&o->rows[i]) > own(&o->rows[slowest]) ? i : slowest;
	}
	double median = tl_median(o->room, o->n);
	for (size_t i = 0; i < o->n; i++)
		o->room[i] = fabs(own(&o->rows[i]) - median);
	double deviation = tl_median(o->room, o->n);
	for (size_t i = 0; i < o->n; i++) {
		const struct step_row *r = &o->rows[i];
		double excess = own(r) - median;
		bool is_slowest = i == slowest && o->n > 1 && excess > SMALL * median;
		bool is_outlier = o->n > 2 && excess > 0 && tl_is_outlier(excess, median, deviation);
		while (s->scores[at].rank != r->rank)
			at++;
		struct tl_rank_score *score = &s->scores[at];
		score->steps++;
		score->slowest += is_slowest;
		score->outlier += is_outlier;
		if (excess > score->worst_excess_ms) {
			score->worst_excess_ms = excess;
			score->worst_step = r->step;
		}
		tl_table_add_row(t, (const struct tl_cell[N_STEP]){
			[STEP_STEP] = tl_cell_int(r->step),
			[STEP_RANK] = tl_cell_int(r->rank),
			[STEP_OWN_MS] = tl_cell_real(own(r)),
			[STEP_EXCESS_MS] = tl_cell_real(excess),
			[STEP_SLOWEST] = tl_cell_int(is_slowest),
			[STEP_OUTLIER] = tl_cell_int(is_outlier),
			[STEP_COMPUTE_MS] = tl_cell_real(r->ms[COMPUTE]),
			[STEP_EXPOSED_COPY_MS] = tl_cell_real(r->ms[COPY]),
			[STEP_IDLE_MS] = tl_cell_real(r->ms[IDLE]),
			[STEP_EXPOSED_COMM_MS] = tl_cell_real(r->ms[COMMUNICATION]),
			[STEP_PERIOD_MS] = tl_cell_real(r->ms[PERIOD]),
		});
	}
	o->n = 0;
}

static void take_row(struct one_step *o, const struct step_row *r)
{
	struct step_row *last = o->n ? &o->rows[o->n - 1] : NULL;

	if (last && last->rank == r->rank) {
		for (int k = 0; k < N_TIMES; k++)
			last->ms[k] += r->ms[k];
		return;
	}
	TL_PUSH(o->rows, o->n, o->cap, *r);
}

enum tl_status tl_rank_steps_write(struct tl_rank_steps *s, struct tl_output *out, struct tl_error *err)
{
	struct tl_strtab strings = { 0 };
	struct one_step o = { .n = 0 };
	struct tl_sorted next;
	bool header = true;
	enum tl_status st;

	while (!(st = tl_sorter_next(s->rows, &next, err))) {
		struct step_row r = { 0 };
		if (next.data)
			memcpy(&r, next.data, sizeof r);
		if (o.n && !(next.data && r.step == o.rows[0].step)) {
			struct tl_table *t = tl_table_new(&strings, 1, tl_ranks_step_rows);
			add_step(s, t, &o);
			st = tl_tsv_write_more(t, header, out, err);
			tl_table_free(t);
			header = false;
		}
		if (st || !next.data)
			break;
		take_row(&o, &r);
	}
	tl_strtab_release(&strings);
	free(o.rows);
	free(o.room);
	return st;
}
