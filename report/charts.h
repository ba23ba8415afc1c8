/* charts.h - the charts of a workbook.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CHARTS_H
#define TL_CHARTS_H

#include "report/worksheet.h"

/* Adds charts of the sheets that charts.c lists. All sheets must be filled. */
void tl_charts_add(lxw_workbook *, struct tl_worksheet *sheets, size_t n);

#endif
