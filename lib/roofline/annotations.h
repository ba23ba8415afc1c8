/* annotations.h - the annotation around an event, such as a step of a serving engine.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ANNOTATIONS_H
#define TL_ANNOTATIONS_H

#include "model/trace.h"

/* Annotations by start; `latest` is the latest end of one and those before it. Zero
 * bytes are a start. */
struct tl_annotations {
	struct tl_annotation { int64_t ts, end, latest; uint32_t event; } *items; size_t n;
	bool made;
};
void tl_annotations_release(struct tl_annotations *);
/* The text of the earliest annotation that starts no later than an event and ends after
 * it; NULL if there is none. The first call sorts the annotations of the trace. */
const char *tl_annotation_of(struct tl_annotations *, const struct tl_trace *, uint32_t event);

#endif
