/* rank_work.c - what a rank computes, in a few sums.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/rank_work.h"

#include "work/counters.h"
#include "work/device_events.h"
#include "work/devices.h"
#include "work/kept.h"
#include "work/trace_facts.h"
#include "base/map.h"
#include "base/merge_sort.h"
#include "base/text.h"
#include "perf/arch.h"
#include "steps/step_find.h"
#include "table/statistics.h"
#include "table/table_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ----------------------------------------------------------------------------- */

enum { WHAT, NAME, MS, N };
static const char *const columns[] = { "what", "name", "ms", "n", NULL };

struct sum { uint32_t name; int64_t ticks, n; };

TL_ORDER(by_ticks, struct sum, TL_DESC(x->ticks) TL_ASC(x->name))

static void add(struct tl_table *t, const char *what, const char *name, double ms, int64_t n)
{
	tl_table_add_row(t, (const struct tl_cell[]){ tl_cell_str(t->strings, what), tl_cell_str(t->strings, name),
		tl_cell_real(ms), tl_cell_int(n) });
}

static double ms_of(const struct tl_trace *t, int64_t ticks)
{
	return tl_trace_us(t, ticks) / 1e3;
}

static void add_kernels(struct tl_table *to, const struct tl_trace *t)
{
	struct TL_KEYED(struct sum) sums = { 0 };
	struct sum all = { 0, 0, 0 };

	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (!tl_gpu_usable(e) || tl_gpu_work(e) != TL_GPU_COMPUTE)
			continue;
		struct sum *s = TL_ITEM(&sums, e->name, NULL);
		s->name = e->name;
		s->ticks = tl_ticks_add(s->ticks, e->dur);
		s->n++;
		all.ticks = tl_ticks_add(all.ticks, e->dur);
		all.n++;
	}
	if (sums.n)
		add(to, "computation", "", ms_of(t, all.ticks), all.n);
	tl_merge_sort(sums.items, sums.n, sizeof *sums.items, by_ticks, NULL);
	for (size_t i = 0; i < sums.n && i < TL_WORK_KERNELS; i++)
		add(to, "kernel", tl_str(&t->strings, sums.items[i].name), ms_of(t, sums.items[i].ticks), sums.items[i].n);
	TL_KEYED_RELEASE(&sums);
}

/* The clock of the device's cores while it works: the first by name of those that were recorded. In place of ms stands its mean. */
static void add_clock(struct tl_table *to, struct tl_trace *t)
{
	const struct tl_counters *all = tl_counters_of(t, TL_COUNTER_RECORDED);
	struct tl_name_answers *kinds = all->n ? tl_kept_answers(t, TL_COUNTER_KINDS_TABLE) : NULL;

	for (size_t i = 0; i < all->n; i++) {
		double mean = tl_name_is(kinds, tl_counter_text(t, &all->items[i]), "clock") ? tl_counter_busy_mean(t, &all->items[i]) : NAN;
		if (isnan(mean))
			continue;
		add(to, "clock", tl_str(&t->strings, all->items[i].unit), mean, 1);
		return;
	}
}

struct tl_table *tl_rank_work_table(struct tl_trace *t, struct tl_strtab *strings)
{
	struct tl_table *to = tl_table_new(strings, t->ticks_per_us, columns);
	const struct tl_steps *steps = tl_steps_of(t);

	add_kernels(to, t);
	struct tl_trace_facts facts;
	tl_trace_facts_read(&facts, t);
	const struct tl_gpu_facts *gpu = tl_working_gpu_kind(&facts, t);
	if (gpu)
		add(to, "gpu", gpu->name, 0, gpu->units);
	tl_trace_facts_release(&facts);
	if (tl_steps_are_marked(steps))
		add(to, "steps", "", 0, (int64_t)steps->n);
	add_clock(to, t);
	if (to->n_rows)
		return to;
	tl_table_free(to);
	return NULL;
}

/* ---- all ranks ------------------------------------------------------------------------------ */

struct tl_works {
	size_t n;
	struct rank { double ms; int64_t kernels /* that compute */, steps; bool known; double clock; uint32_t clock_unit; /* with the clock; 0: none */ } *ranks;
	struct tl_strtab names;
	uint32_t gpu; int64_t units; /* of the first rank that names it */
	struct kernel { uint32_t name; const char *category; size_t rank; double ms; } *kernels; size_t n_kernels, cap;
	struct tl_name_rules *categories;
};

struct tl_works *tl_works_new(size_t ranks, struct tl_name_rules *categories)
{
	struct tl_works *w = tl_calloc(1, sizeof *w);

	w->n = ranks;
	w->categories = categories;
	w->ranks = tl_calloc(ranks + 1, sizeof *w->ranks);
	return w;
}

void tl_works_free(struct tl_works *w)
{
	if (!w)
		return;
	free(w->ranks);
	free(w->kernels);
	tl_strtab_release(&w->names);
	free(w);
}

/* The name up to its arguments, and no longer than a line has room for. */
static uint32_t short_name(struct tl_works *w, const char *s)
{
	s += tl_starts_with(s, "void ") ? 5 : 0;
	size_t len = strcspn(s, "<(");

	while (tl_starts_with(s + len, "(anonymous namespace)")) {
		len += strlen("(anonymous namespace)");
		len += strcspn(s + len, "<(");
	}
	return tl_intern(&w->names, s, len > 60 ? 60 : len ? len : strlen(s));
}

static enum tl_cell_type type_of(const char *column)
{
	return !strcmp(column, "ms") ? TL_CELL_REAL : !strcmp(column, "n") ? TL_CELL_INT : TL_CELL_TEXT;
}

enum tl_status tl_works_read(struct tl_works *w, size_t rank, struct tl_input *in, struct tl_error *err)
{
	static const struct tl_tsv_columns wanted = { columns, NULL, type_of };
	struct tl_strtab strings = { 0 };
	struct tl_table *t;
	enum tl_status st = tl_tsv_read_table(in, &strings, &wanted, &t, err);

	for (size_t i = 0; !st && i < t->n_rows; i++) {
		const char *what = tl_table_text(t, i, WHAT, "");
		struct tl_cell ms = tl_table_cell(t, i, MS), n = tl_table_cell(t, i, N);
		if (!strcmp(what, "steps")) {
			w->ranks[rank].steps = n.i;
		} else if (!strcmp(what, "computation")) {
			w->ranks[rank].ms = ms.d;
			w->ranks[rank].kernels = n.i;
			w->ranks[rank].known = true;
		} else if (!strcmp(what, "clock")) {
			w->ranks[rank].clock = ms.d;
			w->ranks[rank].clock_unit = tl_intern_str(&w->names, tl_table_text(t, i, NAME, ""));
		} else if (!strcmp(what, "gpu")) {
			w->units = w->gpu ? w->units : n.i;
			w->gpu = w->gpu ? w->gpu : tl_intern_str(&w->names, tl_table_text(t, i, NAME, ""));
		} else {
			TL_GROW(w->kernels, w->cap, w->n_kernels + 1);
			const char *name = tl_table_text(t, i, NAME, "");
			w->kernels[w->n_kernels++] = (struct kernel){ tl_intern_str(&w->names, name),
				tl_name_rules_find(w->categories, name, strlen(name)), rank, ms.d };
		}
	}
	if (!st)
		tl_table_free(t);
	tl_strtab_release(&strings);
	return st;
}

void tl_works_leave_out(struct tl_works *w, size_t rank)
{
	w->ranks[rank] = (struct rank){ 0 };
}

int64_t tl_works_steps(const struct tl_works *w)
{
	int64_t *steps = tl_alloc((w->n + 1) * sizeof *steps);
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		if (w->ranks[i].steps > 0)
			steps[n++] = w->ranks[i].steps;
	int64_t median = tl_median_int(steps, n, false);
	free(steps);
	return median;
}

int64_t tl_works_steps_of(const struct tl_works *w, size_t rank)
{
	return w->ranks[rank].steps;
}

double tl_works_peer_gbps(const struct tl_works *w)
{
	struct tl_buf name = { 0 };
	struct tl_arch *arch = NULL;
	struct tl_error err;

	if (w->gpu && tl_arch_for_device(tl_str(&w->names, w->gpu), w->units, &name) && tl_arch_by_name(&arch, name.data, &err) != TL_OK)
		arch = NULL;
	double peers = arch ? arch->peers : 0;
	tl_arch_free(arch);
	tl_buf_release(&name);
	return peers;
}

/* What ranks need for a kernel, in the median of those that have it. */
static double usual_ms(const struct tl_works *w, uint32_t name, double *values)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n_kernels; i++)
		if (w->kernels[i].name == name && w->ranks[w->kernels[i].rank].known && n < w->n)
			values[n++] = w->kernels[i].ms;
	return tl_median(values, n);
}

const char *tl_works_slow_in(struct tl_works *w, size_t rank, double extra_ms, const char **category, const char **kernel)
{
	double *values = tl_alloc((w->n + 1) * sizeof *values), most = 0;
	uint32_t most_of = TL_NONE;
	size_t n = 0;

	*category = *kernel = NULL;
	for (size_t i = 0; i < w->n; i++)
		if (w->ranks[i].known)
			values[n++] = w->ranks[i].ms;
	double more = n && w->ranks[rank].known ? w->ranks[rank].ms - tl_median(values, n) : 0;
	for (size_t i = 0; i < w->n_kernels && more >= extra_ms / 2; i++) {
		const struct kernel *k = &w->kernels[i];
		double excess = k->rank == rank ? k->ms - usual_ms(w, k->name, values) : 0;
		if (excess > most) {
			most = excess;
			most_of = k->name;
			*category = k->category;
		}
	}
	if (most_of != TL_NONE)
		*kernel = tl_str(&w->names, short_name(w, tl_str(&w->names, most_of)));
	free(values);
	return !w->ranks[rank].known ? NULL : more >= extra_ms / 2 ? "computation" : "waiting";
}

double tl_works_more_kernels(const struct tl_works *w, size_t rank)
{
	int64_t *kernels = tl_alloc((w->n + 1) * sizeof *kernels);
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		if (w->ranks[i].known)
			kernels[n++] = w->ranks[i].kernels;
	int64_t usual = tl_median_int(kernels, n, false);
	free(kernels);
	return w->ranks[rank].known && usual > 0 ? (double)w->ranks[rank].kernels / (double)usual - 1 : NAN;
}

const char *tl_works_clock(const struct tl_works *w, size_t rank, double *clock, double *usual)
{
	double *values = tl_alloc((w->n + 1) * sizeof *values);
	uint32_t unit = w->ranks[rank].clock_unit;
	size_t n = 0;

	for (size_t i = 0; unit && i < w->n; i++)
		if (w->ranks[i].clock_unit == unit)
			values[n++] = w->ranks[i].clock;
	*clock = w->ranks[rank].clock;
	*usual = n ? tl_median(values, n) : 0;
	free(values);
	return unit ? tl_str(&w->names, unit) : NULL;
}
