/* make_archive.h - small zip archives for tests, as libxlsxwriter makes them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MAKE_ARCHIVE_H
#define TL_MAKE_ARCHIVE_H

#include "base/memory.h"

#include <stdint.h>
#include <string.h>
#include <zlib.h>

static void put(struct tl_buf *b, uint32_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		tl_buf_addc(b, (char)(value >> 8 * i));
}

static void put_deflated(struct tl_buf *b, const char *text)
{
	static Bytef space[4096];
	z_stream z = { .next_in = (Bytef *)text, .avail_in = (uInt)strlen(text), .next_out = space, .avail_out = sizeof space };

	deflateInit2(&z, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
	deflate(&z, Z_FINISH);
	tl_buf_add(b, space, z.total_out);
	deflateEnd(&z);
}

/* The fields that a local header and an entry of the directory share. */
static void put_sizes(struct tl_buf *b, const char *text, uint32_t deflated, const char *name)
{
	put(b, 20, 2), put(b, 0, 2), put(b, 8, 2), put(b, 0, 4);
	put(b, (uint32_t)crc32(0, (const Bytef *)text, (uInt)strlen(text)), 4);
	put(b, deflated, 4), put(b, (uint32_t)strlen(text), 4);
	put(b, (uint32_t)strlen(name), 2), put(b, 0, 2);
}

/* An archive of parts, pairs of a name and a text. */
static void make_archive(struct tl_buf *b, const char *const parts[][2], uint32_t n)
{
	struct tl_buf directory = { 0 }, part = { 0 };

	tl_buf_clear(b);
	for (uint32_t i = 0; i < n; i++) {
		const char *name = parts[i][0], *text = parts[i][1];
		uint32_t at = (uint32_t)b->len;
		tl_buf_clear(&part);
		put_deflated(&part, text);
		tl_buf_add(b, "PK\3\4", 4), put_sizes(b, text, (uint32_t)part.len, name);
		tl_buf_adds(b, name), tl_buf_add(b, part.data, part.len);
		tl_buf_add(&directory, "PK\1\2\0\0", 6), put_sizes(&directory, text, (uint32_t)part.len, name);
		put(&directory, 0, 2), put(&directory, 0, 2), put(&directory, 0, 2), put(&directory, 0, 4);
		put(&directory, at, 4), tl_buf_adds(&directory, name);
	}
	uint32_t at = (uint32_t)b->len;
	tl_buf_add(b, directory.data, directory.len);
	tl_buf_add(b, "PK\5\6\0\0\0\0", 8), put(b, n, 2), put(b, n, 2);
	put(b, (uint32_t)directory.len, 4), put(b, at, 4), put(b, 0, 2);
	tl_buf_release(&directory), tl_buf_release(&part);
}

#endif
