/* ops.h - the sheets of operators: of launchers (ops.c); by step, module and sequence of launches (ops_by.c).
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_OPS_H
#define TL_OPS_H

#include "work/device_events.h"
#include "work/kernel_details.h"
#include "work/launchers.h"
#include "base/pattern.h"
#include "perf/perf.h"
#include "sheet/ops.h"

struct tl_ops_options {
	struct tl_gpu_select select;
	bool group_by_num_kernels;
	bool include_overlap;
	bool first_occurrence;
	bool by_parent_module; /* the module around a launcher tells rows apart; columns of the modules. Python frames must
	                          be in the tree */
	bool inference;        /* columns as in the report of an inference trace */
	int64_t top; /* rows of ops_unique_args and ops_unique_args_kl_overlap; -1: all */
	const struct tl_pattern *step_annotation; /* annotations of these names are steps of ops_by_step; NULL: the trace's steps */
	const struct tl_pattern *sequences_of;    /* names of operators of operator_sequences; NULL: the outermost ones */
};

/* What tl_ops_sheets are made from. */
struct tl_ops {
	struct tl_trace *trace;
	struct tl_ops_options options;
	bool no_steps;   /* ops_by_step was made, and there is no step */
	bool no_modules; /* ops_by_module was made, and neither a Python frame of the call tree nor a range is a call of a module */
	/* private */
	const struct tl_launchers *launchers; /* NULL: the trace has no operators */
	struct tl_table *rows;                /* one a launcher */
	struct tl_details kernels, overlapping;
};
/* Measures all launchers of the trace, which must outlive the result. Sheets of launchers have no rows if the trace has
 * no launchers or no host operators. TL_ERR_DATA: too many device events overlap. */
enum tl_status tl_ops_new(struct tl_ops **out, struct tl_trace *, const struct tl_ops_options *,
                          const struct tl_registry *, struct tl_error *);
void tl_ops_free(struct tl_ops *);

#endif
