/* row_events.h - which device events the rows of a sheet are about, for what is made of the sheet: kept with the trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ROW_EVENTS_H
#define TL_ROW_EVENTS_H

#include "model/trace.h"

/* By event: 1 + the uid that the row has in its column "ex_UID", which no other row of the sheet has; 0: the event is
 * in no row. The first call for a sheet makes the list, of zeros, which the sheet fills. */
uint32_t *tl_row_events(const struct tl_trace *, const char *sheet);

#endif
