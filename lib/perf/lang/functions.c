/* functions.c - the functions of the language by name and in order, and what their
 * files share.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/lang/functions.h"

#include <string.h>

static const struct tl_function *const tables[] = { tl_fn_args, tl_fn_values, tl_fn_texts, tl_fn_models, tl_fn_triton };
enum { N_TABLES = sizeof tables / sizeof *tables };

const struct tl_function *tl_function_find(const char *name, size_t len)
{
	for (size_t t = 0; t < N_TABLES; t++)
		for (const struct tl_function *f = tables[t]; f->name; f++)
			if (f->name[0] == *name && !strncmp(f->name, name, len) && !f->name[len])
				return f;
	return NULL;
}

const char *tl_function_help(size_t i)
{
	static const char *const forms[] = {
		"sel(c, x, y): x if c, else y; only the one chosen is evaluated",
		"known(a, ..., e): e; null when one of a, ... is null, and then e is not evaluated",
		"each(x, list, e): e for each item of the list, which is called x there; items for which e is null are left out",
	};
	enum { N_FORMS = sizeof forms / sizeof *forms };

	if (i < N_FORMS)
		return forms[i];
	i -= N_FORMS;
	for (size_t t = 0; t < N_TABLES; t++)
		for (const struct tl_function *f = tables[t]; f->name; f++)
			if (i-- == 0)
				return f->help;
	return NULL;
}

bool tl_fn_need_seq(struct tl_eval *e, const struct tl_value *v)
{
	return tl_v_is_seq(v) || tl_eval_fail(e, "a list or tuple is needed");
}

bool tl_fn_small_int(struct tl_eval *e, const struct tl_value *v, int *out)
{
	enum { MOST = 1000000 };

	*out = 0;
	if (v->type != TL_V_INT || v->i < -MOST || v->i > MOST)
		return tl_eval_fail(e, "a small integer is needed");
	*out = (int)v->i;
	return true;
}
