/* roofline_table.h - the sheet behind the roofline chart.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ROOFLINE_TABLE_H
#define TL_ROOFLINE_TABLE_H

#include "report/first_rows.h"
#include "report/modelled.h"

#define TL_ROOFLINE_SHEET "roofline_chart"

/* Columns of roofs have names that begin with TL_ROOF; the first of them holds the
 * intensities at which the others state the roofs. */
#define TL_ROOF "roof "
#define TL_ROOF_INTENSITY TL_ROOF "FLOPS/Byte"

/* The columns of operators without a model. */
#define TL_NOT_MODELLED "not modelled"
#define TL_NOT_MODELLED_TIME "not modelled time ms"

/* Appends a sheet to `tsv`, made of the rows of unified_perf_summary that
 * were kept: operators that have an intensity, a rate and a roof; beside them
 * the points that draw the roofs, and operators without a model. False if no operator has
 * all three. summary: is set to a sentence that says what part of the kernel time the
 * operators are. */
bool tl_roofline_table(struct tl_buf *tsv, const struct tl_first_rows *unified, const struct tl_modelled *,
                       struct tl_buf *summary);

#endif
