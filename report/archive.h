/* archive.h - reads a finished workbook back, to be sure that it is whole.
 *
 * libxlsxwriter writes each part of a workbook to a temporary file and copies
 * that into the archive. It does not look whether the temporary file could be
 * written: when the disk is full, the archive holds what there was room for, and
 * libxlsxwriter calls that success. It does not say so either when memory for a
 * cell or an attribute runs out.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ARCHIVE_H
#define TL_ARCHIVE_H

#include "base/error.h"

#include <stddef.h>

/* TL_OK if every part of the workbook at `path` has its checksum, every element
 * in the parts has its end, the worksheets hold n_cells cells and the shared
 * strings are as many as they say; else TL_ERR_IO with the part that is wrong. */
enum tl_status tl_archive_check(const char *path, size_t n_cells, struct tl_error *);

#endif
