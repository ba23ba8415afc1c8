/* rank_part.h - the table of a part about the collectives of a rank: small enough to be made where the trace is, and to be
 * merged elsewhere. It is the sheet "collectives" of tl-coll.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RANK_PART_H
#define TL_RANK_PART_H

#include "job/comm_edges.h"
#include "job/part_file.h"
#include "job/rank_parallel.h"
#include "job/rank_work.h"
#include "sheets/collectives.h"

#define TL_RANK_PART "collectives"

/* Sets what the trace, or the name of its file, says of its rank, of the node and of the job. The arena gets the texts. */
void tl_rank_part_look(struct tl_part_end *, const struct tl_trace *, struct tl_arena *);
/* Makes the table, which the caller frees; sets what the last line says of it. */
struct tl_part_table tl_rank_part_table(struct tl_collectives *, struct tl_part_end *);

struct tl_rank_part {
	struct tl_strtab strings;
	int64_t ticks_per_us;
	struct tl_table *rows;  /* its columns are COLL_... */
	size_t *order;          /* the rows by group and start */
	int64_t *index;         /* of each row: its number by start among those of its group */
	struct tl_rank_edges edges; /* what collectives wait for; none if the part is read for its other tables */
	struct tl_part_end end; /* rank: also of the column rank */
	struct tl_part_file *file; /* of the texts of end */
};
/* Reads a part to its end; what its rank computes goes to works, and to parallels, by that number; both NULL: edges are read in their
 * place. After a failure nothing is to be released. TL_ERR_DATA: it is no part, it is not whole, or lacks that table. */
enum tl_status tl_rank_part_read(struct tl_rank_part *, struct tl_input *, struct tl_works *works,
	struct tl_parallels *parallels, size_t number, struct tl_error *);
void tl_rank_part_release(struct tl_rank_part *);

#endif
