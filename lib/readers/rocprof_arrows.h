/* rocprof_arrows.h - the arrows of rocprof's JSON, which lead from a call to what it started on a device. They
 * name neither: each end is a row of the viewer (pid, tid) and a time in µs there.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ROCPROF_ARROWS_H
#define TL_ROCPROF_ARROWS_H

#include "base/base.h"

/* Zero bytes are a start. Times are in ns as the viewer shows them; row: a hash of pid and tid. */
struct tl_rocprof_arrows {
	struct tl_rocprof_call { uint64_t row, uid; int64_t start, end; } *calls;
	struct tl_rocprof_work { uint64_t row, uid; int64_t start; size_t taken; } *work;
	struct tl_rocprof_arrow { uint64_t row_from, row_to, uid; int64_t from, to; } *arrows;
	size_t n_calls, cap_calls, n_work, cap_work, n_arrows, cap_arrows;
	struct tl_map calls_of; /* uid of work -> uid of its call + 1 */
};
void tl_rocprof_add_call(struct tl_rocprof_arrows *, uint64_t row, int64_t start, int64_t dur, uint64_t uid);
void tl_rocprof_add_work(struct tl_rocprof_arrows *, uint64_t row, int64_t start, uint64_t uid);
void tl_rocprof_add_arrow(struct tl_rocprof_arrows *, const struct tl_rocprof_arrow *);
/* Finds what the arrows relate; calls unresolved() for each that does not lead from a call to work. */
void tl_rocprof_resolve(struct tl_rocprof_arrows *, void (*unresolved)(void *ctx, uint64_t uid), void *ctx);
/* The uid of the call that started the work, + 1; 0: none is known. */
static inline uint64_t tl_rocprof_call_of(const struct tl_rocprof_arrows *a, uint64_t uid)
{
	const uint32_t *call = tl_map_get(&a->calls_of, uid);

	return call ? *call : 0;
}
void tl_rocprof_arrows_release(struct tl_rocprof_arrows *);

#endif
