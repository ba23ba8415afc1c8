/* sorter.c - sorts records in bounded memory.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/sorter.h"
#include "base/temp_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USUAL_MEMORY ((size_t)8 << 20)
#define MAX_RUNS 64           /* so many are merged at a time */
#define RUN_BUFFER 65536

struct head { uint32_t key_len, len; }; /* of a record; the key and the data follow */

struct run {
	FILE *file;
	char *buffer;
	struct tl_buf record;      /* the one that comes next, with its head */
	unsigned age;              /* of runs with equal keys the older one comes first */
};

struct tl_sorter {
	size_t memory;
	struct tl_buf records;     /* in memory */
	size_t *starts; size_t n, cap;
	struct run runs[MAX_RUNS]; unsigned n_runs;
	unsigned heap[MAX_RUNS], n_heap;
	bool reading, merging;
	size_t taken;              /* of the records in memory, when there are no runs */
};

struct tl_sorter *tl_sorter_new(size_t memory)
{
	struct tl_sorter *s = tl_calloc(1, sizeof *s);

	s->memory = memory ? memory : USUAL_MEMORY;
	return s;
}

static void release_run(struct run *r)
{
	if (r->file)
		fclose(r->file);
	free(r->buffer);
	tl_buf_release(&r->record);
	*r = (struct run){ 0 };
}

void tl_sorter_free(struct tl_sorter *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < s->n_runs; i++)
		release_run(&s->runs[i]);
	tl_buf_release(&s->records);
	free(s->starts);
	free(s);
}

static enum tl_status fail(struct tl_error *err, const char *what)
{
	return tl_fail(err, TL_ERR_IO, "cannot %s a temporary file to sort records: %s", what, strerror(errno));
}

/* ---- runs ---------------------------------------------------------------------------- */

static struct head head_of(const char *record)
{
	struct head h;

	memcpy(&h, record, sizeof h);
	return h;
}

static int compare_records(const char *a, const char *b)
{
	struct head x = head_of(a), y = head_of(b);
	int r = memcmp(a + sizeof x, b + sizeof y, x.key_len < y.key_len ? x.key_len : y.key_len);

	return r ? r : (x.key_len > y.key_len) - (x.key_len < y.key_len);
}

static int compare_starts(const void *a, const void *b, void *records)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	int r = compare_records((char *)records + x, (char *)records + y);

	return r ? r : (x > y) - (x < y);
}

static void sort_memory(struct tl_sorter *s)
{
	if (s->n)
		qsort_r(s->starts, s->n, sizeof *s->starts, compare_starts, s->records.data);
}

static enum tl_status open_run(struct run *r, struct tl_error *err)
{
	r->file = tl_temp_file("tl-sort");
	if (!r->file)
		return fail(err, "make");
	r->buffer = tl_alloc(RUN_BUFFER);
	setvbuf(r->file, r->buffer, _IOFBF, RUN_BUFFER);
	return TL_OK;
}

static enum tl_status put(FILE *f, const char *record, struct tl_error *err)
{
	struct head h = head_of(record);
	size_t len = sizeof h + h.key_len + h.len;

	return fwrite(record, 1, len, f) == len ? TL_OK : fail(err, "write");
}

/* Reads the record that comes next; the buffer is empty at the end of the run. */
static enum tl_status load(struct run *r, struct tl_error *err)
{
	struct head h;

	tl_buf_clear(&r->record);
	size_t got = fread(&h, 1, sizeof h, r->file);
	if (!got && feof(r->file))
		return TL_OK;
	if (got != sizeof h)
		return fail(err, "read");
	size_t rest = (size_t)h.key_len + h.len;
	tl_buf_add(&r->record, &h, sizeof h);
	tl_buf_reserve(&r->record, rest);
	if (fread(r->record.data + sizeof h, 1, rest, r->file) != rest)
		return fail(err, "read");
	r->record.len += rest;
	return TL_OK;
}

/* ---- merging -------------------------------------------------------------------------- */

static bool before(const struct tl_sorter *s, unsigned a, unsigned b)
{
	int r = compare_records(s->runs[a].record.data, s->runs[b].record.data);

	return r < 0 || (!r && s->runs[a].age < s->runs[b].age);
}

static void sift(struct tl_sorter *s, unsigned at)
{
	unsigned *h = s->heap, moved = h[at];

	for (unsigned child; (child = 2 * at + 1) < s->n_heap; at = child) {
		if (child + 1 < s->n_heap && before(s, h[child + 1], h[child]))
			child++;
		if (!before(s, h[child], moved))
			break;
		h[at] = h[child];
	}
	h[at] = moved;
}

static enum tl_status start_merge(struct tl_sorter *s, struct tl_error *err)
{
	enum tl_status st;

	s->n_heap = 0;
	for (unsigned i = 0; i < s->n_runs; i++) {
		struct run *r = &s->runs[i];
		if (fflush(r->file) || fseek(r->file, 0, SEEK_SET))
			return fail(err, "write");
		if ((st = load(r, err)))
			return st;
		if (r->record.len)
			s->heap[s->n_heap++] = i;
	}
	for (unsigned i = s->n_heap / 2; i--; )
		sift(s, i);
	return TL_OK;
}

/* Goes on from the record at the top of the heap. */
static enum tl_status advance(struct tl_sorter *s, struct tl_error *err)
{
	struct run *r = &s->runs[s->heap[0]];
	enum tl_status st = load(r, err);

	if (st)
		return st;
	if (!r->record.len)
		s->heap[0] = s->heap[--s->n_heap];
	if (s->n_heap)
		sift(s, 0);
	return TL_OK;
}

/* Makes one run of all. */
static enum tl_status merge_runs(struct tl_sorter *s, struct tl_error *err)
{
	struct run all = { 0 };
	enum tl_status st = open_run(&all, err);

	if (!st)
		st = start_merge(s, err);
	while (!st && s->n_heap) {
		st = put(all.file, s->runs[s->heap[0]].record.data, err);
		if (!st)
			st = advance(s, err);
	}
	for (unsigned i = 0; i < s->n_runs; i++)
		release_run(&s->runs[i]);
	s->runs[0] = all;
	s->n_runs = 1;
	return st;
}

static enum tl_status write_run(struct tl_sorter *s, struct tl_error *err)
{
	enum tl_status st = s->n_runs == MAX_RUNS ? merge_runs(s, err) : TL_OK;

	if (st)
		return st;
	struct run *r = &s->runs[s->n_runs];
	r->age = s->n_runs++;
	st = open_run(r, err);
	sort_memory(s);
	for (size_t i = 0; !st && i < s->n; i++)
		st = put(r->file, s->records.data + s->starts[i], err);
	tl_buf_clear(&s->records);
	s->n = 0;
	return st;
}

/* ---- the interface ------------------------------------------------------------------------ */

enum tl_status tl_sorter_add(struct tl_sorter *s, const void *key, size_t key_len, const void *data, size_t len,
                             struct tl_error *err)
{
	struct head h = { (uint32_t)key_len, (uint32_t)len };
	size_t size = sizeof h + key_len + len;

	if (key_len > UINT32_MAX / 2 || len > UINT32_MAX / 2)
		return tl_fail(err, TL_ERR_DATA, "a record of %zu bytes is too long to be sorted", size);
	if (s->n && s->records.len + size + (s->n + 1) * sizeof *s->starts > s->memory) {
		enum tl_status st = write_run(s, err);
		if (st)
			return st;
	}
	TL_GROW(s->starts, s->cap, s->n + 1);
	s->starts[s->n++] = s->records.len;
	tl_buf_add(&s->records, &h, sizeof h);
	tl_buf_add(&s->records, key, key_len);
	tl_buf_add(&s->records, data, len);
	return TL_OK;
}

static enum tl_status end_adding(struct tl_sorter *s, struct tl_error *err)
{
	s->reading = true;
	if (!s->n_runs) {
		sort_memory(s);
		return TL_OK;
	}
	enum tl_status st = s->n ? write_run(s, err) : TL_OK;
	tl_buf_release(&s->records);
	return st;
}

static struct tl_sorted shown(const char *record)
{
	struct head h = head_of(record);
	const char *key = record + sizeof h;

	return (struct tl_sorted){ key, key + h.key_len, h.key_len, h.len };
}

enum tl_status tl_sorter_next(struct tl_sorter *s, struct tl_sorted *next, struct tl_error *err)
{
	enum tl_status st = s->reading ? TL_OK : end_adding(s, err);

	*next = (struct tl_sorted){ 0 };
	if (!st && !s->n_runs) {
		if (s->taken < s->n)
			*next = shown(s->records.data + s->starts[s->taken++]);
		return TL_OK;
	}
	if (!st && !s->merging)
		st = start_merge(s, err);
	else if (!st && s->n_heap)
		st = advance(s, err);
	s->merging = true;
	if (!st && s->n_heap)
		*next = shown(s->runs[s->heap[0]].record.data);
	return st;
}

void tl_sorter_rewind(struct tl_sorter *s)
{
	s->taken = 0;
	s->merging = false;
}

/* ---- keys ----------------------------------------------------------------------------------- */

void tl_key_add_text(struct tl_buf *key, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		tl_buf_addc(key, s[i]);
		if (!s[i])
			tl_buf_addc(key, 1);
	}
	tl_buf_add(key, "\0", 2);
}

static void add_bits(struct tl_buf *key, uint64_t bits)
{
	for (int shift = 56; shift >= 0; shift -= 8)
		tl_buf_addc(key, (char)(bits >> shift));
}

void tl_key_add_int(struct tl_buf *key, int64_t i)
{
	add_bits(key, (uint64_t)i ^ UINT64_C(1) << 63);
}

void tl_key_add_real(struct tl_buf *key, double d)
{
	uint64_t bits;

	d += 0.0; /* -0.0 is 0.0 */
	memcpy(&bits, &d, sizeof bits);
	add_bits(key, bits >> 63 ? ~bits : bits ^ UINT64_C(1) << 63);
}
