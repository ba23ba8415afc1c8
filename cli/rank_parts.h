/* rank_parts.h - the parts of a group of traces in files: made by processes side by side, kept in a
 * work folder, read into one merge. Only for tl-multi.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RANK_PARTS_H
#define TL_RANK_PARTS_H

#include "cli/cli.h"
#include "multi/multi_merge.h"
#include "multi/trace_groups.h"

struct tl_parts_options {
	const char *work;       /* the work folder; a part is a folder in it */
	int64_t jobs;           /* processes at a time */
	bool kernels;           /* parts have a table of every kernel */
	bool lenient, verbose;
	const struct tl_op_groups *groups;
};

/* What the end record of a part says. */
struct tl_part_end {
	bool whole;             /* there is one, and it is of this trace as it is now */
	int64_t rank;           /* -1: neither the name of the trace nor the trace tells */
	int64_t failed_events, without_kernels, no_device_events, fell_back;
};

/* The folder of a trace's part; the caller frees it. */
char *tl_part_folder(const struct tl_parts_options *, const struct tl_group_file *);
struct tl_part_end tl_part_end_read(const struct tl_parts_options *, const struct tl_group_file *);
/* Makes the parts that are not there. A trace of which none could be made was told on standard
 * error; its part has no end record. */
void tl_parts_make(const struct tl_parts_options *, const struct tl_trace_group *);
/* Adds a part to a merge. */
void tl_part_read(const struct tl_parts_options *, const struct tl_group_file *, int64_t rank, struct tl_multi_merge *);

/* Locks the work folder, which is made if it is not there. Ends the program if another process works in it. */
void tl_parts_lock(const char *work);
/* Removes the work folder, and releases the lock. */
void tl_parts_remove(const char *work);

#endif
