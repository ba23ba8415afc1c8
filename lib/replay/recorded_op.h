/* recorded_op.h - an operator with the arguments that a trace recorded, and what runs it again: a portable record, a
 * program in Python.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RECORDED_OP_H
#define TL_RECORDED_OP_H

#include "base/value.h"
#include "replay/replay_tables.h"

struct tl_recorded_op {
	const char *name;
	struct tl_value dims, types, strides, values; /* a list each, or null: not recorded; see the sheets' columns
	                                                 Input Dims, Input type, Input Strides, Concrete Inputs */
	size_t n;                   /* arguments */
	struct tl_arena *arena;     /* room for what is read of them */
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
/* ---- lists as Python writes them -------------------------------------------------------- */

/* Parses lists, tuples, numbers, texts, None, True and False, as sheets have them in their cells; a tuple
 * becomes a list. The items are in the arena. TL_ERR_DATA: the text is something else. */
enum tl_status tl_python_parse(struct tl_arena *, const char *text, size_t len, struct tl_value *out, struct tl_error *);
/* The same of a list, "[1, 2]". False: the text is something else, or an item is of another type (enum tl_value_type). */
bool tl_python_list(struct tl_arena *, const char *text, uint8_t type, struct tl_value *list);

/* ---- the portable record: which arguments it is called with -------------------------------- */

/* Appends a JSON object as TraceLens's event replay writes it, in one line:
 *   {"op_name": "aten::mm", "replay_ir": {"list_pos_args": [...], "list_kwargs": [...]}}
 * The first declaration of the operator that fits the arguments is taken. count: how often the trace has the call,
 * added as a member; 0: not. TL_ERR_DATA: no declaration fits; nothing was appended. */
enum tl_status tl_replay_ir_write(struct tl_buf *, const struct tl_recorded_op *, const struct tl_replay_tables *, size_t count,
                                  struct tl_error *);

/* ---- a program in Python that runs recorded operators again ----------------------------- */

/* Appends the program. title: a line about it; ops: lines that tl_replay_ir_write made. */
void tl_torch_script_write(struct tl_buf *, const char *title, const char *ops, const struct tl_replay_tables *);

#endif
