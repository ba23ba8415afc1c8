/* step_windows.c - which steps of a serving engine represent all of them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "steps/step_windows.h"

#include "json/value.h"

#include <math.h>
#include <stdlib.h>

void tl_windows_add(struct tl_windows *w, size_t from, size_t to)
{
	TL_PUSH(w->items, w->n, w->cap, (struct tl_window){ from, to });
}

void tl_windows_release(struct tl_windows *w)
{
	free(w->items);
	*w = (struct tl_windows){ 0 };
}

/* ---- steady stretches ------------------------------------------------------------ */

#define NEAR_STEPS 6 /* so many near steps begin a stretch */

int64_t tl_most_requests(const struct tl_step *steps, size_t n)
{
	int64_t most = 0;

	for (size_t i = 0; i < n; i++)
		if (tl_step_requests(&steps[i]) > most)
			most = tl_step_requests(&steps[i]);
	return most;
}

void tl_steady_stretches(struct tl_windows *out, const struct tl_step *steps, size_t n, int64_t num_steps)
{
	int64_t most = tl_most_requests(steps, n), near_steps = 0;
	double less = fmax(1, ((int64_t)n >= num_steps ? 0.1 : 0.2) * (double)most);
	bool inside = false;
	size_t start = 0;

	*out = (struct tl_windows){ 0 };
	for (size_t i = 0; i < n; i++) {
		bool near = (double)(most - tl_step_requests(&steps[i])) <= less;
		near_steps += near && !inside;
		near_steps -= !near && inside;
		if (near_steps >= NEAR_STEPS && !inside) {
			inside = true;
			start = i + 1 - (size_t)near_steps;
		} else if (near_steps <= 0 && inside) {
			inside = false;
			near_steps = 0;
			tl_windows_add(out, start, i);
		}
	}
	if (inside)
		tl_windows_add(out, start, n - 1);
	if (!out->n) {
		/* What is taken if no stretch is steady: without the first and the last steps. */
		int64_t count = (int64_t)n, wanted = num_steps - count > 8 ? num_steps - count : 8;
		int64_t left_out = (count < wanted ? count : wanted) / 2;
		int64_t end = count - left_out > left_out + 1 ? count - left_out : left_out + 1;
		struct tl_window w = (struct tl_window){ (size_t)left_out, (size_t)(end < count ? end : count) };
		tl_windows_add(out, w.from, w.to);
	}
}

/* ---- windows --------------------------------------------------------------------- */

static size_t count_prefill(const struct tl_step *steps, struct tl_window w)
{
	size_t n = 0;

	for (size_t i = w.from; i < w.to; i++)
		n += tl_step_prefills(&steps[i]);
	return n;
}

double tl_prefill_ratio(const struct tl_step *steps, const struct tl_windows *stretches)
{
	size_t n = 0, prefill = 0;

	for (size_t i = 0; i < stretches->n; i++) {
		n += stretches->items[i].to - stretches->items[i].from;
		prefill += count_prefill(steps, stretches->items[i]);
	}
	return n ? (double)prefill / (double)n : 0;
}

static struct tl_window longest(const struct tl_windows *w)
{
	struct tl_window best = w->items[0];

	for (size_t i = 1; i < w->n; i++)
		if (w->items[i].to - w->items[i].from > best.to - best.from)
			best = w->items[i];
	return best;
}

struct candidate { struct tl_window window; bool prefills; double off, requests; };

static struct candidate candidate_of(const struct tl_step *steps, struct tl_window w, double ratio)
{
	size_t prefill = count_prefill(steps, w);
	double n = (double)(w.to - w.from), requests = 0;

	for (size_t i = w.from; i < w.to; i++)
		requests += (double)tl_step_requests(&steps[i]);
	return (struct candidate){ w, prefill > 0, fabs((double)prefill / n - ratio), requests / n };
}

static bool is_better(const struct candidate *a, const struct candidate *b)
{
	if (a->prefills != b->prefills)
		return a->prefills;
	return a->off != b->off ? a->off < b->off : a->requests > b->requests;
}

static struct tl_window mixed_window(const struct tl_step *steps, struct tl_window in, int64_t num_steps,
                                     double ratio)
{
	size_t n = in.to - in.from < (size_t)num_steps ? in.to - in.from : (size_t)num_steps;
	struct candidate best = candidate_of(steps, (struct tl_window){ in.from, in.from + n }, ratio);
	/* The distance between the starts of two windows that are compared: about ten start within num_steps. */
	int64_t parts = num_steps / 2 < 10 ? num_steps / 2 : 10;
	size_t stride = (size_t)(parts > 1 ? num_steps / parts : num_steps);

	for (size_t i = in.from + stride; i + n <= in.to; i += stride) {
		struct candidate c = candidate_of(steps, (struct tl_window){ i, i + n }, ratio);
		if (is_better(&c, &best))
			best = c;
	}
	return best.window;
}

bool tl_steady_window(const struct tl_step *steps, const struct tl_windows *stretches, enum tl_window_kind kind,
                      int64_t num_steps, double ratio, struct tl_window *out)
{
	struct tl_window in = longest(stretches), best = { 0, 0 };

	if (kind == TL_WINDOW_MIXED) {
		*out = mixed_window(steps, in, num_steps, ratio);
		return out->to > out->from;
	}
	for (size_t i = in.from, from = i; i < in.to; i++) {
		bool fits = kind == TL_WINDOW_DECODE ? tl_step_phase(&steps[i].text) == TL_PHASE_DECODE : tl_step_prefills(&steps[i]);
		if (!fits)
			from = i + 1;
		else if (i + 1 - from > best.to - best.from)
			best = (struct tl_window){ from, i + 1 };
	}
	if (best.to - best.from > (size_t)num_steps)
		best.to = best.from + (size_t)num_steps;
	*out = best;
	return best.to > best.from;
}

struct tl_window_sums tl_window_sums(const struct tl_step *steps, size_t n)
{
	struct tl_window_sums s = { .batch_size = 0 };
	tl_int128 batch = 0, requests = 0;

	for (size_t i = 0; i < n; i++) {
		s.phases[tl_step_phase(&steps[i].text)]++;
		batch += steps[i].text.batch_size;
		requests += tl_step_requests(&steps[i]);
	}
	if (n) {
		s.batch_size = (int64_t)(batch / (tl_int128)n);
		s.requests = (int64_t)(requests / (tl_int128)n);
	}
	return s;
}
