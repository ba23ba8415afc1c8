/* collectives.h - collective communication of a rank: the sheet coll_analysis, and
 * the events themselves.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_COLLECTIVES_H
#define TL_COLLECTIVES_H

#include "analysis/device_events.h"
#include "sheets/sheet_list.h"

struct tl_collectives;
/* Looks at every kernel of the trace, which must outlive it. rank: what the sheets
 * say it is. */
struct tl_collectives *tl_collectives_new(struct tl_trace *, int64_t rank);
void tl_collectives_free(struct tl_collectives *);

/* Made from a struct tl_collectives. */
extern const struct tl_sheet_family tl_collectives_sheets;

#endif
