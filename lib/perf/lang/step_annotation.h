/* step_annotation.h - sums over the requests of a step, as serving engines write
 * them into the step's annotation.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STEP_ANNOTATION_H
#define TL_STEP_ANNOTATION_H

#include <stdbool.h>
#include <stdint.h>

/* Four sums over the context (prefill) requests, then the same four over the generation
 * (decode) requests: query tokens, key tokens, the squares of query tokens, the products
 * of query and key tokens. */
#define TL_STEP_SUMS 8
struct tl_step_sums { int64_t of[TL_STEP_SUMS]; };

/* Reads the sums of an annotation by vLLM, SGLang or ATOM; a sum that the text does not
 * give is 0. False for any other text; *out is undefined then. */
bool tl_step_annotation_parse(const char *text, struct tl_step_sums *out);

#endif
