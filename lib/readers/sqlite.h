/* sqlite.h - the parts of the reader of profilers' SQLite databases, and what they share.
 *
 *   sqlite_file.c    the file: whole, and opened for reading only
 *   sqlite_db.c      rows of tables, names by number
 *   sqlite.c         which profiler wrote the database; processes; what is said of the trace
 *   sqlite_event.c   from values of a row to an event
 *   sqlite_nsys.c    tables of Nsight Systems
 *   sqlite_rocpd.c   tables of rocprofv3 and rocprof-sys (rocpd)
 *   sqlite_rpd.c     tables of rocmProfileData (rpd)
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SQLITE_H
#define TL_SQLITE_H

#include "model/fields.h"
#include "readers/sqlite_db.h"

/* ---- the reader ---------------------------------------------------------------------- */

struct tl_sqlite_process {
	int64_t pid, init, fini;
	bool has_life;         /* init and fini are known */
	struct tl_buf track;   /* the pid of its tracks, as JSON */
};

struct tl_sqlite_reader {
	struct tl_db db;
	struct tl_sink *sink;
	struct tl_tables tables;
	struct tl_read_report *report;
	struct tl_sqlite_process *processes;
	size_t n_processes, cap_processes;
	struct tl_map by_key;  /* of a process -> its index + 1 */
	struct tl_map pids;    /* that are taken by a track */
	struct tl_buf gpus;    /* members of a list of the GPUs, as JSON */
	struct tl_buf text;    /* room to work in */
	/* what was looked up last; empty after a reset of the tables */
	struct tl_sqlite_key { const char *key; uint32_t id; } keys[64]; /* by the address of a constant text */
	struct tl_sqlite_list { int64_t size[3]; uint32_t id; } lists[64]; /* by a hash of the size */
	struct tl_layout layout;
	struct tl_field layout_fields[32];
	uint32_t layout_id;
	struct tl_error *err;
	enum tl_status status;
};

/* The process of a key, which the format chooses; one that is new is added, with this pid. is_new may be
 * NULL. The pointer is valid until another one is added. */
struct tl_sqlite_process *tl_sqlite_process(struct tl_sqlite_reader *, uint64_t key, int64_t pid, bool *is_new);
/* Adds a GPU to what is said of the trace. units: multiprocessors or compute units, 0 for unknown. */
void tl_sqlite_add_gpu(struct tl_sqlite_reader *, int64_t number, const char *name, size_t len, int64_t units);
/* Counts the rows of a table, which are left out, under a note. */
void tl_sqlite_leave_out(struct tl_sqlite_reader *, const char *table, const char *suffix, const char *note);

/* ---- queries: failures go to the reader's status ----------------------------------------- */

/* Calls row() for each row, until a call fails. */
void tl_sqlite_each(struct tl_sqlite_reader *, const struct tl_db_query *, const char *suffix,
                    void (*row)(void *ctx, const struct tl_db_rows *), void *ctx);
/* A text of the row as valid UTF-8, in the reader's `text`; NULL if not given. */
const char *tl_sqlite_text(struct tl_sqlite_reader *, const struct tl_db_rows *, int slot, size_t *len);
/* The text of a number; NULL if it has none or the lookup failed. */
const char *tl_sqlite_name(struct tl_sqlite_reader *, struct tl_db_names *, int64_t number, size_t *len);
/* "WHAT NUMBER" in the reader's `text`, for what has no name; `what` ends with a blank. */
const char *tl_sqlite_numbered(struct tl_sqlite_reader *, const char *what, int64_t number, size_t *len);

/* ---- events -------------------------------------------------------------------------------- */

/* An event that is being made. */
struct tl_sqlite_event {
	struct tl_layout layout;
	struct tl_event event;
	struct tl_field fields[32];
	int64_t values[32];
	uint32_t pid, tid; /* of its track: string ids */
};

/* cat: a constant text, or NULL. */
void tl_sqlite_begin(struct tl_sqlite_reader *, struct tl_sqlite_event *, enum tl_kind, const char *cat);
void tl_sqlite_set_cat(struct tl_sqlite_reader *, struct tl_sqlite_event *, const char *cat, size_t len);
void tl_sqlite_set_name(struct tl_sqlite_reader *, struct tl_sqlite_event *, const char *name, size_t len);
void tl_sqlite_set_process(struct tl_sqlite_reader *, struct tl_sqlite_event *, const struct tl_sqlite_process *);
void tl_sqlite_set_thread(struct tl_sqlite_reader *, struct tl_sqlite_event *, int64_t tid); /* or stream */
/* Start and end in ticks. An end before the start gives no duration but TL_KEY_END, and a note. */
void tl_sqlite_set_time(struct tl_sqlite_reader *, struct tl_sqlite_event *, int64_t start, int64_t end);
void tl_sqlite_set_instant(struct tl_sqlite_event *, int64_t ts);
void tl_sqlite_add_int(struct tl_sqlite_reader *, struct tl_sqlite_event *, const char *key, int64_t);
void tl_sqlite_add_text(struct tl_sqlite_reader *, struct tl_sqlite_event *, const char *key, const char *, size_t);
/* A list of the numbers in three slots in a row; nothing if the first one is not given. */
void tl_sqlite_add_size(struct tl_sqlite_reader *, struct tl_sqlite_event *, const char *key, const struct tl_db_rows *, int slot);
/* The sizes of a grid in work-items and of a block, and the grid in blocks if that is exact. */
void tl_sqlite_add_work_items(struct tl_sqlite_reader *, struct tl_sqlite_event *, const struct tl_db_rows *, int items, int block);
/* The number of a slot, if the row gives it. */
void tl_sqlite_add_slot(struct tl_sqlite_reader *, struct tl_sqlite_event *, const char *key, const struct tl_db_rows *, int slot);
/* An id that is unique in its scope only (a process, or one of several databases in the file);
 * scopes count from 1. 0 is no id. */
void tl_sqlite_add_correlation(struct tl_sqlite_reader *, struct tl_sqlite_event *, uint64_t scope, int64_t id);
/* Hands the event to the sink. */
void tl_sqlite_push(struct tl_sqlite_reader *, struct tl_sqlite_event *);
/* An event that names a process, or a thread of it if tid is not NULL. */
void tl_sqlite_push_meta(struct tl_sqlite_reader *, const struct tl_sqlite_process *, const int64_t *tid, const char *name, size_t len);

/* ---- formats: read all events ------------------------------------------------------------------ */

void tl_sqlite_read_nsys(struct tl_sqlite_reader *);
void tl_sqlite_read_rocpd(struct tl_sqlite_reader *);
void tl_sqlite_read_rpd(struct tl_sqlite_reader *);

#endif
