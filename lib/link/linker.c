/* linker.c - the linker's sink: passes everything on, keeps a compact record of each
 * event that takes part, and pushes the links at the end.
 *
 * Memory in bytes: a host event 24, a runtime call 24 more, an event with a sequence
 * number 16 more, a device event 24, the end of an arrow 16, each id of a launch 24.
 * Sorting takes 8 for a host event and as much again for all others; the kinds are
 * sorted one after the other.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "kernels/name_rules.h"
#include "link/link.h"
#include "link/relations.h"
#include "model/fields.h"

/* ---- what the names of host events mean ------------------------------------------------- */

enum { /* bits */
	TL_NAME_LAUNCH = 1, TL_NAME_GRAPH = 2, TL_NAME_BACKWARD = 4, TL_NAME_RECOMPUTE = 8,
};

static const char *const name_bits[] = { "launch", "graph", "backward", "recompute", NULL }; /* from bit 0 on */

/* What is known of a string. */
enum { /* text_info.flags, above those of names */
	TEXT_KNOWN = 16, TEXT_NULL = 32, TEXT_INTEGRAL = 64, /* a number equal to an integer; hash holds that */
};
struct text_info { uint64_t hash; uint32_t flags; };

/* What is known of a layout. */
enum role { ROLE_NONE, ROLE_HOST, ROLE_CALL, ROLE_DEVICE, ROLE_ARROW };
struct place { uint16_t at; uint8_t type; }; /* of a field; type 0: absent */
struct layout_info {
	bool known;
	uint8_t role, flags;
	char ph;
	bool may_be_recompute;
	uint32_t span_bits;
	struct place id[TL_N_IDS], arrow_id, sequence;
};

struct linker {
	struct tl_sink base;
	struct tl_sink *next;
	struct tl_link_options options;
	struct tl_link_report report;
	struct tl_name_rules *names;
	int64_t ticks_per_us;

	/* by the source's ids; an entry is zero until it is needed */
	const struct tl_tables *tables;
	struct text_info *texts;
	size_t n_texts, cap_texts;
	struct layout_info *layouts;
	size_t n_layouts, cap_layouts;
	struct tl_by_id tracks; /* -> own number + 1 */

	/* processes and threads, with numbers of our own: the source's ids end at a reset */
	struct tl_map own_tracks;
	bool *track_is_whole; /* neither process nor thread is absent */
	uint64_t *track_process; /* hash of the process */
	size_t cap_whole, cap_process;
	uint32_t n_tracks;

	struct tl_host_spans spans;
	struct tl_launches launches;
	struct tl_sequences sequences;
	bool by_known, call_has_correlation, may_lack_arrows;
	enum tl_launch_id by;
};

static struct linker *self(struct tl_sink *s)
{
	return (struct linker *)s;
}

/* ---- strings ---- */

static struct text_info text_of(struct linker *l, uint32_t id)
{
	if (!id)
		return (struct text_info){ 0, TEXT_NULL };
	if (id >= l->n_texts) {
		TL_GROW(l->texts, l->cap_texts, (size_t)id + 1);
		memset(l->texts + l->n_texts, 0, (id + 1 - l->n_texts) * sizeof *l->texts);
		l->n_texts = (size_t)id + 1;
	}
	if (!l->texts[id].flags) {
		const char *s = tl_str(&l->tables->strings, id);
		size_t len = tl_str_len(&l->tables->strings, id);
		struct text_info t = { tl_hash(s, len), TEXT_KNOWN | (uint32_t)tl_name_rules_all(l->names, s, len, name_bits) };
		int64_t value = 0;
		if (tl_text_is(s, len, "null"))
			t.flags |= TEXT_NULL;
		if (tl_parse_whole(s, len, &value)) {
			t.flags |= TEXT_INTEGRAL;
			t.hash = (uint64_t)value;
		}
		l->texts[id] = t;
	}
	return l->texts[id];
}

/* ---- tracks ---- */

static uint64_t id_hash(struct linker *l, uint32_t id)
{
	struct text_info t = text_of(l, id);
	return t.flags & TEXT_NULL ? 0 : tl_hash_u64(t.hash + (t.flags & TEXT_INTEGRAL));
}

/* The linker's number of a thread. Two events are on one thread if their pids and their
 * tids are equal, as numbers if both are numbers (1 and 1.0 are). Pairs are told apart
 * by 64-bit hashes: a collision among a few thousand threads is too rare to matter. */
static uint32_t own_track(struct linker *l, struct tl_track k)
{
	bool is_new;
	uint64_t key = tl_hash_u64(id_hash(l, k.pid) * 31 + 1) ^ id_hash(l, k.tid);
	uint32_t *number = tl_map_put(&l->own_tracks, key, &is_new);
	if (!is_new)
		return *number;
	TL_GROW(l->track_is_whole, l->cap_whole, (size_t)l->n_tracks + 1);
	TL_GROW(l->track_process, l->cap_process, (size_t)l->n_tracks + 1);
	l->track_process[l->n_tracks] = id_hash(l, k.pid);
	l->track_is_whole[l->n_tracks] = !(text_of(l, k.pid).flags & TEXT_NULL) && !(text_of(l, k.tid).flags & TEXT_NULL);
	return *number = l->n_tracks++;
}

static uint32_t track_of(struct linker *l, const struct tl_event *e)
{
	uint32_t *known = tl_by_id(&l->tracks, e->track);
	if (!*known)
		*known = own_track(l, tl_track_of(l->tables, e->track)) + 1;
	return *known - 1;
}

/* ---- layouts ---- */

static void set_role(const struct linker *l, unsigned kind, struct layout_info *i)
{
	if (tl_kind_is_gpu(kind))
		i->role = ROLE_DEVICE;
	else if (tl_kind_is_launch(kind))
		i->role = ROLE_CALL;
	else if (kind == TL_KIND_LAUNCH_FLOW)
		i->role = ROLE_ARROW;
	else if (kind == TL_KIND_CPU_OP || (kind == TL_KIND_PYTHON && l->options.python))
		i->role = ROLE_HOST;
	i->may_be_recompute = kind == TL_KIND_PYTHON && l->options.recompute;
	if (i->role == ROLE_HOST || i->role == ROLE_CALL)
		i->span_bits = TL_SPAN_IN_TREE | (kind == TL_KIND_CPU_OP ? TL_SPAN_CPU_OP : 0);
}

static struct layout_info describe_layout(const struct linker *l, const struct tl_layout *layout)
{
	struct layout_info i = { .known = true, .flags = layout->flags, .ph = layout->ph };
	set_role(l, layout->kind, &i);
	for (uint32_t k = 0; k < layout->n_fields; k++) {
		const struct tl_field *f = &layout->fields[k];
		const char *key = tl_str(&l->tables->strings, f->key);
		size_t len = tl_str_len(&l->tables->strings, f->key);
		struct place place = { (uint16_t)k, f->type };
		if (f->top && tl_text_is(key, len, TL_KEY_FLOW_ID))
			i.arrow_id = place;
		else if (!f->top && tl_text_is(key, len, TL_KEY_CORRELATION))
			i.id[TL_BY_CORRELATION] = place;
		else if (!f->top && tl_text_is(key, len, TL_KEY_EXTERNAL_ID))
			i.id[TL_BY_EXTERNAL_ID] = place;
		else if (!f->top && tl_text_is(key, len, TL_KEY_SEQUENCE))
			i.sequence = place;
	}
	if (layout->kind == TL_KIND_CPU_OP && i.id[TL_BY_CORRELATION].type) /* in traces that tell of no calls */
		i.role = ROLE_CALL;
	return i;
}

/* ---- events ---- */

/* The value of an argument as an id. Whole numbers are themselves; texts and all
 * else are hashes in a range of their own, so that "1" is not 1. */
static int64_t id_value(struct linker *l, const struct tl_event *e, struct place p)
{
	if (!p.type)
		return TL_NO_ID;
	int64_t v = e->values[p.at];
	if (p.type == TL_FIELD_INT)
		return v == TL_NO_ID ? TL_NO_ID + 1 : v;
	struct text_info t = text_of(l, (uint32_t)v);
	if (p.type == TL_FIELD_JSON && t.flags & TEXT_NULL)
		return TL_NO_ID;
	if (p.type == TL_FIELD_JSON && t.flags & TEXT_INTEGRAL)
		return (int64_t)t.hash;
	uint64_t h = tl_hash_u64(t.hash ^ p.type);
	return (int64_t)(h >> 2 | (uint64_t)1 << 62);
}

static uint32_t add_span(struct linker *l, const struct tl_event *e, const struct layout_info *i)
{
	uint32_t name = text_of(l, e->name).flags, bits = i->span_bits;
	if (name & TL_NAME_BACKWARD)
		bits |= TL_SPAN_BACKWARD;
	if (name & TL_NAME_GRAPH)
		bits |= TL_SPAN_GRAPH;
	if (name & TL_NAME_RECOMPUTE && i->may_be_recompute)
		bits |= TL_SPAN_RECOMPUTE;
	bits |= track_of(l, e) << TL_SPAN_TRACK_SHIFT;
	return tl_host_spans_add(&l->spans, &(struct tl_host_span){ e->ts, e->dur, (uint32_t)e->uid, bits });
}

/* The first runtime call that launches decides which argument links. */
static void decide_id(struct linker *l, const struct tl_event *e, const struct layout_info *i)
{
	if (l->by_known || i->role != ROLE_CALL || !(text_of(l, e->name).flags & TL_NAME_LAUNCH))
		return;
	l->by_known = true;
	l->by = i->id[TL_BY_CORRELATION].type ? TL_BY_CORRELATION : TL_BY_EXTERNAL_ID;
}

static void add_arrow(struct linker *l, const struct tl_event *e, const struct layout_info *i)
{
	int64_t id = id_value(l, e, i->arrow_id);
	if (id == TL_NO_ID || (i->ph != 's' && i->ph != 'f'))
		return;
	tl_launches_add_arrow(&l->launches, id, i->ph == 'f', track_of(l, e));
	l->report.n_arrows++;
}

/* A sequence number means something in its process only: in a joined trace each rank
 * counts from 0. So numbers of a process are moved by a hash of the process, which keeps
 * their order; that two processes meet is too rare to matter. */
static int64_t sequence_of(struct linker *l, const struct tl_event *e, const struct layout_info *i)
{
	int64_t sequence = i->flags & TL_HAS_TS ? id_value(l, e, i->sequence) : TL_NO_ID;
	if (sequence == TL_NO_ID)
		return TL_NO_ID;
	uint32_t track = track_of(l, e); /* may move track_process */
	int64_t moved = (int64_t)((uint64_t)sequence + l->track_process[track]);
	return moved == TL_NO_ID ? moved + 1 : moved;
}

static void add_timed(struct linker *l, const struct tl_event *e, const struct layout_info *i)
{
	int64_t id[TL_N_IDS] = { id_value(l, e, i->id[0]), id_value(l, e, i->id[1]) };
	int64_t sequence = sequence_of(l, e, i);
	bool is_host = i->role == ROLE_HOST || i->role == ROLE_CALL;
	uint32_t span = is_host || sequence != TL_NO_ID ? add_span(l, e, i) : 0;
	l->report.n_host += is_host;
	if (sequence != TL_NO_ID)
		tl_sequences_add(&l->sequences, sequence, span);
	if (i->role == ROLE_CALL) {
		l->call_has_correlation |= i->id[TL_BY_CORRELATION].type != 0;
		tl_launches_add_call(&l->launches, id, span);
	} else if (i->role == ROLE_DEVICE) {
		tl_launches_add_device(&l->launches, id, (uint32_t)e->uid, track_of(l, e));
		l->report.n_gpu++;
	}
}

static void record(struct linker *l, const struct tl_event *e, const struct layout_info *i)
{
	const uint8_t timed = TL_HAS_TS | TL_HAS_DUR;
	decide_id(l, e, i);
	if (i->role == ROLE_ARROW)
		add_arrow(l, e, i);
	else if (i->role != ROLE_NONE && (i->flags & timed) != timed)
		l->report.n_bad++;
	else
		add_timed(l, e, i);
}

static enum tl_status take(struct linker *l, const struct tl_event *e, struct tl_error *err)
{
	uint32_t id = e->layout;
	if (id >= l->n_layouts) {
		TL_GROW(l->layouts, l->cap_layouts, (size_t)id + 1);
		memset(l->layouts + l->n_layouts, 0, (id + 1 - l->n_layouts) * sizeof *l->layouts);
		l->n_layouts = (size_t)id + 1;
	}
	if (!l->layouts[id].known)
		l->layouts[id] = describe_layout(l, tl_layout_of(l->tables, id));
	const struct layout_info *i = &l->layouts[id];
	if (i->role == ROLE_NONE && !i->sequence.type)
		return TL_OK;
	if (e->uid > UINT32_MAX - 2 || l->spans.n > UINT32_MAX - 2)
		return tl_fail(err, TL_ERR_DATA, "event %llu: linking takes event numbers below 2^32 - 2",
		               (unsigned long long)e->uid);
	record(l, e, i);
	if (l->n_tracks > TL_SPAN_MAX_TRACKS)
		return tl_fail(err, TL_ERR_DATA, "event %llu: more than %d threads", (unsigned long long)e->uid,
		               TL_SPAN_MAX_TRACKS);
	return TL_OK;
}

/* ---- the sink ---- */

static enum tl_status begin(struct tl_sink *s, const struct tl_header *h, const struct tl_tables *tables,
                            struct tl_error *err)
{
	struct linker *l = self(s);
	struct tl_header out = *h;
	l->tables = tables;
	l->ticks_per_us = h->ticks_per_us;
	l->may_lack_arrows = h->source && !strcmp(h->source, "pytorch");
	l->report.kept = h->linked && l->options.keep;
	if (l->report.kept && l->options.python && !h->python)
		return tl_fail(err, TL_ERR_DATA,
		               "the stream was linked without Python frames, which this needs; use tl-link --python");
	if (!l->report.kept) {
		out.linked = true;
		out.python = l->options.python;
	}
	return l->next->ops->begin(l->next, &out, tables, err);
}

static void reset(struct tl_sink *s)
{
	struct linker *l = self(s);
	l->n_texts = l->n_layouts = 0;
	tl_by_id_forget(&l->tracks);
	l->next->ops->reset(l->next);
}

static enum tl_status add_meta(struct tl_sink *s, const char *key, size_t key_len,
                               const char *json, size_t json_len, struct tl_error *err)
{
	struct linker *l = self(s);
	return l->next->ops->meta(l->next, key, key_len, json, json_len, err);
}

static enum tl_status add_event(struct tl_sink *s, const struct tl_event *e, struct tl_error *err)
{
	struct linker *l = self(s);
	enum tl_status status = l->report.kept ? TL_OK : take(l, e, err);
	return status == TL_OK ? l->next->ops->event(l->next, e, err) : status;
}

/* Links of an earlier linker are replaced by ours. */
static enum tl_status add_link(struct tl_sink *s, const struct tl_link *link, struct tl_error *err)
{
	struct linker *l = self(s);
	return l->report.kept ? l->next->ops->link(l->next, link, err) : TL_OK;
}

static enum tl_status push_links(struct linker *l, struct tl_error *err)
{
	l->report.by_correlation = !l->report.n_arrows && l->report.n_gpu;
	l->report.lacks_arrows = l->report.by_correlation && l->may_lack_arrows;
	if (!l->by_known)
		l->by = l->report.by_correlation && l->call_has_correlation ? TL_BY_CORRELATION : TL_BY_EXTERNAL_ID;
	struct tl_launch_counts launches = { 0, 0 };
	struct tl_launch_options o = { l->by, l->report.by_correlation, l->track_is_whole };
	enum tl_status status = tl_call_tree(&l->spans, l->n_tracks, l->ticks_per_us, l->next,
	                                     &l->report.n_dropped_nodes, err);
	if (status == TL_OK)
		status = tl_launches_push(&l->launches, &l->spans, &o, l->next, &launches, err);
	l->report.n_linked_gpu = launches.linked;
	l->report.n_left_out = launches.left_out;
	tl_launches_release(&l->launches);
	if (status == TL_OK)
		status = tl_sequences_push(&l->sequences, &l->spans, l->ticks_per_us, l->next, err);
	return status;
}

static enum tl_status end(struct tl_sink *s, struct tl_error *err)
{
	struct linker *l = self(s);
	enum tl_status status = l->report.kept ? TL_OK : push_links(l, err);
	return status == TL_OK ? l->next->ops->end(l->next, err) : status;
}

struct tl_sink *tl_linker_new(struct tl_sink *next, const struct tl_link_options *o)
{
	static const struct tl_sink_ops ops = {
		.begin = begin, .reset = reset, .meta = add_meta, .event = add_event, .link = add_link, .end = end,
	};
	struct linker *l = tl_calloc(1, sizeof *l);
	l->base.ops = &ops;
	l->next = next;
	if (o)
		l->options = *o;
	l->options.python |= l->options.recompute;
	l->names = tl_name_rules_new(TL_HOST_NAMES);
	return &l->base;
}

const struct tl_link_report *tl_linker_report(const struct tl_sink *s)
{
	return &((const struct linker *)s)->report;
}

void tl_linker_free(struct tl_sink *s)
{
	if (!s)
		return;
	struct linker *l = self(s);
	tl_name_rules_free(l->names);
	free(l->texts);
	free(l->layouts);
	tl_by_id_release(&l->tracks);
	tl_map_release(&l->own_tracks);
	free(l->track_is_whole);
	free(l->track_process);
	tl_host_spans_release(&l->spans);
	tl_launches_release(&l->launches);
	tl_sequences_release(&l->sequences);
	free(l);
}
