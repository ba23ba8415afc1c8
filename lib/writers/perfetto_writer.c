/* perfetto_writer.c - writes a trace in memory as Perfetto's packets: its events.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "writers/perfetto_parts.h"

#include "base/search.h"
#include "base/merge_sort.h"
#include "json/json_writer.h"

#include <stdlib.h>

/* Numbers of fields: of ChromeEventBundle, ChromeMetadata, ChromeTraceEvent and its Arg. */
enum { BUNDLE_EVENT = 1, BUNDLE_FACT = 2 };
enum { FACT_NAME = 1, FACT_TEXT = 2, FACT_INT = 4, FACT_JSON = 5 };
enum { OLD_NAME = 1, OLD_TIME = 2, OLD_PHASE = 3, OLD_DUR = 5, OLD_CATEGORY = 10, OLD_ARG = 14, OLD_ARG_JSON = 8 };

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

/* An argument of a TrackEvent, whose name has a number, or of a ChromeTraceEvent. */
static size_t open_arg(struct pf_writer *w, uint32_t key, bool old)
{
	struct tl_buf *b = &w->packets;
	size_t arg = tl_pb_open(b, old ? OLD_ARG : PF_ARG, 1);

	if (old)
		tl_pb_put_bytes(b, PF_ARG_NAME, tl_str(&w->t->strings, key), tl_str_len(&w->t->strings, key));
	else
		tl_pb_put_number(b, PF_ARG_NAME, tl_pw_interned(w, PF_ARG_NAMES, key));
	return arg;
}

static void put_int(struct pf_writer *w, uint32_t key, int64_t value, bool old)
{
	size_t arg = open_arg(w, key, old);

	tl_pb_put_number(&w->packets, PF_ARG_INT, (uint64_t)value);
	tl_pb_close(&w->packets, arg, 1);
}

static void put_arg(struct pf_writer *w, const struct tl_field *f, int64_t value, bool old)
{
	const struct tl_strtab *s = &w->t->strings;
	uint32_t id = (uint32_t)value;

	if (f->type == TL_FIELD_INT) {
		put_int(w, f->key, value, old);
		return;
	}
	size_t arg = open_arg(w, f->key, old);
	uint32_t field = f->type == TL_FIELD_STRING ? PF_ARG_TEXT : old ? OLD_ARG_JSON : PF_ARG_JSON;
	if (id || f->type == TL_FIELD_STRING)
		tl_pb_put_bytes(&w->packets, field, tl_str(s, id), tl_str_len(s, id));
	else
		tl_pb_put_text(&w->packets, field, "null");
	tl_pb_close(&w->packets, arg, 1);
}

/* What tells the event apart, then its own arguments. */
static void put_args(struct pf_writer *w, const struct tl_ev *e, bool exact, bool old)
{
	const struct tl_layout *l = &w->t->layouts[e->layout];

	put_int(w, w->uid_key, e->uid, old);
	put_int(w, w->layout_key, e->layout, old);
	if (!exact) {
		put_int(w, w->start_key, e->ts, old);
		put_int(w, w->dur_key, e->dur, old);
	}
	TL_GROW(w->values, w->cap_values, l->n_fields);
	tl_trace_values(w->t, e, w->values);
	for (uint32_t i = 0; i < l->n_fields; i++)
		put_arg(w, &l->fields[i], w->values[i], old);
}

/* ---- arrows ----------------------------------------------------------------------- */

static void put_flow(struct pf_writer *w, uint64_t id, bool ends)
{
	tl_pb_put_fixed64(&w->packets, ends ? PF_FLOW_END : PF_FLOW, id);
	w->report->n_flows += ends;
}

/* An arrow has the number of the device event or backward node that it leads to. */
static void put_flows(struct pf_writer *w, uint32_t event)
{
	struct tl_trace *t = w->t;
	uint32_t n = 0;

	if (tl_kind_is_gpu(t->events[event].kind)) {
		if (w->flags[event] & PF_LAUNCHED)
			put_flow(w, (uint64_t)event + 1, true);
	} else if (w->flags[event] & PF_LAUNCHES) {
		const uint32_t *work = tl_trace_launched(t, event, &n);
		for (uint32_t i = 0; i < n; i++)
			put_flow(w, (uint64_t)work[i] + 1, false);
	}
	if (w->flags[event] & PF_BACKWARD)
		put_flow(w, (uint64_t)event + 1, true);
	if (!(w->flags[event] & PF_FORWARD))
		return;
	size_t i;
	TL_SEARCH(i, t->n_bwds, mid, w->bwds[mid].fwd < event);
	for (; i < t->n_bwds && w->bwds[i].fwd == event; i++)
		put_flow(w, (uint64_t)w->bwds[i].bwd + 1, false);
}

static int by_forward(const void *a, const void *b, void *ctx)
{
	uint32_t x = ((const struct tl_bwd *)a)->fwd, y = ((const struct tl_bwd *)b)->fwd;

	(void)ctx;
	return x < y ? -1 : x > y;
}

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
	uint64_t track = ((uint64_t)e->track + 1) << PF_LANE_BITS | lane;
	size_t packet = tl_pw_open_packet(w, true, tl_pw_ns(w, e->ts), true);
	size_t event = tl_pw_open_event(w, span ? PF_BEGIN : PF_INSTANT, track);

	if (cat)
		tl_pb_put_number(&w->packets, PF_CATEGORY, tl_pw_interned(w, PF_CATEGORIES, cat));
	if (e->name)
		tl_pb_put_number(&w->packets, PF_NAME, tl_pw_interned(w, PF_NAMES, e->name));
	if (w->flags[number] & ~PF_SHOWN)
		put_flows(w, number);
	put_args(w, e, exact, false);
	tl_pb_close(&w->packets, event, 2);
	tl_pw_close_packet(w, packet);
	if (span)
		tl_pw_put_end(w, track, tl_pw_ns(w, end_of(e)));
	*(span ? &w->report->n_spans : &w->report->n_instants) += 1;
}

/* An event that the viewer is not shown, as ChromeTraceEvent. */
static void keep_event(struct pf_writer *w, const struct tl_ev *e)
{
	const struct tl_strtab *s = &w->t->strings;
	const struct tl_layout *l = &w->t->layouts[e->layout];
	struct tl_buf *b = &w->packets;
	bool has_ts = l->flags & TL_HAS_TS, exact = !(l->flags & TL_HAS_DUR) && (!has_ts || is_exact(w, e->ts));
	uint64_t ns = tl_pw_ns(w, e->ts);
	size_t packet = tl_pw_open_packet(w, has_ts, ns, false), bundle = tl_pb_open(b, PF_CHROME, 2), event = tl_pb_open(b, BUNDLE_EVENT, 2);

	tl_pb_put_bytes(b, OLD_NAME, tl_str(s, e->name), tl_str_len(s, e->name));
	if (has_ts)
		tl_pb_put_number(b, OLD_TIME, ns / 1000);
	tl_pb_put_number(b, OLD_PHASE, (unsigned char)l->ph);
	if (l->cat)
		tl_pb_put_bytes(b, OLD_CATEGORY, tl_str(s, l->cat), tl_str_len(s, l->cat));
	put_int(w, w->track_key, e->track, true);
	put_args(w, e, exact, true);
	tl_pb_close(b, event, 2);
	tl_pb_close(b, bundle, 2);
	tl_pw_close_packet(w, packet);
	w->report->n_kept++;
}

/* ---- the trace -------------------------------------------------------------------- */

/* Begins a fact about the trace, whose value the caller puts. */
static size_t open_fact(struct pf_writer *w, const char *name, size_t len)
{
	size_t fact = tl_pb_open(&w->packets, BUNDLE_FACT, 1);

	tl_pb_put_bytes(&w->packets, FACT_NAME, name, len);
	return fact;
}

static void put_fact(struct pf_writer *w, const char *name, uint32_t field, const char *text, size_t len)
{
	size_t fact = open_fact(w, name, strlen(name));

	tl_pb_put_bytes(&w->packets, field, text, len);
	tl_pb_close(&w->packets, fact, 1);
}

static void put_fact_number(struct pf_writer *w, const char *name, int64_t value)
{
	size_t fact = open_fact(w, name, strlen(name));

	tl_pb_put_number(&w->packets, FACT_INT, (uint64_t)value);
	tl_pb_close(&w->packets, fact, 1);
}

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

static void put_list(struct pf_writer *w, const char *name, void (*list)(const struct tl_trace *, struct tl_json *))
{
	struct tl_buf text = { 0 };
	struct tl_json j = { .to = &text, .in_line = true };

	list(w->t, &j);
	put_fact(w, name, FACT_JSON, text.data, text.len);
	tl_buf_release(&text);
}

/* What tl-parse needs to read the events as they were, in the first packet; then the members of the trace. */
static void put_facts(struct pf_writer *w)
{
	const struct tl_strtab *s = &w->t->strings;
	size_t packet = tl_pw_open_packet(w, false, 0, false), bundle;

	tl_pb_put_number(&w->packets, PF_FLAGS, PF_CLEARED);
	bundle = tl_pb_open(&w->packets, PF_CHROME, 2);
	put_fact_number(w, "tl-view", 1);
	put_fact(w, "tl-view source", FACT_TEXT, w->t->source, strlen(w->t->source));
	put_fact_number(w, "tl-view ticks per us", w->t->ticks_per_us);
	put_list(w, "tl-view layouts", list_layouts);
	put_list(w, "tl-view tracks", list_tracks);
	tl_pb_close(&w->packets, bundle, 2);
	tl_pw_close_packet(w, packet);
	for (size_t i = 0; i < w->t->n_meta; i++) {
		const struct tl_meta_entry *m = &w->t->meta[i];
		packet = tl_pw_open_packet(w, false, 0, false);
		bundle = tl_pb_open(&w->packets, PF_CHROME, 2);
		size_t fact = open_fact(w, tl_str(s, m->key), tl_str_len(s, m->key));
		tl_pb_put_bytes(&w->packets, FACT_JSON, tl_str(s, m->json), tl_str_len(s, m->json));
		tl_pb_close(&w->packets, fact, 1);
		tl_pb_close(&w->packets, bundle, 2);
		tl_pw_close_packet(w, packet);
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
		put_facts(&w);
		tl_pw_put_tracks(&w);
		put_events(&w);
		tl_pw_put_extra(&w);
		tl_pw_flush(&w, 0);
	}
	tl_buf_release(&w.packets);
	tl_buf_release(&w.interned);
	tl_by_id_release(&w.known);
	free(w.groups);
	free(w.tracks);
	free(w.items);
	free(w.flags);
	free(w.bwds);
	free(w.values);
	return w.status;
}
