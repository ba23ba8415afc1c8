/* protobuf_write.h - fields of protobuf messages, written one behind the other.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PROTOBUF_WRITE_H
#define TL_PROTOBUF_WRITE_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bytes { unsigned char *data; size_t len, cap; };

static inline void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
	exit(2);
}

static inline void add(struct bytes *b, const void *p, size_t n)
{
	if (b->len + n > b->cap) {
		b->cap = 2 * (b->len + n) + 64;
		b->data = realloc(b->data, b->cap);
		if (!b->data)
			die("no memory");
	}
	if (n)
		memcpy(b->data + b->len, p, n);
	b->len += n;
}

static inline void add_varint(struct bytes *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		add(b, &(unsigned char){ (unsigned char)(v | 0x80) }, 1);
	add(b, &(unsigned char){ (unsigned char)v }, 1);
}

static inline void add_number(struct bytes *b, uint64_t number, uint64_t v)
{
	add_varint(b, number << 3);
	add_varint(b, v);
}

static inline void add_bytes(struct bytes *b, uint64_t number, const void *p, size_t len)
{
	add_varint(b, number << 3 | 2);
	add_varint(b, len);
	add(b, p, len);
}

/* Adds the message inside as a field, and empties it for the next. */
static inline void add_message(struct bytes *b, uint64_t number, struct bytes *inside)
{
	add_bytes(b, number, inside->data, inside->len);
	inside->len = 0;
}

/* Writes what is there to stdout. */
static inline void send(struct bytes *b)
{
	if (fwrite(b->data, 1, b->len, stdout) != b->len || fflush(stdout))
		die("cannot write");
	b->len = 0;
}

#endif
