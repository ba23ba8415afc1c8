/* rank_traces.h - the traces of the ranks of a job, as the options of tl-ranks name them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RANK_TRACES_H
#define TL_RANK_TRACES_H

#include "cli/cli.h"

#define TL_RANK_REGEX "rank[\\[\\-_/]?(?P<rank>\\d+)"

struct tl_rank_traces_options {
	const char *dir, *pattern, *glob; /* one of them, or operands */
	char **operands; int n_operands;
	int64_t world_size;               /* -1: not given */
	const char *rank_regex;           /* in Python's syntax */
	bool lenient;                     /* go on without ranks that are not there */
};
struct tl_rank_trace { char *path; int64_t rank; }; /* rank -1: the name does not tell it */
struct tl_rank_traces { struct tl_rank_trace *items; size_t n, cap; };

/* Finds the traces: of the first three by rank, of operands as they stand. An error ends the
 * program. */
void tl_find_rank_traces(struct tl_rank_traces *, const struct tl_rank_traces_options *);
/* The deepest folder that holds all of them; of a pattern the first two. The caller frees it. */
char *tl_folder_of_traces(const struct tl_rank_traces *, const struct tl_rank_traces_options *);
void tl_rank_traces_release(struct tl_rank_traces *);

#endif
