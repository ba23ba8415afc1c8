/* part_file.c - the part of a trace in a file.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/part_file.h"

#include "base/memory_io.h"
#include "base/text.h"
#include "table/tsv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define END "end\t"

/* ---- the last line --------------------------------------------------------------------- */

enum { RANK = 1, NAMED, ROWS, SIMPLE, GPUS, SIZE, CHANGED, WORLD, TRACE, PROGRAM, OPTIONS, HOST, N_FIELDS };

static void add_end(struct tl_buf *b, const struct tl_part_end *e)
{
	const char *texts[] = { e->trace, e->program, e->options, e->host ? e->host : "" };

	tl_buf_addf(b, END "%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%d\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64, e->rank,
	            e->named, e->rows, (int)e->simple, e->gpus, e->size, e->changed, e->world);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		tl_buf_addc(b, '\t');
		tl_tsv_add_text(b, texts[i], strlen(texts[i]));
	}
	tl_buf_addc(b, '\n');
}

struct end_reading { struct tl_part_end *end; struct tl_strtab *strings; };

static enum tl_status read_end(void *ctx, size_t row, const struct tl_field_text *f, size_t n, struct tl_error *err)
{
	struct end_reading *r = ctx;
	struct tl_part_end *e = r->end;
	uint32_t texts[N_FIELDS];
	int64_t simple;

	if (row || n != N_FIELDS || !tl_text_is(f[0].s, f[0].len, "end"))
		return tl_fail(err, TL_ERR_DATA, "the part is not whole: its last line is damaged");
	if (!tl_field_int(&f[RANK], &e->rank) || !tl_field_int(&f[NAMED], &e->named) || !tl_field_int(&f[ROWS], &e->rows) || !tl_field_int(&f[SIMPLE], &simple) ||
	    !tl_field_int(&f[GPUS], &e->gpus) || !tl_field_int(&f[SIZE], &e->size) || !tl_field_int(&f[CHANGED], &e->changed) ||
	    !tl_field_int(&f[WORLD], &e->world))
		return tl_fail(err, TL_ERR_DATA, "the last line of the part: expected numbers");
	e->simple = simple != 0;
	for (size_t i = TRACE; i < N_FIELDS; i++)
		texts[i] = tl_intern(r->strings, f[i].s, f[i].len);
	e->trace = tl_str(r->strings, texts[TRACE]);
	e->program = tl_str(r->strings, texts[PROGRAM]);
	e->options = tl_str(r->strings, texts[OPTIONS]);
	e->host = tl_str(r->strings, texts[HOST]);
	return TL_OK;
}

enum tl_status tl_part_end_read(struct tl_part_end *e, struct tl_strtab *strings, const char *line, size_t len, struct tl_error *err)
{
	struct tl_memory_input in = tl_memory_input("part", line, len);

	return tl_tsv_read(&in.in, read_end, &(struct end_reading){ e, strings }, err);
}

/* ---- writing --------------------------------------------------------------------------- */

enum tl_status tl_part_file_write(struct tl_output *out, const struct tl_part_table *tables, size_t n, const struct tl_part_end *e,
                                  struct tl_error *err)
{
	enum tl_status st = out->write(out, TL_PART_START, strlen(TL_PART_START), err);
	struct tl_part_end end = *e;
	struct tl_buf b = { 0 };

	for (size_t i = 0; i < n && !st; i++) {
		if (!tables[i].table)
			continue;
		end.rows += (int64_t)tables[i].table->n_rows;
		st = out->write(out, tables[i].name, strlen(tables[i].name), err);
		if (!st)
			st = out->write(out, "\n", 1, err);
		if (!st)
			st = tl_tsv_write(tables[i].table, out, err);
		if (!st)
			st = out->write(out, "\n", 1, err);
	}
	add_end(&b, &end);
	if (!st)
		st = out->write(out, b.data, b.len, err);
	tl_buf_release(&b);
	return st;
}

/* ---- reading tables as text -------------------------------------------------------------- */

struct tl_part_file {
	struct tl_input table;   /* first: it is passed for the whole */
	struct tl_input *in;
	size_t at, len;          /* what of the buffer is not read yet */
	bool line_starts;        /* at is the start of a line */
	bool ended;              /* the table is read */
	bool started;            /* the first line is read */
	int64_t rows;            /* of all tables so far */
	struct tl_buf line;
	struct tl_part_end end;
	struct tl_strtab strings; /* of the last line */
	char buffer[65536];
};

/* Are there bytes at hand? If not, reads some; false: there are none, or *st says why. */
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
		f->rows += f->line_starts;
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
	if (!f)
		return;
	tl_buf_release(&f->line);
	tl_strtab_release(&f->strings);
	free(f);
}

/* Reads a line with its end, or what there is of it. */
static enum tl_status read_line(struct tl_part_file *f, struct tl_error *err)
{
	enum tl_status st = TL_OK;

	tl_buf_clear(&f->line);
	while ((!f->line.len || f->line.data[f->line.len - 1] != '\n') && fill(f, &st, err)) {
		const char *s = f->buffer + f->at, *newline = memchr(s, '\n', f->len - f->at);
		size_t n = newline ? (size_t)(newline + 1 - s) : f->len - f->at;
		tl_buf_add(&f->line, s, n);
		f->at += n;
	}
	return st;
}

static enum tl_status read_last(struct tl_part_file *f, struct tl_error *err)
{
	enum tl_status st = tl_part_end_read(&f->end, &f->strings, tl_buf_text(&f->line), f->line.len, err);

	if (!st && f->end.rows != f->rows)
		st = tl_fail(err, TL_ERR_DATA, "the part is not whole: it has %" PRId64 " rows, its last line says %" PRId64, f->rows,
		             f->end.rows);
	if (!st && fill(f, &st, err))
		st = tl_fail(err, TL_ERR_DATA, "rows stand behind the last line of the part");
	return st;
}

enum tl_status tl_part_file_next(struct tl_part_file *f, const char **name, struct tl_error *err)
{
	static char passed_over[65536];
	enum tl_status st = TL_OK;

	*name = NULL;
	while (!f->ended)
		if (read_table(&f->table, passed_over, sizeof passed_over, err) < 0)
			return TL_ERR_IO;
	if (!f->started && !(st = read_line(f, err)) && strcmp(tl_buf_text(&f->line), TL_PART_START))
		st = tl_fail(err, TL_ERR_DATA, "this is no part of a trace: expected the line '%.*s'", (int)strlen(TL_PART_START) - 1, TL_PART_START);
	f->started = true;
	if (!st)
		st = read_line(f, err);
	if (st)
		return st;
	if (tl_starts_with(tl_buf_text(&f->line), END))
		return read_last(f, err);
	if (!fill(f, &st, err))
		return st ? st : tl_fail(err, TL_ERR_DATA, "the part is not whole: its last line is missing");
	f->line.data[f->line.len - 1] = '\0';
	f->rows--; /* the header is none */
	f->line_starts = true;
	f->ended = false;
	*name = f->line.data;
	return TL_OK;
}

struct tl_input *tl_part_file_table(struct tl_part_file *f)
{
	return &f->table;
}

const struct tl_part_end *tl_part_file_end(const struct tl_part_file *f)
{
	return &f->end;
}
