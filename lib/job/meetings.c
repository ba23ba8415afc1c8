/* meetings.c - brings the events of each collective together: do the ranks agree, is one missing, what do
 * their clocks say?
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/meeting_sheet.h"

#include "table/tsv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the events of a collective ---------------------------------------------------------------------- */

typedef enum tl_status meeting_fn(struct tl_ranks *, struct tl_meeting *, void *ctx, struct tl_error *);

/* Brings the events of each collective together, from the first one on. */
static enum tl_status each_meeting(struct tl_ranks *r, meeting_fn *fn, void *ctx, struct tl_error *err)
{
	struct tl_meeting m = { 0 };
	struct tl_buf key = { 0 };
	struct tl_sorted next;
	enum tl_status st;

	tl_sorter_rewind(r->events);
	while (!(st = tl_sorter_next(r->events, &next, err)) && next.data) {
		if (m.n && !(key.len == next.key_len && !memcmp(key.data, next.key, key.len))) {
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
	double gap = tl_divide(t.last_start - t.first_end, r->facts.ticks_per_us);

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

/* How many ranks the group has; NaN: no event says it. */
static double group_size(const struct tl_meeting *m)
{
	return tl_cell_number(m->events[0].cells[COLL_GROUP_SIZE], 1);
}

static void note_missing(struct tl_ranks *r, const struct tl_meeting *m)
{
	double n = group_size(m);
	struct tl_buf id = { 0 };

	if (!((double)m->n < n))
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

	if (r->facts.simple && def == &tl_sync_sheet)
		return false;
	for (size_t k = 0; k < def->n_metadata; k++)
		for (size_t i = 1; i < m->n; i++) {
			if (!tl_cell_compare(&m->strings, e[0].cells[fields[k]], e[i].cells[fields[k]]))
				continue;
			tl_buf_addf(why, "metadata mismatch in '%s' for collective ", tl_coll_rows[fields[k]]);
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
	return type != TL_MEETING_OTHER || r->facts.simple ? &tl_sync_sheet : NULL;
}

static enum tl_status take_meeting(struct tl_ranks *r, struct tl_meeting *m, void *ctx, struct tl_error *err)
{
	const struct tl_meeting_sheet_def *def = sheet_of(r, m);
	struct tl_buf why = { 0 };
	enum tl_status st = TL_OK;

	(void)ctx;
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
	return tl_meeting_sheet_add(def, r, m, err);
}

/* ---- who waits for whom ---------------------------------------------------------------------------------- */

/* By one clock, without ranks that fit no other: these are charged with nothing. */
static void settle_times(const struct tl_ranks *r, struct tl_meeting *m)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->n; i++) {
		size_t part = tl_rank_number(r, m->events[i].rank);
		if (r->facts.aligned[part].lost)
			continue;
		m->events[kept] = m->events[i];
		if (r->job->reference_clocks)
			m->events[kept].ts = tl_by_one_clock(r, part, m->events[kept].ts);
		kept++;
	}
	m->n = kept;
}

/* Takes a meeting once more, by one clock. */
static enum tl_status take_waits(struct tl_ranks *r, struct tl_meeting *m, void *ctx, struct tl_error *err)
{
	const struct tl_meeting_sheet_def *def = sheet_of(r, m);
	struct tl_buf why = { 0 };
	bool left_out = def && r->report->disagreeing && disagree(r, m, def, &why);

	tl_buf_release(&why);
	if (left_out)
		return TL_OK;
	double size = group_size(m);
	bool complete = !((double)m->n < size);
	settle_times(r, m);
	if (!m->n)
		return TL_OK;
	struct tl_meeting_times t = tl_meeting_times(m);
	r->report->still_apart += def && t.last_start > t.first_end;
	return tl_waits_add(ctx, m, def != NULL, complete, err);
}

enum tl_status tl_meetings_take(struct tl_ranks *r, struct tl_error *err)
{
	enum tl_status st = each_meeting(r, take_meeting, NULL, err);

	if (!st && r->job->waits) {
		struct tl_waits *w = tl_waits_open(r, err);
		st = each_meeting(r, take_waits, w, err);
		enum tl_status closed = tl_waits_close(w, err);
		st = st ? st : closed;
	}
	tl_sorter_free(r->events);
	r->events = NULL;
	return st;
}
