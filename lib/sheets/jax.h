/* jax.h - what the sheets of tl-jax are made from: traces of JAX, of XPlane files. jax.sheet says what they are;
 * jax_events.c has the trace's device events, with those that xprof's trace viewer adds, jax.c makes the rows.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_JAX_H
#define TL_JAX_H

#include "work/hlo.h"
#include "model/trace.h"
#include "perf/arch.h"
#include "perf/perf.h"
#include "table/sheet_family.h"

struct tl_jax_options {
	/* The sheets of kernels have those whose metadata has one of these words; none: all.
	 * gpu_timeline and gpu_events_averages have all. */
	const char *const *keywords; size_t n_keywords;
	bool roots;                         /* find operations that are the result of their computation, too */
	const struct tl_registry *registry; /* has the models of operations; never NULL */
	const struct tl_arch *arch;         /* the roofline of the sheets op_… is that of this GPU; NULL: none */
	const char *program;                /* the sheets …gemms and …gemms_detailed are about this program */
};

extern const struct tl_sheet_family tl_jax_sheets;

struct tl_jax;
/* The trace and the options must outlive the result. */
struct tl_jax *tl_jax_new(struct tl_trace *, const struct tl_jax_options *);
void tl_jax_free(struct tl_jax *);

/* What the sheets that were made so far left out. */
struct tl_jax_doubts {
	uint32_t kernels;               /* how many the trace has */
	bool no_keyword;                /* no kernel has one of the keywords */
	bool no_program;                /* a sheet …gemms was made, but the trace does not have the program */
	uint64_t unknown_types;         /* inputs of an unknown type, left out of total_input_bytes */
	/* kernels that are in no op_… sheet because the model of their operation failed: how many, the
	 * first such operation, and why */
	uint32_t failed;
	const char *failed_op, *reason;
	struct tl_hlo_doubts programs;
};
struct tl_jax_doubts tl_jax_doubts(const struct tl_jax *);
/* The name of the i-th program of the trace; NULL past the last. */
const char *tl_jax_program(struct tl_jax *, size_t i);

#endif
