/* jax.h - the sheets of traces of JAX, of XPlane files: gpu_timeline, gpu_events_averages,
 * kernel_launchers and summaries of them, df_xla_perf and xla_summary.
 *
 *   jax.c          the trace's device events; the entries of all sheets
 *   jax_derived.c  events that xprof's trace viewer adds
 *   jax_timeline.c gpu_timeline, gpu_events_averages
 *   jax_kernels.c  kernel_launchers and its summaries, df_xla_perf, xla_summary
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_JAX_H
#define TL_JAX_H

#include "hlo/hlo.h"
#include "model/trace.h"
#include "sheets/sheet_list.h"

struct tl_jax_options {
	/* The sheets of kernels have those whose metadata has one of these words; none: all.
	 * gpu_timeline and gpu_events_averages have all. */
	const char *const *keywords; size_t n_keywords;
};

struct tl_jax;
/* The trace and the options must outlive the result. */
struct tl_jax *tl_jax_new(struct tl_trace *, const struct tl_jax_options *);
void tl_jax_free(struct tl_jax *);

/* Made from a struct tl_jax. */
extern const struct tl_sheet_family tl_jax_sheets;

/* What the sheets that were made so far are about, and do not tell. */
struct tl_jax_doubts {
	uint32_t kernels;               /* how many the trace has */
	uint64_t unknown_types;         /* inputs of an unknown type, left out of total_input_bytes */
	struct tl_hlo_doubts programs;
};
struct tl_jax_doubts tl_jax_doubts(const struct tl_jax *);

#endif
