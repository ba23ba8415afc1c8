/* test_sheets.c - the parts the sheets are made of: intervals, nested spans, sets in
 * CPython's order, kernel details.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/kernel_details.h"
#include "work/launchers.h"
#include "work/python_set.h"
#include "work/spans.h"
#include "check.h"
#include "model/trace.h"
#include "sheets/sheet_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- intervals against a picture of them, one byte a tick ------------------- */

enum { TICKS = 120, ROUNDS = 2000 };

static uint32_t seed = 7;
static uint32_t dice(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

static void draw(struct tl_spans *s, bool *picture)
{
	tl_spans_clear(s);
	memset(picture, 0, TICKS);
	for (uint32_t n = dice(8); n; n--) {
		int64_t start = dice(TICKS - 30), end = start + (int64_t)dice(30);

		tl_spans_add(s, start, end);
		for (int64_t i = start; i < end; i++)
			picture[i] = true;
	}
	tl_spans_merge(s);
}

static bool agrees(const struct tl_spans *s, const bool *picture)
{
	bool mine[TICKS] = { false };
	int64_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (i && s->items[i].start <= s->items[i - 1].end)
			return false;
		for (int64_t t = s->items[i].start; t < s->items[i].end; t++)
			mine[t] = true;
	}
	for (int i = 0; i < TICKS; i++)
		n += picture[i];
	return !memcmp(mine, picture, TICKS) && tl_spans_length(s) == n;
}

/* Is tl_spans_from the first span that ends after a time, at each time? */
static bool finds_first(const struct tl_spans *s)
{
	for (int64_t t = -1; t <= TICKS; t++) {
		size_t first = 0;

		while (first < s->n && s->items[first].end <= t)
			first++;
		if (tl_spans_from(s, t) != first)
			return false;
	}
	return true;
}

static void intervals(void)
{
	struct tl_spans a = { 0 }, b = { 0 }, c = { 0 };
	bool pa[TICKS], pb[TICKS], pc[TICKS], merged = true, subtracted = true, found = true;

	for (int i = 0; i < ROUNDS; i++) {
		draw(&a, pa);
		draw(&b, pb);
		merged &= agrees(&a, pa) && agrees(&b, pb);
		found &= finds_first(&a);
		tl_spans_subtract(&a, &b, &c);
		for (int t = 0; t < TICKS; t++)
			pc[t] = pa[t] && !pb[t];
		/* what is left may touch, which agrees() takes for an error only
		 * when it overlaps; merging joins it and keeps its length */
		tl_spans_merge(&c);
		subtracted &= agrees(&c, pc);
	}
	check("merged spans cover what was added", merged);
	check("the first span that ends after a time is found", found);
	check("subtracting leaves what only the first has", subtracted);
	tl_spans_clear(&a);
	tl_spans_add(&a, 5, 3);
	tl_spans_merge(&a);
	check("a span that ends before it starts is empty", tl_spans_length(&a) == 0);
	tl_spans_add(&a, INT64_MIN, INT64_MAX);
	tl_spans_merge(&a);
	check("the length of everything stops at the largest number", tl_spans_length(&a) == INT64_MAX);
	check("sums stop at the ends", tl_ticks_add(INT64_MAX, 1) == INT64_MAX && tl_ticks_sub(INT64_MIN, 1) == INT64_MIN);
	tl_spans_release(&a);
	tl_spans_release(&b);
	tl_spans_release(&c);
}

/* ---- nested spans: at each tick the last of those that run is innermost ------------- */

/* The last of the first n spans that run at a time, or TL_NONE. */
static uint32_t running(const struct tl_innermost *m, size_t n, int64_t t)
{
	uint32_t last = TL_NONE;

	for (uint32_t i = 0; i < n; i++)
		if (m->spans[i].start <= t && t < m->spans[i].end)
			last = i;
	return last;
}

static bool segments_agree(const struct tl_innermost *m)
{
	for (int64_t t = 0; t < TICKS; t++) {
		size_t at = tl_innermost_from(m, t);
		uint32_t got = at < m->n_segments && m->segments[at].start <= t ? m->segments[at].span : TL_NONE;
		if (got != running(m, m->n, t))
			return false;
	}
	return true;
}

static void nested(void)
{
	bool segments = true, around = true, order = true;

	for (int i = 0; i < ROUNDS; i++) {
		struct tl_innermost m = { 0 };
		for (uint32_t n = dice(9); n; n--) {
			int64_t start = dice(TICKS - 40);
			tl_innermost_add(&m, start, start + (int64_t)dice(40), n);
		}
		tl_innermost_build(&m);
		segments &= segments_agree(&m);
		for (size_t k = 0; k < m.n; k++)
			around &= m.spans[k].around == running(&m, k, m.spans[k].start);
		for (size_t k = 1; k < m.n; k++)
			order &= m.spans[k - 1].start < m.spans[k].start ||
			         (m.spans[k - 1].start == m.spans[k].start && m.spans[k - 1].end >= m.spans[k].end);
		tl_innermost_release(&m);
	}
	check("segments tell the innermost span of each moment", segments);
	check("each span knows the one around it", around);
	check("nested spans are by start, the longest first", order);
}

/* ---- sets: histories and orders taken from CPython 3.11 ------------------------ */

/* -k - 1 removes k */
static const int history1[] = { 28, 29, 37, -38, 39, 6, 9, -7, 25, 39, 39, -40, -10, -26 };
static const uint32_t order1[] = { 28, 29 };
static const int history2[] = { 2456, -2457, 1336, 800, 2622, -801, 1873, 1666, 340, 1291, 2100, -341, 442, 1191,
	69, 2, -3, 2903, 299, 813, 1105, 1274, 1679, 483, -484, -1292, 727, 771, 781, 536, 1571, -1667, 1, -2904, 80,
	-1275, 2465, 410, -411, -782, -1192, 1581, -81, -814, -1680, 1856, -2623, 555, 748, 1273, 2500, -728, -2501,
	-1582, 2472, -70, -300, 1045, -1874, -2466 };
static const uint32_t order2[] = { 1, 771, 1045, 536, 1571, 2472, 555, 2100, 1336, 442, 1856, 1105, 748, 1273 };

static bool in_order(const int *history, size_t n, const uint32_t *order, size_t m)
{
	struct tl_pyset s = { 0 };
	uint32_t key;
	size_t got = 0;
	bool good = true;

	for (size_t i = 0; i < n; i++) {
		if (history[i] < 0)
			tl_pyset_remove(&s, (uint32_t)(-history[i] - 1));
		else
			tl_pyset_add(&s, (uint32_t)history[i]);
	}
	for (size_t i = 0; tl_pyset_next(&s, &i, &key); got++)
		good &= got < m && order[got] == key;
	tl_pyset_release(&s);
	return good && got == m;
}

#define COUNT(a) (sizeof(a) / sizeof *(a))
static void sets(void)
{
	check("a small set is walked in CPython's order", in_order(history1, COUNT(history1), order1, COUNT(order1)));
	check("so is one that grew and lost keys", in_order(history2, COUNT(history2), order2, COUNT(order2)));
	check("an empty set has no keys", in_order(NULL, 0, NULL, 0));
}

/* ---- kernel details ---------------------------------------------------------------------- */

static void add(struct tl_details *d, const char *name, int stream, double dur, bool ints)
{
	tl_details_add(d, &(struct tl_detail){ .name = tl_intern_str(&d->trace->strings, name),
		.stream = stream < 0 ? tl_cell_null() : tl_cell_int(stream), .dur = dur, .int_dur = ints });
}

static bool summary_is(struct tl_details *d, const size_t *rows, size_t n, const char *summary, const char *trunc)
{
	const struct tl_strtab *strings = &d->trace->strings;
	struct tl_cell texts[2];
	const char *got_s, *got_t;

	tl_details_summarise(d, rows, n, texts);
	got_s = texts[0].type == TL_CELL_TEXT ? tl_str(strings, texts[0].text) : "";
	got_t = texts[1].type == TL_CELL_TEXT ? tl_str(strings, texts[1].text) : "";
	if (strcmp(got_s, summary) || strcmp(got_t, trunc))
		printf("got %s\n    %s\n", got_s, got_t);
	return !strcmp(got_s, summary) && !strcmp(got_t, trunc);
}

static void details(void)
{
	static const char long_name[] = "\xc3\xa4" "23456789012345678901234567890123456789012345678901234567890123456";
	struct tl_trace *trace;
	struct tl_sink *sink = tl_trace_sink_new(&trace, NULL);
	struct tl_details d;

	tl_details_init(&d, trace);
	tl_details_add_row(&d);
	add(&d, "big", 7, 4.125, false);
	add(&d, "it's", -1, 1, true);
	tl_details_add_row(&d);
	add(&d, "other name", 8, 5.125, false);
	add(&d, "x", 8, 3, true);
	tl_details_add_row(&d);
	add(&d, "alone", 7, 100, true);
	tl_details_add_row(&d);
	tl_details_add_row(&d);
	add(&d, long_name, 1, 2.5, false);
	check("places of the first list, lists of another length left out", summary_is(&d, (size_t[]){ 0, 1, 2 }, 3,
		"[{'name': \"it's\", 'stream': None, 'count': 2, 'total_duration_us': 4, 'mean_duration_us': 2.0, "
		"'median_duration_us': 2.0, 'std_dev_duration_us': 1.0, 'min_duration_us': 1, 'max_duration_us': 3}, "
		"{'name': 'big', 'stream': 7, 'count': 2, 'total_duration_us': 9.25, 'mean_duration_us': 4.625, "
		"'median_duration_us': 4.625, 'std_dev_duration_us': 0.5, 'min_duration_us': 4.125, 'max_duration_us': 5.125}]",
		"[{'name': \"it's\", 'stream': None, 'mean_duration_us': 2.0}, {'name': 'big', 'stream': 7, 'mean_duration_us': 4.62}]"));
	check("an empty list first does not count", summary_is(&d, (size_t[]){ 3, 2 }, 2,
		"[{'name': 'alone', 'stream': 7, 'count': 1, 'total_duration_us': 100, 'mean_duration_us': 100.0, "
		"'median_duration_us': 100.0, 'std_dev_duration_us': 0.0, 'min_duration_us': 100, 'max_duration_us': 100}]",
		"[{'name': 'alone', 'stream': 7, 'mean_duration_us': 100.0}]"));
	check("no list at all", summary_is(&d, (size_t[]){ 3 }, 1, "[]", ""));
	{
		char want[200], full[600];

		snprintf(want, sizeof want, "[{'name': '%.65s...', 'stream': 1, 'mean_duration_us': 2.5}]", long_name);
		snprintf(full, sizeof full, "[{'name': '%s', 'stream': 1, 'count': 1, 'total_duration_us': 2.5, 'mean_duration_us': 2.5, "
			"'median_duration_us': 2.5, 'std_dev_duration_us': 0.0, 'min_duration_us': 2.5, 'max_duration_us': 2.5}]", long_name);
		check("long names are cut at 64 characters, not bytes", summary_is(&d, (size_t[]){ 4 }, 1, full, want));
	}
	tl_details_release(&d);
	tl_trace_sink_free(sink);
	tl_trace_free(trace);
}

/* ---- definitions ------------------------------------------------------------------------------ */

static void definitions(void)
{
	struct tl_error err = { 0 };
	bool good = tl_sheets_check(&err) == TL_OK;

	check("every name in a definition exists", good);
	if (!good)
		printf("# %s\n", err.text);
}

int main(void)
{
	definitions();
	intervals();
	nested();
	sets();
	details();
	return failures != 0;
}
