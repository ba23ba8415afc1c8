/* spool.h - records, kept in a temporary file until they can be used: a trace may say only
 * behind its records what these mean.
 *
 * The file has no name, so nothing is left of it however the program ends. Zero bytes
 * are an empty spool, without a file.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SPOOL_H
#define TL_SPOOL_H

#include <stdio.h>

#include "base/base.h"

struct tl_spool {
	FILE *file;     /* NULL as long as nothing was added */
	size_t max_size; /* of a record */
	uint64_t n;     /* records */
};

/* Adds a record of `size` bytes, at least 1. TL_ERR_IO: the file cannot be made in
 * $TMPDIR (or /tmp), or cannot be written. */
enum tl_status tl_spool_add(struct tl_spool *, const void *record, size_t size, struct tl_error *);
/* Calls fn for each record in order, until it returns false, and empties the spool. TL_ERR_IO:
 * the file cannot be read. */
enum tl_status tl_spool_take(struct tl_spool *, bool (*fn)(void *ctx, const void *record), void *ctx, struct tl_error *);
void tl_spool_release(struct tl_spool *);

#endif
