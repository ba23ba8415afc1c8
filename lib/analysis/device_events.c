/* device_events.c - the device events of a trace: what work they do, which of them count.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/device_events.h"

#include <stdlib.h>
#include <string.h>

static enum tl_gpu_work ask_rules(struct tl_work_by_name *w, const char *name, size_t len)
{
	if (!w->rules)
		w->rules = tl_name_rules_new(TL_KERNEL_WORK);
	const char *work = tl_name_rules_find(w->rules, name, len);
	return !strcmp(work, "communication") ? TL_GPU_COMM : !strcmp(work, "memcpy") ? TL_GPU_MEMCPY : TL_GPU_COMPUTE;
}

static enum tl_gpu_work by_name(struct tl_work_by_name *w, const struct tl_trace *t, uint32_t id)
{
	bool is_new;
	uint32_t *work = tl_map_put(&w->known, id, &is_new);

	if (is_new)
		*work = ask_rules(w, tl_str(&t->strings, id), tl_str_len(&t->strings, id));
	return *work;
}

enum tl_gpu_work tl_gpu_work(struct tl_work_by_name *w, const struct tl_trace *t, uint32_t event)
{
	const struct tl_ev *e = &t->events[event];

	return e->kind == TL_KIND_MEMCPY ? TL_GPU_MEMCPY : by_name(w, t, e->name);
}

bool tl_gpu_is_comm(struct tl_work_by_name *w, const struct tl_trace *t, uint32_t event)
{
	return by_name(w, t, t->events[event].name) == TL_GPU_COMM;
}

void tl_work_by_name_release(struct tl_work_by_name *w)
{
	tl_name_rules_free(w->rules);
	tl_map_release(&w->known);
	*w = (struct tl_work_by_name){ 0 };
}

uint32_t tl_operator_above(const struct tl_trace *t, uint32_t event)
{
	uint32_t e = t->events[event].parent;

	while (e != TL_NONE && t->events[e].kind != TL_KIND_CPU_OP)
		e = t->events[e].parent;
	return e;
}

static bool any_linked(const struct tl_trace *t)
{
	for (uint32_t i = 0; i < t->n_events; i++)
		if (tl_gpu_usable(&t->events[i]) && tl_gpu_linked(&t->events[i]))
			return true;
	return false;
}

uint32_t *tl_gpu_events(const struct tl_trace *t, const struct tl_gpu_select *sel, int part, size_t *n, bool *fell_back)
{
	uint32_t *out = NULL;
	size_t cap = 0;
	bool all = sel->include_unlinked || !any_linked(t);

	*n = 0;
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];

		if (!tl_gpu_usable(e) || (!all && !tl_gpu_linked(e)))
			continue;
		if (sel->detect_recompute && (e->flags & TL_EV_RECOMPUTE ? 1 : 0) != part)
			continue;
		TL_GROW(out, cap, *n + 1);
		out[(*n)++] = i;
	}
	if (fell_back)
		*fell_back = *n && all && !sel->include_unlinked;
	return out;
}

static void count_unlinked(const struct tl_trace *t, struct tl_unlinked *u)
{
	for (uint32_t i = 0; i < t->n_events; i++) {
		if (!tl_gpu_usable(&t->events[i]))
			continue;
		if (tl_gpu_linked(&t->events[i]))
			u->linked++;
		else
			u->events++;
	}
}

struct tl_unlinked tl_gpu_unlinked(const struct tl_trace *t)
{
	struct tl_unlinked u = { 0 };
	struct tl_spans linked = { 0 }, unlinked = { 0 }, missing = { 0 };

	count_unlinked(t, &u);
	for (uint32_t i = 0; u.events && i < t->n_events; i++)
		if (tl_gpu_usable(&t->events[i]))
			tl_spans_add(tl_gpu_linked(&t->events[i]) ? &linked : &unlinked, t->events[i].ts, tl_ev_end(&t->events[i]));
	tl_spans_merge(&linked);
	tl_spans_merge(&unlinked);
	tl_spans_subtract(&unlinked, &linked, &missing);
	u.ticks = tl_spans_length(&missing);
	u.busy = tl_ticks_add(u.ticks, tl_spans_length(&linked));
	tl_spans_release(&linked);
	tl_spans_release(&unlinked);
	tl_spans_release(&missing);
	return u;
}

int64_t tl_busy_ticks(const struct tl_trace *t, const uint32_t *events, uint32_t n,
                      struct tl_spans *scratch, bool *all_ints)
{
	*all_ints = true;
	tl_spans_clear(scratch);
	for (uint32_t i = 0; i < n; i++) {
		const struct tl_ev *e = &t->events[events[i]];

		if (!tl_gpu_usable(e))
			continue;
		*all_ints &= (e->flags & TL_EV_INT_TS) && (e->flags & TL_EV_INT_DUR);
		tl_spans_add(scratch, e->ts, tl_ev_end(e));
	}
	tl_spans_merge(scratch);
	return tl_spans_length(scratch);
}

bool tl_trace_gpu_only(const struct tl_trace *t)
{
	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].kind == TL_KIND_CPU_OP)
			return false;
	return true;
}

enum tl_status tl_no_gpu_events(const struct tl_trace *t, struct tl_error *err)
{
	uint32_t count[TL_KIND_COUNT] = { 0 };
	struct tl_buf found = { 0 };

	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].kind < TL_KIND_COUNT)
			count[t->events[i].kind]++;
	for (unsigned k = 0; k < TL_KIND_COUNT; k++)
		if (count[k])
			tl_buf_addf(&found, "%s %u %s", found.len ? "," : ", among them", (unsigned)count[k], tl_kind_name(k));
	tl_fail(err, TL_ERR_DATA, "No GPU events found in the trace: it has %llu events%s",
	        (unsigned long long)t->n_source_events, tl_buf_text(&found));
	tl_buf_release(&found);
	return TL_ERR_DATA;
}
