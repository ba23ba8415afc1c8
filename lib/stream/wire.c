/* wire.c - the rarer parts of the stream's encodings.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <zlib.h>
#ifdef TL_HAVE_ISAL
#include <isa-l/crc.h>
#endif

#include "stream/stream.h"
#include "stream/wire.h"

uint32_t tl_crc32(uint32_t crc, const void *p, size_t len)
{
#ifdef TL_HAVE_ISAL
	return crc32_gzip_refl(crc, p, len); /* ten times as fast */
#else
	return (uint32_t)crc32_z(crc, p, len);
#endif
}
