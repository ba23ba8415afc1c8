/* query.h - a question to a database of tl-sql: what it reads, and its answer. It can only read: it cannot write, attach, load
 * code or set anything.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SQL_QUERY_H
#define TL_SQL_QUERY_H

#include "sql/database.h"
#include "sql/event_tables.h"

/* The query without blanks and comments at its start. */
const char *tl_query_start(const char *text);
/* Does the text begin as a query does: SELECT, WITH, EXPLAIN or VALUES? */
bool tl_query_is(const char *text);

struct tl_query_reads {
	bool events;              /* a table of events */
	struct tl_sql_parts parts;
	char *missing;            /* the name of a table that is not there, NULL: none; the caller frees it */
};
/* Finds out what the query reads. TL_ERR_USAGE: it is none, or may not be asked; with `missing` set a table is not there. */
enum tl_status tl_query_reads(struct tl_sql *, const char *query, struct tl_query_reads *, struct tl_error *);
/* Asks, and adds the answer to a table without columns. seconds: it ends with an error after that time; 0: never. */
enum tl_status tl_query_ask(struct tl_sql *, const char *query, int64_t seconds, struct tl_table *, struct tl_error *);

#endif
