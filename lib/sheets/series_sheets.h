/* series_sheets.h - what the sheets of tl-series are made from. series.sheet says what they are.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SERIES_SHEETS_H
#define TL_SERIES_SHEETS_H

#include "base/error.h"
#include "model/trace.h"
#include "sheet/series.h"

struct tl_series_options {
	double window_ms;     /* of the time that a row is about; 0: rows are points; negative: a 1000th of the recorded
	                         window */
	int64_t full;         /* a queue of this length is full */
};
/* The most windows of a track. */
enum { TL_SERIES_WINDOWS = 1000000 };

/* What the sheets are made from. */
struct tl_series_view;
/* The trace must outlive the result. TL_ERR_USAGE: the recorded window has more than TL_SERIES_WINDOWS of these windows;
 * then there is nothing to free. */
enum tl_status tl_series_new(struct tl_series_view **, struct tl_trace *, const struct tl_series_options *,
                             struct tl_error *);
void tl_series_free(struct tl_series_view *);

/* What the sheets of queues and copies leave out, or doubt. */
struct tl_series_doubts {
	uint32_t no_call;     /* device events without a call: they are in no queue */
	uint32_t early;       /* device events that start before their call … */
	int64_t earliest;     /* … by so many ticks at most */
	uint32_t no_bytes;    /* copies and sets without a number of bytes … */
	uint32_t copies;      /* … and all of them */
	bool empty;           /* neither device events nor allocations: no series */
};
struct tl_series_doubts tl_series_doubts(const struct tl_series_view *);

#endif
