/* part_file.c - several tables in one text.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "multi/part_file.h"

#include "table/tsv.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NAME = 100 };

/* ---- writing ---- */

enum tl_status tl_part_file_name(struct tl_output *out, const char *name, struct tl_error *err)
{
	enum tl_status st = out->write(out, name, strlen(name), err);

	return st ? st : out->write(out, "\n", 1, err);
}

enum tl_status tl_part_file_add(struct tl_output *out, const char *name, const struct tl_table *t, struct tl_error *err)
{
	enum tl_status st = tl_part_file_name(out, name, err);

	if (!st)
		st = tl_tsv_write(t, out, err);
	return st ? st : out->write(out, "\n", 1, err);
}

/* ---- reading ---- */

struct tl_part_file {
	struct tl_input table;   /* first: it is passed for the whole */
	struct tl_input *in;
	size_t at, len;          /* what of the buffer is not read yet */
	bool line_starts;        /* at is the start of a line */
	bool ended;              /* the table is read */
	char name[MAX_NAME + 1];
	char buffer[65536];
};

/* False: the text is read, or *st tells why not. */
static bool fill(struct tl_part_file *f, enum tl_status *st, struct tl_error *err)
{
	if (f->at < f->len)
		return true;
	int64_t n = f->in->read(f->in, f->buffer, sizeof f->buffer, err);
	*st = n < 0 ? TL_ERR_IO : TL_OK;
	f->at = 0;
	f->len = n > 0 ? (size_t)n : 0;
	return n > 0;
}

/* How many of the bytes at hand, at most cap, are of the table. */
static size_t count(struct tl_part_file *f, size_t cap)
{
	size_t n = f->len - f->at < cap ? f->len - f->at : cap;
	const char *start = f->buffer + f->at, *s = start, *end = start + n;

	while (s < end && !(f->line_starts && *s == '\n')) {
		const char *newline = memchr(s, '\n', (size_t)(end - s));
		f->line_starts = newline != NULL;
		s = newline ? newline + 1 : end;
	}
	return (size_t)(s - start);
}

static int64_t read_table(struct tl_input *in, void *buf, size_t cap, struct tl_error *err)
{
	struct tl_part_file *f = (struct tl_part_file *)in;
	enum tl_status st = TL_OK;

	if (f->ended || !fill(f, &st, err)) {
		f->ended = true;
		return st ? -1 : 0;
	}
	size_t n = count(f, cap);
	memcpy(buf, f->buffer + f->at, n);
	f->at += n;
	if (!n) {
		f->at++; /* the empty line */
		f->ended = true;
	}
	return (int64_t)n;
}

struct tl_part_file *tl_part_file_open(struct tl_input *in)
{
	struct tl_part_file *f = tl_calloc(1, sizeof *f);

	f->table = (struct tl_input){ .name = in->name, .read = read_table };
	f->in = in;
	f->ended = true;
	return f;
}

void tl_part_file_free(struct tl_part_file *f)
{
	free(f);
}

enum tl_status tl_part_file_next(struct tl_part_file *f, const char **name, struct tl_error *err)
{
	static char passed_over[65536];
	enum tl_status st = TL_OK;
	size_t len = 0;

	*name = NULL;
	while (!f->ended)
		if (read_table(&f->table, passed_over, sizeof passed_over, err) < 0)
			return TL_ERR_IO;
	while (fill(f, &st, err) && f->buffer[f->at] != '\n') {
		if (len == MAX_NAME)
			return tl_fail(err, TL_ERR_DATA, "expected the name of a table, found a line of more than %d bytes", MAX_NAME);
		f->name[len++] = f->buffer[f->at++];
	}
	if (st || (!len && f->at == f->len))
		return st;
	if (f->at == f->len)
		return tl_fail(err, TL_ERR_DATA, "the part is not whole: it ends in the name of a table");
	f->name[len] = '\0';
	f->at++;
	f->line_starts = true;
	f->ended = false;
	*name = f->name;
	return TL_OK;
}

struct tl_input *tl_part_file_table(struct tl_part_file *f)
{
	return &f->table;
}
