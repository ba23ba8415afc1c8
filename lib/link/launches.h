/* launches.h - which runtime call launched which device events.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_LAUNCHES_H
#define TL_LAUNCHES_H

#include "link/host_spans.h"
#include "model/sink.h"

/* A call and a device event have up to two ids. Which of them links the two is known
 * only at the end of the trace. */
enum tl_launch_id { TL_BY_CORRELATION, TL_BY_EXTERNAL_ID, TL_N_IDS };
#define TL_NO_ID INT64_MIN /* the argument is absent or null */

struct tl_launches { /* each in file order */
	struct tl_call { int64_t id[TL_N_IDS]; uint32_t span; } *calls;
	struct tl_device { int64_t id[TL_N_IDS]; uint32_t uid, bits; } *devices; /* bits: track and flags */
	struct tl_arrow { int64_t id; uint32_t track; bool is_end; } *arrows;
	size_t n_calls, cap_calls, n_devices, cap_devices, n_arrows, cap_arrows;
};

/* Calls and device events without any id are left out. */
void tl_launches_add_call(struct tl_launches *, const int64_t id[TL_N_IDS], uint32_t span);
void tl_launches_add_device(struct tl_launches *, const int64_t id[TL_N_IDS], uint32_t uid, uint32_t track);
void tl_launches_add_arrow(struct tl_launches *, int64_t id, bool is_end, uint32_t track);
void tl_launches_release(struct tl_launches *);

struct tl_launch_options {
	enum tl_launch_id by;
	bool all_of_id;      /* there are no arrows: a call launched all device events of its id */
	const bool *is_whole; /* by track: process and thread are both known, so that an arrow may end there */
};
/* n calls and m device events of one id are n * m launches. So each device event is
 * linked to the first call that launched all events of its id, but further such links
 * are made only up to this number in all. */
#define TL_LAUNCHES_AGAIN(n_devices) (16 * (uint64_t)(n_devices) + (1 << 18))
/* Device events that a call launched; launches that were left out for being too many. */
struct tl_launch_counts { uint64_t linked, left_out; };
/* Pushes a link for every launch into `next`, in order of the calls, and marks of
 * recomputed device events. */
enum tl_status tl_launches_push(struct tl_launches *, const struct tl_host_spans *, const struct tl_launch_options *,
                                struct tl_sink *next, struct tl_launch_counts *, struct tl_error *);

#endif
