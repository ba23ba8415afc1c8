/* sqlite_rpd.c - events of rpd, the database of rocmProfileData.
 * Schema: https://github.com/ROCm/rocmProfileData
 *
 * A call (rocpd_api) and the work it starts (rocpd_op) are tied by rows of rocpd_api_ops, so
 * these are read for the work, which thus knows its call. Work without a call comes last.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/sqlite.h"

#include <string.h>

#include "base/text.h"

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

static const struct tl_sqlite_process *process_of(struct rpd *d, const struct tl_db_rows *rows)
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
	struct tl_sqlite_event e;
	size_t len;
	const char *name = name_of(d, rows->ints[NAME], &len);
	bool marker = tl_text_is(name, len, "UserMarker");

	tl_sqlite_begin(d->r, &e, marker ? TL_KIND_ANNOTATION : TL_KIND_RUNTIME, marker ? "marker" : "hip");
	if (marker && tl_db_given(rows, ARGS)) /* its text */
		name = name_of(d, rows->ints[ARGS], &len);
	tl_sqlite_set_name(d->r, &e, name, len);
	tl_sqlite_set_time(d->r, &e, rows->ints[START], rows->ints[END]);
	tl_sqlite_set_process(d->r, &e, process_of(d, rows));
	tl_sqlite_set_thread(d->r, &e, rows->ints[TID]);
	if (marker)
		tl_sqlite_add_text(d->r, &e, TL_KEY_STYLE, "PushPop", 7);
	else
		tl_sqlite_add_correlation(d->r, &e, 1, rows->ints[ID]);
	tl_sqlite_push(d->r, &e);
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

static void add_sizes(struct rpd *d, struct tl_sqlite_event *e, const struct tl_db_rows *rows)
{
	if (!tl_db_given(rows, GRID))
		return;
	if (counts_work_items(d, rows)) {
		tl_sqlite_add_work_items(d->r, e, rows, GRID, BLOCK);
		return;
	}
	tl_sqlite_add_size(d->r, e, TL_KEY_BLOCK, rows, BLOCK);
	tl_sqlite_add_size(d->r, e, TL_KEY_GRID, rows, GRID);
}

static void push_op(struct rpd *d, const struct tl_db_rows *rows)
{
	struct tl_sqlite_event e;
	size_t type_len, len;
	const char *type = tl_sqlite_name(d->r, &d->strings, rows->ints[TYPE], &type_len);
	enum tl_kind kind = !type ? TL_KIND_KERNEL : tl_starts_with(type, "Copy") ? TL_KIND_MEMCPY
	                    : tl_starts_with(type, "Fill") ? TL_KIND_MEMSET : TL_KIND_KERNEL;
	bool task = type && !strcmp(type, "Task"); /* a part of a graph; the sizes are the graph's call's */
	tl_sqlite_begin(d->r, &e, kind, "op");
	if (type)
		tl_sqlite_set_cat(d->r, &e, type, type_len);
	const char *name = tl_sqlite_name(d->r, &d->strings, rows->ints[NAME], &len);
	if (!name || !len)
		name = name_of(d, rows->ints[TYPE], &len);
	tl_sqlite_set_name(d->r, &e, name, len);
	tl_sqlite_set_time(d->r, &e, rows->ints[START], rows->ints[END]);
	if (tl_db_given(rows, PID))
		tl_sqlite_set_process(d->r, &e, process_of(d, rows));
	if (tl_db_given(rows, QUEUE))
		tl_sqlite_set_thread(d->r, &e, rows->ints[QUEUE]);
	tl_sqlite_add_correlation(d->r, &e, 1, rows->ints[API]);
	tl_sqlite_add_slot(d->r, &e, TL_KEY_STREAM, rows, QUEUE);
	tl_sqlite_add_slot(d->r, &e, TL_KEY_DEVICE, rows, GPU);
	if (kind == TL_KIND_KERNEL && !task)
		add_sizes(d, &e, rows);
	if (kind != TL_KIND_KERNEL)
		tl_sqlite_add_slot(d->r, &e, TL_KEY_BYTES, rows, BYTES);
	tl_sqlite_push(d->r, &e);
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

/* ---- the whole ------------------------------------------------------------------------------ */

void tl_sqlite_read_rpd(struct tl_sqlite_reader *r)
{
	static const char *const string[] = { "string", NULL };
	struct rpd d = { .r = r };

	r->status = tl_db_names_open(&d.strings, &r->db, "rocpd_string", "", string, r->err);
	tl_sqlite_each(r, &calls, "", push_call, &d);
	tl_sqlite_each(r, &linked, "", push_op_once, &d);
	tl_sqlite_each(r, &ops, "", push_op_once, &d);
	tl_sqlite_leave_out(r, "rocpd_monitor", "", "values of monitors (clocks, power), left out");
	tl_db_names_close(&d.strings);
	tl_map_release(&d.seen);
}
