/* fuzz_stream.c - the binary stream, from hostile bytes. Where frames can be
 * followed to an end record its checksum is put right, so that what the fuzzer
 * changes is not found by the checksum alone.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "round.h"
#include "stream/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void mend_checksum(uint8_t *p, size_t size)
{
	size_t at = MAGIC_LEN + 4;

	while (size - at >= FRAME_HEAD) {
		uint32_t len = load_le32(p + at + 4);

		if (len > size - at - FRAME_HEAD)
			return;
		if (p[at] == 'E' && len >= 4) {
			size_t end = at + FRAME_HEAD + len - 4;
			store_le32(p + end, tl_crc32(0, p, end));
			return;
		}
		at += FRAME_HEAD + len;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + 1);
	struct tl_buf text;

	if (size)
		memcpy(copy, data, size);
	convert(tl_stream_read, copy, size, true, &text); /* as it is */
	tl_buf_release(&text);
	if (size >= MAGIC_LEN + 4 + FRAME_HEAD) {
		mend_checksum(copy, size);
		round_trip(tl_stream_read, copy, size);
	}
	free(copy);
	return 0;
}
