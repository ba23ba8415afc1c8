/* counters.c - what a trace tells over time.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/counters.h"

#include "work/allocations.h"
#include "work/device_events.h"
#include "work/devices.h"
#include "work/queue.h"
#include "base/decimal.h"
#include "base/merge_sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct tl_counter *add_counter(struct tl_counters *c, const struct tl_counter *counter)
{
	TL_GROW(c->items, c->cap, c->n + 1);
	c->items[c->n] = *counter;
	return &c->items[c->n++];
}

TL_ORDER_IN(by_track, struct tl_counter, struct tl_strtab,
	TL_BY(tl_cell_compare(ctx, a->rank, b->rank)) TL_BY(tl_cell_compare(ctx, a->process, b->process))
	TL_BY(tl_cell_compare(ctx, a->device, b->device)) TL_BY(tl_cell_compare(ctx, a->track, b->track)))

/* A counter of a device. */
static struct tl_counter *add_of_device(struct tl_counters *c, struct tl_trace *t, uint32_t device, struct tl_cell track)
{
	const struct tl_device *d = &tl_devices_of(t)->items[device];

	return add_counter(c, &(struct tl_counter){ .rank = d->rank, .process = d->process, .device = d->device, .track = track, .number = device });
}

/* ---- queues ------------------------------------------------------------------------------ */

static void find_queues(struct tl_counters *c, struct tl_trace *t)
{
	const struct tl_queues *q = tl_queues_of(t);
	const uint32_t *device_of = tl_devices_of(t)->of;
	uint32_t *of_track = tl_alloc(((size_t)t->n_tracks + 1) * sizeof *of_track);

	for (uint32_t i = 0; i < t->n_events; i++)
		if (device_of[i] != TL_NONE)
			of_track[t->events[i].track] = device_of[i];
	for (uint32_t i = 0; i < q->n; i++) {
		uint32_t track = q->items[i].track;
		struct tl_cell stream = tl_whole_cell(tl_json_cell(t, t->tracks[track].tid));
		struct tl_counter *to = add_of_device(c, t, of_track[track], stream);
		to->number = i;
		for (size_t k = 0; k < q->items[i].length.n; k++)
			tl_series_add(&to->series, q->items[i].length.items[k].at, q->items[i].length.items[k].value);
	}
	free(of_track);
}

/* ---- copies ------------------------------------------------------------------------------- */

/* A copy starts or ends. */
struct turn { int64_t at; uint32_t counter, copy; bool starts; };

TL_ORDER(by_time, struct turn, TL_ASC(x->counter) TL_ASC(x->at))

/* What runs of n copies: a tree whose leaves are the rates of those that run, and whose other nodes are the sums of two.
 *
 *                     1            all rates
 *              2             3
 *           4     5       6     7  the copies 0 to 3; 0: the copy does not run
 *
 * A copy that starts or ends changes its leaf and the sums above it: log n steps. A sum to which rates were added, and from which
 * they were subtracted, would keep a rest of rounding when all have ended. */
struct running { double *sums; size_t n; };

static void add_rates(struct tl_counters *c, struct turn *turns, size_t n, const double *rates, size_t n_copies)
{
	struct running r = { .n = 1 };

	while (r.n < n_copies)
		r.n *= 2;
	r.sums = tl_calloc(2 * r.n, sizeof *r.sums);
	if (n)
		tl_merge_sort(turns, n, sizeof *turns, by_time, NULL);
	for (size_t i = 0; i < n; i++) {
		size_t at = r.n + turns[i].copy;
		for (r.sums[at] = (turns[i].starts ? rates[turns[i].copy] : 0); at > 1; at /= 2)
			r.sums[at / 2] = r.sums[at] + r.sums[at ^ 1];
		if (i + 1 == n || by_time(&turns[i], &turns[i + 1], NULL))
			tl_series_add(&c->items[turns[i].counter].series, turns[i].at, r.sums[1]);
	}
	free(r.sums);
}

static void find_copies(struct tl_counters *c, struct tl_trace *t)
{
	int64_t ns = t->ticks_per_us / 1000 > 1 ? t->ticks_per_us / 1000 : 1, bytes;
	const uint32_t *device_of = tl_devices_of(t)->of;
	struct tl_arg arg = tl_arg_of(t, TL_KEY_BYTES);
	struct tl_name_answers directions;
	struct tl_map numbers = { 0 };
	struct turn *turns = NULL;
	double *rates = NULL;
	size_t n = 0, cap = 0, cap_turns = 0;
	bool is_new;

	tl_name_answers_init(&directions, TL_MEMCPY_DIRECTIONS, &t->strings);
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (device_of[i] == TL_NONE || e->kind == TL_KIND_KERNEL)
			continue;
		const char *answer = tl_name_answer(&directions, e->name);
		struct tl_cell track = tl_cell_str(&t->strings, *answer ? answer : e->kind == TL_KIND_MEMSET ? "memset" : "unknown");
		uint32_t *number = tl_map_put(&numbers, tl_key_of_two(device_of[i], track.text), &is_new);
		if (is_new) {
			*number = (uint32_t)c->n;
			add_of_device(c, t, device_of[i], track);
		}
		struct tl_counter *to = &c->items[*number];
		if (tl_arg_get(&arg, t, i, &bytes) != TL_FIELD_INT || bytes < 0) {
			to->no_bytes++;
			continue;
		}
		int64_t ticks = e->dur > 0 ? e->dur : ns;
		to->events++;
		to->bytes = tl_ticks_add(to->bytes, bytes);
		tl_spans_add(&to->spans, e->ts, tl_ticks_add(e->ts, ticks));
		TL_GROW(rates, cap, n + 1);
		TL_GROW(turns, cap_turns, 2 * n + 2);
		turns[2 * n] = (struct turn){ e->ts, *number, (uint32_t)n, true };
		turns[2 * n + 1] = (struct turn){ tl_ticks_add(e->ts, ticks), *number, (uint32_t)n, false };
		rates[n++] = (double)bytes / ((double)ticks * 1000 / (double)t->ticks_per_us);
	}
	add_rates(c, turns, 2 * n, rates, n);
	for (size_t i = 0; i < c->n; i++)
		tl_spans_merge(&c->items[i].spans);
	free(turns);
	free(rates);
	tl_map_release(&numbers);
	tl_name_answers_release(&directions);
}

/* ---- busy devices ------------------------------------------------------------------------- */

static void find_busy(struct tl_counters *c, struct tl_trace *t)
{
	enum { BUSY, OF_WORK, TRACKS = OF_WORK + TL_GPU_WORKS };
	static const char *const names[TRACKS] = { "busy", "computation", "communication", "copies" };
	const struct tl_devices *d = tl_devices_of(t);

	tl_mark_work_once(t);
	for (uint32_t i = 0; i < d->n; i++)
		for (unsigned k = 0; k < TRACKS; k++)
			add_of_device(c, t, i, tl_cell_str(&t->strings, names[k]));
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (d->of[i] == TL_NONE)
			continue;
		struct tl_counter *of_device = &c->items[d->of[i] * TRACKS];
		tl_spans_add(&of_device[BUSY].spans, e->ts, tl_ev_end(e));
		tl_spans_add(&of_device[OF_WORK + tl_gpu_work(e)].spans, e->ts, tl_ev_end(e));
	}
	for (size_t i = 0; i < c->n; i++) {
		struct tl_counter *to = &c->items[i];
		tl_spans_merge(&to->spans);
		for (size_t k = 0; k < to->spans.n; k++) {
			tl_series_add(&to->series, to->spans.items[k].start, 1);
			tl_series_add(&to->series, to->spans.items[k].end, 0);
		}
		tl_spans_release(&to->spans);
	}
}

/* ---- live memory -------------------------------------------------------------------------- */

static void find_memory(struct tl_counters *c, struct tl_trace *t)
{
	const struct tl_memory *m = tl_memory_of(t);

	for (uint32_t i = 0; i < m->n_devices; i++) {
		const struct tl_memory_device *d = &m->devices[i];
		bool reserved = m->items[d->peak_reserved].reserved > 0;
		for (int k = 0; k <= reserved; k++) {
			struct tl_counter *to = add_counter(c, &(struct tl_counter){ .process = tl_json_cell(t, d->pid),
				.device = tl_cell_text(d->name), .track = tl_cell_str(&t->strings, k ? "reserved" : "allocated"), .number = i });
			to->series.before = k ? (double)m->items[d->first].reserved : (double)tl_memory_at_start(m, d);
			for (uint32_t j = d->first; j < d->first + d->n; j++)
				tl_series_add(&to->series, m->items[j].time, (double)(k ? m->items[j].reserved : m->items[j].allocated));
		}
	}
}

/* ---- what the profiler recorded -------------------------------------------------------------- */

bool tl_counter_is_of(const struct tl_trace *t, const struct tl_counter *c, const struct tl_device *d)
{
	return !tl_cell_is_null(c->device) && !tl_cell_compare(&t->strings, c->device, d->device) &&
		(tl_cell_is_null(c->rank) || !tl_cell_compare(&t->strings, c->rank, d->rank));
}

uint32_t tl_counter_text(struct tl_trace *t, const struct tl_counter *c)
{
	return c->unit ? tl_intern_free(&t->strings, tl_strdupf("%s [%s]", tl_str(&t->strings, c->name), tl_str(&t->strings, c->unit))) : c->name;
}

/* When a device works that the counter is about. */
static struct tl_spans busy_of(struct tl_trace *t, const struct tl_counter *c)
{
	const struct tl_devices *d = tl_devices_of(t);
	struct tl_spans busy = { 0 };

	for (size_t i = 0; i < d->n; i++)
		for (size_t k = d->events.start[i]; tl_counter_is_of(t, c, &d->items[i]) && k < d->events.start[i + 1]; k++) {
			const struct tl_ev *e = &t->events[d->events.items[k]];
			tl_spans_add(&busy, e->ts, tl_ev_end(e));
		}
	tl_spans_merge(&busy);
	return busy;
}

double tl_counter_busy_mean(struct tl_trace *t, const struct tl_counter *c)
{
	if (c->of == TL_SAMPLE_KERNEL || tl_cell_is_null(c->device))
		return NAN;
	struct tl_spans busy = busy_of(t, c);
	double sum = 0, ticks = 0;
	size_t at = 0;

	for (size_t i = 0; i < busy.n; i++) {
		struct tl_series_part p = tl_series_part(&c->series, busy.items[i], &at);
		sum += p.mean * (double)p.ticks;
		ticks += (double)p.ticks;
	}
	tl_spans_release(&busy);
	return ticks > 0 ? sum / ticks : NAN;
}

/* The device that a series does not name: that of its process's label, "GPU 3", or with the number of its process, as Kineto has it. */
static struct tl_cell device_of_process(struct tl_trace *t, const struct tl_sample_series *s)
{
	const char *label = tl_str(&t->strings, t->tracks[s->track].process_label);
	struct tl_cell pid = tl_whole_cell(tl_json_cell(t, t->tracks[s->track].pid));
	const struct tl_devices *d = tl_devices_of(t);
	int64_t device;

	if (!strncmp(label, "GPU ", 4) && tl_json_int64(label + 4, label + strlen(label), &device))
		return tl_cell_int(device);
	for (size_t i = 0; i < d->n; i++)
		if (!tl_cell_is_null(pid) && !tl_cell_compare(&t->strings, pid, tl_whole_cell(d->items[i].process)) &&
		    !tl_cell_compare(&t->strings, pid, d->items[i].device))
			return pid;
	return tl_cell_null();
}

TL_ORDER(by_at, struct tl_point, TL_ASC(x->at))

/* Samples in the order of time, as values from a time on. */
static void settle_samples(struct tl_counter *c)
{
	struct tl_series *s = &c->series;
	double sum = 0;

	tl_merge_sort(s->items, s->n, sizeof *s->items, by_at, NULL);
	for (size_t i = 0; c->of == TL_SAMPLE_CHANGE && i < s->n; i++)
		s->items[i].value = sum += s->items[i].value;
	if (c->of != TL_SAMPLE_BEFORE)
		return;
	/* the first value is of as much time as the second */
	int64_t last = s->items[s->n - 1].at, before = s->n > 1 ? tl_ticks_sub(s->items[1].at, s->items[0].at) : 0;
	for (size_t i = s->n; i-- > 0;)
		s->items[i].at = i ? s->items[i - 1].at : tl_ticks_sub(s->items[0].at, before);
	tl_series_add(s, last, NAN);
}

/* The kernels by what samples call them, as 1 + their index; 0: several have the id. */
struct kernel_ids { struct tl_map of[TL_SAMPLE_CORRELATION_TEXT + 1]; };

static void add_kernel_id(struct kernel_ids *ids, enum tl_sample_id id, uint64_t key, uint32_t event)
{
	bool is_new;
	uint32_t *known = tl_map_put(&ids->of[id], key, &is_new);

	*known = is_new ? event + 1 : 0;
}

static void find_kernel_ids(struct kernel_ids *ids, const struct tl_trace *t)
{
	struct tl_arg dispatch = tl_arg_of(t, TL_KEY_DISPATCH), correlation = tl_arg_of(t, TL_KEY_CORRELATION);
	int64_t value;

	for (uint32_t i = 0; i < t->n_events; i++) {
		if (t->events[i].kind != TL_KIND_KERNEL)
			continue;
		if (tl_arg_get(&dispatch, t, i, &value) == TL_FIELD_INT)
			add_kernel_id(ids, TL_SAMPLE_DISPATCH, tl_key_of_two(t->tracks[t->events[i].track].pid, (uint32_t)value), i);
		int type = tl_arg_get(&correlation, t, i, &value);
		if (type)
			add_kernel_id(ids, type == TL_FIELD_INT ? TL_SAMPLE_CORRELATION : TL_SAMPLE_CORRELATION_TEXT, (uint64_t)value, i);
	}
}

/* Points of kernels, those of one added up: the profiler may have one for each instance of a unit. */
static void settle_kernels(struct tl_counters *all, struct tl_counter *c, enum tl_sample_id id, uint32_t pid, const struct kernel_ids *ids)
{
	struct tl_series *s = &c->series;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		uint64_t key = id == TL_SAMPLE_DISPATCH ? tl_key_of_two(pid, (uint32_t)s->items[i].at) : (uint64_t)s->items[i].at;
		const uint32_t *event = tl_map_get(&ids->of[id], key);
		all->n_lost += !event || !*event;
		if (event && *event)
			s->items[n++] = (struct tl_point){ *event - 1, s->items[i].value };
	}
	tl_merge_sort(s->items, n, sizeof *s->items, by_at, NULL);
	s->n = 0;
	for (size_t i = 0; i < n; i++) {
		if (s->n && s->items[s->n - 1].at == s->items[i].at)
			s->items[s->n - 1].value += s->items[i].value;
		else
			s->items[s->n++] = s->items[i];
	}
	c->samples = (uint32_t)s->n;
}

TL_ORDER_IN(by_series, struct tl_counter, struct tl_strtab,
	TL_BY(tl_cell_compare(ctx, a->rank, b->rank)) TL_BY(tl_cell_compare(ctx, a->process, b->process))
	TL_BY(tl_cell_compare(ctx, a->device, b->device)) TL_BY(strcmp(tl_str(ctx, a->name), tl_str(ctx, b->name)))
	TL_BY(tl_cell_compare(ctx, a->track, b->track)))

/* The samples become the counters': the trace has them no more. */
static void find_recorded(struct tl_counters *c, struct tl_trace *t)
{
	struct kernel_ids ids = { 0 };

	if (!t->samples.n)
		return;
	find_kernel_ids(&ids, t);
	for (size_t i = 0; i < t->samples.n; i++) {
		struct tl_sample_series *s = &t->samples.items[i];
		struct tl_counter *to = add_counter(c, &(struct tl_counter){ .name = s->name, .unit = s->unit, .of = (enum tl_sample_of)s->of,
			.process = tl_whole_cell(tl_json_cell(t, t->tracks[s->track].pid)), .track = tl_cell_text(s->part),
			.rank = s->rank ? tl_whole_cell(tl_json_cell(t, s->rank)) : tl_cell_null(),
			.device = s->has_device ? tl_cell_int(s->device) : device_of_process(t, s) });
		to->series = (struct tl_series){ NAN, s->items, s->n, s->cap };
		for (size_t k = 0; k < s->n; k++)
			to->samples += !isnan(s->items[k].value);
		s->items = NULL;
		if (s->of == TL_SAMPLE_KERNEL)
			settle_kernels(c, to, (enum tl_sample_id)s->id, t->tracks[s->track].pid, &ids);
		else
			settle_samples(to);
	}
	tl_merge_sort(c->items, c->n, sizeof *c->items, by_series, &t->strings);
	for (size_t i = 0; i < sizeof ids.of / sizeof *ids.of; i++)
		tl_map_release(&ids.of[i]);
}

/* ---- all ---------------------------------------------------------------------------------- */

struct kept_counters { struct { struct tl_counters counters; bool found; } of[TL_COUNTER_KINDS]; };

static void release_kept(void *kept)
{
	struct kept_counters *k = kept;

	for (int kind = 0; kind < TL_COUNTER_KINDS; kind++) {
		struct tl_counters *c = &k->of[kind].counters;
		for (size_t i = 0; i < c->n; i++) {
			tl_series_release(&c->items[i].series);
			tl_spans_release(&c->items[i].spans);
		}
		free(c->items);
	}
}

const struct tl_counters *tl_counters_of(struct tl_trace *t, enum tl_counter_kind kind)
{
	static void (*const find[TL_COUNTER_KINDS])(struct tl_counters *, struct tl_trace *) = {
		[TL_COUNTER_QUEUE] = find_queues, [TL_COUNTER_COPIES] = find_copies,
		[TL_COUNTER_BUSY] = find_busy, [TL_COUNTER_MEMORY] = find_memory,
		[TL_COUNTER_RECORDED] = find_recorded,
	};
	struct kept_counters *k = tl_trace_keep(t, sizeof *k, release_kept);
	struct tl_counters *c = &k->of[kind].counters;

	if (!k->of[kind].found) {
		find[kind](c, t);
		if (c->n && kind < TL_COUNTER_BUSY)
			tl_merge_sort(c->items, c->n, sizeof *c->items, by_track, &t->strings);
		k->of[kind].found = true;
	}
	return c;
}
