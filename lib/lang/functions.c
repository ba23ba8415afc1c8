/* functions.c - the list of the language's functions, and what their files share.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "lang/functions.h"
#include "base/text.h"

#include <string.h>

static const struct tl_function *const tables[] = { tl_fn_args, tl_fn_values, tl_fn_texts, tl_fn_models };
enum { N_TABLES = sizeof tables / sizeof *tables };

static const struct tl_function *find_in(const struct tl_function *f, const char *name, size_t len)
{
	while (f->name && !(f->name[0] == *name && !strncmp(f->name, name, len) && !f->name[len]))
		f++;
	return f->name ? f : NULL;
}

const struct tl_function *tl_function_find(const char *name, size_t len, bool in_rule)
{
	const struct tl_function *found = in_rule ? find_in(tl_fn_rules, name, len) : NULL;

	for (size_t t = 0; t < N_TABLES && !found; t++)
		found = find_in(tables[t], name, len);
	return found;
}

const char *tl_function_instead(const char *name, size_t len)
{
	static const struct { const char *former, *now; } gone[] = {
		{ "NULL_IF", "known(a, ..., e)" }, { "sumpairs", "sum(each(p, pairs, e))" }, { "rep", "each(i, range(n), v)" },
		{ "dimopt", "dim(i, j, null)" }, { "dimb", "dim(i, -k)" }, { "dimr", "dim(i, -k)" }, { "last", "dim(i, -1)" },
		{ "tup", "shp(i)" }, { "lst", "shp(i)" }, { "shpn", "shp(i)" }, { "tup0", "shp(i, ())" },
		{ "ndims", "len(shp())" }, { "ndims0", "len(shp() or ())" }, { "ntypes", "len(typ() or ())" },
		{ "typopt", "typ(i, null)" }, { "typs", "slice(typ(), i, i+n)" }, { "typk", "known(typ(), typ(i))" },
		{ "stupk", "known(stup(), stup(i))" }, { "conopt", "con(i, null)" }, { "con0", "con(i, null)" },
		{ "conbool", "con(i)!=\"\"" }, { "mbpe", "lookup(\"moe-bytes\", t, d)" }, { "mbpereq", "lookup(\"moe-bytes\", t)" },
		{ "isnull", "x==null" }, { "or0", "x or d" }, { "txtbool", "lower(x)==\"true\"" }, { "totup", "cat((), x)" },
		{ "intopt", "int(x, d)" }, { "intreq", "int(x)" }, { "trunc", "int(x)" }, { "optfloat", "float(x, 0.0)" },
		{ "ints", "lit(x)" }, { "litints", "lit(x)" }, { "litbools", "lit(x)" }, { "padlist", "lit(x)" },
		{ "need_ndims", "need(len(shp())>=n)" }, { "need_types", "need(len(typ())>=n)" },
		{ "need_rank", "need(rank(i)==r)" }, { "drop_if", "sel(c, drop(), x)" }, { "halve", "need(c) and x/2" },
	};

	for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
		if (tl_text_is(name, len, gone[i].former))
			return gone[i].now;
	return NULL;
}

const char *tl_function_help(size_t i)
{
	static const char *const forms[] = {
		"sel(c, x, y): x if c, else y; only the one chosen is evaluated",
		"known(a, ..., e): e; null when one of a, ... is null, and then e is not evaluated",
		"each(x, list, e): e for each item x of the list; items for which e is null are left out",
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
