/* populations.h - the sheet populations: which device events the sheets of times count, of what time they give shares,
 * and what they leave out.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_POPULATIONS_H
#define TL_POPULATIONS_H

#include "work/device_events.h"
#include "table/table.h"

/* The sheets that are told about: those of which report? TL_POPULATIONS_OTHER: those of findings only, which that of ROCPROF has, too. */
enum tl_populations { TL_POPULATIONS_OTHER, TL_POPULATIONS_PYTORCH, TL_POPULATIONS_ROCPROF };

/* A row for each of these sheets and, if a sheet has its devices apart, each device. select: which device events
 * gpu_timeline counts; recomputed work is not told apart. Takes the time of sorting the device events. The
 * caller frees the table. */
struct tl_table *tl_populations(struct tl_trace *, const struct tl_gpu_select *, enum tl_populations);

/* How busy devices are: of each time the percentage in which one works, the mean over the devices, the least and the greatest; the ms
 * of the time, their mean; and of how many devices it is. None: the time is not known. */
enum { TL_BUSY_RECORDED, TL_BUSY_SPAN, TL_BUSY_LIFE, TL_BUSY_TIMES }; /* the recorded window; first start to last end; life of the processes */
struct tl_busy { struct tl_busy_time { double percent, least, most, ms; size_t n; } times[TL_BUSY_TIMES]; };
/* What tl-overview, tl-timeline and tl-findings tell. Takes the time of sorting the device events. */
struct tl_busy tl_busy_of(struct tl_trace *);
/* Is the time known, and is its length another one than that of the recorded window, by more than 5 %? Then its share is told, too. */
bool tl_busy_is_apart(const struct tl_busy *, unsigned time);
extern const char *const tl_busy_units[TL_BUSY_TIMES]; /* "% of the recorded window" */

/* By device: the ticks between its events in which it did what was launched before the recording, where idle_gaps sees a gap, too.
 * The caller frees them. */
int64_t *tl_unrecorded_between(struct tl_trace *);

/* Unrecorded time is worth a word from this part of a window on. */
#define TL_LEAST_UNRECORDED 0.01
/* How many ms that gpu_timeline, or the sheet of its devices, takes for idle time are unrecorded, if they are worth a word. */
double tl_populations_unrecorded_ms(const struct tl_table *);

#endif
