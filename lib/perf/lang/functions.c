/* functions.c - the functions of the language, by name and in order.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/lang/functions.h"

#include <string.h>

static const struct tl_function *const functions[] = { tl_fn_args, tl_fn_texts, tl_fn_values, tl_fn_models, tl_fn_triton };

const struct tl_function *tl_function_at(size_t i)
{
	for (size_t t = 0; t < sizeof functions / sizeof *functions; t++)
		for (const struct tl_function *f = functions[t]; f->name; f++)
			if (i-- == 0)
				return f;
	return NULL;
}

const struct tl_function *tl_function_find(const char *name, size_t len)
{
	for (size_t t = 0; t < sizeof functions / sizeof *functions; t++)
		for (const struct tl_function *f = functions[t]; f->name; f++)
			if (f->name[0] == *name && !strncmp(f->name, name, len) && !f->name[len])
				return f;
	return NULL;
}

const char *tl_function_help(size_t i)
{
	static const char *const lazy[] = {
		"sel(c, x, y): x if c, else y; only the one chosen is evaluated",
		"known(a, ..., e): e; null when one of a, ... is null, and then e is not evaluated",
		"each(x, list, e): e for each item of the list, which is called x there; items for which e is null are left out",
	};
	if (i < 3)
		return lazy[i];
	const struct tl_function *f = tl_function_at(i - 3);
	return f ? f->help : NULL;
}
