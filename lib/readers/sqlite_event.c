/* sqlite_event.c - what the formats of profilers' SQLite databases share: processes, queries, and from
 * values of a row to an event.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/json_writer.h"
#include "readers/sqlite.h"

#include <string.h>

#include "base/utf8.h"

/* ---- processes and GPUs ----------------------------------------------------------------- */

struct tl_process *tl_sqlite_process(struct tl_sqlite_reader *r, uint64_t key, int64_t pid, bool *is_new)
{
	bool added;
	struct tl_process *p = TL_ITEM(&r->processes, key, &added);

	if (is_new)
		*is_new = added;
	if (added) {
		*p = (struct tl_process){ .number = r->processes.n, .pid = pid, .has_pid = true };
		tl_process_place(&r->make, p);
	}
	return p;
}

void tl_sqlite_name_host(struct tl_sqlite_reader *r, const char *name, size_t len)
{
	struct tl_buf json = { 0 };

	tl_json_quote(&json, name, len);
	r->hosts = r->hosts || (r->host.len && (r->host.len != json.len || memcmp(r->host.data, json.data, json.len)));
	tl_buf_clear(&r->host);
	tl_buf_add(&r->host, json.data, json.len);
	tl_buf_release(&json);
}

void tl_sqlite_add_gpu(struct tl_sqlite_reader *r, int64_t number, const char *name, size_t len, int64_t units)
{
	struct tl_buf json = { 0 };

	tl_json_quote(&json, name, len);
	tl_gpu_describe(&r->make.gpus, number, json.data, units > 0, units);
	tl_buf_release(&json);
}

/* ---- queries ------------------------------------------------------------------------------ */

void tl_sqlite_each(struct tl_sqlite_reader *r, const struct tl_db_query *q, const char *suffix,
                    void (*row)(void *ctx, const struct tl_db_rows *), void *ctx)
{
	struct tl_db_rows rows = { .db = &r->db };

	if (!r->status)
		r->status = tl_db_query(&rows, &r->db, q, suffix, r->err);
	while (!r->status && tl_db_next(&rows, r->err))
		row(ctx, &rows);
	if (!r->status)
		r->status = rows.status;
	tl_db_end(&rows);
}

const char *tl_sqlite_text(struct tl_sqlite_reader *r, const struct tl_db_rows *rows, int slot, size_t *len)
{
	const char *text = tl_db_text(rows, slot, len);

	tl_buf_clear(&r->make.text);
	tl_buf_add_utf8(&r->make.text, text ? text : "", *len);
	*len = r->make.text.len;
	return text ? tl_buf_text(&r->make.text) : NULL;
}

const char *tl_sqlite_name(struct tl_sqlite_reader *r, struct tl_db_names *n, int64_t number, size_t *len)
{
	const char *text = NULL;

	*len = 0;
	if (!r->status)
		r->status = tl_db_name(n, number, &text, len, r->err);
	return text;
}

const char *tl_sqlite_numbered(struct tl_sqlite_reader *r, const char *what, int64_t number, size_t *len)
{
	tl_buf_clear(&r->make.text);
	tl_buf_addf(&r->make.text, "%s%lld", what, (long long)number);
	*len = r->make.text.len;
	return r->make.text.data;
}

/* ---- events ------------------------------------------------------------------------------- */

void tl_sqlite_begin(struct tl_sqlite_reader *r, enum tl_kind kind, const char *cat)
{
	tl_make_event(&r->make, r->db.uid++, kind, 'X');
	r->make.layout.cat = cat ? tl_make_constant(&r->make, cat) : 0;
}

void tl_sqlite_set_time(struct tl_sqlite_reader *r, int64_t start, int64_t end)
{
	if (start <= end) {
		tl_make_span(&r->make, start, end - start);
		return;
	}
	tl_make_start(&r->make, start);
	tl_make_int(&r->make, TL_KEY_END, end);
	tl_read_note(r->make.report, "without a duration: the end is before the start", r->make.event.uid, -1);
}

void tl_sqlite_add_size(struct tl_sqlite_reader *r, const char *key, const struct tl_db_rows *rows, int slot)
{
	if (tl_db_given(rows, slot))
		tl_make_size(&r->make, key, rows->ints + slot);
}

void tl_sqlite_add_work_items(struct tl_sqlite_reader *r, const struct tl_db_rows *rows, int items, int block)
{
	tl_make_work_items(&r->make, tl_db_given(rows, items) ? rows->ints + items : NULL,
	                   tl_db_given(rows, block) ? rows->ints + block : NULL);
}

void tl_sqlite_add_slot(struct tl_sqlite_reader *r, const char *key, const struct tl_db_rows *rows, int slot)
{
	if (tl_db_given(rows, slot))
		tl_make_int(&r->make, key, rows->ints[slot]);
}

void tl_sqlite_push(struct tl_sqlite_reader *r)
{
	r->status = tl_push_made(&r->make, r->err);
}

void tl_sqlite_push_meta(struct tl_sqlite_reader *r, struct tl_process *p, const int64_t *tid, const char *name, size_t len)
{
	tl_make_process(&r->make, p);
	r->status = tl_push_name(&r->make, r->db.uid++, tid ? "thread_name" : "process_name", r->make.pid,
	                         tid ? tl_add_number(&r->make.tables, *tid) : 0, name, len, r->err);
}
