/* split_report.h - the report about the parts that a trace was split into, execution_details, and
 * the names of their files.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SPLIT_REPORT_H
#define TL_SPLIT_REPORT_H

#include "analysis/args.h"
#include "kernels/name_rules.h"
#include "steps/step_windows.h"

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

/* Some operators (kernels/step-batches.tsv) have the batch as the first dimension of their
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
