/* gzip.h - an output that compresses what is written.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_GZIP_H
#define TL_GZIP_H

#include "base/io.h"

/* An output that writes gzip to `to`, which keeps its name. The same bytes make the same
 * file: it has neither name nor time in it. */
struct tl_output *tl_gzip_new(struct tl_output *to);
/* Writes what is left, and frees the output; `to` stays open. */
enum tl_status tl_gzip_end(struct tl_output *, struct tl_error *);

#endif
