/* ops.h - the operator sheets: ops_summary_by_category, ops_summary,
 * ops_unique_args, ops_unique_args_kl_overlap and launchers.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_OPS_H
#define TL_OPS_H

#include "analysis/device_events.h"
#include "perf/models/perf.h"
#include "sheets/sheet_list.h"

struct tl_ops_options {
	struct tl_gpu_select select;
	bool group_by_num_kernels;
	bool include_overlap;
	bool first_occurrence;
	bool by_parent_module; /* the module around a launcher tells rows apart; columns of the modules. Python frames must be in the tree */
	bool inference;        /* columns as in the report of an inference trace */
	int64_t top; /* rows of ops_unique_args and ops_unique_args_kl_overlap; -1: all */
	const char *step_annotation; /* names of steps, for tl_ops_by_step */
	const char *sequences_of;    /* for tl_operator_sequences */
};

struct tl_ops;
/* Measures all launchers of the trace, which must outlive the result. TL_ERR_DATA: too
 * many device events overlap. */
enum tl_status tl_ops_new(struct tl_ops **out, struct tl_trace *, const struct tl_ops_options *,
                          const struct tl_registry *, struct tl_error *);
void tl_ops_free(struct tl_ops *);

/* What the trace did not have for the sheets that were made. */
struct tl_ops_missing {
	bool steps;   /* ops_by_step: there is no step */
	bool modules; /* ops_by_module: no Python frame of the call tree is of a module */
};
struct tl_ops_missing tl_ops_missing(const struct tl_ops *);

/* Made from a struct tl_ops. They have no rows if the trace has no launchers or no host
 * operators. */
extern const struct tl_sheet_family tl_ops_sheets;

#endif
