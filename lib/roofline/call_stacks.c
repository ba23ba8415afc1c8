/* call_stacks.c - the columns entry_point and call_stack_full: where in the program an
 * operator was called.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "roofline/call_stacks.h"

#include "base/text.h"
#include "json/value.h"

#include <stdlib.h>
#include <string.h>

extern const char tl_data_wrapper_frames[];
extern const size_t tl_data_wrapper_frames_len;

struct frames { char **items; size_t n, cap; };

/* A copy in which each "_" before digits is left out, with the digits. */
static char *without_numbers(struct tl_arena *a, const char *s)
{
	char *out = tl_arena_alloc(a, strlen(s) + 1), *p = out;

	while (*s) {
		if (*s == '_' && tl_is_digit(s[1]))
			for (s++; tl_is_digit(*s); s++)
				;
		else
			*p++ = *s++;
	}
	*p = 0;
	return out;
}

static bool is_shown(const struct tl_ev *e, const char *name)
{
	return e->kind == TL_KIND_CPU_OP || strstr(name, "nn.Module") || strstr(name, "::") || strchr(name, '/');
}

static void add(struct frames *f, char *s)
{
	TL_GROW(f->items, f->cap, f->n + 1);
	f->items[f->n++] = s;
}

static bool spend(struct tl_stacks *s, uint64_t bytes)
{
	s->bytes += bytes;
	s->exhausted |= s->bytes > TL_STACKS_MAX;
	return !s->exhausted;
}

/* The first frame to show, from e up to below `stop`; `stop` or TL_NONE if there is none. */
static uint32_t first_shown(const struct tl_trace *t, uint32_t stop, uint32_t e)
{
	while (e != TL_NONE && e != stop && !is_shown(&t->events[e], tl_str(&t->strings, t->events[e].name)))
		e = t->events[e].parent;
	return e;
}

/* Adds the frames to show, from below `stop` (TL_NONE: from the root) down to e. */
static void frames_between(struct tl_stacks *s, struct tl_arena *a, uint32_t stop, uint32_t e, struct frames *f)
{
	const struct tl_trace *t = s->trace;
	size_t from = f->n;

	for (; e != TL_NONE && e != stop; e = t->events[e].parent) {
		const char *name = tl_str(&t->strings, t->events[e].name);
		if (!spend(s, strlen(name) + 16)) /* and what lists of frames take */
			return;
		if (is_shown(&t->events[e], name))
			add(f, without_numbers(a, name));
	}
	for (size_t to = f->n; from + 1 < to; from++, to--) {
		char *frame = f->items[from];
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

/* Does a frame fit a line of wrapper-frames.tsv: a rule, a tab, a text of n bytes? */
static bool fits(const char *rule, const char *text, size_t n, const char *frame)
{
	switch (*rule) {
	case 's': /* start */
		return !strncmp(frame, text, n);
	case 'p': /* part */
		return memmem(frame, strlen(frame), text, n) != NULL;
	default: /* function */
		frame = function_part(frame);
		return strlen(frame) == n && !memcmp(frame, text, n);
	}
}

static bool is_wrapper(const char *frame)
{
	const char *line = tl_data_wrapper_frames, *past = line + tl_data_wrapper_frames_len;

	while (line < past) {
		const char *end = memchr(line, '\n', (size_t)(past - line)), *tab = memchr(line, '\t', (size_t)(end - line));
		if (*line != '#' && fits(line, tab + 1, (size_t)(end - tab - 1), frame))
			return true;
		line = end + 1;
	}
	return false;
}

/* The last frame that is the operator's name, or that name without a trailing "_" and
 * digits; -1 if there is none. */
static long find_op(const struct frames *f, const char *op, struct tl_arena *a)
{
	for (int attempt = 0; attempt < 2; attempt++) {
		for (size_t i = f->n; i-- > 0;)
			if (!strcmp(f->items[i], op))
				return (long)i;
		size_t n = strlen(op);
		while (n && tl_is_digit(op[n - 1]))
			n--;
		if (n == strlen(op) || !n || op[n - 1] != '_')
			break;
		op = tl_arena_dup(a, op, n - 1);
	}
	return -1;
}

static const char *entry_of(const struct frames *f, const char *op, struct tl_arena *a)
{
	long at = find_op(f, op, a);
	const char *local = op;

	if (at < 0)
		return "Not found";
	for (const char *p = op; (p = strstr(p, "::")); p += 2)
		local = p + 2;
	for (size_t i = (size_t)at + 1; i < f->n; i++)
		if (strstr(f->items[i], ".py") && strcasestr(function_part(f->items[i]), local))
			return f->items[i];
	for (size_t i = (size_t)at; i-- > 0;)
		if (strstr(f->items[i], ".py") && !is_wrapper(f->items[i]))
			return f->items[i];
	return "Not found";
}

/* ---- the columns --------------------------------------------------------------------- */

static void repr_list(struct tl_buf *b, char *const *items, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		tl_buf_adds(b, i ? ", " : "");
		tl_repr_text(b, items[i], strlen(items[i]));
	}
}

static size_t common_prefix(const struct frames *f, size_t n)
{
	size_t k = f[0].n;

	for (size_t i = 1; i < n; i++) {
		size_t j = 0;
		while (j < k && j < f[i].n && !strcmp(f[0].items[j], f[i].items[j]))
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
	repr_list(b, f[0].items, shared);
	for (size_t i = 0; i < shared; i++)
		add(flat, f[0].items[i]);
	for (size_t i = 0; !single && i < n; i++) {
		uint32_t known = rests.count;
		tl_buf_clear(&rest);
		tl_buf_addc(&rest, '[');
		repr_list(&rest, f[i].items + shared, f[i].n - shared);
		tl_buf_addc(&rest, ']');
		if (tl_intern(&rests, rest.data, rest.len) <= known)
			continue;
		tl_buf_adds(b, shared || known ? ", " : "");
		tl_buf_add(b, rest.data, rest.len);
		for (size_t k = shared; k < f[i].n; k++)
			add(flat, f[i].items[k]);
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
	repr_list(b, f.items, f.n);
	tl_buf_addc(b, ']');
	free(f.items);
	tl_arena_release(&a);
}

/* The distinct stacks of n kernels, each with the kernel's name as its last frame. Kernels
 * of one name below the same frame have the same stack. */
static size_t distinct_stacks(struct tl_stacks *s, struct tl_arena *a, struct tl_stack_row row,
                              const uint32_t *kernels, uint32_t n, struct frames *f)
{
	const struct tl_trace *t = s->trace;
	struct tl_map seen = { 0 };
	size_t found = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct tl_ev *k = &t->events[kernels[i]];
		uint32_t frame = row.top == TL_NONE ? TL_NONE : first_shown(t, row.event, k->parent);
		bool is_new;
		tl_map_put(&seen, (uint64_t)frame << 32 | k->name, &is_new);
		if (!is_new)
			continue;
		const char *name = tl_str(&t->strings, k->name);
		frames_of(s, a, row, kernels[i], &f[found]);
		add(&f[found++], tl_arena_dup(a, name, strlen(name)));
	}
	tl_map_release(&seen);
	return found;
}

void tl_stack_columns(struct tl_stacks *s, struct tl_stack_row row, const char *op_name, const uint32_t *kernels,
                      uint32_t n, struct tl_cell *entry, struct tl_cell *full)
{
	struct tl_trace *t = s->trace;
	struct frames *f = tl_calloc((size_t)n + 1, sizeof *f), flat = { 0 };
	struct tl_arena a = { 0 };
	struct tl_buf b = { 0 };

	if (n) {
		stack_text(&b, f, distinct_stacks(s, &a, row, kernels, n, f), n == 1, &flat);
		*full = tl_cell_text(tl_intern(&t->strings, b.data, b.len));
		*entry = tl_cell_text(tl_intern_str(&t->strings, entry_of(&flat, op_name, &a)));
	} else {
		*full = *entry = tl_cell_text(tl_intern_str(&t->strings, "Not found"));
	}
	for (uint32_t i = 0; i < n; i++)
		free(f[i].items);
	free(f);
	free(flat.items);
	tl_arena_release(&a);
	tl_buf_release(&b);
}
