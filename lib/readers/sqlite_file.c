/* sqlite_file.c - the file of a SQLite database: where it is, whether it is whole.
 *
 * SQLite does not notice a last page that is cut off: it reads zeros there. Nor does it look
 * for a write-ahead log if the file is opened as immutable, which is the only way to open it
 * without writing beside it. So both are checked here, before SQLite sees the file.
 * The layout of the header: https://www.sqlite.org/fileformat2.html#the_database_header
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/sqlite_file.h"
#include "base/temp_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER = 100, MAX_TEXT = 64 << 20, COPY = 65536 };

/* ---- the header ---------------------------------------------------------------------- */

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

/* What is in the file is data: no code of its schema runs. */
static void restrict_db(sqlite3 *db)
{
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, MAX_TEXT);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_exec(db, "PRAGMA query_only = 1; PRAGMA cell_size_check = 1", NULL, NULL, NULL);
}

enum tl_status tl_sqlite_open(sqlite3 **db, struct tl_input *in, int64_t *size, struct tl_error *err)
{
	*db = NULL;
	*size = 0;
	enum tl_status st = in->path ? open_path(db, in->path, size, err) : open_copy(db, in, size, err);
	if (st) {
		sqlite3_close(*db);
		*db = NULL;
	} else {
		restrict_db(*db);
	}
	return st;
}
