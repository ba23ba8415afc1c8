/* phase_table.c - the operators of prefill and of decode, as pictures need them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/phase_table.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *numbers(const struct tl_first_rows *r, const char *name)
{
	int column = tl_first_column(r, name);
	double *x = tl_calloc(r->n + 1, sizeof *x);

	for (size_t i = 0; column >= 0 && i < r->n; i++)
		if (!isnan(tl_first_number(r, i, column)))
			x[i] = tl_first_number(r, i, column);
	return x;
}

static void fill(struct tl_phase_table *t, const struct tl_first_rows *r)
{
	int name = tl_first_column(r, "name");

	t->n = r->n;
	t->names = tl_calloc(r->n + 1, sizeof *t->names);
	for (size_t i = 0; i < r->n; i++)
		t->names[i] = tl_first_text(r, i, name);
	t->ms = numbers(r, "total_direct_kernel_time_ms");
	t->count = numbers(r, "Count");
	t->percent = numbers(r, "Percentage (%)");
	for (size_t i = 0; i < r->n; i++)
		t->total_ms += t->ms[i];
}

bool tl_phase_tables(struct tl_phase_table *t, const struct tl_plot_sheets *sheets)
{
	static const char *const names[] = { "ops_summary_prefill", "ops_summary_decode" };
	static const struct tl_first_rows none = { .most = 0 };

	for (size_t i = 0; i < TL_N_TABLES; i++) {
		const struct tl_plot_sheet *s = tl_plot_sheets_find(sheets, names[i]);
		t[i] = (struct tl_phase_table){ .phase = i == TL_PREFILL ? "Prefill" : "Decode" };
		fill(&t[i], s ? &s->rows : &none);
	}
	return t[TL_PREFILL].total_ms + t[TL_DECODE].total_ms > 0;
}

void tl_phase_tables_release(struct tl_phase_table *t)
{
	for (size_t i = 0; i < TL_N_TABLES; i++) {
		free(t[i].names);
		free(t[i].ms);
		free(t[i].count);
		free(t[i].percent);
	}
}

/* ---- statistics -------------------------------------------------------------------- */

size_t tl_largest_rows(size_t *rows, const double *values, size_t n, size_t most)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		size_t at = found < most ? found++ : most;
		while (at && values[rows[at - 1]] < values[i]) {
			if (at < most)
				rows[at] = rows[at - 1];
			at--;
		}
		if (at < most)
			rows[at] = i;
	}
	return found;
}

double tl_mean_of(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum / (double)n;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double tl_median_of(const double *x, size_t n)
{
	double *sorted = tl_calloc(n, sizeof *sorted);

	memcpy(sorted, x, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, by_size);
	double median = 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
	free(sorted);
	return median;
}

/* ---- types of operators ---------------------------------------------------------------
 * The words and their order are those of TraceLens's pictures. */

static const struct { const char *type, *words[5]; } types[TL_N_TYPES] = {
	{ "Matrix Ops", { "mm", "gemm", "matmul" } },
	{ "Attention", { "attention", "attn", "flash" } },
	{ "Normalization", { "norm" } },
	{ "Memory Ops", { "copy", "clone", "view", "reshape" } },
	{ "Elementwise", { "add", "mul", "div", "sub" } },
	{ "Embedding", { "embedding", "embed" } },
	{ "Triton Kernels", { "triton" } },
	{ "Other", { "" } },
};

size_t tl_operator_type(const char *name)
{
	char *folded = tl_strdup(name);
	size_t type = 0;

	for (char *p = folded; *p; p++)
		*p = (char)(isascii((unsigned char)*p) ? tolower((unsigned char)*p) : *p);
	for (bool found = false; !found; type += !found)
		for (size_t i = 0; types[type].words[i] && !found; i++)
			found = strstr(folded, types[type].words[i]) != NULL;
	free(folded);
	return type;
}

const char *tl_operator_type_name(size_t type)
{
	return types[type].type;
}
