/* rank_part.h - the part of one rank: its collectives, small enough to be made where the trace is
 * and to be merged elsewhere.
 *
 * A part is the sheet "collectives" of tl-coll as TSV, and the last line of part_end.h.
 * A part without that line is not whole.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RANK_PART_H
#define TL_RANK_PART_H

#include "ranks/part_end.h"
#include "sheets/collectives.h"

/* Writes it; of the last line, rows and simple are those of the collectives. */
enum tl_status tl_rank_part_write(struct tl_collectives *, const struct tl_part_end *, struct tl_output *, struct tl_error *);

struct tl_rank_part {
	struct tl_strtab strings;
	int64_t ticks_per_us;
	struct tl_table *rows;  /* its columns are TL_COLL_... */
	int64_t *index;         /* of each row: its number by start among those of its group */
	struct tl_part_end end; /* rank: also of the column rank */
};
/* Reads a part to its end. After a failure nothing is to be released. TL_ERR_DATA: it is no
 * part, or it is not whole. */
enum tl_status tl_rank_part_read(struct tl_rank_part *, struct tl_input *, struct tl_error *);
void tl_rank_part_release(struct tl_rank_part *);
/* Do the first bytes of a file look like a part? */
bool tl_rank_part_begins(const char *s, size_t len);

#endif
