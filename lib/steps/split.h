/* split.h - parts of a trace for tl-split: which steps represent all, which are alike in two traces, the report about them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SPLIT_H
#define TL_SPLIT_H

#include "work/args.h"
#include "work/name_rules.h"
#include "steps/step_find.h"

/* ---- which steps of a serving engine represent all of them: steady stretches, and windows in these ------- */

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

/* ---- steps of two traces that do alike work: blocks of one phase, and the best pair ---------------------- */

/* Steps of one phase one after another. */
struct tl_step_block {
	struct tl_window window;
	enum tl_phase phase;
	size_t original;  /* steps of the block that it was cut from; as many as it has if it was not cut */
	bool usable;      /* every step tells its sums, see struct tl_step_text */
};
struct tl_step_blocks { struct tl_step_block *items; size_t n, cap; };

/* Finds the blocks, each as long as it can be; a block of TL_PHASE_DECODE has at least two steps.
 * num_steps > 0: a longer block is cut into blocks of num_steps, and what remains at its end is
 * left out. Steps whose text is of no format count as idle here. */
void tl_step_blocks_find(struct tl_step_blocks *, const struct tl_step *, size_t n, int64_t num_steps);
void tl_step_blocks_release(struct tl_step_blocks *);

/* The name of a phase, "prefill_only", "decode_only", "prefilldecode"; and the phase of a
 * name, TL_PHASE_UNKNOWN if it is none. */
const char *tl_step_phase_name(enum tl_phase);
enum tl_phase tl_step_phase_by_name(const char *);

/* One of the two traces. */
struct tl_match_side { const struct tl_step *steps; const struct tl_step_blocks *blocks; };

#define TL_MATCH_NUMBERS 4
struct tl_match {
	enum tl_phase phase;
	size_t block[2];      /* of each side: indexes of its blocks */
	/* means over the steps of differences: of decode steps in sq and sk of generation, else in
	 * requests of context and of generation, in sq of context and of generation */
	double distance[TL_MATCH_NUMBERS]; size_t n_distance;
	size_t n_usable, n_paired; /* blocks of the first side: of this phase, and those with a block of
	                              their length on the other side */
};
/* The pair of usable blocks of this phase and of equal length with the smallest distance,
 * whose first number counts most; then that cut from the longest blocks, then the longest,
 * then the first. False: no such pair; then only the last two numbers are set. */
bool tl_step_match(const struct tl_match_side sides[2], enum tl_phase, struct tl_match *);

/* ---- the report about the parts, execution_details, and the names of their files ------------------------- */

/* A part of a trace: some steps, in a file. */
struct tl_split_part {
	size_t number;            /* of the step among all of the trace, if it is a single one; else 0 */
	const char *folder;       /* of the file, below that of the output; NULL: none */
	char *label;              /* what the file's name begins with; NULL: a single step */
	char *path;
	size_t n_events, n_device;
	double device_time, device_busy; /* µs; see struct tl_span_events */
	struct tl_step *steps; size_t n_steps, cap_steps;
};
/* Adds copies of steps; zero bytes are a part without any. */
void tl_split_part_add(struct tl_split_part *, const struct tl_step *, size_t n);
struct tl_split_parts { struct tl_split_part *items; size_t n, cap; };
void tl_split_parts_release(struct tl_split_parts *);

/* The name of a trace's file without its folder, ".pt.trace", ".json.gz" and ".json"; ".tls" of
 * a stream and ".zip" too. malloc'ed. */
char *tl_split_base(const char *path);
/* "prefill_1_prefilldecode_0_decode_7_bs12_conc9": what steps are in a window. */
void tl_split_add_sums(struct tl_buf *, const struct tl_window_sums *);
/* An annotation as a part of a file's name: '/', '(' and blanks are '_', ')' and ':' are
 * left out, and so is what exceeds 150 bytes. */
void tl_split_add_label(struct tl_buf *, const char *annotation);

/* The parts as JSON, and as a sheet without their steps. */
void tl_split_add_json(struct tl_buf *, const struct tl_split_parts *);
void tl_split_add_sheet(struct tl_buf *, const struct tl_split_parts *);

/* ---- batch sizes of steps, as their operators tell them ---------------------------------- */

/* Some operators (work/step-batches.tsv) have the batch as the first dimension of their
 * first argument. That is the batch that was run; an annotation may tell the one that was
 * planned. Zero bytes with `trace` set are a start. */
struct tl_step_batches {
	const struct tl_trace *trace;
	struct tl_arg dims;
	struct tl_name_answers names;
	struct tl_map sizes;      /* all batch sizes that were seen */
};
/* Adds the batch sizes that these events tell. Returns the only one; 0 if they tell none, or several. */
int64_t tl_step_batches_add(struct tl_step_batches *, const uint32_t *events, size_t n);
/* Forgets the sizes. */
void tl_step_batches_clear(struct tl_step_batches *);
void tl_step_batches_release(struct tl_step_batches *);

#endif
