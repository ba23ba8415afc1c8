/* launch_pairs.h - which call of the capture of a graph launched which device event of its replay.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_LAUNCH_PAIRS_H
#define TL_LAUNCH_PAIRS_H

#include "base/base.h"

/* The calls stand in the order of their starts, the device events too. They are paired by
 * the names of kernels, in one of these ways:
 *
 *   by place   one stream, as many calls as device events: the first with the first and
 *              so on. A call that does not say its kernel fits any device event
 *   by name    the same, but a name does not fit its place: the k-th call of a kernel with
 *              the k-th device event of that name, if both occur as often
 *   in order   one stream, other numbers: each device event with the next call that fits;
 *              calls between them are left out
 *   by stream  several streams: each call with the first unpaired device event of a stream
 *              that fits; of several such streams that which also fits most of the
 *              following calls; a call that fits none is left out */

enum tl_copy { TL_COPY_NONE, TL_COPY_MEMCPY, TL_COPY_MEMSET }; /* what a name says: a copy, a fill */

/* A call of the capture. */
struct tl_captured_call {
	uint32_t name;    /* id of its kernel's name, else of its own; 0: no device event has that name */
	enum tl_copy copy; /* by its own name */
	bool says_kernel; /* it has the name of its kernel */
};
/* A device event of the replay. */
struct tl_replayed { uint32_t name, stream; enum tl_copy copy; };
struct tl_launch_pair { uint32_t call, event; };

/* Pairs every device event with a call; out has room for n_events pairs. Returns NULL, or why
 * calls and device events do not fit: a constant text; then out is undefined. *unchecked: how
 * many pairs are by place alone, because the call does not say its kernel and is no copy. */
const char *tl_align(const struct tl_captured_call *calls, size_t n_calls, const struct tl_replayed *events,
                     size_t n_events, struct tl_launch_pair *out, size_t *unchecked);

#endif
