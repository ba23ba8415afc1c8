/* threads.c - how many processors a program may use at a time.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/threads.h"

unsigned tl_threads = 1;
