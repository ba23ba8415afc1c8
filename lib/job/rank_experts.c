/* rank_experts.c - expert parallelism: ranks_experts, how evenly grouped GEMMs and dispatched bytes are spread over ranks.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/rank_sheets.h"

#include "base/merge_sort.h"
#include "sheet/ranks.h"

#include <string.h>

/* Of each kind and group, all calls come first. */
TL_ORDER_IN(by_kind, struct tl_expert_work, struct tl_strtab, TL_BY(strcmp(tl_str(ctx, b->what), tl_str(ctx, a->what)))
	TL_BY(strcmp(tl_str(ctx, a->group), tl_str(ctx, b->group))) TL_ASC(x->call))

enum tl_status tl_experts_write(struct tl_ranks *r, struct tl_error *err)
{
	struct tl_parallels *p = r->parallels;
	struct tl_table *rows = tl_table_new(&p->strings, r->ticks_per_us, tl_ranks_expert_rows);
	enum tl_status st = TL_OK;

	tl_merge_sort(p->work, p->n_work, sizeof *p->work, by_kind, &p->strings);
	for (size_t i = 0; i < p->n_work; i++) {
		const struct tl_expert_work *w = &p->work[i];
		bool bytes = w->mib > 0;
		double n = (double)w->n, mean = (bytes ? w->mib : w->ms) / n, most = bytes ? w->most_mib : w->most_ms;
		if (w->n < 2 || !(mean > 0))
			continue;
		/* an all-to-all takes as long as the rank with most needs; the one that waits least in it tells how long */
		double excess = bytes ? w->least_ms * (1 - mean / most) : most - mean;
		tl_table_add_row(rows, (const struct tl_cell[N_EXPERT]){
			[EXPERT_WHAT] = tl_cell_text(w->what),
			[EXPERT_PROCESS_GROUP_NAME] = *tl_str(&p->strings, w->group) ? tl_cell_text(w->group) : tl_cell_null(),
			[EXPERT_CALL] = w->call < 0 ? tl_cell_null() : tl_cell_int(w->call),
			[EXPERT_RANKS] = tl_cell_int((int64_t)w->n),
			[EXPERT_IMBALANCE] = tl_cell_real(most / mean),
			[EXPERT_MOST_RANK] = tl_cell_int(r->job->ranks[w->most_rank]),
			[EXPERT_EXCESS_MS] = tl_cell_real(excess),
			[EXPERT_MEAN_MS] = tl_cell_real(w->ms / n),
			[EXPERT_MAX_MS] = tl_cell_real(w->most_ms),
			[EXPERT_MEAN_MIB] = bytes ? tl_cell_real(mean) : tl_cell_null(),
			[EXPERT_MAX_MIB] = bytes ? tl_cell_real(most) : tl_cell_null(),
		});
	}
	if (rows->n_rows)
		st = tl_rank_sheet_sorted(r, &tl_ranks_experts_sheet, rows, err);
	tl_table_free(rows);
	return st;
}
