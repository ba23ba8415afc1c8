/* changes.c - the rows of a sheet that was compared, by the time that they gained or lost.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "compare/changes.h"
#include "base/escape.h"
#include "base/memory.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int column_of(const struct tl_table *t, const char *format, va_list args)
{
	char name[512];

	return (size_t)vsnprintf(name, sizeof name, format, args) < sizeof name ? tl_table_column(t, name) : -1;
}

double tl_compared_number(const struct tl_table *t, size_t row, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int column = column_of(t, format, args);
	va_end(args);
	return column < 0 ? NAN : tl_cell_number(tl_table_cell(t, row, (size_t)column), t->ticks_per_us);
}

static const char *text_in(const struct tl_table *t, size_t row, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int column = column_of(t, format, args);
	va_end(args);
	return tl_table_text(t, row, column, NULL);
}

const char *tl_change_name(const struct tl_change *c)
{
	if (c->name)
		return c->name;
	for (size_t k = c->table->n_columns; k-- > 1; )
		if (tl_ends_with(c->table->columns[k].name, "::" TL_FINDING_TITLE) && !tl_cell_is_null(tl_table_cell(c->table, c->row, k)))
			return tl_table_text(c->table, c->row, (int)k, "");
	return tl_table_text(c->table, c->row, 0, "");
}

bool tl_compared_is_of_runs(const struct tl_compared *c)
{
	return c->spread.mean && !c->spread.count;
}

bool tl_change_is_sure(const struct tl_change *c)
{
	return c->verdict && (!strcmp(c->verdict, tl_change_kinds[TL_CHANGE_SLOWER]) || !strcmp(c->verdict, tl_change_kinds[TL_CHANGE_FASTER]));
}

static void add_change(struct tl_changes *l, const struct tl_compared *in, size_t row, const char *base, const char *tag)
{
	const struct tl_comparison *d = in->of;
	const struct tl_spread_columns *s = &in->spread;
	const struct tl_table *t = in->table;
	double a = tl_compared_number(t, row, "%s::%s", base, d->sort) * d->sort_us;
	double b = tl_compared_number(t, row, "%s::%s", tag, d->sort) * d->sort_us;

	if (isnan(a) && isnan(b))
		return;
	struct tl_change c = { .table = t, .row = row, .side = isnan(a) ? TL_NEW : isnan(b) ? TL_GONE : TL_IN_BOTH,
		.time = { isnan(a) ? 0 : a, isnan(b) ? 0 : b }, .runs = tl_compared_is_of_runs(in) };
	c.cost = c.time[1] - c.time[0];
	if (s->mean) {
		double more = tl_compared_number(t, row, "%s__%s_diff", s->mean, tag);
		double calls = s->count ? tl_compared_number(t, row, "%s::%s", tag, s->count) : d->sort_us;
		double us = s->count && d->mean_us ? d->mean_us : 1;
		c.cost = isnan(more * calls) ? c.cost : more * calls * us;
		c.verdict = text_in(t, row, "%s__%s_verdict", s->mean, tag);
	}
	for (int i = 0; i < 2; i++)
		l->total[i] += c.time[i];
	TL_PUSH(l->items, l->n, l->cap, c);
}

/* ---- what is replaced ----------------------------------------------------------------------- */

/* Of the rows of an operator that are of one side only: the time on each side, and whether they became one change. */
struct one_sided { double time[2]; bool done; };

/* Makes one change of the rows that an operator has on one side only, if these take time on each side. */
static void join_replaced(struct tl_changes *l, const char *column, const char *const *tags, size_t other)
{
	struct tl_strtab names = { 0 };
	struct one_sided *sums = tl_calloc(l->n + 2, sizeof *sums); /* by id of the name */
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++) {
		struct tl_change *c = &l->items[i];
		c->name = c->side == TL_IN_BOTH ? NULL : text_in(c->table, c->row, "%s::%s", tags[c->side == TL_NEW ? other : 0], column);
		struct one_sided *sum = &sums[c->name ? tl_intern_str(&names, c->name) : 0];
		sum->time[0] += c->time[0];
		sum->time[1] += c->time[1];
	}
	for (size_t i = 0; i < l->n; i++) {
		struct tl_change c = l->items[i];
		struct one_sided *sum = c.name ? &sums[tl_intern_str(&names, c.name)] : NULL;
		if (sum && sum->time[0] > 0 && sum->time[1] > 0) {
			if (sum->done)
				continue;
			sum->done = true;
			c.side = TL_IN_BOTH;
			memcpy(c.time, sum->time, sizeof c.time);
			c.cost = c.time[1] - c.time[0];
			c.verdict = tl_change_kinds[TL_CHANGE_REPLACED];
		} else {
			c.name = NULL;
		}
		l->items[kept++] = c;
	}
	l->n = kept;
	free(sums);
	tl_strtab_release(&names);
}

/* ---- all rows ------------------------------------------------------------------------------- */

bool tl_changes_find(struct tl_changes *l, const struct tl_compared_list *results, const char *sheet, const char *const *tags, size_t other)
{
	bool found = false;

	*l = (struct tl_changes){ 0 };
	for (size_t i = 0; i < results->n; i++) {
		const struct tl_compared *r = &results->items[i];
		if (strcmp(r->of->sheet, sheet) || !r->of->sort || (r->other && r->other != other))
			continue;
		found = true;
		for (size_t row = 0; row < r->table->n_rows; row++)
			add_change(l, r, row, tags[0], tags[other]);
		if (r->of->operator)
			join_replaced(l, r->of->operator, tags, other);
	}
	for (size_t i = 0; i < l->n; i++) {
		struct tl_change *c = &l->items[i];
		bool both = c->side == TL_IN_BOTH && !c->name;
		l->n_both += both;
		l->n_judged += both && c->verdict && !tl_starts_with(c->verdict, "not judged");
		for (int side = 0; side < 2; side++)
			if (l->total[side] > 0)
				c->share = fmax(c->share, 100 * c->time[side] / l->total[side]);
	}
	return found;
}

void tl_change_show_name(struct tl_buf *to, const struct tl_change *c)
{
	enum { LONGEST = 100 };
	const char *name = tl_change_name(c);
	size_t len = strlen(name), n = len;
	struct tl_cell key = tl_table_cell(c->table, c->row, 0);

	if (key.type == TL_CELL_INT && !c->name) {
		tl_buf_addf(to, "%s %" PRId64, c->table->columns[0].name, key.i);
		return;
	}

	if (len > LONGEST)
		for (n = LONGEST; n && (name[n] & 0xc0) == 0x80;) /* not within a character */
			n--;
	tl_escape(to, name, n);
	if (n < len)
		tl_buf_adds(to, "…");
}

/* ---- sums -------------------------------------------------------------------------------- */

const char *const tl_change_kinds[TL_CHANGE_KINDS] = { "slower", "faster", "replaced", "new", "gone" };

/* What a row adds to the sum; NaN: it does not belong to it. */
static double part_of(const struct tl_change *c, enum tl_change_kind kind)
{
	switch (kind) {
	case TL_CHANGE_SLOWER: return c->verdict && !strcmp(c->verdict, "slower") ? c->cost : NAN;
	case TL_CHANGE_FASTER: return c->verdict && !strcmp(c->verdict, "faster") ? -c->cost : NAN;
	case TL_CHANGE_REPLACED: return c->name ? c->cost : NAN;
	case TL_CHANGE_NEW: return c->side == TL_NEW ? c->time[1] : NAN;
	default: return c->side == TL_GONE ? c->time[0] : NAN;
	}
}

struct tl_change_sum tl_changes_sum(const struct tl_changes *all, enum tl_change_kind kind, double min_share)
{
	struct tl_change_sum sum = { 0 };

	for (size_t i = 0; i < all->n; i++) {
		double part = all->items[i].share < min_share ? NAN : part_of(&all->items[i], kind);
		if (isnan(part))
			continue;
		if (!sum.n++ || part > sum.most_us) {
			sum.most_us = part;
			sum.most = &all->items[i];
		}
		sum.us += part;
	}
	return sum;
}

double tl_percent_of(double difference, double was)
{
	return was ? 100 * difference / was : difference ? copysign(INFINITY, difference) : 0;
}
