/* charts.h - the charts of a workbook.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CHARTS_H
#define TL_CHARTS_H

#include "report/worksheet.h"

/* Does a chart take names from the column? libxlsxwriter copies them into the chart as they are,
 * and XML has no control characters. */
bool tl_charts_name(const char *sheet, const char *column);

/* What the subtitles of charts say besides what is the same for all workbooks. */
struct tl_chart_notes {
	bool remarks;         /* the overview lists warnings or what was left out */
	const char *timeline; /* those of them about gpu_timeline, a line each; "": none */
	const char *roofline; /* which operators the roofline chart shows; "": not known */
};

/* Adds charts of the sheets that charts.c lists. All sheets must be filled. */
void tl_charts_add(lxw_workbook *, struct tl_worksheet *sheets, size_t n, const struct tl_chart_notes *);

#endif
