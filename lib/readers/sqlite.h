/* sqlite.h - the parts of the reader of profilers' SQLite databases, and what they share.
 *
 *   sqlite_db.c      the file, rows of tables, names by number
 *   sqlite_event.c   what the formats share: processes, queries, from values of a row to an event
 *   sqlite.c         which profiler wrote the database; tables of rocmProfileData (rpd)
 *   sqlite_nsys.c    tables of Nsight Systems
 *   sqlite_nccl.c    what NCCL says of its calls in them
 *   sqlite_metrics.c their metrics of GPUs
 *   sqlite_unread.c  those of them that are not read
 *   sqlite_rocpd.c   tables of rocprofv3 and rocprof-sys (rocpd)
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SQLITE_H
#define TL_SQLITE_H

#include "readers/event_maker.h"
#include "readers/sqlite_db.h"

/* ---- the reader ---------------------------------------------------------------------- */

struct tl_sqlite_reader {
	struct tl_db db;
	struct tl_sink *sink;
	struct tl_maker make;
	struct TL_KEYED(struct tl_process) processes;
	struct tl_buf host; bool hosts; /* the name of the machine, JSON; there are several */
	struct tl_error *err;
	enum tl_status status;
};

/* The process of a key, which the format chooses; one that is new is added, with this pid. is_new may be
 * NULL. The pointer is valid until another one is added. */
struct tl_process *tl_sqlite_process(struct tl_sqlite_reader *, uint64_t key, int64_t pid, bool *is_new);
/* The machine is called that. */
void tl_sqlite_name_host(struct tl_sqlite_reader *, const char *name, size_t len);
/* Adds a GPU to what is said of the trace. units: multiprocessors or compute units, 0 for unknown. */
void tl_sqlite_add_gpu(struct tl_sqlite_reader *, int64_t number, const char *name, size_t len, int64_t units);
/* Counts the rows of the tables of Nsight Systems that are not read (nsys-tables.tsv), under what they are. */
void tl_sqlite_leave_out_tables(struct tl_sqlite_reader *);
/* What the rows of a table are by nsys-tables.tsv: *rows receives "read", "about", or words for them, at most `size` bytes; false:
 * no row names it. */
bool tl_nsys_table(const char *table, char *rows, size_t size);
/* The first mistake in a text in the form of that table. */
enum tl_status tl_nsys_tables_check(const char *file, const char *text, size_t len, struct tl_error *);

/* ---- queries: failures go to the reader's status ----------------------------------------- */

/* Calls row() for each row, until a call fails. */
void tl_sqlite_each(struct tl_sqlite_reader *, const struct tl_db_query *, const char *suffix,
                    void (*row)(void *ctx, const struct tl_db_rows *), void *ctx);
/* A text of the row as valid UTF-8, in the maker's `text`; NULL if not given. */
const char *tl_sqlite_text(struct tl_sqlite_reader *, const struct tl_db_rows *, int slot, size_t *len);
/* The text of a number; NULL if it has none or the lookup failed. */
const char *tl_sqlite_name(struct tl_sqlite_reader *, struct tl_db_names *, int64_t number, size_t *len);
/* "WHAT NUMBER" in the maker's `text`, for what has no name; `what` ends with a blank. */
const char *tl_sqlite_numbered(struct tl_sqlite_reader *, const char *what, int64_t number, size_t *len);

/* ---- events: failures go to the reader's status ------------------------------------------ */

/* cat: a constant text, or NULL. */
void tl_sqlite_begin(struct tl_sqlite_reader *, enum tl_kind, const char *cat);
/* Start and end in ticks. An end before the start gives no duration but TL_KEY_END, and a note. */
void tl_sqlite_set_time(struct tl_sqlite_reader *, int64_t start, int64_t end);
/* A list of the numbers in three slots in a row; nothing if the first one is not given. */
void tl_sqlite_add_size(struct tl_sqlite_reader *, const char *key, const struct tl_db_rows *, int slot);
/* The sizes of a grid in work-items and of a block, and the grid in blocks if that is exact. */
void tl_sqlite_add_work_items(struct tl_sqlite_reader *, const struct tl_db_rows *, int items, int block);
/* The number of a slot, if the row gives it. */
void tl_sqlite_add_slot(struct tl_sqlite_reader *, const char *key, const struct tl_db_rows *, int slot);
/* Hands the event to the sink. */
void tl_sqlite_push(struct tl_sqlite_reader *);
/* An event that names a process, or a thread of it if tid is not NULL. */
void tl_sqlite_push_meta(struct tl_sqlite_reader *, struct tl_process *, const int64_t *tid, const char *name, size_t len);

/* ---- calls of NCCL in a database of Nsight Systems ---------------------------------------- */

/* NULL is what a trace without such calls has: it notes, counts and adds nothing. */
struct tl_nccl;
/* Reads the ranges of NCCL's calls, and their payloads; NULL: there are none. strings: texts by number. */
struct tl_nccl *tl_nccl_read(struct tl_sqlite_reader *, struct tl_db_names *strings);
void tl_nccl_free(struct tl_nccl *);
/* Notes a call of CUDA, which may be what a call of NCCL launches; global: of its thread, as Nsight Systems writes it. */
void tl_nccl_launch(struct tl_nccl *, int64_t global, int64_t start, int64_t end, int64_t correlation);
/* Counts the kernels of each call, once all launches are noted. */
void tl_nccl_count_kernels(struct tl_nccl *);
/* Adds what is known of the messages to the event at hand: the range in a row of NVTX_EVENTS, or a kernel; name: the
 * number of its name; device: as CUDA numbers it. */
void tl_nccl_add_range(struct tl_nccl *, int64_t rowid);
void tl_nccl_add_kernel(struct tl_nccl *, bool has_global, int64_t global, int64_t correlation, int64_t name, int64_t device);
/* What nccl-calls.tsv says of a range: *words receives its collective, kernel, gives and gets, at most `size` bytes; false: no
 * row names it. */
bool tl_nccl_call(const char *range, char *words, size_t size);
/* The first mistake in a text in that form. */
enum tl_status tl_nccl_calls_check(const char *file, const char *text, size_t len, struct tl_error *);

/* The values of metrics of GPUs of Nsight Systems: counters of the time before them. A GPU's number is that of its metrics' type
 * among those of all, in ascending order. */
void tl_sqlite_read_metrics(struct tl_sqlite_reader *);

/* ---- formats: read all events ------------------------------------------------------------------ */

void tl_sqlite_read_nsys(struct tl_sqlite_reader *);
void tl_sqlite_read_rocpd(struct tl_sqlite_reader *);

#endif
