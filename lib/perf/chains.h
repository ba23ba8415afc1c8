/* chains.h - chains of kernels: operators one after another on a stream that one kernel could do.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CHAINS_H
#define TL_CHAINS_H

#include "perf/measure.h"

/* An instance. Its operators are those of a module's call or, where none was recorded, below one operator; each works on what others
 * made, or on the same tensors: their sizes tell, which is all that a trace says of them. */
struct tl_chain {
	uint32_t kind;         /* chain-kinds.tsv: norm, rope, cast, pointwise, attention; string id */
	uint32_t module;       /* the class of the module, else the name of the operator above; string id */
	uint32_t names;        /* of the operators, with blanks between; string id */
	uint32_t first;        /* operator: an event */
	uint32_t kernel, n;    /* n items of kernels, from `kernel` on */
	int64_t ticks;         /* the sum of their durations */
	double moved, least;   /* bytes that the operators move; that one kernel would have to */
	double floor_us;       /* the least time of one kernel; negative: not known */
};
/* By stream and start; a kernel is in one chain at most. */
struct tl_chains {
	struct tl_chain *items; size_t n, cap;
	uint32_t *kernels; size_t n_kernels, cap_kernels;
};
/* The trace must hold its Python frames of modules (TL_NEEDS_FRAMES), if it has any. */
void tl_chains_find(struct tl_chains *, struct tl_measure *);
void tl_chains_release(struct tl_chains *);

#endif
