/* fuzz_value.c - JSON values and their Python text, from hostile bytes.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "base/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_arena arena = { 0 };
	struct tl_buf b = { 0 };
	struct tl_error err = { 0 };
	struct tl_value v;
	__int128 i;

	enum tl_status st = tl_value_parse(&arena, (const char *)data, size, &v, &err);
	if (st && (st != TL_ERR_DATA || !err.text[0]))
		abort();
	if (!st) {
		tl_value_repr(&b, &v, true);
		tl_value_str(&b, &v, false);
	}
	tl_repr_text(&b, (const char *)data, size);
	tl_parse_pyint((const char *)data, size, &i);
	tl_buf_release(&b);
	tl_arena_release(&arena);
	return 0;
}
