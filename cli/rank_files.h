/* rank_files.h - the files of a job's ranks: their parts, and the sheets of each.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RANK_FILES_H
#define TL_RANK_FILES_H

#include "cli/rank_traces.h"

#include <sys/types.h>

struct tl_rank_file {
	char *name;        /* what the user gave: a trace or a part */
	const char *part;  /* a file with its part: that one, one in the folder of parts, or a scratch file; NULL: it failed */
	char *kept;        /* that name, if it is in the folder of parts */
	bool made;         /* a program made it */
	bool scratch;      /* it is to be removed */
	int64_t rank, gpus;
	pid_t pid;         /* of the program that reads it; 0: none */
};
struct tl_rank_files {
	struct tl_rank_file *items; size_t n;
	bool lenient, quiet;
	const char *parts; /* a folder that keeps the parts that are made; NULL: none */
	int64_t workers;   /* programs side by side; 0: as many as processors */
};
void tl_rank_files_take(struct tl_rank_files *, const struct tl_rank_traces *);
/* Makes the part of each trace, unless the folder of parts has one that was made of the trace as
 * it is now. A failure ends the program; with lenient, such a rank has no part. */
void tl_rank_files_make_parts(struct tl_rank_files *);
/* Reads what the parts say of themselves, leaves out those that cannot be used, and sorts them by
 * rank. */
void tl_rank_files_arrange(struct tl_rank_files *);
/* Makes the sheets of each trace in FOLDER/rankN, where those of parts have to be, and from these
 * the sheets of side_by_side.h. */
void tl_rank_files_compare(struct tl_rank_files *, const char *folder, struct tl_output *(*create)(void *, const char *),
                           void (*finish)(void *, struct tl_output *));
/* Removes scratch files. */
void tl_rank_files_release(struct tl_rank_files *);

#endif
