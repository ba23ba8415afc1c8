/* module_stacks.c - the modules of a model (frames of nn.Module) around an event.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "roofline/module_stacks.h"

#include "base/text.h"
#include "base/utf8.h"
#include "json/value.h"

#include <stdlib.h>
#include <string.h>

/* The bytes of the first TL_MODULE_NAME characters. */
static size_t cut(const char *s, size_t len)
{
	size_t at = 0, used;

	if (len <= TL_MODULE_NAME)
		return len;
	for (int n = 0; n < TL_MODULE_NAME && at < len; n++, at += used)
		tl_utf8_decode(s + at, len - at, &used);
	return at;
}

static enum tl_nearest_answer is_module(const struct tl_trace *t, uint32_t event, uint32_t unused)
{
	uint32_t name = t->events[event].name;
	const char *s = tl_str(&t->strings, name);

	(void)unused;
	return memmem(s, cut(s, tl_str_len(&t->strings, name)), "nn.Module", 9) ? TL_NEAREST_THIS : TL_NEAREST_ABOVE;
}

void tl_modules_init(struct tl_modules *m, struct tl_trace *t)
{
	*m = (struct tl_modules){ .trace = t, .nearest = { t, is_module, 0, NULL } };
}

void tl_modules_release(struct tl_modules *m)
{
	tl_nearest_release(&m->nearest);
	tl_map_release(&m->parents);
	tl_map_release(&m->lists);
}

/* The name of a module as lists show it. */
static void add_name(struct tl_buf *b, const struct tl_trace *t, uint32_t event)
{
	uint32_t name = t->events[event].name;
	const char *s = tl_str(&t->strings, name);
	size_t len = tl_str_len(&t->strings, name), n = cut(s, len);

	tl_buf_add(b, s, n);
	if (n < len)
		tl_buf_adds(b, "..");
}

static uint32_t module_above(struct tl_modules *m, uint32_t event)
{
	uint32_t parent = m->trace->events[event].parent;

	return parent == TL_NONE ? TL_NONE : tl_nearest(&m->nearest, parent);
}

uint32_t tl_module_of(struct tl_modules *m, uint32_t event)
{
	struct tl_trace *t = m->trace;
	uint32_t module = module_above(m, event);
	struct tl_buf b = { 0 };
	bool is_new;

	if (module == TL_NONE)
		return tl_intern_str(&t->strings, "NA");
	uint32_t *known = tl_map_put(&m->parents, t->events[module].name, &is_new);
	if (is_new) {
		add_name(&b, t, module);
		b.len = tl_text_without_numbers(b.data, b.data, b.len);
		*known = tl_intern(&t->strings, b.data, b.len);
		tl_buf_release(&b);
	}
	return *known;
}

static uint32_t make_list(struct tl_modules *m, uint32_t event, uint32_t module)
{
	struct tl_trace *t = m->trace;
	uint32_t name = t->events[event].name;
	struct tl_buf b = { 0 }, frame = { 0 };

	tl_buf_addc(&b, '[');
	tl_repr_text(&b, tl_str(&t->strings, name), tl_str_len(&t->strings, name));
	for (; module != TL_NONE && !m->exhausted; module = module_above(m, module)) {
		tl_buf_clear(&frame);
		add_name(&frame, t, module);
		tl_buf_adds(&b, ", ");
		tl_repr_text(&b, frame.data, frame.len);
		m->bytes += frame.len + 4;
		m->exhausted = m->bytes > TL_MODULES_MAX;
	}
	tl_buf_addc(&b, ']');
	uint32_t list = tl_intern(&t->strings, b.data, b.len);
	tl_buf_release(&b);
	tl_buf_release(&frame);
	return list;
}

uint32_t tl_module_stack(struct tl_modules *m, uint32_t event)
{
	uint32_t module = module_above(m, event);
	bool is_new;
	uint32_t *known = tl_map_put(&m->lists, (uint64_t)module << 32 | m->trace->events[event].name, &is_new);

	if (is_new)
		*known = m->exhausted ? tl_intern_str(&m->trace->strings, "[]") : make_list(m, event, module);
	return *known;
}
