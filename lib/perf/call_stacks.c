/* call_stacks.c - the columns entry_point and call_stack_full: where in the program an
 * operator was called.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/call_stacks.h"

#include "base/text.h"
#include "base/utf8.h"
#include "base/value.h"

#include <stdlib.h>
#include <string.h>

struct frame { const char *s; size_t len; }; /* a NUL follows, and may stand in it, too */
struct frames { struct frame *items; size_t n, cap; };

static struct frame text_of(const struct tl_trace *t, uint32_t string)
{
	return (struct frame){ tl_str(&t->strings, string), tl_str_len(&t->strings, string) };
}

static struct frame name_of(const struct tl_trace *t, uint32_t e)
{
	return text_of(t, t->events[e].name);
}

/* A copy in which each "_" before digits is left out, with the digits. */
static struct frame without_numbers(struct tl_arena *a, struct frame f)
{
	char *out = tl_arena_alloc(a, f.len + 1);
	size_t len = tl_text_without_numbers(out, f.s, f.len);

	out[len] = 0;
	return (struct frame){ out, len };
}

static bool has_part(struct frame f, const char *part)
{
	return memmem(f.s, f.len, part, strlen(part)) != NULL;
}

static bool is_shown(const struct tl_trace *t, uint32_t e)
{
	struct frame name = name_of(t, e);

	return t->events[e].kind == TL_KIND_CPU_OP || has_part(name, "nn.Module") || has_part(name, "::") || has_part(name, "/");
}

static enum tl_nearest_answer ask_shown(const struct tl_trace *t, uint32_t event, uintptr_t unused)
{
	(void)unused;
	return is_shown(t, event) ? TL_NEAREST_THIS : TL_NEAREST_ABOVE;
}

void tl_stacks_init(struct tl_stacks *s, struct tl_trace *t, struct tl_name_rules *wrappers)
{
	*s = (struct tl_stacks){ .trace = t, .wrappers = wrappers, .shown = { t, ask_shown, 0, NULL } };
}

void tl_stacks_release(struct tl_stacks *s)
{
	tl_nearest_release(&s->shown);
}

static bool is_same_frame(struct frame a, struct frame b)
{
	return a.len == b.len && !memcmp(a.s, b.s, a.len);
}

static void add_frame(struct frames *f, struct frame frame)
{
	TL_PUSH(f->items, f->n, f->cap, frame);
}

static bool count_bytes(struct tl_stacks *s, uint64_t bytes)
{
	s->bytes += bytes;
	s->exhausted |= s->bytes > TL_STACKS_MAX;
	return !s->exhausted;
}

/* Adds the frames to show, from below `stop` (TL_NONE: from the root) down to e. */
static void frames_between(struct tl_stacks *s, struct tl_arena *a, uint32_t stop, uint32_t e, struct frames *f)
{
	const struct tl_trace *t = s->trace;
	size_t from = f->n;

	for (; e != TL_NONE && e != stop; e = t->events[e].parent) {
		struct frame name = name_of(t, e);
		if (!count_bytes(s, name.len + 16)) /* and what lists of frames take */
			return;
		if (is_shown(t, e))
			add_frame(f, without_numbers(a, name));
	}
	for (size_t to = f->n; from + 1 < to; from++, to--) {
		struct frame frame = f->items[from];
		f->items[from] = f->items[to - 1];
		f->items[to - 1] = frame;
	}
}

/* ---- entry point ------------------------------------------------------------------ */

static const char *function_part(const char *s)
{
	const char *at = s, *p;

	for (p = s; (p = strstr(p, "): ")); p += 3)
		at = p + 3;
	return at;
}

/* The last frame that is the operator's name, or that name without a trailing "_" and
 * digits; -1 if there is none. */
static long find_op(const struct frames *f, struct frame op)
{
	for (int attempt = 0; attempt < 2; attempt++) {
		for (size_t i = f->n; i-- > 0;)
			if (is_same_frame(f->items[i], op))
				return (long)i;
		size_t n = op.len;
		while (n && tl_is_digit(op.s[n - 1]))
			n--;
		if (n == op.len || !n || op.s[n - 1] != '_')
			break;
		op.len = n - 1;
	}
	return -1;
}

static struct frame entry_of(const struct tl_stacks *s, const struct frames *f, struct frame op)
{
	static const struct frame none = { "Not found", 9 };
	long at = find_op(f, op);
	const char *local = op.s;

	if (at < 0)
		return none;
	for (const char *p = op.s; (p = strstr(p, "::")); p += 2)
		local = p + 2;
	for (size_t i = (size_t)at + 1; i < f->n; i++)
		if (has_part(f->items[i], ".py") && strcasestr(function_part(f->items[i].s), local))
			return f->items[i];
	for (size_t i = (size_t)at; i-- > 0;)
		if (has_part(f->items[i], ".py") && !*tl_name_rules_find(s->wrappers, f->items[i].s, f->items[i].len))
			return f->items[i];
	return none;
}

/* ---- the columns --------------------------------------------------------------------- */

static void add_repr_of_frames(struct tl_buf *b, const struct frame *items, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		tl_buf_adds(b, i ? ", " : "");
		tl_repr_text(b, items[i].s, items[i].len);
	}
}

static size_t common_prefix(const struct frames *f, size_t n)
{
	size_t k = f[0].n;

	for (size_t i = 1; i < n; i++) {
		size_t j = 0;
		while (j < k && j < f[i].n && is_same_frame(f[0].items[j], f[i].items[j]))
			j++;
		k = j;
	}
	return k;
}

/* Adds the frames of kernels as a Python list: those that all n stacks share, then,
 * unless there is a single kernel, a list for each distinct rest. `flat` gets the same
 * frames in one list. */
static void stack_text(struct tl_buf *b, const struct frames *f, size_t n, bool single, struct frames *flat)
{
	size_t shared = common_prefix(f, n);
	struct tl_strtab rests = { 0 };
	struct tl_buf rest = { 0 };

	tl_buf_addc(b, '[');
	add_repr_of_frames(b, f[0].items, shared);
	for (size_t i = 0; i < shared; i++)
		add_frame(flat, f[0].items[i]);
	for (size_t i = 0; !single && i < n; i++) {
		uint32_t known = rests.count;
		tl_buf_clear(&rest);
		tl_buf_addc(&rest, '[');
		add_repr_of_frames(&rest, f[i].items + shared, f[i].n - shared);
		tl_buf_addc(&rest, ']');
		if (tl_intern(&rests, rest.data, rest.len) <= known)
			continue;
		tl_buf_adds(b, shared || known ? ", " : "");
		tl_buf_add(b, rest.data, rest.len);
		for (size_t k = shared; k < f[i].n; k++)
			add_frame(flat, f[i].items[k]);
	}
	tl_buf_addc(b, ']');
	tl_buf_release(&rest);
	tl_strtab_release(&rests);
}

/* Adds the frames from the top of a row's stacks down to its event, and those between
 * the event and a kernel. */
static void frames_of(struct tl_stacks *s, struct tl_arena *a, struct tl_stack_row row, uint32_t kernel,
                      struct frames *f)
{
	if (row.top == TL_NONE)
		return;
	frames_between(s, a, s->trace->events[row.top].parent, row.event, f);
	frames_between(s, a, row.event, s->trace->events[kernel].parent, f);
}

void tl_stack_text(struct tl_stacks *s, struct tl_stack_row row, uint32_t kernel, struct tl_buf *b)
{
	struct frames f = { 0 };
	struct tl_arena a = { 0 };

	frames_of(s, &a, row, kernel, &f);
	tl_buf_addc(b, '[');
	add_repr_of_frames(b, f.items, f.n);
	tl_buf_addc(b, ']');
	free(f.items);
	tl_arena_release(&a);
}

/* The distinct stacks of n kernels, each with the kernel's name as its last frame. Kernels
 * of one name below the same frame have the same stack; a frame above the row's event stands for none below it. */
static size_t distinct_stacks(struct tl_stacks *s, struct tl_arena *a, struct tl_stack_row row,
                              const uint32_t *kernels, uint32_t n, struct frames *f)
{
	const struct tl_trace *t = s->trace;
	struct tl_map seen = { 0 };
	size_t found = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct tl_ev *k = &t->events[kernels[i]];
		uint32_t frame = row.top == TL_NONE ? TL_NONE : tl_nearest(&s->shown, k->parent);
		if (!tl_map_add(&seen, tl_key_of_two(frame, k->name)))
			continue;
		frames_of(s, a, row, kernels[i], &f[found]);
		add_frame(&f[found++], name_of(t, kernels[i]));
	}
	tl_map_release(&seen);
	return found;
}

void tl_stack_columns(struct tl_stacks *s, struct tl_stack_row row, uint32_t name, const uint32_t *kernels, uint32_t n,
                      struct tl_cell *entry, struct tl_cell *full)
{
	struct tl_trace *t = s->trace;
	struct frames *f = tl_calloc((size_t)n + 1, sizeof *f), flat = { 0 };
	struct tl_arena a = { 0 };
	struct tl_buf b = { 0 };

	if (n) {
		stack_text(&b, f, distinct_stacks(s, &a, row, kernels, n, f), n == 1, &flat);
		*full = tl_cell_text(tl_intern(&t->strings, b.data, b.len));
		struct frame found = entry_of(s, &flat, text_of(t, name));
		*entry = tl_cell_text(tl_intern(&t->strings, found.s, found.len));
	} else {
		*full = *entry = tl_cell_str(&t->strings, "Not found");
	}
	for (uint32_t i = 0; i < n; i++)
		free(f[i].items);
	free(f);
	free(flat.items);
	tl_arena_release(&a);
	tl_buf_release(&b);
}

/* ---- the modules of a model ----------------------------------------------- */

/* The bytes of the first TL_MODULE_NAME characters. */
static size_t start_of_name(const char *s, size_t len)
{
	size_t at = 0, used;

	if (len <= TL_MODULE_NAME)
		return len;
	for (int n = 0; n < TL_MODULE_NAME && at < len; n++, at += used)
		tl_utf8_decode(s + at, len - at, &used);
	return at;
}

static enum tl_nearest_answer is_module(const struct tl_trace *t, uint32_t event, uintptr_t unused)
{
	uint32_t name = t->events[event].name;
	const char *s = tl_str(&t->strings, name);

	(void)unused;
	return memmem(s, start_of_name(s, tl_str_len(&t->strings, name)), "nn.Module", 9) ? TL_NEAREST_THIS : TL_NEAREST_ABOVE;
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
static void add_module_name(struct tl_buf *b, const struct tl_trace *t, uint32_t event)
{
	uint32_t name = t->events[event].name;
	const char *s = tl_str(&t->strings, name);
	size_t len = tl_str_len(&t->strings, name), n = start_of_name(s, len);

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
		add_module_name(&b, t, module);
		b.len = tl_text_without_numbers(b.data, b.data, b.len);
		*known = tl_intern_buf(&t->strings, &b);
	}
	return *known;
}

static uint32_t list_of_modules(struct tl_modules *m, uint32_t event, uint32_t module)
{
	struct tl_trace *t = m->trace;
	uint32_t name = t->events[event].name;
	struct tl_buf b = { 0 }, frame = { 0 };

	tl_buf_addc(&b, '[');
	tl_repr_text(&b, tl_str(&t->strings, name), tl_str_len(&t->strings, name));
	for (; module != TL_NONE && !m->exhausted; module = module_above(m, module)) {
		tl_buf_clear(&frame);
		add_module_name(&frame, t, module);
		tl_buf_adds(&b, ", ");
		tl_repr_text(&b, frame.data, frame.len);
		m->bytes += frame.len + 4;
		m->exhausted = m->bytes > TL_MODULES_MAX;
	}
	tl_buf_addc(&b, ']');
	uint32_t list = tl_intern_buf(&t->strings, &b);
	tl_buf_release(&frame);
	return list;
}

uint32_t tl_module_stack(struct tl_modules *m, uint32_t event)
{
	uint32_t module = module_above(m, event);
	bool is_new;
	uint32_t *known = tl_map_put(&m->lists, tl_key_of_two(module, m->trace->events[event].name), &is_new);

	if (is_new)
		*known = m->exhausted ? tl_intern_str(&m->trace->strings, "[]") : list_of_modules(m, event, module);
	return *known;
}
