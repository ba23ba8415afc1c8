/* fuzz_kcat.c - tables of kernel category rules from hostile bytes: a table is
 * refused with a message, or every name gets a field of the table or nothing.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "work/name_rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "", "void vllm::reshape_and_cache(gemm)", "abc", "::", "_fwd_kernel" };
	struct tl_name_rules *k = tl_name_rules_new(TL_NO_RULES), *work = tl_name_rules_new(TL_KERNEL_WORK);
	struct tl_error err = { 0 };

	tl_name_rules_ask(k, work);
	enum tl_status st = tl_name_rules_add(k, "table", (const char *)data, size, &err);

	if (st && (st != TL_ERR_DATA || !err.text[0]))
		abort();
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strpbrk(tl_name_rules_find(k, names[i], strlen(names[i])), "\t\n"))
			abort();
	tl_name_rules_find(k, (const char *)data, size);
	tl_name_rules_free(k);
	tl_name_rules_free(work);
	return 0;
}
