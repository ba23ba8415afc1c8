/* test_findings.c - the table of rules: read whole, cut anywhere, and what rules find.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "check.h"
#include "findings/findings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

extern const char tl_data_finding_rules[];
extern const size_t tl_data_finding_rules_len;

static bool reads_the_built_in_rules(void)
{
	bool ok = true;

	struct tl_rule_table t = { 0 };
	struct tl_error err = { 0 };

	ok = ok && tl_rule_table_builtin(&t, &err) == TL_OK;
	ok = ok && t.n > 10;
	ok = ok && tl_rule_find(&t, "dataloader", 10) && tl_rule_find(&t, "dataloader", 10)->tier == 1;
	ok = ok && !tl_rule_find(&t, "data", 4);
	tl_rule_table_release(&t);
	return ok;
}

static bool cuts_end_in_an_error_or_a_table(void)
{
	bool ok = true;

	for (size_t len = 0; len < tl_data_finding_rules_len; len += 7) {
		struct tl_rule_table t = { 0 };
		struct tl_error err = { 0 };
		enum tl_status s = tl_rule_table_read(&t, "cut", tl_data_finding_rules, len, &err);
		ok = ok && (s == TL_OK || !strncmp(err.text, "cut:", 4));
		tl_rule_table_release(&t);
	}
	return ok;
}

/* Is a rule that lacks a line refused, with the place of the rule and the word of the line? */
static bool needs_each_line(void)
{
	static const char *const lines[] = { "sheet x", "stake 1", "confidence high", "effort lines", "title x", "do x", "next x", "source x" };
	enum { N = sizeof lines / sizeof *lines };
	bool ok = true;

	for (size_t without = 0; without <= N; without++) {
		struct tl_rule_table t = { 0 };
		struct tl_error err = { 0 };
		struct tl_buf text = { 0 };
		char word[20] = "";

		tl_buf_adds(&text, "# a table\nrule a 1\n");
		for (size_t i = 0; i < N; i++)
			if (i != without)
				tl_buf_addf(&text, "  %s\n", lines[i]);
		enum tl_status s = tl_rule_table_read(&t, "lines", text.data, text.len, &err);
		if (without < N)
			snprintf(word, sizeof word, "%.*s", (int)strcspn(lines[without], " "), lines[without]);
		ok = ok && (without == N ? s == TL_OK : s == TL_ERR_DATA && !strncmp(err.text, "lines:2:6: ", 11) && strstr(err.text, word));
		tl_rule_table_release(&t);
		tl_buf_release(&text);
	}
	return ok;
}

/* ---- findings of a sheet of three rows, of 4, 6 and 8 ms -------------------------------------------- */

static struct tl_table *sheet;

static const struct tl_table *sheet_of(void *ctx, const char *name)
{
	(void)ctx;
	return strcmp(name, "times") && strcmp(name, "steps") ? NULL : sheet;
}

#define LINES "  confidence high\n  effort lines\n  title {num(stake_ms)} of {rows}\n  do x\n  next x\n  source x\n"

typedef void weigh_fn(void *, struct tl_finding *, size_t);

/* Makes the findings of rules about the sheet, in a window of so many ms. */
static struct tl_findings found(const char *rules, double window_ms, weigh_fn *weigh)
{
	struct tl_rule_table t = { 0 };
	struct tl_error err = { 0 };
	struct tl_findings out;

	check("the rules are read", tl_rule_table_read(&t, "rules", rules, strlen(rules), &err) == TL_OK);
	struct tl_findings_input in = { .rules = &t, .sheet = sheet_of, .weigh = weigh, .window_ms = window_ms, .least_share = .01 };
	check("findings are made", tl_findings_make(&out, &in, &err) == TL_OK);
	for (size_t i = 0; i < out.n; i++)
		out.items[i].rule = NULL; /* goes with the table */
	tl_rule_table_release(&t);
	return out;
}

static bool asks_of_each_row_once(void)
{
	bool ok = true;

	struct tl_findings f = found("rule a 1\n  sheet times\n  where ms > 5\n  stake ms\n" LINES "rule b 1\n  sheet times\n  stake ms\n" LINES
	                             "rule c 1\n  sheet steps\n  stake 0\n" LINES, 100, NULL);

	ok = ok && f.n == 2;
	ok = ok && f.items[0].stake_ms == 14 && !strcmp(f.items[0].title, "14 of 2");
	ok = ok && f.items[1].stake_ms == 4 && f.items[1].n_rows == 1;
	tl_findings_release(&f);
	f = found("rule a 1\n  sheet times\n  where ms > 5\n  stake 0.04\n" LINES "rule b 1\n  sheet times\n  stake ms\n" LINES, 100, NULL);
	ok = ok && f.n == 1 && f.items[0].n_rows == 3; /* too small to be a finding, it left the rows to others */
	tl_findings_release(&f);
	return ok;
}

static bool has_no_more_at_stake_than_the_window(void)
{
	bool ok = true;

	struct tl_findings f = found("rule a 1\n  sheet times\n  where ms > 5\n  stake ms * 100\n" LINES "rule b 1\n  sheet times\n  stake ms\n" LINES, 11, NULL);

	ok = ok && f.n == 1 && f.items[0].stake_ms == 11;
	tl_findings_release(&f);
	return ok;
}

/* Of three findings, that of 8 ms is the second pick, that of 4 ms the first, beside which nothing is left of that of 6 ms. */
static void pick(void *ctx, struct tl_finding *f, size_t n)
{
	(void)ctx;
	for (size_t i = 0; i < n; i++) {
		f[i].pick = f[i].rows_ms == 4 ? 1 : f[i].rows_ms == 8 ? 2 : 0;
		f[i].joins = f[i].rows_ms == 6;
		f[i].device_ms = 2 * f[i].rows_ms;
		f[i].stake_ms = f[i].rows_ms == 8 ? 0.001 : f[i].rows_ms;
	}
}

static bool keeps_the_order_of_picks(void)
{
	bool ok = true;

	struct tl_findings f = found("rule a 1\n  sheet times\n  by ms\n  effect less\n  stake ms\n" LINES, 100, pick);

	ok = ok && f.n == 2 && f.items[0].rows_ms == 4 && f.items[1].rows_ms == 8; /* which the devices feel, if not the window */
	ok = ok && !strcmp(f.items[0].also.data, "6 of 1");
	tl_findings_release(&f);
	return ok;
}

static bool groups_rows_and_orders_by_stake(void)
{
	bool ok = true;

	struct tl_findings f = found("rule a 1\n  sheet times\n  by ms > 5\n  stake ms\n" LINES, 100, NULL);

	ok = ok && f.n == 2 && f.items[0].stake_ms == 14 && f.items[0].rows[0] == 2;
	ok = ok && strcmp(f.items[0].id, f.items[1].id) != 0 && !strncmp(f.items[0].id, "a-", 2);
	tl_findings_release(&f);
	return ok;
}

static bool knows_the_words_of_effects(void)
{
	bool ok = true;

	for (size_t i = 0; i <= 6; i++) {
		static const char *const words[] = { "none", "less", "gone", "host", "launches", "limit", "lots" };
		struct tl_rule_table t = { 0 };
		struct tl_error err = { 0 };
		struct tl_buf text = { 0 };
		tl_buf_addf(&text, "rule a 1\n  sheet times\n  stake ms\n  effect %s\n" LINES, words[i]);
		enum tl_status s = tl_rule_table_read(&t, "rules", text.data, text.len, &err);
		ok = ok && (i < 6 ? s == TL_OK && (size_t)t.rules[0]->effect == i : s == TL_ERR_DATA && strstr(err.text, "none, less, gone, host, launches or limit"));
		tl_rule_table_release(&t);
		tl_buf_release(&text);
	}
	return ok;
}

static bool tells_what_it_could_not_ask(void)
{
	bool ok = true;

	struct tl_findings f = found("rule a 1\n  sheet none\n  stake 1\n" LINES "rule b 1\n  sheet times\n  need rows > 3\n  unasked too few\n  stake 1\n" LINES, 18, NULL);

	ok = ok && f.n == 0 && f.n_unasked == 2;
	ok = ok && !strcmp(f.unasked[1].why, "too few");
	tl_findings_release(&f);
	return ok;
}

int main(void)
{
	static const char *const columns[] = { "ms", NULL };
	struct tl_strtab strings = { 0 };

	sheet = tl_table_new(&strings, 1, columns);
	for (int i = 2; i <= 4; i++)
		tl_table_add_row(sheet, (struct tl_cell[]){ tl_cell_real(2 * i) });
	check("the built-in rules are read", reads_the_built_in_rules());
	check("a table that is cut anywhere is a mistake or a table", cuts_end_in_an_error_or_a_table());
	check("a rule that lacks a line is a mistake", needs_each_line());
	check("a row is of one finding, the first that is large enough", asks_of_each_row_once());
	check("no more is at stake than the window", has_no_more_at_stake_than_the_window());
	check("picks come first, and what has nothing left joins them", keeps_the_order_of_picks());
	check("the words of effects", knows_the_words_of_effects());
	check("rows are grouped, findings ordered by stake", groups_rows_and_orders_by_stake());
	check("what could not be asked is told", tells_what_it_could_not_ask());
	tl_table_free(sheet);
	tl_strtab_release(&strings);
	return failures != 0;
}
