/* chart_list.h - which charts a report has: of which sheet and columns, and what they are called.
 * Workbook and page draw the same ones.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CHART_LIST_H
#define TL_CHART_LIST_H

#include "base/memory.h"

#include <stdbool.h>

enum tl_chart_shape {
	TL_CHART_PARTS,     /* one stacked bar: a part for each listed text, which has one row or more; the first one must be there. Of
	                       a sheet with a column "device" the mean of these */
	TL_CHART_BARS,      /* a bar for each of the first rows, the first on top */
	TL_CHART_HISTOGRAM, /* columns without gaps, all rows */
	TL_CHART_ROOFLINE,  /* points of all rows below roofs, both axes logarithmic */
	TL_CHART_DEVICES,   /* a bar of parts for each device, if there are several; on pages only */
	TL_CHART_NAMED,     /* a bar for each of the first rows, named by the columns `parts`; on pages only */
	TL_CHART_HEAT,      /* a cell for each row, at its x and y, in the colour of its parts[0]; on pages only */
	TL_CHART_STEPS,     /* a bar for each row of the sheet steps, in the colour of its phase; on pages only */
	TL_CHART_CURVE,     /* a line over x for each column of `parts` that has a number above 0 */
	TL_CHART_AREAS,     /* the same, one above the other; on pages only */
	TL_CHART_PEAK,      /* as TL_CHART_NAMED */
	TL_CHART_PATH,      /* as TL_CHART_PARTS, but any of the parts will do */
	TL_CHART_BANDWIDTH, /* a point for each row, and one for what parts[0] says is usual; x is logarithmic; on pages only */
	TL_CHART_STEP_TIMES, /* a bar for each row of step_times, in the colour of its mark; on pages only */
};

/* Of a sheet with a column "device", TL_CHART_CURVE and TL_CHART_PEAK show one: the first by name, but the host if there is no
 * other; of several processes the first one with it. */

/* A chart is made if `sheet` has rows and the columns x and y. In a workbook it is placed on
 * the sheet `on`; without such a sheet, on `sheet` itself. */
enum { TL_MAX_PARTS = 16 };
/* A report has the first chart of each title that can be made. */
struct tl_chart {
	const char *sheet, *on;
	enum tl_chart_shape shape;
	const char *title;
	const char *in_and_out;         /* the subtitle; NULL: tl_roofline_table gives it */
	size_t max_bars;                /* TL_CHART_BARS, TL_CHART_NAMED, TL_CHART_PEAK */
	/* TL_CHART_PARTS, TL_CHART_DEVICES, TL_CHART_PATH: texts of the column x; TL_CHART_NAMED, TL_CHART_PEAK, TL_CHART_CURVE,
	 * TL_CHART_AREAS: columns; TL_CHART_HEAT: the column of values */
	const char *parts[TL_MAX_PARTS + 1];
	/* What the list leaves out comes from the sheet's description. */
	const char *x, *y;              /* columns; x: categories or x values, y: values */
	const char *bottom, *side;      /* titles of the axes */
	const char *program;            /* that makes the sheet, if several make one of this name */
};
/* The name of a sheet in a workbook, which may be cut. The caller releases it. */
struct tl_buf tl_chart_sheet_name(const char *sheet);
/* Is the chart of this sheet? sheet: its name in a workbook (upper and lower case are the same). */
bool tl_chart_shows(const struct tl_chart *, const char *sheet);
/* Does a chart take names from the column? libxlsxwriter copies them into the chart as they are,
 * and XML has no control characters. sheet: its name in a workbook. */
bool tl_chart_names(const char *sheet, const char *column);
#define TL_CHART_UNRECORDED "unrecorded"
/* Which colour the k-th part has: a number below TL_PART_IDLE, or one of these three. */
enum { TL_PART_IDLE = 14, TL_PART_MACRO_IDLE, TL_PART_UNRECORDED, TL_PART_COLORS };
unsigned tl_chart_part_color(const struct tl_chart *, size_t k);
/* What stands for the host in the column "device". */
#define TL_CHART_HOST "CPU"
/* A sheet with this column has rows for each GPU, so TL_CHART_PARTS is not made of it. */
#define TL_CHART_BY_GPU "gpu_pid"
/* A row without a sheet ends the list. */
const struct tl_chart *tl_chart_list(void);

#endif
