/* fuzz_xplane.c - the reader of XPlane files, behind a first plane, an empty one of the host.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "pieces.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char start[] = "\x0a\x0b\x12\x09/host:CPU";

	return whole_and_pieces(start, sizeof start - 1, data, size);
}
