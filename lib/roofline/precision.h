/* precision.h - the precision in which kernels compute, where their names tell it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PRECISION_H
#define TL_PRECISION_H

#include "kernels/name_rules.h"
#include "perf/models/arch.h"

/* The precision of the matrix operations of an operator's kernels by
 * kernel-precision.tsv: "tf32". "" if no name tells one, or names tell different ones. */
const char *tl_precision_of(struct tl_name_rules *, const char *const *kernels, size_t n);

/* The compute spec against whose peak an operator is held: "matrix_tf32" in place of
 * "matrix_fp32" if its kernels compute in TF32; else `spec`, the one that follows from the
 * types of its tensors. `spec` stays, too, if the architecture (NULL: none) has a peak for
 * it and none for matrix_tf32. */
const char *tl_precision_spec(struct tl_name_rules *, const struct tl_arch *, const char *spec,
                              const char *const *kernels, size_t n);

#endif
