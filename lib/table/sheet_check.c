/* sheet_check.c - definitions of sheets: does every name in them exist?
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "table/sheet.h"

#include <string.h>

static const struct tl_column *find_column(const struct tl_column *from, const struct tl_column *past, const char *name)
{
	for (; from < past; from++)
		if (!strcmp(from->name, name))
			return from;
	return NULL;
}

/* The name of what a column is made from, if that does not exist. */
static const char *missing_source(const struct tl_sheet_def *def, const struct tl_column *c)
{
	const char *source = tl_column_source(c);

	if (tl_column_is_of_sheet(c->kind)) { /* it must be there whenever this column is */
		const struct tl_column *in = find_column(def->columns, c, source);
		return !in || in->when & ~c->when ? source : c->of && !find_column(def->columns, c, c->of) ? c->of : NULL;
	}
	if (c->kind == TL_CALL)
		return c->fn && c->cell < TL_MAX_CALL_CELLS ? NULL : source;
	if (c->kind == TL_REST || c->kind == TL_EACH_KEY || (c->kind == TL_COUNT && !c->in))
		return NULL;
	for (const char *const *raw = def->rows; *raw; raw++)
		if (!strcmp(*raw, source))
			return NULL;
	return source;
}

enum tl_status tl_sheet_check(const struct tl_sheet_def *def, struct tl_error *err)
{
	const struct tl_column *c = def->columns;

	for (; c->name; c++) {
		const char *missing = missing_source(def, c);
		if (missing)
			return tl_fail(err, TL_ERR_DATA, "sheet %s, column \"%s\": no column \"%s\" to make it from",
			               def->name, c->name, missing);
		if (find_column(def->columns, c, c->name))
			return tl_fail(err, TL_ERR_DATA, "sheet %s: two columns \"%s\"", def->name, c->name);
	}
	for (size_t i = 0; i < TL_SHEET_ORDER && def->order[i].column; i++)
		if (!find_column(def->columns, c, def->order[i].column))
			return tl_fail(err, TL_ERR_DATA, "sheet %s: no column \"%s\" to order rows by",
			               def->name, def->order[i].column);
	return TL_OK;
}
