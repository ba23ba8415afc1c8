/* side.c - one of the two call trees that are compared: names, and children that launch work.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "compare/side.h"

#include "work/calls.h"
#include "base/text.h"
#include "model/trace.h"

#include <stdlib.h>

void tl_side_init(struct tl_side *s, struct tl_trace *t, struct tl_strtab *names)
{
	*s = (struct tl_side){ .trace = t, .names = names };
	s->ends = tl_alloc(((size_t)t->n_events + 1) * sizeof *s->ends);
	memset(s->ends, 0xff, ((size_t)t->n_events + 1) * sizeof *s->ends);
}

void tl_side_release(struct tl_side *s)
{
	tl_by_id_release(&s->ids[0]);
	tl_by_id_release(&s->ids[1]);
	free(s->ends);
	tl_map_release(&s->shortcuts);
}

/* ---- names --------------------------------------------------------------------------- */

static bool is_hex(char c)
{
	return tl_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* The length of ".py(12):" at p, or 0. */
static size_t python_line(const char *p, const char *end)
{
	const char *at = p + 4;

	if (end - p < 7 || memcmp(p, ".py(", 4))
		return 0;
	while (at < end && tl_is_digit(*at))
		at++;
	return at > p + 4 && end - at >= 2 && at[0] == ')' && at[1] == ':' ? (size_t)(at + 2 - p) : 0;
}

static void add_exact(struct tl_buf *b, const char *p, size_t len)
{
	const char *end = p + len;
	size_t n;

	while (p < end) {
		if (end - p > 2 && p[0] == '0' && p[1] == 'x' && is_hex(p[2])) {
			tl_buf_adds(b, "0xXXXX");
			for (p += 2; p < end && is_hex(*p); p++)
				;
		} else if ((n = python_line(p, end))) {
			tl_buf_adds(b, ".py:");
			p += n;
		} else {
			tl_buf_addc(b, *p++);
		}
	}
}

/* "/app/model.py: forward" becomes "model.py". */
static void make_loose(struct tl_buf *b)
{
	const char *s = tl_buf_text(b);
	size_t word = b->len, blank, slash = 0;

	while (word && !tl_is_blank(s[word - 1]))
		word--;
	for (blank = word; blank && tl_is_blank(s[blank - 1]); blank--)
		;
	if (word < b->len && blank < word && blank && s[blank - 1] == ':')
		b->len = blank - 1;
	for (size_t i = 0; i < b->len; i++)
		if (s[i] == '/')
			slash = i + 1;
	if (slash && b->len > slash + 3 && !memcmp(s + b->len - 3, ".py", 3)) {
		memmove(b->data, b->data + slash, b->len - slash);
		b->len -= slash;
	}
}

uint32_t tl_side_name(struct tl_side *s, uint32_t event, bool loose)
{
	const struct tl_strtab *t = &s->trace->strings;
	uint32_t name = s->trace->events[event].name, *known = tl_by_id(&s->ids[loose], name);
	struct tl_buf b = { 0 };

	if (*known)
		return *known;
	add_exact(&b, tl_str(t, name), tl_str_len(t, name));
	if (loose)
		make_loose(&b);
	if (!strcmp(tl_buf_text(&b), "hipModuleLaunchKernel") || !strcmp(tl_buf_text(&b), "cuLaunchKernel")) {
		tl_buf_clear(&b);
		tl_buf_adds(&b, "__kernel_launch__");
	}
	*known = tl_intern(s->names, tl_buf_text(&b), b.len);
	tl_buf_release(&b);
	return *known;
}

/* ---- events --------------------------------------------------------------------------- */

bool tl_side_on_gpu_path(const struct tl_side *s, uint32_t event)
{
	return tl_kind_is_gpu(s->trace->events[event].kind) || tl_trace_work_count(s->trace, event) > 0;
}

bool tl_side_is_call(const struct tl_side *s, uint32_t event)
{
	const struct tl_ev *e = &s->trace->events[event];
	const char *name = tl_str(&s->trace->strings, e->name);

	return tl_kind_is_launch(e->kind) && strcmp(name, "hipGraphLaunch") && strcmp(name, "cudaGraphLaunch");
}

static uint32_t first_child(const struct tl_side *s, uint32_t event)
{
	const uint32_t *other = tl_map_get(&s->shortcuts, event);

	return s->trace->events[other ? *other : event].first_child;
}

void tl_side_children(const struct tl_side *s, uint32_t event, bool only_gpu, struct tl_list *out)
{
	for (uint32_t c = first_child(s, event); c != TL_NONE; c = s->trace->events[c].next_sibling)
		if (!only_gpu || tl_side_on_gpu_path(s, c))
			tl_list_add(out, c);
}

/* The only child on the GPU path of an event at which no chain ends, else TL_NONE; *branches: see
 * tl_side_end. */
static uint32_t next_of_chain(const struct tl_side *s, uint32_t event, bool *branches)
{
	bool is_op = s->trace->events[event].kind == TL_KIND_CPU_OP;
	uint32_t only = TL_NONE, n = 0;

	*branches = false;
	if (tl_side_is_call(s, event))
		return TL_NONE;
	for (uint32_t c = first_child(s, event); c != TL_NONE; c = s->trace->events[c].next_sibling) {
		if (is_op && tl_side_is_call(s, c))
			return TL_NONE;
		if (tl_side_on_gpu_path(s, c)) {
			only = c;
			n++;
		}
	}
	*branches = n != 1;
	return n == 1 ? only : TL_NONE;
}

uint32_t tl_side_end(struct tl_side *s, uint32_t event, bool *branches)
{
	uint32_t end = event, next;

	while (s->ends[end] == TL_NONE && (next = next_of_chain(s, end, branches)) != TL_NONE)
		end = next;
	if (s->ends[end] != TL_NONE)
		end = s->ends[end];
	for (uint32_t e = event; e != end && s->ends[e] == TL_NONE; e = next) {
		next = next_of_chain(s, e, branches);
		s->ends[e] = end;
	}
	s->ends[end] = end;
	next_of_chain(s, end, branches);
	return end;
}

/* ---- roots ----------------------------------------------------------------------------- */

static enum tl_nearest_answer has_no_parent(const struct tl_trace *t, uint32_t event, uintptr_t unused)
{
	(void)unused;
	return t->events[event].parent == TL_NONE ? TL_NEAREST_THIS : TL_NEAREST_ABOVE;
}

static uint32_t first_branch(const struct tl_side *s, uint32_t event)
{
	for (;;) {
		uint32_t c = s->trace->events[event].first_child;
		if (c == TL_NONE || s->trace->events[c].next_sibling != TL_NONE || tl_side_is_call(s, c) ||
		    s->trace->events[c].kind == TL_KIND_CPU_OP)
			return event;
		event = c;
	}
}

/* The second operator below one event without a parent makes that event a root, too: the first one
 * gave it the children of its first branch. */
void tl_side_roots(struct tl_side *s, struct tl_list *out)
{
	const struct tl_trace *t = s->trace;
	struct tl_nearest tops = { t, has_no_parent, 0, NULL };
	struct tl_map known = { 0 };
	bool is_new;

	for (size_t i = 0; i < t->n_roots; i++) {
		uint32_t top = tl_nearest(&tops, t->roots[i]);
		uint32_t root = tl_map_get(&s->shortcuts, top) ? top : first_branch(s, top);
		if (root != top)
			*tl_map_put(&s->shortcuts, top, NULL) = root;
		tl_map_put(&known, root, &is_new);
		if (is_new)
			tl_list_add(out, root);
	}
	tl_map_release(&known);
	tl_nearest_release(&tops);
}
