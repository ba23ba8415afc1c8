/* sheet_list.c - the families of sheets.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/sheet_list.h"

#include "sheets/api.h"
#include "sheets/collectives.h"
#include "sheets/findings_sheets.h"
#include "sheets/host_sheets.h"
#include "sheets/jax.h"
#include "sheets/jax_collectives.h"
#include "sheets/job.h"
#include "sheets/kernels.h"
#include "sheets/memory_sheets.h"
#include "sheets/ops.h"
#include "sheets/overview.h"
#include "sheets/path_sheets.h"
#include "sheets/pftrace.h"
#include "sheets/phase_sheets.h"
#include "sheets/rocprof.h"
#include "sheets/roofline.h"
#include "sheets/series_sheets.h"
#include "sheets/timeline.h"

const struct tl_sheet_family *const tl_sheet_families[] = {
	&tl_overview_sheets, &tl_findings_sheets, &tl_timeline_sheets, &tl_ops_sheets, &tl_phases_sheets, &tl_roofline_sheets, &tl_kernels_sheets,
	&tl_collectives_sheets, &tl_rocprof_sheets, &tl_pftrace_sheets, &tl_jax_sheets, &tl_api_sheets, &tl_memory_sheets, &tl_host_sheets, &tl_path_sheets,
	&tl_series_sheets, &tl_ranks_sheets, &tl_jax_collectives_sheets, &tl_multi_sheets, NULL,
};

struct tl_table *tl_sheet_of(const struct tl_sheet *s, void *filter)
{
	struct tl_sheet_input in = { .name = s->name, .where = s->where, .ctx = filter };

	s->rows(filter, &in);
	if (!in.rows && !in.own_rows)
		return NULL;
	return s->def && !in.as_is ? tl_sheet_make(s->def, &in) : in.own_rows;
}

enum tl_status tl_sheets_check(struct tl_error *err)
{
	for (size_t i = 0; tl_sheet_families[i]; i++)
		for (const struct tl_sheet *s = tl_sheet_families[i]->sheets; s->name; s++)
			if (s->def && tl_sheet_check(s->def, err))
				return TL_ERR_DATA;
	return TL_OK;
}
