/* plot_sheets.h - the sheets that pictures are made of, in memory.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PLOT_SHEETS_H
#define TL_PLOT_SHEETS_H

#include "base/io.h"
#include "report/first_rows.h"
#include "report/roofline_table.h"

struct tl_plot_sheet { char *name; struct tl_first_rows rows; };
/* Zero bytes are none. */
struct tl_plot_sheets {
	struct tl_plot_sheet *items; size_t n, cap;
	struct tl_roof_chart roofline;
};

/* Reads a sheet. TL_ERR_USAGE: there is one of that name. TL_ERR_DATA, TL_ERR_IO: as
 * tl_tsv_read, and for numbers that are too large. */
enum tl_status tl_plot_sheets_add(struct tl_plot_sheets *, const char *name, struct tl_input *tsv, struct tl_error *);
/* Adds the sheet behind the roofline (roofline_table.h), if it can be made and is not there. */
enum tl_status tl_plot_sheets_add_roofline(struct tl_plot_sheets *, struct tl_error *);
/* NULL: none of that name, or without rows. */
const struct tl_plot_sheet *tl_plot_sheets_find(const struct tl_plot_sheets *, const char *name);
void tl_plot_sheets_release(struct tl_plot_sheets *);

#endif
