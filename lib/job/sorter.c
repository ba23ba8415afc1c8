/* sorter.c - sorts records in bounded memory: a table of a temporary database of SQLite's.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/sorter.h"
#include "base/temp_file.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct tl_sorter { sqlite3 *db; sqlite3_stmt *insert, *select; };

/* The database has no name, is written to a file once its cache of 8 MiB is full, and is lost however the program ends. */
struct tl_sorter *tl_sorter_new(void)
{
	static const char setup[] =
		"PRAGMA page_size = 32768; PRAGMA journal_mode = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -8192; PRAGMA temp_store = FILE;"
		"CREATE TABLE records (key BLOB, data BLOB); BEGIN";
	struct tl_sorter *s = tl_calloc(1, sizeof *s);

	if (!sqlite3_temp_directory)
		sqlite3_temp_directory = sqlite3_mprintf("%s", tl_temp_folder());
	if (!sqlite3_open_v2("", &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) &&
	     !sqlite3_exec(s->db, setup, NULL, NULL, NULL)) {
		/* what cannot be prepared fails when it is used */
		sqlite3_prepare_v2(s->db, "INSERT INTO records VALUES (?1, ?2)", -1, &s->insert, NULL);
		sqlite3_prepare_v2(s->db, "SELECT key, data FROM records ORDER BY key, rowid", -1, &s->select, NULL);
	}
	return s;
}

void tl_sorter_free(struct tl_sorter *s)
{
	if (!s)
		return;
	sqlite3_finalize(s->insert);
	sqlite3_finalize(s->select);
	sqlite3_close(s->db);
	free(s);
}

static enum tl_status fail(const struct tl_sorter *s, struct tl_error *err)
{
	return tl_fail(err, TL_ERR_IO, "cannot sort records in a temporary file: %s", sqlite3_errmsg(s->db));
}

enum tl_status tl_sorter_add(struct tl_sorter *s, const void *key, size_t key_len, const void *data, size_t len,
                             struct tl_error *err)
{
	bool bound = !sqlite3_bind_blob64(s->insert, 1, key, key_len, SQLITE_STATIC) &&
		!sqlite3_bind_blob64(s->insert, 2, data, len, SQLITE_STATIC);
	bool added = bound && sqlite3_step(s->insert) == SQLITE_DONE;
	enum tl_status st = added ? TL_OK : fail(s, err);

	sqlite3_reset(s->insert);
	return st;
}

enum tl_status tl_sorter_next(struct tl_sorter *s, struct tl_sorted *next, struct tl_error *err)
{
	int code = sqlite3_step(s->select);

	*next = (struct tl_sorted){ NULL, NULL, 0, 0 };
	if (code == SQLITE_ROW)
		*next = (struct tl_sorted){ sqlite3_column_blob(s->select, 0), sqlite3_column_blob(s->select, 1),
			(size_t)sqlite3_column_bytes(s->select, 0), (size_t)sqlite3_column_bytes(s->select, 1) };
	return code == SQLITE_ROW || code == SQLITE_DONE ? TL_OK : fail(s, err);
}

void tl_sorter_rewind(struct tl_sorter *s)
{
	sqlite3_reset(s->select);
}

/* ---- keys ----------------------------------------------------------------------------------- */

void tl_key_add_text(struct tl_buf *key, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		tl_buf_addc(key, s[i]);
		if (!s[i])
			tl_buf_addc(key, 1);
	}
	tl_buf_add(key, "\0", 2);
}

static void add_bits(struct tl_buf *key, uint64_t bits)
{
	for (int shift = 56; shift >= 0; shift -= 8)
		tl_buf_addc(key, (char)(bits >> shift));
}

void tl_key_add_int(struct tl_buf *key, int64_t i)
{
	add_bits(key, (uint64_t)i ^ UINT64_C(1) << 63);
}

void tl_key_add_real(struct tl_buf *key, double d)
{
	uint64_t bits;

	d += 0.0; /* -0.0 is 0.0 */
	memcpy(&bits, &d, sizeof bits);
	add_bits(key, bits >> 63 ? ~bits : bits ^ UINT64_C(1) << 63);
}
