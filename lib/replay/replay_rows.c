/* replay_rows.c - which operators of a group are run again, and how long they take.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "replay/replay_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- selection ---------------------------------------------------------------------------- */

enum column { NAME, DIMS, TYPES, STRIDES, VALUES, TIME, SHARE, COUNT, UID, COLUMNS };
static const char *const columns[COLUMNS] = {
	"name", "Input Dims_first", "Input type_first", "Input Strides_first", "Concrete Inputs_first",
	"Kernel Time (µs)_mean", "kernel_time_sum_cum_pct", "name_count", "UID_first",
};

enum tl_cell_type tl_replay_column_type(const char *column)
{
	size_t i = 0;

	while (i < COLUMNS && strcmp(column, columns[i]))
		i++;
	return i == TIME || i == SHARE ? TL_CELL_REAL : i == COUNT || i == UID ? TL_CELL_INT : TL_CELL_TEXT;
}

static const char *text_of(const struct tl_table *t, size_t row, int column)
{
	struct tl_cell c = tl_table_cell(t, row, (size_t)column);

	return c.type == TL_CELL_TEXT ? tl_str(t->strings, c.text) : NULL;
}

static double number_of(const struct tl_table *t, size_t row, int column)
{
	return tl_cell_number(tl_table_cell(t, row, (size_t)column), t->ticks_per_us);
}

static struct tl_replay_row row_of(const struct tl_table *t, size_t i, const int *at)
{
	double count = number_of(t, i, at[COUNT]), uid = number_of(t, i, at[UID]);
	const char *name = text_of(t, i, at[NAME]);

	return (struct tl_replay_row){
		.name = name ? name : "", .dims = text_of(t, i, at[DIMS]), .types = text_of(t, i, at[TYPES]),
		.strides = text_of(t, i, at[STRIDES]), .values = text_of(t, i, at[VALUES]),
		.us = number_of(t, i, at[TIME]), .share = number_of(t, i, at[SHARE]),
		.count = isnan(count) ? 0 : (int64_t)count, .uid = isnan(uid) ? -1 : (int64_t)uid,
		.bench_us = (double)NAN, .replay_us = (double)NAN,
	};
}

enum tl_status tl_replay_rows_select(const struct tl_table *sheet, double share, bool crossing, struct tl_replay_row **rows, size_t *n,
                                     struct tl_error *err)
{
	int at[COLUMNS];

	for (size_t i = 0; i < COLUMNS; i++)
		if ((at[i] = tl_table_column(sheet, columns[i])) < 0)
			return tl_fail(err, TL_ERR_DATA, "expected a sheet of operators: it lacks the column %s", columns[i]);
	for (*n = 0; *n < sheet->n_rows && number_of(sheet, *n, at[SHARE]) < share;)
		++*n;
	if (crossing && *n < sheet->n_rows)
		++*n;
	if (!*n)
		*n = sheet->n_rows;
	*rows = tl_alloc((*n + 1) * sizeof **rows);
	for (size_t i = 0; i < *n; i++)
		(*rows)[i] = row_of(sheet, i, at);
	return TL_OK;
}

/* ---- results -------------------------------------------------------------------------------- */

static char *titled(const char *format, const char *group)
{
	struct tl_buf b = { 0 };

	for (; *format; format++)
		if (*format == '%')
			tl_buf_adds(&b, group);
		else
			tl_buf_addc(&b, *format);
	return b.data;
}

static struct tl_cell real_or_none(double x)
{
	return isnan(x) ? tl_cell_null() : tl_cell_real(x);
}

/* How much of the trace's time a difference is; none of no time. */
static double percent(double difference, double of)
{
	return of > 0 ? difference / of * 100 : (double)NAN;
}

struct tl_table *tl_replay_sheet(const char *group, const struct tl_replay_row *rows, size_t n, struct tl_strtab *strings)
{
	static const char *const titles[] = { "% no.", "Avg. %-bench time (us)", "Avg. replay time (us)", "Avg. profile time (us)",
		"Diff profile vs. replay (us)", "Diff profile vs. %-bench (us)", "Diff profile vs. replay (pct)",
		"Diff profile vs. %-bench (pct)" };
	struct tl_table *t = tl_table_new(strings, 1, NULL);

	for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
		char *title = titled(titles[i], group);
		tl_table_add_column(t, title);
		free(title);
	}
	for (size_t i = 0; i < n; i++) {
		const struct tl_replay_row *r = &rows[i];
		double replay = r->replay_us - r->us, bench = r->bench_us - r->us;
		tl_table_add_row(t, (struct tl_cell[]){ tl_cell_int((int64_t)i), real_or_none(r->bench_us), real_or_none(r->replay_us),
			real_or_none(r->us), real_or_none(replay), real_or_none(bench), real_or_none(percent(replay, r->us)),
			real_or_none(percent(bench, r->us)) });
	}
	return t;
}
