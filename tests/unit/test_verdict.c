/* test_verdict.c - verdicts: the statistics against values of tables, and what is called slower or faster of values that
 * are drawn at random, from a fixed seed.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "check.h"
#include "compare/runs.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static bool near(double x, double wanted)
{
	if (fabs(x - wanted) <= 1e-8 * fabs(wanted) || (isnan(x) && isnan(wanted)))
		return true;
	printf("# got %.12g, wanted %.12g\n", x, wanted);
	return false;
}

/* limits that tables give for 5 % and 0.1 %, and a value that Simpson's rule gives */
static void test_student(void)
{
	check("Student's t of tables", near(tl_student_two_sided(12.706204736432095, 1), 0.05) && near(tl_student_two_sided(2.2281388519649385, 10), 0.05) &&
	      near(tl_student_two_sided(1.9623390808264078, 1000), 0.05) && near(tl_student_two_sided(4.586893858702636, 10), 0.001));
	check("degrees of freedom may be broken", near(tl_student_two_sided(2.5, 7.3), 0.03965023466558926));
	check("no difference is certain, a great one is not", near(tl_student_two_sided(0, 5), 1) && tl_student_two_sided(1e9, 5) < 1e-30);
	check("for many values it is the normal distribution", fabs(tl_student_two_sided(1.959963984540054, 1e8) - 0.05) < 1e-6);
}

static struct tl_judged judged(struct tl_spread a, struct tl_spread b)
{
	struct tl_judged j;

	tl_judge(&j, &a, &b, 1);
	return j;
}

static void test_rows(void)
{
	struct tl_spread a = { 10, 10, 1, NAN, NAN }, b = { 10, 12, 3, NAN, NAN }, many = { 40, 12, 3, NAN, NAN };
	struct tl_judged j = judged(a, b);

	/* 2 by sqrt(1) less 0.1 ns, of 9 degrees */
	check("two means", fabs(j.p - 0.0765) < 1e-4 && near(j.low, -2.62157162797) && near(j.high, 42.6215716280) && j.verdict == TL_VERDICT_SAME);
	j = judged(b, a);
	check("the other way round, signs change", fabs(j.p - 0.0765) < 1e-4 && near(j.low, -35.5179763566));
	/* Welch's error would be sqrt(0.325), the common one is sqrt(7.5 * 0.125), of 9 degrees */
	j = judged(a, many);
	check("unequal numbers: the greater error", near(j.high - j.low, 20 * 2.26215716279820 * sqrt(7.5 * 0.125)));
	j = judged((struct tl_spread){ 5, 10, 0.001, NAN, NAN }, (struct tl_spread){ 9, 50, 0.001, NAN, NAN });
	check("five calls show no more than 2 of 252 orders do", near(j.p, 2.0 / 252) && j.verdict == TL_VERDICT_SLOWER);
	j = judged((struct tl_spread){ 3, 10, 0.001, NAN, NAN }, (struct tl_spread){ 900, 50, 0.001, NAN, NAN });
	check("three calls are not judged", isnan(j.p) && isnan(j.low) && !strcmp(tl_verdict_text(j.verdict), "not judged: under 4 calls"));
	check("nor is one", judged((struct tl_spread){ 1, 10, NAN, 10, 10 }, b).verdict == TL_VERDICT_FEW);
	check("no spread is known", judged((struct tl_spread){ 9, 10, NAN, NAN, NAN }, b).verdict == TL_VERDICT_NO_SPREAD);
	check("a number of calls that is not known", judged((struct tl_spread){ NAN, 10, 1, 9, 11 }, b).verdict == TL_VERDICT_NO_SPREAD);
	check("a row of one report", judged((struct tl_spread){ 0 }, b).verdict == TL_VERDICT_NONE);
	/* (14 - 12) * (12 - 10) * 10 / 9 on both sides */
	j = judged((struct tl_spread){ 10, 12, NAN, 10, 14 }, (struct tl_spread){ 10, 12, NAN, 10, 14 });
	check("least and greatest times bound the deviation", near(j.high, 100 * 2.26215716279820 * sqrt(2 * 4.0 / 9) / 12) && j.p == 1);
}

static double tick(double x, double y, double z)
{
	return tl_tick_of((struct tl_spread[]){ { 2, x, NAN, x, y }, { 2, z, NAN, z, NAN } }, 2);
}

static void test_ticks(void)
{
	struct tl_spread five = { 20, 5, 0, 5, 5 }, six = { 20, 6, 0, 6, 6 }, seven = { 20, 7, 0, 7, 7 }, next = { 20, 5.001, 0, 5.001, 5.001 };

	check("the tick of times", near(tick(5, 6, 9), 1) && near(tick(0.064, 0.256, 9.568), 0.032) && near(tick(1.5, 2.001, 2.5), 0.001) &&
	      near(tick(1.00001, 2, 3), 0.001) && near(tick(12000, 24000, 48000), 1) && near(tick(NAN, NAN, NAN), 0.001));
	check("times that never vary differ by more than a tick, or not", judged(five, six).verdict == TL_VERDICT_SAME && judged(five, six).p == 1 &&
	      judged(five, seven).verdict == TL_VERDICT_SLOWER && judged(seven, five).verdict == TL_VERDICT_FASTER && judged(five, next).p == 1);
	check("nor are they known better than to a tick", judged(five, seven).high - judged(five, seven).low > 1);
}

/* ---- values drawn at random ----------------------------------------------------------------- */

static uint64_t random_state = 88172645463325252;

/* Above 0 and below 1 (G. Marsaglia, xorshift). */
static double uniform(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

enum family { NORMAL, ROUNDED, SHORT, LOGNORMAL, HEAVY, HEAVY_ROUNDED, TWO_PEAKS };

static double draw(enum family f)
{
	switch (f) {
	case NORMAL: return 100 + 2 * normal();
	case ROUNDED: return round(100 + 2 * normal());
	case SHORT: return round(5 + 0.3 * normal());
	case LOGNORMAL: return 100 * exp(0.2 * normal());
	case HEAVY: return 100 * exp(normal());
	case HEAVY_ROUNDED: return round(10 * exp(0.5 * normal()));
	default: return (uniform() < 0.1 ? 150 : 100) + normal();
	}
}

/* Of n values, each times `factor`. */
static struct tl_spread drawn(enum family f, size_t n, double factor, bool with_std)
{
	double values[500], sum = 0, squares = 0;
	struct tl_spread s = { (double)n, 0, NAN, INFINITY, 0 };

	for (size_t i = 0; i < n; i++) {
		values[i] = factor * draw(f);
		sum += values[i];
		s.min = fmin(s.min, values[i]);
		s.max = fmax(s.max, values[i]);
	}
	s.mean = sum / s.n;
	for (size_t i = 0; i < n; i++)
		squares += (values[i] - s.mean) * (values[i] - s.mean);
	if (with_std && n > 1)
		s.std = sqrt(squares / (s.n - 1));
	return s;
}

#define ROWS 10

/* How many rows of a sheet are called; a row has n calls, and the times of b are `factor` times those of a. */
static size_t calls(enum family f, const size_t n[2], double factor, bool with_std)
{
	struct tl_spread a[ROWS], b[ROWS];
	struct tl_judged j[ROWS];
	size_t called = 0;

	for (size_t i = 0; i < ROWS; i++) {
		a[i] = drawn(f, n[0], 1, with_std);
		b[i] = drawn(f, n[1], factor, with_std);
	}
	tl_judge(j, a, b, ROWS);
	for (size_t i = 0; i < ROWS; i++)
		called += j[i].verdict == TL_VERDICT_SLOWER || j[i].verdict == TL_VERDICT_FASTER;
	return called;
}

/* If no row differs, each call is false: then at most 5 % of sheets have any. */
static void test_false_calls(void)
{
	static const char *const names[] = { "normal", "normal, whole µs", "short, whole µs", "lognormal", "lognormal with a heavy tail",
		"lognormal, whole µs", "of two peaks" };
	static const size_t sizes[][2] = { { 2, 2 }, { 2, 500 }, { 3, 3 }, { 4, 4 }, { 4, 500 }, { 5, 9 }, { 10, 10 }, { 10, 500 }, { 20, 20 }, { 100, 50 } };
	enum { SHEETS = 40 };

	for (enum family f = NORMAL; f <= TWO_PEAKS; f++)
		for (int with_std = 0; with_std < 2; with_std++) {
			size_t with_calls = 0, all = 0;
			for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
				for (size_t i = 0; i < SHEETS; i++, all++)
					with_calls += calls(f, sizes[s], 1, with_std) > 0;
			printf("# %s: %zu of %zu sheets\n", names[f], with_calls, all);
			check("at most 5 % of sheets of equal rows have a call", with_calls * 20 <= all);
		}
}

static void test_power(void)
{
	static const size_t sizes[][2] = { { 20, 20 }, { 20, 40 }, { 200, 200 } };

	for (size_t s = 0; s < 3; s++)
		for (int with_std = 0; with_std < 2; with_std++)
			check("10 % slower with 2 % noise is found in each row", calls(NORMAL, sizes[s], 1.1, with_std) == ROWS);
	check("1 % slower with 2 % noise is found of 500 calls", calls(NORMAL, (const size_t[]){ 500, 500 }, 1.01, true) == ROWS);
	check("a tenth of rows of whole µs, 50 calls", calls(ROUNDED, (const size_t[]){ 50, 50 }, 1.1, true) == ROWS);
}

/* ---- runs ---------------------------------------------------------------------------------------- */

enum { MOST_RUNS = 11, MOST_ROWS = 60 };
enum noise { OWN, COMMON, BOTH, GROUPS, UNEVEN, UNEVEN_AND_COMMON, BAD_RUN, FEW_COMMON, N_NOISES };
static const char *const noises[N_NOISES] = { "each row for itself", "all rows alike", "both", "three groups of rows", "rows of unequal spread",
	"the same and all rows alike", "now and then a slow run", "a fifth of rows alike" };

/* How much longer a row takes in a run; 2 % is usual. */
static double noise_of(enum noise kind, size_t row, size_t n_rows, double spread, double common, const double *groups)
{
	switch (kind) {
	case OWN: return 0.02 * normal();
	case COMMON: return 0.02 * common + 1e-5 * normal();
	case BOTH: return 0.02 * common + 0.01 * normal();
	case GROUPS: return 0.02 * groups[row % 3] + 0.002 * normal();
	case UNEVEN: return spread * normal();
	case UNEVEN_AND_COMMON: return spread * normal() + 0.02 * common;
	case BAD_RUN: return (common > 1.3 ? 0.05 * common : 0) + 0.003 * normal();
	default: return 0.02 * (row < n_rows / 5 ? common : normal());
	}
}

/* How many rows are called, of the first `slow` ones, which are slower by `factor` in b; of all, if none is. */
static size_t run_calls(enum noise kind, const size_t runs[2], size_t n_rows, size_t slow, double factor)
{
	static double values[2][MOST_ROWS * MOST_RUNS], spread[MOST_ROWS];
	static struct tl_judged j[MOST_ROWS];
	size_t called = 0;

	for (size_t row = 0; row < n_rows; row++)
		spread[row] = 0.02 * exp(0.8 * normal());
	for (int side = 0; side < 2; side++)
		for (size_t run = 0; run < runs[side]; run++) {
			double common = normal(), groups[3] = { normal(), normal(), normal() };
			for (size_t row = 0; row < n_rows; row++)
				values[side][row * runs[side] + run] = (double)(row + 1) * (side && row < slow ? factor : 1) *
					(1 + noise_of(kind, row, n_rows, spread[row], common, groups));
		}
	tl_judge_runs(j, values[0], runs[0], values[1], runs[1], n_rows);
	for (size_t row = 0; row < (slow ? slow : n_rows); row++)
		called += j[row].verdict == TL_VERDICT_SLOWER || j[row].verdict == TL_VERDICT_FASTER;
	return called;
}

/* If no row differs, at most 5 % of sheets have a call; 2,000 sheets of 5 % have more than 6.5 % once in 900 times. */
static void test_false_calls_of_runs(void)
{
	static const size_t runs[][2] = { { 3, 3 }, { 3, 8 }, { 5, 5 }, { 2, 2 } }, rows[] = { 1, 8, 16, 60 };
	enum { SHEETS = 500 };

	for (enum noise kind = OWN; kind < N_NOISES; kind++)
		for (size_t r = 0; r < 4; r++) {
			size_t with_calls = 0;
			for (size_t n = 0; n < 4; n++)
				for (size_t i = 0; i < SHEETS; i++)
					with_calls += run_calls(kind, runs[r], rows[n], 0, 1) > 0;
			printf("# %zu against %zu runs, %s: %.1f %% of sheets\n", runs[r][0], runs[r][1], noises[kind], 100.0 * (double)with_calls / (4 * SHEETS));
			check("no more than 5 % of sheets of equal runs have a call", with_calls * 1000 <= 65 * 4 * SHEETS);
		}
}

/* Percent of slower rows that are called, 3 against 3 runs and so on, at 2 % noise. */
static double found(enum noise kind, size_t runs, size_t n_rows, size_t slow, double factor)
{
	enum { SHEETS = 400 };
	size_t called = 0;

	for (size_t i = 0; i < SHEETS; i++)
		called += run_calls(kind, (const size_t[]){ runs, runs }, n_rows, slow, factor);
	double percent = 100.0 * (double)called / (double)(SHEETS * slow);
	printf("# %zu against %zu runs, %zu of %zu rows slower by %.0f %%, %s: %.0f %% found\n", runs, runs, slow, n_rows, 100 * (factor - 1), noises[kind], percent);
	return percent;
}

static void test_power_of_runs(void)
{
	check("3 against 3: 5 % at 2 % noise is found in half of cases, if it is one row or all of them", found(OWN, 3, 1, 1, 1.05) > 50 &&
	      found(OWN, 3, 40, 40, 1.05) > 65 && found(COMMON, 3, 40, 40, 1.05) > 50);
	check("10 % is, almost always", found(OWN, 3, 1, 1, 1.1) > 95 && found(OWN, 3, 40, 40, 1.1) > 99 && found(OWN, 3, 40, 1, 1.1) > 75);
	check("more runs find 5 %", found(OWN, 5, 40, 40, 1.05) > 95 && found(COMMON, 5, 40, 40, 1.05) > 85 && found(OWN, 10, 40, 1, 1.05) > 95);
	found(OWN, 3, 40, 1, 1.05);
}

static void test_few_runs(void)
{
	const double a[] = { 9.9, 10, 10.1 }, b[] = { 10.9, 11, 11.1 }, flat[] = { 5, 5, 5, 5 };
	struct tl_judged j;

	tl_judge_runs(&j, a, 3, b, 3, 1);
	check("t of three against three", near(j.p, tl_student_two_sided(1 / sqrt(0.01 * 2 / 3), 4)) && j.verdict == TL_VERDICT_SLOWER);
	tl_judge_runs(&j, b, 3, a, 3, 1);
	check("and the other way round", j.verdict == TL_VERDICT_FASTER && j.high < 0);
	tl_judge_runs(&j, a, 1, b, 1, 1);
	check("one run each is not judged", j.verdict == TL_VERDICT_ONE_RUN && isnan(j.p));
	tl_judge_runs(&j, a, 1, b, 2, 1);
	check("nor are three", j.verdict == TL_VERDICT_FEW_RUNS && isnan(j.p));
	tl_judge_runs(&j, flat, 2, flat, 2, 1);
	check("nor are runs that do not differ at all", j.verdict == TL_VERDICT_NO_SPREAD && isnan(j.p));
	tl_judge_runs(&j, (const double[]){ 0, 0 }, 2, b, 2, 1);
	check("a row that a side lacks", j.verdict == TL_VERDICT_NONE && isnan(j.p));
}

int main(void)
{
	test_few_runs();
	test_false_calls_of_runs();
	test_power_of_runs();
	test_student();
	test_rows();
	test_ticks();
	test_false_calls();
	test_power();
	return failures != 0;
}
