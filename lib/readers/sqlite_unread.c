/* sqlite_unread.c - tables of Nsight Systems that are not read: what their rows are, and how many.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/sqlite.h"

#include <stdio.h>
#include <string.h>

#include "base/rows.h"
#include "base/text.h"

extern const char tl_data_nsys_tables[];
extern const size_t tl_data_nsys_tables_len;

enum { TABLE, ROWS };

static bool names(const struct tl_field_text *f, const char *table)
{
	bool begins = f->len && f->s[f->len - 1] == '*';

	return begins ? !strncmp(table, f->s, f->len - 1) : tl_text_is(f->s, f->len, table);
}

/* The first row that names the table gives *rows its text. */
static enum tl_status find(struct tl_rows r, const char *table, char *rows, size_t size, bool *found)
{
	r.columns = "table, rows";
	*found = false;
	while (tl_rows_next(&r)) {
		if (*found || !names(&r.fields[TABLE], table))
			continue;
		*found = true;
		snprintf(rows, size, "%.*s", (int)r.fields[ROWS].len, r.fields[ROWS].s);
	}
	return r.status;
}

bool tl_nsys_table(const char *table, char *rows, size_t size)
{
	struct tl_error err;
	bool found;

	tl_must(find((struct tl_rows){ .file = "nsys-tables", .text = tl_data_nsys_tables, .len = tl_data_nsys_tables_len, .err = &err },
	             table, rows, size, &found), &err);
	return found;
}

enum tl_status tl_nsys_tables_check(const char *file, const char *text, size_t len, struct tl_error *err)
{
	bool found;

	return find((struct tl_rows){ .file = file, .text = text, .len = len, .err = err }, "", NULL, 0, &found);
}

/* ---- counting ----------------------------------------------------------------------------- */

/* A note that lasts as long as the report; the last of many is about all others. */
static const char *keep(struct tl_read_report *r, const char *note)
{
	for (size_t i = 0; i < r->n_tables; i++)
		if (!strcmp(r->tables[i], note))
			return r->tables[i];
	if (r->n_tables == sizeof r->tables / sizeof *r->tables)
		return "rows of other tables, left out";
	snprintf(r->tables[r->n_tables], sizeof *r->tables, "%s", note);
	return r->tables[r->n_tables++];
}

/* Counts the rows of a table that may be of any form: one that has no numbers of rows, or is damaged, costs no more than itself. */
static void leave_out(struct tl_sqlite_reader *r, const char *table, const char *what)
{
	static const struct tl_db_column none[] = { { .name = NULL } };
	struct tl_db_rows rows = { .db = &r->db };
	struct tl_error err;
	char note[sizeof r->make.report->tables[0]];
	uint64_t n = 0;

	enum tl_status st = tl_db_query(&rows, &r->db, &(struct tl_db_query){ .table = table, .columns = none }, "", &err);
	while (!st && tl_db_next(&rows, &err))
		n++;
	st = st ? st : rows.status;
	tl_db_end(&rows);
	snprintf(note, sizeof note, "%.70s, left out%s", what, st ? "; more are in a table that is damaged" : "");
	for (char *c = note; *c; c++) /* notes become keys of JSON */
		*c = (char)(*c == '"' || *c == '\\' || (unsigned char)*c < ' ' || (unsigned char)*c > '~' ? '?' : *c);
	if (n || st)
		tl_read_note_many(r->make.report, keep(r->make.report, note), n, r->db.uid);
	r->db.uid += n + (st && !n);
}

void tl_sqlite_leave_out_tables(struct tl_sqlite_reader *r)
{
	for (uint32_t id = 1; !r->status && id <= r->db.names.count; id++) {
		const char *table = tl_str(&r->db.names, id);
		char rows[100];

		if (!r->db.is_table[id])
			continue;
		if (!tl_nsys_table(table, rows, sizeof rows))
			snprintf(rows, sizeof rows, "rows of the table %s", table);
		if (strcmp(rows, "read") != 0 && strcmp(rows, "about") != 0)
			leave_out(r, table, rows);
	}
}
