/* test_table.c - cells, sheets from definitions, statistics, and TSV.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/map.h"
#include "base/memory_io.h"
#include "check.h"
#include "table/sheet.h"
#include "table/sheet_sum.h"
#include "table/statistics.h"
#include "table/tsv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- TSV in memory ---------------------------------------------------------- */

static enum tl_status refuse(struct tl_output *out, const void *p, size_t len, struct tl_error *err)
{
	(void)out, (void)p, (void)len;
	return tl_fail(err, TL_ERR_IO, "cannot write");
}

/* Frees t; compares its TSV. */
static void sheet_is(const char *what, struct tl_table *t, const char *expected)
{
	struct tl_memory_output o = tl_memory_output("memory");
	enum tl_status st = tl_tsv_write(t, &o.out, NULL);
	bool ok = !st && !strcmp(o.text.data, expected);
	check(what, ok);
	if (!ok)
		printf("# got:\n%s# expected:\n%s", o.text.data, expected);
	tl_buf_release(&o.text);
	tl_table_free(t);
}

/* ---- raw rows from a short text: "op us\nmm 1.5\n" ------------------------------ */

enum { TICKS_PER_US = 1000 };
static struct tl_strtab strings;

/* "t1500" is a time of 1500 ticks, "w2000" one that was written without a fraction. */
static struct tl_cell cell_of(const char *s)
{
	char *end;
	if (!strcmp(s, "-"))
		return tl_cell_null();
	if (!strcmp(s, "nan"))
		return tl_cell_real(NAN);
	if (!strcmp(s, "True") || !strcmp(s, "False"))
		return tl_cell_bool(*s == 'T');
	if ((*s == 't' || *s == 'w') && ((s[1] >= '0' && s[1] <= '9') || s[1] == '-'))
		return tl_cell_time(strtoll(s + 1, NULL, 10), *s == 'w');
	long long i = strtoll(s, &end, 10);
	if (!*end)
		return tl_cell_int(i);
	double d = strtod(s, &end);
	return *end ? tl_cell_text(tl_intern_str(&strings, s)) : tl_cell_real(d);
}

static struct tl_table *rows_of(const char *text)
{
	struct tl_table *t = tl_table_new(&strings, TICKS_PER_US, NULL);
	struct tl_cell row[20];
	char *copy = tl_strdup(text), *line_end, *line = copy;
	for (bool header = true; (line_end = strchr(line, '\n')); line = line_end + 1, header = false) {
		size_t col = 0;
		*line_end = 0;
		for (char *save, *s = strtok_r(line, " ", &save); s; s = strtok_r(NULL, " ", &save)) {
			if (header)
				tl_table_add_column(t, s);
			else
				row[col++] = cell_of(s);
		}
		if (!header)
			tl_table_add_row(t, row);
	}
	free(copy);
	return t;
}

static void sheet_when(const char *what, const struct tl_sheet_def *def, unsigned conditions, const char *where, const char *raw, const char *expected)
{
	struct tl_table *rows = rows_of(raw);
	sheet_is(what, tl_sheet_make(def, &(struct tl_sheet_input){ .rows = rows, .conditions = conditions, .where = where,
	         .totals = { 40 }, .ctx = rows }), expected);
	tl_table_free(rows);
}

static void sheet_of(const char *what, const struct tl_sheet_def *def, const char *raw, const char *expected)
{
	sheet_when(what, def, 0, NULL, raw, expected);
}

/* ---- groups and order --------------------------------------------------------------- */

static void grouping(void)
{
	static const struct tl_column columns[] = { { "k", .kind = TL_KEY }, { "n", .kind = TL_COUNT }, { .name = NULL } };
	static const struct tl_column two_keys[] = { { "X", .kind = TL_KEY, .in = "x" }, { "y", .kind = TL_KEY },
		{ "z", .kind = TL_FIRST }, { .name = NULL } };
	static const struct tl_column no_key[] = { { "s", .kind = TL_SUM, .in = "z" }, { .name = NULL } };
	static const struct tl_column renamed[] = { { "b", .kind = TL_FIRST, .in = "a" }, { "z", .kind = TL_FIRST }, { .name = NULL } };
	struct tl_sheet_def def = { .columns = columns };
	const char *raw = "k\nb\na\n-\n2\nb\n1.0\nnan\n1\n2.5\nTrue\n";

	sheet_of("groups in order of first appearance", &def, raw,
		"k\tn\nb\t2\na\t1\n\t2\n2\t1\n1.0\t2\n2.5\t1\nTrue\t1\n");
	def.keys_ascending = true;
	sheet_of("groups in key order, nulls last", &def, raw,
		"k\tn\nTrue\t1\n1.0\t2\n2\t1\n2.5\t1\na\t1\nb\t2\n\t2\n");
	def.drop_null_keys = true;
	sheet_of("rows with null keys left out", &def, raw, "k\tn\nTrue\t1\n1.0\t2\n2\t1\n2.5\t1\na\t1\nb\t2\n");
	def = (struct tl_sheet_def){ .columns = two_keys, .keys_ascending = true };
	sheet_of("two keys", &def, "x y z\nb 1 -\nB 1 q\nb 1 r\nb 0 s\nb 1 t\n", "X\ty\tz\nB\t1\tq\nb\t0\ts\nb\t1\tr\n");
	sheet_of("no rows", &def, "x y z\n", "X\ty\tz\n");
	sheet_when("only rows that are true in a column", &(struct tl_sheet_def){ .columns = columns }, 0, "w",
		"k w\na False\nb True\na True\nb -\na True\n", "k\tn\nb\t1\na\t2\n");
	def = (struct tl_sheet_def){ .columns = no_key };
	sheet_of("no keys: one group", &def, "z\n1\n2\n", "s\n3\n");
	sheet_of("no keys and no rows: no group", &def, "z\n", "s\n");
	def = (struct tl_sheet_def){ .columns = renamed, .ungrouped = true, .order = { { "z", true } } };
	sheet_of("every row by itself", &def, "a z\nx 1\ny 3\nx 3\n", "b\tz\ny\t3\nx\t3\nx\t1\n");
}

static void ordering(void)
{
	static const struct tl_column columns[] = { { "a", .kind = TL_FIRST }, { "b", .kind = TL_FIRST }, { .name = NULL } };
	struct tl_sheet_def def = { .columns = columns, .ungrouped = true, .order = { { "a", true }, { "b", false } } };

	sheet_of("nulls last in either direction", &def, "a b\n1 -\n- 1\n2 x\n1 3\n2 -\n", "a\tb\n2\tx\n2\t\n1\t3\n1\t\n\t1\n");
	sheet_of("times by their ticks", &def, "a b\nt1001 1\nw1000 2\nt1002 3\n", "a\tb\n1.002\t3\n1.001\t1\n1.0\t2\n");
	def.columns++; /* b alone */
	def.order[0] = (struct tl_order){ "b", false };
	def.order[1].column = NULL;
	const char *raw = "a b\n0 9007199254740993\n0 1e300\n0 9007199254740992\n0 0.3\n0 0.30000000000000004\n0 0.29999999999999993\n"
		"0 -0.3\n0 -1e300\n0 0\n0 -\n0 text\n0 True\n0 9223372036854775807\n0 9.3e18\n";
	sheet_of("numbers that differ in the last bit", &def, raw,
		"b\nTrue\n-1e+300\n-0.3\n0\n0.29999999999999993\n0.3\n0.30000000000000004\n"
		"9007199254740992\n9007199254740993\n9223372036854775807\n9.3e+18\n1e+300\ntext\n\n");
}

static void coarse_groups(void)
{
	static const struct tl_column columns[] = { { "a", .kind = TL_KEY }, { "b", .kind = TL_KEY, .fine = true },
		{ "all v", .kind = TL_SUM, .in = "v", .coarse = true }, { "least v", .kind = TL_MIN, .in = "v", .coarse = true },
		{ "v", .kind = TL_SUM }, { "share", .kind = TL_SHARE, .in = "v", .of = "all v" }, { .name = NULL } };
	const struct tl_sheet_def def = { .columns = columns };

	sheet_of("statistics of the rows that differ in fine keys only", &def, "a b v\nx 1 4\ny 1 5\nx 2 1\nx 1 3\n",
		"a\tb\tall v\tleast v\tv\tshare\nx\t1\t8\t1\t7\t0.875\ny\t1\t5\t5\t5\t1.0\nx\t2\t8\t1\t1\t0.125\n");
}

static void count_done(void *ctx)
{
	++*(int *)ctx;
}

static void first_rows(void)
{
	static const struct tl_column columns[] = { { "a", .kind = TL_FIRST }, { "share", .kind = TL_SHARE, .in = "a" }, { .name = NULL } };
	const struct tl_sheet_def def = { .columns = columns, .ungrouped = true, .order = { { "a", true } } };
	const struct { int64_t top; const char *expected; } cases[] = {
		{ 2, "a\tshare\n4\t0.5\n3\t0.375\n" }, { 0, "a\tshare\n" }, { -1, "a\tshare\n4\t0.5\n3\t0.375\n1\t0.125\n" },
	};
	int done = 0;

	for (size_t i = 0; i < 3; i++)
		sheet_is("the first rows of the order; shares are of all", tl_sheet_make(&def, &(struct tl_sheet_input){
		         .own_rows = rows_of("a\n1\n4\n3\n"), .top = &cases[i].top, .ctx = &done, .done = count_done }), cases[i].expected);
	check("done() is called once a sheet", done == 3);
}

/* ---- columns ------------------------------------------------------------------------ */

static void aggregates(void)
{
	static const struct tl_column columns[] = {
		{ "k", .kind = TL_KEY }, { "sum", .kind = TL_SUM, .in = "v" }, { "mean", .kind = TL_MEAN, .in = "v" },
		{ "median", .kind = TL_MEDIAN, .in = "v" }, { "std", .kind = TL_STD, .in = "v" }, { "min", .kind = TL_MIN, .in = "v" },
		{ "max", .kind = TL_MAX, .in = "v" }, { "first", .kind = TL_FIRST, .in = "v" }, { .name = NULL }
	};
	static const struct tl_column rounded[] = { { "k", .kind = TL_KEY }, { "mean", .kind = TL_MEAN, .in = "v", .rounded = true },
		{ "std", .kind = TL_STD, .in = "v", .rounded = true }, { .name = NULL } };
	struct tl_sheet_def def = { .columns = columns };
#define HEAD "k\tsum\tmean\tmedian\tstd\tmin\tmax\tfirst\n"

	sheet_of("integers stay integers", &def, "k v\na 3\na 1\na 2\na 7\n", HEAD "a\t13\t3.25\t2.5\t2.6299556396765835\t1\t7\t3\n");
	sheet_of("one value has no deviation", &def, "k v\na 2.5\n", HEAD "a\t2.5\t2.5\t2.5\t\t2.5\t2.5\t2.5\n");
	sheet_of("nulls and NaN are left out", &def, "k v\na -\na nan\na 4.0\na 1\n", HEAD "a\t5.0\t2.5\t2.5\t2.1213203435596424\t1.0\t4.0\t4.0\n");
	sheet_of("nothing to sum", &def, "k v\na -\na nan\n", HEAD "a\t0.0\t\t\t\t\t\t\n");
	sheet_of("a sum beyond 64 bits is a real", &def, "k v\na 9223372036854775807\na 1\n",
		HEAD "a\t9.223372036854776e+18\t4.611686018427388e+18\t4.611686018427388e+18\t6.521908912666392e+18\t1\t9223372036854775807\t9223372036854775807\n");
	sheet_of("rounded to two decimals, one value deviates by 0", &(struct tl_sheet_def){ .columns = rounded },
		"k v\na 2.125\nb 1\nb 2.25\nc -\n", "k\tmean\tstd\na\t2.12\t0.0\nb\t1.62\t0.88\nc\t\t\n");
}

/* A sum that stopped at the end of 64 bits is in no sheet. */
static void overflows(const char *rows, const struct tl_sheet_def *def, const char *column)
{
	struct tl_memory_output o = tl_memory_output("memory");
	struct tl_error err;
	struct tl_table *raw = rows_of(rows), *t = tl_sheet_make(def, &(struct tl_sheet_input){ .rows = raw });
	char *told = tl_strdupf("column '%s': times add up to more than 2^63 ticks of 1 ns", column);

	check("what a sum stopped at is not written", tl_tsv_write(t, &o.out, &err) == TL_ERR_DATA && !o.text.len && !strcmp(err.text, told));
	free(told);
	tl_table_free(t);
	tl_table_free(raw);
}

static void times(void)
{
	static const struct tl_column columns[] = {
		{ "k", .kind = TL_KEY }, { "sum", .kind = TL_SUM, .in = "v" }, { "mean", .kind = TL_MEAN, .in = "v" },
		{ "min", .kind = TL_MIN, .in = "v" }, { "max", .kind = TL_MAX, .in = "v" }, { "first", .kind = TL_FIRST, .in = "v" },
		{ "ticks", .kind = TL_TICKS, .in = "v" }, { "ms", .kind = TL_MS, .in = "sum" }, { "%", .kind = TL_PERCENT, .in = "ms" },
		{ .name = NULL }
	};
	struct tl_sheet_def def = { .columns = columns };
#undef HEAD
#define HEAD "k\tsum\tmean\tmin\tmax\tfirst\tticks_ns\tms\t%\n"

	sheet_of("whole times are integers", &def, "k v\na w3000\na w1000\nb w4000\n",
		HEAD "a\t4\t2.0\t1\t3\t3\t3000\t0.004\t50.0\nb\t4\t4.0\t4\t4\t4\t4000\t0.004\t50.0\n");
	sheet_of("one fraction anywhere makes all of a column reals", &def, "k v\na w3000\na w1000\nb t4000\n",
		HEAD "a\t4.0\t2.0\t1.0\t3.0\t3.0\t3000\t0.004\t50.0\nb\t4.0\t4.0\t4.0\t4.0\t4.0\t4000\t0.004\t50.0\n");
	sheet_of("so does one null", &def, "k v\na w3000\nb -\n", HEAD "a\t3.0\t3.0\t3.0\t3.0\t3.0\t3000\t0.003\t100.0\nb\t0.0\t\t\t\t\t\t0.0\t0.0\n");
	sheet_of("sums are exact, ms are exact decimals", &def, "k v\na t100\na t200\na t482535\n",
		HEAD "a\t482.835\t160.94500000000002\t0.1\t482.535\t0.1\t100\t0.482835\t100.0\n");
	sheet_of("a sum beyond 64 bits is a real", &def, "k v\na t9223372036854775806\na t9223372036854775806\n",
		HEAD "a\t1.844674407370955e+16\t9223372036854776.0\t9223372036854776.0\t9223372036854776.0\t9223372036854776.0"
		"\t9223372036854775806\t18446744073709.55\t100.0\n");
	overflows("k v\nb t1\na t9223372036854775807\n", &def, "sum");
	overflows("k v\nb t1\na t-9223372036854775808\n", &def, "sum");
}

/* Number of calls in cell 0, the span of the values in cell 1; ctx: the raw rows. */
static int n_calls;
static void span_of(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	cells[0] = tl_cell_int(++n_calls);
	cells[1] = tl_cell_int(tl_table_cell(ctx, rows[n - 1], 1).i - tl_table_cell(ctx, rows[0], 1).i);
}

static void shares_and_calls(void)
{
	enum { EXTRA = 2, MORE = 4 };
	static const struct tl_column columns[] = {
		{ "op", .kind = TL_KEY }, { "us_sum", .kind = TL_SUM, .in = "us", .hidden = true },
		{ "span", .kind = TL_CALL, .fn = span_of, .cell = 1, .when = EXTRA }, { "calls", .kind = TL_CALL, .fn = span_of, .when = EXTRA },
		{ "%", .kind = TL_PERCENT, .in = "us_sum" }, { "cum %", .kind = TL_CUMULATIVE, .in = "%" },
		{ "of 40", .kind = TL_PERCENT, .in = "us_sum", .total = 1 }, { "p", .kind = TL_EACH_KEY, .in = "p:" },
		{ "never", .kind = TL_COUNT, .when = EXTRA | MORE }, { .name = NULL }
	};
	struct tl_sheet_def def = { .columns = columns, .keys_ascending = true, .order = { { "us_sum", true }, { "span", false } } };

	sheet_of("shares in the order of rows, hidden columns, ties in key order", &def, "op us\nb 5\nc 10\na 5\nb 5\na 5\n",
		"op\t%\tcum %\tof 40\n"
		"a\t33.33333333333333\t33.33333333333333\t25.0\n"
		"b\t33.33333333333333\t66.66666666666666\t25.0\n"
		"c\t33.33333333333333\t99.99999999999999\t25.0\n");
	sheet_of("shares of nothing are empty", &def, "op us\nb 0\n", "op\t%\tcum %\tof 40\nb\t\t\t0.0\n");
	n_calls = 0;
	sheet_when("a function is called once a group", &def, EXTRA, NULL, "op us\nb 5\na 6\nb 7\na 6\n",
		"op\tspan\tcalls\t%\tcum %\tof 40\na\t0\t2\t50.0\t50.0\t30.0\nb\t2\t1\t50.0\t100.0\t30.0\n");
	sheet_of("every column whose name begins so is a key", &def, "op us p:x q p:y\nb 5 - 1 2\nb 5 7 1 2\nb 10 7 0 2\n",
		"op\t%\tcum %\tof 40\tp:x\tp:y\nb\t75.0\t75.0\t37.5\t7\t2\nb\t25.0\t100.0\t12.5\t\t2\n");
}

static void counts_and_quotients(void)
{
	static const struct tl_column counts[] = { { "k", .kind = TL_KEY }, { "n", .kind = TL_COUNT }, { "with v", .kind = TL_COUNT, .in = "v" },
		{ "std", .kind = TL_STD_ALL, .in = "v" }, { "mean", .kind = TL_MEAN, .in = "v", .zero = true },
		{ "least", .kind = TL_MIN, .in = "v", .zero = true }, { .name = NULL } };
	static const struct tl_column quotients[] = { { "k", .kind = TL_KEY }, { "a", .kind = TL_SUM }, { "b", .kind = TL_SUM },
		{ "share", .kind = TL_SHARE, .in = "a" }, { "of 40", .kind = TL_SHARE, .in = "a", .total = 1 },
		{ "a/b", .kind = TL_SHARE, .in = "a", .of = "b" }, { "a/b %", .kind = TL_PERCENT, .in = "a", .of = "b", .rounded = true },
		{ .name = NULL } };
	static const struct tl_column short_ms[] = { { "v", .kind = TL_SUM, .hidden = true },
		{ "ms", .kind = TL_MS, .in = "v", .rounded = true }, { .name = NULL } };
	static const struct tl_column rest[] = { { "x", .kind = TL_FIRST, .in = "b" }, { "the rest", .kind = TL_REST },
		{ "d", .kind = TL_TICKS }, { .name = NULL } };

	sheet_of("cells that are not null; the deviation of all values; zero for no value", &(struct tl_sheet_def){ .columns = counts },
		"k v\na 1\na -\na 4\nb 2.5\nc -\nc nan\n",
		"k\tn\twith v\tstd\tmean\tleast\na\t3\t2\t1.5\t2.5\t1\nb\t1\t1\t0.0\t2.5\t2.5\nc\t2\t0\t\t0.0\t0\n");
	sheet_of("shares in a total, and in another column", &(struct tl_sheet_def){ .columns = quotients }, "k a b\nx 10 20\ny 30 0\nz 0 3\n",
		"k\ta\tb\tshare\tof 40\ta/b\ta/b %\nx\t10\t20\t0.25\t0.25\t0.5\t50.0\ny\t30\t0\t0.75\t0.75\t\t\nz\t0\t3\t0.0\t0.0\t0.0\t0.0\n");
	sheet_of("ms with two decimals", &(struct tl_sheet_def){ .columns = short_ms }, "v\nt1234567\n", "ms\n1.23\n");
	sheet_of("the raw columns that no other column is made from", &(struct tl_sheet_def){ .columns = rest, .ungrouped = true },
		"a b c d\n1 2 w3000 t5\n- 6 w7000 t8\n", "x\ta\tc\td_ns\n2\t1\t3\t5\n6\t\t7\t8\n");
}

static void mistakes(void)
{
	static const char *const rows[] = { "k", "v", NULL };
	static const struct { struct tl_column columns[3]; const char *order, *why; } cases[] = {
		{ { { "k", .kind = TL_KEY }, { "s", .kind = TL_SUM, .in = "v" } }, "s", NULL },
		{ { { "k", .kind = TL_KEY }, { "s", .kind = TL_SUM, .in = "V" } }, "s", "sheet x, column \"s\": no column \"V\" to make it from" },
		{ { { "k", .kind = TL_KEY }, { "s", .kind = TL_SUM, .in = "v" } }, "t", "sheet x: no column \"t\" to order rows by" },
		{ { { "k", .kind = TL_KEY }, { "m", .kind = TL_MS, .in = "v" } }, "k", "sheet x, column \"m\": no column \"v\" to make it from" },
		{ { { "k", .kind = TL_KEY, .when = 1 }, { "m", .kind = TL_MS, .in = "k" } }, "k", "sheet x, column \"m\": no column \"k\" to make it from" },
		{ { { "k", .kind = TL_KEY }, { "c", .kind = TL_COUNT, .in = "V" } }, "k", "sheet x, column \"c\": no column \"V\" to make it from" },
		{ { { "v", .kind = TL_SUM }, { "p", .kind = TL_SHARE, .in = "v", .of = "w" } }, "v", "sheet x, column \"p\": no column \"w\" to make it from" },
		{ { { "k", .kind = TL_KEY }, { "k", .kind = TL_COUNT } }, "k", "sheet x: two columns \"k\"" },
		{ { { "k", .kind = TL_KEY }, { "c", .kind = TL_CALL } }, "k", "sheet x, column \"c\": no column \"c\" to make it from" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tl_sheet_def def = { .name = "x", .rows = rows, .columns = cases[i].columns, .order = { { cases[i].order, false } } };
		struct tl_error err = { 0 };
		enum tl_status st = tl_sheet_check(&def, &err);
		check(cases[i].why ? cases[i].why : "a definition without mistake", st == (cases[i].why ? TL_ERR_DATA : TL_OK) &&
		      (!st || !strcmp(err.text, cases[i].why)));
	}
}

static void columns_of_one_kind(void)
{
	struct tl_table *t = rows_of("a b c\n1 1 1\n2 - 2.5\n");
	for (size_t i = 0; i < 3; i++)
		tl_table_unify_column(t, i);
	tl_table_head(t, 5);
	sheet_is("a column is integer only as a whole", t, "a\tb\tc\n1\t1.0\t1.0\n2\t\t2.5\n");
	t = rows_of("a\n1\n2\n3\n");
	tl_table_head(t, 2);
	sheet_is("the first rows", t, "a\n1\n2\n");
}

static void many_groups(void)
{
	static const char *const names[] = { "k", "v", NULL };
	static const struct tl_column columns[] = { { "k", .kind = TL_KEY }, { "n", .kind = TL_COUNT },
		{ "s", .kind = TL_SUM, .in = "v" }, { .name = NULL } };
	struct tl_table *t = tl_table_new(&strings, 1, names);
	for (int i = 0; i < 200000; i++) {
		struct tl_cell row[] = { tl_cell_int((int64_t)(i % 50000) * 0x10001), tl_cell_int(i) };
		tl_table_add_row(t, row);
	}
	struct tl_table *s = tl_sheet_make(&(struct tl_sheet_def){ .columns = columns, .keys_ascending = true }, &(struct tl_sheet_input){ .rows = t });
	bool ok = s->n_rows == 50000;
	for (size_t i = 0; ok && i < s->n_rows; i++)
		ok = tl_table_cell(s, i, 0).i == (int64_t)i * 0x10001 && tl_table_cell(s, i, 1).i == 4 &&
		     tl_table_cell(s, i, 2).i == (int64_t)(4 * i + 300000);
	check("50000 groups", ok);
	tl_table_free(s);
	tl_table_free(t);
}

/* ---- numerics ----------------------------------------------------------------------- */

static void numerics(void)
{
	static double a[20000];
	double plain = 0;
	for (size_t i = 0; i < 20000; i++) {
		a[i] = (double)(tl_hash_u64(i) % 1000000) / 1000;
		plain += a[i];
	}
	double halves = tl_pairwise_sum(a, 96) + tl_pairwise_sum(a + 96, 104);
	check("pairwise: 200 values are 96 + 104", tl_pairwise_sum(a, 200) == halves);
	check("pairwise: chunks of 8192", tl_pairwise_sum(a, 20000) ==
	      tl_pairwise_sum(a, 8192) + tl_pairwise_sum(a + 8192, 8192) + tl_pairwise_sum(a + 16384, 20000 - 16384));
	check("sums agree", fabs(plain - tl_kahan_sum(a, 20000)) < 1e-6 && fabs(plain - tl_pairwise_sum(a, 20000)) < 1e-6);
	check("sum of nothing", tl_pairwise_sum(a, 0) == 0 && tl_kahan_sum(a, 0) == 0);
	check("compensation", tl_kahan_sum((double[]){ 1e16, 1, 1, 1, 1 }, 5) == 1e16 + 4);
	check("an infinity does not become NaN", isinf(tl_kahan_sum((double[]){ INFINITY, 1, 2 }, 3)));
	const double known[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	check("deviation", tl_deviation(known, 8) == 2.138089935299395 && isnan(tl_deviation(known, 1)));
	check("median", tl_median((double[]){ 3, 1, 2 }, 3) == 2 && tl_median((double[]){ 4, 1, 3, 2 }, 4) == 2.5 &&
	      tl_median((double[]){ 7 }, 1) == 7 && isnan(tl_median(NULL, 0)) && tl_median((double[]){ 1, 1, 1, 1 }, 4) == 1);
	bool ok = true;
	for (size_t n = 1; n < 200; n++) {
		double b[200], below, above, m;
		for (size_t i = 0; i < n; i++)
			b[i] = (double)(tl_hash_u64(i + 1000 * n) % (n / 2 + 1));
		m = tl_median(b, n);
		below = above = 0;
		for (size_t i = 0; i < n; i++)
			below += b[i] < m, above += b[i] > m;
		ok = ok && below <= (double)(n / 2) && above <= (double)(n / 2);
	}
	check("medians of many", ok);
	check("rounding", tl_numpy_round2(4.125) == 4.12 && tl_numpy_round2(2.675) == 2.68 && tl_numpy_round2(-0.125) == -0.12);
}

/* ---- TSV ------------------------------------------------------------------------------- */

static enum tl_status collect(void *ctx, size_t row, const struct tl_field_text *f, size_t n, struct tl_error *err)
{
	(void)err;
	tl_buf_addf(ctx, "%zu", row);
	for (size_t i = 0; i < n; i++) {
		tl_buf_addc(ctx, '|');
		tl_buf_add(ctx, f[i].s, f[i].len);
	}
	tl_buf_addc(ctx, ';');
	return TL_OK;
}

static void reads(const char *tsv, const char *expected)
{
	for (size_t step = 1; step < 100; step += 7) {
		struct tl_memory_input in = tl_memory_input("memory", tsv, strlen(tsv));
		struct tl_buf b = { 0 };
		struct tl_error err = { 0 };
		in.step = step;
		enum tl_status st = tl_tsv_read(&in.in, collect, &b, &err);
		const char *got = st ? err.text : b.data;
		bool ok = !strcmp(got, expected);
		if (!ok)
			printf("# got %s, expected %s\n", got, expected);
		if (!ok || step == 1)
			check("reads TSV", ok);
		tl_buf_release(&b);
	}
}

/* Gives a header and a row, then fails. */
static int64_t break_off(struct tl_input *in, void *buf, size_t cap, struct tl_error *err)
{
	struct tl_memory_input *m = (struct tl_memory_input *)in;
	size_t n = m->len < cap ? m->len : cap;

	if (!n) {
		tl_fail(err, TL_ERR_IO, "cannot read");
		return -1;
	}
	memcpy(buf, m->s, n);
	m->len -= n;
	return (int64_t)n;
}

static void broken_input(void)
{
	static char text[70000];
	struct tl_buf rows = { 0 };
	struct tl_error err = { 0 };

	memset(text, 'a', sizeof text);
	for (size_t i = 1; i < sizeof text; i += 2)
		text[i] = '\n';
	for (size_t len = 2; len <= sizeof text; len += sizeof text - 2) { /* 2: less than the first look */
		struct tl_memory_input in = tl_memory_input("memory", text, len);
		in.in.read = break_off;
		check("an input that fails, also after rows, is an error",
		      tl_tsv_read(&in.in, collect, &rows, &err) == TL_ERR_IO && !strcmp(err.text, "cannot read"));
	}
	tl_buf_release(&rows);
}

/* More than is written at once. */
static void long_table(void)
{
	struct tl_table *t = tl_table_new(&strings, 1, (const char *const[]){ "a", "b", NULL });
	struct tl_memory_output o = tl_memory_output("memory");
	int64_t wrong = 0, i = 0;
	char line[40], *s;

	for (i = 0; i < 10000; i++)
		tl_table_add_row(t, (struct tl_cell[]){ tl_cell_int(i), tl_cell_int(i * 1000) });
	check("a long table is written", tl_tsv_write(t, &o.out, NULL) == TL_OK);
	s = o.text.data + strlen("a\tb\n");
	for (i = 0; i < 10000; i++) {
		int n = snprintf(line, sizeof line, "%lld\t%lld\n", (long long)i, (long long)i * 1000);
		wrong += strncmp(s, line, (size_t)n) != 0;
		s += n;
	}
	check("row by row", !wrong && s == o.text.data + o.text.len);
	tl_buf_release(&o.text);
	tl_table_free(t);
}

static void tsv(void)
{
	reads("a\tb\n1\t2\n", "0|a|b;1|1|2;");
	reads("a\n\n\n", "0|a;1|;2|;");
	reads("\n", "0|;");
	reads("a\tb\n\t\n", "0|a|b;1||;");
	reads("a\\tb\\\\\n\\n\\r\\\\t\n", "0|a\tb\\;1|\n\r\\t;");
	reads("", "empty input; expected a header line");
	reads("a\tb\n1\n", "1 field, the header has 2");
	reads("a\n1\n2\t3\n", "2 fields, the header has 1");
	reads("a\n1", "no line end; the input is cut short");
	reads("a", "no line end; the input is cut short");
	reads("a\r\n", "raw carriage return; expected LF line ends, and \\r in fields");
	reads("\\x22\t\\x22a\\n\n\"\t\\x22\\\\x22\n", "0|\"|\"a\n;1|\"|\"\\x22;");
	reads("a\nb\\x22\n", "field 1: unknown escape; expected \\t, \\n, \\r, \\\\ or, at its start, \\x22");
	reads("a\n\\x23\n", "field 1: unknown escape; expected \\t, \\n, \\r, \\\\ or, at its start, \\x22");
	reads("a\nx\\y\n", "field 1: unknown escape; expected \\t, \\n, \\r, \\\\ or, at its start, \\x22");
	reads("a\nx\\\n", "field 1: unknown escape; expected \\t, \\n, \\r, \\\\ or, at its start, \\x22");
	reads(" {\n \"traceEvents\": []}\n", "this is JSON; expected a sheet: a header line and rows of TSV, "
	      "as tl-sheets makes them of a trace");
	reads("[a]\t{b}\n{\"c\"}\t<html>\n", "0|[a]|{b};1|{\"c\"}|<html>;");
	reads("<b>\t\x7f""ELF\n1\t2\n", "this is binary data; expected a sheet: a header line and rows of TSV, "
	      "as tl-sheets makes them of a trace");

	struct tl_table *t = tl_table_new(&strings, 1, (const char *const[]){ "a\tb", "c", NULL });
	tl_table_add_row(t, (struct tl_cell[]){ tl_cell_text(tl_intern(&strings, "x\t\n\r\\\"y", 7)), tl_cell_real(NAN) });
	tl_table_add_row(t, (struct tl_cell[]){ tl_cell_bool(true), tl_cell_int(-5) });
	struct tl_output full = { .name = "full", .write = refuse };
	struct tl_error err;
	check("a failing write is reported", tl_tsv_write(t, &full, &err) == TL_ERR_IO);
	sheet_is("cells as TSV", t, "a\\tb\tc\nx\\t\\n\\r\\\\\"y\t\nTrue\t-5\n");
}

static bool is_int(const char *text, int64_t expected)
{
	int64_t i = 0;

	return tl_field_int(&(struct tl_field_text){ text, strlen(text) }, &i) && i == expected;
}

static void field_numbers(void)
{
	check("fields that are whole numbers", is_int("0", 0) && is_int("-7", -7) && is_int("9223372036854775807", INT64_MAX));
	check("fields that are none", !is_int("", 0) && !is_int("1.5", 1) && !is_int("x", 0) && !is_int("9223372036854775808", INT64_MAX) &&
	      !is_int("000000000000000000000000000000", 0));
}

/* ---- rows that are added up ------------------------------------------------------ */

static bool close_to(double a, double b)
{
	return fabs(a - b) <= 1e-12 * fabs(b);
}

static struct tl_moments one_value(double x)
{
	return (struct tl_moments){ 1, x, x, 0 };
}

static void moments(void)
{
	struct tl_moments all = { 0 }, parts[2] = { { 0 } }, none = { 0 };

	for (int i = 0; i < 1000; i++) {
		struct tl_moments x = one_value(1e6 + i % 7 * 0.25);
		tl_moments_merge(&all, &x);
		tl_moments_merge(&parts[i >= 300], &x);
	}
	tl_moments_merge(&parts[0], &parts[1]);
	tl_moments_merge(&parts[0], &none);
	check("moments of two parts are those of all", parts[0].n == 1000 && close_to(parts[0].mean, all.mean) &&
	      close_to(parts[0].sum, all.sum) && fabs(parts[0].m2 - all.m2) < 1e-6);
	all = one_value(INFINITY);
	tl_moments_merge(&all, &(struct tl_moments){ 1, 3, 3, 0 });
	check("a mean with an infinite value is infinite", isinf(all.mean));
}

#define MERGED(name_, cell_) { name_, .kind = TL_MERGED, .in = "n", .cell = cell_ }
static const char *const sum_rows[] = { "name", "count", "n", "sum", "mean", "m2", NULL };
static const struct tl_column sum_columns[] = {
	{ "name", .kind = TL_KEY }, { "count", .kind = TL_SUM }, MERGED("n", TL_MERGED_N), MERGED("sum", TL_MERGED_SUM),
	MERGED("mean", TL_MERGED_MEAN), MERGED("m2", TL_MERGED_M2), { .name = NULL }
};
static const struct tl_sheet_def sum_def = { .name = "sum", .rows = sum_rows, .columns = sum_columns };
static const struct tl_column std_columns[] = {
	{ "name", .kind = TL_KEY }, MERGED("mean", TL_MERGED_MEAN), MERGED("std", TL_MERGED_STD), { .name = NULL }
};
static const struct tl_sheet_def std_def = { .name = "std", .rows = sum_rows, .columns = std_columns };

/* A row of each name with a value, but the last name, which has none. */
static void add_values(struct tl_sheet_sum *sum, double value)
{
	struct tl_strtab own = { 0 };
	struct tl_table *t = tl_table_new(&own, 1, sum_rows);

	for (int i = 0; i < 10; i++) {
		char name[] = { (char)('a' + i), 0 };
		struct tl_cell none = tl_cell_null();
		tl_table_add_row(t, i == 9 ? (struct tl_cell[]){ tl_cell_text(tl_intern_str(&own, name)), tl_cell_int(i), none, none, none, none } :
			(struct tl_cell[]){ tl_cell_text(tl_intern_str(&own, name)), tl_cell_int(i), tl_cell_real(1), tl_cell_real(value),
			                    tl_cell_real(value), tl_cell_real(0) });
	}
	tl_sheet_sum_add(sum, t);
	tl_table_free(t);
	tl_strtab_release(&own);
}

static void sums(void)
{
	struct tl_sheet_sum sum = { .def = &sum_def };
	size_t most = 0;

	check("no rows have no sum", !tl_sheet_sum_rows(&sum));
	for (int part = 0; part < 3000; part++) {
		add_values(&sum, part % 2 ? 4 : 2);
		most = sum.table->n_rows > most ? sum.table->n_rows : most;
	}
	struct tl_table *all = tl_sheet_sum_rows(&sum);
	check("a sum of many tables stays small", most < 5000 && all->n_rows == 10 && tl_table_cell(all, 9, 1).i == 27000);
	check("values are added up with it", tl_table_cell(all, 0, 2).d == 3000 && tl_table_cell(all, 0, 3).d == 9000 &&
	      close_to(tl_table_cell(all, 0, 4).d, 3) && close_to(tl_table_cell(all, 0, 5).d, 3000));
	struct tl_table *t = tl_sheet_make(&std_def, &(struct tl_sheet_input){ .rows = all });
	check("their deviation is of the sample, none where there are none", close_to(tl_table_cell(t, 0, 2).d, sqrt(3000.0 / 2999)) &&
	      tl_cell_is_null(tl_table_cell(t, 9, 1)) && tl_cell_is_null(tl_table_cell(t, 9, 2)));
	tl_table_free(t);
	tl_sheet_sum_release(&sum);
	add_values(&sum, 5);
	t = tl_sheet_make(&std_def, &(struct tl_sheet_input){ .rows = tl_sheet_sum_rows(&sum) });
	check("one value has no deviation", tl_table_cell(t, 0, 1).d == 5 && tl_cell_is_null(tl_table_cell(t, 0, 2)));
	tl_table_free(t);
	tl_sheet_sum_release(&sum);
}

int main(void)
{
	moments();
	sums();
	field_numbers();
	grouping();
	ordering();
	coarse_groups();
	first_rows();
	aggregates();
	times();
	shares_and_calls();
	counts_and_quotients();
	mistakes();
	columns_of_one_kind();
	many_groups();
	numerics();
	tsv();
	broken_input();
	long_table();
	tl_strtab_release(&strings);
	return failures != 0;
}
