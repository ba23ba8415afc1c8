/* survey.h - the first pass over the traces of ranks: which ids they have, and what they have in common.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SURVEY_H
#define TL_SURVEY_H

#include "fuse/shift.h"
#include "model/sink.h"

/* Key of the member that tells from when, in ns, the times of a trace count. */
#define TL_BASE_TIME "baseTimeNanoseconds"

struct tl_survey {
	struct tl_sink sink;        /* each trace is read into it */
	bool first_only;            /* only the first trace's ids count */
	/* results */
	size_t n_traces;
	struct tl_shift shift;      /* the ids; no steps yet */
	bool has_launch;            /* the first trace has a runtime call that launches … */
	bool launch_has_correlation; /* … and the first such has a correlation */
	char *source;               /* of the first trace */
	int64_t ticks_per_us;       /* the finest */
	struct tl_base_time { bool known; int64_t ns; } *bases; /* of each trace: member baseTimeNanoseconds */
	size_t cap_bases;
	int64_t rank;               /* of the last trace: in member distributedInfo; -1: none */
	struct tl_map members;      /* hash of a member -> in how many traces it was */
	/* private: of the trace that is read */
	const struct tl_tables *tables;
	struct tl_by_id tracks;     /* 1: seen */
	struct tl_by_id layouts;    /* place in infos + 1 */
	struct tl_survey_layout *infos; size_t n_infos, cap_infos;
};
void tl_survey_init(struct tl_survey *);
void tl_survey_release(struct tl_survey *);

/* Is the member the same in all traces? */
bool tl_survey_is_common(const struct tl_survey *, const char *key, size_t key_len, const char *json, size_t json_len);
/* Is this JSON text of a pid an id that can be shifted? */
bool tl_pid_number(const char *json, size_t len, int64_t *pid);

#endif
