/* test_read_ahead.c - an input that is read ahead gives what the input gives.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/memory_io.h"
#include "base/read_ahead.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory that ends with an error. */
struct failing { struct tl_input base; struct tl_memory_input memory; };

static int64_t read_failing(struct tl_input *in, void *buf, size_t cap, struct tl_error *err)
{
	struct failing *f = (struct failing *)in;
	int64_t n = f->memory.in.read(&f->memory.in, buf, cap, err);

	if (n)
		return n;
	tl_fail(err, TL_ERR_DATA, "damaged here");
	return -1;
}

/* Whether the first `len` bytes are read in pieces of `piece`, then, if all, the end or the error, twice. */
static bool same(const char *bytes, size_t size, size_t len, size_t step, size_t piece, bool fails)
{
	struct failing f = { { "test", read_failing, NULL }, tl_memory_input("test", bytes, size) };
	struct tl_input *in = tl_read_ahead_new(fails ? &f.base : &f.memory.in);
	char *buf = tl_alloc(piece);
	bool ok = true;
	size_t at = 0;

	f.memory.step = step;
	while (ok && at < len) {
		int64_t n = in->read(in, buf, piece, NULL);

		ok = n > 0 && !memcmp(buf, bytes + at, (size_t)n);
		at += n > 0 ? (size_t)n : 0;
	}
	for (int i = 0; ok && len == size && i < 2; i++) {
		struct tl_error err = { 0 };

		ok = in->read(in, buf, piece, &err) == (fails ? -1 : 0) && !strcmp(err.text, fails ? "damaged here" : "");
	}
	tl_read_ahead_free(in);
	free(buf);
	return ok;
}

int main(void)
{
	static const size_t sizes[] = { 0, 1, 1 << 20, (1 << 20) + 1, 5000000 }, pieces[] = { 70000, 262144, 3000000 };
	char *bytes = tl_alloc(5000000);
	bool all = true, some = true;

	for (size_t i = 0; i < 5000000; i++)
		bytes[i] = (char)(i * 2654435761u >> 20);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		for (size_t k = 0; k < 3 * 2; k++)
			all = all && same(bytes, sizes[i], sizes[i], i % 2 ? 0 : 100000, pieces[k / 2], k % 2);
		some = some && same(bytes, 5000000, sizes[i] / 2, 0, 4096, false);
	}
	printf("%s all bytes, the end and an error in its place\n", all ? "ok" : "FAIL");
	printf("%s an end before all is read\n", some ? "ok" : "FAIL");
	free(bytes);
	return !(all && some);
}
