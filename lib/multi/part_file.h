/* part_file.h - several tables in one text: of each a line with its name, its TSV, and an empty line.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PART_FILE_H
#define TL_PART_FILE_H

#include "base/io.h"
#include "table/table.h"

/* Writes the line with the name; the caller writes the table and, but for the last one, the empty line. */
enum tl_status tl_part_file_name(struct tl_output *, const char *name, struct tl_error *);
/* Writes all three. */
enum tl_status tl_part_file_add(struct tl_output *, const char *name, const struct tl_table *, struct tl_error *);

/* Reads such a text; the input must outlive it. */
struct tl_part_file;
struct tl_part_file *tl_part_file_open(struct tl_input *);
void tl_part_file_free(struct tl_part_file *);
/* Goes to the next table, from wherever in the last one. *name is valid until the next call; NULL: there is none. */
enum tl_status tl_part_file_next(struct tl_part_file *, const char **name, struct tl_error *);
/* What reads the table to its end. */
struct tl_input *tl_part_file_table(struct tl_part_file *);

#endif
