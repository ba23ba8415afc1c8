/* sqlite.c - reads the SQLite databases of profilers: which one wrote it, and rpd, that of rocmProfileData.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/number.h"
#include "readers/counter_names.h"
#include "readers/sqlite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "readers/closed_formats.h"

/* ---- rpd: https://github.com/ROCm/rocmProfileData --------------------------------------- */

/* A call (rocpd_api) and the work it starts (rocpd_op) are tied by rows of rocpd_api_ops, so
 * these are read for the work, which thus knows its call. Work without a call comes last. */
struct rpd {
	struct tl_sqlite_reader *r;
	struct tl_db_names strings;
	struct tl_map seen; /* ids of work that was read */
};

enum { ID, PID, TID, START, END, NAME, TYPE, ARGS, GPU, QUEUE, API, API_NAME, GRID, GRID_Y, GRID_Z, BLOCK, BLOCK_Y, BLOCK_Z, BYTES };

/* ---- calls ---------------------------------------------------------------------------- */

static const struct tl_db_column call_columns[] = {
	{ ID, 0, TL_DB_NEEDED, "id" }, { PID, 0, TL_DB_NEEDED, "pid" }, { TID, 0, TL_DB_NEEDED, "tid" },
	{ START, 0, TL_DB_NEEDED | TL_DB_TIME, "start" }, { END, 0, TL_DB_NEEDED | TL_DB_TIME, "end" },
	{ NAME, 0, TL_DB_NEEDED, "apiName_id" }, { ARGS, 0, 0, "args_id" }, { .name = NULL } };
static const struct tl_db_query calls = { .table = "rocpd_api", .columns = call_columns };

static struct tl_process *process_of(struct rpd *d, const struct tl_db_rows *rows)
{
	return tl_sqlite_process(d->r, (uint64_t)rows->ints[PID], rows->ints[PID], NULL);
}

/* The name of a number, else "string NUMBER". */
static const char *name_of(struct rpd *d, int64_t number, size_t *len)
{
	const char *name = tl_sqlite_name(d->r, &d->strings, number, len);

	return name ? name : tl_sqlite_numbered(d->r, "string ", number, len);
}

static void push_call(void *ctx, const struct tl_db_rows *rows)
{
	struct rpd *d = ctx;
	size_t len;
	const char *name = name_of(d, rows->ints[NAME], &len);
	bool marker = tl_text_is(name, len, "UserMarker");

	tl_sqlite_begin(d->r, marker ? TL_KIND_ANNOTATION : TL_KIND_RUNTIME, marker ? "marker" : "hip");
	if (marker && tl_db_given(rows, ARGS)) /* its text */
		name = name_of(d, rows->ints[ARGS], &len);
	tl_make_name(&d->r->make, name, len);
	tl_sqlite_set_time(d->r, rows->ints[START], rows->ints[END]);
	tl_make_process(&d->r->make, process_of(d, rows));
	tl_make_thread(&d->r->make, rows->ints[TID]);
	if (marker)
		tl_make_text(&d->r->make, TL_KEY_STYLE, "PushPop", 7);
	else
		tl_make_correlation(&d->r->make, 1, rows->ints[ID]);
	if (marker)
		tl_make_range(&d->r->make, name, len, NULL, 0, true);
	tl_sqlite_push(d->r);
}

/* ---- work --------------------------------------------------------------------------------- */

static const struct tl_db_column linked_columns[] = {
	{ API, 0, TL_DB_NEEDED, "api_id" }, { ID, 0, TL_DB_NEEDED, "op_id" },
	{ GPU, 1, 0, "gpuId" }, { QUEUE, 1, 0, "queueId" }, { START, 1, TL_DB_TIME, "start" }, { END, 1, TL_DB_TIME, "end" },
	{ NAME, 1, 0, "description_id" }, { TYPE, 1, 0, "opType_id" }, { PID, 2, 0, "pid" }, { API_NAME, 2, 0, "apiName_id" },
	{ GRID, 3, 0, "gridX" }, { GRID_Y, 3, 0, "gridY" }, { GRID_Z, 3, 0, "gridZ" },
	{ BLOCK, 3, 0, "workgroupX" }, { BLOCK_Y, 3, 0, "workgroupY" }, { BLOCK_Z, 3, 0, "workgroupZ" },
	{ BYTES, 4, 0, "size" }, { .name = NULL } };
static const struct tl_db_query linked = { "rocpd_api_ops", { { "rocpd_op", "op_id" }, { "rocpd_api", "api_id" },
	{ "rocpd_kernelapi", "api_id" }, { "rocpd_copyapi", "api_id" } }, linked_columns };
static const struct tl_db_column op_columns[] = {
	{ ID, 0, TL_DB_NEEDED, "id" }, { GPU, 0, 0, "gpuId" }, { QUEUE, 0, 0, "queueId" },
	{ START, 0, TL_DB_NEEDED | TL_DB_TIME, "start" }, { END, 0, TL_DB_NEEDED | TL_DB_TIME, "end" },
	{ NAME, 0, 0, "description_id" }, { TYPE, 0, 0, "opType_id" }, { .name = NULL } };
static const struct tl_db_query ops = { .table = "rocpd_op", .columns = op_columns };

/* These calls are given the grid in work-items, all others in blocks. */
static bool counts_work_items(struct rpd *d, const struct tl_db_rows *rows)
{
	size_t len;
	const char *call = tl_db_given(rows, API_NAME) ? tl_sqlite_name(d->r, &d->strings, rows->ints[API_NAME], &len) : NULL;

	return call && (!strcmp(call, "hipExtModuleLaunchKernel") || !strcmp(call, "hipHccModuleLaunchKernel"));
}

static void add_sizes(struct rpd *d, const struct tl_db_rows *rows)
{
	if (!tl_db_given(rows, GRID))
		return;
	if (counts_work_items(d, rows)) {
		tl_sqlite_add_work_items(d->r, rows, GRID, BLOCK);
		return;
	}
	tl_sqlite_add_size(d->r, TL_KEY_BLOCK, rows, BLOCK);
	tl_sqlite_add_size(d->r, TL_KEY_GRID, rows, GRID);
}

static void push_op(struct rpd *d, const struct tl_db_rows *rows)
{
	size_t type_len, len;
	const char *type = tl_sqlite_name(d->r, &d->strings, rows->ints[TYPE], &type_len);
	enum tl_kind kind = !type ? TL_KIND_KERNEL : tl_starts_with(type, "Copy") ? TL_KIND_MEMCPY
	                    : tl_starts_with(type, "Fill") ? TL_KIND_MEMSET : TL_KIND_KERNEL;
	bool task = type && !strcmp(type, "Task"); /* a part of a graph; the sizes are the graph's call's */
	tl_sqlite_begin(d->r, kind, "op");
	if (type)
		d->r->make.layout.cat = tl_add_string(&d->r->make.tables, type, type_len);
	const char *name = tl_sqlite_name(d->r, &d->strings, rows->ints[NAME], &len);
	if (!name || !len)
		name = name_of(d, rows->ints[TYPE], &len);
	tl_make_name(&d->r->make, name, len);
	tl_sqlite_set_time(d->r, rows->ints[START], rows->ints[END]);
	if (tl_db_given(rows, PID))
		tl_make_process(&d->r->make, process_of(d, rows));
	if (tl_db_given(rows, QUEUE))
		tl_make_thread(&d->r->make, rows->ints[QUEUE]);
	tl_make_correlation(&d->r->make, 1, rows->ints[API]);
	tl_sqlite_add_slot(d->r, TL_KEY_STREAM, rows, QUEUE);
	tl_sqlite_add_slot(d->r, TL_KEY_DEVICE, rows, GPU);
	if (kind == TL_KIND_KERNEL && !task)
		add_sizes(d, rows);
	if (kind != TL_KIND_KERNEL)
		tl_sqlite_add_slot(d->r, TL_KEY_BYTES, rows, BYTES);
	tl_sqlite_push(d->r);
}

static void push_op_once(void *ctx, const struct tl_db_rows *rows)
{
	struct rpd *d = ctx;
	bool is_new;

	if (!tl_db_given(rows, START) || !tl_db_given(rows, END)) /* the link leads to no work */
		return;
	tl_map_put(&d->seen, (uint64_t)rows->ints[ID], &is_new);
	if (is_new)
		push_op(d, rows);
}

/* ---- monitors: a value from a start to an end ------------------------------------------------ */

enum { M_KIND, M_DEVICE, M_NAME, M_START, M_END, M_VALUE };
static const struct tl_db_column monitor_columns[] = {
	{ M_KIND, 0, TL_DB_TEXT, "deviceType" }, { M_DEVICE, 0, 0, "deviceId" }, { M_NAME, 0, TL_DB_NEEDED | TL_DB_TEXT, "monitorType" },
	{ M_START, 0, TL_DB_NEEDED | TL_DB_TIME, "start" }, { M_END, 0, TL_DB_NEEDED | TL_DB_TIME, "end" },
	{ M_VALUE, 0, TL_DB_TEXT, "value" }, { .name = NULL } };
static const struct tl_db_query monitors = { .table = "rocpd_monitor", .columns = monitor_columns };

static void push_monitor(void *ctx, const struct tl_db_rows *rows)
{
	struct rpd *d = ctx;
	size_t len = 0;
	char *end = NULL;
	const char *text = tl_sqlite_text(d->r, rows, M_VALUE, &len);
	double value = text ? tl_parse_double(text, &end) : NAN;

	if (!text || end == text || *end || !isfinite(value)) {
		tl_read_note(d->r->make.report, TL_NO_NUMBER, d->r->db.uid++, -1);
		return;
	}
	const char *kind = tl_db_text(rows, M_KIND, &len), *name;
	bool is_gpu = kind && len == 3 && !memcmp(kind, "gpu", 3);
	name = tl_sqlite_text(d->r, rows, M_NAME, &len);
	struct tl_counter_name what = tl_counter_name(name ? name : "", name ? len : 0);
	if (is_gpu && tl_db_given(rows, M_DEVICE))
		what.device = rows->ints[M_DEVICE];
	tl_make_counter(&d->r->make, d->r->db.uid++, &what, value);
	tl_sqlite_set_time(d->r, rows->ints[M_START], rows->ints[M_END]);
	tl_sqlite_push(d->r);
}

/* ---- the whole ------------------------------------------------------------------------------ */

static void read_rpd(struct tl_sqlite_reader *r)
{
	static const char *const string[] = { "string", NULL };
	struct rpd d = { .r = r };

	r->status = tl_db_names_open(&d.strings, &r->db, "rocpd_string", "", string, r->err);
	tl_sqlite_each(r, &calls, "", push_call, &d);
	tl_sqlite_each(r, &linked, "", push_op_once, &d);
	tl_sqlite_each(r, &ops, "", push_op_once, &d);
	tl_sqlite_each(r, &monitors, "", push_monitor, &d);
	tl_db_names_close(&d.strings);
	tl_map_release(&d.seen);
	if (!r->status)
		r->status = r->sink->ops->meta(r->sink, TL_META_WRITER, strlen(TL_META_WRITER), "\"rpd\"", 5, r->err);
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
	(is_rpd(&r->db) ? read_rpd : tl_sqlite_read_rocpd)(r);
}

static bool has_table(const void *db, const char *name, size_t len)
{
	uint32_t id = tl_strtab_find(&((const struct tl_db *)db)->names, name, len);

	return id && ((const struct tl_db *)db)->is_table[id];
}

/* Why a database that no format fits is not read. */
static enum tl_status refuse(struct tl_sqlite_reader *r)
{
	struct tl_buf known = { 0 };

	if (tl_closed_by_names("tables", has_table, &r->db, &known)) {
		tl_fail(r->err, TL_ERR_DATA, "not a trace that can be read: %s", known.data);
		tl_buf_release(&known);
		return TL_ERR_DATA;
	}
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
	r->status = tl_maker_begin(&r->make, r->sink, r->db.report, &header, r->err);
	if (!r->status)
		(nsys ? tl_sqlite_read_nsys : read_rocpd_or_rpd)(r);
	for (size_t i = 0; i < r->processes.n; i++) {
		if (!r->hosts)
			tl_buf_add(&r->processes.items[i].hostname, r->host.data, r->host.len);
		tl_process_describe(&r->make, &r->processes.items[i]);
	}
	if (!r->status)
		r->status = tl_push_members(&r->make, r->err);
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
	struct tl_sqlite_reader *r = tl_calloc(1, sizeof *r);

	r->sink = sink;
	r->err = err ? err : &unused;
	r->db.lenient = options->lenient;
	r->make.keep_ranges = options->keep_ranges;
	r->db.report = report;
	r->status = tl_db_open(&r->db, in, r->err);
	if (!r->status)
		read_format(r);
	enum tl_status st = r->status;
	report->n_events = r->db.uid;
	report->n_bytes = (uint64_t)r->db.size;
	tl_db_close(&r->db);
	for (size_t i = 0; i < r->processes.n; i++)
		tl_process_release(&r->processes.items[i]);
	TL_KEYED_RELEASE(&r->processes);
	tl_buf_release(&r->host);
	tl_maker_release(&r->make);
	free(r);
	return st;
}

const struct tl_reader tl_reader_sqlite = { "a SQLite database", match_sqlite, read_sqlite };
