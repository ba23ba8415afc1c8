/* xplane_input.c - bytes of an XPlane file to planes in memory.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/xplane.h"

#include <string.h>

/* Reads up to cap bytes. False: none are left, or the status tells why. */
static bool read_some(struct tl_xp_reader *r, void *to, size_t cap, size_t *n)
{
	int64_t got = r->at_end ? 0 : r->in->read(r->in, to, cap, &r->error);

	if (got < 0)
		r->status = r->error.status ? r->error.status : TL_ERR_IO;
	r->at_end |= got <= 0;
	*n = got > 0 ? (size_t)got : 0;
	return *n > 0;
}

static bool fill(struct tl_xp_reader *r)
{
	if (r->used < r->filled)
		return true;
	r->offset += (int64_t)r->filled;
	r->used = r->filled = 0;
	return read_some(r, r->window, sizeof r->window, &r->filled);
}

static bool take_varint(struct tl_xp_reader *r, uint64_t *v)
{
	uint8_t digits[TL_VARINT_MAX];
	size_t n = 0;

	do {
		if (!fill(r)) {
			r->cut_short = n > 0;
			return false;
		}
		digits[n++] = r->window[r->used++];
	} while (n < sizeof digits && digits[n - 1] >= 0x80);
	struct tl_bytes b = { digits, digits + n, false };
	*v = tl_take_varint(&b);
	if (b.bad)
		r->status = tl_fail_at(&r->error, TL_ERR_DATA, tl_xp_offset(r) - (int64_t)n, "a number of more than 64 bits");
	return !b.bad;
}

bool tl_xp_take_tag(struct tl_xp_reader *r, uint64_t *tag, uint64_t *value)
{
	int64_t at = tl_xp_offset(r);

	if (!take_varint(r, tag))
		return false;
	unsigned wire = *tag & 7;
	if ((wire != TL_PB_BYTES && wire != TL_PB_VARINT) || *tag >> 3 == 0) {
		r->status = tl_fail_at(&r->error, TL_ERR_DATA, at, "expected a plane of an XPlane file, or its end");
		return false;
	}
	if (take_varint(r, value))
		return true;
	r->cut_short |= !r->status;
	return false;
}

bool tl_xp_take_bytes(struct tl_xp_reader *r, uint64_t len, struct tl_buf *to)
{
	tl_buf_clear(to);
	while (to->len < len) {
		size_t want = len - to->len < to->len + sizeof r->window ? (size_t)(len - to->len) : to->len + sizeof r->window;
		size_t n = r->filled - r->used < want ? r->filled - r->used : want;
		tl_buf_reserve(to, want);
		memcpy(to->data + to->len, r->window + r->used, n);
		r->used += n;
		if (!n) {
			if (!read_some(r, to->data + to->len, want, &n)) {
				r->cut_short = !r->status;
				return false;
			}
			r->offset += (int64_t)n;
		}
		to->len += n;
	}
	return true;
}
