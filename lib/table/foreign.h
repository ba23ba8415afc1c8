/* foreign.h - files that are no sheets, told by their first bytes.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_FOREIGN_H
#define TL_FOREIGN_H

#include "base/io.h"

enum { TL_FOREIGN_LOOK = 4096 }; /* bytes that are looked at */

/* What a file is if its first bytes show that it is no table of text: "HTML", "JSON",
 * "compressed data (gzip)". NULL: it may be a table. len: see tl_read_start(). */
const char *tl_foreign(const char *s, size_t len);
/* Reads an input's first bytes, as many as can tell what it is: up to its end, or at
 * least TL_FOREIGN_LOOK; cap must not be less. Returns their number; -1: *err says why. */
int64_t tl_read_start(struct tl_input *, char *buf, size_t cap, struct tl_error *err);

#endif
