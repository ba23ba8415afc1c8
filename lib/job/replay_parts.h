/* replay_parts.h - what the files of the replay share.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_REPLAY_PARTS_H
#define TL_REPLAY_PARTS_H

#include "base/map.h"
#include "job/replay.h"
#include "job/sorter.h"

enum { TL_OWN_COMPUTE, TL_OWN_IDLE, TL_OWN };
enum { TL_CONFIGS = 25 };   /* replays in one pass */

/* A sum of a rank at a communication, in the sorter. hidden: if it comes right after another one, the host may have let it wait for so much
 * longer, beside that one. Ticks. */
struct replay_sum { uint32_t rank; int64_t number, own[TL_OWN], hidden; };
/* What a rank has too much up to a place of the step: straight lines between the places. Ticks. */
struct replay_line { float *x, *e; };
/* What a rank had beyond that in one step, at a place. */
struct replay_pause { int64_t step; size_t place; double ticks; int what; };

struct replay_rank {
	int64_t n, steps, places;      /* communications; steps; communications of a step */
	uint64_t role;
	int64_t stage;
	int64_t start, end;            /* by one clock */
	int64_t compute, experts;      /* ticks in all */
	struct tl_seat_work last;      /* the edges of its end */
	bool known, judged;            /* taken; compared with others */
	struct replay_line lines[TL_OWN];
	struct replay_pause *pauses; size_t n_pauses, cap_pauses;
	size_t expert_group;           /* SIZE_MAX: none */
};

struct replay_alike { int64_t *ticks; size_t n, cap; int64_t usual; };
struct replay_late { uint32_t alike; size_t group; int64_t *ticks; size_t n, cap; double median, usual; };

struct tl_replay {
	struct replay_rank *ranks; size_t n;
	int64_t ticks_per_us;
	struct tl_sorter *sums;        /* by role, kind and number: those of all ranks */
	struct tl_sorter *meetings;    /* by the start of the last seat */
	struct replay_group { bool shared, compared; double over; uint64_t n_over; size_t n_absent; } *groups; size_t n_groups, cap_groups;
	struct replay_absent { size_t group; int64_t rank; } *absent; size_t n_absent, cap_absent;
	size_t *link_groups, n_links, cap_links; /* by link */
	/* By what takes equally long: how long the last seat took in all meetings; then what is usual. */
	struct TL_KEYED(struct replay_alike) alikes;
	/* By one of these and group: by how much those who are not there came later than the last seat. */
	struct TL_KEYED(struct replay_late) lates;
	struct tl_map members, lacking; /* a group and a rank of it: that is at hand; that has no trace */
	uint64_t n_shared;             /* meetings of two ranks or more */
	int64_t stages;
};

/* Finds what each rank has too much: lines, pauses, judged. */
enum tl_status tl_replay_find_usual(struct tl_replay *, struct tl_error *);
/* How long those who are not there let the last seat wait, if it took so many ticks. */
static inline int64_t tl_replay_lateness(const struct replay_alike *a, int64_t ticks) { return ticks - a->usual > a->usual / 5 ? ticks - a->usual : 0; }
/* Finds what is usual of alikes and lates; after the meetings. */
void tl_replay_find_late(struct tl_replay *);
/* How much of the last `work` ticks of own computation or idle time before a place the rank has too much, without pauses; of pauses alone. */
double tl_replay_too_much(const struct replay_rank *, int what, size_t place, double work);
double tl_replay_paused(const struct replay_rank *, int what, int64_t step, size_t place, double work);
/* The step and the place of a communication, by its number. The last one ends the last step. */
static inline int64_t tl_replay_step(const struct replay_rank *r, int64_t number) { return r->steps - 1 - (r->n - 1 - number) / r->places; }
static inline size_t tl_replay_place(const struct replay_rank *r, int64_t number) { return (size_t)(r->places - 1 - (r->n - 1 - number) % r->places); }

/* What is removed in the replays of one pass: bit k, in the k-th. */
struct replay_removed {
	uint32_t *own, *pauses;  /* by rank */
	uint32_t *links, *experts, *absent; /* by group */
	uint32_t as_others;      /* the slow stage takes the median of the others */
	uint32_t balanced;       /* all stages take the mean */
	uint32_t *scaled, *scaled_groups; /* by rank and by group: computation and transfers take a factor of what they took */
	const struct tl_what_if *ifs; size_t n_ifs; /* the factors: replay i + 1 is of the i-th, the one behind them of all */
	const double *stage_factors; int64_t slow_stage; double slow_factor;
};
/* What a collective of the link takes longer than usual, ticks; 0: no more than others, or there are none. */
double tl_replay_link_over(const struct tl_link_sum *);
/* What each communication waited for, in the trace: by rank and number. */
struct trail_seat { int64_t ts, late; size_t last_rank, group; int64_t last_number; struct tl_seat_edge edge; bool met, waits, has_edge; };
struct replay_trail { size_t *first; struct trail_seat *seats; };
void tl_replay_trail_open(struct replay_trail *, const struct tl_replay *);
void tl_replay_trail_close(struct replay_trail *);
void tl_replay_trail_add(struct replay_trail *, size_t rank, const struct tl_seat_work *, const struct trail_seat *);
/* The chain; the caller frees it. */
struct tl_job_part *tl_replay_walk(const struct tl_replay *, const struct replay_trail *, size_t *n);
/* Replays n times; ends: how long the job takes then, ticks. The trail may be NULL. */
enum tl_status tl_replay_pass(struct tl_replay *, const struct tl_links *, const struct replay_removed *, const double *expert_factors, size_t n, double *ends,
	struct replay_trail *, struct tl_error *);

#endif
