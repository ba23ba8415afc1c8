/* cuts.c - runs a filter on prefixes of a file and tells which were not refused
 * as they must be: exit status 1 and an error message.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
 *
 * usage: cuts FILE STEP WHOLE COMMAND [ARG]...
 * Feeds the first 0, STEP, 2*STEP … bytes to the command's standard input; with
 * a negative STEP, that many prefixes at random places. A prefix of WHOLE bytes
 * or more is complete (trailing blanks cut) and must be accepted. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static char *data;
static long size, whole;
static int bad;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void load(const char *path)
{
	FILE *f = fopen(path, "rb");

	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET))
		die(path);
	data = malloc((size_t)size + 1);
	if (!data || fread(data, 1, (size_t)size, f) != (size_t)size)
		die(path);
	fclose(f);
}

static int memory_file(const char *bytes, long len)
{
	int fd = memfd_create("cut", MFD_CLOEXEC);

	if (fd < 0 || write(fd, bytes, (size_t)len) != len || lseek(fd, 0, SEEK_SET))
		die("memfd");
	return fd;
}

/* Exit status, or 128 + signal; the start of stderr goes to text. */
static int run(char **command, int in, char *text, size_t cap)
{
	int err = memory_file("", 0), status;
	ssize_t got;
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		int null = open("/dev/null", O_WRONLY);

		dup2(in, 0);
		dup2(null, 1);
		dup2(err, 2);
		alarm(60);
		execvp(command[0], command);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) < 0)
		die("wait");
	got = pread(err, text, cap - 1, 0);
	text[got > 0 ? got : 0] = 0;
	close(err);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void try(char **command, long len)
{
	char text[2000];
	int in = memory_file(data, len);
	int status = run(command, in, text, sizeof text);

	close(in);
	if (len >= whole ? status == 0 : status == 1 && strstr(text, ": error: "))
		return;
	if (bad++ < 10)
		printf("first %ld of %ld bytes: status %d, stderr: %s\n", len, size, status, text);
}

int main(int argc, char **argv)
{
	long step;

	if (argc < 5) {
		fputs("usage: cuts FILE STEP WHOLE COMMAND [ARG]...\n", stderr);
		return 2;
	}
	load(argv[1]);
	step = atol(argv[2]);
	whole = atol(argv[3]);
	srand(1);
	if (step > 0)
		for (long len = 0; len <= size; len += step)
			try(argv + 4, len);
	else
		for (; step < 0 && size > 0; step++)
			try(argv + 4, (long)((double)rand() / RAND_MAX * (double)(size - 1)));
	free(data);
	return bad != 0;
}
