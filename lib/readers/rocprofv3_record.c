/* rocprofv3_record.c - one record of rocprofv3's JSON: from text to numbers, from numbers to
 * an event.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/rocprofv3.h"

#include <string.h>

#include "base/text.h"
#include "json/decimal.h"
#include "model/fields.h"

/* ---- from text to numbers ------------------------------------------------------------ */

/* Where a number stands: the member of a record or of `object` in it. dispatch_info has
 * members as if they stood in the record itself. */
static const struct { const char *object, *name; uint8_t slot; } places[] = {
	{ NULL, "kind", TL_ROCPROF_KIND },
	{ NULL, "operation", TL_ROCPROF_OPERATION },
	{ NULL, "thread_id", TL_ROCPROF_THREAD },
	{ "correlation_id", "internal", TL_ROCPROF_CORRELATION },
	{ NULL, "start_timestamp", TL_ROCPROF_START },
	{ NULL, "end_timestamp", TL_ROCPROF_END },
	{ "agent_id", "handle", TL_ROCPROF_AGENT },
	{ "queue_id", "handle", TL_ROCPROF_QUEUE },
	{ NULL, "kernel_id", TL_ROCPROF_KERNEL },
	{ NULL, "dispatch_id", TL_ROCPROF_DISPATCH },
	{ NULL, "private_segment_size", TL_ROCPROF_PRIVATE },
	{ NULL, "group_segment_size", TL_ROCPROF_LDS },
	{ "workgroup_size", "x", TL_ROCPROF_BLOCK },
	{ "workgroup_size", "y", TL_ROCPROF_BLOCK_Y },
	{ "workgroup_size", "z", TL_ROCPROF_BLOCK_Z },
	{ "grid_size", "x", TL_ROCPROF_ITEMS },
	{ "grid_size", "y", TL_ROCPROF_ITEMS_Y },
	{ "grid_size", "z", TL_ROCPROF_ITEMS_Z },
	{ "stream_id", "handle", TL_ROCPROF_STREAM },
	{ "src_agent_id", "handle", TL_ROCPROF_FROM },
	{ "dst_agent_id", "handle", TL_ROCPROF_TO },
	{ NULL, "bytes", TL_ROCPROF_BYTES },
	{ NULL, "allocation_size", TL_ROCPROF_ALLOCATED },
};
enum { N_PLACES = sizeof places / sizeof *places, MAX_DEPTH = 3 };

static bool same_object(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* The place of the member at hand, which stands in `object`; -1: none. */
static int place_of(const struct tl_json_doc *d, const char *object)
{
	for (int i = 0; i < N_PLACES; i++)
		if (same_object(places[i].object, object) && tl_json_doc_name_is(d, places[i].name))
			return i;
	return -1;
}

/* The name, as it stands in the table, of an object that has numbers; NULL: another member. */
static const char *object_named(const struct tl_json_doc *d)
{
	for (int i = 0; i < N_PLACES; i++)
		if (places[i].object && tl_json_doc_name_is(d, places[i].object))
			return places[i].object;
	return NULL;
}

/* The members of a record, or of `object` in it. */
static void take_members(struct tl_json_doc *d, struct tl_rocprof_record *rec, const char *object, int depth)
{
	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d)) {
		bool nested = depth < MAX_DEPTH && tl_json_doc_peek(d) == '{';
		const char *inner = nested ? object_named(d) : NULL;
		int place = nested ? -1 : place_of(d, object);

		if (inner || (nested && tl_json_doc_name_is(d, "dispatch_info")))
			take_members(d, rec, inner, depth + 1);
		else if (place < 0)
			tl_json_doc_value(d, NULL);
		else if (tl_rocprof_int(d, &rec->slots[places[place].slot]))
			rec->given |= 1u << places[place].slot;
	}
}

bool tl_rocprof_record(struct tl_json_doc *d, struct tl_rocprof_record *rec)
{
	memset(rec->slots, 0, sizeof rec->slots);
	rec->given = 0;
	rec->offset = tl_json_doc_offset(d);
	take_members(d, rec, NULL, 0);
	return !d->status;
}

/* ---- from numbers to an event ---------------------------------------------------------- */

/* What the records of a list are; those of other lists are TL_KIND_OTHER. */
static const struct { const char *list; uint8_t kind; } kinds[] = {
	{ "kernel_dispatch", TL_KIND_KERNEL },
	{ "memory_copy", TL_KIND_MEMCPY },
	{ "hip_api", TL_KIND_RUNTIME },
	{ "hsa_api", TL_KIND_DRIVER },
	{ "marker_api", TL_KIND_ANNOTATION },
};

static uint8_t kind_of(const char *list)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(kinds[i].list, list))
			return kinds[i].kind;
	return TL_KIND_OTHER;
}

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

static uint32_t string_id(struct tl_rocprof_reader *r, const struct tl_buf *text)
{
	return tl_add_string(&r->tables, tl_buf_text(text), text->len);
}

static void add_field(struct made *m, const char *key, enum tl_field_type type, int64_t value)
{
	uint32_t id = tl_add_string(&m->r->tables, key, strlen(key));

	m->fields[m->layout.n_fields] = (struct tl_field){ .key = id, .type = (uint8_t)type };
	m->values[m->layout.n_fields++] = value;
}

static void add_number(struct made *m, const char *key, enum tl_rocprof_slot slot)
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
		add_field(m, TL_KEY_CORRELATION, TL_FIELD_INT, id);
		return;
	}
	tl_buf_clear(&r->text);
	tl_buf_addf(&r->text, "%llu:%lld", (unsigned long long)r->process.number, (long long)id);
	add_field(m, TL_KEY_CORRELATION, TL_FIELD_STRING, string_id(r, &r->text));
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
			add_field(m, TL_KEY_DEVICE, TL_FIELD_INT, gpu_of(m, agents[i]));
			return;
		}
}

static void add_list(struct made *m, const char *key, int64_t x, int64_t y, int64_t z)
{
	struct tl_rocprof_reader *r = m->r;

	tl_buf_clear(&r->text);
	tl_buf_addf(&r->text, "[%lld,%lld,%lld]", (long long)x, (long long)y, (long long)z);
	add_field(m, key, TL_FIELD_JSON, string_id(r, &r->text));
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
	int64_t items[3], block[3];
	bool has_items = size_of(m, TL_ROCPROF_ITEMS, items), has_block = size_of(m, TL_ROCPROF_BLOCK, block);
	bool exact = has_items && has_block;

	for (int i = 0; i < 3; i++)
		exact = exact && items[i] > 0 && block[i] > 0 && items[i] % block[i] == 0;
	if (has_items)
		add_list(m, TL_KEY_WORK_ITEMS, items[0], items[1], items[2]);
	if (has_block)
		add_list(m, TL_KEY_BLOCK, block[0], block[1], block[2]);
	if (exact)
		add_list(m, TL_KEY_GRID, items[0] / block[0], items[1] / block[1], items[2] / block[2]);
}

static void add_fields(struct made *m)
{
	add_correlation(m);
	add_number(m, TL_KEY_STREAM, TL_ROCPROF_STREAM);
	if (tl_kind_is_gpu(m->layout.kind)) {
		add_device(m);
		add_number(m, TL_KEY_THREAD, TL_ROCPROF_THREAD);
	}
	add_number(m, TL_KEY_AGENT, TL_ROCPROF_AGENT);
	add_number(m, TL_KEY_QUEUE, TL_ROCPROF_QUEUE);
	add_number(m, TL_KEY_DISPATCH, TL_ROCPROF_DISPATCH);
	add_number(m, "kernel_id", TL_ROCPROF_KERNEL);
	add_sizes(m);
	add_number(m, "group_segment_size", TL_ROCPROF_LDS);
	add_number(m, "private_segment_size", TL_ROCPROF_PRIVATE);
	add_number(m, "src_agent_id", TL_ROCPROF_FROM);
	add_number(m, "dst_agent_id", TL_ROCPROF_TO);
	add_number(m, TL_KEY_BYTES, TL_ROCPROF_BYTES);
	add_number(m, "allocation_size", TL_ROCPROF_ALLOCATED);
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
		add_field(m, TL_KEY_END, TL_FIELD_INT, end);
	tl_read_note(m->r->report, has_start && has_end ? "without a duration: end_timestamp is before start_timestamp"
	             : "without a duration: start_timestamp or end_timestamp is missing, or is no time", m->event.uid, m->rec->offset);
}

static void set_name(struct made *m)
{
	const struct tl_rocprof_record *rec = m->rec;
	struct tl_rocprof_reader *r = m->r;
	const struct tl_rocprof_names *n = &r->process.names;
	const uint32_t *found = NULL;
	uint32_t id = 0;

	tl_buf_clear(&r->text);
	if (m->layout.kind == TL_KIND_KERNEL) {
		found = given(m, TL_ROCPROF_KERNEL) ? tl_map_get(&n->kernels, (uint64_t)rec->slots[TL_ROCPROF_KERNEL]) : NULL;
		id = found ? *found : 0;
		if (given(m, TL_ROCPROF_KERNEL))
			tl_buf_addf(&r->text, "unknown_kernel_%lld", (long long)rec->slots[TL_ROCPROF_KERNEL]);
		else
			tl_buf_adds(&r->text, "unknown_kernel_None"); /* TraceLens's name */
	} else {
		if (m->layout.kind == TL_KIND_ANNOTATION && given(m, TL_ROCPROF_CORRELATION))
			found = tl_map_get(&n->markers, (uint64_t)rec->slots[TL_ROCPROF_CORRELATION]);
		id = found ? *found : 0;
		if (!id && given(m, TL_ROCPROF_KIND) && given(m, TL_ROCPROF_OPERATION))
			id = tl_rocprof_operation(n, rec->slots[TL_ROCPROF_KIND], rec->slots[TL_ROCPROF_OPERATION]);
		tl_buf_addf(&r->text, "%s operation %lld", tl_str(&r->lists, rec->list), (long long)rec->slots[TL_ROCPROF_OPERATION]);
	}
	if (id) {
		tl_buf_clear(&r->text);
		tl_buf_add(&r->text, tl_str(&n->texts, id), tl_str_len(&n->texts, id));
	}
	m->event.name = string_id(r, &r->text);
}

/* Of a host event its thread; of a device event its stream or, if it has none, its queue. */
static void set_track(struct made *m)
{
	struct tl_rocprof_reader *r = m->r;
	enum tl_rocprof_slot slot = !tl_kind_is_gpu(m->layout.kind) ? TL_ROCPROF_THREAD
	                            : given(m, TL_ROCPROF_STREAM) ? TL_ROCPROF_STREAM : TL_ROCPROF_QUEUE;
	uint32_t tid = 0;

	if (given(m, slot)) {
		tl_buf_clear(&r->text);
		tl_buf_addf(&r->text, "%lld", (long long)m->rec->slots[slot]);
		tid = string_id(r, &r->text);
	}
	m->event.track = tl_add_track(&r->tables, string_id(r, &r->process.track), tid);
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
	tl_source_reset(&r->tables, r->sink);
	return !r->doc.status;
}

bool tl_rocprof_push(struct tl_rocprof_reader *r, const struct tl_rocprof_record *rec)
{
	const char *list = tl_str(&r->lists, rec->list);
	struct made m = { .r = r, .rec = rec };

	m.event.uid = r->uid;
	m.layout = (struct tl_layout){ .cat = tl_add_string(&r->tables, list, strlen(list)), .kind = kind_of(list), .ph = 'X',
	                               .flags = TL_HAS_NAME | TL_HAS_ARGS };
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
	m.event.track = tl_add_track(&r->tables, string_id(r, &r->process.track), 0);
	add_field(&m, TL_KEY_META_NAME, TL_FIELD_STRING, string_id(r, &r->process.name));
	return push(&m);
}
