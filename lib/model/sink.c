/* sink.c - what sources tell their sinks, and the sink that drops everything.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "model/sink.h"
#include "base/number.h"

#include <string.h>

enum tl_status tl_push_number(struct tl_sink *s, const char *key, int64_t n, struct tl_error *err)
{
	char digits[24];

	return s->ops->meta(s, key, strlen(key), digits, tl_format_int(digits, n), err);
}

enum tl_status tl_push_event_count(struct tl_sink *s, uint64_t n, struct tl_error *err)
{
	return tl_push_number(s, TL_META_EVENTS, (int64_t)n, err);
}

/* ---- the null sink --------------------------------------------------------- */

static enum tl_status begin(struct tl_sink *s, const struct tl_header *h, const struct tl_tables *t,
                            struct tl_error *err)
{
	(void)s, (void)h, (void)t, (void)err;
	return TL_OK;
}

static void reset(struct tl_sink *s)
{
	(void)s;
}

static enum tl_status meta(struct tl_sink *s, const char *key, size_t key_len, const char *json,
                           size_t json_len, struct tl_error *err)
{
	(void)s, (void)key, (void)key_len, (void)json, (void)json_len, (void)err;
	return TL_OK;
}

static enum tl_status event(struct tl_sink *s, const struct tl_event *ev, struct tl_error *err)
{
	(void)s, (void)ev, (void)err;
	return TL_OK;
}

enum tl_status tl_ignore_link(struct tl_sink *s, const struct tl_link *l, struct tl_error *err)
{
	(void)s, (void)l, (void)err;
	return TL_OK;
}

enum tl_status tl_ignore_end(struct tl_sink *s, struct tl_error *err)
{
	(void)s, (void)err;
	return TL_OK;
}

struct tl_sink *tl_null_sink(void)
{
	static const struct tl_sink_ops ops = {
		.begin = begin, .reset = reset, .meta = meta, .event = event, .link = tl_ignore_link, .end = tl_ignore_end,
	};
	static struct tl_sink sink = { &ops };
	return &sink;
}
