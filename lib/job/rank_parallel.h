/* rank_parallel.h - how a rank takes part in a pipeline and in expert parallelism, in a few sums: a table of a part.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RANK_PARALLEL_H
#define TL_RANK_PARALLEL_H

#include "base/io.h"
#include "base/map.h"
#include "model/trace.h"
#include "sheets/collectives.h"

#define TL_RANK_PARALLEL "parallel"

/* Sends and receives, by the type of collective-types.tsv: is it one? */
bool tl_is_transfer(const char *type);

/* Makes the table of a trace whose work is marked, by steps or, without any, of all of it: how long they take and the device computes,
 * communicates and transfers; with which rank it exchanges something in a step first, as sender or receiver; and, by their
 * number in the step, the grouped GEMMs and all-to-alls. NULL: it has none of these. The caller frees it; strings: of its texts. */
struct tl_table *tl_rank_parallel_table(struct tl_trace *, const struct tl_collectives *, struct tl_strtab *strings);

/* Times of a rank, each in no other: in steps, ms of all steps. */
struct tl_rank_stage { int64_t steps; double step_ms, busy_ms, comm_ms, transfer_ms; };
/* What ranks did as the n-th of their step, or in all of it (call -1), means of steps: */
struct tl_expert_work {
	uint32_t what, group; /* texts of the strings */
	int64_t call;
	size_t n, most_rank;  /* ranks; the one with most, by its number */
	double ms, most_ms, least_ms, mib, most_mib; /* sums and extremes of ranks */
};
struct tl_parallels {
	size_t n;                                      /* ranks */
	struct tl_strtab strings;
	struct tl_rank_stage *stages;                  /* by the number of the rank */
	/* votes: steps in which the rank sends first, less those in which the other does */
	struct tl_rank_peer { size_t number; int64_t rank, votes; } *peers; size_t n_peers, cap_peers;
	struct TL_KEYED(struct tl_expert_work) work;   /* by the text of what, group and call */
};
struct tl_parallels *tl_parallels_new(size_t ranks);
void tl_parallels_free(struct tl_parallels *); /* NULL is allowed */
/* Reads the table of a rank; only its first one counts. TL_ERR_DATA: it is none. */
enum tl_status tl_parallels_read(struct tl_parallels *, size_t rank, struct tl_input *, struct tl_error *);

#endif
