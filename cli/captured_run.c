/* captured_run.c - programs of the system, run for what they print.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/captured_run.h"

#include "cli/cli.h"
#include "cli/programs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_OUTPUT = 16 << 20 };

/* In the new process. */
static void become(const struct tl_captured_run *r, int out, pid_t parent)
{
	int null = open("/dev/null", O_RDONLY);
	int errors = r->errors ? open(r->errors, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;

	tl_be_child_of(parent);
	signal(SIGPIPE, SIG_DFL);
	if (dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
		_exit(1);
	if (r->errors && dup2(errors, STDERR_FILENO) < 0) {
		fprintf(stderr, "cannot write %s: %s\n", r->errors, strerror(errno));
		_exit(127);
	}
	for (const char *const *e = r->environment; e && e[0]; e += 2)
		setenv(e[0], e[1], 1);
	execvp(r->argv[0], (char *const *)(uintptr_t)r->argv);
	fprintf(stderr, "cannot start %s: %s\n", r->argv[0], strerror(errno));
	_exit(127);
}

/* Reads to the end; what is beyond the limit is read, but not kept. */
static void read_all(int fd, struct tl_buf *out)
{
	char buf[65536];
	ssize_t n;

	while ((n = read(fd, buf, sizeof buf)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0 && out->len < MAX_OUTPUT)
			tl_buf_add(out, buf, (size_t)n);
}

int tl_run_captured(const struct tl_captured_run *r, struct tl_buf *out)
{
	pid_t parent = getpid();
	int ends[2];

	fflush(stdout);
	tl_buf_clear(out);
	if (pipe2(ends, O_CLOEXEC))
		tl_die("cannot start %s: %s", r->argv[0], strerror(errno));
	pid_t pid = fork();
	if (pid < 0)
		tl_die("cannot start %s: %s", r->argv[0], strerror(errno));
	if (!pid)
		become(r, ends[1], parent);
	close(ends[1]);
	read_all(ends[0], out);
	close(ends[0]);
	return tl_wait_for_program(&pid);
}
