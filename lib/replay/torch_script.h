/* torch_script.h - a program in Python that runs recorded operators again, with PyTorch alone.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TORCH_SCRIPT_H
#define TL_TORCH_SCRIPT_H

#include "replay/replay_tables.h"

/* Appends the program. title: a line about it; ops: lines that tl_replay_ir_write made. */
void tl_torch_script_write(struct tl_buf *, const char *title, const char *ops, const struct tl_replay_tables *);

#endif
