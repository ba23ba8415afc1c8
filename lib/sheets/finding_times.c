/* finding_times.c - when the time of findings is: a command that shows it, and the sheet finding_times.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/finding_times.h"

#include "analysis/args.h"
#include "base/escape.h"
#include "sheet/findings.h"
#include "sheets/timeline.h"
#include "steps/recorded.h"

#include <stdlib.h>
#include <string.h>

static const struct tl_table *sheet_of(const struct tl_findings_input *in, const struct tl_finding *x)
{
	return x->rule->texts[TL_RULE_SHEET] ? in->sheet(in->ctx, x->rule->texts[TL_RULE_SHEET]) : NULL;
}

size_t tl_finding_events(const struct tl_findings_input *in, const struct tl_finding *x, size_t row, const uint32_t **events)
{
	return x->rule->tier ? in->events(in->ctx, x->rule->texts[TL_RULE_SHEET], row, events) : 0;
}

/* The longest piece of time of the row with the most at stake. False: it is not known. */
static bool longest_of(const struct tl_findings_input *in, const struct tl_trace *t, const struct tl_finding *x, struct tl_span *at)
{
	const struct tl_table *s = x->n_rows ? sheet_of(in, x) : NULL;
	int start = s ? tl_table_column(s, "longest_start_us") : -1, length = s ? tl_table_column(s, "longest_ms") : -1;
	const uint32_t *events;

	if (start >= 0 && length >= 0) {
		struct tl_cell from = tl_table_cell(s, x->rows[0], (size_t)start), ticks = tl_table_cell(s, x->rows[0], (size_t)length);
		*at = (struct tl_span){ from.i, tl_ticks_add(from.i, ticks.i) };
		return from.type == TL_CELL_TIME && ticks.type == TL_CELL_TIME;
	}
	size_t n = s ? tl_finding_events(in, x, x->rows[0], &events) : 0;
	uint32_t longest = n ? events[0] : 0;
	for (size_t i = 1; i < n; i++)
		if (t->events[events[i]].dur > t->events[longest].dur)
			longest = events[i];
	if (n)
		*at = (struct tl_span){ tl_ticks_sub(t->events[longest].ts, t->first_ts), tl_ticks_sub(tl_ev_end(&t->events[longest]), t->first_ts) };
	return n > 0;
}

const char *tl_finding_slice(const struct tl_findings_input *in, const struct tl_trace *t, const struct tl_finding *x, const char *input,
                             struct tl_arena *arena)
{
	struct tl_span at = { 0, 0 };
	struct tl_buf b = { 0 };

	if (longest_of(in, t, x, &at)) {
		int64_t unit = t->ticks_per_us, around = tl_ticks_add(tl_ticks_sub(at.end, at.start) / 4, tl_ticks_of_us(1000, unit));
		int64_t from = at.start > around ? (at.start - around) / unit : 0;
		tl_buf_addf(&b, "tl-slice --from %lldus --to %lldus ", (long long)from, (long long)(tl_ticks_add(at.end, around) / unit + 1));
	} else {
		tl_buf_adds(&b, "tl-parse ");
	}
	tl_add_shell_word(&b, input);
	tl_buf_adds(&b, " | tl-view --perfetto -o finding.pftrace");
	const char *command = tl_arena_dup(arena, b.data, b.len);
	tl_buf_release(&b);
	return command;
}

/* ---- the sheet ---- */

struct maker { const struct tl_findings_input *in; struct tl_trace *t; struct tl_table *rows; uint32_t *idle_rows; };

static void add_pieces(struct maker *m, const struct tl_finding *x, struct tl_spans *spans)
{
	const struct tl_idle_pieces *pieces = tl_idle_pieces_of(m->t);
	const struct tl_table *summary = sheet_of(m->in, x);
	bool *of_finding = tl_calloc(summary->n_rows + 1, sizeof *of_finding);

	if (!m->idle_rows)
		m->idle_rows = tl_idle_rows(m->t, summary);
	for (size_t i = 0; i < x->n_rows; i++)
		of_finding[x->rows[i]] = true;
	for (size_t i = 0; i < pieces->n; i++)
		if (m->idle_rows[i] != TL_NONE && of_finding[m->idle_rows[i]])
			tl_spans_add(spans, pieces->items[i].start, pieces->items[i].end);
	free(of_finding);
}

static void add_times(struct maker *m, const struct tl_finding *x, int64_t rank)
{
	const char *sheet = x->rule->texts[TL_RULE_SHEET];
	struct tl_spans spans = { 0 };
	const uint32_t *events;

	if (sheet && !strcmp(sheet, "idle_summary"))
		add_pieces(m, x, &spans);
	for (size_t k = 0; k < x->n_rows; k++) {
		size_t n = tl_finding_events(m->in, x, x->rows[k], &events);
		for (size_t i = 0; i < n; i++)
			tl_spans_add(&spans, m->t->events[events[i]].ts, tl_ev_end(&m->t->events[events[i]]));
	}
	tl_spans_merge(&spans);
	for (size_t i = 0; i < spans.n; i++)
		tl_table_add_row(m->rows, (struct tl_cell[N_TIME]){
			[TIME_RANK] = tl_cell_int(rank), [TIME_TITLE] = tl_cell_str(&m->t->strings, x->title), [TIME_TS] = tl_cell_time(spans.items[i].start, false),
			[TIME_DUR] = tl_cell_time(tl_ticks_sub(spans.items[i].end, spans.items[i].start), false), [TIME_ID] = tl_cell_str(&m->t->strings, x->id) });
	tl_spans_release(&spans);
}

struct tl_table *tl_finding_times(const struct tl_findings_input *in, struct tl_trace *t, const struct tl_findings *found)
{
	struct maker m = { .in = in, .t = t, .rows = tl_table_new(&t->strings, t->ticks_per_us, tl_findings_time_rows) };
	int64_t rank = 0;

	for (size_t i = 0; i < found->n; i++)
		if (found->items[i].rule->tier)
			add_times(&m, &found->items[i], ++rank);
	free(m.idle_rows);
	return m.rows;
}
