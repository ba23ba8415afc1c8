/* measure.c - models evaluated for the events of a trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "roofline/measure.h"

#include "analysis/event_order.h"
#include "model/trace_work.h"

#include <stdlib.h>
#include <string.h>

static const char *const arg_names[] = { TL_KEY_INPUT_DIMS, TL_KEY_INPUT_TYPE, TL_KEY_INPUT_STRIDES, TL_KEY_CONCRETE_INPUTS, TL_KEY_OUTPUT_TYPE };
enum { DIMS, TYPES, STRIDES, CONCRETE, OUT_TYPES, N_ARGS = TL_SIG_ARGS };

/* ---- set-up --------------------------------------------------------------------- */

static void index_backward(struct tl_measure *m)
{
	const struct tl_trace *t = m->trace;

	if (!t->n_bwds)
		return;
	m->bwd_start = tl_calloc((size_t)t->n_events + 2, sizeof *m->bwd_start);
	m->bwd_items = tl_alloc(t->n_bwds * sizeof *m->bwd_items);
	for (size_t i = 0; i < t->n_bwds; i++)
		m->bwd_start[t->bwds[i].fwd + 1]++;
	for (uint32_t i = 0; i < t->n_events; i++)
		m->bwd_start[i + 1] += m->bwd_start[i];
	for (size_t i = t->n_bwds; i-- > 0;) /* from behind: [fwd + 1] falls to where it began */
		m->bwd_items[--m->bwd_start[t->bwds[i].fwd + 1]] = t->bwds[i].bwd;
	memmove(m->bwd_start, m->bwd_start + 1, ((size_t)t->n_events + 1) * sizeof *m->bwd_start);
	m->bwd_start[t->n_events] = (uint32_t)t->n_bwds;
}

static void index_layouts(struct tl_measure *m)
{
	const struct tl_trace *t = m->trace;
	uint32_t most = 0;

	m->sig_layouts = tl_calloc((size_t)t->n_layouts + 1, sizeof *m->sig_layouts);
	for (uint32_t l = 0; l < t->n_layouts; l++) {
		struct tl_sig_layout *to = &m->sig_layouts[l];
		uint32_t first = UINT32_MAX, past = 0;

		for (size_t i = 0; i < N_ARGS; i++) {
			int32_t place = to->place[i] = m->args[i].place[l];
			if (place < 0)
				continue;
			to->types |= (uint64_t)t->layouts[l].fields[place].type << (32 + 4 * i);
			first = (uint32_t)place < first ? (uint32_t)place : first;
			past = (uint32_t)place >= past ? (uint32_t)place + 1 : past;
		}
		if (past) {
			to->first = first;
			to->n = past - first;
		}
		most = to->n > most ? to->n : most;
	}
	m->taken = tl_alloc(most * sizeof *m->taken);
}

void tl_measure_init(struct tl_measure *m, struct tl_trace *t, const struct tl_registry *r)
{
	memset(m, 0, sizeof *m);
	m->trace = t;
	m->registry = r;
	m->memory = tl_memory_new();
	m->max_effort = 64 * (uint64_t)t->n_events + 1000000; /* every event 64 operators deep */
	for (size_t i = 0; i < N_ARGS; i++)
		tl_arg_init(&m->args[i], t, arg_names[i]);
	m->n_names = t->strings.count + 1;
	m->ops = tl_calloc(m->n_names, sizeof *m->ops);
	m->op_known = tl_calloc(m->n_names, 1);
	m->marks = tl_calloc((size_t)t->n_events + 1, 1);
	m->fact_of = tl_calloc((size_t)t->n_events + 1, sizeof *m->fact_of);
	index_layouts(m);
	index_backward(m);
}

void tl_measure_release(struct tl_measure *m)
{
	tl_memory_free(m->memory);
	for (size_t i = 0; i < N_ARGS; i++)
		tl_arg_release(&m->args[i]);
	tl_arena_release(&m->arena);
	tl_strtab_release(&m->lists);
	tl_map_release(&m->evaluated);
	tl_map_release(&m->decoded);
	tl_map_release(&m->failed_at);
	tl_spans_release(&m->spans);
	tl_buf_release(&m->key);
	free(m->ops);
	free(m->op_known);
	free(m->named);
	free(m->evaluations);
	free(m->fact_of);
	free(m->marks);
	free(m->facts);
	free(m->sig_layouts);
	free(m->taken);
	free(m->sigs);
	free(m->sig_known);
	free(m->sig_slots);
	free(m->values);
	free(m->bwd_start);
	free(m->bwd_items);
	free(m->steps);
	free(m->failed);
	free(m->failed_why);
	free(m->failed_count);
	free(m->stack);
	memset(m, 0, sizeof *m);
}

bool tl_measure_spend(struct tl_measure *m, uint64_t n)
{
	m->effort += n;
	m->exhausted |= m->effort > m->max_effort;
	return !m->exhausted;
}

/* ---- operators ------------------------------------------------------------------- */

const struct tl_perf_op *tl_measure_find_op(struct tl_measure *m, uint32_t name)
{
	if (name >= m->n_names)
		return tl_op_find(m->registry, tl_str(&m->trace->strings, name));
	if (!m->op_known[name]) {
		m->op_known[name] = 1;
		m->ops[name] = name ? tl_op_find(m->registry, tl_str(&m->trace->strings, name)) : NULL;
	}
	return m->ops[name];
}

void tl_measure_find_named(struct tl_measure *m)
{
	/* no name is newer than the measure */
	const struct tl_ev *events = m->trace->events;
	const uint32_t n = m->trace->n_events;
	size_t cap = 0;

	for (uint32_t e = 0; e < n; e++) {
		uint32_t name = events[e].name;
		if (!(m->op_known[name] ? m->ops[name] : tl_measure_find_op(m, name)))
			continue;
		TL_GROW(m->named, cap, m->n_named + 1);
		m->named[m->n_named++] = e;
	}
}

/* ---- signatures --------------------------------------------------------------------- */

static uint64_t hash_sig(const struct tl_sig *s)
{
	uint64_t h = s->head;

	for (size_t i = 0; i < N_ARGS; i++)
		h = (h ^ (uint64_t)s->value[i]) * 0x9e3779b97f4a7c15u + (h >> 29);
	return tl_hash_u64(h);
}

static bool same_sig(const struct tl_sig *a, const struct tl_sig *b)
{
	uint64_t differ = a->head ^ b->head;

	for (size_t i = 0; i < N_ARGS; i++)
		differ |= (uint64_t)(a->value[i] ^ b->value[i]);
	return !differ;
}

static void widen_sigs(struct tl_measure *m)
{
	uint32_t size = m->sig_slots ? 2 * (m->sig_mask + 1) : 256;

	free(m->sig_slots);
	m->sig_slots = tl_calloc(size, sizeof *m->sig_slots);
	m->sig_mask = size - 1;
	for (size_t i = 0; i < m->n_sigs; i++) {
		uint32_t at = (uint32_t)hash_sig(&m->sigs[i]) & m->sig_mask;
		while (m->sig_slots[at])
			at = (at + 1) & m->sig_mask;
		m->sig_slots[at] = (uint32_t)i + 1;
	}
}

static uint32_t number_of_sig(struct tl_measure *m, const struct tl_sig *s)
{
	if (!m->sig_slots || m->n_sigs >= m->sig_mask / 2)
		widen_sigs(m);
	uint32_t at = (uint32_t)hash_sig(s) & m->sig_mask;
	for (; m->sig_slots[at]; at = (at + 1) & m->sig_mask)
		if (same_sig(&m->sigs[m->sig_slots[at] - 1], s))
			return m->sig_slots[at] - 1;
	size_t cap = m->cap_sigs;
	TL_GROW(m->sigs, m->cap_sigs, m->n_sigs + 1);
	if (cap != m->cap_sigs)
		m->sig_known = tl_realloc(m->sig_known, m->cap_sigs * sizeof *m->sig_known);
	m->sig_known[m->n_sigs] = (struct tl_sig_known){ 0 };
	m->sigs[m->n_sigs++] = *s;
	m->sig_slots[at] = (uint32_t)m->n_sigs;
	return (uint32_t)m->n_sigs - 1;
}

struct tl_fact *tl_measure_make_fact(struct tl_measure *m, uint32_t event)
{
	const struct tl_ev *e = &m->trace->events[event];
	const struct tl_sig_layout *l = &m->sig_layouts[e->layout];
	struct tl_sig s = { .head = e->name | l->types };

	tl_trace_values(m->trace, e, l->first, l->n, m->taken);
	for (size_t i = 0; l->n && i < N_ARGS; i++)
		if (l->place[i] >= 0)
			s.value[i] = m->taken[(uint32_t)l->place[i] - l->first];
	if (!m->facts) { /* most of them launch something */
		m->cap_facts = m->trace->n_launches + 64;
		m->facts = tl_alloc(m->cap_facts * sizeof *m->facts);
	}
	TL_GROW(m->facts, m->cap_facts, m->n_facts + 1);
	struct tl_fact *f = &m->facts[m->n_facts++];
	f->sig = number_of_sig(m, &s);
	f->has_work = false;
	f->x = NULL;
	m->fact_of[event] = (uint32_t)m->n_facts;
	return f;
}

static bool find_modelled(struct tl_measure *m, const struct tl_perf_op *op, uint32_t event)
{
	struct tl_perf_event ev;

	tl_measure_event(m, op, event, &(struct tl_work){ 0 }, &ev);
	return tl_op_models(m->registry, op, &ev);
}

bool tl_measure_look_modelled(struct tl_measure *m, uint32_t event)
{
	const struct tl_perf_op *op = tl_measure_op(m, event);
	bool yes;

	if (m->marks[event] & (TL_MARK_MODELLED | TL_MARK_NOT_MODELLED))
		return m->marks[event] & TL_MARK_MODELLED;
	if (op->looks_beyond) {
		yes = find_modelled(m, op, event);
	} else {
		uint32_t sig = tl_measure_sig(m, event);
		if (!m->sig_known[sig].modelled)
			m->sig_known[sig].modelled = find_modelled(m, op, event) ? 2 : 1;
		yes = m->sig_known[sig].modelled == 2;
	}
	m->marks[event] |= yes ? TL_MARK_MODELLED : TL_MARK_NOT_MODELLED;
	return yes;
}

/* ---- device work -------------------------------------------------------------------- */

/* The same events by start; a copy only when they are not yet so. */
static const uint32_t *sorted(struct tl_measure *m, const uint32_t *events, uint32_t n)
{
	uint32_t *copy;
	const uint32_t *by_start = tl_events_by_start(m->trace, events, n, &copy);

	if (!copy)
		return by_start;
	uint32_t *out = tl_arena_alloc(&m->arena, n * sizeof *out);
	memcpy(out, copy, n * sizeof *out);
	free(copy);
	return out;
}

void tl_measure_time(struct tl_measure *m, const uint32_t *by_start, uint32_t n, struct tl_work *out)
{
	out->events = by_start;
	out->n = n;
	if (n == 1 && tl_gpu_usable(&m->trace->events[*by_start])) { /* most have one */
		const struct tl_ev *e = &m->trace->events[*by_start];
		double s = tl_us(m->trace, tl_ticks_sub(e->ts, m->trace->first_ts));
		out->ints = (e->flags & TL_EV_INT_TS) && (e->flags & TL_EV_INT_DUR);
		out->ticks = e->dur > 0 ? tl_ticks_sub(tl_ev_end(e), e->ts) : 0;
		out->rounded = s + tl_us(m->trace, e->dur) - s;
		return;
	}
	out->ticks = tl_busy_ticks(m->trace, by_start, n, &m->spans, &out->ints);
	out->rounded = tl_rounded_time(m->trace, by_start, n);
}

void tl_measure_work_of(struct tl_measure *m, uint32_t event, const uint32_t *events, uint32_t n, struct tl_work *out)
{
	if (!tl_measure_spend(m, n)) {
		tl_measure_time(m, events, 0, out);
		return;
	}
	struct tl_fact *f = tl_measure_fact(m, event);
	if (!f->has_work)
		tl_measure_time(m, n > 1 ? sorted(m, events, n) : events, n, &f->work);
	f->has_work = true;
	*out = f->work;
}

void tl_measure_work(struct tl_measure *m, uint32_t event, struct tl_work *out)
{
	uint32_t n;
	const uint32_t *events = tl_trace_work(m->trace, event, &n);

	tl_measure_work_of(m, event, events, n, out);
}

bool tl_measure_has_backward(const struct tl_measure *m, uint32_t event)
{
	return m->bwd_start && m->bwd_start[event] != m->bwd_start[event + 1];
}

uint32_t tl_measure_wrapper(const struct tl_measure *m, uint32_t event)
{
	const struct tl_trace *t = m->trace;
	uint32_t w = t->events[event].parent;

	for (int level = 0; level < 5 && w != TL_NONE; level++, w = t->events[w].parent)
		if (t->fwd_of[w] != TL_NONE)
			return w;
	return TL_NONE;
}

/* Has the wrapper exactly one operator with device work among those below it
 * (through operators only) that has the name after its first ": "? */
static bool one_worker(struct tl_measure *m, uint32_t w)
{
	const struct tl_trace *t = m->trace;
	const char *colon = strstr(tl_str(&t->strings, t->events[w].name), ": ");
	size_t n = 1;
	uint32_t found = 0, n_work;

	TL_GROW(m->stack, m->cap_stack, 1);
	m->stack[0] = w;
	while (n) {
		uint32_t e = m->stack[--n];
		tl_measure_spend(m, 1);
		for (uint32_t c = m->exhausted ? TL_NONE : t->events[e].first_child; c != TL_NONE; c = t->events[c].next_sibling) {
			if (t->events[c].kind != TL_KIND_CPU_OP)
				continue;
			tl_trace_work(m->trace, c, &n_work);
			found += (!colon || !strcmp(tl_str(&t->strings, t->events[c].name), colon + 2)) && n_work;
			TL_GROW(m->stack, m->cap_stack, n + 1);
			m->stack[n++] = c;
		}
	}
	return found == 1;
}

bool tl_measure_stands_for(struct tl_measure *m, uint32_t wrapper)
{
	uint32_t forward = m->trace->fwd_of[wrapper];
	const struct tl_perf_op *op = tl_measure_op(m, forward);

	return op && op->backward && tl_measure_modelled(m, forward) && one_worker(m, wrapper);
}

/* Backward events of an event and of all below it, each once, in m->stack. */
static size_t collect_backward(struct tl_measure *m, uint32_t event)
{
	const struct tl_trace *t = m->trace;
	uint32_t *todo = NULL;
	size_t n_todo = 0, cap_todo = 0, n = 0;
	struct tl_map seen = { 0 };
	bool is_new;

	if (!m->bwd_start)
		return 0;
	TL_GROW(todo, cap_todo, 1);
	todo[n_todo++] = event;
	while (n_todo && tl_measure_spend(m, 1)) {
		uint32_t e = todo[--n_todo];
		for (uint32_t i = m->bwd_start[e]; i < m->bwd_start[e + 1]; i++) {
			tl_map_put(&seen, m->bwd_items[i], &is_new);
			if (!is_new)
				continue;
			TL_GROW(m->stack, m->cap_stack, n + 1);
			m->stack[n++] = m->bwd_items[i];
		}
		for (uint32_t c = t->events[e].first_child; c != TL_NONE; c = t->events[c].next_sibling) {
			if (tl_kind_is_gpu(t->events[c].kind))
				continue;
			TL_GROW(todo, cap_todo, n_todo + 1);
			todo[n_todo++] = c;
		}
	}
	tl_map_release(&seen);
	free(todo);
	return n;
}

void tl_measure_backward_work(struct tl_measure *m, uint32_t event, struct tl_work *out)
{
	size_t n = collect_backward(m, event);
	uint32_t *all = NULL, total = 0;
	size_t cap = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t k;
		const uint32_t *events = tl_trace_work(m->trace, m->stack[i], &k);
		if (!tl_measure_spend(m, k))
			break;
		TL_GROW(all, cap, (size_t)total + k + 1);
		if (k)
			memcpy(all + total, events, k * sizeof *all);
		total += k;
	}
	uint32_t *kept = tl_arena_alloc(&m->arena, ((size_t)total + 1) * sizeof *kept);
	if (total)
		memcpy(kept, all, total * sizeof *kept);
	free(all);
	tl_measure_time(m, sorted(m, kept, total), total, out);
}

/* ---- arguments ---------------------------------------------------------------------- */

struct tl_value tl_measure_decode(struct tl_measure *m, int type, int64_t value)
{
	const struct tl_strtab *s = &m->trace->strings;
	bool is_new;

	if (type == TL_FIELD_INT)
		return (struct tl_value){ .type = TL_V_INT, .i = value };
	if (type == TL_FIELD_STRING)
		return (struct tl_value){ .type = TL_V_TEXT, .len = (uint32_t)tl_str_len(s, (uint32_t)value), .text = tl_str(s, (uint32_t)value) };
	uint32_t *at = tl_map_put(&m->decoded, (uint64_t)value, &is_new);
	if (is_new) {
		struct tl_value v;
		if (tl_value_parse(&m->arena, tl_str(s, (uint32_t)value), tl_str_len(s, (uint32_t)value), &v, NULL))
			v = (struct tl_value){ .type = TL_V_NULL };
		TL_GROW(m->values, m->cap_values, m->n_values + 1);
		m->values[m->n_values++] = v;
		*at = (uint32_t)m->n_values;
	}
	return m->values[*at - 1];
}

struct arg_context { struct tl_measure *m; uint32_t event; struct tl_value v; };

static const struct tl_value *other_arg(void *ctx, const char *key)
{
	struct arg_context *c = ctx;
	const struct tl_trace *t = c->m->trace;
	int64_t value;
	uint32_t id = tl_strtab_find(&t->strings, key, strlen(key));
	int type = id ? tl_trace_field(t, c->event, id, false, &value) : 0;

	if (!type)
		return NULL;
	c->v = tl_measure_decode(c->m, type, value);
	return &c->v;
}

/* ---- annotations -------------------------------------------------------------------- */

static int by_ts(const void *pa, const void *pb)
{
	const struct tl_span_events *a = pa, *b = pb;

	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	return a->event < b->event ? -1 : a->event > b->event;
}

static void make_steps(struct tl_measure *m)
{
	const struct tl_trace *t = m->trace;
	size_t cap = 0;

	m->steps_made = true;
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if ((e->kind != TL_KIND_ANNOTATION && e->kind != TL_KIND_GPU_ANNOTATION) || !(e->flags & TL_EV_HAS_TS))
			continue;
		TL_GROW(m->steps, cap, m->n_steps + 1);
		m->steps[m->n_steps++] = (struct tl_span_events){ e->ts, tl_ev_end(e), 0, i };
	}
	if (m->n_steps)
		qsort(m->steps, m->n_steps, sizeof *m->steps, by_ts);
	for (size_t i = 0; i < m->n_steps; i++)
		m->steps[i].latest = i && m->steps[i - 1].latest > m->steps[i].end ? m->steps[i - 1].latest : m->steps[i].end;
}

/* Text of the earliest annotation around an event, or NULL: the first that ends
 * after it is where the latest end so far passes the event's. */
static const char *annotation_of(struct tl_measure *m, uint32_t event)
{
	const struct tl_ev *e = &m->trace->events[event];
	int64_t end = tl_ev_end(e);
	size_t low = 0, high;

	if (!m->steps_made)
		make_steps(m);
	for (high = m->n_steps; low < high;) {
		size_t mid = low + (high - low) / 2;
		if (m->steps[mid].latest > end)
			high = mid;
		else
			low = mid + 1;
	}
	if (low == m->n_steps || m->steps[low].ts > e->ts)
		return NULL;
	return tl_str(&m->trace->strings, m->trace->events[m->steps[low].event].name);
}

/* ---- the roof -------------------------------------------------------------------------- */

bool tl_roof_of(const struct tl_arch *arch, const char *spec, double gflops, bool has_bytes, double bytes, struct tl_roof *out)
{
	double peak = arch ? tl_arch_peak(arch, spec) : 0, bandwidth = arch ? tl_arch_bandwidth(arch) : 0;

	if (!(peak > 0) || !(bandwidth > 0) || !has_bytes || !(gflops > 0))
		return false;
	out->compute = gflops * 1e9 / (peak * 1e12) * 1e6;
	out->memory = bytes / (bandwidth * 1e9) * 1e6;
	out->least = out->compute >= out->memory ? out->compute : out->memory;
	out->bound = out->compute >= out->memory ? "COMPUTE_BOUND" : "MEMORY_BOUND";
	return true;
}

/* ---- evaluation ------------------------------------------------------------------------ */

/* The last event filled; models look at one at a time. */
void tl_measure_event(struct tl_measure *m, const struct tl_perf_op *op, uint32_t event, const struct tl_work *w, struct tl_perf_event *ev)
{
	const struct tl_trace *t = m->trace;
	const struct tl_ev *e = &t->events[event];
	const struct tl_value *lists[N_ARGS];

	for (size_t i = 0; i < N_ARGS; i++) {
		int64_t value;
		int type = tl_arg_get(&m->args[i], t, event, &value);
		struct tl_value *v = NULL;
		if (type) {
			v = tl_arena_alloc(&m->arena, sizeof *v);
			*v = tl_measure_decode(m, type, value);
		}
		lists[i] = v;
	}
	const char **kernels = tl_arena_alloc(&m->arena, ((size_t)w->n + 1) * sizeof *kernels);
	for (uint32_t i = 0; i < w->n; i++)
		kernels[i] = tl_str(&t->strings, t->events[w->events[i]].name);
	struct arg_context *c = tl_arena_alloc(&m->arena, sizeof *c);
	*c = (struct arg_context){ .m = m, .event = event };
	*ev = (struct tl_perf_event){
		.name = tl_str(&t->strings, e->name), .name_len = tl_str_len(&t->strings, e->name),
		.dims = lists[DIMS], .types = lists[TYPES], .strides = lists[STRIDES],
		.concrete = lists[CONCRETE], .out_types = lists[OUT_TYPES],
		.kernels = kernels, .n_kernels = w->n,
		.annotation = op->annotated ? annotation_of(m, event) : NULL,
		.arg = other_arg, .ctx = c,
	};
}

/* What tells lists of kernel names apart: one stands for itself, several for the
 * text of their list. There is not the memory for 2^31 of them. */
static uint32_t kernels_of(struct tl_measure *m, const struct tl_work *w)
{
	const struct tl_ev *events = m->trace->events;

	if (w->n < 2)
		return w->n ? 2 * events[w->events[0]].name : 0;
	tl_buf_clear(&m->key);
	for (uint32_t i = 0; i < w->n; i++) {
		uint32_t name = events[w->events[i]].name;
		tl_buf_add(&m->key, &name, sizeof name);
	}
	return 2 * tl_intern(&m->lists, m->key.data, m->key.len) + 1;
}

static struct tl_evaluation *evaluate(struct tl_measure *m, const struct tl_perf_op *op, uint32_t event,
                                      const struct tl_work *w, bool backward)
{
	struct tl_evaluation *x = tl_arena_alloc(&m->arena, sizeof *x);
	struct tl_perf_event ev;
	struct tl_perf_result res;

	tl_measure_event(m, op, event, w, &ev);
	tl_perf_evaluate(m->registry, op, &ev, m->memory, backward, &m->arena, &res);
	*x = (struct tl_evaluation){
		.outcome = res.outcome, .reason = res.reason, .has_bytes = res.has_bytes,
		.gflops = res.flops / 1e9, .bytes = res.bytes,
		.spec = tl_intern(&m->trace->strings, res.spec, strlen(res.spec)),
		.params = res.params, .n_params = res.n_params, .index = m->n_made++,
	};
	return x;
}

/* Equal keys give equal results: name and lists, direction, kernel names. */
static const struct tl_evaluation *evaluate_once(struct tl_measure *m, const struct tl_perf_op *op, uint32_t event,
                                                 const struct tl_work *w, bool backward)
{
	uint32_t sig = tl_measure_sig(m, event), kernels = kernels_of(m, w);
	bool is_new;

	if (!backward && m->sig_known[sig].x && m->sig_known[sig].kernels == kernels)
		return m->sig_known[sig].x;
	uint32_t *at = tl_map_put(&m->evaluated, (uint64_t)sig << 33 | (uint64_t)backward << 32 | kernels, &is_new);
	if (is_new) {
		TL_GROW(m->evaluations, m->cap_evaluations, m->n_evaluations + 1);
		m->evaluations[m->n_evaluations++] = evaluate(m, op, event, w, backward);
		*at = (uint32_t)m->n_evaluations;
	}
	if (!backward) {
		m->sig_known[sig].kernels = kernels;
		m->sig_known[sig].x = m->evaluations[*at - 1];
	}
	return m->evaluations[*at - 1];
}

const struct tl_evaluation *tl_measure_evaluate(struct tl_measure *m, const struct tl_perf_op *op, uint32_t event,
                                                const struct tl_work *w, bool backward)
{
	if (op->looks_beyond)
		return evaluate(m, op, event, w, backward);
	if (backward)
		return evaluate_once(m, op, event, w, true);
	struct tl_fact *f = tl_measure_fact(m, event);
	if (!f->x)
		f->x = evaluate_once(m, op, event, w, false);
	return f->x;
}

void tl_measure_note_failure(struct tl_measure *m, uint32_t event, const struct tl_evaluation *x)
{
	bool is_new;

	if (m->marks[event] & TL_MARK_FAILED)
		return;
	m->marks[event] |= TL_MARK_FAILED;
	uint32_t *at = tl_map_put(&m->failed_at, m->trace->events[event].name, &is_new);
	if (is_new) {
		size_t cap = m->cap_failed;
		TL_GROW(m->failed, m->cap_failed, m->n_failed + 1);
		if (cap != m->cap_failed) {
			m->failed_why = tl_realloc(m->failed_why, m->cap_failed * sizeof *m->failed_why);
			m->failed_count = tl_realloc(m->failed_count, m->cap_failed * sizeof *m->failed_count);
		}
		*at = (uint32_t)m->n_failed;
		m->failed[m->n_failed] = m->trace->events[event].name;
		m->failed_why[m->n_failed] = x->reason;
		m->failed_count[m->n_failed++] = 0;
	}
	m->failed_count[*at]++;
}

struct tl_cell tl_measure_params(struct tl_measure *m, const struct tl_evaluation *x)
{
	struct tl_evaluation *own = (struct tl_evaluation *)(uintptr_t)x; /* the text is made late */

	if (!x->n_params)
		return tl_cell_null();
	if (!own->params_text) {
		tl_buf_clear(&m->key);
		tl_buf_addc(&m->key, '{');
		for (size_t i = 0; i < x->n_params; i++) {
			tl_buf_adds(&m->key, i ? ", " : "");
			tl_repr_text(&m->key, x->params[i].name, strlen(x->params[i].name));
			tl_buf_adds(&m->key, ": ");
			tl_value_repr(&m->key, &x->params[i].value, false);
		}
		tl_buf_addc(&m->key, '}');
		own->params_text = tl_intern(&m->trace->strings, m->key.data, m->key.len);
	}
	return tl_cell_text(own->params_text);
}
