/* trace.c - a trace in memory: the sink that fills it, and looking things up in it: fields, the tree.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "model/trace_index.h"

#include "base/merge_sort.h"
#include "base/number.h"
#include "base/search.h"
#include "base/varint.h"
#include "model/fields.h"
#include "model/tables.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct tl_ev) == 48, "events are most of a trace in memory");

int64_t tl_trace_value(const struct tl_trace *t, const struct tl_ev *e, uint32_t i)
{
	struct tl_bytes b = { t->values + e->values, t->values + t->n_values, false };

	for (uint32_t before = 0; before < i; before++)
		tl_take_varint(&b);
	return t->layouts[e->layout].fields[i].type == TL_FIELD_INT ? tl_take_signed(&b) : (int64_t)tl_take_varint(&b);
}

void tl_trace_values(const struct tl_trace *t, const struct tl_ev *e, int64_t *out)
{
	const struct tl_layout *l = &t->layouts[e->layout];
	struct tl_bytes b = { t->values + e->values, t->values + t->n_values, false };

	for (uint32_t i = 0; i < l->n_fields; i++)
		out[i] = l->fields[i].type == TL_FIELD_INT ? tl_take_signed(&b) : (int64_t)tl_take_varint(&b);
}

int tl_trace_field(const struct tl_trace *t, uint32_t event, uint32_t key, bool top, int64_t *value)
{
	if (!key)
		return 0;
	const struct tl_ev *ev = &t->events[event];
	const struct tl_layout *l = &t->layouts[ev->layout];
	for (uint32_t i = l->n_fields; i-- > 0;) {
		if (l->fields[i].key == key && l->fields[i].top == top) {
			*value = tl_trace_value(t, ev, i);
			return l->fields[i].type;
		}
	}
	return 0;
}

/* The member about the writer, a JSON text; "" if there is none. */
static const char *writer_json(const struct tl_trace *t)
{
	for (size_t i = 0; i < t->n_meta; i++)
		if (!strcmp(tl_str(&t->strings, t->meta[i].key), TL_META_WRITER))
			return tl_str(&t->strings, t->meta[i].json);
	return "";
}

bool tl_trace_of_other_writer(const struct tl_trace *t)
{
	return *writer_json(t);
}

const char *tl_trace_profiler(const struct tl_trace *t)
{
	const char *json = writer_json(t);
	size_t len = strlen(json);

	if (len > 2)
		return memcpy(memset(tl_trace_alloc(t, len), 0, len), json + 1, len - 2);
	return t->source ? t->source : "";
}

double tl_trace_us(const struct tl_trace *t, int64_t ticks)
{
	return tl_divide(ticks, t->ticks_per_us);
}

uint32_t tl_trace_by_uid(const struct tl_trace *t, uint64_t uid)
{
	const struct tl_trace_index *x = t->index;
	if (!x->sparse)
		return uid < x->by_uid.n ? x->by_uid.of[uid] - 1 : TL_NONE; /* 0 - 1 is TL_NONE */
	size_t at;
	TL_SEARCH(at, t->n_events, mid, t->events[mid].uid < uid);
	return at < t->n_events && t->events[at].uid == uid ? (uint32_t)at : TL_NONE;
}

uint32_t tl_trace_owner(const struct tl_trace *t, uint32_t e)
{
	const uint32_t *other = tl_map_get(&t->index->owner, e);
	return other ? *other - 1 : t->events[e].parent;
}

struct tl_walk tl_walk_below(const struct tl_trace *t, uint32_t top)
{
	return (struct tl_walk){ t, top, t->events[top].first_child, 0 };
}

void tl_walk_on(struct tl_walk *w, bool into)
{
	const struct tl_ev *events = w->t->events;
	if (into && events[w->event].first_child != TL_NONE) {
		w->event = events[w->event].first_child;
		w->depth++;
		return;
	}
	while (w->depth > 0 && events[w->event].next_sibling == TL_NONE) {
		w->event = tl_trace_owner(w->t, w->event);
		w->depth--;
	}
	w->event = events[w->event].next_sibling;
}

/* ---- the end -------------------------------------------------------------------------------- */

static void free_index(struct tl_trace_index *x)
{
	tl_by_id_release(&x->by_uid);
	tl_map_release(&x->owner);
	free(x->previous);
	free(x->extra);
	free(x->launch_start);
	free(x->launch_gpu);
	free(x->launch_number);
	free(x->first);
	free(x->past);
	free(x->work);
	free(x->number);
	free(x->run);
	tl_map_release(&x->lists_of);
	free(x->lists);
	for (const struct tl_trace_kept *k = x->kept; k; k = k->next)
		k->release(k->memory);
	tl_arena_release(&x->found);
	free(x);
}

void *tl_trace_alloc(const struct tl_trace *t, size_t size)
{
	return tl_arena_alloc(&t->index->found, size);
}

void *tl_trace_keep(const struct tl_trace *t, size_t size, void (*release)(void *))
{
	struct tl_trace_kept *k = t->index->kept;

	while (k && k->release != release)
		k = k->next;
	if (k)
		return k->memory;
	k = tl_trace_alloc(t, sizeof *k);
	*k = (struct tl_trace_kept){ release, t->index->kept, memset(tl_trace_alloc(t, size), 0, size) };
	t->index->kept = k;
	return k->memory;
}

void tl_trace_free(struct tl_trace *t)
{
	if (!t)
		return;
	free_index(t->index);
	tl_strtab_release(&t->strings);
	free(t->source);
	free(t->events);
	free(t->values);
	free(t->layouts);
	free(t->tracks);
	free(t->launches);
	free(t->meta);
	free(t->roots);
	free(t->bwds);
	free(t->fwd_or_gpu);
	tl_samples_release(&t->samples);
	tl_arena_release(&t->arena);
	free(t);
}

/* ---- link records and tree edits applied to a trace in memory ---------------------------- */

static void set_owner(struct tl_trace *t, uint32_t e, uint32_t owner)
{
	if (owner != t->events[e].parent || tl_map_get(&t->index->owner, e))
		*tl_map_put(&t->index->owner, e, NULL) = owner + 1;
}

/* ---- child lists ---- */

/* Makes tl_trace_index.previous, or adds what belongs to new events. */
static void know_previous(struct tl_trace *t)
{
	struct tl_trace_index *x = t->index;
	uint32_t from = x->n_previous;
	TL_GROW(x->previous, x->cap_previous, t->n_events);
	x->n_previous = t->n_events;
	for (uint32_t i = from; i < t->n_events; i++) {
		uint32_t first = t->events[i].first_child, last = first;
		for (uint32_t c = first; c != TL_NONE; c = t->events[c].next_sibling) {
			x->previous[c] = last;
			last = c;
		}
		if (first != TL_NONE)
			x->previous[first] = last;
	}
}

static void append_child(struct tl_trace *t, uint32_t parent, uint32_t e)
{
	struct tl_ev *events = t->events;
	uint32_t *previous = t->index->previous;
	uint32_t first = events[parent].first_child, last = first == TL_NONE ? e : previous[first];
	events[e].next_sibling = TL_NONE;
	previous[e] = last;
	if (first == TL_NONE) {
		events[parent].first_child = e;
	} else {
		events[last].next_sibling = e;
		previous[first] = e;
	}
}

/* Puts `with` (TL_NONE: nothing) in e's place in the list it stands in. */
static void replace_child(struct tl_trace *t, uint32_t e, uint32_t with)
{
	struct tl_ev *events = t->events, *child = &events[e];
	uint32_t owner = tl_trace_owner(t, e);
	if (owner == TL_NONE)
		return;
	struct tl_ev *parent = &events[owner];
	uint32_t *previous = t->index->previous;
	bool is_first = parent->first_child == e, is_only = previous[e] == e;
	uint32_t here = with == TL_NONE ? child->next_sibling : with;
	if (with != TL_NONE) {
		events[with].next_sibling = child->next_sibling;
		previous[with] = is_only ? with : previous[e];
	}
	if (is_first)
		parent->first_child = here;
	else
		events[previous[e]].next_sibling = here;
	/* the event whose `previous` is e: the next one, or the first one if e was the last */
	uint32_t after = child->next_sibling != TL_NONE ? child->next_sibling : parent->first_child;
	if (after != TL_NONE && !is_only)
		previous[after] = with == TL_NONE ? previous[e] : with;
	child->next_sibling = TL_NONE;
}

static enum tl_status bad_link(struct tl_error *err, const struct tl_link *l, const char *why)
{
	return tl_fail(err, TL_ERR_DATA, "link %s %llu %lld: %s", tl_link_name(l->type),
	               (unsigned long long)l->a, (long long)l->b, why);
}

/* Climbing takes long if many edits lie deep in the tree: after so many events, some
 * seconds, further edits are refused. */
#define MAX_CLIMBED (UINT64_C(1) << 28)

/* TL_ERR_DATA with this reason if e is `above` or lies below it, by parents or by child
 * lists. */
static enum tl_status check_not_below(struct tl_trace *t, const struct tl_link *l, uint32_t e, uint32_t above,
                                      const char *why, struct tl_error *err)
{
	uint64_t n = 0;
	for (uint32_t p = e; p != TL_NONE; p = t->events[p].parent, n++)
		if (p == above)
			return bad_link(err, l, why);
	for (uint32_t p = e; p != TL_NONE; p = tl_trace_owner(t, p), n++)
		if (p == above)
			return bad_link(err, l, why);
	t->index->climbed += n;
	return t->index->climbed > MAX_CLIMBED ? bad_link(err, l, "too many edits of a tree that is so deep") : TL_OK;
}

static enum tl_status add_node(struct tl_trace *t, const struct tl_link *l, uint32_t a, uint32_t b,
                               struct tl_error *err)
{
	struct tl_ev *events = t->events, *e = &events[a];
	if (e->flags & TL_EV_IN_TREE)
		return bad_link(err, l, "the event is in the tree already");
	if (tl_kind_is_gpu(e->kind))
		return bad_link(err, l, "a device event cannot be a host node");
	e->flags |= TL_EV_IN_TREE;
	if (b == TL_NONE)
		return TL_OK;
	if (b == a || !(events[b].flags & TL_EV_IN_TREE) || tl_kind_is_gpu(events[b].kind))
		return bad_link(err, l, "the parent is not in the tree");
	if (t->index->edited) {
		/* A node after an edit, which may have moved the event, or moved its parent below it. */
		const char *why = "an edit before it gave the event another place";
		if (t->events[a].parent != TL_NONE || tl_trace_owner(t, a) != TL_NONE)
			return bad_link(err, l, why);
		enum tl_status status = check_not_below(t, l, b, a, why, err);
		if (status)
			return status;
		t->events[a].parent = b;
		set_owner(t, a, b);
		append_child(t, b, a);
		return TL_OK;
	}
	e->parent = b;
	append_child(t, b, a);
	return TL_OK;
}

/* An outermost cpu_op: whatever was outermost below it no longer is. */
static void add_root(struct tl_trace *t, uint32_t a)
{
	if (t->events[a].flags & TL_EV_ROOT)
		return;
	for (struct tl_walk w = tl_walk_below(t, a); w.event != TL_NONE; tl_walk_on(&w, true))
		t->events[w.event].flags &= (uint8_t)~TL_EV_ROOT;
	t->events[a].flags |= TL_EV_ROOT;
	TL_PUSH(t->roots, t->n_roots, t->cap_roots, a);
}

static enum tl_status add_launch(struct tl_trace *t, const struct tl_link *l, uint32_t a,
                                 uint32_t b, struct tl_error *err)
{
	struct tl_ev *g = &t->events[b];
	if (!tl_kind_is_gpu(g->kind) || tl_kind_is_gpu(t->events[a].kind))
		return bad_link(err, l, "not from the host to a device event");
	if (t->n_launches >= UINT32_MAX - 1)
		return bad_link(err, l, "too many launches");
	TL_PUSH(t->launches, t->n_launches, t->cap_launches, (struct tl_launch){ a, b });
	g->flags |= TL_EV_IN_TREE;
	if (g->parent == a && tl_trace_owner(t, b) == a)
		return TL_OK;
	replace_child(t, b, TL_NONE);
	g->parent = a;
	set_owner(t, b, a);
	append_child(t, a, b);
	return TL_OK;
}

static enum tl_status move_below(struct tl_trace *t, const struct tl_link *l, uint32_t a,
                                 uint32_t b, struct tl_error *err)
{
	if (tl_kind_is_gpu(t->events[a].kind))
		return bad_link(err, l, "a device event cannot have children");
	enum tl_status status = check_not_below(t, l, a, b, "the event would be below itself", err);
	if (status)
		return status;
	t->index->edited = true;
	replace_child(t, b, TL_NONE);
	if (l->type == TL_LINK_REPARENT)
		t->events[b].parent = a;
	set_owner(t, b, a);
	append_child(t, a, b);
	return TL_OK;
}

static enum tl_status replace_node(struct tl_trace *t, const struct tl_link *l, uint32_t a,
                                   uint32_t b, struct tl_error *err)
{
	uint32_t parent = t->events[b].parent, owner = tl_trace_owner(t, b);
	struct tl_ev *e = &t->events[a];
	if (e->parent != TL_NONE || tl_trace_owner(t, a) != TL_NONE || e->first_child != TL_NONE)
		return bad_link(err, l, "the event that replaces another must be a node without relations");
	if (a == b || tl_kind_is_gpu(e->kind))
		return bad_link(err, l, "not a host event");
	t->index->edited = true;
	replace_child(t, b, a);
	e->flags |= TL_EV_IN_TREE;
	e->parent = parent;
	set_owner(t, a, owner);
	*tl_map_put(&t->index->owner, b, NULL) = 0;
	return TL_OK;
}

static enum tl_status add_work(struct tl_trace *t, const struct tl_link *l, uint32_t a,
                               uint32_t b, struct tl_error *err)
{
	struct tl_trace_index *x = t->index;
	if (!tl_kind_is_gpu(t->events[b].kind))
		return bad_link(err, l, "not a device event");
	if (x->n_extra >= UINT32_MAX)
		return bad_link(err, l, "too many");
	TL_GROW(x->extra, x->cap_extra, x->n_extra + 1);
	x->extra[x->n_extra] = (struct tl_trace_extra){ a, b };
	x->n_extra++;
	return TL_OK;
}

static void add_backward(struct tl_trace *t, uint32_t a, uint32_t b)
{
	TL_PUSH(t->bwds, t->n_bwds, t->cap_bwds, (struct tl_bwd){ a, b });
}

/* Applies a link. TL_ERR_DATA if it contradicts the tree: parent chains and child
 * lists stay free of cycles whatever a stream says. A link that names an event which
 * the trace does not keep has no effect. */
static enum tl_status trace_apply_link(struct tl_trace *t, const struct tl_link *l, struct tl_error *err)
{
	uint32_t a = tl_trace_by_uid(t, l->a), b = l->b == TL_NO_UID ? TL_NONE : tl_trace_by_uid(t, l->b);
	if (a == TL_NONE)
		return TL_OK;
	if (t->index->n_previous != t->n_events)
		know_previous(t);
	switch (l->type) {
	case TL_LINK_NODE:
		return add_node(t, l, a, b, err);
	case TL_LINK_ROOT:
		add_root(t, a);
		return TL_OK;
	case TL_LINK_RECOMPUTE:
		t->events[a].flags |= TL_EV_RECOMPUTE;
		return TL_OK;
	}
	if (b == TL_NONE)
		return TL_OK;
	switch (l->type) {
	case TL_LINK_LAUNCH:
		return add_launch(t, l, a, b, err);
	case TL_LINK_BACKWARD:
		add_backward(t, a, b);
		return TL_OK;
	case TL_LINK_ADOPT:
	case TL_LINK_REPARENT:
		return move_below(t, l, a, b, err);
	case TL_LINK_REPLACE:
		return replace_node(t, l, a, b, err);
	case TL_LINK_WORK:
		return add_work(t, l, a, b, err);
	}
	return TL_OK;
}

/* The start of the trace without that of events which lost theirs. */
static void find_first_ts(struct tl_trace *t)
{
	t->first_ts = INT64_MAX;
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		bool counts = e->flags & TL_EV_HAS_TS && (e->ts || e->kind != TL_KIND_META) && !(TL_NOT_AT_START >> e->kind & 1);
		if (counts && e->ts < t->first_ts)
			t->first_ts = e->ts;
	}
}

/* Takes the events that are `out` from a child list, in one pass however many there are. */
static void take_out(struct tl_trace *t, uint32_t owner, const bool *out)
{
	for (uint32_t *at = &t->events[owner].first_child; *at != TL_NONE;) {
		struct tl_ev *e = &t->events[*at];
		if (!out[*at]) {
			at = &e->next_sibling;
			continue;
		}
		if (tl_map_get(&t->index->owner, *at))
			*tl_map_put(&t->index->owner, *at, NULL) = 0;
		*at = e->next_sibling;
		e->next_sibling = e->parent = TL_NONE;
	}
}

/* Device events leave the tree. */
static void take_all_out(struct tl_trace *t, const uint32_t *events, size_t n)
{
	bool *out = tl_calloc(t->n_events, sizeof *out);

	for (size_t i = 0; i < n; i++)
		out[events[i]] = tl_kind_is_gpu(t->events[events[i]].kind);
	for (size_t i = 0; i < n; i++) {
		struct tl_ev *e = &t->events[events[i]];
		uint32_t owner = out[events[i]] ? tl_trace_owner(t, events[i]) : TL_NONE;
		if (owner != TL_NONE)
			take_out(t, owner, out);
		if (!out[events[i]])
			continue;
		e->parent = TL_NONE;
		e->flags &= (uint8_t)~TL_EV_IN_TREE;
	}
	free(out);
}

void tl_trace_leave_out(struct tl_trace *t, const uint32_t *events, size_t n)
{
	bool first = false;
	size_t kept = 0;

	if (!n)
		return;
	for (size_t i = 0; i < n; i++) {
		struct tl_ev *e = &t->events[events[i]];
		first |= e->ts <= t->first_ts;
		e->flags &= (uint8_t)~(TL_EV_HAS_TS | TL_EV_HAS_DUR);
	}
	take_all_out(t, events, n);
	for (size_t i = 0; i < t->n_launches; i++)
		if (t->events[t->launches[i].gpu].flags & TL_EV_HAS_TS)
			t->launches[kept++] = t->launches[i];
	t->n_launches = kept;
	if (first)
		find_first_ts(t);
}

struct trace_sink {
	struct tl_sink base;
	struct tl_trace *t;
	const struct tl_tables *tables;          /* the source's */
	struct tl_by_id strings, tracks, layouts; /* its ids -> the trace's, 0: not yet used */
	struct tl_trace_options options;
	uint64_t next_uid;
	struct tl_map track_ids;            /* pid, tid -> the trace's track */
	struct tl_map process_names, process_labels; /* pid -> string id */
	struct tl_map thread_names;         /* pid, tid -> string id */
	uint32_t process_name, process_labels_name, thread_name, name, labels, zero, migration; /* string ids */
};

static struct trace_sink *self(struct tl_sink *s)
{
	return (struct trace_sink *)s;
}

static enum tl_status begin(struct tl_sink *s, const struct tl_header *h, const struct tl_tables *tables,
                            struct tl_error *err)
{
	struct trace_sink *k = self(s);
	struct tl_trace *t = k->t;
	(void)err;
	k->tables = tables;
	free(t->source);
	t->source = tl_strdup(h->source ? h->source : "");
	t->ticks_per_us = h->ticks_per_us;
	t->linked = h->linked;
	t->python = h->python;
	if (k->options.drop_kinds_of)
		k->options.drop_kinds = k->options.drop_kinds_of(k->options.ctx, h);
	if (h->linked && h->python)
		k->options.drop_kinds &= ~(1u << TL_KIND_PYTHON);
	return TL_OK;
}

static void reset(struct tl_sink *s)
{
	struct trace_sink *k = self(s);
	tl_by_id_forget(&k->strings);
	tl_by_id_forget(&k->tracks);
	tl_by_id_forget(&k->layouts);
}

/* ---- the source's ids -> the trace's ---- */

static inline uint32_t own_string(struct trace_sink *k, uint32_t id)
{
	uint32_t *own = tl_by_id(&k->strings, id);
	if (!*own && id)
		*own = tl_intern(&k->t->strings, tl_str(&k->tables->strings, id), tl_str_len(&k->tables->strings, id));
	return *own;
}

/* A pid or tid. Equal numbers are one, however they are written: 1 and 1.0 are. */
static uint32_t own_number(struct trace_sink *k, uint32_t id)
{
	int64_t value;
	char digits[24];
	if (!id || !tl_parse_whole(tl_str(&k->tables->strings, id), tl_str_len(&k->tables->strings, id), &value))
		return own_string(k, id);
	return tl_intern(&k->t->strings, digits, tl_format_int(digits, value));
}

static uint32_t own_track(struct trace_sink *k, uint32_t id)
{
	struct tl_trace *t = k->t;
	uint32_t *own = tl_by_id(&k->tracks, id);
	if (*own || !id)
		return *own;
	struct tl_track from = tl_track_of(k->tables, id);
	uint32_t pid = own_number(k, from.pid), tid = own_number(k, from.tid);
	uint32_t *known = tl_map_put(&k->track_ids, tl_key_of_two(pid, tid), NULL);
	if (!*known) {
		TL_GROW(t->tracks, t->cap_tracks, (size_t)t->n_tracks + 1);
		t->tracks[t->n_tracks] = (struct tl_trace_track){ .pid = pid, .tid = tid };
		*known = t->n_tracks++;
	}
	return *own = *known;
}

static uint32_t own_layout(struct trace_sink *k, uint32_t id)
{
	struct tl_trace *t = k->t;
	uint32_t *own = tl_by_id(&k->layouts, id);
	if (*own)
		return *own;
	struct tl_layout l = *tl_layout_of(k->tables, id);
	struct tl_field *fields = tl_arena_alloc(&t->arena, l.n_fields * sizeof *fields);
	for (uint32_t i = 0; i < l.n_fields; i++) {
		fields[i] = l.fields[i];
		fields[i].key = own_string(k, fields[i].key);
	}
	l.cat = own_string(k, l.cat);
	l.fields = fields;
	TL_GROW(t->layouts, t->cap_layouts, (size_t)t->n_layouts + 1);
	t->layouts[t->n_layouts] = l;
	return *own = t->n_layouts++;
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
	int64_t start;
	if (tl_meta_start(key, key_len, json, json_len, &start) && start < t->first_ts)
		t->first_ts = start;
	return TL_OK;
}

/* ---- process and thread names ---- */

/* Text of a member of a metadata event's args as a string id, 0 when absent. */
static uint32_t meta_text(struct trace_sink *k, const struct tl_event *e, const struct tl_layout *l, uint32_t key)
{
	for (uint32_t i = l->n_fields; i-- > 0;) {
		const struct tl_field *f = &l->fields[i];
		if (f->top || own_string(k, f->key) != key)
			continue;
		if (f->type != TL_FIELD_INT)
			return own_string(k, (uint32_t)e->values[i]);
		char digits[24];
		return tl_intern(&k->t->strings, digits, tl_format_int(digits, e->values[i]));
	}
	return 0;
}

static void read_metadata(struct trace_sink *k, const struct tl_event *e, const struct tl_layout *l)
{
	uint32_t own = own_track(k, e->track); /* may move the tracks */
	const struct tl_trace_track *track = &k->t->tracks[own];
	uint32_t name = own_string(k, e->name);
	uint32_t text = meta_text(k, e, l, name == k->process_labels_name ? k->labels : k->name);
	if (!text)
		return;
	if (name == k->thread_name)
		*tl_map_put(&k->thread_names, tl_key_of_two(track->pid, track->tid), NULL) = text;
	else if (name == k->process_name && (track->tid == k->zero || !track->tid))
		*tl_map_put(&k->process_names, track->pid, NULL) = text;
	else if (name == k->process_labels_name && track->tid == k->zero)
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
		                                    tl_key_of_two(track->pid, track->tid));
		track->process_name = process ? *process : unknown;
		track->process_label = label ? *label : unknown;
		track->thread_name = thread ? *thread : unknown;
	}
}

/* ---- events ---- */

static enum tl_status make_room(struct tl_trace *t, uint32_t n_values, struct tl_error *err)
{
	size_t bytes = (size_t)n_values * TL_VARINT_MAX;
	if (t->n_events >= UINT32_MAX - 3 || t->n_values > UINT32_MAX - bytes)
		return tl_fail(err, TL_ERR_DATA, "more than 2^32 events or bytes of arguments: too many for one sheet");
	if (t->n_tracks > 1u << 24 || t->n_layouts > 1u << 22) /* see struct tl_ev */
		return tl_fail(err, TL_ERR_DATA, "more than 2^24 threads or 2^22 sets of arguments: too many for one sheet");
	TL_GROW(t->events, t->cap_events, (size_t)t->n_events + 1);
	TL_GROW(t->values, t->cap_values, t->n_values + bytes + 1); /* never NULL */
	return TL_OK;
}

static void pack_values(struct trace_sink *k, const struct tl_layout *l, const int64_t *values)
{
	struct tl_trace *t = k->t;
	if (!l->n_fields) /* then there may be no memory for values yet */
		return;
	uint8_t *p = t->values + t->n_values;
	for (uint32_t i = 0; i < l->n_fields; i++)
		p = tl_put_varint(p, l->fields[i].type == TL_FIELD_INT ? tl_zigzag((uint64_t)values[i])
		                                                      : own_string(k, (uint32_t)values[i]));
	t->n_values = (size_t)(p - t->values);
}

/* A page of unified memory moves without a call: it has its place all the same. */
static bool is_migration(const struct trace_sink *k, const struct tl_layout *l)
{
	uint32_t i = 0;
	while (l->kind == TL_KIND_MEMCPY && i < l->n_fields && l->fields[i].key != k->migration)
		i++;
	return l->kind == TL_KIND_MEMCPY && i < l->n_fields;
}

static enum tl_status keep_event(struct trace_sink *k, const struct tl_event *e, struct tl_error *err)
{
	struct tl_trace *t = k->t;
	uint32_t layout = own_layout(k, e->layout), track = own_track(k, e->track);
	const struct tl_layout *l = &t->layouts[layout];
	enum tl_status st = make_room(t, l->n_fields, err);
	if (st)
		return st;
	t->events[t->n_events] = (struct tl_ev){
		.ts = e->ts, .dur = e->dur, .uid = (uint32_t)e->uid, .name = own_string(k, e->name),
		.layout = layout, .values = (uint32_t)t->n_values, .track = track,
		.parent = TL_NONE, .first_child = TL_NONE, .next_sibling = TL_NONE,
		.kind = l->kind, .flags = (uint8_t)(l->flags << TL_EV_LAYOUT_SHIFT | (is_migration(k, l) ? TL_EV_IN_TREE : 0)),
	};
	pack_values(k, l, e->values);
	uint32_t uid = (uint32_t)e->uid;
	struct tl_trace_index *x = t->index;
	if (!x->sparse && uid / 4 > t->n_events + 16384u) {
		x->sparse = true;
		tl_by_id_release(&x->by_uid);
	}
	if (!x->sparse)
		*tl_by_id(&x->by_uid, uid) = t->n_events + 1;
	t->n_events++;
	return TL_OK;
}

/* A counter becomes a sample. */
static void keep_sample(struct trace_sink *k, const struct tl_event *e)
{
	struct tl_event own = { .name = own_string(k, e->name), .track = own_track(k, e->track), .ts = e->ts, .dur = e->dur };
	const struct tl_layout *l = &k->t->layouts[own_layout(k, e->layout)];
	int64_t *values = tl_alloc((l->n_fields + 1) * sizeof *values);
	for (uint32_t i = 0; i < l->n_fields; i++)
		values[i] = l->fields[i].type == TL_FIELD_INT ? e->values[i] : own_string(k, (uint32_t)e->values[i]);
	own.values = values;
	tl_samples_add(&k->t->samples, &k->t->strings, l, &own);
	free(values);
}

static enum tl_status add_event(struct tl_sink *s, const struct tl_event *e, struct tl_error *err)
{
	struct trace_sink *k = self(s);
	const struct tl_layout *l = tl_layout_of(k->tables, e->layout);
	if (e->uid > UINT32_MAX - 2)
		return tl_fail(err, TL_ERR_DATA, "event %llu: expected a number below 2^32 - 2", (unsigned long long)e->uid);
	k->next_uid = e->uid + 1;
	if (l->flags & TL_HAS_TS && e->ts < k->t->first_ts && (e->ts || l->kind != TL_KIND_META) &&
	    !(TL_NOT_AT_START >> l->kind & 1))
		k->t->first_ts = e->ts; /* metadata has the profiler's start, or 0 for no time */
	if (l->kind == TL_KIND_META || l->ph == 'M')
		read_metadata(k, e, l);
	if (k->options.drop_kinds >> l->kind & 1)
		return TL_OK;
	if (l->kind == TL_KIND_COUNTER && k->options.samples)
		keep_sample(k, e);
	return l->kind == TL_KIND_COUNTER && k->options.samples && !k->options.counters ? TL_OK : keep_event(k, e, err);
}

static enum tl_status add_link(struct tl_sink *s, const struct tl_link *l, struct tl_error *err)
{
	return trace_apply_link(self(s)->t, l, err);
}

/* ---- end ---- */

static enum tl_status end(struct tl_sink *s, struct tl_error *err)
{
	struct trace_sink *k = self(s);
	struct tl_trace *t = k->t;
	(void)err;
	if (t->n_source_events < k->next_uid)
		t->n_source_events = k->next_uid;
	name_tracks(k);
	size_t kept = 0;
	for (size_t i = 0; i < t->n_roots; i++)
		if (t->events[t->roots[i]].flags & TL_EV_ROOT)
			t->roots[kept++] = t->roots[i];
	t->n_roots = kept;
	t->index->sparse = true; /* from here on uids are looked up seldom */
	tl_by_id_release(&t->index->by_uid);
	free(t->index->previous);
	t->index->previous = NULL;
	t->index->n_previous = 0;
	t->index->cap_previous = 0;
	t->fwd_or_gpu = tl_alloc(((size_t)t->n_events + 1) * sizeof *t->fwd_or_gpu);
	memset(t->fwd_or_gpu, 0xff, ((size_t)t->n_events + 1) * sizeof *t->fwd_or_gpu);
	for (size_t i = 0; i < t->n_bwds; i++)
		t->fwd_or_gpu[t->bwds[i].bwd] = t->bwds[i].fwd;
	for (uint32_t i = 0; i < t->n_events; i++)
		if (tl_kind_is_gpu(t->events[i].kind))
			t->fwd_or_gpu[i] = t->n_gpus++;
	return TL_OK;
}

static const struct tl_sink_ops ops = {
	.begin = begin, .reset = reset, .meta = add_meta, .event = add_event, .link = add_link, .end = end,
};

static struct tl_trace *new_trace(void)
{
	struct tl_trace *t = tl_calloc(1, sizeof *t);
	t->ticks_per_us = 1000;
	t->index = tl_calloc(1, sizeof *t->index);
	t->first_ts = INT64_MAX;
	TL_GROW(t->layouts, t->cap_layouts, 1);
	t->layouts[t->n_layouts++] = (struct tl_layout){ 0 };
	TL_GROW(t->tracks, t->cap_tracks, 1);
	t->tracks[t->n_tracks++] = (struct tl_trace_track){ 0 };
	return t;
}

struct tl_sink *tl_trace_sink_new(struct tl_trace **out, const struct tl_trace_options *o)
{
	struct trace_sink *k = tl_calloc(1, sizeof *k);
	struct tl_trace *t = new_trace();
	k->base.ops = &ops;
	k->t = t;
	if (o)
		k->options = *o;
	k->process_name = tl_intern_str(&t->strings, "process_name");
	k->process_labels_name = tl_intern_str(&t->strings, "process_labels");
	k->thread_name = tl_intern_str(&t->strings, "thread_name");
	k->name = tl_intern_str(&t->strings, TL_KEY_META_NAME);
	k->labels = tl_intern_str(&t->strings, TL_KEY_META_LABELS);
	k->zero = tl_intern_str(&t->strings, "0");
	k->migration = tl_intern_str(&t->strings, TL_KEY_MIGRATION);
	*out = t;
	return &k->base;
}

void tl_trace_sink_free(struct tl_sink *s)
{
	if (!s)
		return;
	struct trace_sink *k = self(s);
	tl_by_id_release(&k->strings);
	tl_by_id_release(&k->tracks);
	tl_by_id_release(&k->layouts);
	tl_map_release(&k->track_ids);
	tl_map_release(&k->process_names);
	tl_map_release(&k->process_labels);
	tl_map_release(&k->thread_names);
	free(k);
}

/* ---- events in the order of their starts ----------------------------------------------------------------- */

TL_ORDER_IN(by_start, uint32_t, struct tl_trace, TL_ASC(ctx->events[*x].ts))

TL_ORDER_IN(by_track, uint32_t, struct tl_trace, TL_ASC(ctx->events[*x].track) TL_ASC(ctx->events[*x].ts))

void tl_sort_by_start(const struct tl_trace *t, uint32_t *events, size_t n)
{
	tl_merge_sort(events, n, sizeof *events, by_start, (void *)t);
}

void tl_sort_by_track(const struct tl_trace *t, uint32_t *events, size_t n)
{
	tl_merge_sort(events, n, sizeof *events, by_track, (void *)t);
}
