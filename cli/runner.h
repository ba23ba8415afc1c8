/* runner.h - runs a list of command lines side by side.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RUNNER_H
#define TL_RUNNER_H

#include "cli/cli.h"

struct tl_task {
	const char *name;   /* what the program reads, for messages */
	const char **argv;  /* ends with NULL; see tl_start_program */
	char *rank;         /* one of these words, that of the caller */
};
/* Runs them, so many at a time (0: as many as there are processors), to the last one, also if some fail: these have said
 * why, but for those that a signal ended, which an error message names. */
void tl_run_tasks(const struct tl_task *, size_t n, int64_t at_a_time);

#endif
