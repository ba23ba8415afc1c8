/* protobuf_fields.h - the fields of a protobuf message, one after the other, without a
 * schema: the reader of a format knows what the numbers mean.
 *
 *	struct tl_bytes message = { data, data + len, false };
 *	struct tl_pb_field f;
 *	while (tl_pb_next(&message, &f))
 *		if (f.number == 8) …
 *	if (message.bad) … it is damaged behind the last field
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PROTOBUF_FIELDS_H
#define TL_PROTOBUF_FIELDS_H

#include "base/varint.h"

enum tl_pb_wire { TL_PB_VARINT = 0, TL_PB_FIXED64 = 1, TL_PB_BYTES = 2, TL_PB_FIXED32 = 5 };

struct tl_pb_field {
	uint32_t number;
	enum tl_pb_wire wire;
	uint64_t value;      /* of a varint, FIXED64 and FIXED32; of BYTES their number */
	const uint8_t *data; /* BYTES */
};

/* Most tags and lengths are a byte. */
static inline uint64_t tl_pb_take_number(struct tl_bytes *b)
{
	return b->p < b->end && *b->p < 0x80 ? *b->p++ : tl_take_varint(b);
}

/* Takes a field. False at the end; and after damage, which sets bad: a number that is cut
 * off, bytes beyond the end, field number 0, a wire type that does not exist (groups, which
 * no format of today uses, count as such). Always inline, so that the field is in registers:
 * a copy of one that has just been written to memory waits for it. */
static inline __attribute__((always_inline)) bool tl_pb_next(struct tl_bytes *b, struct tl_pb_field *f)
{
	if (b->p == b->end)
		return false;
	uint64_t tag = tl_pb_take_number(b), size = 0;
	f->number = (uint32_t)(tag >> 3);
	f->wire = (enum tl_pb_wire)(tag & 7);
	f->value = 0;
	b->bad |= !f->number || tag >> 32;
	switch (f->wire) {
	case TL_PB_VARINT: f->value = tl_pb_take_number(b); break;
	case TL_PB_BYTES: size = f->value = tl_pb_take_number(b); break;
	case TL_PB_FIXED64: size = 8; break;
	case TL_PB_FIXED32: size = 4; break;
	default: b->bad = true;
	}
	if (b->bad || size > (size_t)(b->end - b->p)) {
		b->bad = true;
		b->p = b->end;
		return false;
	}
	f->data = b->p;
	b->p += size;
	if (f->wire == TL_PB_FIXED64 || f->wire == TL_PB_FIXED32)
		for (size_t i = 0; i < size; i++)
			f->value |= (uint64_t)f->data[i] << 8 * i;
	return true;
}

/* The fields of a message that is the value of a field. */
static inline struct tl_bytes tl_pb_message(const struct tl_pb_field *f)
{
	struct tl_bytes b = { f->data, f->data + (f->wire == TL_PB_BYTES ? f->value : 0), f->wire != TL_PB_BYTES };
	return b;
}

#endif
