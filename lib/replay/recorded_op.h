/* recorded_op.h - an operator with the arguments that a trace recorded.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RECORDED_OP_H
#define TL_RECORDED_OP_H

#include "json/value.h"

struct tl_recorded_op {
	const char *name;
	struct tl_value dims, types, strides, values; /* a list each, or null: not recorded; see the sheets' columns
	                                                 Input Dims, Input type, Input Strides, Concrete Inputs */
	size_t n;                   /* arguments */
};
/* Reads the lists as Python writes them; NULL: not recorded. Memory is in the arena; the name is borrowed.
 * TL_ERR_DATA: a text is no list, or there is none of types or of dims. */
enum tl_status tl_recorded_op_read(struct tl_recorded_op *, struct tl_arena *, const char *name, const char *dims, const char *types,
                                   const char *strides, const char *values, struct tl_error *);

/* What was recorded of the i-th argument; "" if nothing was, or if it has none. */
const char *tl_recorded_type(const struct tl_recorded_op *, size_t i);
const char *tl_recorded_value(const struct tl_recorded_op *, size_t i);

enum { TL_MAX_DIMS = 8 };
struct tl_shape { size_t n; int64_t dims[TL_MAX_DIMS], strides[TL_MAX_DIMS]; };
/* The shape of the i-th argument; without recorded strides those of a contiguous tensor. False: it has
 * none, or more dimensions. */
bool tl_recorded_shape(const struct tl_recorded_op *, size_t i, struct tl_shape *);
/* The numbers of a list such as "[1, 2]". False: the text is something else, or has more than n. */
bool tl_number_list(const char *text, int64_t *numbers, size_t cap, size_t *n);

/* ---- lists as Python writes them -------------------------------------------------------- */

/* Parses lists, tuples, numbers, texts, None, True and False, as sheets have them in their cells; a tuple
 * becomes a list. The items are in the arena. TL_ERR_DATA: the text is something else. */
enum tl_status tl_python_parse(struct tl_arena *, const char *text, size_t len, struct tl_value *out, struct tl_error *);

#endif
