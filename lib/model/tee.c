/* tee.c - a sink that passes a trace on to two sinks.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "model/tee.h"

/* A call of both sinks: EACH(s, begin, h, tables, err) */
#define EACH(s, call, ...) \
	for (int i = 0; i < 2; i++) { \
		struct tl_sink *to = ((struct tl_tee *)(s))->to[i]; \
		enum tl_status st = to->ops->call(to, __VA_ARGS__); \
		if (st != TL_OK) \
			return st; \
	} \
	return TL_OK

static enum tl_status begin(struct tl_sink *s, const struct tl_header *h, const struct tl_tables *tables,
                            struct tl_error *err)
{
	EACH(s, begin, h, tables, err);
}

static void reset(struct tl_sink *s)
{
	struct tl_tee *t = (struct tl_tee *)s;

	t->to[0]->ops->reset(t->to[0]);
	t->to[1]->ops->reset(t->to[1]);
}

static enum tl_status meta(struct tl_sink *s, const char *key, size_t key_len, const char *json,
                           size_t json_len, struct tl_error *err)
{
	EACH(s, meta, key, key_len, json, json_len, err);
}

static enum tl_status event(struct tl_sink *s, const struct tl_event *ev, struct tl_error *err)
{
	EACH(s, event, ev, err);
}

static enum tl_status link(struct tl_sink *s, const struct tl_link *k, struct tl_error *err)
{
	EACH(s, link, k, err);
}

static enum tl_status end(struct tl_sink *s, struct tl_error *err)
{
	EACH(s, end, err);
}

void tl_tee_init(struct tl_tee *t, struct tl_sink *first, struct tl_sink *second)
{
	static const struct tl_sink_ops ops = {
		.begin = begin, .reset = reset, .meta = meta, .event = event, .link = link, .end = end,
	};
	*t = (struct tl_tee){ { &ops }, { first, second } };
}
