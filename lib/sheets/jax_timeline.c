/* jax_timeline.c - what the time of the GPUs of a JAX trace was spent on, GPU by GPU.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/jax_events.h"

#include <stdlib.h>

#include "analysis/python_set.h"
#include "analysis/spans.h"

const char *const tl_jax_time_names[TL_JAX_TIMES] = {
	"computation_time", "exposed_comm_time", "exposed_memcpy_time", "busy_time", "idle_time", "total_time",
	"total_comm_time", "total_memcpy_time",
};

/* ---- one GPU ---------------------------------------------------------------------------- */

static void add_event(const struct tl_jax *j, const struct tl_jax_event *e, struct tl_spans *s)
{
	int64_t ts = j->trace->events[e->event].ts;

	tl_spans_add(s, ts, tl_ticks_add(ts, tl_jax_dur(j, e)));
}

bool tl_jax_measure(const struct tl_jax *j, int64_t pid, int64_t ticks[TL_JAX_TIMES])
{
	struct tl_spans of[TL_JAX_WORKS] = { 0 }, all = { 0 }, part = { 0 }, rest = { 0 };

	for (size_t i = 0; i < j->n; i++)
		if (tl_jax_track(j, j->events[i].event)->pid == pid) {
			add_event(j, &j->events[i], &of[j->events[i].work]);
			add_event(j, &j->events[i], &all);
		}
	for (size_t w = 0; w < TL_JAX_WORKS; w++)
		tl_spans_merge(&of[w]);
	tl_spans_merge(&all);
	ticks[TL_JAX_COMPUTATION] = tl_spans_length(&of[TL_JAX_COMPUTE]);
	ticks[TL_JAX_ALL_COMM] = tl_spans_length(&of[TL_JAX_COMM]);
	ticks[TL_JAX_ALL_COPIES] = tl_spans_length(&of[TL_JAX_COPY]);
	tl_spans_subtract(&of[TL_JAX_COMM], &of[TL_JAX_COMPUTE], &part);
	ticks[TL_JAX_EXPOSED_COMM] = tl_spans_length(&part);
	tl_spans_subtract(&of[TL_JAX_COPY], &of[TL_JAX_COMPUTE], &part);
	tl_spans_subtract(&part, &of[TL_JAX_COMM], &rest);
	ticks[TL_JAX_EXPOSED_COPIES] = tl_spans_length(&rest);
	ticks[TL_JAX_BUSY] = tl_spans_length(&all);
	ticks[TL_JAX_TOTAL] = all.n ? tl_ticks_sub(all.items[all.n - 1].end, all.items[0].start) : 0;
	ticks[TL_JAX_IDLE] = tl_ticks_sub(ticks[TL_JAX_TOTAL], ticks[TL_JAX_BUSY]);
	bool any = all.n > 0;
	for (size_t w = 0; w < TL_JAX_WORKS; w++)
		tl_spans_release(&of[w]);
	tl_spans_release(&all);
	tl_spans_release(&part);
	tl_spans_release(&rest);
	return any;
}

/* ---- the sheets --------------------------------------------------------------------------- */

static struct tl_cell percent_of(double time, double total)
{
	return total > 0 ? tl_cell_real(100 * time / total) : tl_cell_null();
}

static void add_gpu(struct tl_table *t, int64_t pid, const int64_t ticks[TL_JAX_TIMES])
{
	for (size_t i = 0; i < TL_JAX_TIMES; i++) {
		const struct tl_cell c[] = {
			tl_cell_text(tl_intern_str(t->strings, tl_jax_time_names[i])), tl_cell_ms(ticks[i]),
			percent_of((double)ticks[i], (double)ticks[TL_JAX_TOTAL]), tl_cell_int(pid),
		};
		tl_table_add_row(t, c);
	}
}

/* The rows of TraceLens are in the order in which Python walks a set of the pids. */
struct tl_table *tl_jax_make_timeline(void *ctx, const struct tl_sheet *s)
{
	static const char *const columns[] = { "type", "time ms", "percent", "gpu_pid", NULL };
	struct tl_jax *j = ctx;
	struct tl_table *t = tl_table_new(&j->trace->strings, j->trace->ticks_per_us, columns);
	struct tl_pyset pids = { 0 };
	int64_t ticks[TL_JAX_TIMES];
	uint32_t pid;

	(void)s;
	for (size_t i = 0; i < j->n_pids; i++)
		if (j->pids[i] < TL_PYSET_DELETED)
			tl_pyset_add(&pids, (uint32_t)j->pids[i]);
	for (size_t at = 0; tl_pyset_next(&pids, &at, &pid);)
		if (tl_jax_measure(j, pid, ticks))
			add_gpu(t, pid, ticks);
	tl_pyset_release(&pids);
	return t;
}

size_t tl_jax_mean_times(const struct tl_jax *j, double ms[TL_JAX_TIMES])
{
	int64_t ticks[TL_JAX_TIMES], sums[TL_JAX_TIMES] = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < j->n_pids; i++) {
		if (!tl_jax_measure(j, j->pids[i], ticks))
			continue;
		n++;
		for (size_t k = 0; k < TL_JAX_TIMES; k++)
			sums[k] = tl_ticks_add(sums[k], ticks[k]);
	}
	for (size_t k = 0; k < TL_JAX_TIMES; k++)
		ms[k] = n ? (double)sums[k] / (double)j->trace->ticks_per_us / 1000 / (double)n : 0;
	return n;
}

struct tl_table *tl_jax_make_averages(void *ctx, const struct tl_sheet *s)
{
	static const char *const columns[] = { "type", "time ms", "percent", NULL };
	struct tl_jax *j = ctx;
	struct tl_table *t = tl_table_new(&j->trace->strings, j->trace->ticks_per_us, columns);
	double ms[TL_JAX_TIMES];

	(void)s;
	if (!tl_jax_mean_times(j, ms))
		return t;
	for (size_t i = 0; i < TL_JAX_TIMES; i++) {
		const struct tl_cell c[] = {
			tl_cell_text(tl_intern_str(t->strings, tl_jax_time_names[i])), tl_cell_real(ms[i]),
			percent_of(ms[i], ms[TL_JAX_TOTAL]),
		};
		tl_table_add_row(t, c);
	}
	return t;
}
