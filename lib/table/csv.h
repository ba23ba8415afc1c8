/* csv.h - rows of comma-separated values (RFC 4180).
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CSV_H
#define TL_CSV_H

#include "base/base.h"

/* Adds a field, in quotes where it needs them, and a comma before it unless it is the first of
 * its row. The caller ends the row with a line feed. */
void tl_csv_add(struct tl_buf *, const char *s, size_t len, bool first);

#endif
