/* read.c - tl_read: finds the format of a trace by its first bytes, and does what is the
 * same for all formats: kinds to be dropped, notes, the end.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/read_ahead.h"
#include "base/threads.h"
#include "model/fields.h"
#include "model/part.h"
#include "readers/closed_formats.h"
#include "readers/reader.h"

/* ---- gzip as an input: by ISA-L where it was found, else by zlib; zstd, where its library was found ---------- */

#ifdef TL_HAVE_ISAL
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif
#ifdef TL_HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

#define IN_SIZE 65536

/* What packs files, and what is wrong with what it packed. */
enum packing { PLAIN, GZIP, ZSTD };
enum step { STEP_MORE, STEP_END, STEP_BAD_DATA, STEP_BAD_SUM, STEP_CUT, STEP_GARBAGE, STEP_TOO_WIDE, STEP_NO_MEMORY, STEPS };

struct unpacker {
	struct tl_input base;
	struct tl_input *in;
	enum packing packing;
	int64_t offset;  /* of the bytes in buf, in the compressed file */
	size_t fill, used; /* bytes in buf, and of these consumed */
	bool eof, open;  /* open: inside a member */
	enum step bad;   /* what is wrong behind the bytes given so far; 0: nothing */
	uint64_t members;
#ifdef TL_HAVE_ISAL
	struct inflate_state state;
#else
	z_stream state;
#endif
#ifdef TL_HAVE_ZSTD
	ZSTD_DStream *zstd;
#endif
	uint8_t buf[IN_SIZE];
};

#ifdef TL_HAVE_ISAL
static void engine_init(struct unpacker *g)
{
	isal_inflate_init(&g->state);
}

static void engine_reset(struct unpacker *g)
{
	isal_inflate_reset(&g->state);
	g->state.crc_flag = ISAL_GZIP;
}

static void engine_free(struct unpacker *g)
{
	(void)g;
}

static enum step engine_step(struct unpacker *g, uint8_t *out, size_t cap, size_t *got)
{
	int r;

	g->state.next_in = g->buf + g->used;
	g->state.avail_in = (uint32_t)(g->fill - g->used);
	g->state.next_out = out;
	g->state.avail_out = (uint32_t)cap;
	r = isal_inflate(&g->state);
	g->used = g->fill - g->state.avail_in;
	*got = cap - g->state.avail_out;
	if (r == ISAL_INCORRECT_CHECKSUM)
		return STEP_BAD_SUM;
	if (r != ISAL_DECOMP_OK && r != ISAL_END_INPUT && r != ISAL_OUT_OVERFLOW)
		return STEP_BAD_DATA;
	return g->state.block_state == ISAL_BLOCK_FINISH ? STEP_END : STEP_MORE;
}
#else
static voidpf engine_alloc(voidpf ctx, uInt n, uInt size)
{
	(void)ctx;
	return tl_calloc(n, size);
}

static void engine_release(voidpf ctx, voidpf p)
{
	(void)ctx;
	free(p);
}

/* Cannot fail: memory comes from tl_calloc, and the version is the header's. */
static void engine_init(struct unpacker *g)
{
	memset(&g->state, 0, sizeof g->state);
	g->state.zalloc = engine_alloc;
	g->state.zfree = engine_release;
	inflateInit2(&g->state, 15 + 16);
}

static void engine_reset(struct unpacker *g)
{
	inflateReset(&g->state);
}

static void engine_free(struct unpacker *g)
{
	inflateEnd(&g->state);
}

static enum step engine_step(struct unpacker *g, uint8_t *out, size_t cap, size_t *got)
{
	int r;

	g->state.next_in = g->buf + g->used;
	g->state.avail_in = (uInt)(g->fill - g->used);
	g->state.next_out = out;
	g->state.avail_out = (uInt)cap;
	r = inflate(&g->state, Z_NO_FLUSH);
	g->used = g->fill - g->state.avail_in;
	*got = cap - g->state.avail_out;
	if (r == Z_STREAM_END)
		return STEP_END;
	if (r == Z_DATA_ERROR && g->state.msg && !strncmp(g->state.msg, "incorrect", 9))
		return g->state.msg[10] == 'd' || g->state.msg[10] == 'l' ? STEP_BAD_SUM : STEP_BAD_DATA;
	return r == Z_OK || r == Z_BUF_ERROR ? STEP_MORE : STEP_BAD_DATA;
}
#endif

#ifdef TL_HAVE_ZSTD
/* As engine_step, of frames. Those without data are frames, too. */
static enum step zstd_step(struct unpacker *g, uint8_t *out, size_t cap, size_t *got)
{
	ZSTD_inBuffer from = { g->buf + g->used, g->fill - g->used, 0 };
	ZSTD_outBuffer to = { out, cap, 0 };
	size_t left = ZSTD_decompressStream(g->zstd, &to, &from);

	g->used += from.pos;
	*got = to.pos;
	if (!ZSTD_isError(left))
		return left ? STEP_MORE : STEP_END;
	switch (ZSTD_getErrorCode(left)) {
	case ZSTD_error_checksum_wrong:
		return STEP_BAD_SUM;
	case ZSTD_error_frameParameter_windowTooLarge:
		return STEP_TOO_WIDE;
	case ZSTD_error_memory_allocation:
		return STEP_NO_MEMORY;
	default:
		return STEP_BAD_DATA;
	}
}
#endif

static enum step unpack_step(struct unpacker *g, uint8_t *out, size_t cap, size_t *got)
{
#ifdef TL_HAVE_ZSTD
	if (g->packing == ZSTD)
		return zstd_step(g, out, cap, got);
#endif
	return engine_step(g, out, cap, got);
}

/* Makes at least one byte available in buf; 0 at the end. */
static int refill(struct unpacker *g, struct tl_error *err)
{
	int64_t n;

	if (g->used < g->fill)
		return 1;
	if (g->eof)
		return 0;
	g->offset += (int64_t)g->fill;
	g->fill = g->used = 0;
	n = g->in->read(g->in, g->buf, sizeof g->buf, err);
	if (n < 0)
		return -1;
	g->fill = (size_t)n;
	g->eof = n == 0;
	return n > 0;
}

static int64_t fault(struct unpacker *g, struct tl_error *err, enum step what)
{
	static const char *const texts[][STEPS] = {
		[GZIP] = { [STEP_BAD_DATA] = "damaged gzip data", [STEP_BAD_SUM] = "checksum or length of the gzip data does not match",
		           [STEP_CUT] = "gzip data cut short", [STEP_GARBAGE] = "garbage after the compressed data" },
		[ZSTD] = { [STEP_BAD_DATA] = "damaged zstd data", [STEP_BAD_SUM] = "checksum of the zstd data does not match",
		           [STEP_CUT] = "zstd data cut short", [STEP_GARBAGE] = "garbage after the compressed data",
		           [STEP_TOO_WIDE] = "a window of more than 128 MB, which zstd -dc --long=31 FILE | tl-parse reads,",
		           [STEP_NO_MEMORY] = "no memory to unpack" },
	};
	static const char *const names[] = { [GZIP] = "gzip", [ZSTD] = "zstd" };
	int64_t at = g->offset + (int64_t)g->used;

	tl_fail(err, TL_ERR_DATA, "%s at byte %lld of the %s file", texts[g->packing][what], (long long)at, names[g->packing]);
	return -1;
}

/* Between members (zstd's frames): the end, or the start of another one. */
static int next_member(struct unpacker *g, struct tl_error *err)
{
	int r = refill(g, err);

	if (r <= 0)
		return r;
	uint8_t first = g->buf[g->used];
	bool begins = g->packing == GZIP ? first == 0x1f : first == 0x28 || first >> 4 == 5; /* zstd's, or one to be passed over */
	if (g->members && !begins)
		return (int)fault(g, err, STEP_GARBAGE);
	if (g->packing == GZIP) /* zstd's begins anew by itself */
		engine_reset(g);
	g->members++;
	g->open = true;
	return 1;
}

static int64_t unpack_read(struct tl_input *base, void *out, size_t cap, struct tl_error *err)
{
	struct unpacker *g = (struct unpacker *)base;
	size_t got = 0;

	if (cap > 1u << 30)
		cap = 1u << 30;
	while (got == 0) {
		enum step s;
		int r;

		if (g->bad)
			return fault(g, err, g->bad);
		if (!g->open && (r = next_member(g, err)) <= 0)
			return r;
		r = refill(g, err);
		if (r < 0)
			return -1;
		s = unpack_step(g, out, cap, &got);
		if (s == STEP_END)
			g->open = false;
		else if (s != STEP_MORE)
			g->bad = s;
		else if (r == 0 && got == 0)
			g->bad = STEP_CUT;
	}
	return (int64_t)got;
}

/* An input that gives the decompressed bytes of `in`, a gzip file of any number of
 * members, or zstd's of frames. Checksum and length of each member are compared with its data, those
 * of a frame if it has them; bytes after a member that begin no other member are an error.
 * unpack_free does not free `in`. */
static struct tl_input *unpack_new(struct tl_input *in, enum packing packing)
{
	struct unpacker *g = tl_calloc(1, sizeof *g);

	g->base.name = in->name;
	g->base.read = unpack_read;
	g->in = in;
	g->packing = packing;
	engine_init(g);
#ifdef TL_HAVE_ZSTD
	g->zstd = packing == ZSTD ? ZSTD_createDStream() : NULL;
	if (packing == ZSTD && !g->zstd)
		g->bad = STEP_NO_MEMORY;
#endif
	return &g->base;
}

static void unpack_free(struct tl_input *in)
{
	struct unpacker *g = (struct unpacker *)in;

	if (!g)
		return;
	engine_free(g);
#ifdef TL_HAVE_ZSTD
	ZSTD_freeDStream(g->zstd);
#endif
	free(g);
}

#define PEEK 4096
#define SHOWN 8     /* bytes of an unknown format in the message */
#define MAX_WRAPS 3 /* gzip or zstd inside gzip or zstd */

/* ---- bytes looked at, then the rest ---------------------------------------------- */

struct peeked {
	struct tl_input base;
	struct tl_input *in;
	size_t len, used;
	bool whole; /* a read gives all that is asked for: its parts do not depend on who else reads */
	unsigned char first[PEEK];
};

static int64_t peeked_read(struct tl_input *base, void *buf, size_t cap, struct tl_error *err)
{
	struct peeked *p = (struct peeked *)base;
	size_t n = p->len - p->used;
	int64_t got = 1;

	if (!n && !p->whole)
		return p->in->read(p->in, buf, cap, err);
	if (!n) {
		for (; got > 0 && n < cap; n += got > 0 ? (size_t)got : 0)
			got = p->in->read(p->in, (char *)buf + n, cap - n, err);
		return n ? (int64_t)n : got; /* the end, and an error, are there at the next call, too */
	}
	n = n < cap ? n : cap;
	memcpy(buf, p->first + p->used, n);
	p->used += n;
	return (int64_t)n;
}

static enum packing packing_of(const struct peeked *p)
{
#ifdef TL_HAVE_ZSTD
	if (p->len >= 4 && !memcmp(p->first, "\x28\xb5\x2f\xfd", 4))
		return ZSTD;
#endif
	return p->len >= 2 && p->first[0] == 0x1f && p->first[1] == 0x8b ? GZIP : PLAIN;
}

/* Finds the reader; NULL for what is packed. When no more bytes can be had, a reader that wants
 * more of them gets the trace if no other matches, because it can say what is wrong. */
static enum tl_match find_reader(const struct peeked *p, bool no_more, const struct tl_reader **reader)
{
	const struct tl_reader *found[TL_MATCHES] = { NULL }; /* by answer: the last that gave it */

	*reader = NULL;
	if (packing_of(p))
		return TL_MATCH_YES;
	for (const struct tl_reader *const *r = tl_readers; *r; r++)
		found[(*r)->match(p->first, p->len)] = *r;
	if (!found[TL_MATCH_YES] && tl_closed_format(NULL, p->first, p->len, NULL)) /* some look like JSON */
		return TL_MATCH_NO;
	bool unclear = found[TL_MATCH_MORE] || (!found[TL_MATCH_DEFAULT] && p->len < SHOWN);
	if (!found[TL_MATCH_YES] && unclear && !no_more)
		return TL_MATCH_MORE;
	for (int m = TL_MATCHES - 1; m > TL_MATCH_NO && !*reader; m--)
		*reader = found[m];
	return *reader ? TL_MATCH_YES : TL_MATCH_NO;
}

static enum tl_status peek(struct peeked *p, const struct tl_reader **reader, struct tl_error *err)
{
	int64_t n;

	do {
		n = p->in->read(p->in, p->first + p->len, PEEK - p->len, err);
		if (n < 0)
			return err ? err->status : TL_ERR_IO;
		p->len += (size_t)n;
	} while (find_reader(p, n == 0 || p->len == PEEK, reader) == TL_MATCH_MORE);
	return TL_OK;
}

static enum tl_status unknown(const struct peeked *p, struct tl_error *err)
{
	char hex[3 * SHOWN + 1] = "";
	struct tl_buf known = { 0 };

	if (!p->len)
		return tl_fail_at(err, TL_ERR_DATA, 0, "empty input: expected a trace");
	if (p->len >= 4 && !memcmp(p->first, "tls\t", 4))
		return tl_fail_at(err, TL_ERR_DATA, 0, "this is the text of an event stream; tl-view -b turns it into one");
	if (tl_closed_format(p->in->name, p->first, p->len, &known)) {
		tl_fail_at(err, TL_ERR_DATA, 0, "not a trace that can be read: %s", known.data);
		tl_buf_release(&known);
		return TL_ERR_DATA;
	}
	for (size_t i = 0; i < p->len && i < SHOWN; i++)
		snprintf(hex + 3 * i, 4, " %02x", p->first[i]);
	return tl_fail_at(err, TL_ERR_DATA, 0,
	                  "not a trace: starts with bytes%s, expected JSON, a SQLite database, Perfetto's packets, XPlane, gzip or an event stream", hex);
}

/* ---- what was left out or repaired ------------------------------------------------- */

/* Gives the sink what was noted, as a member about the trace. */
static enum tl_status push_notes(const struct tl_read_report *r, struct tl_sink *sink, struct tl_error *err)
{
	static const char key[] = TL_META_NOTES;
	struct tl_buf text = { 0 };
	enum tl_status st;

	if (!r->n_drops)
		return TL_OK;
	for (size_t i = 0; i < r->n_drops; i++) {
		tl_buf_addf(&text, "%c\"%s\":{\"events\":%llu,\"first_uid\":%llu", i ? ',' : '{', r->drops[i].what,
		            (unsigned long long)r->drops[i].count, (unsigned long long)r->drops[i].first_uid);
		if (r->drops[i].first_offset >= 0)
			tl_buf_addf(&text, ",\"first_byte\":%lld", (long long)r->drops[i].first_offset);
		tl_buf_addc(&text, '}');
	}
	tl_buf_addc(&text, '}');
	st = sink->ops->meta(sink, key, sizeof key - 1, text.data, text.len, err);
	tl_buf_release(&text);
	return st;
}

/* ---- the whole ------------------------------------------------------------------------ */

extern const struct tl_reader tl_reader_stream;

struct tl_opened {
	struct peeked peeked;
	const struct tl_reader *reader;
	struct tl_opened *packed; /* the gzip or zstd file that this trace is in, or NULL */
	struct tl_input *plain;   /* of what was packed */
	struct tl_input *ahead;   /* that, read by a second thread; or NULL */
	bool is_file;             /* it has an end that is read without waiting */
};

void tl_opened_free(struct tl_opened *o)
{
	if (!o)
		return;
	tl_read_ahead_free(o->ahead);
	unpack_free(o->plain);
	tl_opened_free(o->packed);
	free(o);
}

static struct tl_opened *look_at(struct tl_input *in)
{
	struct tl_opened *o = tl_calloc(1, sizeof *o);

	o->peeked = (struct peeked){ .base = { in->name, peeked_read, in->path }, .in = in };
	return o;
}

static enum tl_status open_trace(struct tl_opened **out, struct tl_input *in, struct tl_error *err)
{
	struct tl_opened *o = *out = look_at(in);
	enum tl_status st = peek(&o->peeked, &o->reader, err);

	for (int wraps = 0; !st && packing_of(&o->peeked); wraps++) {
		if (wraps == MAX_WRAPS)
			return tl_fail(err, TL_ERR_DATA, "gzip (or zstd) inside gzip, more than %d times", MAX_WRAPS);
		struct tl_input *plain = unpack_new(&o->peeked.base, packing_of(&o->peeked));
		struct tl_input *ahead = in->path && tl_threads > 1 ? tl_read_ahead_new(plain) : NULL;
		*out = look_at(ahead ? ahead : plain);
		(*out)->packed = o;
		(*out)->plain = plain;
		(*out)->ahead = ahead;
		(*out)->is_file = (*out)->peeked.whole = in->path;
		o = *out;
		st = peek(&o->peeked, &o->reader, err);
	}
	return st || (o->reader && o->peeked.len) ? st : unknown(&o->peeked, err);
}

/* What damaged data holds may be wrong at an earlier place. Then the damage is told. */
static void tell_damage(const struct tl_opened *o, struct tl_error *err)
{
	struct tl_error damage = { 0 };
	char rest[8192];
	int64_t n = 1;

	while (n > 0 && (o->is_file || ((struct unpacker *)o->plain)->bad))
		n = o->peeked.in->read(o->peeked.in, rest, sizeof rest, &damage);
	if (n < 0 && damage.status == TL_ERR_DATA && err)
		*err = damage;
}

enum tl_status tl_open_trace(struct tl_opened **out, struct tl_input *in, struct tl_error *err)
{
	enum tl_status st = open_trace(out, in, err);

	if (st == TL_ERR_DATA && (*out)->plain)
		tell_damage(*out, err);
	if (st) {
		tl_opened_free(*out);
		*out = NULL;
	}
	return st;
}

const char *tl_opened_format(const struct tl_opened *o)
{
	return o->reader->name;
}

static enum tl_status read_opened(struct tl_opened *o, const struct tl_read_options *options, struct tl_sink *sink,
                                  struct tl_read_report *report, struct tl_error *err)
{
	if (o->reader == &tl_reader_stream)
		return o->reader->read(&o->peeked.base, options, sink, report, err);
	/* between the reader and the sink: leaves out kinds of events, and ends the trace */
	struct tl_part part;
	enum tl_status st;
	tl_part_init(&part, sink);
	part.drop_kinds = options->drop_kinds;
	part.least_frame_us = options->least_frame_us;
	st = o->reader->read(&o->peeked.base, options, &part.sink, report, err);
	if (!st && part.n_known < report->n_events)
		st = tl_push_event_count(sink, report->n_events, err);
	if (!st)
		st = push_notes(report, sink, err);
	uint64_t n_short = part.n_short_frames + report->n_short_frames;
	if (!st && n_short)
		st = tl_push_number(sink, TL_META_SHORT_FRAMES, (int64_t)n_short, err);
	return st ? st : sink->ops->end(sink, err);
}

enum tl_status tl_read_opened(struct tl_opened *o, const struct tl_read_options *options, struct tl_sink *sink,
                              struct tl_read_report *report, struct tl_error *err)
{
	static const struct tl_read_options defaults = { 0 };
	struct tl_read_report unused;

	if (!report)
		report = &unused;
	memset(report, 0, sizeof *report);
	enum tl_status st = read_opened(o, options ? options : &defaults, sink, report, err);
	if (st == TL_ERR_DATA && o->plain)
		tell_damage(o, err);
	return st;
}

enum tl_status tl_read(struct tl_input *in, const struct tl_read_options *options,
                       struct tl_sink *sink, struct tl_read_report *report, struct tl_error *err)
{
	struct tl_opened *o;
	enum tl_status st = tl_open_trace(&o, in, err);

	if (report) /* filled if the format is unknown, too */
		memset(report, 0, sizeof *report);
	if (!st)
		st = tl_read_opened(o, options, sink, report, err);
	tl_opened_free(o);
	return st;
}
