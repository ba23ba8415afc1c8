/* archive.c - reads a finished workbook back, to check that it is whole.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/archive.h"
#include "report/zip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static void scan_piece(struct scan *s, const char *xml, size_t len)
{
	const char *end = xml + len;

	while (xml < end) {
		const char *next = memchr(xml, s->in_tag ? '>' : '<', (size_t)(end - xml));
		if (s->in_tag)
			add_to_tag(s, xml, (size_t)((next ? next : end) - xml));
		if (!next)
			return;
		if (s->in_tag) {
			end_tag(s);
		} else {
			s->in_tag = true;
			s->len = 0;
			s->last = '\0';
		}
		xml = next + 1;
	}
}

/* False if an element has no end or the part has no element: then bytes are missing. */
static bool scan_whole(const struct scan *s)
{
	return s->any && !s->bad && !s->in_tag && s->depth == 0;
}

/* ---- the archive ---------------------------------------------------------------- */

static bool scan_on(void *ctx, const char *data, size_t len)
{
	scan_piece(ctx, data, len);
	return true;
}

static enum tl_status damaged(struct tl_error *err, const char *what, size_t len)
{
	return tl_fail(err, TL_ERR_IO, "cannot write the workbook: %.*s is cut short: no room left, or a limit on file sizes",
	               (int)(len < 64 ? len : 64), what);
}

static enum tl_status check_parts(struct tl_zip *z, size_t n_cells, struct tl_error *err)
{
	struct contents c = { 0 };
	struct tl_zip_part p;
	bool bad;

	while (tl_zip_next(z, &p, &bad)) {
		struct scan scan = { .c = &c };
		if (!tl_zip_unpack(&p, scan_on, &scan) || !scan_whole(&scan))
			return damaged(err, p.name, p.name_len);
	}
	if (bad)
		return damaged(err, "the archive", 64);
	if (c.cells != n_cells)
		return damaged(err, "a worksheet", 64);
	if (c.strings != c.strings_said)
		return damaged(err, "the list of texts", 64);
	return TL_OK;
}

enum tl_status tl_archive_check(const char *path, size_t n_cells, struct tl_error *err)
{
	struct tl_zip z;

	switch (tl_zip_open(&z, path)) {
	case TL_ZIP_CANNOT_READ: return tl_fail(err, TL_ERR_IO, "cannot read the workbook back: %s", strerror(errno));
	case TL_ZIP_DAMAGED: return damaged(err, "the archive", 64);
	default: break;
	}
	enum tl_status status = check_parts(&z, n_cells, err);
	tl_zip_close(&z);
	return status;
}
