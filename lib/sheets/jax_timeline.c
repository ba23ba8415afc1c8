/* jax_timeline.c - what the time of the GPUs of a JAX trace was spent on, GPU by GPU.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/jax_events.h"

#include <stdlib.h>

#include "analysis/python_set.h"

/* ---- one GPU ---------------------------------------------------------------------------- */

static void add_event(const struct tl_jax *j, const struct tl_jax_event *e, struct tl_spans *s)
{
	int64_t ts = j->trace->events[e->event].ts;

	tl_spans_add(s, ts, tl_ticks_add(ts, tl_jax_dur(j, e)));
}

/* Of the GPU with this pid, in ticks. False: it has no events. */
static bool measure(const struct tl_jax *j, int64_t pid, int64_t ticks[TL_TIMES])
{
	struct tl_spans of[TL_GPU_WORKS] = { 0 }, all = { 0 };

	for (size_t i = 0; i < j->n; i++)
		if (tl_jax_track(j, j->events[i].event)->pid == pid)
			add_event(j, &j->events[i], &of[j->events[i].work]);
	bool any = tl_gpu_times(of, &all, ticks);
	for (unsigned w = 0; w < TL_GPU_WORKS; w++)
		tl_spans_release(&of[w]);
	tl_spans_release(&all);
	return any;
}

/* ---- the sheets --------------------------------------------------------------------------- */

static struct tl_cell percent_of(double time, double total)
{
	return total > 0 ? tl_cell_real(100 * time / total) : tl_cell_null();
}

static void add_gpu(struct tl_table *t, int64_t pid, const int64_t ticks[TL_TIMES])
{
	for (size_t i = 0; i < TL_TIMES; i++) {
		const struct tl_cell c[] = {
			tl_cell_text(tl_intern_str(t->strings, tl_gpu_time_names[i])), tl_cell_ms(ticks[i]),
			percent_of((double)ticks[i], (double)ticks[TL_TIME_TOTAL]), tl_cell_int(pid),
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
	int64_t ticks[TL_TIMES];
	uint32_t pid;

	(void)s;
	for (size_t i = 0; i < j->n_pids; i++)
		if (j->pids[i] < TL_PYSET_DELETED)
			tl_pyset_add(&pids, (uint32_t)j->pids[i]);
	for (size_t at = 0; tl_pyset_next(&pids, &at, &pid);)
		if (measure(j, pid, ticks))
			add_gpu(t, pid, ticks);
	tl_pyset_release(&pids);
	return t;
}

size_t tl_jax_mean_times(const struct tl_jax *j, double ms[TL_TIMES])
{
	int64_t ticks[TL_TIMES], sums[TL_TIMES] = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < j->n_pids; i++) {
		if (!measure(j, j->pids[i], ticks))
			continue;
		n++;
		for (size_t k = 0; k < TL_TIMES; k++)
			sums[k] = tl_ticks_add(sums[k], ticks[k]);
	}
	for (size_t k = 0; k < TL_TIMES; k++)
		ms[k] = n ? (double)sums[k] / (double)j->trace->ticks_per_us / 1000 / (double)n : 0;
	return n;
}

struct tl_table *tl_jax_make_averages(void *ctx, const struct tl_sheet *s)
{
	static const char *const columns[] = { "type", "time ms", "percent", NULL };
	struct tl_jax *j = ctx;
	struct tl_table *t = tl_table_new(&j->trace->strings, j->trace->ticks_per_us, columns);
	double ms[TL_TIMES];

	(void)s;
	if (!tl_jax_mean_times(j, ms))
		return t;
	for (size_t i = 0; i < TL_TIMES; i++) {
		const struct tl_cell c[] = {
			tl_cell_text(tl_intern_str(t->strings, tl_gpu_time_names[i])), tl_cell_real(ms[i]),
			percent_of(ms[i], ms[TL_TIME_TOTAL]),
		};
		tl_table_add_row(t, c);
	}
	return t;
}
