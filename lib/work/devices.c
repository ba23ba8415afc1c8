/* devices.c - the devices of a trace: which GPU each device event ran on.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/devices.h"

#include "work/device_events.h"
#include "base/merge_sort.h"

#include <stdlib.h>
#include <string.h>

/* ---- ranks ------------------------------------------------------------------------ */

struct tl_ranks tl_ranks_of(struct tl_trace *t)
{
	struct tl_trace_facts facts;

	tl_trace_facts_read(&facts, t);
	struct tl_ranks r = { tl_arg_of(t, TL_KEY_RANK), facts.rank < 0 ? tl_cell_null() : tl_cell_int(facts.rank) };
	tl_trace_facts_release(&facts);
	return r;
}

struct tl_cell tl_rank_of(struct tl_trace *t, const struct tl_ranks *r, uint32_t event)
{
	struct tl_cell rank = tl_whole_cell(tl_arg_cell(t, &r->arg, event));

	return rank.type == TL_CELL_NULL ? r->of_trace : rank;
}

/* ---- devices ---------------------------------------------------------------------- */

struct finder {
	struct tl_devices *to;
	struct tl_trace *t;
	struct tl_ranks ranks;
	struct tl_arg device;
	struct tl_cell *processes; /* by track */
	struct tl_strtab keys;    /* of the devices, in the order of to->items */
	size_t cap;
};

static void start(struct finder *f, struct tl_devices *to, struct tl_trace *t)
{
	*f = (struct finder){ .to = to, .t = t, .ranks = tl_ranks_of(t), .device = tl_arg_of(t, TL_KEY_DEVICE) };
	f->processes = tl_alloc(((size_t)t->n_tracks + 1) * sizeof *f->processes);
	for (uint32_t i = 0; i < t->n_tracks; i++)
		f->processes[i] = tl_whole_cell(tl_json_cell(t, t->tracks[i].pid));
}

static uint32_t device_of(struct finder *f, uint32_t event)
{
	struct tl_device d = {
		.rank = tl_rank_of(f->t, &f->ranks, event),
		.process = f->processes[f->t->events[event].track],
		.device = tl_whole_cell(tl_arg_cell(f->t, &f->device, event)),
	};

	unsigned char key[3 * TL_CELL_KEY];
	tl_cell_key(d.rank, key);
	tl_cell_key(d.process, key + TL_CELL_KEY);
	tl_cell_key(d.device, key + 2 * TL_CELL_KEY);
	uint32_t number = tl_intern(&f->keys, (const char *)key, sizeof key) - 1;
	if (number == f->to->n)
		TL_PUSH(f->to->items, f->to->n, f->cap, d);
	return number;
}

/* ---- order, and events without a device number ---------------------------------- */

struct sorter { const struct tl_trace *t; const struct tl_device *items; };

static int by_process(const struct sorter *s, const struct tl_device *a, const struct tl_device *b)
{
	int order = tl_cell_compare(&s->t->strings, a->rank, b->rank);

	return order ? order : tl_cell_compare(&s->t->strings, a->process, b->process);
}

TL_ORDER_IN(by_device, uint32_t, struct sorter,
	TL_BY(by_process(ctx, &ctx->items[*a], &ctx->items[*b]))
	TL_BY(tl_cell_compare(&ctx->t->strings, ctx->items[*a].device, ctx->items[*b].device)))

/* Sorts the devices; to[i] becomes the new number of the i-th. Nulls come last: a device
 * without a number that has one other device in its process becomes that one. */
static void sort_devices(struct tl_devices *d, const struct tl_trace *t, uint32_t *to)
{
	struct sorter s = { t, d->items };
	uint32_t *order = tl_alloc((d->n + 1) * sizeof *order);
	struct tl_device *sorted = tl_alloc((d->n + 1) * sizeof *sorted);
	size_t n = 0, in_process = 0;

	for (uint32_t i = 0; i < d->n; i++)
		order[i] = i;
	tl_merge_sort(order, d->n, sizeof *order, by_device, &s);
	for (size_t i = 0; i < d->n; i++) {
		const struct tl_device *item = &d->items[order[i]];

		if (!n || by_process(&s, &sorted[n - 1], item))
			in_process = 0;
		if (in_process++ != 1 || item->device.type != TL_CELL_NULL)
			sorted[n++] = *item;
		to[order[i]] = (uint32_t)n - 1;
	}
	free(order);
	free(d->items);
	d->items = sorted;
	d->n = n;
}

/* ---- interface -------------------------------------------------------------------- */

static void release_devices(void *devices)
{
	struct tl_devices *d = devices;

	free(d->items);
	free(d->of);
	free(d->by_start);
	tl_split_events_release(&d->events);
}

const struct tl_devices *tl_devices_of(struct tl_trace *t)
{
	struct tl_devices *d = tl_trace_keep(t, sizeof *d, release_devices);
	struct finder f;
	uint32_t *to;

	if (d->of)
		return d;
	d->of = tl_alloc(((size_t)t->n_events + 1) * sizeof *d->of);
	start(&f, d, t);
	for (uint32_t i = 0; i < t->n_events; i++)
		d->of[i] = tl_gpu_usable(&t->events[i]) ? device_of(&f, i) : TL_NONE;
	to = tl_alloc((d->n + 1) * sizeof *to);
	sort_devices(d, t, to);
	size_t cap = 0;
	for (uint32_t i = 0; i < t->n_events; i++) {
		if (d->of[i] == TL_NONE)
			continue;
		d->of[i] = to[d->of[i]];
		TL_PUSH(d->by_start, d->n_events, cap, i);
	}
	free(to);
	if (d->n_events)
		tl_sort_by_start(t, d->by_start, d->n_events);
	d->events = tl_split_events(d->of, d->n, d->by_start, d->n_events);
	tl_strtab_release(&f.keys);
	free(f.processes);
	return d;
}

static const struct tl_gpu_facts *gpu_of(const struct tl_trace_facts *f, struct tl_cell device)
{
	for (size_t i = 0; device.type == TL_CELL_INT && i < f->n_gpus; i++)
		if (f->gpus[i].id == device.i)
			return &f->gpus[i];
	return NULL;
}

const struct tl_gpu_facts *tl_working_gpu_kind(const struct tl_trace_facts *f, struct tl_trace *t)
{
	const struct tl_gpu_facts *kind = tl_only_gpu_kind(f);

	if (kind || !f->n_gpus)
		return kind;
	const struct tl_devices *d = tl_devices_of(t);
	for (size_t i = 0; i < d->n; i++) {
		const struct tl_gpu_facts *g = gpu_of(f, d->items[i].device);
		bool same = g && (!i || tl_same_gpu_kind(g, kind));

		kind = same ? g : NULL;
		if (!same)
			break;
	}
	return kind;
}

struct tl_split_events tl_split_events(const uint32_t *of, size_t n_parts, const uint32_t *events, size_t n)
{
	struct tl_split_events g = { NULL, tl_calloc(n_parts + 2, sizeof *g.start) };

	/* start[i + 1] counts up from the first place of part i to that of the next one */
	for (size_t i = 0; i < n; i++) {
		uint32_t part = of[events ? events[i] : i];
		if (part != TL_NONE)
			g.start[part + 2]++;
	}
	for (size_t i = 2; i < n_parts + 2; i++)
		g.start[i] += g.start[i - 1];
	g.items = tl_alloc((g.start[n_parts + 1] + 1) * sizeof *g.items);
	for (size_t i = 0; i < n; i++) {
		uint32_t event = events ? events[i] : (uint32_t)i;
		if (of[event] != TL_NONE)
			g.items[g.start[of[event] + 1]++] = event;
	}
	return g;
}

void tl_split_events_release(struct tl_split_events *g)
{
	free(g->start);
	free(g->items);
}
