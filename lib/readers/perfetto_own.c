/* perfetto_own.c - a trace of Perfetto that tl-view wrote (lib/writers/perfetto_parts.h): the events as they were, in their order.
 *
 * The first packet says how events were before; each event says its number and its layout, by two arguments.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/perfetto.h"

#include <stdlib.h>
#include <string.h>

#include "base/merge_sort.h"
#include "base/text.h"
#include "base/value.h"
#include "model/trace.h"
#include "model/trace_source.h"

/* Numbers of fields: of ChromeEventBundle, ChromeMetadata, ChromeTraceEvent and its Arg. */
enum { EVENT = 1, FACT = 2 };
enum { FACT_NAME = 1, FACT_TEXT = 2, FACT_INT = 4, FACT_JSON = 5 };
enum { OLD_NAME = 1, OLD_CATEGORY = 10, OLD_ARG = 14 };
enum { ARG_NAME = 1, ARG_INT = 4, ARG_TEXT = 6, ARG_JSON = 8 };
enum { LANE_BITS = 24, VERSION = 1 };

struct layout { uint8_t kind, flags; char ph; uint32_t n_top; uint32_t *top; };
struct track { const char *pid, *tid; size_t pid_len, tid_len; struct tl_made_id id; };
struct tl_pf_own {
	struct tl_header header;
	struct tl_sink *in_memory;
	struct tl_trace *trace;
	struct layout *layouts; uint32_t n_layouts;
	struct track *tracks; uint32_t n_tracks;
	struct tl_arena arena;
};

/* ---- what the first packet says ---------------------------------------------------- */

struct fact { struct tl_pf_text name, text, json; int64_t number; };

static bool read_fact(struct tl_bytes data, struct fact *f)
{
	struct tl_pb_field field;

	*f = (struct fact){ .name = { "", 0, NULL }, .text = { "", 0, NULL }, .json = { "", 0, NULL } };
	while (tl_pb_next(&data, &field))
		switch (field.number) {
		case FACT_NAME: f->name = tl_pf_text(&field); break;
		case FACT_TEXT: f->text = tl_pf_text(&field); break;
		case FACT_INT: f->number = (int64_t)field.value; break;
		case FACT_JSON: f->json = tl_pf_text(&field); break;
		default: break;
		}
	return !data.bad;
}

static bool is_fact(const struct fact *f, const char *name)
{
	return tl_text_is(f->name.s, f->name.len, name);
}

/* An item of the list of layouts: kind, phase, flags, which fields are members of the event itself. */
static bool read_layout(struct tl_pf_own *o, const struct tl_value *v, struct layout *l)
{
	if (v->type != TL_V_LIST || v->len < 3 || v->items[0].type != TL_V_TEXT || v->items[1].type != TL_V_TEXT || v->items[2].type != TL_V_INT)
		return false;
	int kind = tl_kind_by_name(v->items[0].text, v->items[0].len);
	if (kind < 0)
		return false;
	*l = (struct layout){ .kind = (uint8_t)kind, .ph = v->items[1].text[0], .flags = (uint8_t)(v->items[2].i & TL_LAYOUT_FLAGS), .n_top = v->len - 3 };
	l->top = tl_arena_alloc(&o->arena, (size_t)(l->n_top + 1) * sizeof *l->top);
	for (uint32_t i = 0; i < l->n_top; i++) {
		if (v->items[i + 3].type != TL_V_INT)
			return false;
		l->top[i] = (uint32_t)v->items[i + 3].i;
	}
	return true;
}

static bool read_own_track(const struct tl_value *v, struct track *t)
{
	if (v->type != TL_V_LIST || v->len != 2 || v->items[0].type != TL_V_TEXT || v->items[1].type != TL_V_TEXT)
		return false;
	*t = (struct track){ v->items[0].text, v->items[1].text, v->items[0].len, v->items[1].len, { 0, 0 } };
	return true;
}

static bool read_lists(struct tl_pf_own *o, const struct fact *f)
{
	struct tl_value list;
	bool layouts = is_fact(f, "tl-view layouts"), ok = true;

	if (tl_value_parse(&o->arena, f->json.s, f->json.len, &list, NULL) != TL_OK || list.type != TL_V_LIST)
		return false;
	if (layouts) {
		o->layouts = tl_arena_alloc(&o->arena, (list.len + 1) * sizeof *o->layouts);
		o->n_layouts = list.len;
	} else {
		o->tracks = tl_arena_alloc(&o->arena, (list.len + 1) * sizeof *o->tracks);
		o->n_tracks = list.len;
	}
	for (uint32_t i = 0; i < list.len && ok; i++)
		ok = layouts ? read_layout(o, &list.items[i], &o->layouts[i]) : read_own_track(&list.items[i], &o->tracks[i]);
	return ok;
}

bool tl_pf_is_own(struct tl_bytes bundle)
{
	struct tl_pb_field field;
	struct fact f;

	return tl_pb_next(&bundle, &field) && field.number == FACT && read_fact(tl_pb_message(&field), &f) && is_fact(&f, "tl-view");
}

static bool read_description(struct tl_pf_own *o, struct tl_bytes bundle)
{
	struct tl_pb_field field;
	struct fact f;
	int64_t version = 0;

	while (tl_pb_next(&bundle, &field)) {
		if (field.number != FACT || !read_fact(tl_pb_message(&field), &f))
			return false;
		if (is_fact(&f, "tl-view"))
			version = f.number;
		else if (is_fact(&f, "tl-view source"))
			o->header.source = tl_arena_dup(&o->arena, f.text.s, f.text.len);
		else if (is_fact(&f, "tl-view ticks per us"))
			o->header.ticks_per_us = f.number;
		else if ((is_fact(&f, "tl-view layouts") || is_fact(&f, "tl-view tracks")) && !read_lists(o, &f))
			return false;
	}
	return !bundle.bad && version == VERSION && o->header.source && o->header.ticks_per_us > 0 && o->layouts && o->tracks;
}

/* ---- events ------------------------------------------------------------------------ */

static bool bad_event(struct tl_pf_reader *r)
{
	return tl_pf_damaged(r, "an event unlike those that tl-view --perfetto writes");
}

static bool take_int(const struct tl_pf_slice *s, size_t i, const char *name, int64_t *value)
{
	if (i >= s->n_args || s->args[i].type != TL_FIELD_INT || !tl_text_is(s->args[i].key.s, s->args[i].key.len, name))
		return false;
	*value = s->args[i].value;
	return true;
}

static uint32_t id_of(struct tl_pf_reader *r, const struct tl_pf_text *t)
{
	return t->name ? tl_make_known(&r->make, &t->name->id, t->s, t->len) : tl_add_string(&r->make.tables, t->s, t->len);
}

/* ns as ticks, limited as tl_ticks_of_us limits. */
static int64_t ticks_of(const struct tl_pf_own *o, int64_t ns)
{
	__int128 ticks = (__int128)ns * o->header.ticks_per_us / 1000;

	return ticks > INT64_MAX ? INT64_MAX : (int64_t)ticks;
}

static uint32_t own_track(struct tl_pf_reader *r, struct track *t)
{
	struct tl_tables *tables = &r->make.tables;

	if (t->id.epoch != r->make.epoch) {
		uint32_t pid = t->pid_len ? tl_add_string(tables, t->pid, t->pid_len) : 0, tid = t->tid_len ? tl_add_string(tables, t->tid, t->tid_len) : 0;
		t->id = (struct tl_made_id){ tl_add_track(tables, pid, tid), r->make.epoch };
	}
	return t->id.id;
}

/* Pushes the event on that track; its arguments begin with those of tl-view, from `first` on. */
static bool push(struct tl_pf_reader *r, const struct tl_pf_slice *s, int64_t track, size_t first)
{
	struct tl_pf_own *o = r->own;
	struct tl_maker *m = &r->make;
	int64_t uid, layout, ts, dur;

	if (!take_int(s, first, "tl-view uid", &uid) || !take_int(s, first + 1, "tl-view layout", &layout) || uid < 0 || layout < 0 ||
	    layout >= o->n_layouts || track < 0 || track >= o->n_tracks)
		return bad_event(r);
	const struct layout *l = &o->layouts[layout];
	first += 2;
	if (take_int(s, first, "tl-view start", &ts) && take_int(s, first + 1, "tl-view duration", &dur)) {
		first += 2;
	} else {
		ts = ticks_of(o, s->ts);
		dur = s->has_dur ? ticks_of(o, tl_pf_end(s)) - ts : 0;
	}
	tl_make_event(m, (uint64_t)uid, l->kind, l->ph);
	m->event.ts = l->flags & TL_HAS_TS ? ts : 0;
	m->event.dur = l->flags & TL_HAS_DUR ? dur : 0;
	m->event.name = s->name.len || l->flags & TL_HAS_NAME ? id_of(r, &s->name) : 0;
	m->event.track = own_track(r, &o->tracks[track]);
	m->layout.flags = l->flags;
	m->layout.cat = s->category.len ? id_of(r, &s->category) : 0;
	m->layout.n_fields = (uint32_t)(s->n_args - first);
	for (uint32_t i = 0; i < m->layout.n_fields; i++) {
		const struct tl_pf_arg *a = &s->args[first + i];
		m->fields[i] = (struct tl_field){ .key = id_of(r, &a->key), .type = (uint8_t)a->type };
		m->values[i] = a->type == TL_FIELD_INT ? a->value : id_of(r, &a->text);
	}
	for (uint32_t i = 0; i < l->n_top; i++)
		if (l->top[i] < m->layout.n_fields)
			m->fields[l->top[i]].top = 1;
	r->n_events++;
	r->status = tl_push_made(m, &r->error);
	return !r->status;
}

static bool push_slice(struct tl_pf_reader *r, const struct tl_pf_slice *s)
{
	if (s->track >> LANE_BITS == 0)
		return true; /* a track of what is no event of the trace */
	return push(r, s, (int64_t)(s->track >> LANE_BITS) - 1, 0);
}

bool tl_pf_own_begin(struct tl_pf_reader *r, struct tl_bytes bundle)
{
	struct tl_pf_own *o = r->own = tl_calloc(1, sizeof *o);

	r->push_own = push_slice;
	o->in_memory = tl_trace_sink_new(&o->trace, NULL);
	if (!read_description(o, bundle))
		return tl_pf_damaged(r, "expected what tl-view --perfetto of this version writes first");
	r->status = tl_maker_begin(&r->make, o->in_memory, r->report, &o->header, &r->error);
	return !r->status;
}

/* ---- events that the viewer is not shown, and members of the trace -------------------- */

static bool read_arg(struct tl_pf_reader *r, struct tl_bytes data)
{
	struct tl_pf_slice *s = &r->slice;
	struct tl_pf_arg *a = &s->args[s->n_args];
	struct tl_pb_field f;

	if (s->n_args == TL_PF_MAX_ARGS)
		return false;
	*a = (struct tl_pf_arg){ .key = { "", 0, NULL }, .text = { "", 0, NULL }, .type = TL_FIELD_INT };
	while (tl_pb_next(&data, &f))
		if (f.number == ARG_NAME)
			a->key = tl_pf_text(&f);
		else if (f.number == ARG_INT)
			a->value = (int64_t)f.value;
		else if (f.number == ARG_TEXT || f.number == ARG_JSON) {
			a->type = f.number == ARG_TEXT ? TL_FIELD_STRING : TL_FIELD_JSON;
			a->text = tl_pf_text(&f);
			if (f.number == ARG_JSON && !tl_pf_check_json(r, &a->text))
				return false;
		}
	s->n_args++;
	return !data.bad;
}

static bool read_kept(struct tl_pf_reader *r, struct tl_bytes data, bool has_ts, int64_t ns)
{
	struct tl_pf_slice *s = &r->slice;
	struct tl_pb_field f;
	int64_t track = -1;

	s->n_args = 0;
	s->has_dur = false;
	s->ts = has_ts ? ns : 0;
	s->name = s->category = (struct tl_pf_text){ "", 0, NULL };
	if (r->scratch.total)
		tl_arena_clear(&r->scratch);
	while (tl_pb_next(&data, &f)) {
		if (f.number == OLD_NAME)
			s->name = tl_pf_text(&f);
		else if (f.number == OLD_CATEGORY)
			s->category = tl_pf_text(&f);
		else if (f.number == OLD_ARG && !read_arg(r, tl_pb_message(&f)))
			return bad_event(r);
	}
	if (data.bad || !take_int(s, 0, "tl-view track", &track))
		return bad_event(r);
	return push(r, s, track, 1);
}

static bool read_member(struct tl_pf_reader *r, struct tl_bytes data)
{
	struct tl_sink *to = r->own->in_memory;
	struct fact f;

	if (!read_fact(data, &f) || !tl_pf_check_json(r, &f.json))
		return tl_pf_damaged(r, "a fact about the trace that is no JSON");
	r->status = to->ops->meta(to, f.name.s, f.name.len, f.json.s, f.json.len, &r->error);
	return !r->status;
}

bool tl_pf_own_bundle(struct tl_pf_reader *r, struct tl_bytes bundle, bool has_ts, int64_t ns)
{
	struct tl_pb_field f;

	if (tl_pf_is_own(bundle))
		return true; /* what was read first */
	while (tl_pb_next(&bundle, &f))
		if ((f.number == EVENT && !read_kept(r, tl_pb_message(&f), has_ts, ns)) || (f.number == FACT && !read_member(r, tl_pb_message(&f))))
			return false;
	return !bundle.bad || bad_event(r);
}

/* ---- the end ------------------------------------------------------------------------- */

TL_ORDER_IN(by_uid, uint32_t, struct tl_ev, TL_ASC(ctx[*x].uid))

static bool push_in_order(struct tl_pf_reader *r, struct tl_trace_source *source, const uint32_t *order)
{
	const struct tl_trace *t = r->own->trace;

	for (uint32_t i = 0; i < t->n_events && !r->status; i++) {
		const struct tl_ev *e = &t->events[order[i]];
		if (i && e->uid == t->events[order[i - 1]].uid && e->kind != TL_KIND_COUNTER) /* counters of one record share it */
			return tl_pf_damaged(r, "two events have the same number: two files of tl-view --perfetto behind each other?");
		r->status = tl_trace_source_event(source, order[i], e->ts, e->dur, &r->error);
	}
	return !r->status;
}

bool tl_pf_own_end(struct tl_pf_reader *r, struct tl_sink *sink)
{
	struct tl_pf_own *o = r->own;
	struct tl_trace *t = o->trace;
	struct tl_trace_source source = { .trace = t, .to = sink };
	uint32_t *order = tl_alloc(((size_t)t->n_events + 1) * sizeof *order);

	for (uint32_t i = 0; i < t->n_events; i++)
		order[i] = i;
	tl_merge_sort(order, t->n_events, sizeof *order, by_uid, t->events);
	r->status = sink->ops->begin(sink, &o->header, &source.tables, &r->error);
	for (size_t i = 0; i < t->n_meta && !r->status; i++) {
		uint32_t key = t->meta[i].key, json = t->meta[i].json;
		r->status = sink->ops->meta(sink, tl_str(&t->strings, key), tl_str_len(&t->strings, key), tl_str(&t->strings, json),
		                            tl_str_len(&t->strings, json), &r->error);
	}
	r->report->n_events = t->n_events ? (uint64_t)t->events[order[t->n_events - 1]].uid + 1 : 0;
	bool ok = !r->status && push_in_order(r, &source, order);
	tl_trace_source_release(&source);
	free(order);
	return ok;
}

void tl_pf_own_free(struct tl_pf_own *o)
{
	if (!o)
		return;
	tl_trace_sink_free(o->in_memory);
	tl_trace_free(o->trace);
	tl_arena_release(&o->arena);
	free(o);
}
