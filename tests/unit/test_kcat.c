/* test_kcat.c - rules about names: examples of the built-in tables, a user's tables, mistakes in tables.
 * With a file operand: its lines are a header, then category first and name
 * last, TAB between them; all are held against the rules.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "check.h"
#include "work/name_rules.h"
#include "vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *of(struct tl_name_rules *k, const char *name)
{
	return tl_name_rules_find(k, name, strlen(name));
}

static void expect(struct tl_name_rules *k, const char *name, const char *want)
{
	const char *got = of(k, name);

	if (strcmp(got, want)) {
		printf("FAIL %s: got %s, expected %s\n", name, got, want);
		failures++;
	}
}

static void own_table(void)
{
	static const char first[] = "# mine\r\nlet\tmoe\tmoe|expert\r\n"
		"5\tMoE\t{moe} & gemm\ttopk\n9999\tRest\t.*\n5\tOnce\t^(ab){2}$\n5\tCase\tXyZ\t-\tcase\n5\tNamespace\tns:Start\t-\tcase\n"
		"5\tWritten\tcase:Some:: & both\n";
	static const char second[] = "5\tLater\tmoe_gemm_late";
	struct tl_name_rules *k = tl_name_rules_new(TL_KERNEL_CATEGORIES);
	int before = failures;

	check("a table is read", !tl_name_rules_add(k, "first", first, strlen(first), NULL));
	check("a table without a last line end is read", !tl_name_rules_add(k, "second", second, strlen(second), NULL));
	expect(k, "Moe_Gemm", "MoE");
	expect(k, "expert_gemm_topk", "GEMM-Generic");
	expect(k, "moe_gemm_late", "Later");
	expect(k, "abab", "Once");
	expect(k, "ababab", "Rest");
	expect(k, "aXyZ", "Case");
	expect(k, "Start::x::gemm", "Namespace");
	expect(k, "x::Start::gemm", "GEMM-Generic");
	expect(k, "Some::Both", "Written");
	expect(k, "Some::bOTH", "Written");
	expect(k, "some::Both", "Rest");
	check("a later table changes earlier answers",
	      !tl_name_rules_add(k, "third", "1\tThird\tmoe_gemm_late", 21, NULL) && !strcmp(of(k, "moe_gemm_late"), "Third"));
	expect(k, "axyz", "Rest");
	check("own rules come by priority and before built-in ones", failures == before);
	tl_name_rules_free(k);
}

/* ---- an example of each rule: tests/vectors ---------------------------------------- */

/* The answers of a table in which all rules that match count; NULL: the first rule that matches decides. */
static const char *const *answers_of(enum tl_built_in_rules table)
{
	static const char *const words[] = {
		"prefill", "decode", "continuous", "says-prefill", "says-decode", "name-prefill", "name-decode",
		"attention", "attention-decode", "attention-prefill", NULL
	};
	static const char *const host_names[] = { "launch", "graph", "backward", "recompute", "loading", "optimizer", NULL };

	return table == TL_PHASE_WORDS ? words : table == TL_HOST_NAMES ? host_names : NULL;
}

static struct tl_name_rules *work; /* what is communication, which rules about categories ask */

/* The rules of a table, on top of those that programs ask together with it. */
static struct tl_name_rules *with_table(enum tl_built_in_rules table)
{
	enum tl_built_in_rules below = table == TL_KERNEL_CATEGORIES_MORE ? TL_KERNEL_CATEGORIES :
		table == TL_KERNEL_COMMUNICATION ? TL_KERNEL_WORK : TL_NO_RULES;
	struct tl_name_rules *rules = tl_name_rules_new(below);

	tl_name_rules_ask(rules, work);
	tl_name_rules_add_built_in(rules, table);
	return rules;
}

/* All answers, a blank between them; "-": none. */
static void add_answers(struct tl_buf *b, struct tl_name_rules *rules, enum tl_built_in_rules table, const char *name)
{
	const char *const *all = answers_of(table);
	uint64_t found = all ? tl_name_rules_all(rules, name, strlen(name), all) : 0;

	if (!all)
		tl_buf_adds(b, of(rules, name));
	for (size_t i = 0; all && all[i]; i++)
		if (found >> i & 1)
			tl_buf_addf(b, "%s%s", b->len ? " " : "", all[i]);
	if (!b->len)
		tl_buf_adds(b, "-");
}

#define COLUMN_ID(id, file, column) id,
static const enum tl_built_in_rules column_tables[] = { TL_BUILT_IN_COLUMNS(COLUMN_ID) };
enum { N_COLUMNS = sizeof column_tables / sizeof *column_tables };

struct asked { struct tl_name_rules *rules; enum tl_built_in_rules table; };

/* cells: row, name, answer */
static bool answers_so(void *arg, char **cells)
{
	const struct asked *a = arg;
	struct tl_buf got = { 0 };

	add_answers(&got, a->rules, a->table, cells[1]);
	bool so = !strcmp(got.data, cells[2]);
	if (!so)
		printf("row %s: %s: got %s, expected %s\n", cells[0], cells[1], got.data, cells[2]);
	tl_buf_release(&got);
	return so;
}

static void examples(void)
{
#define EXAMPLES(id, file, answers) { id, #file },
	static const struct { enum tl_built_in_rules id; const char *file; } tables[] = { TL_BUILT_IN_RULES(EXAMPLES) };

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		struct asked a = { with_table(tables[i].id), tables[i].id };
		char name[100];
		snprintf(name, sizeof name, "%s", tables[i].file);
		for (char *c = name; (c = strchr(c, '_')); )
			*c = '-';
		check_vectors(name, 3, answers_so, &a);
		tl_name_rules_free(a.rules);
	}
}

/* cells: row, name, the answers of all columns */
static bool columns_so(void *rules, char **cells)
{
	bool so = true;

	for (size_t i = 0; i < N_COLUMNS; i++) {
		const char *got = of(((struct tl_name_rules **)rules)[i], cells[1]);
		if (strcmp(*got ? got : "-", cells[2 + i])) {
			printf("row %s: %s: got %s, expected %s\n", cells[0], cells[1], got, cells[2 + i]);
			so = false;
		}
	}
	return so;
}

static void examples_of_columns(void)
{
	struct tl_name_rules *rules[N_COLUMNS];

	for (size_t i = 0; i < N_COLUMNS; i++)
		rules[i] = tl_name_rules_new(column_tables[i]);
	check_vectors("kernel-kinds", 2 + N_COLUMNS, columns_so, rules);
	for (size_t i = 0; i < N_COLUMNS; i++)
		tl_name_rules_free(rules[i]);
}

/* ---- names that profilers show: tests/vectors/kernel-names.tsv -------------------------------- */

/* cells: category, name */
static bool is_of_category(void *rules, char **cells)
{
	const char *got = of(rules, cells[1]);

	if (strcmp(got, cells[0]))
		printf("%s: got %s, expected %s\n", cells[1], got, cells[0]);
	return !strcmp(got, cells[0]);
}

static bool communication_agrees(struct tl_name_rules *categories, const char *name)
{
	bool is = !strcmp(of(work, name), "communication");

	if (is != !strncmp(of(categories, name), "Comm-", 5))
		printf("%s: %s, but the category is %s\n", name, of(work, name), of(categories, name));
	return is == !strncmp(of(categories, name), "Comm-", 5);
}

static bool agrees_on_name(void *rules, char **cells)
{
	return communication_agrees(rules, cells[1]);
}

static void real_names(void)
{
	struct tl_name_rules *k = with_table(TL_KERNEL_CATEGORIES_MORE);

	check_vectors("kernel-names", 2, is_of_category, k);
	check_vectors("kernel-names", 2, agrees_on_name, k);
	check_vectors("kernel-categories", 3, agrees_on_name, k);
	check_vectors("kernel-categories-more", 3, agrees_on_name, k);
	check_vectors("kernel-communication", 3, agrees_on_name, k);
	check_vectors("kernel-work", 3, agrees_on_name, k);
	tl_name_rules_free(k);
}

static void mistake(const char *table, const char *want)
{
	struct tl_name_rules *k = tl_name_rules_new(TL_NO_RULES);
	struct tl_error err = { 0 };
	char title[300];
	bool bad = tl_name_rules_add(k, "t", table, strlen(table), &err) == TL_ERR_DATA;

	snprintf(title, sizeof title, "mistake: %s", want);
	if (strncmp(err.text, want, strlen(want)))
		printf("got: %s\n", err.text);
	check(title, bad && !strncmp(err.text, want, strlen(want)) && !strcmp(of(k, "b"), ""));
	tl_name_rules_free(k);
}

/* A list of 1000 words that 1000 rules name. */
static void long_lists(void)
{
	struct tl_buf b = { 0 };

	tl_buf_adds(&b, "let\tl\ta");
	for (int i = 0; i < 1000; i++)
		tl_buf_adds(&b, "|a");
	for (int i = 0; i < 1000; i++)
		tl_buf_adds(&b, "\n1\tA\t{l}");
	mistake(b.data, "t:133:5: table longer than 256 KB with lists in their places");
	tl_buf_release(&b);
}

static void mistakes(void)
{
	struct tl_name_rules *k = tl_name_rules_new(TL_NO_RULES);

	check("the last priority that there is", !tl_name_rules_add(k, "t", "999999999\tA\tb", 13, NULL) && !strcmp(of(k, "b"), "A"));
	tl_name_rules_free(k);
	mistake("1\tA\tb\nx\tA\tb\n", "t:2:1: expected a priority");
	mistake("1\tA\n", "t:1:1: expected priority, category, pattern");
	mistake("1\t\tb\n", "t:1:3: empty category");
	mistake("1\tA\t\n", "t:1:5: empty pattern");
	mistake("1\tA\tb||c\n", "t:1:5: empty word");
	mistake("1\tA\tb||c\t-\tcase\n", "t:1:5: empty word");
	mistake("1\tA\tb\t^Gemm\n", "t:1:7: names are matched in lower case");
	mistake("1\tA\tb & {no}\n", "t:1:9: no list of this name");
	mistake("1\tA\tis:communication\n", "t:1:5: there are no other rules to ask here: 'is:communication'");
	mistake("1\tA\tb & (c\n", "t:1:9: bad regular expression '(c': missing closing parenthesis at byte 3");
	mistake("1\tA\tGemm\n", "t:1:5: names are matched in lower case");
	mistake("1\tA\tb\t-\tfold\n", "t:1:9: expected one of -, case, dead: 'fold'");
	mistake("1\tA\tb\t[\n", "t:1:7: bad regular expression '[': missing terminating ] for character class at byte 2");
	mistake("1\tA\t((a{99}){99}){99}\n", "t:1:5: bad regular expression '((a{99}){99}){99}': regular expression is too large");
	mistake("1\tA\ta+++\n", "t:1:5: bad regular expression 'a+++': quantifier does not follow a repeatable item at byte 4");
	mistake("let\ta\n", "t:1:1: expected let");
	mistake("1000000000\tA\tb\n", "t:1:1: expected a priority");
}

/* Rules about the work of kernels may only say what the sheets know. */
static void answers(void)
{
	struct tl_name_rules *k = tl_name_rules_new(TL_KERNEL_WORK);
	struct tl_error err = { 0 };

	check("an unknown kind of work is a mistake", tl_name_rules_add(k, "t", "1\tcomm\tx", 8, &err) == TL_ERR_DATA &&
	      !strcmp(err.text, "t:1:3: expected one of communication, memcpy, computation: 'comm'"));
	check("a rule of one's own comes first", !tl_name_rules_add(k, "t", "1\tcomputation\tnccl", 18, NULL) &&
	      !strcmp(of(k, "ncclX"), "computation"));
	tl_name_rules_free(k);
}

static void vectors(const char *path)
{
	FILE *f = fopen(path, "r");
	struct tl_name_rules *k = tl_name_rules_new(TL_KERNEL_CATEGORIES);
	char *line = NULL, *tab;
	size_t cap = 0, n = 0, wrong = 0;
	bool header = true;

	while (f && getline(&line, &cap, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!(tab = strrchr(line, '\t')) || header) {
			header = false;
			continue;
		}
		line[strcspn(line, "\t")] = '\0';
		n++;
		if (strcmp(of(k, tab + 1), line)) {
			wrong++;
			printf("%s: got %s, expected %s\n", tab + 1, of(k, tab + 1), line);
		}
	}
	printf("%s %zu names, %zu wrong\n", n && !wrong ? "ok" : "FAIL", n, wrong);
	failures += !n || wrong;
	free(line);
	if (f)
		fclose(f);
	tl_name_rules_free(k);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		vectors(argv[1]);
		return failures != 0;
	}
	work = tl_name_rules_new(TL_KERNEL_WORK);
	tl_name_rules_add_built_in(work, TL_KERNEL_COMMUNICATION);
	answers();
	examples();
	examples_of_columns();
	real_names();
	own_table();
	mistakes();
	long_lists();
	tl_name_rules_free(work);
	return failures != 0;
}
