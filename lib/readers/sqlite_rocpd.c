/* sqlite_rocpd.c - events of rocpd, the database of rocprofv3 and rocprof-sys.
 *
 * A file holds a set of tables for each process that was profiled; their names end alike in a
 * set. Ids mean nothing outside their set. The views that go over all sets are not read: they
 * lose rows. Since schema 4.0 the threads and queues stand in a table of tracks, and in 4.0
 * the times in a table of timestamps.
 * Schema: https://github.com/ROCm/rocm-systems, rocprofiler-sdk/source/share/rocprofiler-sdk-rocpd
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/counter_names.h"
#include "readers/sqlite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "base/utf8.h"
#include "base/value.h"

#define STRINGS "rocpd_string"

/* One set of tables. */
struct rocpd {
	struct tl_sqlite_reader *r;
	uint64_t number;      /* from 1 */
	const char *suffix;   /* of the names of its tables */
	struct tl_db_names strings, categories, symbols;
	struct tl_map threads; /* id -> index in tids + 1 */
	int64_t *tids;
	size_t n_tids, cap_tids;
	struct tl_map agents;  /* id -> number of the GPU + 1; 0: no GPU */
	struct tl_map events;  /* id of an event -> 1 + its place among counted */
	struct counted { int64_t process, dispatch, time; bool is_kernel; } *counted; size_t n_counted, cap_counted;
};

/* ---- the set's own tables: processes, threads, agents ------------------------------------- */

enum { I_ID, I_PID, I_INIT, I_FINI, I_TEXT, I_TEXT_2, I_TID, I_TYPE, I_INDEX };
static const struct tl_db_column process_columns[] = {
	{ I_ID, 0, TL_DB_NEEDED, "id" }, { I_PID, 0, TL_DB_NEEDED, "pid" }, { I_INIT, 0, TL_DB_TIME, "init" },
	{ I_FINI, 0, TL_DB_TIME, "fini" }, { I_TEXT, 0, TL_DB_TEXT, "command" }, { .name = NULL } };
static const struct tl_db_query processes = { .table = "rocpd_info_process", .columns = process_columns };
static const struct tl_db_column node_columns[] = { { I_TEXT, 0, TL_DB_TEXT, "hostname" }, { .name = NULL } };
static const struct tl_db_query nodes = { .table = "rocpd_info_node", .columns = node_columns };
static const struct tl_db_column thread_columns[] = {
	{ I_ID, 0, TL_DB_NEEDED, "id" }, { I_PID, 0, 0, "pid" }, { I_TID, 0, TL_DB_NEEDED, "tid" },
	{ I_TEXT, 0, TL_DB_TEXT, "name" }, { .name = NULL } };
static const struct tl_db_query threads = { .table = "rocpd_info_thread", .columns = thread_columns };
static const struct tl_db_column agent_columns[] = {
	{ I_ID, 0, TL_DB_NEEDED, "id" }, { I_TYPE, 0, TL_DB_TEXT, "type" }, { I_INDEX, 0, 0, "absolute_index" },
	{ I_TEXT, 0, TL_DB_TEXT, "product_name" }, { I_TEXT_2, 0, TL_DB_TEXT, "name" }, { .name = NULL } };
static const struct tl_db_query agents = { .table = "rocpd_info_agent", .columns = agent_columns };

/* The process of a row id; one that the table lacks gets the id as its pid. */
static struct tl_process *process_of(struct rocpd *d, int64_t id, int64_t pid, bool *is_new)
{
	return tl_sqlite_process(d->r, tl_hash_u64(d->number) ^ (uint64_t)id, pid, is_new);
}

static void add_process(void *ctx, const struct tl_db_rows *rows)
{
	struct rocpd *d = ctx;
	size_t len;
	bool is_new;
	struct tl_process *p = process_of(d, rows->ints[I_ID], rows->ints[I_PID], &is_new);
	const char *command = tl_sqlite_text(d->r, rows, I_TEXT, &len);

	if (!is_new)
		return;
	p->has_init = p->has_fini = tl_db_given(rows, I_INIT) && tl_db_given(rows, I_FINI);
	p->init = rows->ints[I_INIT];
	p->fini = rows->ints[I_FINI];
	if (command) {
		/* the file name in the first word of a command */
		size_t from = 0, end = 0;
		while (command[end] && !tl_is_blank(command[end]))
			if (command[end++] == '/')
				from = end;
		if (end > from)
			tl_sqlite_push_meta(d->r, p, NULL, command + from, end - from);
	}
}

static void add_node(void *ctx, const struct tl_db_rows *rows)
{
	struct rocpd *d = ctx;
	size_t len;
	const char *name = tl_sqlite_text(d->r, rows, I_TEXT, &len);

	if (name && len)
		tl_sqlite_name_host(d->r, name, len);
}

static void add_thread(void *ctx, const struct tl_db_rows *rows)
{
	struct rocpd *d = ctx;
	size_t len;
	const char *name = tl_sqlite_text(d->r, rows, I_TEXT, &len);

	TL_PUSH(d->tids, d->n_tids, d->cap_tids, rows->ints[I_TID]);
	*tl_map_put(&d->threads, (uint64_t)rows->ints[I_ID], NULL) = (uint32_t)d->n_tids;
	if (len && tl_db_given(rows, I_PID))
		tl_sqlite_push_meta(d->r, process_of(d, rows->ints[I_PID], rows->ints[I_PID], NULL), &rows->ints[I_TID], name, len);
}

static void add_agent(void *ctx, const struct tl_db_rows *rows)
{
	struct rocpd *d = ctx;
	size_t len;
	const char *type = tl_db_text(rows, I_TYPE, &len);
	int64_t index = rows->ints[tl_db_given(rows, I_INDEX) ? I_INDEX : I_ID];
	bool gpu = type && !strcmp(type, "GPU") && index >= 0 && index < INT32_MAX;
	const char *name = tl_sqlite_text(d->r, rows, I_TEXT, &len);

	if (!len)
		name = tl_sqlite_text(d->r, rows, I_TEXT_2, &len);
	*tl_map_put(&d->agents, (uint64_t)rows->ints[I_ID], NULL) = gpu ? (uint32_t)index + 1 : 0;
	if (gpu && d->number == 1) /* the processes of a node list the same agents */
		tl_sqlite_add_gpu(d->r, index, name ? name : "", len, 0);
}

/* ---- what the event tables share ------------------------------------------------------------- */

enum { PROCESS, THREAD, AGENT, QUEUE, STREAM, START, END, NAME, CATEGORY, STACK, EXTRA,
	KERNEL, DISPATCH, ITEMS, ITEMS_Y, ITEMS_Z, BLOCK, BLOCK_Y, BLOCK_Z, LDS, PRIVATE, RENAMED, GRAPH_EXEC, GRAPH_NODE,
	FROM, TO, BYTES, TYPE, LEVEL, TRACK_NAME, EVENT_ID };

/* Tables that rows of the event tables point to. */
#define JOINS { { "rocpd_event", "event_id" }, { "rocpd_track", "track_id" }, { "rocpd_timestamp", "start_id" }, \
                { "rocpd_timestamp", "end_id" }, { "rocpd_timestamp", "timestamp_id" } }
enum { OWN, EVENT, TRACK, START_TIME, END_TIME, POINT_TIME };

#define WHO { PROCESS, OWN, 0, "pid" }, { PROCESS, TRACK, 0, "pid" }, { THREAD, OWN, 0, "tid" }, { THREAD, TRACK, 0, "tid" }
#define SPAN { START, OWN, TL_DB_NEEDED | TL_DB_TIME, "start" }, { START, START_TIME, 0, "value" }, \
             { END, OWN, TL_DB_NEEDED | TL_DB_TIME, "end" }, { END, END_TIME, 0, "value" }
#define WHERE { QUEUE, OWN, 0, "queue_id" }, { QUEUE, TRACK, 0, "queue_id" }, \
              { STREAM, OWN, 0, "stream_id" }, { STREAM, TRACK, 0, "stream_id" }
#define ON_AGENT { AGENT, OWN, 0, "agent_id" }, { AGENT, TRACK, 0, "agent_id" }

static void set_process(struct rocpd *d, const struct tl_db_rows *rows)
{
	if (tl_db_given(rows, PROCESS))
		tl_make_process(&d->r->make, process_of(d, rows->ints[PROCESS], rows->ints[PROCESS], NULL));
}

static int64_t tid_of(const struct rocpd *d, const struct tl_db_rows *rows)
{
	const uint32_t *index = tl_map_get(&d->threads, (uint64_t)rows->ints[THREAD]);

	return index ? d->tids[*index - 1] : rows->ints[THREAD];
}

static void set_thread(struct rocpd *d, const struct tl_db_rows *rows)
{
	set_process(d, rows);
	if (tl_db_given(rows, THREAD))
		tl_make_thread(&d->r->make, tid_of(d, rows));
}

/* The name of a number in one of the tables of names; else "WHAT NUMBER". */
static void set_name(struct rocpd *d, struct tl_db_names *names, int64_t number, const char *what)
{
	size_t len;
	const char *name = tl_sqlite_name(d->r, names, number, &len);

	if (!name || !len)
		name = tl_sqlite_numbered(d->r, what, number, &len);
	tl_make_name(&d->r->make, name, len);
}

/* What ties a call to the work it starts: a number that the event of both has. */
static void add_correlation(struct rocpd *d, const struct tl_db_rows *rows)
{
	tl_make_correlation(&d->r->make, d->number, rows->ints[STACK]);
}

/* Number of the GPU that an agent is; its id if there is no such agent; -1: no GPU. */
static int64_t gpu_of(const struct rocpd *d, const struct tl_db_rows *rows, int slot)
{
	const uint32_t *number = tl_map_get(&d->agents, (uint64_t)rows->ints[slot]);

	if (!tl_db_given(rows, slot))
		return -1;
	return number ? (int64_t)*number - 1 : rows->ints[slot];
}

/* A copy is on the GPU that receives; if that is no GPU, on the one that sends. */
static void add_device(struct rocpd *d, const struct tl_db_rows *rows)
{
	static const uint8_t slots[] = { AGENT, TO, FROM };

	for (size_t i = 0; i < sizeof slots; i++)
		if (gpu_of(d, rows, slots[i]) >= 0) {
			tl_make_int(&d->r->make, TL_KEY_DEVICE, gpu_of(d, rows, slots[i]));
			return;
		}
}

/* Process, stream or queue, and the fields that all device events have. */
static void set_device_event(struct rocpd *d, const struct tl_db_rows *rows)
{
	int slot = tl_db_given(rows, STREAM) ? STREAM : QUEUE;

	set_process(d, rows);
	if (tl_db_given(rows, slot))
		tl_make_thread(&d->r->make, rows->ints[slot]);
	tl_sqlite_set_time(d->r, rows->ints[START], rows->ints[END]);
	add_correlation(d, rows);
	tl_sqlite_add_slot(d->r, TL_KEY_STREAM, rows, STREAM);
	add_device(d, rows);
	if (tl_db_given(rows, THREAD))
		tl_make_int(&d->r->make, TL_KEY_THREAD, tid_of(d, rows));
	tl_sqlite_add_slot(d->r, TL_KEY_AGENT, rows, AGENT);
	tl_sqlite_add_slot(d->r, TL_KEY_QUEUE, rows, QUEUE);
}

/* ---- calls and ranges ----------------------------------------------------------------------------- */

static const struct tl_db_column region_columns[] = {
	WHO, SPAN, { NAME, OWN, TL_DB_NEEDED, "name_id" }, { CATEGORY, EVENT, 0, "category_id" }, { STACK, EVENT, 0, "stack_id" },
	{ EXTRA, EVENT, TL_DB_TEXT, "extdata" }, { .name = NULL } };
static const struct tl_db_query regions = { "rocpd_region", JOINS, region_columns };

/* What regions of a category are, by a part of its name in any case; others are TL_KIND_OTHER. */
static const struct { const char *part; bool first; uint8_t kind; } categories[] = {
	{ "marker", false, TL_KIND_ANNOTATION }, { "roctx", false, TL_KIND_ANNOTATION },
	{ "hip_", true, TL_KIND_RUNTIME }, { "hsa_", true, TL_KIND_DRIVER },
};

static enum tl_kind kind_of(const char *category)
{
	if (!strncasecmp(category, "rocm_", 5))
		category += 5;
	for (size_t i = 0; i < sizeof categories / sizeof *categories; i++) {
		const char *at = strcasestr(category, categories[i].part);
		if (at && (at == category || !categories[i].first))
			return categories[i].kind;
	}
	return TL_KIND_OTHER;
}

/* Names the event by the text of a marker, if the row has one. */
static bool set_message(struct rocpd *d, const struct tl_db_rows *rows)
{
	struct tl_arena arena = { 0 };
	struct tl_value v = { 0 };
	size_t len;
	const char *json = tl_db_text(rows, EXTRA, &len);
	const struct tl_value *message = NULL;

	if (json && len > 2 && !tl_value_parse(&arena, json, len, &v, NULL))
		message = tl_value_member(&v, "message");
	bool found = message && message->type == TL_V_TEXT;
	tl_buf_clear(&d->r->make.text);
	if (found) {
		tl_buf_add_utf8(&d->r->make.text, message->text, message->len);
		tl_make_name(&d->r->make, tl_buf_text(&d->r->make.text), d->r->make.text.len);
	}
	tl_arena_release(&arena);
	return found;
}

static void push_region(void *ctx, const struct tl_db_rows *rows)
{
	struct rocpd *d = ctx;
	size_t len = 0, name_len;
	const char *category = tl_db_given(rows, CATEGORY) ? tl_sqlite_name(d->r, &d->categories, rows->ints[CATEGORY], &len) : NULL;
	enum tl_kind kind = kind_of(category ? category : "");

	tl_sqlite_begin(d->r, kind, NULL);
	if (category)
		d->r->make.layout.cat = tl_add_string(&d->r->make.tables, category, len);
	const char *call = kind == TL_KIND_ANNOTATION ? tl_sqlite_name(d->r, &d->strings, rows->ints[NAME], &name_len) : NULL;
	bool starts = call && strstr(call, "RangeStart");
	if (kind == TL_KIND_ANNOTATION)
		tl_make_text(&d->r->make, TL_KEY_STYLE, starts ? "StartEnd" : "PushPop", starts ? 8 : 7);
	tl_sqlite_set_time(d->r, rows->ints[START], rows->ints[END]);
	set_thread(d, rows);
	add_correlation(d, rows);
	if (kind != TL_KIND_ANNOTATION || !set_message(d, rows))
		set_name(d, &d->strings, rows->ints[NAME], "string ");
	else
		tl_make_range(&d->r->make, tl_buf_text(&d->r->make.text), d->r->make.text.len, NULL, 0, !starts);
	tl_sqlite_push(d->r);
}

/* ---- counters ---------------------------------------------------------------------------------------- */

/* What a counter's value may be of: a kernel or a sample. */
static void add_counted(struct rocpd *d, const struct tl_db_rows *rows, struct counted c)
{
	if (!tl_db_given(rows, EVENT_ID))
		return;
	c.process = rows->ints[PROCESS];
	TL_PUSH(d->counted, d->n_counted, d->cap_counted, c);
	*tl_map_put(&d->events, (uint64_t)rows->ints[EVENT_ID], NULL) = (uint32_t)d->n_counted;
}

enum { P_EVENT, P_VALUE, P_NAME, P_UNIT, P_AGENT };
static const struct tl_db_column pmc_columns[] = {
	{ P_EVENT, 0, 0, "event_id" }, { P_VALUE, 0, TL_DB_REAL, "value" }, { P_NAME, 1, TL_DB_TEXT, "name" }, { P_UNIT, 1, TL_DB_TEXT, "units" },
	{ P_AGENT, 1, 0, "agent_id" }, { .name = NULL } };
static const struct tl_db_query pmc = { "rocpd_pmc_event", { { "rocpd_info_pmc", "pmc_id" } }, pmc_columns };

static void push_pmc(void *ctx, const struct tl_db_rows *rows)
{
	struct rocpd *d = ctx;
	const uint32_t *place = tl_db_given(rows, P_EVENT) ? tl_map_get(&d->events, (uint64_t)rows->ints[P_EVENT]) : NULL;
	size_t len = 0, unit_len = 0;
	const char *text = tl_sqlite_text(d->r, rows, P_NAME, &len), *unit;
	struct tl_counter_name name;

	if (!place || !tl_db_given(rows, P_VALUE) || !isfinite(rows->real)) {
		tl_read_note(d->r->make.report, place ? TL_NO_NUMBER : "values of counters of no kernel or sample, left out", d->r->db.uid++, -1);
		return;
	}
	const struct counted *c = &d->counted[*place - 1];
	name = tl_counter_name(text ? text : "counter", text ? len : strlen("counter"));
	name.device = gpu_of(d, rows, P_AGENT);
	unit = tl_db_text(rows, P_UNIT, &unit_len);
	tl_make_counter(&d->r->make, d->r->db.uid++, &name, rows->real);
	if (!name.unit_len && unit && unit_len)
		tl_make_text(&d->r->make, TL_KEY_UNIT, unit, unit_len);
	tl_make_process(&d->r->make, process_of(d, c->process, c->process, NULL));
	tl_make_start(&d->r->make, c->time);
	if (c->is_kernel) {
		tl_make_int(&d->r->make, TL_KEY_DISPATCH, c->dispatch);
		tl_make_text(&d->r->make, TL_KEY_OF, "kernel", strlen("kernel"));
	}
	tl_sqlite_push(d->r);
}

/* ---- marks ------------------------------------------------------------------------------------------ */

static const struct tl_db_column sample_columns[] = {
	{ PROCESS, TRACK, 0, "pid" }, { THREAD, TRACK, 0, "tid" }, { TRACK_NAME, TRACK, 0, "name_id" },
	{ START, OWN, TL_DB_NEEDED | TL_DB_TIME, "timestamp" }, { START, POINT_TIME, 0, "value" },
	{ EXTRA, EVENT, TL_DB_TEXT, "extdata" }, { EVENT_ID, OWN, 0, "event_id" }, { .name = NULL } };
static const struct tl_db_query samples = { "rocpd_sample", JOINS, sample_columns };

static void push_sample(void *ctx, const struct tl_db_rows *rows)
{
	struct rocpd *d = ctx;

	add_counted(d, rows, (struct counted){ .time = rows->ints[START] });
	tl_sqlite_begin(d->r, TL_KIND_INSTANT, "sample");
	tl_make_instant(&d->r->make, rows->ints[START]);
	if (!set_message(d, rows))
		set_name(d, &d->strings, rows->ints[TRACK_NAME], "track ");
	set_thread(d, rows);
	tl_sqlite_push(d->r);
}

/* ---- kernels ------------------------------------------------------------------------------------------- */

static const struct tl_db_column dispatch_columns[] = {
	WHO, SPAN, WHERE, ON_AGENT, { STACK, EVENT, 0, "stack_id" }, { KERNEL, OWN, TL_DB_NEEDED, "kernel_id" },
	{ DISPATCH, OWN, 0, "dispatch_id" }, { EVENT_ID, OWN, 0, "event_id" },
	{ ITEMS, OWN, 0, "grid_size_x" }, { ITEMS_Y, OWN, 0, "grid_size_y" }, { ITEMS_Z, OWN, 0, "grid_size_z" },
	{ BLOCK, OWN, 0, "workgroup_size_x" }, { BLOCK_Y, OWN, 0, "workgroup_size_y" }, { BLOCK_Z, OWN, 0, "workgroup_size_z" },
	{ LDS, OWN, 0, "group_segment_size" }, { PRIVATE, OWN, 0, "private_segment_size" }, { RENAMED, OWN, 0, "region_name_id" },
	{ GRAPH_EXEC, OWN, 0, "graph_exec_id" }, { GRAPH_NODE, OWN, 0, "graph_node_id" }, { .name = NULL } };
static const struct tl_db_query dispatches = { "rocpd_kernel_dispatch", JOINS, dispatch_columns };

static void push_dispatch(void *ctx, const struct tl_db_rows *rows)
{
	struct rocpd *d = ctx;
	size_t len;

	if (tl_db_given(rows, DISPATCH))
		add_counted(d, rows, (struct counted){ .dispatch = rows->ints[DISPATCH], .time = rows->ints[START], .is_kernel = true });
	tl_sqlite_begin(d->r, TL_KIND_KERNEL, "kernel_dispatch");
	set_name(d, &d->symbols, rows->ints[KERNEL], "unknown_kernel_");
	set_device_event(d, rows);
	tl_sqlite_add_slot(d->r, TL_KEY_DISPATCH, rows, DISPATCH);
	tl_sqlite_add_slot(d->r, "kernel_id", rows, KERNEL);
	tl_sqlite_add_work_items(d->r, rows, ITEMS, BLOCK);
	tl_sqlite_add_slot(d->r, "group_segment_size", rows, LDS);
	tl_sqlite_add_slot(d->r, "private_segment_size", rows, PRIVATE);
	if (rows->ints[GRAPH_EXEC])
		tl_sqlite_add_slot(d->r, "graph_exec_id", rows, GRAPH_EXEC);
	if (rows->ints[GRAPH_NODE])
		tl_sqlite_add_slot(d->r, "graph_node_id", rows, GRAPH_NODE);
	const char *renamed = tl_db_given(rows, RENAMED) ? tl_sqlite_name(d->r, &d->strings, rows->ints[RENAMED], &len) : NULL;
	if (renamed && len)
		tl_make_text(&d->r->make, "region_name", renamed, len);
	tl_sqlite_push(d->r);
}

/* ---- copies and allocations ------------------------------------------------------------------------------ */

static const struct tl_db_column copy_columns[] = {
	WHO, SPAN, WHERE, { STACK, EVENT, 0, "stack_id" }, { NAME, OWN, TL_DB_NEEDED, "name_id" }, { BYTES, OWN, 0, "size" },
	{ FROM, OWN, 0, "src_agent_id" }, { TO, OWN, 0, "dst_agent_id" }, { .name = NULL } };
static const struct tl_db_query copies = { "rocpd_memory_copy", JOINS, copy_columns };
static const struct tl_db_column allocation_columns[] = {
	WHO, SPAN, WHERE, ON_AGENT, { STACK, EVENT, 0, "stack_id" }, { TYPE, OWN, TL_DB_TEXT, "type" },
	{ LEVEL, OWN, TL_DB_TEXT, "level" }, { BYTES, OWN, 0, "size" }, { .name = NULL } };
static const struct tl_db_query allocations = { "rocpd_memory_allocate", JOINS, allocation_columns };

static void push_copy(void *ctx, const struct tl_db_rows *rows)
{
	struct rocpd *d = ctx;

	tl_sqlite_begin(d->r, TL_KIND_MEMCPY, "memory_copy");
	set_name(d, &d->strings, rows->ints[NAME], "string ");
	set_device_event(d, rows);
	tl_sqlite_add_slot(d->r, "src_agent_id", rows, FROM);
	tl_sqlite_add_slot(d->r, "dst_agent_id", rows, TO);
	tl_sqlite_add_slot(d->r, TL_KEY_BYTES, rows, BYTES);
	tl_sqlite_push(d->r);
}

static void push_allocation(void *ctx, const struct tl_db_rows *rows)
{
	struct rocpd *d = ctx;
	size_t len;

	tl_sqlite_begin(d->r, TL_KIND_OTHER, "memory_allocation");
	tl_buf_clear(&d->r->make.text);
	for (int slot = TYPE; slot <= LEVEL; slot++) {
		const char *word = tl_db_text(rows, slot, &len);
		if (word && d->r->make.text.len)
			tl_buf_addc(&d->r->make.text, ' ');
		tl_buf_add_utf8(&d->r->make.text, word ? word : "", len);
	}
	tl_make_name(&d->r->make, tl_buf_text(&d->r->make.text), d->r->make.text.len);
	set_thread(d, rows);
	tl_sqlite_set_time(d->r, rows->ints[START], rows->ints[END]);
	add_correlation(d, rows);
	tl_sqlite_add_slot(d->r, TL_KEY_AGENT, rows, AGENT);
	tl_sqlite_add_slot(d->r, TL_KEY_BYTES, rows, BYTES);
	tl_sqlite_push(d->r);
}

/* ---- a set of tables, all sets ------------------------------------------------------------------------------- */

static void open_names(struct rocpd *d, struct tl_db_names *n, const char *table, const char *const *columns)
{
	if (!d->r->status)
		d->r->status = tl_db_names_open(n, &d->r->db, table, d->suffix, columns, d->r->err);
}

static bool set_has(const struct rocpd *d, const char *table)
{
	struct tl_buf name = { 0 };

	tl_buf_addf(&name, "%s%s", table, d->suffix);
	bool has = tl_db_has_table(&d->r->db, name.data);
	tl_buf_release(&name);
	return has;
}

static void read_set(struct tl_sqlite_reader *r, uint64_t number, const char *suffix)
{
	static const char *const string[] = { "string", NULL }, *const name[] = { "name", NULL },
		*const symbol[] = { "display_name", "kernel_name", NULL };
	static const struct { const struct tl_db_query *query; void (*row)(void *, const struct tl_db_rows *); } tables[] = {
		{ &nodes, add_node }, { &processes, add_process }, { &threads, add_thread }, { &agents, add_agent }, { &regions, push_region },
		{ &samples, push_sample }, { &dispatches, push_dispatch }, { &copies, push_copy }, { &allocations, push_allocation },
	};
	struct rocpd d = { .r = r, .number = number, .suffix = suffix };
	bool own = set_has(&d, "rocpd_info_category"); /* since 4.0 */

	open_names(&d, &d.strings, STRINGS, string);
	open_names(&d, &d.categories, own ? "rocpd_info_category" : STRINGS, own ? name : string);
	open_names(&d, &d.symbols, "rocpd_info_kernel_symbol", symbol);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		tl_sqlite_each(r, tables[i].query, suffix, tables[i].row, &d);
	tl_sqlite_each(r, &pmc, suffix, push_pmc, &d);
	tl_db_names_close(&d.strings);
	tl_db_names_close(&d.categories);
	tl_db_names_close(&d.symbols);
	tl_map_release(&d.threads);
	tl_map_release(&d.agents);
	tl_map_release(&d.events);
	free(d.counted);
	free(d.tids);
}

/* The suffix of a table of strings, if it is one of a set; else NULL. */
static const char *suffix_of(const struct tl_db *db, uint32_t name)
{
	const char *s = tl_str(&db->names, name), *suffix = s + strlen(STRINGS);
	struct tl_buf metadata = { 0 };

	if (!db->is_table[name] || !tl_starts_with(s, STRINGS "_"))
		return NULL;
	for (const char *p = suffix; *p; p++)
		if (!tl_in_name(*p))
			return NULL;
	tl_buf_addf(&metadata, "rocpd_metadata%s", suffix);
	bool is_set = tl_db_has_table(db, metadata.data);
	tl_buf_release(&metadata);
	return is_set ? suffix : NULL;
}

void tl_sqlite_read_rocpd(struct tl_sqlite_reader *r)
{
	uint64_t number = 0;

	for (uint32_t id = 1; !r->status && id <= r->db.names.count; id++) {
		const char *suffix = suffix_of(&r->db, id);
		if (suffix)
			read_set(r, ++number, suffix);
	}
	if (!r->status && !number)
		r->status = tl_fail(r->err, TL_ERR_DATA, "no rocpd_string_* table with its rocpd_metadata_* table");
}
