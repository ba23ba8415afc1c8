/* device_events.h - the device events of a trace: what they are, which of them count.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_GPU_H
#define TL_GPU_H

#include "analysis/interval.h"
#include "model/trace.h"

/* Is this the name of collective communication (NCCL, RCCL, custom
 * all-reduce)? */
bool tl_name_is_comm(const char *name, size_t len);

enum tl_gpu_bucket { TL_GPU_COMPUTE, TL_GPU_COMM, TL_GPU_MEMCPY, TL_GPU_BUCKETS };
enum tl_gpu_bucket tl_gpu_bucket(unsigned kind, const char *name, size_t len);

/* The same for all names of a trace, each looked at once. Zero bytes are a
 * valid start; free(memo.seen) ends it. */
struct tl_comm_memo { uint8_t *seen; size_t n; };
bool tl_event_is_comm(struct tl_comm_memo *, const struct tl_trace *, uint32_t event);

/* A device event with a start and a duration. */
static inline bool tl_gpu_usable(const struct tl_ev *e)
{
	return tl_kind_is_gpu(e->kind) && (e->flags & TL_EV_HAS_TS) && (e->flags & TL_EV_HAS_DUR);
}
/* Was it launched by a runtime call of the trace? */
static inline bool tl_gpu_linked(const struct tl_ev *e)
{
	return (e->flags & TL_EV_IN_TREE) || e->parent != TL_NONE;
}
static inline int64_t tl_ev_end(const struct tl_ev *e)
{
	return tl_ticks_add(e->ts, e->dur);
}

/* Which device events a sheet is about. */
struct tl_gpu_select {
	bool include_unlinked;
	bool detect_recompute; /* two parts: recomputed work and the rest */
};

/* The chosen device events in file order (malloc'ed, *n of them; NULL when
 * there are none). part: 0 = not recomputed, 1 = recomputed, without
 * detect_recompute 0 = all. When no device event of the trace is linked, the
 * unlinked ones are taken whatever the selection says (*fell_back tells). */
uint32_t *tl_gpu_events(const struct tl_trace *, const struct tl_gpu_select *, int part,
                        size_t *n, bool *fell_back);

/* Kinds that no sheet of this folder reads, for tl_trace_options.drop_kinds. */
#define TL_UNUSED_BY_SHEETS (~(1u << TL_KIND_CPU_OP | 1u << TL_KIND_RUNTIME | 1u << TL_KIND_DRIVER | \
	1u << TL_KIND_KERNEL | 1u << TL_KIND_MEMCPY | 1u << TL_KIND_MEMSET))

/* No host operator at all: only the kernel sheets make sense. */
bool tl_trace_gpu_only(const struct tl_trace *);

/* TL_ERR_DATA "No GPU events found in the trace: …" with what there is. */
enum tl_status tl_no_gpu_events(const struct tl_trace *, struct tl_error *);

#endif
