/* perfetto_packets.c - Perfetto's packets: times, texts by number, events on a track.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "writers/perfetto_parts.h"

enum { FLUSH_BYTES = 1 << 18, ONE_SEQUENCE = 1 };

/* ---- packets ---------------------------------------------------------------------- */

void tl_pw_flush(struct pf_writer *w, size_t limit)
{
	if (w->packets.len <= limit)
		return;
	if (!w->status)
		w->status = w->out->write(w->out, w->packets.data, w->packets.len, w->err);
	tl_buf_clear(&w->packets);
}

ProtobufCBinaryData tl_pw_bytes(struct pf_writer *w, const char *s, size_t len)
{
	w->room += len;
	return (ProtobufCBinaryData){ len, (uint8_t *)(uintptr_t)s };
}

ProtobufCBinaryData tl_pw_text(struct pf_writer *w, uint32_t text)
{
	return tl_pw_bytes(w, tl_str(&w->t->strings, text), tl_str_len(&w->t->strings, text));
}

void tl_pw_put_packet(struct pf_writer *w, Tl__TracePacket *p)
{
	Tl__Trace trace = TL__TRACE__INIT;
	Tl__InternedData interned = TL__INTERNED_DATA__INIT;
	const struct pf_texts *categories = &w->texts[PF_CATEGORIES], *names = &w->texts[PF_NAMES], *args = &w->texts[PF_ARG_NAMES];

	interned.n_event_categories = categories->n;
	interned.event_categories = categories->items;
	interned.n_event_names = names->n;
	interned.event_names = names->items;
	interned.n_debug_annotation_names = args->n;
	interned.debug_annotation_names = args->items;
	if (categories->n || names->n || args->n)
		p->interned_data = &interned;
	p->trusted_packet_sequence_id = ONE_SEQUENCE;
	trace.n_packet = 1;
	trace.packet = &p;
	tl_buf_reserve(&w->packets, PF_PACKET_ROOM + w->room);
	w->packets.len += tl__trace__pack(&trace, (uint8_t *)w->packets.data + w->packets.len);
	for (size_t i = 0; i < PF_TEXT_KINDS; i++)
		w->texts[i].n = 0;
	tl_arena_clear(&w->messages);
	w->room = 0;
	tl_pw_flush(w, FLUSH_BYTES);
}

uint64_t tl_pw_interned(struct pf_writer *w, enum pf_text_kind kind, uint32_t text)
{
	uint32_t *known = tl_by_id(&w->known, text);
	struct pf_texts *to = &w->texts[kind];

	if (*known >> kind & 1)
		return text;
	*known |= 1u << kind;
	w->room += PF_ITEM_ROOM;
	Tl__EventName *entry = tl_arena_alloc(&w->messages, sizeof *entry);
	tl__event_name__init(entry);
	entry->iid = text;
	entry->name = tl_pw_text(w, text);
	TL_PUSH(to->items, to->n, to->cap, entry);
	return text;
}

/* ---- times ------------------------------------------------------------------------ */

uint64_t tl_pw_ns(const struct pf_writer *w, int64_t ticks)
{
	int64_t unit = w->t->ticks_per_us;

	if (ticks <= 0)
		return 0;
	if (unit == 1000)
		return (uint64_t)ticks;
	unsigned __int128 ns = ((unsigned __int128)ticks * 1000 + (uint64_t)unit / 2) / (uint64_t)unit;
	return ns > INT64_MAX ? INT64_MAX : (uint64_t)ns;
}

/* ---- events ----------------------------------------------------------------------- */

enum pf_shape tl_pw_shape(const struct tl_trace *t, const struct tl_ev *e)
{
	char ph = t->layouts[e->layout].ph;

	if (!(e->flags & TL_EV_HAS_TS) || e->kind == TL_KIND_META || e->kind == TL_KIND_COUNTER || ph == 'M' || ph == 'C' ||
	    (e->kind >= TL_KIND_LAUNCH_FLOW && e->kind <= TL_KIND_FLOW))
		return PF_KEPT;
	return (e->flags & TL_EV_HAS_DUR) && e->dur >= 0 ? PF_AS_SPAN : PF_AS_INSTANT;
}

Tl__TrackEvent tl_pw_event(Tl__TrackEvent__Type type, uint64_t track)
{
	Tl__TrackEvent e = TL__TRACK_EVENT__INIT;

	e.type = type;
	e.track_uuid = track;
	return e;
}

void tl_pw_put_event(struct pf_writer *w, Tl__TrackEvent *e, uint64_t ns)
{
	Tl__TracePacket p = TL__TRACE_PACKET__INIT;

	PF_SET(&p, timestamp, ns);
	PF_SET(&p, sequence_flags, TL__TRACE_PACKET__SEQUENCE_FLAGS__SEQ_NEEDS_INCREMENTAL_STATE);
	p.track_event = e;
	tl_pw_put_packet(w, &p);
}

void tl_pw_put_end(struct pf_writer *w, uint64_t track, uint64_t ns)
{
	Tl__TrackEvent e = tl_pw_event(TL__TRACK_EVENT__TYPE__TYPE_SLICE_END, track);

	tl_pw_put_event(w, &e, ns);
}

void tl_pw_put_span(struct pf_writer *w, uint64_t track, int64_t start, int64_t end, uint32_t name)
{
	Tl__TrackEvent e = tl_pw_event(TL__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN, track);

	if (name)
		PF_SET(&e, name_iid, tl_pw_interned(w, PF_NAMES, name));
	tl_pw_put_event(w, &e, tl_pw_ns(w, start));
	tl_pw_put_end(w, track, tl_pw_ns(w, end));
}

void tl_pw_put_count(struct pf_writer *w, uint64_t track, int64_t time, double value)
{
	Tl__TrackEvent e = tl_pw_event(TL__TRACK_EVENT__TYPE__TYPE_COUNTER, track);

	if (value == (double)(int64_t)value)
		PF_SET(&e, counter_value, (int64_t)value);
	else
		PF_SET(&e, double_counter_value, value);
	tl_pw_put_event(w, &e, tl_pw_ns(w, time));
}
