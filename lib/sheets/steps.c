/* steps.c - the sheet steps: the steps of a serving engine, and what they did on the device.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/steps.h"

#include "analysis/args.h"
#include "analysis/device_events.h"

#include <stdlib.h>

/* ---- definition ------------------------------------------------------------------------ */

enum { STEP, NAME, PHASE, CONFIDENCE, EVIDENCE, START, DURATION, PREFILL_REQUESTS, DECODE_REQUESTS, PREFILL_TOKENS,
	DECODE_TOKENS, PREFILL_SHARE, LAUNCHES, KERNELS, DEVICE_START, DEVICE_SPAN, BUSY, IDLE, TOP_CATEGORY, TOP_SHARE, TS,
	N_COLUMNS };
static const char *const row_columns[] = {
	"step", "name", "phase", "confidence", "evidence", "start_us", "duration_us", "prefill_requests", "decode_requests",
	"prefill_tokens", "decode_tokens", "prefill_share (%)", "launch_count", "kernel_count", "device_start_us",
	"device_span_us", "gpu_busy_us", "gpu_idle_us", "top_category", "top_category (%)", "ts", NULL
};

static const struct tl_column columns[] = {
	{ "all else", .kind = TL_REST },
	{ "ts", .kind = TL_TICKS },
	{ .name = NULL }
};
const struct tl_sheet_def tl_steps_sheet = {
	.name = "steps", .rows = row_columns, .columns = columns, .ungrouped = true,
};

/* ---- device events by step ---------------------------------------------------------------- */

/* Those of step i are gpus[start[i]] up to, but without, gpus[start[i + 1]]. */
struct work { uint32_t *gpus; size_t *start; uint32_t *launches; };

static uint32_t step_of(const struct tl_phases *p, uint32_t gpu)
{
	const struct tl_ev *e = &p->trace->events[gpu];

	return tl_gpu_usable(e) ? tl_step_at(&p->steps.index, p->trace, e->parent) : TL_NONE;
}

static void count_launches(struct work *w, const struct tl_phases *p)
{
	const struct tl_trace *t = p->trace;
	struct tl_map seen = { 0 };

	for (size_t i = 0; i < p->steps.n; i++)
		for (size_t k = w->start[i]; k < w->start[i + 1]; k++) {
			bool is_new;
			tl_map_put(&seen, t->events[w->gpus[k]].parent, &is_new);
			w->launches[i] += is_new;
		}
	tl_map_release(&seen);
}

static struct work split_work(const struct tl_phases *p)
{
	uint32_t n_events = p->trace->n_events, *of = tl_alloc(((size_t)n_events + 1) * sizeof *of);
	struct work w = { .start = tl_calloc(p->steps.n + 2, sizeof *w.start),
	                  .launches = tl_calloc(p->steps.n + 1, sizeof *w.launches) };
	size_t n = 0;

	for (uint32_t i = 0; i < n_events; i++) {
		of[i] = step_of(p, i);
		if (of[i] == TL_NONE)
			continue;
		w.start[of[i] + 2]++;
		n++;
	}
	for (size_t i = 2; i < p->steps.n + 2; i++)
		w.start[i] += w.start[i - 1];
	w.gpus = tl_alloc((n + 1) * sizeof *w.gpus);
	for (uint32_t i = 0; i < n_events; i++)
		if (of[i] != TL_NONE)
			w.gpus[w.start[of[i] + 1]++] = i;
	free(of);
	count_launches(&w, p);
	return w;
}

static void release_work(struct work *w)
{
	free(w->gpus);
	free(w->start);
	free(w->launches);
}

/* ---- rows ----------------------------------------------------------------------------------- */

struct row_maker {
	struct tl_phases *phases;
	struct tl_name_rules *categories;
	struct work work;
	struct tl_spans spans;
};

/* The category with the longest device time; of equal ones the first. */
static void top_category(struct row_maker *r, const uint32_t *gpus, size_t n, struct tl_cell *c)
{
	struct tl_trace *t = r->phases->trace;
	struct { uint32_t category; int64_t ticks; } *found = NULL, *top = NULL;
	struct tl_map number = { 0 };
	size_t n_found = 0, cap = 0;
	int64_t all = 0;

	for (size_t i = 0; i < n; i++) {
		const struct tl_ev *e = &t->events[gpus[i]];
		const char *name = tl_str(&t->strings, e->name);
		uint32_t id = tl_intern_str(&t->strings,
		                            tl_name_rules_find(r->categories, name, tl_str_len(&t->strings, e->name)));
		bool is_new;
		uint32_t *at = tl_map_put(&number, id, &is_new);

		if (is_new) {
			*at = (uint32_t)n_found;
			TL_GROW(found, cap, n_found + 1);
			found[n_found].category = id;
			found[n_found++].ticks = 0;
		}
		found[*at].ticks = tl_ticks_add(found[*at].ticks, e->dur);
		all = tl_ticks_add(all, e->dur);
	}
	for (size_t i = 0; i < n_found; i++)
		if (!top || found[i].ticks > top->ticks)
			top = &found[i];
	if (top && all > 0) {
		c[TOP_CATEGORY] = tl_cell_text(top->category);
		c[TOP_SHARE] = tl_cell_real(tl_trace_us(t, top->ticks) / tl_trace_us(t, all) * 100);
	}
	tl_map_release(&number);
	free(found);
}

static void device_cells(struct row_maker *r, size_t step, struct tl_cell *c)
{
	struct tl_trace *t = r->phases->trace;
	const uint32_t *gpus = r->work.gpus + r->work.start[step];
	size_t n = r->work.start[step + 1] - r->work.start[step];
	int64_t first = INT64_MAX, last = INT64_MIN;
	bool ints;

	c[LAUNCHES] = tl_cell_int(r->work.launches[step]);
	c[KERNELS] = tl_cell_int((int64_t)n);
	if (!n)
		return;
	for (size_t i = 0; i < n; i++) {
		const struct tl_ev *e = &t->events[gpus[i]];
		first = e->ts < first ? e->ts : first;
		last = tl_ev_end(e) > last ? tl_ev_end(e) : last;
	}
	int64_t busy = tl_busy_ticks(t, gpus, (uint32_t)n, &r->spans, &ints), span = tl_ticks_sub(last, first);
	c[DEVICE_START] = tl_start_cell(t, first);
	c[DEVICE_SPAN] = tl_cell_time(span, false);
	c[BUSY] = tl_cell_time(busy, false);
	c[IDLE] = tl_cell_time(tl_ticks_sub(span, busy), false);
	top_category(r, gpus, n, c);
}

static struct tl_cell known(int64_t count)
{
	return count < 0 ? tl_cell_null() : tl_cell_int(count);
}

static struct tl_cell text(struct tl_trace *t, const char *s)
{
	return tl_cell_text(*s ? tl_intern_str(&t->strings, s) : 0);
}

static struct tl_cell name_cell(struct tl_phases *p, const struct tl_phase_step *s)
{
	struct tl_trace *t = p->trace;
	uint32_t name = s->event == TL_NONE ? 0 : t->events[s->event].name;
	struct tl_buf b = { 0 };

	if (s->event == TL_NONE)
		return text(t, "(whole trace)");
	if (p->steps.source != TL_STEPS_SAMPLED)
		return tl_name_cell(t, name);
	tl_buf_addf(&b, "(up to %s)", tl_str(&t->strings, name));
	struct tl_cell c = text(t, b.data);
	tl_buf_release(&b);
	return c;
}

static void step_cells(struct row_maker *r, size_t number, struct tl_cell *c)
{
	struct tl_trace *t = r->phases->trace;
	const struct tl_phase_step *s = &r->phases->steps.items[number];

	c[STEP] = tl_cell_int((int64_t)number);
	c[NAME] = name_cell(r->phases, s);
	c[PHASE] = text(t, tl_phase_name(s->phase));
	c[CONFIDENCE] = tl_cell_real(s->confidence);
	c[EVIDENCE] = text(t, tl_step_evidence_name(s->evidence));
	c[START] = tl_start_cell(t, s->start);
	c[DURATION] = tl_cell_time(tl_ticks_sub(s->end, s->start), false);
	c[PREFILL_REQUESTS] = known(s->prefill_requests);
	c[DECODE_REQUESTS] = known(s->decode_requests);
	c[PREFILL_TOKENS] = known(s->prefill_tokens);
	c[DECODE_TOKENS] = known(s->decode_tokens);
	int64_t tokens = s->prefill_tokens + s->decode_tokens;
	if (s->prefill_tokens >= 0 && s->decode_tokens >= 0 && tokens > 0)
		c[PREFILL_SHARE] = tl_cell_real((double)s->prefill_tokens / (double)tokens * 100);
	c[TS] = tl_cell_time(s->start, false);
}

struct tl_table *tl_steps_table(struct tl_phases *p, struct tl_name_rules *kernel_categories)
{
	struct row_maker r = { .phases = p, .categories = kernel_categories, .work = split_work(p) };
	struct tl_table *rows = tl_table_new(&p->trace->strings, p->trace->ticks_per_us, row_columns);

	for (size_t i = 0; i < p->steps.n; i++) {
		struct tl_cell c[N_COLUMNS] = { 0 };

		step_cells(&r, i, c);
		device_cells(&r, i, c);
		tl_table_add_row(rows, c);
	}
	tl_spans_release(&r.spans);
	release_work(&r.work);
	return tl_sheet_make(&tl_steps_sheet, &(struct tl_sheet_input){ .own_rows = rows });
}
