/* csv.h - rows of a table of text with commas, as rocprofv3 writes it: text stands in quotes, and quotes in it are not doubled.
 *
 * So a field in quotes ends at a quote that a comma, the line's end or the file's end follows; it may hold line ends. libcsv does
 * not fit: in it the first quote that is not doubled ends the field.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CSV_H
#define TL_CSV_H

#include "base/io.h"
#include "base/memory.h"
#include "base/rows.h"

#include <stdbool.h>

/* Zero bytes with an input are a start. */
struct tl_csv {
	struct tl_input *in;
	struct tl_field_text *fields; size_t n, cap; /* of the row; valid until the next */
	uint64_t line, next_line; /* of the row's first, from 1; of the next row's */
	uint64_t n_bytes;         /* read */
	bool cut;                 /* the file ends inside the row */
	struct tl_buf text; size_t at; /* what was read; the next row begins at `at` */
	bool eof;
};
enum { TL_CSV_MOST = 1 << 20 }; /* bytes of a row */
/* Goes to the next row that is not empty; a byte order mark is passed over. 1: there is one; 0: the end; -1: *err tells why. */
int tl_csv_next(struct tl_csv *, struct tl_error *);
void tl_csv_release(struct tl_csv *);

#endif
