/* what_if.h - questions about a job in words: "rank 9 = median".
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_WHAT_IF_H
#define TL_WHAT_IF_H

#include "job/rank_sheets.h"

/* Reads those of the job, into ifs[n_what_ifs]; after the meetings, by which groups are known. TL_ERR_DATA: it is none, or names no rank or
 * group of the job. */
enum tl_status tl_what_ifs_parse(struct tl_what_if *ifs, const struct tl_ranks *, struct tl_error *);

#endif
