/* plants.c - kinds of planted faults, and what the seed draws for a program that has them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
 *
 * All but the fault is as good as it gets: kernels reach 93 to 96 % of their roofline and follow one another by 1 us. A program is
 * run without its faults first: that tells how long a step is, and by this the size of a fault. tests/planted-kinds.tsv says in
 * words what each kind is, and what must be found. */
#include "plants.h"

#include <stdlib.h>
#include <string.h>

/* What a kind needs of the program; two kinds with the same one of LOADER to ALONE cannot be in one program, nor one of the pairs below. */
enum need {
	FRAMES = 1, NO_FRAMES = 2, SYNC = 4, NO_SYNC = 8, NO_SHAPES = 16, SHORT = 32, NARROW = 64, QUICK = 128, HALF = 256,
	LOADER = 512, COMPILES = 1024, ATTENTION = 2048, OPTIMIZER = 4096, RANKS = 8192, FLOAT = 16384, ALONE = 32768,
};

enum { LOOPS = P_TRAIN | P_INFER | P_CONV };

static const struct {
	const char *name;
	int programs;   /* those in which it can be */
	int needs;
	int64_t lo, hi; /* how large it is, in ns unless ... */
	bool of_step;   /* and so that a step without it does not hide it */
} kinds[N_KINDS] = {
	[DATALOADER] = { "dataloader", LOOPS, LOADER, 18 * MS, 60 * MS, true },
	[DATALOADER_MP] = { "dataloader-mp", LOOPS, LOADER, 18 * MS, 60 * MS, true },
	[WORKER_START] = { "worker-start", LOOPS, LOADER, 20 * MS, 50 * MS, false },
	[HOST_COMPUTE_OP] = { "host-compute-op", LOOPS | P_SERVER, 0, 6 * MS, 19 * MS, true },
	[HOST_PYTHON] = { "host-python", P_TRAIN | P_CONV, FRAMES, 10 * MS, 40 * MS, true },
	[HOST_ELSEWHERE] = { "host-elsewhere", LOOPS | P_SERVER, NO_FRAMES, 10 * MS, 40 * MS, true },
	[HOST_STRETCH] = { "host-stretch", P_INFER | P_CONV, NO_SYNC | QUICK, 1300 * US, 3 * MS, false },
	[SHORT_STRETCH] = { "short-stretch", P_INFER | P_CONV, NO_SYNC | QUICK, 500 * US, 850 * US, false },
	[LAUNCH_RATE] = { "launch-rate", P_INFER | P_CONV, NO_SYNC | QUICK, 1300, 2000, false }, /* ... thousandths of what the device needs */
	[FEW_LAUNCHES] = { "few-launches", P_INFER, ALONE, 300 * US, 550 * US, false },
	[MANY_SMALL_KERNELS] = { "many-small-kernels", P_SMALL, NO_SYNC, 8 * US, 14 * US, false }, /* ... for each kernel */
	[SYNC_ITEM] = { "sync-item", P_INFER | P_CONV, NO_SYNC | QUICK, 0, 0, false },
	[PAGEABLE_COPY] = { "pageable-copy", LOOPS, 0, 4000, 8000, false }, /* ... thousandths of what it takes from pinned memory */
	[FIRST_USE] = { "first-use", LOOPS | P_SERVER, 0, 15 * MS, 40 * MS, false },
	[CONTEXT_START] = { "context-start", LOOPS, 0, 15 * MS, 40 * MS, false },
	[SLOW_CALL] = { "slow-call", LOOPS | P_SERVER, 0, 15 * MS, 40 * MS, true },
	[CAPTURE] = { "capture", P_GRAPH, HALF | NO_SYNC, 15 * MS, 40 * MS, false },
	[AUTOTUNE] = { "autotune", P_CONV, 0, 3 * MS, 8 * MS, false }, /* ... for each algorithm */
	[RETUNE] = { "retune", P_CONV, NO_SYNC, 2 * MS, 4 * MS, false },
	[COMPILE] = { "compile-in-recording", P_TRAIN | P_INFER, COMPILES, 200 * MS, 900 * MS, false },
	[RECOMPILE] = { "recompile", P_TRAIN | P_INFER, COMPILES, 60 * MS, 160 * MS, true },
	[PROFILER_OVERHEAD] = { "profiler-overhead", P_INFER | P_CONV, SYNC | SHORT | NARROW, 1300 * US, 3 * MS, false },
	[PROFILER_SILENT] = { "profiler-silent", P_INFER | P_CONV, SYNC | SHORT | NARROW, 1300 * US, 3 * MS, false },
	[PROFILER_TAIL] = { "profiler-tail", LOOPS, SHORT, 10 * MS, 25 * MS, false },
	[UNRECORDED_HEAD] = { "unrecorded-head", P_INFER | P_CONV, ALONE | NO_SYNC, 0, 0, false },
	[FP32] = { "fp32", P_TRAIN | P_INFER | P_SERVER, FLOAT, 0, 0, false },
	[FP32_NOSHAPES] = { "fp32-noshapes", P_TRAIN | P_INFER | P_SERVER, FLOAT | NO_SHAPES, 0, 0, false },
	[FP32_GRAPH] = { "fp32-graph", P_GRAPH, FLOAT | NO_SYNC, 0, 0, false },
	[UNFUSED_ATTENTION] = { "unfused-attention", P_TRAIN | P_INFER, ATTENTION | HALF | NARROW, 0, 0, false },
	[ATTENTION_LOW] = { "attention-low", P_INFER | P_SERVER, ATTENTION | HALF, 0, 0, false },
	[GEMM_FEW_BLOCKS] = { "gemm-few-blocks", P_INFER, HALF | SHORT, 0, 0, false },
	[GEMM_MISALIGNED] = { "gemm-misaligned", P_INFER | P_SERVER, HALF, 0, 0, false },
	[NORM_CHAIN] = { "norm-chain", P_INFER | P_SERVER, NARROW | HALF, 0, 0, false },
	[POINTWISE_CHAIN] = { "pointwise-chain", P_INFER | P_SERVER, NARROW | HALF, 0, 0, false },
	[CAST_CHAIN] = { "cast-chain", P_INFER | P_SERVER, NARROW | HALF, 0, 0, false },
	[LAYOUT_COPIES] = { "layout-copies", P_CONV, 0, 0, 0, false },
	[SMALL_COPIES] = { "small-copies", P_INFER | P_CONV, SHORT | QUICK | NO_SYNC, 200, 700, false }, /* ... copies */
	[OPTIMIZER_LOOP] = { "optimizer-loop", P_TRAIN, OPTIMIZER | SHORT, 0, 0, false },
	[OPTIMIZER_FOREACH] = { "optimizer-foreach-already", P_TRAIN, OPTIMIZER | NARROW | NO_SYNC, 5 * MS, 9 * MS, false },
	[GRAPH_ALREADY] = { "graph-already", P_GRAPH, HALF | NO_SYNC, 0, 0, false },
	[IDLE_SERVER] = { "idle-server", P_SERVER, FRAMES | ALONE, 40 * MS, 400 * MS, false },
	[OUTLIER] = { "outlier", P_TRAIN | P_INFER, HALF, 0, 0, false },
	[ALLREDUCE_MOVING] = { "allreduce-moving", P_INFER, RANKS | HALF, 0, 0, false },
	[ALLREDUCE_WAITING] = { "allreduce-waiting", P_INFER, RANKS | HALF, 1500 * US, 4 * MS, false },
	[MEMORY_ALLOC] = { "memory-alloc", P_INFER | P_CONV | P_SERVER, 0, 1500 * US, 4 * MS, false },
	[GC] = { "gc", P_TRAIN | P_CONV, FRAMES, 8 * MS, 22 * MS, true },
	[TAIL] = { "tail", LOOPS, FRAMES | SYNC | SHORT, 12 * MS, 22 * MS, false },
	[HEALTHY] = { "healthy", LOOPS, ALONE | NO_SYNC, 0, 0, false },
	[HEALTHY_GAPS] = { "healthy-gaps", P_TRAIN | P_INFER, ALONE | NO_SYNC, 0, 0, false },
	[HEALTHY_ONE] = { "healthy-one", P_INFER, ALONE, 0, 0, false },
	[HEALTHY_WAITER] = { "healthy-waiter", LOOPS, ALONE | NO_SYNC, 0, 0, false },
	[HEALTHY_HIDDEN] = { "healthy-hidden", P_TRAIN | P_INFER | P_CONV, ALONE | NO_SYNC, 0, 0, false },
	[HEALTHY_HEAD] = { "healthy-head", P_INFER | P_CONV, ALONE | NO_SYNC, 0, 0, false },
	[HEALTHY_GRAPH] = { "healthy-graph", P_GRAPH, ALONE | NO_SYNC, 0, 0, false },
	[HEALTHY_REAL] = { "healthy-real", P_TRAIN | P_INFER, ALONE | NO_SYNC, 0, 0, false },
};

static const struct { enum program program; const char *name; } program_names[] = {
	{ P_TRAIN, "train" }, { P_INFER, "infer" }, { P_CONV, "conv" }, { P_SMALL, "small" }, { P_GRAPH, "graph" }, { P_SERVER, "server" }
};

/* Data sheets, as lib/perf/arch.tsv has them. */
static const struct gpu gpus[] = {
	{ "NVIDIA H100 80GB HBM3", 9, 0, 132, 80, 989.4, 494.7, 66.9, 3350, 50, 360 },
	{ "NVIDIA H200", 9, 0, 132, 141, 989.4, 494.7, 66.9, 4800, 50, 360 },
	{ "NVIDIA A100-SXM4-80GB", 8, 0, 108, 80, 312, 156, 19.5, 2039, 25, 240 }, /* up to here those with links */
	{ "NVIDIA A100 80GB PCIe", 8, 0, 108, 80, 312, 156, 19.5, 1935, 25, 20 },
	{ "NVIDIA A40", 8, 6, 84, 48, 149.7, 74.85, 37.4, 696, 25, 20 },
	{ "NVIDIA RTX A6000", 8, 6, 84, 48, 154.8, 77.4, 38.7, 768, 25, 20 },
	{ "NVIDIA L40S", 8, 9, 142, 48, 362.05, 183, 91.6, 864, 25, 20 },
	{ "NVIDIA RTX 6000 Ada Generation", 8, 9, 142, 48, 364.2, 182.1, 91.1, 960, 25, 20 },
	{ "NVIDIA B200", 10, 0, 148, 180, 2250, 1100, 75, 7700, 50, 720 }, /* none of its kernels of 32 bits is listed */
};
enum { N_GPUS = sizeof gpus / sizeof *gpus, LINKED_GPUS = 3 };

/* ---- what is asked for ---- */

static uint64_t parse(const char *list)
{
	uint64_t found = 0;

	for (const char *s = list; s && *s;) {
		size_t n = strcspn(s, ","), i = 0;

		while (i < N_KINDS && (strncmp(s, kinds[i].name, n) != 0 || kinds[i].name[n]))
			i++;
		if (i == N_KINDS) {
			fprintf(stderr, "tl-gen: error: no such kind of fault: %.*s\n", (int)n, s);
			exit(2);
		}
		found |= 1ull << i;
		s += n + (s[n] == ',');
	}
	return found;
}

static bool contradicts(int needs)
{
	static const int pairs[] = { FLOAT | HALF, SYNC | NO_SYNC, FRAMES | NO_FRAMES };

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if ((needs & pairs[i]) == pairs[i])
			return true;
	return false;
}

/* The programs that can have all kinds, and what they need; 0: there is none. */
static int programs_with(uint64_t asked, int *needs)
{
	int programs = ~0;

	*needs = 0;
	for (int i = 0; i < N_KINDS; i++) {
		if (!(asked >> i & 1))
			continue;
		if (*needs & (kinds[i].needs & ~(LOADER - 1)) || ((*needs | kinds[i].needs) & ALONE && *needs))
			return 0;
		programs &= kinds[i].programs;
		*needs |= kinds[i].needs;
	}
	return contradicts(*needs) ? 0 : programs;
}

static enum program draw_program(int programs, uint64_t *random)
{
	int all[sizeof program_names / sizeof *program_names], n = 0;

	for (int bit = 0; bit < (int)(sizeof all / sizeof *all); bit++)
		if (programs >> bit & 1)
			all[n++] = 1 << bit;
	return (enum program)all[gen_draw(random, 0, n - 1)];
}

/* ---- what is drawn ---- */

static int64_t pick(uint64_t *random, const int64_t *from, size_t n)
{
	return from[gen_draw(random, 0, (int64_t)n - 1)];
}

/* A model whose step takes 5 to 14 ms at the peak of the GPU, twice that to train. */
static void draw_sizes(struct plant *p, uint64_t *random, int needs)
{
	static const int64_t widths[] = { 2048, 3072, 4096 }, narrow[] = { 1024, 1536, 2048 }, seqs[] = { 1024, 2048, 4096 }, channels[] = { 256, 512, 1024 }, images[] = { 14, 28, 56 };
	int64_t us = gen_draw(random, needs & SHORT ? 5000 : 7000, needs & SHORT ? 8000 : 14000);
	us *= (p->program == P_TRAIN && !(needs & SHORT) ? 2 : 1) * (asked(p, HEALTHY_GAPS) ? 5 : 1); /* kernels are long, and gaps between them no matter */
	double flops = (double)us * p->gpu->bf16 * 1e6 * (needs & FLOAT ? 0.25 : 0.9), of_layer;

	p->layers = gen_draw(random, 2, 4);
	p->steps = p->program == P_SMALL ? 8 : p->program == P_GRAPH ? 7 : gen_draw(random, 3, needs & SHORT ? 3 : 5);
	p->seq = pick(random, seqs, 3);
	p->dim = gen_draw(random, 0, 1) ? 64 : 128;
	p->hidden = needs & NARROW ? pick(random, narrow, 3) : pick(random, widths, 3);
	if (needs & QUICK) { /* layers of 0.3 ms */
		p->seq = p->hidden = 1024;
		p->layers = 4;
		flops /= 12;
	}
	if (asked(p, OPTIMIZER_FOREACH))
		p->hidden = 1024;
	if (p->program == P_CONV) {
		p->hidden = needs & QUICK ? 256 : pick(random, channels, 3);
		p->dim = pick(random, images, needs & QUICK ? 2 : 3);
		p->seq = p->dim * p->dim;
		p->layers *= needs & QUICK ? 2 : 3;
		of_layer = 18.0 * (double)p->hidden * (double)p->hidden;
	} else {
		of_layer = 24.0 * (double)p->hidden * (double)p->hidden * (p->program == P_TRAIN ? 3 : 1);
	}
	p->batch = (int64_t)(flops / (of_layer * (double)p->layers * (double)p->seq));
	p->batch = p->batch < 1 ? 1 : p->batch;
	p->tokens = p->batch * p->seq;
}

/* What differs between traces of one program. */
static void draw_spelling(struct plant *p, struct options *opt, uint64_t *random, int needs)
{
	p->fp16 = opt->fp16 = !p->floats && gen_draw(random, 0, 2) == 0;
	p->older = gen_draw(random, 0, 2) == 0;
	p->ahead = needs & (QUICK | ALONE) || p->sync || gen_draw(random, 0, 2) ? 0 : gen_draw(random, 500, 2000);
	if (asked(p, HEALTHY_WAITER))
		p->ahead = 500;
	/* one of eight traces has whole microseconds, as those of older versions; not where shorter times matter */
	bool whole = !gen_draw(random, 0, 7) && !(needs & (SHORT | QUICK | ALONE)) && !(p->program & (P_SMALL | P_GRAPH));
	int64_t style = whole ? opt->python ? 2 : 4 : gen_draw(random, 0, 1);
	opt->style = opt->style ? opt->style : gen_styles + style;
	opt->device = gen_draw(random, 0, 2) ? 0 : (int)gen_draw(random, 1, 7);
	opt->main_tid = gen_draw(random, 0, 1) ? 0 : 7214;
}

/* The program, the GPU and the sizes: the same with the faults and without. */
static void draw(struct plant *p, struct options *opt, uint64_t *random)
{
	int needs, programs = programs_with(p->asked, &needs);

	if (!programs) {
		fprintf(stderr, "tl-gen: error: no program can have all of these faults: %s\n", opt->plant);
		exit(2);
	}
	p->program = draw_program(programs, random);
	p->floats = needs & FLOAT;
	p->gpu = &gpus[gen_draw(random, 0, needs & RANKS ? LINKED_GPUS - 1 : p->floats ? N_GPUS - 2 : N_GPUS - 1)];
	p->choice = (uint64_t)gen_draw(random, 0, INT64_MAX - 1);
	draw_sizes(p, random, needs);
	p->of_products = p->of_memory = p->of_attention = (double)gen_draw(random, 930, 960) / 1000;
	if (asked(p, HEALTHY_REAL)) {
		p->of_products = 0.74;
		p->of_memory = 0.80;
		p->of_attention = 0.62;
	}
	if (asked(p, HEALTHY_ONE) || asked(p, FEW_LAUNCHES))
		p->steps = 0;
	if (asked(p, RETUNE) || asked(p, RECOMPILE))
		p->steps = 5;
	if (asked(p, UNRECORDED_HEAD) || asked(p, HEALTHY_HEAD))
		p->steps = 6;
	p->steps += p->steps ? opt->warm : 0;
	p->sync = needs & SYNC || (!(needs & NO_SYNC) && gen_draw(random, 0, 2) == 0);
	p->marks = gen_draw(random, 0, 3) > 0;
	opt->python = needs & FRAMES || (!(needs & NO_FRAMES) && gen_draw(random, 0, 1));
	opt->no_stacks = !opt->python;
	opt->no_shapes = needs & NO_SHAPES;
	opt->nccl = needs & RANKS;
	opt->gpu = p->gpu;
	draw_spelling(p, opt, random, needs);
	if (!opt->origin_ns) /* 13 or 16 digits of microseconds */
		opt->origin_ns = gen_draw(random, 0, 1) ? 1419116105957665 : 1623143089861790000;
}

static void draw_faults(struct plant *p, uint64_t *random)
{
	for (int i = 0; i < N_KINDS; i++) {
		int64_t size = gen_draw(random, kinds[i].lo, kinds[i].hi), least = p->step_ns * gen_draw(random, 1300, 2500) / 1000;

		p->size[i] = kinds[i].of_step && size < least ? least : size;
	}
}

/* ---- the trace ---- */

/* How long the program runs with these faults. */
static int64_t time_with(struct plant *p, const struct options *opt, uint64_t faults)
{
	machine_free(&p->m);
	p->active = faults;
	plant_run(p, opt);
	return p->end - p->begin;
}

void plant(struct options *opt)
{
	struct plant p = { .asked = parse(opt->plant) };
	uint64_t random = opt->seed * 0x2545f4914f6cdd1du + p.asked;
	bool all = opt->without ? !strcmp(opt->without, "all") : opt->truth;
	uint64_t left = p.asked & ~(all ? p.asked : parse(opt->without));

	draw(&p, opt, &random);
	p.step_ns = time_with(&p, opt, 0) / (p.steps ? p.steps : 1);
	p.host_ns = (p.launched - p.begin) / (p.steps ? p.steps : 1);
	draw_faults(&p, &random);
	if (opt->truth) {
		double without = (double)time_with(&p, opt, left) / 1e6, with = (double)time_with(&p, opt, p.asked) / 1e6;

		printf("%.6f\t%.6f\t%.6f\n", without, with, with - without);
	} else {
		time_with(&p, opt, left);
		machine_write(&p.m);
	}
	machine_free(&p.m);
}

void plant_list(void)
{
	for (size_t i = 0; i < N_KINDS; i++) {
		printf("%s\t", kinds[i].name);
		for (size_t k = 0, n = 0; k < sizeof program_names / sizeof *program_names; k++)
			if (kinds[i].programs & (int)program_names[k].program)
				printf("%s%s", n++ ? "," : "", program_names[k].name);
		putchar('\n');
	}
}
