/* varint.c - the rarer numbers of variable length.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/varint.h"

const uint8_t *tl_get_long_varint(const uint8_t *p, uint64_t *v, unsigned *bad)
{
	uint64_t x = 0;

	for (int i = 0; i < TL_VARINT_MAX; i++) {
		x |= (uint64_t)(p[i] & 0x7f) << 7 * i;
		if (p[i] < 0x80) {
			if (i == TL_VARINT_MAX - 1 && p[i] > 1)
				*bad = 1;
			*v = x;
			return p + i + 1;
		}
	}
	*bad = 1;
	*v = x;
	return p + TL_VARINT_MAX;
}
