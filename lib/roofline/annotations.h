/* annotations.h - the annotation, such as the step of a serving engine, that an event
 * lies in.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ANNOTATIONS_H
#define TL_ANNOTATIONS_H

#include "model/trace.h"

/* Annotations by start, each with the latest end of those up to it. Zero bytes are
 * a valid start. */
struct tl_annotations {
	struct tl_annotation { int64_t ts, end, latest; uint32_t event; } *items; size_t n;
	bool made;
};
void tl_annotations_release(struct tl_annotations *);
/* Text of the earliest annotation around an event, or NULL. The first call for a
 * trace sorts its annotations. */
const char *tl_annotation_of(struct tl_annotations *, const struct tl_trace *, uint32_t event);

#endif
