/* runner.c - runs a list of command lines side by side.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/runner.h"
#include "cli/programs.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static void wait_for_one(const struct tl_task *tasks, pid_t *pids, size_t n)
{
	pid_t pid = -1;
	int status = tl_wait_for_program(&pid);

	for (size_t i = 0; i < n; i++) {
		if (pids[i] != pid)
			continue;
		pids[i] = 0;
		if (status > 128)
			tl_say_error("%s: the program that reads it was ended by the signal %d%s", tasks[i].name, status - 128,
			             status - 128 == SIGKILL ? ", as when memory runs out" : "");
	}
}

void tl_run_tasks(const struct tl_task *tasks, size_t n, int64_t at_a_time)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t most = at_a_time > 0 ? (size_t)at_a_time : processors > 0 ? (size_t)processors : 1;
	pid_t *pids = tl_calloc(n + 1, sizeof *pids);

	for (size_t i = 0; i < n; i++) {
		if (i >= most)
			wait_for_one(tasks, pids, i);
		pids[i] = tl_start_program(tasks[i].argv);
	}
	for (size_t running = n < most ? n : most; running; running--)
		wait_for_one(tasks, pids, n);
	free(pids);
}
