/* run_program.c - one program of the project runs another.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/run_program.h"

#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The program of that name beside this one; NULL: there is none. */
static char *program_beside(const char *name)
{
	char self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
	struct tl_buf path = { 0 };

	if (len <= 0)
		return NULL;
	self[len] = 0;
	*strrchr(self, '/') = 0;
	tl_buf_addf(&path, "%s/%s", self, name);
	if (access(path.data, X_OK))
		tl_buf_release(&path);
	return path.data;
}

int tl_run_program(const char *const *argv)
{
	char *path = program_beside(argv[0]);
	pid_t pid;
	int status, failed;

	fflush(stdout);
	if (path)
		failed = posix_spawn(&pid, path, NULL, NULL, (char *const *)argv, environ);
	else
		failed = posix_spawnp(&pid, argv[0], NULL, NULL, (char *const *)argv, environ);
	if (failed)
		tl_die("cannot start %s: %s", argv[0], strerror(failed));
	free(path);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			tl_die("cannot wait for %s: %s", argv[0], strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
