/* query.c - a question to a database of tl-sql.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sql/query.h"

#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEPS_BETWEEN_LOOKS 100000 /* of SQLite's machine, at the clock */

const char *tl_query_start(const char *s)
{
	for (;;) {
		s += strspn(s, " \t\r\n");
		if (s[0] == '-' && s[1] == '-')
			s += strcspn(s, "\n");
		else if (s[0] == '/' && s[1] == '*' && strstr(s + 2, "*/"))
			s = strstr(s + 2, "*/") + 2;
		else
			return s;
	}
}

bool tl_query_is(const char *text)
{
	static const char *const words[] = { "select", "with", "explain", "values" };
	const char *s = tl_query_start(text);

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t len = strlen(words[i]);
		if (!strncasecmp(s, words[i], len) && !isalnum((unsigned char)s[len]) && s[len] != '_' && s[len] != '.')
			return true;
	}
	return false;
}

/* ---- what it reads ---------------------------------------------------------------------------- */

static int note_read(void *ctx, int action, const char *table, const char *column, const char *db, const char *view)
{
	static const char *const events[] = { "name", "thread", "device", "event_row", "work", "link_row", "step", "trace", NULL };
	struct tl_query_reads *r = ctx;

	(void)column, (void)db, (void)view;
	if (action == SQLITE_READ) {
		r->parts.spans |= !strcmp(table, "span");
		r->parts.links |= !strcmp(table, "link_row") || !strcmp(table, "trace");
		r->parts.overlap |= !strcmp(table, "overlap") || !strcmp(table, "meta");
		r->events |= r->parts.spans || r->parts.overlap || tl_is_one_of(events, table);
		return SQLITE_OK;
	}
	bool loads = action == SQLITE_FUNCTION && column && !strcmp(column, "load_extension");
	return (action == SQLITE_SELECT || action == SQLITE_FUNCTION || action == SQLITE_RECURSIVE) && !loads ? SQLITE_OK : SQLITE_DENY;
}

/* A view's columns are all read in the eyes of SQLite, so words decide whether arguments are wanted. A star that is no count(*)
 * stands for them, too, and so does a natural join. */
static bool reads_args(const char *query)
{
	static const char *const words[] = { "args", "arg", "dims", "types", "seq", "counter", "value", "natural", NULL };
	char word[16], before = 0;

	for (const char *s = query; *s;) {
		size_t len = 0;
		while (isalnum((unsigned char)s[len]) || s[len] == '_')
			len++;
		if (*s == '*' && before != '(')
			return true;
		if (len && len < sizeof word) {
			for (size_t i = 0; i <= len; i++)
				word[i] = i < len ? (char)tolower((unsigned char)s[i]) : '\0';
			if (tl_is_one_of(words, word))
				return true;
		}
		before = isspace((unsigned char)*s) ? before : *s;
		s += len ? len : 1;
	}
	return false;
}

/* The one statement of the text; NULL: *err says why. */
static sqlite3_stmt *prepare(struct tl_sql *s, const char *query, struct tl_query_reads *r, struct tl_error *err)
{
	sqlite3_stmt *stmt = NULL;
	const char *rest = "";

	sqlite3_set_authorizer(s->db, note_read, r);
	int rc = sqlite3_prepare_v2(s->db, query, -1, &stmt, &rest);
	sqlite3_set_authorizer(s->db, NULL, NULL);
	if (rc == SQLITE_AUTH)
		tl_fail(err, TL_ERR_USAGE, "a query can only read: %s", sqlite3_errmsg(s->db));
	else if (rc)
		tl_fail(err, rc == SQLITE_ERROR ? TL_ERR_USAGE : TL_ERR_DATA, "query: %s", sqlite3_errmsg(s->db));
	else if (!stmt)
		tl_fail(err, TL_ERR_USAGE, "query: it is empty");
	else if (*tl_query_start(rest))
		tl_fail(err, TL_ERR_USAGE, "query: one statement expected, more follows: '%.40s'", tl_query_start(rest));
	else
		return stmt;
	sqlite3_finalize(stmt);
	return NULL;
}

enum tl_status tl_query_reads(struct tl_sql *s, const char *query, struct tl_query_reads *r, struct tl_error *err)
{
	static const char none[] = "query: no such table: ";

	*r = (struct tl_query_reads){ .parts.args = reads_args(query) };
	sqlite3_stmt *stmt = prepare(s, query, r, err);
	if (!stmt && tl_starts_with(err->text, none)) {
		const char *name = err->text + strlen(none);
		r->missing = tl_strdup(tl_starts_with(name, "main.") ? name + strlen("main.") : name);
	}
	sqlite3_finalize(stmt);
	return stmt ? TL_OK : TL_ERR_USAGE;
}

/* ---- the answer --------------------------------------------------------------------------------- */

static int look_at_clock(void *until)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	const struct timespec *end = until;
	return now.tv_sec > end->tv_sec || (now.tv_sec == end->tv_sec && now.tv_nsec >= end->tv_nsec);
}

static struct tl_cell cell_of(sqlite3_stmt *stmt, int column, struct tl_strtab *strings)
{
	switch (sqlite3_column_type(stmt, column)) {
	case SQLITE_NULL: return tl_cell_null();
	case SQLITE_INTEGER: return tl_cell_int(sqlite3_column_int64(stmt, column));
	case SQLITE_FLOAT: return tl_cell_real(sqlite3_column_double(stmt, column));
	default: break;
	}
	const char *s = (const char *)sqlite3_column_text(stmt, column);
	return s ? tl_cell_text(tl_intern(strings, s, (size_t)sqlite3_column_bytes(stmt, column))) : tl_cell_null();
}

enum tl_status tl_query_ask(struct tl_sql *s, const char *query, int64_t seconds, struct tl_table *t, struct tl_error *err)
{
	struct tl_query_reads reads = { 0 };
	struct timespec until;
	sqlite3_stmt *stmt = prepare(s, query, &reads, err);

	if (!stmt)
		return err->status;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += (time_t)seconds;
	sqlite3_progress_handler(s->db, seconds ? STEPS_BETWEEN_LOOKS : 0, look_at_clock, &until);
	int n = sqlite3_column_count(stmt), rc;
	struct tl_cell *row = tl_calloc((size_t)n + 1, sizeof *row);
	for (int i = 0; i < n; i++)
		tl_table_add_column(t, sqlite3_column_name(stmt, i));
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		for (int i = 0; i < n; i++)
			row[i] = cell_of(stmt, i, t->strings);
		tl_table_add_row(t, row);
	}
	free(row);
	enum tl_status st = rc == SQLITE_DONE ? TL_OK : rc == SQLITE_INTERRUPT ?
		tl_fail(err, TL_ERR_DATA, "the query has no answer after %lld s", (long long)seconds) :
		tl_fail(err, TL_ERR_DATA, "query: %s", sqlite3_errmsg(s->db));
	sqlite3_finalize(stmt);
	return st;
}
