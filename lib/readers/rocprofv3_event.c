/* rocprofv3_event.c - one record of rocprofv3's JSON: from numbers to an event.
 *
 * Ids of texts that events have again and again are kept, until the tables start anew.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/rocprofv3.h"

#include <stdlib.h>
#include <string.h>

#include "json/decimal.h"
#include "model/fields.h"

/* What the records of a list are; those of other lists are TL_KIND_OTHER. */
static const struct { const char *list; uint8_t kind; } kinds[] = {
	{ "kernel_dispatch", TL_KIND_KERNEL },
	{ "memory_copy", TL_KIND_MEMCPY },
	{ "hip_api", TL_KIND_RUNTIME },
	{ "hsa_api", TL_KIND_DRIVER },
	{ "marker_api", TL_KIND_ANNOTATION },
};

uint8_t tl_rocprof_kind(const char *list)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(kinds[i].list, list))
			return kinds[i].kind;
	return TL_KIND_OTHER;
}

/* ---- ids ----------------------------------------------------------------------------- */

enum key {
	CORRELATION, STREAM, DEVICE, THREAD, AGENT, QUEUE, DISPATCH, KERNEL_ID, WORK_ITEMS, BLOCK, GRID, GROUP_SEGMENT,
	PRIVATE_SEGMENT, FROM_AGENT, TO_AGENT, BYTES, ALLOCATION, END, N_KEYS
};
static const char *const key_names[N_KEYS] = {
	TL_KEY_CORRELATION, TL_KEY_STREAM, TL_KEY_DEVICE, TL_KEY_THREAD, TL_KEY_AGENT, TL_KEY_QUEUE, TL_KEY_DISPATCH, "kernel_id",
	TL_KEY_WORK_ITEMS, TL_KEY_BLOCK, TL_KEY_GRID, "group_segment_size", "private_segment_size", "src_agent_id", "dst_agent_id",
	TL_KEY_BYTES, "allocation_size", TL_KEY_END,
};

enum { N_KNOWN = 256 };
/* Ids in the reader's tables; 0: not known. The arrays of N_KNOWN are by hash, and keep the
 * last one. */
struct tl_rocprof_ids {
	uint32_t keys[N_KEYS];
	uint32_t list, cat;      /* the category of that list */
	uint32_t pid;            /* of the process */
	struct tl_by_id names;   /* by id in the process's texts */
	struct { int64_t tid; uint32_t track; } tracks[N_KNOWN]; /* of the process */
	struct { int64_t size[3]; uint32_t id; } sizes[N_KNOWN];
};

void tl_rocprof_ids_new(struct tl_rocprof_reader *r)
{
	r->ids = tl_calloc(1, sizeof *r->ids);
}

void tl_rocprof_ids_free(struct tl_rocprof_reader *r)
{
	tl_by_id_release(&r->ids->names);
	free(r->ids);
}

void tl_rocprof_forget_process(struct tl_rocprof_reader *r)
{
	r->ids->pid = 0;
	tl_by_id_forget(&r->ids->names);
	memset(r->ids->tracks, 0, sizeof r->ids->tracks);
}

static void forget_all(struct tl_rocprof_reader *r)
{
	struct tl_by_id names = r->ids->names;

	*r->ids = (struct tl_rocprof_ids){ .names = names };
	tl_by_id_forget(&r->ids->names);
}

static uint32_t key_id(struct tl_rocprof_reader *r, enum key key)
{
	uint32_t *id = &r->ids->keys[key];

	return *id ? *id : (*id = tl_add_text(&r->tables, key_names[key]));
}

static uint32_t category_id(struct tl_rocprof_reader *r, uint32_t list)
{
	if (r->ids->list != list)
		r->ids->cat = tl_add_string(&r->tables, tl_str(&r->lists, list), tl_str_len(&r->lists, list));
	r->ids->list = list;
	return r->ids->cat;
}

static uint32_t string_id(struct tl_rocprof_reader *r, const struct tl_buf *text)
{
	return tl_add_string(&r->tables, tl_buf_text(text), text->len);
}

static uint32_t pid_id(struct tl_rocprof_reader *r)
{
	return r->ids->pid ? r->ids->pid : (r->ids->pid = string_id(r, &r->process.track));
}

static uint32_t size_id(struct tl_rocprof_reader *r, const int64_t size[3])
{
	uint64_t hash = tl_hash_u64((uint64_t)size[0] * 31 + (uint64_t)size[1] * 17 + (uint64_t)size[2]) % N_KNOWN;

	if (!r->ids->sizes[hash].id || memcmp(r->ids->sizes[hash].size, size, sizeof r->ids->sizes[hash].size)) {
		tl_buf_clear(&r->text);
		tl_buf_addf(&r->text, "[%lld,%lld,%lld]", (long long)size[0], (long long)size[1], (long long)size[2]);
		memcpy(r->ids->sizes[hash].size, size, sizeof r->ids->sizes[hash].size);
		r->ids->sizes[hash].id = string_id(r, &r->text);
	}
	return r->ids->sizes[hash].id;
}

static uint32_t track_id(struct tl_rocprof_reader *r, int64_t tid)
{
	uint64_t hash = tl_hash_u64((uint64_t)tid) % N_KNOWN;

	if (!r->ids->tracks[hash].track || r->ids->tracks[hash].tid != tid) {
		uint32_t pid = pid_id(r);
		r->ids->tracks[hash].tid = tid;
		r->ids->tracks[hash].track = tl_add_track(&r->tables, pid, tl_add_number(&r->tables, tid));
	}
	return r->ids->tracks[hash].track;
}

/* ---- fields ---------------------------------------------------------------------------- */

/* An event that is being made. */
struct made {
	struct tl_rocprof_reader *r;
	const struct tl_rocprof_record *rec;
	struct tl_layout layout;
	struct tl_event event;
	struct tl_field fields[24];
	int64_t values[24];
};

static bool given(const struct made *m, enum tl_rocprof_slot slot)
{
	return m->rec->given >> slot & 1;
}

static void add_field(struct made *m, enum key key, enum tl_field_type type, int64_t value)
{
	m->fields[m->layout.n_fields] = (struct tl_field){ .key = key_id(m->r, key), .type = (uint8_t)type };
	m->values[m->layout.n_fields++] = value;
}

static void add_number(struct made *m, enum key key, enum tl_rocprof_slot slot)
{
	if (given(m, slot))
		add_field(m, key, TL_FIELD_INT, m->rec->slots[slot]);
}

/* Ids count from 1 in each process, and 0 is none. Those of all but the first process get the
 * process's number. */
static void add_correlation(struct made *m)
{
	struct tl_rocprof_reader *r = m->r;
	int64_t id = m->rec->slots[TL_ROCPROF_CORRELATION];

	if (!id)
		return;
	if (r->process.number == 1) {
		add_field(m, CORRELATION, TL_FIELD_INT, id);
		return;
	}
	tl_buf_clear(&r->text);
	tl_buf_addf(&r->text, "%llu:%lld", (unsigned long long)r->process.number, (long long)id);
	add_field(m, CORRELATION, TL_FIELD_STRING, string_id(r, &r->text));
}

/* Number of the GPU that an agent is; the agent's handle if the file does not say; -1: no GPU. */
static int64_t gpu_of(const struct made *m, enum tl_rocprof_slot agent)
{
	int64_t handle = m->rec->slots[agent];
	const uint32_t *number = tl_map_get(&m->r->process.names.gpus, (uint64_t)handle);

	return number ? (int64_t)*number - 1 : handle;
}

static void add_device(struct made *m)
{
	static const enum tl_rocprof_slot agents[] = { TL_ROCPROF_AGENT, TL_ROCPROF_TO, TL_ROCPROF_FROM };

	for (size_t i = 0; i < sizeof agents / sizeof *agents; i++)
		if (given(m, agents[i]) && gpu_of(m, agents[i]) >= 0) {
			add_field(m, DEVICE, TL_FIELD_INT, gpu_of(m, agents[i]));
			return;
		}
}

/* A size; a number that is not given is 1. False: none of the three is given. */
static bool size_of(const struct made *m, enum tl_rocprof_slot first, int64_t size[3])
{
	bool any = false;

	for (int i = 0; i < 3; i++) {
		any |= given(m, first + i);
		size[i] = given(m, first + i) ? m->rec->slots[first + i] : 1;
	}
	return any;
}

/* rocprofv3 gives the grid in work-items. */
static void add_sizes(struct made *m)
{
	int64_t items[3], block[3], grid[3];
	bool has_items = size_of(m, TL_ROCPROF_ITEMS, items), has_block = size_of(m, TL_ROCPROF_BLOCK, block);
	bool exact = has_items && has_block;

	for (int i = 0; i < 3; i++)
		exact = exact && items[i] > 0 && block[i] > 0 && items[i] % block[i] == 0;
	if (has_items)
		add_field(m, WORK_ITEMS, TL_FIELD_JSON, size_id(m->r, items));
	if (has_block)
		add_field(m, BLOCK, TL_FIELD_JSON, size_id(m->r, block));
	if (!exact)
		return;
	for (int i = 0; i < 3; i++)
		grid[i] = items[i] / block[i];
	add_field(m, GRID, TL_FIELD_JSON, size_id(m->r, grid));
}

static void add_fields(struct made *m)
{
	add_correlation(m);
	add_number(m, STREAM, TL_ROCPROF_STREAM);
	if (tl_kind_is_gpu(m->layout.kind)) {
		add_device(m);
		add_number(m, THREAD, TL_ROCPROF_THREAD);
	}
	add_number(m, AGENT, TL_ROCPROF_AGENT);
	add_number(m, QUEUE, TL_ROCPROF_QUEUE);
	add_number(m, DISPATCH, TL_ROCPROF_DISPATCH);
	add_number(m, KERNEL_ID, TL_ROCPROF_KERNEL);
	add_sizes(m);
	add_number(m, GROUP_SEGMENT, TL_ROCPROF_LDS);
	add_number(m, PRIVATE_SEGMENT, TL_ROCPROF_PRIVATE);
	add_number(m, FROM_AGENT, TL_ROCPROF_FROM);
	add_number(m, TO_AGENT, TL_ROCPROF_TO);
	add_number(m, BYTES, TL_ROCPROF_BYTES);
	add_number(m, ALLOCATION, TL_ROCPROF_ALLOCATED);
}

static bool is_time(int64_t ns)
{
	return ns >= 0 && ns <= TL_JSON_FIXED_MAX;
}

/* Start and duration. A record whose times make no span keeps what it has. */
static void set_time(struct made *m)
{
	int64_t start = m->rec->slots[TL_ROCPROF_START], end = m->rec->slots[TL_ROCPROF_END];
	bool has_start = given(m, TL_ROCPROF_START) && is_time(start), has_end = given(m, TL_ROCPROF_END) && is_time(end);

	if (has_start) {
		m->layout.flags |= TL_HAS_TS;
		m->event.ts = start;
	}
	if (has_start && has_end && start <= end) {
		m->layout.flags |= TL_HAS_DUR;
		m->event.dur = end - start;
		return;
	}
	if (has_end)
		add_field(m, END, TL_FIELD_INT, end);
	tl_read_note(m->r->report, has_start && has_end ? "without a duration: end_timestamp is before start_timestamp"
	             : "without a duration: start_timestamp or end_timestamp is missing, or is no time", m->event.uid, m->rec->offset);
}

/* The name in the process's tables, an id there; 0: they have none. */
static uint32_t known_name(const struct made *m)
{
	const struct tl_rocprof_names *n = &m->r->process.names;
	const int64_t *slots = m->rec->slots;
	const uint32_t *found = NULL;

	if (m->layout.kind == TL_KIND_KERNEL)
		found = given(m, TL_ROCPROF_KERNEL) ? tl_map_get(&n->kernels, (uint64_t)slots[TL_ROCPROF_KERNEL]) : NULL;
	else if (m->layout.kind == TL_KIND_ANNOTATION && given(m, TL_ROCPROF_CORRELATION))
		found = tl_map_get(&n->markers, (uint64_t)slots[TL_ROCPROF_CORRELATION]);
	if (found)
		return *found;
	if (m->layout.kind == TL_KIND_KERNEL || !given(m, TL_ROCPROF_KIND) || !given(m, TL_ROCPROF_OPERATION))
		return 0;
	return tl_rocprof_operation(n, slots[TL_ROCPROF_KIND], slots[TL_ROCPROF_OPERATION]);
}

/* The names of what the tables do not have; those of kernels are TraceLens's. */
static uint32_t made_up_name(struct made *m)
{
	struct tl_rocprof_reader *r = m->r;

	tl_buf_clear(&r->text);
	if (m->layout.kind != TL_KIND_KERNEL)
		tl_buf_addf(&r->text, "%s operation %lld", tl_str(&r->lists, m->rec->list), (long long)m->rec->slots[TL_ROCPROF_OPERATION]);
	else if (given(m, TL_ROCPROF_KERNEL))
		tl_buf_addf(&r->text, "unknown_kernel_%lld", (long long)m->rec->slots[TL_ROCPROF_KERNEL]);
	else
		tl_buf_adds(&r->text, "unknown_kernel_None");
	return string_id(r, &r->text);
}

static void set_name(struct made *m)
{
	const struct tl_strtab *texts = &m->r->process.names.texts;
	uint32_t text = known_name(m), *id;

	if (!text) {
		m->event.name = made_up_name(m);
		return;
	}
	id = tl_by_id(&m->r->ids->names, text);
	if (!*id)
		*id = tl_add_string(&m->r->tables, tl_str(texts, text), tl_str_len(texts, text));
	m->event.name = *id;
}

/* Of a host event its thread; of a device event its stream or, if it has none, its queue. */
static void set_track(struct made *m)
{
	struct tl_rocprof_reader *r = m->r;
	enum tl_rocprof_slot slot = !tl_kind_is_gpu(m->layout.kind) ? TL_ROCPROF_THREAD
	                            : given(m, TL_ROCPROF_STREAM) ? TL_ROCPROF_STREAM : TL_ROCPROF_QUEUE;

	m->event.track = given(m, slot) ? track_id(r, m->rec->slots[slot]) : tl_add_track(&r->tables, pid_id(r), 0);
}

static bool push(struct made *m)
{
	struct tl_rocprof_reader *r = m->r;

	m->layout.fields = m->fields;
	m->event.layout = tl_add_layout(&r->tables, &m->layout);
	m->event.values = m->values;
	m->event.uid = r->uid++;
	r->report->n_events = r->uid;
	r->doc.status = r->sink->ops->event(r->sink, &m->event, &r->doc.error);
	if (tl_source_reset(&r->tables, r->sink))
		forget_all(r);
	return !r->doc.status;
}

bool tl_rocprof_push(struct tl_rocprof_reader *r, const struct tl_rocprof_record *rec)
{
	struct made m;

	m.r = r;
	m.rec = rec;
	m.event = (struct tl_event){ .uid = r->uid };
	m.layout = (struct tl_layout){ .cat = category_id(r, rec->list), .kind = rec->kind, .ph = 'X', .flags = TL_HAS_NAME | TL_HAS_ARGS };
	add_fields(&m);
	set_time(&m);
	set_name(&m);
	set_track(&m);
	return push(&m);
}

bool tl_rocprof_push_process(struct tl_rocprof_reader *r)
{
	struct made m = { .r = r };

	m.layout = (struct tl_layout){ .kind = TL_KIND_META, .ph = 'M', .flags = TL_HAS_NAME | TL_HAS_ARGS };
	m.event.name = tl_add_string(&r->tables, "process_name", 12);
	m.event.track = tl_add_track(&r->tables, pid_id(r), 0);
	m.fields[m.layout.n_fields] = (struct tl_field){ tl_add_text(&r->tables, TL_KEY_META_NAME), TL_FIELD_STRING, 0 };
	m.values[m.layout.n_fields++] = string_id(r, &r->process.name);
	return push(&m);
}
