/* pftrace_api.c - calls and the kernels they launched: the sheet api_kernel_summary of
 * Perfetto's traces. T = A + Q + K: the call, the time in the queue, the kernel.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/merge_sort.h"
#include "sheets/pftrace_events.h"

/* ---- events ------------------------------------------------------------------------------ */

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

/* "name.kd" or "name.kd [clone]": the symbol of a kernel. */
static bool is_symbol(const char *name)
{
	size_t len = strlen(name);

	return (len >= 3 && !strcasecmp(name + len - 3, ".kd")) || strcasestr(name, ".kd ");
}

static bool is_kernel(struct tl_pftrace *p, uint32_t event)
{
	const char *name = tl_str(&p->trace->strings, p->trace->events[event].name), *cat = tl_pftrace_category(p, event);

	if (is_symbol(name))
		return true;
	if (!strcasestr(cat, "kernel") && !strcasestr(cat, "gpu_activity") && !strcasestr(cat, "memory_copy"))
		return false;
	struct span s = span_of(p, event);
	return s.known && s.ns > 0 && !strcasestr(name, "register");
}

static bool is_hip_call(struct tl_pftrace *p, uint32_t event)
{
	return tl_pftrace_is(p, event, "hip_api") && given(p, TL_PFA_CORRELATIONS, event);
}

static bool is_call(struct tl_pftrace *p, uint32_t event)
{
	const char *cat = tl_pftrace_category(p, event);

	return is_hip_call(p, event) || !strcasecmp(cat, "cuda_api") || !strcasecmp(cat, "cupti");
}

static bool is_launch(struct tl_pftrace *p, uint32_t event)
{
	return is_hip_call(p, event) && *tl_name_answer(&p->launches, p->trace->events[event].name);
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

/* ---- calls and their kernels ----------------------------------------------------------------- */

/* A correlation id. It means something in a process only: pid is its number in `pids`, + 1;
 * 0 stands for the processes that make no calls, as some writers give kernels a process for
 * the device. */
struct key { int64_t id; uint64_t pid; };
struct link { uint32_t call, first, last; bool has_call; uint32_t n; }; /* kernels: a list through `next` */
struct links {
	struct tl_pftrace *p;
	struct tl_map pids;      /* pid id of the tracks of calls -> 1 */
	struct tl_strtab keys;   /* struct key; ids are indexes of items */
	struct link *items; size_t cap;
	struct { uint32_t event, next; } *kernels; size_t n_kernels, cap_kernels; /* [0] unused */
};

static uint64_t process_of(const struct links *l, uint32_t event)
{
	uint32_t pid = l->p->trace->tracks[l->p->trace->events[event].track].pid;

	if (l->p->options.reference || !tl_map_get(&l->pids, pid))
		return 0;
	return (uint64_t)pid + 1;
}

static struct link *link_of(struct links *l, int64_t id, uint64_t pid)
{
	struct key key = { id, pid };
	uint32_t before = l->keys.count, at = tl_intern(&l->keys, (const char *)&key, sizeof key);

	TL_GROW(l->items, l->cap, (size_t)at + 1);
	if (at > before)
		l->items[at] = (struct link){ 0 };
	return &l->items[at];
}

static const struct link *find_link(const struct links *l, int64_t id, uint64_t pid)
{
	struct key key = { id, pid };
	uint32_t at = tl_strtab_find(&l->keys, (const char *)&key, sizeof key);

	return at ? &l->items[at] : NULL;
}

static void add_kernel(struct links *l, uint32_t event, int64_t id)
{
	const struct tl_strtab *s = &l->p->trace->strings;
	uint32_t name = kernel_name(l->p, event);

	if (l->p->options.exclude && tl_pattern_matches(l->p->options.exclude, tl_str(s, name), tl_str_len(s, name)))
		return;
	struct link *k = link_of(l, id, process_of(l, event));
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
			*tl_map_put(&l->pids, p->trace->tracks[p->trace->events[i].track].pid, NULL) = 1;
	for (uint32_t i = 0; i < p->trace->n_events; i++) {
		uint32_t event = tl_pftrace_at(p, i);
		if (!correlation_of(p, event, &id))
			continue;
		if (is_kernel(p, event)) {
			add_kernel(l, event, id);
		} else if (is_call(p, event)) {
			struct link *k = link_of(l, id, process_of(l, event));
			k->call = event;
			k->has_call = true;
		}
	}
}

static void release_links(struct links *l)
{
	tl_map_release(&l->pids);
	tl_strtab_release(&l->keys);
	free(l->items);
	free(l->kernels);
}

/* ---- rows --------------------------------------------------------------------------------------- */

enum { PID, TID, DEVICE, API, KERNEL, T, A, Q, K, N_COLUMNS };
static const char *const row_columns[] = { "PID", "TID", "DevId", "API Name", "Kernel Name", "T", "A", "Q", "K", NULL };

static void start_row(struct tl_pftrace *p, uint32_t call, struct tl_cell *c)
{
	int64_t pid, tid;

	c[PID] = tl_cell_int(tl_pftrace_pid(p, call, &pid) ? pid : 0);
	c[TID] = tl_cell_int(tl_pftrace_tid(p, call, &tid) ? tid : 0);
	c[API] = tl_name_cell(p->trace, p->trace->events[call].name);
}

/* A call that launched nothing. */
static void add_lone(struct tl_pftrace *p, struct tl_table *rows, uint32_t call, int64_t ns)
{
	struct tl_cell c[N_COLUMNS] = { 0 };

	start_row(p, call, c);
	c[DEVICE] = c[Q] = c[K] = tl_cell_int(0);
	c[KERNEL] = tl_cell_text(tl_intern(&p->trace->strings, "", 0));
	c[A] = tl_cell_int(ns);
	tl_table_add_row(rows, c);
}

static void add_pair(struct tl_pftrace *p, struct tl_table *rows, uint32_t call, struct span a, uint32_t kernel)
{
	struct span k = span_of(p, kernel);
	struct tl_cell c[N_COLUMNS] = { 0 };

	if (!k.known)
		return;
	int64_t queued = k.begin > a.end ? k.begin - a.end : 0;
	start_row(p, call, c);
	c[DEVICE] = tl_cell_int(device_of(p, kernel));
	c[KERNEL] = tl_name_cell(p->trace, kernel_name(p, kernel));
	c[T] = tl_cell_int((int64_t)((uint64_t)a.ns + (uint64_t)queued + (uint64_t)k.ns));
	c[A] = tl_cell_int(a.ns);
	c[Q] = tl_cell_int(queued);
	c[K] = tl_cell_int(k.ns);
	tl_table_add_row(rows, c);
}

/* Those kernels of a call that count. Returns their number. */
static uint32_t add_kernels(struct links *l, struct tl_table *rows, const struct link *call, struct span a, const struct link *of)
{
	uint32_t first = of->first;

	for (uint32_t k = of->first; k; k = l->kernels[k].next) {
		if (l->p->options.all_kernels)
			add_pair(l->p, rows, call->call, a, l->kernels[k].event);
		else if (span_of(l->p, l->kernels[k].event).begin < span_of(l->p, l->kernels[first].event).begin)
			first = k;
	}
	if (of->n && !l->p->options.all_kernels)
		add_pair(l->p, rows, call->call, a, l->kernels[first].event);
	return of->n;
}

static struct tl_table *make_rows(struct links *l)
{
	struct tl_pftrace *p = l->p;
	struct tl_table *rows = tl_table_new(&p->trace->strings, 1, row_columns);

	for (uint32_t i = 1; i <= l->keys.count; i++) {
		const struct link *call = &l->items[i];
		if (!call->has_call || (!p->options.all_calls && !is_launch(p, call->call)))
			continue;
		struct span a = span_of(p, call->call);
		struct key key;
		memcpy(&key, tl_str(&l->keys, i), sizeof key);
		const struct link *of = call->n || !key.pid ? call : find_link(l, key.id, 0);
		if (a.known && !(of && add_kernels(l, rows, call, a, of)) && p->options.all_calls)
			add_lone(p, rows, call->call, a.ns);
	}
	return rows;
}

/* ---- the sheet ---------------------------------------------------------------------------------------- */

#define STATISTIC_OF(X, suffix, kind_) { #X suffix, .kind = kind_, .in = #X, .zero = true }
#define COLUMNS_OF(X) \
	STATISTIC_OF(X, "Avg_ns", TL_MEAN), STATISTIC_OF(X, "Med_ns", TL_MEDIAN), STATISTIC_OF(X, "Min_ns", TL_MIN), \
	STATISTIC_OF(X, "Max_ns", TL_MAX), STATISTIC_OF(X, "StdDev_ns", TL_STD_ALL)

static const struct tl_column columns[] = {
	{ "PID", .kind = TL_KEY },
	{ "TID", .kind = TL_KEY },
	{ "DevId", .kind = TL_KEY },
	{ "Count", .kind = TL_COUNT },
	{ "QCount", .kind = TL_COUNT, .in = "T" },
	COLUMNS_OF(T),
	COLUMNS_OF(A),
	COLUMNS_OF(Q),
	COLUMNS_OF(K),
	{ "API Name", .kind = TL_KEY },
	{ "Kernel Name", .kind = TL_KEY },
	{ .name = NULL }
};
const struct tl_sheet_def tl_pftrace_api_def = {
	.name = "api_kernel_summary", .rows = row_columns, .columns = columns, .keys_ascending = true,
};

void tl_pftrace_api(void *made, struct tl_sheet_input *in)
{
	struct tl_pftrace *p = made;
	struct links l = { .p = p };

	if (!(p->options.reports & TL_PFTRACE_API))
		return;
	find_links(&l);
	in->own_rows = make_rows(&l);
	release_links(&l);
}
