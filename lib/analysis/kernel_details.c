/* kernel_details.c - what the kernels of a group of launchers did, position by position.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/kernel_details.h"

#include "analysis/event_order.h"
#include "json/value.h"
#include "table/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_NAME = 64 }; /* code points */

struct tl_detail_summary {
	const struct tl_detail_list *lists; size_t n; /* a copy */
	struct tl_cell summary, trunc;
};

void tl_details_of_trace(struct tl_details *d, struct tl_trace *t)
{
	d->trace = d->streams.trace = t;
	tl_arg_init(&d->stream, t, TL_KEY_STREAM);
}

void tl_details_row(struct tl_details *d)
{
	tl_details_list(d, NULL, 0);
}

void tl_details_add(struct tl_details *d, const struct tl_detail *item)
{
	TL_GROW(d->items, d->cap, d->n + 1);
	d->items[d->n++] = *item;
	d->lists[d->n_rows - 1].n++;
}

struct tl_detail tl_details_of_event(struct tl_details *d, uint32_t event)
{
	const struct tl_ev *e = &d->trace->events[event];

	return (struct tl_detail){ .name = e->name, .stream = tl_arg_cell(&d->streams, &d->stream, event),
	                           .dur = tl_us(d->trace, e->dur), .int_dur = (e->flags & TL_EV_INT_DUR) != 0 };
}

struct tl_detail tl_details_get(struct tl_details *d, size_t row, uint32_t i)
{
	const struct tl_detail_list *l = &d->lists[row];

	return l->events ? tl_details_of_event(d, l->events[i]) : d->items[l->first + i];
}

/* Duration alone, for the statistics. */
static double duration_at(const struct tl_details *d, const struct tl_detail_list *l, uint32_t i, bool *ints)
{
	if (!l->events) {
		*ints &= d->items[l->first + i].int_dur;
		return d->items[l->first + i].dur;
	}
	const struct tl_ev *e = &d->trace->events[l->events[i]];
	*ints &= (e->flags & TL_EV_INT_DUR) != 0;
	return tl_us(d->trace, e->dur);
}

void tl_details_release(struct tl_details *d)
{
	free(d->items);
	free(d->lists);
	tl_arg_release(&d->stream);
	tl_arg_cells_release(&d->streams);
	free(d->values);
	free(d->order);
	if (d->own_texts)
		tl_detail_texts_release(d->own_texts);
	free(d->own_texts);
	tl_buf_release(&d->buf);
}

void tl_detail_texts_release(struct tl_detail_texts *t)
{
	tl_map_release(&t->summary_at);
	free(t->summaries);
	tl_map_release(&t->quoted);
	tl_map_release(&t->cut);
	tl_arena_release(&t->arena);
	tl_buf_release(&t->buf);
}

static struct tl_detail_texts *texts_of(struct tl_details *d)
{
	if (!d->texts)
		d->texts = d->own_texts = tl_calloc(1, sizeof *d->own_texts);
	return d->texts;
}

/* ---- text ------------------------------------------------------------------- */

static void add_double(struct tl_buf *b, double x)
{
	tl_buf_reserve(b, TL_DOUBLE_TEXT);
	b->len += tl_format_double(b->data + b->len, x);
}

static void add_int(struct tl_buf *b, int64_t x)
{
	tl_buf_reserve(b, 24);
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

/* Bytes of the first SHORT_NAME code points, or len when there are no more. */
static size_t short_length(const char *s, size_t len)
{
	size_t points = 0;

	for (size_t i = 0; i < len; i++)
		if (((uint8_t)s[i] & 0xc0) != 0x80 && points++ == SHORT_NAME)
			return i;
	return len;
}

/* Quoted text of a name, made once. */
static uint32_t quoted(struct tl_details *d, uint32_t name, bool cut)
{
	struct tl_detail_texts *t = texts_of(d);
	bool is_new;
	uint32_t *slot = tl_map_put(cut ? &t->cut : &t->quoted, name, &is_new);

	if (!is_new)
		return *slot;
	const char *s = tl_str(d->strings, name);
	size_t len = tl_str_len(d->strings, name), keep = cut ? short_length(s, len) : len;
	tl_buf_clear(&t->buf);
	if (keep < len) {
		char *text = tl_arena_alloc(&t->arena, keep + 4);

		memcpy(text, s, keep);
		memcpy(text + keep, "...", 4);
		tl_repr_text(&t->buf, text, keep + 3);
	} else {
		tl_repr_text(&t->buf, s, len);
	}
	return *slot = tl_intern(d->strings, t->buf.data, t->buf.len);
}

/* ---- statistics ---------------------------------------------------------------- */

struct entry {
	struct tl_detail model; /* of the template */
	bool ints;
	int64_t count;
	double total, mean, median, std, min, max;
};

/* Population standard deviation as numpy computes it; changes a. */
static double deviation(double *a, size_t n, double mean)
{
	for (size_t i = 0; i < n; i++) {
		double x = a[i] - mean;

		a[i] = x * x;
	}
	return sqrt(tl_pairwise_sum(a, n) / (double)n);
}

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
	/* the sum of squares must see the values in their order, the median may
	 * not disturb it: it works on the copy behind */
	memcpy(values + n, values, n * sizeof *values);
	e->median = tl_median(values + n, n);
	e->std = deviation(values, n, e->mean);
}

static struct entry *measure_all(struct tl_details *d, const size_t *rows, size_t n, size_t first, uint32_t len)
{
	struct entry *entries = tl_calloc(len, sizeof *entries);

	TL_GROW(d->values, d->cap_values, 2 * n);
	for (uint32_t p = 0; p < len; p++) {
		struct entry *e = &entries[p];
		size_t count = 0;

		e->model = tl_details_get(d, rows[first], p);
		e->ints = true;
		for (size_t i = first; i < n; i++)
			if (d->lists[rows[i]].n == len)
				d->values[count++] = duration_at(d, &d->lists[rows[i]], p, &e->ints);
		measure(e, d->values, count);
	}
	return entries;
}

struct place { double total; uint32_t name, at; const struct tl_strtab *strings; };

static int by_total(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;
	size_t la, lb;
	int c;

	if (a->total != b->total)
		return a->total < b->total ? -1 : 1;
	la = tl_str_len(a->strings, a->name);
	lb = tl_str_len(b->strings, b->name);
	c = memcmp(tl_str(a->strings, a->name), tl_str(b->strings, b->name), la < lb ? la : lb);
	if (c || la != lb)
		return c ? c : la < lb ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static struct place *sort_entries(const struct tl_details *d, const struct entry *entries, uint32_t len)
{
	struct place *places = tl_alloc(len * sizeof *places);

	for (uint32_t i = 0; i < len; i++)
		places[i] = (struct place){ entries[i].total, entries[i].model.name, i, d->strings };
	if (len > 1)
		qsort(places, len, sizeof *places, by_total);
	return places;
}

static void add_number(struct tl_details *d, const char *label, double x, bool as_int)
{
	struct tl_buf *b = &d->buf;
	size_t n = strlen(label);

	tl_buf_reserve(b, n + TL_DOUBLE_TEXT);
	memcpy(b->data + b->len, label, n);
	b->len += n;
	if (as_int && fabs(x) < 9e18)
		b->len += tl_format_int(b->data + b->len, (int64_t)x);
	else
		b->len += tl_format_double(b->data + b->len, x);
}

static void add_head(struct tl_details *d, const struct entry *e, uint32_t name)
{
	struct tl_buf *b = &d->buf;

	tl_buf_adds(b, b->len > 1 ? ", {'name': " : "{'name': ");
	tl_buf_add(b, tl_str(d->strings, name), tl_str_len(d->strings, name));
	tl_buf_adds(b, ", 'stream': ");
	tl_cell_repr(b, d->strings, e->model.stream);
}

static struct tl_cell full_text(struct tl_details *d, const struct entry *entries, const struct place *order, uint32_t len)
{
	struct tl_buf *b = &d->buf;

	tl_buf_clear(b);
	tl_buf_addc(b, '[');
	for (uint32_t i = 0; i < len; i++) {
		const struct entry *e = &entries[order[i].at];

		add_head(d, e, quoted(d, e->model.name, false));
		if (d->with_overlap)
			add_number(d, ", 'overlap_pct': ", e->model.overlap, false);
		if (e->model.call_stack && !d->hide_stacks) {
			tl_buf_adds(b, ", 'call_stack': ");
			tl_buf_add(b, tl_str(d->strings, e->model.call_stack), tl_str_len(d->strings, e->model.call_stack));
		}
		tl_buf_adds(b, ", 'count': ");
		add_int(b, e->count);
		add_number(d, ", 'total_duration_us': ", e->total, e->ints);
		add_number(d, ", 'mean_duration_us': ", e->mean, false);
		add_number(d, ", 'median_duration_us': ", e->median, false);
		add_number(d, ", 'std_dev_duration_us': ", e->std, false);
		add_number(d, ", 'min_duration_us': ", e->min, e->ints);
		add_number(d, ", 'max_duration_us': ", e->max, e->ints);
		tl_buf_addc(b, '}');
	}
	tl_buf_addc(b, ']');
	return tl_cell_text(tl_intern(d->strings, b->data, b->len));
}

static struct tl_cell trunc_text(struct tl_details *d, const struct entry *entries, const struct place *order, uint32_t len)
{
	struct tl_buf *b = &d->buf;

	if (!len)
		return tl_cell_null();
	tl_buf_clear(b);
	tl_buf_addc(b, '[');
	for (uint32_t i = 0; i < len; i++) {
		const struct entry *e = &entries[order[i].at];

		add_head(d, e, quoted(d, e->model.name, true));
		add_number(d, ", 'mean_duration_us': ", tl_numpy_round2(e->mean), false);
		tl_buf_addc(b, '}');
	}
	tl_buf_addc(b, ']');
	return tl_cell_text(tl_intern(d->strings, b->data, b->len));
}

static void summarise(struct tl_details *d, const size_t *rows, size_t n, struct tl_cell *summary, struct tl_cell *trunc)
{
	struct entry *entries = NULL;
	struct place *order = NULL;
	size_t first = 0;
	uint32_t len = 0;

	while (first < n && !d->lists[rows[first]].n)
		first++;
	if (first < n) {
		len = d->lists[rows[first]].n;
		entries = measure_all(d, rows, n, first, len);
		order = sort_entries(d, entries, len);
	}
	TL_GROW(d->order, d->cap_order, (size_t)len + 1);
	d->n_order = len;
	for (uint32_t i = 0; i < len; i++)
		d->order[i] = order[i].at;
	*summary = full_text(d, entries, order, len);
	*trunc = trunc_text(d, entries, order, len);
	free(order);
	free(entries);
}

static uint64_t hash_lists(const struct tl_details *d, const size_t *rows, size_t n)
{
	uint64_t h = n;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (uint64_t)(uintptr_t)d->lists[rows[i]].events) * 0x9e3779b97f4a7c15u + (h >> 31);
	return tl_hash_u64(h);
}

static bool same_lists(const struct tl_details *d, const size_t *rows, size_t n, const struct tl_detail_summary *s)
{
	if (s->n != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (s->lists[i].events != d->lists[rows[i]].events || s->lists[i].n != d->lists[rows[i]].n)
			return false;
	return true;
}

static void remember(struct tl_details *d, const size_t *rows, size_t n, struct tl_cell summary, struct tl_cell trunc)
{
	struct tl_detail_texts *t = texts_of(d);
	struct tl_detail_list *lists = tl_arena_alloc(&t->arena, n * sizeof *lists);

	for (size_t i = 0; i < n; i++)
		lists[i] = d->lists[rows[i]];
	TL_GROW(t->summaries, t->cap_summaries, t->n_summaries + 1);
	t->summaries[t->n_summaries++] = (struct tl_detail_summary){ lists, n, summary, trunc };
}

/* Lists of events that are the same arrays have the same texts. The order of
 * the last summary is wanted for call stacks, where nothing is remembered. */
void tl_details_summarise(struct tl_details *d, const size_t *rows, size_t n,
                          struct tl_cell *summary, struct tl_cell *trunc)
{
	if (!d->trace || d->n || d->hide_stacks) {
		summarise(d, rows, n, summary, trunc);
		return;
	}
	struct tl_detail_texts *t = texts_of(d);
	uint32_t *at = tl_map_put(&t->summary_at, hash_lists(d, rows, n), NULL);
	const struct tl_detail_summary *known = *at ? &t->summaries[*at - 1] : NULL;
	if (known && same_lists(d, rows, n, known)) {
		*summary = known->summary;
		*trunc = known->trunc;
		return;
	}
	summarise(d, rows, n, summary, trunc);
	remember(d, rows, n, *summary, *trunc);
	*at = (uint32_t)t->n_summaries;
}
