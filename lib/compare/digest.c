/* digest.c - a comparison in a few lines: what became slower in all, and the rows that gained and lost most time.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "compare/digest.h"
#include "base/escape.h"
#include "base/memory.h"
#include "base/merge_sort.h"
#include "table/markdown.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct { const char *key, *title; enum tl_compare_level level; } lists[TL_DIGEST_LISTS] = {
	[TL_DIGEST_CATEGORIES] = { "categories", "By category", TL_COMPARE_CATEGORIES },
	[TL_DIGEST_OPERATORS] = { "operators", "By operator", TL_COMPARE_OPERATORS },
	[TL_DIGEST_LOST] = { "lost", "Time lost", TL_COMPARE_OTHER }, [TL_DIGEST_WON] = { "won", "Time won", TL_COMPARE_OTHER },
	[TL_DIGEST_NEW] = { "new", "New", TL_COMPARE_OTHER }, [TL_DIGEST_GONE] = { "gone", "Gone", TL_COMPARE_OTHER },
};
/* Of gpu_timeline, in the headline. */
static const struct { const char *row, *name; } times[] = { { "total_time", "total" }, { "busy_time", "busy" }, { "idle_time", "idle" } };
enum { TIMES = sizeof times / sizeof *times };
/* So many rows by category and by operator stand in the headline, if they changed by so much of the time of all. */
enum { NAMED = 3, NOTABLE_PERCENT = 1 };

/* ---- rows -------------------------------------------------------------------------------- */

/* µs by which a row is in a list; 0 or less: it is not. */
static double time_in(const struct tl_change *c, enum tl_digest_list list)
{
	double more = c->time[1] - c->time[0];

	switch (list) {
	case TL_DIGEST_LOST: return c->side == TL_IN_BOTH ? more : 0;
	case TL_DIGEST_WON: return c->side == TL_IN_BOTH ? -more : 0;
	case TL_DIGEST_NEW: return c->side == TL_NEW ? c->time[1] : 0;
	case TL_DIGEST_GONE: return c->side == TL_GONE ? c->time[0] : 0;
	default: return fabs(more);
	}
}

/* A report without any category or operator does not tell that these take no time. */
static bool both_tell(const struct tl_digest *d, enum tl_digest_list list)
{
	const struct tl_changes *all = &d->all[lists[list].level];

	return lists[list].level == TL_COMPARE_OTHER || (all->total[0] > 0 && all->total[1] > 0);
}

static int by_time(const void *a, const void *b, void *ctx)
{
	enum tl_digest_list list = *(const enum tl_digest_list *)ctx;
	double x = time_in(*(const struct tl_change *const *)a, list), y = time_in(*(const struct tl_change *const *)b, list);

	return (x < y) - (x > y);
}

static void choose_rows(struct tl_digest *d, enum tl_digest_list list)
{
	const struct tl_changes *all = &d->all[lists[list].level];
	const struct tl_change **rows = tl_alloc((all->n + 1) * sizeof *rows);
	size_t n = 0;

	for (size_t i = 0; i < all->n && both_tell(d, list); i++)
		if (time_in(&all->items[i], list) > 0)
			rows[n++] = &all->items[i];
	tl_merge_sort(rows, n, sizeof *rows, by_time, &list);
	d->n_all[list] = n;
	d->n[list] = n < TL_DIGEST_ROWS ? n : TL_DIGEST_ROWS;
	memcpy(d->rows[list], rows, d->n[list] * sizeof *rows);
	free(rows);
}

/* ---- the headline -------------------------------------------------------------------------- */

/* Begins the next part of the headline. */
static struct tl_buf *next_part(struct tl_digest *d)
{
	if (d->headline.data[d->headline.len - 1] != ' ')
		tl_buf_adds(&d->headline, "; ");
	return &d->headline;
}

/* " 8 → 9 ms (+12.5 %)" of ms. */
static void add_step(struct tl_buf *b, double was, double is)
{
	double percent = tl_percent_of(is - was, was), both[] = { was, is };

	for (int i = 0; i < 2; i++)
		tl_buf_addf(b, fabs(both[i]) < 9999.5 ? "%s %.4g" : "%s %.0f", i ? " →" : "", both[i]);
	tl_buf_adds(b, " ms");
	if (isfinite(percent))
		tl_buf_addf(b, fabs(percent) < 999.5 ? " (%+.3g %%)" : " (%+.0f %%)", percent);
}

/* A row of the timeline; a side that lacks it has no such time. */
static void add_time(struct tl_digest *d, const struct tl_compared *r, const char *row_name, const char *name)
{
	for (size_t row = 0; row < r->table->n_rows && r->of->rows; row++) {
		double was = tl_compared_number(r->table, row, "%s::%s", d->baseline, r->of->metrics[0]);
		double is = tl_compared_number(r->table, row, "%s::%s", d->report, r->of->metrics[0]);
		if ((isnan(was) && isnan(is)) || strcmp(tl_change_name(&(struct tl_change){ .table = r->table, .row = row }), row_name) != 0)
			continue;
		tl_buf_adds(next_part(d), name);
		add_step(&d->headline, isnan(was) ? 0 : was, isnan(is) ? 0 : is);
	}
}

/* "operators: aten::mm 8 → 9 ms (+12.5 %), aten::add 2 → 0 ms (-100 %), and 2 more", or that none of them changed. */
static void add_rows(struct tl_digest *d, enum tl_digest_list list)
{
	const struct tl_changes *all = &d->all[lists[list].level];
	double least = NOTABLE_PERCENT / 100.0 * fmax(all->total[0], all->total[1]);
	size_t n = 0;

	if (!all->n)
		return;
	tl_buf_addf(next_part(d), "%s: ", lists[list].key);
	if (!both_tell(d, list)) {
		tl_buf_addf(&d->headline, "%s has none", all->total[0] > 0 ? d->report : d->baseline);
		return;
	}
	for (; n < NAMED && n < d->n[list] && time_in(d->rows[list][n], list) >= least; n++) {
		tl_buf_adds(&d->headline, n ? ", " : "");
		tl_change_show_name(&d->headline, d->rows[list][n]);
		add_step(&d->headline, d->rows[list][n]->time[0] / 1e3, d->rows[list][n]->time[1] / 1e3);
	}
	if (!n)
		tl_buf_addf(&d->headline, "of %zu none changed by %d %% of the time", all->n, NOTABLE_PERCENT);
	else if (d->n_all[list] > n)
		tl_buf_addf(&d->headline, ", and %zu more", d->n_all[list] - n);
}

/* "first finding: TITLE, was: TITLE; 2 new findings, 1 gone": what is read first in each report, in its own words. */
static void add_findings(struct tl_digest *d, const struct tl_compared_list *results, const char *const *tags, size_t other)
{
	for (size_t i = 0; i < results->n; i++) {
		struct tl_changes all = { 0 };
		const struct tl_compared *r = &results->items[i];
		if (r->of->group != TL_COMPARE_FINDINGS || !tl_changes_find(&all, results, r->of->sheet, tags, other))
			continue;
		size_t n[] = { tl_changes_sum(&all, TL_CHANGE_NEW, 0).n, tl_changes_sum(&all, TL_CHANGE_GONE, 0).n };
		const char *was = tl_str(r->table->strings, r->first[0]), *is = tl_str(r->table->strings, r->first[other]);
		bool same = !strcmp(was, is), both = *was && !same;
		if (*is) {
			tl_buf_adds(next_part(d), same ? "first finding of both: " : "first finding: ");
			tl_escape(&d->headline, is, strlen(is));
			tl_buf_adds(&d->headline, both ? ", was: " : "");
			tl_escape(&d->headline, was, both ? strlen(was) : 0);
		}
		if (n[0] + n[1])
			tl_buf_addf(next_part(d), "%zu new findings, %zu gone", n[0], n[1]);
		free(all.items);
	}
}

static void make_headline(struct tl_digest *d, const struct tl_compared_list *results)
{
	const struct tl_comparison *single = d->of[TL_COMPARE_OTHER];
	const struct tl_changes *all = &d->all[TL_COMPARE_OTHER];
	struct tl_buf *b = &d->headline;

	tl_buf_addf(&d->headline, "%s against %s: ", d->report, d->baseline);
	for (size_t k = 0; k < TIMES; k++)
		for (size_t i = 0; i < results->n; i++)
			add_time(d, &results->items[i], times[k].row, times[k].name);
	add_rows(d, TL_DIGEST_CATEGORIES);
	add_rows(d, TL_DIGEST_OPERATORS);
	if (!single) {
		tl_buf_addf(next_part(d), "%zu sheet%s compared", results->n, results->n == 1 ? "" : "s");
		return;
	}
	tl_buf_addf(next_part(d), "%s:", single->sheet);
	if (single->group == TL_COMPARE_RANKS) { /* "own_ms 119 → 263 ms (+120 %)" of all ranks */
		tl_buf_addf(b, " %s", single->sort);
		add_step(b, all->total[0] / 1e3, all->total[1] / 1e3);
		tl_buf_addc(b, ',');
	}
	/* "kernel_summary: 2 slower (+0.8 ms), 1 faster (-0.2 ms), 0 new, 1 gone (0.2 ms), of 9 rows, 3 not judged" */
	for (enum tl_change_kind k = 0; k < TL_CHANGE_KINDS; k++) {
		struct tl_change_sum sum = tl_changes_sum(all, k, 0);
		if (k < TL_CHANGE_REPLACED ? !all->n_judged : k == TL_CHANGE_REPLACED && !sum.n)
			continue;
		tl_buf_addf(b, " %zu %s", sum.n, tl_change_kinds[k]);
		if (sum.n)
			tl_buf_addf(b, k < TL_CHANGE_NEW ? " (%+.6g ms)" : " (%.6g ms)", (k == TL_CHANGE_FASTER ? -1 : 1) * sum.us / 1e3);
		tl_buf_addc(b, ',');
	}
	tl_buf_addf(b, " of %zu row%s", all->n, all->n == 1 ? "" : "s");
	if (d->judged && all->n_judged < all->n_both)
		tl_buf_addf(b, ", %zu not judged", all->n_both - all->n_judged);
}

void tl_digest_make(struct tl_digest *d, const struct tl_compared_list *results, const char *const *tags, size_t other)
{
	*d = (struct tl_digest){ .baseline = tags[0], .report = tags[other] };
	for (size_t i = 0; i < results->n; i++) {
		const struct tl_compared *r = &results->items[i];
		if (r->of->level && !d->of[r->of->level])
			d->of[r->of->level] = r->of;
		if (r->of->sort && (r->spread.mean ? !d->judged : !d->of[TL_COMPARE_OTHER])) {
			d->of[TL_COMPARE_OTHER] = r->of;
			d->judged = r->spread.mean;
		}
	}
	for (size_t level = 0; level < TL_COMPARE_LEVELS; level++)
		if (d->of[level])
			tl_changes_find(&d->all[level], results, d->of[level]->sheet, tags, other);
	for (enum tl_digest_list l = 0; l < TL_DIGEST_LISTS; l++)
		choose_rows(d, l);
	make_headline(d, results);
	add_findings(d, results, tags, other);
}

void tl_digest_release(struct tl_digest *d)
{
	for (size_t level = 0; level < TL_COMPARE_LEVELS; level++)
		free(d->all[level].items);
	tl_buf_release(&d->headline);
}

/* ---- Markdown ------------------------------------------------------------------------------ */

/* A name as code, so that nothing in it is markup. */
static struct tl_cell name_cell(const struct tl_change *c, struct tl_strtab *strings)
{
	struct tl_buf shown = { 0 }, code = { 0 };

	tl_change_show_name(&shown, c);
	tl_buf_addc(&code, '`');
	for (size_t i = 0; i < shown.len; i++)
		if (shown.data[i] == '|')
			tl_buf_adds(&code, "\\|");
		else
			tl_buf_addc(&code, shown.data[i] == '`' ? '\'' : shown.data[i]);
	tl_buf_addc(&code, '`');
	struct tl_cell cell = tl_cell_text(tl_intern(strings, code.data, code.len));
	tl_buf_release(&shown);
	tl_buf_release(&code);
	return cell;
}

void tl_digest_add_markdown(struct tl_buf *b, const struct tl_digest *d)
{
	static const char *const columns[] = { "ms", "was ms", "difference ms", "verdict", "name", NULL };

	tl_buf_addf(b, "**%s**\n", tl_buf_text(&d->headline));
	for (enum tl_digest_list l = 0; l < TL_DIGEST_LISTS; l++) {
		struct tl_strtab strings = { 0 };
		struct tl_table *t = tl_table_new(&strings, 1, columns);
		for (size_t i = 0; i < d->n[l]; i++) {
			const struct tl_change *c = d->rows[l][i];
			tl_table_add_row(t, (struct tl_cell[]){ tl_cell_real(c->time[1] / 1e3), tl_cell_real(c->time[0] / 1e3),
				tl_cell_real((c->time[1] - c->time[0]) / 1e3), tl_cell_str(&strings, c->verdict), name_cell(c, &strings) });
		}
		if (t->n_rows) {
			tl_buf_addf(b, "\n%s (%s, %zu of %zu rows)\n\n", lists[l].title, d->of[lists[l].level]->sheet, d->n[l], d->n_all[l]);
			tl_markdown_add(b, t, t->n_rows);
			tl_buf_addc(b, '\n');
		}
		tl_table_free(t);
		tl_strtab_release(&strings);
	}
}

/* ---- JSON ----------------------------------------------------------------------------------- */

void tl_digest_add_json(struct tl_json *j, const struct tl_digest *d)
{
	tl_json_open(j, NULL, '{');
	tl_json_put_string(j, "report", d->report);
	tl_json_put_string(j, "baseline", d->baseline);
	tl_json_put_string(j, "headline", tl_buf_text(&d->headline));
	if (d->of[TL_COMPARE_OTHER])
		tl_json_put_string(j, "sheet", d->of[TL_COMPARE_OTHER]->sheet);
	for (enum tl_digest_list l = 0; l < TL_DIGEST_LISTS; l++) {
		tl_json_open(j, lists[l].key, '[');
		for (size_t i = 0; i < d->n[l]; i++) {
			const struct tl_change *c = d->rows[l][i];
			tl_json_open(j, NULL, '{');
			tl_json_put_string(j, "name", tl_change_name(c));
			tl_json_put_real(j, "ms", c->time[1] / 1e3);
			tl_json_put_real(j, "was_ms", c->time[0] / 1e3);
			tl_json_put_real(j, "difference_ms", (c->time[1] - c->time[0]) / 1e3);
			if (c->verdict)
				tl_json_put_string(j, "verdict", c->verdict);
			tl_json_close(j, '}');
		}
		tl_json_close(j, ']');
	}
	tl_json_close(j, '}');
}
