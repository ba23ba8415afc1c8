/* cuts.c - runs a filter on damaged copies of a file and prints which ones it
 * did not refuse as it must: with exit status 1 and an error message.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
 *
 * usage: cuts FILE STEP WHOLE COMMAND [ARG]...
 *        cuts -f FILE STEP COMMAND [ARG]...
 *        cuts -e FILE STEP COMMAND [ARG]...
 * Feeds the first 0, STEP, 2*STEP … bytes to the command's standard input; with
 * a negative STEP, that many prefixes at random places. A prefix of WHOLE bytes
 * or more is complete (only trailing blanks are cut), so the command must accept
 * it. With -f feeds the whole file, each time with one bit of the byte at 0,
 * STEP, 2*STEP … changed; the command must accept none. With -e feeds such prefixes
 * and, for each, the whole file with that byte as 0xff; the command must accept it or
 * refuse it as above. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static char *data;
static long size;
static int bad;
enum wanted { REFUSED, ACCEPTED, EITHER };

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

/* The first len bytes; what says which copy this is. */
static void try(char **command, long len, enum wanted wanted, const char *what, long at)
{
	char text[2000];
	int in = memory_file(data, len);
	int status = run(command, in, text, sizeof text);

	close(in);
	if ((wanted != REFUSED && status == 0) || (wanted != ACCEPTED && status == 1 && strstr(text, ": error: ")))
		return;
	if (bad++ < 10)
		printf("%s %ld of %ld bytes: status %d, stderr: %s\n", what, at, size, status, text);
}

static void cut(char **command, long step, long whole)
{
	srand(1);
	if (step > 0)
		for (long len = 0; len <= size; len += step)
			try(command, len, len >= whole ? ACCEPTED : REFUSED, "first", len);
	for (; step < 0 && size > 0; step++) {
		long len = (long)((double)rand() / RAND_MAX * (double)(size - 1));

		try(command, len, len >= whole ? ACCEPTED : REFUSED, "first", len);
	}
}

static void flip(char **command, long step)
{
	for (long at = 0; at < size; at += step) {
		data[at] ^= 4;
		try(command, size, REFUSED, "a bit changed in byte", at);
		data[at] ^= 4;
	}
}

static void either(char **command, long step)
{
	for (long at = 0; at < size; at += step) {
		char kept = data[at];

		try(command, at, EITHER, "first", at);
		data[at] = (char)0xff;
		try(command, size, EITHER, "0xff in byte", at);
		data[at] = kept;
	}
}

int main(int argc, char **argv)
{
	char mode = argc > 1 && argv[1][0] == '-' ? argv[1][1] : 0;

	if (argc < 5) {
		fputs("usage: cuts FILE STEP WHOLE COMMAND [ARG]...\n       cuts -f|-e FILE STEP COMMAND [ARG]...\n", stderr);
		return 2;
	}
	load(argv[1 + (mode != 0)]);
	if (mode == 'f')
		flip(argv + 4, atol(argv[3]));
	else if (mode == 'e')
		either(argv + 4, atol(argv[3]));
	else
		cut(argv + 4, atol(argv[2]), atol(argv[3]));
	free(data);
	return bad != 0;
}
