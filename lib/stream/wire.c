/* wire.c - the rarer parts of the stream's encodings.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <zlib.h>
#ifdef TL_HAVE_ISAL
#include <isa-l/crc.h>
#endif

#include "stream/stream.h"
#include "stream/wire.h"

const uint8_t *get_long_varint(const uint8_t *p, uint64_t *v, unsigned *bad)
{
	uint64_t x = 0;

	for (int i = 0; i < VARINT_MAX; i++) {
		x |= (uint64_t)(p[i] & 0x7f) << 7 * i;
		if (p[i] < 0x80) {
			if (i == VARINT_MAX - 1 && p[i] > 1)
				*bad = 1;
			*v = x;
			return p + i + 1;
		}
	}
	*bad = 1;
	*v = x;
	return p + VARINT_MAX;
}

uint32_t tl_crc32(uint32_t crc, const void *p, size_t len)
{
#ifdef TL_HAVE_ISAL
	return crc32_gzip_refl(crc, p, len); /* ten times as fast */
#else
	return (uint32_t)crc32_z(crc, p, len);
#endif
}
