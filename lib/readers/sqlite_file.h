/* sqlite_file.h - the file of a SQLite database, checked and opened.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SQLITE_FILE_H
#define TL_SQLITE_FILE_H

#include <sqlite3.h>

#include "base/io.h"

#define TL_SQLITE_MAGIC "SQLite format 3"
#define TL_SQLITE_MAGIC_LEN 16 /* with its NUL */

/* Opens the database that `in` begins with: the file itself if in->path names it, else a copy
 * in an unlinked temporary file. Nothing is written beside the file, and no lock is taken.
 * *size: the length of the file. Views, triggers and extensions are off.
 * TL_ERR_DATA: the file is not as long as its header says, or a write-ahead log or journal
 * beside it holds changes that it lacks. TL_ERR_IO: it cannot be read or copied. */
enum tl_status tl_sqlite_open(sqlite3 **, struct tl_input *in, int64_t *size, struct tl_error *);

#endif
