/* meetings.c - brings the events of each collective together: do the ranks agree, is one missing, what do
 * their clocks say?
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/meeting_sheet.h"

#include "table/tsv.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the events of a collective ---------------------------------------------------------------------- */

typedef enum tl_status meeting_fn(struct tl_ranks *, struct tl_meeting *, void *ctx, struct tl_error *);

static bool same_key(const struct tl_buf *key, const struct tl_sorted *s)
{
	return key->len == s->key_len && !memcmp(key->data, s->key, s->key_len);
}

/* Brings the events of each collective together, from the first one on. */
static enum tl_status each_meeting(struct tl_ranks *r, meeting_fn *fn, void *ctx, struct tl_error *err)
{
	struct tl_meeting m = { 0 };
	struct tl_buf key = { 0 };
	struct tl_sorted next;
	enum tl_status st;

	tl_sorter_rewind(r->events);
	while (!(st = tl_sorter_next(r->events, &next, err)) && next.data) {
		if (m.n && !same_key(&key, &next)) {
			if ((st = fn(r, &m, ctx, err)))
				break;
			tl_meeting_clear(&m);
		}
		if (!m.n) {
			tl_buf_clear(&key);
			tl_buf_add(&key, next.key, next.key_len);
		}
		tl_meeting_add_packed(&m, next.data);
	}
	if (!st && m.n)
		st = fn(r, &m, ctx, err);
	tl_buf_release(&key);
	tl_meeting_release(&m);
	return st;
}

/* ---- what ranks have together ------------------------------------------------------------------------ */

static void note_times(struct tl_ranks *r, const struct tl_meeting *m)
{
	struct tl_meeting_times t = tl_meeting_times(m);
	double gap = tl_divide(t.last_start - t.first_end, r->ticks_per_us);

	if (gap <= 0)
		return;
	r->report->apart++;
	if (gap <= r->report->apart_us)
		return;
	r->report->apart_us = gap;
	for (size_t i = 0; i < m->n; i++) {
		if (m->events[i].ts == t.last_start)
			r->report->apart_late = m->events[i].rank;
		if (m->events[i].ts + m->events[i].dur == t.first_end)
			r->report->apart_early = m->events[i].rank;
	}
}

static void note_missing(struct tl_ranks *r, const struct tl_meeting *m)
{
	struct tl_cell size = m->events[0].cells[TL_COLL_GROUP_SIZE];
	double n = tl_cell_number(size, 1);
	struct tl_buf id = { 0 };

	if (tl_cell_is_null(size) || (double)m->n >= n)
		return;
	if (!r->report->incomplete++) {
		tl_add_collective_id(&id, r, &m->events[0], &m->strings);
		snprintf(r->report->first_incomplete, sizeof r->report->first_incomplete, "%.60s has %zu of %.0f ranks", id.data, m->n, n);
		tl_buf_release(&id);
	}
}

static void add_value(struct tl_buf *b, struct tl_cell c, const struct tl_strtab *strings)
{
	if (c.type == TL_CELL_NULL)
		tl_buf_adds(b, "nothing");
	else
		tl_tsv_add_cell(b, c, strings, 1);
}

/* The first field about which the ranks do not agree. */
static bool disagree(const struct tl_ranks *r, const struct tl_meeting *m, const struct tl_meeting_sheet_def *def,
                     struct tl_buf *why)
{
	const uint8_t *fields = def->metadata;
	const struct tl_rank_event *e = m->events;

	if (r->simple && def == &tl_sync_sheet)
		return false;
	for (size_t k = 0; k < def->n_metadata; k++)
		for (size_t i = 1; i < m->n; i++) {
			if (!tl_cell_compare(&m->strings, e[0].cells[fields[k]], e[i].cells[fields[k]]))
				continue;
			tl_buf_addf(why, "metadata mismatch in '%s' for collective ", tl_coll_analysis.rows[fields[k]]);
			tl_add_collective_id(why, r, e, &m->strings);
			tl_buf_addf(why, ": rank %" PRId64 " says ", e[0].rank);
			add_value(why, e[0].cells[fields[k]], &m->strings);
			tl_buf_addf(why, ", rank %" PRId64 " says ", e[i].rank);
			add_value(why, e[i].cells[fields[k]], &m->strings);
			return true;
		}
	return false;
}

/* The sheet that has a row for the meeting; NULL: none has. */
static const struct tl_meeting_sheet_def *sheet_of(const struct tl_ranks *r, const struct tl_meeting *m)
{
	enum tl_meeting_type type = tl_meeting_type(r, m);

	if (type == TL_ALLTOALLV)
		return &tl_all2allv_sheet;
	return type != TL_MEETING_OTHER || r->simple ? &tl_sync_sheet : NULL;
}

static enum tl_status note_ends(struct tl_ranks *r, struct tl_clocks *clocks, const struct tl_meeting *m, struct tl_error *err)
{
	const struct tl_rank_event *first = &m->events[0];
	size_t a = tl_rank_number(r, first->rank);
	enum tl_status st = TL_OK;

	for (size_t i = 1; i < m->n && !st; i++) {
		const struct tl_rank_event *e = &m->events[i];
		st = tl_clocks_add(clocks, a, tl_rank_number(r, e->rank), e->ts + e->dur - (first->ts + first->dur), err);
	}
	return st;
}

/* ctx: the clocks, or NULL. */
static enum tl_status take_meeting(struct tl_ranks *r, struct tl_meeting *m, void *ctx, struct tl_error *err)
{
	const struct tl_meeting_sheet_def *def = sheet_of(r, m);
	struct tl_buf why = { 0 };
	enum tl_status st = TL_OK;

	r->report->collectives++;
	if (!def)
		return TL_OK;
	if (disagree(r, m, def, &why)) {
		if (!r->job->lenient)
			st = tl_fail(err, TL_ERR_DATA, "%s", why.data);
		else if (!r->report->disagreeing++)
			snprintf(r->report->first_disagreeing, sizeof r->report->first_disagreeing, "%s", why.data);
		tl_buf_release(&why);
		return st;
	}
	note_missing(r, m);
	note_times(r, m);
	if (ctx && def == &tl_sync_sheet)
		st = note_ends(r, ctx, m, err);
	return st ? st : tl_meeting_sheet_add(def, r, m, err);
}

/* ---- who waits for whom ---------------------------------------------------------------------------------- */

struct waiting { struct tl_waits *waits; const struct tl_clock *clocks; };

/* A time by the clock of reference; one that no real clock shows is cut, so that differences have room. */
static int64_t by_clock(int64_t ts, int64_t offset)
{
	const int64_t most = INT64_C(1) << 61;
	int64_t t = tl_ticks_sub(ts, offset);

	return t > most ? most : t < -most ? -most : t;
}

/* Takes a meeting once more, by one clock. */
static enum tl_status take_waits(struct tl_ranks *r, struct tl_meeting *m, void *ctx, struct tl_error *err)
{
	struct waiting *w = ctx;
	const struct tl_meeting_sheet_def *def = sheet_of(r, m);
	struct tl_buf why = { 0 };
	bool left_out = def && r->report->disagreeing && disagree(r, m, def, &why);

	(void)err;
	tl_buf_release(&why);
	if (left_out)
		return TL_OK;
	for (size_t i = 0; i < m->n; i++)
		m->events[i].ts = by_clock(m->events[i].ts, w->clocks[tl_rank_number(r, m->events[i].rank)].offset);
	struct tl_meeting_times t = tl_meeting_times(m);
	r->report->still_apart += def && t.last_start > t.first_end;
	tl_waits_add(w->waits, m, def != NULL);
	return TL_OK;
}

/* The clock that is farthest from the one that it is compared with. */
static void note_clocks(struct tl_ranks *r, const struct tl_clock *clocks)
{
	struct tl_ranks_report *report = r->report;

	for (size_t i = 0; i < r->job->n; i++) {
		double us = tl_divide(clocks[i].offset, r->ticks_per_us);
		if (fabs(us) <= fabs(report->clock_us))
			continue;
		report->clock_us = us;
		report->clock_rank = r->job->ranks[i];
		report->clock_reference = r->job->ranks[clocks[i].reference];
	}
}

static enum tl_status write_waits(struct tl_ranks *r, struct tl_clocks *ends, struct tl_error *err)
{
	struct tl_clock *clocks = tl_alloc((r->job->n + 1) * sizeof *clocks);
	enum tl_status st = tl_clocks_find(ends, clocks, err);

	if (!st) {
		note_clocks(r, clocks);
		struct waiting w = { tl_waits_open(r, clocks, err), clocks };
		st = each_meeting(r, take_waits, &w, err);
		enum tl_status closed = tl_waits_close(w.waits, err);
		st = st ? st : closed;
	}
	free(clocks);
	return st;
}

enum tl_status tl_meetings_take(struct tl_ranks *r, struct tl_error *err)
{
	struct tl_clocks *ends = r->job->waits ? tl_clocks_new(r->job->n) : NULL;
	enum tl_status st = each_meeting(r, take_meeting, ends, err);

	if (!st && ends)
		st = write_waits(r, ends, err);
	tl_clocks_free(ends);
	tl_sorter_free(r->events);
	r->events = NULL;
	return st;
}
