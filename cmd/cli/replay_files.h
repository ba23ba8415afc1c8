/* replay_files.h - operators that are to be run again: the folder of their files, and the tools that run them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_REPLAY_FILES_H
#define TL_REPLAY_FILES_H

#include "cli/cli.h"
#include "replay/replay_item.h"

struct tl_replay_group {
	const char *name;           /* that of op-groups.tsv: the sheet that they are from */
	const char *what;           /* in messages */
	enum tl_replay_kind kind;
	struct tl_replay_item *items; size_t n;
};
struct tl_replay_set {
	struct tl_replay_group *groups; size_t n;
	const char *folder, *device; /* of the files; of PyTorch: cuda, cuda:N or cpu */
	const struct tl_replay_tables *tables;
};
/* FOLDER/GROUP-I.py, the script of an operator; the caller frees it. */
char *tl_replay_script_path(const struct tl_replay_set *, const struct tl_replay_group *, size_t i);
/* Writes the files of the groups to the folder: replay.tsv, which lists them; ops.jsonl; a script for each operator; files of
 * command lines. Warns of operators that cannot be run again. */
void tl_replay_write_files(const struct tl_replay_set *);
/* Runs the operators of the groups with the tools that are there and fills in their times; the files must be there. What the
 * libraries log when PyTorch makes a call becomes a file of the folder, which the benchmark of the call is run with.
 * Warns of what fails, notes what is missing. */
void tl_replay_run(const struct tl_replay_set *);

#endif
