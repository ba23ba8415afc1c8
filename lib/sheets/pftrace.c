/* pftrace.c - the sheets of tl-pftrace: device time by class and by kernel, calls and the kernels they launched, copies
 * of memory.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/pftrace_events.h"

#include "base/merge_sort.h"
#include "base/strings.h"
#include "base/text.h"
#include "table/statistics.h"

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

static struct gpu_times *measure(struct tl_pftrace *p)
{
	struct gpu_times *all = tl_calloc(p->n_agents + 1, sizeof *all);
	size_t at[2] = { 0 };

	tl_pftrace_list(p);
	for (uint32_t gpu = 0; gpu < p->n_agents; gpu++) {
		struct gpu_times *g = &all[gpu];
		const struct tl_pftrace_list lists[] = {
			tl_pftrace_part(&p->compute, gpu, &at[0]), tl_pftrace_part(&p->communication, gpu, &at[1]) };
		for (int k = 0; k < 2; k++)
			for (size_t i = 0; i < lists[k].n; i++) {
				int class = tl_pftrace_class(p, p->trace->events[lists[k].items[i].event].name);
				g->ns[class] += lists[k].items[i].dur;
				g->count[class]++;
			}
		g->ns[OVERLAPPED] = overlap(lists[0].items, lists[0].n, lists[1].items, lists[1].n);
		g->ns[ALONE] = g->ns[TL_PFTRACE_RCCL] - g->ns[OVERLAPPED];
		for (int c = 0; c < TL_PFTRACE_RCCL; c++)
			g->ns[COMPUTE_TOTAL] += g->ns[c];
		g->ns[TOTAL] = g->ns[COMPUTE_TOTAL] + g->ns[TL_PFTRACE_RCCL];
	}
	return all;
}

/* ms, count, shares of computation and of all: the last columns of the rows. */
enum { N_NUMBERS = N_CLASS - CLASS_TOTAL_RUNTIME_MS };
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
	struct tl_cell cells[N_CLASS] = { [CLASS_GPU_ID] = gpu, [CLASS_CATEGORY] = tl_cell_str(out->strings, row_name(row)) };

	for (int i = 0; i < N_NUMBERS; i++)
		cells[CLASS_TOTAL_RUNTIME_MS + i] = tl_cell_real(n[i]);
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

void tl_pftrace_categories(void *made, struct tl_sheet_input *in)
{
	struct tl_pftrace *p = made;
	double n[N_NUMBERS];

	if (!(p->options.reports & TL_PFTRACE_ACTIVITY))
		return;
	struct gpu_times *all = measure(p);
	struct tl_table *out = in->own_rows = tl_table_new(&p->trace->strings, 1, tl_pftrace_class_rows);
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
	char *text = ns >= 1e6 ? tl_strdupf("%.3f ms", ns / 1e6)
		: ns >= 1e3 ? tl_strdupf("%.3f μs", ns / 1e3) : tl_strdupf("%lld ns", (long long)ns);

	return tl_cell_text(tl_intern_free(&p->trace->strings, text));
}

/* Which cell of tl_pftrace_time_cells says what: share, total, mean, median, least, greatest and deviation as texts, then
 * share and deviation as numbers. */
enum { SHARE_TEXT, TOTAL_TEXT, MEAN_TEXT, MEDIAN_TEXT, LEAST_TEXT, GREATEST_TEXT, DEVIATION_TEXT, SHARE, DEVIATION };

void tl_pftrace_time_cells(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	const struct tl_pftrace *p = ctx;
	struct tl_numbers x = { .column = KERNEL_NS }; /* it is CALL_NS, too */

	tl_numbers_take(&x, p->rows, rows, n);
	double total = (double)x.sum, mean = total / (double)n, deviation = deviation_of(&x, mean);
	double share = p->total > 0 ? total / p->total * 100 : 0;
	cells[SHARE_TEXT] = tl_cell_text(tl_intern_free(&p->trace->strings, tl_strdupf("%.1f%%", share)));
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

void tl_pftrace_xla(void *made, struct tl_sheet_input *in)
{
	struct tl_pftrace *p = made;

	if (!(p->options.reports & TL_PFTRACE_ACTIVITY))
		return;
	in->own_rows = tl_table_new(&p->trace->strings, 1000, tl_pftrace_xla_rows); /* a tick is a ns */
	for (uint32_t i = 0; i < p->trace->n_events; i++) {
		struct tl_pftrace_event e = { .event = tl_pftrace_at(p, i) };
		if (!tl_pftrace_gpu(p, e.event, &e.gpu) || tl_pftrace_class(p, p->trace->events[e.event].name) != 0 ||
		    !tl_pftrace_counts(p, &e, false))
			continue;
		tl_table_add_row(in->own_rows, (struct tl_cell[N_XLA]){
			[XLA_NAME] = name_cell(p, e.event), [XLA_NS] = tl_cell_int(e.dur), [XLA_TIME] = tl_cell_time(e.dur, false) });
	}
	in->top = &p->options.top_xla;
}

/* ---- kernel_summary -------------------------------------------------------------------------------------- */

/* "%7d %4d %4d" of grid and block, whose y and z are not told: 1. */
void tl_pftrace_sizes(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	const struct tl_pftrace *p = ctx;

	(void)n;
	for (size_t i = 0; i < 2; i++) {
		int64_t size = tl_table_cell(p->rows, rows[0], KERNEL_GRID + i).i;
		cells[i] = tl_cell_text(tl_intern_free(&p->trace->strings, tl_strdupf("%7lld %4d %4d", (long long)size, 1, 1)));
	}
	cells[2] = tl_cell_int(1);
}

/* An argument of a kernel; of sizes such as "(256,1,1)", which rocprof-sys writes, the product, as rocprofv3 writes it. 0: none. */
static int64_t kernel_arg(struct tl_pftrace *p, enum tl_pftrace_arg arg, uint32_t event)
{
	struct tl_cell c = tl_pftrace_arg(p, arg, event);
	unsigned x, y, z;
	int64_t n;

	if (tl_pftrace_int_arg(p, arg, event, &n))
		return n;
	if (p->options.reference || c.type != TL_CELL_TEXT || sscanf(tl_str(&p->trace->strings, c.text), "(%9u,%9u,%9u)", &x, &y, &z) != 3)
		return 0;
	return y && z && x > INT64_MAX / y / z ? 0 : (int64_t)x * y * z;
}

static void add_kernels(struct tl_pftrace *p, struct tl_table *rows, struct tl_pftrace_list l)
{
	TL_EACH(const struct tl_pftrace_event, e, l) {
		struct tl_cell cells[N_KERNEL] = { [KERNEL_NAME] = name_cell(p, e->event), [KERNEL_NS] = tl_cell_int(e->dur) };
		for (int k = KERNEL_GRID; k < N_KERNEL; k++)
			cells[k] = tl_cell_int(kernel_arg(p, TL_PFA_GRID + k - KERNEL_GRID, e->event));
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

void tl_pftrace_kernels(void *made, struct tl_sheet_input *in)
{
	struct tl_pftrace *p = made;
	size_t at_compute = 0, at_comm = 0;

	if (!(p->options.reports & TL_PFTRACE_ACTIVITY) || p->options.no_kernel_summary)
		return;
	tl_pftrace_list(p);
	p->rows = in->own_rows = tl_table_new(&p->trace->strings, 1, tl_pftrace_kernel_rows);
	for (uint32_t gpu = 0; gpu < p->n_agents; gpu++) {
		add_kernels(p, in->own_rows, tl_pftrace_part(&p->compute, gpu, &at_compute));
		if (p->options.with_rccl)
			add_kernels(p, in->own_rows, tl_pftrace_part(&p->communication, gpu, &at_comm));
	}
	p->total = time_in(&p->compute) + (p->options.of_compute ? 0 : time_in(&p->communication));
	in->conditions = p->options.by_name ? 0 : TL_PFTRACE_IF_CONFIGURATIONS;
}

/* ---- hip_summary -------------------------------------------------------------------------------------------- */

void tl_pftrace_calls(void *made, struct tl_sheet_input *in)
{
	struct tl_pftrace *p = made;

	if (!(p->options.reports & TL_PFTRACE_ACTIVITY) || p->options.no_hip_summary)
		return;
	tl_pftrace_list(p);
	p->rows = in->own_rows = tl_table_new(&p->trace->strings, 1, tl_pftrace_call_rows);
	for (size_t i = 0; i < p->calls.n; i++) {
		const struct tl_pftrace_event *e = &p->calls.items[i];
		int64_t stream, op;
		tl_table_add_row(in->own_rows, (struct tl_cell[N_CALL]){
			[CALL_NAME] = tl_name_cell(p->trace, p->trace->events[e->event].name),
			[CALL_NS] = tl_cell_int(e->dur),
			[CALL_STREAM] = tl_cell_int(tl_pftrace_int_arg(p, TL_PFA_STREAM, e->event, &stream) ? stream : 0),
			[CALL_OP] = tl_cell_int(tl_pftrace_int_arg(p, TL_PFA_OP, e->event, &op) ? op : 0) });
	}
	p->total = time_in(&p->calls);
	in->conditions = (p->options.by_stream ? TL_PFTRACE_IF_STREAMS : 0) | (p->options.by_op ? TL_PFTRACE_IF_OPS : 0);
}

/* ---- memory_copy_by_copy_bytes ------------------------------------------------------------------------ */

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

/* Of an agent such as "GPU-3" TraceLens makes no number. */
static void add_agent(struct tl_pftrace *p, struct tl_buf *b, const char *before, enum tl_pftrace_arg arg,
                      uint32_t event)
{
	int64_t n;

	tl_buf_adds(b, before);
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
		add_agent(p, b, "h2d (", TL_PFA_TO, event);
	} else if (strcasestr(name, "MEMORY_COPY_DEVICE_TO_HOST")) {
		add_agent(p, b, "d2h (", TL_PFA_FROM, event);
	} else if (strcasestr(name, "MEMORY_COPY_DEVICE_TO_DEVICE")) {
		add_agent(p, b, "d2d (", TL_PFA_FROM, event);
		add_agent(p, b, " -> ", TL_PFA_TO, event);
	}
	tl_buf_adds(b, b->len ? ")" : "other");
	return tl_intern(&p->trace->strings, b->data, b->len);
}

void tl_pftrace_copies(void *made, struct tl_sheet_input *in)
{
	struct tl_pftrace *p = made;
	struct tl_trace *t = p->trace;
	struct tl_buf text = { 0 };

	if (!(p->options.reports & TL_PFTRACE_COPIES))
		return;
	in->own_rows = tl_table_new(&t->strings, 1, tl_pftrace_copy_rows);
	for (uint32_t i = 0; i < t->n_events; i++) {
		int64_t bytes;
		if (is_copy(p, i) && tl_pftrace_int_arg(p, TL_PFA_BYTES, i, &bytes))
			tl_table_add_row(in->own_rows, (struct tl_cell[N_COPY]){
				[COPY_COPY_BYTES] = tl_cell_int(bytes), [COPY_DIRECTION] = tl_cell_text(direction_of(p, i, &text)) });
	}
	tl_buf_release(&text);
}

/* ---- api_kernel_summary: calls and the kernels they launched --------------------------------------------
 *
 * T = A + Q + K: the call, the time in the queue, the kernel. */

struct span { bool known; int64_t begin, end, ns; };

static bool given(struct tl_pftrace *p, enum tl_pftrace_arg arg, uint32_t event)
{
	return p->args[arg].place[p->trace->events[event].layout] >= 0 && !tl_cell_is_null(tl_pftrace_arg(p, arg, event));
}

/* From the arguments if they tell begin and end, else the event's own time. */
static struct span span_of(struct tl_pftrace *p, uint32_t event)
{
	struct span s = { .known = true };

	if (given(p, TL_PFA_BEGIN, event) && given(p, TL_PFA_END, event)) {
		s.known = tl_pftrace_int_arg(p, TL_PFA_BEGIN, event, &s.begin) && tl_pftrace_int_arg(p, TL_PFA_END, event, &s.end);
		s.ns = (int64_t)((uint64_t)s.end - (uint64_t)s.begin);
		if (given(p, TL_PFA_DELTA, event))
			s.known &= tl_pftrace_int_arg(p, TL_PFA_DELTA, event, &s.ns);
		p->doubts.bad_times += !s.known;
		return s;
	}
	s.known = tl_pftrace_own_time(p, event, &s.begin, &s.ns);
	s.end = s.begin + s.ns;
	return s;
}

static bool correlation_of(struct tl_pftrace *p, uint32_t event, int64_t *id)
{
	for (enum tl_pftrace_arg a = TL_PFA_CORRELATIONS; a <= TL_PFA_LAST_CORRELATION; a++)
		if (tl_pftrace_int_arg(p, a, event, id))
			return true;
	return false;
}

static bool is_kernel(struct tl_pftrace *p, uint32_t event)
{
	const char *name = tl_str(&p->trace->strings, p->trace->events[event].name), *cat = tl_pftrace_category(p, event);
	size_t len = strlen(name);

	if ((len >= 3 && !strcasecmp(name + len - 3, ".kd")) || strcasestr(name, ".kd ")) /* "name.kd [clone]": a symbol */
		return true;
	if (!tl_pftrace_is_foreign(p, event) && !strcasestr(cat, "kernel") && !strcasestr(cat, "gpu_activity") && !strcasestr(cat, "memory_copy"))
		return false;
	struct span s = span_of(p, event);
	return s.known && s.ns > 0 && !strcasestr(name, "register");
}

static bool is_hip_call(struct tl_pftrace *p, uint32_t event)
{
	return tl_pftrace_is_hip(p, event) && given(p, TL_PFA_CORRELATIONS, event);
}

static bool is_call(struct tl_pftrace *p, uint32_t event)
{
	const char *cat = tl_pftrace_category(p, event);

	return is_hip_call(p, event) || !strcasecmp(cat, "cuda_api") || !strcasecmp(cat, "cupti");
}

/* The kernel's name, a string id: an argument says it, or the event's name. */
static uint32_t kernel_name(struct tl_pftrace *p, uint32_t event)
{
	for (enum tl_pftrace_arg a = TL_PFA_KERNEL_NAMES; a <= TL_PFA_LAST_KERNEL_NAME; a++) {
		if (p->args[a].place[p->trace->events[event].layout] < 0)
			continue;
		struct tl_cell c = tl_pftrace_arg(p, a, event);
		if (c.type == TL_CELL_TEXT && tl_str_len(&p->trace->strings, c.text))
			return c.text;
	}
	return p->trace->events[event].name;
}

static int64_t device_of(struct tl_pftrace *p, uint32_t event)
{
	int64_t n;
	uint32_t gpu;

	for (enum tl_pftrace_arg a = TL_PFA_DEVICES; a <= TL_PFA_LAST_DEVICE; a++)
		if (tl_pftrace_int_arg(p, a, event, &n))
			return n;
	return tl_pftrace_gpu(p, event, &gpu) ? gpu : 0;
}

/* What has one correlation id, which means something in a process only. pid: 1 + the string id of the process, 0 for those
 * that make no calls, as some writers give kernels a process for the device. Kernels are a list through `next`. */
struct link { uint32_t id, pid, call, first, last, n; bool has_call; };
struct links {
	struct tl_pftrace *p;
	struct tl_map pids;      /* pid ids of the tracks of calls */
	struct tl_map ids;       /* numbers of correlation ids */
	struct TL_KEYED(struct link) all;
	struct { uint32_t event, next; } *kernels; size_t n_kernels, cap_kernels; /* [0] unused */
};

static struct link *link_of(struct links *l, int64_t id, uint32_t event)
{
	const struct tl_trace *t = l->p->trace;
	uint32_t number = tl_map_number(&l->ids, (uint64_t)id, NULL), pid = t->tracks[t->events[event].track].pid;

	pid = l->p->options.reference || !tl_map_get(&l->pids, pid) ? 0 : pid + 1;
	struct link *k = TL_ITEM(&l->all, tl_key_of_two(number, pid), NULL);
	k->id = number;
	k->pid = pid;
	return k;
}

static void add_kernel(struct links *l, uint32_t event, int64_t id)
{
	const struct tl_strtab *s = &l->p->trace->strings;
	uint32_t name = kernel_name(l->p, event);

	if (l->p->options.exclude && tl_pattern_matches(l->p->options.exclude, tl_str(s, name), tl_str_len(s, name)))
		return;
	struct link *k = link_of(l, id, event);
	TL_GROW(l->kernels, l->cap_kernels, l->n_kernels + 2);
	uint32_t at = (uint32_t)++l->n_kernels;
	l->kernels[at].event = event;
	l->kernels[at].next = 0;
	if (k->n++)
		l->kernels[k->last].next = at;
	else
		k->first = at;
	k->last = at;
}

/* The processes that make calls; then the calls and kernels of each id. */
static void find_links(struct links *l)
{
	struct tl_pftrace *p = l->p;
	int64_t id;

	for (uint32_t i = 0; i < p->trace->n_events; i++)
		if (is_call(p, i))
			tl_map_add(&l->pids, p->trace->tracks[p->trace->events[i].track].pid);
	for (uint32_t i = 0; i < p->trace->n_events; i++) {
		uint32_t event = tl_pftrace_at(p, i);
		if (!correlation_of(p, event, &id))
			continue;
		if (is_kernel(p, event)) {
			add_kernel(l, event, id);
		} else if (is_call(p, event)) {
			struct link *k = link_of(l, id, event);
			k->call = event;
			k->has_call = true;
		}
	}
}

/* kernel: TL_NONE of a call that launched nothing. */
static void add_launch(struct tl_pftrace *p, struct tl_table *rows, uint32_t call, struct span a, uint32_t kernel)
{
	struct span k = kernel == TL_NONE ? (struct span){ .known = true } : span_of(p, kernel);
	int64_t pid, tid, queued = kernel != TL_NONE && k.begin > a.end ? k.begin - a.end : 0;
	bool launched = kernel != TL_NONE;

	if (!k.known)
		return;
	tl_table_add_row(rows, (struct tl_cell[N_LAUNCH]){
		[LAUNCH_PID] = tl_cell_int(tl_pftrace_pid(p, call, &pid) ? pid : 0),
		[LAUNCH_TID] = tl_cell_int(tl_pftrace_tid(p, call, &tid) ? tid : 0),
		[LAUNCH_DEVID] = tl_cell_int(launched ? device_of(p, kernel) : 0),
		[LAUNCH_API_NAME] = tl_name_cell(p->trace, p->trace->events[call].name),
		[LAUNCH_KERNEL_NAME] = tl_name_cell(p->trace, launched ? kernel_name(p, kernel) : 0),
		[LAUNCH_T] = launched ? tl_cell_int((int64_t)((uint64_t)a.ns + (uint64_t)queued + (uint64_t)k.ns)) : tl_cell_null(),
		[LAUNCH_A] = tl_cell_int(a.ns),
		[LAUNCH_Q] = tl_cell_int(queued),
		[LAUNCH_K] = tl_cell_int(k.ns) });
}

/* Those kernels of a call that count. */
static void add_launches(struct links *l, struct tl_table *rows, uint32_t call, struct span a, const struct link *of)
{
	uint32_t first = of->first;

	for (uint32_t k = of->first; k; k = l->kernels[k].next) {
		if (l->p->options.all_kernels)
			add_launch(l->p, rows, call, a, l->kernels[k].event);
		else if (span_of(l->p, l->kernels[k].event).begin < span_of(l->p, l->kernels[first].event).begin)
			first = k;
	}
	if (!l->p->options.all_kernels)
		add_launch(l->p, rows, call, a, l->kernels[first].event);
}

void tl_pftrace_api(void *made, struct tl_sheet_input *in)
{
	struct tl_pftrace *p = made;
	struct links l = { .p = p };

	if (!(p->options.reports & TL_PFTRACE_API))
		return;
	find_links(&l);
	in->own_rows = tl_table_new(&p->trace->strings, 1, tl_pftrace_launch_rows);
	TL_EACH(const struct link, call, l.all) {
		if (!call->has_call)
			continue;
		uint32_t name = p->trace->events[call->call].name;
		bool launches = is_hip_call(p, call->call) && *tl_name_answer(&p->launches, name);
		if (!launches && !p->options.all_calls)
			continue;
		struct span a = span_of(p, call->call);
		const struct link *of = call->n ? NULL : TL_ITEM_FIND(&l.all, tl_key_of_two(call->id, 0));
		of = of ? of : call;
		if (a.known && of->n)
			add_launches(&l, in->own_rows, call->call, a, of);
		else if (a.known && p->options.all_calls)
			add_launch(p, in->own_rows, call->call, a, TL_NONE);
	}
	tl_map_release(&l.pids);
	tl_map_release(&l.ids);
	TL_KEYED_RELEASE(&l.all);
	free(l.kernels);
}
