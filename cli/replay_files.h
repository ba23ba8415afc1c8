/* replay_files.h - the operators of groups as files that run them again, and what comes of running them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_REPLAY_FILES_H
#define TL_REPLAY_FILES_H

#include "replay/replay_item.h"

struct tl_replay_group {
	const char *name;           /* "gemm", "conv": the sheet that they are from */
	const char *what;           /* in messages */
	bool convolution;           /* else products of matrices */
	struct tl_replay_item *items; size_t n;
};
/* Writes the files of the groups to the folder: replay.tsv, which lists them; ops.jsonl; a script for each operator; files of
 * command lines. Notes which operators cannot be run again. */
void tl_replay_files_write(const char *folder, const struct tl_replay_group *, size_t n, const struct tl_replay_tables *);

/* Runs the operators of the groups with the tools that are there and fills in their times; the files must be there. What the
 * libraries log when PyTorch makes a call becomes a file of the folder, which the benchmark of the call is run with.
 * device: of PyTorch. Warns of what fails, notes what is missing. */
void tl_replay_run(const struct tl_replay_group *, size_t n, const char *folder, const char *device);

#endif
