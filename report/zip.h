/* zip.h - reads a zip archive, such as a workbook.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ZIP_H
#define TL_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An archive in memory, and the place of the next entry of its directory. */
struct tl_zip {
	const unsigned char *data;
	size_t len, directory, n_parts, at, left;
};

struct tl_zip_part {
	const char *name; size_t name_len; /* without a NUL behind it */
	const unsigned char *packed;
	size_t packed_len, len;
	uint32_t crc;
	unsigned method;                   /* 0: stored, 8: deflated */
};

enum tl_zip_status { TL_ZIP_OK, TL_ZIP_CANNOT_READ /* see errno */, TL_ZIP_DAMAGED };

/* Maps a file. What was opened must be closed; no part is valid afterwards. */
enum tl_zip_status tl_zip_open(struct tl_zip *, const char *path);
void tl_zip_close(struct tl_zip *);
/* The next part of the archive; false past the last or if the directory is damaged, which
 * *damaged tells. */
bool tl_zip_next(struct tl_zip *, struct tl_zip_part *, bool *damaged);
/* Goes back to the first part. */
void tl_zip_rewind(struct tl_zip *);
/* Unpacks a part and calls piece() with what is in it, until piece() returns false. True if all
 * bytes came and their checksum is right. */
typedef bool tl_zip_piece(void *ctx, const char *data, size_t len);
bool tl_zip_unpack(const struct tl_zip_part *, tl_zip_piece *, void *ctx);

#endif
