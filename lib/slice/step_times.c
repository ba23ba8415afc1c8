/* step_times.c - when the annotations that a slice is about were open.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "slice/step_times.h"

#include "analysis/device_events.h"
#include "analysis/profiler_step.h"
#include "steps/step_find.h"

#include <stdlib.h>

/* ---- spans by process --------------------------------------------------------------- */

void tl_process_spans_add(struct tl_process_spans *p, uint32_t pid, int64_t start, int64_t end)
{
	tl_spans_add(TL_ITEM(p, pid, NULL), start, end);
}

void tl_process_spans_merge(struct tl_process_spans *p)
{
	for (size_t i = 0; i < p->n; i++)
		tl_spans_merge(&p->items[i]);
}

bool tl_process_spans_overlap(const struct tl_process_spans *p, uint32_t pid, int64_t start, int64_t end)
{
	const struct tl_spans *s = TL_ITEM_FIND(p, pid);
	size_t i = s ? tl_spans_from(s, start) : 0;

	return s && i < s->n && (s->items[i].start < end || s->items[i].start == start);
}

void tl_process_spans_release(struct tl_process_spans *p)
{
	for (size_t i = 0; i < p->n; i++)
		tl_spans_release(&p->items[i]);
	TL_KEYED_RELEASE(p);
	*p = (struct tl_process_spans){ 0 };
}

/* ---- lists for messages --------------------------------------------------------------- */

enum { MAX_LISTED = 20 };

void tl_listing_add(struct tl_listing *l, const char *s, size_t len)
{
	uint32_t before = l->seen.count;

	tl_intern(&l->seen, s, len);
	if (l->seen.count > before && before < MAX_LISTED)
		tl_buf_addf(&l->text, "%s%.*s", before ? ", " : "", len < 40 ? (int)len : 40, s);
}

const char *tl_listing_text(struct tl_listing *l)
{
	if (l->seen.count > MAX_LISTED)
		tl_buf_addf(&l->text, " and %u more", (unsigned)l->seen.count - MAX_LISTED);
	return l->seen.count ? tl_buf_text(&l->text) : "none";
}

void tl_listing_release(struct tl_listing *l)
{
	tl_strtab_release(&l->seen);
	tl_buf_release(&l->text);
}

/* ---- annotations ---------------------------------------------------------------------- */

struct finder {
	const struct tl_trace *t;
	const struct tl_slice_options *o;
	const struct tl_pattern *regex;
	struct tl_map matches;  /* by string id of the name: 1 no, 2 yes */
	struct tl_steps found;  /* matching annotations */
	struct tl_listing names;
};

static bool in_steps(const struct tl_slice_options *o, int64_t n)
{
	return o->first_step < 0 || (n >= o->first_step && n <= o->last_step);
}

static bool name_matches(struct finder *f, uint32_t id)
{
	const char *name = tl_str(&f->t->strings, id);
	uint32_t *known = tl_map_put(&f->matches, id, NULL);

	if (*known)
		return *known == 2;
	size_t len = tl_str_len(&f->t->strings, id);
	int64_t step = tl_profiler_step(name);
	if (f->regex || step >= 0)
		tl_listing_add(&f->names, name, len);
	bool matches = f->regex ? tl_pattern_matches(f->regex, name, len) : step >= 0;
	*known = matches ? 2 : 1;
	return matches;
}

/* Keeps the annotations with such a number: that of ProfilerStep#N or, with an expression, the place among those of a thread. */
static void choose_by_number(struct finder *f)
{
	int64_t *n_before = tl_calloc((size_t)f->t->n_tracks + 1, sizeof *n_before);
	size_t kept = 0;

	for (size_t i = 0; i < f->found.n; i++) {
		const struct tl_ev *e = &f->t->events[f->found.items[i].event];
		int64_t number = f->regex ? ++n_before[e->track] : tl_profiler_step(tl_str(&f->t->strings, e->name));
		if (in_steps(f->o, number))
			f->found.items[kept++] = f->found.items[i];
	}
	f->found.n = kept;
	free(n_before);
}

static enum tl_status none_found(struct finder *f, size_t n_matching, struct tl_error *err)
{
	if (f->regex && n_matching)
		return tl_fail(err, TL_ERR_DATA, "no thread has %lld annotations that match '%.100s'",
		               (long long)f->o->first_step, f->o->annotation);
	if (f->regex)
		return tl_fail(err, TL_ERR_DATA, "no annotation matches '%.100s'; the trace has: %s", f->o->annotation,
		               tl_listing_text(&f->names));
	return tl_fail(err, TL_ERR_DATA, "no annotation ProfilerStep#N with such a number; the trace has: %s",
	               tl_listing_text(&f->names));
}

enum tl_status tl_step_times_find(struct tl_step_times *times, const struct tl_trace *t, const struct tl_slice_options *o,
                                  const struct tl_pattern *regex, struct tl_error *err)
{
	struct finder f = { .t = t, .o = o, .regex = regex };
	enum tl_status status = TL_OK;
	size_t n_matching;

	*times = (struct tl_step_times){ 0 };
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		bool is_annotation = e->kind == TL_KIND_ANNOTATION || e->kind == TL_KIND_GPU_ANNOTATION ||
		                     (!regex && e->kind == TL_KIND_CPU_OP); /* as old profilers write ProfilerStep#N */
		if (!is_annotation || !(e->flags & TL_EV_HAS_TS) || !name_matches(&f, e->name))
			continue;
		TL_PUSH(f.found.items, f.found.n, f.found.cap,
			(struct tl_step){ .event = i, .from = e->ts, .to = tl_ev_end(e) });
	}
	tl_steps_settle(&f.found, t, true);
	n_matching = f.found.n;
	choose_by_number(&f);
	for (size_t i = 0; i < f.found.n; i++) {
		const struct tl_step *s = &f.found.items[i];
		const struct tl_ev *e = &t->events[s->event];
		struct tl_process_spans *to = e->kind == TL_KIND_GPU_ANNOTATION ? &times->device : &times->host;
		tl_process_spans_add(to, t->tracks[e->track].pid, s->from, s->to);
	}
	tl_process_spans_merge(&times->host);
	tl_process_spans_merge(&times->device);
	if (!f.found.n)
		status = none_found(&f, n_matching, err);
	tl_map_release(&f.matches);
	tl_listing_release(&f.names);
	tl_steps_release(&f.found);
	return status;
}

void tl_step_times_release(struct tl_step_times *t)
{
	tl_process_spans_release(&t->host);
	tl_process_spans_release(&t->device);
}
