/* closed_formats.h - files that are no trace, but are known (closed-formats.tsv).
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CLOSED_FORMATS_H
#define TL_CLOSED_FORMATS_H

#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>

/* Is a file with these first bytes of such a format, or one of this name? Then `out` gets what it is and the command
 * that makes a trace of it. name and out may be NULL. */
bool tl_closed_format(const char *name, const unsigned char *first, size_t len, struct tl_buf *out);
/* The same of what is in a file: the "tables" of a SQLite database, the "members" of JSON, or the "keys" of the first elements of a
 * list of JSON. has() says whether a name is among them. */
bool tl_closed_by_names(const char *kind, bool (*has)(const void *ctx, const char *name, size_t len), const void *ctx, struct tl_buf *out);
/* The first mistake in a text in the form of the table. */
enum tl_status tl_closed_formats_check(const char *file, const char *text, size_t len, struct tl_error *);

#endif
