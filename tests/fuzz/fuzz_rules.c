/* fuzz_rules.c - tables of rules, from hostile bytes.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "edit/rewrite_rules.h"

/* Long expressions are cut off: compiling one takes the C library a time that
 * grows with its square, which is not ours to mend. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_error err;
	struct tl_rules *rules = tl_rules_new();
	if (size <= 2000)
		(void)tl_rules_add(rules, "rules", (const char *)data, size, &err);
	tl_rules_free(rules);
	return 0;
}
