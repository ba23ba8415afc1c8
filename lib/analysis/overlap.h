/* overlap.h - which device events run at the same time on different streams.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_OVERLAP_H
#define TL_OVERLAP_H

#include "analysis/args.h"
#include "analysis/kernel_details.h"
#include "analysis/device_events.h"
#include "analysis/python_set.h"

/* How many pairs are kept and looked at before the trace is refused: where
 * everything overlaps with everything, memory and time would have no bound. */
#define TL_OVERLAP_MAX_PAIRS (32u << 20)
#define TL_OVERLAP_MAX_STEPS (UINT64_C(1) << 32)

struct tl_overlaps {
	struct tl_trace *trace;
	uint32_t *place;        /* event -> index in sets and streams, or TL_NONE */
	uint32_t n;
	struct tl_pyset *sets;  /* uids of the events that overlap, µs or longer */
	struct tl_cell *streams;
	struct tl_arg stream;
	struct tl_arg_cells cells;
	/* private: room to work in */
	struct tl_spans spans, merged;
};
enum tl_status tl_overlaps_build(struct tl_overlaps *, struct tl_trace *,
                                 const struct tl_gpu_select *, struct tl_error *);
void tl_overlaps_release(struct tl_overlaps *);

/* What overlaps a list of device events: the distinct names as the text of a
 * Python list (null: nothing overlaps), one detail each added to the current
 * row of details, and the share of the list's busy time that is overlapped,
 * summed over its events (null: nothing). */
void tl_overlaps_of(struct tl_overlaps *, const uint32_t *events, uint32_t n,
                    struct tl_details *, struct tl_cell *names, struct tl_cell *share);

#endif
