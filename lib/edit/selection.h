/* selection.h - which events of a trace are in a slice.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SELECTION_H
#define TL_SELECTION_H

#include "base/pattern.h"
#include "model/trace.h"
#include "edit/slice.h"

struct tl_selection {
	bool *kept;       /* [event] */
	int64_t from, to; /* ticks; device events are cut there */
	struct tl_slice_report report;
};

/* links: all links of the trace. regex: of options->annotation, if that is given. TL_ERR_DATA
 * if the trace has nothing of the sort that an option names; nothing is to be released then.
 * Time and memory in proportion to trace and links. */
enum tl_status tl_selection_make(struct tl_selection *, struct tl_trace *, const struct tl_link *links, size_t n_links,
                                const struct tl_slice_options *, const struct tl_pattern *regex, struct tl_error *);
/* Cuts a device event's start and duration at the borders of the slice; true: it was cut. */
bool tl_selection_cut(const struct tl_selection *, int64_t *ts, int64_t *dur);
void tl_selection_release(struct tl_selection *);

#endif
