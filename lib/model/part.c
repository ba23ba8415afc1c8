/* part.c - sinks that pass a trace on: a part of it, and counted; to two sinks.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "model/part.h"

#include "model/fields.h"

static enum tl_status part_begin(struct tl_sink *s, const struct tl_header *h, const struct tl_tables *tables,
                            struct tl_error *err)
{
	struct tl_part *p = (struct tl_part *)s;
	struct tl_header out = *h;

	if (h->linked && p->refuse_linked)
		return tl_fail(err, TL_ERR_DATA, "events cannot be dropped from a linked stream: its links name them");
	p->tables = tables;
	p->least_frame = p->least_frame_us * h->ticks_per_us;
	out.linked &= !p->drop_links;
	return p->next->ops->begin(p->next, &out, tables, err);
}

static void part_reset(struct tl_sink *s)
{
	struct tl_part *p = (struct tl_part *)s;

	p->next->ops->reset(p->next);
}

static enum tl_status part_meta(struct tl_sink *s, const char *key, size_t key_len, const char *json,
                           size_t json_len, struct tl_error *err)
{
	struct tl_part *p = (struct tl_part *)s;

	uint64_t n = tl_meta_events(key, key_len, json, json_len);
	if (p->drop_members)
		return TL_OK;
	p->n_known = n > p->n_known ? n : p->n_known;
	p->n_members++;
	return p->next->ops->meta(p->next, key, key_len, json, json_len, err);
}

static enum tl_status part_event(struct tl_sink *s, const struct tl_event *ev, struct tl_error *err)
{
	struct tl_part *p = (struct tl_part *)s;

	p->n_source = ev->uid + 1;
	unsigned kind = tl_layout_of(p->tables, ev->layout)->kind;
	bool is_short = kind == TL_KIND_PYTHON && ev->dur < p->least_frame &&
		!tl_is_module_frame(tl_str(&p->tables->strings, ev->name));
	p->n_short_frames += is_short;
	if (p->drop_kinds >> kind & 1 || is_short)
		return TL_OK;
	p->n_events++;
	p->n_known = p->n_source > p->n_known ? p->n_source : p->n_known;
	return p->next->ops->event(p->next, ev, err);
}

static enum tl_status part_link(struct tl_sink *s, const struct tl_link *k, struct tl_error *err)
{
	struct tl_part *p = (struct tl_part *)s;

	if (p->drop_links)
		return TL_OK;
	p->n_links++;
	return p->next->ops->link(p->next, k, err);
}

static enum tl_status part_end(struct tl_sink *s, struct tl_error *err)
{
	struct tl_part *p = (struct tl_part *)s;
	enum tl_status st = TL_OK;

	if (p->tell_count && p->n_source > p->n_known)
		st = tl_push_event_count(p->next, p->n_source, err);
	return st ? st : p->next->ops->end(p->next, err);
}

void tl_part_init(struct tl_part *p, struct tl_sink *next)
{
	static const struct tl_sink_ops ops = {
		.begin = part_begin, .reset = part_reset, .meta = part_meta, .event = part_event, .link = part_link, .end = part_end,
	};
	*p = (struct tl_part){ .sink = { &ops }, .next = next };
}

/* ---- two sinks instead of one ----------------------------------------------------------- */

/* A call of both sinks: EACH(s, begin, h, tables, err) */
#define EACH(s, call, ...) \
	for (int i = 0; i < 2; i++) { \
		struct tl_sink *to = ((struct tl_tee *)(s))->to[i]; \
		enum tl_status st = to->ops->call(to, __VA_ARGS__); \
		if (st != TL_OK) \
			return st; \
	} \
	return TL_OK

static enum tl_status tee_begin(struct tl_sink *s, const struct tl_header *h, const struct tl_tables *tables,
                            struct tl_error *err)
{
	EACH(s, begin, h, tables, err);
}

static void tee_reset(struct tl_sink *s)
{
	struct tl_tee *t = (struct tl_tee *)s;

	t->to[0]->ops->reset(t->to[0]);
	t->to[1]->ops->reset(t->to[1]);
}

static enum tl_status tee_meta(struct tl_sink *s, const char *key, size_t key_len, const char *json,
                           size_t json_len, struct tl_error *err)
{
	EACH(s, meta, key, key_len, json, json_len, err);
}

static enum tl_status tee_event(struct tl_sink *s, const struct tl_event *ev, struct tl_error *err)
{
	EACH(s, event, ev, err);
}

static enum tl_status tee_link(struct tl_sink *s, const struct tl_link *k, struct tl_error *err)
{
	EACH(s, link, k, err);
}

static enum tl_status tee_end(struct tl_sink *s, struct tl_error *err)
{
	EACH(s, end, err);
}

void tl_tee_init(struct tl_tee *t, struct tl_sink *first, struct tl_sink *second)
{
	static const struct tl_sink_ops ops = {
		.begin = tee_begin, .reset = tee_reset, .meta = tee_meta, .event = tee_event, .link = tee_link, .end = tee_end,
	};
	*t = (struct tl_tee){ { &ops }, { first, second } };
}
