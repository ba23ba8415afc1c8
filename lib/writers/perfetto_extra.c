/* perfetto_extra.c - tracks of Perfetto's packets that are not events of the trace: counters, idle times of devices with their
 * causes, the critical path, marks.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "writers/perfetto_parts.h"

#include "work/allocations.h"
#include "work/counters.h"
#include "work/device_events.h"
#include "work/queue.h"
#include "base/merge_sort.h"
#include "path/pieces.h"
#include "path/graph.h"
#include "steps/recorded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NO_GROUP = UINT32_MAX, BUSY_PARTS = 1000 };

/* ---- counters --------------------------------------------------------------------- */

/* [device]: its group. The caller frees it. */
static uint32_t *groups_of_devices(struct pf_writer *w, const struct tl_devices *devices)
{
	uint32_t *groups = tl_alloc((devices->n + 1) * sizeof *groups);

	for (size_t i = 0; i < devices->n; i++)
		groups[i] = NO_GROUP;
	for (uint32_t i = 0; i < w->t->n_events; i++)
		if (devices->of[i] != TL_NONE && w->flags[i] & PF_SHOWN)
			groups[devices->of[i]] = tl_pw_group_of(w, i);
	return groups;
}

static uint32_t group_of_memory(const struct pf_writer *w, const struct tl_memory_device *d)
{
	for (uint32_t i = 0; i < w->n_groups; i++)
		if (w->groups[i].pid == d->pid && !w->groups[i].device)
			return i;
	return NO_GROUP;
}

/* Each value once: of several at one time the last one counts. */
static void put_series(struct pf_writer *w, uint64_t track, const struct tl_series *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (i + 1 == s->n || s->items[i + 1].at != s->items[i].at)
			tl_pw_put_count(w, track, s->items[i].at, s->items[i].value);
}

/* The share of each of equal parts of the time, in percent. */
static void put_shares(struct pf_writer *w, uint64_t track, const struct tl_series *s)
{
	if (!s->n)
		return;
	struct tl_span all = { s->items[0].at, s->items[s->n - 1].at };
	int64_t length = tl_ticks_sub(all.end, all.start) / BUSY_PARTS + 1;
	size_t at = 0;

	for (int64_t start = all.start; start < all.end; start = tl_ticks_add(start, length)) {
		int64_t end = tl_ticks_add(start, length);
		struct tl_span part = { start, end < all.end ? end : all.end };
		tl_pw_put_count(w, track, start, 100 * tl_series_part(s, part, &at).mean);
	}
	tl_pw_put_count(w, track, all.end, 0);
}

/* What the profiler recorded. Of a kernel's, each value is from the kernel's start to its end. */
static void put_recorded(struct pf_writer *w, const struct tl_counter *c, const uint32_t *of_device)
{
	const struct tl_devices *d = tl_devices_of(w->t);
	const struct tl_strtab *strings = &w->t->strings;
	struct tl_buf name = { 0 };
	size_t i = 0;

	while (i < d->n && !tl_counter_is_of(w->t, c, &d->items[i]))
		i++;
	tl_buf_adds(&name, tl_str(strings, c->name));
	if (c->track.type == TL_CELL_TEXT)
		tl_buf_addf(&name, " %s", tl_str(strings, c->track.text));
	uint64_t track = tl_pw_add_track(w, i < d->n ? of_device[i] : NO_GROUP, name.data, 0, c->unit ? tl_str(strings, c->unit) : NULL);
	for (i = 0; i < c->series.n; i++) {
		const struct tl_point *p = &c->series.items[i];
		const struct tl_ev *e = c->of == TL_SAMPLE_KERNEL ? &w->t->events[p->at] : NULL;
		bool hidden = e ? !tl_ev_has_span(e) : i + 1 < c->series.n && p[1].at == p->at;
		if (!hidden)
			tl_pw_put_count(w, track, e ? e->ts : p->at, isnan(p->value) ? 0 : p->value);
		if (e && !hidden)
			tl_pw_put_count(w, track, tl_ev_end(e), 0);
	}
	tl_buf_release(&name);
}

static void put_counter(struct pf_writer *w, enum tl_counter_kind kind, const struct tl_counter *c, const uint32_t *of_device)
{
	const char *what = c->track.type == TL_CELL_TEXT ? tl_str(&w->t->strings, c->track.text) : "";
	struct tl_buf name = { 0 };

	switch (kind) {
	case TL_COUNTER_QUEUE: {
		uint32_t track = tl_queues_of(w->t)->items[c->number].track;
		tl_buf_addf(&name, "queue of stream %s", tl_str(&w->t->strings, w->t->tracks[track].tid));
		put_series(w, tl_pw_add_track(w, w->tracks[track].group, name.data, TL__COUNTER_DESCRIPTOR__UNIT__UNIT_COUNT, NULL), &c->series);
		break;
	}
	case TL_COUNTER_COPIES:
		tl_buf_addf(&name, "copies %s", what);
		put_series(w, tl_pw_add_track(w, of_device[c->number], name.data, 0, "GB/s"), &c->series);
		break;
	case TL_COUNTER_BUSY:
		tl_buf_addf(&name, "share of time: %s", what);
		put_shares(w, tl_pw_add_track(w, of_device[c->number], name.data, 0, "%"), &c->series);
		break;
	case TL_COUNTER_RECORDED:
		put_recorded(w, c, of_device);
		break;
	default: {
		const struct tl_memory_device *d = &tl_memory_of(w->t)->devices[c->number];
		tl_buf_addf(&name, "memory of %s: %s", tl_str(&w->t->strings, d->name), what);
		put_series(w, tl_pw_add_track(w, group_of_memory(w, d), name.data, TL__COUNTER_DESCRIPTOR__UNIT__UNIT_SIZE_BYTES, NULL), &c->series);
		break;
	}
	}
	tl_buf_release(&name);
}

/* ---- times and what they are ------------------------------------------------------ */

struct stretch { int64_t start, end; uint32_t name; };
struct stretches { struct stretch *items; size_t n, cap; };

TL_ORDER(by_start, struct stretch, TL_ASC(x->start))

/* Adds a stretch that is called "WHAT: NAME"; name 0: "WHAT". */
static void add_stretch(struct pf_writer *w, struct stretches *s, int64_t start, int64_t end, const char *what, uint32_t name)
{
	struct tl_buf b = { 0 };

	if (end <= start)
		return;
	tl_buf_addf(&b, "%s%s%s", what, name ? ": " : "", tl_str(&w->t->strings, name));
	TL_PUSH(s->items, s->n, s->cap, (struct stretch){ start, end, tl_intern(&w->t->strings, b.data, b.len) });
	tl_buf_release(&b);
}

/* Puts them on a track of their own, if there are any; they do not overlap. */
static void put_stretches(struct pf_writer *w, struct stretches *s, uint32_t group, const char *track)
{
	if (s->n) {
		uint64_t id = tl_pw_add_track(w, group, track, 0, NULL);
		tl_merge_sort(s->items, s->n, sizeof *s->items, by_start, NULL);
		for (size_t i = 0; i < s->n; i++)
			tl_pw_put_span(w, id, s->items[i].start, s->items[i].end, s->items[i].name);
	}
	s->n = 0;
}

static void put_idle_times(struct pf_writer *w, const uint32_t *of_device)
{
	const struct tl_gaps *gaps = &tl_recorded_of(w->t)->gaps;
	const struct tl_idle_pieces *pieces = tl_idle_pieces_of(w->t);
	struct stretches s = { 0 };

	for (size_t i = 0; i < pieces->n; i++) {
		const struct tl_idle_piece *p = &pieces->items[i];
		uint32_t device = gaps->items[p->gap].device;
		add_stretch(w, &s, p->start, p->end, tl_idle_class_name(p->class), p->name);
		if (i + 1 == pieces->n || gaps->items[p[1].gap].device != device)
			put_stretches(w, &s, of_device[device], "idle, and why");
	}
	free(s.items);
}

static void put_marks(struct pf_writer *w)
{
	const struct tl_perfetto_mark *marks = w->options->marks;
	struct stretches s = { 0 };

	for (size_t i = 0; i < w->options->n_marks; i++) {
		add_stretch(w, &s, marks[i].start, marks[i].end, marks[i].name, 0);
		if (i + 1 == w->options->n_marks || strcmp(marks[i].track, marks[i + 1].track) != 0)
			put_stretches(w, &s, NO_GROUP, marks[i].track);
	}
	free(s.items);
}

void tl_pw_put_extra(struct pf_writer *w)
{
	uint32_t *of_device = groups_of_devices(w, tl_devices_of(w->t));

	put_idle_times(w, of_device);
	for (enum tl_counter_kind kind = 0; kind < TL_COUNTER_KINDS && !w->status; kind++) {
		const struct tl_counters *all = tl_counters_of(w->t, kind);
		for (size_t i = 0; i < all->n; i++)
			put_counter(w, kind, &all->items[i], of_device);
	}
	if (w->options->path && !w->status) {
		struct tl_path_graph graph;
		const struct tl_path_options whole = { .step = -1 };
		struct stretches s = { 0 };
		size_t n;
		w->status = tl_path_graph_make(&graph, w->t, &whole, w->err);
		if (!w->status) {
			struct tl_path_step *steps = tl_longest(&graph, &n);
			for (size_t i = 0; i < n; i++) {
				const struct tl_path_edge *e = &graph.edges[steps[i].edge];
				add_stretch(w, &s, graph.nodes[e->from].at, graph.nodes[steps[i].to].at, tl_bound_name(e->bound),
				            e->owner == TL_NONE ? 0 : w->t->events[e->owner].name);
			}
			free(steps);
			put_stretches(w, &s, NO_GROUP, "critical path");
		}
		free(s.items);
		tl_path_graph_release(&graph);
	}
	put_marks(w);
	free(of_device);
}
