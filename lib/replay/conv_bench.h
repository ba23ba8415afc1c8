/* conv_bench.h - benchmarks of convolutions, as MIOpenDriver takes them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CONV_BENCH_H
#define TL_CONV_BENCH_H

#include "replay/recorded_op.h"
#include "replay/replay_tables.h"

/* Appends the line of aten::convolution, forward, without its end. TL_ERR_DATA: it is another operator, its
 * arguments are not those of a convolution in one to three dimensions, or the tool lacks the type. */
enum tl_status tl_miopen_line(struct tl_buf *, const struct tl_recorded_op *, const struct tl_replay_tables *, struct tl_error *);

#endif
