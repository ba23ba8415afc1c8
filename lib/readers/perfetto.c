/* perfetto.c - reads a trace of Perfetto as it is (.pftrace, .perfetto-trace): what each of
 * its packets is, and whether it can be used.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/perfetto.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/text.h"

/* ---- bytes to packets, compressed ones too ----------------------------------------------- */

enum { READ_SIZE = 1 << 18, MAX_PACKET = 1 << 26, PACKET = 1 };

typedef bool packet_fn(struct tl_pf_reader *, struct tl_bytes);

/* Bytes that have been read; those before `start` are done with. */
struct window {
	uint8_t *data;
	size_t start, end, cap;
	int64_t offset;  /* of data[0] in the input */
};

enum step { STEP_PACKET, STEP_MORE, STEP_BAD };

/* Takes a field of the trace off the window. *packet: its bytes, empty if it is no packet.
 * STEP_MORE: it is not there as a whole; *need: its length then, if it is known. */
static enum step take_packet_bytes(struct window *w, struct tl_bytes *packet, size_t *need)
{
	struct tl_bytes b = { w->data + w->start, w->data + w->end, false };
	size_t there = (size_t)(b.end - b.p);
	uint64_t tag = tl_take_varint(&b), len = tl_take_varint(&b);

	*need = 0;
	if (b.bad)
		return there < 2 * TL_VARINT_MAX ? STEP_MORE : STEP_BAD;
	if ((tag & 7) != TL_PB_BYTES || !(tag >> 3) || len > MAX_PACKET)
		return STEP_BAD;
	if (len > (size_t)(b.end - b.p)) {
		*need = (size_t)(b.p - (w->data + w->start)) + len;
		return STEP_MORE;
	}
	*packet = (struct tl_bytes){ b.p, b.p + (tag >> 3 == PACKET ? len : 0), false };
	w->start = (size_t)(b.p - w->data) + len;
	return STEP_PACKET;
}

/* Makes room for more bytes behind `end`. */
static void make_room(struct window *w, size_t need)
{
	size_t left = w->end - w->start;

	if (w->start)
		memmove(w->data, w->data + w->start, left);
	w->offset += (int64_t)w->start;
	w->start = 0;
	w->end = left;
	if (w->cap - left < READ_SIZE) {
		/* twice what is there, at most: a length in the trace may be wrong */
		w->cap = 2 * left + READ_SIZE;
		if (need && w->cap > need + READ_SIZE)
			w->cap = need + READ_SIZE;
		if (w->cap - left < READ_SIZE)
			w->cap = left + READ_SIZE;
		w->data = tl_realloc(w->data, w->cap);
	}
}

/* Hands on the packets that are there. STEP_BAD with a status of TL_OK: no packet begins
 * at w->start. */
static enum step hand_on(struct tl_pf_reader *r, struct window *w, packet_fn *packet, size_t *need)
{
	struct tl_bytes p;
	enum step s;
	size_t start = w->start;

	while ((s = take_packet_bytes(w, &p, need)) == STEP_PACKET) {
		if (w->offset >= 0)
			r->offset = w->offset + (int64_t)start;
		start = w->start;
		if (p.p != p.end && !packet(r, p))
			return STEP_BAD;
	}
	return s;
}

/* ---- the input -------------------------------------------------------------------------- */

/* No packet begins here. */
static bool lost(struct tl_pf_reader *r, const struct window *w)
{
	r->offset = w->offset + (int64_t)w->start;
	r->report->lenient_helps = true;
	if (!r->options->lenient)
		return tl_pf_damaged(r, "expected a packet of a Perfetto trace");
	tl_pf_note(r, "no packet begins here, the rest of the trace is lost");
	return true;
}

/* The input ends. Perfetto writes a trace in pieces, so the last packet may be cut short. */
static bool ended(struct tl_pf_reader *r, const struct window *w)
{
	if (w->start == w->end)
		return true;
	r->offset = w->offset + (int64_t)w->start;
	r->report->lenient_helps = !r->n_packets;
	if (!r->n_packets && !r->options->lenient)
		return tl_pf_damaged(r, "the first packet is cut short");
	tl_pf_note(r, "the last packet is cut short, and left out");
	return true;
}

static bool bad_input(struct tl_pf_reader *r, const struct window *w)
{
	r->report->lenient_helps = r->error.status == TL_ERR_DATA;
	if (!r->options->lenient || !r->report->lenient_helps) {
		r->status = r->error.status;
		return false;
	}
	r->offset = w->offset + (int64_t)w->start;
	tl_pf_note(r, "the compressed data is damaged or cut short here");
	return true;
}

/* Calls packet() for each whole packet of the input. False: the status tells why. */
static bool read_packets(struct tl_pf_reader *r, struct tl_input *in, packet_fn *packet)
{
	struct window w = { 0 };
	enum step s = STEP_MORE;
	int64_t n = 1;
	size_t need = 0;
	bool ok = true;

	while (s == STEP_MORE && n > 0) {
		make_room(&w, need);
		n = in->read(in, w.data + w.end, w.cap - w.end, &r->error);
		w.end += n > 0 ? (size_t)n : 0;
		s = hand_on(r, &w, packet, &need);
	}
	if (r->status)
		ok = false;
	else if (s == STEP_BAD)
		ok = lost(r, &w);
	else
		ok = n < 0 ? bad_input(r, &w) : ended(r, &w);
	r->report->n_bytes = (uint64_t)w.offset + w.end;
	free(w.data);
	return ok;
}

/* ---- compressed packets -------------------------------------------------------------------- */

static voidpf allocate(voidpf ctx, uInt n, uInt size)
{
	(void)ctx;
	return tl_calloc(n, size);
}

static void release(voidpf ctx, voidpf p)
{
	(void)ctx;
	free(p);
}

/* The same for those in a compressed packet. */
static bool inflate_packets(struct tl_pf_reader *r, struct tl_bytes data, packet_fn *packet)
{
	struct window w = { .offset = INT64_MIN / 2 }; /* negative: the place is that of the packet around */
	z_stream z = { .zalloc = allocate, .zfree = release };
	enum step s = STEP_MORE;
	int result = Z_OK;
	size_t need = 0;

	inflateInit(&z);
	z.next_in = (Bytef *)(uintptr_t)data.p;
	z.avail_in = (uInt)(data.end - data.p);
	while (s == STEP_MORE && result == Z_OK) {
		make_room(&w, need);
		z.next_out = w.data + w.end;
		z.avail_out = (uInt)(w.cap - w.end);
		result = inflate(&z, Z_NO_FLUSH);
		w.end = w.cap - z.avail_out;
		s = hand_on(r, &w, packet, &need);
	}
	inflateEnd(&z);
	bool whole = result == Z_STREAM_END && s == STEP_MORE && w.start == w.end;
	free(w.data);
	return !r->status && (whole || tl_pf_damaged(r, "compressed packets that cannot be decompressed"));
}

/* ---- packets ---------------------------------------------------------------------------- */

enum { CLEARED = 1, NEEDS_STATE = 2 }; /* flags of a packet */

/* What a packet says. */
struct packet {
	uint64_t stamp, sequence, flags;
	uint32_t clock;
	bool has_stamp, lost_before;
	uint32_t other;  /* the field that it has besides these */
	struct tl_bytes event, descriptor, interned, defaults, clocks, compressed, chrome, stage, gpus, counters;
	bool zstd;
};

static bool read_packet(struct tl_bytes data, struct packet *p)
{
	struct tl_pb_field f;

	*p = (struct packet){ 0 };
	while (tl_pb_next(&data, &f)) {
		struct tl_bytes m = tl_pb_message(&f);
		if (f.wire != TL_PB_BYTES) {
			switch (f.number) {
			case 8:
				p->stamp = f.value;
				p->has_stamp = true;
				break;
			case 10: p->sequence = f.value; break;
			case 13: p->flags |= f.value; break;
			case 41: p->flags |= f.value ? CLEARED : 0; break;
			case 42: p->lost_before = f.value; break;
			case 58: p->clock = (uint32_t)f.value; break;
			default: break;
			}
			continue;
		}
		switch (f.number) {
		case 5: p->chrome = m; break;
		case 6: p->clocks = m; break;
		case 11: p->event = m; break;
		case 12: p->interned = m; break;
		case 50: p->compressed = m; break;
		case 52: p->counters = m; break;
		case 53: p->stage = m; break;
		case 59: p->defaults = m; break;
		case 60: p->descriptor = m; break;
		case 128: p->gpus = m; break;
		case 133: p->zstd = true; break;
		default: p->other = f.number; break;
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

/* What is not read is counted, if it is about devices or what runs. */
static void leave_out(struct tl_pf_reader *r, uint32_t number)
{
	const char *what = number && !r->own ? tl_pf_packet(&r->known, number) : NULL;

	if (what)
		tl_read_quote(r->report, "", what, r->n_packets);
}

static bool use_packet(struct tl_pf_reader *r, const struct packet *p)
{
	struct tl_pf_sequence *s = tl_pf_sequence(r, (uint32_t)p->sequence);

	if (!s || !follow_sequence(r, s, p))
		return !r->status;
	if (p->zstd)
		tl_pf_note(r, "packets compressed by zstd, which tl-tools does not read, left out");
	if (p->compressed.p && !inflate_packets(r, p->compressed, nested_packet))
		return false;
	if (p->descriptor.p && !tl_pf_describe(r, p->descriptor))
		return false;
	int64_t ts = p->has_stamp ? tl_pf_time(r, s, p->stamp, p->clock) : 0;
	if (r->own && p->chrome.p && !tl_pf_own_bundle(r, p->chrome, p->has_stamp, ts))
		return false;
	if (!r->own && ((p->stage.p && !tl_pf_stage(r, s, p->stage, p->has_stamp, ts)) || (p->gpus.p && !tl_pf_gpus(r, p->gpus)) ||
	                (p->counters.p && !tl_pf_gpu_counters(r, s, p->counters, p->has_stamp, ts))))
		return false;
	leave_out(r, p->other);
	return !p->event.p || tl_pf_track_event(r, s, p->event, p->has_stamp, ts);
}

/* The first packet tells whether tl-view wrote the trace; NULL: there is none. */
static bool begin(struct tl_pf_reader *r, const struct packet *first)
{
	static const struct tl_header header = { .source = "perfetto", .ticks_per_us = 1000 };

	r->begun = true;
	if (first && first->chrome.p && tl_pf_is_own(first->chrome))
		return tl_pf_own_begin(r, first->chrome);
	r->model = tl_pf_model_new(r->sink, r->report, false, r->options->keep_ranges, &r->known, &r->beside);
	r->status = tl_maker_begin(&r->make, r->model, r->report, &header, &r->error);
	return !r->status;
}

/* With --lenient a damaged packet is left out. */
static bool take_packet(struct tl_pf_reader *r, struct tl_bytes data)
{
	struct packet p;

	r->n_packets++;
	bool ok = read_packet(data, &p);
	if (!r->begun && !begin(r, ok ? &p : NULL))
		return false;
	if (ok ? use_packet(r, &p) : tl_pf_damaged(r, "a damaged packet"))
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

static void read_trace(struct tl_pf_reader *r, struct tl_input *in)
{
	if (!read_packets(r, in, take_packet) || (!r->begun && !begin(r, NULL)) || !tl_pf_finish_slices(r))
		return;
	if (r->own) {
		tl_pf_own_end(r, r->sink);
		return;
	}
	if (!r->n_events)
		tl_pf_note(r, "no track events in the trace: data of other kinds, such as ftrace, is not read");
	r->status = tl_push_members(&r->make, &r->error);
	if (r->status)
		return;
	/* tells that the events are in the order of packets, not of time */
	char digits[24];
	r->status = r->make.sink->ops->meta(r->make.sink, TL_META_PACKETS, strlen(TL_META_PACKETS), digits,
	                               tl_format_int(digits, (int64_t)r->n_packets), &r->error);
}

static enum tl_status read_perfetto(struct tl_input *in, const struct tl_read_options *options, struct tl_sink *sink,
                                    struct tl_read_report *report, struct tl_error *err)
{
	struct tl_pf_reader *r = tl_calloc(1, sizeof *r);
	enum tl_status st;

	r->options = options;
	r->sink = sink;
	r->report = report;
	tl_pf_names_load(&r->known);
	read_trace(r, in);
	st = r->status;
	if (st && err)
		*err = r->error;
	report->lenient_helps &= st && !options->lenient;
	tl_pf_names_release(&r->known);
	tl_pf_release_sequences(r);
	tl_pf_release_tracks(r);
	tl_spool_release(&r->late);
	tl_maker_release(&r->make);
	tl_arena_release(&r->scratch);
	tl_buf_release(&r->packed);
	tl_buf_release(&r->text);
	if (r->model)
		tl_pf_model_free(r->model);
	tl_pf_own_free(r->own);
	free(r);
	return st;
}

const struct tl_reader tl_reader_perfetto = { "Perfetto's packets", match_perfetto, read_perfetto };
