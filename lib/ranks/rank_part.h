/* rank_part.h - the part of one rank: its collectives, small enough to be made where the trace is
 * and to be merged elsewhere.
 *
 * A part is the sheet "collectives" of tl-coll as TSV, and a last line that begins with "end"
 * and says whose part it is. A part without that line is not whole.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RANK_PART_H
#define TL_RANK_PART_H

#include "sheets/collectives.h"
#include "table/tsv.h"

/* What the last line says, in this order. */
struct tl_rank_part_end {
	int64_t rank;   /* -1: neither the trace nor the user has said it */
	int64_t rows;
	bool simple;    /* see tl_collectives_simple */
	int64_t gpus;   /* of the node, as the trace says; 0: it does not */
	int64_t size, modified; /* of the trace: bytes; seconds since 1970; 0: not known */
	const char *trace;      /* its path */
};

enum tl_status tl_rank_part_write(struct tl_collectives *, const struct tl_rank_part_end *, struct tl_output *,
                             struct tl_error *);

struct tl_rank_part {
	struct tl_strtab strings;
	int64_t ticks_per_us;
	struct tl_table *rows;  /* its columns are TL_COLL_... */
	int64_t *index;         /* of each row: its number by start among those of its group */
	struct tl_rank_part_end end; /* rank: also of the column rank */
};
/* Reads a part to its end. After a failure nothing is to be released. TL_ERR_DATA: it is no
 * part, or it is not whole. */
enum tl_status tl_rank_part_read(struct tl_rank_part *, struct tl_input *, struct tl_error *);
void tl_rank_part_release(struct tl_rank_part *);
/* Do the first bytes of a file look like a part? */
bool tl_rank_part_begins(const char *s, size_t len);

#endif
