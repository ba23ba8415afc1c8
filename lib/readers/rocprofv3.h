/* rocprofv3.h - the parts of the reader of rocprofv3's JSON and what they share.
 *
 *   rocprofv3.c         the document: processes and their members
 *   rocprofv3_names.c   what a process's tables say: kernels, operations, GPUs, markers
 *   rocprofv3_record.c  one record: from text to numbers
 *   rocprofv3_event.c   one record: from numbers to an event
 *
 * The file is {"rocprofiler-sdk-tool": [PROCESS, ...]}. A process has tables and records; the
 * records name kernels and operations by number.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ROCPROFV3_H
#define TL_ROCPROFV3_H

#include "json/document.h"
#include "readers/reader.h"
#include "readers/spool.h"

/* ---- names ----------------------------------------------------------------------- */

/* The tables of one process. Texts are ids in `texts`. */
struct tl_rocprof_names {
	struct tl_strtab texts;
	struct tl_map kernels;  /* kernel_id -> name */
	struct tl_map markers;  /* correlation id of a roctx call -> its text */
	struct tl_map gpus;     /* handle of an agent -> number of the GPU + 1; 0: no GPU */
	struct tl_rocprof_kind { uint32_t first, n; } *kinds; /* of records: their operations */
	size_t n_kinds, cap_kinds;
	uint32_t *operations;   /* names, kind after kind */
	size_t n_operations, cap_operations;
	struct tl_buf gpu_list; /* members of a list of the GPUs, as JSON */
	/* which tables have been read */
	bool has_symbols, has_strings;
};

/* Read the value at hand, a table; a failure is the document's status. */
void tl_rocprof_symbols(struct tl_json_doc *, struct tl_rocprof_names *);
void tl_rocprof_strings(struct tl_json_doc *, struct tl_rocprof_names *);
void tl_rocprof_agents(struct tl_json_doc *, struct tl_rocprof_names *);
void tl_rocprof_names_release(struct tl_rocprof_names *);
/* The name of an operation of a kind of records; 0: the tables have none. */
uint32_t tl_rocprof_operation(const struct tl_rocprof_names *, int64_t kind, int64_t operation);

/* Takes the value at hand, if it is a number, as an integer; passes over any other value. False:
 * it was none, or the document failed. */
bool tl_rocprof_int(struct tl_json_doc *, int64_t *);
/* Takes the value at hand, if it is a string; else passes over it, and out is empty. */
void tl_rocprof_text(struct tl_json_doc *, struct tl_buf *out);
/* Takes the JSON text of the value at hand, if that begins with `first`; else passes over it,
 * and out is empty. */
void tl_rocprof_json(struct tl_json_doc *, char first, struct tl_buf *out);

/* ---- records ---------------------------------------------------------------------- */

/* The numbers of a record. */
enum tl_rocprof_slot {
	TL_ROCPROF_KIND, TL_ROCPROF_OPERATION, TL_ROCPROF_THREAD, TL_ROCPROF_CORRELATION,
	TL_ROCPROF_START, TL_ROCPROF_END, TL_ROCPROF_AGENT, TL_ROCPROF_QUEUE, TL_ROCPROF_STREAM,
	TL_ROCPROF_DISPATCH, TL_ROCPROF_KERNEL, TL_ROCPROF_LDS, TL_ROCPROF_PRIVATE,
	TL_ROCPROF_BLOCK, TL_ROCPROF_BLOCK_Y, TL_ROCPROF_BLOCK_Z,
	TL_ROCPROF_ITEMS, TL_ROCPROF_ITEMS_Y, TL_ROCPROF_ITEMS_Z,
	TL_ROCPROF_FROM, TL_ROCPROF_TO, TL_ROCPROF_BYTES, TL_ROCPROF_ALLOCATED,
	TL_ROCPROF_SLOTS
};
struct tl_rocprof_record {
	uint32_t list;   /* the name of the list that it stands in: an id in reader.lists */
	uint32_t given;  /* bits 1 << slot: the file gives the number */
	uint8_t kind;    /* of the event */
	int64_t offset;  /* of the record in the file */
	int64_t slots[TL_ROCPROF_SLOTS];
};

/* How the last record was written: its text, and where the numbers stand in it. */
enum { TL_ROCPROF_PARTS = 64 };
struct tl_rocprof_template {
	struct tl_buf text;
	struct tl_rocprof_part { int64_t from, to; int slot; } parts[TL_ROCPROF_PARTS]; /* slot -1: a number not needed */
	size_t n;
	uint32_t given;
	bool usable;
};

/* ---- the reader ------------------------------------------------------------------- */

struct tl_rocprof_process {
	uint64_t number;          /* from 1 */
	int64_t pid, init, fini;
	bool has_pid, has_init, has_fini;
	struct tl_buf hostname;   /* empty: not given */
	struct tl_buf command;    /* a JSON list; empty: not given */
	struct tl_buf track;      /* the pid of its tracks, as JSON; empty until the first record */
	struct tl_buf name;       /* empty: not given */
	struct tl_rocprof_names names;
	bool has_metadata;
	struct tl_spool early;    /* records that stand before the tables */
};

struct tl_rocprof_reader {
	struct tl_json_doc doc;
	const struct tl_read_options *options;
	struct tl_sink *sink;
	struct tl_tables tables;
	struct tl_read_report *report;
	struct tl_strtab lists;    /* names of lists of records */
	uint64_t uid;              /* of the next event */
	bool ended;                /* the trace ended too early, and that is tolerated */
	struct tl_rocprof_process process;
	struct tl_buf processes;   /* the member TL_META_PROCESSES */
	struct tl_map pids;        /* pid -> the first process that has it */
	struct tl_buf gpu_list;    /* that of the first process that has GPUs */
	struct tl_buf text;        /* room to work in */
	struct tl_rocprof_template template;
	struct tl_rocprof_ids *ids;
};

/* Reads the record at hand, an object. */
bool tl_rocprof_record(struct tl_json_doc *, struct tl_rocprof_record *, struct tl_rocprof_template *);
/* The kind of the events of a list. */
uint8_t tl_rocprof_kind(const char *list);
/* Hands the record to the sink as an event. False: the document's status tells why. */
bool tl_rocprof_push(struct tl_rocprof_reader *, const struct tl_rocprof_record *);
/* Hands an event to the sink that names the process. */
bool tl_rocprof_push_process(struct tl_rocprof_reader *);
/* Makes room for ids; forgets those that are about the process. */
void tl_rocprof_ids_new(struct tl_rocprof_reader *);
void tl_rocprof_forget_process(struct tl_rocprof_reader *);
void tl_rocprof_ids_free(struct tl_rocprof_reader *);

#endif
