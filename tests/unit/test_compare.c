/* test_compare.c - the statistics of verdicts, against values from tables and other programs.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "check.h"
#include "compare/welch.h"

#include <math.h>
#include <stdio.h>

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

static void test_welch(void)
{
	struct tl_spread a = { 5, 10, 1, NAN, NAN }, b = { 7, 12, 3, NAN, NAN }, one = { 1, 3, NAN, 3, 3 }, same = { 4, 7, 0, 7, 7 }, more = { 3, 8, 0, 8, 8 };
	struct tl_noise n = tl_welch(&a, &b);

	check("two means of unequal deviations", near(n.p, 0.14077457485987177) && near(n.low, -0.827884981191) && near(n.high, 4.82788498119));
	n = tl_welch(&b, &a);
	check("the other way round, signs change", near(n.p, 0.14077457485987177) && near(n.high, 0.827884981191));
	check("one value tells nothing", isnan(tl_welch(&a, &one).p) && isnan(tl_welch(&one, &a).low));
	n = tl_welch(&same, &more);
	check("values that never vary differ for sure, or not at all", n.p == 0 && n.low == 1 && n.high == 1 && tl_welch(&same, &same).p == 1);
}

static void test_apart(void)
{
	struct tl_spread a = { 4, 1.5, NAN, 1, 2 }, b = { 4, 5, NAN, 3, 6 }, c = { 4, 3, NAN, 2, 4 }, none = { 4, 3, NAN, NAN, NAN };
	bool overlap;

	check("ranges apart: two of all ways to order the values", near(tl_apart(&a, &b, &overlap).p, 2.0 / 70) && !overlap && near(tl_apart(&b, &a, &overlap).p, 2.0 / 70));
	check("ranges that touch", isnan(tl_apart(&a, &c, &overlap).p) && overlap);
	check("no ranges", isnan(tl_apart(&a, &none, &overlap).p) && !overlap);
}

int main(void)
{
	test_student();
	test_welch();
	test_apart();
	return failures != 0;
}
