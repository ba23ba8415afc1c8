/* kept.h - what several sheets need, kept with the trace: answers about names, and events of rows.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_KEPT_H
#define TL_KEPT_H

#include "work/name_rules.h"
#include "model/trace.h"

/* What a built-in table of rules says of the names of a trace: each name is asked once. */
struct tl_name_answers *tl_kept_answers(const struct tl_trace *, enum tl_built_in_rules);

/* Which device events the rows of a sheet are about, for what is made of the sheet.
 * By tl_trace_gpu: 1 + the uid that the row has in its column "ex_UID", which no other row of the sheet has; 0: the event is
 * in no row. The first call for a sheet makes the list, of zeros, which the sheet fills; a process that is made by fork after
 * that call fills it for all. */
uint32_t *tl_row_events(const struct tl_trace *, const char *sheet);

#endif
