/* perfetto_window.c - bytes of a Perfetto trace to packets, compressed ones too.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/perfetto.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

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
static enum step take(struct window *w, struct tl_bytes *packet, size_t *need)
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

	while ((s = take(w, &p, need)) == STEP_PACKET) {
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

bool tl_pf_packets(struct tl_pf_reader *r, struct tl_input *in, packet_fn *packet)
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

bool tl_pf_inflate(struct tl_pf_reader *r, struct tl_bytes data, packet_fn *packet)
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
