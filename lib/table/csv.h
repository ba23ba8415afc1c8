/* csv.h - rows of comma-separated values (RFC 4180).
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CSV_H
#define TL_CSV_H

#include "base/io.h"
#include "table/table.h"

/* Adds a field, in quotes where it needs them, and a comma before it unless it is the first of
 * its row. The caller ends the row with a line feed. */
void tl_csv_add(struct tl_buf *, const char *s, size_t len, bool first);
enum tl_status tl_csv_write(const struct tl_table *, struct tl_output *, struct tl_error *);

#endif
