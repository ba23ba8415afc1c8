/* gnuplot.c - runs gnuplot.
 *
 * What gnuplot reads and writes are files in memory, so that neither side waits for the other.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/gnuplot.h"
#include "cli/programs.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SECONDS 120     /* of processor time: no picture takes longer */

enum { SCRIPT, PICTURE, MESSAGES, N_FILES }; /* descriptors 0, 1 and 2 of gnuplot */

/* False: errno says why. */
static bool write_all(int fd, const char *s, size_t len)
{
	while (len) {
		ssize_t n = write(fd, s, len);
		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0) {
			s += n;
			len -= (size_t)n;
		}
	}
	return true;
}

static bool open_files(int *fd, const struct tl_buf *script)
{
	for (size_t i = 0; i < N_FILES; i++)
		fd[i] = -1;
	for (size_t i = 0; i < N_FILES; i++)
		if ((fd[i] = memfd_create("tl-plot", MFD_CLOEXEC)) < 0)
			return false;
	return write_all(fd[SCRIPT], tl_buf_text(script), script->len) && !lseek(fd[SCRIPT], 0, SEEK_SET);
}

static bool run(const int *fd, int *status)
{
	const char *const words[] = { "gnuplot", "--default-settings", NULL };
	pid_t child = tl_try_program(&(struct tl_process){ .argv = words, .in = fd[SCRIPT], .out = fd[PICTURE],
		.errors = fd[MESSAGES], .limit_s = SECONDS });

	if (child > 0)
		*status = tl_wait_for_program(&child);
	return child > 0;
}

/* What gnuplot says is a quotation of the line, a mark below it, and the reason in a line that
 * begins with "line N:". The reason; all of it, if there is no such line. */
static const char *reason_in(char *said)
{
	char *reason = strstr(said, "line "), *colon = reason ? strstr(reason, ": ") : NULL;

	reason = colon ? colon + 2 : said;
	reason[strcspn(reason, "\n")] = '\0';
	return reason;
}

static enum tl_status check(int status, int messages, struct tl_error *err)
{
	char said[2000];
	ssize_t n = pread(messages, said, sizeof said - 1, 0);

	said[n > 0 ? n : 0] = '\0';
	if (status > 128)
		return tl_fail(err, TL_ERR_IO, "gnuplot was ended by signal %d", status - 128);
	if (status == TL_NO_PROGRAM)
		return tl_fail(err, TL_ERR_IO, "cannot run gnuplot, which draws the pictures: is it installed? (Debian: gnuplot-nox)");
	if (status)
		return tl_fail(err, TL_ERR_IO, "gnuplot failed: %s", reason_in(said));
	return TL_OK;
}

static enum tl_status copy(int fd, struct tl_output *out, struct tl_error *err)
{
	char buf[65536];
	enum tl_status st = TL_OK;
	off_t at = 0;
	ssize_t n;

	while (!st && (n = pread(fd, buf, sizeof buf, at)) > 0) {
		st = out->write(out, buf, (size_t)n, err);
		at += n;
	}
	return st || at ? st : tl_fail(err, TL_ERR_IO, "gnuplot drew nothing");
}

enum tl_status tl_gnuplot(const struct tl_buf *script, struct tl_output *out, struct tl_error *err)
{
	int fd[N_FILES], status;
	enum tl_status st;

	if (!open_files(fd, script) || !run(fd, &status))
		st = tl_fail(err, TL_ERR_IO, "cannot run gnuplot: %s", strerror(errno));
	else
		st = check(status, fd[MESSAGES], err);
	if (!st)
		st = copy(fd[PICTURE], out, err);
	for (size_t i = 0; i < N_FILES; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	return st;
}
