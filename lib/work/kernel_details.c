/* kernel_details.c - what the kernels of a group of launchers did, place by place.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/kernel_details.h"

#include "base/merge_sort.h"
#include "base/value.h"
#include "table/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_NAME = 64 }; /* code points */

/* ---- lists --------------------------------------------------------------------- */

void tl_details_init(struct tl_details *d, struct tl_trace *t)
{
	*d = (struct tl_details){ .trace = t };
	d->stream = tl_arg_of(t, TL_KEY_STREAM);
}

void tl_details_release(struct tl_details *d)
{
	free(d->items);
	free(d->first);
	free(d->order);
	free(d->values);
}

void tl_details_add_row(struct tl_details *d)
{
	TL_PUSH(d->first, d->n_rows, d->cap_rows, d->n);
}

void tl_details_add(struct tl_details *d, const struct tl_detail *item)
{
	TL_PUSH(d->items, d->n, d->cap, *item);
}

void tl_details_add_events(struct tl_details *d, const uint32_t *events, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct tl_ev *e = &d->trace->events[events[i]];

		tl_details_add(d, &(struct tl_detail){
			.name = e->name, .event = events[i], .dur = tl_trace_us(d->trace, e->dur),
			.int_dur = (e->flags & TL_EV_INT_DUR) != 0, .of_event = true,
		});
	}
}

const struct tl_detail *tl_details_of(const struct tl_details *d, size_t row, uint32_t *n)
{
	*n = (uint32_t)((row + 1 < d->n_rows ? d->first[row + 1] : d->n) - d->first[row]);
	return *n ? d->items + d->first[row] : NULL;
}

struct tl_cell tl_detail_stream(const struct tl_details *d, const struct tl_detail *item)
{
	return item->of_event ? tl_arg_cell(d->trace, &d->stream, item->event) : item->stream;
}

/* ---- statistics ---------------------------------------------------------------- */

struct entry {
	struct tl_detail model; /* gives name and stream */
	size_t row;             /* of the model */
	bool ints;              /* all durations are stated without fractions */
	int64_t count;
	double total, mean, median, std, min, max;
};

static void measure(struct entry *e, double *values, size_t n)
{
	e->count = (int64_t)n;
	e->min = e->max = values[0];
	for (size_t i = 1; i < n; i++) {
		e->min = values[i] < e->min ? values[i] : e->min;
		e->max = values[i] > e->max ? values[i] : e->max;
	}
	e->total = tl_pairwise_sum(values, n);
	e->mean = e->total / (double)n;
	if (n == 1) {
		e->median = values[0];
		return;
	}
	/* tl_median reorders, but deviation must add up in the given order: so the median
	 * is taken of a copy behind the values */
	memcpy(values + n, values, n * sizeof *values);
	e->median = tl_median(values + n, n);
	/* Standard deviation of a population, as numpy computes it; changes a. */
	for (size_t i = 0; i < n; i++) {
		double x = values[i] - e->mean;

		values[i] = x * x;
	}
	e->std = sqrt(tl_pairwise_sum(values, n) / (double)n);
}

/* The statistics of each place, over those lists of the rows that have as many items
 * as the list of the row model_row. */
static struct entry *measure_all(struct tl_details *d, const size_t *rows, size_t n, size_t model_row)
{
	uint32_t len;
	const struct tl_detail *model = tl_details_of(d, model_row, &len);
	struct entry *entries = tl_calloc(len, sizeof *entries);
	const struct tl_detail **lists = tl_alloc(n * sizeof *lists);
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t length;
		lists[count] = tl_details_of(d, rows[i], &length);
		count += length == len;
	}
	TL_GROW(d->values, d->cap_values, 2 * count);
	for (uint32_t place = 0; place < len; place++) {
		struct entry *e = &entries[place];

		e->model = model[place];
		e->row = model_row;
		e->ints = true;
		for (size_t i = 0; i < count; i++) {
			d->values[i] = lists[i][place].dur;
			e->ints &= lists[i][place].int_dur;
		}
		measure(e, d->values, count);
	}
	free(lists);
	return entries;
}

struct entries { const struct entry *items; const struct tl_strtab *strings; };

/* By total time, the shortest first, then by name and place. */
TL_ORDER_IN(by_total, uint32_t, struct entries, TL_ASC(ctx->items[*x].total)
	TL_BY(tl_cell_compare(ctx->strings, tl_cell_text(ctx->items[*a].model.name), tl_cell_text(ctx->items[*b].model.name))))

/* ---- texts --------------------------------------------------------------------- */

static void add_double(struct tl_buf *b, double x)
{
	tl_buf_reserve(b, TL_DOUBLE_TEXT);
	b->len += tl_format_double(b->data + b->len, x);
}

static void add_int(struct tl_buf *b, int64_t x)
{
	tl_buf_reserve(b, TL_DOUBLE_TEXT);
	b->len += tl_format_int(b->data + b->len, x);
}

void tl_cell_repr(struct tl_buf *b, const struct tl_strtab *strings, struct tl_cell c)
{
	switch (c.type) {
	case TL_CELL_INT:
		add_int(b, c.i);
		break;
	case TL_CELL_REAL:
		add_double(b, c.d);
		break;
	case TL_CELL_BOOL:
		tl_buf_adds(b, c.i ? "True" : "False");
		break;
	case TL_CELL_TEXT:
		tl_repr_text(b, tl_str(strings, c.text), tl_str_len(strings, c.text));
		break;
	default:
		tl_buf_adds(b, "None");
	}
}

TL_ORDER_IN(by_text, struct tl_cell, struct tl_strtab, TL_BY(tl_cell_compare(ctx, *a, *b)))

struct tl_cell tl_distinct_texts(const struct tl_table *t, size_t column, const size_t *rows, size_t n)
{
	struct tl_cell *found = NULL, all;
	struct tl_map seen = { 0 };
	struct tl_buf text = { 0 };
	size_t n_found = 0, cap = 0;

	for (size_t i = 0; i < n; i++) {
		struct tl_cell c = tl_table_cell(t, rows[i], column);
		if (!tl_map_add(&seen, c.text))
			continue;
		TL_PUSH(found, n_found, cap, c);
	}
	tl_merge_sort(found, n_found, sizeof *found, by_text, t->strings);
	for (size_t i = 0; i < n_found; i++) {
		tl_buf_adds(&text, i ? ", " : "[");
		tl_repr_text(&text, tl_str(t->strings, found[i].text), tl_str_len(t->strings, found[i].text));
	}
	tl_buf_addc(&text, ']');
	all = tl_cell_text(tl_intern_buf(t->strings, &text));
	tl_map_release(&seen);
	free(found);
	return all;
}

/* How many bytes the first SHORT_NAME code points take; len if there are no more. */
static size_t short_length(const char *s, size_t len)
{
	size_t points = 0;

	for (size_t i = 0; i < len; i++)
		if (((uint8_t)s[i] & 0xc0) != 0x80 && points++ == SHORT_NAME)
			return i;
	return len;
}

static void add_number(struct tl_buf *b, const char *label, double x, bool as_int)
{
	tl_buf_adds(b, label);
	if (as_int && fabs(x) < 9e18)
		add_int(b, (int64_t)x);
	else
		add_double(b, x);
}

static void add_head(struct tl_buf *b, const struct tl_details *d, const struct entry *e, bool cut)
{
	tl_buf_adds(b, b->len > 1 ? ", {'name': " : "{'name': ");
	const struct tl_strtab *strings = &d->trace->strings;
	uint32_t name = e->model.name;
	const char *s = tl_str(strings, name);
	size_t len = tl_str_len(strings, name), keep = cut ? short_length(s, len) : len;
	struct tl_buf text = { 0 };
	tl_buf_add(&text, s, keep);
	tl_buf_adds(&text, keep < len ? "..." : "");
	tl_repr_text(b, text.data, text.len);
	tl_buf_release(&text);
	if (d->add_facts) {
		d->add_facts(d->facts_ctx, e->row, b);
		return;
	}
	tl_buf_adds(b, ", 'stream': ");
	tl_cell_repr(b, &d->trace->strings, tl_detail_stream(d, &e->model));
}

static void add_full(struct tl_buf *b, const struct tl_details *d, const struct entry *e)
{
	add_head(b, d, e, false);
	if (d->with_overlap)
		add_number(b, ", 'overlap_pct': ", e->model.overlap, false);
	if (e->model.has_stack && d->add_stack) {
		tl_buf_adds(b, ", 'call_stack': ");
		d->add_stack(d->stack_ctx, e->row, e->model.event, b);
	}
	tl_buf_adds(b, ", 'count': ");
	add_int(b, e->count);
	add_number(b, ", 'total_duration_us': ", e->total, e->ints);
	add_number(b, ", 'mean_duration_us': ", e->mean, false);
	add_number(b, ", 'median_duration_us': ", e->median, false);
	add_number(b, ", 'std_dev_duration_us': ", e->std, false);
	add_number(b, ", 'min_duration_us': ", e->min, e->ints);
	add_number(b, ", 'max_duration_us': ", e->max, e->ints);
	tl_buf_addc(b, '}');
}

static void add_short(struct tl_buf *b, const struct tl_details *d, const struct entry *e)
{
	add_head(b, d, e, true);
	add_number(b, ", 'mean_duration_us': ", tl_numpy_round2(e->mean), false);
	tl_buf_addc(b, '}');
}

static struct tl_cell list_text(struct tl_details *d, const struct entry *entries,
                                void (*add)(struct tl_buf *, const struct tl_details *, const struct entry *))
{
	struct tl_buf b = { 0 };

	tl_buf_addc(&b, '[');
	for (uint32_t i = 0; i < d->n_order; i++)
		add(&b, d, &entries[d->order[i]]);
	tl_buf_addc(&b, ']');
	return tl_cell_text(tl_intern_buf(&d->trace->strings, &b));
}

void tl_details_summarise(struct tl_details *d, const size_t *rows, size_t n, struct tl_cell texts[2])
{
	struct entry *entries = NULL;
	uint32_t len = 0;
	size_t model = 0;

	for (size_t i = 0; i < n && !len; i++)
		tl_details_of(d, model = rows[i], &len);
	if (len)
		entries = measure_all(d, rows, n, model);
	struct entries e = { entries, &d->trace->strings };
	TL_GROW(d->order, d->cap_order, (size_t)len + 1);
	d->n_order = len;
	for (uint32_t i = 0; i < len; i++)
		d->order[i] = i;
	tl_merge_sort(d->order, len, sizeof *d->order, by_total, &e);
	texts[0] = list_text(d, entries, add_full);
	texts[1] = len ? list_text(d, entries, add_short) : tl_cell_null();
	free(entries);
}
