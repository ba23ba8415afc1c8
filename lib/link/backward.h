/* backward.h - which backward node belongs to which forward event.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_BACKWARD_H
#define TL_BACKWARD_H

#include "link/host_spans.h"
#include "model/sink.h"

/* Events with a sequence number, in file order. */
struct tl_sequences {
	struct tl_numbered { int64_t number; uint32_t at, span; } *items;
	size_t n, cap;
};
void tl_sequences_add(struct tl_sequences *, int64_t number, uint32_t span);
void tl_sequences_release(struct tl_sequences *);

/* Pushes a link for each sequence number that has a backward node and a forward
 * event, tl-link(1), Backward: in the order in which the numbers first appear. */
enum tl_status tl_sequences_push(struct tl_sequences *, const struct tl_host_spans *, int64_t ticks_per_us,
                                 struct tl_sink *next, struct tl_error *);

#endif
