/* roofline_table.h - the sheet behind the roofline chart.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ROOFLINE_TABLE_H
#define TL_ROOFLINE_TABLE_H

#include "base/memory_io.h"
#include "base/strings.h"
#include "report/first_rows.h"

#define TL_ROOFLINE_SHEET "roofline_chart"

/* Columns of roofs have names that begin with TL_ROOF; the first of them holds the
 * intensities at which the others state the roofs. */
#define TL_ROOF "roof "
#define TL_ROOF_INTENSITY TL_ROOF "FLOPS/Byte"

/* The columns of operators without a model. */
#define TL_NOT_MODELLED "not modelled"
#define TL_NOT_MODELLED_TIME "not modelled time ms"

/* The sheet that the chart is made of. */
#define TL_UNIFIED "unified_perf_summary"

/* A chart that is being read. Before the first row, set rows.most and leave the rest zero bytes. */
struct tl_roof_chart {
	struct tl_first_rows rows;                      /* those that may become points */
	bool has_header;                                /* the first row was read */
	struct { size_t name, time, flops, bytes; } at; /* columns, from 1; 0: the sheet has none */
	double total_us, unmodelled_us;                 /* of all rows */
	struct tl_strtab names;                         /* operators without a model: they have neither FLOPs nor bytes … */
	double *us; size_t cap;                         /* … and their time, by id */
	struct tl_buf summary;                          /* a sentence: the operators' part of the kernel time */
	struct tl_buf tsv;
	struct tl_memory_input in;
};

/* Takes a row, the header first. roofline: a struct tl_roof_chart. */
void tl_roof_chart_read(void *roofline, const struct tl_field_text *, size_t n);
/* Makes the sheet behind the chart, and `summary`. The sheet has the kept rows with an intensity, a
 * rate and a roof, the points that draw the roofs, and operators without a model. NULL if no operator has all three. */
struct tl_input *tl_roof_chart_sheet(struct tl_roof_chart *);
void tl_roof_chart_release(struct tl_roof_chart *);

#endif
