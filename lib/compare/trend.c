/* trend.c - does a metric change in a series of runs?
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "compare/trend.h"

#include "base/map.h"
#include "base/memory.h"
#include "compare/verdict.h"
#include "table/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PERMUTATIONS = 20000, ENOUGH = 50 /* that are as far off: a probability far above TL_TREND_SURE need not be known better */ };
#define CLIP 3 /* times the noise */

const char *tl_trend_text(enum tl_trend_kind kind)
{
	static const char *const texts[] = {
		[TL_TREND_STEP] = "step",
		[TL_TREND_DRIFT] = "drift",
		[TL_TREND_OUTLIER] = "outlier",
		[TL_TREND_NONE] = "no change shown",
		[TL_TREND_WANDERS] = "no change shown: noise drifts",
		[TL_TREND_FEW] = "not judged: fewer than 16 runs",
	};
	return texts[kind];
}

/* ---- one cut ---------------------------------------------------------------------------------- */

/* Numbers [at, end) of n, which differ from the others: behind one cut up to n or, if `twice`, between two. */
struct stretch { size_t at, end; };

/* That whose mean differs most from that of the others, by which share of the sum of squares. Of long series not all beginnings are tried. */
static double best_stretch(const double *a, size_t n, bool twice, struct stretch *best)
{
	double all = (double)n, mean = tl_pairwise_sum(a, n) / all, squares = 0, most = 0;

	for (size_t i = 0; i < n; i++)
		squares += (a[i] - mean) * (a[i] - mean);
	*best = (struct stretch){ n - TL_TREND_SIDE, n };
	for (size_t from = 0; from + 2 * TL_TREND_SIDE <= n && (!from || twice); from += from ? 1 + n / 128 : TL_TREND_SIDE) {
		double sum = 0;
		for (size_t to = from + 1; to + TL_TREND_SIDE <= n; to++) {
			double k = (double)(to - from), explained;
			sum += a[to - 1] - mean;
			explained = sum * sum * all / (k * (all - k));
			if (to - from >= TL_TREND_SIDE && explained > most) {
				most = explained;
				*best = from ? (struct stretch){ from, to } : (struct stretch){ to, n };
			}
		}
	}
	return squares > 0 ? most / squares : 0;
}

/* How rarely the numbers in another order have a stretch that explains so much. The orders are the same in each run of the program. */
static double chance(double *a, size_t n, bool twice, double share, size_t permutations)
{
	size_t as_much = 0, tried = 0;
	struct stretch s;
	uint64_t drawn = 0;

	for (; tried < permutations && as_much < ENOUGH; tried++) {
		for (size_t i = n; i > 1; i--) {
			size_t k = tl_hash_u64(drawn++) % i;
			double x = a[k];
			a[k] = a[i - 1];
			a[i - 1] = x;
		}
		as_much += best_stretch(a, n, twice, &s) >= share - 1e-9;
	}
	return (double)(as_much + 1) / (double)(tried + 1);
}

static double median_of(const double *values, size_t n)
{
	double *a = tl_alloc(n * sizeof *a);

	memcpy(a, values, n * sizeof *a);
	double median = tl_median(a, n);
	free(a);
	return median;
}

/* A stretch of the runs [from, to), the medians around it and in it, and how rare it is. run: the cut that is meant, at or end. */
struct cut { size_t from, to, at, end, run; bool twice; double around, in, p; };

/* Moves the ends of the stretch to where most runs are nearer to the median of their side, and by most: means of ranks lie about that. */
static void place_cut(const struct tl_trend *t, struct cut *c)
{
	size_t at = c->at, end = c->end;
	double most = -INFINITY;

	for (size_t i = c->from + TL_TREND_SIDE; i + TL_TREND_SIDE <= c->to; i++) {
		double nearer = 0;
		for (size_t k = i; k < c->to; k++) {
			bool may_end = c->twice ? k + 1 >= i + TL_TREND_SIDE && k + 1 + TL_TREND_SIDE <= c->to : k + 1 == c->to;
			nearer += fabs(t->values[k] - c->around) - fabs(t->values[k] - c->in);
			if (may_end && nearer > most) {
				most = nearer;
				at = i;
				end = k + 1;
			}
		}
	}
	c->at = at;
	c->end = end;
}

/* By ranks, so that one run that is far off does not count for more than others. */
static struct cut find_cut(const struct tl_trend *t, size_t from, size_t to, bool twice, size_t permutations)
{
	size_t n = to - from;
	const double *values = t->values + from;
	double *a = tl_calloc(n, sizeof *a);
	struct stretch s;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++) /* equal ones share the mean of their ranks */
			a[i] += values[k] < values[i] ? 1 : values[k] == values[i] ? 0.5 : 0;
	double share = best_stretch(a, n, twice, &s), p = chance(a, n, twice, share, permutations);
	for (size_t i = 0; i < n; i++) /* those around it first */
		a[i < s.at ? i : i < s.end ? n - s.end + i : i - s.end + s.at] = values[i];
	struct cut c = { .from = from, .to = to, .at = from + s.at, .end = from + s.end, .twice = twice, .p = twice ? fmin(2 * p, 1) : p };
	c.around = median_of(a, n - (s.end - s.at));
	c.in = median_of(a + n - (s.end - s.at), s.end - s.at);
	place_cut(t, &c);
	free(a);
	return c;
}

/* How rare the cut is if a difference counts only in part. By values, because a rank does not tell a step from one that is ten times
 * as high; what is further than CLIP times the noise from the median of its side counts as if it were not. */
static double chance_of_cut(const struct tl_trend *t, const struct cut *c, double counts, size_t permutations)
{
	size_t n = c->to - c->from;
	double *a = tl_alloc(n * sizeof *a), most = t->noise > 0 ? CLIP * t->noise : INFINITY;
	struct stretch s;

	for (size_t i = c->from; i < c->to; i++) {
		double side = i >= c->at && i < c->end ? c->in : c->around;
		a[i - c->from] = fmin(fmax(t->values[i], side - most), side + most);
	}
	double share = best_stretch(a, n, c->twice, &s), ratio = counts * counts * share / (1 - share);
	double p = chance(a, n, c->twice, share < 1 ? ratio / (1 + ratio) : 1, permutations);
	free(a);
	return c->twice ? fmin(2 * p, 1) : p; /* it is the second look at the runs */
}

/* ---- a series --------------------------------------------------------------------------------- */

struct cuts { struct cut *items; size_t n, cap; };

static bool is_rare(const struct cut *c)
{
	return fabs(c->in - c->around) >= TL_TREND_LEAST * fabs(c->around) && c->p < TL_TREND_SURE;
}

/* Adds the cuts of some runs, in their order, that would be rare if runs were independent; of a stretch between two cuts both. */
static void find_cuts(const struct tl_trend *t, size_t from, size_t to, size_t permutations, struct cuts *cuts)
{
	if (to - from < TL_TREND_RUNS)
		return;
	struct cut c = find_cut(t, from, to, false, permutations);
	if (!is_rare(&c))
		c = find_cut(t, from, to, true, permutations);
	if (!is_rare(&c))
		return;
	find_cuts(t, from, c.run = c.at, permutations, cuts);
	TL_PUSH(cuts->items, cuts->n, cuts->cap, c);
	find_cuts(t, c.at, c.end, permutations, cuts);
	if (c.end == to)
		return;
	c.run = c.end;
	TL_PUSH(cuts->items, cuts->n, cuts->cap, c);
	find_cuts(t, c.end, to, permutations, cuts);
}

/* Fills what is left of each run by the median of its segment, levels[0] up to the first cut and so on; returns the sum of squares. */
static double less_steps(const struct tl_trend *t, const struct cuts *cuts, double *levels, double *left)
{
	double squares = 0;

	for (size_t i = 0, from = 0; i <= cuts->n; i++) {
		size_t to = i < cuts->n ? cuts->items[i].run : t->n;
		levels[i] = median_of(t->values + from, to - from);
		for (; from < to; from++) {
			left[from] = t->values[from] - levels[i];
			squares += left[from] * left[from];
		}
	}
	return squares;
}

/* The same by the line of least squares, whose ends it tells. */
static double less_line(const struct tl_trend *t, double *left, double ends[2])
{
	double n = (double)t->n, middle = (n - 1) / 2, mean = tl_pairwise_sum(t->values, t->n) / n, slope = 0, squares = 0;

	for (size_t i = 0; i < t->n; i++)
		slope += ((double)i - middle) * (t->values[i] - mean) * 12 / (n * (n * n - 1));
	for (size_t i = 0; i < t->n; i++) {
		left[i] = t->values[i] - mean - slope * ((double)i - middle);
		squares += left[i] * left[i];
	}
	ends[0] = mean - slope * middle;
	ends[1] = mean + slope * middle;
	return squares;
}

/* That of neighbours. Of what is left behind `fitted` medians it seems less than it is. */
static double correlation_of(const double *left, size_t n, double fitted)
{
	double products = 0, squares = 0, bias = fitted / (double)n;

	for (size_t i = 0; i < n; i++) {
		squares += left[i] * left[i];
		products += i ? left[i] * left[i - 1] : 0;
	}
	return squares > 0 ? fmin(fmax((products / squares + bias) / (1 - 3 * bias), 0), 0.95) : 0;
}

static void add_change(struct tl_trend *t, enum tl_trend_kind kind, size_t at, double before, double after, double p)
{
	TL_PUSH(t->changes, t->n_changes, t->cap_changes, (struct tl_trend_change){ kind, at, before, after, p, NAN });
}

/* Schwarz's criterion: the less, the better n runs are described by so many numbers. */
static double criterion(double squares, size_t n, double numbers, double scale)
{
	return (double)n * log(squares + 1e-18 * scale * scale) + numbers * log((double)n);
}

static bool is_correlated(const struct tl_trend *t)
{
	return t->correlation > 2.33 / sqrt((double)t->n); /* of one in a hundred series of independent runs */
}

/* What is left of each run when steps, or the line, are taken off says how noisy runs are. Returns how much of a difference counts.
 * For many runs the exponent would be 0.5; few know the correlation badly. */
static double find_noise(struct tl_trend *t, const double *left, double fitted)
{
	double *off = tl_alloc(t->n * sizeof *off), independent, counts;

	t->correlation = correlation_of(left, t->n, fitted);
	independent = (1 - t->correlation) / (1 + t->correlation);
	counts = pow(independent, is_correlated(t) ? 1.5 : 0.75);
	for (size_t i = 0; i < t->n; i++)
		off[i] = fabs(left[i]);
	t->noise = 1.4826 * tl_median(off, t->n); /* of a normal distribution, its deviation */
	if (t->noise <= 0)
		t->noise = tl_deviation(left, t->n);
	t->least = fmax(TL_TREND_LEAST * fabs(t->median), t->noise / counts * 9.6 / sqrt((double)t->n - 9)); /* as it was tried out */
	free(off);
	return counts;
}

/* One in two hundred series of independent runs has an outlier; half as many runs as there are know a tail of such noise. If many are
 * off, noise is what they are. */
static void add_outliers(struct tl_trend *t, const double *left)
{
	double limit = fmax(TL_TREND_LEAST * fabs(t->median), t->noise * tl_student_limit(0.005 / (double)t->n, (double)t->n / 2));
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += fabs(left[i]) > limit;
	for (size_t i = 0; i < t->n && n <= t->n / 8; i++)
		if (fabs(left[i]) > limit)
			add_change(t, TL_TREND_OUTLIER, i, t->values[i] - left[i], t->values[i], NAN);
}

/* Fills all but `adjusted`. */
static void judge(struct tl_trend *t, size_t permutations)
{
	double *left = tl_alloc(3 * t->n * sizeof *left), *levels = left + 2 * t->n, ends[2];
	struct cuts cuts = { .n = 0 };

	find_cuts(t, 0, t->n, permutations, &cuts);
	double steps = less_steps(t, &cuts, levels, left), line = less_line(t, left + t->n, ends);
	bool drifts = cuts.n && criterion(line, t->n, 2, t->median) < criterion(steps, t->n, 2 * (double)cuts.n + 1, t->median);
	double *off = left + (drifts ? t->n : 0), counts = find_noise(t, off, drifts ? 2 : (double)cuts.n + 1);
	if (drifts || !cuts.n) {
		struct cut c = find_cut(t, 0, t->n, false, permutations);
		add_change(t, drifts ? TL_TREND_DRIFT : TL_TREND_NONE, 0, drifts ? ends[0] : t->median, drifts ? ends[1] : NAN,
		           chance_of_cut(t, &c, counts, permutations));
	}
	for (size_t i = 0; i < cuts.n && !drifts; i++)
		add_change(t, TL_TREND_STEP, cuts.items[i].run, levels[i], levels[i + 1], chance_of_cut(t, &cuts.items[i], counts, permutations));
	add_outliers(t, off);
	free(cuts.items);
	free(left);
}

/* Leaves out steps that are not sure, after all metrics have been judged. */
static void settle(struct tl_trend *t)
{
	struct tl_trend_change none = { is_correlated(t) ? TL_TREND_WANDERS : TL_TREND_NONE, 0, t->median, NAN, t->changes[0].p, t->changes[0].adjusted };
	size_t n = 0, n_sure = 0;

	for (size_t i = 0; i < t->n_changes; i++) {
		struct tl_trend_change *c = &t->changes[i];
		bool sure = c->kind <= TL_TREND_DRIFT && c->adjusted < TL_TREND_SURE && fabs(c->after - c->before) >= TL_TREND_LEAST * fabs(c->before);
		n_sure += sure;
		if (sure || c->kind == TL_TREND_OUTLIER)
			t->changes[n++] = *c;
	}
	t->n_changes = n;
	if (!n_sure)
		TL_PUSH(t->changes, t->n_changes, t->cap_changes, none);
}

void tl_trend_judge(struct tl_trend *t, size_t n)
{
	size_t permutations = n * 200 > PERMUTATIONS ? n * 200 : PERMUTATIONS, all = 0, at = 0;

	for (size_t i = 0; i < n; i++) {
		t[i].median = t[i].n ? median_of(t[i].values, t[i].n) : NAN;
		t[i].noise = t[i].correlation = t[i].least = NAN;
		if (t[i].n < TL_TREND_RUNS)
			add_change(&t[i], TL_TREND_FEW, 0, t[i].median, NAN, NAN);
		else
			judge(&t[i], permutations);
		all += t[i].n_changes;
	}
	struct tl_judged *judged = tl_calloc(all + 1, sizeof *judged);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < t[i].n_changes; k++)
			judged[at++] = (struct tl_judged){ .p = t[i].changes[k].p, .adjusted = NAN };
	tl_judged_adjust(judged, all);
	at = 0;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < t[i].n_changes; k++)
			t[i].changes[k].adjusted = judged[at++].adjusted;
		if (t[i].n >= TL_TREND_RUNS)
			settle(&t[i]);
	}
	free(judged);
}
