/* foreign.c - files that are no sheets, told by their first bytes.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "table/foreign.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* What the formats' own documents say that files of them begin with. */
#define START(bytes, what) { bytes, sizeof bytes - 1, what }
static const struct { const char *bytes; size_t len; const char *what; } starts[] = {
	START("\x1f\x8b", "compressed data (gzip)"),
	START("\x28\xb5\x2f\xfd", "compressed data (zstd)"),
	START("\xfd" "7zXZ", "compressed data (xz)"),
	START("BZh", "compressed data (bzip2)"),
	START("PK\3\4", "a zip archive, such as a workbook"),
	START("\x8fTLS\r\n", "an event stream"),
	START("tls\t", "the text of an event stream"),
	START("SQLite format 3", "a database (SQLite)"),
	START("%PDF-", "a PDF"),
	START("\x89PNG", "an image (PNG)"),
	START("\xff\xd8\xff", "an image (JPEG)"),
	START("\x7f" "ELF", "a program (ELF)"),
};

/* Markup begins with one of these, in letters of any case. */
static const struct { const char *tag, *what; } tags[] = {
	{ "<!doctype html", "HTML" }, { "<html", "HTML" }, { "<head", "HTML" }, { "<body", "HTML" }, { "<!--", "HTML" },
	{ "<!doctype", "XML" }, { "<?xml", "XML" }, { "<svg", "XML" },
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t blanks(const char *s, size_t len, size_t i)
{
	while (i < len && is_blank(s[i]))
		i++;
	return i;
}

/* A value begins within an object or a list: a table has no such header. */
static bool is_json(const char *s, size_t len)
{
	size_t inner = blanks(s, len, 1);

	if (inner == len || !s[inner])
		return false;
	return (s[0] == '{' && strchr("\"}", s[inner])) || (s[0] == '[' && strchr("{[]\"", s[inner]));
}

static bool is_binary(const char *s, size_t len)
{
	for (size_t i = 0; i < len && s[i] != '\n'; i++)
		if (((unsigned char)s[i] < 0x20 && !is_blank(s[i])) || s[i] == 0x7f)
			return true;
	return false;
}

const char *tl_foreign(const char *s, size_t len)
{
	len = len < TL_FOREIGN_LOOK ? len : TL_FOREIGN_LOOK;
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (len >= starts[i].len && !memcmp(s, starts[i].bytes, starts[i].len))
			return starts[i].what;
	if (is_binary(s, len))
		return "binary data";
	size_t skip = blanks(s, len, len >= 3 && !memcmp(s, "\xef\xbb\xbf", 3) ? 3 : 0);
	s += skip;
	len -= skip;
	for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
		if (len >= strlen(tags[i].tag) && !strncasecmp(s, tags[i].tag, strlen(tags[i].tag)))
			return tags[i].what;
	return len && is_json(s, len) ? "JSON" : NULL;
}

int64_t tl_read_start(struct tl_input *in, char *buf, size_t cap, struct tl_error *err)
{
	size_t len = 0;
	int64_t n;

	do {
		n = in->read(in, buf + len, cap - len, err);
		if (n < 0)
			return n;
		len += (size_t)n;
	} while (n && len < TL_FOREIGN_LOOK);
	return (int64_t)len;
}
