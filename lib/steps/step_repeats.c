/* step_repeats.c - calls that repeat: the iterations of a loop that nothing annotates.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "steps/step_repeats.h"

#include "analysis/device_events.h"

#include <stdlib.h>
#include <string.h>

#define MIN_REPEATS 3
/* Comparisons in all: about two seconds. A loop of 10,000 calls after as many others takes a tenth. */
#define MAX_WORK ((size_t)1 << 30)

/* ---- a period in a list of names ------------------------------------------------- */

/* same[i]: how many names from i on are those from the start on (the Z algorithm). Returns
 * the number of comparisons. */
static size_t find_same(const uint32_t *names, size_t n, size_t *same)
{
	size_t left = 0, right = 0, work = n;

	same[0] = n;
	for (size_t i = 1; i < n; i++) {
		size_t k = i < right ? same[i - left] : 0;
		if (i < right && k > right - i)
			k = right - i;
		for (; i + k < n && names[k] == names[i + k]; k++)
			work++;
		same[i] = k;
		if (i + k > right) {
			left = i;
			right = i + k;
		}
	}
	return work;
}

/* The smallest period at the start of the names; 0: none. */
static size_t period_at_start(const size_t *same, size_t n, size_t *count)
{
	for (size_t p = 1; p <= n / 2; p++) {
		*count = 1 + same[p] / p;
		if (*count >= MIN_REPEATS && *count * p > n / 2)
			return p;
	}
	return 0;
}

struct tl_name_period tl_name_period(const uint32_t *names, size_t n, size_t *work)
{
	struct tl_name_period found = { 0 };
	size_t *same = tl_alloc((n + 1) * sizeof *same);

	for (size_t start = 0; start + MIN_REPEATS <= n && *work && !found.period; start++) {
		size_t used = find_same(names + start, n - start, same) + (n - start) / 2;
		*work -= used < *work ? used : *work;
		found.start = start;
		found.period = period_at_start(same, n - start, &found.count);
	}
	free(same);
	return found;
}

/* ---- the tree -------------------------------------------------------------------- */

struct search {
	const struct tl_trace *t;
	uint32_t *n_work;  /* [event]: device events below it */
	uint32_t total;
	uint32_t *queue; size_t n_queue, cap_queue;
	uint32_t *children, *names; size_t n_children, cap_children, cap_names;
	size_t work;
};

static void add_to_queue(struct search *s, uint32_t event)
{
	TL_GROW(s->queue, s->cap_queue, s->n_queue + 1);
	s->queue[s->n_queue++] = event;
}

/* The tops of the tree: above each outermost operator the Python frame that called everything. */
static void queue_tops(struct search *s)
{
	const struct tl_trace *t = s->t;
	bool *seen = tl_calloc((size_t)t->n_events + 1, sizeof *seen);

	for (size_t i = 0; i < t->n_roots; i++) {
		uint32_t e = t->roots[i];
		while (t->events[e].parent != TL_NONE)
			e = t->events[e].parent;
		if (!seen[e])
			add_to_queue(s, e);
		seen[e] = true;
	}
	free(seen);
}

/* Counts the device events below each event of the tree, from the leaves upwards. */
static void count_work(struct search *s)
{
	const struct tl_ev *events = s->t->events;
	size_t n_tops = s->n_queue;

	s->n_work = tl_calloc((size_t)s->t->n_events + 1, sizeof *s->n_work);
	for (size_t i = 0; i < s->n_queue; i++) {
		uint32_t e = s->queue[i];
		s->n_work[e] = tl_kind_is_gpu(events[e].kind);
		s->total += s->n_work[e];
		for (uint32_t c = events[e].first_child; c != TL_NONE; c = events[c].next_sibling)
			add_to_queue(s, c);
	}
	for (size_t i = s->n_queue; i-- > n_tops;)
		s->n_work[tl_trace_owner(s->t, s->queue[i])] += s->n_work[s->queue[i]];
	s->n_queue = n_tops;
}

static void list_children(struct search *s, uint32_t event)
{
	const struct tl_ev *events = s->t->events;

	s->n_children = 0;
	for (uint32_t c = events[event].first_child; c != TL_NONE; c = events[c].next_sibling) {
		TL_GROW(s->children, s->cap_children, s->n_children + 1);
		TL_GROW(s->names, s->cap_names, s->n_children + 1);
		s->names[s->n_children] = events[c].name;
		s->children[s->n_children++] = c;
	}
}

/* The next child from *i on with that name; n_children if there is none. */
static size_t next_named(const struct search *s, size_t i, uint32_t name)
{
	while (i < s->n_children && s->names[i] != name)
		i++;
	return i;
}

/* Iterations: from the n-th child with the name of the period's first to the n-th with that
 * of its last. Returns how many device events they launched. */
static uint32_t make_iterations(const struct search *s, struct tl_name_period p, struct tl_steps *out)
{
	uint32_t first = s->names[p.start], last = s->names[p.start + p.period - 1], work = 0;
	size_t from = p.start, to = p.start, counted = p.start;

	for (;; from++, to++) {
		from = next_named(s, from, first);
		to = next_named(s, to, last);
		if (to == s->n_children || to < from)
			return work;
		tl_steps_add(out, s->t, s->children[from])->to = tl_ev_end(&s->t->events[s->children[to]]);
		for (counted = counted > from ? counted : from; counted <= to; counted++)
			work += s->n_work[s->children[counted]];
	}
}

static void search_below(struct search *s, uint32_t event, struct tl_steps *out)
{
	if (!s->n_work[event])
		return;
	list_children(s, event);
	struct tl_name_period p = tl_name_period(s->names, s->n_children, &s->work);
	if (p.period) {
		if (make_iterations(s, p, out) >= s->total - s->total / 2)
			return;
		out->n = 0;
	}
	for (size_t i = 0; i < s->n_children; i++)
		if (s->n_work[s->children[i]])
			add_to_queue(s, s->children[i]);
}

void tl_step_repeats_find(struct tl_steps *out, const struct tl_trace *t)
{
	struct search s = { .t = t, .work = MAX_WORK };

	queue_tops(&s);
	count_work(&s);
	for (size_t i = 0; i < s.n_queue && !out->n && s.work; i++)
		search_below(&s, s.queue[i], out);
	free(s.n_work);
	free(s.queue);
	free(s.children);
	free(s.names);
}
