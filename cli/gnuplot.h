/* gnuplot.h - runs gnuplot.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_GNUPLOT_H
#define TL_GNUPLOT_H

#include "base/io.h"
#include "base/memory.h"

/* Runs a script and writes the picture that it draws to `out`, once it is whole. No shell and
 * no file takes part, and gnuplot reads no settings of the user. TL_ERR_IO: gnuplot is not
 * there, or says that it failed. */
enum tl_status tl_gnuplot(const struct tl_buf *script, struct tl_output *out, struct tl_error *);

#endif
