/* populations.h - the sheet populations: which device events the sheets of times count, of what time they give shares,
 * and what they leave out.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_POPULATIONS_H
#define TL_POPULATIONS_H

#include "work/device_events.h"
#include "table/table.h"

/* The sheets that are told about: those of which report? TL_POPULATIONS_NONE: no row. */
enum tl_populations { TL_POPULATIONS_NONE, TL_POPULATIONS_PYTORCH, TL_POPULATIONS_ROCPROF };

/* A row for each of these sheets and, if a sheet has its devices apart, each device. select: which device events
 * gpu_timeline counts; recomputed work is not told apart. Takes the time of sorting the device events. The
 * caller frees the table. */
struct tl_table *tl_populations(struct tl_trace *, const struct tl_gpu_select *, enum tl_populations);

/* By device: the ticks between its events in which it did what was launched before the recording, where idle_gaps sees a gap, too.
 * The caller frees them. */
int64_t *tl_unrecorded_between(struct tl_trace *);

/* Unrecorded time is worth a word from this part of a window on. */
#define TL_LEAST_UNRECORDED 0.01
/* How many ms that gpu_timeline, or the sheet of its devices, takes for idle time are unrecorded, if they are worth a word. */
double tl_populations_unrecorded_ms(const struct tl_table *);

#endif
