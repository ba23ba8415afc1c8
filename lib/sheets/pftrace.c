/* pftrace.c - the sheets of traces of Perfetto, but for that of calls and their kernels; the entries of all.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/pftrace.h"

#include "base/merge_sort.h"
#include "base/strings.h"
#include "base/text.h"
#include "sheets/pftrace_events.h"
#include "table/statistics.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- category_summary: device time by class of kernel, and how much communication ran beside computation */

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

static void add_class(struct tl_table *out, struct tl_cell gpu, int row, const double n[N_NUMBERS])
{
	struct tl_cell cells[2 + N_NUMBERS] = { gpu, tl_cell_str(out->strings, row_name(row)) };

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
		add_class(out, tl_cell_str(out->strings, "Avg"), rows[r], mean);
	}
	free(values);
}

static void category_rows(void *made, struct tl_sheet_input *in)
{
	static const char *const columns[] = {
		"GPU ID", "Category", "Total runtime (ms)", "Total count", "Fraction of compute runtime", "Fraction of total runtime", NULL,
	};
	struct tl_pftrace *p = made;
	double n[N_NUMBERS];

	if (!(p->options.reports & TL_PFTRACE_ACTIVITY))
		return;
	struct gpu_times *all = measure(p);
	struct tl_table *out = in->own_rows = tl_table_new(&p->trace->strings, 1, columns);
	for (size_t gpu = 0; gpu < p->n_agents; gpu++)
		for (int row = 0; row < N_ROWS; row++) {
			numbers_of(&all[gpu], row, n);
			add_class(out, tl_cell_int((int64_t)gpu), row, n);
		}
	if (p->n_agents)
		add_means(out, all, p->n_agents);
	free(all);
}

/* ---- statistics of a group ------------------------------------------------------------------------ */

/* What rows of kernels and of calls begin with. */
enum { ROW_NAME, ROW_NS };

/* The deviation of all values, not of a sample, as numpy adds. */
static double deviation_of(const struct tl_numbers *x, double mean)
{
	double *squares = tl_alloc(x->n * sizeof *squares);

	for (size_t i = 0; i < x->n; i++)
		squares[i] = (x->values[i] - mean) * (x->values[i] - mean);
	double deviation = sqrt(tl_pairwise_sum(squares, x->n) / (double)x->n);
	free(squares);
	return deviation;
}

/* "1.234 ms", "1.234 μs" or "123 ns". */
static struct tl_cell readable(const struct tl_pftrace *p, double ns)
{
	struct tl_buf b = { 0 };

	if (ns >= 1e6)
		tl_buf_addf(&b, "%.3f ms", ns / 1e6);
	else if (ns >= 1e3)
		tl_buf_addf(&b, "%.3f μs", ns / 1e3);
	else
		tl_buf_addf(&b, "%lld ns", (long long)ns);
	struct tl_cell c = tl_cell_text(tl_intern(&p->trace->strings, b.data, b.len));
	tl_buf_release(&b);
	return c;
}

/* Which cell says what: share, total, mean, median, least, greatest and deviation as texts, then share
 * and deviation as numbers. */
enum { SHARE_TEXT, TOTAL_TEXT, MEAN_TEXT, MEDIAN_TEXT, LEAST_TEXT, GREATEST_TEXT, DEVIATION_TEXT, SHARE, DEVIATION };

static void time_cells(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	const struct tl_pftrace *p = ctx;
	struct tl_numbers x = { .column = ROW_NS };
	char percent[64];

	tl_numbers_take(&x, p->rows, rows, n);
	double total = (double)x.sum, mean = total / (double)n, deviation = deviation_of(&x, mean);
	double share = p->total > 0 ? total / p->total * 100 : 0;
	snprintf(percent, sizeof percent, "%.1f%%", share);
	cells[SHARE_TEXT] = tl_cell_str(&p->trace->strings, percent);
	cells[TOTAL_TEXT] = readable(p, total);
	cells[MEAN_TEXT] = readable(p, mean);
	cells[MEDIAN_TEXT] = readable(p, tl_median(x.values, n));
	cells[LEAST_TEXT] = readable(p, (double)x.least.i);
	cells[GREATEST_TEXT] = readable(p, (double)x.greatest.i);
	cells[DEVIATION_TEXT] = readable(p, deviation);
	cells[SHARE] = tl_cell_real(share);
	cells[DEVIATION] = tl_cell_real(deviation);
	tl_numbers_release(&x);
}

#define TIME_CELL(name, at) { name, .kind = TL_CALL, .fn = time_cells, .cell = at }
#define TEXTS \
	TIME_CELL("Time", SHARE_TEXT), TIME_CELL("Total Time", TOTAL_TEXT), { "Instances", .kind = TL_COUNT }, \
	TIME_CELL("Avg", MEAN_TEXT), TIME_CELL("Med", MEDIAN_TEXT), TIME_CELL("Min", LEAST_TEXT), TIME_CELL("Max", GREATEST_TEXT), \
	TIME_CELL("StdDev", DEVIATION_TEXT)
#define NUMBERS \
	TIME_CELL("Time %", SHARE), { "Total Time (ns)", .kind = TL_SUM, .in = "ns" }, \
	{ "Avg (ns)", .kind = TL_MEAN, .in = "ns" }, { "Med (ns)", .kind = TL_MEDIAN, .in = "ns" }, \
	{ "Min (ns)", .kind = TL_MIN, .in = "ns" }, { "Max (ns)", .kind = TL_MAX, .in = "ns" }, TIME_CELL("StdDev (ns)", DEVIATION)

/* The name, without its digits if kernels are to be merged. */
static struct tl_cell name_cell(struct tl_pftrace *p, uint32_t event)
{
	struct tl_strtab *strings = &p->trace->strings;
	uint32_t name = p->trace->events[event].name;

	if (p->options.merge_kernels)
		name = tl_without_digits(strings, tl_str(strings, name), tl_str_len(strings, name));
	return tl_name_cell(p->trace, name);
}

/* ---- xla_top ----------------------------------------------------------------------------------------- */

static const char *const xla_row_columns[] = { "name", "ns", "time", NULL };
static const struct tl_column xla_columns[] = {
	{ "Kernel", .kind = TL_KEY, .in = "name" },
	{ "ns", .kind = TL_SUM, .hidden = true },
	{ "time", .kind = TL_SUM, .hidden = true },
	{ "Total time (ms)", .kind = TL_MS, .in = "time" },
	{ "Count", .kind = TL_COUNT },
	{ "Fraction of XLA", .kind = TL_SHARE, .in = "ns" },
	{ .name = NULL }
};
static const struct tl_sheet_def xla_def = {
	.name = "xla_top", .rows = xla_row_columns, .columns = xla_columns, .order = { { "ns", true } },
};

static void xla_rows(void *made, struct tl_sheet_input *in)
{
	struct tl_pftrace *p = made;

	if (!(p->options.reports & TL_PFTRACE_ACTIVITY))
		return;
	in->own_rows = tl_table_new(&p->trace->strings, 1000, xla_row_columns); /* a tick is a ns */
	for (uint32_t i = 0; i < p->trace->n_events; i++) {
		struct tl_pftrace_event e = { .event = tl_pftrace_at(p, i) };
		if (!tl_pftrace_gpu(p, e.event, &e.gpu) || tl_pftrace_class(p, p->trace->events[e.event].name) != 0 ||
		    !tl_pftrace_counts(p, &e, false))
			continue;
		tl_table_add_row(in->own_rows, (struct tl_cell[]){ name_cell(p, e.event), tl_cell_int(e.dur), tl_cell_time(e.dur, false) });
	}
	in->top = &p->options.top_xla;
}

/* ---- kernel_summary -------------------------------------------------------------------------------------- */

enum { BY_CONFIG = 1 };

/* Columns of the rows: the name, the time, and the configuration from the argument GRID on. */
enum { KERNEL_CONFIG = ROW_NS + 1, N_CONFIG = TL_PFA_SCRATCH - TL_PFA_GRID + 1, KERNEL_COLUMNS = KERNEL_CONFIG + N_CONFIG };
static const char *const kernel_row_columns[] = {
	"name", "ns", "grid", "block", "vgpr", "accum", "sgpr", "lds", "scratch", NULL,
};

/* "%7d %4d %4d" of grid and block, whose y and z are not told: 1. */
static void sizes(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	const struct tl_pftrace *p = ctx;
	char text[64];

	(void)n;
	for (int i = 0; i < 2; i++) {
		int64_t size = tl_table_cell(p->rows, rows[0], (size_t)(KERNEL_CONFIG + i)).i;
		snprintf(text, sizeof text, "%7lld %4d %4d", (long long)size, 1, 1);
		cells[i] = tl_cell_str(&p->trace->strings, text);
	}
	cells[2] = tl_cell_int(1);
}

static const struct tl_column kernel_columns[] = {
	TEXTS,
	{ "GridXYZ", .kind = TL_CALL, .fn = sizes, .when = BY_CONFIG },
	{ "BlockXYZ", .kind = TL_CALL, .fn = sizes, .cell = 1, .when = BY_CONFIG },
	{ "VGPR", .kind = TL_KEY, .in = "vgpr", .when = BY_CONFIG },
	{ "AccumVGPR", .kind = TL_KEY, .in = "accum", .when = BY_CONFIG },
	{ "SGPR", .kind = TL_KEY, .in = "sgpr", .when = BY_CONFIG },
	{ "LDS", .kind = TL_KEY, .in = "lds", .when = BY_CONFIG },
	{ "Scratch", .kind = TL_KEY, .in = "scratch", .when = BY_CONFIG },
	{ "Name", .kind = TL_KEY, .in = "name" },
	NUMBERS,
	{ "GridX", .kind = TL_KEY, .in = "grid", .when = BY_CONFIG },
	{ "GridY", .kind = TL_CALL, .fn = sizes, .cell = 2, .when = BY_CONFIG },
	{ "GridZ", .kind = TL_CALL, .fn = sizes, .cell = 2, .when = BY_CONFIG },
	{ "BlockX", .kind = TL_KEY, .in = "block", .when = BY_CONFIG },
	{ "BlockY", .kind = TL_CALL, .fn = sizes, .cell = 2, .when = BY_CONFIG },
	{ "BlockZ", .kind = TL_CALL, .fn = sizes, .cell = 2, .when = BY_CONFIG },
	{ .name = NULL }
};
static const struct tl_sheet_def kernels_def = {
	.name = "kernel_summary", .rows = kernel_row_columns, .columns = kernel_columns, .order = { { "Total Time (ns)", true } },
};

static void add_kernels(struct tl_pftrace *p, struct tl_table *rows, struct tl_pftrace_list l)
{
	for (size_t i = 0; i < l.n; i++) {
		struct tl_cell cells[KERNEL_COLUMNS] = { name_cell(p, l.items[i].event), tl_cell_int(l.items[i].dur) };
		for (int k = 0; k < N_CONFIG; k++) {
			int64_t n;
			cells[KERNEL_CONFIG + k] = tl_cell_int(tl_pftrace_int_arg(p, TL_PFA_GRID + k, l.items[i].event, &n) ? n : 0);
		}
		tl_table_add_row(rows, cells);
	}
}

static double time_in(const struct tl_pftrace_list *l)
{
	double sum = 0;

	for (size_t i = 0; i < l->n; i++)
		sum += (double)l->items[i].dur;
	return sum;
}

static void kernel_rows(void *made, struct tl_sheet_input *in)
{
	struct tl_pftrace *p = made;
	size_t at_compute = 0, at_comm = 0;

	if (!(p->options.reports & TL_PFTRACE_ACTIVITY) || p->options.no_kernel_summary)
		return;
	tl_pftrace_list(p);
	p->rows = in->own_rows = tl_table_new(&p->trace->strings, 1, kernel_row_columns);
	for (uint32_t gpu = 0; gpu < p->n_agents; gpu++) {
		add_kernels(p, in->own_rows, tl_pftrace_part(&p->compute, gpu, &at_compute));
		if (p->options.with_rccl)
			add_kernels(p, in->own_rows, tl_pftrace_part(&p->communication, gpu, &at_comm));
	}
	p->total = time_in(&p->compute) + (p->options.of_compute ? 0 : time_in(&p->communication));
	in->conditions = p->options.by_name ? 0 : BY_CONFIG;
}

/* ---- hip_summary -------------------------------------------------------------------------------------------- */

enum { BY_STREAM = 1, BY_OP = 2 };

static const char *const call_row_columns[] = { "name", "ns", "stream", "op", NULL };
static const struct tl_column call_columns[] = {
	TEXTS,
	{ "Stream", .kind = TL_KEY, .in = "stream", .when = BY_STREAM },
	{ "Op", .kind = TL_KEY, .in = "op", .when = BY_OP },
	{ "Name", .kind = TL_KEY, .in = "name" },
	NUMBERS,
	{ .name = NULL }
};
static const struct tl_sheet_def calls_def = {
	.name = "hip_summary", .rows = call_row_columns, .columns = call_columns, .order = { { "Total Time (ns)", true } },
};

static void call_rows(void *made, struct tl_sheet_input *in)
{
	struct tl_pftrace *p = made;

	if (!(p->options.reports & TL_PFTRACE_ACTIVITY) || p->options.no_hip_summary)
		return;
	tl_pftrace_list(p);
	p->rows = in->own_rows = tl_table_new(&p->trace->strings, 1, call_row_columns);
	for (size_t i = 0; i < p->calls.n; i++) {
		const struct tl_pftrace_event *e = &p->calls.items[i];
		int64_t stream, op;
		stream = tl_pftrace_int_arg(p, TL_PFA_STREAM, e->event, &stream) ? stream : 0;
		op = tl_pftrace_int_arg(p, TL_PFA_OP, e->event, &op) ? op : 0;
		tl_table_add_row(in->own_rows, (struct tl_cell[]){ tl_name_cell(p->trace, p->trace->events[e->event].name), tl_cell_int(e->dur),
		                                                   tl_cell_int(stream), tl_cell_int(op) });
	}
	p->total = time_in(&p->calls);
	in->conditions = (p->options.by_stream ? BY_STREAM : 0) | (p->options.by_op ? BY_OP : 0);
}

/* ---- memory_copy_by_copy_bytes ------------------------------------------------------------------------ */

static const char *const copy_columns[] = { "copy_bytes", "direction", NULL };

static const struct tl_column copies_columns[] = {
	{ "copy_bytes", .kind = TL_KEY },
	{ "direction", .kind = TL_KEY },
	{ "count", .kind = TL_COUNT },
	{ .name = NULL }
};
static const struct tl_sheet_def copies_def = {
	.name = "memory_copy_by_copy_bytes", .rows = copy_columns, .columns = copies_columns, .keys_ascending = true,
};

/* The category, but for blanks around it and capital letters. */
static bool is_copy(const struct tl_pftrace *p, uint32_t event)
{
	static const char wanted[] = "memory_copy";
	const char *s = tl_pftrace_category(p, event);

	while (tl_is_blank(*s))
		s++;
	if (strncasecmp(s, wanted, sizeof wanted - 1) != 0)
		return false;
	for (s += sizeof wanted - 1; tl_is_blank(*s); s++)
		;
	return !*s;
}

/* The number of an agent. Of "GPU-3" TraceLens makes no number. */
static void add_agent(struct tl_pftrace *p, struct tl_buf *b, enum tl_pftrace_arg arg, uint32_t event)
{
	int64_t n;

	if (tl_pftrace_int_arg(p, arg, event, &n))
		tl_buf_addf(b, "GPU %lld", (long long)n);
	else
		tl_buf_adds(b, "GPU ?");
}

static uint32_t direction_of(struct tl_pftrace *p, uint32_t event, struct tl_buf *b)
{
	const char *name = tl_str(&p->trace->strings, p->trace->events[event].name);

	tl_buf_clear(b);
	if (strcasestr(name, "MEMORY_COPY_HOST_TO_DEVICE")) {
		tl_buf_adds(b, "h2d (");
		add_agent(p, b, TL_PFA_TO, event);
	} else if (strcasestr(name, "MEMORY_COPY_DEVICE_TO_HOST")) {
		tl_buf_adds(b, "d2h (");
		add_agent(p, b, TL_PFA_FROM, event);
	} else if (strcasestr(name, "MEMORY_COPY_DEVICE_TO_DEVICE")) {
		tl_buf_adds(b, "d2d (");
		add_agent(p, b, TL_PFA_FROM, event);
		tl_buf_adds(b, " -> ");
		add_agent(p, b, TL_PFA_TO, event);
	}
	tl_buf_adds(b, b->len ? ")" : "other");
	return tl_intern(&p->trace->strings, b->data, b->len);
}

static void copy_rows(void *made, struct tl_sheet_input *in)
{
	struct tl_pftrace *p = made;
	struct tl_trace *t = p->trace;
	struct tl_buf text = { 0 };

	if (!(p->options.reports & TL_PFTRACE_COPIES))
		return;
	in->own_rows = tl_table_new(&t->strings, 1, copy_columns);
	for (uint32_t i = 0; i < t->n_events; i++) {
		int64_t bytes;
		if (!is_copy(p, i) || !tl_pftrace_int_arg(p, TL_PFA_BYTES, i, &bytes))
			continue;
		tl_table_add_row(in->own_rows, (struct tl_cell[]){ tl_cell_int(bytes), tl_cell_text(direction_of(p, i, &text)) });
	}
	tl_buf_release(&text);
}

/* ---- sheets --------------------------------------------------------------------------------------------- */

static const struct tl_sheet sheets[] = {
	{ "category_summary", "device time of each GPU by class of kernel, and its overlap with communication", NULL,
	  TL_SHEET_USUAL, TL_NEEDS_OTHERS, NULL, category_rows, NULL },
	{ "xla_top", "kernels of no other class with the most time", NULL, 0, TL_NEEDS_OTHERS, &xla_def, xla_rows, NULL },
	{ "kernel_summary", "kernels by name and configuration: time, registers, sizes", NULL,
	  0, TL_NEEDS_OTHERS, &kernels_def, kernel_rows, NULL },
	{ "hip_summary", "HIP calls: time", NULL, 0, TL_NEEDS_OTHERS, &calls_def, call_rows, NULL },
	{ "api_kernel_summary", "HIP calls and the kernels they launched: time of call, queue and kernel", NULL,
	  0, TL_NEEDS_OTHERS, &tl_pftrace_api_def, tl_pftrace_api, NULL },
	{ "memory_copy_by_copy_bytes", "how many copies of memory, by size and direction", NULL,
	  0, TL_NEEDS_OTHERS, &copies_def, copy_rows, NULL },
	{ .name = NULL },
};
const struct tl_sheet_family tl_pftrace_sheets = { "tl-pftrace", sheets };
