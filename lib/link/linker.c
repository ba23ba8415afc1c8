/* linker.c - the sink: passes all on, keeps a compact record of what takes part.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "link/linker.h"

#include <stdlib.h>
#include <string.h>

/* ---- blocks ---- */

void tl_blocks_grow(struct blocks *b, size_t item_size)
{
	TL_GROW(b->blocks, b->cap_blocks, b->n_blocks + 1);
	b->blocks[b->n_blocks++] = tl_alloc(item_size << BLOCK_BITS);
}

void tl_blocks_drop(struct blocks *b, size_t i)
{
	free(b->blocks[i >> BLOCK_BITS]);
	b->blocks[i >> BLOCK_BITS] = NULL;
}

void tl_blocks_release(struct blocks *b)
{
	for (size_t i = 0; i < b->n_blocks; i++)
		free(b->blocks[i]);
	free(b->blocks);
	memset(b, 0, sizeof *b);
}

/* ---- what is known by the source's ids ---- */

static struct linker *self(struct tl_sink *s)
{
	return (struct linker *)s;
}

static struct text_info text_of(struct linker *l, uint32_t id)
{
	struct text_info none = { 0, TEXT_NULL };
	if (!id)
		return none;
	if (id >= l->n_texts) {
		TL_GROW(l->texts, l->cap_texts, (size_t)id + 1);
		memset(l->texts + l->n_texts, 0, (id + 1 - l->n_texts) * sizeof *l->texts);
		l->n_texts = (size_t)id + 1;
	}
	if (!l->texts[id].flags)
		l->texts[id] = tl_link_text_info(tl_str(&l->tables->strings, id), tl_str_len(&l->tables->strings, id));
	return l->texts[id];
}

static uint64_t id_hash(struct linker *l, uint32_t id)
{
	struct text_info t = text_of(l, id);
	return t.flags & TEXT_NULL ? 0 : tl_hash_u64(t.hash + (t.flags & TEXT_INTEGRAL));
}

static uint32_t own_track(struct linker *l, struct tl_track k)
{
	bool is_new;
	uint64_t key = tl_hash_u64(id_hash(l, k.pid) * 31 + 1) ^ id_hash(l, k.tid);
	uint32_t *number = tl_map_put(&l->own_tracks, key, &is_new);
	if (!is_new)
		return *number;
	if (l->n_own_tracks == MAX_TRACKS) {
		l->too_many_tracks = true;
		return *number = 0;
	}
	TL_GROW(l->track_whole, l->cap_whole, (size_t)l->n_own_tracks + 1);
	l->track_whole[l->n_own_tracks] = !(text_of(l, k.pid).flags & TEXT_NULL) &&
	                                  !(text_of(l, k.tid).flags & TEXT_NULL);
	return *number = l->n_own_tracks++;
}

static uint32_t track_of(struct linker *l, const struct tl_event *e)
{
	uint32_t *known = tl_by_id(&l->tracks, e->track);
	if (!*known)
		*known = own_track(l, tl_track_of(l->tables, e->track)) + 1;
	return *known - 1;
}

static void set_role(const struct linker *l, const struct tl_layout *layout, struct layout_info *i)
{
	switch (layout->kind) {
	case TL_KIND_CPU_OP:
		i->role = ROLE_HOST;
		i->span_role = SPAN_CPU_OP;
		break;
	case TL_KIND_RUNTIME:
	case TL_KIND_DRIVER:
		i->role = ROLE_LAUNCH;
		i->span_role = SPAN_LAUNCH;
		break;
	case TL_KIND_PYTHON:
		i->role = l->options.python ? ROLE_HOST : ROLE_NONE;
		i->span_role = l->options.python ? SPAN_PYTHON : SPAN_OTHER;
		break;
	case TL_KIND_KERNEL:
	case TL_KIND_MEMCPY:
	case TL_KIND_MEMSET:
		i->role = ROLE_DEVICE;
		break;
	case TL_KIND_LAUNCH_FLOW:
		i->role = ROLE_ARROW;
		break;
	}
}

static struct layout_info describe(struct linker *l, const struct tl_layout *layout)
{
	struct layout_info i = { .role = ROLE_NONE, .span_role = SPAN_OTHER,
	                         .flags = layout->flags, .ph = layout->ph };
	i.known = true;
	set_role(l, layout, &i);
	for (uint32_t k = 0; k < layout->n_fields && k <= UINT16_MAX; k++) {
		const struct tl_field *f = &layout->fields[k];
		uint16_t known = text_of(l, f->key).flags;
		struct field_place place = { (uint16_t)k, f->type };
		if (f->top) {
			if (known & TEXT_ID)
				i.id = place;
		} else if (known & TEXT_CORRELATION) {
			i.correlation = place;
		} else if (known & TEXT_EXTERNAL_ID) {
			i.external_id = place;
		} else if (known & TEXT_SEQUENCE) {
			i.sequence = place;
		}
	}
	return i;
}

static const struct layout_info *layout_info_of(struct linker *l, uint32_t id)
{
	if (id >= l->n_layouts) {
		TL_GROW(l->layouts, l->cap_layouts, (size_t)id + 1);
		memset(l->layouts + l->n_layouts, 0, (id + 1 - l->n_layouts) * sizeof *l->layouts);
		l->n_layouts = (size_t)id + 1;
	}
	if (!l->layouts[id].known)
		l->layouts[id] = describe(l, tl_layout_of(l->tables, id));
	return &l->layouts[id];
}

/* ---- events ---- */

/* The value of an argument as a key. Whole numbers are themselves; texts and
 * all else are hashes in a range of their own, so that "1" is not 1. */
static int64_t key_value(struct linker *l, const struct tl_event *e, struct field_place p)
{
	if (!p.type)
		return NO_VALUE;
	int64_t v = e->values[p.at];
	if (p.type == TL_FIELD_INT)
		return v == NO_VALUE ? NO_VALUE + 1 : v;
	struct text_info t = text_of(l, (uint32_t)v);
	if (p.type == TL_FIELD_JSON && t.flags & TEXT_NULL)
		return NO_VALUE;
	if (p.type == TL_FIELD_JSON && t.flags & TEXT_INTEGRAL)
		return (int64_t)t.hash;
	uint64_t h = tl_hash_u64(t.hash ^ p.type);
	return (int64_t)(h >> 2 | (uint64_t)1 << 62);
}

static void note_run(struct linker *l, int64_t ts)
{
	struct runs *r = &l->runs;
	if ((!r->n || ts < r->last_ts) && r->n <= MAX_RUNS)
		r->first[r->n++] = (uint32_t)l->spans.n;
	r->last_ts = ts;
}

static uint32_t add_span(struct linker *l, const struct tl_event *e, const struct layout_info *i)
{
	uint32_t flags = i->span_role;
	uint16_t name = text_of(l, e->name).flags;
	if (name & NAME_BACKWARD)
		flags |= SPAN_BACKWARD;
	if (i->span_role == SPAN_LAUNCH && name & NAME_GRAPH)
		flags |= SPAN_GRAPH;
	if (i->span_role == SPAN_PYTHON && name & NAME_RECOMPUTE && l->options.recompute)
		flags |= SPAN_RECOMPUTE;
	if (tl_link_in_tree(flags))
		note_run(l, e->ts);
	uint32_t number = (uint32_t)l->spans.n;
	struct span *s = blocks_add(&l->spans, sizeof *s);
	s->ts = e->ts;
	s->dur = e->dur;
	s->uid = (uint32_t)e->uid;
	s->bits = track_of(l, e) << FLAG_BITS | flags;
	return number;
}

static void note_sequence(struct linker *l, const struct tl_event *e, const struct layout_info *i,
                          uint32_t span)
{
	if (!i->sequence.type || !(i->flags & TL_HAS_TS))
		return;
	int64_t number = key_value(l, e, i->sequence);
	if (number == NO_VALUE)
		return;
	struct layout_info other = *i;
	other.span_role = SPAN_OTHER;
	struct numbered *r = blocks_add(&l->numbered, sizeof *r);
	r->number = number;
	r->span = span != NONE ? span : add_span(l, e, &other);
	r->next = NONE;
}

static struct early early_at(struct blocks *b, size_t i)
{
	struct early r = *(struct early *)blocks_at(b, i, sizeof r);
	if (i % BLOCK_ITEMS == BLOCK_ITEMS - 1)
		tl_blocks_drop(b, i);
	return r;
}

/* The first launching runtime call decides which argument links. */
static void decide_key(struct linker *l, bool external)
{
	l->key_known = true;
	l->key_is_external = external;
	for (size_t i = 0; i < l->early_calls.n; i++) {
		struct early r = early_at(&l->early_calls, i);
		tl_link_add_call(l, external ? r.external : r.correlation, r.at);
	}
	for (size_t i = 0; i < l->early_devices.n; i++) {
		struct early r = early_at(&l->early_devices, i);
		tl_link_add_device(l, external ? r.external : r.correlation, r.at, r.track);
	}
	tl_blocks_release(&l->early_calls);
	tl_blocks_release(&l->early_devices);
}

static int64_t link_id(struct linker *l, const struct tl_event *e, const struct layout_info *i)
{
	return key_value(l, e, l->key_is_external ? i->external_id : i->correlation);
}

static void keep_early(struct linker *l, struct blocks *early, const struct tl_event *e,
                       const struct layout_info *i, uint32_t at, uint32_t track)
{
	int64_t correlation = key_value(l, e, i->correlation), external = key_value(l, e, i->external_id);
	if (correlation == NO_VALUE && external == NO_VALUE)
		return;
	struct early *r = blocks_add(early, sizeof *r);
	*r = (struct early){ correlation, external, at, track };
}

static void add_call(struct linker *l, const struct tl_event *e, const struct layout_info *i, uint32_t span)
{
	l->call_has_correlation |= i->correlation.type != 0;
	if (l->key_known)
		tl_link_add_call(l, link_id(l, e, i), span);
	else
		keep_early(l, &l->early_calls, e, i, span, 0);
}

static void add_device(struct linker *l, const struct tl_event *e, const struct layout_info *i)
{
	l->report.n_gpu++;
	if (l->key_known)
		tl_link_add_device(l, link_id(l, e, i), (uint32_t)e->uid, track_of(l, e));
	else
		keep_early(l, &l->early_devices, e, i, (uint32_t)e->uid, track_of(l, e));
}

static void add_arrow(struct linker *l, const struct tl_event *e, const struct layout_info *i)
{
	int64_t id = key_value(l, e, i->id);
	if (id == NO_VALUE || (i->ph != 's' && i->ph != 'f'))
		return;
	tl_link_add_arrow(l, id, i->ph == 'f', track_of(l, e));
	l->report.n_arrows++;
}

static void record(struct linker *l, const struct tl_event *e, const struct layout_info *i)
{
	const uint8_t timed = TL_HAS_TS | TL_HAS_DUR;
	bool whole = (i->flags & timed) == timed;
	uint32_t span = NONE;
	if (i->role == ROLE_LAUNCH && !l->key_known && text_of(l, e->name).flags & NAME_LAUNCH)
		decide_key(l, i->correlation.type == 0);
	if (i->role == ROLE_ARROW) {
		add_arrow(l, e, i);
		return;
	}
	if (i->role == ROLE_HOST || i->role == ROLE_LAUNCH || i->role == ROLE_DEVICE) {
		if (!whole) {
			l->report.n_bad++;
			return;
		}
	}
	if (i->role == ROLE_HOST || i->role == ROLE_LAUNCH) {
		span = add_span(l, e, i);
		l->report.n_host++;
	}
	if (i->role == ROLE_LAUNCH)
		add_call(l, e, i, span);
	else if (i->role == ROLE_DEVICE)
		add_device(l, e, i);
	note_sequence(l, e, i, span);
}

static enum tl_status take(struct linker *l, const struct tl_event *e, struct tl_error *err)
{
	const struct layout_info *i = layout_info_of(l, e->layout);
	if (i->role == ROLE_NONE && !i->sequence.type)
		return TL_OK;
	if (e->uid > UINT32_MAX - 2 || l->spans.n > UINT32_MAX - 2)
		return tl_fail(err, TL_ERR_DATA, "event %llu: linking takes event numbers below 2^32 - 2",
		               (unsigned long long)e->uid);
	if (l->too_many_tracks)
		return tl_fail(err, TL_ERR_DATA, "event %llu: more than %d threads",
		               (unsigned long long)e->uid, MAX_TRACKS);
	record(l, e, i);
	return TL_OK;
}

static enum tl_status add_event(struct tl_sink *s, const struct tl_event *e, struct tl_error *err)
{
	struct linker *l = self(s);
	enum tl_status status = l->report.kept ? TL_OK : take(l, e, err);
	return status == TL_OK ? l->next->ops->event(l->next, e, err) : status;
}

/* ---- the rest of the interface ---- */

static enum tl_status begin(struct tl_sink *s, const struct tl_header *h, const struct tl_tables *tables,
                            struct tl_error *err)
{
	struct linker *l = self(s);
	struct tl_header out = *h;
	l->tables = tables;
	l->ticks_per_us = h->ticks_per_us;
	l->report.kept = h->linked && l->options.keep;
	if (l->report.kept && l->options.python && !h->python)
		return tl_fail(err, TL_ERR_DATA, "the stream was linked without Python frames, which this needs; use tl-link --python");
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

/* Links of an earlier linker are replaced by ours. */
static enum tl_status add_link(struct tl_sink *s, const struct tl_link *link, struct tl_error *err)
{
	struct linker *l = self(s);
	return l->report.kept ? l->next->ops->link(l->next, link, err) : TL_OK;
}

static enum tl_status link_all(struct linker *l, struct tl_error *err)
{
	if (l->too_many_tracks)
		return tl_fail(err, TL_ERR_DATA, "more than %d threads", MAX_TRACKS);
	l->report.by_correlation = !l->report.n_arrows && l->report.n_gpu;
	if (!l->key_known)
		decide_key(l, !(l->report.by_correlation && l->call_has_correlation));
	tl_link_launches_ready(l);
	enum tl_status status = tl_link_tree(l, err);
	if (status == TL_OK)
		status = tl_link_launches(l, err);
	return status == TL_OK ? tl_link_backward(l, err) : status;
}

static enum tl_status end(struct tl_sink *s, struct tl_error *err)
{
	struct linker *l = self(s);
	enum tl_status status = l->report.kept ? TL_OK : link_all(l, err);
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
	free(l->texts);
	free(l->layouts);
	tl_by_id_release(&l->tracks);
	free(l->track_whole);
	tl_map_release(&l->own_tracks);
	tl_blocks_release(&l->spans);
	tl_blocks_release(&l->calls);
	tl_blocks_release(&l->devices);
	tl_blocks_release(&l->groups.records);
	free(l->groups.slots);
	tl_blocks_release(&l->numbered);
	tl_blocks_release(&l->early_calls);
	tl_blocks_release(&l->early_devices);
	free(l);
}
