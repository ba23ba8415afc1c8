/* replay_ir.h - a recorded operator as a portable record: which arguments it is called with.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_REPLAY_IR_H
#define TL_REPLAY_IR_H

#include "replay/recorded_op.h"
#include "replay/replay_tables.h"

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
