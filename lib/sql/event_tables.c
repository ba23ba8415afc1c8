/* event_tables.c - the events of a trace as tables of a database.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sql/event_tables.h"

#include "base/json_writer.h"
#include "base/text.h"
#include "steps/step_find.h"
#include "work/args.h"
#include "work/device_events.h"
#include "work/devices.h"
#include "work/gaps.h"

#include <stdlib.h>
#include <string.h>

#define MAX_OVERLAPS 4 /* rows of the table overlap, by device event */

/* By event: places in the call tree, and what stands above. */
struct place { uint32_t at, last, depth, op, top_op, module; };

struct loading {
	struct tl_sql *s;
	struct tl_trace *t;
	const struct tl_sql_trace *o;
	int64_t base;           /* id - uid */
	struct place *places;   /* by event; at 0: it is not in the tree */
	uint32_t n_places;
	int64_t *threads;       /* by track: its id; 0: no row yet */
	uint32_t *names;        /* by string id of the trace: that of the database */
	const struct tl_steps *steps;
	int64_t *step_ends;     /* by step: the last end of it and those before, of which some may lie around it */
	const struct tl_devices *devices;
	uint64_t n_events, n_links, n_fractions;
	int64_t first, last;    /* ns */
	struct tl_buf text;     /* room to work in */
	int64_t *values; size_t cap_values; /* of an event's fields */
};

/* ---- values ------------------------------------------------------------------------------- */

/* Rounded down, so that what is nested stays nested. */
static int64_t ns(const struct tl_trace *t, int64_t ticks)
{
	__int128 exact = (__int128)ticks * 1000;
	__int128 whole = exact / t->ticks_per_us;

	return (int64_t)(whole - (exact % t->ticks_per_us < 0));
}

static bool is_fraction(const struct tl_trace *t, int64_t ticks)
{
	return (__int128)ticks * 1000 % t->ticks_per_us != 0;
}

static int64_t end_of(const struct tl_ev *e)
{
	return e->flags & TL_EV_HAS_DUR ? tl_ev_end(e) : e->ts;
}

static void put_id(const struct loading *l, sqlite3_stmt *stmt, int column, uint32_t event)
{
	if (event != TL_NONE)
		sqlite3_bind_int64(stmt, column, l->base + l->t->events[event].uid);
}

static void put_name(struct loading *l, sqlite3_stmt *stmt, int column, uint32_t name)
{
	if (!name)
		return;
	if (!l->names[name]) {
		const struct tl_buf *b = tl_sql_valid(l->s, tl_str(&l->t->strings, name), tl_str_len(&l->t->strings, name));
		l->names[name] = tl_intern(&l->s->names, tl_buf_text(b), b->len);
	}
	sqlite3_bind_int64(stmt, column, l->names[name]);
}

/* JSON as readers other than Python's take it: NaN is null, and an infinity a number that is too great for one. */
static void put_json(struct tl_json *j, const char *s)
{
	bool in_text = false, odd = strpbrk(s, "NI");

	tl_json_put(j, NULL, odd ? "" : *s ? s : "null");
	for (size_t len; odd && *s; s += len) {
		bool is_nan = !in_text && tl_starts_with(s, "NaN"), is_infinity = !in_text && tl_starts_with(s, "Infinity");
		len = is_nan ? strlen("NaN") : is_infinity ? strlen("Infinity") : *s == '\\' && s[1] ? 2 : 1;
		in_text ^= *s == '"';
		if (is_nan || is_infinity)
			tl_buf_adds(j->to, is_nan ? "null" : "9e999");
		else
			tl_buf_add(j->to, s, len);
	}
}

/* The members of an event as a JSON object, in their order. */
static void put_args(struct loading *l, sqlite3_stmt *stmt, int column, const struct tl_ev *e)
{
	const struct tl_layout *layout = &l->t->layouts[e->layout];
	struct tl_json j = { .to = &l->text, .in_line = true };

	if (!layout->n_fields)
		return;
	TL_GROW(l->values, l->cap_values, layout->n_fields);
	tl_trace_values(l->t, e, l->values);
	tl_buf_clear(&l->text);
	tl_json_open(&j, NULL, '{');
	for (uint32_t i = 0; i < layout->n_fields; i++) {
		const struct tl_field *f = &layout->fields[i];
		int64_t value = l->values[i];
		const char *s = tl_str(&l->t->strings, (uint32_t)value);
		tl_json_key(&j, tl_str(&l->t->strings, f->key), tl_str_len(&l->t->strings, f->key));
		if (f->type == TL_FIELD_INT)
			tl_json_put_int(&j, NULL, value);
		else if (f->type == TL_FIELD_STRING)
			tl_json_put_text(&j, NULL, s, tl_str_len(&l->t->strings, (uint32_t)value));
		else
			put_json(&j, s);
	}
	tl_json_close(&j, '}');
	sqlite3_bind_text(stmt, column, tl_buf_text(&l->text), (int)l->text.len, SQLITE_STATIC); /* until the row is put */
}

static void put_known(struct loading *l, sqlite3_stmt *stmt, int column, uint32_t text)
{
	const char *s = tl_str(&l->t->strings, text);

	if (strcmp(s, "Unknown") != 0) /* that is what a track without a name has */
		tl_sql_put_text(l->s, stmt, column, s, strlen(s));
}

/* ---- the call tree -------------------------------------------------------------------------- */

static bool is_module(const struct tl_trace *t, const struct tl_ev *e)
{
	return e->kind == TL_KIND_PYTHON && tl_starts_with(tl_str(&t->strings, e->name), "nn.Module:");
}

/* parent: NULL at the top. */
static void place(struct loading *l, uint32_t event, const struct place *parent)
{
	const struct tl_ev *e = &l->t->events[event];
	struct place *p = &l->places[event];

	p->at = p->last = ++l->n_places;
	p->depth = parent ? parent->depth + 1 : 0;
	p->op = e->kind == TL_KIND_CPU_OP ? event : parent ? parent->op : TL_NONE;
	p->top_op = parent && parent->top_op != TL_NONE ? parent->top_op : p->op;
	p->module = is_module(l->t, e) ? event : parent ? parent->module : TL_NONE;
}

/* Numbers the host events of each tree in the order of a walk in depth; those below an event are at+1 to last. */
static void place_all(struct loading *l)
{
	const struct tl_trace *t = l->t;

	for (uint32_t top = 0; top < t->n_events; top++) {
		if (!(t->events[top].flags & TL_EV_IN_TREE) || tl_kind_is_gpu(t->events[top].kind) || tl_trace_owner(t, top) != TL_NONE)
			continue;
		place(l, top, NULL);
		for (struct tl_walk w = tl_walk_below(t, top); w.event != TL_NONE; tl_walk_on(&w, true))
			if (!tl_kind_is_gpu(t->events[w.event].kind))
				place(l, w.event, &l->places[tl_trace_owner(t, w.event)]);
	}
	/* the last number below an event is that of its last child, which has a higher number */
	uint32_t *by_at = tl_alloc(((size_t)l->n_places + 1) * sizeof *by_at);
	for (uint32_t e = 0; e < t->n_events; e++)
		if (l->places[e].at)
			by_at[l->places[e].at] = e;
	for (uint32_t at = l->n_places; at; at--) {
		uint32_t owner = tl_trace_owner(t, by_at[at]);
		if (owner != TL_NONE && l->places[owner].last < l->places[by_at[at]].last)
			l->places[owner].last = l->places[by_at[at]].last;
	}
	free(by_at);
}

/* ---- rows of events --------------------------------------------------------------------------- */

static int64_t thread_of(struct loading *l, uint32_t track, sqlite3_stmt *thread)
{
	const struct tl_trace_track *k = &l->t->tracks[track];

	if (!track)
		return 0;
	if (!l->threads[track]) {
		l->threads[track] = ++l->s->n_threads;
		sqlite3_bind_int64(thread, 1, l->threads[track]);
		sqlite3_bind_int64(thread, 2, l->o->number);
		tl_sql_put_cell(l->s, thread, 3, tl_json_cell(l->t, k->pid), &l->t->strings);
		tl_sql_put_cell(l->s, thread, 4, tl_json_cell(l->t, k->tid), &l->t->strings);
		put_known(l, thread, 5, k->process_name);
		put_known(l, thread, 6, k->thread_name);
		tl_sql_put_row(l->s, thread);
	}
	return l->threads[track];
}

/* The step in which the event, or the call that launched it, began; 0: none. */
static int64_t step_of(const struct loading *l, const struct tl_ev *e)
{
	bool launched = tl_kind_is_gpu(e->kind) && e->parent != TL_NONE && l->t->events[e->parent].flags & TL_EV_HAS_TS;
	int64_t ts = launched ? l->t->events[e->parent].ts : e->ts;
	size_t low = 0, high = l->steps->n;

	while (low < high) { /* the first that begins later */
		size_t middle = (low + high) / 2;
		if (l->steps->items[middle].from <= ts)
			low = middle + 1;
		else
			high = middle;
	}
	while (low && l->step_ends[low - 1] >= ts)
		if (l->steps->items[--low].to >= ts)
			return l->s->n_steps - (int64_t)l->steps->n + (int64_t)low + 1;
	return 0;
}

static void put_event(struct loading *l, uint32_t event, sqlite3_stmt *row, sqlite3_stmt *thread)
{
	const struct tl_ev *e = &l->t->events[event];
	const struct place *p = &l->places[event];
	bool gpu = tl_kind_is_gpu(e->kind);
	int64_t ts = ns(l->t, e->ts), end = ns(l->t, end_of(e)), step = step_of(l, e), on = gpu ? 0 : thread_of(l, e->track, thread);
	uint32_t parent = gpu || !p->at ? TL_NONE : tl_trace_owner(l->t, event);

	put_id(l, row, 1, event);
	sqlite3_bind_int64(row, 2, l->o->number);
	sqlite3_bind_int64(row, 3, e->uid);
	sqlite3_bind_text(row, 4, tl_kind_name(e->kind), -1, SQLITE_STATIC);
	put_name(l, row, 5, l->t->layouts[e->layout].cat);
	put_name(l, row, 6, e->name);
	sqlite3_bind_int64(row, 7, ts);
	if (e->flags & TL_EV_HAS_DUR)
		sqlite3_bind_int64(row, 8, end - ts);
	sqlite3_bind_int64(row, 9, end);
	if (on)
		sqlite3_bind_int64(row, 10, on);
	put_id(l, row, 11, parent);
	if (p->at) {
		sqlite3_bind_int64(row, 12, p->depth);
		sqlite3_bind_int64(row, 13, l->base + p->at);
		sqlite3_bind_int64(row, 14, l->base + p->last);
		l->n_links++; /* its parent */
	}
	if (step)
		sqlite3_bind_int64(row, 15, step);
	if (l->o->parts.args)
		put_args(l, row, 16, e);
	tl_sql_put_row(l->s, row);
	l->n_events++;
	l->n_fractions += is_fraction(l->t, e->ts) || is_fraction(l->t, end_of(e));
	l->first = ts < l->first ? ts : l->first;
	l->last = end > l->last ? end : l->last;
}

static void put_events(struct loading *l)
{
	sqlite3_stmt *row = tl_sql_insert(l->s, "event_row", 16), *thread = tl_sql_insert(l->s, "thread", 6);

	for (uint32_t i = 0; i < l->t->n_events && !l->s->status; i++)
		if (l->t->events[i].flags & TL_EV_HAS_TS)
			put_event(l, i, row, thread);
		else
			l->s->unstarted++;
	sqlite3_finalize(row);
	sqlite3_finalize(thread);
}

static void put_steps(struct loading *l)
{
	sqlite3_stmt *row = tl_sql_insert(l->s, "step", 6);

	for (size_t i = 0; i < l->steps->n; i++) {
		const struct tl_step *step = &l->steps->items[i];
		int64_t from = ns(l->t, step->from), to = ns(l->t, step->to);
		sqlite3_bind_int64(row, 1, ++l->s->n_steps);
		sqlite3_bind_int64(row, 2, l->o->number);
		sqlite3_bind_int64(row, 3, step->number);
		sqlite3_bind_int64(row, 4, from);
		sqlite3_bind_int64(row, 5, to - from);
		sqlite3_bind_int64(row, 6, to);
		tl_sql_put_row(l->s, row);
	}
	sqlite3_finalize(row);
}

static void put_link(struct loading *l, sqlite3_stmt *row, enum tl_link_type type, uint32_t a, uint32_t b)
{
	sqlite3_bind_int64(row, 1, l->o->number);
	sqlite3_bind_text(row, 2, tl_link_name(type), -1, SQLITE_STATIC);
	put_id(l, row, 3, a);
	put_id(l, row, 4, b);
	tl_sql_put_row(l->s, row);
	l->n_links++;
}

static void put_links(struct loading *l)
{
	sqlite3_stmt *row = tl_sql_insert(l->s, "link_row", 4);
	const struct tl_trace *t = l->t;

	for (uint32_t e = 0; e < t->n_events && !l->s->status; e++) {
		if (t->events[e].flags & TL_EV_ROOT)
			put_link(l, row, TL_LINK_ROOT, e, TL_NONE);
		if (t->events[e].flags & TL_EV_RECOMPUTE)
			put_link(l, row, TL_LINK_RECOMPUTE, e, TL_NONE);
	}
	for (size_t i = 0; i < t->n_launches; i++)
		put_link(l, row, TL_LINK_LAUNCH, t->launches[i].runtime, t->launches[i].gpu);
	for (size_t i = 0; i < t->n_bwds; i++)
		put_link(l, row, TL_LINK_BACKWARD, t->bwds[i].fwd, t->bwds[i].bwd);
	sqlite3_finalize(row);
}

/* ---- device work --------------------------------------------------------------------------------- */

static const char *const classes[TL_GPU_WORKS] = { [TL_GPU_COMPUTE] = "compute", [TL_GPU_COMM] = "comm", [TL_GPU_MEMCPY] = "copy" };

static void put_sizes(const struct loading *l, sqlite3_stmt *row, int column, const struct tl_arg *arg, uint32_t event)
{
	struct tl_value list;

	if (tl_arg_list(arg, l->t, event, &list))
		for (size_t i = 0; i < 3 && i < list.len; i++)
			if (list.items[i].type == TL_V_INT)
				sqlite3_bind_int64(row, column + (int)i, (int64_t)list.items[i].i);
}

static void put_work(struct loading *l)
{
	struct tl_arg stream = tl_arg_of(l->t, "stream"), bytes = tl_arg_of(l->t, "bytes"), grid = tl_arg_of(l->t, "grid"), block = tl_arg_of(l->t, "block");
	struct tl_name_answers categories = { .strings = &l->t->strings, .rules = l->o->categories };
	sqlite3_stmt *row = tl_sql_insert(l->s, "work", 17);

	for (size_t i = 0; i < l->devices->n_events && !l->s->status; i++) {
		uint32_t event = l->devices->by_start[i];
		const struct tl_ev *e = &l->t->events[event];
		const struct place *call = e->parent != TL_NONE ? &l->places[e->parent] : NULL;
		put_id(l, row, 1, event);
		sqlite3_bind_int64(row, 2, l->s->n_devices - (int64_t)l->devices->n + l->devices->of[event] + 1);
		tl_sql_put_cell(l->s, row, 3, tl_whole_cell(tl_arg_cell(l->t, &stream, event)), &l->t->strings);
		put_id(l, row, 4, e->parent);
		if (call && call->at) {
			sqlite3_bind_int64(row, 5, l->base + call->at);
			put_id(l, row, 6, call->op);
			put_id(l, row, 7, call->top_op);
			put_id(l, row, 8, call->module);
		}
		sqlite3_bind_text(row, 9, classes[tl_gpu_work(e)], -1, SQLITE_STATIC);
		if (e->kind == TL_KIND_KERNEL)
			sqlite3_bind_text(row, 10, tl_name_answer(&categories, e->name), -1, SQLITE_STATIC);
		tl_sql_put_cell(l->s, row, 11, tl_arg_cell(l->t, &bytes, event), &l->t->strings);
		put_sizes(l, row, 12, &grid, event);
		put_sizes(l, row, 15, &block, event);
		tl_sql_put_row(l->s, row);
	}
	categories.rules = NULL; /* the caller's */
	tl_name_answers_release(&categories);
	sqlite3_finalize(row);
}

static void put_devices(struct loading *l)
{
	sqlite3_stmt *row = tl_sql_insert(l->s, "device", 5);

	for (size_t i = 0; i < l->devices->n; i++) {
		struct tl_cell c[3];
		tl_device_cells(&l->devices->items[i], c);
		sqlite3_bind_int64(row, 1, ++l->s->n_devices);
		sqlite3_bind_int64(row, 2, l->o->number);
		for (int k = 0; k < 3; k++)
			tl_sql_put_cell(l->s, row, 3 + k, c[k], &l->t->strings);
		tl_sql_put_row(l->s, row);
	}
	sqlite3_finalize(row);
}

/* ---- spans and overlaps ---------------------------------------------------------------------------- */

static void put_span(struct loading *l, sqlite3_stmt *row, size_t device, const char *what, int64_t start, int64_t end)
{
	int64_t from = ns(l->t, start), to = ns(l->t, end);

	sqlite3_bind_int64(row, 1, l->o->number);
	sqlite3_bind_int64(row, 2, l->s->n_devices - (int64_t)l->devices->n + (int64_t)device + 1);
	sqlite3_bind_text(row, 3, what, -1, SQLITE_STATIC);
	sqlite3_bind_int64(row, 4, from);
	sqlite3_bind_int64(row, 5, to - from);
	sqlite3_bind_int64(row, 6, to);
}

static void put_set(struct loading *l, sqlite3_stmt *row, size_t device, const char *what, const struct tl_spans *set)
{
	for (size_t i = 0; i < set->n; i++) {
		put_span(l, row, device, what, set->items[i].start, set->items[i].end);
		tl_sql_put_row(l->s, row);
	}
}

static void put_device_spans(struct loading *l, sqlite3_stmt *row, size_t device)
{
	enum { WORK = TL_GPU_WORKS, BUSY = WORK, NO_COPY, EXPOSED_COMM, EXPOSED_COPY, SETS };
	static const char *const names[SETS] = { "compute", "comm", "copy", "busy", NULL, "exposed_comm", "exposed_copy" };
	const struct tl_split_events *events = &l->devices->events;
	struct tl_spans sets[SETS] = { 0 };

	for (size_t i = events->start[device]; i < events->start[device + 1]; i++) {
		const struct tl_ev *e = &l->t->events[events->items[i]];
		enum tl_gpu_work work = tl_gpu_work(e);
		tl_spans_add(&sets[work], e->ts, tl_ev_end(e));
		tl_spans_add(&sets[BUSY], e->ts, tl_ev_end(e));
		if (work != TL_GPU_MEMCPY)
			tl_spans_add(&sets[NO_COPY], e->ts, tl_ev_end(e));
	}
	for (size_t i = 0; i <= NO_COPY; i++)
		tl_spans_merge(&sets[i]);
	tl_spans_subtract(&sets[TL_GPU_COMM], &sets[TL_GPU_COMPUTE], &sets[EXPOSED_COMM]);
	tl_spans_subtract(&sets[TL_GPU_MEMCPY], &sets[NO_COPY], &sets[EXPOSED_COPY]);
	for (size_t i = 0; i < SETS; i++) {
		if (names[i])
			put_set(l, row, device, names[i], &sets[i]);
		tl_spans_release(&sets[i]);
	}
}

static void put_spans(struct loading *l)
{
	sqlite3_stmt *row = tl_sql_insert(l->s, "span", 8);
	struct tl_gaps gaps = { 0 };

	for (size_t device = 0; device < l->devices->n; device++)
		put_device_spans(l, row, device);
	tl_gaps_find(&gaps, l->t, l->devices, NULL, -1);
	for (size_t i = 0; i < gaps.n; i++) {
		put_span(l, row, gaps.items[i].device, "idle", gaps.items[i].start, gaps.items[i].end);
		put_id(l, row, 7, gaps.items[i].before);
		put_id(l, row, 8, gaps.items[i].after);
		tl_sql_put_row(l->s, row);
	}
	tl_gaps_release(&gaps);
	sqlite3_finalize(row);
}

/* Pairs of events of a device that run at once: each event is held against those before it that still run. False: there are more
 * pairs than may be written. */
static bool put_overlaps_of(struct loading *l, sqlite3_stmt *row, size_t device, uint64_t *left)
{
	const struct tl_split_events *events = &l->devices->events;
	uint32_t *running = NULL;
	size_t n = 0, cap = 0;

	for (size_t i = events->start[device]; i < events->start[device + 1] && !l->s->status; i++) {
		const struct tl_ev *e = &l->t->events[events->items[i]];
		size_t kept = 0;
		for (size_t k = 0; k < n; k++)
			if (tl_ev_end(&l->t->events[running[k]]) > e->ts)
				running[kept++] = running[k];
		n = kept;
		for (size_t k = 0; k < n; k++) {
			int64_t other = tl_ev_end(&l->t->events[running[k]]), end = other < tl_ev_end(e) ? other : tl_ev_end(e);
			if (end <= e->ts)
				continue;
			if (!(*left)--) {
				free(running);
				return false;
			}
			put_id(l, row, 1, running[k]);
			put_id(l, row, 2, events->items[i]);
			sqlite3_bind_int64(row, 3, l->s->n_devices - (int64_t)l->devices->n + (int64_t)device + 1);
			sqlite3_bind_int64(row, 4, ns(l->t, end) - ns(l->t, e->ts));
			tl_sql_put_row(l->s, row);
		}
		TL_PUSH(running, n, cap, events->items[i]);
	}
	free(running);
	return true;
}

static void put_overlaps(struct loading *l)
{
	sqlite3_stmt *row = tl_sql_insert(l->s, "overlap", 4);
	uint64_t left = MAX_OVERLAPS * (uint64_t)l->devices->n_events;
	bool all = true;

	for (size_t device = 0; device < l->devices->n && all; device++)
		all = put_overlaps_of(l, row, device, &left);
	sqlite3_finalize(row);
	if (all)
		return;
	char *forget = tl_strdupf("DELETE FROM overlap WHERE a / %lld = %lld; INSERT OR REPLACE INTO meta VALUES ('overlap', "
	                          "'trace %lld has more than %d pairs for each device event')",
	                          1LL << 40, (long long)l->o->number - 1, (long long)l->o->number, MAX_OVERLAPS);
	tl_sql_run(l->s, forget);
	free(forget);
}

/* ---- the whole --------------------------------------------------------------------------------------- */

static void put_trace(struct loading *l)
{
	sqlite3_stmt *row = tl_sql_insert(l->s, "trace", 10);
	struct tl_cell rank = tl_ranks_of(l->t).of_trace;
	const char *source = l->t->source ? l->t->source : "";

	sqlite3_bind_int64(row, 1, l->o->number);
	tl_sql_put_text(l->s, row, 2, l->o->path, strlen(l->o->path));
	tl_sql_put_text(l->s, row, 3, source, strlen(source));
	tl_sql_put_cell(l->s, row, 4, tl_cell_is_null(rank) && l->o->rank >= 0 ? tl_cell_int(l->o->rank) : rank, &l->t->strings);
	sqlite3_bind_int64(row, 5, l->t->ticks_per_us);
	if (l->n_events) {
		sqlite3_bind_int64(row, 6, l->first);
		sqlite3_bind_int64(row, 7, l->last);
	}
	sqlite3_bind_int64(row, 8, (int64_t)l->n_events);
	sqlite3_bind_int64(row, 9, (int64_t)l->n_links);
	sqlite3_bind_int64(row, 10, (int64_t)l->n_fractions);
	tl_sql_put_row(l->s, row);
	sqlite3_finalize(row);
}

void tl_sql_add_trace(struct tl_sql *s, struct tl_trace *t, const struct tl_sql_trace *o)
{
	struct loading l = { .s = s, .t = t, .o = o, .base = (o->number - 1) << 40, .first = INT64_MAX, .last = INT64_MIN };

	l.devices = tl_devices_of(t);
	l.places = tl_calloc((size_t)t->n_events + 1, sizeof *l.places);
	l.threads = tl_calloc((size_t)t->n_tracks + 1, sizeof *l.threads);
	l.steps = tl_numbered_steps_of(t);
	l.step_ends = tl_alloc((l.steps->n + 1) * sizeof *l.step_ends);
	for (size_t i = 0; i < l.steps->n; i++)
		l.step_ends[i] = i && l.step_ends[i - 1] > l.steps->items[i].to ? l.step_ends[i - 1] : l.steps->items[i].to;
	place_all(&l);
	put_devices(&l);
	put_steps(&l);
	l.names = tl_calloc((size_t)t->strings.count + 1, sizeof *l.names);
	put_events(&l);
	if (o->parts.links)
		put_links(&l);
	put_work(&l);
	if (o->parts.spans)
		put_spans(&l);
	if (o->parts.overlap)
		put_overlaps(&l);
	put_trace(&l);
	free(l.places);
	free(l.threads);
	free(l.names);
	free(l.step_ends);
	free(l.values);
	tl_buf_release(&l.text);
}
