/* measure.c - runs shell commands side by side, N rounds, and prints for each
 * the median wall and CPU seconds and the largest memory of any one process.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
 *
 * usage: measure ROUNDS COMMAND...
 * Rounds alternate between the commands, so that a slow moment of the machine
 * hits all of them; one more round before warms up. One line a command: wall,
 * user + system, memory in KiB. A failing command ends the run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct sample {
	double *wall, *cpu;
	long kib;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* The command's usage counts its waited-for children; ru_maxrss is the largest
 * of them. A process of our own in between keeps commands apart. */
static int run_once(const char *command, double *wall, double *cpu, long *kib)
{
	double begin = now();
	struct rusage u;
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return -1;
	if (!pid) {
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	if (wait4(pid, &status, 0, &u) < 0)
		return -1;
	*wall = now() - begin;
	*cpu = seconds(u.ru_utime) + seconds(u.ru_stime);
	if (u.ru_maxrss > *kib)
		*kib = u.ru_maxrss;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(double *x, int n)
{
	qsort(x, (size_t)n, sizeof *x, by_value);
	return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 0, n = argc - 2;
	struct sample *s;

	if (rounds < 1 || n < 1) {
		fputs("usage: measure ROUNDS COMMAND...\n", stderr);
		return 2;
	}
	s = calloc((size_t)n, sizeof *s);
	for (int i = 0; s && i < n; i++) {
		s[i].wall = calloc((size_t)rounds + 1, sizeof(double));
		s[i].cpu = calloc((size_t)rounds + 1, sizeof(double));
	}
	for (int r = 0; s && r <= rounds; r++)
		for (int i = 0; i < n; i++) {
			int at = r ? r - 1 : 0; /* round 0 warms up and is written over */
			int status = run_once(argv[i + 2], &s[i].wall[at], &s[i].cpu[at], &s[i].kib);

			if (status) {
				fprintf(stderr, "measure: error: status %d: %s\n", status, argv[i + 2]);
				return 1;
			}
		}
	for (int i = 0; s && i < n; i++)
		printf("%.6f\t%.6f\t%ld\n", median(s[i].wall, rounds), median(s[i].cpu, rounds), s[i].kib);
	return 0;
}
