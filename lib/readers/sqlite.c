/* sqlite.c - reads the SQLite databases of profilers: rocpd, rpd, and Nsight Systems' export.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/sqlite.h"

#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "base/text.h"
#include "base/utf8.h"
#include "readers/sqlite_file.h"

/* ---- processes and GPUs ----------------------------------------------------------------- */

/* Two processes with one pid, of two hosts or containers, get different tracks. */
static void choose_track(struct tl_sqlite_reader *r, struct tl_sqlite_process *p)
{
	bool is_new;

	tl_map_put(&r->pids, (uint64_t)p->pid, &is_new);
	if (is_new)
		tl_buf_addf(&p->track, "%lld", (long long)p->pid);
	else
		tl_buf_addf(&p->track, "\"%lld (process %zu)\"", (long long)p->pid, r->n_processes);
}

struct tl_sqlite_process *tl_sqlite_process(struct tl_sqlite_reader *r, uint64_t key, int64_t pid, bool *is_new)
{
	bool added;
	uint32_t *index = tl_map_put(&r->by_key, key, &added);

	if (is_new)
		*is_new = added;
	if (!added)
		return &r->processes[*index - 1];
	TL_GROW(r->processes, r->cap_processes, r->n_processes + 1);
	struct tl_sqlite_process *p = &r->processes[r->n_processes++];
	*p = (struct tl_sqlite_process){ .pid = pid };
	*index = (uint32_t)r->n_processes;
	choose_track(r, p);
	return p;
}

void tl_sqlite_add_gpu(struct tl_sqlite_reader *r, int64_t number, const char *name, size_t len, int64_t units)
{
	tl_buf_addf(&r->gpus, "%s{\"id\":%lld,\"name\":", r->gpus.len ? "," : "", (long long)number);
	tl_json_quote(&r->gpus, name, len);
	if (units > 0)
		tl_buf_addf(&r->gpus, ",\"numSms\":%lld", (long long)units);
	tl_buf_addc(&r->gpus, '}');
}

static void push_member(struct tl_sqlite_reader *r, const char *key, const struct tl_buf *json)
{
	if (!r->status)
		r->status = r->sink->ops->meta(r->sink, key, strlen(key), json->data, json->len, r->err);
}

/* What is said about the trace as a whole. */
static void push_members(struct tl_sqlite_reader *r)
{
	struct tl_buf list = { 0 };

	for (size_t i = 0; i < r->n_processes; i++) {
		const struct tl_sqlite_process *p = &r->processes[i];
		tl_buf_addf(&list, "%c{\"track\":%s,\"pid\":%lld", i ? ',' : '[', p->track.data, (long long)p->pid);
		if (p->has_life)
			tl_buf_addf(&list, ",\"init_time\":%lld,\"fini_time\":%lld", (long long)p->init, (long long)p->fini);
		tl_buf_addc(&list, '}');
	}
	tl_buf_addc(&list, ']');
	if (r->n_processes)
		push_member(r, TL_META_PROCESSES, &list);
	tl_buf_clear(&list);
	tl_buf_addf(&list, "[%s]", tl_buf_text(&r->gpus));
	if (r->gpus.len)
		push_member(r, "deviceProperties", &list); /* as PyTorch names it */
	tl_buf_release(&list);
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

	tl_buf_clear(&r->text);
	tl_buf_add_utf8(&r->text, text ? text : "", *len);
	*len = r->text.len;
	return text ? tl_buf_text(&r->text) : NULL;
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
	tl_buf_clear(&r->text);
	tl_buf_addf(&r->text, "%s%lld", what, (long long)number);
	*len = r->text.len;
	return r->text.data;
}

struct left_out { struct tl_sqlite_reader *r; const char *note; };

static void note_row(void *ctx, const struct tl_db_rows *rows)
{
	const struct left_out *l = ctx;

	(void)rows;
	tl_read_note(l->r->report, l->note, l->r->db.uid++, -1);
}

void tl_sqlite_leave_out(struct tl_sqlite_reader *r, const char *table, const char *suffix, const char *note)
{
	static const struct tl_db_column none[] = { { .name = NULL } };

	tl_sqlite_each(r, &(struct tl_db_query){ .table = table, .columns = none }, suffix, note_row, &(struct left_out){ r, note });
}

/* ---- formats --------------------------------------------------------------------------------- */

static bool is_rpd(const struct tl_db *db)
{
	return tl_db_has_table(db, "rocpd_string") && tl_db_has_table(db, "rocpd_api") && tl_db_has_table(db, "rocpd_op");
}

static bool has_prefix(const struct tl_db *db, const char *prefix)
{
	for (uint32_t id = 1; id <= db->names.count; id++)
		if (db->is_table[id] && tl_starts_with(tl_str(&db->names, id), prefix))
			return true;
	return false;
}

/* Nsight Systems writes only tables that have rows. */
static bool is_nsys(const struct tl_db *db)
{
	return tl_db_has_table(db, "StringIds") &&
	       (tl_db_has_table(db, "META_DATA_EXPORT") || tl_db_has_table(db, "EXPORT_META_DATA") ||
	        tl_db_has_table(db, "NVTX_EVENTS") || has_prefix(db, "CUPTI_ACTIVITY_KIND_"));
}

static void read_rocpd_or_rpd(struct tl_sqlite_reader *r)
{
	(is_rpd(&r->db) ? tl_sqlite_read_rpd : tl_sqlite_read_rocpd)(r);
}

/* Why a database that no format fits is not read. */
static enum tl_status refuse(struct tl_sqlite_reader *r)
{
	if (tl_db_has_table(&r->db, "KERN"))
		return tl_fail(r->err, TL_ERR_DATA, "a database of rocprof 1, which is not read: profile with rocprofv3");
	if (tl_db_has_table(&r->db, "StringTable"))
		return tl_fail(r->err, TL_ERR_DATA, "a database of nvprof, which is not read: profile with nsys");
	return tl_fail(r->err, TL_ERR_DATA, "no trace in this SQLite database: expected tables of rocprofv3 (rocpd_string_*), "
	               "of rocmProfileData (rocpd_api) or of nsys export --type sqlite (StringIds)");
}

static void read_format(struct tl_sqlite_reader *r)
{
	bool nsys = is_nsys(&r->db), rocpd = has_prefix(&r->db, "rocpd_string_") || is_rpd(&r->db);
	struct tl_header header = { .source = nsys ? "nsys" : "rocpd", .ticks_per_us = 1000 };

	if (!nsys && !rocpd) {
		r->status = refuse(r);
		return;
	}
	r->status = r->sink->ops->begin(r->sink, &header, &r->tables, r->err);
	if (!r->status)
		(nsys ? tl_sqlite_read_nsys : read_rocpd_or_rpd)(r);
	if (!r->status)
		push_members(r);
}

static enum tl_match match_sqlite(const unsigned char *first, size_t len)
{
	size_t n = len < TL_SQLITE_MAGIC_LEN ? len : TL_SQLITE_MAGIC_LEN;

	if (memcmp(first, TL_SQLITE_MAGIC, n))
		return TL_MATCH_NO;
	return n == TL_SQLITE_MAGIC_LEN ? TL_MATCH_YES : TL_MATCH_MORE;
}

static enum tl_status read_sqlite(struct tl_input *in, const struct tl_read_options *options, struct tl_sink *sink,
                                  struct tl_read_report *report, struct tl_error *err)
{
	struct tl_error unused;
	struct tl_sqlite_reader r = { .sink = sink, .report = report, .err = err ? err : &unused };

	r.db.lenient = options->lenient;
	r.db.report = report;
	r.status = tl_db_open(&r.db, in, r.err);
	if (!r.status)
		read_format(&r);
	report->n_events = r.db.uid;
	report->n_bytes = (uint64_t)r.db.size;
	tl_db_close(&r.db);
	for (size_t i = 0; i < r.n_processes; i++)
		tl_buf_release(&r.processes[i].track);
	free(r.processes);
	tl_map_release(&r.by_key);
	tl_map_release(&r.pids);
	tl_buf_release(&r.gpus);
	tl_buf_release(&r.text);
	tl_tables_release(&r.tables);
	return r.status;
}

const struct tl_reader tl_reader_sqlite = { "a SQLite database", match_sqlite, read_sqlite };
