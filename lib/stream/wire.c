/* wire.c - the checksum of a stream.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "stream/wire.h"

#include <zlib.h>
#ifdef TL_HAVE_ISAL
#include <isa-l/crc.h>
#endif

uint32_t tl_crc32(uint32_t crc, const void *p, size_t len)
{
#ifdef TL_HAVE_ISAL
	return crc32_gzip_refl(crc, p, len); /* ten times as fast */
#else
	return (uint32_t)crc32_z(crc, p, len);
#endif
}
