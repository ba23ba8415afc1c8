/* side_by_side.c - the same rows of the sheets of all ranks side by side.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/rank_steps.h"
#include "job/side_by_side.h"
#include "job/sorter.h"

#include "work/device_events.h"
#include "base/text.h"
#include "table/statistics.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct tl_side_sheet tl_side_sheets[TL_SIDES] = {
	[TL_SIDE_TIMELINE] = { "gpu_timeline", "time ms", 1, false, &tl_ranks_timeline_sheet },
	[TL_SIDE_CATEGORIES] = { "ops_summary_by_category", "total_direct_kernel_time_ms", 1, false, &tl_ranks_categories_sheet },
	[TL_SIDE_OPERATORS] = { "ops_summary", "total_direct_kernel_time_ms", 1, false, &tl_ranks_operators_sheet },
	[TL_SIDE_KERNELS] = { "kernel_summary", "Kernel duration (\xc2\xb5s)_sum", 1e-3, false, &tl_ranks_kernels_sheet },
	[TL_SIDE_HOST] = { "idle_summary", "idle_ms", 1, true, &tl_ranks_host_sheet },
	[TL_SIDE_STEPS] = { "step_times", NULL, 1, false, &tl_ranks_steps_sheet },
};

#define SMALL 0.01 /* of a median: less makes no rank slow */
enum { MAX_NAMED = 20 }; /* outliers that a cell names */

/* The rows of gpu_timeline that tell why a rank is slow; the first two make what it needs itself. */
enum { TOTAL, EXPOSED_COMM, COMPUTATION, MEMCPY, IDLE, N_TIMES };
static const char *const time_names[N_TIMES] = { "total_time", "exposed_comm_time", "computation_time", "exposed_memcpy_time", "idle_time" };
struct rank_times {
	int64_t rank;
	bool listed; /* it has the sheet in which a row that is absent is 0 */
	double ms[N_TIMES];
	/* By sheet: the name in which it needs most more than the median rank, and how much; 0: there is none. */
	struct most { uint32_t name; double ms; } most[TL_SIDES];
};

struct tl_side_by_side {
	struct tl_name_rules *rules; /* what kernels do */
	struct tl_sorter *rows;      /* by sheet, name and rank; a record is a double */
	struct tl_rank_steps *steps;
	struct rank_times *times; size_t n, cap; /* by rank */
	struct tl_strtab names;      /* of `most` */
};

struct tl_side_by_side *tl_side_new(struct tl_name_rules *rules)
{
	struct tl_side_by_side *s = tl_calloc(1, sizeof *s);

	s->rules = rules;
	s->rows = tl_sorter_new();
	s->steps = tl_rank_steps_new();
	return s;
}

void tl_side_free(struct tl_side_by_side *s)
{
	tl_sorter_free(s->rows);
	tl_rank_steps_free(s->steps);
	tl_strtab_release(&s->names);
	free(s->times);
	free(s);
}

/* ---- reading ------------------------------------------------------------------------------- */

struct value { int64_t rank; double ms; };
struct reading { struct tl_side_by_side *s; int64_t rank; size_t sheet, key, time; };

static enum tl_status find_columns(struct reading *r, const struct tl_field_text *f, size_t n, struct tl_error *err)
{
	const struct tl_side_sheet *d = &tl_side_sheets[r->sheet];
	const char *key = d->made->rows[0];

	r->key = r->time = n;
	for (size_t i = 0; i < n; i++) {
		if (tl_text_is(f[i].s, f[i].len, key))
			r->key = i;
		if (tl_text_is(f[i].s, f[i].len, d->time))
			r->time = i;
	}
	if (r->key == n || r->time == n)
		return tl_fail(err, TL_ERR_DATA, "this is no sheet %s: it lacks the column '%s'", d->sheet, r->key == n ? key : d->time);
	if (d->absent_is_0 && r->s->n && r->s->times[r->s->n - 1].rank == r->rank)
		r->s->times[r->s->n - 1].listed = true;
	return TL_OK;
}

static void keep_time(struct reading *r, const struct tl_field_text *name, double ms)
{
	struct tl_side_by_side *s = r->s;

	if (!s->n || s->times[s->n - 1].rank != r->rank) {
		TL_PUSH(s->times, s->n, s->cap, (struct rank_times){ .rank = r->rank });
	}
	for (size_t i = 0; i < N_TIMES; i++)
		if (tl_text_is(name->s, name->len, time_names[i]))
			s->times[s->n - 1].ms[i] = ms;
}

static enum tl_status read_row(void *ctx, size_t row, const struct tl_field_text *f, size_t n, struct tl_error *err)
{
	struct reading *r = ctx;
	struct tl_buf text = { 0 }, key = { 0 };
	struct value v = { .rank = r->rank };

	if (!row)
		return find_columns(r, f, n, err);
	if (!f[r->time].len)
		return TL_OK;
	tl_buf_add(&text, f[r->time].s, f[r->time].len);
	v.ms = tl_parse_double(text.data, NULL) * tl_side_sheets[r->sheet].ms;
	tl_buf_release(&text);
	if (r->sheet == TL_SIDE_TIMELINE)
		keep_time(r, &f[r->key], v.ms);
	tl_key_add_int(&key, (int64_t)r->sheet);
	tl_key_add_text(&key, f[r->key].s, f[r->key].len);
	tl_key_add_int(&key, r->rank);
	tl_buf_add(&text, &v, sizeof v);
	tl_buf_add(&text, f[r->key].s, f[r->key].len);
	enum tl_status st = tl_sorter_add(r->s->rows, key.data, key.len, text.data, text.len, err);
	tl_buf_release(&key);
	tl_buf_release(&text);
	return st;
}

enum tl_status tl_side_add(struct tl_side_by_side *s, int64_t rank, size_t i, struct tl_input *in, struct tl_error *err)
{
	struct reading r = { .s = s, .rank = rank, .sheet = i };

	if (i == TL_SIDE_STEPS)
		return tl_rank_steps_add(s->steps, rank, in, err);
	return tl_tsv_read(in, read_row, &r, err);
}

/* ---- a row ---------------------------------------------------------------------------------- */

/* The values of one name. */
struct values { struct value *items; size_t n, cap; double *sorted; size_t cap_sorted; };
/* One sheet and name of the sorted rows. */
struct group { size_t sheet; struct tl_buf name; struct values values; };

static void add_outliers(struct tl_buf *b, const struct values *v, double median, double deviation)
{
	size_t found = 0;

	for (size_t i = 0; i < v->n && v->n > 2; i++) {
		if (!tl_is_outlier(fabs(v->items[i].ms - median), median, deviation))
			continue;
		if (found++ < MAX_NAMED)
			tl_buf_addf(b, "%s%" PRId64, b->len ? ", " : "", v->items[i].rank);
	}
	if (found > MAX_NAMED)
		tl_buf_addf(b, ", ... (%zu)", found);
}

static int by_rank(const void *a, const void *b)
{
	int64_t x = ((const struct rank_times *)a)->rank, y = ((const struct rank_times *)b)->rank;

	return (x > y) - (x < y);
}

static void add_row(struct tl_side_by_side *s, struct tl_table *t, struct group *g)
{
	struct values *v = &g->values;
	const struct value *least = &v->items[0], *most = &v->items[0];
	struct tl_buf outliers = { 0 };

	TL_GROW(v->sorted, v->cap_sorted, v->n);
	for (size_t i = 0; i < v->n; i++) {
		least = v->items[i].ms < least->ms ? &v->items[i] : least;
		most = v->items[i].ms > most->ms ? &v->items[i] : most;
		v->sorted[i] = v->items[i].ms;
	}
	double median = tl_median(v->sorted, v->n);
	/* by this row computation may be slow; kernels that communicate may wait for other ranks */
	bool may_slow = g->sheet != TL_SIDE_KERNELS || tl_work_of_name(s->rules, tl_buf_text(&g->name), g->name.len) == TL_GPU_COMPUTE;
	for (size_t i = 0; i < v->n; i++) {
		double more = v->items[i].ms - median;
		struct rank_times *of = s->n && may_slow ?
			bsearch(&(struct rank_times){ .rank = v->items[i].rank }, s->times, s->n, sizeof *of, by_rank) : NULL;
		v->sorted[i] = fabs(more);
		if (of && more > of->most[g->sheet].ms)
			of->most[g->sheet] = (struct most){ tl_intern(&s->names, tl_buf_text(&g->name), g->name.len), more };
	}
	add_outliers(&outliers, v, median, tl_median(v->sorted, v->n));
	/* the sheets beside ranks_timeline have the same columns, but for the name of the first */
	tl_table_add_row(t, (const struct tl_cell[N_SIDE]){
		[SIDE_TYPE] = tl_cell_text(tl_intern(t->strings, tl_buf_text(&g->name), g->name.len)),
		[SIDE_RANKS] = tl_cell_int((int64_t)v->n),
		[SIDE_MIN_MS] = tl_cell_real(least->ms),
		[SIDE_MEDIAN_MS] = tl_cell_real(median),
		[SIDE_MAX_MS] = tl_cell_real(most->ms),
		[SIDE_FASTEST_RANK] = tl_cell_int(least->rank),
		[SIDE_SLOWEST_RANK] = tl_cell_int(most->rank),
		[SIDE_SPREAD_PCT] = median > 0 ? tl_cell_real(100 * (most->ms - least->ms) / median) : tl_cell_null(),
		[SIDE_EXCESS_MS] = tl_cell_real(most->ms - median),
		[SIDE_OUTLIERS] = outliers.len ? tl_cell_text(tl_intern(t->strings, outliers.data, outliers.len)) : tl_cell_null(),
	});
	tl_buf_release(&outliers);
}

/* ---- sheets ------------------------------------------------------------------------------------ */

struct writing {
	struct tl_output *(*create)(void *ctx, const char *sheet);
	void (*finish)(void *ctx, struct tl_output *);
	void *ctx;
};

static enum tl_status write_sorted(const struct writing *w, const struct tl_sheet_def *def, const struct tl_table *rows, struct tl_error *err)
{
	struct tl_table *t = tl_sheet_make(def, &(struct tl_sheet_input){ .rows = rows });
	struct tl_output *out = w->create(w->ctx, def->name);
	enum tl_status st = tl_tsv_write(t, out, err);

	w->finish(w->ctx, out);
	tl_table_free(t);
	return st;
}

/* Ranks without the row get 0; of those without the sheet nothing is known. */
static void add_absent(const struct tl_side_by_side *s, struct values *v)
{
	size_t had = v->n, n = 0, at = s->n;

	for (size_t i = 0; i < s->n; i++)
		n += s->times[i].listed;
	if (had >= n)
		return;
	TL_GROW(v->items, v->cap, n);
	v->n = n;
	while (at--)
		if (s->times[at].listed)
			v->items[--n] = had && v->items[had - 1].rank == s->times[at].rank ? v->items[--had] : (struct value){ s->times[at].rank, 0 };
}

static void take_value(struct group *g, const struct value *v)
{
	struct values *to = &g->values;

	if (to->n && to->items[to->n - 1].rank == v->rank) {
		to->items[to->n - 1].ms += v->ms;
		return;
	}
	TL_PUSH(to->items, to->n, to->cap, *v);
}

static size_t sheet_of(const struct tl_sorted *s)
{
	return ((const unsigned char *)s->key)[7]; /* of the number's eight bytes the last one */
}

static enum tl_status write_sheets(struct tl_side_by_side *s, const struct writing *w, struct tl_error *err)
{
	struct tl_strtab strings = { 0 };
	struct tl_table *rows = NULL;
	struct group g = { .sheet = 0 };
	struct tl_sorted next;
	enum tl_status st;

	while (!(st = tl_sorter_next(s->rows, &next, err))) {
		struct value v = { 0 };
		const char *name = next.data ? (const char *)next.data + sizeof v : NULL;
		size_t len = next.data ? next.len - sizeof v : 0;
		bool same_sheet = next.data && sheet_of(&next) == g.sheet;
		if (g.values.n && !(same_sheet && len == g.name.len && !memcmp(name, tl_buf_text(&g.name), len))) {
			if (tl_side_sheets[g.sheet].absent_is_0)
				add_absent(s, &g.values);
			add_row(s, rows, &g);
			g.values.n = 0;
		}
		if (!same_sheet && rows) {
			if ((st = write_sorted(w, tl_side_sheets[g.sheet].made, rows, err)))
				break;
			tl_table_free(rows);
			rows = NULL;
		}
		if (!next.data)
			break;
		g.sheet = sheet_of(&next);
		rows = rows ? rows : tl_table_new(&strings, 1, tl_side_sheets[g.sheet].made->rows);
		tl_buf_clear(&g.name);
		tl_buf_add(&g.name, name, len);
		memcpy(&v, next.data, sizeof v);
		take_value(&g, &v);
	}
	tl_table_free(rows);
	tl_strtab_release(&strings);
	tl_buf_release(&g.name);
	free(g.values.items);
	free(g.values.sorted);
	return st;
}

/* ---- ranks_summary ---------------------------------------------------------------------------------- */

static double own(const struct rank_times *t)
{
	return t->ms[TOTAL] - t->ms[EXPOSED_COMM];
}

static double median_time(const struct tl_side_by_side *s, int time, double *room)
{
	for (size_t i = 0; i < s->n; i++)
		room[i] = time < 0 ? own(&s->times[i]) : s->times[i].ms[time];
	return tl_median(room, s->n);
}

/* In what the rank needs most more than the median rank; "": it needs no more. */
static const char *slow_in(const struct rank_times *t, const double *medians, double own_median)
{
	static const struct { int time; const char *name; } causes[] = {
		{ COMPUTATION, "compute" }, { MEMCPY, "copies" }, { IDLE, "waiting" },
	};
	const char *name = "";
	double most = SMALL * own_median;

	if (own(t) - own_median <= most)
		return "";
	for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
		double excess = t->ms[causes[i].time] - medians[causes[i].time];
		if (excess > most) {
			most = excess;
			name = causes[i].name;
		}
	}
	return name;
}

static enum tl_status write_summary(struct tl_side_by_side *s, const struct writing *w, struct tl_error *err)
{
	double *room = tl_alloc((s->n + 1) * sizeof *room), medians[N_TIMES];
	struct tl_table *rows = tl_table_new(&s->names, 1, tl_ranks_own_rows);

	double own_median = median_time(s, -1, room);
	for (int k = 0; k < N_TIMES; k++)
		medians[k] = median_time(s, k, room);
	for (size_t i = 0; i < s->n; i++) {
		const struct rank_times *t = &s->times[i];
		struct tl_cell c[N_OWN] = { [OWN_RANK] = tl_cell_int(t->rank), [OWN_OWN_MS] = tl_cell_real(own(t)),
			[OWN_OWN_EXCESS_MS] = tl_cell_real(own(t) - own_median) };
		const char *cause = slow_in(t, medians, own_median);
		if (*cause)
			c[OWN_SLOW_IN] = tl_cell_str(&s->names, cause);
		if (!strcmp(cause, "compute")) {
			c[OWN_SLOW_OPERATOR] = tl_cell_text(t->most[TL_SIDE_OPERATORS].name);
			c[OWN_SLOW_KERNEL] = tl_cell_text(t->most[TL_SIDE_KERNELS].name);
		}
		if (!strcmp(cause, "waiting"))
			c[OWN_SLOW_CAUSE] = tl_cell_text(t->most[TL_SIDE_HOST].name);
		c[OWN_TOTAL_MS] = tl_cell_real(t->ms[TOTAL]);
		c[OWN_EXPOSED_COMM_MS] = tl_cell_real(t->ms[EXPOSED_COMM]);
		c[OWN_COMPUTATION_MS] = tl_cell_real(t->ms[COMPUTATION]);
		c[OWN_EXPOSED_MEMCPY_MS] = tl_cell_real(t->ms[MEMCPY]);
		c[OWN_IDLE_MS] = tl_cell_real(t->ms[IDLE]);
		const struct tl_rank_score *score = tl_rank_steps_score(s->steps, t->rank);
		if (score) {
			c[OWN_STEPS] = tl_cell_int(score->steps);
			c[OWN_STEPS_SLOWEST] = tl_cell_int(score->slowest);
			c[OWN_STEPS_OUTLIER] = tl_cell_int(score->outlier);
		}
		if (score && score->worst_excess_ms > 0) {
			c[OWN_WORST_STEP] = tl_cell_int(score->worst_step);
			c[OWN_WORST_STEP_EXCESS_MS] = tl_cell_real(score->worst_excess_ms);
		}
		tl_table_add_row(rows, c);
	}
	enum tl_status st = write_sorted(w, &tl_ranks_summary_sheet, rows, err);
	tl_table_free(rows);
	free(room);
	return st;
}

enum tl_status tl_side_write(struct tl_side_by_side *s, struct tl_output *(*create)(void *ctx, const char *sheet),
                             void (*finish)(void *ctx, struct tl_output *), void *ctx, struct tl_error *err)
{
	const struct writing w = { create, finish, ctx };
	enum tl_status st = write_sheets(s, &w, err);

	if (!st && tl_rank_steps_any(s->steps)) {
		struct tl_output *out = create(ctx, tl_ranks_steps_sheet.name);
		st = tl_rank_steps_write(s->steps, out, err);
		finish(ctx, out);
	}
	return st || !s->n ? st : write_summary(s, &w, err);
}
