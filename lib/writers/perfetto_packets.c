/* perfetto_packets.c - Perfetto's packets: times, texts by number, events on a track.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "writers/perfetto_parts.h"

enum { FLUSH_BYTES = 1 << 18 };

/* ---- packets ---------------------------------------------------------------------- */

void tl_pw_flush(struct pf_writer *w, size_t limit)
{
	if (w->packets.len <= limit)
		return;
	if (!w->status)
		w->status = w->out->write(w->out, w->packets.data, w->packets.len, w->err);
	tl_buf_clear(&w->packets);
}

size_t tl_pw_open_packet(struct pf_writer *w, bool has_time, uint64_t ns, bool needs_state)
{
	struct tl_buf *b = &w->packets;
	size_t packet = tl_pb_open(b, PF_PACKET, 2);

	if (has_time)
		tl_pb_put_number(b, PF_STAMP, ns);
	tl_pb_put_number(b, PF_SEQUENCE, PF_ONE_SEQUENCE);
	if (needs_state)
		tl_pb_put_number(b, PF_FLAGS, PF_NEEDS_STATE);
	return packet;
}

void tl_pw_close_packet(struct pf_writer *w, size_t packet)
{
	if (w->interned.len) {
		tl_pb_put_bytes(&w->packets, PF_INTERNED, w->interned.data, w->interned.len);
		tl_buf_clear(&w->interned);
	}
	tl_pb_close(&w->packets, packet, 2);
	tl_pw_flush(w, FLUSH_BYTES);
}

uint64_t tl_pw_interned(struct pf_writer *w, unsigned kind, uint32_t text)
{
	uint32_t *known = tl_by_id(&w->known, text);

	if (*known >> kind & 1)
		return text;
	*known |= 1u << kind;
	size_t entry = tl_pb_open(&w->interned, kind, 1);
	tl_pb_put_number(&w->interned, 1, text);
	tl_pb_put_bytes(&w->interned, 2, tl_str(&w->t->strings, text), tl_str_len(&w->t->strings, text));
	tl_pb_close(&w->interned, entry, 1);
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

size_t tl_pw_open_event(struct pf_writer *w, unsigned type, uint64_t track)
{
	size_t event = tl_pb_open(&w->packets, PF_EVENT, 2);

	tl_pb_put_number(&w->packets, PF_TYPE, type);
	tl_pb_put_number(&w->packets, PF_TRACK, track);
	return event;
}

void tl_pw_put_end(struct pf_writer *w, uint64_t track, uint64_t ns)
{
	size_t packet = tl_pw_open_packet(w, true, ns, true), event = tl_pw_open_event(w, PF_END, track);

	tl_pb_close(&w->packets, event, 2);
	tl_pw_close_packet(w, packet);
}

void tl_pw_put_span(struct pf_writer *w, uint64_t track, int64_t start, int64_t end, uint32_t name)
{
	size_t packet = tl_pw_open_packet(w, true, tl_pw_ns(w, start), true), event = tl_pw_open_event(w, PF_BEGIN, track);

	if (name)
		tl_pb_put_number(&w->packets, PF_NAME, tl_pw_interned(w, PF_NAMES, name));
	tl_pb_close(&w->packets, event, 2);
	tl_pw_close_packet(w, packet);
	tl_pw_put_end(w, track, tl_pw_ns(w, end));
}

void tl_pw_put_count(struct pf_writer *w, uint64_t track, int64_t time, double value)
{
	size_t packet = tl_pw_open_packet(w, true, tl_pw_ns(w, time), true), event = tl_pw_open_event(w, PF_COUNTER, track);

	if (value == (double)(int64_t)value)
		tl_pb_put_number(&w->packets, PF_COUNT, (uint64_t)(int64_t)value);
	else
		tl_pb_put_double(&w->packets, PF_REAL, value);
	tl_pb_close(&w->packets, event, 2);
	tl_pw_close_packet(w, packet);
}
