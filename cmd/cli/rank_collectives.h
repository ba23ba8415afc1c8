/* rank_collectives.h - the sheets of tl-multi about collectives, which tl-ranks makes under other
 * names and with more columns.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RANK_COLLECTIVES_H
#define TL_RANK_COLLECTIVES_H

#include "cli/cli.h"
#include "job/trace_groups.h"
#include "job/ranks.h"

/* Warns of collectives that were left out or are doubtful. */
void tl_say_of_collectives(const struct tl_ranks_report *);

/* The names of the sheets, in the order of the workbook; ends with NULL. */
extern const char *const tl_multi_collective_sheets[];
/* Makes them as TSV in a folder; those that exist afterwards were made: none if no trace has a collective. work: a folder for
 * the sheets that they are made from. In them the traces of the group are the ranks 0, 1, 2 and so on, in their order. */
void tl_multi_collectives(const struct tl_trace_group *, const char *work, const char *folder);

#endif
