/* fuzz_perfetto.c - the reader of Perfetto traces, behind a first packet, which holds its sequence.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "pieces.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char start[] = "\x0a\x02\x50\x02";

	return whole_and_pieces(start, sizeof start - 1, data, size);
}
