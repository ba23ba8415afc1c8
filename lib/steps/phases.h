/* phases.h - the phase of each launch and of each device event of a trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PHASES_H
#define TL_PHASES_H

#include "work/calls.h"
#include "steps/phase_methods.h"
#include "steps/phase_steps.h"

struct tl_phases_options {
	unsigned method;   /* enum tl_phase_method */
	int64_t threshold; /* of the methods union and gemm_params */
	struct tl_name_rules *kernels; /* of work/phase-kernels.tsv and more; NULL: that table */
	bool steps_only;   /* the steps alone: launches are neither read nor labelled */
};

struct tl_phases {
	/* input */
	struct tl_trace *trace;
	struct tl_phases_options options;
	/* facts */
	struct tl_phase_steps steps;        /* whatever the method */
	struct tl_phase_launchers launchers;
	struct tl_phase_launch *launches;   /* of each of the launchers, read; NULL with steps_only */
	struct tl_phase_label *labels;      /* the same, by the method */
	/* state: what tl_phases_of_event asks */
	struct tl_phase_methods *methods;   /* the names of the launches are counted */
	struct tl_nearest operators;
};

/* Labels all launches. TL_ERR_DATA: calls are nested so deeply that
 * the launches have far more device events than the trace. The trace must outlive the result. */
enum tl_status tl_phases_new(struct tl_phases **out, struct tl_trace *, const struct tl_phases_options *,
                             struct tl_error *);
void tl_phases_free(struct tl_phases *); /* NULL is allowed */

/* The phase of a device event: by steps that of the step in which it was launched; Unknown
 * outside of steps. The methods of TraceLens vote on it alone: on its name, and
 * name and arguments of the nearest operator above, with the threshold 10; for all of them
 * that is the vote of the method union. */
struct tl_phase_label tl_phases_of_event(struct tl_phases *, uint32_t gpu);

/* How far the labels of launches can be trusted. Times are sums of durations. */
struct tl_phase_doubts {
	bool no_evidence; /* no step says that a language model runs */
	double disputed;  /* share of the time that has a phase both by its label and by its step, of that in which
	                     these differ; 0 for the method steps, and if there is no such time */
};
struct tl_phase_doubts tl_phases_doubts(const struct tl_phases *);

#endif
