/* call_stacks.h - where in the program an operator was called.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CALL_STACKS_H
#define TL_CALL_STACKS_H

#include "model/trace.h"
#include "table/cell.h"

/* The cells entry_point and call_stack_full of a row about an event (TL_NONE: a
 * synthetic row). op_name: the row's name; kernels: its n device events, in the order
 * of its summary. Texts go into the trace's string table. */
void tl_stack_columns(struct tl_trace *, uint32_t event, const char *op_name, const uint32_t *kernels, uint32_t n,
                      struct tl_cell *entry, struct tl_cell *full);
/* The frames around a device event of a row about `event`, as the text of a Python
 * list; returns its string id. */
uint32_t tl_stack_text(struct tl_trace *, uint32_t event, uint32_t kernel);

#endif
