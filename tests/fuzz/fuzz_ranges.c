/* fuzz_ranges.c - texts of ranges from hostile bytes: each has a class, a name and whole fields, and its name folds.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "readers/ranges.h"
#include "work/range_names.h"

/* Lists are JSON without blanks, whose brackets fit. */
static void check_json(const char *s, size_t len)
{
	int depth = 0;

	for (size_t i = 0; i < len; i++) {
		depth += s[i] == '[' ? 1 : s[i] == ']' ? -1 : 0;
		if (s[i] == ' ' || s[i] == '(' || depth < 0 || (!depth && i + 1 < len))
			abort();
	}
	if (depth || !len)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const domains[] = { NULL, "TSL", "NCCL", "TensorRT" };
	static struct tl_ranges *ranges;
	const char *domain = size ? domains[data[0] % 4] : NULL;
	struct tl_range r;

	if (!ranges)
		ranges = tl_ranges_new();
	tl_range_read(ranges, (const char *)data + !!size, size - !!size, domain, domain ? strlen(domain) : 0, &r);
	if (!tl_range_class_name(r.class) || !r.name || r.n > TL_RANGE_FIELDS)
		abort();
	for (size_t i = 0; i < r.n; i++)
		if (r.fields[i].type == TL_FIELD_JSON)
			check_json(r.fields[i].text, r.fields[i].len);
	struct tl_folds *folds = tl_folds_new();
	struct tl_buf folded = { 0 };
	tl_folds_add(folds, r.name, r.len);
	tl_folds_name(folds, r.name, r.len, &folded);
	if (folded.len > r.len)
		abort();
	tl_buf_release(&folded);
	tl_folds_free(folds);
	return 0;
}
