/* deflate.c - faster deflate for libxlsxwriter.
 *
 * libxlsxwriter deflates by minizip and zlib and leaves no choice of the
 * level. The functions here stand before zlib's for this program and the
 * libraries it loads. With ISA-L, its deflate takes their place: four times as
 * fast, for a smaller file. Without, zlib works at its lowest level.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "instead.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#ifdef TL_HAVE_ISAL
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

/* What z_stream.state points to; the z_stream itself carries the input and
 * output as its callers expect. */
struct state {
	struct isal_zstream z;
	uint8_t level_buffer[ISAL_DEF_LVL1_DEFAULT];
	const unsigned char *ready; /* what is left of it, or NULL */
	size_t ready_len;
};

static const unsigned char *next_ready;
static size_t next_len;

/* One that a finished stream left for the next: there are many short ones. */
static struct state *spare;

static void begin(z_streamp s, struct state *state)
{
	isal_deflate_init(&state->z);
	state->z.level = 1;
	state->z.level_buf = state->level_buffer;
	state->z.level_buf_size = sizeof state->level_buffer;
	state->ready = NULL;
	s->state = (struct internal_state *)state;
	s->total_in = s->total_out = 0;
	s->msg = NULL;
	s->data_type = Z_TEXT;
}

/* Only raw streams, as in a zip archive: nothing else is made in this program. */
int deflateInit2_(z_streamp s, int level, int method, int bits, int memory, int strategy,
                  const char *version, int size)
{
	(void)level, (void)memory, (void)strategy;
	if (method != Z_DEFLATED || bits != -MAX_WBITS)
		return Z_STREAM_ERROR;
	if (!version || version[0] != ZLIB_VERSION[0] || size != (int)sizeof *s)
		return Z_VERSION_ERROR;
	struct state *state = spare ? spare : malloc(sizeof *state);
	if (!state)
		return Z_MEM_ERROR;
	spare = NULL;
	begin(s, state);
	state->ready = next_ready;
	state->ready_len = next_len;
	next_ready = NULL;
	return Z_OK;
}

static int hand_out(z_streamp s, struct state *state, int flush)
{
	size_t n = state->ready_len < s->avail_out ? state->ready_len : s->avail_out;

	s->total_in += s->avail_in;
	s->next_in += s->avail_in;
	s->avail_in = 0;
	memcpy(s->next_out, state->ready, n);
	s->total_out += n;
	s->next_out += n;
	s->avail_out -= (uInt)n;
	state->ready += n;
	state->ready_len -= n;
	return flush == Z_FINISH && !state->ready_len ? Z_STREAM_END : Z_OK;
}

int deflate(z_streamp s, int flush)
{
	struct isal_zstream *z = &((struct state *)s->state)->z;

	if (flush != Z_NO_FLUSH && flush != Z_FINISH)
		return Z_STREAM_ERROR;
	if (((struct state *)s->state)->ready)
		return hand_out(s, (struct state *)s->state, flush);
	z->next_in = s->next_in;
	z->avail_in = s->avail_in;
	z->next_out = s->next_out;
	z->avail_out = s->avail_out;
	z->end_of_stream = flush == Z_FINISH;
	int r = isal_deflate(z);
	s->total_in += s->avail_in - z->avail_in;
	s->total_out += s->avail_out - z->avail_out;
	s->next_in = z->next_in;
	s->avail_in = z->avail_in;
	s->next_out = z->next_out;
	s->avail_out = z->avail_out;
	if (r != COMP_OK)
		return Z_STREAM_ERROR;
	return z->internal_state.state == ZSTATE_END ? Z_STREAM_END : Z_OK;
}

int deflateEnd(z_streamp s)
{
	free(spare);
	spare = (struct state *)s->state;
	s->state = NULL;
	return Z_OK;
}

/* The result depends on the sizes of the buffers: those of libxlsxwriter and minizip. */
#define IN 16384
#define OUT 65536

bool tl_xlsx_deflate(const char *text, size_t len, unsigned char **data, size_t *data_len)
{
	size_t size = len / 4 + OUT;
	struct state *state = malloc(sizeof *state);
	z_stream s = { .next_out = malloc(size), .avail_out = 0 };
	bool ended = false, ok = state && s.next_out;

	*data = s.next_out;
	if (ok)
		begin(&s, state);
	while (ok && !ended) {
		size_t used = s.total_out, at = s.total_in;
		if (!s.avail_out) {
			unsigned char *more = size - used >= OUT ? *data : realloc(*data, size *= 2);
			ok = more != NULL;
			*data = more ? more : *data;
			s.next_out = *data + used;
			s.avail_out = OUT;
		}
		if (!s.avail_in) {
			s.next_in = (z_const Bytef *)text + at;
			s.avail_in = (uInt)(len - at < IN ? len - at : IN);
		}
		int r = ok ? deflate(&s, at < len ? Z_NO_FLUSH : Z_FINISH) : Z_MEM_ERROR;
		ended = r == Z_STREAM_END;
		ok = ended || r == Z_OK;
	}
	*data_len = s.total_out;
	free(state);
	return ok;
}

void tl_xlsx_deflated(const unsigned char *data, size_t data_len)
{
	next_ready = data;
	next_len = data_len;
}

uLong crc32(uLong crc, const Bytef *s, uInt len)
{
	return s ? crc32_gzip_refl((uint32_t)crc, s, len) : 0;
}

#else
#include <dlfcn.h>

int deflateInit2_(z_streamp s, int level, int method, int bits, int memory, int strategy,
                  const char *version, int size)
{
	static int (*real)(z_streamp, int, int, int, int, int, const char *, int);

	(void)level;
	if (!real) {
		void *f = dlsym(RTLD_NEXT, "deflateInit2_");
		memcpy(&real, &f, sizeof f);
	}
	return real ? real(s, Z_BEST_SPEED, method, bits, memory, strategy, version, size) : Z_STREAM_ERROR;
}

bool tl_xlsx_deflate(const char *text, size_t len, unsigned char **data, size_t *data_len)
{
	(void)text, (void)len, (void)data_len;
	*data = NULL;
	return false;
}

void tl_xlsx_deflated(const unsigned char *data, size_t data_len)
{
	(void)data, (void)data_len;
}

#endif
