/* perfetto.c - reads a trace of Perfetto as it is (.pftrace, .perfetto-trace): what each of
 * its packets is, and whether it can be used.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/text.h"
#include "readers/perfetto.h"

#include <stdlib.h>
#include <string.h>

#include "model/fields.h"

bool tl_pf_damaged(struct tl_pf_reader *r, const char *what)
{
	r->status = tl_fail_at(&r->error, TL_ERR_DATA, r->offset, "packet %llu: %s", (unsigned long long)r->n_packets, what);
	return false;
}

/* ---- packets ---------------------------------------------------------------------------- */

enum { CLEARED = 1, NEEDS_STATE = 2 }; /* flags of a packet */

/* What a packet says. */
struct packet {
	uint64_t stamp, sequence, flags;
	uint32_t clock;
	bool has_stamp, lost_before, other;
	struct tl_bytes event, descriptor, interned, defaults, clocks, compressed;
	bool zstd;
};

static void read_number(struct packet *p, const struct tl_pb_field *f)
{
	switch (f->number) {
	case 8:
		p->stamp = f->value;
		p->has_stamp = true;
		break;
	case 10: p->sequence = f->value; break;
	case 13: p->flags |= f->value; break;
	case 41: p->flags |= f->value ? CLEARED : 0; break;
	case 42: p->lost_before = f->value; break;
	case 58: p->clock = (uint32_t)f->value; break;
	default: break;
	}
}

static bool read_packet(struct tl_bytes data, struct packet *p)
{
	struct tl_pb_field f;

	*p = (struct packet){ 0 };
	while (tl_pb_next(&data, &f)) {
		struct tl_bytes m = tl_pb_message(&f);
		if (f.wire != TL_PB_BYTES) {
			read_number(p, &f);
			continue;
		}
		switch (f.number) {
		case 6: p->clocks = m; break;
		case 11: p->event = m; break;
		case 12: p->interned = m; break;
		case 50: p->compressed = m; break;
		case 59: p->defaults = m; break;
		case 60: p->descriptor = m; break;
		case 133: p->zstd = true; break;
		default: p->other = true; break;
		}
	}
	return !data.bad;
}

/* TracePacketDefaults: 58 the clock, 11 what events get, of that 11 the track. */
static bool read_defaults(struct tl_pf_reader *r, struct tl_pf_sequence *s, struct tl_bytes data)
{
	struct tl_pb_field f, g;

	while (tl_pb_next(&data, &f)) {
		struct tl_bytes event = tl_pb_message(&f);
		if (f.number == 58 && f.wire == TL_PB_VARINT)
			s->clock = (uint32_t)f.value;
		if (f.number != 11)
			continue;
		while (tl_pb_next(&event, &g))
			if (g.number == 11 && g.wire == TL_PB_VARINT)
				s->track = g.value;
		data.bad |= event.bad;
	}
	return !data.bad || tl_pf_damaged(r, "damaged defaults");
}

static bool take_packet(struct tl_pf_reader *, struct tl_bytes);

static bool nested_packet(struct tl_pf_reader *r, struct tl_bytes data)
{
	struct packet p;

	if (!read_packet(data, &p) || p.compressed.p)
		return tl_pf_damaged(r, p.compressed.p ? "compressed packets in compressed packets" : "a damaged packet");
	return take_packet(r, data);
}

/* What the packet says about its sequence. False: it cannot be used, or the status tells why. */
static bool follow_sequence(struct tl_pf_reader *r, struct tl_pf_sequence *s, const struct packet *p)
{
	if (p->lost_before)
		s->has_state = false;
	if (p->flags & CLEARED)
		tl_pf_clear(s);
	if (p->flags & NEEDS_STATE && !s->has_state) {
		tl_pf_note(r, "packets whose names were lost with an earlier packet, left out");
		return false;
	}
	return (!p->clocks.p || tl_pf_snapshot(r, s, p->clocks)) && (!p->defaults.p || read_defaults(r, s, p->defaults)) &&
	       (!p->interned.p || tl_pf_intern(r, s, p->interned));
}

static bool use_packet(struct tl_pf_reader *r, const struct packet *p)
{
	struct tl_pf_sequence *s = tl_pf_sequence(r, (uint32_t)p->sequence);

	if (!s || !follow_sequence(r, s, p))
		return !r->status;
	if (p->zstd)
		tl_pf_note(r, "packets compressed by zstd, which tl-tools does not read, left out");
	if (p->compressed.p && !tl_pf_inflate(r, p->compressed, nested_packet))
		return false;
	if (p->descriptor.p && !tl_pf_describe(r, p->descriptor))
		return false;
	int64_t ts = p->has_stamp ? tl_pf_time(r, s, p->stamp, p->clock) : 0;
	return !p->event.p || tl_pf_track_event(r, s, p->event, p->has_stamp, ts);
}

/* With --lenient a damaged packet is left out. */
static bool take_packet(struct tl_pf_reader *r, struct tl_bytes data)
{
	struct packet p;

	r->n_packets++;
	if (read_packet(data, &p) ? use_packet(r, &p) : tl_pf_damaged(r, "a damaged packet"))
		return true;
	if (r->status != TL_ERR_DATA)
		return false;
	r->report->lenient_helps = true;
	if (!r->options->lenient)
		return false;
	r->status = TL_OK;
	tl_pf_note(r, "dropped: damaged packets");
	return true;
}

/* ---- the trace ------------------------------------------------------------------------------ */

/* Is it the first packet of a trace of Perfetto? The messages of other formats that begin
 * with a message as field 1 (XPlane) have fields 1 to 6 only, and no number as field 3. */
static enum tl_match match_packet(struct tl_bytes p, bool whole)
{
	struct tl_pb_field f;

	while (p.p < p.end) {
		struct tl_bytes tag = p;
		uint64_t number = tl_take_varint(&tag) >> 3;
		if (tag.bad)
			break;
		bool bytes = (*p.p & 7) == TL_PB_BYTES, num = (*p.p & 7) == TL_PB_VARINT;
		if (!number || number > 10000 || (!bytes && !num) || (number == 1 && num))
			return TL_MATCH_NO;
		if (number > 6 || (number == 3 && num))
			return TL_MATCH_YES;
		if (!tl_pb_next(&p, &f))
			break;
	}
	return whole && p.bad ? TL_MATCH_NO : TL_MATCH_MORE;
}

enum { TEXT_LOOK = 64 };

/* JSON may begin with a line end, which is the mark of a packet, too. Packets have lengths and
 * numbers, of which some byte is no text. The first TEXT_LOOK bytes decide, however many are there. */
static bool is_text(const unsigned char *first, size_t len)
{
	for (size_t i = 0; i < len && i < TEXT_LOOK; i++)
		if (first[i] < ' ' && !tl_is_blank(first[i]))
			return false;
	return true;
}

static enum tl_match match_perfetto(const unsigned char *first, size_t len)
{
	bool text = is_text(first, len);
	struct tl_bytes b = { first, first + len, false };
	enum tl_match m = TL_MATCH_MORE;

	if (text && len >= TEXT_LOOK)
		return TL_MATCH_NO;
	while (m == TL_MATCH_MORE && b.p < b.end) {
		if (*b.p++ != 0x0a)
			return TL_MATCH_NO;
		uint64_t size = tl_take_varint(&b);
		bool whole = !b.bad && size <= (size_t)(b.end - b.p);
		if (b.bad)
			return len < 16 ? TL_MATCH_MORE : TL_MATCH_NO;
		struct tl_bytes packet = { b.p, whole ? b.p + size : b.end, false };
		m = match_packet(packet, whole);
		b.p = packet.end;
	}
	return m == TL_MATCH_YES && text ? TL_MATCH_MORE : m;
}

/* That the events are in the order of packets, not of time. */
static void push_members(struct tl_pf_reader *r)
{
	char digits[24];

	r->status = r->sink->ops->meta(r->sink, TL_META_PACKETS, strlen(TL_META_PACKETS), digits,
	                               tl_format_int(digits, (int64_t)r->n_packets), &r->error);
}

static void read_trace(struct tl_pf_reader *r, struct tl_input *in)
{
	if (!tl_pf_packets(r, in, take_packet) || !tl_pf_finish_slices(r))
		return;
	if (!r->n_events)
		tl_pf_note(r, "no track events in the trace: data of other kinds, such as ftrace, is not read");
	push_members(r);
}

static enum tl_status read_perfetto(struct tl_input *in, const struct tl_read_options *options, struct tl_sink *sink,
                                    struct tl_read_report *report, struct tl_error *err)
{
	static const struct tl_header header = { .source = "perfetto", .ticks_per_us = 1000 };
	struct tl_pf_reader *r = tl_calloc(1, sizeof *r);
	enum tl_status st;

	r->options = options;
	r->sink = tl_pf_model_new(sink, report, false);
	r->report = report;
	r->epoch = 1;
	r->fields = tl_alloc(TL_PF_MAX_ARGS * sizeof *r->fields);
	r->values = tl_alloc(TL_PF_MAX_ARGS * sizeof *r->values);
	r->status = r->sink->ops->begin(r->sink, &header, &r->tables, &r->error);
	if (!r->status)
		read_trace(r, in);
	st = r->status;
	if (st && err)
		*err = r->error;
	report->lenient_helps &= st && !options->lenient;
	tl_pf_release_sequences(r);
	tl_pf_release_tracks(r);
	tl_spool_release(&r->late);
	tl_tables_release(&r->tables);
	tl_arena_release(&r->scratch);
	tl_buf_release(&r->packed);
	tl_buf_release(&r->text);
	tl_pf_model_free(r->sink);
	free(r->fields);
	free(r->values);
	free(r);
	return st;
}

const struct tl_reader tl_reader_perfetto = { "Perfetto's packets", match_perfetto, read_perfetto };
