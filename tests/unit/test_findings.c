/* test_findings.c - the table of rules: read whole, cut anywhere, and what rules claim.
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

/* ---- claims: a sheet of three rows, of 4, 6 and 8 ms, a piece each -------------------------------- */

static struct tl_table *sheet;

static const struct tl_table *sheet_of(void *ctx, const char *name)
{
	(void)ctx;
	return strcmp(name, "times") && strcmp(name, "steps") ? NULL : sheet;
}

static size_t pieces_of(void *ctx, const char *name, size_t row, const uint32_t **pieces)
{
	static uint32_t piece;

	(void)ctx;
	if (!strcmp(name, "steps"))
		return 0; /* these rows have no time of their own */
	piece = (uint32_t)row;
	*pieces = &piece;
	return 1;
}

#define LINES "  confidence high\n  effort lines\n  title {num(stake_ms)} of {rows}\n  do x\n  next x\n  source x\n"

/* Makes the findings of rules about the sheet; each piece is of the pool "idle", of which there is so much. */
static struct tl_findings found(const char *rules, double pool_ms)
{
	static int64_t left[3];
	static uint8_t pool[3];
	static uint32_t owner[3];
	struct tl_finding_time time = { left, pool, owner, 3, { "idle" }, { pool_ms }, 1 };
	struct tl_rule_table t = { 0 };
	struct tl_error err = { 0 };
	struct tl_findings out;

	memcpy(left, (int64_t[]){ 4, 6, 8 }, sizeof left);
	memset(owner, 0, sizeof owner);
	check("the rules are read", tl_rule_table_read(&t, "rules", rules, strlen(rules), &err) == TL_OK);
	struct tl_findings_input in = { .rules = &t, .sheet = sheet_of, .pieces = pieces_of, .time = &time, .window_ms = 100, .least_share = .01 };
	check("findings are made", tl_findings_make(&out, &in, &err) == TL_OK);
	for (size_t i = 0; i < out.n; i++)
		out.items[i].rule = NULL; /* goes with the table */
	tl_rule_table_release(&t);
	return out;
}

static bool claims_each_piece_once(void)
{
	bool ok = true;

	struct tl_findings f = found("rule a 1\n  sheet times\n  where ms > 5\n  stake ms\n" LINES "rule b 1\n  sheet times\n  stake ms\n" LINES, 18);

	ok = ok && f.n == 2;
	ok = ok && f.items[0].stake_ms == 14 && !strcmp(f.items[0].title, "14 of 2");
	ok = ok && f.items[1].stake_ms == 4 && f.items[1].n_rows == 1;
	tl_findings_release(&f);
	return ok;
}

static bool joins_what_holds_its_time(void)
{
	bool ok = true;

	struct tl_findings f = found("rule a 1\n  sheet times\n  stake ms\n" LINES "rule b 1\n  sheet times\n  where ms > 5\n  stake ms / 2\n" LINES, 18);

	ok = ok && f.n == 1 && f.items[0].stake_ms == 18;
	ok = ok && !strcmp(f.items[0].also.data, "7 of 2");
	tl_findings_release(&f);
	return ok;
}

static bool claims_no_more_than_the_pool_has(void)
{
	bool ok = true;

	struct tl_findings f = found("rule a 1\n  sheet times\n  stake ms * 100\n" LINES, 11);

	ok = ok && f.n == 1 && f.items[0].stake_ms == 11;
	tl_findings_release(&f);
	return ok;
}

static bool takes_the_pool_that_a_group_names(void)
{
	bool ok = true;

	struct tl_findings f = found("rule a 1\n  sheet times\n  where ms < 7\n  stake ms\n" LINES
	                             "rule b 2\n  sheet steps\n  by sel(ms > 7, \"idle\", \"none\")\n  pool group\n  stake ms\n" LINES, 12);

	ok = ok && f.n == 3 && f.items[0].stake_ms == 10; /* the one that is bound by no pool, as is the first */
	ok = ok && f.items[1].stake_ms == 10 && f.items[2].stake_ms == 2;
	tl_findings_release(&f);
	return ok;
}

static bool groups_rows_and_orders_by_stake(void)
{
	bool ok = true;

	struct tl_findings f = found("rule a 1\n  sheet times\n  by ms > 5\n  stake ms\n  reach ms / 2\n" LINES, 18);

	ok = ok && f.n == 2 && f.items[0].stake_ms == 14 && f.items[0].reach_ms == 7 && f.items[0].rows[0] == 2;
	ok = ok && strcmp(f.items[0].id, f.items[1].id) != 0 && !strncmp(f.items[0].id, "a-", 2);
	tl_findings_release(&f);
	return ok;
}

static bool tells_what_it_could_not_ask(void)
{
	bool ok = true;

	struct tl_findings f = found("rule a 1\n  sheet none\n  stake 1\n" LINES "rule b 1\n  sheet times\n  need rows > 3\n  unasked too few\n  stake 1\n" LINES, 18);

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
	check("each piece of time is claimed once", claims_each_piece_once());
	check("a finding joins the one that holds its time", joins_what_holds_its_time());
	check("no more is claimed than the pool has", claims_no_more_than_the_pool_has());
	check("a group's own pool bounds what is at stake", takes_the_pool_that_a_group_names());
	check("rows are grouped, findings ordered by stake", groups_rows_and_orders_by_stake());
	check("what could not be asked is told", tells_what_it_could_not_ask());
	tl_table_free(sheet);
	tl_strtab_release(&strings);
	return failures != 0;
}
