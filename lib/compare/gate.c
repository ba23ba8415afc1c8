/* gate.c - conditions on what a comparison tells, by which a build fails.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "compare/gate.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TIMELINE "gpu_timeline" /* where a name without a sheet is looked for */

static const struct { const char *name; enum tl_gate_unit unit; double factor; } units[] = {
	{ "%", TL_GATE_PERCENT, 1 }, { "% of time", TL_GATE_PERCENT, 1 }, { "us", TL_GATE_TIME, 1 }, { "µs", TL_GATE_TIME, 1 },
	{ "ms", TL_GATE_TIME, 1e3 }, { "s", TL_GATE_TIME, 1e6 }, { "", TL_GATE_NUMBER, 1 },
};

/* ---- reading ----------------------------------------------------------------------------- */

static void add_name(struct tl_buf *b, const char *name)
{
	tl_buf_addf(b, "%s%s", b->len ? ", " : "", name);
}

static enum tl_status unknown_sheet(const char *sheet, struct tl_error *err)
{
	const struct tl_comparison *d;
	const char *last = "";
	struct tl_buf known = { 0 };

	for (size_t i = 0; (d = tl_comparison(i)); last = d->sheet, i++)
		if (strcmp(d->sheet, last) != 0)
			add_name(&known, d->sheet);
	tl_fail(err, TL_ERR_DATA, "no sheet '%s' is compared; expected one of %s", sheet, tl_buf_text(&known));
	tl_buf_release(&known);
	return TL_ERR_DATA;
}

/* Rows without a spread have no verdict; where operators are not known, no row replaces another one. */
static bool has_sum(const struct tl_comparison *d, enum tl_change_kind kind, bool runs)
{
	if (!d->sort || (kind == TL_CHANGE_REPLACED && !d->operator))
		return false;
	return runs || d->spread.mean || kind >= TL_CHANGE_REPLACED;
}

/* What can stand behind the name of a sheet. */
static void add_known(struct tl_buf *b, const struct tl_comparison *d, bool runs)
{
	for (const char *const *row = d->rows; row && *row; row++)
		add_name(b, *row);
	for (enum tl_change_kind k = 0; k < TL_CHANGE_KINDS; k++)
		if (has_sum(d, k, runs))
			add_name(b, tl_change_kinds[k]);
	for (const char *const *m = d->metrics; !d->rows && *m; m++)
		add_name(b, *m);
}

/* What the name means for one definition of the sheet. */
static bool means(struct tl_gate *g, const struct tl_comparison *d, bool runs)
{
	for (enum tl_change_kind k = 0; k < TL_CHANGE_KINDS; k++)
		if (!strcmp(tl_change_kinds[k], g->name) && has_sum(d, k, runs)) {
			g->what = TL_GATE_SUM;
			g->kind = k;
			return true;
		}
	g->what = d->rows ? TL_GATE_ROW : TL_GATE_COLUMN;
	return tl_is_one_of(d->rows ? d->rows : d->metrics, g->name);
}

static enum tl_status find_meaning(struct tl_gate *g, bool runs, struct tl_error *err)
{
	const struct tl_comparison *d;
	struct tl_buf known = { 0 };
	bool found = false;

	for (size_t i = 0; (d = tl_comparison(i)) && !found; i++) {
		if (strcmp(d->sheet, g->sheet) != 0)
			continue;
		g->of = g->of ? g->of : d;
		found = means(g, d, runs);
		add_known(&known, d, runs);
	}
	if (!g->of)
		unknown_sheet(g->sheet, err);
	else if (!found)
		tl_fail(err, TL_ERR_DATA, "%s has no '%s'; expected one of %s", g->sheet, g->name, tl_buf_text(&known));
	tl_buf_release(&known);
	return found ? TL_OK : TL_ERR_DATA;
}

enum tl_status tl_limit_parse(struct tl_limit *l, const char *operator, struct tl_error *err)
{
	const char *s = operator + 1 + (operator[1] == '=');
	char *end;
	size_t i = 0, n = sizeof units / sizeof *units;

	*l = (struct tl_limit){ .less = *operator == '<', .equal = operator[1] == '=' };
	s += strspn(s, " \t");
	l->limit = tl_parse_double(s + (*s == '+'), &end);
	if (end == s + (*s == '+') || !isfinite(l->limit))
		return tl_fail(err, TL_ERR_DATA, "expected a number, not '%s'", s);
	end += strspn(end, " \t");
	size_t len = strlen(end);
	while (len && tl_is_blank(end[len - 1]))
		len--;
	while (i < n && !tl_text_is(end, len, units[i].name))
		i++;
	if (i == n)
		return tl_fail(err, TL_ERR_DATA, "unknown unit '%.*s'; expected %%, us, ms, s, or none for a number", (int)len, end);
	l->unit = units[i].unit;
	l->limit *= units[i].factor;
	return TL_OK;
}

static enum tl_status check_unit(const struct tl_gate *g, struct tl_error *err)
{
	if (g->what == TL_GATE_COLUMN && g->limit.unit == TL_GATE_TIME)
		return tl_fail(err, TL_ERR_DATA, "a column has its own unit; expected %% or none");
	if (g->what == TL_GATE_ROW && g->limit.unit == TL_GATE_NUMBER)
		return tl_fail(err, TL_ERR_DATA, "expected a unit, %%, us, ms or s, behind the number");
	return TL_OK;
}

enum tl_status tl_gate_parse(struct tl_gate *g, const char *text, bool runs, struct tl_error *err)
{
	const char *at = text + strspn(text, " \t"), *op = strpbrk(at, "<>"), *end = op, *dot;

	*g = (struct tl_gate){ .text = text };
	while (end && end > at && tl_is_blank(end[-1]))
		end--;
	if (!op || end == at)
		return tl_fail(err, TL_ERR_DATA, "expected NAME > NUMBER, with >, >=, < or <=");
	dot = memchr(at, '.', (size_t)(end - at));
	g->sheet = dot ? tl_strndup(at, (size_t)(dot - at)) : tl_strdup(TIMELINE);
	g->name = dot ? tl_strndup(dot + 1, (size_t)(end - dot - 1)) : tl_strndup(at, (size_t)(end - at));
	enum tl_status st = find_meaning(g, runs, err);
	if (!st)
		st = tl_limit_parse(&g->limit, op, err);
	return st ? st : check_unit(g, err);
}

void tl_gate_release(struct tl_gate *g)
{
	free(g->sheet);
	free(g->name);
}

bool tl_gate_needs_verdicts(const struct tl_gate *g)
{
	return g->what == TL_GATE_SUM && (g->kind == TL_CHANGE_SLOWER || g->kind == TL_CHANGE_FASTER);
}

/* ---- trying ------------------------------------------------------------------------------- */

bool tl_limit_exceeds(const struct tl_limit *l, double x)
{
	return (l->less ? x < l->limit : x > l->limit) || (l->equal && x == l->limit);
}

/* How a difference is shown: in percent, or as a time or a number. */
static void tell(const struct tl_gate *g, struct tl_buf *to, double x)
{
	if (g->limit.unit == TL_GATE_PERCENT)
		tl_buf_addf(to, "%+.3g %%", x);
	else if (g->limit.unit == TL_GATE_TIME)
		tl_buf_addf(to, "%+.6g ms", x / 1e3);
	else
		tl_buf_addf(to, "%+.6g", x);
}

static enum tl_status try_row(const struct tl_gate *g, const struct tl_compared_list *results, const char *const *tags, size_t other,
                              enum tl_gate_answer *answer, struct tl_buf *told, struct tl_error *err)
{
	double a = NAN, b = NAN, p = NAN;

	for (size_t i = 0; i < results->n; i++) {
		const struct tl_table *t = results->items[i].table;
		for (size_t row = 0; row < t->n_rows && results->items[i].of == g->of; row++)
			if (!strcmp(tl_change_name(&(struct tl_change){ .table = t, .row = row }), g->name)) {
				a = tl_compared_number(t, row, "%s::%s", tags[0], g->of->metrics[0]);
				b = tl_compared_number(t, row, "%s::%s", tags[other], g->of->metrics[0]);
				p = tl_compared_is_of_runs(&results->items[i]) ? tl_compared_number(t, row, "%s__%s_p", g->of->metrics[0], tags[other]) : NAN;
			}
	}
	if (isnan(a) || isnan(b))
		return tl_fail(err, TL_ERR_DATA, "%s of %s has no row %s", g->sheet, tags[isnan(a) ? 0 : other], g->name);
	double x = g->limit.unit == TL_GATE_PERCENT ? tl_percent_of(b - a, a) : 1e3 * (b - a);
	*answer = tl_limit_exceeds(&g->limit, x) && !(p >= 0.05) ? TL_GATE_HOLDS : TL_GATE_PASSED;
	tell(g, told, x);
	tl_buf_addf(told, " (%.6g ms, was %.6g ms", b, a);
	tl_buf_addf(told, isnan(p) ? ")" : ", p %.2g)", p);
	return TL_OK;
}

static bool try_sum(const struct tl_gate *g, const struct tl_changes *all, double min_share, struct tl_buf *told)
{
	struct tl_change_sum sum = tl_changes_sum(all, g->kind, min_share);
	double x = g->limit.unit == TL_GATE_NUMBER ? (double)sum.n : g->limit.unit == TL_GATE_TIME ? sum.us : tl_percent_of(sum.us, all->total[0]);

	tell(g, told, x);
	tl_buf_addf(told, " (%zu row%s, %.6g ms", sum.n, sum.n == 1 ? "" : "s", sum.us / 1e3);
	if (sum.most) {
		tl_buf_adds(told, "; most: ");
		tl_change_show_name(told, sum.most);
		tl_buf_addf(told, ", %.6g ms", sum.most_us / 1e3);
	}
	tl_buf_addc(told, ')');
	return tl_limit_exceeds(&g->limit, x);
}

static bool try_column(const struct tl_gate *g, const struct tl_changes *all, const char *tag, double min_share, struct tl_buf *told)
{
	const struct tl_change *most = NULL;
	double extreme = NAN;
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct tl_change *c = &all->items[i];
		double x = tl_compared_number(c->table, c->row, g->limit.unit == TL_GATE_PERCENT ? "%s__%s_pct" : "%s__%s_diff", g->name, tag);
		if (c->side != TL_IN_BOTH || c->share < min_share || isnan(x) || (c->runs && c->verdict && !tl_change_is_sure(c)))
			continue;
		n += tl_limit_exceeds(&g->limit, x);
		if (!most || (g->limit.less ? x < extreme : x > extreme)) {
			extreme = x;
			most = c;
		}
	}
	if (n) {
		tell(g, told, extreme);
		tl_buf_addf(told, " (%s", n > 1 ? "most: " : "");
		tl_change_show_name(told, most);
		if (n > 1)
			tl_buf_addf(told, "; %zu rows", n);
		tl_buf_addc(told, ')');
	}
	return n;
}

enum tl_status tl_gate_try(const struct tl_gate *g, const struct tl_compared_list *results, const char *const *tags, size_t other,
                           double min_share, enum tl_gate_answer *answer, struct tl_buf *told, struct tl_error *err)
{
	struct tl_changes all;

	if (g->what == TL_GATE_ROW)
		return try_row(g, results, tags, other, answer, told, err);
	*answer = TL_GATE_NOT_JUDGED;
	if (!tl_changes_find(&all, results, g->sheet, tags, other)) {
		tl_buf_addf(told, "not judged: no report has rows of the sheet %s", g->sheet);
		return g->of->on_request ? tl_fail(err, TL_ERR_DATA, "%s", told->data) : TL_OK;
	}
	/* of a condition about rows of both reports, or such with a verdict: is there none? */
	if (tl_gate_needs_verdicts(g) ? !all.n_judged : g->what == TL_GATE_COLUMN && !all.n_both) {
		tl_buf_addf(told, "not judged: none of %zu rows %s", all.n, all.n_both ? "has a verdict" : "is in both reports");
	} else {
		bool holds = g->what == TL_GATE_COLUMN ? try_column(g, &all, tags[other], min_share, told) : try_sum(g, &all, min_share, told);
		*answer = holds ? TL_GATE_HOLDS : TL_GATE_PASSED;
	}
	free(all.items);
	return TL_OK;
}
