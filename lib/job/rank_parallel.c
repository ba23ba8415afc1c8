/* rank_parallel.c - how a rank takes part in a pipeline and in expert parallelism.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/rank_parallel.h"

#include "work/device_events.h"
#include "work/spans.h"
#include "base/merge_sort.h"
#include "work/name_rules.h"
#include "steps/step_find.h"
#include "table/table_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool tl_is_transfer(const char *type)
{
	return !strcmp(type, "send") || !strcmp(type, "recv") || !strcmp(type, "transfer");
}

/* ---- making ----------------------------------------------------------------------------- */

enum { WHAT, GROUP, NUMBER, COUNT, MS, MIB };
static const char *const columns[] = { "what", "group", "number", "n", "ms", "mib", NULL };
enum { ALL = -1 };
#define STEP "step"
#define PEER "peer"
#define GROUPED "grouped GEMM"
#define ALL_TO_ALL "all-to-all"
enum kind { K_GROUPED, K_ALL_TO_ALL, K_PEER };
enum time { COMPUTE, COMM, TRANSFER, TIMES };
static const char *const time_names[TIMES] = { "compute", "communication", "transfers" };

/* What is told by its number in a step: of a peer, the number is that of the rank. */
struct item { int64_t ts, ticks; double mib; int64_t peer; enum kind kind; uint32_t group; bool sends; };
/* Items of one kind, group and number. */
struct sum { enum kind kind; uint32_t group; int64_t number, n, ticks; double mib; size_t step; };

struct making {
	struct tl_trace *trace;
	struct tl_table *to;
	struct item *items; size_t n, cap;
	struct TL_KEYED(struct sum) sums;
	struct tl_spans times[TIMES];
};

static void add(struct tl_table *t, const char *what, const char *group, int64_t number, int64_t n, double ms, double mib)
{
	tl_table_add_row(t, (const struct tl_cell[]){ tl_cell_str(t->strings, what), tl_cell_str(t->strings, group),
		tl_cell_int(number), tl_cell_int(n), tl_cell_real(ms), tl_cell_real(mib) });
}

static void take_collectives(struct making *m, const struct tl_table *rows)
{
	struct tl_name_answers types;

	tl_name_answers_init(&types, TL_COLLECTIVE_TYPES, rows->strings);
	for (size_t i = 0; i < rows->n_rows; i++) {
		struct tl_cell name = tl_table_cell(rows, i, COLL_COLLECTIVE_NAME), peer = tl_table_cell(rows, i, COLL_PEER);
		const char *type = name.type == TL_CELL_TEXT ? tl_name_answer(&types, name.text) : "";
		struct item item = { .ts = tl_table_cell(rows, i, COLL_TS).i, .ticks = tl_table_cell(rows, i, COLL_DUR).i, .kind = K_ALL_TO_ALL,
			.group = tl_table_cell(rows, i, COLL_PROCESS_GROUP_NAME).text, .sends = !strcmp(type, "send"), .peer = peer.i };
		double in = tl_cell_number(tl_table_cell(rows, i, COLL_IN_MSG_SIZE_MB), 1), out = tl_cell_number(tl_table_cell(rows, i, COLL_OUT_MSG_SIZE_MB), 1);
		tl_spans_add(&m->times[tl_is_transfer(type) ? TRANSFER : COMM], item.ts, tl_ticks_add(item.ts, item.ticks));
		item.mib = fmax(isnan(in) ? 0 : in, isnan(out) ? 0 : out);
		if (!strncmp(type, "alltoall", 8) && item.mib > 0)
			TL_PUSH(m->items, m->n, m->cap, item);
		item.kind = K_PEER;
		if (tl_is_transfer(type) && peer.type == TL_CELL_INT)
			TL_PUSH(m->items, m->n, m->cap, item);
	}
	tl_name_answers_release(&types);
}

static void take_kernels(struct making *m)
{
	const struct tl_trace *t = m->trace;
	struct tl_name_answers grouped;

	tl_name_answers_init(&grouped, TL_KERNEL_GROUPED, &t->strings);
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (!tl_gpu_usable(e) || tl_gpu_work(e) != TL_GPU_COMPUTE)
			continue;
		tl_spans_add(&m->times[COMPUTE], e->ts, tl_ev_end(e));
		if (*tl_name_answer(&grouped, e->name))
			TL_PUSH(m->items, m->n, m->cap, (struct item){ .ts = e->ts, .ticks = e->dur, .kind = K_GROUPED });
	}
	tl_name_answers_release(&grouped);
}

/* The sum of that kind, group and number. */
static struct sum *sum_of(struct making *m, enum kind kind, uint32_t group, int64_t number)
{
	uint64_t key = tl_hash_u64(tl_hash_u64((uint64_t)group << 2 | (uint64_t)kind) ^ (uint64_t)number);
	bool is_new;
	struct sum *s = TL_ITEM(&m->sums, key, &is_new);

	if (is_new)
		*s = (struct sum){ .kind = kind, .group = group, .number = number, .step = SIZE_MAX };
	return s;
}

TL_ORDER(by_start, struct item, TL_ASC(x->ts))

static void add_to(struct sum *s, const struct item *i)
{
	s->n++;
	s->ticks = tl_ticks_add(s->ticks, i->ticks);
	s->mib += i->mib;
}

/* Grouped GEMMs are of the group whose all-to-all was the last one. The sum of number ALL counts the calls of the step. */
static void take_item(struct making *m, const struct item *i, uint32_t group, size_t step)
{
	struct sum *s = sum_of(m, i->kind, group, i->kind == K_PEER ? i->peer : ALL);

	if (s->step != step)
		s->n = i->kind != K_PEER ? 0 : i->sends ? s->n + 1 : s->n - 1;
	s->step = step;
	if (i->kind == K_PEER)
		return;
	int64_t call = s->n;
	add_to(s, i);
	add_to(sum_of(m, i->kind, group, call), i);
}

static double ms_of(const struct making *m, int64_t ticks)
{
	return tl_trace_us(m->trace, ticks) / 1e3;
}

/* The steps or, of none, all of the device's time; the caller frees them. The host may be done with the last one before the device is. */
static struct tl_span *find_steps(struct making *m, size_t *n)
{
	const struct tl_steps *steps = tl_steps_of(m->trace);
	bool named = steps->n && tl_steps_are_marked(steps);
	struct tl_span *found = tl_alloc((steps->n + 1) * sizeof *found), all = { INT64_MAX, INT64_MIN };

	for (int k = 0; k < TIMES; k++) {
		const struct tl_spans *s = &m->times[k];
		tl_spans_merge(&m->times[k]);
		all.start = s->n && s->items[0].start < all.start ? s->items[0].start : all.start;
		all.end = s->n && s->items[s->n - 1].end > all.end ? s->items[s->n - 1].end : all.end;
	}
	*n = named ? steps->n : 1;
	for (size_t i = 0; i < *n; i++)
		found[i] = named ? (struct tl_span){ steps->items[i].from, steps->items[i].to } : all;
	struct tl_span *last = &found[*n - 1];
	int64_t most = tl_ticks_add(last->end, tl_ticks_sub(last->end, last->start));
	if (all.end > last->end)
		last->end = all.end < most ? all.end : most;
	return found;
}

/* Adds the times of n steps, of each kind what the ones before it do not cover. */
static void add_times(struct making *m, const struct tl_span *steps, size_t n)
{
	struct tl_spans rest = { 0 }, before = { 0 };
	int64_t whole = 0, ticks[TIMES] = { 0 };

	for (size_t i = 0; i < n; i++)
		whole = tl_ticks_add(whole, tl_ticks_sub(steps[i].end, steps[i].start));
	add(m->to, STEP, "", 0, (int64_t)n, ms_of(m, whole), 0);
	for (int k = 0; k < TIMES; k++) {
		const struct tl_spans *s = &m->times[k];
		tl_spans_subtract(s, &before, &rest);
		for (size_t i = 0; i < n; i++)
			ticks[k] = tl_ticks_add(ticks[k], tl_spans_within(&rest, steps[i].start, steps[i].end));
		for (size_t i = 0; i < s->n; i++)
			tl_spans_add(&before, s->items[i].start, s->items[i].end);
		tl_spans_merge(&before);
		add(m->to, time_names[k], "", 0, 0, ms_of(m, ticks[k]), 0);
	}
	tl_spans_release(&rest);
	tl_spans_release(&before);
}

static void add_sums(struct making *m)
{
	static const char *const names[] = { [K_GROUPED] = GROUPED, [K_ALL_TO_ALL] = ALL_TO_ALL, [K_PEER] = PEER };

	for (size_t i = 0; i < m->sums.n; i++) {
		const struct sum *s = &m->sums.items[i];
		const char *group = s->kind != K_PEER && s->group ? tl_str(&m->trace->strings, s->group) : "";
		add(m->to, names[s->kind], group, s->number, s->n, ms_of(m, s->ticks), s->mib);
	}
}

struct tl_table *tl_rank_parallel_table(struct tl_trace *t, const struct tl_collectives *c, struct tl_strtab *strings)
{
	struct making m = { .trace = t, .to = NULL };
	size_t step = 0, n;
	uint32_t group = 0;

	take_collectives(&m, tl_collectives_rows(c));
	take_kernels(&m);
	struct tl_span *steps = find_steps(&m, &n);
	tl_merge_sort(m.items, m.n, sizeof *m.items, by_start, NULL);
	for (size_t i = m.n; i--; )
		group = m.items[i].kind == K_ALL_TO_ALL ? m.items[i].group : group;
	for (size_t i = 0; i < m.n; i++) {
		while (step < n && steps[step].end <= m.items[i].ts)
			step++;
		if (m.items[i].kind == K_ALL_TO_ALL)
			group = m.items[i].group;
		if (step < n && steps[step].start <= m.items[i].ts)
			take_item(&m, &m.items[i], m.items[i].kind == K_PEER ? 0 : group, step);
	}
	if (m.n && (m.times[COMM].n || m.times[TRANSFER].n)) { /* else it works with no other rank */
		m.to = tl_table_new(strings, t->ticks_per_us, columns);
		add_times(&m, steps, n);
		add_sums(&m);
	}
	for (int k = 0; k < TIMES; k++)
		tl_spans_release(&m.times[k]);
	TL_KEYED_RELEASE(&m.sums);
	free(steps);
	free(m.items);
	return m.to;
}

/* ---- all ranks ------------------------------------------------------------------------------ */

struct tl_parallels *tl_parallels_new(size_t ranks)
{
	struct tl_parallels *p = tl_calloc(1, sizeof *p);

	p->n = ranks;
	p->stages = tl_calloc(ranks + 1, sizeof *p->stages);
	return p;
}

void tl_parallels_free(struct tl_parallels *p)
{
	if (!p)
		return;
	tl_strtab_release(&p->strings);
	TL_KEYED_RELEASE(&p->work);
	free(p->stages);
	free(p->peers);
	free(p);
}

/* Adds what a rank did to that of all; ms and mib: of a step. */
static void add_work(struct tl_parallels *p, size_t rank, const char *what, const char *group, int64_t call, double ms, double mib)
{
	struct tl_buf key = { 0 };

	tl_buf_addf(&key, "%s\t%s\t%lld", what, group, (long long)call);
	bool is_new;
	struct tl_expert_work *w = TL_ITEM(&p->work, tl_intern(&p->strings, key.data, key.len), &is_new);
	tl_buf_release(&key);
	if (is_new)
		*w = (struct tl_expert_work){ .what = tl_intern_str(&p->strings, what), .group = tl_intern_str(&p->strings, group),
			.call = call, .least_ms = INFINITY };
	bool most = !w->n++ || (mib > 0 ? mib > w->most_mib : ms > w->most_ms);
	w->most_rank = most ? rank : w->most_rank;
	w->ms += ms;
	w->mib += mib;
	w->most_ms = fmax(w->most_ms, ms);
	w->most_mib = fmax(w->most_mib, mib);
	w->least_ms = fmin(w->least_ms, ms);
}

static enum tl_cell_type type_of(const char *column)
{
	return !strcmp(column, "ms") || !strcmp(column, "mib") ? TL_CELL_REAL : !strcmp(column, "n") || !strcmp(column, "number") ? TL_CELL_INT : TL_CELL_TEXT;
}

static void add_row(struct tl_parallels *p, size_t rank, const struct tl_table *t, size_t row)
{
	const char *what = tl_table_text(t, row, WHAT, "");
	struct tl_rank_stage *s = &p->stages[rank];
	double steps = s->steps > 0 ? (double)s->steps : 1, ms = tl_table_cell(t, row, MS).d, *times[TIMES] = { &s->busy_ms, &s->comm_ms, &s->transfer_ms };

	if (!strcmp(what, STEP)) {
		s->steps = tl_table_cell(t, row, COUNT).i;
		s->step_ms = ms;
	} else if (!strcmp(what, PEER)) {
		TL_PUSH(p->peers, p->n_peers, p->cap_peers, (struct tl_rank_peer){ rank, tl_table_cell(t, row, NUMBER).i, tl_table_cell(t, row, COUNT).i });
	} else if (!strcmp(what, GROUPED) || !strcmp(what, ALL_TO_ALL)) {
		add_work(p, rank, what, tl_table_text(t, row, GROUP, ""), tl_table_cell(t, row, NUMBER).i, ms / steps, tl_table_cell(t, row, MIB).d / steps);
	}
	for (int k = 0; k < TIMES; k++)
		if (!strcmp(what, time_names[k]))
			*times[k] = ms;
}

enum tl_status tl_parallels_read(struct tl_parallels *p, size_t rank, struct tl_input *in, struct tl_error *err)
{
	static const struct tl_tsv_columns wanted = { columns, NULL, type_of };
	struct tl_strtab strings = { 0 };
	struct tl_table *t = NULL;
	enum tl_status st = tl_tsv_read_table(in, &strings, &wanted, &t, err);

	for (size_t i = 0; !st && i < t->n_rows; i++)
		add_row(p, rank, t, i);
	if (!st && p->stages[rank].steps <= 0)
		st = tl_fail(err, TL_ERR_DATA, "the table " TL_RANK_PARALLEL " of the part tells of no step");
	tl_table_free(t);
	tl_strtab_release(&strings);
	return st;
}
