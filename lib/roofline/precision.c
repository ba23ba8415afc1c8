/* precision.c - the precision in which kernels compute, where their names tell it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "roofline/precision.h"

#include <string.h>

const char *tl_precision_of(struct tl_name_rules *rules, const char *const *kernels, size_t n)
{
	const char *all = "";

	for (size_t i = 0; i < n; i++) {
		const char *one = tl_name_rules_find(rules, kernels[i], strlen(kernels[i]));
		if (*one && *all && strcmp(one, all))
			return "";
		if (*one)
			all = one;
	}
	return all;
}

const char *tl_precision_spec(struct tl_name_rules *rules, const struct tl_arch *arch, const char *spec,
                              const char *const *kernels, size_t n)
{
	static const char tf32[] = "matrix_tf32";

	if (strcmp(spec, "matrix_fp32") || strcmp(tl_precision_of(rules, kernels, n), "tf32"))
		return spec;
	return arch && tl_arch_peak(arch, spec) > 0 && !(tl_arch_peak(arch, tf32) > 0) ? spec : tf32;
}
