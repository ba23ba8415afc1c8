/* rocprofv3_names.h - what the tables of a process in rocprofv3's JSON say: names of kernels and
 * operations, numbers of GPUs, texts of markers.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ROCPROFV3_NAMES_H
#define TL_ROCPROFV3_NAMES_H

#include "json/document.h"
#include "readers/event_maker.h"

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
/* The same of what it says about the process itself; name: the file name in the first word of its command. */
void tl_rocprof_metadata(struct tl_json_doc *, struct tl_process *, struct tl_buf *name);
void tl_rocprof_names_release(struct tl_rocprof_names *);
/* The name of an operation of a kind of records; 0: the tables have none. */
uint32_t tl_rocprof_operation(const struct tl_rocprof_names *, int64_t kind, int64_t operation);

/* Takes the value at hand, if it is a number, as an integer; passes over any other value. False:
 * it was none, or the document failed. */
bool tl_rocprof_int(struct tl_json_doc *, int64_t *);

#endif
