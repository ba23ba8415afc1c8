/* sqlite_db.c - tables of a SQLite database: rows in the order of the file, names by number.
 *
 * Rows come without ORDER BY and without an index, so in the order of their rowids. A rowid
 * that does not rise is the sign of a damaged tree, or of one that was built to have no end.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/sqlite_db.h"

#include "base/io.h"
#include "base/temp_file.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define TIME_MAX ((int64_t)1 << 62)
enum {
	HEADER = 100,              /* bytes of a file's header */
	COPY = 65536,              /* bytes that are copied at a time */
	MAX_TEXT = 64 << 20,       /* bytes of a value */
	SCHEMA_STEPS = 1 << 24,    /* of SQLite's machine, to read the schema */
	NAMES_BYTES = 16 << 20,    /* of remembered names */
	NAMES_COUNT = 1 << 18,
};

/* ---- the header: whether the file is whole --------------------------------------------- */

static uint32_t number_at(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static enum tl_status check_header(int fd, int64_t *size, struct tl_error *err)
{
	unsigned char h[HEADER];
	struct stat st;

	if (fstat(fd, &st))
		return tl_fail(err, TL_ERR_IO, "cannot read: %s", strerror(errno));
	*size = st.st_size;
	ssize_t got = pread(fd, h, sizeof h, 0);
	if (got < 0)
		return tl_fail(err, TL_ERR_IO, "cannot read: %s", strerror(errno));
	if (got < HEADER)
		return tl_fail_at(err, TL_ERR_DATA, got, "the SQLite database is cut short: it ends in its header");
	int64_t page = h[16] << 8 | h[17], pages = number_at(h + 28);
	page = page == 1 ? 65536 : page;
	if (page < 512 || (page & (page - 1)))
		return tl_fail_at(err, TL_ERR_DATA, 16, "the SQLite database is damaged: a page size of %lld bytes", (long long)page);
	if (!pages || memcmp(h + 24, h + 92, 4)) /* written by a version that does not keep the number of pages */
		pages = (*size + page - 1) / page;
	if (*size != page * pages)
		return tl_fail_at(err, TL_ERR_DATA, *size < page * pages ? *size : page * pages,
		                  "the SQLite database %s: its header tells of %lld pages of %lld bytes, the file has %lld bytes",
		                  *size < page * pages ? "is cut short" : "has bytes behind its end",
		                  (long long)pages, (long long)page, (long long)*size);
	return TL_OK;
}

/* ---- files beside it -------------------------------------------------------------------- */

/* Does the file PATH SUFFIX exist, and begin with these bytes? */
static bool is_beside(const char *path, const char *suffix, const char *begin, size_t len)
{
	struct tl_buf name = { 0 };
	char first[8];
	bool is = false;

	tl_buf_addf(&name, "%s%s", path, suffix);
	int fd = open(name.data, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0) {
		is = read(fd, first, sizeof first) >= (ssize_t)(len ? len : 1) && !memcmp(first, begin, len);
		close(fd);
	}
	tl_buf_release(&name);
	return is;
}

static enum tl_status check_beside(const char *path, struct tl_error *err)
{
	static const char hot_journal[] = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
	bool wal = is_beside(path, "-wal", "", 0);

	if (!wal && !is_beside(path, "-journal", hot_journal, 8))
		return TL_OK;
	return tl_fail(err, TL_ERR_DATA, "the file beside it that ends in %s holds changes that are not in the database: "
	               "let the profiler end, or run sqlite3 FILE 'PRAGMA %s' first", wal ? "-wal" : "-journal",
	               wal ? "wal_checkpoint(truncate)" : "schema_version");
}

/* ---- opening ------------------------------------------------------------------------------ */

static enum tl_status open_as(sqlite3 **db, const char *uri, struct tl_error *err)
{
	int rc = sqlite3_open_v2(uri, db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);

	if (rc == SQLITE_OK)
		return TL_OK;
	return tl_fail(err, TL_ERR_IO, "SQLite cannot open the database: %s", *db ? sqlite3_errmsg(*db) : sqlite3_errstr(rc));
}

/* A file: URI of a path. */
static void add_uri(struct tl_buf *uri, const char *path, const char *parameters)
{
	tl_buf_adds(uri, "file:");
	for (; *path; path++)
		if (strchr("%?#", *path) || (unsigned char)*path < 32)
			tl_buf_addf(uri, "%%%02X", (unsigned char)*path);
		else
			tl_buf_addc(uri, *path);
	tl_buf_adds(uri, parameters);
}

static enum tl_status open_path(sqlite3 **db, const char *given, int64_t *size, struct tl_error *err)
{
	char *path = realpath(given, NULL);
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	struct tl_buf uri = { 0 };
	enum tl_status st;

	if (fd < 0) {
		st = tl_fail(err, TL_ERR_IO, "cannot open: %s", errno == ENOMEM ? "out of memory" : strerror(errno));
		free(path);
		return st;
	}
	st = check_header(fd, size, err);
	close(fd);
	if (!st)
		st = check_beside(path, err);
	add_uri(&uri, path, "?immutable=1");
	if (!st)
		st = open_as(db, uri.data, err);
	tl_buf_release(&uri);
	free(path);
	return st;
}

static enum tl_status copy_failed(struct tl_error *err, const char *what)
{
	return tl_fail(err, TL_ERR_IO, "cannot %s a temporary copy of the database, which SQLite needs of a pipe or of "
	               "compressed data: %s", what, strerror(errno));
}

static enum tl_status write_all(int fd, const char *p, size_t n, struct tl_error *err)
{
	while (n) {
		ssize_t done = write(fd, p, n);
		if (done < 0 && errno != EINTR)
			return copy_failed(err, "write");
		p += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return TL_OK;
}

/* A copy of a database with a write-ahead log is one without: bytes 18 and 19. */
static enum tl_status copy_input(int fd, struct tl_input *in, struct tl_error *err)
{
	static const char no_wal[] = { 1, 1 };
	char *buf = tl_alloc(COPY);
	enum tl_status st = TL_OK;
	char versions[2];
	int64_t n;

	while (!st && (n = in->read(in, buf, COPY, err)) != 0)
		st = n < 0 ? (err && err->status ? err->status : TL_ERR_IO) : write_all(fd, buf, (size_t)n, err);
	free(buf);
	if (!st && pread(fd, versions, 2, 18) == 2 && versions[0] == 2 && pwrite(fd, no_wal, 2, 18) != 2)
		st = copy_failed(err, "write");
	return st;
}

/* SQLite opens the file while that is still empty and has a name; it reads nothing before the
 * first statement. So the name is gone before the copying begins. */
static enum tl_status open_copy(sqlite3 **db, struct tl_input *in, int64_t *size, struct tl_error *err)
{
	char *name = tl_temp_name("tl-database");
	struct tl_buf uri = { 0 };
	enum tl_status st;

	int fd = tl_temp_make(name);
	if (fd < 0) {
		free(name);
		return copy_failed(err, "make");
	}
	add_uri(&uri, name, "");
	st = open_as(db, uri.data, err);
	unlink(name);
	if (!st)
		st = copy_input(fd, in, err);
	if (!st)
		st = check_header(fd, size, err);
	close(fd);
	free(name);
	tl_buf_release(&uri);
	return st;
}

/* Opens the database that `in` begins with: the file itself if in->path names it, else a copy
 * in an unlinked temporary file. Nothing is written beside the file, and no lock is taken.
 * *size: the length of the file. Views, triggers and extensions are off.
 * TL_ERR_DATA: the file is not as long as its header says, or a write-ahead log or journal
 * beside it holds changes that it lacks. TL_ERR_IO: it cannot be read or copied. */
static enum tl_status open_database(sqlite3 **db, struct tl_input *in, int64_t *size, struct tl_error *err)
{
	*db = NULL;
	*size = 0;
	enum tl_status st = in->path ? open_path(db, in->path, size, err) : open_copy(db, in, size, err);
	if (st) {
		sqlite3_close(*db);
		*db = NULL;
	} else {
		/* What is in the file is data: no code of its schema runs. */
		sqlite3_db_config(*db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
		sqlite3_db_config(*db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
		sqlite3_db_config(*db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
		sqlite3_db_config(*db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
		sqlite3_db_config(*db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
		sqlite3_limit(*db, SQLITE_LIMIT_LENGTH, MAX_TEXT);
		sqlite3_limit(*db, SQLITE_LIMIT_ATTACHED, 0);
		sqlite3_exec(*db, "PRAGMA query_only = 1; PRAGMA cell_size_check = 1", NULL, NULL, NULL);
	}
	return st;
}

/* ---- statements -------------------------------------------------------------------------- */

static enum tl_status fail(const struct tl_db *db, int rc, const char *table, struct tl_error *err)
{
	enum tl_status st = (rc & 0xff) == SQLITE_IOERR || (rc & 0xff) == SQLITE_NOMEM ? TL_ERR_IO : TL_ERR_DATA;

	if ((rc & 0xff) == SQLITE_INTERRUPT)
		return tl_fail(err, TL_ERR_DATA, "the SQLite database has no end of tables, or a damaged list of them");
	return tl_fail(err, st, "%s%.200s%sSQLite says: %.300s", table ? "table " : "", table ? table : "", table ? ": " : "",
	               sqlite3_errmsg(db->db));
}

static void add_quoted(struct tl_buf *sql, const char *name)
{
	tl_buf_addc(sql, '"');
	for (; *name; name++) {
		if (*name == '"')
			tl_buf_addc(sql, '"');
		tl_buf_addc(sql, *name);
	}
	tl_buf_addc(sql, '"');
}

static enum tl_status prepare(struct tl_db *db, sqlite3_stmt **stmt, const char *sql, const char *table, struct tl_error *err)
{
	int rc = sqlite3_prepare_v2(db->db, sql, -1, stmt, NULL);

	return rc == SQLITE_OK ? TL_OK : fail(db, rc, table, err);
}

/* *last: the rowid of the row before, INT64_MIN at the first; becomes that of this row. */
static enum tl_status check_order(const char *table, int64_t rowid, int64_t *last, struct tl_error *err)
{
	if (rowid <= *last && *last != INT64_MIN)
		return tl_fail(err, TL_ERR_DATA, "table %.200s: row %lld follows row %lld; the database is damaged", table,
		               (long long)rowid, (long long)*last);
	*last = rowid;
	return TL_OK;
}

/* ---- the tables there are ---------------------------------------------------------------- */

static int stop(void *unused)
{
	(void)unused;
	return 1;
}

static enum tl_status list_tables(struct tl_db *db, struct tl_error *err)
{
	sqlite3_stmt *s = NULL;
	int rc = SQLITE_OK;

	sqlite3_progress_handler(db->db, SCHEMA_STEPS, stop, NULL);
	enum tl_status st = prepare(db, &s, "SELECT name, type, rootpage FROM main.sqlite_master", NULL, err);
	while (!st && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(s, 0), *type = (const char *)sqlite3_column_text(s, 1);
		if (!name || !type || (strcmp(type, "table") && strcmp(type, "view")))
			continue;
		uint32_t id = tl_intern_str(&db->names, name);
		TL_GROW(db->is_table, db->cap_is_table, (size_t)id + 1);
		db->is_table[id] = !strcmp(type, "table") && sqlite3_column_int64(s, 2) > 0; /* a virtual table has no page */
	}
	if (!st && rc != SQLITE_DONE)
		st = fail(db, rc, NULL, err);
	sqlite3_finalize(s);
	sqlite3_progress_handler(db->db, 0, NULL, NULL);
	return st;
}

enum tl_status tl_db_open(struct tl_db *db, struct tl_input *in, struct tl_error *err)
{
	enum tl_status st = open_database(&db->db, in, &db->size, err);

	return st ? st : list_tables(db, err);
}

void tl_db_close(struct tl_db *db)
{
	sqlite3_close(db->db);
	tl_strtab_release(&db->names);
	free(db->is_table);
	db->db = NULL;
	db->is_table = NULL;
}

bool tl_db_has_table(const struct tl_db *db, const char *name)
{
	uint32_t id = tl_strtab_find(&db->names, name, strlen(name));

	return id && db->is_table[id];
}

/* ---- the columns there are ------------------------------------------------------------------ */

struct columns {
	struct tl_strtab names;
	struct tl_strtab computed; /* columns that are expressions, which are not run */
	uint32_t key;           /* id of the column that is the rowid; 0: none */
};

static void add_column(struct columns *c, sqlite3_stmt *s, int *keys)
{
	const char *name = (const char *)sqlite3_column_text(s, 1), *type = (const char *)sqlite3_column_text(s, 2);
	bool is_key = sqlite3_column_int(s, 5) > 0;

	if (name && sqlite3_column_int(s, 6))
		tl_intern_str(&c->computed, name);
	if (!name || sqlite3_column_int(s, 6))
		return;
	uint32_t id = tl_intern_str(&c->names, name);
	*keys += is_key;
	if (is_key)
		c->key = *keys == 1 && type && !strcasecmp(type, "integer") ? id : 0;
}

/* *exists: there is such a table. */
static enum tl_status find_columns(struct tl_db *db, const char *table, struct columns *c, bool *exists, struct tl_error *err)
{
	struct tl_buf sql = { 0 };
	sqlite3_stmt *s = NULL;
	int rc = SQLITE_OK, keys = 0;

	*c = (struct columns){ 0 };
	*exists = tl_db_has_table(db, table);
	if (!*exists && tl_strtab_find(&db->names, table, strlen(table)))
		return tl_fail(err, TL_ERR_DATA, "%.200s is a view or a virtual table, expected a table", table);
	if (!*exists)
		return TL_OK;
	tl_buf_adds(&sql, "PRAGMA main.table_xinfo(");
	add_quoted(&sql, table);
	tl_buf_addc(&sql, ')');
	enum tl_status st = prepare(db, &s, sql.data, table, err);
	while (!st && (rc = sqlite3_step(s)) == SQLITE_ROW)
		add_column(c, s, &keys);
	if (!st && rc != SQLITE_DONE)
		st = fail(db, rc, table, err);
	if (!st && tl_strtab_find(&c->names, "_rowid_", 7))
		st = tl_fail(err, TL_ERR_DATA, "table %.200s has a column _rowid_, which hides the number of a row", table);
	sqlite3_finalize(s);
	tl_buf_release(&sql);
	return st;
}

static void release_columns(struct columns *c)
{
	tl_strtab_release(&c->names);
	tl_strtab_release(&c->computed);
}

static bool has_column(const struct columns *c, const char *name)
{
	return tl_strtab_find(&c->names, name, strlen(name)) != 0;
}

/* ---- a query ----------------------------------------------------------------------------------- */

struct plan {
	struct columns of[TL_DB_JOINS + 1]; /* the query's table, then those that are joined */
	struct tl_buf names[TL_DB_JOINS + 1];
	bool exists[TL_DB_JOINS + 1], used[TL_DB_JOINS + 1];
	struct tl_buf sql;
};

static int n_joins(const struct tl_db_query *q)
{
	int n = 0;

	while (n < TL_DB_JOINS && q->joins[n].table)
		n++;
	return n;
}

static enum tl_status look_at_tables(struct plan *p, struct tl_db *db, const struct tl_db_query *q, const char *suffix, struct tl_error *err)
{
	enum tl_status st = TL_OK;

	for (int i = 0; !st && i <= n_joins(q); i++) {
		tl_buf_addf(&p->names[i], "%s%s", i ? q->joins[i - 1].table : q->table, suffix);
		st = find_columns(db, p->names[i].data, &p->of[i], &p->exists[i], err);
		if (!st && i && p->exists[i]) {
			p->exists[i] = has_column(&p->of[0], q->joins[i - 1].via);
			if (p->exists[i] && !p->of[i].key)
				st = tl_fail(err, TL_ERR_DATA, "table %.200s has no integer primary key", p->names[i].data);
		}
	}
	return st;
}

/* Chooses the columns and adds them to the statement. */
static enum tl_status choose_columns(struct plan *p, const struct tl_db_query *q, struct tl_db_rows *r, struct tl_error *err)
{
	for (const struct tl_db_column *c = q->columns; c->name; c++) {
		bool known = false, there = p->exists[c->from] && has_column(&p->of[c->from], c->name);
		for (const struct tl_db_column *d = q->columns; d < c; d++)
			known |= d->slot == c->slot;
		if (p->exists[c->from] && tl_strtab_find(&p->of[c->from].computed, c->name, strlen(c->name)))
			return tl_fail(err, TL_ERR_DATA, "table %.200s: the column %s is computed by an expression, expected data",
			               p->names[c->from].data, c->name);
		if (!there || r->places[c->slot])
			continue;
		tl_buf_addf(&p->sql, ", t%d.", c->from);
		add_quoted(&p->sql, c->name);
		p->used[c->from] = true;
		uint8_t flags = c->flags;
		for (const struct tl_db_column *d = q->columns; known && d < c; d++)
			flags = d->slot == c->slot ? d->flags : flags;
		r->columns[r->n_columns].slot = c->slot;
		r->columns[r->n_columns].flags = flags;
		r->columns[r->n_columns].name = c->name;
		r->places[c->slot] = ++r->n_columns;
	}
	for (const struct tl_db_column *c = q->columns; c->name; c++)
		if (c->flags & TL_DB_NEEDED && !r->places[c->slot])
			return tl_fail(err, TL_ERR_DATA, "table %.200s has no column %s, which is needed", p->names[0].data, c->name);
	return TL_OK;
}

enum tl_status tl_db_query(struct tl_db_rows *r, struct tl_db *db, const struct tl_db_query *q, const char *suffix, struct tl_error *err)
{
	struct plan p = { 0 };
	enum tl_status st;

	*r = (struct tl_db_rows){ .db = db, .rowid = INT64_MIN };
	st = look_at_tables(&p, db, q, suffix, err);
	tl_buf_adds(&p.sql, "SELECT t0._rowid_");
	if (!st && p.exists[0])
		st = choose_columns(&p, q, r, err);
	if (!st && p.exists[0]) {
		tl_buf_adds(&p.sql, " FROM main.");
		add_quoted(&p.sql, p.names[0].data);
		tl_buf_adds(&p.sql, " AS t0 NOT INDEXED");
		for (int i = 1; i <= n_joins(q); i++)
			if (p.used[i]) {
				tl_buf_adds(&p.sql, " LEFT JOIN main.");
				add_quoted(&p.sql, p.names[i].data);
				tl_buf_addf(&p.sql, " AS t%d ON t%d._rowid_ = t0.", i, i);
				add_quoted(&p.sql, q->joins[i - 1].via);
			}
		st = prepare(db, &r->stmt, p.sql.data, p.names[0].data, err);
	}
	r->table = p.names[0];
	for (int i = 0; i <= TL_DB_JOINS; i++) {
		release_columns(&p.of[i]);
		if (i)
			tl_buf_release(&p.names[i]);
	}
	tl_buf_release(&p.sql);
	r->status = st;
	return st;
}

void tl_db_end(struct tl_db_rows *r)
{
	sqlite3_finalize(r->stmt);
	r->stmt = NULL;
	tl_buf_release(&r->table);
}

/* ---- a row -------------------------------------------------------------------------------------- */

/* What is wrong with a value; NULL: nothing. */
static const char *take_value(struct tl_db_rows *r, int column)
{
	int slot = r->columns[column].slot, flags = r->columns[column].flags;
	sqlite3_value *value = sqlite3_column_value(r->stmt, column + 1); /* no other thread has the database */
	int type = sqlite3_value_type(value);

	r->ints[slot] = 0;
	if (type == SQLITE_NULL || (type == SQLITE_TEXT && !(flags & TL_DB_NEEDED) && !sqlite3_value_bytes(value)))
		return flags & TL_DB_NEEDED ? "is missing" : NULL;
	r->given |= (uint64_t)1 << slot;
	if (flags & TL_DB_BYTES)
		return type == SQLITE_TEXT || type == SQLITE_BLOB ? NULL : "is neither a text nor bytes";
	if (flags & TL_DB_TEXT)
		return type == SQLITE_TEXT ? NULL : "is not a text";
	if (flags & TL_DB_REAL && (type == SQLITE_INTEGER || type == SQLITE_FLOAT)) {
		r->real = sqlite3_value_double(value);
		return NULL;
	}
	if (type != SQLITE_INTEGER)
		return "is not an integer";
	int64_t v = r->ints[slot] = sqlite3_value_int64(value);
	return flags & TL_DB_TIME && (v > TIME_MAX || v < -TIME_MAX) ? "is out of range" : NULL;
}

/* Takes the values of the row. False: it is damaged. */
static bool take_row(struct tl_db_rows *r, struct tl_error *err)
{
	r->given = 0;
	for (int i = 0; i < r->n_columns; i++) {
		const char *wrong = take_value(r, i);
		if (wrong) {
			tl_fail(err, TL_ERR_DATA, "table %.200s, row %lld: %s %s", r->table.data, (long long)r->rowid,
			        r->columns[i].name, wrong);
			return false;
		}
	}
	return true;
}

bool tl_db_next(struct tl_db_rows *r, struct tl_error *err)
{
	struct tl_db *db = r->db;
	int rc;

	if (!r->stmt || r->status)
		return false;
	while ((rc = sqlite3_step(r->stmt)) == SQLITE_ROW) {
		r->status = check_order(r->table.data, sqlite3_column_int64(r->stmt, 0), &r->rowid, err);
		if (r->status)
			return false;
		if (take_row(r, err))
			return true;
		if (!db->lenient) {
			db->report->lenient_helps = true;
			r->status = TL_ERR_DATA;
			return false;
		}
		tl_read_note(db->report, "a row whose value is of a wrong type or out of range, left out", db->uid++, -1);
	}
	if (rc != SQLITE_DONE)
		r->status = fail(db, rc, r->table.data, err);
	return false;
}

const char *tl_db_text(const struct tl_db_rows *r, int slot, size_t *len)
{
	*len = 0;
	if (!tl_db_given(r, slot))
		return NULL;
	const char *s = (const char *)sqlite3_column_text(r->stmt, r->places[slot]);
	*len = s ? (size_t)sqlite3_column_bytes(r->stmt, r->places[slot]) : 0;
	return s;
}

/* ---- names by number ------------------------------------------------------------------------------ */

/* Remembers the text in the columns of a row from `column` on. 0: all are empty. */
static uint32_t remember(struct tl_db_names *n, sqlite3_stmt *s, int column)
{
	struct tl_buf text = { 0 };
	uint32_t id = 0;

	for (; !text.len && column < sqlite3_column_count(s); column++)
		if (sqlite3_column_type(s, column) == SQLITE_TEXT) {
			const char *t = (const char *)sqlite3_column_text(s, column);
			tl_buf_add_utf8(&text, t ? t : "", t ? (size_t)sqlite3_column_bytes(s, column) : 0);
		}
	if (text.data)
		id = tl_intern(&n->texts, tl_buf_text(&text), text.len);
	tl_buf_release(&text);
	return id;
}

/* Takes the names of a table whose key is not the number. */
static enum tl_status take_all(struct tl_db_names *n, struct tl_error *err)
{
	enum tl_status st = TL_OK;
	int64_t last = INT64_MIN;
	int rc;

	while (!st && (rc = sqlite3_step(n->stmt)) == SQLITE_ROW) {
		st = check_order(n->table.data, sqlite3_column_int64(n->stmt, 0), &last, err);
		if (!st && sqlite3_column_type(n->stmt, 1) == SQLITE_INTEGER)
			*tl_map_put(&n->known, (uint64_t)sqlite3_column_int64(n->stmt, 1), NULL) = remember(n, n->stmt, 2);
	}
	if (!st && rc != SQLITE_DONE)
		st = fail(n->db, rc, n->table.data, err);
	sqlite3_finalize(n->stmt);
	n->stmt = NULL;
	return st;
}

enum tl_status tl_db_names_open(struct tl_db_names *n, struct tl_db *db, const char *table, const char *suffix,
                                const char *const *columns, struct tl_error *err)
{
	struct columns there;
	struct tl_buf sql = { 0 };
	bool exists, any = false;

	*n = (struct tl_db_names){ .db = db };
	tl_buf_addf(&n->table, "%s%s", table, suffix);
	enum tl_status st = find_columns(db, n->table.data, &there, &exists, err);
	if (!st && exists) {
		n->whole = !there.key || strcmp(tl_str(&there.names, there.key), "id");
		tl_buf_adds(&sql, n->whole ? "SELECT _rowid_, id" : "SELECT _rowid_");
		for (int i = 0; columns[i]; i++)
			if (has_column(&there, columns[i])) {
				tl_buf_adds(&sql, ", ");
				add_quoted(&sql, columns[i]);
				any = true;
			}
		tl_buf_adds(&sql, " FROM main.");
		add_quoted(&sql, n->table.data);
		tl_buf_adds(&sql, n->whole ? " NOT INDEXED" : " WHERE _rowid_ = ?1");
		if (!any || !has_column(&there, "id"))
			st = tl_fail(err, TL_ERR_DATA, "table %.200s has no column %s, which is needed", n->table.data, any ? "id" : columns[0]);
	}
	if (!st && exists)
		st = prepare(db, &n->stmt, sql.data, n->table.data, err);
	if (!st && n->whole)
		st = take_all(n, err);
	release_columns(&there);
	tl_buf_release(&sql);
	return st;
}

static enum tl_status look_up(struct tl_db_names *n, int64_t number, uint32_t *id, struct tl_error *err)
{
	int rc = sqlite3_bind_int64(n->stmt, 1, number);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(n->stmt);
	*id = rc == SQLITE_ROW ? remember(n, n->stmt, 1) : 0;
	enum tl_status st = rc == SQLITE_ROW || rc == SQLITE_DONE ? TL_OK : fail(n->db, rc, n->table.data, err);
	sqlite3_reset(n->stmt);
	return st;
}

enum tl_status tl_db_name(struct tl_db_names *n, int64_t number, const char **text, size_t *len, struct tl_error *err)
{
	const uint32_t *known = tl_map_get(&n->known, (uint64_t)number);
	uint32_t id = known ? *known : 0;
	enum tl_status st = TL_OK;

	if (!known && n->stmt) {
		if (n->texts.bytes > NAMES_BYTES || n->known.count > NAMES_COUNT) {
			tl_strtab_clear(&n->texts);
			tl_map_release(&n->known);
		}
		st = look_up(n, number, &id, err);
		*tl_map_put(&n->known, (uint64_t)number, NULL) = id;
	}
	*text = id ? tl_str(&n->texts, id) : NULL;
	*len = id ? tl_str_len(&n->texts, id) : 0;
	return st;
}

void tl_db_names_close(struct tl_db_names *n)
{
	sqlite3_finalize(n->stmt);
	tl_buf_release(&n->table);
	tl_strtab_release(&n->texts);
	tl_map_release(&n->known);
	*n = (struct tl_db_names){ 0 };
}
