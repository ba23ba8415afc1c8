/* test_headline.c - the numbers of the overview, from sheets made here.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "check.h"
#include "sheets/headline.h"
#include "tl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct tl_strtab strings;

/* A sheet with a text column and a column of numbers; a row for each text up to a NULL. */
static struct tl_table *sheet(const char *text_column, const char *number_column, const char *const *texts,
                              const double *numbers)
{
	const char *const columns[] = { text_column, number_column, NULL };
	struct tl_table *t = tl_table_new(&strings, 1000, columns);

	for (size_t i = 0; texts[i]; i++) {
		struct tl_cell row[] = { tl_cell_text(tl_intern_str(&strings, texts[i])), tl_cell_real(numbers[i]) };
		tl_table_add_row(t, row);
	}
	return t;
}

static void take(struct tl_headline *h, const char *name, struct tl_table *t)
{
	tl_headline_take(h, name, t);
	tl_table_free(t);
}

static bool is(const struct tl_headline_number *n, const char *item, double value, const char *from)
{
	return n->item && !strcmp(n->item, item) && fabs(n->value - value) < 1e-9 && !strcmp(n->sheet, from);
}

static void check_timelines(void)
{
	static const char *const one[] = { "computation_time", "exposed_comm_time", NULL };
	static const char *const two[] = { "exposed_comm_time", "idle_time", "exposed_comm_time", "exposed_comm_time", NULL };
	static const char *const classes[] = { "exposed communication", "kernels", "unrecorded", NULL };
	struct tl_headline h = { 0 };

	check("nothing is known at first", tl_headline_lacks(&h, "gpu_timeline") && tl_headline_lacks(&h, "ops_summary"));
	check("other sheets give no number", !tl_headline_takes("GEMM") && !tl_headline_lacks(&h, "GEMM"));
	take(&h, "gpu_timeline", sheet("type", "percent", one, (double[]){ 10, 80 }));
	check("a row of the timeline", is(&h.numbers[TL_HEADLINE_EXPOSED], "exposed communication", 80, "gpu_timeline"));
	take(&h, "gpu_timeline_by_device", sheet("type", "percent", one, (double[]){ 10, 70 }));
	check("gpu_timeline_by_device does not tell it", is(&h.numbers[TL_HEADLINE_EXPOSED], "exposed communication", 80, "gpu_timeline"));
	take(&h, "gpu_timeline", sheet("type", "percent", two, (double[]){ 10, 90, 40, NAN }));
	check("the mean of several devices counts", is(&h.numbers[TL_HEADLINE_EXPOSED],
	      "exposed communication, mean of 2 devices (from 10.0 to 40.0)", 25, "gpu_timeline"));
	take(&h, "ledger", sheet("class", "time_ms", classes, (double[]){ 30, 70, 900 }));
	check("the ledger's share of the recorded window counts more", is(&h.numbers[TL_HEADLINE_EXPOSED], "exposed communication", 30, "ledger"));
	take(&h, "gpu_timeline", sheet("type", "percent", one, (double[]){ 10, 80 }));
	check("whichever comes first", is(&h.numbers[TL_HEADLINE_EXPOSED], "exposed communication", 30, "ledger"));
	check("how busy devices are is of the trace, not of a sheet", !h.numbers[TL_HEADLINE_BUSY].item);
	tl_headline_release(&h);
	check("released", !h.numbers[TL_HEADLINE_EXPOSED].item);
}

static void check_largest(void)
{
	static const char *const names[] = { "a", "b", "a", "b", NULL };
	static const char *const none[] = { NULL };
	struct tl_headline h = { 0 };

	take(&h, "ops_summary", sheet("name", "Percentage (%)", none, NULL));
	check("a sheet without rows gives no number", !h.numbers[TL_HEADLINE_OPERATOR].item);
	take(&h, "ops_summary", sheet("name", "another column", names, (double[]){ 1, 2, 3, 4 }));
	check("a sheet without the column gives no number", !h.numbers[TL_HEADLINE_OPERATOR].item);
	take(&h, "kernel_summary", sheet("Kernel name", "Percent of kernels time (%)", names, (double[]){ 30, 35, 20, 10 }));
	check("rows of one name are added up", is(&h.numbers[TL_HEADLINE_KERNEL], "largest kernel: a", 50, "kernel_summary"));
	tl_headline_release(&h);
}

int main(void)
{
	check_timelines();
	check_largest();
	tl_strtab_release(&strings);
	return failures != 0;
}
