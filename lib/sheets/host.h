/* host.h - what the sheets of tl-host are made from. host.sheet says what they are.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_HOST_H
#define TL_HOST_H

#include "work/host_tree.h"
#include "work/spans.h"
#include "base/map.h"
#include "work/name_rules.h"
#include "sheet/host.h"

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
/* The first two members are set before a sheet is made. */
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

/* The name of a frame without the address of an object: <built-in method view of Tensor object>. known: by name, what it was found to be. */
uint32_t tl_host_plain_name(struct tl_strtab *, struct tl_map *known, uint32_t name);

#endif
