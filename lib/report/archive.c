/* archive.c - the archive of a workbook (zip).
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/archive.h"

#include <errno.h>
#include <minizip/unzip.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- XML ---------------------------------------------------------------------- */

enum {
	PIECE = 32768, /* bytes that are unpacked at once */
	BLOCK = 240,   /* bytes that are counted at once: a multiple of 16, so that compilers take 16 at a time, and no count of them is above 255 */
	AHEAD = 3,     /* bytes behind a block that decide what its last one begins */
};

/* How many of these there are. In values '<' and '>' are escaped. */
struct counts {
	uint64_t tags, tag_ends;
	uint64_t opened, closed;  /* elements; one without contents is both */
	uint64_t cells, strings;
};

/* An XML part that is scanned piece by piece. */
struct scan {
	struct counts counts;
	uint64_t strings_said;    /* how many strings the list of shared strings says it has */
	bool begun;
	char data[PIECE + 2 * BLOCK]; /* what is not yet counted */
	size_t n;
};

static void count_block(struct counts *c, const char *s)
{
	uint8_t tags = 0, tag_ends = 0, opened = 0, closed = 0, cells = 0, strings = 0;

	for (size_t i = 0; i < BLOCK; i++) {
		uint8_t tag = s[i] == '<', end = tag & (s[i + 1] == '/'), empty = (s[i] == '/') & (s[i + 1] == '>');
		tags += tag;
		tag_ends += s[i] == '>';
		opened += tag & !end & (s[i + 1] != '?');
		closed += end | empty;
		cells += tag & (s[i + 1] == 'c') & (s[i + 2] == ' ');
		strings += tag & (s[i + 1] == 's') & (s[i + 2] == 'i') & (s[i + 3] == '>');
	}
	c->tags += tags;
	c->tag_ends += tag_ends;
	c->opened += opened;
	c->closed += closed;
	c->cells += cells;
	c->strings += strings;
}

/* The list of shared strings begins with what it says of itself. */
static void read_begin(struct scan *s, const char *xml, size_t len)
{
	static const char list[] = "<sst ", count[] = "uniqueCount=\"";
	char begin[512] = "";

	memcpy(begin, xml, len < sizeof begin ? len : sizeof begin - 1);
	const char *said = strstr(begin, list) ? strstr(begin, count) : NULL;
	s->strings_said = said ? strtoull(said + strlen(count), NULL, 10) : 0;
	s->begun = true;
}

static bool scan_piece(void *scan, const char *xml, size_t len)
{
	struct scan *s = scan;
	size_t at = 0;

	if (!s->begun)
		read_begin(s, xml, len);
	memcpy(s->data + s->n, xml, len);
	s->n += len;
	for (; at + BLOCK + AHEAD <= s->n; at += BLOCK)
		count_block(&s->counts, s->data + at);
	s->n -= at;
	memmove(s->data, s->data + at, s->n);
	return true;
}

/* Does every element of the part have its end? */
static bool scan_end(struct scan *s)
{
	static const char behind[BLOCK + AHEAD];
	const struct counts *c = &s->counts;

	scan_piece(s, behind, sizeof behind);
	return c->opened && c->opened == c->closed && c->tags == c->tag_ends;
}

/* ---- the archive ---------------------------------------------------------------- */

bool tl_archive_unpack(void *z, tl_archive_piece *piece, void *ctx)
{
	char data[PIECE];
	bool good = true;
	int n = 0;

	if (unzOpenCurrentFile(z) != UNZ_OK)
		return false;
	while (good && (n = unzReadCurrentFile(z, data, sizeof data)) > 0)
		good = piece(ctx, data, (size_t)n);
	bool whole = !n && unzeof(z) == 1;
	return unzCloseCurrentFile(z) == UNZ_OK && good && whole; /* minizip checks the sum */
}

static enum tl_status damaged(struct tl_error *err, const char *what)
{
	return tl_fail(err, TL_ERR_IO, "cannot write the workbook: %.64s is cut short: no room left, or a limit on file sizes", what);
}

static enum tl_status damaged_part(struct tl_error *err, void *z)
{
	char name[66] = ""; /* a longer one is cut, without a NUL */

	unzGetCurrentFileInfo64(z, NULL, name, sizeof name - 1, NULL, 0, NULL, 0);
	return damaged(err, name);
}

static enum tl_status check_parts(void *z, size_t n_cells, struct tl_error *err)
{
	struct scan scan;
	uint64_t cells = 0, strings = 0, strings_said = 0;
	int at;

	for (at = unzGoToFirstFile(z); at == UNZ_OK; at = unzGoToNextFile(z)) {
		scan.counts = (struct counts){ 0 };
		scan.begun = false;
		scan.n = 0;
		if (!tl_archive_unpack(z, scan_piece, &scan) || !scan_end(&scan))
			return damaged_part(err, z);
		cells += scan.counts.cells;
		strings += scan.counts.strings;
		strings_said += scan.strings_said;
	}
	if (at != UNZ_END_OF_LIST_OF_FILE)
		return damaged(err, "the archive");
	if (cells != n_cells)
		return damaged(err, "a worksheet");
	if (strings != strings_said)
		return damaged(err, "the list of texts");
	return TL_OK;
}

/* The record at the end: minizip takes zeros for bytes that it lacks. */
static bool has_end(const char *path)
{
	char end[22] = "";
	FILE *f = fopen(path, "re");

	if (f && !fseek(f, -(long)sizeof end, SEEK_END) && fread(end, 1, sizeof end, f) < sizeof end)
		end[0] = '\0';
	if (f)
		fclose(f);
	return !memcmp(end, "PK\5\6", 4);
}

enum tl_status tl_archive_check(const char *path, size_t n_cells, struct tl_error *err)
{
	void *z = unzOpen64(path);

	if (!z)
		return access(path, R_OK) ? tl_fail(err, TL_ERR_IO, "cannot read the workbook back: %s", strerror(errno)) : damaged(err, "the archive");
	enum tl_status status = has_end(path) ? check_parts(z, n_cells, err) : damaged(err, "the archive");
	unzClose(z);
	return status;
}
