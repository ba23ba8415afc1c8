/* multi_merge.c - the sheets about several traces, from the tables of their parts.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/multi_merge.h"

#include "work/spans.h"
#include "base/search.h"
#include "job/op_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TYPES = 8, SHOWN_OTHERS = 10, N_SHEETS = 7 };

struct tl_multi_merge {
	const struct tl_op_groups *groups;
	int64_t *ranks; size_t n, cap;
	struct tl_sheet_sum launchers, unlinked, short_ops, ops[TL_OP_GROUPS];
	struct tl_strtab strings;        /* of what follows, and of the sheets made of it */
	struct tl_table *counts, *calls; /* with the rank */
	uint32_t types[MAX_TYPES]; size_t n_types;
	double (*timeline)[MAX_TYPES]; size_t cap_timeline; /* by trace, ms */
	size_t n_others;
	struct tl_buf others;
};

static struct tl_table *make(const struct tl_sheet_def *def, const struct tl_table *rows)
{
	return tl_sheet_make(def, &(struct tl_sheet_input){ .rows = rows });
}

/* ---- adding traces ------------------------------------------------------------------------- */

struct tl_multi_merge *tl_multi_merge_new(const struct tl_op_groups *groups)
{
	struct tl_multi_merge *m = tl_calloc(1, sizeof *m);

	m->groups = groups;
	m->launchers.def = &tl_multi_launcher_sum_sheet;
	m->unlinked.def = &tl_multi_duration_sum_sheet;
	m->short_ops.def = &tl_multi_short_sum_sheet;
	for (size_t i = 0; i < TL_OP_GROUPS; i++)
		m->ops[i].def = &tl_multi_op_sum_sheet;
	return m;
}

void tl_multi_merge_free(struct tl_multi_merge *m)
{
	if (!m)
		return;
	tl_sheet_sum_release(&m->launchers);
	tl_sheet_sum_release(&m->unlinked);
	tl_sheet_sum_release(&m->short_ops);
	for (size_t i = 0; i < TL_OP_GROUPS; i++)
		tl_sheet_sum_release(&m->ops[i]);
	tl_table_free(m->counts);
	tl_table_free(m->calls);
	tl_strtab_release(&m->strings);
	tl_buf_release(&m->others);
	free(m->ranks);
	free(m->timeline);
	free(m);
}

void tl_multi_merge_next(struct tl_multi_merge *m, int64_t rank)
{
	TL_GROW(m->ranks, m->cap, m->n + 1);
	TL_GROW(m->timeline, m->cap_timeline, m->n + 1);
	memset(m->timeline[m->n], 0, sizeof *m->timeline);
	m->ranks[m->n++] = rank;
}

/* Adds rows with the trace's rank before them. */
static void add_ranked(struct tl_multi_merge *m, struct tl_table **to, const struct tl_table *from)
{
	if (!*to)
		*to = tl_table_new(&m->strings, from->ticks_per_us, (const char *const[]){ "rank", NULL });
	tl_table_append(*to, from);
	for (size_t i = (*to)->n_rows - from->n_rows; i < (*to)->n_rows; i++)
		tl_table_set(*to, i, 0, tl_cell_int(m->ranks[m->n - 1]));
}

static void add_timeline(struct tl_multi_merge *m, const struct tl_table *t)
{
	for (size_t i = 0; i < t->n_rows && i < MAX_TYPES; i++) {
		m->types[i] = tl_intern_str(&m->strings, tl_str(t->strings, tl_table_cell(t, i, 0).text));
		m->timeline[m->n - 1][i] = tl_cell_number(tl_table_cell(t, i, 1), t->ticks_per_us) / 1e3;
	}
	m->n_types = t->n_rows < MAX_TYPES ? t->n_rows : MAX_TYPES;
}

void tl_multi_merge_table(struct tl_multi_merge *m, enum tl_multi_table which, const struct tl_table *t)
{
	switch (which) {
	case TL_PART_LAUNCHERS: tl_sheet_sum_add(&m->launchers, t); break;
	case TL_PART_TIMELINE: add_timeline(m, t); break;
	case TL_PART_COUNTS: add_ranked(m, &m->counts, t); break;
	case TL_PART_UNLINKED: tl_sheet_sum_add(&m->unlinked, t); break;
	case TL_PART_SHORT: tl_sheet_sum_add(&m->short_ops, t); break;
	case TL_PART_CALLS: add_ranked(m, &m->calls, t); break;
	default: break;
	}
}

void tl_multi_merge_ops(struct tl_multi_merge *m, size_t group, const struct tl_table *t)
{
	tl_sheet_sum_add(&m->ops[group], t);
}

/* ---- sheets ---------------------------------------------------------------------------------- */

struct launchers { const struct tl_table *rows; double ranks; };

/* Means of the ranks: time and count. */
void tl_multi_means(void *ctx, const size_t *rows, size_t n, struct tl_cell cells[TL_MAX_CALL_CELLS])
{
	const struct launchers *l = ctx;
	const struct tl_table *t = l->rows;
	int64_t ticks = 0, count = 0;

	for (size_t i = 0; i < n; i++) {
		ticks = tl_ticks_add(ticks, tl_table_cell(t, rows[i], LAUNCHER_TIME).i);
		count = tl_ticks_add(count, tl_table_cell(t, rows[i], LAUNCHER_COUNT).i);
	}
	cells[0] = tl_cell_real(tl_cell_number(tl_cell_ms(ticks), t->ticks_per_us) / l->ranks);
	cells[1] = tl_cell_real((double)count / l->ranks);
}

static struct tl_table *kernel_launchers(struct tl_multi_merge *m)
{
	struct launchers l = { tl_sheet_sum_rows(&m->launchers), (double)m->n };

	return tl_sheet_make(&tl_multi_kernel_launchers_sheet, &(struct tl_sheet_input){ .rows = l.rows, .ctx = &l });
}

static double mean_of(const struct tl_multi_merge *m, size_t type)
{
	double sum = 0;

	for (size_t r = 0; r < m->n; r++)
		sum += m->timeline[r][type];
	return sum / (double)m->n;
}

static struct tl_table *gpu_timelines(struct tl_multi_merge *m)
{
	size_t total_row = 0;
	struct tl_table *t = tl_table_new(&m->strings, 1, (const char *const[]){ tl_multi_gpu_rows[GPU_TYPE], NULL });
	struct tl_cell *c = tl_calloc(2 * m->n + 3, sizeof *c);
	struct tl_buf name = { 0 };

	for (size_t r = 0; r < 2 * m->n; r++) {
		name.len = 0;
		tl_buf_addf(&name, "%s_%lld", r & 1 ? "percent" : "time_ms", (long long)m->ranks[r / 2]);
		tl_table_add_column(t, name.data);
	}
	tl_table_add_column(t, tl_multi_gpu_rows[GPU_TIME_MS_AVG]);
	tl_table_add_column(t, tl_multi_gpu_rows[GPU_TIME_MS_STD]);
	for (size_t i = m->n_types; i--; )
		total_row = !strcmp(tl_str(&m->strings, m->types[i]), "total_time") ? i : total_row;
	for (size_t i = 0; i < m->n_types; i++) {
		double mean = mean_of(m, i), squares = 0;
		c[0] = tl_cell_text(m->types[i]);
		for (size_t r = 0; r < m->n; r++) {
			double ms = m->timeline[r][i], total = m->timeline[r][total_row];
			c[1 + 2 * r] = tl_cell_real(ms);
			c[2 + 2 * r] = total > 0 ? tl_cell_real(ms / total * 100) : tl_cell_null();
			squares += (ms - mean) * (ms - mean);
		}
		c[1 + 2 * m->n] = tl_cell_real(mean);
		c[2 + 2 * m->n] = tl_cell_real(sqrt(squares / (double)m->n));
		tl_table_add_row(t, c);
	}
	tl_buf_release(&name);
	free(c);
	return t;
}

static struct tl_table *short_counts(struct tl_multi_merge *m)
{
	struct tl_table *t = make(&tl_multi_short_cpu_op_counts_sheet, tl_sheet_sum_rows(&m->short_ops));
	int64_t total = 0;

	for (size_t i = 0; i < t->n_rows; i++)
		total += tl_table_cell(t, i, 1).i;
	tl_table_add_row(t, (struct tl_cell[]){ tl_cell_str(t->strings, "Total"), tl_cell_int(total) });
	free(t->columns[0].name);
	t->columns[0].name = tl_strdup("");
	return t;
}

/* ---- calls: a row for each call, columns for each rank ------------------------------------------ */

enum { N_METRICS = 4 };
static const char *const metrics[N_METRICS] = { "count", "min_dur", "max_dur", "mean_dur" };

static struct tl_table *cuda_events(struct tl_multi_merge *m)
{
	struct tl_table *long_form = make(&tl_multi_calls_by_rank_sheet, m->calls);
	const char *const keys[] = { tl_multi_cuda_rows[CUDA_NAME], tl_multi_cuda_rows[CUDA_CAT], NULL };
	struct tl_table *t = tl_table_new(&m->strings, long_form->ticks_per_us, keys);
	int64_t *ranks = tl_alloc((m->n + 1) * sizeof *ranks);
	size_t n = 0;
	for (size_t r = 0; r < m->n; r++) /* in ascending order; several traces may be of one rank */
		if (!n || m->ranks[r] != ranks[n - 1])
			ranks[n++] = m->ranks[r];
	struct tl_cell *c = tl_calloc(2 + N_METRICS * n, sizeof *c);
	struct tl_buf name = { 0 };

	for (size_t k = 0; k < N_METRICS * n; k++) {
		name.len = 0;
		tl_buf_addf(&name, "%s_%lld", metrics[k / n], (long long)ranks[k % n]);
		tl_table_add_column(t, name.data);
	}
	for (size_t i = 0, row = SIZE_MAX; i < long_form->n_rows; i++) {
		const struct tl_cell call[] = { tl_table_cell(long_form, i, 0), tl_table_cell(long_form, i, 1) };
		if (!i || call[0].i != c[0].i || call[1].i != c[1].i) {
			memcpy(c, call, sizeof call);
			tl_table_add_row(t, c);
			row = t->n_rows - 1;
		}
		size_t past, place;
		TL_SEARCH(past, n, mid, ranks[mid] <= tl_table_cell(long_form, i, 2).i);
		place = past ? past - 1 : 0;
		for (size_t k = 0; k < N_METRICS; k++)
			tl_table_set(t, row, 2 + k * n + place, tl_table_cell(long_form, i, 3 + k));
	}
	tl_buf_release(&name);
	tl_table_free(long_form);
	free(ranks);
	free(c);
	return t;
}

/* ---- groups of launchers ------------------------------------------------------------------------- */

static double timeline_mean(const struct tl_multi_merge *m, const char *type)
{
	for (size_t i = 0; i < m->n_types; i++)
		if (!strcmp(tl_str(&m->strings, m->types[i]), type))
			return mean_of(m, i);
	return 0;
}

static void add_group(struct tl_table *t, const char *name, double ms, double *total)
{
	*total += ms / 1000;
	tl_table_add_row(t, (struct tl_cell[]){ tl_cell_str(t->strings, name), tl_cell_real(ms / 1000) });
}

static struct tl_table *grouped_breakdown(struct tl_multi_merge *m)
{
	const struct tl_op_groups *g = m->groups;
	struct tl_table *launchers = kernel_launchers(m);
	size_t n = g->n_groups[TL_GROUP_BREAKDOWN], time = (size_t)tl_table_column(launchers, "time_ms_avg");
	struct tl_table *t = tl_table_new(&m->strings, 1, tl_multi_grouped_rows);
	double ms[sizeof g->groups[0] / sizeof *g->groups[0]] = { 0 }, other = 0, total = 0;

	for (size_t i = 0; i < launchers->n_rows; i++) {
		const char *name = tl_str(launchers->strings, tl_table_cell(launchers, i, 0).text);
		double x = tl_table_cell(launchers, i, time).d;
		uint32_t bits = tl_op_groups_of(g, TL_GROUP_BREAKDOWN, name);
		for (size_t k = 0; k < n; k++)
			ms[k] += bits >> k & 1 ? x : 0;
		if (!bits) {
			other += x;
			if (m->n_others++ < SHOWN_OTHERS)
				tl_buf_addf(&m->others, "%s%s", m->others.len ? ", " : "", name);
		}
	}
	tl_table_free(launchers);
	for (size_t k = 0; k < n; k++)
		add_group(t, g->groups[TL_GROUP_BREAKDOWN][k], ms[k], &total);
	add_group(t, "Comms", timeline_mean(m, "total_comm_time"), &total);
	add_group(t, "Memcpy", timeline_mean(m, "total_memcpy_time"), &total);
	add_group(t, "Other", other, &total);
	tl_table_add_row(t, (struct tl_cell[]){ tl_cell_str(t->strings, "Total"), tl_cell_real(total) });
	return t;
}

static bool has_rows(const struct tl_table *t)
{
	return t && t->n_rows;
}

struct tl_table *tl_multi_merge_sheet(struct tl_multi_merge *m, size_t i, const char **name)
{
	size_t n_ops = m->groups->n_groups[TL_GROUP_SHEET];

	if (i < n_ops) {
		*name = m->groups->groups[TL_GROUP_SHEET][i];
		return tl_op_rows_sheet(&m->ops[i]);
	}
	i -= n_ops;
	*name = i < N_SHEETS ? tl_multi_sheets.sheets[i].name : NULL; /* those behind are made of collectives */
	switch (i) {
	case 0: return kernel_launchers(m);
	case 1: return gpu_timelines(m);
	case 2: {
		struct tl_table *counts = m->counts;
		m->counts = NULL;
		return counts;
	}
	case 3: return has_rows(tl_sheet_sum_rows(&m->unlinked)) ?
		make(&tl_multi_unlinked_short_kernels_summary_sheet, tl_sheet_sum_rows(&m->unlinked)) : NULL;
	case 4: return has_rows(tl_sheet_sum_rows(&m->short_ops)) ? short_counts(m) : NULL;
	case 5: return has_rows(m->calls) ? cuda_events(m) : NULL;
	case 6: return grouped_breakdown(m);
	default: return NULL;
	}
}

size_t tl_multi_merge_other_launchers(const struct tl_multi_merge *m, const char **names)
{
	*names = tl_buf_text(&m->others);
	return m->n_others;
}
