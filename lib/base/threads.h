/* threads.h - how many processors a program may use at a time.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_THREADS_H
#define TL_THREADS_H

/* 1 in a library: all is done by the caller's thread. A program sets it by its option --threads. What is made does not depend on it. */
extern unsigned tl_threads;

#endif
