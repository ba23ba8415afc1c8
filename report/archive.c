/* archive.c - reads a finished workbook back, to check that it is whole.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

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

/* ---- the archive ----------------------------------------------------------------
 * A zip archive holds the parts, then a directory with an entry for each part, then
 * an end record that tells where the directory begins. Numbers are little-endian. */

enum { LOCAL_HEADER = 30, ENTRY = 46, END_RECORD = 22 };

struct archive { const unsigned char *data; size_t len; };

struct part {
	char name[64]; /* for the message */
	const unsigned char *deflated;
	size_t deflated_len, len, entry_len;
	uint32_t crc;
};

static uint32_t get16(const unsigned char *p)
{
	return p[0] | (uint32_t)p[1] << 8;
}

static uint32_t get32(const unsigned char *p)
{
	return get16(p) | get16(p + 2) << 16;
}

/* Finds the part whose entry in the directory is at `at`. False if the entry or the
 * part is not within the file. */
static bool find_part(struct part *p, const struct archive *a, size_t at)
{
	if (at > a->len || a->len - at < ENTRY || memcmp(a->data + at, "PK\1\2", 4))
		return false;
	const unsigned char *entry = a->data + at;
	size_t name_len = get16(entry + 28), local = get32(entry + 42);
	p->crc = get32(entry + 16);
	p->deflated_len = get32(entry + 20);
	p->len = get32(entry + 24);
	p->entry_len = ENTRY + name_len + get16(entry + 30) + get16(entry + 32);
	if (a->len - at < p->entry_len || local > a->len || a->len - local < LOCAL_HEADER)
		return false;
	size_t shown = name_len < sizeof p->name ? name_len : sizeof p->name - 1;
	memcpy(p->name, entry + ENTRY, shown);
	p->name[shown] = '\0';
	size_t start = local + LOCAL_HEADER + get16(a->data + local + 26) + get16(a->data + local + 28);
	p->deflated = a->data + start;
	return start <= a->len && a->len - start >= p->deflated_len;
}

/* Is a part whole? Adds what it contains to *c. */
static bool check_part(const struct part *p, struct contents *c)
{
	static unsigned char piece[65536];
	struct scan scan = { .c = c };
	z_stream z = { .next_in = (unsigned char *)p->deflated, .avail_in = (uInt)p->deflated_len };
	uLong crc = crc32(0, NULL, 0);
	int status = inflateInit2(&z, -MAX_WBITS);

	if (status != Z_OK)
		return false;
	while (status == Z_OK) {
		z.next_out = piece;
		z.avail_out = sizeof piece;
		status = inflate(&z, Z_NO_FLUSH);
		size_t n = sizeof piece - z.avail_out;
		crc = crc32(crc, piece, (uInt)n);
		scan_piece(&scan, (char *)piece, n);
		if (status == Z_OK && !n && !z.avail_in)
			break;
	}
	size_t len = z.total_out;
	inflateEnd(&z);
	return status == Z_STREAM_END && len == p->len && crc == p->crc && scan_whole(&scan);
}

static enum tl_status damaged(struct tl_error *err, const char *what)
{
	return tl_fail(err, TL_ERR_IO, "cannot write the workbook: %s is cut short: no room left, or a limit on file sizes", what);
}

static enum tl_status check_parts(const struct archive *a, size_t n_cells, struct tl_error *err)
{
	struct contents c = { 0 };
	const unsigned char *end = a->data + a->len - END_RECORD;

	if (memcmp(end, "PK\5\6", 4))
		return damaged(err, "the archive");
	size_t n = get16(end + 10), at = get32(end + 16);
	for (struct part p; n; n--, at += p.entry_len) {
		if (!find_part(&p, a, at))
			return damaged(err, "the archive");
		if (!check_part(&p, &c))
			return damaged(err, p.name);
	}
	if (c.cells != n_cells)
		return damaged(err, "a worksheet");
	if (c.strings != c.strings_said)
		return damaged(err, "the list of texts");
	return TL_OK;
}

enum tl_status tl_archive_check(const char *path, size_t n_cells, struct tl_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	off_t len = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	void *data = MAP_FAILED;
	enum tl_status status;

	if (len >= END_RECORD)
		data = mmap(NULL, (size_t)len, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data != MAP_FAILED) {
		struct archive a = { data, (size_t)len };
		status = check_parts(&a, n_cells, err);
		munmap(data, a.len);
	} else if (len >= 0 && len < END_RECORD) {
		status = damaged(err, "the archive");
	} else {
		status = tl_fail(err, TL_ERR_IO, "cannot read the workbook back: %s", strerror(errno));
	}
	if (fd >= 0)
		close(fd);
	return status;
}
