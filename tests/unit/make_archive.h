/* make_archive.h - small zip archives for tests, as libxlsxwriter makes them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MAKE_ARCHIVE_H
#define TL_MAKE_ARCHIVE_H

#include "base/memory.h"

#include <minizip/zip.h>
#include <stdio.h>
#include <string.h>

/* Makes an archive of parts, pairs of a name and a text, which *b receives, too. */
static void make_archive(struct tl_buf *b, const char *path, const char *const parts[][2], size_t n)
{
	zipFile z = zipOpen64(path, APPEND_STATUS_CREATE);

	for (size_t i = 0; i < n; i++) {
		zipOpenNewFileInZip64(z, parts[i][0], NULL, NULL, 0, NULL, 0, NULL, Z_DEFLATED, Z_DEFAULT_COMPRESSION, 0);
		zipWriteInFileInZip(z, parts[i][1], (unsigned)strlen(parts[i][1]));
		zipCloseFileInZip(z);
	}
	zipClose(z, NULL);
	FILE *f = fopen(path, "r");
	tl_buf_clear(b);
	tl_buf_reserve(b, 1 << 16);
	b->len = fread(b->data, 1, 1 << 16, f);
	fclose(f);
}

#endif
