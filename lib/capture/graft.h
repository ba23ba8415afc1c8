/* graft.h - copies of events of a capture trace, in a stream of another trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_GRAFT_H
#define TL_GRAFT_H

#include "capture/capture_trace.h"
#include "model/sink.h"

/* Where copies go: a sink, and the tables of its source. */
struct tl_graft {
	struct tl_sink *next;
	struct tl_tables *tables;
	const struct tl_trace *from;   /* the capture trace that was used last */
	uint8_t time_flags;            /* TL_HAS_TS and so on of the layouts of copies */
	struct tl_by_id strings, layouts, tracks; /* ids of `from` -> ids of the tables */
	int64_t *values; size_t cap_values;
};
void tl_graft_release(struct tl_graft *);
/* To be called when the tables were emptied, and before a capture trace is freed. */
void tl_graft_forget(struct tl_graft *);

/* Pushes a copy of an event of a capture trace with this number and the times of a call of
 * the replay (`like`, of its own trace). event: TL_NONE makes the event TL_CAPTURE_ROOT. */
enum tl_status tl_graft_event(struct tl_graft *, const struct tl_trace *from, uint32_t event, uint64_t uid,
                              const struct tl_ev *like, struct tl_error *);

#endif
