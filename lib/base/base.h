/* base.h - errors, memory, strings, numbers and maps, in one include.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_BASE_H
#define TL_BASE_H

#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/strings.h"

#endif
