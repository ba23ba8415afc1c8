/* call_stacks.h - where in the program an operator was called.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CALL_STACKS_H
#define TL_CALL_STACKS_H

#include "kernels/name_rules.h"
#include "model/trace.h"
#include "table/cell.h"

/* The stacks of a trace. Where operators or Python functions are nested very deeply,
 * their texts grow with the square of the trace: the bytes of all frames are counted,
 * and after TL_STACKS_MAX of them `exhausted` is true and all further stacks are empty.
 * wrappers: TL_WRAPPER_FRAMES, the caller's. */
#define TL_STACKS_MAX (UINT64_C(1) << 28)
struct tl_stacks { struct tl_trace *trace; struct tl_name_rules *wrappers; uint64_t bytes; bool exhausted; };

/* What the stacks of a row are about: the row's event, and the event with which they
 * begin, the same or one above; TL_NONE: the row is synthetic, and they are empty. */
struct tl_stack_row { uint32_t event, top; };

/* The cells entry_point and call_stack_full of a row. name: the row's, a string id;
 * kernels: its n device events, in the order of its summary. Texts go into the trace's
 * string table. */
void tl_stack_columns(struct tl_stacks *, struct tl_stack_row, uint32_t name, const uint32_t *kernels, uint32_t n,
                      struct tl_cell *entry, struct tl_cell *full);
/* Appends the frames of a row's device event, as a Python list. */
void tl_stack_text(struct tl_stacks *, struct tl_stack_row, uint32_t kernel, struct tl_buf *);

#endif
