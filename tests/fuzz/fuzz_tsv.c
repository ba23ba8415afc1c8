/* fuzz_tsv.c - the TSV reader, from hostile bytes in pieces of any size: what
 * it accepts is written back as the same bytes, but \x22 as a quote.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "fuzz.h"

static enum tl_status write_back(void *ctx, size_t row, const struct tl_field_text *f, size_t n, struct tl_error *err)
{
	(void)row, (void)err;
	for (size_t i = 0; i < n; i++) {
		if (i)
			tl_buf_addc(ctx, '\t');
		tl_tsv_add_text(ctx, f[i].s, f[i].len);
	}
	tl_buf_addc(ctx, '\n');
	return TL_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum tl_status first = TL_OK;

	for (size_t step = 1; step < 70000; step = step * 7 + 2) {
		struct tl_memory_input in = tl_memory_input("fuzz", data, size);
		struct tl_buf back = { 0 };
		struct tl_error err = { 0 };
		in.step = step;
		enum tl_status st = tl_tsv_read(&in.in, write_back, &back, &err);

		if (step == 1)
			first = st;
		if (st != first || (st && (!err.text[0] || st != TL_ERR_DATA)))
			abort();
		if (!st && !memmem(data, size, "\\x22", 4) && (back.len != size || memcmp(back.data, data, size)))
			abort();
		tl_buf_release(&back);
	}
	return 0;
}
