/* step_marker.c - steps that the user's expression names, and those whose names repeat.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "steps/step_marker.h"

#include "work/args.h"
#include "work/device_events.h"
#include "work/kept.h"
#include "work/range_names.h"
#include "base/merge_sort.h"
#include "base/search.h"
#include "base/text.h"
#include "model/fields.h"

#include <stdlib.h>
#include <string.h>

/* ---- names and numbers ---------------------------------------------------------------------------------- */

static void add_name(struct tl_folds *folds, const struct tl_trace *t, uint32_t name)
{
	tl_folds_add(folds, tl_str(&t->strings, name), tl_str_len(&t->strings, name));
}

static void fold(struct tl_folds *folds, const struct tl_trace *t, uint32_t name, struct tl_buf *out)
{
	tl_folds_name(folds, tl_str(&t->strings, name), tl_str_len(&t->strings, name), out);
}

const char *tl_folded_step_name(const struct tl_trace *t, const struct tl_steps *s)
{
	struct tl_folds *folds = tl_folds_new();
	struct tl_buf b = { 0 };

	TL_EACH(const struct tl_step, step, *s)
		add_name(folds, t, tl_step_name(t, step));
	fold(folds, t, tl_step_name(t, s->items), &b);
	char *text = tl_trace_alloc(t, b.len + 1);
	memcpy(text, tl_buf_text(&b), b.len + 1);
	tl_buf_release(&b);
	tl_folds_free(folds);
	return text;
}

/* The number that a text ends with or, of a name, its last one; -1: it has none, or one that is too long. */
static int64_t last_number(const char *s, size_t len)
{
	enum { MOST_DIGITS = 18 };
	int64_t number = 0;
	size_t end = len, start;

	while (end && !tl_is_digit(s[end - 1]))
		end--;
	for (start = end; start && tl_is_digit(s[start - 1]);)
		start--;
	for (size_t i = start; i < end && end - start <= MOST_DIGITS; i++)
		number = number * 10 + (s[i] - '0');
	return end > start && end - start <= MOST_DIGITS ? number : -1;
}

static int64_t number_in_name(const struct tl_trace *t, uint32_t name)
{
	return last_number(tl_str(&t->strings, name), tl_str_len(&t->strings, name));
}

/* The number of the first group, if that is digits; -1: else. */
static int64_t number_in_group(const struct tl_trace *t, uint32_t name, const struct tl_pattern *p)
{
	const char *group;
	size_t len;

	if (!tl_pattern_groups(p) || !tl_pattern_group(p, tl_str(&t->strings, name), tl_str_len(&t->strings, name), 1, &group, &len))
		return -1;
	for (size_t i = 0; i < len; i++)
		if (!tl_is_digit(group[i]))
			return -1;
	return last_number(group, len);
}

/* The process of a step or, of a step on a device, that and the device. */
static uint64_t place_of(const struct tl_trace *t, const struct tl_step *s, const struct tl_arg *device)
{
	int64_t number = 0;

	if (device)
		tl_arg_get(device, t, s->marker, &number);
	return tl_key_of_two(t->tracks[t->events[s->marker].track].pid, (uint32_t)number);
}

/* Of steps by start: by the group, else by names if all have a number that rises in each process, else by place there. */
static void number_steps(struct tl_steps *s, const struct tl_trace *t, const struct tl_pattern *p, const struct tl_arg *device)
{
	struct place { int64_t last, n; };
	struct TL_KEYED(struct place) places = { 0 };
	bool grouped = p && s->n, rising = true, is_new;

	TL_EACH(struct tl_step, step, *s)
		grouped = grouped && (step->number = number_in_group(t, tl_step_name(t, step), p)) >= 0;
	for (size_t i = 0; i < s->n && !grouped; i++) {
		struct place *at = TL_ITEM(&places, place_of(t, &s->items[i], device), &is_new);
		int64_t number = number_in_name(t, tl_step_name(t, &s->items[i]));
		rising = rising && number >= 0 && (is_new || number > at->last);
		at->last = number;
		s->items[i].number = at->n++;
	}
	for (size_t i = 0; i < s->n && !grouped && rising; i++)
		s->items[i].number = number_in_name(t, tl_step_name(t, &s->items[i]));
	TL_KEYED_RELEASE(&places);
}

/* ---- what the user's expression names -------------------------------------------------------------------- */

TL_ORDER(by_start, struct tl_step, TL_ASC(x->from))
TL_ORDER(by_device_start, struct tl_step, TL_ASC(x->device.start))

/* Events of a kind whose names match. */
static void add_matches(struct tl_steps *s, const struct tl_trace *t, unsigned kind, const struct tl_pattern *p)
{
	struct tl_map known = { 0 }; /* name -> does it match? */
	bool is_new;

	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (e->kind != kind || !tl_ev_has_span(e))
			continue;
		uint32_t *matches = tl_map_put(&known, e->name, &is_new);
		if (is_new)
			*matches = tl_pattern_matches(p, tl_str(&t->strings, e->name), tl_str_len(&t->strings, e->name));
		if (*matches)
			tl_steps_add(s, t, i)->device = (struct tl_span){ e->ts, tl_ev_end(e) };
	}
	tl_map_release(&known);
}

/* A kernel begins a step: on its device with its start, on the host with its call. */
static void begin_with_kernels(struct tl_steps *s, const struct tl_trace *t, const struct tl_arg *device)
{
	struct tl_map next = { 0 }; /* device -> 1 + the step that comes next there */
	int64_t end = INT64_MIN;

	for (uint32_t i = 0; i < t->n_events; i++)
		if (tl_ev_has_span(&t->events[i]) && tl_ev_end(&t->events[i]) > end)
			end = tl_ev_end(&t->events[i]);
	tl_merge_sort(s->items, s->n, sizeof *s->items, by_device_start, NULL);
	for (size_t i = s->n; i-- > 0;) {
		struct tl_step *step = &s->items[i];
		uint32_t call = t->events[step->event].parent, *at = tl_map_put(&next, place_of(t, step, device), NULL);

		if (call != TL_NONE && t->events[call].flags & TL_EV_HAS_TS) {
			step->event = call;
			step->from = t->events[call].ts;
		}
		step->open = !*at;
		step->to = step->open ? end : s->items[*at - 1].from;
		step->to = step->to > step->from ? step->to : step->from;
		step->device.end = step->open ? end : s->items[*at - 1].device.start;
		*at = (uint32_t)i + 1;
	}
	tl_map_release(&next);
}

void tl_steps_add_marked(struct tl_steps *s, const struct tl_trace *t, const struct tl_regex *marker)
{
	static const unsigned kinds[] = { TL_KIND_ANNOTATION, TL_KIND_GPU_ANNOTATION, TL_KIND_CPU_OP, TL_KIND_KERNEL };
	unsigned kind = TL_KIND_ANNOTATION;

	*s = (struct tl_steps){ .source = TL_STEPS_MARKER, .marked = marker->text };
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !s->n; i++)
		add_matches(s, t, kind = kinds[i], &marker->pattern);
	struct tl_arg device = tl_arg_of(t, TL_KEY_DEVICE);
	s->on_device = kind == TL_KIND_KERNEL || kind == TL_KIND_GPU_ANNOTATION;
	if (kind == TL_KIND_KERNEL)
		begin_with_kernels(s, t, &device);
	else
		tl_steps_settle(s, t, false);
	if (kind == TL_KIND_GPU_ANNOTATION)
		TL_EACH(struct tl_step, step, *s)
			step->device = (struct tl_span){ step->from, step->to };
	number_steps(s, t, &marker->pattern, s->on_device ? &device : NULL);
	if (s->n)
		tl_merge_sort(s->items, s->n, sizeof *s->items, by_start, NULL);
}

/* ---- names that repeat: the work of processes and threads ------------------------------------------------ */

/* Launches by key and start; `before`: the ticks of device events that those before it launched. The last one is no launch. */
struct launched { uint64_t key; int64_t ts, before; };
struct work { struct launched *items; size_t n; };

TL_ORDER(by_key, struct launched, TL_ASC(x->key) TL_ASC(x->ts))

/* Of each process, or of kernels of each thread. */
static struct work find_work(const struct tl_trace *t, bool of_threads)
{
	struct work w = { .items = tl_alloc((t->n_launches + 1) * sizeof *w.items) };
	int64_t sum = 0;

	for (size_t i = 0; i < t->n_launches; i++) {
		const struct tl_ev *call = &t->events[t->launches[i].runtime], *gpu = &t->events[t->launches[i].gpu];
		if (call->flags & TL_EV_HAS_TS && tl_gpu_usable(gpu) && (!of_threads || gpu->kind == TL_KIND_KERNEL))
			w.items[w.n++] = (struct launched){ of_threads ? call->track : t->tracks[call->track].pid, call->ts, gpu->dur };
	}
	tl_merge_sort(w.items, w.n, sizeof *w.items, by_key, NULL);
	for (size_t i = 0; i <= w.n; i++) {
		int64_t own = i < w.n ? w.items[i].before : 0;
		w.items[i].before = sum;
		sum = tl_ticks_add(sum, own);
	}
	return w;
}

static int64_t before(const struct work *w, uint64_t key, int64_t time)
{
	size_t at;

	TL_SEARCH(at, w->n, mid, w->items[mid].key < key || (w->items[mid].key == key && w->items[mid].ts < time));
	return w->items[at].before;
}

static int64_t launched_within(const struct work *w, uint64_t key, int64_t from, int64_t to)
{
	return tl_ticks_sub(before(w, key, to), before(w, key, from));
}

/* ---- names that repeat: which of them are steps ---------------------------------------------------------- */

/* What a name says (step-words.tsv). */
enum word { PLAIN, ROUND, STEP, PART };

/* Annotations of a thread whose names are equal but for numbers; those of all threads. */
struct candidate { uint32_t track, group; uint32_t *events; size_t n, cap; bool fits; };
struct group { enum word word; int64_t ticks; size_t n; bool fits; };

struct search {
	const struct tl_trace *t;
	struct tl_name_answers *words;
	struct tl_folds *folds;
	struct tl_strtab folded;
	struct tl_map names;                   /* name -> 1 + id of the folded one in that table */
	struct TL_KEYED(struct candidate) candidates;
	struct TL_KEYED(struct group) groups;
	struct tl_map taken;                   /* groups and processes that have a candidate that fits */
	struct tl_innermosts steps;            /* by process: annotations with a word of steps */
	struct work processes, threads;
	int64_t all;                           /* ticks of all device events */
};

static enum word word_of(struct search *s, uint32_t name)
{
	const char *answer = tl_name_answer(s->words, name);

	return !strcmp(answer, "part") ? PART : !strcmp(answer, "step") ? STEP : !strcmp(answer, "round") ? ROUND : PLAIN;
}

/* What is no part of a step, in *out, which the caller frees. */
static size_t find_annotations(struct search *s, uint32_t **out)
{
	const struct tl_trace *t = s->t;
	size_t n = 0, cap = 0;

	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		s->all = tl_gpu_usable(e) ? tl_ticks_add(s->all, e->dur) : s->all;
		if (e->kind != TL_KIND_ANNOTATION || !tl_ev_has_span(e) || word_of(s, e->name) == PART)
			continue;
		if (word_of(s, e->name) == STEP)
			tl_innermosts_add(&s->steps, t->tracks[e->track].pid, e->ts, tl_ev_end(e), i);
		if (tl_map_add(&s->names, e->name))
			add_name(s->folds, t, e->name);
		TL_PUSH(*out, n, cap, i);
	}
	tl_innermosts_build(&s->steps);
	return n;
}

static void add_candidates(struct search *s)
{
	const struct tl_trace *t = s->t;
	struct tl_buf text = { 0 };
	uint32_t *annotations = NULL;
	size_t n = find_annotations(s, &annotations);

	for (size_t i = 0; i < n; i++) {
		const struct tl_ev *e = &t->events[annotations[i]];
		uint32_t *name = tl_map_put(&s->names, e->name, NULL); /* 1 + the folded one */
		if (!*name) {
			fold(s->folds, t, e->name, &text);
			*name = 1 + tl_intern(&s->folded, text.data, text.len);
		}
		struct group *g = TL_ITEM(&s->groups, *name, NULL);
		g->word = word_of(s, e->name);
		struct candidate *c = TL_ITEM(&s->candidates, tl_key_of_two(e->track, *name), NULL);
		c->track = e->track;
		c->group = (uint32_t)(g - s->groups.items);
		TL_PUSH(c->events, c->n, c->cap, annotations[i]);
	}
	tl_buf_release(&text);
	free(annotations);
}

/* Is an annotation in another one of the candidate, or in a step of another name; does one not go on with the numbers? */
static bool is_loop(const struct search *s, const struct candidate *c, enum word word)
{
	const struct tl_trace *t = s->t;
	int64_t last = -1, end = INT64_MIN;

	for (size_t i = 0; i < c->n; i++) {
		const struct tl_ev *e = &t->events[c->events[i]];
		int64_t number = number_in_name(t, e->name);
		if (tl_ev_end(e) <= end)
			return false;
		end = tl_ev_end(e);
		if (word == PLAIN && ((number >= 0 && number <= last) || tl_innermosts_at(&s->steps, t->tracks[e->track].pid, e->ts) != TL_NONE))
			return false;
		last = number;
	}
	return true;
}

/* Adds the work of a candidate to that of its group, if it may be steps. */
static void weigh(struct search *s, struct candidate *c)
{
	enum { FEWEST = 3, OWN_SHARE = 10 };
	const struct tl_trace *t = s->t;
	struct group *g = &s->groups.items[c->group];
	uint32_t pid = t->tracks[c->track].pid;
	int64_t ticks = 0, own = 0;

	tl_sort_by_start(t, c->events, c->n);
	if (c->n < FEWEST || !is_loop(s, c, g->word))
		return;
	if (!s->processes.items) {
		s->processes = find_work(t, false);
		s->threads = find_work(t, true);
	}
	for (size_t i = 0; i < c->n; i++) {
		const struct tl_ev *e = &t->events[c->events[i]];
		ticks = tl_ticks_add(ticks, launched_within(&s->processes, pid, e->ts, tl_ev_end(e)));
		own = tl_ticks_add(own, launched_within(&s->threads, c->track, e->ts, tl_ev_end(e)));
	}
	c->fits = ticks > 0 && own >= ticks / OWN_SHARE;
	if (!c->fits)
		return;
	bool alone = tl_map_add(&s->taken, tl_key_of_two(c->group, pid)); /* threads of one process side by side are no steps of it */
	g->fits = alone && (g->fits || !g->n);
	g->ticks = tl_ticks_add(g->ticks, ticks);
	g->n += c->n;
}

/* The group that is steps; NULL: none, or two loops that nothing tells apart. */
static const struct group *choose(const struct search *s)
{
	const struct group *best = NULL;
	size_t n_plain = 0;

	TL_EACH(const struct group, g, s->groups) {
		bool enough = g->word == PLAIN ? g->ticks >= s->all - s->all / 10 : g->ticks >= s->all - s->all / 2;
		if (!g->fits || !enough)
			continue;
		n_plain += g->word == PLAIN;
		int64_t hundredth = best ? best->ticks / 100 : 0, more = best ? tl_ticks_sub(g->ticks, best->ticks) : 0;
		if (!best || g->word > best->word ||
		    (g->word == best->word && (more > hundredth || (more >= -hundredth && g->n < best->n))))
			best = g;
	}
	return best && best->word == PLAIN && n_plain > 1 ? NULL : best;
}

static void release(struct search *s)
{
	TL_EACH(struct candidate, c, s->candidates)
		free(c->events);
	TL_KEYED_RELEASE(&s->candidates);
	TL_KEYED_RELEASE(&s->groups);
	tl_strtab_release(&s->folded);
	tl_map_release(&s->names);
	tl_folds_free(s->folds);
	tl_map_release(&s->taken);
	tl_innermosts_release(&s->steps);
	free(s->processes.items);
	free(s->threads.items);
}

void tl_steps_add_named(struct tl_steps *steps, const struct tl_trace *t)
{
	struct search s = { .t = t, .words = tl_kept_answers(t, TL_STEP_WORDS), .folds = tl_folds_new() };

	if (t->n_launches)
		add_candidates(&s);
	TL_EACH(struct candidate, c, s.candidates)
		weigh(&s, c);
	const struct group *best = choose(&s);
	TL_EACH(const struct candidate, c, s.candidates)
		for (size_t i = 0; best && c->fits && &s.groups.items[c->group] == best && i < c->n; i++)
			tl_steps_add(steps, t, c->events[i]);
	if (best) {
		tl_steps_settle(steps, t, false);
		number_steps(steps, t, NULL, NULL);
		steps->marked = tl_folded_step_name(t, steps);
	}
	release(&s);
}
