/* pftrace_categories.c - the sheet category_summary of Perfetto's traces: device time by class of
 * kernel, and how much communication ran beside computation.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/pftrace_events.h"

#include "table/statistics.h"

#include <stdlib.h>
#include <string.h>

/* Time and count by class of a GPU, then of communication with and without computation beside
 * it, of computation, and of both. */
enum { OVERLAPPED = TL_PFTRACE_CLASSES, ALONE, COMPUTE_TOTAL, TOTAL, N_ROWS };
struct gpu_times { int64_t ns[N_ROWS], count[N_ROWS]; };

static const char *row_name(int row)
{
	static const char *const more[] = { "overlapped_comm", "non_overlapped_comm", "compute_total", "total_incl_comm" };

	return row < TL_PFTRACE_CLASSES ? tl_pftrace_classes[row] : more[row - TL_PFTRACE_CLASSES];
}

/* How long communication ran beside computation: TraceLens's sum, to which each of several
 * kernels at a time adds. */
static int64_t overlap(const struct tl_pftrace_event *a, size_t n, const struct tl_pftrace_event *c, size_t n_c)
{
	int64_t sum = 0;
	size_t i = 0;

	for (; n_c--; c++) {
		int64_t end = c->ts + c->dur;
		while (i < n && a[i].ts + a[i].dur <= c->ts)
			i++;
		for (size_t k = i; k < n && a[k].ts < end; k++) {
			int64_t a_end = a[k].ts + a[k].dur, from = a[k].ts > c->ts ? a[k].ts : c->ts;
			int64_t shared = (a_end < end ? a_end : end) - from;
			sum += shared > 0 ? shared : 0;
			if (a_end > end)
				break;
		}
	}
	return sum;
}

static void add_times(struct tl_pftrace *p, const struct tl_pftrace_list *l, struct gpu_times *g)
{
	for (size_t i = 0; i < l->n; i++) {
		int class = tl_pftrace_class(p, p->trace->events[l->items[i].event].name);
		g->ns[class] += l->items[i].dur;
		g->count[class]++;
	}
}

static struct gpu_times *measure(struct tl_pftrace *p)
{
	struct gpu_times *all = tl_calloc(p->n_agents + 1, sizeof *all);
	size_t at_compute = 0, at_comm = 0;

	tl_pftrace_list(p);
	for (uint32_t gpu = 0; gpu < p->n_agents; gpu++) {
		struct gpu_times *g = &all[gpu];
		struct tl_pftrace_list compute = tl_pftrace_part(&p->compute, gpu, &at_compute);
		struct tl_pftrace_list comm = tl_pftrace_part(&p->communication, gpu, &at_comm);
		add_times(p, &compute, g);
		add_times(p, &comm, g);
		g->ns[OVERLAPPED] = overlap(compute.items, compute.n, comm.items, comm.n);
		g->ns[ALONE] = g->ns[TL_PFTRACE_RCCL] - g->ns[OVERLAPPED];
		for (int c = 0; c < TL_PFTRACE_RCCL; c++)
			g->ns[COMPUTE_TOTAL] += g->ns[c];
		g->ns[TOTAL] = g->ns[COMPUTE_TOTAL] + g->ns[TL_PFTRACE_RCCL];
	}
	return all;
}

enum { N_NUMBERS = 4 };

/* ms, count, shares of computation and of all. */
static void numbers_of(const struct gpu_times *g, int row, double n[N_NUMBERS])
{
	int64_t compute = g->ns[COMPUTE_TOTAL], total = g->ns[TOTAL];

	n[0] = (double)g->ns[row] / 1e6;
	n[1] = (double)g->count[row];
	n[2] = compute > 0 ? (double)g->ns[row] / (double)compute : 0;
	n[3] = total > 0 ? (double)g->ns[row] / (double)total : 0;
}

static void add_row(struct tl_table *out, struct tl_cell gpu, int row, const double n[N_NUMBERS])
{
	struct tl_cell cells[2 + N_NUMBERS] = { gpu, tl_cell_text(tl_intern_str(out->strings, row_name(row))) };

	for (int i = 0; i < N_NUMBERS; i++)
		cells[2 + i] = tl_cell_real(n[i]);
	tl_table_add_row(out, cells);
}

static int compare_names(const void *pa, const void *pb)
{
	return strcmp(row_name(*(const int *)pa), row_name(*(const int *)pb));
}

/* The mean of the GPUs, in the order of names. */
static void add_means(struct tl_table *out, const struct gpu_times *all, size_t n_gpus)
{
	double *values = tl_alloc(n_gpus * N_NUMBERS * sizeof *values), mean[N_NUMBERS], of_gpu[N_NUMBERS];
	int rows[N_ROWS];

	for (int i = 0; i < N_ROWS; i++)
		rows[i] = i;
	qsort(rows, N_ROWS, sizeof *rows, compare_names);
	for (int r = 0; r < N_ROWS; r++) {
		for (size_t g = 0; g < n_gpus; g++) {
			numbers_of(&all[g], rows[r], of_gpu);
			for (int i = 0; i < N_NUMBERS; i++)
				values[(size_t)i * n_gpus + g] = of_gpu[i];
		}
		for (int i = 0; i < N_NUMBERS; i++)
			mean[i] = tl_pairwise_sum(values + (size_t)i * n_gpus, n_gpus) / (double)n_gpus;
		add_row(out, tl_cell_text(tl_intern_str(out->strings, "Avg")), rows[r], mean);
	}
	free(values);
}

struct tl_table *tl_pftrace_categories(void *made, const struct tl_sheet *s)
{
	static const char *const columns[] = {
		"GPU ID", "Category", "Total runtime (ms)", "Total count", "Fraction of compute runtime", "Fraction of total runtime", NULL,
	};
	struct tl_pftrace *p = made;
	double n[N_NUMBERS];

	(void)s;
	if (!(p->options.reports & TL_PFTRACE_ACTIVITY))
		return NULL;
	struct gpu_times *all = measure(p);
	struct tl_table *out = tl_table_new(&p->trace->strings, 1, columns);
	for (size_t gpu = 0; gpu < p->n_agents; gpu++)
		for (int row = 0; row < N_ROWS; row++) {
			numbers_of(&all[gpu], row, n);
			add_row(out, tl_cell_int((int64_t)gpu), row, n);
		}
	if (p->n_agents)
		add_means(out, all, p->n_agents);
	free(all);
	return out;
}
