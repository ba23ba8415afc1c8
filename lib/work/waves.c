/* waves.c - how often a kernel fills the GPU with its blocks.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/waves.h"

#include "model/trace.h"

enum {
	WARP = 32,              /* threads */
	REGISTERS_AT_ONCE = 256, /* a warp gets a multiple of so many */
	RESERVED = 1024,        /* bytes of shared memory that a block takes beside its own */
	MOST_BLOCKS = 32,       /* of an SM */
	MOST = 1 << 30,         /* what an argument says at most */
};

void tl_waves_init(struct tl_waves *w, const struct tl_trace *t, const struct tl_gpu_facts *gpu)
{
	*w = (struct tl_waves){ t, { 0 }, tl_arg_of(t, "grid"), tl_arg_of(t, "block"), tl_arg_of(t, "registers per thread"),
	                        tl_arg_of(t, "shared memory") };
	if (gpu)
		w->gpu = *gpu;
}

/* The product of a list such as [16, 2, 1]; 0: there is none. */
static int64_t product_of(const struct tl_waves *w, const struct tl_arg *arg, uint32_t kernel)
{
	struct tl_value list;
	int64_t product = 0;

	if (tl_arg_list(arg, w->trace, kernel, &list) && list.len)
		product = 1;
	for (size_t i = 0; product && i < list.len; i++) {
		const struct tl_value *v = &list.items[i];
		bool sane = v->type == TL_V_INT && v->i > 0 && v->i <= MOST && product <= MOST;
		product = sane ? product * (int64_t)v->i : 0;
	}
	return product;
}

int64_t tl_blocks_of(const struct tl_waves *w, uint32_t kernel)
{
	return product_of(w, &w->grid, kernel);
}

static int64_t number_of(const struct tl_waves *w, const struct tl_arg *arg, uint32_t kernel)
{
	int64_t value;

	return tl_arg_get(arg, w->trace, kernel, &value) == TL_FIELD_INT && value >= 0 && value <= MOST ? value : -1;
}

int64_t tl_resident_blocks(const struct tl_waves *w, uint32_t kernel)
{
	int64_t registers = number_of(w, &w->registers, kernel), shared = number_of(w, &w->shared, kernel), most = MOST_BLOCKS;
	int64_t threads = product_of(w, &w->block, kernel), warps = (threads + WARP - 1) / WARP;

	if (registers <= 0 || shared < 0 || !threads || w->gpu.registers <= 0 || w->gpu.shared <= 0 || w->gpu.threads <= 0)
		return 0;
	int64_t of_warp = (registers * WARP + REGISTERS_AT_ONCE - 1) / REGISTERS_AT_ONCE * REGISTERS_AT_ONCE;
	int64_t by[] = { w->gpu.threads / (warps * WARP), w->gpu.registers / of_warp / warps,
	                 shared ? w->gpu.shared / (shared + RESERVED) : most };
	for (size_t i = 0; i < sizeof by / sizeof *by; i++)
		most = by[i] < most ? by[i] : most;
	return most;
}
