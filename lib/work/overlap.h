/* overlap.h - which device events run at the same time on different streams.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_OVERLAP_H
#define TL_OVERLAP_H

#include "work/args.h"
#include "work/kernel_details.h"
#include "work/device_events.h"
#include "work/python_set.h"

/* A trace with more pairs of events that run at the same time on different streams is
 * refused: if all events overlap each other, memory and time would grow with their
 * square. So is one in which the sheets would name overlapping events more often. */
#define TL_OVERLAP_MAX_PAIRS (8u << 20)
#define TL_OVERLAP_MAX_NAMES (2u << 20)

struct tl_overlaps {
	struct tl_trace *trace;
	uint32_t *place;        /* by event: its index in sets and streams, or TL_NONE */
	uint32_t n;
	struct tl_pyset *sets;  /* uids of the events that overlap this one for 1 µs or longer */
	struct tl_cell *streams;
	struct tl_arg stream;
	bool exhausted;         /* more than TL_OVERLAP_MAX_NAMES: all further lists of names are empty */
	/* private: to work with */
	uint32_t n_names;
	struct tl_spans spans, merged;
};
/* Finds the overlapping pairs of the chosen device events. TL_ERR_DATA if there are
 * too many; then there is nothing to release. */
enum tl_status tl_overlaps_build(struct tl_overlaps *, struct tl_trace *, const struct tl_gpu_select *,
                                 struct tl_error *);
void tl_overlaps_release(struct tl_overlaps *);
/* TL_ERR_DATA if `exhausted`. */
enum tl_status tl_overlaps_check(const struct tl_overlaps *, struct tl_error *);

/* What overlaps a list of device events. *names becomes the distinct names of the
 * overlapping events, as the text of a Python list; each name adds an item to the
 * current row of details. *share becomes the overlapped time, summed over the events
 * of the list, as a share of their busy time. Both are null if nothing overlaps. */
void tl_overlaps_of(struct tl_overlaps *, const uint32_t *events, uint32_t n,
                    struct tl_details *, struct tl_cell *names, struct tl_cell *share);

#endif
