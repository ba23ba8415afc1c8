/* sqlite_db.h - reads tables of a SQLite database that may be damaged or made to harm.
 *
 * A query says which columns of a table are wanted, and which of these a version may lack.
 * Its rows come in the order of the file; each number is checked before it is used. Only
 * plain tables are read: no views, virtual tables and computed columns.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SQLITE_DB_H
#define TL_SQLITE_DB_H

#include <sqlite3.h>

#include "readers/reader.h"

#define TL_SQLITE_MAGIC "SQLite format 3"
#define TL_SQLITE_MAGIC_LEN 16 /* with its NUL */

/* ---- the database ---------------------------------------------------------------------- */

struct tl_db {
	sqlite3 *db;
	int64_t size;             /* bytes of the file */
	struct tl_strtab names;   /* of tables and views */
	bool *is_table;           /* [id of a name] */
	size_t cap_is_table;
	/* what becomes of rows that are damaged */
	bool lenient;             /* they are left out, and noted */
	struct tl_read_report *report;
	uint64_t uid;             /* of the next event; a row that is left out takes one */
};
/* Zero bytes with lenient and report set are a start. tl_db_close must follow in any case. */
enum tl_status tl_db_open(struct tl_db *, struct tl_input *, struct tl_error *);
void tl_db_close(struct tl_db *);
/* Is there a table of this name? Views do not count. */
bool tl_db_has_table(const struct tl_db *, const char *name);

/* ---- queries ----------------------------------------------------------------------------- */

enum {
	TL_DB_NEEDED = 1, /* an error if the table lacks the column, or a row its value; of all others
	                     an empty text is no value, since profilers write one for it */
	TL_DB_TIME = 2,   /* a number from -2^62 to 2^62 */
	TL_DB_TEXT = 4,   /* a text; all others are integers */
	TL_DB_BYTES = 8,  /* a text or bytes */
	TL_DB_REAL = 16,  /* a number, which may have a fraction: tl_db_rows.real, of the last such column; an integer as such, too */
};
/* A column that is wanted in a slot. Of several columns of one slot the first one that the
 * table has is taken. */
struct tl_db_column {
	uint8_t slot;
	uint8_t from;      /* 0: the query's table; else the number of a join, from 1 */
	uint8_t flags;     /* the first column of a slot gives them */
	const char *name;  /* NULL ends the list */
};
/* The row of another table whose key is in a column of the query's table. */
struct tl_db_join { const char *table, *via; };
enum { TL_DB_JOINS = 5, TL_DB_SLOTS = 48 };
struct tl_db_query {
	const char *table;
	struct tl_db_join joins[TL_DB_JOINS]; /* up to the first without a table */
	const struct tl_db_column *columns;
};

struct tl_db_rows {
	struct tl_db *db;
	sqlite3_stmt *stmt;          /* NULL: no such table, or at its end */
	struct tl_buf table;         /* its name */
	int places[TL_DB_SLOTS];     /* column of the statement; 0: none */
	struct { uint8_t slot, flags; const char *name; } columns[TL_DB_SLOTS];
	int n_columns;
	/* the row */
	int64_t rowid;
	uint64_t given;              /* bits 1 << slot: the row has a value */
	int64_t ints[TL_DB_SLOTS];   /* 0 if not given */
	double real;
	enum tl_status status;
};

/* Starts a query. The names of its tables end with `suffix`. A table that is not there has no
 * rows. TL_ERR_DATA: what bears its name is no table, or a needed column is missing. */
enum tl_status tl_db_query(struct tl_db_rows *, struct tl_db *, const struct tl_db_query *, const char *suffix, struct tl_error *);
/* Goes to the next row. False: there are no more, or rows->status tells of an error. */
bool tl_db_next(struct tl_db_rows *, struct tl_error *);
static inline bool tl_db_given(const struct tl_db_rows *r, int slot)
{
	return r->given >> slot & 1;
}
/* A text or the bytes of the row; valid until the next one. NULL if not given. */
const char *tl_db_text(const struct tl_db_rows *, int slot, size_t *len);
void tl_db_end(struct tl_db_rows *);

/* ---- names by number ------------------------------------------------------------------------ */

/* Texts of a table, looked up by the table's key and remembered, up to a limit. */
struct tl_db_names {
	struct tl_db *db;
	sqlite3_stmt *stmt;  /* NULL: no such table, or all are in memory */
	struct tl_buf table;
	struct tl_strtab texts;
	struct tl_map known; /* number -> id in texts */
	bool whole;          /* all are in memory, because the numbers are not the table's key */
};
/* columns: of the text, by preference; at most 3, then NULL. A table that is not there has no names. */
enum tl_status tl_db_names_open(struct tl_db_names *, struct tl_db *, const char *table, const char *suffix,
                                const char *const *columns, struct tl_error *);
/* Sets *text to the text of a number, NULL if there is none; it is valid UTF-8, and stays until
 * the next call. */
enum tl_status tl_db_name(struct tl_db_names *, int64_t number, const char **text, size_t *len, struct tl_error *);
void tl_db_names_close(struct tl_db_names *);

#endif
