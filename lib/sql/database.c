/* database.c - a database of traces and sheets: the file, statements, sheets.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sql/database.h"

#include "base/utf8.h"
#include "table/tsv.h"
#include "table/typed_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char tl_data_schema[], tl_data_schema_indices[];

static void failed(struct tl_sql *s, const char *what)
{
	if (!s->status)
		s->status = tl_fail(&s->error, TL_ERR_IO, "%s: %s", what, sqlite3_errmsg(s->db));
}

void tl_sql_run(struct tl_sql *s, const char *statements)
{
	if (!s->status && sqlite3_exec(s->db, statements, NULL, NULL, NULL))
		failed(s, "database");
}

/* ---- the file ------------------------------------------------------------------------------- */

/* SQLite takes a name as file:x for an address. "" is a database in memory. */
static void open_file(struct tl_sql *s, const char *path, int flags)
{
	char *name = tl_strdupf("%s%s", !*path || *path == '/' ? "" : "./", path);

	if (sqlite3_open_v2(name, &s->db, flags, NULL))
		failed(s, flags & SQLITE_OPEN_CREATE ? "cannot make the database" : "cannot open");
	free(name);
}

struct tl_sql *tl_sql_new(const char *path)
{
	struct tl_sql *s = tl_calloc(1, sizeof *s);

	open_file(s, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX);
	/* what is not in memory goes to a file without a name; 256 MB may stay */
	tl_sql_run(s, "PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
	              "PRAGMA cache_size = -262144; PRAGMA temp_store = FILE; PRAGMA encoding = 'UTF-8'");
	char *head = tl_strdupf("PRAGMA application_id = %d; PRAGMA user_version = %d; BEGIN", TL_SQL_APPLICATION, TL_SQL_SCHEMA);
	tl_sql_run(s, head);
	free(head);
	tl_sql_run(s, tl_data_schema);
	return s;
}

bool tl_sql_is_database(const char *path)
{
	unsigned char head[72] = { 0 };
	FILE *f = fopen(path, "rbe");
	bool is = f && fread(head, 1, sizeof head, f) == sizeof head && !memcmp(head, "SQLite format 3", 16) &&
	          ((uint32_t)head[68] << 24 | (uint32_t)head[69] << 16 | (uint32_t)head[70] << 8 | head[71]) == TL_SQL_APPLICATION;

	if (f)
		fclose(f);
	return is;
}

struct tl_sql *tl_sql_open(const char *path, struct tl_error *err)
{
	struct tl_sql *s = tl_calloc(1, sizeof *s);

	open_file(s, path, SQLITE_OPEN_READONLY);
	tl_sql_run(s, "PRAGMA cell_size_check = ON");
	if (tl_sql_status(s, err) == TL_OK)
		return s;
	tl_sql_free(s);
	return NULL;
}

static void put_meta(struct tl_sql *s)
{
	sqlite3_stmt *meta = tl_sql_insert(s, "meta", 2);
	const struct { const char *key; uint64_t value; } rows[] = {
		{ "replaced", s->replaced }, { "schema", TL_SQL_SCHEMA }, { "unstarted", s->unstarted },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		tl_sql_put_text(s, meta, 1, rows[i].key, strlen(rows[i].key));
		sqlite3_bind_int64(meta, 2, (int64_t)rows[i].value);
		tl_sql_put_row(s, meta);
	}
	sqlite3_finalize(meta);
}

static void put_names(struct tl_sql *s)
{
	sqlite3_stmt *name = tl_sql_insert(s, "name", 2);

	for (uint32_t id = 1; id <= s->names.count; id++) {
		sqlite3_bind_int64(name, 1, id);
		sqlite3_bind_text(name, 2, tl_str(&s->names, id), (int)tl_str_len(&s->names, id), SQLITE_STATIC);
		tl_sql_put_row(s, name);
	}
	sqlite3_finalize(name);
}

/* Runs what stands before the name of each index, then the name, or the whole statement that makes it: those that `wanted` names
 * between blanks, all for NULL. */
static void each_index(struct tl_sql *s, const char *before, const char *wanted)
{
	static const char make[] = "CREATE INDEX ";

	for (const char *p = strstr(tl_data_schema_indices, make); p; p = strstr(p, make)) {
		const char *name = p + strlen(make), *end = strchr(p, ';') + 1;
		char *word = tl_strdupf(" %.*s ", (int)strcspn(name, " "), name);
		char *sql = before ? tl_strdupf("%s%s", before, word) : tl_strndup(p, (size_t)(end - p));
		if (!wanted || strstr(wanted, word))
			tl_sql_run(s, sql);
		free(word);
		free(sql);
		p = end;
	}
}

void tl_sql_plan(struct tl_sql *s, const char *query)
{
	char *explain = tl_strdupf("%s%s", strncasecmp(query, "explain", 7) ? "EXPLAIN QUERY PLAN " : "", query);
	sqlite3_stmt *stmt = NULL;

	each_index(s, NULL, NULL);
	if (!s->status && sqlite3_prepare_v2(s->db, explain, -1, &stmt, NULL))
		failed(s, "query");
	tl_buf_adds(&s->indices, " ");
	while (stmt && sqlite3_step(stmt) == SQLITE_ROW) { /* SEARCH e USING INDEX event_row_name (name_id=?) */
		const char *step = (const char *)sqlite3_column_text(stmt, 3), *index = step ? strstr(step, " INDEX ") : NULL;
		if (index)
			tl_buf_addf(&s->indices, "%.*s ", (int)strcspn(index + 7, " "), index + 7);
	}
	sqlite3_finalize(stmt);
	free(explain);
	each_index(s, "DROP INDEX", NULL);
}

void tl_sql_finish(struct tl_sql *s)
{
	put_names(s);
	put_meta(s);
	each_index(s, NULL, s->indices.data);
	tl_sql_run(s, s->indices.data ? "COMMIT" : "PRAGMA analysis_limit = 400; ANALYZE; COMMIT");
}

enum tl_status tl_sql_status(const struct tl_sql *s, struct tl_error *err)
{
	if (s->status)
		*err = s->error;
	return s->status;
}

void tl_sql_free(struct tl_sql *s)
{
	sqlite3_close(s->db);
	tl_strtab_release(&s->names);
	tl_buf_release(&s->indices);
	tl_buf_release(&s->text);
	free(s);
}

/* ---- statements ------------------------------------------------------------------------------- */

static void add_name(struct tl_buf *b, const char *name)
{
	tl_buf_addc(b, '"');
	for (; *name; name++)
		tl_buf_adds(b, *name == '"' ? "\"\"" : (const char[]){ *name, '\0' });
	tl_buf_addc(b, '"');
}

sqlite3_stmt *tl_sql_insert(struct tl_sql *s, const char *table, int n)
{
	struct tl_buf b = { 0 };
	sqlite3_stmt *stmt = NULL;

	tl_buf_adds(&b, "INSERT INTO ");
	add_name(&b, table);
	tl_buf_adds(&b, " VALUES (?");
	while (--n)
		tl_buf_adds(&b, ", ?");
	tl_buf_addc(&b, ')');
	if (!s->status && sqlite3_prepare_v2(s->db, tl_buf_text(&b), -1, &stmt, NULL))
		failed(s, table);
	tl_buf_release(&b);
	return stmt;
}

const struct tl_buf *tl_sql_valid(struct tl_sql *s, const char *text, size_t len)
{
	tl_buf_clear(&s->text);
	tl_buf_add_utf8(&s->text, text, len);
	s->replaced += s->text.len != len || (len && memcmp(s->text.data, text, len) != 0);
	return &s->text;
}

void tl_sql_put_text(struct tl_sql *s, sqlite3_stmt *stmt, int column, const char *text, size_t len)
{
	if (len > INT32_MAX / 2) {
		if (!s->status)
			s->status = tl_fail(&s->error, TL_ERR_DATA, "a text of %zu bytes does not fit in a database", len);
		return;
	}
	const struct tl_buf *b = tl_sql_valid(s, text, len);
	sqlite3_bind_text(stmt, column, tl_buf_text(b), (int)b->len, SQLITE_TRANSIENT);
}

void tl_sql_put_cell(struct tl_sql *s, sqlite3_stmt *stmt, int column, struct tl_cell c, const struct tl_strtab *strings)
{
	if (c.type == TL_CELL_TEXT)
		tl_sql_put_text(s, stmt, column, tl_str(strings, c.text), tl_str_len(strings, c.text));
	else if (c.type == TL_CELL_REAL)
		sqlite3_bind_double(stmt, column, c.d);
	else if (c.type != TL_CELL_NULL)
		sqlite3_bind_int64(stmt, column, c.i);
}

void tl_sql_put_row(struct tl_sql *s, sqlite3_stmt *stmt)
{
	if (!s->status && sqlite3_step(stmt) != SQLITE_DONE)
		failed(s, "cannot add a row");
	if (s->status)
		return;
	sqlite3_reset(stmt);
	sqlite3_clear_bindings(stmt);
}

/* ---- sheets --------------------------------------------------------------------------------- */

struct sheet { struct tl_sql *s; const char *name; int64_t trace; struct tl_typed_columns columns; sqlite3_stmt *row; };

static bool has_column(struct tl_sql *s, const char *table, const char *column)
{
	return !sqlite3_table_column_metadata(s->db, NULL, table, column, NULL, NULL, NULL, NULL, NULL);
}

/* Adds the columns that the table does not have, and the table if there is none. */
static void make_columns(struct sheet *t)
{
	static const char *const types[] = {
		[TL_TYPE_TEXT] = "TEXT", [TL_TYPE_INT] = "INTEGER", [TL_TYPE_REAL] = "REAL", [TL_TYPE_BOOL] = "INTEGER", [TL_TYPE_BOOL01] = "INTEGER",
		[TL_TYPE_ANY] = "",
	};

	struct tl_buf b = { 0 };

	if (!has_column(t->s, t->name, NULL)) {
		tl_buf_adds(&b, "CREATE TABLE ");
		add_name(&b, t->name);
		tl_buf_adds(&b, " (trace INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (trace, row)) WITHOUT ROWID");
		tl_sql_run(t->s, tl_buf_text(&b));
	}
	for (size_t i = 0; i < t->columns.n && !t->s->status; i++) {
		const struct tl_typed_column *c = &t->columns.items[i];
		if (has_column(t->s, t->name, c->key))
			continue;
		tl_buf_clear(&b);
		tl_buf_adds(&b, "ALTER TABLE ");
		add_name(&b, t->name);
		tl_buf_adds(&b, " ADD COLUMN ");
		add_name(&b, c->key);
		tl_buf_addf(&b, " %s", types[c->type]);
		tl_sql_run(t->s, tl_buf_text(&b));
	}
	tl_buf_release(&b);
}

static void prepare_row(struct sheet *t)
{
	struct tl_buf b = { 0 };

	tl_buf_adds(&b, "INSERT INTO ");
	add_name(&b, t->name);
	tl_buf_adds(&b, " (trace, row");
	for (size_t i = 0; i < t->columns.n; i++) {
		tl_buf_adds(&b, ", ");
		add_name(&b, t->columns.items[i].key);
	}
	tl_buf_adds(&b, ") VALUES (?, ?");
	for (size_t i = 0; i < t->columns.n; i++)
		tl_buf_adds(&b, ", ?");
	tl_buf_addc(&b, ')');
	if (!t->s->status && sqlite3_prepare_v2(t->s->db, tl_buf_text(&b), -1, &t->row, NULL))
		failed(t->s, t->name);
	tl_buf_release(&b);
}

static void put_field(struct sheet *t, int column, const struct tl_typed_column *c, const struct tl_field_text *f)
{
	size_t whole = 0;
	char *number;

	switch (tl_typed_value(c, f, &whole)) {
	case TL_VALUE_NULL: break;
	case TL_VALUE_TRUE: sqlite3_bind_int(t->row, column, 1); break;
	case TL_VALUE_FALSE: sqlite3_bind_int(t->row, column, 0); break;
	case TL_VALUE_TEXT: tl_sql_put_text(t->s, t->row, column, f->s, f->len); break;
	case TL_VALUE_NUMBER:
		number = tl_strndup(f->s, f->len);
		if (whole && (whole == f->len || c->type == TL_TYPE_INT) && f->len < 19)
			sqlite3_bind_int64(t->row, column, strtoll(number, NULL, 10));
		else if (whole && c->type != TL_TYPE_REAL) /* SQLite makes an integer of it if it fits in 64 bits */
			sqlite3_bind_text(t->row, column, number, (int)f->len, SQLITE_TRANSIENT);
		else
			sqlite3_bind_double(t->row, column, strtod(number, NULL));
		free(number);
	}
}

static enum tl_status take_row(void *ctx, size_t row, const struct tl_field_text *fields, size_t n, struct tl_error *err)
{
	static const char *const first[] = { "trace", "row", NULL }; /* a sheet's own are trace_2 and row_2 */
	struct sheet *t = ctx;

	if (!row) {
		tl_typed_columns_take(&t->columns, t->name, fields, n, first);
		make_columns(t);
		prepare_row(t);
	} else {
		sqlite3_bind_int64(t->row, 1, t->trace);
		sqlite3_bind_int64(t->row, 2, (int64_t)row);
		for (size_t i = 0; i < n; i++)
			put_field(t, (int)i + 3, &t->columns.items[i], &fields[i]);
		tl_sql_put_row(t->s, t->row);
	}
	return tl_sql_status(t->s, err);
}

void tl_sql_add_sheet(struct tl_sql *s, int64_t trace, const char *name, struct tl_input *tsv)
{
	struct sheet t = { .s = s, .name = name, .trace = trace };
	struct tl_error err;

	if (s->status)
		return;
	if (tl_tsv_read(tsv, take_row, &t, &err) && !s->status) {
		s->status = err.status;
		s->error = err;
	}
	sqlite3_finalize(t.row);
	tl_typed_columns_release(&t.columns);
}
