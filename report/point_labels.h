/* point_labels.h - names beside the points of a chart.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_POINT_LABELS_H
#define TL_POINT_LABELS_H

#include "report/worksheet.h"

/* The first points of a series, whose positions are in the columns x and y of the first n
 * rows and are shown on logarithmic axes, get the text of the first column as their label,
 * unless labels would cover each other: then the earlier row has its label. */
void tl_label_points(lxw_chart_series *, const struct tl_worksheet *, int x, int y, size_t n);

#endif
