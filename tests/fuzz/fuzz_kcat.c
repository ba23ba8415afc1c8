/* fuzz_kcat.c - tables of kernel category rules from hostile bytes: a table is
 * refused with a message, or every name gets a category.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "kernels/categories.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "", "void vllm::reshape_and_cache(gemm)", "abc", "::", "_fwd_kernel" };
	struct tl_kcat *k = tl_kcat_new();
	struct tl_error err = { 0 };
	enum tl_status st = tl_kcat_add(k, "table", (const char *)data, size, &err);

	if (st && (st != TL_ERR_DATA || !err.text[0]))
		abort();
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!tl_kcat_of(k, names[i], strlen(names[i]))[0])
			abort();
	tl_kcat_of(k, (const char *)data, size);
	tl_kcat_free(k);
	return 0;
}
