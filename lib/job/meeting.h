/* meeting.h - one collective of several ranks: the event of each.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MEETING_H
#define TL_MEETING_H

#include "job/rank_part.h"
#include "job/replay.h"

enum { TL_MEETING_CELLS = COLL_OUT_MSG_SIZE_MB + 1 }; /* the columns up to this one */

/* The collective of one rank. */
struct tl_rank_event {
	int64_t rank;
	int64_t position;  /* in the rank's part */
	int64_t index;     /* among those of its group */
	int64_t ts, dur, exposed; /* ticks; exposed: see tl_collectives_table */
	struct tl_seat_work work; /* what it waited for; n 0: not known */
	struct tl_cell cells[TL_MEETING_CELLS]; /* by COLL_*; texts in the meeting's table */
};

/* Zero bytes are an empty meeting. */
struct tl_meeting {
	struct tl_strtab strings;
	struct tl_rank_event *events; size_t n, cap; /* by rank */
};
void tl_meeting_release(struct tl_meeting *);
void tl_meeting_clear(struct tl_meeting *);

/* A cell as bytes for a sorter, and back; returns what follows it. A time in ms becomes one in µs. */
void tl_cell_pack(struct tl_buf *, struct tl_cell, const struct tl_strtab *);
const char *tl_cell_unpack(struct tl_cell *, struct tl_strtab *, const char *packed);
/* The same of an event. Without its cells, an event comes back with null cells. */
void tl_rank_event_pack(struct tl_buf *, const struct tl_rank_event *, const struct tl_strtab *, bool cells);
/* Adds a packed event; returns what follows it. */
const char *tl_meeting_add_packed(struct tl_meeting *, const char *packed);
/* all: with the cells of all events, else with those of the first one only. */
void tl_meeting_pack(struct tl_buf *, const struct tl_meeting *, bool all);
void tl_meeting_unpack(struct tl_meeting *, const void *packed, size_t len);

/* ticks. */
struct tl_meeting_times { int64_t first_start, last_start, first_end, last_end, shortest, longest; };
struct tl_meeting_times tl_meeting_times(const struct tl_meeting *);

#endif
