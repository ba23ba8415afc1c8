/* wire.h - what the stream's writer and its reader share of tl-stream(5).
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_WIRE_H
#define TL_WIRE_H

#include <stdint.h>

#include "base/varint.h"
#include "model/stream.h"

#define MAGIC_LEN 8
#define VERSION_LEN 4 /* major and minor, two bytes each */
#define FRAME_HEAD 8  /* type, three zero bytes, length of the payload */
#define CHECKSUM_LEN 4

/* A writer ends a frame that has grown to this size. */
#define BLOCK_BYTES 65536
#define MAX_FRAME (TL_STREAM_MAX_STRING + 65536)

/* A reader refuses more than this between two resets. Far above what a writer
 * can reach; it bounds what a hostile stream can make a reader keep. */
#define READER_ENTRIES (1u << 20)
#define READER_LAYOUTS (1u << 16)

static inline uint32_t load_le32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline void store_le32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static inline unsigned load_le16(const uint8_t *p)
{
	return p[0] | (unsigned)p[1] << 8;
}

/* CRC-32 as in gzip; start with 0. */
uint32_t tl_crc32(uint32_t crc, const void *p, size_t len);

/* ---- a trace's header as lines of key and value ----------------------------------------- */

/* Appends a line: `before`, key, `between`, escaped value, newline. The second one
 * appends all lines of a header. */
void tl_header_write_line(struct tl_buf *, const char *before, const char *key, char between, const char *value);
void tl_header_write(struct tl_buf *, const struct tl_header *, const char *before, char between);

/* A header being read. Zero bytes are a valid start. */
struct tl_header_parts {
	struct tl_header h; /* whole after tl_header_finish */
	struct tl_arena arena;
	const char **provenance;
	size_t n, cap;
	bool has_ticks;
};
enum tl_header_result { TL_HEADER_OK, TL_HEADER_UNKNOWN_KEY, TL_HEADER_BAD_VALUE };

/* Takes one line; the value has escapes, and is copied. */
enum tl_header_result tl_header_add(struct tl_header_parts *, const char *key, size_t key_len,
                                    const char *value, size_t value_len);
/* Makes `h` whole; false if the line ticks_per_us is missing. */
bool tl_header_finish(struct tl_header_parts *);
void tl_header_release(struct tl_header_parts *);

/* ---- a window on an input, for the stream reader and the text reader -------------------- */

struct tl_window {
	struct tl_input *in;
	uint8_t *data;
	size_t cap;
	size_t pos, len; /* data[pos..len) is not consumed yet */
	uint64_t base;   /* offset of data[0] in the input */
	bool eof;
};

/* The window begins with `got`, bytes already taken from `in`. */
void tl_window_init(struct tl_window *, struct tl_input *in, const void *got, size_t got_len);
void tl_window_release(struct tl_window *);

static inline size_t tl_window_avail(const struct tl_window *w)
{
	return w->len - w->pos;
}

static inline uint64_t tl_window_offset(const struct tl_window *w)
{
	return w->base + w->pos;
}

/* Reads until `need` bytes are available or the input ends. Memory grows with what
 * arrives, not with `need`. Pointers into the window are invalid afterwards. */
enum tl_status tl_window_fill(struct tl_window *, size_t need, struct tl_error *err);

/* ---- marks of the text form that its writer and reader share ---------------------------- */

#define TEXT_EMPTY "\\e" /* an empty string where an empty column means none */

/* No line is longer: four bytes an escaped byte of the longest string. */
#define TEXT_MAX_LINE ((size_t)4 * TL_STREAM_MAX_STRING + (1u << 20))

/* Columns of an event line before its fields. */
enum {
	COL_RECORD, COL_UID, COL_KIND, COL_TS, COL_DUR, COL_PID, COL_TID,
	COL_CAT, COL_PH, COL_NAME, COL_FLAGS, COL_FIXED
};

/* The letters of a field's type: [top][type]. */
extern const char tl_text_types[2][4];

/* Letters of the flags column; what is not there follows from the columns. */
#define TEXT_INT_TS 't'
#define TEXT_INT_DUR 'd'
#define TEXT_ARGS 'a'
#define TEXT_NAME_DIFFERS 'n'

#endif
