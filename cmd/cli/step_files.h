/* step_files.h - what the programs share that cut a trace at its steps.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STEP_FILES_H
#define TL_STEP_FILES_H

#include "cli/outputs.h"
#include "steps/split.h"
#include "edit/span_events.h"

/* A trace and its steps. */
struct tl_step_trace {
	const char *name;      /* of the input, for messages */
	char *base;            /* for names of files, see tl_split_base */
	struct tl_trace *trace;
	struct tl_steps steps;
	struct tl_span_index *index;
	struct tl_span_events chosen;    /* those of the part that was written last */
	struct tl_step_batches batches;
	bool all_threads;      /* a part has the events of all threads of the process in the time of a step */
	uint32_t *threads; size_t n_threads, cap_threads; /* of the step that was looked at last */
};
/* Reads a trace of any kind, or a stream; NULL or "-": standard input. Training steps have all threads in any
 * case. An error ends the program. */
void tl_step_trace_load(struct tl_step_trace *, const char *path, bool lenient, bool all_threads);
void tl_step_trace_release(struct tl_step_trace *);

/* Chooses the events of a part, of which the caller has set steps and number: fills the
 * numbers of its events and times. batches: let operators tell the batch sizes of the steps. */
void tl_step_part_choose(struct tl_step_trace *, struct tl_split_part *, bool batches);
/* Sets the path of a part with a label and steps, below the output folder. */
void tl_step_part_name(const struct tl_step_trace *, struct tl_split_part *, const char *folder, bool stream);
/* Writes the events that were chosen last to part->path: as an event stream or as compressed Chrome trace
 * JSON. Makes the folder of the part; a file gets its name with tl_rename_outputs(). The path may be NULL, standard
 * output, for a stream. */
void tl_step_part_write(const struct tl_step_trace *, const struct tl_split_part *, bool stream);

/* Writes a text to a file of a folder, and releases it. */
void tl_write_report(const char *folder, const char *file, struct tl_buf *text);
/* The same with a sheet in TSV, in all forms that are wanted. Beside it, CSV is always made, as TraceLens does. */
void tl_write_step_sheet(const struct tl_outputs *, const char *name, const char *of, struct tl_buf *text);

#endif
