/* annot.h - what a serving engine writes about a step: sums over its requests.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERF_ANNOT_H
#define TL_PERF_ANNOT_H

#include "base/base.h"

/* In this order: query tokens, key tokens, sum of squares of query tokens, sum
 * of products of query and key tokens; of context (prefill) requests and then
 * of generation (decode) requests. */
#define TL_ANNOT_SUMS 8
struct tl_annot { int64_t sum[TL_ANNOT_SUMS]; };

/* Reads the texts of vLLM, SGLang and ATOM that carry all sums; false for every
 * other text. */
bool tl_annot_parse(const char *text, struct tl_annot *out);

#endif
