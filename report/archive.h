/* archive.h - reads a finished workbook back, to check that it is whole.
 *
 * libxlsxwriter writes each part of a workbook to a temporary file, which it then
 * copies into the archive. It reports no error if it could not write the temporary
 * file: when the disk is full, parts in the archive are cut short. Nor does it report
 * an error if memory for a cell or an attribute runs out.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ARCHIVE_H
#define TL_ARCHIVE_H

#include "base/error.h"

#include <stddef.h>

/* TL_OK if in the workbook at `path` the checksum of every part is right, every XML
 * element has its end, the worksheets hold n_cells cells, and the list of shared
 * strings has as many as it says. Else TL_ERR_IO with the name of the part. */
enum tl_status tl_archive_check(const char *path, size_t n_cells, struct tl_error *);

#endif
