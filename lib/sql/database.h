/* database.h - a database (SQLite) of traces and sheets, see tl-sql(5): made once, then only read.
 *
 * An error is kept: calls after it do nothing, and tl_sql_status tells it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SQL_DATABASE_H
#define TL_SQL_DATABASE_H

#include "base/error.h"
#include "base/io.h"
#include "base/strings.h"
#include "table/table.h"

#include <sqlite3.h>

#define TL_SQL_APPLICATION 0x544c5351 /* "TLSQ" in the header of the file */
enum { TL_SQL_SCHEMA = 1 };

struct tl_sql {
	sqlite3 *db;
	struct tl_strtab names;   /* of events: the id is that of the table `name` */
	int64_t n_threads, n_devices, n_steps; /* rows of these tables, whose ids go on from trace to trace */
	struct tl_buf indices;    /* that a query wants, between blanks; no data: all */
	struct tl_buf text;       /* of tl_sql_valid */
	uint64_t unstarted, replaced; /* events without a start; texts that were not UTF-8 */
	enum tl_status status;
	struct tl_error error;
};

/* Makes the tables in the file, which is empty or absent; "": nowhere, in memory as long as there is room. The file is
 * not safe from a crash: it gets its name when it is whole. */
struct tl_sql *tl_sql_new(const char *path);
/* Opens a file that tl_sql_finish has finished, to read it. NULL: *err says why. */
struct tl_sql *tl_sql_open(const char *path, struct tl_error *err);
/* Is this file such a one, by its header? */
bool tl_sql_is_database(const char *path);
/* Of a database for one query: only indices that it will use are to be made. Before there are events. */
void tl_sql_plan(struct tl_sql *, const char *query);
/* Makes the indices, and what the planner of queries knows of the rows. */
void tl_sql_finish(struct tl_sql *);
/* TL_OK, or the first error. */
enum tl_status tl_sql_status(const struct tl_sql *, struct tl_error *);
void tl_sql_free(struct tl_sql *);

/* ---- sheets --------------------------------------------------------------------------------- */
/* Adds the rows of a sheet in TSV to the table of its name, which has the columns trace, row (from 1) and the sheet's by their
 * keys, with the types of table/typed_columns.h. A table that lacks one of these gets it. */
void tl_sql_add_sheet(struct tl_sql *, int64_t trace, const char *name, struct tl_input *tsv);

/* ---- for the files of this folder ------------------------------------------------------------ */
void tl_sql_run(struct tl_sql *, const char *statements);
/* INSERT of all n columns of a table; NULL after an error. Free it with sqlite3_finalize. */
sqlite3_stmt *tl_sql_insert(struct tl_sql *, const char *table, int n);
/* The text as UTF-8, until the next; counts it if it was none. */
const struct tl_buf *tl_sql_valid(struct tl_sql *, const char *s, size_t len);
/* Sets the columns of the statement, from 1 on; NULLs stay if none of these is called. */
void tl_sql_put_text(struct tl_sql *, sqlite3_stmt *, int column, const char *s, size_t len);
void tl_sql_put_cell(struct tl_sql *, sqlite3_stmt *, int column, struct tl_cell, const struct tl_strtab *strings);
/* Inserts the row, and sets all columns to NULL again. */
void tl_sql_put_row(struct tl_sql *, sqlite3_stmt *);

#endif
