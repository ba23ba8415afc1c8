/* waves.h - how often a kernel fills the GPU with its blocks, where the trace tells it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_WAVES_H
#define TL_WAVES_H

#include "work/args.h"
#include "work/trace_facts.h"

/* The arguments of kernels, and what the GPU has. */
struct tl_waves { const struct tl_trace *trace; struct tl_gpu_facts gpu; struct tl_arg grid, block, registers, shared; };
/* gpu: NULL if it is not known. */
void tl_waves_init(struct tl_waves *, const struct tl_trace *, const struct tl_gpu_facts *gpu);

/* The blocks of a kernel; 0: the trace does not say. */
int64_t tl_blocks_of(const struct tl_waves *, uint32_t kernel);
/* How many blocks of a kernel one SM holds at once, as registers, shared memory and threads allow by NVIDIA's rules; 0: the trace
 * does not say what the kernel needs, or what the GPU has. */
int64_t tl_resident_blocks(const struct tl_waves *, uint32_t kernel);

#endif
