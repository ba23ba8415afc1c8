/* sqlite_nsys.c - events of Nsight Systems' SQLite export.
 * Tables: https://docs.nvidia.com/nsight-systems/UserGuide/index.html, "Exporter"; a version
 * may lack any of them, and any column that is not needed here.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/counter_names.h"
#include "readers/sqlite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct nsys {
	struct tl_sqlite_reader *r;
	struct tl_db_names strings;    /* StringIds */
	struct tl_nccl *nccl;          /* NULL: there are no calls of NCCL */
	struct tl_strtab domain_keys;  /* process and number of an NVTX domain: a struct domain */
	uint32_t *domains;             /* [id of the key]: name, an id in domain_names; 0: none */
	size_t cap_domains;
	struct tl_strtab domain_names;
	/* of each process, by its key: what it did, and its name; the main process has most device time, else most calls */
	struct TL_KEYED(struct done) done;
	uint64_t main;
	struct tl_map gpus;            /* pid << 32 | number of the process -> GPU + 1 */
};
struct domain { uint64_t process; int64_t number; };
struct done { uint64_t key, device_time, calls; uint32_t name; /* in domain_names; 0: not known */ };

/* ---- processes and threads ------------------------------------------------------------- */

/* A globalTid: node (16 bits), pid (24), tid (24); a globalPid is one with tid 0. */
static uint64_t process_key(int64_t global)
{
	return (uint64_t)global >> 24;
}

/* The process of a globalPid or globalTid if events of it were read; else NULL. */
static struct tl_process *known_process(const struct nsys *n, int64_t global)
{
	return TL_ITEM_FIND(&n->r->processes, process_key(global));
}

static struct tl_process *process_of(struct nsys *n, int64_t global)
{
	return tl_sqlite_process(n->r, process_key(global), global >> 24 & 0xffffff, NULL);
}

static int64_t thread_of(int64_t global)
{
	return global & 0xffffff;
}

/* Of a device event. A table without processes is one of a trace of one process. */
static struct tl_process *process_of_row(struct nsys *n, const struct tl_db_rows *rows, int slot)
{
	if (tl_db_given(rows, slot))
		return process_of(n, rows->ints[slot]);
	return n->r->processes.n == 1 ? &n->r->processes.items[0] : NULL;
}

/* An id is one of a process. If there are several, and nobody knows whose it is, it is left out. */
static void add_correlation(struct nsys *n, struct tl_process *p, int64_t id)
{
	if (p || !n->r->processes.n)
		tl_make_correlation(&n->r->make, p ? (uint64_t)(p - n->r->processes.items) + 1 : 1, id);
}

enum { P_GLOBAL, P_NAME, P_NAME_ID, P_VALUE };
static const struct tl_db_column process_columns[] = {
	{ P_GLOBAL, 0, TL_DB_NEEDED, "globalPid" }, { P_NAME, 0, TL_DB_TEXT, "name" }, { .name = NULL } };
static const struct tl_db_query processes = { .table = "PROCESSES", .columns = process_columns };
static const struct tl_db_column target_columns[] = { { P_NAME, 0, TL_DB_TEXT, "name" }, { P_VALUE, 0, TL_DB_TEXT, "value" }, { .name = NULL } };
static const struct tl_db_query target = { .table = "TARGET_INFO_SYSTEM_ENV", .columns = target_columns };
static const struct tl_db_column thread_columns[] = {
	{ P_GLOBAL, 0, 0, "globalTid" }, { P_NAME_ID, 0, TL_DB_NEEDED, "nameId" }, { .name = NULL } };
static const struct tl_db_query threads = { .table = "ThreadNames", .columns = thread_columns };

/* What the process of a globalPid or globalTid did. */
static struct done *done_by(struct nsys *n, int64_t global)
{
	bool is_new;
	struct done *d = TL_ITEM(&n->done, process_key(global), &is_new);

	if (is_new)
		*d = (struct done){ .key = process_key(global) };
	return d;
}

static void choose_main(struct nsys *n)
{
	const struct done *most = NULL;

	for (size_t i = 0; i < n->done.n; i++) {
		const struct done *d = &n->done.items[i];
		bool more = !most || d->device_time > most->device_time || (d->device_time == most->device_time && d->calls > most->calls);
		most = more ? d : most;
	}
	n->main = most ? most->key : UINT64_MAX;
}

/* The tables list all processes and threads of the machine. */
static void name_process(void *ctx, const struct tl_db_rows *rows)
{
	struct nsys *n = ctx;
	struct tl_process *p = known_process(n, rows->ints[P_GLOBAL]);
	size_t len;
	const char *path = tl_sqlite_text(n->r, rows, P_NAME, &len), *slash = path ? strrchr(path, '/') : NULL;
	size_t skip = slash ? (size_t)(slash + 1 - path) : 0;

	if (path)
		done_by(n, rows->ints[P_GLOBAL])->name = tl_intern(&n->domain_names, path + skip, len - skip);
	if (path && p)
		tl_sqlite_push_meta(n->r, p, NULL, path + skip, len - skip);
}

static void name_host(void *ctx, const struct tl_db_rows *rows)
{
	struct nsys *n = ctx;
	size_t len;
	const char *name = tl_db_text(rows, P_NAME, &len);
	bool is_host = name && tl_text_is(name, len, "Hostname");
	const char *value = is_host ? tl_sqlite_text(n->r, rows, P_VALUE, &len) : NULL;

	if (value && len)
		tl_sqlite_name_host(n->r, value, len);
}

static void name_thread(void *ctx, const struct tl_db_rows *rows)
{
	struct nsys *n = ctx;
	size_t len;
	int64_t tid = thread_of(rows->ints[P_GLOBAL]);
	struct tl_process *p = tl_db_given(rows, P_GLOBAL) ? known_process(n, rows->ints[P_GLOBAL]) : NULL;
	const char *name = p ? tl_sqlite_name(n->r, &n->strings, rows->ints[P_NAME_ID], &len) : NULL;

	if (name)
		tl_sqlite_push_meta(n->r, p, &tid, name, len);
}

/* ---- GPUs -------------------------------------------------------------------------------- */

enum { G_ID, G_NAME, G_UNITS, G_CUDA, G_PID };
static const struct tl_db_column gpu_columns[] = {
	{ G_ID, 0, 0, "id" }, { G_NAME, 0, TL_DB_TEXT, "name" }, { G_UNITS, 0, 0, "smCount" }, { .name = NULL } };
static const struct tl_db_query gpus = { .table = "TARGET_INFO_GPU", .columns = gpu_columns };
static const struct tl_db_column device_columns[] = {
	{ G_ID, 0, 0, "gpuId" }, { G_CUDA, 0, TL_DB_NEEDED, "cudaId" }, { G_PID, 0, TL_DB_NEEDED, "pid" }, { .name = NULL } };
static const struct tl_db_query devices = { .table = "TARGET_INFO_CUDA_DEVICE", .columns = device_columns };

static bool is_number(int64_t v)
{
	return v >= 0 && v < INT32_MAX;
}

static void add_gpu(void *ctx, const struct tl_db_rows *rows)
{
	struct nsys *n = ctx;
	size_t len;
	const char *name = tl_sqlite_text(n->r, rows, G_NAME, &len);

	if (tl_db_given(rows, G_ID))
		tl_sqlite_add_gpu(n->r, rows->ints[G_ID], name ? name : "", len, rows->ints[G_UNITS]);
}

static void add_device(void *ctx, const struct tl_db_rows *rows)
{
	struct nsys *n = ctx;
	int64_t gpu = rows->ints[G_ID], device = rows->ints[G_CUDA], pid = rows->ints[G_PID];

	if (tl_db_given(rows, G_ID) && is_number(gpu) && is_number(device) && is_number(pid))
		*tl_map_put(&n->gpus, (uint64_t)pid << 32 | (uint64_t)device, NULL) = (uint32_t)gpu + 1;
}

/* CUDA numbers the devices that a process sees; the file may tell which GPUs these are. */
static int64_t gpu_of(const struct nsys *n, struct tl_process *p, int64_t device)
{
	const uint32_t *gpu = p && is_number(device) ? tl_map_get(&n->gpus, (uint64_t)p->pid << 32 | (uint64_t)device) : NULL;

	return gpu && *gpu ? (int64_t)*gpu - 1 : device;
}

/* ---- calls ----------------------------------------------------------------------------------- */

enum { START, END, GLOBAL, CORRELATION, NAME, NAME_2, CLASS, RETURNED };
enum { CLASS_RUNTIME, CLASS_DRIVER, CLASS_BACKTRACE = 67 };
static const struct tl_db_column call_columns[] = {
	{ START, 0, TL_DB_NEEDED | TL_DB_TIME, "start" }, { END, 0, TL_DB_NEEDED | TL_DB_TIME, "end" },
	{ GLOBAL, 0, 0, "globalTid" }, { CORRELATION, 0, 0, "correlationId" }, { NAME, 0, TL_DB_NEEDED, "nameId" },
	{ CLASS, 0, 0, "eventClass" }, { RETURNED, 0, 0, "returnValue" }, { .name = NULL } };
static const struct tl_db_query calls = { .table = "CUPTI_ACTIVITY_KIND_RUNTIME", .columns = call_columns };

/* The length without a version: cudaLaunchKernel_v7000. */
static size_t without_version(const char *name, size_t len)
{
	size_t digits = 0;

	while (digits < len && tl_is_digit(name[len - 1 - digits]))
		digits++;
	bool has = (digits == 4 || digits == 5) && len > digits + 2 && !memcmp(name + len - digits - 2, "_v", 2);
	return has ? len - digits - 2 : len;
}

/* The first of two numbers of names that has a name; else "string NUMBER" of the first. */
static void set_name(struct nsys *n, const struct tl_db_rows *rows, bool versions)
{
	size_t len;
	const char *name = tl_sqlite_name(n->r, &n->strings, rows->ints[NAME], &len);

	if (!name && tl_db_given(rows, NAME_2))
		name = tl_sqlite_name(n->r, &n->strings, rows->ints[NAME_2], &len);
	if (!name)
		name = tl_sqlite_numbered(n->r, "string ", rows->ints[NAME], &len);
	tl_make_name(&n->r->make, name, versions ? len : without_version(name, len));
}

static void set_thread(struct nsys *n, const struct tl_db_rows *rows, int slot)
{
	if (!tl_db_given(rows, slot))
		return;
	tl_make_process(&n->r->make, process_of(n, rows->ints[slot]));
	tl_make_thread(&n->r->make, thread_of(rows->ints[slot]));
}

static void push_call(void *ctx, const struct tl_db_rows *rows)
{
	struct nsys *n = ctx;
	bool driver = rows->ints[CLASS] == CLASS_DRIVER;
	struct tl_process *p = process_of_row(n, rows, GLOBAL);

	if (rows->ints[CLASS] == CLASS_BACKTRACE) /* it repeats the call */
		return;
	if (tl_db_given(rows, GLOBAL)) {
		done_by(n, rows->ints[GLOBAL])->calls++;
		tl_nccl_launch(n->nccl, rows->ints[GLOBAL], rows->ints[START], rows->ints[END], rows->ints[CORRELATION]);
	}
	tl_sqlite_begin(n->r, driver ? TL_KIND_DRIVER : TL_KIND_RUNTIME, driver ? "cuda_driver" : "cuda_runtime");
	set_name(n, rows, false);
	tl_sqlite_set_time(n->r, rows->ints[START], rows->ints[END]);
	set_thread(n, rows, GLOBAL);
	add_correlation(n, p, rows->ints[CORRELATION]);
	if (rows->ints[RETURNED])
		tl_make_int(&n->r->make, "returnValue", rows->ints[RETURNED]);
	tl_sqlite_push(n->r);
}

/* ---- calls of other libraries ------------------------------------------------------------------- */

static const struct tl_db_column other_columns[] = {
	{ START, 0, TL_DB_NEEDED | TL_DB_TIME, "start" }, { END, 0, TL_DB_NEEDED | TL_DB_TIME, "end" },
	{ GLOBAL, 0, 0, "globalTid" }, { NAME, 0, TL_DB_NEEDED, "nameId" }, { NAME, 0, 0, "textId" }, { .name = NULL } };
static const struct { const char *table, *cat; } others[] = {
	{ "OSRT_API", "osrt" }, { "CUBLAS_EVENTS", "cublas" }, { "CUDNN_EVENTS", "cudnn" }, { "MPI_P2P_EVENTS", "mpi" },
	{ "MPI_COLLECTIVES_EVENTS", "mpi" }, { "MPI_OTHER_EVENTS", "mpi" }, { "MPI_START_WAIT_EVENTS", "mpi" },
};

struct other_table { struct nsys *n; const char *cat; };

static void push_other(void *ctx, const struct tl_db_rows *rows)
{
	const struct other_table *t = ctx;

	tl_sqlite_begin(t->n->r, TL_KIND_OTHER, t->cat);
	set_name(t->n, rows, true);
	tl_sqlite_set_time(t->n->r, rows->ints[START], rows->ints[END]);
	set_thread(t->n, rows, GLOBAL);
	tl_sqlite_push(t->n->r);
}

/* ---- the profiler's own time --------------------------------------------------------------------- */

enum { OVERHEAD_TYPE = RETURNED };
static const struct tl_db_column overhead_columns[] = {
	{ START, 0, TL_DB_NEEDED | TL_DB_TIME, "start" }, { END, 0, TL_DB_NEEDED | TL_DB_TIME, "end" },
	{ GLOBAL, 0, 0, "globalTid" }, { NAME, 0, 0, "nameId" }, { OVERHEAD_TYPE, 0, 0, "overheadType" }, { .name = NULL } };
static const struct overhead_table { const char *table, *left_out; } overheads[] = {
	{ "PROFILER_OVERHEAD", "the profiler's own time of unknown kind (PROFILER_OVERHEAD), left out" },
	{ "CUPTI_ACTIVITY_KIND_OVERHEAD", "the profiler's own time of unknown kind (CUPTI_ACTIVITY_KIND_OVERHEAD), left out" },
};
/* By CUPTI's number of the kind, as PyTorch names them. */
static const char *const overhead_labels[] = { "Undefined", "Unknown", "Driver Compiler", "Buffer Flush", "Instrumentation", "Resource",
	"Runtime Triggered Module Loading", "Lazy Function Loading", "Command Buffer Full" };

struct overhead_reading { struct nsys *n; const struct overhead_table *table; };

static void push_overhead(void *ctx, const struct tl_db_rows *rows)
{
	const struct overhead_reading *o = ctx;
	struct nsys *n = o->n;
	int64_t type = rows->ints[OVERHEAD_TYPE];
	size_t len = 0;
	const char *name = tl_db_given(rows, NAME) ? tl_sqlite_name(n->r, &n->strings, rows->ints[NAME], &len) : NULL;

	if (!name && tl_db_given(rows, OVERHEAD_TYPE) && type >= 0 && type < (int64_t)(sizeof overhead_labels / sizeof *overhead_labels)) {
		name = overhead_labels[type];
		len = strlen(name);
	}
	if (!name) {
		tl_read_note(n->r->make.report, o->table->left_out, n->r->db.uid++, -1);
		return;
	}
	tl_sqlite_begin(n->r, TL_KIND_OVERHEAD, "overhead");
	tl_make_name(&n->r->make, name, len);
	tl_sqlite_set_time(n->r, rows->ints[START], rows->ints[END]);
	set_thread(n, rows, GLOBAL);
	tl_sqlite_push(n->r);
}

/* ---- NVTX --------------------------------------------------------------------------------------- */

enum { N_START, N_END, N_TYPE, N_TEXT, N_TEXT_ID, N_GLOBAL, N_END_GLOBAL, N_DOMAIN, N_CATEGORY };
enum { MARK = 34, THREAD_NAME = 39, PUSH_POP = 59, START_END = 60, PUSH_POP_T = 70, START_END_T = 71, DOMAIN = 75 };
static const struct tl_db_column nvtx_columns[] = {
	{ N_START, 0, TL_DB_NEEDED | TL_DB_TIME, "start" }, { N_END, 0, TL_DB_TIME, "end" },
	{ N_TYPE, 0, TL_DB_NEEDED, "eventType" }, { N_TEXT, 0, TL_DB_TEXT, "text" }, { N_TEXT_ID, 0, 0, "textId" },
	{ N_GLOBAL, 0, 0, "globalTid" }, { N_END_GLOBAL, 0, 0, "endGlobalTid" }, { N_DOMAIN, 0, 0, "domainId" },
	{ N_CATEGORY, 0, 0, "category" }, { .name = NULL } };
static const struct tl_db_query nvtx = { .table = "NVTX_EVENTS", .columns = nvtx_columns };
static const struct tl_db_column domain_columns[] = {
	{ N_TYPE, 0, 0, "eventType" }, { N_TEXT, 0, TL_DB_TEXT, "text" }, { N_TEXT_ID, 0, 0, "textId" },
	{ N_GLOBAL, 0, 0, "globalTid" }, { N_DOMAIN, 0, 0, "domainId" }, { .name = NULL } };
static const struct tl_db_query domains = { .table = "NVTX_EVENTS", .columns = domain_columns };

/* The text of a row; NULL if it has none. Valid until the next. */
static const char *nvtx_text(struct nsys *n, const struct tl_db_rows *rows, size_t *len)
{
	const char *text = tl_sqlite_text(n->r, rows, N_TEXT, len);

	return *len || !tl_db_given(rows, N_TEXT_ID) ? text : tl_sqlite_name(n->r, &n->strings, rows->ints[N_TEXT_ID], len);
}

static uint32_t *domain_of(struct nsys *n, int64_t global, int64_t number)
{
	struct domain key = { process_key(global), number };
	uint32_t before = n->domain_keys.count, id = tl_intern(&n->domain_keys, (const char *)&key, sizeof key);

	TL_GROW(n->domains, n->cap_domains, (size_t)id + 1);
	if (id > before)
		n->domains[id] = 0;
	return &n->domains[id];
}

/* Names of domains, which may stand behind the ranges in them. */
static void name_domain(void *ctx, const struct tl_db_rows *rows)
{
	struct nsys *n = ctx;
	size_t len;
	const char *text = rows->ints[N_TYPE] == DOMAIN ? nvtx_text(n, rows, &len) : NULL;

	if (text)
		*domain_of(n, rows->ints[N_GLOBAL], rows->ints[N_DOMAIN]) = tl_intern(&n->domain_names, text, len);
}

/* "" is the default domain. */
static const char *add_domain(struct nsys *n, const struct tl_db_rows *rows, size_t *domain_len)
{
	int64_t number = rows->ints[N_DOMAIN];
	uint32_t id = *domain_of(n, rows->ints[N_GLOBAL], number);
	size_t len = id ? tl_str_len(&n->domain_names, id) : 0;
	const char *name = id ? tl_str(&n->domain_names, id) : number ? tl_sqlite_numbered(n->r, "domain ", number, &len) : "";

	tl_make_text(&n->r->make, TL_KEY_DOMAIN, name, len);
	*domain_len = id ? len : 0;
	return id ? name : "";
}

static void push_range(struct nsys *n, const struct tl_db_rows *rows, const char *style)
{
	bool range = style && tl_db_given(rows, N_END);
	size_t len, domain_len;

	tl_sqlite_begin(n->r, range ? TL_KIND_ANNOTATION : TL_KIND_INSTANT, "nvtx");
	if (range)
		tl_sqlite_set_time(n->r, rows->ints[N_START], rows->ints[N_END]);
	else
		tl_make_instant(&n->r->make, rows->ints[N_START]);
	set_thread(n, rows, N_GLOBAL);
	if (style)
		tl_make_text(&n->r->make, TL_KEY_STYLE, style, strlen(style));
	const char *domain = add_domain(n, rows, &domain_len);
	if (rows->ints[N_CATEGORY])
		tl_make_int(&n->r->make, "category", rows->ints[N_CATEGORY]);
	if (tl_db_given(rows, N_END_GLOBAL) && rows->ints[N_END_GLOBAL] != rows->ints[N_GLOBAL])
		tl_make_int(&n->r->make, TL_KEY_END_THREAD, thread_of(rows->ints[N_END_GLOBAL]));
	const char *text = nvtx_text(n, rows, &len);
	tl_make_name(&n->r->make, text ? text : "", len);
	if (range && text)
		tl_make_range(&n->r->make, text, len, domain, domain_len, !strcmp(style, "PushPop"));
	tl_nccl_add_range(n->nccl, rows->rowid);
	tl_sqlite_push(n->r);
}

static void name_nvtx_thread(struct nsys *n, const struct tl_db_rows *rows)
{
	int64_t tid = thread_of(rows->ints[N_GLOBAL]);
	size_t len;
	const char *name = tl_db_given(rows, N_GLOBAL) ? nvtx_text(n, rows, &len) : NULL;

	if (name)
		tl_sqlite_push_meta(n->r, process_of(n, rows->ints[N_GLOBAL]), &tid, name, len);
}

static void push_nvtx(void *ctx, const struct tl_db_rows *rows)
{
	int64_t type = rows->ints[N_TYPE];

	if (type == PUSH_POP || type == PUSH_POP_T)
		push_range(ctx, rows, "PushPop");
	else if (type == START_END || type == START_END_T)
		push_range(ctx, rows, "StartEnd");
	else if (type == MARK)
		push_range(ctx, rows, NULL);
	else if (type == THREAD_NAME)
		name_nvtx_thread(ctx, rows);
}

/* ---- device events ------------------------------------------------------------------------------- */

enum { /* further slots */
	DEVICE = RETURNED + 1, STREAM, CONTEXT, GRID, GRID_Y, GRID_Z, BLOCK, BLOCK_Y, BLOCK_Z, REGISTERS,
	STATIC_SHARED, DYNAMIC_SHARED, GRAPH_NODE, GRAPH, GRAPH_EXEC, BYTES, COPY_KIND, MEM_KIND, FROM_KIND, TO_KIND, FROM_DEVICE, TO_DEVICE, VALUE,
	SYNC_TYPE, CAUSE,
};
#define DEVICE_COLUMNS \
	{ START, 0, TL_DB_NEEDED | TL_DB_TIME, "start" }, { END, 0, TL_DB_NEEDED | TL_DB_TIME, "end" }, \
	{ DEVICE, 0, 0, "deviceId" }, { CONTEXT, 0, 0, "contextId" }, { STREAM, 0, 0, "streamId" }, \
	{ CORRELATION, 0, 0, "correlationId" }, { GLOBAL, 0, 0, "globalPid" }, { GRAPH_NODE, 0, 0, "graphNodeId" }
static const struct tl_db_column kernel_columns[] = {
	DEVICE_COLUMNS, { NAME, 0, TL_DB_NEEDED, "demangledName" }, { NAME, 0, 0, "shortName" }, { NAME_2, 0, 0, "shortName" },
	{ GRID, 0, 0, "gridX" }, { GRID_Y, 0, 0, "gridY" }, { GRID_Z, 0, 0, "gridZ" },
	{ BLOCK, 0, 0, "blockX" }, { BLOCK_Y, 0, 0, "blockY" }, { BLOCK_Z, 0, 0, "blockZ" },
	{ REGISTERS, 0, 0, "registersPerThread" }, { STATIC_SHARED, 0, 0, "staticSharedMemory" },
	{ DYNAMIC_SHARED, 0, 0, "dynamicSharedMemory" }, { GRAPH, 0, 0, "graphId" }, { .name = NULL } };
static const struct tl_db_column copy_columns[] = {
	DEVICE_COLUMNS, { BYTES, 0, 0, "bytes" }, { COPY_KIND, 0, 0, "copyKind" }, { FROM_KIND, 0, 0, "srcKind" },
	{ TO_KIND, 0, 0, "dstKind" }, { FROM_DEVICE, 0, 0, "srcDeviceId" }, { TO_DEVICE, 0, 0, "dstDeviceId" }, { CAUSE, 0, 0, "migrationCause" },
	{ .name = NULL } };
static const struct tl_db_column set_columns[] = {
	DEVICE_COLUMNS, { BYTES, 0, 0, "bytes" }, { VALUE, 0, 0, "value" }, { MEM_KIND, 0, 0, "memKind" }, { .name = NULL } };
static const struct tl_db_column graph_columns[] = {
	DEVICE_COLUMNS, { GRAPH, 0, 0, "graphId" }, { GRAPH_EXEC, 0, 0, "graphExecId" }, { .name = NULL } };
static const struct tl_db_column sync_columns[] = { DEVICE_COLUMNS, { SYNC_TYPE, 0, 0, "syncType" }, { .name = NULL } };

static const char *const copy_labels[] = {
	"Unknown", "Host-to-Device", "Device-to-Host", "Host-to-Array", "Array-to-Host", "Array-to-Array", "Array-to-Device",
	"Device-to-Array", "Device-to-Device", "Host-to-Host", "Peer-to-Peer",
};
/* Pages of unified memory that move, by copyKind. */
enum { FIRST_MIGRATION = 11, N_MIGRATIONS = 3 };
static const char *const migration_names[N_MIGRATIONS] = { "Unified memory HtoD", "Unified memory DtoH", "Unified memory DtoD" };
static const char *const migration_memory[N_MIGRATIONS] = { "Managed -> Device", "Device -> Managed", "Device -> Device" };
static const char *const causes[] = {
	"unknown", "user prefetch", "page fault", "speculative prefetch", "eviction", "access counters" };
static const char *const memory_labels[] = {
	"Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static", "Unknown" };
static const char *const sync_labels[] = {
	"Synchronization", "Event synchronization", "Stream wait event", "Stream synchronization", "Context synchronization" };

static const char *label(const char *const *labels, size_t n, int64_t number)
{
	return labels[number >= 0 && number < (int64_t)n ? number : 0];
}
#define LABEL(labels, number) label(labels, sizeof (labels) / sizeof *(labels), number)

static void name_kernel(struct nsys *n, const struct tl_db_rows *rows)
{
	set_name(n, rows, true);
}

static void name_by(struct nsys *n, const char *before, const char *what)
{
	tl_buf_clear(&n->r->make.text);
	tl_buf_addf(&n->r->make.text, "%s%s", before, what);
	tl_make_name(&n->r->make, n->r->make.text.data, n->r->make.text.len);
}

/* The number of the migration that a copy is; -1: it is none. */
static int migration_of(const struct tl_db_rows *rows)
{
	int64_t kind = tl_db_given(rows, COPY_KIND) ? rows->ints[COPY_KIND] - FIRST_MIGRATION : -1;

	return kind >= 0 && kind < N_MIGRATIONS ? (int)kind : -1;
}

static void name_copy(struct nsys *n, const struct tl_db_rows *rows)
{
	int migration = migration_of(rows);

	if (migration >= 0)
		name_by(n, migration_names[migration], "");
	else
		name_by(n, "CUDA memcpy ", LABEL(copy_labels, rows->ints[COPY_KIND]));
}

static void name_set(struct nsys *n, const struct tl_db_rows *rows)
{
	(void)rows;
	name_by(n, "CUDA memset", "");
}

static void name_graph(struct nsys *n, const struct tl_db_rows *rows)
{
	size_t len;
	const char *name = tl_sqlite_numbered(n->r, "CUDA graph ", rows->ints[GRAPH], &len);

	tl_make_name(&n->r->make, name, len);
}

static void name_sync(struct nsys *n, const struct tl_db_rows *rows)
{
	name_by(n, "", LABEL(sync_labels, rows->ints[SYNC_TYPE]));
}

/* Arguments that are a column's number under a name of the column or the model. */
static const struct { uint8_t slot; const char *key; } numbers[] = {
	{ CONTEXT, "context" }, { REGISTERS, "registers per thread" }, { STATIC_SHARED, "staticSharedMemory" },
	{ DYNAMIC_SHARED, "dynamicSharedMemory" }, { GRAPH_NODE, TL_KEY_NSYS_NODE }, { GRAPH, TL_KEY_NSYS_GRAPH }, { GRAPH_EXEC, "graphExecId" },
	{ BYTES, TL_KEY_BYTES }, { FROM_KIND, "srcKind" }, { TO_KIND, "dstKind" }, { FROM_DEVICE, "srcDeviceId" },
	{ TO_DEVICE, "dstDeviceId" }, { VALUE, "value" },
};

/* The kind of memory in a slot. */
static const char *memory(const struct tl_db_rows *rows, int slot)
{
	int64_t kind = rows->ints[slot];

	return tl_db_given(rows, slot) && kind >= 0 && kind < (int64_t)(sizeof memory_labels / sizeof *memory_labels) ? memory_labels[kind] : "Unknown";
}

struct device_table {
	struct tl_db_query query;
	enum tl_kind kind;
	const char *cat;
	void (*set_name)(struct nsys *, const struct tl_db_rows *);
};
static const struct device_table device_tables[] = {
	{ { .table = "CUPTI_ACTIVITY_KIND_KERNEL", .columns = kernel_columns }, TL_KIND_KERNEL, "kernel", name_kernel },
	{ { .table = "CUPTI_ACTIVITY_KIND_MEMCPY", .columns = copy_columns }, TL_KIND_MEMCPY, "gpu_memcpy", name_copy },
	{ { .table = "CUPTI_ACTIVITY_KIND_MEMSET", .columns = set_columns }, TL_KIND_MEMSET, "gpu_memset", name_set },
	{ { .table = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", .columns = graph_columns }, TL_KIND_KERNEL, TL_CAT_GRAPH, name_graph },
	{ { .table = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", .columns = sync_columns }, TL_KIND_OTHER, "synchronization", name_sync },
};

struct reading { struct nsys *n; const struct device_table *table; };

static void push_device_event(void *ctx, const struct tl_db_rows *rows)
{
	const struct device_table *t = ((const struct reading *)ctx)->table;
	struct nsys *n = ((const struct reading *)ctx)->n;
	struct tl_process *p = process_of_row(n, rows, GLOBAL);

	if (tl_db_given(rows, GLOBAL) && rows->ints[END] > rows->ints[START])
		done_by(n, rows->ints[GLOBAL])->device_time += (uint64_t)rows->ints[END] - (uint64_t)rows->ints[START];
	tl_sqlite_begin(n->r, t->kind, t->cat);
	t->set_name(n, rows);
	tl_sqlite_set_time(n->r, rows->ints[START], rows->ints[END]);
	if (!strcmp(t->cat, TL_CAT_GRAPH))
		tl_read_note(n->r->make.report, "a CUDA graph traced as a whole: its kernels are not in the trace", n->r->make.event.uid, -1);
	if (p)
		tl_make_process(&n->r->make, p);
	if (tl_db_given(rows, STREAM))
		tl_make_thread(&n->r->make, rows->ints[STREAM]);
	add_correlation(n, p, rows->ints[CORRELATION]);
	tl_sqlite_add_slot(n->r, TL_KEY_STREAM, rows, STREAM);
	if (tl_db_given(rows, DEVICE))
		tl_make_int(&n->r->make, TL_KEY_DEVICE, gpu_of(n, p, rows->ints[DEVICE]));
	tl_sqlite_add_size(n->r, TL_KEY_GRID, rows, GRID);
	tl_sqlite_add_size(n->r, TL_KEY_BLOCK, rows, BLOCK);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		tl_sqlite_add_slot(n->r, numbers[i].key, rows, numbers[i].slot);
	/* In the words of PyTorch's names: "Pageable -> Device". */
	char kinds[100];
	int len = 0, migration = migration_of(rows);
	if (migration >= 0)
		len = snprintf(kinds, sizeof kinds, "%s", migration_memory[migration]);
	else if (tl_db_given(rows, FROM_KIND) || tl_db_given(rows, TO_KIND))
		len = snprintf(kinds, sizeof kinds, "%s -> %s", memory(rows, FROM_KIND), memory(rows, TO_KIND));
	else if (tl_db_given(rows, MEM_KIND))
		len = snprintf(kinds, sizeof kinds, "%s", memory(rows, MEM_KIND));
	if (len > 0)
		tl_make_text(&n->r->make, TL_KEY_MEMORY, kinds, (size_t)len);
	if (migration >= 0) {
		const char *cause = LABEL(causes, rows->ints[CAUSE]);
		tl_make_int(&n->r->make, TL_KEY_MIGRATION, 1);
		tl_make_text(&n->r->make, TL_KEY_CAUSE, cause, strlen(cause));
	}
	if (t->kind == TL_KIND_KERNEL)
		tl_nccl_add_kernel(n->nccl, tl_db_given(rows, GLOBAL), rows->ints[GLOBAL], rows->ints[CORRELATION], rows->ints[NAME], rows->ints[DEVICE]);
	tl_sqlite_push(n->r);
}

/* ---- sums: by how much each row changes one ------------------------------------------------------------ */

enum { U_TIME, U_GLOBAL, U_DEVICE, U_BYTES, U_KIND, U_RELEASES };
static const struct tl_db_column use_columns[] = {
	{ U_TIME, 0, TL_DB_NEEDED | TL_DB_TIME, "start" }, { U_GLOBAL, 0, 0, "globalPid" }, { U_DEVICE, 0, 0, "deviceId" },
	{ U_BYTES, 0, 0, "bytes" }, { U_KIND, 0, 0, "memKind" }, { U_RELEASES, 0, 0, "memoryOperationType" }, { .name = NULL } };
static const struct tl_db_query memory_use = { .table = "CUDA_GPU_MEMORY_USAGE_EVENTS", .columns = use_columns };

/* kind: what part of the sum it is, or NULL */
static void push_change(struct nsys *n, const struct tl_db_rows *rows, const char *name, const char *kind, double value)
{
	struct tl_counter_name what = tl_counter_name(name, strlen(name));
	struct tl_process *p = process_of_row(n, rows, U_GLOBAL);

	if (tl_db_given(rows, U_DEVICE))
		what.device = gpu_of(n, p, rows->ints[U_DEVICE]);
	tl_make_counter(&n->r->make, n->r->db.uid++, &what, value);
	tl_make_start(&n->r->make, rows->ints[U_TIME]);
	if (p)
		tl_make_process(&n->r->make, p);
	if (kind)
		tl_make_text(&n->r->make, TL_KEY_PART, kind, strlen(kind));
	tl_make_text(&n->r->make, TL_KEY_OF, "change", strlen("change"));
	tl_sqlite_push(n->r);
}

static void push_memory_use(void *ctx, const struct tl_db_rows *rows)
{
	struct nsys *n = ctx;

	if (!tl_db_given(rows, U_DEVICE) || !tl_db_given(rows, U_BYTES) || !tl_db_given(rows, U_RELEASES)) {
		tl_read_note(n->r->make.report, "allocations of device memory without device or bytes, left out", n->r->db.uid++, -1);
		return;
	}
	push_change(n, rows, "memory in use (bytes)", memory(rows, U_KIND), (rows->ints[U_RELEASES] ? -1 : 1) * (double)rows->ints[U_BYTES]);
}

/* Page faults of unified memory: a row of the CPU's is one. */
enum { U_FAULTS = U_BYTES };
static const struct tl_db_column fault_columns[] = {
	{ U_TIME, 0, TL_DB_NEEDED | TL_DB_TIME, "start" }, { U_GLOBAL, 0, 0, "globalPid" }, { U_DEVICE, 0, 0, "deviceId" },
	{ U_FAULTS, 0, 0, "numberOfPageFaults" }, { .name = NULL } };
static const struct tl_db_query cpu_faults = { .table = "CUDA_UM_CPU_PAGE_FAULT_EVENTS", .columns = fault_columns };
static const struct tl_db_query gpu_faults = { .table = "CUDA_UM_GPU_PAGE_FAULT_EVENTS", .columns = fault_columns };

static void push_cpu_fault(void *ctx, const struct tl_db_rows *rows)
{
	push_change(ctx, rows, "page faults of the host", NULL, 1);
}

static void push_gpu_fault(void *ctx, const struct tl_db_rows *rows)
{
	struct nsys *n = ctx;

	if (tl_db_given(rows, U_FAULTS))
		push_change(n, rows, "page faults of the GPU", NULL, (double)rows->ints[U_FAULTS]);
	else
		tl_read_note(n->r->make.report, "page faults of a GPU without their number, left out", n->r->db.uid++, -1);
}

/* ---- what the profiler says of the recording --------------------------------------------------------- */

enum { D_SEVERITY, D_TEXT, D_GLOBAL };
enum { WARNING = 2, ERROR = 3 };
static const struct tl_db_column message_columns[] = {
	{ D_SEVERITY, 0, TL_DB_NEEDED, "severity" }, { D_TEXT, 0, TL_DB_TEXT, "text" }, { D_GLOBAL, 0, 0, "globalPid" },
	{ .name = NULL } };
static const struct tl_db_query messages = { .table = "DIAGNOSTIC_EVENT", .columns = message_columns };

static void say_message(void *ctx, const struct tl_db_rows *rows)
{
	struct nsys *n = ctx;
	int64_t severity = rows->ints[D_SEVERITY];
	size_t len;
	const char *text = severity == WARNING || severity == ERROR ? tl_sqlite_text(n->r, rows, D_TEXT, &len) : NULL;

	const char *what = severity == ERROR ? "an error of the profiler" : "a warning of the profiler";
	char before[160];

	if (!text)
		return;
	if (!tl_db_given(rows, D_GLOBAL) || !rows->ints[D_GLOBAL] || n->main == UINT64_MAX || process_key(rows->ints[D_GLOBAL]) == n->main) {
		snprintf(before, sizeof before, "%s: ", what);
		tl_read_quote(n->r->make.report, before, text, n->r->db.uid++);
		return;
	}
	const struct done *d = done_by(n, rows->ints[D_GLOBAL]);
	const char *name = d->name ? tl_str(&n->domain_names, d->name) : NULL;
	snprintf(before, sizeof before, "%s about another process, %.60s%s%lld%s: ", what, name ? name : "", name ? " (" : "",
	         (long long)(rows->ints[D_GLOBAL] >> 24 & 0xffffff), name ? ")" : "");
	tl_read_remark(n->r->make.report, before, text, n->r->db.uid++);
}

/* ---- the whole ------------------------------------------------------------------------------------- */

void tl_sqlite_read_nsys(struct tl_sqlite_reader *r)
{
	static const char *const value[] = { "value", NULL };
	struct nsys n = { .r = r };

	r->status = tl_db_names_open(&n.strings, &r->db, "StringIds", "", value, r->err);
	tl_sqlite_each(r, &gpus, "", add_gpu, &n);
	tl_sqlite_each(r, &devices, "", add_device, &n);
	tl_sqlite_each(r, &domains, "", name_domain, &n);
	n.nccl = tl_nccl_read(r, &n.strings);
	tl_sqlite_each(r, &calls, "", push_call, &n);
	tl_nccl_count_kernels(n.nccl);
	tl_sqlite_each(r, &nvtx, "", push_nvtx, &n);
	for (size_t i = 0; i < sizeof device_tables / sizeof *device_tables; i++)
		tl_sqlite_each(r, &device_tables[i].query, "", push_device_event, &(struct reading){ &n, &device_tables[i] });
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		tl_sqlite_each(r, &(struct tl_db_query){ .table = others[i].table, .columns = other_columns }, "", push_other,
		               &(struct other_table){ &n, others[i].cat });
	for (size_t i = 0; i < sizeof overheads / sizeof *overheads; i++)
		tl_sqlite_each(r, &(struct tl_db_query){ .table = overheads[i].table, .columns = overhead_columns }, "", push_overhead,
		               &(struct overhead_reading){ &n, &overheads[i] });
	tl_sqlite_each(r, &target, "", name_host, &n);
	tl_sqlite_each(r, &processes, "", name_process, &n);
	tl_sqlite_each(r, &threads, "", name_thread, &n);
	choose_main(&n);
	tl_sqlite_each(r, &messages, "", say_message, &n);
	tl_sqlite_each(r, &memory_use, "", push_memory_use, &n);
	tl_sqlite_each(r, &cpu_faults, "", push_cpu_fault, &n);
	tl_sqlite_each(r, &gpu_faults, "", push_gpu_fault, &n);
	tl_sqlite_read_metrics(r);
	tl_sqlite_leave_out_tables(r);
	tl_nccl_free(n.nccl);
	tl_db_names_close(&n.strings);
	tl_strtab_release(&n.domain_keys);
	tl_strtab_release(&n.domain_names);
	free(n.domains);
	tl_map_release(&n.gpus);
	TL_KEYED_RELEASE(&n.done);
}
