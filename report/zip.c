/* zip.c - reads a zip archive.
 *
 * An archive holds the parts, then a directory with an entry for each part, then an end record
 * that tells where the directory begins, then maybe a comment. Numbers are little-endian.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/zip.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

enum { LOCAL_HEADER = 30, ENTRY = 46, END_RECORD = 22, LONGEST_COMMENT = 65535 };

static uint32_t get16(const unsigned char *p)
{
	return p[0] | (uint32_t)p[1] << 8;
}

static uint32_t get32(const unsigned char *p)
{
	return get16(p) | get16(p + 2) << 16;
}

static bool find_directory(struct tl_zip *z)
{
	for (size_t back = END_RECORD; back <= z->len && back <= END_RECORD + LONGEST_COMMENT; back++) {
		const unsigned char *end = z->data + z->len - back;
		if (memcmp(end, "PK\5\6", 4) || get16(end + 20) != back - END_RECORD)
			continue;
		z->n_parts = get16(end + 10);
		z->directory = get32(end + 16);
		tl_zip_rewind(z);
		return true;
	}
	return false;
}

enum tl_zip_status tl_zip_open(struct tl_zip *z, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	off_t len = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	void *data = len < END_RECORD ? MAP_FAILED : mmap(NULL, (size_t)len, PROT_READ, MAP_PRIVATE, fd, 0);
	int reason = errno;

	if (fd >= 0)
		close(fd);
	errno = reason;
	*z = (struct tl_zip){ 0 };
	if (data == MAP_FAILED)
		return len >= 0 && len < END_RECORD ? TL_ZIP_DAMAGED : TL_ZIP_CANNOT_READ;
	z->data = data;
	z->len = (size_t)len;
	if (find_directory(z))
		return TL_ZIP_OK;
	tl_zip_close(z);
	return TL_ZIP_DAMAGED;
}

void tl_zip_close(struct tl_zip *z)
{
	if (z->data)
		munmap((void *)z->data, z->len);
	*z = (struct tl_zip){ 0 };
}

void tl_zip_rewind(struct tl_zip *z)
{
	z->at = z->directory;
	z->left = z->n_parts;
}

/* Fills p from the entry at z->at and moves behind it. False if the entry or the part is not
 * within the file. */
static bool read_entry(struct tl_zip *z, struct tl_zip_part *p)
{
	if (z->at > z->len || z->len - z->at < ENTRY || memcmp(z->data + z->at, "PK\1\2", 4))
		return false;
	const unsigned char *entry = z->data + z->at;
	size_t local = get32(entry + 42), entry_len;
	*p = (struct tl_zip_part){ .name = (const char *)entry + ENTRY, .name_len = get16(entry + 28), .method = get16(entry + 10),
		.crc = get32(entry + 16), .packed_len = get32(entry + 20), .len = get32(entry + 24) };
	entry_len = ENTRY + p->name_len + get16(entry + 30) + get16(entry + 32);
	if (z->len - z->at < entry_len || local > z->len || z->len - local < LOCAL_HEADER)
		return false;
	size_t start = local + LOCAL_HEADER + get16(z->data + local + 26) + get16(z->data + local + 28);
	p->packed = z->data + start;
	z->at += entry_len;
	return start <= z->len && z->len - start >= p->packed_len;
}

bool tl_zip_next(struct tl_zip *z, struct tl_zip_part *p, bool *damaged)
{
	*damaged = false;
	if (!z->left)
		return false;
	z->left--;
	*damaged = !read_entry(z, p);
	return !*damaged;
}

static bool inflate_part(const struct tl_zip_part *p, tl_zip_piece *piece, void *ctx)
{
	unsigned char data[32768];
	z_stream z = { .next_in = (unsigned char *)p->packed, .avail_in = (uInt)p->packed_len };
	uLong crc = crc32(0, NULL, 0);
	int status = inflateInit2(&z, -MAX_WBITS);

	if (status != Z_OK)
		return false;
	while (status == Z_OK) {
		z.next_out = data;
		z.avail_out = sizeof data;
		status = inflate(&z, Z_NO_FLUSH);
		size_t n = sizeof data - z.avail_out;
		crc = crc32(crc, data, (uInt)n);
		if ((n && !piece(ctx, (char *)data, n)) || (status == Z_OK && !n && !z.avail_in))
			break;
	}
	size_t len = z.total_out;
	inflateEnd(&z);
	return status == Z_STREAM_END && len == p->len && crc == p->crc;
}

bool tl_zip_unpack(const struct tl_zip_part *p, tl_zip_piece *piece, void *ctx)
{
	if (p->method == 8)
		return inflate_part(p, piece, ctx);
	return p->method == 0 && p->len == p->packed_len && crc32(crc32(0, NULL, 0), p->packed, (uInt)p->len) == p->crc &&
	       piece(ctx, (const char *)p->packed, p->len);
}
