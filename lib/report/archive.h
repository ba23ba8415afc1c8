/* archive.h - the archive of a workbook (zip), and the check that one is whole.
 *
 * libxlsxwriter writes each part of a workbook to a temporary file, which it then
 * copies into the archive. It reports no error if it could not write the temporary
 * file: when the disk is full, parts in the archive are cut short. Nor does it report
 * an error if memory for a cell or an attribute runs out.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ARCHIVE_H
#define TL_ARCHIVE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Unpacks the part that z, an unzFile of minizip, is at, and calls piece() with what is in it, until piece() returns
 * false. True if all bytes came and their checksum is right. */
typedef bool tl_archive_piece(void *ctx, const char *data, size_t len);
bool tl_archive_unpack(void *z, tl_archive_piece *piece, void *ctx);

/* TL_OK if in the workbook at `path` the checksum of every part is right, every XML
 * element has its end, the worksheets hold n_cells cells, and the list of shared
 * strings has as many as it says. Else TL_ERR_IO with the name of the part. */
enum tl_status tl_archive_check(const char *path, size_t n_cells, struct tl_error *);

#endif
