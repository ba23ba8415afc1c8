/* modelled.h - how much of the kernel time of unified_perf_summary has a performance model.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MODELLED_H
#define TL_MODELLED_H

#include "base/strings.h"
#include "table/tsv.h"

/* Operators without a model have neither FLOPs nor bytes. Zero bytes are a start. */
struct tl_modelled {
	bool has_header;                                /* the first row was read */
	struct { size_t name, time, flops, bytes; } at; /* columns, from 1; 0: the sheet has none */
	double total_us, unmodelled_us;                 /* of all rows */
	struct tl_strtab names;                         /* operators without a model … */
	double *us; size_t cap;                         /* … and their time, by id */
};

/* Takes a row of the sheet, the header first. modelled: a struct tl_modelled. */
void tl_modelled_read(void *modelled, const struct tl_field_text *, size_t n);
/* Fills ids with the operators without a model that took most time, the largest first;
 * returns how many, at most `most`. */
size_t tl_modelled_largest(const struct tl_modelled *, uint32_t *ids, size_t most);
void tl_modelled_release(struct tl_modelled *);

#endif
