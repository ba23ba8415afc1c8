/* perfetto_lanes.c - tracks of Perfetto's packets: processes, devices, threads and streams with their names and order; and spans
 * that overlap without nesting on tracks of their own.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "writers/perfetto_parts.h"

#include "work/devices.h"
#include "work/spans.h"
#include "base/merge_sort.h"
#include "base/text.h"
#include "model/fields.h"

#include <stdlib.h>

/* ---- groups and tracks ------------------------------------------------------------ */

static bool number_of(const struct tl_trace *t, uint32_t json, int64_t *number)
{
	return json && tl_parse_whole(tl_str(&t->strings, json), tl_str_len(&t->strings, json), number);
}

/* The text of a process or thread: without the quotes of JSON. */
static void add_plain(struct tl_buf *b, const struct tl_trace *t, uint32_t json)
{
	const char *s = tl_str(&t->strings, json);
	size_t len = tl_str_len(&t->strings, json);

	if (len >= 2 && *s == '"')
		tl_buf_add(b, s + 1, len - 2);
	else
		tl_buf_add(b, s, len);
}

static uint32_t known_name(const struct tl_trace *t, uint32_t name)
{
	return !strcmp(tl_str(&t->strings, name), "Unknown") ? 0 : name;
}

/* Ids of threads and processes that Perfetto can show as such. */
static bool is_id(bool has_number, int64_t number)
{
	return has_number && number > 0 && number <= INT32_MAX;
}

static uint32_t group_of(struct pf_writer *w, const struct tl_trace_track *track, bool device)
{
	size_t i = 0;
	int64_t number = 0;
	bool has_number = number_of(w->t, track->pid, &number), process = is_id(has_number, number);

	/* PyTorch's devices are processes of their own, rocprofv3's streams are tracks of the process */
	while (i < w->n_groups && (w->groups[i].pid != track->pid || (process && w->groups[i].device != device)))
		i++;
	if (i < w->n_groups) {
		w->groups[i].device |= device;
		return (uint32_t)i;
	}
	TL_GROW(w->groups, w->cap_groups, i + 1);
	w->groups[w->n_groups++] = (struct pf_group){
		.pid = track->pid, .device = device, .process = !device && process, .number = has_number ? number : INT64_MAX,
		.sort = INT64_MAX, .rank = INT64_MIN, .name = known_name(w->t, track->process_name), .label = known_name(w->t, track->process_label),
	};
	return (uint32_t)i;
}

/* What the trace says of the order: metadata with the argument sort_index. */
static void read_order(struct pf_writer *w)
{
	const struct tl_trace *t = w->t;
	uint32_t process = tl_strtab_find(&t->strings, "process_sort_index", 18), thread = tl_strtab_find(&t->strings, "thread_sort_index", 17);
	uint32_t key = tl_strtab_find(&t->strings, "sort_index", 10);
	int64_t place;

	for (uint32_t i = 0; key && i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (e->kind != TL_KIND_META || (e->name != process && e->name != thread) || tl_trace_field(t, i, key, false, &place) != TL_FIELD_INT)
			continue;
		if (e->name == thread)
			w->tracks[e->track].sort = place;
		for (size_t g = 0; e->name == process && g < w->n_groups; g++)
			if (w->groups[g].pid == t->tracks[e->track].pid)
				w->groups[g].sort = place;
	}
}

TL_ORDER_IN(by_place, uint32_t, struct pf_writer,
            TL_ASC(ctx->groups[*x].rank) TL_ASC(ctx->groups[*x].sort) TL_ASC(ctx->groups[*x].device) TL_ASC(ctx->groups[*x].number))

TL_ORDER_IN(by_track_place, uint32_t, struct pf_writer, TL_ASC(ctx->tracks[*x].sort) TL_ASC(ctx->tracks[*x].number))

static void order(struct pf_writer *w)
{
	uint32_t n = w->t->n_tracks > w->n_groups ? w->t->n_tracks : (uint32_t)w->n_groups, *numbers = tl_alloc(((size_t)n + 1) * sizeof *numbers);

	read_order(w);
	for (uint32_t i = 0; i < n; i++)
		numbers[i] = i;
	tl_merge_sort(numbers, w->n_groups, sizeof *numbers, by_place, w);
	for (uint32_t i = 0; i < w->n_groups; i++) {
		w->groups[numbers[i]].place = i;
		w->groups[numbers[i]].uuid = w->next_uuid++;
	}
	for (uint32_t i = 0; i < n; i++)
		numbers[i] = i;
	tl_merge_sort(numbers, w->t->n_tracks, sizeof *numbers, by_track_place, w);
	for (uint32_t i = 0; i < w->t->n_tracks; i++)
		w->tracks[numbers[i]].place = i;
	free(numbers);
}

/* ---- lanes ------------------------------------------------------------------------ */

/* A track on which spans nest. */
struct lane { int64_t *ends; size_t n, cap; int64_t busy; };
struct lanes { struct lane *items; size_t n, cap; };

TL_ORDER_IN(by_track_and_start, struct pf_item, struct tl_ev, TL_ASC(ctx[x->event].track) TL_ASC(x->start) TL_DESC(x->end))

/* Is there room on the lane? Nothing lies in work of a device: this would hide that it ran at the same time. */
static bool fits(struct lane *l, const struct pf_item *s, bool device)
{
	while (l->n && l->ends[l->n - 1] <= s->start)
		l->n--;
	return (!l->n || l->ends[l->n - 1] >= s->end) && !(device && l->busy > s->start);
}

/* The number of the first lane with room. */
static uint32_t lane_for(struct lanes *all, const struct pf_item *s, bool device, bool work)
{
	size_t i = 0;

	while (i < all->n && !fits(&all->items[i], s, device))
		i++;
	if (i == all->n)
		TL_PUSH(all->items, all->n, all->cap, (struct lane){ .busy = INT64_MIN });
	struct lane *l = &all->items[i];
	TL_PUSH(l->ends, l->n, l->cap, s->end);
	if (work)
		l->busy = s->end;
	return (uint32_t)i;
}

static void end_lanes(struct lanes *all)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->items[i].ends);
	all->n = 0;
}

static enum tl_status give_lanes(struct pf_writer *w)
{
	struct lanes all = { 0 };
	const struct tl_ev *events = w->t->events;

	tl_merge_sort(w->items, w->n_items, sizeof *w->items, by_track_and_start, w->t->events);
	for (size_t i = 0; i < w->n_items && all.n < (1u << PF_LANE_BITS); i++) {
		struct pf_item *s = &w->items[i];
		const struct tl_ev *e = &events[s->event];
		struct pf_track *track = &w->tracks[e->track];
		if (i && events[s[-1].event].track != e->track)
			end_lanes(&all);
		s->lane = lane_for(&all, s, track->device, tl_kind_is_gpu(e->kind));
		w->report->n_moved += s->lane > 0;
		w->report->n_lanes += s->lane >= track->n_lanes && s->lane;
		if (s->lane >= track->n_lanes)
			track->n_lanes = s->lane + 1;
	}
	bool too_many = all.n >= (1u << PF_LANE_BITS);
	end_lanes(&all);
	free(all.items);
	return too_many ? tl_fail(w->err, TL_ERR_DATA, "more than %u events of one track at a time", 1u << PF_LANE_BITS) : TL_OK;
}

/* ---- which there are -------------------------------------------------------------- */

/* Notes the event if it is shown. */
static void take_event(struct pf_writer *w, uint32_t i, const struct tl_ranks *ranks)
{
	const struct tl_ev *e = &w->t->events[i];
	enum pf_shape shape = tl_pw_shape(w->t, e);
	struct pf_track *track = &w->tracks[e->track];

	if (shape == PF_KEPT)
		return;
	w->flags[i] |= PF_SHOWN;
	if (!track->n_lanes) {
		track->n_lanes = 1;
		track->group = group_of(w, &w->t->tracks[e->track], track->device);
		struct pf_group *g = &w->groups[track->group];
		struct tl_cell rank = g->rank == INT64_MIN ? tl_rank_of(w->t, ranks, i) : tl_cell_null();
		if (rank.type == TL_CELL_INT)
			g->rank = rank.i;
	}
	if (shape == PF_AS_SPAN)
		w->items[w->n_items++] = (struct pf_item){ e->ts, tl_ticks_add(e->ts, e->dur), i, 0 };
}

enum tl_status tl_pw_find_tracks(struct pf_writer *w)
{
	struct tl_trace *t = w->t;
	struct tl_ranks ranks = tl_ranks_of(t);

	w->tracks = tl_calloc((size_t)t->n_tracks + 1, sizeof *w->tracks);
	w->items = tl_alloc(((size_t)t->n_events + 1) * sizeof *w->items);
	for (uint32_t i = 0; i < t->n_tracks; i++) {
		struct pf_track *track = &w->tracks[i];
		track->has_number = number_of(t, t->tracks[i].tid, &track->number);
		track->number = track->has_number ? track->number : INT64_MAX;
		track->sort = INT64_MAX;
	}
	for (uint32_t i = 0; i < t->n_events; i++)
		if (tl_kind_is_gpu(t->events[i].kind) || t->events[i].kind == TL_KIND_GPU_ANNOTATION)
			w->tracks[t->events[i].track].device = true;
	for (uint32_t i = 0; i < t->n_events; i++)
		take_event(w, i, &ranks);
	order(w);
	return give_lanes(w);
}

uint32_t tl_pw_group_of(const struct pf_writer *w, uint32_t event)
{
	return w->tracks[w->t->events[event].track].group;
}

/* ---- descriptors ------------------------------------------------------------------ */

static Tl__TrackDescriptor track_of(uint64_t id, uint64_t parent, uint64_t place)
{
	Tl__TrackDescriptor d = TL__TRACK_DESCRIPTOR__INIT;

	d.uuid = id;
	if (parent)
		PF_SET(&d, parent_uuid, parent);
	d.child_ordering = TL__TRACK_DESCRIPTOR__CHILD_TRACKS_ORDERING__EXPLICIT;
	PF_SET(&d, sibling_order_rank, (int32_t)place);
	PF_SET(&d, sibling_merge_behavior, TL__TRACK_DESCRIPTOR__SIBLING_MERGE_BEHAVIOR__SIBLING_MERGE_BEHAVIOR_NONE);
	return d;
}

static void put_track(struct pf_writer *w, Tl__TrackDescriptor *d)
{
	Tl__TracePacket p = TL__TRACE_PACKET__INIT;

	p.track_descriptor = d;
	tl_pw_put_packet(w, &p);
}

static void put_group(struct pf_writer *w, const struct pf_group *g)
{
	const struct tl_trace *t = w->t;
	struct tl_buf name = { 0 };

	if (g->rank != INT64_MIN)
		tl_buf_addf(&name, "rank %lld ", (long long)g->rank);
	if (g->device && g->label)
		tl_buf_adds(&name, tl_str(&t->strings, g->label));
	else {
		tl_buf_adds(&name, g->name ? tl_str(&t->strings, g->name) : g->device ? "device" : "process");
		tl_buf_adds(&name, g->label && !g->process ? " " : "");
		tl_buf_adds(&name, g->label && !g->process ? tl_str(&t->strings, g->label) : "");
	}
	if (!g->process && !(g->device && g->label)) {
		tl_buf_addc(&name, ' ');
		add_plain(&name, t, g->pid);
	}
	Tl__TrackDescriptor d = track_of(g->uuid, 0, g->place);
	Tl__ProcessDescriptor process = TL__PROCESS_DESCRIPTOR__INIT;
	ProtobufCBinaryData label = tl_pw_text(w, g->label);
	if (g->process) {
		process.pid = (int32_t)g->number;
		process.legacy_sort_index = (int32_t)g->place;
		process.process_name = tl_pw_bytes(w, name.data, name.len);
		process.n_process_labels = g->label != 0;
		process.process_labels = &label;
		d.process = &process;
	} else
		PF_SET(&d, name, tl_pw_bytes(w, name.data, name.len));
	put_track(w, &d);
	tl_buf_release(&name);
}

static void name_lane(struct pf_writer *w, const struct tl_trace_track *track, const struct pf_track *p, uint32_t lane, struct tl_buf *name)
{
	uint32_t known = known_name(w->t, track->thread_name);

	tl_buf_clear(name);
	if (known)
		tl_buf_adds(name, tl_str(&w->t->strings, known));
	else {
		tl_buf_adds(name, p->device ? "stream " : "thread ");
		add_plain(name, w->t, track->tid);
	}
	while (name->len && name->data[name->len - 1] == ' ')
		name->data[--name->len] = '\0';
	if (lane)
		tl_buf_addf(name, " (%u)", lane + 1);
}

static void put_lane(struct pf_writer *w, uint32_t number, uint32_t lane, struct tl_buf *name)
{
	const struct pf_track *p = &w->tracks[number];
	const struct pf_group *g = &w->groups[p->group];
	uint64_t id = ((uint64_t)number + 1) << PF_LANE_BITS;
	bool has_thread = g->process && is_id(p->has_number, p->number);

	name_lane(w, &w->t->tracks[number], p, lane, name);
	/* lanes of a stream are siblings, one below the other; those of a thread are below its track */
	bool below = has_thread && lane;
	Tl__TrackDescriptor d = track_of(id | lane, below ? id : g->uuid, below ? lane : (uint64_t)p->place << 4 | (lane < 15 ? lane : 15));
	Tl__ThreadDescriptor thread = TL__THREAD_DESCRIPTOR__INIT;
	ProtobufCBinaryData text = tl_pw_bytes(w, name->data, name->len);
	if (has_thread && !lane) {
		thread.pid = (int32_t)g->number;
		thread.tid = p->number;
		thread.legacy_sort_index = (int32_t)p->place;
		thread.thread_name = text;
		d.thread = &thread;
	} else
		PF_SET(&d, name, text);
	put_track(w, &d);
}

void tl_pw_put_tracks(struct pf_writer *w)
{
	struct tl_buf name = { 0 };
	Tl__TrackDescriptor root = TL__TRACK_DESCRIPTOR__INIT;

	root.uuid = 0;
	root.child_ordering = TL__TRACK_DESCRIPTOR__CHILD_TRACKS_ORDERING__EXPLICIT;
	PF_SET(&root, process_ordering, TL__TRACK_DESCRIPTOR__ORDERING__ORDERING_EXPLICIT);
	PF_SET(&root, thread_ordering, TL__TRACK_DESCRIPTOR__ORDERING__ORDERING_EXPLICIT);
	put_track(w, &root);
	for (size_t i = 0; i < w->n_groups; i++)
		put_group(w, &w->groups[i]);
	for (uint32_t i = 0; i < w->t->n_tracks; i++)
		for (uint32_t lane = 0; lane < w->tracks[i].n_lanes; lane++)
			put_lane(w, i, lane, &name);
	tl_buf_release(&name);
}

uint64_t tl_pw_add_track(struct pf_writer *w, uint32_t group, const char *name, Tl__CounterDescriptor__Unit unit, const char *unit_name)
{
	uint64_t id = w->next_uuid++;
	Tl__TrackDescriptor d = track_of(id, group == UINT32_MAX ? 0 : w->groups[group].uuid, (uint64_t)1 << 30 | id);
	Tl__CounterDescriptor counter = TL__COUNTER_DESCRIPTOR__INIT;

	PF_SET(&d, name, tl_pw_bytes(w, name, strlen(name)));
	if (unit)
		PF_SET(&counter, unit, unit);
	else if (unit_name)
		PF_SET(&counter, unit_name, tl_pw_bytes(w, unit_name, strlen(unit_name)));
	if (unit || unit_name)
		d.counter = &counter;
	put_track(w, &d);
	return id;
}
