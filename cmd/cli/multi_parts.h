/* multi_parts.h - the parts of tl-multi in files: a part is made of a trace, and read into the merge.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MULTI_PARTS_H
#define TL_MULTI_PARTS_H

#include "cli/filter.h"
#include "job/multi_merge.h"

/* What could not be counted. */
struct tl_multi_left { int64_t failed_events, without_kernels, no_device_events, fell_back; };
/* Warns of it, or notes it. */
void tl_multi_say_left(const struct tl_multi_left *);

/* Makes the part of the trace that is to be loaded. output: as for tl_open_output. */
void tl_multi_part_write(struct tl_load_options *, const struct tl_op_groups *, bool kernels, const char *output);
/* Adds a part to a merge, and what it could not count. kernels: the file that its table of every kernel becomes; NULL: none. */
void tl_multi_part_read(const char *path, const struct tl_op_groups *, int64_t rank, struct tl_multi_merge *, struct tl_multi_left *,
                        const char *kernels);

#endif
