/* protobuf_put.h - writes the fields of protobuf messages, one behind the other, into a buffer: the caller knows what
 * the numbers mean. A message in a message is opened and closed around its fields:
 *
 *	size_t packet = tl_pb_open(&b, 1, 2);
 *	tl_pb_put_number(&b, 8, time);
 *	tl_pb_close(&b, packet, 2);
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PROTOBUF_PUT_H
#define TL_PROTOBUF_PUT_H

#include "base/base.h"
#include "base/varint.h"

static inline void tl_pb_put_varint(struct tl_buf *b, uint64_t v)
{
	if (b->cap - b->len <= TL_VARINT_MAX)
		tl_buf_reserve(b, TL_VARINT_MAX);
	b->len = (size_t)((char *)tl_put_varint((uint8_t *)b->data + b->len, v) - b->data);
}

static inline void tl_pb_put_number(struct tl_buf *b, uint32_t field, uint64_t v)
{
	tl_pb_put_varint(b, (uint64_t)field << 3);
	tl_pb_put_varint(b, v);
}

static inline void tl_pb_put_fixed64(struct tl_buf *b, uint32_t field, uint64_t v)
{
	unsigned char bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (unsigned char)(v >> 8 * i);
	tl_pb_put_varint(b, (uint64_t)field << 3 | 1);
	tl_buf_add(b, bytes, sizeof bytes);
}

static inline void tl_pb_put_double(struct tl_buf *b, uint32_t field, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	tl_pb_put_fixed64(b, field, bits);
}

static inline void tl_pb_put_bytes(struct tl_buf *b, uint32_t field, const void *p, size_t len)
{
	tl_pb_put_varint(b, (uint64_t)field << 3 | 2);
	tl_pb_put_varint(b, len);
	tl_buf_add(b, p, len);
}

static inline void tl_pb_put_text(struct tl_buf *b, uint32_t field, const char *s)
{
	tl_pb_put_bytes(b, field, s, strlen(s));
}

/* Begins a message that is the value of a field, and returns the place where it begins. `room`: the bytes that its length is
 * thought to need; a longer one moves the message. */
static inline size_t tl_pb_open(struct tl_buf *b, uint32_t field, unsigned room)
{
	tl_pb_put_varint(b, (uint64_t)field << 3 | 2);
	tl_buf_reserve(b, room);
	b->len += room;
	return b->len;
}

/* Ends the message that begins at `start`; the same room. */
static inline void tl_pb_close(struct tl_buf *b, size_t start, unsigned room)
{
	uint64_t len = b->len - start;
	unsigned n = 1;

	for (uint64_t rest = len >> 7; rest; rest >>= 7)
		n++;
	if (n > room) {
		tl_buf_reserve(b, n - room);
		memmove(b->data + start + n - room, b->data + start, len);
		b->len += n - room;
	} else {
		n = room; /* a number may have zeros in front */
	}
	unsigned char *p = (unsigned char *)b->data + start - room;
	for (; n > 1; n--, len >>= 7)
		*p++ = (unsigned char)(len | 0x80);
	*p = (unsigned char)len;
}

#endif
