/* fuse.h - joins the traces of ranks into one trace, whose events state their rank.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_FUSE_H
#define TL_FUSE_H

#include "base/pattern.h"
#include "work/name_rules.h"
#include "model/sink.h"

/* The argument "rank" is added to every event. Ids that relate events get an offset, rank times
 * a step, so that no two ranks share an id. These ids are the process (pid), the arrow (id),
 * correlation, External id and Sequence number. An argument keeps the id as it was: "pid_raw" and
 * so on. An id that is a text gets the rank in front. Integers beyond 2^53, which viewers do
 * not tell apart, stay as they are.
 *
 * A step is greater than the ids of all ranks. pid has a step of its own, small enough for viewers
 * that hold a pid in 32 bits. All other ids share one step, so that the arrow to a kernel keeps the
 * number of the kernel's launch.
 *
 * The names that traces give to processes are replaced by "RANK 0 - CPU" and "RANK 0 - GPU".
 * Times count from the base of the first trace (its member baseTimeNanoseconds). Members that are
 * the same in all traces are kept, links are not. */
struct tl_fuse_options {
	/* Which events are kept. If none of these is set: all but those of the category Trace and,
	 * unless `python_function` is set, those of the category python_function. */
	const char *const *categories; size_t n_categories;
	struct tl_name_rules *collectives; /* only kernels that are "communication"; NULL: any */
	const struct tl_pattern *name;     /* only events whose name matches; NULL: any */
	bool all, python_function;
	/* As TraceLens: steps come from the first trace alone, and each kind of id has its own. External id gets
	 * no offset if launches have a correlation; else correlation gets none. Sequence number and texts get
	 * none. Members are dropped, times stay as they are, names of threads stay only if the filter keeps them. */
	bool reference;
};

struct tl_fusion;
struct tl_fusion *tl_fusion_new(const struct tl_fuse_options *); /* the options must outlive it */
void tl_fusion_free(struct tl_fusion *);

/* First pass: each trace is read into this sink, in the order of the second pass. */
struct tl_sink *tl_fusion_survey(struct tl_fusion *);
/* The rank that the trace read last states in its member distributedInfo; -1: none. *world: the
 * number of ranks that it states; 0: none. */
int64_t tl_fusion_found_rank(const struct tl_fusion *, int64_t *world);

/* After the first pass: states how far the clock of a trace is ahead of that of the trace `reference`. Its times
 * then count from the base of `reference`. Traces are numbered from 0, in the order of the first pass. */
void tl_fusion_set_clock(struct tl_fusion *, size_t trace, size_t reference, int64_t offset_ns);
/* After the first pass: begins the output. highest_rank: of all traces. */
enum tl_status tl_fusion_begin(struct tl_fusion *, int64_t highest_rank, struct tl_sink *to, struct tl_error *);
/* Second pass: the sink for the trace of a rank. */
struct tl_sink *tl_fusion_trace(struct tl_fusion *, int64_t rank);
/* After the last trace: names the processes, and ends the output. */
enum tl_status tl_fusion_end(struct tl_fusion *, struct tl_error *);

struct tl_fuse_report {
	uint64_t n_events, n_dropped; /* of the second pass so far: written, left out */
	int64_t pid_step, id_step;    /* id_step: of correlation or, if that has none, of what links */
	bool wide_pids, wide_ids;     /* pids above 2^32 - 1; ids above 2^53 */
};
struct tl_fuse_report tl_fusion_report(const struct tl_fusion *);

#endif
