/* tick_columns.h - names of columns that hold ticks.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_UNITS_H
#define TL_UNITS_H

#include "model/trace.h"

#include <stdio.h>

/* "ts" becomes ts_ns, ts_ps or, for another clock, ts_ticks. Returns buf. */
static inline const char *tl_tick_column(char *buf, size_t size, const char *name, const struct tl_trace *t)
{
	snprintf(buf, size, "%s_%s", name, t->ticks_per_us == 1000 ? "ns" :
	         t->ticks_per_us == 1000000 ? "ps" : "ticks");
	return buf;
}

#endif
