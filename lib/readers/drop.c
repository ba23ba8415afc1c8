/* drop.c - a sink that leaves out events of some kinds.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/source.h"

#include <stdlib.h>
#include <string.h>

struct drop_sink {
	struct tl_sink base;
	struct tl_sink *next;
	uint32_t drop_kinds;
	uint8_t *dropped; /* by layout id of the next sink */
	size_t cap;
};

static enum tl_status drop_begin(struct tl_sink *s, const struct tl_header *h, struct tl_error *err)
{
	struct drop_sink *d = (struct drop_sink *)s;
	enum tl_status st;

	if (h->linked)
		return tl_fail(err, TL_ERR_DATA, "events cannot be dropped from a linked stream: its links name them");
	st = d->next->ops->begin(d->next, h, err);
	s->generation = d->next->generation;
	return st;
}

static uint32_t drop_string(struct tl_sink *s, const char *p, size_t len)
{
	struct drop_sink *d = (struct drop_sink *)s;

	return d->next->ops->string(d->next, p, len);
}

static uint32_t drop_track(struct tl_sink *s, uint32_t pid, uint32_t tid)
{
	struct drop_sink *d = (struct drop_sink *)s;

	return d->next->ops->track(d->next, pid, tid);
}

static uint32_t drop_layout(struct tl_sink *s, const struct tl_layout *l)
{
	struct drop_sink *d = (struct drop_sink *)s;
	uint32_t id = d->next->ops->layout(d->next, l);
	size_t old = d->cap;

	TL_GROW(d->dropped, d->cap, (size_t)id + 1);
	if (d->cap > old)
		memset(d->dropped + old, 0, d->cap - old);
	d->dropped[id] = l->kind < 32 && (d->drop_kinds >> l->kind & 1);
	return id;
}

static enum tl_status drop_meta(struct tl_sink *s, const char *key, size_t key_len,
                                const char *json, size_t json_len, struct tl_error *err)
{
	struct drop_sink *d = (struct drop_sink *)s;

	return d->next->ops->meta(d->next, key, key_len, json, json_len, err);
}

static enum tl_status drop_event(struct tl_sink *s, const struct tl_event *e, struct tl_error *err)
{
	struct drop_sink *d = (struct drop_sink *)s;
	enum tl_status st;

	if (e->layout < d->cap && d->dropped[e->layout])
		return TL_OK;
	st = d->next->ops->event(d->next, e, err);
	s->generation = d->next->generation;
	return st;
}

static enum tl_status drop_link(struct tl_sink *s, const struct tl_link *l, struct tl_error *err)
{
	struct drop_sink *d = (struct drop_sink *)s;
	enum tl_status st = d->next->ops->link(d->next, l, err);

	s->generation = d->next->generation;
	return st;
}

static enum tl_status drop_end(struct tl_sink *s, struct tl_error *err)
{
	struct drop_sink *d = (struct drop_sink *)s;

	return d->next->ops->end(d->next, err);
}

struct tl_sink *tl_drop_sink_new(struct tl_sink *next, uint32_t drop_kinds)
{
	static const struct tl_sink_ops ops = {
		drop_begin, drop_string, drop_track, drop_layout,
		drop_meta, drop_event, drop_link, drop_end,
	};
	struct drop_sink *d = tl_calloc(1, sizeof *d);

	d->base.ops = &ops;
	d->base.generation = next->generation;
	d->next = next;
	d->drop_kinds = drop_kinds;
	return &d->base;
}

void tl_drop_sink_free(struct tl_sink *s)
{
	struct drop_sink *d = (struct drop_sink *)s;

	if (!d)
		return;
	free(d->dropped);
	free(d);
}
