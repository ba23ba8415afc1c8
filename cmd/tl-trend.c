/* tl-trend.c - what changes in a series of runs: steps, drifts and outliers of metrics, and how sure they are.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/map.h"
#include "cli/report_files.h"
#include "cli/sheet_form.h"
#include "compare/comparisons.h"
#include "compare/gate.h"
#include "compare/trend.h"
#include "sheet/trend.h"
#include "table/description.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FAILED = 3 };

static struct tl_opt_list patterns, conditions;
static bool show_values;
static int64_t last;
static struct tl_common common;

static const struct tl_opt options[] = {
	{ 0, "metric", "SHEET/ROW", "the time of these rows of a sheet, or SHEET:COLUMN/ROW; '*' stands for any text (gpu_timeline/*); several times",
	  TL_OPT_LIST, &patterns, 0, 0, NULL },
	{ 0, "values", NULL, "print the values of all runs, trend_values, instead of what changes", TL_OPT_FLAG, &show_values, 0, 0, NULL },
	{ 0, "fail-if", "CONDITION", "exit with 3 if a metric changes so: 'gpu_timeline/busy_time > +3 %', '* > 5 %'; several times",
	  TL_OPT_LIST, &conditions, 0, 0, NULL },
	{ 0, "last", "N", "for --fail-if: only steps that begin in the last N runs (all)", TL_OPT_INT, &last, 1, INT32_MAX, NULL },
	TL_FORM_OPTIONS,
	{ .long_name = NULL },
};
static const struct tl_opt_need needs[] = { { "last", "fail-if", NULL }, { .option = NULL } };

static const struct tl_program program = {
	.name = "tl-trend",
	.synopsis = "[OPTION]... RUN...",
	.purpose = "what changes in a series of runs, and how sure that is",
	.detail = "A RUN is a folder of sheets in TSV or CSV, one such sheet, a workbook, or a trace, in the order of time; or a series as "
	          "--values prints it.\n\n"
	          "Example: tl-trend --fail-if '* > 3 %' --last 8 nightly/*/",
	.options = options, .common = TL_COMMON_OUTPUT, .c = &common, .needs = needs,
};

/* ---- metrics ------------------------------------------------------------------------------------- */

/* Values by run; NaN: the run lacks it. After compact(), only of the runs that have it, whose numbers are `runs`. */
struct metric { uint32_t name; const char *unit; double *values; size_t n, cap; uint32_t *runs; };
static struct TL_KEYED(struct metric) metrics;
static struct tl_strtab strings, runs; /* runs: numbered from 1 */

/* The run's value of a metric, to be filled. */
static double *value_of(uint32_t name, const char *unit, uint32_t run)
{
	struct metric *m = TL_ITEM(&metrics, name, NULL);

	m->name = name;
	m->unit = unit;
	while (m->n < run)
		TL_PUSH(m->values, m->n, m->cap, NAN);
	return &m->values[run - 1];
}

static uint32_t text_of(const struct tl_table *t, size_t row, int column)
{
	struct tl_cell c = tl_table_cell(t, row, (size_t)column);
	char text[TL_DOUBLE_TEXT];

	return c.type == TL_CELL_TEXT ? c.text : tl_intern(&strings, text, tl_cell_format(text, c, t->ticks_per_us));
}

/* NaN: the cell is empty. */
static double number_of(const struct tl_table *t, size_t row, int column, const char *path)
{
	double x = tl_table_number(t, row, column);

	if (isinf(x) || (isnan(x) && !tl_cell_is_null(tl_table_cell(t, row, (size_t)column))))
		tl_die("%s: row %zu, column '%s': '%s' is no number", path, row + 1, t->columns[column].name, tl_str(&strings, text_of(t, row, column)));
	return x;
}

/* The column that a pattern SHEET[:COLUMN]/ROW means. */
static const struct tl_described_column *column_of(const struct tl_description *d, const char *pattern)
{
	const char *colon = memchr(pattern, ':', strcspn(pattern, "/"));
	char *name = colon ? tl_strndup(colon + 1, strcspn(colon + 1, "/")) : NULL;
	const struct tl_described_column *c = colon ? tl_described_column(d, name) : tl_column_of_role(d, TL_ROLE_TIME);

	free(name);
	return c;
}

/* The columns that tell a row, up to a NULL: as in tl-compare; of another sheet its label, for which own has room. */
static const char *const *keys_of(const struct tl_table *t, const char *sheet, const struct tl_description *d, const char *own[2])
{
	const struct tl_comparison *c;
	const struct tl_described_column *label = tl_label_column(d);

	for (size_t i = 0; (c = tl_comparison(i)); i++) {
		size_t n = 0;
		while (c->keys[n] && tl_table_column(t, c->keys[n]) >= 0)
			n++;
		if (n && !c->keys[n] && !c->turned && !strcmp(c->sheet, sheet))
			return c->keys;
	}
	own[0] = label && tl_table_column(t, label->name) >= 0 ? label->name : NULL;
	own[1] = NULL;
	return own;
}

/* The cells of the keys that are not empty, with ", " between them. */
static uint32_t row_name(const struct tl_table *t, size_t row, const char *const *keys)
{
	struct tl_buf b = { 0 };

	for (; *keys; keys++) {
		const char *text = tl_str(&strings, text_of(t, row, tl_table_column(t, *keys)));
		tl_buf_addf(&b, "%s%s", b.len && *text ? ", " : "", text);
	}
	return tl_intern_buf(&strings, &b);
}

/* Takes the rows of a sheet that a pattern means. Rows of one name are added up. Returns how many there are. */
static size_t take_rows(const struct tl_table *t, const char *sheet, const char *pattern, uint32_t run, const char *path)
{
	const char *row_pattern = strchr(pattern, '/') + 1;
	const struct tl_description *d = tl_table_description(t, sheet);
	const struct tl_described_column *of = d ? column_of(d, pattern) : NULL;
	const char *own[2], *const *keys = of ? keys_of(t, sheet, d, own) : NULL;
	int column = of ? tl_table_column(t, of->name) : -1;
	int again = tl_table_column(t, "is_recompute"); /* such rows are a part of others */
	size_t taken = 0;

	if (column < 0 || !*keys)
		tl_die("%s: --metric '%s': sheet '%s' has no such column, or none of a time", path, pattern, sheet);
	for (size_t i = 0; i < t->n_rows; i++) {
		double x = number_of(t, i, column, path);
		const char *row = tl_str(&strings, row_name(t, i, keys));
		if (isnan(x) || fnmatch(row_pattern, row, 0) || tl_table_number(t, i, again) == 1)
			continue;
		uint32_t name = tl_intern_free(&strings, tl_strdupf("%.*s%s", (int)(row_pattern - pattern), pattern, row));
		double *value = value_of(name, tl_unit_word(of->unit), run);
		if (!isnan(*value) && (of->role < TL_ROLE_TIME || of->role > TL_ROLE_AMOUNT))
			tl_die("%s: --metric '%s': several rows are '%s', whose '%s' does not add up", path, pattern, row, of->name);
		*value = isnan(*value) ? x : *value + x;
		taken++;
	}
	return taken;
}

/* Is it a series, as --values prints it? Then takes it. */
static bool take_series(const struct tl_table *t, const char *path)
{
	int metric = tl_table_column(t, "metric"), run = tl_table_column(t, "run"), value = tl_table_column(t, "value");

	for (size_t i = 0; i < t->n_rows && metric >= 0 && run >= 0 && value >= 0; i++) {
		uint32_t name = text_of(t, i, metric), of = tl_intern_str(&runs, tl_str(&strings, text_of(t, i, run)));
		double *to = value_of(name, tl_table_text(t, i, tl_table_column(t, "unit"), ""), of);
		if (!isnan(*to))
			tl_die("%s: two values of '%s' in the run '%s'", path, tl_str(&strings, name), tl_str(&runs, of));
		*to = number_of(t, i, value, path);
	}
	return metric >= 0 && run >= 0 && value >= 0;
}

static void take_run(const char *path)
{
	struct tl_report_files r;
	size_t taken = 0;

	tl_report_open(&r, path);
	tl_report_make(&r, "--kernel_stats");
	struct tl_table *t = r.sheet ? tl_report_read(&r, r.sheet, &strings) : NULL;
	bool series = t && take_series(t, path);
	uint32_t known = runs.count, run = series ? 0 : tl_intern_str(&runs, path);
	if (!series && known == runs.count)
		tl_die("%s: stands for two runs", path);
	for (size_t i = 0; i < patterns.n && !series; i++) {
		char *sheet = tl_strndup(patterns.items[i], strcspn(patterns.items[i], ":/"));
		struct tl_table *of = tl_report_has(&r, sheet) ? tl_report_read(&r, sheet, &strings) : NULL;
		taken += of ? take_rows(of, sheet, patterns.items[i], run, path) : 0;
		tl_table_free(of);
		free(sheet);
	}
	if (!taken && !series)
		tl_warn("%s: has none of the metrics", path);
	tl_table_free(t);
	tl_report_close(&r);
}

/* ---- judging --------------------------------------------------------------------------------------- */

static void compact(struct metric *m)
{
	size_t n = 0;

	m->runs = tl_alloc((m->n + 1) * sizeof *m->runs);
	for (size_t i = 0; i < m->n; i++)
		if (isfinite(m->values[i])) {
			m->runs[n] = (uint32_t)i + 1;
			m->values[n++] = m->values[i];
		}
	m->n = n;
}

static struct tl_trend *judge(void)
{
	struct tl_trend *trends = tl_calloc(metrics.n + 1, sizeof *trends);

	for (size_t i = 0; i < metrics.n; i++) {
		compact(&metrics.items[i]);
		trends[i].values = metrics.items[i].values;
		trends[i].n = metrics.items[i].n;
	}
	tl_trend_judge(trends, metrics.n);
	return trends;
}

static struct tl_cell percent(double x, double of)
{
	return of != 0 ? tl_cell_real(100 * x / fabs(of)) : tl_cell_null();
}

/* The run that a change begins with; 0: with none. */
static uint32_t run_of(const struct metric *m, const struct tl_trend_change *c)
{
	return c->kind == TL_TREND_STEP || c->kind == TL_TREND_OUTLIER ? m->runs[c->at] : 0;
}

static void add_change(struct tl_table *t, const struct metric *m, const struct tl_trend *r, const struct tl_trend_change *c)
{
	tl_table_add_row(t, (struct tl_cell[N_CHANGE]){
		[CHANGE_KIND] = tl_cell_str(&strings, tl_trend_text(c->kind)),
		[CHANGE_METRIC] = tl_cell_text(m->name),
		[CHANGE_UNIT] = tl_cell_text(tl_intern_str(&strings, m->unit)),
		[CHANGE_RUN] = tl_cell_str(&strings, run_of(m, c) ? tl_str(&runs, run_of(m, c)) : NULL),
		[CHANGE_BEFORE] = tl_cell_real(c->before),
		[CHANGE_AFTER] = tl_cell_real(c->after),
		[CHANGE_CHANGE_PCT] = percent(c->after - c->before, c->before),
		[CHANGE_P] = tl_cell_real(c->p),
		[CHANGE_P_ADJUSTED] = tl_cell_real(c->adjusted),
		[CHANGE_RUN_COUNT] = tl_cell_int((int64_t)r->n),
		[CHANGE_ABSENT_COUNT] = tl_cell_int((int64_t)(runs.count - r->n)),
		[CHANGE_NOISE_PCT] = percent(r->noise, r->median),
		[CHANGE_CORRELATION] = tl_cell_real(r->correlation),
		[CHANGE_LEAST_STEP_PCT] = percent(r->least, r->median),
	});
}

/* What changes comes first. */
static struct tl_table *changes_of(const struct tl_trend *r)
{
	struct tl_table *t = tl_table_new(&strings, 1, tl_trend_change_rows);

	for (enum tl_trend_kind kind = 0; kind <= TL_TREND_FEW; kind++)
		for (size_t i = 0; i < metrics.n; i++)
			for (size_t k = 0; k < r[i].n_changes; k++)
				if (r[i].changes[k].kind == kind)
					add_change(t, &metrics.items[i], &r[i], &r[i].changes[k]);
	return t;
}

static struct tl_table *all_values(void)
{
	struct tl_table *t = tl_table_new(&strings, 1, tl_trend_value_rows);

	for (size_t i = 0; i < metrics.n; i++)
		for (size_t k = 0; k < metrics.items[i].n; k++) {
			const struct metric *m = &metrics.items[i];
			tl_table_add_row(t, (struct tl_cell[N_VALUE]){ tl_cell_text(m->name), tl_cell_text(tl_intern_str(&strings, m->unit)),
				tl_cell_str(&strings, tl_str(&runs, m->runs[k])), tl_cell_real(m->values[k]) });
		}
	return t;
}

/* ---- conditions ------------------------------------------------------------------------------------- */

/* Reads METRIC OPERATOR NUMBER %; the metric may have templates of C++ in it. Returns it; the caller frees it. */
static char *read_condition(const char *text, struct tl_limit *limit)
{
	const char *op = text + strlen(text), *end;
	struct tl_error err;

	while (op > text && *op != '<' && *op != '>')
		op--;
	for (end = op; end > text && end[-1] == ' ';)
		end--;
	if (end == text)
		tl_usage("--fail-if: '%s': expected METRIC > NUMBER %%, with >, >=, < or <=", text);
	if (tl_limit_parse(limit, op, &err))
		tl_usage("--fail-if: '%s': %s", text, err.text);
	if (limit->unit != TL_GATE_PERCENT)
		tl_usage("--fail-if: '%s': expected %% behind the number", text);
	return tl_strndup(text, (size_t)(end - text));
}

/* Says for which changes the condition holds. Are there any? */
static bool holds(const char *text, const struct tl_trend *r)
{
	struct tl_limit limit;
	char *pattern = read_condition(text, &limit);
	size_t n = 0, n_few = 0, found = 0;

	for (size_t i = 0; i < metrics.n; i++) {
		const struct metric *m = &metrics.items[i];
		bool meant = !fnmatch(pattern, tl_str(&strings, m->name), 0);
		n += meant;
		n_few += meant && m->n < TL_TREND_RUNS;
		for (size_t k = 0; k < r[i].n_changes && meant; k++) {
			const struct tl_trend_change *c = &r[i].changes[k];
			double pct = 100 * (c->after - c->before) / fabs(c->before);
			uint32_t run = run_of(m, c);
			if (c->kind > TL_TREND_DRIFT || !tl_limit_exceeds(&limit, pct) || (last && run && run + last <= runs.count))
				continue;
			tl_warn("%s: %s: %s of %+.3g %%, from %.6g to %.6g%s%s (p %.2g)", text, tl_str(&strings, m->name), tl_trend_text(c->kind), pct,
			        c->before, c->after, run ? ", since " : "", tl_str(&runs, run), c->adjusted);
			found++;
		}
	}
	if (!n)
		tl_die("--fail-if '%s': no metric is called so", text);
	if (n_few)
		tl_warn("--fail-if '%s': not judged: %zu of %zu metrics, of fewer than %d runs", text, n_few, n, TL_TREND_RUNS);
	free(pattern);
	return found;
}

/* ---- main -------------------------------------------------------------------------------------------- */

static void check_options(int n, char **operands)
{
	static const char *usual[] = { "gpu_timeline/*" };

	if (!n)
		tl_usage("runs expected, none given");
	if (!patterns.n)
		patterns = (struct tl_opt_list){ .items = usual, .n = 1 };
	for (size_t i = 0; i < patterns.n; i++)
		if (!strchr(patterns.items[i], '/') || strchr("/:", *patterns.items[i]))
			tl_usage("--metric: expected SHEET/ROW or SHEET:COLUMN/ROW, not '%s'", patterns.items[i]);
	for (size_t i = 0; i < conditions.n; i++)
		free(read_condition(conditions.items[i], &(struct tl_limit){ .less = false }));
	for (int i = 0; i < n; i++)
		tl_will_read(operands[i]);
	tl_check_output(common.output);
}

int main(int argc, char **argv)
{
	int n;
	char **operands = tl_cli_start(&program, argc, argv, &n);
	bool fails = false;

	check_options(n, operands);
	for (int i = 0; i < n; i++)
		take_run(operands[i]);
	if (!metrics.n)
		tl_die("no run has one of the metrics: %s%s", patterns.items[0], patterns.n > 1 ? " ..." : "");
	struct tl_trend *trends = judge();
	struct tl_table *t = show_values ? all_values() : changes_of(trends);
	tl_form_write(common.output, t, show_values ? tl_trend_values_sheet.name : tl_trend_changes_sheet.name, NULL);
	for (size_t i = 0; i < conditions.n; i++)
		fails |= holds(conditions.items[i], trends);
	tl_table_free(t);
	for (size_t i = 0; i < metrics.n; i++) {
		free(trends[i].changes);
		free(metrics.items[i].runs);
		free(metrics.items[i].values);
	}
	free(trends);
	TL_KEYED_RELEASE(&metrics);
	tl_strtab_release(&runs);
	tl_strtab_release(&strings);
	return fails ? FAILED : 0;
}
