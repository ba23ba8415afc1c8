/* fuzz_json.c - the readers of foreign traces. The first byte chooses the
 * options and how the input arrives; the rest is the input. Whatever it is, the
 * reader ends, touches nothing outside its buffers, and hands on only what a
 * stream can hold; the plain parser alone gives the same as with templates; and a
 * strict reading that succeeds is the same in any pieces.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_read_options o = { 0 };
	struct tl_buf whole, plain, pieces;
	enum tl_status st, st2;
	uint8_t how;

	if (!size)
		return 0;
	how = *data;
	o.lenient = how & 1;
	o.drop_kinds = how & 2 ? 1u << TL_KIND_PYTHON | 1u << TL_KIND_CPU_OP | 1u << TL_KIND_FLOW : 0;
	st = fuzz_stream(data + 1, size - 1, 0, &o, &whole);
	o.plain = true;
	st2 = fuzz_stream(data + 1, size - 1, 0, &o, &plain);
	if (fuzz_differ(st, &whole, st2, &plain)) {
		fprintf(stderr, "the plain parser gives another result\n");
		abort();
	}
	o.plain = false;
	st2 = fuzz_stream(data + 1, size - 1, 1 + (how >> 2), &o, &pieces);
	if (!o.lenient && fuzz_differ(st, &whole, st2, &pieces)) {
		fprintf(stderr, "pieces of %u bytes give another result\n", 1u + (how >> 2));
		abort();
	}
	tl_buf_release(&whole);
	tl_buf_release(&plain);
	tl_buf_release(&pieces);
	return 0;
}
