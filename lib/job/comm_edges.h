/* comm_edges.h - what each communication of a rank had to wait for: the table of a part from which a job can be replayed.
 *
 * An edge leads from an earlier communication of the rank, or from its start, to a later one, or to the end of the rank: the later one
 * cannot begin before the earlier one has ended and the work between them is done. One edge of each binds: it lasts until the start.
 * What waits for what is told by streams, the order of launches and times:
 *   1. a communication waits for its predecessor on its stream, and for the last work launched before it on the stream that
 *      computes most; if it starts over 5 us later, also for the communication launched between these two that ended last;
 *   2. work that starts within 5 us of its predecessor on its stream waits for that alone;
 *   3. other work waits for what ended last before it; of what ended within 5 us all count, sends only where nothing else does;
 *   4. events of a stream that overlap have no order.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_COMM_EDGES_H
#define TL_COMM_EDGES_H

#include "base/io.h"
#include "sheets/collectives.h"

#define TL_COMM_EDGES "edges"
enum { TL_EDGES_MOST = 3, TL_FROM_START = -1 };

/* The work between is the longest chain of it. Ticks. */
struct tl_comm_edge {
	int64_t from;      /* a row of the table of communications; TL_FROM_START */
	int64_t compute;   /* computation and copies, but not grouped GEMMs: */
	int64_t experts;   /* these */
	int64_t gap;       /* nothing runs in the chain */
};
/* Of a communication or, as the last one, of the end of the rank. */
struct tl_comm_edges {
	struct tl_comm_edge edges[TL_EDGES_MOST]; size_t n;
	/* What the rank itself has done up to here, ticks: computation, grouped GEMMs, and time in which the stream that computes most
	 * waited for the host. */
	int64_t compute, experts, idle;
};
struct tl_rank_edges {
	int64_t start, end;             /* of the first step on the host, or of the first device event; of the last device event */
	struct tl_comm_edges *of; size_t n; /* by row of the table of communications; [n]: of the end */
};
void tl_rank_edges_release(struct tl_rank_edges *);

/* Makes the table of a trace whose work is marked; NULL: it has no communication. The caller frees it; strings: of its texts. */
struct tl_table *tl_comm_edges_table(struct tl_trace *, const struct tl_collectives *, struct tl_strtab *strings);
/* Reads it into zero bytes; n: how many communications the part has. TL_ERR_DATA: it is none, or not the first of the part. */
enum tl_status tl_comm_edges_read(struct tl_rank_edges *, size_t n, struct tl_input *, struct tl_error *);

#endif
