/* book_charts.h - the charts of a workbook.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_BOOK_CHARTS_H
#define TL_BOOK_CHARTS_H

#include "report/worksheet.h"

/* What the subtitles of charts say besides what is the same for all workbooks. */
struct tl_book_notes {
	bool remarks;         /* the overview lists warnings or what was left out */
	const char *timeline; /* those of them about gpu_timeline, a line each; "": none */
	const char *roofline; /* which operators the roofline chart shows; "": not known */
};
/* Adds the charts of the sheets that chart_list.h lists. All sheets must be filled. */
void tl_book_charts_add(lxw_workbook *, struct tl_worksheet *sheets, size_t n, const struct tl_book_notes *);

#endif
