/* read.c - tl_read: finds the kind of a trace by its first bytes.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "model/part.h"
#include "readers/inputs.h"

#include <stdlib.h>
#include <string.h>

#define PEEK 4096
#define MAX_WRAPS 3 /* gzip inside gzip */

/* ---- bytes already taken, then the rest -------------------------------------- */

struct prefix {
	struct tl_input base;
	struct tl_input *in;
	const char *got;
	size_t len;
};

static int64_t prefix_read(struct tl_input *base, void *buf, size_t cap, struct tl_error *err)
{
	struct prefix *p = (struct prefix *)base;

	if (!p->len)
		return p->in->read(p->in, buf, cap, err);
	if (cap > p->len)
		cap = p->len;
	memcpy(buf, p->got, cap);
	p->got += cap;
	p->len -= cap;
	return (int64_t)cap;
}

struct tl_input *tl_prefix_new(struct tl_input *in, const void *got, size_t len)
{
	struct prefix *p = tl_calloc(1, sizeof *p);

	p->base.name = in->name;
	p->base.read = prefix_read;
	p->in = in;
	p->got = got;
	p->len = len;
	return &p->base;
}

void tl_prefix_free(struct tl_input *in)
{
	free(in);
}

/* ---- what it is ------------------------------------------------------------------ */

enum what { WHAT_EMPTY, WHAT_STREAM, WHAT_GZIP, WHAT_JSON, WHAT_UNKNOWN };

/* First byte that is neither blank nor part of a byte order mark; len if none. */
static size_t first_mark(const unsigned char *b, size_t len)
{
	size_t i = len >= 3 && !memcmp(b, "\xef\xbb\xbf", 3) ? 3 : 0;

	while (i < len && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t'))
		i++;
	return i;
}

static enum what look(const unsigned char *b, size_t len)
{
	size_t i;

	if (!len)
		return WHAT_EMPTY;
	if (len >= 2 && b[0] == 0x1f && b[1] == 0x8b)
		return WHAT_GZIP;
	if (b[0] == (unsigned char)TL_STREAM_MAGIC[0])
		return WHAT_STREAM; /* whether it is ours, its reader says */
	i = first_mark(b, len);
	if (i == len)
		return len < PEEK ? WHAT_EMPTY : WHAT_JSON;
	return b[i] == '{' || b[i] == '[' ? WHAT_JSON : WHAT_UNKNOWN;
}

/* Reads until the kind can be told or the input ends. */
static enum tl_status peek(struct tl_input *in, unsigned char *b, size_t *len, struct tl_error *err)
{
	*len = 0;
	while (*len < PEEK) {
		int64_t n = in->read(in, b + *len, PEEK - *len, err);
		enum what kind;

		if (n < 0)
			return err ? err->status : TL_ERR_IO;
		*len += (size_t)n;
		kind = look(b, *len);
		if (n == 0 || kind == WHAT_JSON || (*len >= 8 && kind != WHAT_EMPTY))
			break;
	}
	return TL_OK;
}

static enum tl_status unknown(struct tl_input *in, const unsigned char *b, size_t len, struct tl_error *err)
{
	char hex[3 * 8 + 1] = "";

	(void)in;
	if (len >= 4 && !memcmp(b, "tls\t", 4))
		return tl_fail_at(err, TL_ERR_DATA, 0, "this is the text of an event stream; tl-view -b turns it into one");
	for (size_t i = 0; i < len && i < 8; i++) {
		static const char digit[] = "0123456789abcdef";

		hex[3 * i] = ' ';
		hex[3 * i + 1] = digit[b[i] >> 4];
		hex[3 * i + 2] = digit[b[i] & 15];
		hex[3 * i + 3] = 0;
	}
	return tl_fail_at(err, TL_ERR_DATA, 0,
	                  "not a trace: starts with bytes%s, expected JSON, gzip or an event stream", hex);
}

static enum tl_status read_stream(struct tl_input *in, const unsigned char *b, size_t len,
                                  const struct tl_read_options *o, struct tl_sink *sink, struct tl_error *err)
{
	struct tl_part part;

	if (!o->drop_kinds || o->drop_raw_only)
		return tl_stream_read(in, b, len, sink, err);
	tl_part_init(&part, sink);
	part.drop_kinds = o->drop_kinds;
	part.refuse_linked = true;
	return tl_stream_read(in, b, len, &part.sink, err);
}

static enum tl_status read_kind(struct tl_input *in, int wraps, const struct tl_read_options *o,
                                struct tl_sink *sink, struct tl_read_report *report, struct tl_error *err);

static enum tl_status read_gzip(struct tl_input *in, const unsigned char *b, size_t len, int wraps,
                                const struct tl_read_options *o, struct tl_sink *sink,
                                struct tl_read_report *report, struct tl_error *err)
{
	struct tl_input *plain, *ahead = NULL;
	enum tl_status st;

	if (wraps == MAX_WRAPS)
		return tl_fail(err, TL_ERR_DATA, "gzip inside gzip, more than %d times", MAX_WRAPS);
	plain = tl_gunzip_new(in, b, len);
	if (o->threads > 1 && wraps == 0)
		ahead = tl_ahead_new(plain);
	st = read_kind(ahead ? ahead : plain, wraps + 1, o, sink, report, err);
	tl_ahead_free(ahead);
	tl_gunzip_free(plain);
	return st;
}

static enum tl_status read_kind(struct tl_input *in, int wraps, const struct tl_read_options *o,
                                struct tl_sink *sink, struct tl_read_report *report, struct tl_error *err)
{
	unsigned char b[PEEK];
	size_t len;
	struct tl_input *whole;
	enum tl_status st = peek(in, b, &len, err);

	if (st)
		return st;
	switch (look(b, len)) {
	case WHAT_EMPTY:
		return tl_fail_at(err, TL_ERR_DATA, (int64_t)len, "%s: expected a trace", len ? "nothing but blanks" : "empty input");
	case WHAT_GZIP:
		return read_gzip(in, b, len, wraps, o, sink, report, err);
	case WHAT_STREAM:
		return read_stream(in, b, len, o, sink, err);
	case WHAT_JSON:
		whole = tl_prefix_new(in, b, len);
		st = tl_pytorch_read(whole, o, sink, report, err);
		tl_prefix_free(whole);
		return st;
	default:
		return unknown(in, b, len, err);
	}
}

enum tl_status tl_read(struct tl_input *in, const struct tl_read_options *options,
                       struct tl_sink *sink, struct tl_read_report *report, struct tl_error *err)
{
	static const struct tl_read_options defaults = { .threads = 1 };
	struct tl_read_report unused;

	if (!report)
		report = &unused;
	memset(report, 0, sizeof *report);
	return read_kind(in, 0, options ? options : &defaults, sink, report, err);
}
