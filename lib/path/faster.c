/* faster.c - what of the graph takes less time if something is faster.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "path/faster.h"

#include "work/calls.h"
#include "work/device_events.h"
#include "base/rows.h"
#include "base/text.h"
#include "steps/recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TL_TEXT_OF(id, text) [id] = text,

const char *tl_faster_kind_name(unsigned kind)
{
	static const char *const names[] = { TL_FASTER_KINDS(TL_TEXT_OF) };

	return names[kind];
}

void tl_faster_init(struct tl_faster_maker *m, const struct tl_path_graph *g, struct tl_name_rules *categories)
{
	*m = (struct tl_faster_maker){ .graph = g, .categories = categories };
	tl_name_answers_init(&m->directions, TL_MEMCPY_DIRECTIONS, &g->trace->strings);
}

void tl_faster_release(struct tl_faster_maker *m)
{
	tl_name_answers_release(&m->directions);
}

/* ---- events -------------------------------------------------------------------------------------- */

static const char *category_of(const struct tl_faster_maker *m, uint32_t name)
{
	const struct tl_strtab *s = &m->graph->trace->strings;

	return m->categories ? tl_name_rules_find(m->categories, tl_str(s, name), tl_str_len(s, name)) : "";
}

static enum tl_nearest_answer has_name(const struct tl_trace *t, uint32_t event, uintptr_t name)
{
	return t->events[event].name == name ? TL_NEAREST_THIS : TL_NEAREST_ABOVE;
}

/* Is the time of an edge of that kind and name? */
static bool is_of(struct tl_faster_maker *m, const struct tl_faster *f, const struct tl_path_edge *e,
		  struct tl_nearest *named)
{
	const struct tl_trace *t = m->graph->trace;
	const char *name = tl_str(&t->strings, f->name);
	bool device = e->type == TL_EDGE_DEVICE, host = e->type == TL_EDGE_HOST && e->bound != TL_BOUND_SYNC;

	if (f->kind == TL_FASTER_BOUND)
		return !strcmp(tl_bound_name(e->bound), name);
	if (e->owner == TL_NONE || (!device && !host))
		return false;
	const struct tl_ev *owner = &t->events[e->owner];
	switch (f->kind) {
	case TL_FASTER_KERNEL: return device && owner->name == f->name;
	case TL_FASTER_OPERATOR: return tl_nearest(named, e->owner) != TL_NONE;
	case TL_FASTER_HOST: return host && tl_nearest(named, e->owner) != TL_NONE;
	case TL_FASTER_ALONE: return host && owner->name == f->name;
	case TL_FASTER_CATEGORY:
		return device && owner->kind == TL_KIND_KERNEL && !strcmp(category_of(m, owner->name), name);
	case TL_FASTER_COPY:
		return device && owner->kind != TL_KIND_KERNEL && tl_name_is(&m->directions, owner->name, name);
	default: return false;
	}
}

static void lose(const struct tl_path_graph *g, size_t edge, int64_t ticks, int64_t *less)
{
	int64_t most = g->edges[edge].delay;

	ticks = ticks > most ? most : ticks;
	less[edge] = ticks > less[edge] ? ticks : less[edge];
}

/* ---- idle time ----------------------------------------------------------------------------------------- */

static bool is_start(const struct tl_path_edge *e)
{
	return e->type == TL_EDGE_LAUNCH || e->type == TL_EDGE_ORDER || e->type == TL_EDGE_WAIT ||
	       e->type == TL_EDGE_WAIT_INFERRED || e->type == TL_EDGE_WAIT_TIMED;
}

/* The thread of an edge between its points, or TL_NONE; where nothing is open, that of what ended last. */
static uint32_t track_of(const struct tl_path_graph *g, const struct tl_path_edge *e)
{
	uint32_t event = e->owner != TL_NONE ? e->owner : g->nodes[e->from].ends;

	return event == TL_NONE ? TL_NONE : g->trace->events[event].track;
}

/* pieces: those of the trace that shall take no time. */
static void mark_idle(const struct tl_path_graph *g, const bool *chosen, int64_t *less)
{
	const struct tl_idle_pieces *pieces = tl_idle_pieces_of(g->trace);
	size_t n = (size_t)g->trace->n_tracks + 1;
	struct tl_spans *of = tl_calloc(n + 1, sizeof *of), *starts = &of[n];

	for (size_t i = 0; i < pieces->n; i++) {
		const struct tl_idle_piece *p = &pieces->items[i];
		if (!chosen[i] || p->track == TL_NONE)
			continue;
		if (p->class != TL_IDLE_QUEUED)
			tl_spans_add(&of[p->track], p->start, p->end);
		if (p->class == TL_IDLE_QUEUED || p->class == TL_IDLE_LAUNCH)
			tl_spans_add(starts, p->start, p->end);
	}
	for (size_t i = 0; i <= n; i++)
		tl_spans_merge(&of[i]);
	for (size_t i = 0; i < g->n_edges; i++) {
		const struct tl_path_edge *e = &g->edges[i];
		int64_t at = g->nodes[e->from].at;
		if (e->owner != TL_NONE && is_start(e))
			lose(g, i, tl_spans_within(starts, at, tl_ticks_add(at, e->delay)), less);
		else if ((e->type == TL_EDGE_HOST || e->type == TL_EDGE_SYNC) && track_of(g, e) != TL_NONE)
			lose(g, i, tl_spans_within(&of[track_of(g, e)], at, tl_ticks_add(at, e->delay)), less);
	}
	for (size_t i = 0; i <= n; i++)
		tl_spans_release(&of[i]);
	free(of);
}

/* ---- all ------------------------------------------------------------------------------------------------ */

size_t tl_faster_mark(struct tl_faster_maker *m, const struct tl_faster *f, int64_t *less)
{
	const struct tl_path_graph *g = m->graph;
	struct tl_nearest named = { g->trace, has_name, f->name, NULL };
	int64_t *idle = f->kind == TL_FASTER_IDLE ? tl_calloc(g->n_edges + 1, sizeof *idle) : NULL;
	size_t n = 0;

	if (idle) {
		const struct tl_idle_pieces *pieces = tl_idle_pieces_of(g->trace);
		bool *chosen = tl_calloc(pieces->n + 1, sizeof *chosen);
		for (size_t i = 0; i < pieces->n; i++)
			chosen[i] = pieces->items[i].class != TL_IDLE_UNRECORDED &&
				(pieces->items[i].name == f->name || !strcmp(tl_idle_class_name(pieces->items[i].class), tl_str(&g->trace->strings, f->name)));
		mark_idle(g, chosen, idle);
		free(chosen);
	}
	for (size_t i = 0; i < g->n_edges; i++) {
		int64_t time = idle ? idle[i] : is_of(m, f, &g->edges[i], &named) ? g->edges[i].delay : 0;
		if (!time)
			continue;
		lose(g, i, f->k ? time - time / f->k : time, less);
		n++;
	}
	tl_nearest_release(&named);
	free(idle);
	return n;
}

/* ---- names ------------------------------------------------------------------------------------------- */

/* The names that come nearest to a text. */
enum { MOST_NEAR = 4, SHOWN = 100 };
struct near {
	size_t distance;
	char shown[SHOWN];
};
struct nearest_names {
	const char *text;
	size_t len;
	struct near items[MOST_NEAR];
	size_t n;
};

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* How many letters of s, of no more than the first SHOWN, are to be changed, added or left out until a text contains it, whatever
 * the case. */
static size_t distance_of(const char *s, size_t n, const char *text)
{
	size_t row[SHOWN + 1], best;

	n = n < SHOWN ? n : SHOWN;
	for (size_t i = 0; i <= n; i++)
		row[i] = i;
	best = row[n];
	for (; *text; text++) {
		size_t before = row[0];
		for (size_t i = 1; i <= n; i++) {
			size_t kept = before + (lower(s[i - 1]) != lower(*text)),
			       other = (row[i] < row[i - 1] ? row[i] : row[i - 1]) + 1;
			before = row[i];
			row[i] = kept < other ? kept : other;
		}
		best = row[n] < best ? row[n] : best;
	}
	return best;
}

static void add_near(struct nearest_names *s, enum tl_faster_kind kind, const char *name)
{
	struct near x = { .distance = distance_of(s->text, s->len, name) };
	size_t at = s->n;

	snprintf(x.shown, sizeof x.shown, "%s:%s", tl_faster_kind_name(kind), name);
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->items[i].shown, x.shown))
			return;
	if (x.distance > s->len / 3)
		return;
	while (at && s->items[at - 1].distance > x.distance)
		at--;
	if (at == MOST_NEAR)
		return;
	s->n += s->n < MOST_NEAR;
	memmove(&s->items[at + 1], &s->items[at], (s->n - at - 1) * sizeof *s->items);
	s->items[at] = x;
}

static void find_near(struct tl_faster_maker *m, struct nearest_names *s)
{
	const struct tl_path_graph *g = m->graph;
	const struct tl_trace *t = g->trace;
	uint8_t *seen = tl_calloc((size_t)t->strings.count + 1, 1);
	bool has[TL_BOUNDS_N] = { false };

	for (size_t i = 0; i < g->n_edges; i++)
		has[g->edges[i].bound] = has[g->edges[i].bound] || g->edges[i].delay;
	for (unsigned b = 0; b < TL_BOUNDS_N; b++)
		if (has[b])
			add_near(s, TL_FASTER_BOUND, tl_bound_name(b));
	for (unsigned c = TL_IDLE_UNRECORDED + 1; tl_idle_pieces_of(g->trace)->n && c < TL_IDLE_N_CLASSES; c++)
		add_near(s, TL_FASTER_IDLE, tl_idle_class_name(c));
	for (size_t i = 0; i < g->n_edges; i++) {
		const struct tl_ev *e = g->edges[i].owner == TL_NONE ? NULL : &t->events[g->edges[i].owner];
		if (!e || seen[e->name])
			continue;
		seen[e->name] = 1;
		bool device = tl_kind_is_gpu(e->kind);
		add_near(s, device ? TL_FASTER_KERNEL : TL_FASTER_OPERATOR, tl_str(&t->strings, e->name));
		if (device && e->kind == TL_KIND_KERNEL && *category_of(m, e->name))
			add_near(s, TL_FASTER_CATEGORY, category_of(m, e->name));
		if (device && e->kind != TL_KIND_KERNEL && *tl_name_answer(&m->directions, e->name))
			add_near(s, TL_FASTER_COPY, tl_name_answer(&m->directions, e->name));
	}
	free(seen);
}

static enum tl_status fail_of_name(struct tl_faster_maker *m, const char *text, size_t kind_len, size_t len,
				   struct tl_error *err)
{
	struct nearest_names s = { .text = text + kind_len, .len = len };
	struct tl_buf names = { 0 };

	find_near(m, &s);
	for (size_t i = 0; i < s.n; i++)
		tl_buf_addf(&names, "%s%s", i ? ", " : "; near it: ", s.items[i].shown);
	enum tl_status status = tl_fail(err, TL_ERR_USAGE, "'%.200s': no time in the window is of '%.*s'%s", text,
					(int)(len + kind_len < 100 ? len + kind_len : 100), text, tl_buf_text(&names));
	tl_buf_release(&names);
	return status;
}

/* The kind that a text begins with, and how long that is with its colon; TL_FASTER_N: none. */
static unsigned kind_of(const char *text, size_t *len)
{
	const char *colon = strchr(text, ':');
	unsigned kind = 0;

	while (kind < TL_FASTER_N && !(colon && tl_text_is(text, (size_t)(colon - text), tl_faster_kind_name(kind))))
		kind++;
	*len = kind < TL_FASTER_N ? (size_t)(colon - text) + 1 : 0;
	return kind;
}

enum tl_status tl_faster_check(const char *text, int64_t *k, struct tl_error *err)
{
	const char *slash = strrchr(text, '/');
	size_t kind_len;

	kind_of(text, &kind_len);
	if (!slash || slash == text || (size_t)(slash - text) <= kind_len)
		return tl_fail(err, TL_ERR_USAGE, "'%s' is not [KIND:]NAME/K", text);
	const struct tl_field_text number = { slash + 1, strlen(slash + 1) };
	*k = 0;
	if (strcmp(number.s, "inf") && (!tl_field_int(&number, k) || *k < 1))
		return tl_fail(err, TL_ERR_USAGE, "'%s': K is '%s'; expected a whole number from 1, or inf", text, number.s);
	return TL_OK;
}

enum tl_status tl_faster_read(struct tl_faster_maker *m, const char *text, struct tl_faster *f, struct tl_error *err)
{
	size_t kind_len;
	unsigned kind = kind_of(text, &kind_len);

	*f = (struct tl_faster){ 0 };
	if (tl_faster_check(text, &f->k, err))
		return TL_ERR_USAGE;
	size_t len = (size_t)(strrchr(text, '/') - text) - kind_len;
	f->name = tl_intern(&m->graph->trace->strings, text + kind_len, len);
	int64_t *less = tl_calloc(m->graph->n_edges + 1, sizeof *less);
	bool any = false;
	for (unsigned i = 0; i < TL_FASTER_N && !any; i++) {
		f->kind = (enum tl_faster_kind)i;
		any = (kind == TL_FASTER_N ? i < TL_FASTER_HOST : i == kind) && tl_faster_mark(m, f, less);
	}
	free(less);
	return any ? TL_OK : fail_of_name(m, text, kind_len, len, err);
}
