/* part_file.h - the part of a trace in a file: tables, and a line that says whose part it is, and that it is whole.
 *
 * The file begins with TL_PART_START. Of each table follow a line with its name, its TSV, and an empty line.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PART_FILE_H
#define TL_PART_FILE_H

#include "base/io.h"
#include "table/table.h"

#define TL_PART_START "part of a trace\n"
enum { TL_PART_VERSION = 5 }; /* rises with its tables and columns: so a part of an older program is made again */

/* What the last line says behind the word "end", in this order. */
struct tl_part_end {
	int64_t rank;   /* that the trace tells, else `named` if it can be one; -1: nothing tells it */
	int64_t named;  /* that --rank gave; -1: none */
	int64_t rows;   /* of all tables */
	bool simple;    /* see tl_collectives_simple */
	int64_t gpus;   /* of the node, as the trace says; 0: it does not */
	int64_t size, changed; /* of the trace: bytes; ns since 1970; 0: not known */
	int64_t world;  /* how many ranks the job has, as the trace says; 0: it does not */
	const char *trace;     /* its path */
	const char *program;   /* what made the part, with its version: "tl-ranks 1.0" */
	const char *options;   /* that decide what is in the part, for comparison only */
	const char *host;      /* the name of its machine; "": not known */
};
/* Reads such a line; texts are put into the table of texts. TL_ERR_DATA: it is none. */
enum tl_status tl_part_end_read(struct tl_part_end *, struct tl_strtab *, const char *line, size_t len, struct tl_error *);

/* ---- writing ---- */

struct tl_part_table { const char *name; struct tl_table *table; /* NULL: the part lacks it */ };
/* Writes a part; the rows of the last line are counted here. */
enum tl_status tl_part_file_write(struct tl_output *, const struct tl_part_table *, size_t n, const struct tl_part_end *,
                                  struct tl_error *);

/* ---- reading ---- */

struct tl_part_file;
/* The input must outlive it. */
struct tl_part_file *tl_part_file_open(struct tl_input *);
void tl_part_file_free(struct tl_part_file *);
/* Goes to the next table, from wherever in the last one. *name is valid until the next call; NULL: there is none, and the part
 * is whole. TL_ERR_DATA: it is no part, or is not whole. */
enum tl_status tl_part_file_next(struct tl_part_file *, const char **name, struct tl_error *);
/* What reads the table as text, to its end. */
struct tl_input *tl_part_file_table(struct tl_part_file *);
/* What the last line said, after the last table; its texts live as long as the file is open. */
const struct tl_part_end *tl_part_file_end(const struct tl_part_file *);

#endif
