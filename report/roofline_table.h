/* roofline_table.h - the sheet behind the roofline chart.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ROOFLINE_TABLE_H
#define TL_ROOFLINE_TABLE_H

#include "report/worksheet.h"

/* Columns of roofs have names that begin with TL_ROOF; the first of them holds the
 * intensities at which the others state the roofs. */
#define TL_ROOF "roof "
#define TL_ROOF_INTENSITY TL_ROOF "FLOPS/Byte"

/* Appends a sheet to `tsv`, made of the first TL_CHART_ROWS rows of
 * unified_perf_summary: operators that have an intensity, a rate and a roof, and
 * beside them the points that draw the roofs. False if no operator has all three. */
bool tl_roofline_table(struct tl_buf *tsv, const struct tl_worksheet *unified);

#endif
