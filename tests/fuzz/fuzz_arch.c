/* fuzz_arch.c - hostile files of GPUs, JSON and tables. Such a file is refused
 * with a message, or what it says of the GPU are numbers to compute with.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "perf/arch.h"

#include <math.h>

static void check(double x)
{
	if (!(x >= 0 && isfinite(x)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const specs[] = { "matrix_bf16", "matrix_fp16", "matrix_fp8", "vector_fp32", "vector_fp16", "" };
	struct tl_arch *a;
	struct tl_error err = { 0 };
	enum tl_status s = tl_arch_from_text(&a, "gpu", (const char *)data, size, &err);

	if (s) {
		if (s != TL_ERR_DATA || !err.text[0] || a)
			abort();
		return 0;
	}
	check(a->bandwidth);
	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
		check(tl_arch_peak(a, specs[i]));
	if (!*a->name)
		abort();
	tl_arch_free(a);
	return 0;
}
