/* parts.h - parts of traces in files: where they lie, whose they are, how they are made. For tl-multi and tl-ranks.
 *
 * A part is a file that the program makes of one trace with --part, on any machine; its last line (part_file.h) says of
 * which trace. The program makes the parts that it lacks by running itself, and merges all.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PARTS_H
#define TL_PARTS_H

#include "cli/runner.h"
#include "job/part_file.h"

/* ---- options ------------------------------------------------------------------------------- */
#define TL_PARTS_OPTIONS \
	{ 0, "parts", "DIR", "keep the parts in DIR; one that is whole and of the same trace is not made again", TL_OPT_TEXT, &tl_parts_folder, 0, 0, NULL }, \
	{ 0, "keep-parts", NULL, "keep the parts, from which another run goes on, also without --parts", TL_OPT_FLAG, &tl_parts_keep, 0, 0, NULL }, \
	{ 0, "part", NULL, "only make the part of a single FILE, to be merged elsewhere", TL_OPT_FLAG, &tl_part_only, 0, 0, NULL }, \
	{ 0, "rank", "N", "with --part: its rank, if the trace does not say it; -1: nor does its name", TL_OPT_INT, &tl_part_rank, -1, INT32_MAX, NULL }
/* For tl_program.needs: they are of programs that merge, or of those that make a part. */
#define TL_PART_NEEDS \
	{ "rank", "part", NULL }, \
	{ "part", NULL, "parts keep-parts runner hosts sbatch-options wait" }
extern const char *tl_parts_folder; /* NULL: not given */
extern bool tl_parts_keep, tl_part_only;
extern int64_t tl_part_rank;        /* -1: the name of the trace does not tell it, as if not given; see tl_option_given */
/* The tl_program.seen of these programs: remembers the options that decide what is in a part. */
void tl_parts_seen(const struct tl_opt *, const char *arg);

/* ---- their folder ------------------------------------------------------------------------------ */
/* The folder of --parts, without that option OUTPUT.parts. The caller frees it. */
char *tl_parts_folder_of(const char *output);
/* Makes and locks it. Ends the program if another process works in it.
 * Returns its path, which the caller frees. */
char *tl_parts_open(const char *output);
/* Releases the lock; without --parts and --keep-parts the folder is removed, if that is wanted. */
void tl_parts_close(char *folder, bool remove);
/* The file of a trace's part in the folder; name: of the trace, with "/" between folders. The caller frees it. */
char *tl_part_path(const char *folder, const char *name);

/* ---- making them -------------------------------------------------------------------------------- */
struct tl_part {
	char *trace;   /* its path */
	char *path;    /* of its part */
	int64_t named; /* the rank in its name; -1: none */
	int64_t rank;  /* see tl_ranks_settle; -1: nothing tells it. This and the numbers below tl_parts_make takes from the part */
	int64_t sheets_rank; /* in the name of the folder of its sheets, see tl_part_sheets_rank */
	bool made;     /* a program makes it; else it was there before */
	bool whole;    /* the file is there and of the trace as it is now */
	int64_t gpus;  /* of the node; 0: not known */
	int64_t world; /* how many ranks the job has; 0: not known */
};
/* Makes the parts that are to be made and are not whole by the runner, see tl_run; then says of each whether it is whole.
 * A program that fails has said why. tl_common: whether to pass on -q and -v. The program ends here if the runner submits jobs. */
void tl_parts_make(const char *program, struct tl_part *, size_t n, int64_t at_a_time, const struct tl_common *);

/* The program that makes a part knows no other traces: the folder of the sheets of its trace has the number that was given, else
 * what the trace tells. -1: none. */
int64_t tl_part_sheets_rank(const struct tl_part_end *);

/* tl_ranks_settle of the parts. */
void tl_parts_settle_ranks(struct tl_part *, size_t n);

/* Are the parts there, and of the traces as they are now? */
bool tl_parts_are_whole(const char *program, struct tl_part *, size_t n);

/* In the program that makes a part: its last line, as far as the trace's file and the options tell. To be called before
 * the trace is read. path NULL or "-": standard input. */
struct tl_part_end tl_part_end_of(const char *program, const char *path);

#endif
