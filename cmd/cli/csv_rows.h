/* csv_rows.h - reads comma-separated values.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CSV_ROWS_H
#define TL_CSV_ROWS_H

#include "table/tsv.h"

/* Reads CSV to its end and calls row() as tl_tsv_read does. A byte order mark and blank lines
 * are skipped; lines end in LF or CR LF. An input without a header calls nothing. Malformed
 * text, and a line with another number of fields than the header, is TL_ERR_DATA. */
enum tl_status tl_csv_read(struct tl_input *, tl_tsv_row *row, void *ctx, struct tl_error *);

#endif
