/* delays.c - where delays began.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/delays.h"

#include "job/sorter.h"
#include "table/statistics.h"

#include <stdlib.h>
#include <string.h>

/* What ranks carry since a collective: the ticks by origin, which are ranks and behind them rows. */
struct load { size_t users; double ticks[]; };

/* A rank behind its last collectives, the latest first: one may run while the rank joins another. */
enum { STATES = 3 };
struct state { int64_t end; struct load *load; };

struct tl_delays {
	size_t n_ranks, n_origins;
	struct tl_sorter *meetings;           /* by the start of the last rank */
	struct state (*states)[STATES];
	const struct tl_links *links;
	struct tl_delay *ranks, *rows;
	float *charged;                       /* by row and origin: what of the waiting there began where; NULL: too many */
	/* of the meeting in hand */
	struct seat { size_t part; int64_t ts, end, extra; const struct load *load; } *seats; size_t cap_seats;
	int64_t *gaps; size_t cap_gaps;
	double *more;                         /* by origin: what the last one carries more than those with one load */
	struct load *none;                    /* of a rank that had no collective */
};
struct head { size_t row, link, n; int64_t ticks; };

struct tl_delays *tl_delays_new(size_t ranks)
{
	struct tl_delays *d = tl_calloc(1, sizeof *d);

	d->n_ranks = ranks;
	d->meetings = tl_sorter_new();
	return d;
}

static void release(struct load *l)
{
	if (l && !--l->users)
		free(l);
}

void tl_delays_free(struct tl_delays *d)
{
	if (!d)
		return;
	for (size_t i = 0; d->states && i < d->n_ranks; i++)
		for (size_t k = 0; k < STATES; k++)
			release(d->states[i][k].load);
	tl_sorter_free(d->meetings);
	free(d->states);
	free(d->charged);
	free(d->seats);
	free(d->gaps);
	free(d->more);
	free(d->none);
	free(d);
}

enum tl_status tl_delays_add(struct tl_delays *d, const struct tl_meeting *m, const size_t *parts, size_t row, size_t link, struct tl_error *err)
{
	struct tl_meeting_times t = tl_meeting_times(m);
	struct head h = { .row = row, .link = link, .n = m->n, .ticks = t.shortest };
	struct tl_buf key = { 0 }, data = { 0 };

	tl_key_add_int(&key, t.last_start);
	tl_buf_add(&data, &h, sizeof h);
	for (size_t i = 0; i < m->n; i++) {
		int64_t seat[] = { (int64_t)parts[i], m->events[i].ts, m->events[i].ts + m->events[i].dur };
		tl_buf_add(&data, seat, sizeof seat);
	}
	enum tl_status st = tl_sorter_add(d->meetings, key.data, key.len, data.data, data.len, err);
	tl_buf_release(&key);
	tl_buf_release(&data);
	return st;
}

/* ---- a collective ------------------------------------------------------------------------------------- */

/* What the rank carried when it came, and since when; NULL: nothing is known. */
static const struct load *load_at(const struct tl_delays *d, size_t part, int64_t ts, int64_t *since)
{
	for (size_t k = 0; k < STATES; k++) {
		const struct state *s = &d->states[part][k];
		if (s->load && s->end <= ts) {
			*since = s->end;
			return s->load;
		}
	}
	return NULL;
}

/* Reads who came when, and by how much each needed longer than the median. */
static void take_seats(struct tl_delays *d, const struct head *h, const char *packed)
{
	size_t n = 0;

	TL_GROW(d->seats, d->cap_seats, h->n + 1);
	TL_GROW(d->gaps, d->cap_gaps, h->n + 1);
	for (size_t i = 0; i < h->n; i++) {
		int64_t v[3], since = 0;
		memcpy(v, packed + i * sizeof v, sizeof v);
		struct seat *s = &d->seats[i];
		*s = (struct seat){ .part = (size_t)v[0], .ts = v[1], .end = v[2] };
		s->load = load_at(d, s->part, s->ts, &since);
		s->extra = s->load ? s->ts - since : INT64_MIN;
		if (s->load)
			d->gaps[n++] = s->extra;
	}
	int64_t usual = tl_median_int(d->gaps, n, false);
	for (size_t i = 0; i < h->n; i++) {
		struct seat *s = &d->seats[i];
		s->extra = s->load ? s->extra - usual : 0;
		s->load = s->load ? s->load : d->none;
		d->ranks[s->part].extra += (double)s->extra;
	}
}

static void charge(struct tl_delays *d, const struct head *h, size_t last, size_t origin, double ticks)
{
	struct tl_delay *row = &d->rows[h->row], *rank = &d->ranks[last];

	*(origin < d->n_ranks ? &d->ranks[origin].own : &d->rows[origin - d->n_ranks].own) += ticks;
	*(origin == last ? &row->here : &row->inherited) += ticks;
	if (origin != last)
		rank->inherited += ticks;
	if (d->charged && origin < d->n_ranks)
		d->charged[h->row * d->n_ranks + origin] += (float)ticks;
}

/* By how much the last one carries more than those with this load; returns the sum of that. */
static double find_more(struct tl_delays *d, const struct seat *last, const struct load *load)
{
	double sum = 0;

	for (size_t o = 0; o < d->n_origins; o++) {
		double more = last->load->ticks[o] - load->ticks[o] + (o == last->part ? (double)last->extra : 0);
		d->more[o] = more > 0 ? more : 0;
		sum += d->more[o];
	}
	return sum;
}

/* Charges what those waited who carry this load. A rank is not charged with its own waiting. */
static void charge_waits(struct tl_delays *d, const struct head *h, const struct seat *last, const struct load *load)
{
	double sum = find_more(d, last, load), rate = 0;

	for (size_t i = 0; i < h->n; i++) {
		struct seat *s = &d->seats[i];
		double lag = (double)(last->ts - s->ts), others = sum - d->more[s->part];
		if (s->load != load || lag <= 0)
			continue;
		if (others <= 0) {
			charge(d, h, last->part, last->part, lag);
			continue;
		}
		rate += lag / others;
		if (d->more[s->part] > 0)
			charge(d, h, last->part, s->part, -lag / others * d->more[s->part]);
	}
	for (size_t o = 0; rate > 0 && o < d->n_origins; o++)
		if (d->more[o] > 0)
			charge(d, h, last->part, o, rate * d->more[o]);
}

/* All go on with what the last one carries. */
static void carry_on(struct tl_delays *d, const struct head *h, const struct seat *last)
{
	struct load *l = tl_alloc(sizeof *l + d->n_origins * sizeof *l->ticks);

	l->users = h->n;
	memcpy(l->ticks, last->load->ticks, d->n_origins * sizeof *l->ticks);
	l->ticks[last->part] += (double)last->extra;
	l->ticks[d->n_ranks + h->row] += (double)(h->ticks - tl_links_usual(d->links, h->link));
	for (size_t i = 0; i < h->n; i++) {
		struct state *s = d->states[d->seats[i].part];
		size_t k = STATES - 1;
		release(s[k].load);
		for (; k && (!s[k - 1].load || s[k - 1].end <= d->seats[i].end); k--)
			s[k] = s[k - 1];
		s[k] = (struct state){ d->seats[i].end, l };
	}
}

static void take_meeting(struct tl_delays *d, const struct head *h, const char *packed)
{
	const struct seat *last = d->seats;

	take_seats(d, h, packed);
	last = d->seats;
	for (size_t i = 1; i < h->n; i++)
		last = d->seats[i].ts > last->ts ? &d->seats[i] : last;
	for (size_t i = 0; i < h->n; i++) {
		size_t k = 0;
		while (d->seats[k].load != d->seats[i].load)
			k++;
		if (k == i)
			charge_waits(d, h, last, d->seats[i].load);
	}
	carry_on(d, h, last);
}

/* ---- all of them ------------------------------------------------------------------------------------------ */

static void find_origins(struct tl_delays *d, size_t rows)
{
	for (size_t i = 0; d->charged && i < rows; i++)
		for (size_t o = 0; o < d->n_ranks; o++)
			if ((double)d->charged[i * d->n_ranks + o] > d->rows[i].most) {
				d->rows[i].most = (double)d->charged[i * d->n_ranks + o];
				d->rows[i].origin = o;
			}
}

enum tl_status tl_delays_find(struct tl_delays *d, const struct tl_links *links, struct tl_delay *ranks, struct tl_delay *of_rows, size_t rows, struct tl_error *err)
{
	struct tl_sorted next;
	struct head h;
	enum tl_status st;

	d->n_origins = d->n_ranks + rows;
	d->links = links;
	d->ranks = ranks;
	d->rows = of_rows;
	memset(ranks, 0, d->n_ranks * sizeof *ranks);
	memset(of_rows, 0, rows * sizeof *of_rows);
	d->states = tl_calloc(d->n_ranks + 1, sizeof *d->states);
	d->more = tl_calloc(d->n_origins + 1, sizeof *d->more);
	d->none = tl_calloc(1, sizeof *d->none + d->n_origins * sizeof *d->none->ticks);
	if (rows * d->n_ranks <= 1 << 21)
		d->charged = tl_calloc(rows * d->n_ranks + 1, sizeof *d->charged);
	while (!(st = tl_sorter_next(d->meetings, &next, err)) && next.data) {
		memcpy(&h, next.data, sizeof h);
		take_meeting(d, &h, (const char *)next.data + sizeof h);
	}
	find_origins(d, rows);
	return st;
}
