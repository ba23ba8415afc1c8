/* memory_io.c - memory as input and output.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/memory_io.h"

#include <string.h>

static int64_t read_memory(struct tl_input *in, void *buf, size_t cap, struct tl_error *err)
{
	struct tl_memory_input *m = (struct tl_memory_input *)in;
	size_t n = m->len < cap ? m->len : cap;

	(void)err;
	n = m->step && m->step < n ? m->step : n;
	if (!n)
		return 0;
	memcpy(buf, m->s, n);
	m->s += n;
	m->len -= n;
	return (int64_t)n;
}

struct tl_memory_input tl_memory_input(const char *name, const void *bytes, size_t len)
{
	return (struct tl_memory_input){ .in = { .name = name, .read = read_memory }, .s = bytes, .len = len };
}

static enum tl_status write_memory(struct tl_output *out, const void *p, size_t len, struct tl_error *err)
{
	(void)err;
	tl_buf_add(&((struct tl_memory_output *)out)->text, p, len);
	return TL_OK;
}

struct tl_memory_output tl_memory_output(const char *name)
{
	return (struct tl_memory_output){ .out = { .name = name, .write = write_memory } };
}

static enum tl_status drop(struct tl_output *out, const void *p, size_t len, struct tl_error *err)
{
	(void)out, (void)p, (void)len, (void)err;
	return TL_OK;
}

struct tl_output *tl_null_output(void)
{
	static struct tl_output null = { .name = "nowhere", .write = drop };

	return &null;
}
