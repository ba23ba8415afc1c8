/* instead.h - what tl-xlsx does beside and before libxlsxwriter.
 *
 * The other functions of this folder are not called by name: they stand before
 * functions of libxlsxwriter, zlib and the C library for this program.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_XLSX_INSTEAD_H
#define TL_XLSX_INSTEAD_H

#include <stdbool.h>
#include <stddef.h>

/* From now on failures that libxlsxwriter would pass over end the program,
 * after a call of clean_up (checks.c). */
void tl_xlsx_start_checks(void (*clean_up)(void));

/* A second thread writes worksheets while more of them are read (ahead.c): a
 * lxw_worksheet that is complete, and its number of cells. end waits for the
 * thread. Not there, so NULL, without XLSX_FAST. */
void tl_xlsx_write_ahead(void *worksheet, size_t n_cells) __attribute__((weak));
void tl_xlsx_end_ahead(void) __attribute__((weak));

/* A text deflated in the way that minizip does it, to be freed; false where it
 * could not be. And such a one, which the next stream takes for the result of
 * what is put into it; it must stay until the stream ends (deflate.c). */
bool tl_xlsx_deflate(const char *text, size_t len, unsigned char **data, size_t *data_len);
void tl_xlsx_deflated(const unsigned char *data, size_t data_len);

#endif
