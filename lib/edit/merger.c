/* merger.c - the merger's sink: passes the trace on, holds its launches back, and at the end
 * copies captures below the calls that replay graphs.
 *
 * Copies have texts of their own, so the next sink gets tables of the merger's.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "edit/graphs.h"
#include "edit/merger.h"
#include "model/fields.h"
#include "model/trace.h"
#include "model/trace_source.h"

#include <stdlib.h>
#include <string.h>

#define CAPTURES 8              /* capture traces in memory */
#define MAX_COPIES (1u << 24)   /* more would not fit the memory of most machines */
#define MAX_COMPARED (UINT64_C(1) << 29) /* calls and kernels of all replays: some seconds of work */

struct loaded { const struct tl_capture *of; struct tl_capture_trace *trace; uint64_t used; };
struct launch { uint32_t call, event; }; /* uids */

struct merger {
	struct tl_sink base;
	struct tl_sink *next;
	struct tl_merge_options options;
	struct tl_merge_report report;
	struct tl_trace_source copies; /* of a capture trace; its tables: of all events that go to `next`, or into `trace` */
	struct tl_translation ids;     /* of the source -> of these tables */
	int64_t *values; size_t cap_values; /* of the event at hand */
	uint64_t n_events;             /* numbers taken: the next copy gets this one */
	struct launch *launches; size_t n_launches, cap_launches;
	struct tl_map moved;           /* uid of a device event -> uid of the copy that launches it now */
	struct tl_trace *trace;        /* what replays are found in */
	struct tl_name_answers names;  /* of it, by kernels/graph-names.tsv */
	struct tl_sink *inner;         /* fills it */
	struct loaded loaded[CAPTURES];
	uint64_t n_used;
	uint64_t n_compared;           /* calls and kernels of all replays */
};

static struct merger *self(struct tl_sink *s)
{
	return (struct merger *)s;
}

static void note(struct merger *m, const char *why, uint32_t step)
{
	struct tl_merge_report *r = &m->report;

	for (size_t i = 0; i < r->n_notes; i++)
		if (r->notes[i].why == why) {
			r->notes[i].count++;
			return;
		}
	TL_PUSH(r->notes, r->n_notes, r->cap_notes,
		(struct tl_merge_note){ why, 1, tl_strdup(tl_str(&m->trace->strings, m->trace->events[step].name)) });
}

/* ---- capture traces ----------------------------------------------------------------- */

static enum tl_status get_capture(struct merger *m, const struct tl_capture *c, struct tl_capture_trace **out,
                                  struct tl_error *err)
{
	struct loaded *l = m->loaded;
	struct tl_trace *trace;

	while (l < m->loaded + CAPTURES && l->of != c)
		l++;
	if (l == m->loaded + CAPTURES) {
		l = m->loaded;
		for (size_t i = 1; i < CAPTURES; i++)
			if (m->loaded[i].used < l->used)
				l = &m->loaded[i];
		tl_trace_source_forget(&m->copies);
		m->copies.trace = NULL;
		tl_capture_trace_free(l->trace);
		*l = (struct loaded){ 0 };
		enum tl_status s = m->options.load(m->options.ctx, c->file, &trace, err);
		if (s || (s = tl_capture_trace_new(&l->trace, trace, err)))
			return s;
		l->of = c;
	}
	l->used = ++m->n_used;
	*out = l->trace;
	return TL_OK;
}

/* ---- one replay ---------------------------------------------------------------------- */

/* The event that stands for the capture itself. */
static void make_root(struct merger *m, uint8_t times, int64_t *value, struct tl_event *out)
{
	struct tl_tables *t = &m->copies.tables;
	struct tl_field mark = { tl_add_text(t, TL_KEY_CAPTURED), TL_FIELD_INT, 0 };
	struct tl_layout l = { .cat = tl_add_text(t, "cuda_runtime"), .kind = TL_KIND_RUNTIME, .ph = 'X',
		.flags = (uint8_t)(TL_HAS_NAME | TL_HAS_ARGS | times), .n_fields = 1, .fields = &mark };

	*value = 1;
	out->values = value;
	out->layout = tl_add_layout(t, &l);
	out->name = tl_add_text(t, TL_CAPTURE_ROOT);
}

/* Pushes a copy of an event of a capture trace with this number and the times of the replay's call.
 * event: TL_NONE makes the event TL_CAPTURE_ROOT. */
static enum tl_status push_copy(struct merger *m, const struct tl_trace *from, uint32_t event, uint64_t uid,
                                const struct tl_ev *call, struct tl_error *err)
{
	struct tl_event e = { .uid = uid, .ts = call->ts, .dur = call->dur };
	uint8_t times = call->flags >> TL_EV_LAYOUT_SHIFT & (TL_HAS_TS | TL_HAS_DUR | TL_INT_TS | TL_INT_DUR);
	int64_t value;

	if (m->copies.trace != from)
		tl_trace_source_forget(&m->copies);
	m->copies.trace = from;
	if (event == TL_NONE)
		make_root(m, times, &value, &e);
	else
		tl_trace_source_copy(&m->copies, event, times, &e);
	return m->next->ops->event(m->next, &e, err);
}

static void bound_tables(struct merger *m)
{
	if (!tl_tables_full(&m->copies.tables))
		return;
	m->next->ops->reset(m->next);
	tl_tables_clear(&m->copies.tables);
	tl_trace_source_forget(&m->copies);
}

/* Adds copies of the events of a graph below the call of its replay. */
static enum tl_status copy_graph(struct merger *m, const struct tl_capture_trace *c, const struct tl_capture_graph *g,
                                 uint32_t replay, struct tl_error *err)
{
	const struct tl_ev *call = &m->trace->events[replay];
	uint64_t first = m->n_events;
	enum tl_status s = TL_OK;

	m->n_events += g->n_numbers;
	m->report.n_events += g->n;
	if (m->n_events > UINT32_MAX - 2 || m->report.n_events > MAX_COPIES)
		return tl_fail(err, TL_ERR_DATA, "the captures of all replayed graphs have more than %u million events: "
		               "cut the trace", MAX_COPIES >> 20);
	for (uint32_t i = 0; !s && i < g->n; i++) {
		s = push_copy(m, c->trace, g->events[i].event, first + g->events[i].number, call, err);
		bound_tables(m);
	}
	if (!s)
		s = tl_push_link(m->next, TL_LINK_NODE, first, call->uid, err);
	for (uint32_t i = 0; !s && i + 1 < g->n; i++) {
		const struct tl_captured *e = &g->events[g->tree[i]];
		s = tl_push_link(m->next, TL_LINK_NODE, first + e->number, first + g->events[e->parent].number, err);
	}
	for (uint32_t i = 0; !s && i < g->n_roots; i++)
		s = tl_push_link(m->next, TL_LINK_ROOT, first + g->events[g->roots[i]].number, TL_NO_UID, err);
	return s;
}

/* Merges a graph into its replay; `why` becomes not NULL if they do not fit. */
static enum tl_status merge(struct merger *m, struct tl_capture_trace *c, const struct tl_capture_graph *g,
                            const struct tl_replay *r, const char **why, struct tl_error *err)
{
	m->n_compared += (uint64_t)g->n_calls + r->n;
	if (m->n_compared > MAX_COMPARED)
		return tl_fail(err, TL_ERR_DATA, "too many graphs with too many kernels: cut the trace");
	struct tl_captured_call *calls = tl_captured_calls(c, g, m->trace);
	struct tl_launch_pair *pairs = tl_alloc(((size_t)r->n + 1) * sizeof *pairs);
	uint64_t first = m->n_events;
	size_t unchecked;
	enum tl_status s = TL_OK;

	*why = tl_align(calls, g->n_calls, r->names, r->n, pairs, &unchecked);
	if (!*why) {
		s = copy_graph(m, c, g, r->call, err);
		for (uint32_t i = 0; i < r->n; i++)
			*tl_map_put(&m->moved, m->trace->events[r->events[pairs[i].event]].uid, NULL) =
				(uint32_t)(first + g->events[g->calls[pairs[i].call]].number);
		m->report.n_merged++;
		m->report.n_kernels += r->n;
		m->report.n_unchecked += unchecked;
	}
	free(calls);
	free(pairs);
	return s;
}

/* ---- steps ----------------------------------------------------------------------------- */

static enum tl_status merge_step(struct merger *m, const struct tl_step *step, const uint32_t *calls, size_t n,
                                 struct tl_error *err)
{
	struct tl_capture_trace *c;
	int64_t batch_size;
	const char *why = NULL;

	m->report.n_replays += n;
	if (!n)
		return TL_OK;
	if (!tl_batch_size_of(m->trace, step, &batch_size)) {
		note(m, "the step does not say its batch size", step->event);
		return TL_OK;
	}
	const struct tl_capture *file = tl_capture_find(m->options.index, batch_size, n);
	if (!file) {
		note(m, "no capture has a batch size as large as the step's", step->event);
		return TL_OK;
	}
	enum tl_status s = get_capture(m, file, &c, err);
	if (!s && c->n != 1 && c->n != n) {
		note(m, "the step replays another number of graphs than its capture has", step->event);
		return TL_OK;
	}
	for (size_t i = 0; !s && i < n; i++) {
		struct tl_replay r;
		tl_replay_init(&r, m->trace, &m->names, calls[i]);
		why = r.why;
		if (!why)
			s = merge(m, c, &c->graphs[c->n == 1 ? 0 : i], &r, &why, err);
		if (why)
			note(m, why, step->event);
		tl_replay_release(&r);
	}
	return s;
}

static enum tl_status merge_all(struct merger *m, struct tl_error *err)
{
	struct tl_replay_steps steps;
	enum tl_status s = TL_OK;

	tl_name_answers_init(&m->names, TL_GRAPH_NAMES, &m->trace->strings);
	tl_replay_steps_find(&steps, m->trace, &m->names);
	m->report.n_steps = steps.steps.n;
	for (size_t i = 0; !s && i < steps.steps.n; i++)
		s = merge_step(m, &steps.steps.items[i], steps.calls + steps.first[i], steps.first[i + 1] - steps.first[i], err);
	tl_replay_steps_release(&steps);
	return s;
}

static enum tl_status push_launches(struct merger *m, struct tl_error *err)
{
	enum tl_status s = TL_OK;

	for (size_t i = 0; !s && i < m->n_launches; i++) {
		const struct launch *l = &m->launches[i];
		const uint32_t *moved = tl_map_get(&m->moved, l->event);
		s = tl_push_link(m->next, TL_LINK_LAUNCH, moved ? *moved : l->call, l->event, err);
	}
	return s;
}

/* ---- the sink ----------------------------------------------------------------------------- */

static enum tl_status begin(struct tl_sink *s, const struct tl_header *h, const struct tl_tables *tables,
                            struct tl_error *err)
{
	struct merger *m = self(s);

	m->ids = (struct tl_translation){ .from = tables, .to = &m->copies.tables };
	if (!h->linked || !h->python)
		return tl_fail(err, TL_ERR_DATA, "captures are merged into a trace that was linked with Python frames "
		               "(tl-link --python)");
	enum tl_status status = m->inner->ops->begin(m->inner, h, &m->copies.tables, err);
	return status ? status : m->next->ops->begin(m->next, h, &m->copies.tables, err);
}

static void reset(struct tl_sink *s)
{
	tl_translation_forget(&self(s)->ids);
}

static enum tl_status add_meta(struct tl_sink *s, const char *key, size_t key_len, const char *json, size_t json_len,
                               struct tl_error *err)
{
	struct merger *m = self(s);
	uint64_t n_events = tl_meta_events(key, key_len, json, json_len);

	if (n_events > m->n_events)
		m->n_events = n_events;
	return m->next->ops->meta(m->next, key, key_len, json, json_len, err);
}

static enum tl_status add_event(struct tl_sink *s, const struct tl_event *given, struct tl_error *err)
{
	struct merger *m = self(s);
	struct tl_event e = *given;

	TL_GROW(m->values, m->cap_values, tl_layout_of(m->ids.from, given->layout)->n_fields);
	tl_translate_event(&m->ids, given, &e, m->values);
	if (m->n_events < e.uid + 1)
		m->n_events = e.uid + 1;
	enum tl_status status = m->inner->ops->event(m->inner, &e, err);
	if (!status)
		status = m->next->ops->event(m->next, &e, err);
	if (tl_tables_full(&m->copies.tables)) {
		m->inner->ops->reset(m->inner);
		m->next->ops->reset(m->next);
		tl_tables_clear(&m->copies.tables);
		tl_translation_forget(&m->ids);
	}
	return status;
}

static enum tl_status add_link(struct tl_sink *s, const struct tl_link *l, struct tl_error *err)
{
	struct merger *m = self(s);

	if (l->type == TL_LINK_ADOPT || l->type == TL_LINK_REPARENT || l->type == TL_LINK_REPLACE || l->type == TL_LINK_WORK)
		return tl_fail(err, TL_ERR_DATA, "the trace was edited before: captures are merged first");
	enum tl_status status = m->inner->ops->link(m->inner, l, err);
	if (status || l->type != TL_LINK_LAUNCH || l->a > UINT32_MAX || l->b > UINT32_MAX)
		return status ? status : m->next->ops->link(m->next, l, err);
	TL_PUSH(m->launches, m->n_launches, m->cap_launches, (struct launch){ (uint32_t)l->a, (uint32_t)l->b });
	return TL_OK;
}

static enum tl_status end(struct tl_sink *s, struct tl_error *err)
{
	struct merger *m = self(s);
	enum tl_status status = m->inner->ops->end(m->inner, err);

	if (!status)
		status = merge_all(m, err);
	if (!status)
		status = push_launches(m, err);
	if (!status && m->report.n_merged) /* the last numbers may be of events that have no copies */
		status = tl_push_event_count(m->next, m->n_events, err);
	return status ? status : m->next->ops->end(m->next, err);
}

/* ---- interface ----------------------------------------------------------------------------- */

struct tl_sink *tl_merger_new(struct tl_sink *next, const struct tl_merge_options *o)
{
	static const struct tl_sink_ops ops = {
		.begin = begin, .reset = reset, .meta = add_meta, .event = add_event, .link = add_link, .end = end,
	};
	struct merger *m = tl_calloc(1, sizeof *m);

	m->base.ops = &ops;
	m->next = next;
	m->options = *o;
	m->inner = tl_trace_sink_new(&m->trace, &(struct tl_trace_options){ .drop_kinds = TL_NOT_REPLAYED });
	m->copies = (struct tl_trace_source){ .to = next, .mark = TL_KEY_CAPTURED };
	return &m->base;
}

const struct tl_merge_report *tl_merger_report(const struct tl_sink *s)
{
	return &((const struct merger *)s)->report;
}

void tl_merger_free(struct tl_sink *s)
{
	if (!s)
		return;
	struct merger *m = self(s);
	for (size_t i = 0; i < CAPTURES; i++)
		tl_capture_trace_free(m->loaded[i].trace);
	for (size_t i = 0; i < m->report.n_notes; i++)
		free(m->report.notes[i].step);
	free(m->report.notes);
	tl_trace_source_release(&m->copies);
	tl_trace_sink_free(m->inner);
	tl_name_answers_release(&m->names);
	tl_trace_free(m->trace);
	tl_map_release(&m->moved);
	tl_translation_release(&m->ids);
	free(m->launches);
	free(m->values);
	free(m);
}
