/* column_kind.c - units and ranks of columns, by name.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/column_kind.h"

#include <string.h>

#define NARROW_SHEET 12 /* columns; a sheet with more of them has folded ones */

/* In both tables the first rule whose part the column's name contains decides. */
static const struct { const char *part; enum tl_unit unit; } units[] = {
	{ "(%)", TL_UNIT_PERCENT },
	{ "percent", TL_UNIT_PERCENT },
	{ "Pct ", TL_UNIT_PERCENT },
	{ "_pct", TL_UNIT_PERCENT },
	{ "GB/s", TL_UNIT_NONE },
	{ "(MB)", TL_UNIT_NONE }, /* "In msg size (MB)_first" */
	{ "(µs)_count", TL_UNIT_COUNT },
	{ "ount", TL_UNIT_COUNT },
	{ "nelems", TL_UNIT_COUNT },
	{ "(µs)", TL_UNIT_US },
	{ "_us", TL_UNIT_US },
	{ "(ms)", TL_UNIT_MS },
	{ "_ms", TL_UNIT_MS },
	{ " ms", TL_UNIT_MS },
	{ "_ns", TL_UNIT_NS },
	{ "kernel_time", TL_UNIT_US },
	{ "occurrence_time", TL_UNIT_US },
	{ "dur_", TL_UNIT_US },
	{ "bytes", TL_UNIT_BYTES },
};

static const struct { const char *part; enum tl_column_rank rank; } ranks[] = {
	{ "roof ", TL_RANK_DRAWING },
	{ "kernel_details", TL_RANK_DETAIL },
	{ "kernels_details", TL_RANK_DETAIL },
	{ "perf_params", TL_RANK_DETAIL },
	{ "call_stack", TL_RANK_DETAIL },
	{ "overlapping_kernel_names", TL_RANK_DETAIL },
	{ "process_", TL_RANK_PLACE },
	{ "thread_", TL_RANK_PLACE },
	{ "UID", TL_RANK_PLACE },
	{ "Input Strides", TL_RANK_PLACE },
	{ "Input strides", TL_RANK_PLACE },
	{ "Input type", TL_RANK_PLACE },
	{ "Concrete Inputs", TL_RANK_PLACE },
	{ "stride", TL_RANK_PLACE },
	{ "has_perf_model", TL_RANK_PLACE },
	{ "occurrence_time", TL_RANK_PLACE },
	{ "Cumulative", TL_RANK_OTHER },
	{ "_median", TL_RANK_STATISTIC },
	{ "_std", TL_RANK_STATISTIC },
	{ "std_", TL_RANK_STATISTIC },
	{ "_min", TL_RANK_STATISTIC },
	{ "_max", TL_RANK_STATISTIC },
	{ "Pct Roofline", TL_RANK_RATE },
	{ "Percent", TL_RANK_TOTAL },
	{ "percent", TL_RANK_TOTAL },
	{ "_sum", TL_RANK_TOTAL },
	{ " sum", TL_RANK_TOTAL },
	{ "total_", TL_RANK_TOTAL },
	{ "time ms", TL_RANK_TOTAL },
	{ "ategor", TL_RANK_WHAT },
	{ "ount", TL_RANK_WHAT },
	{ "Kernel name", TL_RANK_WHAT },
	{ "FLOPS/s_mean", TL_RANK_RATE },
	{ "B/s_mean", TL_RANK_RATE },
	{ "GB/s", TL_RANK_RATE },
	{ "Bound", TL_RANK_RATE },
	{ "param: ", TL_RANK_SHAPE },
	{ "Input Dims", TL_RANK_SHAPE },
	{ "Input dims", TL_RANK_SHAPE },
	{ "stream", TL_RANK_SHAPE },
};

struct tl_column_kind tl_column_kind(const char *name)
{
	struct tl_column_kind kind = { TL_UNIT_NONE, TL_RANK_OTHER };
	size_t i;

	for (i = 0; i < sizeof units / sizeof *units; i++)
		if (strstr(name, units[i].part)) {
			kind.unit = units[i].unit;
			break;
		}
	for (i = 0; i < sizeof ranks / sizeof *ranks; i++)
		if (strstr(name, ranks[i].part)) {
			kind.rank = ranks[i].rank;
			break;
		}
	return kind;
}

bool tl_column_is_folded(const char *name, size_t i, size_t n)
{
	if (!i || i >= n)
		return false;
	enum tl_column_rank rank = tl_column_kind(name).rank;
	return rank == TL_RANK_DRAWING || (n > NARROW_SHEET && rank >= TL_RANK_STATISTIC);
}
