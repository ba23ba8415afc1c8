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

static const struct { const char *key, *title; } lists[TL_DIGEST_LISTS] = {
	[TL_DIGEST_LOST] = { "lost", "Time lost" }, [TL_DIGEST_WON] = { "won", "Time won" },
	[TL_DIGEST_NEW] = { "new", "New" }, [TL_DIGEST_GONE] = { "gone", "Gone" },
};
static const char *const times[] = { "total_time", "busy_time" }; /* of gpu_timeline, in the headline */
enum { TIMES = sizeof times / sizeof *times };

/* ---- rows -------------------------------------------------------------------------------- */

/* µs by which a row is in a list; 0 or less: it is not. */
static double time_in(const struct tl_change *c, enum tl_digest_list list)
{
	switch (list) {
	case TL_DIGEST_LOST: return c->side == TL_IN_BOTH ? c->time[1] - c->time[0] : 0;
	case TL_DIGEST_WON: return c->side == TL_IN_BOTH ? c->time[0] - c->time[1] : 0;
	case TL_DIGEST_NEW: return c->side == TL_NEW ? c->time[1] : 0;
	default: return c->side == TL_GONE ? c->time[0] : 0;
	}
}

static int by_time(const void *a, const void *b, void *ctx)
{
	enum tl_digest_list list = *(const enum tl_digest_list *)ctx;
	double x = time_in(*(const struct tl_change *const *)a, list), y = time_in(*(const struct tl_change *const *)b, list);

	return (x < y) - (x > y);
}

static void choose_rows(struct tl_digest *d, enum tl_digest_list list)
{
	const struct tl_change **rows = tl_alloc((d->all.n + 1) * sizeof *rows);
	size_t n = 0;

	for (size_t i = 0; i < d->all.n; i++)
		if (time_in(&d->all.items[i], list) > 0)
			rows[n++] = &d->all.items[i];
	tl_merge_sort(rows, n, sizeof *rows, by_time, &list);
	d->n_all[list] = n;
	d->n[list] = n < TL_DIGEST_ROWS ? n : TL_DIGEST_ROWS;
	memcpy(d->rows[list], rows, d->n[list] * sizeof *rows);
	free(rows);
}

static void choose_sheet(struct tl_digest *d, const struct tl_compared_list *results)
{
	for (int with_verdict = 1; with_verdict >= 0 && !d->sheet; with_verdict--)
		for (size_t i = 0; i < results->n && !d->sheet; i++)
			if (results->items[i].of->sort && (results->items[i].spread.mean || !with_verdict)) {
				d->sheet = results->items[i].of->sheet;
				d->judged = with_verdict;
			}
}

/* ---- the headline -------------------------------------------------------------------------- */

static void add_percent(struct tl_buf *b, double difference, double was)
{
	double percent = tl_percent_of(difference, was);

	if (isfinite(percent))
		tl_buf_addf(b, ", %+.3g %%", percent);
}

/* "busy_time 9 ms, +12.5 %" of the timeline's rows. */
static void add_times(struct tl_digest *d, const struct tl_compared_list *results)
{
	size_t start = d->headline.len;

	for (size_t i = 0; i < results->n; i++) {
		const struct tl_compared *r = &results->items[i];
		for (size_t row = 0; row < r->table->n_rows && r->of->rows; row++)
			for (size_t k = 0; k < TIMES; k++) {
				double was = tl_compared_number(r->table, row, "%s::%s", d->baseline, r->of->metrics[0]);
				double is = tl_compared_number(r->table, row, "%s::%s", d->report, r->of->metrics[0]);
				if (isnan(was + is) || strcmp(tl_change_name(&(struct tl_change){ .table = r->table, .row = row }), times[k]) != 0)
					continue;
				tl_buf_addf(&d->headline, "%s%s %.6g ms", d->headline.len > start ? "; " : "", times[k], is);
				add_percent(&d->headline, is - was, was);
			}
	}
}

/* "new: TITLE (and 2 more)": the finding with most at stake that only one of the reports has. */
static void add_findings(struct tl_digest *d, const struct tl_compared_list *results, const char *const *tags, size_t other)
{
	for (size_t i = 0; i < results->n; i++) {
		struct tl_changes all = { 0 };
		const struct tl_comparison *of = results->items[i].of;
		if (of->group != TL_COMPARE_FINDINGS || !tl_changes_find(&all, results, of->sheet, tags, other))
			continue;
		for (enum tl_change_kind k = TL_CHANGE_NEW; k <= TL_CHANGE_GONE; k++) {
			struct tl_change_sum sum = tl_changes_sum(&all, k, 0);
			if (!sum.n || !sum.most)
				continue;
			tl_buf_addf(&d->headline, "; %s finding: ", tl_change_kinds[k]);
			const char *title = tl_change_name(sum.most);
			tl_escape(&d->headline, title, strlen(title));
			if (sum.n > 1)
				tl_buf_addf(&d->headline, " (and %zu more)", sum.n - 1);
		}
		free(all.items);
	}
}

/* Of a job: "own_ms 263 ms, +120 %" of all ranks. */
static void add_own_time(struct tl_digest *d, const struct tl_compared_list *results)
{
	for (size_t i = 0; i < results->n; i++)
		if (results->items[i].of->group == TL_COMPARE_RANKS && !strcmp(results->items[i].of->sheet, d->sheet)) {
			tl_buf_addf(&d->headline, " %s %.6g ms", results->items[i].of->sort, d->all.total[1] / 1e3);
			add_percent(&d->headline, d->all.total[1] - d->all.total[0], d->all.total[0]);
			break;
		}
}

static void make_headline(struct tl_digest *d, const struct tl_compared_list *results)
{
	struct tl_buf *b = &d->headline;

	tl_buf_addf(b, "%s against %s: ", d->report, d->baseline);
	size_t start = b->len;
	add_times(d, results);
	if (d->sheet)
		tl_buf_addf(b, "%s%s:", b->len > start ? "; " : "", d->sheet);
	if (d->sheet)
		add_own_time(d, results);
	for (enum tl_change_kind k = 0; k < TL_CHANGE_KINDS && d->sheet; k++) {
		struct tl_change_sum sum = tl_changes_sum(&d->all, k, 0);
		if (!d->judged && k < TL_CHANGE_NEW)
			continue;
		tl_buf_addf(b, "%s %zu %s", b->data[b->len - 1] == ':' ? "" : ",", sum.n, tl_change_kinds[k]);
		if (sum.n)
			tl_buf_addf(b, " (%s%.6g ms)", k == TL_CHANGE_SLOWER ? "+" : k == TL_CHANGE_FASTER ? "-" : "", sum.us / 1e3);
	}
}

void tl_digest_make(struct tl_digest *d, const struct tl_compared_list *results, const char *const *tags, size_t other)
{
	*d = (struct tl_digest){ .baseline = tags[0], .report = tags[other] };
	choose_sheet(d, results);
	if (d->sheet)
		tl_changes_find(&d->all, results, d->sheet, tags, other);
	for (enum tl_digest_list l = 0; l < TL_DIGEST_LISTS; l++)
		choose_rows(d, l);
	make_headline(d, results);
	add_findings(d, results, tags, other);
}

void tl_digest_release(struct tl_digest *d)
{
	free(d->all.items);
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

static struct tl_table *table_of(const struct tl_digest *d, enum tl_digest_list list, struct tl_strtab *strings)
{
	static const char *const columns[] = { "ms", "was ms", "difference ms", "verdict", "name", NULL };
	struct tl_table *t = tl_table_new(strings, 1, columns);

	for (size_t i = 0; i < d->n[list]; i++) {
		const struct tl_change *c = d->rows[list][i];
		tl_table_add_row(t, (struct tl_cell[]){ tl_cell_real(c->time[1] / 1e3), tl_cell_real(c->time[0] / 1e3),
			tl_cell_real((c->time[1] - c->time[0]) / 1e3), tl_cell_str(strings, c->verdict),
			name_cell(c, strings) });
	}
	return t;
}

void tl_digest_add_markdown(struct tl_buf *b, const struct tl_digest *d)
{
	tl_buf_addf(b, "**%s**\n", tl_buf_text(&d->headline));
	for (enum tl_digest_list l = 0; l < TL_DIGEST_LISTS; l++) {
		struct tl_strtab strings = { 0 };
		struct tl_table *t = table_of(d, l, &strings);
		if (t->n_rows) {
			tl_buf_addf(b, "\n%s (%s, %zu of %zu rows)\n\n", lists[l].title, d->sheet, d->n[l], d->n_all[l]);
			tl_markdown_add(b, t, t->n_rows);
			tl_buf_addc(b, '\n');
		}
		tl_table_free(t);
		tl_strtab_release(&strings);
	}
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void add_row(struct tl_json *j, const struct tl_change *c)
{
	tl_json_open(j, NULL, '{');
	tl_json_put_string(j, "name", tl_change_name(c));
	tl_json_put_real(j, "ms", c->time[1] / 1e3);
	tl_json_put_real(j, "was_ms", c->time[0] / 1e3);
	tl_json_put_real(j, "difference_ms", (c->time[1] - c->time[0]) / 1e3);
	if (c->verdict)
		tl_json_put_string(j, "verdict", c->verdict);
	tl_json_close(j, '}');
}

void tl_digest_add_json(struct tl_json *j, const struct tl_digest *d)
{
	tl_json_open(j, NULL, '{');
	tl_json_put_string(j, "report", d->report);
	tl_json_put_string(j, "baseline", d->baseline);
	tl_json_put_string(j, "headline", tl_buf_text(&d->headline));
	if (d->sheet)
		tl_json_put_string(j, "sheet", d->sheet);
	for (enum tl_digest_list l = 0; l < TL_DIGEST_LISTS; l++) {
		tl_json_open(j, lists[l].key, '[');
		for (size_t i = 0; i < d->n[l]; i++)
			add_row(j, d->rows[l][i]);
		tl_json_close(j, ']');
	}
	tl_json_close(j, '}');
}
