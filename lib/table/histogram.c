/* histogram.c - counts of numbers by size.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "table/histogram.h"

#include <math.h>

/* Where bin i begins and bin i - 1 ends; the last bin ends at `high` exactly. */
static double edge(double low, double high, int64_t bins, int64_t i)
{
	return i == bins ? high : (double)i * ((high - low) / (double)bins) + low;
}

/* The last bin that begins at or below v. */
static int64_t bin_of(double low, double high, int64_t bins, double v)
{
	int64_t from = 0, past = bins;

	while (past - from > 1) {
		int64_t middle = from + (past - from) / 2;

		if (edge(low, high, bins, middle) <= v)
			from = middle;
		else
			past = middle;
	}
	return from;
}

static void fill_bins(struct tl_table *t, const double *numbers, size_t n, int64_t bins)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < n; i++) {
		low = numbers[i] < low ? numbers[i] : low;
		high = numbers[i] > high ? numbers[i] : high;
	}
	if (low == high) {
		low -= 0.5;
		high += 0.5;
	}
	for (int64_t i = 0; i < bins; i++) {
		const struct tl_cell c[] = { tl_cell_real(edge(low, high, bins, i)), tl_cell_real(edge(low, high, bins, i + 1)),
			tl_cell_int(0) };

		tl_table_add_row(t, c);
	}
	for (size_t i = 0; i < n; i++) {
		size_t row = (size_t)bin_of(low, high, bins, numbers[i]);

		tl_table_set(t, row, 2, tl_cell_int(tl_table_cell(t, row, 2).i + 1));
	}
}

struct tl_table *tl_histogram(struct tl_strtab *strings, const double *numbers, size_t n, int64_t bins)
{
	static const char *const columns[] = { "bin_start", "bin_end", "count", NULL };
	struct tl_table *t = tl_table_new(strings, 1, columns);

	if (n)
		fill_bins(t, numbers, n, bins);
	return t;
}
