/* plants.h - programs in which faults are planted: kinds, what a program is, the names of kernels.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PLANTS_H
#define TL_PLANTS_H

#include "machine.h"

#define US 1000LL
#define MS 1000000LL

/* What a program does: it trains or runs a transformer, runs a convolution net, or one of small kernels, replays a graph of a
 * decoder, or serves requests. */
enum program { P_TRAIN = 1, P_INFER = 2, P_CONV = 4, P_SMALL = 8, P_GRAPH = 16, P_SERVER = 32 };

enum kind {
	DATALOADER, DATALOADER_MP, WORKER_START, HOST_COMPUTE_OP, HOST_PYTHON, HOST_ELSEWHERE, HOST_STRETCH, SHORT_STRETCH, MANY_SMALL_KERNELS, LAUNCH_RATE, FEW_LAUNCHES, SYNC_ITEM, PAGEABLE_COPY, FIRST_USE, CONTEXT_START,
	SLOW_CALL, CAPTURE, AUTOTUNE, RETUNE, COMPILE, RECOMPILE, PROFILER_OVERHEAD, PROFILER_SILENT, PROFILER_TAIL, UNRECORDED_HEAD, FP32, FP32_NOSHAPES, FP32_GRAPH, UNFUSED_ATTENTION, ATTENTION_LOW, GEMM_FEW_BLOCKS, GEMM_MISALIGNED,
	NORM_CHAIN, POINTWISE_CHAIN, CAST_CHAIN, LAYOUT_COPIES, SMALL_COPIES, OPTIMIZER_LOOP, OPTIMIZER_FOREACH, GRAPH_ALREADY, IDLE_SERVER,
	OUTLIER, ALLREDUCE_MOVING, ALLREDUCE_WAITING, MEMORY_ALLOC, GC, TAIL, HEALTHY, HEALTHY_GAPS, HEALTHY_ONE, HEALTHY_WAITER, HEALTHY_HIDDEN, HEALTHY_HEAD, HEALTHY_GRAPH, HEALTHY_REAL, N_KINDS
};

/* A program and what is drawn for it by the seed. */
struct plant {
	struct machine m;
	uint64_t asked, active; /* kinds; active: not taken out */
	enum program program;
	const struct gpu *gpu;
	int64_t batch, seq, tokens, hidden, dim, layers, steps;
	double of_products, of_memory, of_attention; /* what kernels reach of their roofline */
	bool floats, fp16, sync, marks;
	bool older;             /* a PyTorch of some years ago */
	int64_t ahead;          /* thousandths of a step that the host is ahead of the device, for which another thread waits; 0: as far as it comes */
	uint64_t choice;        /* of names */
	int64_t step_ns, host_ns; /* of a step without faults, and how long the host is busy in it */
	int64_t launched;       /* when the host had launched all */
	int64_t begin, end;     /* of the program */
	int64_t size[N_KINDS];  /* of the faults */
	int step, site;
};
static inline bool has(const struct plant *p, enum kind kind)
{
	return p->active >> kind & 1;
}

static inline bool asked(const struct plant *p, enum kind kind)
{
	return p->asked >> kind & 1;
}

static inline bool chance(const struct plant *p, int64_t number)
{
	return (p->choice >> number) & 1;
}

/* A server of no known framework. */
static inline bool own_server(const struct plant *p)
{
	return chance(p, 26);
}

/* The next place of the program. What belongs to a fault only is aside of it: then all other places have the same times. */
static inline void place(struct plant *p)
{
	machine_place(&p->m, (uint64_t)p->step << 16 | (uint64_t)++p->site);
}

static inline void aside(struct plant *p, enum kind kind)
{
	machine_place(&p->m, (uint64_t)(kind + 1) << 40 | (uint64_t)p->step << 16 | (uint64_t)p->site);
}

/* ---- plant_steps.c: what the host and steps are ---- */

/* Runs the program with the faults in active, and sets begin and end. */
void plant_run(struct plant *p, const struct options *opt);

/* ---- plant_model.c: work of the device and the operators that launch it ---- */

/* What is on the device before the loop begins: the sum of losses, or one product and no loop. */
void plant_begin(struct plant *p);
/* The layers of a step, and the backward pass and the optimizer of training. */
void plant_model(struct plant *p);
/* Many copies of 4 KiB, or one of all. */
void plant_copies(struct plant *p);
/* The value of the loss, or of a norm: the host waits for it. */
void plant_item(struct plant *p, const char *frame);

/* ---- kernel_names.c: what libraries call their kernels ---- */

enum role {
	R_GEMM, R_GEMM_TF32, R_GEMM_FP32, R_GEMM_ODD, R_GEMM_SPLIT, R_SPLIT_SUM, R_BMM, R_FLASH, R_FLASH_BWD, R_SOFTMAX, R_NORM, R_NORM_BWD, R_RMS,
	R_ADD, R_ADD_F, R_MUL_F, R_MUL, R_GELU, R_GELU_BWD, R_POW, R_MEAN, R_RSQRT, R_TANH, R_TO_FLOAT, R_TO_HALF, R_COPY, R_SUM, R_FILL, R_EMBED,
	R_ADAM, R_FOREACH_ADD, R_FOREACH_MUL, R_FOREACH_SQRT, R_FOREACH_DIV, R_FOREACH_ADDCMUL, R_FOREACH_LERP, R_SQRT_F, R_DIV_F, R_ADDCMUL_F, R_LERP_F, R_ADDCDIV_F,
	R_CONV, R_BATCH_NORM, R_RELU, R_TO_NHWC, R_TO_NCHW, R_ROPE, R_TOPK, N_ROLES
};
/* One of the names for this work on a GPU of this generation; the same for the same choice. */
const char *kernel_name(enum role role, int major, uint64_t choice);

#endif
