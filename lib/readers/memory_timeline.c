/* memory_timeline.c - reads timelines of torch.profiler's export_memory_timeline: bytes by category as events "[memory category]".
 *
 * A file .raw.json.gz is a list of [time in ns, action, bytes, category]; a file .json is [times in µs, sizes], of which each
 * list of sizes begins with a 0. The time -1 is that of what was there before: such events have no time.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/event_maker.h"

#include <stdlib.h>
#include <string.h>

enum { TICKS = 1000, CATEGORIES = 8, N_SIZES = CATEGORIES + 1, N_FIELDS = 4 };
#define MAX_TIME (INT64_MAX / 2)

static const char *const categories[CATEGORIES] = { TL_MEMORY_CATEGORIES };

struct timeline {
	struct tl_json_doc doc;
	struct tl_maker make;
	struct tl_read_report *report;
	const struct tl_read_options *options;
	struct tl_made_id names[CATEGORIES];
	int64_t *times; size_t n, cap;  /* the list that the file begins with */
};

/* ticks: -1: no time. */
static bool push(struct timeline *r, int64_t ticks, int64_t bytes, size_t category)
{
	struct tl_made_id *known = &r->names[category];

	tl_make_event(&r->make, r->report->n_events, TL_KIND_INSTANT, 'i');
	tl_make_name(&r->make, TL_MEMORY_CATEGORY, strlen(TL_MEMORY_CATEGORY));
	if (ticks >= 0)
		tl_make_instant(&r->make, ticks);
	tl_make_int(&r->make, "Bytes", bytes);
	uint32_t name = tl_make_known(&r->make, known, categories[category], strlen(categories[category]));
	tl_make_field(&r->make, TL_KEY_CATEGORY, TL_FIELD_STRING, name);
	r->doc.status = tl_push_made(&r->make, &r->doc.error);
	return !r->doc.status;
}

/* Takes the rest of a list of integers that was entered, n of them. at_first: at the first one already. */
static bool numbers(struct timeline *r, bool at_first, int64_t *to, size_t n, const char *expected)
{
	struct tl_json_doc *d = &r->doc;
	int64_t start = tl_json_doc_offset(d), number;
	size_t got = 0;

	for (bool more = at_first || tl_json_doc_element(d); more && tl_json_doc_int(d, &number); more = tl_json_doc_element(d)) {
		if (got < n)
			to[got] = number;
		got++;
	}
	return !d->status && (got == n || tl_json_doc_fail(d, start, expected));
}

/* ---- [time, action, bytes, category] ---------------------------------------------------- */

static bool push_change(struct timeline *r, const int64_t *entry, int64_t offset)
{
	if (entry[0] < -1 || entry[0] > MAX_TIME)
		return tl_json_doc_fail(&r->doc, offset, "a time that cannot be");
	if (entry[1] < 1 || entry[1] > 4)
		return tl_json_doc_fail(&r->doc, offset, "an action that is not 1 to 4");
	if (entry[3] < 0 || entry[3] >= CATEGORIES)
		return tl_json_doc_fail(&r->doc, offset, "a category that is not 0 to 7");
	return push(r, entry[0], entry[2], (size_t)entry[3]);
}

/* The first entry was read; at_first: the second one was entered. */
static void changes(struct timeline *r, bool at_first)
{
	static const char expected[] = "a change of memory without four integers: time, action, bytes, category";
	struct tl_json_doc *d = &r->doc;
	int64_t entry[N_FIELDS], offset = 0;

	if (r->n != N_FIELDS) {
		tl_json_doc_fail(d, 1, expected);
		return;
	}
	bool good = push_change(r, r->times, 1);
	for (bool inside = at_first; good && (inside || tl_json_doc_element(d)); inside = false) {
		offset = tl_json_doc_offset(d);
		if (!inside)
			tl_json_doc_enter(d, '[');
		good = numbers(r, inside, entry, N_FIELDS, expected) && push_change(r, entry, offset);
	}
}

/* ---- [times, sizes] ------------------------------------------------------------------------ */

/* The time of a point in ticks; -1: what was there before, which has the time of the next point in the file. */
static int64_t time_of(const struct timeline *r, size_t k)
{
	bool is_before = !k && r->n > 1 && r->times[0] == r->times[1];

	return is_before || r->times[k] < 0 ? -1 : r->times[k] * TICKS;
}

static bool push_sizes(struct timeline *r, size_t k, const int64_t *sizes, const int64_t *before)
{
	bool is_new = true;

	for (size_t i = 1; i < N_SIZES; i++) {
		int64_t bytes;
		if (__builtin_sub_overflow(sizes[i], before[i], &bytes))
			return tl_json_doc_fail(&r->doc, tl_json_doc_offset(&r->doc), "sizes that cannot be");
		if (bytes || (is_new && i == CATEGORIES)) /* a point without any change is a point */
			is_new = !push(r, time_of(r, k), bytes, i - 1);
	}
	return !r->doc.status;
}

/* The list of sizes was entered; at_first: its first list was found. */
static void sizes_of_times(struct timeline *r, bool at_first)
{
	struct tl_json_doc *d = &r->doc;
	int64_t sizes[N_SIZES] = { 0 }, before[N_SIZES] = { 0 };
	size_t k = 0;

	for (size_t i = 0; i < r->n; i++)
		if (r->times[i] < -1 || r->times[i] > MAX_TIME / TICKS)
			tl_json_doc_fail(d, 1, "a time that cannot be");
	for (bool more = at_first; more && !d->status; more = tl_json_doc_element(d)) {
		if (k == r->n)
			tl_json_doc_fail(d, tl_json_doc_offset(d), "more sizes than times");
		tl_json_doc_enter(d, '[');
		if (!numbers(r, false, sizes, N_SIZES, "a list of sizes without nine integers") || !push_sizes(r, k++, sizes, before))
			return;
		memcpy(before, sizes, sizeof before);
	}
	if (!d->status && k < r->n)
		tl_json_doc_fail(d, tl_json_doc_offset(d), "fewer sizes than times");
	if (!d->status && tl_json_doc_element(d))
		tl_json_doc_expected(d, "the end of [times, sizes]");
}

/* ---- the document --------------------------------------------------------------------------- */

/* The second list tells which file it is: of lists, or of numbers. */
static void document(struct timeline *r)
{
	struct tl_json_doc *d = &r->doc;
	int64_t number;

	if (tl_json_doc_enter(d, '[') && tl_json_doc_element(d))
		tl_json_doc_enter(d, '[');
	while (tl_json_doc_element(d) && tl_json_doc_int(d, &number))
		TL_PUSH(r->times, r->n, r->cap, number);
	bool is_second = tl_json_doc_element(d) && tl_json_doc_enter(d, '['), is_filled = is_second && tl_json_doc_element(d);
	if (!d->status && is_second && (is_filled ? tl_json_doc_peek(d) == '[' : !r->n))
		sizes_of_times(r, is_filled);
	else if (!d->status && is_second && !is_filled)
		tl_json_doc_expected(d, "an integer or a list");
	else if (!d->status)
		changes(r, is_filled);
	tl_json_doc_end(d);
	if (d->status)
		tl_read_tolerates_end(d, r->options, r->report, r->report->n_events);
}

static enum tl_match match_timeline(const unsigned char *first, size_t len)
{
	static const char *const lists[] = { "[", "[", NULL };
	size_t at;

	return tl_match_json(first, len, lists, &at);
}

static enum tl_status read_timeline(struct tl_input *in, const struct tl_read_options *options, struct tl_sink *sink,
                                    struct tl_read_report *report, struct tl_error *err)
{
	static const struct tl_header header = { .source = "memory timeline", .ticks_per_us = TICKS };
	struct timeline r = { .report = report, .options = options };

	tl_json_doc_init(&r.doc, in);
	r.doc.lenient = options->lenient;
	r.doc.status = tl_maker_begin(&r.make, sink, report, &header, &r.doc.error);
	if (!r.doc.status)
		document(&r);
	enum tl_status st = tl_read_end_json(&r.doc, options, report, err);
	tl_maker_release(&r.make);
	free(r.times);
	return st;
}

const struct tl_reader tl_reader_memory_timeline = { "timelines of PyTorch's memory", match_timeline, read_timeline };
