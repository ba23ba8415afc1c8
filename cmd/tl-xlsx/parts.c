/* parts.c - the parts of a workbook in memory.
 *
 * libxlsxwriter writes each part of a workbook to a temporary file, which it
 * then reads and deflates: some thirty files that live a millisecond. The
 * function here stands before its own, and gives it a file in memory. A part
 * that grows too large for that goes on in a temporary file.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#undef _FORTIFY_SOURCE /* no macros in place of the functions */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#define FIRST_SIZE ((size_t)256 << 10)
#define LARGEST ((size_t)8 << 20) /* in memory */

struct part {
	char *data;
	size_t len, size, at;
	FILE *file; /* what a large one went on in: then nothing is in memory */
};

/* One that was closed, for the next: there are many short ones. */
static struct part *spare;

FILE *lxw_tmpfile(char *folder);

static FILE *temporary_file(void)
{
	static FILE *(*real)(char *);

	if (!real) {
		void *f = dlsym(RTLD_NEXT, "lxw_tmpfile");
		memcpy(&real, &f, sizeof f);
	}
	return real ? real(NULL) : tmpfile();
}

static int move_to_file(struct part *p)
{
	FILE *f = temporary_file();

	if (!f)
		return -1;
	if (fwrite(p->data, 1, p->len, f) < p->len || fseeko(f, (off_t)p->at, SEEK_SET)) {
		fclose(f);
		return -1;
	}
	free(p->data);
	*p = (struct part){ .file = f };
	return 0;
}

static int reserve(struct part *p, size_t size)
{
	size_t larger = p->size ? p->size : FIRST_SIZE;

	while (larger < size)
		larger *= 2;
	char *data = larger > p->size ? realloc(p->data, larger) : p->data;
	if (!data)
		return -1;
	p->data = data;
	p->size = larger;
	return 0;
}

/* The functions of a file, see fopencookie(3). */

static ssize_t write_part(void *cookie, const char *s, size_t n)
{
	struct part *p = cookie;

	if (!p->file && n > LARGEST - p->at && move_to_file(p))
		return 0;
	if (p->file)
		return (ssize_t)fwrite(s, 1, n, p->file);
	if (reserve(p, p->at + n))
		return 0;
	memcpy(p->data + p->at, s, n);
	p->at += n;
	if (p->len < p->at)
		p->len = p->at;
	return (ssize_t)n;
}

static ssize_t read_part(void *cookie, char *s, size_t n)
{
	struct part *p = cookie;

	if (p->file) {
		size_t got = fread(s, 1, n, p->file);
		return got || !ferror(p->file) ? (ssize_t)got : -1;
	}
	if (n > p->len - p->at)
		n = p->len - p->at;
	memcpy(s, p->data + p->at, n);
	p->at += n;
	return (ssize_t)n;
}

/* No further than the end: nobody leaves holes. */
static int seek_part(void *cookie, off64_t *to, int whence)
{
	struct part *p = cookie;

	if (p->file) {
		if (fflush(p->file) || fseeko(p->file, *to, whence))
			return -1;
		*to = ftello(p->file);
		return *to < 0 ? -1 : 0;
	}
	off64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? (off64_t)p->at : (off64_t)p->len;
	if (*to < -from || *to > (off64_t)p->len - from) {
		errno = EINVAL;
		return -1;
	}
	*to += from;
	p->at = (size_t)*to;
	return 0;
}

static int close_part(void *cookie)
{
	struct part *p = cookie;

	if (p->file)
		fclose(p->file);
	if (spare) {
		free(p->data);
		free(p);
		return 0;
	}
	p->file = NULL;
	p->len = p->at = 0;
	spare = p;
	return 0;
}

FILE *lxw_tmpfile(char *folder)
{
	struct part *p = spare ? spare : calloc(1, sizeof *p);

	(void)folder; /* libxlsxwriter passes on what this program never set */
	if (!p)
		return NULL;
	spare = NULL;
	FILE *f = fopencookie(p, "w+", (cookie_io_functions_t){ read_part, write_part, seek_part, close_part });
	if (!f)
		close_part(p);
	return f;
}
