/* gzip.c - an output that compresses what is written.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "writers/gzip.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define LEVEL 6            /* of a trace two thirds of the bytes of level 1, in less than twice its time */
#define GZIP_WINDOW (15 + 16)
#define PIECE (1u << 30)   /* zlib counts bytes in 32 bits */

struct gzip {
	struct tl_output out;
	struct tl_output *to;
	z_stream z;
	unsigned char buffer[65536];
};

/* Compresses what z.next_in has, and passes it on. */
static enum tl_status deflate_all(struct gzip *g, int flush, struct tl_error *err)
{
	do {
		g->z.next_out = g->buffer;
		g->z.avail_out = sizeof g->buffer;
		deflate(&g->z, flush);
		size_t n = sizeof g->buffer - g->z.avail_out;
		enum tl_status st = n ? g->to->write(g->to, g->buffer, n, err) : TL_OK;
		if (st)
			return st;
	} while (!g->z.avail_out);
	return TL_OK;
}

static enum tl_status write_gzip(struct tl_output *out, const void *buf, size_t len, struct tl_error *err)
{
	struct gzip *g = (struct gzip *)out;
	const unsigned char *p = buf;
	enum tl_status st = TL_OK;

	for (size_t n; len && !st; p += n, len -= n) {
		n = len < PIECE ? len : PIECE;
		g->z.next_in = (unsigned char *)(uintptr_t)p;
		g->z.avail_in = (uInt)n;
		st = deflate_all(g, Z_NO_FLUSH, err);
	}
	return st;
}

static void *allocate(void *ctx, uInt n, uInt size)
{
	(void)ctx;
	return tl_calloc(n, size);
}

static void release(void *ctx, void *p)
{
	(void)ctx;
	free(p);
}

struct tl_output *tl_gzip_new(struct tl_output *to)
{
	struct gzip *g = tl_calloc(1, sizeof *g);

	g->out = (struct tl_output){ .name = to->name, .write = write_gzip };
	g->to = to;
	g->z.zalloc = allocate;
	g->z.zfree = release;
	deflateInit2(&g->z, LEVEL, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY); /* fails only for lack of memory */
	return &g->out;
}

enum tl_status tl_gzip_end(struct tl_output *out, struct tl_error *err)
{
	struct gzip *g = (struct gzip *)out;

	g->z.next_in = NULL;
	g->z.avail_in = 0;
	enum tl_status st = deflate_all(g, Z_FINISH, err);
	deflateEnd(&g->z);
	free(g);
	return st;
}
