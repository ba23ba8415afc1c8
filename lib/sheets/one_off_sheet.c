/* one_off_sheet.c - the sheet one_off: what processes do once, and how long the devices wait for it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/one_off_sheet.h"

#include "analysis/copies.h"
#include "idle/pieces.h"
#include "sheets/window.h"
#include "steps/one_off.h"

#include <stdlib.h>

enum { PROCESS, KIND, NAME, WHAT, REPEATED, TIME, GAP, START, N_COLUMNS };
static const char *const row_columns[] = { "process", "kind", "name", "what", "repeated", "time", "gap", "start", NULL };
static const struct tl_column columns[] = {
	{ "process", .kind = TL_KEY }, { "kind", .kind = TL_KEY }, { "name", .kind = TL_KEY }, { "what", .kind = TL_KEY },
	{ "repeated", .kind = TL_KEY }, { "count", .kind = TL_COUNT },
	{ "time", .kind = TL_SUM, .hidden = true }, { "host_ms", .kind = TL_MS, .in = "time" },
	{ "gap", .kind = TL_SUM, .hidden = true }, { "idle_ms", .kind = TL_MS, .in = "gap" },
	{ "longest", .kind = TL_MAX, .in = "time", .hidden = true }, { "longest_ms", .kind = TL_MS, .in = "longest" },
	{ "first_us", .kind = TL_MIN, .in = "start" },
	{ .name = NULL }
};
const struct tl_sheet_def tl_one_off_sheet = { .name = "one_off", .rows = row_columns, .columns = columns, .order = { { "time", true } } };

/* By item: the ticks in which it is the innermost, and those in which a device waits for it then. */
struct ticks { int64_t host, idle; };

static struct ticks *find_ticks(const struct tl_one_offs *once, const struct tl_idle_pieces *pieces)
{
	struct ticks *ticks = tl_calloc(once->n + 1, sizeof *ticks);
	struct tl_spans idle = { 0 };

	for (size_t i = 0; i < pieces->n; i++)
		if (pieces->items[i].class == TL_IDLE_START_UP || pieces->items[i].class == TL_IDLE_RECOMPILE)
			tl_spans_add(&idle, pieces->items[i].start, pieces->items[i].end);
	tl_spans_merge(&idle);
	for (size_t p = 0; p < once->of_process.n; p++) {
		const struct tl_innermost *m = &once->of_process.items[p];
		for (size_t i = 0; i < m->n_segments; i++) {
			struct ticks *of = &ticks[m->spans[m->segments[i].span].event];
			of->host = tl_ticks_add(of->host, tl_ticks_sub(m->segments[i].end, m->segments[i].start));
			of->idle = tl_ticks_add(of->idle, tl_spans_within(&idle, m->segments[i].start, m->segments[i].end));
		}
	}
	tl_spans_release(&idle);
	return ticks;
}

/* The first kernel that a call launches. */
static struct tl_cell kernel_of(struct tl_trace *t, uint32_t call)
{
	uint32_t n;
	const uint32_t *launched = tl_launched_by(tl_copies_of(t), call, &n);

	return tl_kind_is_launch(t->events[call].kind) && n ? tl_name_cell(t, t->events[launched[0]].name) : tl_cell_null();
}

struct tl_table *tl_one_off_rows(struct tl_trace *t)
{
	const struct tl_one_offs *once = tl_one_offs_of(t);
	struct ticks *ticks = find_ticks(once, tl_window_of(t)->pieces);
	struct tl_table *rows = tl_table_new(&t->strings, t->ticks_per_us, row_columns);

	for (size_t i = 0; i < once->n; i++) {
		const struct tl_one_off *o = &once->items[i];
		tl_table_add_row(rows, (struct tl_cell[N_COLUMNS]){
			[PROCESS] = tl_whole_cell(tl_json_cell(t, t->tracks[t->events[o->event].track].pid)), [KIND] = tl_cell_str(&t->strings, tl_one_off_name(o->kind)),
			[NAME] = tl_name_cell(t, t->events[o->event].name), [WHAT] = kernel_of(t, o->event), [REPEATED] = tl_cell_bool(o->repeated),
			[TIME] = tl_cell_time(ticks[i].host, false), [GAP] = tl_cell_time(ticks[i].idle, false), [START] = tl_start_cell(t, o->start) });
	}
	free(ticks);
	return rows;
}
