/* waits.c - calls in which the host waits for the device.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/waits.h"

#include "analysis/device_events.h"
#include "analysis/kept_answers.h"

#include <string.h>

void tl_waits_init(struct tl_waits *w, struct tl_trace *t)
{
	*w = (struct tl_waits){ .trace = t, .copies = tl_copies_of(t), .waiting = tl_kept_answers(t, TL_WAITING_CALLS) };
}

enum tl_call_kind tl_call_kind(struct tl_waits *w, uint32_t call)
{
	static const char *const answers[] = { [TL_CALL_RETURNS] = "", [TL_CALL_RECORDS] = "record", [TL_CALL_STREAM_WAITS] = "order",
		[TL_CALL_ALLOCATES] = "allocate",
		[TL_CALL_AWAITS_DEVICE] = "device", [TL_CALL_AWAITS_STREAM] = "stream", [TL_CALL_AWAITS_EVENT] = "event",
		[TL_CALL_AWAITS_COPY] = "copy", [TL_CALL_FREES] = "free" };
	const struct tl_ev *e = &w->trace->events[call];
	uint32_t n;
	const uint32_t *launched = tl_launched_by(w->copies, call, &n);

	for (uint32_t i = 0; i < n; i++) {
		const struct tl_ev *g = &w->trace->events[launched[i]];
		if (g->kind == TL_KIND_MEMCPY && tl_gpu_usable(g) && tl_ev_end(g) <= tl_ev_end(e))
			return TL_CALL_AWAITS_COPY;
	}
	const char *answer = tl_name_answer(w->waiting, e->name);
	enum tl_call_kind kind = TL_CALL_RETURNS;
	while (strcmp(answers[kind], answer))
		kind++;
	return kind;
}
