/* host_sheets.h - the sheets of tl-host: what the host did, by operator, module and Python function.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_HOST_SHEETS_H
#define TL_HOST_SHEETS_H

#include "analysis/host_tree.h"
#include "analysis/spans.h"
#include "base/map.h"
#include "kernels/name_rules.h"
#include "sheets/sheet_list.h"

struct tl_host_options {
	bool unfolded;                     /* host_modules: a row for each module, layers that are alike too */
	struct tl_name_rules *categories;  /* of kernels */
};
/* What the sheets that were made could not say, or found odd. */
struct tl_host_facts {
	uint32_t cut;           /* operators that ended after the one around them */
	uint32_t negative;      /* operators whose own time is below 0, as calls in them overlap */
	uint32_t lost_parents;  /* frames whose Python parents lead in a circle */
	bool no_frames, no_ids; /* host_modules: there are no Python frames; there are, but none tells of a module */
	bool texts_cut;         /* stacks, or paths of modules, are too long to be written */
};
struct tl_host {
	struct tl_trace *trace;
	const struct tl_host_options *options;
	struct tl_host_facts facts;
	/* private: of the sheet that is being made */
	struct tl_host_tree *tree;
	int64_t *matrix_before; /* as tree->ticks_before, of matrix kernels only */
	bool *nested;           /* by node: it lies in another one of its row */
	struct tl_table *rows;
	struct tl_spans spans;
	struct tl_map plain_names; /* of frames: without addresses */
};

/* Made from a struct tl_host, with its first two members set. */
extern const struct tl_sheet_family tl_host_sheets;

/* The rows of host_modules and of compile_summary. */
void tl_host_module_rows(void *host, struct tl_sheet_input *);
void tl_host_compile_rows(void *host, struct tl_sheet_input *);
extern const struct tl_sheet_def tl_compile_summary_sheet;

#endif
