/* rocprofv3.c - reads the JSON of rocprofv3, AMD's profiler: processes, their tables and the
 * lists of their records.
 *
 * The file is {"rocprofiler-sdk-tool": [PROCESS, ...]}. A process has tables and records; the
 * records name kernels and operations by number. A record becomes an event at once if its
 * process's tables stand before it, as rocprofv3 writes them. Else its numbers are spooled to a
 * file until the process ends, so that memory grows with the tables only.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/document.h"
#include "base/value.h"
#include "base/number.h"
#include "readers/counter_names.h"
#include "readers/rocprofv3.h"
#include "readers/spool.h"

#define TOP_KEY "rocprofiler-sdk-tool"

/* ---- the tables of a process: names of kernels and operations, numbers of GPUs, texts of markers ---- */

/* The tables of one process. Texts are ids in `texts`. */
struct names {
	struct tl_strtab texts;
	struct tl_map kernels;  /* kernel_id -> name */
	struct tl_map markers;  /* correlation id of a roctx call -> its text */
	struct tl_map counters; /* handle of a counter -> name */
	struct tl_map gpus;     /* handle of an agent -> number of the GPU + 1; 0: no GPU */
	struct record_kind { uint32_t first, n; } *kinds; /* of records: their operations */
	size_t n_kinds, cap_kinds;
	uint32_t *operations;   /* names, kind after kind */
	size_t n_operations, cap_operations;
	struct tl_buf gpu_list; /* members of a list of the GPUs, as JSON */
	/* which tables have been read */
	bool has_symbols, has_strings;
};

/* Takes the value at hand, if it is a number, as an integer; passes over any other value. False:
 * it was none, or the document failed. */
static bool take_int(struct tl_json_doc *d, int64_t *out)
{
	int c = tl_json_doc_peek(d);

	if (c == '-' || tl_is_digit(c))
		return tl_json_doc_int(d, out);
	tl_json_doc_value(d, NULL);
	return false;
}

/* Takes the value at hand, if it is a string; else passes over it, and out is empty. */
static void take_text(struct tl_json_doc *d, struct tl_buf *out)
{
	tl_buf_clear(out);
	if (tl_json_doc_peek(d) == '"')
		tl_json_doc_string(d, out);
	else
		tl_json_doc_value(d, NULL);
}

/* Takes the JSON text of the value at hand, if that begins with `first`; else passes over it,
 * and out is empty. */
static void take_json(struct tl_json_doc *d, char first, struct tl_buf *out)
{
	tl_buf_clear(out);
	tl_json_doc_value(d, tl_json_doc_peek(d) == first ? out : NULL);
}

static uint32_t intern(struct names *n, const struct tl_buf *text)
{
	return tl_intern(&n->texts, tl_buf_text(text), text->len);
}

/* The number in {"handle": NUMBER}. */
static void take_handle(struct tl_json_doc *d, int64_t *handle)
{
	if (tl_json_doc_peek(d) != '{') {
		take_int(d, handle);
		return;
	}
	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d))
		if (tl_json_doc_name_is(d, "handle"))
			take_int(d, handle);
		else
			tl_json_doc_value(d, NULL);
}

#define COMMAND_MAX ((size_t)64 * 1024)

/* ---- metadata --------------------------------------------------------------------- */

static void node(struct tl_json_doc *d, struct tl_process *p)
{
	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d))
		if (tl_json_doc_name_is(d, "hostname"))
			take_json(d, '"', &p->hostname);
		else
			tl_json_doc_value(d, NULL);
}

static void command(struct tl_json_doc *d, struct tl_process *p, struct tl_buf *name)
{
	take_json(d, '[', &p->command);
	if (p->command.len > COMMAND_MAX)
		tl_buf_clear(&p->command);
	if (p->command.len) {
		/* the process's name: the file name of its first word */
		struct tl_arena arena = { 0 };
		struct tl_value v = { 0 };
		if (!tl_value_parse(&arena, p->command.data, p->command.len, &v, NULL) && v.len && v.items[0].type == TL_V_TEXT) {
			const char *slash = strrchr(v.items[0].text, '/');
			tl_buf_clear(name);
			tl_buf_adds(name, slash ? slash + 1 : v.items[0].text);
		}
		tl_arena_release(&arena);
	}
}

/* The same of what it says about the process itself; name: the file name in the first word of its command. */
static void read_metadata(struct tl_json_doc *d, struct tl_process *p, struct tl_buf *name)
{
	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d))
		if (tl_json_doc_name_is(d, "pid"))
			p->has_pid |= take_int(d, &p->pid);
		else if (tl_json_doc_name_is(d, "init_time"))
			p->has_init |= take_int(d, &p->init);
		else if (tl_json_doc_name_is(d, "fini_time"))
			p->has_fini |= take_int(d, &p->fini);
		else if (tl_json_doc_name_is(d, "command"))
			command(d, p, name);
		else if (tl_json_doc_name_is(d, "node") && tl_json_doc_peek(d) == '{')
			node(d, p);
		else
			tl_json_doc_value(d, NULL);
}

/* ---- kernel symbols ---------------------------------------------------------------- */

/* The names of a symbol, the one to take first. */
enum { TRUNCATED, FORMATTED, PLAIN, N_NAMES };
static const char *const name_keys[N_NAMES] = { "truncated_kernel_name", "formatted_kernel_name", "kernel_name" };

struct symbol { struct tl_buf names[N_NAMES]; bool has_name, has_id; int64_t id; };

static void symbol_member(struct tl_json_doc *d, struct symbol *s)
{
	for (int i = 0; i < N_NAMES; i++)
		if (tl_json_doc_name_is(d, name_keys[i])) {
			s->has_name |= tl_json_doc_peek(d) == '"';
			take_text(d, &s->names[i]);
			return;
		}
	if (tl_json_doc_name_is(d, "kernel_id"))
		s->has_id |= take_int(d, &s->id);
	else
		tl_json_doc_value(d, NULL);
}

static void symbol(struct tl_json_doc *d, struct names *n, struct symbol *s)
{
	int64_t start = tl_json_doc_offset(d);
	int take = 0;

	s->has_name = s->has_id = false;
	for (int i = 0; i < N_NAMES; i++)
		tl_buf_clear(&s->names[i]);
	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d))
		symbol_member(d, s);
	if (!d->status && !s->has_id)
		tl_json_doc_fail(d, start, "a kernel symbol without kernel_id");
	while (take < PLAIN && !s->names[take].len)
		take++;
	if (!d->status && s->has_name)
		*tl_map_put(&n->kernels, (uint64_t)s->id, NULL) = intern(n, &s->names[take]);
}

/* These read the value at hand, a table; a failure is the document's status. */
static void read_symbols(struct tl_json_doc *d, struct names *n)
{
	struct symbol s = { 0 };

	tl_json_doc_enter(d, '[');
	while (tl_json_doc_element(d))
		symbol(d, n, &s);
	for (int i = 0; i < N_NAMES; i++)
		tl_buf_release(&s.names[i]);
	n->has_symbols = true;
}

/* ---- strings ------------------------------------------------------------------------ */

static void operations(struct tl_json_doc *d, struct names *n, struct record_kind *kind, struct tl_buf *text)
{
	*kind = (struct record_kind){ (uint32_t)n->n_operations, 0 };
	tl_json_doc_enter(d, '[');
	while (tl_json_doc_element(d)) {
		take_text(d, text);
		TL_PUSH(n->operations, n->n_operations, n->cap_operations, text->len ? intern(n, text) : 0);
		kind->n++;
	}
}

/* The list of kinds, in which a record's `kind` is an index. */
static void kinds_of_records(struct tl_json_doc *d, struct names *n, struct tl_buf *text)
{
	n->n_kinds = n->n_operations = 0;
	tl_json_doc_enter(d, '[');
	while (tl_json_doc_element(d)) {
		struct record_kind kind = { 0, 0 };
		tl_json_doc_enter(d, '{');
		while (tl_json_doc_member(d))
			if (tl_json_doc_name_is(d, "operations"))
				operations(d, n, &kind, text);
			else
				tl_json_doc_value(d, NULL);
		TL_PUSH(n->kinds, n->n_kinds, n->cap_kinds, kind);
	}
}

/* The name of an operation of a kind of records; 0: the tables have none. */
static uint32_t operation_name(const struct names *n, int64_t kind, int64_t operation)
{
	if (kind < 0 || (uint64_t)kind >= n->n_kinds || operation < 0 || operation >= n->kinds[kind].n)
		return 0;
	return n->operations[n->kinds[kind].first + (uint64_t)operation];
}

/* Texts of roctx calls: a list of {"key": correlation id, "value": text}. */
static void markers(struct tl_json_doc *d, struct names *n, struct tl_buf *text)
{
	tl_json_doc_enter(d, '[');
	while (tl_json_doc_element(d)) {
		bool has_key = false;
		int64_t key = 0;
		tl_buf_clear(text);
		tl_json_doc_enter(d, '{');
		while (tl_json_doc_member(d))
			if (tl_json_doc_name_is(d, "key"))
				has_key |= take_int(d, &key);
			else if (tl_json_doc_name_is(d, "value"))
				take_text(d, text);
			else
				tl_json_doc_value(d, NULL);
		if (!d->status && has_key && text->len)
			*tl_map_put(&n->markers, (uint64_t)key, NULL) = intern(n, text);
	}
}

static void read_strings(struct tl_json_doc *d, struct names *n)
{
	struct tl_buf text = { 0 };

	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d))
		if (tl_json_doc_name_is(d, "buffer_records"))
			kinds_of_records(d, n, &text);
		else if (tl_json_doc_name_is(d, "marker_api"))
			markers(d, n, &text);
		else
			tl_json_doc_value(d, NULL);
	tl_buf_release(&text);
	n->has_strings = true;
}

/* ---- counters ------------------------------------------------------------------------- */

static void read_counters(struct tl_json_doc *d, struct names *n)
{
	struct tl_buf name = { 0 };

	tl_json_doc_enter(d, '[');
	while (tl_json_doc_element(d)) {
		int64_t handle = 0;
		tl_buf_clear(&name);
		tl_json_doc_enter(d, '{');
		while (tl_json_doc_member(d))
			if (tl_json_doc_name_is(d, "id"))
				take_handle(d, &handle);
			else if (tl_json_doc_name_is(d, "name"))
				take_text(d, &name);
			else
				tl_json_doc_value(d, NULL);
		if (!d->status && name.len)
			*tl_map_put(&n->counters, (uint64_t)handle, NULL) = intern(n, &name);
	}
	tl_buf_release(&name);
}

/* ---- agents --------------------------------------------------------------------------- */

enum { AGENT_GPU = 2 };
struct agent { int64_t handle, type, number, units; struct tl_buf name, product; };

static void agent_member(struct tl_json_doc *d, struct agent *a)
{
	if (tl_json_doc_name_is(d, "id"))
		take_handle(d, &a->handle);
	else if (tl_json_doc_name_is(d, "type"))
		take_int(d, &a->type);
	else if (tl_json_doc_name_is(d, "logical_node_type_id"))
		take_int(d, &a->number);
	else if (tl_json_doc_name_is(d, "cu_count"))
		take_int(d, &a->units);
	else if (tl_json_doc_name_is(d, "name"))
		take_json(d, '"', &a->name);
	else if (tl_json_doc_name_is(d, "product_name"))
		take_json(d, '"', &a->product);
	else
		tl_json_doc_value(d, NULL);
}

static void add_agent(struct names *n, const struct agent *a)
{
	const struct tl_buf *name = a->product.len > 2 ? &a->product : &a->name; /* with their quotes */
	bool gpu = a->type == AGENT_GPU && a->number >= 0 && a->number < INT32_MAX;

	*tl_map_put(&n->gpus, (uint64_t)a->handle, NULL) = gpu ? (uint32_t)a->number + 1 : 0;
	if (!gpu)
		return;
	tl_gpu_describe(&n->gpu_list, a->number, name->len ? name->data : "\"\"", true, a->units);
}

static void read_agents(struct tl_json_doc *d, struct names *n)
{
	struct agent a = { 0 };

	tl_json_doc_enter(d, '[');
	while (tl_json_doc_element(d)) {
		a.handle = a.type = a.units = 0;
		a.number = -1;
		tl_buf_clear(&a.name);
		tl_buf_clear(&a.product);
		tl_json_doc_enter(d, '{');
		while (tl_json_doc_member(d))
			agent_member(d, &a);
		if (!d->status)
			add_agent(n, &a);
	}
	tl_buf_release(&a.name);
	tl_buf_release(&a.product);
}

/* ---- records ---------------------------------------------------------------------- */

/* How the last record was written: its text, and where the numbers stand in it. */
enum { PARTS = 64 };
struct template {
	struct tl_buf text;
	struct part { int64_t from, to; int slot; } parts[PARTS]; /* slot -1: a number not needed */
	size_t n;
	uint32_t given;
	bool usable;
};

struct process {
	struct tl_process base;   /* its track is empty until the first record */
	struct tl_buf name;       /* empty: not given */
	struct names names;
	bool has_metadata;
	struct tl_spool early;    /* records that stand before the tables */
};

struct reader {
	struct tl_json_doc doc;
	const struct tl_read_options *options;
	struct tl_read_report *report;
	struct tl_maker make;
	struct tl_strtab lists;    /* names of lists of records */
	uint64_t uid;              /* of the next event */
	bool ended;                /* the trace ended too early, and that is tolerated */
	struct process process;
	uint32_t cat_list;         /* list that `cat` is of */
	struct tl_made_id cat;
	struct tl_by_id known_names; /* id in the process's texts -> in the maker's tables, of that epoch */
	uint64_t names_epoch;
	const struct tl_amd_record *record; /* at hand */
	struct template template;
};

/* ---- one record: from text to numbers --------------------------------------------------------
 * The records of a list are written alike: only the numbers differ. So the text between the
 * numbers of a record is kept as a template, and of the next record, if it has the same text,
 * only the numbers are read. Any other record is read member by member, and becomes the
 * template. Both ways give the same numbers. */

/* ---- member by member ---------------------------------------------------------------- */

/* Where a number stands: the member of a record or of `object` in it. dispatch_info has
 * members as if they stood in the record itself. */
static const struct { const char *object, *name; uint8_t slot; } places[] = {
	{ NULL, "kind", TL_AMD_KIND },
	{ NULL, "operation", TL_AMD_OPERATION },
	{ NULL, "thread_id", TL_AMD_THREAD },
	{ "correlation_id", "internal", TL_AMD_CORRELATION },
	{ NULL, "start_timestamp", TL_AMD_START },
	{ NULL, "end_timestamp", TL_AMD_END },
	{ "agent_id", "handle", TL_AMD_AGENT },
	{ "queue_id", "handle", TL_AMD_QUEUE },
	{ NULL, "kernel_id", TL_AMD_KERNEL },
	{ NULL, "dispatch_id", TL_AMD_DISPATCH },
	{ NULL, "private_segment_size", TL_AMD_PRIVATE },
	{ NULL, "group_segment_size", TL_AMD_LDS },
	{ "workgroup_size", "x", TL_AMD_BLOCK },
	{ "workgroup_size", "y", TL_AMD_BLOCK_Y },
	{ "workgroup_size", "z", TL_AMD_BLOCK_Z },
	{ "grid_size", "x", TL_AMD_ITEMS },
	{ "grid_size", "y", TL_AMD_ITEMS_Y },
	{ "grid_size", "z", TL_AMD_ITEMS_Z },
	{ "stream_id", "handle", TL_AMD_STREAM },
	{ "src_agent_id", "handle", TL_AMD_FROM },
	{ "dst_agent_id", "handle", TL_AMD_TO },
	{ NULL, "bytes", TL_AMD_BYTES },
	{ NULL, "allocation_size", TL_AMD_ALLOCATED },
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
		if (*places[i].name == *d->name.s && tl_json_doc_name_is(d, places[i].name) && same_object(places[i].object, object))
			return i;
	return -1;
}

/* The name, as it stands in the table, of an object that has numbers; NULL: another member. */
static const char *object_named(const struct tl_json_doc *d)
{
	for (int i = 0; i < N_PLACES; i++)
		if (places[i].object && *places[i].object == *d->name.s && tl_json_doc_name_is(d, places[i].object))
			return places[i].object;
	return NULL;
}

/* Takes a number, and tells the template where it stands. */
static void take_number(struct tl_json_doc *d, struct tl_amd_record *rec, struct template *t, int slot)
{
	int64_t from = tl_json_doc_offset(d), number = 0;

	if (!take_int(d, &number))
		return;
	if (slot >= 0) {
		rec->slots[slot] = number;
		rec->given |= 1u << slot;
	}
	if (t->n == PARTS) {
		t->usable = false;
		return;
	}
	t->parts[t->n++] = (struct part){ .from = from - rec->offset, .to = tl_json_doc_offset(d) - rec->offset, .slot = slot };
}

/* The members of a record, or of `object` in it. */
static void take_members(struct tl_json_doc *d, struct tl_amd_record *rec, struct template *t,
                         const char *object, int depth)
{
	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d)) {
		int c = tl_json_doc_peek(d);
		bool nested = depth < MAX_DEPTH && c == '{';
		const char *inner = nested ? object_named(d) : NULL;
		int place = nested ? -1 : place_of(d, object);

		if (inner || (nested && tl_json_doc_name_is(d, "dispatch_info")))
			take_members(d, rec, t, inner, depth + 1);
		else if (c == '-' || tl_is_digit(c))
			take_number(d, rec, t, place < 0 ? -1 : places[place].slot);
		else
			tl_json_doc_value(d, NULL);
	}
}

/* ---- by a template ---------------------------------------------------------------------- */

/* Keeps the text of the record that was just read. */
static void learn(const struct tl_json_doc *d, const struct tl_amd_record *rec, struct template *t)
{
	int64_t len = tl_json_doc_offset(d) - rec->offset;
	const char *text = d->p - len;

	t->usable = t->usable && t->n && rec->offset >= d->base; /* else a part of it is not in the window any more */
	if (!t->usable)
		return;
	tl_buf_clear(&t->text);
	tl_buf_add(&t->text, text, (size_t)len);
	t->given = rec->given;
}

/* Reads an integer of up to 18 digits. NULL: the number is longer, or none. */
static inline const char *read_int(const char *p, int64_t *out)
{
	bool negative = *p == '-';
	const char *digits = p += negative;
	int64_t n = 0;

	while (*p >= '0' && *p <= '9' && p - digits < 18)
		n = n * 10 + (*p++ - '0');
	if (p == digits || (*p >= '0' && *p <= '9') || (*digits == '0' && p - digits > 1))
		return NULL;
	*out = negative ? -n : n;
	return p;
}

/* The place behind the record at p; NULL: it is not written like the template, or does not
 * lie before `end` for sure. */
static const char *match(const struct template *t, const char *p, const char *end, struct tl_amd_record *rec)
{
	const char *text = t->text.data;
	int64_t at = 0, unused;

	if (!t->usable || end - p < (ptrdiff_t)(t->text.len + 20 * t->n))
		return NULL;
	for (size_t i = 0; i < t->n; i++) {
		const struct part *part = &t->parts[i];
		if (memcmp(p, text + at, (size_t)(part->from - at)))
			return NULL;
		p = read_int(p + (part->from - at), part->slot < 0 ? &unused : &rec->slots[part->slot]);
		if (!p)
			return NULL;
		at = part->to;
	}
	if (memcmp(p, text + at, t->text.len - (size_t)at))
		return NULL;
	rec->given = t->given;
	return p + (t->text.len - (size_t)at);
}

/* Reads the record at hand, an object. */
static bool read_record(struct tl_json_doc *d, struct tl_amd_record *rec, struct template *t)
{
	const char *end;

	memset(rec->slots, 0, sizeof rec->slots);
	rec->given = 0;
	rec->offset = tl_json_doc_offset(d);
	end = match(t, d->p, d->text.end, rec);
	if (end) {
		d->p = end;
		return true;
	}
	memset(rec->slots, 0, sizeof rec->slots);
	t->usable = true;
	t->n = 0;
	take_members(d, rec, t, NULL, 0);
	if (!d->status)
		learn(d, rec, t);
	return !d->status;
}

/* ---- one record: from numbers to an event ------------------------------------------------ */

/* The name in the process's tables, an id there; 0: they have none. */
static uint32_t known_name(const struct reader *r)
{
	const struct names *n = &r->process.names;
	const int64_t *slots = r->record->slots;
	const uint32_t *found = NULL;

	if (r->make.layout.kind == TL_KIND_KERNEL)
		found = tl_amd_given(r->record, TL_AMD_KERNEL) ? tl_map_get(&n->kernels, (uint64_t)slots[TL_AMD_KERNEL]) : NULL;
	else if (r->make.layout.kind == TL_KIND_ANNOTATION && tl_amd_given(r->record, TL_AMD_CORRELATION))
		found = tl_map_get(&n->markers, (uint64_t)slots[TL_AMD_CORRELATION]);
	if (found)
		return *found;
	if (r->make.layout.kind == TL_KIND_KERNEL || !tl_amd_given(r->record, TL_AMD_KIND) || !tl_amd_given(r->record, TL_AMD_OPERATION))
		return 0;
	return operation_name(n, slots[TL_AMD_KIND], slots[TL_AMD_OPERATION]);
}

/* The names of what the tables do not have; those of kernels are TraceLens's. */
static uint32_t made_up_name(struct reader *r)
{
	struct tl_buf *b = &r->make.text;

	tl_buf_clear(b);
	if (r->make.layout.kind != TL_KIND_KERNEL)
		tl_buf_addf(b, "%s operation %lld", tl_str(&r->lists, r->record->list), (long long)r->record->slots[TL_AMD_OPERATION]);
	else if (tl_amd_given(r->record, TL_AMD_KERNEL))
		tl_buf_addf(b, "unknown_kernel_%lld", (long long)r->record->slots[TL_AMD_KERNEL]);
	else
		tl_buf_adds(b, "unknown_kernel_None");
	return tl_add_string(&r->make.tables, b->data, b->len);
}

static void set_name(struct reader *r)
{
	const struct tl_strtab *texts = &r->process.names.texts;
	uint32_t text = known_name(r), *id;

	if (!text) {
		r->make.event.name = made_up_name(r);
		return;
	}
	if (r->names_epoch != r->make.epoch)
		tl_by_id_forget(&r->known_names);
	r->names_epoch = r->make.epoch;
	id = tl_by_id(&r->known_names, text);
	if (!*id)
		*id = tl_add_string(&r->make.tables, tl_str(texts, text), tl_str_len(texts, text));
	r->make.event.name = *id;
}

/* Its text is in the tables of the process; a call without one is no range. */
static void make_range(struct reader *r)
{
	const struct names *n = &r->process.names;
	const struct tl_amd_record *rec = r->record;
	const uint32_t *text = tl_amd_given(rec, TL_AMD_CORRELATION) ? tl_map_get(&n->markers, (uint64_t)rec->slots[TL_AMD_CORRELATION]) : NULL;
	bool is_call = tl_amd_given(rec, TL_AMD_KIND) && tl_amd_given(rec, TL_AMD_OPERATION);
	uint32_t call = is_call ? operation_name(n, rec->slots[TL_AMD_KIND], rec->slots[TL_AMD_OPERATION]) : 0;

	if (text)
		tl_make_range(&r->make, tl_str(&n->texts, *text), tl_str_len(&n->texts, *text), NULL, 0, !strstr(tl_str(&n->texts, call), "RangeStart"));
}

/* Hands the record to the sink as an event. False: the document's status tells why. */
static bool push_event(struct reader *r)
{
	const struct tl_strtab *lists = &r->lists;
	uint32_t list = r->record->list;

	tl_make_event(&r->make, r->uid, r->record->kind, 'X');
	if (r->cat_list != list)
		r->cat.epoch = 0;
	r->cat_list = list;
	r->make.layout.cat = tl_make_known(&r->make, &r->cat, tl_str(lists, list), tl_str_len(lists, list));
	tl_amd_fill(&r->make, r->record, &r->process.base, &r->process.names.gpus);
	set_name(r);
	if (r->record->kind == TL_KIND_ANNOTATION)
		make_range(r);
	r->doc.status = tl_push_made(&r->make, &r->doc.error);
	r->uid++;
	return !r->doc.status;
}

/* ---- records ----------------------------------------------------------------------- */

/* Gives the process its place, and names it. */
static bool begin_tracks(struct reader *r)
{
	struct process *p = &r->process;

	tl_process_place(&r->make, &p->base);
	if (!p->name.len)
		return true;
	tl_make_process(&r->make, &p->base);
	r->doc.status = tl_push_name(&r->make, r->uid++, "process_name", r->make.pid, 0, p->name.data, p->name.len, &r->doc.error);
	return !r->doc.status;
}

static bool push_record(void *ctx, const void *record)
{
	struct reader *r = ctx;

	r->record = record;
	return (r->process.base.track.len || begin_tracks(r)) && push_event(r);
}

/* A list of records; its name is the member's. */
static void record_list(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;
	bool early = !(r->process.has_metadata && r->process.names.has_strings && r->process.names.has_symbols);
	int kind = tl_rocprofv3_kind(d->name.s, d->name.len);
	struct tl_amd_record rec = { .list = tl_intern(&r->lists, d->name.s, d->name.len), .kind = kind < 0 ? TL_KIND_OTHER : (uint8_t)kind };
	uint64_t n = 0;

	tl_json_doc_enter(d, '[');
	for (; tl_json_doc_element(d); n++) {
		r->template.usable = r->template.usable && !r->options->plain;
		if (!read_record(d, &rec, &r->template))
			break;
		if (!early)
			push_record(r, &rec);
		else
			d->status = tl_spool_add(&r->process.early, &rec, sizeof rec, &d->error);
	}
	if (d->status) {
		/* names the record in the error about its text */
		struct tl_error why = r->doc.error;
		if (why.status == TL_ERR_DATA && why.offset >= 0)
			tl_fail_at(&r->doc.error, why.status, why.offset, "record %llu of %.40s: %.500s", (unsigned long long)n,
			           tl_str(&r->lists, rec.list), why.text);
	}
}

/* Passes over a list of what is no event, and notes that unless the list is empty. */
static void leave_out(struct reader *r, const char *note)
{
	struct tl_json_doc *d = &r->doc;
	int64_t at = tl_json_doc_offset(d);
	bool any = false;

	tl_json_doc_enter(d, '[');
	for (; tl_json_doc_element(d); any = true)
		tl_json_doc_value(d, NULL);
	if (any)
		tl_read_note(r->report, note, r->uid, at);
}

static void buffer_records(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;

	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d))
		if (tl_starts_with(d->name.s, "pc_sample"))
			leave_out(r, "samples of program counters, left out");
		else
			record_list(r);
}

/* ---- counters of kernels ---- */

/* The values of one kernel. */
struct counted { int64_t dispatch, agent, start; struct counter_value { int64_t counter; double value; } *values; size_t n, cap; };

static void dispatch_info(struct tl_json_doc *d, struct counted *c)
{
	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d))
		if (tl_json_doc_name_is(d, "dispatch_id"))
			take_int(d, &c->dispatch);
		else if (tl_json_doc_name_is(d, "agent_id"))
			take_handle(d, &c->agent);
		else
			tl_json_doc_value(d, NULL);
}

static void dispatch_data(struct tl_json_doc *d, struct counted *c)
{
	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d))
		if (tl_json_doc_name_is(d, "start_timestamp"))
			take_int(d, &c->start);
		else if (tl_json_doc_name_is(d, "dispatch_info"))
			dispatch_info(d, c);
		else
			tl_json_doc_value(d, NULL);
}

static void counter_values(struct tl_json_doc *d, struct counted *c, struct tl_buf *text)
{
	tl_json_doc_enter(d, '[');
	while (tl_json_doc_element(d)) {
		struct counter_value v = { 0, NAN };
		tl_json_doc_enter(d, '{');
		while (tl_json_doc_member(d))
			if (tl_json_doc_name_is(d, "counter_id")) {
				take_handle(d, &v.counter);
			} else if (tl_json_doc_name_is(d, "value")) {
				tl_buf_clear(text);
				if (tl_json_doc_value(d, text) && text->len)
					v.value = tl_parse_double(tl_buf_text(text), NULL);
			} else {
				tl_json_doc_value(d, NULL);
			}
		TL_PUSH(c->values, c->n, c->cap, v);
	}
}

/* Counters of one record share its uid. */
static void push_counted(struct reader *r, const struct counted *c)
{
	const struct names *n = &r->process.names;
	const uint32_t *gpu = tl_map_get(&n->gpus, (uint64_t)c->agent);

	if (!c->n)
		tl_read_note(r->report, "records of counters without a value, left out", r->uid, tl_json_doc_offset(&r->doc));
	for (size_t i = 0; !r->doc.status && i < c->n; i++) {
		const uint32_t *text = tl_map_get(&n->counters, (uint64_t)c->values[i].counter);
		const char *name = text ? tl_str(&n->texts, *text) : "counter";
		struct tl_counter_name what = tl_counter_name(name, strlen(name));
		if (!isfinite(c->values[i].value)) {
			tl_read_note(r->report, TL_NO_NUMBER, r->uid, tl_json_doc_offset(&r->doc));
			continue;
		}
		what.device = gpu && *gpu ? (int64_t)*gpu - 1 : -1;
		tl_make_counter(&r->make, r->uid, &what, c->values[i].value);
		tl_make_process(&r->make, &r->process.base);
		tl_make_start(&r->make, c->start);
		tl_make_int(&r->make, TL_KEY_DISPATCH, c->dispatch);
		tl_make_text(&r->make, TL_KEY_OF, "kernel", strlen("kernel"));
		r->doc.status = tl_push_made(&r->make, &r->doc.error);
	}
	r->uid++;
}

static void counter_records(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;
	struct counted c = { 0 };
	struct tl_buf text = { 0 };

	if (!r->process.has_metadata) { /* its process is not known yet */
		leave_out(r, "values of hardware counters before the metadata of their process, left out");
		return;
	}
	tl_json_doc_enter(d, '[');
	while (tl_json_doc_element(d)) {
		c.n = 0;
		c.dispatch = c.agent = c.start = 0;
		tl_json_doc_enter(d, '{');
		while (tl_json_doc_member(d))
			if (tl_json_doc_name_is(d, "dispatch_data"))
				dispatch_data(d, &c);
			else if (tl_json_doc_name_is(d, "records"))
				counter_values(d, &c, &text);
			else
				tl_json_doc_value(d, NULL);
		if (!d->status && (!c.n || r->process.base.track.len || begin_tracks(r)))
			push_counted(r, &c);
	}
	free(c.values);
	tl_buf_release(&text);
}

static void callback_records(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;

	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d))
		if (tl_json_doc_name_is(d, "counter_collection"))
			counter_records(r);
		else
			tl_json_doc_value(d, NULL);
}

/* ---- processes ------------------------------------------------------------------------- */

static void release_process(struct process *p)
{
	tl_process_release(&p->base);
	tl_buf_release(&p->name);
	struct names *n = &p->names;
	tl_strtab_release(&n->texts);
	tl_map_release(&n->kernels);
	tl_map_release(&n->markers);
	tl_map_release(&n->counters);
	tl_map_release(&n->gpus);
	free(n->kinds);
	free(n->operations);
	tl_buf_release(&n->gpu_list);
	tl_spool_release(&p->early);
	*p = (struct process){ .base.number = p->base.number };
}

static void process(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;
	struct process *p = &r->process;

	p->base.number++;
	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d))
		if (tl_json_doc_name_is(d, "metadata")) {
			read_metadata(d, &p->base, &p->name);
			p->has_metadata = true;
		} else if (tl_json_doc_name_is(d, "agents"))
			read_agents(d, &p->names);
		else if (tl_json_doc_name_is(d, "counters"))
			read_counters(d, &p->names);
		else if (tl_json_doc_name_is(d, "strings"))
			read_strings(d, &p->names);
		else if (tl_json_doc_name_is(d, "kernel_symbols"))
			read_symbols(d, &p->names);
		else if (tl_json_doc_name_is(d, "buffer_records"))
			buffer_records(r);
		else if (tl_json_doc_name_is(d, "callback_records"))
			callback_records(r);
		else
			tl_json_doc_value(d, NULL);
	if (d->status)
		r->ended |= tl_read_tolerates_end(d, r->options, r->report, r->uid);
	if (!d->status) {
		/* makes events of the records that were spooled */
		struct tl_error err;
		enum tl_status st = tl_spool_take(&p->early, push_record, r, &err);
		if (st && !d->status) {
			d->status = st;
			d->error = err;
		}
		if (!p->base.track.len)
			tl_process_place(&r->make, &p->base);
		tl_process_describe(&r->make, &p->base);
		if (!r->make.gpus.len) /* those of the first process that has GPUs */
			tl_buf_adds(&r->make.gpus, tl_buf_text(&p->names.gpu_list));
		release_process(p);
		tl_by_id_forget(&r->known_names);
	}
}

/* ---- the document ------------------------------------------------------------------------ */

static void document(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;

	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d)) {
		if (!tl_json_doc_name_is(d, TOP_KEY) || r->process.base.number) {
			tl_json_doc_value(d, NULL);
			continue;
		}
		tl_json_doc_enter(d, '[');
		while (!r->ended && tl_json_doc_element(d))
			process(r);
		if (r->ended)
			break;
	}
	if (!r->ended)
		tl_json_doc_end(d);
	if (d->status)
		r->ended |= tl_read_tolerates_end(d, r->options, r->report, r->uid);
	if (!d->status && !r->process.base.number)
		d->status = tl_fail(&d->error, TL_ERR_DATA, "%s lists no process", TOP_KEY);
	if (!d->status)
		d->status = tl_push_members(&r->make, &d->error);
}

/* Files of rocprofv3 have one member. */
static enum tl_match match_rocprofv3(const unsigned char *first, size_t len)
{
	static const char *const words[] = { "{", "\"" TOP_KEY "\"", NULL };
	size_t at;

	return tl_match_json(first, len, words, &at);
}

static enum tl_status read_rocprofv3(struct tl_input *in, const struct tl_read_options *options, struct tl_sink *sink,
                                     struct tl_read_report *report, struct tl_error *err)
{
	static const struct tl_header header = { .source = "rocprofv3", .ticks_per_us = 1000 };
	struct reader *r = tl_calloc(1, sizeof *r);

	r->options = options;
	r->report = report;
	r->make.keep_ranges = options->keep_ranges;
	tl_json_doc_init(&r->doc, in);
	r->doc.lenient = options->lenient;
	r->doc.status = tl_maker_begin(&r->make, sink, report, &header, &r->doc.error);
	if (!r->doc.status)
		document(r);
	enum tl_status st = tl_read_end_json(&r->doc, options, report, err);
	release_process(&r->process);
	tl_maker_release(&r->make);
	tl_strtab_release(&r->lists);
	tl_by_id_release(&r->known_names);
	tl_buf_release(&r->template.text);
	free(r);
	return st;
}

const struct tl_reader tl_reader_rocprofv3 = { "rocprofv3's JSON", match_rocprofv3, read_rocprofv3 };
