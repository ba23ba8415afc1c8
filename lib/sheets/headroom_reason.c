/* headroom_reason.c - why an operator does not reach its roofline, where its row tells it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/devices.h"
#include "analysis/kept_answers.h"
#include "base/text.h"
#include "perf/lang/values.h"
#include "sheets/headroom.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void tl_reasons_init(struct tl_reasons *r, struct tl_measure *m, struct tl_rows *rows)
{
	struct tl_trace_facts facts;

	*r = (struct tl_reasons){ .measure = m, .rows = rows };
	tl_trace_facts_read(&facts, m->trace);
	tl_waves_init(&r->waves, m->trace, tl_working_gpu_kind(&facts, m->trace));
	tl_trace_facts_release(&facts);
	r->internal = tl_kept_answers(m->trace, TL_KERNEL_INTERNAL);
}

/* ---- what a row says ------------------------------------------------------------------------- */

static const char *spec_of(const struct tl_reasons *r, const struct tl_headroom *g)
{
	return tl_str(&r->measure->trace->strings, g->x->spec);
}

static const char *kernel_of(const struct tl_reasons *r, const struct tl_headroom *g)
{
	const struct tl_trace *t = r->measure->trace;

	return tl_str(&t->strings, t->events[g->longest].name);
}

/* The bytes of an element of the precision that a compute spec ends with; 0: not known. */
static int bytes_of(const char *spec)
{
	size_t n = strlen(spec);

	return n > 2 && !strcmp(spec + n - 2, "64") ? 8 : n > 2 && !strcmp(spec + n - 2, "32") ? 4 :
		n > 2 && !strcmp(spec + n - 2, "16") ? 2 : n && spec[n - 1] == '8' ? 1 : 0;
}

/* ---- the reasons ------------------------------------------------------------------------------- */

static bool is_fp64(const struct tl_reasons *r, const struct tl_headroom *g)
{
	return bytes_of(spec_of(r, g)) == 8;
}

double tl_headroom_faster(const struct tl_arch *arch)
{
	static const char *const faster[] = { "matrix_tf32", "matrix_fp16", "matrix_bf16" };

	for (size_t i = 0; i < sizeof faster / sizeof *faster; i++)
		if (tl_arch_peak(arch, faster[i]) > tl_arch_peak(arch, "matrix_fp32"))
			return tl_arch_peak(arch, faster[i]);
	return 0;
}

/* Matrix units could multiply faster in another precision, and the kernel's name says that they do not. */
static bool is_fp32(const struct tl_reasons *r, const struct tl_headroom *g)
{
	const char *kernel = kernel_of(r, g);

	return !strcmp(spec_of(r, g), "matrix_fp32") && !strcmp(tl_precision_of(r->measure->precisions, &kernel, 1), TL_REASON_FP32) &&
		tl_headroom_faster(r->measure->arch) > 0;
}

enum {
	ROW_BYTES = 16, /* so many bytes of a row are read at once */
	MOST_WAVES = 4, /* of more, the last one does not matter */
	LONG_US = 20,   /* a kernel that is no short one */
	USUAL_TILE = 128,
};
#define TAIL 0.2 /* share of the last wave that has no blocks, over all waves */
/* Kernels that stay on the units and take work one by one may leave out some. */
#define ENOUGH_BLOCKS 0.9
/* Percent of the roofline that odd sizes need not keep a product from. */
#define FAR_BELOW 60

/* A size that the model tells, or `otherwise`. */
static int64_t size_of(const struct tl_evaluation *x, const char *param, int64_t otherwise)
{
	for (size_t i = 0; i < x->n_params; i++)
		if (!strcmp(x->params[i].name, param) && x->params[i].value.type == TL_CELL_INT)
			return x->params[i].value.i;
	return otherwise;
}

/* CUTLASS names how many elements a kernel may read at once: ..._align2. */
static int elements_at_once(const char *kernel)
{
	const char *at = strstr(kernel, "_align");

	return at ? atoi(at + strlen("_align")) : 0;
}

static bool is_misaligned(const struct tl_reasons *r, const struct tl_headroom *g, double percent)
{
	int bytes = bytes_of(spec_of(r, g)), at_once = elements_at_once(kernel_of(r, g));

	if (!bytes || !tl_starts_with(spec_of(r, g), "matrix_"))
		return false;
	if (at_once)
		return at_once * bytes < ROW_BYTES;
	return percent < FAR_BELOW && (size_of(g->x, "K", 0) * bytes % ROW_BYTES || size_of(g->x, "N", 0) * bytes % ROW_BYTES);
}

/* The GPU's SMs or CUs; 0: not known. */
static double units_of(const struct tl_reasons *r)
{
	return r->waves.gpu.units ? (double)r->waves.gpu.units : r->measure->arch->units;
}

/* Do units of which only a share works tell most of why a row reaches that percent? If it reaches less than half of what they allow,
 * something else does. */
static bool explains(double share, double percent)
{
	return percent > share * 50;
}

/* The blocks fill the GPU few times, and the last time only a part of it. */
static bool wastes_tiles(const struct tl_reasons *r, const struct tl_headroom *g, double percent)
{
	/* what a trace says of its GPU may be too much for integers */
	double at_once = (double)tl_resident_blocks(&r->waves, g->longest) * units_of(r);
	double blocks = (double)tl_blocks_of(&r->waves, g->longest);

	if (!(at_once > 0) || blocks <= at_once || blocks > MOST_WAVES * at_once)
		return false;
	double used = blocks / (ceil(blocks / at_once) * at_once);
	return 1 - used > TAIL && explains(used, percent);
}

static bool is_memory_bound_product(const struct tl_reasons *r, const struct tl_headroom *g)
{
	return *g->roof.bound == 'M' && tl_starts_with(spec_of(r, g), "matrix_");
}

/* The number behind these letters of a name; 0: it has none. */
static int number_behind(const char *name, const char *letters)
{
	const char *at = strstr(name, letters);

	return at ? atoi(at + strlen(letters)) : 0;
}

/* The blocks of a product by its sizes. Tensile's names tell the tile of a block, MT256x128, and how many blocks share K, GSU2;
 * of other kernels it is taken for 128 x 128. 0: it is no product whose sizes are known. */
static double tiles_of(const struct tl_reasons *r, const struct tl_headroom *g)
{
	const char *kernel = kernel_of(r, g), *tile = strstr(kernel, "_MT");
	int rows = tile ? number_behind(tile, "_MT") : 0, columns = tile ? number_behind(tile, "x") : 0, shared = number_behind(kernel, "_GSU");
	double m = (double)size_of(g->x, "M", 0), n = (double)size_of(g->x, "N", 0);

	if (rows <= 0 || columns <= 0)
		rows = columns = USUAL_TILE;
	return ceil(m / rows) * ceil(n / columns) * (double)size_of(g->x, "B", 1) * (shared > 1 ? shared : 1);
}

/* Blocks for a part of the units only, in a kernel that is no short one. */
static bool has_few_blocks(const struct tl_reasons *r, const struct tl_headroom *g, double percent)
{
	const struct tl_trace *t = r->measure->trace;
	double blocks = (double)tl_blocks_of(&r->waves, g->longest);

	if (!(blocks > 0) && !is_memory_bound_product(r, g))
		blocks = tiles_of(r, g);
	return blocks > 0 && blocks < ENOUGH_BLOCKS * units_of(r) && t->events[g->longest].dur > tl_ticks_of_us(LONG_US, t->ticks_per_us) &&
		explains(blocks / units_of(r), percent);
}

static bool is_small(const struct tl_headroom *g)
{
	return g->roof.least < 1;
}

/* Do the first two tensors, which have the same dims, lie in memory in different orders? */
static bool copies_across(const struct tl_reasons *r, const struct tl_headroom *g)
{
	struct tl_measure *m = r->measure;
	uint32_t event = r->rows->stacks[g->row].event;
	struct tl_value dims, strides;

	bool across = tl_arg_list(&m->args[0], m->trace, event, &dims) && dims.len > 1 &&
		tl_arg_list(&m->args[2], m->trace, event, &strides) && strides.len > 1 &&
		tl_v_equal(&dims.items[0], &dims.items[1]) && !tl_v_equal(&strides.items[0], &strides.items[1]);
	return across;
}

/* Kernels that only bring tensors into another order, and copies between different orders. */
static bool changes_layout(const struct tl_reasons *r, const struct tl_headroom *g)
{
	const char *name = tl_str(&r->measure->trace->strings, r->measure->trace->events[r->rows->stacks[g->row].event].name);

	return tl_name_is(r->internal, r->measure->trace->events[g->longest].name, TL_REASON_LAYOUT) || (!strcmp(name, "aten::copy_") && copies_across(r, g));
}

const char *tl_headroom_reason(const struct tl_reasons *r, const struct tl_headroom *g, double percent)
{
	if (g->x && !r->measure->arch)
		return "no architecture";
	if (!g->has_roof)
		return "no model";
	if (is_fp64(r, g))
		return "fp64";
	if (is_fp32(r, g))
		return TL_REASON_FP32;
	if (changes_layout(r, g))
		return TL_REASON_LAYOUT;
	if (g->near)
		return "none";
	return is_small(g) ? "small" : is_misaligned(r, g, percent) ? "misaligned" : wastes_tiles(r, g, percent) ? "tile-waste" :
		has_few_blocks(r, g, percent) ? "few-blocks" : is_memory_bound_product(r, g) ? "memory-bound" : "none";
}
