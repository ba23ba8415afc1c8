/* op_maps.h - which kernels the operators of two traces launched, as JSON.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_OP_MAPS_H
#define TL_OP_MAPS_H

#include "compare/diff_tables.h"

/* Appends an object: each operator of a trace (side 0 or 1) in the summary -> its kernels, sorted. */
void tl_op_map_of_trace(struct tl_buf *, const struct tl_diff_tables *, int side);

/* Gives operators of the summary new names: those that stand below the same node in both traces, and differ, get a
 * common one: the same name without namespace, or the one that is part of the other, or both names if their first
 * 20 characters are equal, or the module that both are in. Modules lose their blanks. */
void tl_op_names_unify(struct tl_diff_tables *);
/* After that: appends an object, each operator -> of each trace, or only once if both are
 * identical, the kernels and the modules. */
void tl_op_map_of_both(struct tl_buf *, const struct tl_diff_tables *);

#endif
