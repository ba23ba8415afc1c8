/* slice_scope.h - what the options of a slice name, found in the trace: time, rank, device, stream, thread.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SLICE_SCOPE_H
#define TL_SLICE_SCOPE_H

#include "analysis/devices.h"
#include "slice/slice.h"

struct tl_slice_scope {
	struct tl_trace *t;
	const struct tl_slice_options *o;
	int64_t from, to;            /* ticks */
	struct tl_devices devices;   /* if device or rank is given */
	struct tl_ranks ranks;
	struct tl_arg stream;
	bool *on_thread;             /* [track]; NULL: any thread */
};
/* TL_ERR_DATA: the trace has nothing of the sort that an option names. To be released in any case. */
enum tl_status tl_slice_scope_find(struct tl_slice_scope *, struct tl_trace *, const struct tl_slice_options *, struct tl_error *);
void tl_slice_scope_release(struct tl_slice_scope *);

/* Is an event on the thread, in the time, of the rank? */
bool tl_slice_scope_has_thread(const struct tl_slice_scope *, const struct tl_ev *);
bool tl_slice_scope_has_time(const struct tl_slice_scope *, const struct tl_ev *);
bool tl_slice_scope_has_rank(struct tl_slice_scope *, uint32_t event);
/* Is a device event on the device, rank and stream that are given? */
bool tl_slice_scope_has_device_event(struct tl_slice_scope *, uint32_t event);

#endif
