/* finding_stakes.h - what findings of a trace are worth: how much earlier it would end without them, one after the other.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_FINDING_STAKES_H
#define TL_FINDING_STAKES_H

#include "analysis/requeue.h"
#include "findings/findings.h"
#include "sheets/window.h"

/* Times of the host in which a device was idle, by row of idle_summary. */
struct tl_host_pieces { struct tl_host_piece *items; size_t n; };

/* Sets device_ms, stake_ms, alone_ms, pick, after and joins of findings, whose rows say what of them goes: the rule's effect says
 * how (tl-findings(5)). The largest is the first pick; what the others save is asked again without it, and so on, three times, or
 * once if that would take longer than a second.
 * Of the input `events` and `ctx`, the window and the least share are looked at. */
void tl_finding_stakes(const struct tl_findings_input *, struct tl_trace *, const struct tl_window *, const struct tl_host_pieces *,
                       struct tl_finding *, size_t n);

#endif
