/* gunzip.c - gzip as an input: by ISA-L where it was found, else by zlib.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/gunzip.h"

#include <stdlib.h>
#include <string.h>

#ifdef TL_HAVE_ISAL
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif

#define IN_SIZE 65536

struct gunzip {
	struct tl_input base;
	struct tl_input *in;
	int64_t offset;  /* of the bytes in buf, in the compressed file */
	size_t fill, used; /* bytes in buf, and of these consumed */
	bool eof, open;  /* open: inside a member */
	uint64_t members;
#ifdef TL_HAVE_ISAL
	struct inflate_state state;
#else
	z_stream state;
#endif
	uint8_t buf[IN_SIZE];
};

enum step { STEP_MORE, STEP_END, STEP_BAD_DATA, STEP_BAD_SUM };

#ifdef TL_HAVE_ISAL
static void engine_init(struct gunzip *g)
{
	isal_inflate_init(&g->state);
}

static void engine_reset(struct gunzip *g)
{
	isal_inflate_reset(&g->state);
	g->state.crc_flag = ISAL_GZIP;
}

static void engine_free(struct gunzip *g)
{
	(void)g;
}

static enum step engine_step(struct gunzip *g, uint8_t *out, size_t cap, size_t *got)
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
static void engine_init(struct gunzip *g)
{
	memset(&g->state, 0, sizeof g->state);
	g->state.zalloc = engine_alloc;
	g->state.zfree = engine_release;
	inflateInit2(&g->state, 15 + 16);
}

static void engine_reset(struct gunzip *g)
{
	inflateReset(&g->state);
}

static void engine_free(struct gunzip *g)
{
	inflateEnd(&g->state);
}

static enum step engine_step(struct gunzip *g, uint8_t *out, size_t cap, size_t *got)
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

/* Makes at least one byte available in buf; 0 at the end. */
static int refill(struct gunzip *g, struct tl_error *err)
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

static int64_t fault(struct gunzip *g, struct tl_error *err, const char *what)
{
	int64_t at = g->offset + (int64_t)g->used;

	tl_fail(err, TL_ERR_DATA, "%s at byte %lld of the gzip file", what, (long long)at);
	return -1;
}

/* Between members: the end, or the start of another one. */
static int next_member(struct gunzip *g, struct tl_error *err)
{
	int r = refill(g, err);

	if (r <= 0)
		return r;
	if (g->members && g->buf[g->used] != 0x1f)
		return (int)fault(g, err, "garbage after the compressed data");
	engine_reset(g);
	g->members++;
	g->open = true;
	return 1;
}

static int64_t gunzip_read(struct tl_input *base, void *out, size_t cap, struct tl_error *err)
{
	struct gunzip *g = (struct gunzip *)base;
	size_t got = 0;

	if (cap > 1u << 30)
		cap = 1u << 30;
	while (got == 0) {
		enum step s;
		int r;

		if (!g->open && (r = next_member(g, err)) <= 0)
			return r;
		r = refill(g, err);
		if (r < 0)
			return -1;
		s = engine_step(g, out, cap, &got);
		if (s == STEP_BAD_SUM)
			return fault(g, err, "checksum or length of the gzip data does not match");
		if (s == STEP_BAD_DATA)
			return fault(g, err, "damaged gzip data");
		if (s == STEP_END)
			g->open = false;
		else if (r == 0 && got == 0)
			return fault(g, err, "gzip data cut short");
	}
	return (int64_t)got;
}

struct tl_input *tl_gunzip_new(struct tl_input *in)
{
	struct gunzip *g = tl_calloc(1, sizeof *g);

	g->base.name = in->name;
	g->base.read = gunzip_read;
	g->in = in;
	engine_init(g);
	return &g->base;
}

void tl_gunzip_free(struct tl_input *in)
{
	struct gunzip *g = (struct gunzip *)in;

	if (!g)
		return;
	engine_free(g);
	free(g);
}
