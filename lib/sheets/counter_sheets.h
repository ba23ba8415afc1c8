/* counter_sheets.h - what the sheets of tl-counters are made from: a trace. counters.sheet says what they are.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_COUNTER_SHEETS_H
#define TL_COUNTER_SHEETS_H

#include "work/counters.h"
#include "sheet/counters.h"

#endif
