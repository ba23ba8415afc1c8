/* finding_stakes.c - what findings of a trace are worth.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/findings_sheets.h"

#include "model/trace.h"
#include "work/launchers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PICKS = 3 };
static const double most_steps = 1e8; /* of runs: about a second */

/* What a finding changes. */
struct change {
	uint32_t *gpus; int64_t *less; size_t n, cap, cap_less; /* device events, by tl_trace_gpu */
	uint32_t *pieces; size_t n_pieces, cap_pieces;
	bool timed;                   /* can be re-timed; else it saves what its rows say */
	bool whole;                   /* it is about whole steps: others may say why */
};

struct maker {
	const struct tl_findings_input *in;
	struct tl_trace *t;
	const struct tl_launchers *launchers;
	const struct tl_host_pieces *pieces;
	struct tl_finding *found;
	struct change *changes; size_t n;
	struct tl_requeue queue;
	double least;                 /* ms: what is less is no finding */
	int64_t *less; bool *without; /* in force */
	uint8_t *holder;              /* by tl_trace_gpu: the pick that has the largest cut of it */
	size_t picks[PICKS]; unsigned n_picks; /* the findings picked so far */
	bool launches;                /* one of them takes launches away: no time behind it can be told */
};

static double ms_of(const struct maker *m, int64_t ticks)
{
	return tl_trace_us(m->t, ticks) / 1e3;
}

/* ---- what each changes ----------------------------------------------------------------------------------- */

/* Events lose the share of their time that the rule says of their row. */
static void take_events(struct maker *m, const struct tl_finding *f, const struct tl_fair_time *fair, struct change *c)
{
	for (size_t k = 0; k < f->n_rows; k++) {
		const uint32_t *events;
		size_t n = m->in->events(m->in->ctx, f->rule->texts[TL_RULE_SHEET], f->rows[k], &events);
		int64_t all = 0, sum = 0;
		for (size_t i = 0; i < n; i++)
			all = tl_ticks_add(all, tl_fair_time_of(fair, m->t, events[i]));
		double share = all > 0 ? fmin(f->row_ms[k] / ms_of(m, all), 1) : 0;
		TL_GROW(c->gpus, c->cap, c->n + n);
		TL_GROW(c->less, c->cap_less, c->n + n);
		for (size_t i = 0; i < n; i++) { /* in ticks that add up to the share of all */
			int64_t before = (int64_t)((double)sum * share + 0.5);
			sum = tl_ticks_add(sum, tl_fair_time_of(fair, m->t, events[i]));
			c->gpus[c->n] = tl_trace_gpu(m->t, events[i]);
			c->less[c->n++] = f->rule->effect == TL_EFFECT_GONE ? TL_REQUEUE_GONE : (int64_t)((double)sum * share + 0.5) - before;
		}
	}
}

static void take_pieces(const struct maker *m, const struct tl_finding *f, struct change *c)
{
	uint32_t last = 0;

	for (size_t k = 0; k < f->n_rows; k++)
		last = f->rows[k] > last ? f->rows[k] : last;
	bool *of_finding = tl_calloc((size_t)last + 1, 1);
	for (size_t k = 0; k < f->n_rows; k++)
		of_finding[f->rows[k]] = true;
	for (size_t i = 0; i < m->pieces->n; i++)
		if (m->pieces->items[i].row <= last && of_finding[m->pieces->items[i].row])
			TL_PUSH(c->pieces, c->n_pieces, c->cap_pieces, (uint32_t)i);
	free(of_finding);
}

static int64_t dur_of(const struct maker *m, uint32_t gpu)
{
	return m->t->events[m->launchers->gpus[gpu]].dur;
}

/* What devices would do less beside what is in force. */
static double cut_of(const struct maker *m, const struct change *c)
{
	int64_t sum = 0;

	for (size_t i = 0; i < c->n; i++) {
		int64_t all = dur_of(m, c->gpus[i]), cut = c->less[i] < all ? c->less[i] : all, now = m->less[c->gpus[i]];
		sum = tl_ticks_add(sum, now < cut ? cut - now : 0);
	}
	return ms_of(m, sum);
}

static void find_changes(struct maker *m, const struct tl_window *w)
{
	for (size_t i = 0; i < m->n; i++) {
		struct tl_finding *f = &m->found[i];
		struct change *c = &m->changes[i];

		if (f->rule->effect == TL_EFFECT_HOST || f->rule->effect == TL_EFFECT_LAUNCHES)
			take_pieces(m, f, c);
		else if (f->rule->effect != TL_EFFECT_NONE && f->rule->effect != TL_EFFECT_LIMIT)
			take_events(m, f, &w->fair, c);
		c->timed = f->rule->effect != TL_EFFECT_NONE && f->rule->effect != TL_EFFECT_LIMIT;
		c->whole = !strcmp(f->rule->texts[TL_RULE_SHEET], "step_times");
		if (!c->timed && !c->whole) /* of all devices */
			f->stake_ms /= (double)(w->devices->n ? w->devices->n : 1);
		if (c->n)
			f->device_ms = cut_of(m, c);
		if (f->rule->effect == TL_EFFECT_LIMIT) {
			f->device_ms = f->rows_ms;
			f->stake_ms = f->alone_ms = 0;
		}
	}
}

/* ---- picks ------------------------------------------------------------------------------------------------ */

/* The change comes into force; of two cuts of an event the larger one counts. */
static void apply(struct maker *m, const struct change *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->less[i] > m->less[c->gpus[i]])
			m->less[c->gpus[i]] = c->less[i];
	for (size_t i = 0; i < c->n_pieces; i++)
		m->without[c->pieces[i]] = true;
}

/* What the first n picks but one (from 1; 0: all) save together with another change, which may be NULL. All that is in force then. */
static double saved(struct maker *m, unsigned n, unsigned but, const struct change *other)
{
	for (size_t i = 0; i < m->n; i++) {
		for (size_t k = 0; k < m->changes[i].n; k++)
			m->less[m->changes[i].gpus[k]] = 0;
		for (size_t k = 0; k < m->changes[i].n_pieces; k++)
			m->without[m->changes[i].pieces[k]] = false;
	}
	for (unsigned i = 0; i < n; i++)
		if (i + 1 != but)
			apply(m, &m->changes[m->picks[i]]);
	if (other)
		apply(m, other);
	return ms_of(m, tl_requeue_run(&m->queue, m->less, m->without));
}

/* The pick that holds most of what the change would cut. */
static unsigned holder_of(const struct maker *m, const struct change *c)
{
	int64_t held[PICKS + 1] = { 0 };
	unsigned most = 1;

	for (size_t i = 0; i < c->n; i++)
		held[m->holder[c->gpus[i]]] += m->less[c->gpus[i]] == TL_REQUEUE_GONE ? dur_of(m, c->gpus[i]) : m->less[c->gpus[i]];
	for (unsigned i = 2; i <= PICKS; i++)
		most = held[i] > held[most] ? i : most;
	return most;
}

/* Findings of whose device time too little is left join the pick that has it. */
static void join(struct maker *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (!m->found[i].pick && !m->found[i].joins && m->changes[i].n && m->found[i].device_ms >= m->least && cut_of(m, &m->changes[i]) < m->least)
			m->found[i].joins = holder_of(m, &m->changes[i]);
}

/* What each of the others saves beside the picks so far. */
static void try_all(struct maker *m)
{
	double now = m->n_picks ? saved(m, m->n_picks, 0, NULL) : 0;

	for (size_t i = 0; i < m->n; i++) {
		struct tl_finding *f = &m->found[i];
		if (f->pick || f->joins)
			continue;
		if (m->changes[i].timed && !m->launches)
			f->stake_ms = fmax(saved(m, m->n_picks, 0, &m->changes[i]) - now, 0);
		else if (m->n_picks)
			f->stake_ms = f->alone_ms;
		if (f->rule->effect == TL_EFFECT_HOST) /* no more than the holes, which is what is known of it */
			f->stake_ms = fmin(f->stake_ms, f->rows_ms);
		if (!m->n_picks)
			f->alone_ms = f->stake_ms;
	}
}

static size_t largest(const struct maker *m)
{
	size_t most = m->n;

	for (size_t i = 0; i < m->n; i++)
		if (!m->found[i].pick && !m->found[i].joins && !m->changes[i].whole && (most == m->n || m->found[i].stake_ms > m->found[most].stake_ms))
			most = i;
	return most;
}

/* The pick without which a finding saves less than half. */
static unsigned needed(struct maker *m, size_t i)
{
	const struct tl_finding *f = &m->found[i];

	for (unsigned but = 1; but <= m->n_picks && m->changes[i].timed && !m->launches && f->alone_ms * 2 < f->stake_ms; but++)
		if (2 * (saved(m, m->n_picks, but, &m->changes[i]) - saved(m, m->n_picks, but, NULL)) < f->stake_ms)
			return but;
	return 0;
}

static void pick(struct maker *m)
{
	unsigned rounds = (double)m->queue.n * (double)m->n * PICKS > most_steps ? 1 : PICKS;

	while (m->n_picks < rounds) {
		try_all(m);
		size_t i = largest(m);
		if (i == m->n || m->found[i].stake_ms < m->least)
			return;
		const struct change *c = &m->changes[i];
		m->found[i].after = needed(m, i);
		saved(m, m->n_picks, 0, NULL);
		for (size_t k = 0; k < c->n; k++)
			m->holder[c->gpus[k]] = c->less[k] > m->less[c->gpus[k]] ? (uint8_t)(m->n_picks + 1) : m->holder[c->gpus[k]];
		apply(m, c);
		m->picks[m->n_picks++] = i;
		m->found[i].pick = m->n_picks;
		m->launches |= m->found[i].rule->effect == TL_EFFECT_LAUNCHES;
		join(m);
	}
}

/* Of whole steps that is at stake which no other finding explains. */
static void explain_steps(struct maker *m)
{
	double explained = 0;

	for (size_t i = 0; i < m->n; i++)
		explained += m->changes[i].whole || m->found[i].joins ? 0 : m->found[i].stake_ms;
	for (size_t i = 0; i < m->n; i++)
		if (m->changes[i].whole)
			m->found[i].stake_ms = m->found[i].alone_ms = fmax(m->found[i].rows_ms - explained, 0);
}

void tl_finding_stakes(const struct tl_findings_input *in, struct tl_trace *t, const struct tl_window *w, const struct tl_host_pieces *pieces,
                       struct tl_finding *found, size_t n)
{
	size_t gpus = (size_t)t->n_gpus + 1;
	struct maker m = { .in = in, .t = t, .launchers = tl_launchers_of(t), .pieces = pieces, .found = found, .n = n, .changes = tl_calloc(n + 1, sizeof *m.changes),
		.least = fmax(in->least_share * in->window_ms, TL_LEAST_FINDING_MS),
		.less = tl_calloc(gpus, sizeof *m.less), .without = tl_calloc(pieces->n + 1, 1), .holder = tl_calloc(gpus, 1) };
	bool *may_go = NULL;

	find_changes(&m, w);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; found[i].rule->effect == TL_EFFECT_GONE && k < m.changes[i].n; k++) {
			may_go = may_go ? may_go : tl_calloc(gpus, 1);
			may_go[m.changes[i].gpus[k]] = true;
		}
	tl_requeue_init(&m.queue, t, w->devices, &w->recorded->window, pieces->items, pieces->n, may_go);
	pick(&m);
	explain_steps(&m);
	for (size_t i = 0; i < n; i++) {
		free(m.changes[i].gpus);
		free(m.changes[i].less);
		free(m.changes[i].pieces);
	}
	tl_requeue_release(&m.queue);
	free(m.changes);
	free(m.less);
	free(m.without);
	free(m.holder);
	free(may_go);
}
