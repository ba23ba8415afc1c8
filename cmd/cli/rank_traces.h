/* rank_traces.h - the rank in the name of a trace; the traces of a job, as the options of tl-ranks name them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RANK_TRACES_H
#define TL_RANK_TRACES_H

#include "cli/cli.h"

#define TL_RANK_REGEX "rank[\\[\\-_/]?(?P<rank>\\d+)"

/* What finds a rank in a name. */
struct tl_rank_regex;
/* The rank is the group of the regular expression that is called rank, else its first group. A mistake ends the program
 * as wrong usage; option: what gave the expression, for that message. */
struct tl_rank_regex *tl_rank_regex_new(const char *option, const char *text);
void tl_rank_regex_free(struct tl_rank_regex *);
/* The rank in a text; -1: it has none, or one that no rank can be, as a time. */
int64_t tl_rank_in(const struct tl_rank_regex *, const char *text);
/* The rank in the name of a file, else in its path; -1: none. */
int64_t tl_rank_of_path(const struct tl_rank_regex *, const char *path);
/* The rank that the text up to end is; -1: it is no number, or one that no rank can be, as a time. */
int64_t tl_rank_of_text(const char *s, const char *end);

/* ---- whose rank counts ---------------------------------------------------------------------------
 * What a trace tells (its member distributedInfo) counts before the number in its name. A number that is not below the number of
 * ranks that the trace tells is none: it may be of a process, or a time. */
/* The rank by both, each -1 if it is not known; -1: there is none. world: how many ranks there are, 0: not known. A warning says
 * that the name does not count; trace NULL: none does, for who brings the ranks together says it. */
int64_t tl_rank_chosen(const char *trace, int64_t told, int64_t named, int64_t world);
struct tl_rank_claim { const char *trace; int64_t named, *rank; /* -1: none */ };
/* Of all traces of a job: if some have one and the same rank and their names tell them apart, as of copies, the names count; if
 * no trace has a rank, they are numbered by their order. Sets *rank; warnings say so, and which name does not count. */
void tl_ranks_settle(struct tl_rank_claim *, size_t n);

struct tl_rank_traces_options {
	const char *dir, *pattern, *glob; /* one of them, or operands */
	char **operands; int n_operands;
	int64_t world_size;               /* -1: not given */
	const char *rank_regex;
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
