/* trace_sink.c - the sink that fills a trace in memory.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/varint.h"
#include "model/layouts.h"
#include "model/trace_index.h"

#include <stdlib.h>
#include <string.h>

/* Bytes behind the packed values that may be read and written. */
#define SLACK TL_PACKED_SLACK

struct pair { uint32_t event, other; };
struct pairs { struct pair *items; size_t n, cap; };

struct trace_sink {
	struct tl_sink base;
	struct tl_trace *t;
	uint32_t drop_kinds;
	uint64_t next_uid;
	uint32_t table;                     /* the source's, 0 = it has none */
	struct tl_layouts layouts;          /* to find equal ones again: by id, as the trace's */
	struct tl_map tracks;
	struct tl_map process_names, process_labels; /* pid -> string id */
	struct tl_map thread_names;         /* pid, tid -> string id */
	struct pairs annotations, modules;
	uint32_t process_name, process_labels_name, thread_name, name, labels, zero; /* string ids */
};

static struct trace_sink *self(struct tl_sink *s)
{
	return (struct trace_sink *)s;
}

static enum tl_status begin(struct tl_sink *s, const struct tl_header *h, struct tl_error *err)
{
	struct trace_sink *k = self(s);
	struct tl_trace *t = k->t;
	if (h->ticks_per_us <= 0)
		return tl_fail(err, TL_ERR_DATA, "clock of %lld ticks a microsecond, expected 1 or more",
		               (long long)h->ticks_per_us);
	free(t->source);
	t->source = tl_strdup(h->source ? h->source : "");
	t->ticks_per_us = h->ticks_per_us;
	t->linked = h->linked;
	t->python = h->python;
	if (h->linked && h->python)
		k->drop_kinds &= ~(1u << TL_KIND_PYTHON);
	return TL_OK;
}

static uint32_t add_string(struct tl_sink *s, const char *text, size_t len)
{
	struct trace_sink *k = self(s);
	uint32_t id = tl_intern(&k->t->strings, text, len);
	if (k->table) {
		struct tl_trace_table *table = &k->t->tables[k->table];
		TL_GROW(table->ids, table->cap, table->n + 1);
		table->ids[table->n++] = id;
	}
	return id;
}

static void begin_table(struct tl_sink *s)
{
	struct trace_sink *k = self(s);
	struct tl_trace *t = k->t;
	TL_GROW(t->tables, t->cap_tables, t->n_tables + 1);
	struct tl_trace_table *table = &t->tables[t->n_tables];
	*table = (struct tl_trace_table){ 0 };
	TL_GROW(table->ids, table->cap, 1);
	table->ids[table->n++] = 0; /* number 0: none */
	k->table = (uint32_t)t->n_tables++;
}

static uint32_t add_track(struct tl_sink *s, uint32_t pid, uint32_t tid)
{
	struct trace_sink *k = self(s);
	struct tl_trace *t = k->t;
	uint32_t *id = tl_map_put(&k->tracks, (uint64_t)pid << 32 | tid, NULL);
	if (!*id) {
		TL_GROW(t->tracks, t->cap_tracks, (size_t)t->n_tracks + 1);
		t->tracks[t->n_tracks] = (struct tl_trace_track){ .pid = pid, .tid = tid };
		*id = t->n_tracks++;
	}
	return *id;
}

static uint8_t event_flags(uint8_t layout_flags)
{
	uint8_t f = 0;
	f |= layout_flags & TL_INT_TS ? TL_EV_INT_TS : 0;
	f |= layout_flags & TL_INT_DUR ? TL_EV_INT_DUR : 0;
	f |= layout_flags & TL_HAS_TS ? TL_EV_HAS_TS : 0;
	f |= layout_flags & TL_HAS_DUR ? TL_EV_HAS_DUR : 0;
	f |= layout_flags & TL_HAS_ARGS ? TL_EV_HAS_ARGS : 0;
	return f;
}

static bool is_metadata(const struct tl_trace_layout *l)
{
	return l->kind == TL_KIND_META || l->ph == 'M';
}

static bool is_kept(const struct trace_sink *k, const struct tl_trace_layout *l)
{
	return !(l->kind < 32 && k->drop_kinds >> l->kind & 1);
}

static uint32_t add_layout(struct tl_sink *s, const struct tl_layout *l)
{
	struct trace_sink *k = self(s);
	struct tl_trace *t = k->t;
	uint32_t id = tl_layouts_add(&k->layouts, l);

	if (id < t->n_layouts)
		return id;
	struct tl_field *fields = tl_arena_alloc(&t->arena, (l->n_fields + 1) * sizeof *fields);
	if (l->n_fields)
		memcpy(fields, l->fields, l->n_fields * sizeof *fields);
	TL_GROW(t->layouts, t->cap_layouts, (size_t)t->n_layouts + 1);
	struct tl_trace_layout *to = &t->layouts[t->n_layouts++];
	*to = (struct tl_trace_layout){ l->cat, l->kind, l->ph, l->flags, l->n_fields, fields, event_flags(l->flags), false };
	to->plain = is_kept(k, to) && !is_metadata(to);
	return id;
}

static enum tl_status add_meta(struct tl_sink *s, const char *key, size_t key_len,
                               const char *json, size_t json_len, struct tl_error *err)
{
	struct tl_trace *t = self(s)->t;
	(void)err;
	TL_GROW(t->meta, t->cap_meta, t->n_meta + 1);
	t->meta[t->n_meta].key = tl_intern(&t->strings, key, key_len);
	t->meta[t->n_meta++].json = tl_intern(&t->strings, json, json_len);
	uint64_t n_events = tl_meta_events(key, key_len, json, json_len);
	if (n_events > t->n_source_events && n_events <= UINT32_MAX - 2)
		t->n_source_events = n_events;
	return TL_OK;
}

/* ---- process and thread names ---- */

/* Text of a member of a metadata event's args as a string id, 0 when absent. */
static uint32_t meta_text(struct tl_trace *t, const struct tl_event *e, uint32_t key)
{
	const struct tl_trace_layout *l = &t->layouts[e->layout];
	for (uint32_t i = l->n_fields; i-- > 0;) {
		const struct tl_field *f = &l->fields[i];
		if (f->key != key || f->top)
			continue;
		if (f->type != TL_FIELD_INT)
			return (uint32_t)e->values[i];
		char digits[24];
		return tl_intern(&t->strings, digits, tl_format_int(digits, e->values[i]));
	}
	return 0;
}

static void read_metadata(struct trace_sink *k, const struct tl_event *e)
{
	const struct tl_trace_track *track = &k->t->tracks[e->track];
	uint32_t text = meta_text(k->t, e, e->name == k->process_labels_name ? k->labels : k->name);
	if (!text)
		return;
	if (e->name == k->thread_name)
		*tl_map_put(&k->thread_names, (uint64_t)track->pid << 32 | track->tid, NULL) = text;
	else if (e->name == k->process_name && track->tid == k->zero)
		*tl_map_put(&k->process_names, track->pid, NULL) = text;
	else if (e->name == k->process_labels_name && track->tid == k->zero)
		*tl_map_put(&k->process_labels, track->pid, NULL) = text;
}

static void name_tracks(struct trace_sink *k)
{
	struct tl_trace *t = k->t;
	uint32_t unknown = tl_intern_str(&t->strings, "Unknown");
	for (uint32_t i = 0; i < t->n_tracks; i++) {
		struct tl_trace_track *track = &t->tracks[i];
		const uint32_t *process = tl_map_get(&k->process_names, track->pid);
		const uint32_t *label = tl_map_get(&k->process_labels, track->pid);
		const uint32_t *thread = tl_map_get(&k->thread_names,
		                                    (uint64_t)track->pid << 32 | track->tid);
		track->process_name = process ? *process : unknown;
		track->process_label = label ? *label : unknown;
		track->thread_name = thread ? *thread : unknown;
	}
}

/* ---- events ---- */

/* Entries that are made at a time. */
#define INDEX_STEP 4096

/* Makes the index reach up to uid; those left out have no event. */
static void extend_index(struct tl_trace *t, uint64_t uid)
{
	struct tl_trace_index *x = t->index;
	if (uid > (uint64_t)t->n_events * 4 + 65536) { /* too many gaps for a direct table */
		x->sparse = true;
		free(x->by_uid);
		x->by_uid = NULL;
		x->n_by_uid = 0;
		return;
	}
	size_t n = ((size_t)uid / INDEX_STEP + 1) * INDEX_STEP;
	TL_GROW(x->by_uid, x->cap_by_uid, n);
	memset(x->by_uid + x->n_by_uid, 0xff, (n - x->n_by_uid) * sizeof *x->by_uid); /* TL_NONE */
	x->n_by_uid = n;
}

static inline void index_uid(struct tl_trace *t, uint64_t uid)
{
	struct tl_trace_index *x = t->index;
	if (uid >= x->n_by_uid && !x->sparse)
		extend_index(t, uid);
	if (uid < x->n_by_uid)
		x->by_uid[uid] = t->n_events;
}

/* Room for n more events and for `bytes` of values. */
static inline enum tl_status make_room(struct tl_trace *t, size_t n, size_t bytes, struct tl_error *err)
{
	if (t->n_events >= UINT32_MAX - 2 - n || t->n_packed > UINT32_MAX - bytes)
		return tl_fail(err, TL_ERR_DATA, "more than 2^32 events or bytes of arguments: too many for one sheet");
	TL_GROW(t->events, t->cap_events, (size_t)t->n_events + n);
	TL_GROW(t->packed, t->cap_packed, t->n_packed + bytes + SLACK);
	return TL_OK;
}

/* An event as the trace has it; its values are what was packed behind `values`. */
static inline struct tl_ev make_event(const struct tl_event *e, const struct tl_trace_layout *l, size_t values, uint32_t table)
{
	return (struct tl_ev){
		.ts = e->ts, .dur = e->dur, .uid = (uint32_t)e->uid, .name = e->name,
		.layout = e->layout, .values = (uint32_t)values, .track = e->track,
		.parent = TL_NONE, .first_child = TL_NONE, .last_child = TL_NONE,
		.next_sibling = TL_NONE, .kind = l->kind, .flags = l->ev_flags, .table = (uint16_t)table,
	};
}

static inline void keep_event(struct tl_trace *t, const struct tl_event *e, const struct tl_trace_layout *l,
                              size_t values, uint32_t table)
{
	t->events[t->n_events] = make_event(e, l, values, table);
	index_uid(t, e->uid);
	t->n_events++;
}

static void pack(struct tl_trace *t, const struct tl_trace_layout *l, const int64_t *values)
{
	uint8_t *p = t->packed + t->n_packed;
	for (uint32_t i = 0; i < l->n_fields; i++)
		p = tl_put_varint(p, l->fields[i].type == TL_FIELD_INT ? tl_zigzag((uint64_t)values[i]) : (uint64_t)values[i]);
	t->n_packed = (size_t)(p - t->packed);
}

static enum tl_status bad_event(struct trace_sink *k, const struct tl_event *e, struct tl_error *err)
{
	if (e->layout == 0 || e->layout >= k->t->n_layouts || e->track >= k->t->n_tracks)
		return tl_fail(err, TL_ERR_DATA, "event %llu: unknown layout or track",
		               (unsigned long long)e->uid);
	return tl_fail(err, TL_ERR_DATA, "event %llu: expected a number from %llu up, below 2^32 - 2",
	               (unsigned long long)e->uid, (unsigned long long)k->next_uid);
}

/* Looks at an event: is it one that can be? */
static inline enum tl_status take_event(struct trace_sink *k, const struct tl_event *e, struct tl_error *err)
{
	struct tl_trace *t = k->t;
	if (e->layout - 1 >= t->n_layouts - 1 || e->track >= t->n_tracks ||
	    e->uid < k->next_uid || e->uid > UINT32_MAX - 2)
		return bad_event(k, e, err);
	k->next_uid = e->uid + 1;
	const struct tl_trace_layout *l = &t->layouts[e->layout];
	if (l->flags & TL_HAS_TS && e->ts < t->first_ts && (e->ts || l->kind != TL_KIND_META))
		t->first_ts = e->ts; /* metadata has the profiler's start, or 0 for no time */
	return TL_OK;
}

static enum tl_status add_event(struct tl_sink *s, const struct tl_event *e, struct tl_error *err)
{
	struct trace_sink *k = self(s);
	struct tl_trace *t = k->t;
	enum tl_status st = take_event(k, e, err);
	if (st)
		return st;
	const struct tl_trace_layout *l = &t->layouts[e->layout];
	if (is_metadata(l))
		read_metadata(k, e);
	if (!is_kept(k, l))
		return TL_OK;
	size_t values = t->n_packed;
	if ((st = make_room(t, 1, (size_t)l->n_fields * TL_VARINT_MAX, err)))
		return st;
	pack(t, l, e->values);
	keep_event(t, e, l, values, 0);
	return TL_OK;
}

/* Metadata of which the values came as they stand. */
static void read_packed_metadata(struct trace_sink *k, const struct tl_event *e, size_t at)
{
	const struct tl_trace_layout *l = &k->t->layouts[e->layout];
	const struct tl_ev packed = { .layout = e->layout, .values = (uint32_t)at, .table = (uint16_t)k->table };
	int64_t *values = tl_alloc(((size_t)l->n_fields + 1) * sizeof *values);
	struct tl_event plain = *e;
	for (uint32_t i = 0; i < l->n_fields; i++)
		values[i] = tl_trace_value(k->t, &packed, i);
	plain.values = values;
	read_metadata(k, &plain);
	free(values);
}

/* The loop of add_packed: copies of what it needs, since the compiler must think
 * that storing bytes may change anything. */
struct filling {
	struct tl_ev *ev;
	uint8_t *to;
	uint32_t *by_uid;
	uint64_t n_by_uid, next_uid;
	int64_t first_ts;
};

static inline struct filling filling_of(const struct trace_sink *k)
{
	const struct tl_trace *t = k->t;
	return (struct filling){ t->events + t->n_events, t->packed + t->n_packed, t->index->by_uid,
	                         t->index->n_by_uid, k->next_uid, t->first_ts };
}

static inline void put_back(struct trace_sink *k, const struct filling *f)
{
	struct tl_trace *t = k->t;
	t->n_events = (uint32_t)(f->ev - t->events);
	t->n_packed = (size_t)(f->to - t->packed);
	t->first_ts = f->first_ts;
	k->next_uid = f->next_uid;
}

/* An event that is kept and is no metadata. False, and nothing done, when it is
 * another, or none that can be, or its uid has no place in the index yet. */
static inline bool fill_plain(const struct trace_sink *k, struct filling *f, const struct tl_packed_event *from)
{
	const struct tl_trace *t = k->t;
	const struct tl_event *e = &from->ev;
	const struct tl_trace_layout *l = &t->layouts[e->layout];
	if (e->layout - 1 >= t->n_layouts - 1 || e->track >= t->n_tracks || e->uid < f->next_uid ||
	    e->uid >= f->n_by_uid || e->uid > UINT32_MAX - 2 || !l->plain)
		return false;
	f->next_uid = e->uid + 1;
	if (e->ts < f->first_ts && l->flags & TL_HAS_TS)
		f->first_ts = e->ts;
	memcpy(f->to, from->packed, SLACK); /* of known size: nearly always all there is */
	if (from->len > SLACK)
		memcpy(f->to + SLACK, from->packed + SLACK, from->len - SLACK);
	f->by_uid[e->uid] = (uint32_t)(f->ev - t->events);
	*f->ev++ = make_event(e, l, (size_t)(f->to - t->packed), k->table);
	f->to += from->len;
	return true;
}

static enum tl_status add_any_packed(struct trace_sink *k, const struct tl_packed_event *from, struct tl_error *err)
{
	struct tl_trace *t = k->t;
	size_t values = t->n_packed;
	enum tl_status st = take_event(k, &from->ev, err);
	if (st)
		return st;
	const struct tl_trace_layout *l = &t->layouts[from->ev.layout];
	memcpy(t->packed + values, from->packed, from->len);
	t->n_packed += from->len;
	if (is_metadata(l))
		read_packed_metadata(k, &from->ev, values);
	if (is_kept(k, l))
		keep_event(t, &from->ev, l, values, k->table);
	else
		t->n_packed = values;
	return TL_OK;
}

static enum tl_status add_packed(struct tl_sink *s, const struct tl_packed_event *from, size_t n, struct tl_error *err)
{
	struct trace_sink *k = self(s);
	size_t bytes = (size_t)(from[n - 1].packed + from[n - 1].len - from[0].packed);
	enum tl_status st = make_room(k->t, n, bytes, err);
	if (k->table > UINT16_MAX)
		st = tl_fail(err, TL_ERR_DATA, "more than %d string tables: too many for one sheet", UINT16_MAX);
	if (st)
		return st;
	struct filling f = filling_of(k);
	for (const struct tl_packed_event *past = from + n; from < past && !st; from++) {
		if (fill_plain(k, &f, from))
			continue;
		put_back(k, &f);
		st = add_any_packed(k, from, err);
		f = filling_of(k);
	}
	put_back(k, &f);
	return st;
}

static void note_pair(struct tl_trace *t, struct pairs *p, const struct tl_link *l)
{
	uint32_t event = tl_trace_by_uid(t, l->a), other = tl_trace_by_uid(t, l->b);
	if (event == TL_NONE || other == TL_NONE)
		return;
	TL_GROW(p->items, p->cap, p->n + 1);
	p->items[p->n++] = (struct pair){ event, other };
}

static enum tl_status add_link(struct tl_sink *s, const struct tl_link *l, struct tl_error *err)
{
	struct trace_sink *k = self(s);
	if (l->type == TL_LINK_NODE)
		return tl_trace_add_node(k->t, l, err);
	if (l->type == TL_LINK_ANNOTATE)
		note_pair(k->t, &k->annotations, l);
	else if (l->type == TL_LINK_MODULE)
		note_pair(k->t, &k->modules, l);
	else
		return tl_trace_apply_link(k->t, l, err);
	return TL_OK;
}

static enum tl_status add_links(struct tl_sink *s, const struct tl_link *l, size_t n, struct tl_error *err)
{
	enum tl_status st = TL_OK;
	for (size_t i = 0; i < n && !st; i++)
		st = add_link(s, &l[i], err);
	return st;
}

/* ---- end ---- */

static uint32_t *spread(const struct tl_trace *t, const struct pairs *p)
{
	if (!p->n)
		return NULL;
	uint32_t *of = tl_alloc((size_t)t->n_events * sizeof *of);
	memset(of, 0xff, (size_t)t->n_events * sizeof *of); /* TL_NONE */
	for (size_t i = 0; i < p->n; i++)
		of[p->items[i].event] = p->items[i].other;
	return of;
}

static void drop_former_roots(struct tl_trace *t)
{
	size_t kept = 0;
	for (size_t i = 0; i < t->n_roots; i++)
		if (t->events[t->roots[i]].flags & TL_EV_ROOT)
			t->roots[kept++] = t->roots[i];
	t->n_roots = kept;
}

static enum tl_status end(struct tl_sink *s, struct tl_error *err)
{
	struct trace_sink *k = self(s);
	struct tl_trace *t = k->t;
	(void)err;
	if (t->n_source_events < k->next_uid)
		t->n_source_events = k->next_uid;
	name_tracks(k);
	drop_former_roots(t);
	t->annotation = spread(t, &k->annotations);
	t->module = spread(t, &k->modules);
	t->fwd_of = tl_alloc(((size_t)t->n_events + 1) * sizeof *t->fwd_of);
	memset(t->fwd_of, 0xff, ((size_t)t->n_events + 1) * sizeof *t->fwd_of);
	for (size_t i = 0; i < t->n_bwds; i++)
		t->fwd_of[t->bwds[i].bwd] = t->bwds[i].fwd;
	return TL_OK;
}

static const struct tl_sink_ops ops = {
	.begin = begin, .string = add_string, .track = add_track, .layout = add_layout,
	.meta = add_meta, .event = add_event, .link = add_link, .end = end,
	.table = begin_table, .packed_events = add_packed, .links = add_links,
};

static struct tl_trace *new_trace(void)
{
	struct tl_trace *t = tl_calloc(1, sizeof *t);
	tl_strtab_init(&t->strings);
	tl_arena_init(&t->arena);
	t->ticks_per_us = 1000;
	t->index = tl_calloc(1, sizeof *t->index);
	t->first_ts = INT64_MAX;
	TL_GROW(t->layouts, t->cap_layouts, 1);
	t->layouts[t->n_layouts++] = (struct tl_trace_layout){ 0 };
	TL_GROW(t->tables, t->cap_tables, 1);
	t->tables[t->n_tables++] = (struct tl_trace_table){ 0 };
	TL_GROW(t->tracks, t->cap_tracks, 1);
	t->tracks[t->n_tracks++] = (struct tl_trace_track){ 0 };
	return t;
}

struct tl_sink *tl_trace_sink_new(struct tl_trace **out, const struct tl_trace_options *o)
{
	struct trace_sink *k = tl_calloc(1, sizeof *k);
	struct tl_trace *t = new_trace();
	k->base.ops = &ops;
	k->base.generation = 1;
	k->t = t;
	k->drop_kinds = o ? o->drop_kinds : 0;
	k->process_name = tl_intern_str(&t->strings, "process_name");
	k->process_labels_name = tl_intern_str(&t->strings, "process_labels");
	k->thread_name = tl_intern_str(&t->strings, "thread_name");
	k->name = tl_intern_str(&t->strings, "name");
	k->labels = tl_intern_str(&t->strings, "labels");
	k->zero = tl_intern_str(&t->strings, "0");
	*out = t;
	return &k->base;
}

void tl_trace_expect(struct tl_sink *s, uint64_t stream_bytes)
{
	const uint64_t most = 1u << 30, an_event = 24; /* bytes of the stream */
	struct tl_trace *t = self(s)->t;
	size_t bytes = (size_t)(stream_bytes < most ? stream_bytes : most), n = bytes / an_event;
	TL_GROW(t->events, t->cap_events, n + 1);
	TL_GROW(t->packed, t->cap_packed, bytes - bytes / 4 + SLACK);
}

void tl_trace_trim(struct tl_trace *t)
{
	t->cap_events = (size_t)t->n_events + 1;
	t->events = tl_realloc(t->events, t->cap_events * sizeof *t->events);
	t->cap_packed = t->n_packed + SLACK;
	t->packed = tl_realloc(t->packed, t->cap_packed);
}

void tl_trace_sink_free(struct tl_sink *s)
{
	if (!s)
		return;
	struct trace_sink *k = self(s);
	tl_layouts_clear(&k->layouts);
	tl_map_release(&k->tracks);
	tl_map_release(&k->process_names);
	tl_map_release(&k->process_labels);
	tl_map_release(&k->thread_names);
	free(k->annotations.items);
	free(k->modules.items);
	free(k);
}
