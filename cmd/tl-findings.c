/* tl-findings.c - what is wrong in a trace, by the time at stake, and what to do about it.
 *
 * Rules read the sheets of other filters, which are made for them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/number.h"
#include "base/text.h"
#include "cli/filter.h"
#include "cli/sheet_form.h"
#include "report/advice.h"
#include "sheets/findings_sheets.h"
#include "sheets/populations.h"
#include "table/table_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FAILED = 3 }; /* the status that --fail_percent asks for */

static struct tl_rule_table rules;
static struct tl_trace_findings *made;
static struct tl_table *ledger;
static struct tl_strtab ledger_strings;
static struct tl_opt_list rule_files;
static const char *explain, *least, *fail_from, *known_file, *before_file;

static const struct tl_opt options[] = {
	{ 0, "rules", "FILE", "add or replace rules (tl-findings(5)); may be repeated", TL_OPT_LIST, &rule_files, 0, 0, NULL },
	{ 0, "explain", "RULE", "print how a rule came to its answer, instead of the findings", TL_OPT_TEXT, &explain, 0, 0, NULL },
	{ 0, "min_percent", "PERCENT", "what is less than this share of the window is no finding (1)", TL_OPT_TEXT, &least, 0, 0, NULL },
	{ 0, "fail_percent", "PERCENT", "exit with status 3 if a finding has this share of the window or more at stake", TL_OPT_TEXT, &fail_from, 0, 0, NULL },
	{ 0, "known", "FILE", "ids of findings, a line each, which --fail_percent passes over", TL_OPT_TEXT, &known_file, 0, 0, NULL },
	{ 0, "before", "FILE", "the sheet findings of an earlier run: tell what is new, grown, shrunk and gone", TL_OPT_TEXT, &before_file, 0, 0, NULL },
	TL_COMMUNICATION_OPTION,
	TL_ARCH_OPTIONS,
	TL_OPS_OPTION,
	{ .long_name = NULL },
};

/* ---- options ------------------------------------------------------------------------------------------ */

static double percent_of(const char *option, const char *text, double usual)
{
	char *end = NULL;
	double d = text ? tl_parse_double(text, &end) : usual;

	if (text && (*end || !(d >= 0 && d <= 100)))
		tl_usage("--%s: expected a number from 0 to 100, not '%s'", option, text);
	return d;
}

static void prepare(struct tl_load_options *load)
{
	(void)load;
	if (explain && tl_into_folder())
		tl_usage("--explain is for standard output: not with a folder of sheets");
	percent_of("min_percent", least, 1);
	percent_of("fail_percent", fail_from, 0);
	tl_prepare_arch();
	tl_op_tables();
	struct tl_error err;
	if (tl_rule_table_builtin(&rules, &err) != TL_OK)
		tl_die("a mistake in the program: %s", err.text);
	for (size_t i = 0; i < rule_files.n; i++) {
		size_t len;
		char *text = tl_read_file(rule_files.items[i], 1 << 20, &len); /* stays: names and places are in it */
		if (tl_rule_table_read(&rules, rule_files.items[i], text, len, &err) != TL_OK)
			tl_die("%s", err.text);
	}
	const struct tl_rule *explained = explain ? tl_rule_find(&rules, explain, strlen(explain)) : NULL;
	if (explain && (!explained || explained->off))
		tl_usage(explained ? "--explain: --rules takes '%s' out" : "--explain: no rule '%s'; tl-findings(5) lists them", explain);
	made = tl_trace_findings_new();
}

static bool is_of_rule(const char *sheet)
{
	bool found = false;

	for (size_t i = 0; i < rules.n; i++)
		found |= !rules.rules[i]->off && !strcmp(rules.rules[i]->texts[TL_RULE_SHEET], sheet);
	return found;
}

static void see_sheet(const struct tl_table *t, const char *name)
{
	tl_trace_findings_take(made, name, t);
	if (!strcmp(name, "ledger") && !ledger) {
		ledger = tl_table_new(&ledger_strings, t->ticks_per_us, NULL);
		tl_table_append(ledger, t);
	}
}

/* ---- an earlier run, and what may stay --------------------------------------------------------------------- */

static enum tl_cell_type as_it_reads(const char *column)
{
	(void)column;
	return TL_CELL_NULL;
}

static struct tl_table *earlier(struct tl_strtab *strings)
{
	static const struct tl_tsv_columns any = { NULL, NULL, as_it_reads };
	struct tl_table *t;
	struct tl_error err;
	struct tl_input *in = tl_open_input(before_file);

	if (tl_tsv_read_table(in, strings, &any, &t, &err) != TL_OK)
		tl_die_of_sheet(before_file, &err);
	tl_close_input(in);
	if (tl_table_column(t, "id") < 0 || tl_table_column(t, "at_stake_ms") < 0)
		tl_die("%s: expected the sheet findings, with the columns id and at_stake_ms", before_file);
	return t;
}

/* Is the id one of the lines of --known? */
static bool is_known(const char *known, const char *id)
{
	size_t n = strlen(id);

	for (const char *p = known; p && (p = strstr(p, id)); p += n)
		if ((p == known || p[-1] == '\n') && (!p[n] || strchr("\r\n \t#", p[n])))
			return true;
	return false;
}

/* Is there more at stake than --fail_percent allows? Says which finding. */
static bool fails(void)
{
	size_t len;
	char *known = known_file ? tl_read_file(known_file, 1 << 20, &len) : NULL;
	double window, most = percent_of("fail_percent", fail_from, 0);
	const struct tl_findings *f = tl_trace_findings_list(made, &window);
	bool found = false;

	for (size_t i = 0; fail_from && i < f->n; i++)
		if (f->items[i].rule->tier && f->items[i].stake_ms / window * 100 >= most && !is_known(known, f->items[i].id)) {
			tl_warn("%s: %.1f %% of the window, %s %% are allowed: %s", f->items[i].id, f->items[i].stake_ms / window * 100, fail_from, f->items[i].title);
			found = true;
		}
	free(known);
	return found;
}

/* ---- the filter ------------------------------------------------------------------------------------------------ */

static struct tl_table *sheet(const char *name)
{
	for (const struct tl_sheet *s = tl_findings_sheets.sheets; s->name; s++)
		if (!strcmp(s->name, name))
			return tl_sheet_of(s, made);
	return NULL;
}

/* "GPU busy 52.6 % of the time from its first start to its last end", if that is another time than the recorded window. */
static void add_busy(struct tl_trace *t, struct tl_buf *b)
{
	struct tl_busy busy = tl_busy_of(t);
	double percent = busy.times[TL_BUSY_SPAN].percent;

	if (tl_busy_is_apart(&busy, TL_BUSY_SPAN))
		tl_buf_addf(b, "GPU busy %.*f %s", tl_decimals(percent), percent, tl_busy_units[TL_BUSY_SPAN]);
}

static void write_advice(struct tl_trace *trace, const char *input, const char *form, bool estimated)
{
	const char *slash = strrchr(input, '/');
	struct tl_buf b = { 0 }, busy = { 0 };
	struct tl_table *findings = sheet("findings"), *evidence = sheet("finding_evidence"), *unasked = sheet("findings_unasked");
	struct tl_table *work = sheet("gpu_work"), *judged = sheet("judged");
	struct tl_advice a = { .findings = findings, .evidence = evidence, .unasked = unasked, .ledger = ledger, .gpu_work = work, .judged = judged,
	                       .estimated = estimated, .trace = slash ? slash + 1 : input };

	tl_trace_findings_list(made, &a.window_ms);
	add_busy(trace, &busy);
	a.busy = busy.data;
	if (!strncmp(form, "json", 4)) /* each finding is a line: json is jsonl */
		tl_advice_as_json(&a, &b);
	else if (!strcmp(form, "markdown"))
		tl_advice_as_markdown(&a, &b);
	else
		tl_advice_as_text(&a, &b);
	tl_write_sheet_text("findings", &b);
	tl_table_free(findings);
	tl_table_free(evidence);
	tl_table_free(unasked);
	tl_table_free(work);
	tl_table_free(judged);
	tl_buf_release(&b);
	tl_buf_release(&busy);
}

static void run_findings(struct tl_trace *trace, const char *input)
{
	struct tl_buf text = { 0 };
	struct tl_strtab strings = { 0 };
	const struct tl_arch *arch = tl_rating_arch(trace, input);
	struct tl_arch *estimated = arch ? NULL : tl_estimated_arch(trace);
	struct tl_trace_findings_options o = {
		.rules = &rules, .arch = arch ? arch : estimated, .input = !strcmp(input, "<stdin>") ? "FILE" : input, .least_percent = percent_of("min_percent", least, 1),
		.before = before_file ? earlier(&strings) : NULL, .explain = explain ? &text : NULL, .explain_id = explain,
	};
	bool alone = !tl_into_folder() && tl_only_sheet() && !strcmp(tl_only_sheet(), "findings"); /* as sentences, not as a table */
	const char *form = !alone ? "tsv" : tl_sheet_form ? tl_sheet_form : tl_sheets_to_terminal() ? "text" : "tsv";
	struct tl_error err;

	if (tl_trace_findings_make(made, trace, &o, &err) != TL_OK)
		tl_die("%s", err.text);
	const struct tl_findings *found = tl_trace_findings_list(made, &(double){ 0 });
	for (size_t i = 0; i < found->n_unasked; i++)
		if (found->unasked[i].failed)
			tl_warn("rule %s: %s", found->unasked[i].rule->id, found->unasked[i].why);
	if (explain)
		tl_write_sheet_text("findings", &text);
	else if (strcmp(form, "tsv") != 0)
		write_advice(trace, input, form, estimated);
	else
		tl_write_sheets(&tl_findings_sheets, made, trace);
	if (fails())
		tl_end_with(FAILED);
	tl_trace_findings_free(made);
	tl_arch_free(estimated);
	tl_table_free(ledger);
	tl_strtab_release(&ledger_strings);
	tl_table_free((struct tl_table *)o.before);
	tl_strtab_release(&strings);
	tl_buf_release(&text);
}

static const struct tl_opt_need needs[] = { { "known", "fail_percent", NULL }, { .option = NULL } };

const struct tl_filter tl_filter_findings = {
	.purpose = "what is wrong, by the time at stake, and what to do", .sheets = &tl_findings_sheets,
	.options = options, .needs = needs, .prepare = prepare, .run = run_findings, .runs_last = 2,
	.see = see_sheet, .reads = tl_findings_read, .needs_sheet = is_of_rule,
};
