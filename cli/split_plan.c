/* split_plan.c - which parts of a trace tl-split writes.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/split_plan.h"

#include <inttypes.h>
#include <math.h>

struct planner {
	struct tl_split_parts *out;
	const struct tl_split_choice *choice;
	const struct tl_steps *steps;
	struct tl_windows stretches; /* of steady state */
};

/* Adds a part of the steps from … to - 1. label: taken over. */
static struct tl_split_part *add_part(struct planner *p, size_t from, size_t to, char *label)
{
	struct tl_split_parts *out = p->out;

	TL_GROW(out->items, out->cap, out->n + 1);
	struct tl_split_part *part = &out->items[out->n++];
	*part = (struct tl_split_part){ .label = label };
	tl_split_part_add(part, p->steps->items + from, to - from);
	return part;
}

static void plan_single_steps(struct planner *p, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		add_part(p, i, i + 1, NULL)->number = i;
}

static void plan_range(struct planner *p, size_t from, size_t to)
{
	struct tl_buf label = { 0 };

	tl_buf_addf(&label, "iterations_%zu-%zu", from, to - 1);
	add_part(p, from, to, label.data);
}

/* ---- windows -------------------------------------------------------------------------- */

/* The ratio of steps that prefill in the mixed window, and *n, its most steps. */
static double wanted_ratio(const struct planner *p, int64_t *n)
{
	const struct tl_split_choice *c = p->choice;
	int64_t most = tl_most_requests(p->steps->items, p->steps->n);

	*n = c->num_steps;
	if (c->concurrency && c->concurrency != most)
		tl_warn("at most %" PRId64 " requests are served at a time; --CONC expects %" PRId64, most, c->concurrency);
	if (!c->concurrency || isnan(c->output_length) || isnan(c->output_ratio))
		return tl_prefill_ratio(p->steps->items, &p->stretches);
	double ratio = (double)c->concurrency * 2 / (c->output_length * (1 + c->output_ratio)), least = ceil(1 / ratio);
	if ((double)*n < least) {
		tl_note("a window needs %.0f steps to have one that prefills; --num-steps is %" PRId64, least, *n);
		*n = least < INT32_MAX ? (int64_t)least : INT32_MAX;
	}
	return ratio;
}

static void plan_windows(struct planner *p)
{
	static const struct { enum tl_window_kind kind; const char *label, *lacks; } windows[] = {
		{ TL_WINDOW_MIXED, "mixed_steady_state", "steps" },
		{ TL_WINDOW_DECODE, "decode_only_steady_state", "steps that only decode" },
		{ TL_WINDOW_PREFILL_DECODE, "prefilldecode_steady_state", "steps that prefill" },
	};
	int64_t mixed_steps;
	double ratio = wanted_ratio(p, &mixed_steps);

	for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
		int64_t n = windows[i].kind == TL_WINDOW_MIXED ? mixed_steps : p->choice->num_steps;
		struct tl_window w;
		if (tl_steady_window(p->steps->items, &p->stretches, windows[i].kind, n, ratio, &w))
			add_part(p, w.from, w.to, tl_strdup(windows[i].label));
		else
			tl_note("no %s part: the steady state has no %s", windows[i].label, windows[i].lacks);
	}
}

/* ---- runs of a phase --------------------------------------------------------------------- */

/* number: of the run among those of its phase */
static void name_run(struct tl_split_part *run, size_t number)
{
	struct tl_window_sums s = tl_window_sums(run->steps, run->n_steps);
	struct tl_buf label = { 0 };

	run->folder = tl_step_prefills(run->steps) ? "prefilldecodemix" : "decode_only";
	tl_buf_addf(&label, "%s_chunk%zu_steps%zu_bs%" PRId64 "_conc%" PRId64, run->folder, number, run->n_steps,
	            s.batch_size, s.requests);
	run->label = label.data;
}

/* Runs of steps that all prefill, or all only decode. Idle steps are left out; neither they nor
 * what lies between two stretches ends a run. */
static void plan_phases(struct planner *p)
{
	struct tl_split_part *run = NULL;
	size_t first = p->out->n, number[2] = { 0, 0 };

	for (size_t w = 0; w < p->stretches.n; w++)
		for (size_t i = p->stretches.items[w].from; i < p->stretches.items[w].to; i++) {
			const struct tl_step *s = &p->steps->items[i];
			if (!tl_step_requests(s))
				continue;
			if (run && tl_step_prefills(s) == tl_step_prefills(run->steps))
				tl_split_part_add(run, s, 1);
			else
				run = add_part(p, i, i + 1, NULL);
		}
	for (run = p->out->items + first; run < p->out->items + p->out->n; run++)
		name_run(run, number[tl_step_prefills(run->steps)]++);
}

/* ---- all -------------------------------------------------------------------------------- */

static void find_stretches(struct planner *p, size_t from, size_t to)
{
	const struct tl_split_choice *c = p->choice;

	if (c->range.given) {
		tl_windows_add(&p->stretches, from, to);
		return;
	}
	tl_steady_stretches(&p->stretches, p->steps->items, p->steps->n, c->num_steps);
	for (size_t i = 0; i < p->stretches.n && c->verbose; i++)
		tl_tell("steady state: steps %zu to %zu", p->stretches.items[i].from, p->stretches.items[i].to - 1);
}

void tl_plan_split(struct tl_split_parts *out, const struct tl_step_trace *s, const struct tl_split_choice *c)
{
	struct planner p = { .out = out, .choice = c, .steps = &s->steps };
	size_t n = s->steps.n, from = 0, to = n;

	if (c->range.given) {
		from = (size_t)c->range.from;
		to = (size_t)c->range.to < n ? (size_t)c->range.to : n;
	}
	if (from >= to)
		tl_die("%s: no step %zu: the trace has %zu, from 0 on", s->name, from, n);
	if (c->single)
		plan_single_steps(&p, from, to);
	if (c->phases || c->windows)
		find_stretches(&p, from, to);
	if (c->phases)
		plan_phases(&p);
	else if (c->windows)
		plan_windows(&p);
	else if (!c->single)
		plan_range(&p, from, to);
	tl_windows_release(&p.stretches);
}
