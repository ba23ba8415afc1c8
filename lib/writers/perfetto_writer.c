/* perfetto_writer.c - writes a trace in memory as Perfetto's packets: its events.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "writers/perfetto_parts.h"

#include "base/search.h"
#include "base/merge_sort.h"
#include "base/json_writer.h"

#include <stdlib.h>
#include <string.h>

/* ---- times ------------------------------------------------------------------------ */

/* Does the reader get these ticks back? */
static bool is_exact(const struct pf_writer *w, int64_t ticks)
{
	int64_t unit = w->t->ticks_per_us;

	return ticks >= 0 && (unit == 1000 || (__int128)tl_pw_ns(w, ticks) * unit == (__int128)ticks * 1000);
}

static int64_t end_of(const struct tl_ev *e)
{
	int64_t end;

	return __builtin_add_overflow(e->ts, e->dur, &end) ? INT64_MAX : end;
}

/* Counts what is shown elsewhere than it is. */
static bool shown_exactly(struct pf_writer *w, const struct tl_ev *e, bool span)
{
	int64_t end = span ? end_of(e) : e->ts;

	if (e->ts < 0 || (span && end == INT64_MAX))
		w->report->n_unshown++;
	else if (!is_exact(w, e->ts) || !is_exact(w, end))
		w->report->n_rounded++;
	else
		return span || !(e->flags & TL_EV_HAS_DUR);
	return false;
}

/* ---- arguments -------------------------------------------------------------------- */

/* What tells the event apart, then its own arguments. Returns how many. */
static size_t list_args(struct pf_writer *w, const struct tl_ev *e, bool exact, bool kept)
{
	const struct tl_layout *l = &w->t->layouts[e->layout];
	size_t n = 0;

	TL_GROW(w->args, w->cap_args, (size_t)l->n_fields + 5);
	if (kept)
		w->args[n++] = (struct pf_arg){ w->track_key, TL_FIELD_INT, e->track };
	w->args[n++] = (struct pf_arg){ w->uid_key, TL_FIELD_INT, e->uid };
	w->args[n++] = (struct pf_arg){ w->layout_key, TL_FIELD_INT, e->layout };
	if (!exact) {
		w->args[n++] = (struct pf_arg){ w->start_key, TL_FIELD_INT, e->ts };
		w->args[n++] = (struct pf_arg){ w->dur_key, TL_FIELD_INT, e->dur };
	}
	TL_GROW(w->values, w->cap_values, l->n_fields);
	tl_trace_values(w->t, e, w->values);
	for (uint32_t i = 0; i < l->n_fields; i++)
		w->args[n++] = (struct pf_arg){ l->fields[i].key, l->fields[i].type, w->values[i] };
	return n;
}

/* Pointers to n messages of that size, until the packet is written. The caller initializes them. */
static void *new_messages(struct pf_writer *w, size_t n, size_t size)
{
	char *items = tl_arena_alloc(&w->messages, n * size);
	void **list = tl_arena_alloc(&w->messages, n * sizeof *list);

	for (size_t i = 0; i < n; i++)
		list[i] = items + i * size;
	w->room += n * PF_ITEM_ROOM;
	return list;
}

static ProtobufCBinaryData json_of(struct pf_writer *w, const struct pf_arg *a)
{
	return a->value ? tl_pw_text(w, (uint32_t)a->value) : tl_pw_bytes(w, "null", 4);
}

static void add_args(struct pf_writer *w, const struct tl_ev *e, bool exact, Tl__TrackEvent *to)
{
	static const Tl__DebugAnnotation none = TL__DEBUG_ANNOTATION__INIT;
	static const Tl__IntAnnotation no_int = TL__INT_ANNOTATION__INIT;

	to->n_debug_annotations = list_args(w, e, exact, false);
	to->debug_annotations = new_messages(w, to->n_debug_annotations, sizeof **to->debug_annotations);
	for (size_t i = 0; i < to->n_debug_annotations; i++) {
		const struct pf_arg *a = &w->args[i];
		Tl__DebugAnnotation *m = to->debug_annotations[i];
		uint64_t name = tl_pw_interned(w, PF_ARG_NAMES, a->key);
		if (a->type == TL_FIELD_INT) { /* it is packed by its own descriptor, which the base of a message names */
			Tl__IntAnnotation *number = (Tl__IntAnnotation *)m;
			*number = no_int;
			number->name_iid = name;
			number->int_value = a->value;
			continue;
		}
		*m = none;
		m->name_iid = name;
		if (a->type == TL_FIELD_STRING)
			PF_SET(m, string_value, tl_pw_text(w, (uint32_t)a->value));
		else
			PF_SET(m, legacy_json_value, json_of(w, a));
	}
}

static void add_kept_args(struct pf_writer *w, const struct tl_ev *e, bool exact, Tl__ChromeTraceEvent *to)
{
	to->n_args = list_args(w, e, exact, true);
	to->args = new_messages(w, to->n_args, sizeof **to->args);
	for (size_t i = 0; i < to->n_args; i++) {
		const struct pf_arg *a = &w->args[i];
		Tl__ChromeTraceEvent__Arg *m = to->args[i];
		tl__chrome_trace_event__arg__init(m);
		m->name = tl_pw_text(w, a->key);
		if (a->type == TL_FIELD_INT)
			PF_SET(m, int_value, a->value);
		else if (a->type == TL_FIELD_STRING)
			PF_SET(m, string_value, tl_pw_text(w, (uint32_t)a->value));
		else
			PF_SET(m, json_value, json_of(w, a));
	}
}

/* ---- arrows ----------------------------------------------------------------------- */

static void add_id(struct pf_writer *w, struct pf_ids *ids, uint32_t event)
{
	w->room += PF_ITEM_ROOM;
	TL_PUSH(ids->items, ids->n, ids->cap, (uint64_t)event + 1);
}

/* An arrow has the number of the device event or backward node that it leads to. */
static void add_flows(struct pf_writer *w, uint32_t event, Tl__TrackEvent *to)
{
	struct tl_trace *t = w->t;
	uint8_t flags = w->flags[event];
	uint32_t n = 0;
	size_t i;

	w->flows.n = w->flow_ends.n = 0;
	if (flags & PF_LAUNCHED && tl_kind_is_gpu(t->events[event].kind))
		add_id(w, &w->flow_ends, event);
	if (flags & PF_LAUNCHES && !tl_kind_is_gpu(t->events[event].kind)) {
		const uint32_t *work = tl_trace_launched(t, event, &n);
		for (i = 0; i < n; i++)
			add_id(w, &w->flows, work[i]);
	}
	if (flags & PF_BACKWARD)
		add_id(w, &w->flow_ends, event);
	if (flags & PF_FORWARD) {
		TL_SEARCH(i, t->n_bwds, mid, w->bwds[mid].fwd < event);
		for (; i < t->n_bwds && w->bwds[i].fwd == event; i++)
			add_id(w, &w->flows, w->bwds[i].bwd);
	}
	to->n_flow_ids = w->flows.n;
	to->flow_ids = w->flows.items;
	to->n_terminating_flow_ids = w->flow_ends.n;
	to->terminating_flow_ids = w->flow_ends.items;
	w->report->n_flows += w->flow_ends.n;
}

TL_ORDER(by_forward, struct tl_bwd, TL_ASC(x->fwd))

/* An event with an arrow must be shown; of two arrows to one event the trace keeps the last. */
static void find_flows(struct pf_writer *w)
{
	const struct tl_trace *t = w->t;

	for (size_t i = 0; i < t->n_launches; i++)
		if (w->flags[t->launches[i].runtime] & PF_SHOWN && w->flags[t->launches[i].gpu] & PF_SHOWN) {
			w->flags[t->launches[i].runtime] |= PF_LAUNCHES;
			w->flags[t->launches[i].gpu] |= PF_LAUNCHED;
		}
	w->bwds = tl_alloc((t->n_bwds + 1) * sizeof *w->bwds);
	if (t->n_bwds)
		memcpy(w->bwds, t->bwds, t->n_bwds * sizeof *w->bwds);
	tl_merge_sort(w->bwds, t->n_bwds, sizeof *w->bwds, by_forward, NULL);
	for (size_t i = 0; i < t->n_bwds; i++)
		if (w->flags[t->bwds[i].fwd] & PF_SHOWN && w->flags[t->bwds[i].bwd] & PF_SHOWN) {
			w->flags[t->bwds[i].fwd] |= PF_FORWARD;
			w->flags[t->bwds[i].bwd] |= PF_BACKWARD;
		}
}

/* ---- events ----------------------------------------------------------------------- */

/* A span or an instant of the trace. */
static void put_event(struct pf_writer *w, uint32_t number, uint32_t lane)
{
	const struct tl_ev *e = &w->t->events[number];
	bool span = tl_pw_shape(w->t, e) == PF_AS_SPAN, exact = shown_exactly(w, e, span);
	uint32_t cat = w->t->layouts[e->layout].cat;
	uint64_t track = ((uint64_t)e->track + 1) << PF_LANE_BITS | lane, category;
	Tl__TrackEvent event = tl_pw_event(span ? TL__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN : TL__TRACK_EVENT__TYPE__TYPE_INSTANT, track);

	if (cat) {
		category = tl_pw_interned(w, PF_CATEGORIES, cat);
		event.n_category_iids = 1;
		event.category_iids = &category;
	}
	if (e->name)
		PF_SET(&event, name_iid, tl_pw_interned(w, PF_NAMES, e->name));
	if (w->flags[number] & ~PF_SHOWN)
		add_flows(w, number, &event);
	add_args(w, e, exact, &event);
	tl_pw_put_event(w, &event, tl_pw_ns(w, e->ts));
	if (span)
		tl_pw_put_end(w, track, tl_pw_ns(w, end_of(e)));
	*(span ? &w->report->n_spans : &w->report->n_instants) += 1;
}

/* An event that the viewer is not shown, as ChromeTraceEvent. */
static void keep_event(struct pf_writer *w, const struct tl_ev *e)
{
	const struct tl_layout *l = &w->t->layouts[e->layout];
	bool has_ts = l->flags & TL_HAS_TS, exact = !(l->flags & TL_HAS_DUR) && (!has_ts || is_exact(w, e->ts));
	uint64_t ns = tl_pw_ns(w, e->ts);
	Tl__ChromeTraceEvent event = TL__CHROME_TRACE_EVENT__INIT, *list = &event;
	Tl__ChromeEventBundle bundle = TL__CHROME_EVENT_BUNDLE__INIT;
	Tl__TracePacket packet = TL__TRACE_PACKET__INIT;

	event.name = tl_pw_text(w, e->name);
	event.phase = (unsigned char)l->ph;
	if (has_ts) {
		PF_SET(&packet, timestamp, ns);
		PF_SET(&event, timestamp, (int64_t)(ns / 1000));
	}
	if (l->cat)
		PF_SET(&event, category_group_name, tl_pw_text(w, l->cat));
	add_kept_args(w, e, exact, &event);
	bundle.n_trace_events = 1;
	bundle.trace_events = &list;
	packet.chrome_events = &bundle;
	tl_pw_put_packet(w, &packet);
	w->report->n_kept++;
}

/* ---- the trace -------------------------------------------------------------------- */

/* The layouts as a list: kind, phase, flags, then which fields are members of the event itself. */
static void list_layouts(const struct tl_trace *t, struct tl_json *j)
{
	tl_json_open(j, NULL, '[');
	for (uint32_t i = 0; i < t->n_layouts; i++) {
		const struct tl_layout *l = &t->layouts[i];
		tl_json_open(j, NULL, '[');
		tl_json_put_string(j, NULL, tl_kind_name(l->kind));
		tl_json_put_text(j, NULL, &l->ph, l->ph ? 1 : 0);
		tl_json_put_int(j, NULL, l->flags);
		for (uint32_t k = 0; k < l->n_fields; k++)
			if (l->fields[k].top)
				tl_json_put_int(j, NULL, k);
		tl_json_close(j, ']');
	}
	tl_json_close(j, ']');
}

/* The tracks as a list: process and thread, JSON text each. */
static void list_tracks(const struct tl_trace *t, struct tl_json *j)
{
	tl_json_open(j, NULL, '[');
	for (uint32_t i = 0; i < t->n_tracks; i++) {
		const struct tl_trace_track *track = &t->tracks[i];
		tl_json_open(j, NULL, '[');
		tl_json_put_text(j, NULL, tl_str(&t->strings, track->pid), tl_str_len(&t->strings, track->pid));
		tl_json_put_text(j, NULL, tl_str(&t->strings, track->tid), tl_str_len(&t->strings, track->tid));
		tl_json_close(j, ']');
	}
	tl_json_close(j, ']');
}

static void put_facts(struct pf_writer *w, Tl__ChromeMetadata **facts, size_t n, bool first)
{
	Tl__ChromeEventBundle bundle = TL__CHROME_EVENT_BUNDLE__INIT;
	Tl__TracePacket packet = TL__TRACE_PACKET__INIT;

	bundle.n_metadata = n;
	bundle.metadata = facts;
	packet.chrome_events = &bundle;
	if (first)
		PF_SET(&packet, sequence_flags, TL__TRACE_PACKET__SEQUENCE_FLAGS__SEQ_INCREMENTAL_STATE_CLEARED);
	tl_pw_put_packet(w, &packet);
}

/* What tl-parse needs to read the events as they were, in the first packet. */
static void put_own_facts(struct pf_writer *w)
{
	static const char *const names[] = { "tl-view", "tl-view source", "tl-view ticks per us", "tl-view layouts", "tl-view tracks" };
	enum { VERSION, SOURCE, TICKS, LAYOUTS, TRACKS, FACTS };
	Tl__ChromeMetadata facts[FACTS], *list[FACTS];
	struct tl_buf layouts = { 0 }, tracks = { 0 };

	for (size_t i = 0; i < FACTS; i++) {
		list[i] = &facts[i];
		tl__chrome_metadata__init(&facts[i]);
		facts[i].name = tl_pw_bytes(w, names[i], strlen(names[i]));
	}
	list_layouts(w->t, &(struct tl_json){ .to = &layouts, .in_line = true });
	list_tracks(w->t, &(struct tl_json){ .to = &tracks, .in_line = true });
	PF_SET(&facts[VERSION], int_value, 1);
	PF_SET(&facts[SOURCE], string_value, tl_pw_bytes(w, w->t->source, strlen(w->t->source)));
	PF_SET(&facts[TICKS], int_value, w->t->ticks_per_us);
	PF_SET(&facts[LAYOUTS], json_value, tl_pw_bytes(w, layouts.data, layouts.len));
	PF_SET(&facts[TRACKS], json_value, tl_pw_bytes(w, tracks.data, tracks.len));
	put_facts(w, list, FACTS, true);
	tl_buf_release(&layouts);
	tl_buf_release(&tracks);
}

static void put_members(struct pf_writer *w)
{
	for (size_t i = 0; i < w->t->n_meta; i++) {
		Tl__ChromeMetadata fact = TL__CHROME_METADATA__INIT, *list = &fact;
		fact.name = tl_pw_text(w, w->t->meta[i].key);
		PF_SET(&fact, json_value, tl_pw_text(w, w->t->meta[i].json));
		put_facts(w, &list, 1, false);
	}
}

static void put_events(struct pf_writer *w)
{
	const struct tl_trace *t = w->t;

	for (uint32_t i = 0; i < t->n_events && !w->status; i++)
		switch (tl_pw_shape(t, &t->events[i])) {
		case PF_KEPT: keep_event(w, &t->events[i]); break;
		case PF_AS_INSTANT: put_event(w, i, 0); break;
		case PF_AS_SPAN: break;
		}
	for (size_t i = 0; i < w->n_items && !w->status; i++)
		put_event(w, w->items[i].event, w->items[i].lane);
}

enum tl_status tl_perfetto_write(struct tl_trace *t, const struct tl_perfetto_options *o, struct tl_output *out,
                                 struct tl_perfetto_report *report, struct tl_error *err)
{
	struct pf_writer w = { .t = t, .options = o, .report = report, .out = out, .err = err, .next_uuid = 1 };

	*report = (struct tl_perfetto_report){ 0 };
	w.uid_key = tl_intern_str(&t->strings, "tl-view uid");
	w.layout_key = tl_intern_str(&t->strings, "tl-view layout");
	w.track_key = tl_intern_str(&t->strings, "tl-view track");
	w.start_key = tl_intern_str(&t->strings, "tl-view start");
	w.dur_key = tl_intern_str(&t->strings, "tl-view duration");
	w.flags = tl_calloc((size_t)t->n_events + 1, 1);
	w.status = tl_pw_find_tracks(&w);
	if (!w.status) {
		find_flows(&w);
		put_own_facts(&w);
		put_members(&w);
		tl_pw_put_tracks(&w);
		put_events(&w);
		tl_pw_put_extra(&w);
		tl_pw_flush(&w, 0);
	}
	tl_buf_release(&w.packets);
	tl_arena_release(&w.messages);
	for (size_t i = 0; i < PF_TEXT_KINDS; i++)
		free(w.texts[i].items);
	tl_by_id_release(&w.known);
	free(w.groups);
	free(w.tracks);
	free(w.items);
	free(w.flags);
	free(w.bwds);
	free(w.flows.items);
	free(w.flow_ends.items);
	free(w.args);
	free(w.values);
	return w.status;
}
