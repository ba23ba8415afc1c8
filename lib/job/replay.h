/* replay.h - what a job loses by a cause: the time of the job as recorded, minus that of the job replayed without the cause.
 *
 * Each rank is a list of communications and the work between them (comm_edges.h). A meeting is a collective of all its ranks, or a send
 * and its receive; each event in it is a seat. A seat that ends after the last seat has started waits for that one; others do not.
 * Replayed, a seat starts when all its edges allow, one that waits ends as long after the last start as it did in the trace, and one
 * that does not wait takes as long as it did. Nothing removed gives the recorded times back.
 *
 * What is usual for a rank comes from ranks that do the same (roles): the sums of own computation and own idle time at the same
 * communication, less the median of the other ranks there. The growth of that in a step, as the median of steps, is what the rank has
 * too much.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_REPLAY_H
#define TL_REPLAY_H

#include "job/comm_edges.h"
#include "job/links.h"

/* What a seat knows of its rank. `from` is a number among the communications of the rank by start. Ticks; slack: how much earlier the
 * edge would have let it start. */
struct tl_seat_edge { int64_t from, compute, experts, gap, slack; };
struct tl_seat_work { int64_t number; size_t n; struct tl_seat_edge edges[TL_EDGES_MOST]; };

struct tl_replay;
struct tl_replay *tl_replay_new(size_t ranks);
void tl_replay_free(struct tl_replay *); /* NULL is allowed */

/* ---- the ranks: first all are seen, then all are taken ---- */

/* A communication of a rank. kind: equal for what ranks of one role do alike. */
struct tl_replay_comm { int64_t ts, end; uint64_t kind; };
/* steps: how many the trace marks, 0 for none. */
void tl_replay_see(struct tl_replay *, size_t rank, const struct tl_replay_comm *, size_t n, int64_t steps);
/* Of which stage of a pipeline it is; -1: of none. After all are seen. */
void tl_replay_set_stage(struct tl_replay *, size_t rank, int64_t stage);
/* offset: what its clock is ahead. Fills seats[n], by the row of the communication. TL_ERR_IO: as tl_sorter_add. */
enum tl_status tl_replay_take(struct tl_replay *, size_t rank, const struct tl_replay_comm *, size_t n, const struct tl_rank_edges *, int64_t offset,
	struct tl_seat_work *seats, struct tl_error *);

/* ---- the meetings ---- */

struct tl_replay_seat { size_t rank; int64_t ts, end; double in, out /* of the message, in one unit */; const struct tl_seat_work *work; };
/* In any order, by one clock. group: its number from 0, SIZE_MAX for a transfer; link: see tl_links_add, SIZE_MAX: none; alike: equal for what takes
 * equally long; experts: it is an all-to-all; whole: all ranks of the group are there. */
struct tl_replay_meeting { size_t group, link; uint64_t alike; bool experts, whole; const struct tl_replay_seat *seats; size_t n; };
enum tl_status tl_replay_meet(struct tl_replay *, const struct tl_replay_meeting *, struct tl_error *);

/* A rank of the group that has no trace; after the meetings. */
void tl_replay_add_absent(struct tl_replay *, size_t group, int64_t rank);

/* ---- what is found ---- */

enum tl_cause_kind { TL_CAUSE_RANK, TL_CAUSE_PAUSES, TL_CAUSE_NODE, TL_CAUSE_GROUP, TL_CAUSE_EXPERTS, TL_CAUSE_STAGE, TL_CAUSE_ABSENT };
struct tl_cause {
	enum tl_cause_kind kind;
	size_t first, n;     /* ranks; of TL_CAUSE_EXPERTS the one with most to do */
	size_t group;        /* TL_CAUSE_GROUP, TL_CAUSE_EXPERTS, TL_CAUSE_ABSENT: the first one that waits */
	int64_t absent;      /* TL_CAUSE_ABSENT: the rank; -1: one of several */
	int64_t stage;       /* TL_CAUSE_STAGE */
	double compute, idle; /* ticks a step that it has too much; of a group, of a transfer in the mean; of pauses, idle: of all steps */
	double excess;       /* ticks in all: by which candidates are chosen */
	double alone, loss;  /* ticks: what the job would take less without this one, and without it after those before */
	double balanced;     /* of a stage: alone, if all were even */
};
struct tl_replay_result {
	struct tl_cause *causes; size_t n;   /* those that cost most first */
	struct tl_job_part *path; size_t n_path; /* in the order of time */
	double recorded, ideal;              /* ticks: the job, and without all of them */
	size_t slow; double slow_more;       /* the rank that does most too much itself, and how much in all, ticks; SIZE_MAX: none */
	double starts_apart;                 /* ticks: from the start of the first rank to that of the last one */
	size_t judged_ranks, judged_groups, groups; /* judged: compared with others, see ranks_judged */
	uint64_t shared;                     /* meetings of two ranks or more that are at hand */
	int64_t steps;
};
/* A question: how long would the job take if this were so? */
enum tl_what_if_kind {
	TL_IF_RANK_MEDIAN, TL_IF_RANK_COMPUTES, TL_IF_GROUP_MEDIAN, TL_IF_GROUP_TAKES, TL_IF_BALANCED, TL_IF_EVEN_EXPERTS, TL_IF_NO_PAUSES, TL_IF_ALL
};
struct tl_what_if {
	enum tl_what_if_kind kind;
	size_t of;      /* the rank or the group */
	double factor;  /* TL_IF_RANK_COMPUTES, TL_IF_GROUP_TAKES: times what it takes */
	double end;     /* found: how long the job takes then, ticks */
};
enum { TL_WHAT_IFS = 24 };

/* A part of the chain that bounds the job: work of a rank, or a communication, which began when that rank came. BEFORE: from the start of the
 * first rank on; ABSENT: a rank without a trace let it wait. */
enum tl_job_part_kind { TL_PART_BEFORE, TL_PART_COMPUTES, TL_PART_EXPERTS, TL_PART_IDLES, TL_PART_COMMUNICATES, TL_PART_ABSENT };
struct tl_job_part { enum tl_job_part_kind kind; size_t rank; int64_t step; size_t group /* SIZE_MAX: none */; int64_t ticks; };

/* nodes: the number of each rank's, NULL: not known; path: find the chain; ifs: at most TL_WHAT_IFS questions, each for itself but
 * the last one, which is for all of them together. */
struct tl_replay_asked {
	const struct tl_links *links;
	const int64_t *nodes;
	int64_t ticks_per_us;
	struct tl_what_if *ifs; size_t n_ifs;
	bool path;
};
/* The caller frees causes and path. */
enum tl_status tl_replay_find(struct tl_replay *, const struct tl_replay_asked *, struct tl_replay_result *, struct tl_error *);

#endif
