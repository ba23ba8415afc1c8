/* setup.h - the sheet setup: what the program of a trace has on, so that nothing is advised that it does already.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SETUP_H
#define TL_SETUP_H

#include "model/trace.h"
#include "table/table.h"

/* A row for each fact, always the same ones: fact, value, share, count, ms, evidence, first_us. The value of a fact that the trace
 * does not tell is "unknown", never "no". The trace's Python frames and annotations must have been kept.
 *   share   of the kernel time, of facts about kernels, 0 to 1
 *   count   events that tell it, and ms their time on the device
 * Facts by names are those of kernels/setup-names.tsv, in its order; others follow. */
struct tl_table *tl_setup(struct tl_trace *);

#endif
