/* rank_files.h - the traces and parts of a job's ranks that a user gave: which are used, and the parts and sheets of each.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RANK_FILES_H
#define TL_RANK_FILES_H

#include "cli/parts.h"
#include "cli/rank_traces.h"

struct tl_rank_files {
	struct tl_part *items; size_t n; /* what the user gave: traces, and parts, which are not made */
	bool lenient;
	const char *sheets; /* a folder: the sheets of each trace go to rankN in it; NULL: none are made */
	char *folder;       /* of the parts that are made; NULL: all are there */
	bool left_out;      /* of a trace no part was made */
	int64_t world;      /* how many ranks the job has, as most traces say; 0: none says */
};
/* What cannot be used ends the program, or is left out with a warning if `lenient` is set. */

/* Takes the traces, and opens the folder of parts if one is to be made; output: see tl_parts_open. */
void tl_rank_files_take(struct tl_rank_files *files, const struct tl_rank_traces *traces, const char *output);
/* Removes parts that are not to be kept. */
void tl_rank_files_release(struct tl_rank_files *files);
/* Makes the part of each trace, see tl_parts_make. A failure ends the program in the end; with lenient, such a rank is left out. */
void tl_rank_files_make_parts(struct tl_rank_files *files, int64_t at_a_time, const struct tl_common *c);
/* Reads what the parts say of themselves, leaves out those that cannot be used, and sorts them by
 * rank. */
void tl_rank_files_arrange(struct tl_rank_files *files);
/* In the program that makes a part: makes those sheets of the trace in FOLDER/rankN. */
void tl_rank_sheets_make(const char *folder, int64_t rank, const char *trace, bool lenient);
/* Makes the sheets of side_by_side.h from those of each rank. */
void tl_rank_files_compare(struct tl_rank_files *files, struct tl_output *(*create)(void *, const char *), void (*finish)(void *, struct tl_output *));

#endif
