/* step_times.h - when the annotations that a slice is about were open.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STEP_TIMES_H
#define TL_STEP_TIMES_H

#include "analysis/spans.h"
#include "base/pattern.h"
#include "model/trace.h"
#include "slice/slice.h"

/* Merged spans for each process. Zero bytes are none. */
struct tl_process_spans TL_KEYED(struct tl_spans); /* by pid, a string id */
void tl_process_spans_add(struct tl_process_spans *, uint32_t pid, int64_t start, int64_t end);
void tl_process_spans_merge(struct tl_process_spans *);
/* Does a span from start to end overlap one of the spans of a process? An empty one does if
 * it starts in one of them. */
bool tl_process_spans_overlap(const struct tl_process_spans *, uint32_t pid, int64_t start, int64_t end);
void tl_process_spans_release(struct tl_process_spans *);

struct tl_step_times {
	struct tl_process_spans host, device; /* annotations of the host, and those of devices */
};
/* Finds the annotations that the options name; regex: of options->annotation, if that is
 * given. TL_ERR_DATA if the trace has none of them; the message says which it has. */
enum tl_status tl_step_times_find(struct tl_step_times *, const struct tl_trace *, const struct tl_slice_options *,
                                  const struct tl_pattern *regex, struct tl_error *);
void tl_step_times_release(struct tl_step_times *);

/* For messages: the distinct texts that were added, in the order of the first ones; of more
 * than 20 those and how many more. Zero bytes are none. */
struct tl_listing { struct tl_strtab seen; struct tl_buf text; };
void tl_listing_add(struct tl_listing *, const char *s, size_t len);
const char *tl_listing_text(struct tl_listing *); /* "none" if nothing was added */
void tl_listing_release(struct tl_listing *);

#endif
