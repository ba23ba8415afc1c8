/* fuzz_text.c - the text form of a stream, from hostile bytes.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "round.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	round_trip(tl_text_read, data, size);
	return 0;
}
