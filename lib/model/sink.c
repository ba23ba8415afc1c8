/* sink.c - names of kinds and links, and the sink that drops everything.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <string.h>

#include "model/sink.h"
#include "stream/stream.h"

static const char *const kind_names[TL_KIND_COUNT] = {
	[TL_KIND_OTHER] = "other",
	[TL_KIND_META] = "meta",
	[TL_KIND_CPU_OP] = "cpu_op",
	[TL_KIND_RUNTIME] = "runtime",
	[TL_KIND_DRIVER] = "driver",
	[TL_KIND_KERNEL] = "kernel",
	[TL_KIND_MEMCPY] = "memcpy",
	[TL_KIND_MEMSET] = "memset",
	[TL_KIND_PYTHON] = "python",
	[TL_KIND_ANNOTATION] = "annotation",
	[TL_KIND_GPU_ANNOTATION] = "gpu_annotation",
	[TL_KIND_LAUNCH_FLOW] = "launch_flow",
	[TL_KIND_FWDBWD_FLOW] = "fwdbwd_flow",
	[TL_KIND_FLOW] = "flow",
	[TL_KIND_COUNTER] = "counter",
	[TL_KIND_INSTANT] = "instant",
	[TL_KIND_OVERHEAD] = "overhead",
	[TL_KIND_TRACE] = "trace",
};

static const char *const link_names[TL_LINK_COUNT] = {
	[TL_LINK_NODE] = "node",
	[TL_LINK_ROOT] = "root",
	[TL_LINK_LAUNCH] = "launch",
	[TL_LINK_BACKWARD] = "backward",
	[TL_LINK_RECOMPUTE] = "recompute",
	[TL_LINK_MODULE] = "module",
	[TL_LINK_ANNOTATE] = "annotate",
	[TL_LINK_ADOPT] = "adopt",
	[TL_LINK_REPARENT] = "reparent",
	[TL_LINK_REPLACE] = "replace",
	[TL_LINK_WORK] = "work",
	[TL_LINK_RENAME] = "rename",
};

static int find_name(const char *const *names, int n, const char *s, size_t len)
{
	for (int i = 0; i < n; i++)
		if (names[i] && strlen(names[i]) == len && memcmp(names[i], s, len) == 0)
			return i;
	return -1;
}

const char *tl_kind_name(unsigned kind)
{
	return kind < TL_KIND_COUNT ? kind_names[kind] : NULL;
}

int tl_kind_by_name(const char *s, size_t len)
{
	return find_name(kind_names, TL_KIND_COUNT, s, len);
}

uint64_t tl_meta_events(const char *key, size_t key_len, const char *json, size_t json_len)
{
	uint64_t n = 0;

	if (key_len != sizeof TL_META_EVENTS - 1 || memcmp(key, TL_META_EVENTS, key_len) != 0 || json_len > 10)
		return 0;
	for (size_t i = 0; i < json_len; i++) {
		if (json[i] < '0' || json[i] > '9')
			return 0;
		n = n * 10 + (uint64_t)(json[i] - '0');
	}
	return n;
}

const char *tl_link_name(unsigned type)
{
	return type < TL_LINK_COUNT ? link_names[type] : NULL;
}

int tl_link_by_name(const char *s, size_t len)
{
	return find_name(link_names, TL_LINK_COUNT, s, len);
}

/* ---- the null sink --------------------------------------------------------- */

static enum tl_status null_begin(struct tl_sink *s, const struct tl_header *h, struct tl_error *err)
{
	(void)s, (void)h, (void)err;
	return TL_OK;
}

static uint32_t null_string(struct tl_sink *s, const char *text, size_t len)
{
	(void)s, (void)text, (void)len;
	return 1;
}

static uint32_t null_track(struct tl_sink *s, uint32_t pid, uint32_t tid)
{
	(void)s, (void)pid, (void)tid;
	return 1;
}

static uint32_t null_layout(struct tl_sink *s, const struct tl_layout *l)
{
	(void)s, (void)l;
	return 1;
}

static enum tl_status null_meta(struct tl_sink *s, const char *key, size_t key_len, const char *json,
                                size_t json_len, struct tl_error *err)
{
	(void)s, (void)key, (void)key_len, (void)json, (void)json_len, (void)err;
	return TL_OK;
}

static enum tl_status null_event(struct tl_sink *s, const struct tl_event *ev, struct tl_error *err)
{
	(void)s, (void)ev, (void)err;
	return TL_OK;
}

static enum tl_status null_link(struct tl_sink *s, const struct tl_link *l, struct tl_error *err)
{
	(void)s, (void)l, (void)err;
	return TL_OK;
}

static enum tl_status null_end(struct tl_sink *s, struct tl_error *err)
{
	(void)s, (void)err;
	return TL_OK;
}

struct tl_sink *tl_null_sink(void)
{
	static const struct tl_sink_ops ops = {
		.begin = null_begin, .string = null_string, .track = null_track, .layout = null_layout,
		.meta = null_meta, .event = null_event, .link = null_link, .end = null_end,
	};
	static struct tl_sink sink = { .ops = &ops };
	return &sink;
}
