/* headroom.h - the sheet headroom: how much time operators would save at their roofline, and why they are not there.
 * Only for the files that make the roofline sheets.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_HEADROOM_H
#define TL_HEADROOM_H

#include "analysis/waves.h"
#include "sheets/roofline_rows.h"

/* Rows of unified_perf_summary that are one row of the sheet. */
struct tl_headroom {
	size_t row;                      /* the first of them that has kernels */
	size_t count;                    /* how many have */
	uint32_t longest;                /* the kernel that took longest */
	const struct tl_evaluation *x;   /* of the first one; NULL: it has none */
	bool has_roof;
	struct tl_roof roof;             /* of the first one */
	double roof_us, best;            /* least time of all; percent of the roofline that the best row reaches, 0: none */
	bool is_best, near;              /* it is that row; it is near what good libraries reach */
	double good;                     /* percent of the roofline that good libraries reach, or another row if that is more */
	uint32_t slow_calls;             /* those that take ten times the median and more, and what they take above it */
	double slow_us;
	int64_t kernel, fair;            /* ticks: busy time, fair time */
};

/* The sheets that are made of the rows of unified_perf_summary with all models; the caller frees them. */
struct tl_rated_sheets {
	struct tl_table *headroom; /* NULL: the operators have no models, and there is no architecture */
	struct tl_table *mfu;      /* see tl_mfu_make */
};
/* Makes those that the options ask for, else NULL. TL_ERR_DATA: operators are nested too deeply. */
enum tl_status tl_headroom_make(struct tl_rated_sheets *out, struct tl_trace *, const struct tl_registry *,
                                const struct tl_roofline_options *, struct tl_error *);
extern const struct tl_sheet_def tl_headroom_sheet;

/* What reasons are found with. */
struct tl_reasons {
	struct tl_measure *measure;
	struct tl_rows *rows;
	struct tl_waves waves;
	struct tl_name_answers *internal; /* what kernels do for others, by their names */
};
void tl_reasons_init(struct tl_reasons *, struct tl_measure *, struct tl_rows *);
#define TL_REASON_FP32 "fp32"
#define TL_REASON_LAYOUT "layout"
/* The peak of TF32 or else of 16 bits, in 10^12 operations/s; 0: matrix units are not faster there than with fp32. */
double tl_headroom_faster(const struct tl_arch *);
/* Why a row does not reach its roofline, of which it reaches that percent; tl-roofline(1) lists the reasons. */
const char *tl_headroom_reason(const struct tl_reasons *, const struct tl_headroom *, double percent);

#endif
