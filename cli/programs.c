/* programs.c - other programs of these tools, run by one of them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/programs.h"
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

char *tl_program_path(const char *name)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
	char *slash = n > 0 ? memrchr(path, '/', (size_t)n) : NULL;
	struct tl_buf b = { 0 };

	if (!slash)
		return NULL;
	tl_buf_addf(&b, "%.*s/%s", (int)(slash - path), path, name);
	if (!access(b.data, X_OK))
		return b.data;
	tl_buf_release(&b);
	return NULL;
}

bool tl_has_program(const char *name)
{
	const char *path = getenv("PATH");
	bool found = false;

	for (size_t len; path && *path && !found; path += len + (path[len] == ':')) {
		struct tl_buf file = { 0 };
		len = strcspn(path, ":");
		tl_buf_addf(&file, "%.*s/%s", (int)len, path, name);
		found = !access(file.data, X_OK);
		tl_buf_release(&file);
	}
	return found;
}

void tl_be_child_of(pid_t parent)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
}

pid_t tl_start_program(const char *const *argv)
{
	char *file = tl_program_path(argv[0]);
	pid_t parent = getpid();

	fflush(stdout);
	pid_t pid = fork();
	if (pid < 0)
		tl_die("cannot start %s: %s", argv[0], strerror(errno));
	if (!pid) {
		tl_be_child_of(parent);
		int null = open("/dev/null", O_WRONLY);
		if (null >= 0)
			dup2(null, STDOUT_FILENO);
		if (file)
			execv(file, (char *const *)(uintptr_t)argv);
		else
			execvp(argv[0], (char *const *)(uintptr_t)argv);
		fprintf(stderr, "cannot start %s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	free(file);
	return pid;
}

int tl_wait_for_program(pid_t *pid)
{
	int status;
	pid_t ended;

	while ((ended = waitpid(*pid, &status, 0)) < 0)
		if (errno != EINTR)
			tl_die("cannot wait for a program: %s", strerror(errno));
	*pid = ended;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void tl_run_program(const char *const *argv)
{
	pid_t pid = tl_start_program(argv);
	int status = tl_wait_for_program(&pid);

	if (status > 128)
		tl_die("%s was ended by the signal %d", argv[0], status - 128);
	if (status) {
		tl_remove_unfinished();
		exit(status);
	}
}
