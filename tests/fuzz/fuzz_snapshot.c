/* fuzz_snapshot.c - the reader of snapshots of PyTorch's memory, behind the start of a pickle with a dictionary.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "pieces.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char start[] = "\x80\x04}";

	return whole_and_pieces(start, sizeof start - 1, data, size);
}
