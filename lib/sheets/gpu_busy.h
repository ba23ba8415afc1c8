/* gpu_busy.h - the sheet gpu_busy: how long each GPU of each process was busy.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_GPU_BUSY_H
#define TL_GPU_BUSY_H

#include "model/trace.h"
#include "table/table.h"

/* A row a GPU of a process, by process and number of the GPU. Device events count whether or
 * not they have a call. The caller frees the table. */
struct tl_table *tl_gpu_busy(struct tl_trace *);

#endif
