/* hlo_text.h - cuts the HLO text of a program's operations into the pieces that TraceLens finds in it.
 * Only for the files of this folder.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_HLO_TEXT_H
#define TL_HLO_TEXT_H

#include "hlo/hlo.h"
#include "json/value.h"

/* The operations of a program. */
struct tl_hlo_ops {
	struct tl_strtab names;    /* with their % */
	struct tl_hlo_op *items;   /* by id in `names`, from 1 */
	size_t n, cap;             /* n counts [0] */
	struct tl_arena arena;
};
/* Reads the operations of a program, a value as lib/readers/xplane_hlo.c describes it. */
void tl_hlo_read_ops(struct tl_hlo_ops *, const struct tl_value *program);
void tl_hlo_release_ops(struct tl_hlo_ops *);
/* The operation of that name, or NULL. */
const struct tl_hlo_op *tl_hlo_op_named(const struct tl_hlo_ops *, const char *name, size_t len);
/* The type that a shape begins with if TraceLens knows it as one of floating point; NULL: it does not. */
const char *tl_hlo_float_type(const char *shape);

#endif
