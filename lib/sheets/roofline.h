/* roofline.h - what each operator achieved: the sheet unified_perf_summary and
 * one or two sheets for each family of operators.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ROOFLINE_H
#define TL_ROOFLINE_H

#include "perf/models/arch.h"
#include "perf/models/perf.h"
#include "analysis/device_events.h"
#include "sheets/sheet_list.h"

struct tl_roofline_options {
	struct tl_gpu_select select;  /* which device events can overlap; recompute */
	bool include_overlap;         /* the sheets …_kl_overlap too */
	bool call_stack;              /* entry_point and call_stack_full */
	bool group_by_num_kernels;
	int64_t top;                  /* rows of a sheet; -1: all */
	const struct tl_arch *arch;   /* NULL: no roofline columns */
	const char *only;             /* the one sheet that is wanted; NULL: all */
	bool even_empty;              /* that one is made even if it has no rows */
};

/* Everything is computed by the first call; the trace and the registry must
 * outlive it. */
struct tl_roofline;
enum tl_status tl_roofline_new(struct tl_roofline **out, struct tl_trace *, const struct tl_registry *,
                               const struct tl_roofline_options *, struct tl_error *);
void tl_roofline_free(struct tl_roofline *);

/* Sheets that have rows, in the order of a report; NULL past the end. The
 * tables belong to the roofline. */
const char *tl_roofline_sheet_name(const struct tl_roofline *, size_t i);
const struct tl_table *tl_roofline_sheet(const struct tl_roofline *, size_t i);

/* Operators whose models failed: name, number of events, reason of the first;
 * false past the end. */
bool tl_roofline_failure(const struct tl_roofline *, size_t i, const char **name, uint32_t *count, const char **reason);

/* Entries of all sheets; tl_roofline_sheet gives them. */
extern const struct tl_sheet_family tl_roofline_sheets;

#endif
