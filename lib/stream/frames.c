/* frames.c - the frames of a stream, read one after the other.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "stream/frames.h"

#include <stdarg.h>
#include <stdio.h>

#include "stream/wire.h"

enum tl_status tl_frames_damaged(struct tl_frames *f, const uint8_t *p, const char *fmt, ...)
{
	char what[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	return tl_fail_at(f->err, TL_ERR_DATA, (int64_t)(f->window.base + (uint64_t)(p - f->window.data)),
	                  "damaged event stream: %s", what);
}

static enum tl_status cut_short(struct tl_frames *f)
{
	return tl_fail_at(f->err, TL_ERR_DATA, (int64_t)(f->window.base + f->window.len),
	                  "the event stream is cut short: it ends without its end record");
}

enum tl_status tl_frames_open(struct tl_frames *f, struct tl_input *in, const void *got, size_t got_len,
                              struct tl_error *err)
{
	struct tl_window *w = &f->window;

	*f = (struct tl_frames){ .err = err };
	tl_window_init(w, in, got, got_len);
	enum tl_status st = tl_window_fill(w, MAGIC_LEN + VERSION_LEN, err);
	size_t n = tl_window_avail(w);
	const uint8_t *p = w->data;

	if (st != TL_OK)
		return st;
	if (n == 0)
		return tl_fail_at(err, TL_ERR_DATA, 0, "empty input, an event stream was expected");
	if (memcmp(p, TL_STREAM_MAGIC, n < MAGIC_LEN ? n : MAGIC_LEN) != 0)
		return tl_fail_at(err, TL_ERR_DATA, 0, "not an event stream");
	if (n < MAGIC_LEN + VERSION_LEN)
		return cut_short(f);
	if (load_le16(p + MAGIC_LEN) != TL_STREAM_MAJOR)
		return tl_fail_at(err, TL_ERR_DATA, MAGIC_LEN,
		                  "event stream of version %u.%u, this program reads version %d.%d",
		                  load_le16(p + MAGIC_LEN), load_le16(p + MAGIC_LEN + 2), TL_STREAM_MAJOR, TL_STREAM_MINOR);
	f->crc = tl_crc32(0, p, MAGIC_LEN + VERSION_LEN);
	w->pos = MAGIC_LEN + VERSION_LEN;
	return TL_OK;
}

static enum tl_status check_head(struct tl_frames *f, const uint8_t *p)
{
	bool letter = (p[0] >= 'a' && p[0] <= 'z') || (p[0] && strchr("HSTLRMBKE", p[0]));

	if (!letter || p[1] || p[2] || p[3])
		return tl_frames_damaged(f, p, "unknown frame %02x %02x %02x %02x", p[0], p[1], p[2], p[3]);
	if (load_le32(p + 4) > MAX_FRAME)
		return tl_frames_damaged(f, p, "frame '%c' of %lu bytes, at most %lu is possible", p[0],
		                         (unsigned long)load_le32(p + 4), (unsigned long)MAX_FRAME);
	return TL_OK;
}

/* The checksum covers all bytes before it. */
static enum tl_status check_sum(struct tl_frames *f, size_t frame_len)
{
	const uint8_t *end = f->body.end - CHECKSUM_LEN;

	if (f->body.end - f->body.p < CHECKSUM_LEN)
		return tl_frames_damaged(f, f->body.p, "its end record has no checksum");
	f->crc = tl_crc32(f->crc, f->body.p - FRAME_HEAD, frame_len - CHECKSUM_LEN);
	f->body.end = end;
	if (load_le32(end) != f->crc)
		return tl_frames_damaged(f, end, "checksum %08lx, its end record says %08lx",
		                         (unsigned long)f->crc, (unsigned long)load_le32(end));
	return TL_OK;
}

enum tl_status tl_frames_next(struct tl_frames *f)
{
	struct tl_window *w = &f->window;
	enum tl_status st = tl_window_fill(w, FRAME_HEAD, f->err);

	if (st != TL_OK)
		return st;
	if (tl_window_avail(w) < FRAME_HEAD)
		return cut_short(f);
	st = check_head(f, w->data + w->pos);
	if (st != TL_OK)
		return st;
	size_t len = FRAME_HEAD + (size_t)load_le32(w->data + w->pos + 4);
	st = tl_window_fill(w, len, f->err);
	if (st != TL_OK)
		return st;
	if (tl_window_avail(w) < len)
		return cut_short(f);
	const uint8_t *p = w->data + w->pos;
	w->pos += len;
	f->type = (char)p[0];
	f->body = (struct tl_bytes){ p + FRAME_HEAD, p + len, false };
	if (f->type == 'E')
		return check_sum(f, len);
	f->crc = tl_crc32(f->crc, p, len);
	return TL_OK;
}

enum tl_status tl_frames_end(struct tl_frames *f)
{
	enum tl_status st = tl_window_fill(&f->window, 1, f->err);

	if (st == TL_OK && tl_window_avail(&f->window))
		st = tl_fail_at(f->err, TL_ERR_DATA, (int64_t)tl_window_offset(&f->window),
		                "there is data after the end record of the event stream");
	return st;
}

void tl_frames_close(struct tl_frames *f)
{
	tl_window_release(&f->window);
}
