/* event.c - names of kinds and links.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "model/event.h"

#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	[TL_LINK_ADOPT] = "adopt",
	[TL_LINK_REPARENT] = "reparent",
	[TL_LINK_REPLACE] = "replace",
	[TL_LINK_WORK] = "work",
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

bool tl_meta_start(const char *key, size_t key_len, const char *json, size_t json_len, int64_t *start)
{
	char text[24], *end;

	if (!tl_text_is(key, key_len, TL_META_START) || !json_len || json_len >= sizeof text)
		return false;
	memcpy(text, json, json_len);
	text[json_len] = 0;
	errno = 0;
	*start = strtoll(text, &end, 10);
	return !errno && !*end;
}

const char *tl_link_name(unsigned type)
{
	return type < TL_LINK_COUNT ? link_names[type] : NULL;
}

int tl_link_by_name(const char *s, size_t len)
{
	return find_name(link_names, TL_LINK_COUNT, s, len);
}
