/* functions.h - the functions of the language of the model tables, and what they
 * look up. Private to lib/perf.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERF_FUNCTIONS_H
#define TL_PERF_FUNCTIONS_H

#include "perf/models/perf.h"

#define TL_FN_MAX_ARGS 16
enum {
	TL_FN_BEYOND = 1, /* uses more than the lists, the name and the kernels */
	TL_FN_MEMORY = 2, /* keeps things, or uses what was kept */
};
struct tl_eval;
struct tl_function {
	const char *name;
	uint8_t min_args, max_args;
	uint8_t traits; /* TL_FN_* */
	bool (*call)(struct tl_eval *, const struct tl_value *a, uint32_t n, struct tl_value *out);
	const char *help;  /* arguments and meaning */
};
const struct tl_function *tl_function_find(const char *name, size_t len);
const struct tl_function *tl_function_at(size_t i); /* NULL after the last */

/* The tables, each of the file of its name. */
extern const struct tl_function tl_fn_args[], tl_fn_texts[], tl_fn_values[], tl_fn_models[], tl_fn_triton[];

/* Value of a map (map lines); NULL when the key is not in it. */
const struct tl_value *tl_registry_lookup(const struct tl_registry *, const char *map,
                                          const char *key, size_t len);

#endif
