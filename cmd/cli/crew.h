/* crew.h - parts of a program's work done by several processes.
 *
 * The processes are made by fork: they share what is in memory, and each takes the next part that nobody has begun. What a
 * part says and makes is kept in a file in memory (keep.h), and told by the first process in the order of the parts. So nothing
 * that the program writes depends on the number of processes.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CREW_H
#define TL_CREW_H

#include "cli/keep.h"

/* How many processors a program uses at a time. */
#define TL_THREADS_OPTION \
	{ 0, "threads", "N", "use N processors at a time (all that there are)", TL_OPT_INT, &tl_threads_asked, 1, 1024, NULL }

struct tl_crew_work {
	size_t n;           /* parts */
	bool alone;         /* this process does them all */
	const size_t *turn; /* the numbers of the parts in the order in which they are begun: what takes long comes first */
	void (*work)(void *ctx, size_t part);
	/* Before work(), and in the first process before what was kept is told: all that is said from now on is of this part. */
	void (*turn_to)(void *ctx, size_t part);
	/* There, for each sheet that was kept. */
	void (*take)(void *ctx, enum tl_kept, const char *data, size_t len);
	void *ctx;
};
/* Does all parts, with tl_threads processes. One process keeps nothing: each part tells what it makes. An error ends the
 * program once all before it is told. */
void tl_work_as_crew(const struct tl_crew_work *);

#endif
