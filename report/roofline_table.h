/* roofline_table.h - the sheet behind the roofline chart.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ROOFLINE_TABLE_H
#define TL_ROOFLINE_TABLE_H

#include "report/worksheet.h"

/* The names of the columns with roofs begin so; the first of them is that of
 * their intensities. */
#define TL_ROOF "roof "
#define TL_ROOF_INTENSITY TL_ROOF "FLOPS/Byte"

/* Sets `tsv` to the sheet made of the first rows of unified_perf_summary: the
 * operators that have an intensity, a rate and a roof, and beside them the roofs
 * as lines. False when no operator has all three. */
bool tl_roofline_table(struct tl_buf *tsv, const struct tl_worksheet *unified);

#endif
