/* survey.h - the first pass over the traces of ranks: which ids they have, and what they have in common.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SURVEY_H
#define TL_SURVEY_H

#include "base/map.h"
#include "model/sink.h"

/* ---- offsets that keep the ids of ranks apart ------------------------------------------- */

enum tl_shifted {
	TL_SHIFT_PID,
	TL_SHIFT_ID,           /* a member of the event, as is pid; the others are arguments */
	TL_SHIFT_CORRELATION,
	TL_SHIFT_EXTERNAL_ID,
	TL_SHIFT_RECORD,
	TL_SHIFT_SEQUENCE,
	TL_SHIFTED
};
const char *tl_shifted_key(enum tl_shifted); /* "pid", "id", "correlation", … */
/* By the key of a field; TL_SHIFTED: none of them. */
enum tl_shifted tl_shifted_by_key(const char *key, size_t len, bool top);

#define TL_SHIFT_LARGEST ((int64_t)1 << 53) /* a larger id is not shifted */
static inline bool tl_is_shiftable(int64_t id)
{
	return id <= TL_SHIFT_LARGEST && id >= -TL_SHIFT_LARGEST;
}

struct tl_shift {
	bool found[TL_SHIFTED];       /* were there integers? */
	int64_t largest[TL_SHIFTED];  /* of them; at least 0 */
	int64_t step[TL_SHIFTED];     /* 0: the field stays as it is */
	bool wide_pids, wide_ids;     /* ids of the highest rank exceed 2^32 - 1, 2^53 */
};
/* Chooses the steps, for ranks up to this one. False: the ids do not fit in 64 bits. */
bool tl_shift_choose(struct tl_shift *, int64_t highest_rank);
/* The same as TraceLens does; linking: the argument that links launches and kernels. */
bool tl_shift_choose_reference(struct tl_shift *, int64_t highest_rank, enum tl_shifted linking);

/* ---- the first pass -------------------------------------------------------------------- */

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
	int64_t world;              /* the number of ranks that it tells there; 0: none */
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
