/* launch_pairs.c - which call of the capture of a graph launched which device event of its replay.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "edit/launch_pairs.h"

#include "base/map.h"

#include <stdlib.h>

/* Names compared on several streams: some seconds. */
#define MAX_COMPARED (UINT64_C(1) << 28)

struct sides {
	const struct tl_captured_call *calls; size_t n_calls;
	const struct tl_replayed *events; size_t n_events;
	struct tl_launch_pair *out;
	uint64_t compared;
};

static bool fits(const struct tl_captured_call *c, const struct tl_replayed *e)
{
	return (c->copy && c->copy == e->copy) || (c->name && c->name == e->name);
}

/* ---- one stream ------------------------------------------------------------------- */

static bool in_order(struct sides *s)
{
	size_t c = 0;

	for (size_t e = 0; e < s->n_events; e++) {
		while (c < s->n_calls && !fits(&s->calls[c], &s->events[e]))
			c++;
		if (c == s->n_calls)
			return false;
		s->out[e] = (struct tl_launch_pair){ (uint32_t)c++, (uint32_t)e };
	}
	return true;
}

static bool by_name(struct sides *s)
{
	struct tl_map first = { 0 }; /* name -> 1 + the first event of it that has no call yet */
	uint32_t *next = tl_calloc(s->n_events + 1, sizeof *next); /* event -> 1 + the next one of its name */
	bool all = true;

	for (size_t e = s->n_events; e-- > 0;) {
		uint32_t *head = tl_map_put(&first, s->events[e].name, NULL);
		next[e] = *head;
		*head = (uint32_t)e + 1;
	}
	for (size_t c = 0; all && c < s->n_calls; c++) {
		uint32_t *head = s->calls[c].name ? tl_map_get(&first, s->calls[c].name) : NULL;
		all = head && *head;
		if (!all)
			break;
		s->out[c] = (struct tl_launch_pair){ (uint32_t)c, *head - 1 };
		*head = next[*head - 1];
	}
	tl_map_release(&first);
	free(next);
	return all;
}

/* False: a call says another kernel than the event at its place. */
static bool by_place(struct sides *s, size_t *unchecked)
{
	for (size_t i = 0; i < s->n_events; i++) {
		const struct tl_captured_call *c = &s->calls[i];
		s->out[i] = (struct tl_launch_pair){ (uint32_t)i, (uint32_t)i };
		if (c->says_kernel && c->name != s->events[i].name)
			return false;
		*unchecked += !c->says_kernel && !c->copy;
	}
	return true;
}

/* ---- several streams ---------------------------------------------------------------- */

/* The events of the streams, each stream in order: those of stream i stand in
 * events[head[i]] up to events[past[i]]. Streams are numbered in the order of their first
 * events. */
struct streams { uint32_t *events, *head, *past, n; };

static struct streams find_streams(const struct sides *s)
{
	struct streams st = { .events = tl_alloc((s->n_events + 1) * sizeof *st.events) };
	uint32_t *of = tl_alloc((s->n_events + 1) * sizeof *of);
	struct tl_map numbers = { 0 };

	st.head = tl_calloc(s->n_events + 2, sizeof *st.head);
	st.past = tl_calloc(s->n_events + 2, sizeof *st.past);
	for (size_t e = 0; e < s->n_events; e++) {
		of[e] = tl_map_number(&numbers, s->events[e].stream, NULL);
		st.head[of[e] + 1]++;
	}
	st.n = (uint32_t)numbers.count;
	for (uint32_t i = 0; i < st.n; i++)
		st.past[i] = st.head[i] += i ? st.head[i - 1] : 0;
	for (size_t e = 0; e < s->n_events; e++)
		st.events[st.past[of[e]]++] = (uint32_t)e;
	tl_map_release(&numbers);
	free(of);
	return st;
}

/* How many calls from c on fit the events of a stream. */
static size_t run_length(struct sides *s, const struct streams *st, uint32_t stream, size_t c)
{
	uint32_t e = st->head[stream];
	size_t n = 0;

	while (e + n < st->past[stream] && c + n < s->n_calls && fits(&s->calls[c + n], &s->events[st->events[e + n]]))
		n++;
	s->compared += n + 1;
	return n;
}

/* The first stream from `from` on whose next event fits the call; st->n: none. */
static uint32_t next_fit(struct sides *s, const struct streams *st, uint32_t from, size_t c)
{
	for (; from < st->n; from++, s->compared++)
		if (st->head[from] < st->past[from] && fits(&s->calls[c], &s->events[st->events[st->head[from]]]))
			break;
	return from;
}

/* The stream whose next event the call launched; st->n: none. */
static uint32_t choose_stream(struct sides *s, const struct streams *st, size_t c)
{
	uint32_t best = next_fit(s, st, 0, c), other = next_fit(s, st, best + 1, c);

	if (other >= st->n)
		return best;
	size_t longest = run_length(s, st, best, c);
	for (; other < st->n && s->compared <= MAX_COMPARED; other = next_fit(s, st, other + 1, c)) {
		size_t n = run_length(s, st, other, c);
		if (n > longest) {
			best = other;
			longest = n;
		}
	}
	return best;
}

static bool by_stream(struct sides *s)
{
	struct streams st = find_streams(s);
	size_t paired = 0;

	for (size_t c = 0; c < s->n_calls && s->compared <= MAX_COMPARED; c++) {
		uint32_t stream = choose_stream(s, &st, c);
		if (stream >= st.n)
			continue;
		uint32_t e = st.events[st.head[stream]++];
		s->out[e] = (struct tl_launch_pair){ (uint32_t)c, e };
		paired++;
	}
	free(st.events);
	free(st.head);
	free(st.past);
	return paired == s->n_events;
}

/* ---- all ways ---------------------------------------------------------------------- */

static bool one_stream(const struct sides *s)
{
	for (size_t e = 1; e < s->n_events; e++)
		if (s->events[e].stream != s->events[0].stream)
			return false;
	return true;
}

static bool kernels_named(const struct sides *s)
{
	for (size_t c = 0; c < s->n_calls; c++)
		if (!s->calls[c].says_kernel && !s->calls[c].copy)
			return false;
	return true;
}

const char *tl_align(const struct tl_captured_call *calls, size_t n_calls, const struct tl_replayed *events,
                     size_t n_events, struct tl_launch_pair *out, size_t *unchecked)
{
	struct sides s = { calls, n_calls, events, n_events, out, 0 };

	*unchecked = 0;
	if (!one_stream(&s)) {
		if (!kernels_named(&s))
			return "the graph runs on several streams, and calls of its capture do not say their kernels";
		if (by_stream(&s))
			return NULL;
		return s.compared > MAX_COMPARED ? "the graph has too many streams"
		                                 : "kernels on several streams do not fit the calls of the capture";
	}
	if (n_calls != n_events)
		return in_order(&s) ? NULL : "kernels do not follow each other as the calls of the capture do";
	if (by_place(&s, unchecked))
		return NULL;
	*unchecked = 0;
	return by_name(&s) ? NULL : "the capture has other kernels";
}
