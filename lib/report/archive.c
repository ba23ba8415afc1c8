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

/* What all parts together contain. */
struct contents {
	uint64_t cells, strings;
	uint64_t strings_said; /* how many strings the list of shared strings says it has */
};

/* An XML part that is scanned piece by piece. In values '<' and '>' are escaped. */
struct scan {
	struct contents *c;
	int64_t depth;      /* elements without their end so far */
	bool any, in_tag;
	bool bad;           /* an end without its element */
	char tag[512];      /* the beginning of the tag, without '<' */
	size_t len;
	char last;          /* the last byte of the tag */
};

static void count_element(struct contents *c, const char *tag)
{
	static const char count[] = "uniqueCount=\"";

	c->cells += tag[0] == 'c' && tag[1] == ' ';
	if (tag[0] != 's')
		return;
	c->strings += !strcmp(tag, "si");
	const char *said = strncmp(tag, "sst ", 4) ? NULL : strstr(tag, count);
	if (said)
		c->strings_said = strtoull(said + strlen(count), NULL, 10);
}

static void end_tag(struct scan *s)
{
	s->tag[s->len] = '\0';
	s->in_tag = false;
	if (s->tag[0] == '?')
		return;
	if (s->tag[0] == '/')
		s->depth--;
	else if (s->last != '/')
		s->depth++;
	s->any = true;
	s->bad |= s->depth < 0;
	count_element(s->c, s->tag);
}

static void add_to_tag(struct scan *s, const char *text, size_t n)
{
	size_t room = sizeof s->tag - 1 - s->len, kept = n < room ? n : room;

	memcpy(s->tag + s->len, text, kept);
	s->len += kept;
	if (n)
		s->last = text[n - 1];
}

static bool scan_piece(void *scan, const char *xml, size_t len)
{
	struct scan *s = scan;
	const char *end = xml + len;

	while (xml < end) {
		const char *next = memchr(xml, s->in_tag ? '>' : '<', (size_t)(end - xml));
		if (s->in_tag)
			add_to_tag(s, xml, (size_t)((next ? next : end) - xml));
		if (!next)
			break;
		if (s->in_tag) {
			end_tag(s);
		} else {
			s->in_tag = true;
			s->len = 0;
			s->last = '\0';
		}
		xml = next + 1;
	}
	return true;
}

/* ---- the archive ---------------------------------------------------------------- */

bool tl_archive_unpack(void *z, tl_archive_piece *piece, void *ctx)
{
	char data[32768];
	unz_file_info64 about;
	uint64_t len = 0;
	bool good = unzGetCurrentFileInfo64(z, &about, NULL, 0, NULL, 0, NULL, 0) == UNZ_OK && unzOpenCurrentFile(z) == UNZ_OK;
	int n = 0;

	if (!good)
		return false;
	for (; good && (n = unzReadCurrentFile(z, data, sizeof data)) > 0; len += (uint64_t)n)
		good = piece(ctx, data, (size_t)n);
	return unzCloseCurrentFile(z) == UNZ_OK && good && !n && len == about.uncompressed_size; /* minizip checks the sum */
}

static enum tl_status damaged(struct tl_error *err, const char *what)
{
	return tl_fail(err, TL_ERR_IO, "cannot write the workbook: %.64s is cut short: no room left, or a limit on file sizes", what);
}

static enum tl_status check_parts(void *z, size_t n_cells, struct tl_error *err)
{
	struct contents c = { 0 };
	int at;

	for (at = unzGoToFirstFile(z); at == UNZ_OK; at = unzGoToNextFile(z)) {
		struct scan scan = { .c = &c };
		char name[66] = ""; /* a longer one is cut, without a NUL */
		unzGetCurrentFileInfo64(z, NULL, name, sizeof name - 1, NULL, 0, NULL, 0);
		if (!tl_archive_unpack(z, scan_piece, &scan) || !(scan.any && !scan.bad && !scan.in_tag && scan.depth == 0))
			return damaged(err, name);
	}
	if (at != UNZ_END_OF_LIST_OF_FILE)
		return damaged(err, "the archive");
	if (c.cells != n_cells)
		return damaged(err, "a worksheet");
	if (c.strings != c.strings_said)
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
