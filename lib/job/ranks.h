/* ranks.h - merges the parts of all ranks of a job into the sheets about their collectives.
 *
 * The parts are read one after the other, twice. What must be brought together is sorted in
 * files (sorter.h), so in memory are but a few numbers of each rank, and a row of each collective for the
 * summaries.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RANKS_H
#define TL_RANKS_H

#include "job/rank_part.h"

/* One statistic of the summaries. */
struct tl_rank_metric { const char *name; enum tl_column_kind kind; };
/* By the name that pandas gives it: mean, median, std, var, min, max, sum, count, first. False: none of these. */
bool tl_rank_metric_named(const char *name, struct tl_rank_metric *);

struct tl_ranks_job {
	const int64_t *ranks; size_t n;  /* of the parts, ascending */
	const struct tl_rank_metric *metrics; size_t n_metrics;
	int64_t gpus_per_node;           /* 0: not known, then no sheet has columns about nodes */
	double intra_gbps, inter_gbps;   /* what links within and between nodes can carry, 10^9 bytes/s; 0: within, by the GPU; else not known */
	struct tl_name_rules *categories; /* of kernels, by their names */
	const char *const *what_ifs; size_t n_what_ifs; /* questions, see what_if.h; at most TL_WHAT_IFS - 1 */
	bool path;                       /* make ranks_path, ranks_path_shares */
	bool heatmap;                    /* make nccl_all2allv_heatmap */
	bool waits;                      /* make ranks_collectives, ranks_stragglers, ranks_communication */
	bool reference_clocks;           /* in sheets of TraceLens: the clocks of the traces, collectives paired by their numbers */
	bool lenient;                    /* leave out collectives that ranks do not agree about */
	/* The i-th part, from its beginning; called twice for each. */
	struct tl_input *(*open)(void *ctx, size_t i);
	void (*close)(void *ctx, struct tl_input *);
	/* Sees sheets of which the rows were sorted, see tl_rank_sheet_sorted, before they are written; may be NULL. */
	void (*see)(void *ctx, const char *sheet, const struct tl_table *);
	/* An output for a sheet as TSV. */
	struct tl_output *(*create)(void *ctx, const char *sheet);
	void (*finish)(void *ctx, struct tl_output *);
	void *ctx;
};

struct tl_ranks_report {
	uint64_t events, collectives;  /* of all ranks; that they make together */
	uint64_t incomplete;           /* collectives with fewer ranks than their group has */
	char first_incomplete[120];
	uint64_t disagreeing;          /* collectives that were left out */
	char first_disagreeing[400];
	uint64_t apart;                /* collectives that ended on a rank before they began on another */
	int64_t apart_early, apart_late; /* these ranks, where that gap is largest */
	double apart_us;               /* the gap */
	uint64_t lost, first_lost;     /* ranks whose collectives fit those of no other, and the first of them */
	uint64_t shifted;              /* ranks that lack collectives at the start; of the first: its … */
	int64_t shifted_rank, shift;   /* … number, and how many collectives it lacks in a group, … */
	bool shifted_all;              /* … and in all of its groups: its trace began later */
	/* With struct tl_ranks_job.waits: */
	uint64_t still_apart;          /* the same where all times are by one clock */
	double clock_us;               /* how far a clock is ahead of the one that it is compared with: the … */
	int64_t clock_rank, clock_reference; /* … largest such difference; 0: there is none */
	double left_wait_ms;           /* of more pairs of ranks than ranks_wait_pairs has room for */
	int64_t groups, steps;         /* process groups; steps of most ranks, 0: not known */
	uint64_t renamed;              /* groups that have the name of another one, and got their ranks behind it */
	uint64_t elsewhere;            /* ranks whose collectives are all before or all behind those of most ranks */
	int64_t elsewhere_rank;        /* the one for which … */
	double elsewhere_us;           /* … the time between is longest; negative: it is before the others */
	uint64_t unconnected, first_unconnected; /* ranks that share nothing with most others, so that their clocks are not known; the first */
	uint64_t no_peer;              /* sends, receives and coalesced ones of which nothing tells the other rank or the direction */
	uint64_t unusable_splits;      /* all_to_allv events that the heatmap leaves out */
};

/* Makes the sheets. TL_ERR_DATA: a part is damaged (then the text does not name it: *failed is
 * its number, else SIZE_MAX), no rank has a collective, or ranks do not agree about a
 * collective. */
enum tl_status tl_ranks_merge(const struct tl_ranks_job *, struct tl_ranks_report *, size_t *failed, struct tl_error *);

#endif
