/* step_windows.h - which steps of a serving engine represent all of them: steady stretches, and
 * windows in these.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STEP_WINDOWS_H
#define TL_STEP_WINDOWS_H

#include "steps/step_find.h"

struct tl_window { size_t from, to; }; /* steps from … to - 1 */
struct tl_windows { struct tl_window *items; size_t n, cap; };
void tl_windows_add(struct tl_windows *, size_t from, size_t to);
void tl_windows_release(struct tl_windows *);

/* The stretches in which nearly as many requests are served as in any step, by the rules of
 * TraceLens. A step is near if it has at most a tenth fewer requests than the step with most (a
 * fifth, if the trace has fewer than num_steps steps), or one fewer. The sixth near step begins
 * a stretch, five steps earlier. The sixth step in a stretch that is not near ends the stretch
 * and is not part of it; nor is the last step of the trace. If no stretch is found, the middle
 * of the trace is one. n must be above 0. */
void tl_steady_stretches(struct tl_windows *, const struct tl_step *, size_t n, int64_t num_steps);

enum tl_window_kind {
	TL_WINDOW_MIXED,         /* as much prefill as in all stretches */
	TL_WINDOW_DECODE,        /* decode only */
	TL_WINDOW_PREFILL_DECODE /* each step prefills */
};
/* The ratio of steps that prefill to all steps, in these stretches. */
double tl_prefill_ratio(const struct tl_step *, const struct tl_windows *);
/* A window of at most num_steps steps in the longest stretch. A mixed window is the one whose ratio
 * of steps that prefill is closest to `ratio`; of several such windows the one with most
 * requests. False: the stretch has no step of the kind. */
bool tl_steady_window(const struct tl_step *, const struct tl_windows *stretches, enum tl_window_kind,
                      int64_t num_steps, double ratio, struct tl_window *);

/* Does the step prefill? */
static inline bool tl_step_prefills(const struct tl_step *s)
{
	return s->text.context.requests > 0;
}
static inline int64_t tl_step_requests(const struct tl_step *s)
{
	return s->text.context.requests + s->text.generation.requests;
}

/* The most requests of a step. */
int64_t tl_most_requests(const struct tl_step *, size_t n);

/* What a window has: steps of each phase; the means of batch size and requests, cut to whole
 * numbers; 0 if it has no step. */
struct tl_window_sums {
	size_t phases[TL_PHASES];
	int64_t batch_size, requests;
};
struct tl_window_sums tl_window_sums(const struct tl_step *, size_t n);

#endif
