/* series.c - a value over time.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/series.h"

#include "work/spans.h"
#include "base/memory.h"
#include "base/merge_sort.h"
#include "base/search.h"

#include <math.h>
#include <stdlib.h>

void tl_series_add(struct tl_series *s, int64_t at, double value)
{
	TL_PUSH(s->items, s->n, s->cap, (struct tl_point){ at, value });
}

void tl_series_release(struct tl_series *s)
{
	free(s->items);
	*s = (struct tl_series){ 0 };
}

/* A walk through the values that a series has in a span: `value` for `ticks`, which may be 0. */
struct walk { const struct tl_series *s; struct tl_span span; size_t next; double value; int64_t ticks, at; };

static bool walk_on(struct walk *w)
{
	const struct tl_series *s = w->s;
	int64_t until;

	if (w->at >= w->span.end)
		return false;
	w->value = w->next ? s->items[w->next - 1].value : s->before;
	until = w->next < s->n && s->items[w->next].at < w->span.end ? s->items[w->next].at : w->span.end;
	w->ticks = tl_ticks_sub(until, w->at);
	w->at = until;
	w->next += until < w->span.end;
	return true;
}

/* from: a point at or before the span's start. A point at the start hides the value before it. */
static struct walk walk_through(const struct tl_series *s, struct tl_span span, size_t from)
{
	struct walk w = { .s = s, .span = span, .next = from, .at = span.start };

	while (w.next < s->n && s->items[w.next].at < span.start)
		w.next++;
	w.next += w.next < s->n && s->items[w.next].at == span.start && span.start < span.end;
	return w;
}

struct tl_series_part tl_series_part(const struct tl_series *s, struct tl_span span, size_t *at)
{
	struct walk w = walk_through(s, span, *at);
	struct tl_series_part p = { 0 };
	double sum = 0;
	bool any = false;

	while (walk_on(&w)) {
		if (isnan(w.value))
			continue;
		p.least = any && p.least < w.value ? p.least : w.value;
		p.most = any && p.most > w.value ? p.most : w.value;
		sum += w.value * (double)w.ticks;
		p.ticks = tl_ticks_add(p.ticks, w.ticks);
		any = true;
	}
	*at = w.next ? w.next - 1 : 0;
	p.mean = p.ticks > 0 ? sum / (double)p.ticks : 0;
	return p;
}

struct tl_series_part tl_series_part_at(const struct tl_series *s, struct tl_span span)
{
	size_t at;

	TL_SEARCH(at, s->n, mid, s->items[mid].at <= span.start);
	at -= at > 0;
	return tl_series_part(s, span, &at);
}

struct tl_series_shares tl_series_shares(const struct tl_series *s, struct tl_span span, double limit)
{
	struct walk w = walk_through(s, span, 0);
	struct tl_series_shares out = { 0 };
	int64_t zero = 0, many = 0, all = 0;

	while (walk_on(&w)) {
		zero = tl_ticks_add(zero, w.value == 0 ? w.ticks : 0);
		many = tl_ticks_add(many, w.value >= limit ? w.ticks : 0);
		all = tl_ticks_add(all, w.ticks);
	}
	if (all > 0)
		out = (struct tl_series_shares){ (double)zero / (double)all, (double)many / (double)all };
	return out;
}

struct weighted { double value; int64_t ticks; };

TL_ORDER(by_value, struct weighted, TL_ASC(x->value))

void tl_series_percentiles(const struct tl_series *s, struct tl_span span, const double *shares, size_t n, double *out)
{
	struct weighted *values = tl_alloc((s->n + 2) * sizeof *values);
	struct walk w = walk_through(s, span, 0);
	size_t count = 0, k = 0;
	int64_t all = 0, sum = 0;

	while (walk_on(&w)) {
		if (w.ticks > 0)
			values[count++] = (struct weighted){ w.value, w.ticks };
		all = tl_ticks_add(all, w.ticks);
	}
	if (count)
		tl_merge_sort(values, count, sizeof *values, by_value, NULL);
	for (size_t i = 0; i < count; i++) {
		sum = tl_ticks_add(sum, values[i].ticks);
		for (; k < n && ((double)sum >= shares[k] * (double)all || i == count - 1); k++)
			out[k] = values[i].value;
	}
	for (; k < n; k++)
		out[k] = 0;
	free(values);
}

/* ---- which points of a curve a picture needs ------------------------------------------------------------- */

bool *tl_curve_points(const struct tl_curve *c, int64_t parts)
{
	bool *stays = tl_calloc(c->n + 1, sizeof *stays);
	int64_t start = c->n ? c->time(c->ctx, 0) : 0, span = c->n ? tl_ticks_sub(c->time(c->ctx, c->n - 1), start) : 0;
	int64_t width = !parts ? 0 : span / parts < INT64_MAX ? span / parts + 1 : INT64_MAX;

	for (size_t from = 0, to; from < c->n; from = to) {
		to = from + 1;
		while (width && to < c->n && tl_ticks_sub(c->time(c->ctx, to), start) / width == tl_ticks_sub(c->time(c->ctx, from), start) / width)
			to++;
		size_t least = from;
		for (size_t k = 0; k < c->n_values; k++) {
			size_t most = from;
			for (size_t i = from; i < to; i++) {
				least = !k && c->value(c->ctx, i, k) < c->value(c->ctx, least, k) ? i : least;
				most = c->value(c->ctx, i, k) > c->value(c->ctx, most, k) ? i : most;
			}
			stays[most] = true;
		}
		stays[from] = stays[least] = stays[to - 1] = true;
	}
	return stays;
}
