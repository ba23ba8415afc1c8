/* pftrace_activity.c - what the GPUs did: the sheets category_summary, xla_top, kernel_summary
 * and hip_summary of Perfetto's traces.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/merge_sort.h"
#include "base/text.h"
#include "sheets/pftrace_events.h"
#include "table/statistics.h"

/* Classes of kernels (pftrace-categories.tsv), in the order of category_summary. */
enum { RCCL = 9, CLASSES = 10 };
static const char *const classes[CLASSES] = {
	"xla", "aiterfwd", "aiterbwd", "gemm", "ckbwd", "ckfwd", "te", "memcpy/memset", "fillBuffer", "rccl",
};

static int class_of(struct tl_pftrace *p, uint32_t name)
{
	const char *answer = tl_name_answer(&p->categories, name);
	int i = CLASSES - 1;

	while (i > 0 && strcmp(classes[i], answer) != 0)
		i--;
	return i;
}

/* ---- events ------------------------------------------------------------------------------- */

/* Start and duration, in ns. TraceLens takes a time stamp of 10^10 µs and more for one of ns. */
static bool time_of(struct tl_pftrace *p, uint32_t event, int64_t *ts, int64_t *dur)
{
	uint32_t layout = p->trace->events[event].layout;
	const int64_t ns_from = 10000000000;

	if (p->args[TL_PFA_BEGIN].place[layout] >= 0 && p->args[TL_PFA_DELTA].place[layout] >= 0) {
		bool ok = tl_pftrace_int_arg(p, TL_PFA_BEGIN, event, ts) && tl_pftrace_int_arg(p, TL_PFA_DELTA, event, dur);
		p->doubts.bad_times += !ok;
		return ok;
	}
	tl_pftrace_own_time(p, event, ts, dur);
	if (p->options.reference && *ts / 1000 >= ns_from) {
		*ts /= 1000;
		*dur /= 1000;
	}
	return true;
}

/* Whether the event counts: it takes time, on a thread that is asked for. */
static bool counts(struct tl_pftrace *p, struct tl_pftrace_event *e, bool by_argument)
{
	int64_t tid;

	if (!time_of(p, e->event, &e->ts, &e->dur) || e->dur <= 0)
		return false;
	if (!tl_pftrace_tid(p, e->event, &tid) && !(by_argument && tl_pftrace_int_arg(p, TL_PFA_TID, e->event, &tid)))
		tid = -1;
	return tid >= p->options.min_tid && tid <= p->options.max_tid;
}

static void add(struct tl_pftrace_list *l, const struct tl_pftrace_event *e)
{
	TL_GROW(l->items, l->cap, l->n + 1);
	l->items[l->n++] = *e;
}

static int compare_events(const void *pa, const void *pb, void *ctx)
{
	const struct tl_pftrace_event *a = pa, *b = pb;
	const struct tl_trace *t = ctx;

	if (a->gpu != b->gpu)
		return a->gpu < b->gpu ? -1 : 1;
	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	if (a->dur != b->dur)
		return a->dur < b->dur ? -1 : 1;
	return strcmp(tl_str(&t->strings, t->events[a->event].name), tl_str(&t->strings, t->events[b->event].name));
}

static void sort(struct tl_pftrace *p, struct tl_pftrace_list *l)
{
	if (l->n)
		tl_merge_sort(l->items, l->n, sizeof *l->items, compare_events, p->trace);
}

static void add_event(struct tl_pftrace *p, uint32_t event)
{
	struct tl_pftrace_event e = { .event = event };
	bool is_long;

	if (tl_pftrace_gpu(p, event, &e.gpu) && counts(p, &e, false)) {
		is_long = e.dur >= p->options.min_event_ns;
		if (is_long)
			add(class_of(p, p->trace->events[event].name) == RCCL ? &p->communication : &p->compute, &e);
	}
	e.gpu = 0;
	if (tl_pftrace_is(p, event, "hip_api") && counts(p, &e, true) && e.dur >= p->options.min_event_ns)
		add(&p->calls, &e);
}

/* The events of at least min_event_ns, in order. */
static void list_events(struct tl_pftrace *p)
{
	if (p->listed)
		return;
	p->listed = true;
	for (uint32_t i = 0; i < p->trace->n_events; i++)
		add_event(p, tl_pftrace_at(p, i));
	sort(p, &p->compute);
	sort(p, &p->communication);
	sort(p, &p->calls);
}

bool tl_pftrace_has_fa3(struct tl_pftrace *p)
{
	const struct tl_trace *t = p->trace;

	for (uint32_t i = 0; i < t->n_events; i++) {
		struct tl_pftrace_event e = { .event = i };
		if (strstr(tl_str(&t->strings, t->events[i].name), "kernel_func") && tl_pftrace_gpu(p, i, &e.gpu) &&
		    !strcmp(classes[class_of(p, t->events[i].name)], "ckbwd") && counts(p, &e, false))
			return true;
	}
	return false;
}

/* ---- category_summary ------------------------------------------------------------------------ */

/* Time and count by class of a GPU, then of communication with and without computation beside
 * it, of computation, and of both. */
enum { OVERLAPPED = CLASSES, ALONE, COMPUTE_TOTAL, TOTAL, N_ROWS };
struct gpu_times { int64_t ns[N_ROWS], count[N_ROWS]; };

static const char *row_name(int row)
{
	static const char *const more[] = { "overlapped_comm", "non_overlapped_comm", "compute_total", "total_incl_comm" };

	return row < CLASSES ? classes[row] : more[row - CLASSES];
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

/* The part of a list that is of a GPU, from *at on. */
static struct tl_pftrace_list part_of(const struct tl_pftrace_list *l, uint32_t gpu, size_t *at)
{
	struct tl_pftrace_list part = { .items = l->items + *at };

	while (*at < l->n && l->items[*at].gpu == gpu) {
		part.n++;
		++*at;
	}
	return part;
}

static void add_times(struct tl_pftrace *p, const struct tl_pftrace_list *l, struct gpu_times *g)
{
	for (size_t i = 0; i < l->n; i++) {
		int class = class_of(p, p->trace->events[l->items[i].event].name);
		g->ns[class] += l->items[i].dur;
		g->count[class]++;
	}
}

static struct gpu_times *measure(struct tl_pftrace *p)
{
	struct gpu_times *all = tl_calloc(p->n_agents + 1, sizeof *all);
	size_t at_compute = 0, at_comm = 0;

	list_events(p);
	for (uint32_t gpu = 0; gpu < p->n_agents; gpu++) {
		struct gpu_times *g = &all[gpu];
		struct tl_pftrace_list compute = part_of(&p->compute, gpu, &at_compute), comm = part_of(&p->communication, gpu, &at_comm);
		add_times(p, &compute, g);
		add_times(p, &comm, g);
		g->ns[OVERLAPPED] = overlap(compute.items, compute.n, comm.items, comm.n);
		g->ns[ALONE] = g->ns[RCCL] - g->ns[OVERLAPPED];
		for (int c = 0; c < RCCL; c++)
			g->ns[COMPUTE_TOTAL] += g->ns[c];
		g->ns[TOTAL] = g->ns[COMPUTE_TOTAL] + g->ns[RCCL];
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

/* ---- statistics of a group ------------------------------------------------------------------------ */

static int64_t ns_of(const struct tl_pftrace *p, size_t row, const char *column)
{
	return tl_table_cell(p->rows, row, (size_t)tl_table_column(p->rows, column)).i;
}

struct statistics { double total, mean, median, least, greatest, deviation; };

static struct statistics statistics_of(const struct tl_pftrace *p, const size_t *rows, size_t n)
{
	double *values = tl_alloc(n * sizeof *values), *squares = tl_alloc(n * sizeof *squares);
	struct statistics s = { .least = INFINITY, .greatest = -INFINITY };
	__int128 total = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t ns = ns_of(p, rows[i], "ns");
		total += ns;
		values[i] = (double)ns;
		s.least = values[i] < s.least ? values[i] : s.least;
		s.greatest = values[i] > s.greatest ? values[i] : s.greatest;
	}
	s.total = (double)total;
	s.mean = s.total / (double)n;
	for (size_t i = 0; i < n; i++)
		squares[i] = (values[i] - s.mean) * (values[i] - s.mean);
	s.deviation = sqrt(tl_pairwise_sum(squares, n) / (double)n); /* of all, not of a sample */
	s.median = tl_median(values, n);
	free(values);
	free(squares);
	return s;
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
	struct statistics s = statistics_of(p, rows, n);
	double share = p->total > 0 ? s.total / p->total * 100 : 0;
	char percent[64];

	snprintf(percent, sizeof percent, "%.1f%%", share);
	cells[SHARE_TEXT] = tl_cell_text(tl_intern_str(&p->trace->strings, percent));
	cells[TOTAL_TEXT] = readable(p, s.total);
	cells[MEAN_TEXT] = readable(p, s.mean);
	cells[MEDIAN_TEXT] = readable(p, s.median);
	cells[LEAST_TEXT] = readable(p, s.least);
	cells[GREATEST_TEXT] = readable(p, s.greatest);
	cells[DEVIATION_TEXT] = readable(p, s.deviation);
	cells[SHARE] = tl_cell_real(share);
	cells[DEVIATION] = tl_cell_real(s.deviation);
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
	struct tl_buf b = { 0 };

	if (!p->options.merge_kernels)
		return tl_name_cell(p->trace, name);
	for (const char *s = tl_str(strings, name), *end = s + tl_str_len(strings, name); s < end; s++)
		if (!tl_is_digit(*s))
			tl_buf_addc(&b, *s);
	struct tl_cell c = tl_name_cell(p->trace, tl_intern(strings, tl_buf_text(&b), b.len));
	tl_buf_release(&b);
	return c;
}

static struct tl_table *make(struct tl_pftrace *p, const struct tl_sheet *s, struct tl_table *rows, double total, unsigned conditions)
{
	p->rows = rows;
	p->total = total;
	return tl_sheet_make(s->def, &(struct tl_sheet_input){ .own_rows = rows, .ctx = p, .conditions = conditions });
}

/* ---- xla_top ----------------------------------------------------------------------------------------- */

static const char *const xla_rows[] = { "name", "ns", "time", NULL };
static const struct tl_column xla_columns[] = {
	{ "Kernel", .kind = TL_KEY, .in = "name" },
	{ "ns", .kind = TL_SUM, .hidden = true },
	{ "time", .kind = TL_SUM, .hidden = true },
	{ "Total time (ms)", .kind = TL_MS, .in = "time" },
	{ "Count", .kind = TL_COUNT },
	{ "Fraction of XLA", .kind = TL_SHARE, .in = "ns" },
	{ .name = NULL }
};
const struct tl_sheet_def tl_pftrace_xla_def = {
	.name = "xla_top", .rows = xla_rows, .columns = xla_columns, .order = { { "ns", true } },
};

struct tl_table *tl_pftrace_xla(void *made, const struct tl_sheet *s)
{
	struct tl_pftrace *p = made;

	if (!(p->options.reports & TL_PFTRACE_ACTIVITY))
		return NULL;
	struct tl_table *rows = tl_table_new(&p->trace->strings, 1000, xla_rows); /* a tick is a ns */
	for (uint32_t i = 0; i < p->trace->n_events; i++) {
		struct tl_pftrace_event e = { .event = tl_pftrace_at(p, i) };
		if (!tl_pftrace_gpu(p, e.event, &e.gpu) || class_of(p, p->trace->events[e.event].name) != 0 || !counts(p, &e, false))
			continue;
		tl_table_add_row(rows, (struct tl_cell[]){ name_cell(p, e.event), tl_cell_int(e.dur), tl_cell_time(e.dur, false) });
	}
	struct tl_table *out = tl_sheet_make(s->def, &(struct tl_sheet_input){ .own_rows = rows });
	tl_table_head(out, p->options.top_xla);
	return out;
}

/* ---- kernel_summary -------------------------------------------------------------------------------------- */

enum { BY_CONFIG = 1 };

/* Columns of the rows: the name, the time, and the configuration from the argument GRID on. */
enum { KERNEL_NAME, KERNEL_NS, KERNEL_CONFIG, N_CONFIG = TL_PFA_SCRATCH - TL_PFA_GRID + 1, KERNEL_COLUMNS = KERNEL_CONFIG + N_CONFIG };
static const char *const kernel_rows[] = {
	"name", "ns", "grid", "block", "vgpr", "accum", "sgpr", "lds", "scratch", NULL,
};

/* "%7d %4d %4d" of grid and block, whose y and z are not told: 1. */
static void sizes(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	const struct tl_pftrace *p = ctx;
	char text[64];

	(void)n;
	for (int i = 0; i < 2; i++) {
		snprintf(text, sizeof text, "%7lld %4d %4d", (long long)ns_of(p, rows[0], kernel_rows[KERNEL_CONFIG + i]), 1, 1);
		cells[i] = tl_cell_text(tl_intern_str(&p->trace->strings, text));
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
const struct tl_sheet_def tl_pftrace_kernels_def = {
	.name = "kernel_summary", .rows = kernel_rows, .columns = kernel_columns, .order = { { "Total Time (ns)", true } },
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

struct tl_table *tl_pftrace_kernels(void *made, const struct tl_sheet *s)
{
	struct tl_pftrace *p = made;
	size_t at_compute = 0, at_comm = 0;

	if (!(p->options.reports & TL_PFTRACE_ACTIVITY) || p->options.no_kernel_summary)
		return NULL;
	list_events(p);
	struct tl_table *rows = tl_table_new(&p->trace->strings, 1, kernel_rows);
	for (uint32_t gpu = 0; gpu < p->n_agents; gpu++) {
		add_kernels(p, rows, part_of(&p->compute, gpu, &at_compute));
		if (p->options.with_rccl)
			add_kernels(p, rows, part_of(&p->communication, gpu, &at_comm));
	}
	double total = time_in(&p->compute) + (p->options.of_compute ? 0 : time_in(&p->communication));
	return make(p, s, rows, total, p->options.by_name ? 0 : BY_CONFIG);
}

/* ---- hip_summary -------------------------------------------------------------------------------------------- */

enum { BY_STREAM = 1, BY_OP = 2 };

static const char *const call_rows[] = { "name", "ns", "stream", "op", NULL };
static const struct tl_column call_columns[] = {
	TEXTS,
	{ "Stream", .kind = TL_KEY, .in = "stream", .when = BY_STREAM },
	{ "Op", .kind = TL_KEY, .in = "op", .when = BY_OP },
	{ "Name", .kind = TL_KEY, .in = "name" },
	NUMBERS,
	{ .name = NULL }
};
const struct tl_sheet_def tl_pftrace_calls_def = {
	.name = "hip_summary", .rows = call_rows, .columns = call_columns, .order = { { "Total Time (ns)", true } },
};

struct tl_table *tl_pftrace_calls(void *made, const struct tl_sheet *s)
{
	struct tl_pftrace *p = made;
	unsigned conditions = (p->options.by_stream ? BY_STREAM : 0) | (p->options.by_op ? BY_OP : 0);

	if (!(p->options.reports & TL_PFTRACE_ACTIVITY) || p->options.no_hip_summary)
		return NULL;
	list_events(p);
	struct tl_table *rows = tl_table_new(&p->trace->strings, 1, call_rows);
	for (size_t i = 0; i < p->calls.n; i++) {
		const struct tl_pftrace_event *e = &p->calls.items[i];
		int64_t stream, op;
		stream = tl_pftrace_int_arg(p, TL_PFA_STREAM, e->event, &stream) ? stream : 0;
		op = tl_pftrace_int_arg(p, TL_PFA_OP, e->event, &op) ? op : 0;
		tl_table_add_row(rows, (struct tl_cell[]){ tl_name_cell(p->trace, p->trace->events[e->event].name), tl_cell_int(e->dur),
		                                           tl_cell_int(stream), tl_cell_int(op) });
	}
	return make(p, s, rows, time_in(&p->calls), conditions);
}
