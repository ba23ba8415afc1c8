/* sheet_list.c - the families of sheets.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/sheet_list.h"

/* the order of a report */
#define FAMILIES(F) \
	F(overview) \
	F(findings) \
	F(timeline) \
	F(ops) \
	F(phase) \
	F(roofline) \
	F(kcat) \
	F(coll) \
	F(rocprof) \
	F(pftrace) \
	F(jax) \
	F(api) \
	F(memory) \
	F(host) \
	F(tree) \
	F(path) \
	F(series) \
	F(counters) \
	F(ranks) \
	F(jaxcoll) \
	F(multi)
#define DECLARED(family) extern const struct tl_sheet_family tl_##family##_sheets;
#define LISTED(family) &tl_##family##_sheets,
FAMILIES(DECLARED)
const struct tl_sheet_family *const tl_sheet_families[] = { FAMILIES(LISTED) NULL };

enum tl_status tl_sheets_check(struct tl_error *err)
{
	for (size_t i = 0; tl_sheet_families[i]; i++)
		for (const struct tl_sheet *s = tl_sheet_families[i]->sheets; s->name; s++)
			if (s->def && tl_sheet_check(s->def, err))
				return TL_ERR_DATA;
	return TL_OK;
}
