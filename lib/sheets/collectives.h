/* collectives.h - the sheets coll_analysis and collectives: collective communication
 * of a rank.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_COLLECTIVES_H
#define TL_COLLECTIVES_H

#include "analysis/device_events.h"
#include "sheets/sheet_list.h"

struct tl_collectives;
/* Finds the collectives of the trace, which must outlive the result. rank: its number
 * for the sheets. */
struct tl_collectives *tl_collectives_new(struct tl_trace *, int64_t rank);
void tl_collectives_free(struct tl_collectives *);

/* Made from a struct tl_collectives. */
extern const struct tl_sheet_family tl_collectives_sheets;

#endif
