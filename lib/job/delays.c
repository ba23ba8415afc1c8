/* delays.c - where delays began.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/delays.h"

#include "base/merge_sort.h"
#include "job/sorter.h"

#include "work/spans.h"
#include "base/map.h"
#include "table/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rank 0 works longer than usual; rank 1 waits for it in the group tp, and so comes late to the group dp, where rank 2 waits:
 *
 *     rank 0   #################|tp|####
 *     rank 1   #########........|tp|####|dp|####
 *     rank 2   ###############..........|dp|####
 *
 * Both waits began with rank 0. So the collectives are taken in the order of time, and each rank has a load: by how many ticks it
 * is later because of which origin, a rank or the link of a row. At a collective
 *   1. each rank adds to its load by how much it needed longer than the median of those there since their last collective of this
 *      group, without what it waited elsewhere meanwhile and without what was found before (own_time, take_seats);
 *   2. what the others wait for the last one is charged to origins, in proportion to how much more of each the last one carries
 *      than they do; of what nobody carries, the last one itself is the origin (charge_waits);
 *   3. all go on with the load of the last one, and what the transfer took longer than usual is added for the link (carry_on).
 * Ranks behind one collective share one load, so a collective costs as many steps as it has ranks and different loads. */

/* What ranks carry since a collective: the ticks by origin, which are ranks and behind them rows, in any order. Of more than
 * KEPT origins, those with least are dropped. */
enum { KEPT = 1024 };
struct amount { uint32_t origin; float ticks; };
struct load { size_t users, n; struct amount items[]; };

/* A rank behind its last collectives, the latest first: one may run while the rank joins another. */
enum { STATES = 3 };
struct state { int64_t end; struct load *load; };

/* The end of a rank's last collective of a group, as it is and without what was spent by then. */
struct base { int64_t end, own; };

struct tl_delays {
	size_t n_ranks, n_origins;
	struct tl_sorter *meetings;           /* by the start of the last rank */
	struct state (*states)[STATES];
	/* By rank, ticks: how long in all it waited or was found slower than others, and until when it waited. */
	struct pace { int64_t spent, until; } *paces;
	struct TL_KEYED(struct base) bases;   /* by group and rank */
	const struct tl_links *links;
	struct tl_rank_delay *ranks;
	struct tl_row_delay *rows;
	float *charged;                       /* by row and origin: what of the waiting there began where; NULL: too many */
	/* of the meeting in hand */
	struct seat { size_t part; int64_t ts, end, apart, exposed, extra; const struct load *load; } *seats; size_t cap_seats;
	int64_t *gaps; size_t cap_gaps;
	double *more;                         /* by origin: what the last one carries more than those with one load, else 0 */
	bool *seen;                           /* by origin: it is one of some */
	uint32_t *some; size_t n_some;        /* the origins where it is not 0 */
	struct load *none;                    /* of a rank that had no collective */
};
struct head { size_t group, row, link, n; int64_t ticks; };

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
	TL_KEYED_RELEASE(&d->bases);
	free(d->paces);
	free(d->states);
	free(d->charged);
	free(d->seats);
	free(d->gaps);
	free(d->more);
	free(d->some);
	free(d->seen);
	free(d->none);
	free(d);
}

enum tl_status tl_delays_add(struct tl_delays *d, const struct tl_meeting *m, const size_t *parts,
	uint32_t group, size_t row, size_t link, struct tl_error *err)
{
	struct tl_meeting_times t = tl_meeting_times(m);
	struct head h = { .group = group, .row = row, .link = link, .n = m->n, .ticks = t.shortest };
	struct tl_buf key = { 0 }, data = { 0 };

	tl_key_add_int(&key, t.last_start);
	tl_buf_add(&data, &h, sizeof h);
	for (size_t i = 0; i < m->n; i++) {
		int64_t seat[] = { (int64_t)parts[i], m->events[i].ts, m->events[i].ts + m->events[i].dur, m->events[i].apart, m->events[i].exposed };
		tl_buf_add(&data, seat, sizeof seat);
	}
	enum tl_status st = tl_sorter_add(d->meetings, key.data, key.len, data.data, data.len, err);
	tl_buf_release(&key);
	tl_buf_release(&data);
	return st;
}

/* ---- a collective ------------------------------------------------------------------------------------- */

/* What the rank carried when it came. */
static const struct load *load_at(const struct tl_delays *d, size_t part, int64_t ts)
{
	for (size_t k = 0; k < STATES; k++) {
		const struct state *s = &d->states[part][k];
		if (s->load && s->end <= ts)
			return s->load;
	}
	return d->none;
}

static uint64_t base_key(const struct head *h, size_t part)
{
	return tl_key_of_two((uint32_t)h->group, (uint32_t)part);
}

/* What the rank needed itself since the last collective of the group; INT64_MIN: that is not known. */
static int64_t own_time(const struct tl_delays *d, const struct head *h, const struct seat *s)
{
	const struct base *b = TL_ITEM_FIND(&d->bases, base_key(h, s->part));

	return b && b->end <= s->ts ? s->ts - s->apart - d->paces[s->part].spent - b->own : INT64_MIN;
}

/* Where the rank stands after a collective: if nothing hides that it waits, and that the transfer takes longer, it loses that time. */
static void go_on(struct tl_delays *d, const struct head *h, const struct seat *s, int64_t last_start, int64_t over)
{
	struct pace *p = &d->paces[s->part];
	int64_t from = s->ts > p->until ? s->ts : p->until, wait = last_start > from ? last_start - from : 0;

	wait = wait < s->exposed ? wait : s->exposed;
	p->spent = tl_ticks_add(p->spent, wait + (over < s->exposed - wait ? over : s->exposed - wait));
	p->until = last_start > p->until ? last_start : p->until;
	*TL_ITEM(&d->bases, base_key(h, s->part), NULL) = (struct base){ s->end, s->end - s->apart - p->spent };
}

/* The median of what they needed themselves. Those that may have waited for a rank that is missing only seem to need more. n: of how
 * many that is known. */
static int64_t usual_time(struct tl_delays *d, const struct head *h, size_t *n)
{
	int64_t least = INT64_MAX;

	for (int whole = 0; whole < 2; whole++) {
		size_t k = 0;
		for (size_t i = 0; i < h->n; i++)
			if (d->seats[i].extra != INT64_MIN && !(whole && d->ranks[d->seats[i].part].partly))
				d->gaps[k++] = d->seats[i].extra;
		int64_t median = tl_median_int(d->gaps, k, false);
		least = k && median < least ? median : least;
		*n = whole ? *n : k;
	}
	return least;
}

/* Reads who came when, and by how much each needed longer than the median. */
static void take_seats(struct tl_delays *d, const struct head *h, const char *packed)
{
	size_t n;

	TL_GROW(d->seats, d->cap_seats, h->n + 1);
	TL_GROW(d->gaps, d->cap_gaps, h->n + 1);
	for (size_t i = 0; i < h->n; i++) {
		int64_t v[5];
		memcpy(v, packed + i * sizeof v, sizeof v);
		struct seat *s = &d->seats[i];
		*s = (struct seat){ .part = (size_t)v[0], .ts = v[1], .end = v[2], .apart = v[3], .exposed = v[4] };
		s->load = load_at(d, s->part, s->ts);
		s->extra = h->link == SIZE_MAX ? INT64_MIN : own_time(d, h, s);
	}
	int64_t usual = usual_time(d, h, &n);
	for (size_t i = 0; i < h->n; i++) {
		struct seat *s = &d->seats[i];
		bool compared = s->extra != INT64_MIN && n > 1;
		s->extra = compared ? s->extra - usual : 0;
		d->paces[s->part].spent = tl_ticks_add(d->paces[s->part].spent, s->extra);
		d->ranks[s->part].extra += (double)s->extra;
		d->ranks[s->part].gaps += compared;
		d->ranks[s->part].met++;
	}
}

static void charge(struct tl_delays *d, const struct head *h, size_t last, size_t origin, double ticks)
{
	struct tl_row_delay *row = &d->rows[h->row];

	*(origin < d->n_ranks ? &d->ranks[origin].own : &d->rows[origin - d->n_ranks].link) += ticks;
	*(origin == last ? &row->of_last : &row->inherited) += ticks;
	if (origin != last)
		d->ranks[last].inherited += ticks;
	if (d->charged && origin < d->n_ranks)
		d->charged[h->row * d->n_ranks + origin] += (float)ticks;
}

static void add_more(struct tl_delays *d, uint32_t origin, double ticks)
{
	if (!d->seen[origin])
		d->some[d->n_some++] = origin;
	d->seen[origin] = true;
	d->more[origin] += ticks;
}

/* By how much the last one carries more than those with this load; returns the sum of that. */
static double find_more(struct tl_delays *d, const struct seat *last, const struct load *load)
{
	double sum = 0;
	size_t n = 0;

	add_more(d, (uint32_t)last->part, (double)last->extra);
	for (size_t i = 0; i < last->load->n; i++)
		add_more(d, last->load->items[i].origin, (double)last->load->items[i].ticks);
	for (size_t i = 0; i < load->n; i++)
		add_more(d, load->items[i].origin, -(double)load->items[i].ticks);
	for (size_t i = 0; i < d->n_some; i++) {
		double *more = &d->more[d->some[i]];
		d->seen[d->some[i]] = false;
		if (*more > 0) {
			sum += *more;
			d->some[n++] = d->some[i];
		} else {
			*more = 0;
		}
	}
	d->n_some = n;
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
	for (size_t i = 0; i < d->n_some; i++) {
		uint32_t o = d->some[i];
		if (rate > 0)
			charge(d, h, last->part, o, rate * d->more[o]);
		d->more[o] = 0;
	}
	d->n_some = 0;
}

TL_ORDER(by_amount, struct amount, TL_DESC(fabsf(x->ticks)) TL_ASC(x->origin))

static void add_amount(struct load *l, size_t origin, double ticks)
{
	size_t i = 0;

	while (i < l->n && l->items[i].origin != origin)
		i++;
	if (i == l->n)
		l->items[l->n++] = (struct amount){ .origin = (uint32_t)origin };
	l->items[i].ticks += (float)ticks;
	if (l->n < KEPT)
		return;
	tl_merge_sort(l->items, l->n, sizeof *l->items, by_amount, NULL);
	l->n = KEPT / 4 * 3;
}

/* All go on with what the last one carries. */
static void carry_on(struct tl_delays *d, const struct head *h, const struct seat *last)
{
	struct load *l = tl_alloc(sizeof *l + (last->load->n + 2) * sizeof *l->items);
	int64_t over = h->link == SIZE_MAX ? 0 : h->ticks - tl_links_usual(d->links, h->link);

	l->users = h->n;
	l->n = last->load->n;
	memcpy(l->items, last->load->items, l->n * sizeof *l->items);
	add_amount(l, last->part, (double)last->extra);
	add_amount(l, d->n_ranks + h->row, (double)over);
	for (size_t i = 0; i < h->n; i++) {
		struct state *s = d->states[d->seats[i].part];
		size_t k = STATES - 1;
		release(s[k].load);
		for (; k && (!s[k - 1].load || s[k - 1].end <= d->seats[i].end); k--)
			s[k] = s[k - 1];
		s[k] = (struct state){ d->seats[i].end, l };
		go_on(d, h, &d->seats[i], last->ts, over);
	}
}

static void take_meeting(struct tl_delays *d, const struct head *h, const char *packed)
{
	take_seats(d, h, packed);
	const struct seat *last = d->seats;
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

enum tl_status tl_delays_find(struct tl_delays *d, const struct tl_links *links, struct tl_rank_delay *ranks,
	struct tl_row_delay *of_rows, size_t rows, struct tl_error *err)
{
	struct tl_sorted next;
	struct head h;
	enum tl_status st;

	d->n_origins = d->n_ranks + rows;
	d->links = links;
	d->ranks = ranks;
	d->rows = of_rows;
	d->states = tl_calloc(d->n_ranks + 1, sizeof *d->states);
	d->paces = tl_calloc(d->n_ranks + 1, sizeof *d->paces);
	d->more = tl_calloc(d->n_origins + 1, sizeof *d->more);
	d->some = tl_alloc((d->n_origins + 1) * sizeof *d->some);
	d->seen = tl_calloc(d->n_origins + 1, sizeof *d->seen);
	d->none = tl_calloc(1, sizeof *d->none);
	if (rows * d->n_ranks <= 1 << 21)
		d->charged = tl_calloc(rows * d->n_ranks + 1, sizeof *d->charged);
	while (!(st = tl_sorter_next(d->meetings, &next, err)) && next.data) {
		memcpy(&h, next.data, sizeof h);
		take_meeting(d, &h, (const char *)next.data + sizeof h);
	}
	for (size_t i = 0; d->charged && i < rows; i++)
		for (size_t o = 0; o < d->n_ranks; o++) {
			double ticks = (double)d->charged[i * d->n_ranks + o];
			if (ticks > of_rows[i].most) {
				of_rows[i].most = ticks;
				of_rows[i].origin = o;
			}
		}
	return st;
}
