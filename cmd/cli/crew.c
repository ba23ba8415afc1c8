/* crew.c - parts of a program's work in several processes.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/crew.h"
#include "base/threads.h"
#include "cli/cli.h"
#include "cli/programs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The processes at work. */
static struct crew {
	const struct tl_crew_work *of;
	atomic_size_t *begun;  /* shared by all processes: parts that were begun */
	int *kept;             /* by part: the file in memory */
	bool *done;            /* by part, as far as the first process has heard */
	int ends[2];           /* a pipe, in which a part's number says that it is done */
	pid_t *others; size_t n_others;
	bool is_first;
	size_t last;           /* the part that ended the program in the first process: later ones are not told; n: none */
} *crew;

/* ---- working -------------------------------------------------------------------------------- */

static void say_done(size_t part)
{
	uint32_t number = (uint32_t)part;

	tl_keep_in(-1);
	if (crew->is_first)
		crew->done[part] = true;
	else if (write(crew->ends[1], &number, sizeof number) != sizeof number) /* in one piece, as all that is short */
		_exit(1);
}

/* Does parts until all are begun. */
static void work(void)
{
	size_t i;

	while ((i = atomic_fetch_add(crew->begun, 1)) < crew->of->n) {
		size_t part = crew->of->turn[i];
		if (part > crew->last)
			continue;
		tl_keep_in(crew->kept[part]);
		crew->of->turn_to(crew->of->ctx, part);
		crew->of->work(crew->of->ctx, part);
		say_done(part);
	}
}

static void start_others(void)
{
	for (unsigned i = 1; i < tl_threads && i < crew->of->n; i++) {
		pid_t pid = tl_fork();
		if (pid < 0)
			return; /* then fewer do it */
		if (pid) {
			crew->others[crew->n_others++] = pid;
			continue;
		}
		crew->is_first = false;
		tl_clean_up_by(NULL); /* unfinished files are those of the first process */
		close(crew->ends[0]);
		work();
		_exit(0);
	}
}

/* ---- telling ---------------------------------------------------------------------------------- */

/* A process that failed outside of its turn, as without memory, has said why. */
static void check_others(void)
{
	for (size_t i = 0; i < crew->n_others; i++) {
		int status = tl_wait_for_program(&crew->others[i]);
		if (status > 128)
			tl_die("a process that makes sheets was ended by the signal %d", status - 128);
		if (status)
			tl_end(status);
	}
	crew->n_others = 0;
}

/* Nobody says so if all other processes have ended. */
static void wait_for(size_t part)
{
	uint32_t number;

	while (!crew->done[part]) {
		ssize_t n = read(crew->ends[0], &number, sizeof number);
		if (n == sizeof number && number < crew->of->n)
			crew->done[number] = true;
		else if (n >= 0 || errno != EINTR)
			break;
	}
	if (crew->done[part])
		return;
	check_others();
	tl_die("a process that makes sheets has ended without a word");
}

static void tell(enum tl_kept kind, const char *data, size_t len)
{
	if (kind < TL_KEPT_END)
		tl_say(kind, data);
	else if (kind == TL_KEPT_END)
		tl_end(*(const int *)(const void *)data);
	else
		crew->of->take(crew->of->ctx, kind, data, len);
}

static void tell_part(size_t part)
{
	off_t size = lseek(crew->kept[part], 0, SEEK_END);
	char *all = size > 0 ? mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, crew->kept[part], 0) : NULL;
	struct tl_kept_head h;

	if (size < 0 || all == MAP_FAILED)
		tl_die("cannot read back what was kept in memory: %s", strerror(errno));
	crew->of->turn_to(crew->of->ctx, part);
	for (size_t at = 0; at < (size_t)size; at += h.len) {
		memcpy(&h, all + at, sizeof h);
		at += sizeof h;
		char *data = tl_alloc(h.len + 1);
		memcpy(data, all + at, h.len);
		data[h.len] = '\0';
		tell(h.kind, data, h.len);
		free(data);
	}
	if (all)
		munmap(all, (size_t)size);
	close(crew->kept[part]);
}

static void finish(void)
{
	work();
	close(crew->ends[1]);
	for (size_t part = 0; part < crew->of->n; part++) {
		wait_for(part);
		tell_part(part);
	}
	check_others();
}

/* The program is to end in the middle of a part. */
static void end_in_turn(int status)
{
	int file = tl_keeps_in();

	if (!tl_keeps() || !tl_keep(TL_KEPT_END, &status, sizeof status))
		return;
	for (size_t part = 0; part < crew->of->n; part++)
		if (crew->kept[part] == file) {
			say_done(part);
			crew->last = part;
		}
	if (!crew->is_first)
		_exit(0);
	finish(); /* which comes to that end, or to an earlier one */
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static void work_alone(const struct tl_crew_work *of)
{
	for (size_t part = 0; part < of->n; part++) {
		of->turn_to(of->ctx, part);
		of->work(of->ctx, part);
	}
}

/* A limit on the size of files is one for files in memory, too. */
static bool files_are_limited(void)
{
	struct rlimit most;

	return getrlimit(RLIMIT_FSIZE, &most) || most.rlim_cur != RLIM_INFINITY;
}

/* The files in memory, by part. False: they are not to be had. */
static bool open_kept(struct crew *c)
{
	c->kept = tl_calloc(c->of->n, sizeof *c->kept);
	for (size_t part = 0; part < c->of->n; part++) {
		c->kept[part] = memfd_create("tl-tools", MFD_CLOEXEC);
		if (c->kept[part] >= 0)
			continue;
		while (part--)
			close(c->kept[part]);
		free(c->kept);
		return false;
	}
	return true;
}

void tl_work_as_crew(const struct tl_crew_work *of)
{
	struct crew all = { .of = of, .is_first = true, .last = of->n };

	if (tl_threads < 2 || of->n < 2 || of->alone || files_are_limited() || !open_kept(&all)) {
		work_alone(of);
		return;
	}
	if (pipe2(all.ends, O_CLOEXEC))
		tl_die("cannot make a pipe: %s", strerror(errno));
	all.begun = tl_shared_calloc(sizeof *all.begun);
	all.done = tl_calloc(of->n, sizeof *all.done);
	all.others = tl_calloc(of->n, sizeof *all.others);
	crew = &all;
	tl_end_in_turn_by(end_in_turn);
	start_others();
	finish();
	crew = NULL;
	close(all.ends[0]);
	tl_shared_free(all.begun, sizeof *all.begun);
	free(all.kept);
	free(all.done);
	free(all.others);
}
