/* test_table.c - the table engine, its numerics, and TSV.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "tl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void check(const char *what, bool ok)
{
	printf("%s %s\n", ok ? "ok" : "FAIL", what);
	failures += !ok;
}

/* ---- TSV in memory ---------------------------------------------------------- */

struct memory_output { struct tl_output out; struct tl_buf b; };
static enum tl_status keep(struct tl_output *out, const void *p, size_t len, struct tl_error *err)
{
	(void)err;
	tl_buf_add(&((struct memory_output *)out)->b, p, len);
	return TL_OK;
}

static enum tl_status refuse(struct tl_output *out, const void *p, size_t len, struct tl_error *err)
{
	(void)out, (void)p, (void)len;
	return tl_fail(err, TL_ERR_IO, "cannot write");
}

struct memory_input { struct tl_input in; const char *s; size_t len, step; };
static int64_t hand_out(struct tl_input *in, void *buf, size_t cap, struct tl_error *err)
{
	struct memory_input *m = (struct memory_input *)in;
	size_t n = m->len < m->step ? m->len : m->step;
	(void)err;
	n = n < cap ? n : cap;
	memcpy(buf, m->s, n);
	m->s += n;
	m->len -= n;
	return (int64_t)n;
}

/* Frees t; compares its TSV. */
static void sheet_is(const char *what, struct tl_table *t, const char *expected)
{
	struct memory_output o = { .out = { .name = "memory", .write = keep } };
	enum tl_status st = tl_tsv_write(t, &o.out, NULL);
	bool ok = !st && !strcmp(o.b.data, expected);
	check(what, ok);
	if (!ok)
		printf("# got:\n%s# expected:\n%s", o.b.data, expected);
	tl_buf_release(&o.b);
	tl_table_free(t);
}

/* ---- raw rows from a short text: "op:t dur:n\nmm 1.5\n" ------------------------ */

static struct tl_strtab strings;

static struct tl_cell cell_of(const char *s)
{
	char *end;
	if (!strcmp(s, "-"))
		return tl_cell_null();
	if (!strcmp(s, "nan"))
		return tl_cell_real(NAN);
	if (!strcmp(s, "True") || !strcmp(s, "False"))
		return tl_cell_bool(*s == 'T');
	long long i = strtoll(s, &end, 10);
	if (!*end)
		return tl_cell_int(i);
	double d = strtod(s, &end);
	return *end ? tl_cell_text(tl_intern_str(&strings, s)) : tl_cell_real(d);
}

static struct tl_table *rows_of(const char *text)
{
	struct tl_table *t = tl_table_new(&strings);
	char *copy = tl_strdup(text), *line_end, *line = copy;
	for (bool header = true; (line_end = strchr(line, '\n')); line = line_end + 1, header = false) {
		size_t col = 0;
		*line_end = 0;
		struct tl_cell *row = header ? NULL : tl_table_add_row(t);
		for (char *save, *s = strtok_r(line, " ", &save); s; s = strtok_r(NULL, " ", &save)) {
			if (header)
				tl_table_add_column(t, s);
			else
				row[col++] = cell_of(s);
		}
	}
	free(copy);
	return t;
}

static void sheet_of(const char *what, const struct tl_sheet_def *def, const char *raw, const char *expected)
{
	struct tl_table *rows = rows_of(raw);
	sheet_is(what, tl_sheet_make(def, rows, NULL), expected);
	tl_table_free(rows);
}

/* ---- the engine ------------------------------------------------------------------ */

static void grouping(void)
{
	struct tl_sheet_def def = { .keys = { { "k", NULL } }, .aggs = { { TL_AGG_COUNT, NULL, "n", NULL } } };
	const char *raw = "k\nb\na\n-\n2\nb\n1.0\nnan\n1\n2.5\nTrue\n";

	sheet_of("groups in order of first appearance", &def, raw,
		"k\tn\nb\t2\na\t1\n\t2\n2\t1\n1.0\t2\n2.5\t1\nTrue\t1\n");
	def.keys_ascending = true;
	sheet_of("groups in key order, nulls last", &def, raw,
		"k\tn\nTrue\t1\n1.0\t2\n2\t1\n2.5\t1\na\t1\nb\t2\n\t2\n");
	def.drop_null_keys = true;
	sheet_of("rows with null keys left out", &def, raw, "k\tn\nTrue\t1\n1.0\t2\n2\t1\n2.5\t1\na\t1\nb\t2\n");
	def = (struct tl_sheet_def){ .keys = { { "x", "X" }, { "none", NULL }, { "y", "Y" } }, .keys_ascending = true,
		.aggs = { { TL_AGG_FIRST, "z", "z", NULL }, { TL_AGG_SUM, "none", "s", NULL } } };
	sheet_of("two keys, an absent one left out", &def, "x y z\nb 1 -\nB 1 q\nb 1 r\nb 0 s\nb 1 t\n",
		"X\tY\tz\nB\t1\tq\nb\t0\ts\nb\t1\tr\n");
	sheet_of("no rows", &def, "x y z\n", "X\tY\tz\n");
	def = (struct tl_sheet_def){ .aggs = { { TL_AGG_SUM, "z", "s", NULL } } };
	sheet_of("no keys: one group", &def, "z\n1\n2\n", "s\n3\n");
	sheet_of("no keys and no rows: no group", &def, "z\n", "s\n");
	def = (struct tl_sheet_def){ .no_groups = true, .order = { { "z", true } }, .scales = { { "z", "half", 2, 1 } } };
	sheet_of("every row by itself", &def, "a z\nx 1\ny 3\nx 3\n", "a\tz\thalf\ny\t3\t1.5\nx\t3\t1.5\nx\t1\t0.5\n");
}

static void aggregates(void)
{
	struct tl_sheet_def def = { .keys = { { "k", NULL } }, .aggs = {
		{ TL_AGG_SUM, "v", "sum", NULL }, { TL_AGG_MEAN, "v", "mean", NULL }, { TL_AGG_MEDIAN, "v", "median", NULL },
		{ TL_AGG_STD, "v", "std", NULL }, { TL_AGG_MIN, "v", "min", NULL }, { TL_AGG_MAX, "v", "max", NULL },
		{ TL_AGG_FIRST, "v", "first", NULL } } };
#define HEAD "k\tsum\tmean\tmedian\tstd\tmin\tmax\tfirst\n"
	sheet_of("integers stay integers", &def, "k v\na 3\na 1\na 2\na 7\n", HEAD "a\t13\t3.25\t2.5\t2.6299556396765835\t1\t7\t3\n");
	sheet_of("one value has no deviation", &def, "k v\na 2.5\n", HEAD "a\t2.5\t2.5\t2.5\t\t2.5\t2.5\t2.5\n");
	sheet_of("nulls and NaN are left out", &def, "k v\na -\na nan\na 4.0\na 1\n", HEAD "a\t5.0\t2.5\t2.5\t2.1213203435596424\t1.0\t4.0\t4.0\n");
	sheet_of("nothing to sum", &def, "k v\na -\na nan\n", HEAD "a\t0.0\t\t\t\t\t\t\n");
	sheet_of("a sum beyond 64 bits is a real", &def, "k v\na 9223372036854775807\na 1\n",
		HEAD "a\t9.223372036854776e+18\t4.611686018427388e+18\t4.611686018427388e+18\t6.521908912666392e+18\t1\t9223372036854775807\t9223372036854775807\n");
	sheet_of("texts have a minimum", &def, "k v\na z\na x\n", HEAD "a\t0.0\t\t\t\tx\tz\tz\n");
	def = (struct tl_sheet_def){ .keys = { { "k", NULL } }, .aggs = { { TL_AGG_DISTINCT, "v", "d", NULL } } };
	sheet_of("distinct texts", &def, "k v\na z\nb it's\na x\na z\nb -\nc -\n", "k\td\na\t['x', 'z']\nb\t[\"it's\"]\nc\t[]\n");
}

static struct tl_cell span_of(void *ctx, const struct tl_group *g)
{
	(void)ctx;
	return tl_cell_int(tl_table_cell(g->rows, g->index[g->n - 1], 1)->i - tl_table_cell(g->rows, g->index[0], 1)->i);
}

static void order_and_shares(void)
{
	struct tl_sheet_def def = { .keys = { { "op", NULL } }, .keys_ascending = true,
		.aggs = { { TL_AGG_SUM, "us", "us_sum", NULL }, { TL_AGG_CALL, NULL, "span", span_of } },
		.scales = { { "us_sum", "ms", 1000, 1 } },
		.order = { { "us_sum", true } },
		.shares = { { "ms", "%", "cum %", true, 0 }, { "us_sum", "of 40", NULL, false, 40 } },
		.columns = { "cum %", "op", "ms", "absent", "%", "of 40", "span" } };
	sheet_of("sorted, ties in group order, shares, chosen columns", &def, "op us\nb 5\nc 10\na 5\nb 5\na 5\n",
		"cum %\top\tms\t%\tof 40\tspan\n"
		"33.333333333333336\ta\t0.01\t33.333333333333336\t25.0\t0\n"
		"66.66666666666667\tb\t0.01\t33.333333333333336\t25.0\t0\n"
		"100.0\tc\t0.01\t33.333333333333336\t25.0\t0\n");
	sheet_of("shares of nothing are empty", &def, "op us\nb 0\n", "cum %\top\tms\t%\tof 40\tspan\n\tb\t0.0\t\t0.0\t0\n");
	def = (struct tl_sheet_def){ .no_groups = true, .order = { { "a", true }, { "b", false } } };
	sheet_of("nulls last in either direction", &def, "a b\n1 -\n- 1\n2 x\n1 3\n2 -\n", "a\tb\n2\tx\n2\t\n1\t3\n1\t\n\t1\n");
}

/* Rows of which a part is shared and a part is numbers elsewhere: the sheet is
 * that of rows which have all cells themselves. */
static void raw_rows(void)
{
	static const uint32_t of[] = { 1, 0, 1, 2, 0, 3 };
	static const struct { double r; int64_t i; } numbers[] = { { 1, 10 }, { 2.5, 20 }, { 3, 30 }, { NAN, 40 }, { 5, 50 }, { 6, 60 } };
	static const struct tl_raw_column columns[] = {
		{ "i", &numbers[0].i, NULL, sizeof *numbers }, { "r", NULL, &numbers[0].r, sizeof *numbers },
	};
	struct tl_table *own = rows_of("v w\n1 a\n2.5 a\n3 b\n- a\n5 a\n6 a\n"), *shared = rows_of("k t\nx -\ny p\nx q\n- r\n");
	struct tl_sheet_def def = { .keys = { { "k", NULL } }, .keys_ascending = true,
		.aggs = { { TL_AGG_COUNT, NULL, "n", NULL }, { TL_AGG_SUM, "v", "sum", NULL }, { TL_AGG_FIRST, "t", "t", NULL },
			{ TL_AGG_DISTINCT, "w", "d", NULL }, { TL_AGG_MAX, "t", "max", NULL }, { TL_AGG_MAX, "v", "top", NULL } } };
	struct tl_raw raw = { .strings = &strings, .n_rows = 6, .columns = columns, .n_columns = 2, .own = own, .shared = shared, .of = of };

	sheet_is("shared keys", tl_sheet_make_raw(&def, &raw, NULL),
		"k\tn\tsum\tt\td\tmax\ttop\nx\t3\t7.5\tq\t['a']\tq\t5.0\ny\t2\t4\tp\t['a', 'b']\tp\t3\n\t1\t6\tr\t['a']\tr\t6\n");
	def.keys[1] = (struct tl_key){ "w", NULL };
	def.drop_null_keys = true;
	def.keys_ascending = false;
	sheet_is("shared keys and own ones", tl_sheet_make_raw(&def, &raw, NULL),
		"k\tw\tn\tsum\tt\td\tmax\ttop\ny\ta\t1\t1\tp\t['a']\tp\t1\nx\ta\t3\t7.5\tq\t['a']\tq\t5.0\ny\tb\t1\t3\tp\t['b']\tp\t3\n");
	def = (struct tl_sheet_def){ .keys = { { "k", NULL } }, .aggs = { { TL_AGG_SUM, "i", "si", NULL }, { TL_AGG_SUM, "r", "sr", NULL },
		{ TL_AGG_MIN, "i", "mi", NULL }, { TL_AGG_MAX, "r", "mr", NULL }, { TL_AGG_FIRST, "r", "fr", NULL } } };
	raw.own = NULL;
	sheet_is("numbers alone", tl_sheet_make_raw(&def, &raw, NULL),
		"k\tsi\tsr\tmi\tmr\tfr\ny\t40\t4.0\t10\t3.0\t1.0\nx\t110\t7.5\t20\t5.0\t2.5\n\t60\t6.0\t60\t6.0\t6.0\n");
	def.keys[0] = (struct tl_key){ "r", NULL };
	def.keys_ascending = true;
	sheet_is("numbers as keys", tl_sheet_make_raw(&def, &raw, NULL), "r\tsi\tsr\tmi\tmr\tfr\n"
		"1.0\t10\t1.0\t10\t1.0\t1.0\n2.5\t20\t2.5\t20\t2.5\t2.5\n3.0\t30\t3.0\t30\t3.0\t3.0\n"
		"5.0\t50\t5.0\t50\t5.0\t5.0\n6.0\t60\t6.0\t60\t6.0\t6.0\n\t40\t0.0\t40\t\t\n");
	tl_table_free(own);
	tl_table_free(shared);
}

static void close_numbers(void)
{
	struct tl_sheet_def def = { .no_groups = true, .order = { { "a", false } } };
	const char *raw = "a\n9007199254740993\n1e300\n9007199254740992\n0.3\n0.30000000000000004\n0.29999999999999993\n-0.3\n"
		"-0.30000000000000004\n-1e300\n0\n-\ntext\nTrue\n9223372036854775807\n9.3e18\n";
	sheet_of("numbers that differ in the last bit", &def, raw,
		"a\nTrue\n-1e+300\n-0.30000000000000004\n-0.3\n0\n0.29999999999999993\n0.3\n0.30000000000000004\n"
		"9007199254740992\n9007199254740993\n9223372036854775807\n9.3e+18\n1e+300\ntext\n\n");
	def.order[0].descending = true;
	sheet_of("and the other way round, nulls last", &def, raw,
		"a\ntext\n1e+300\n9.3e+18\n9223372036854775807\n9007199254740993\n9007199254740992\n"
		"0.30000000000000004\n0.3\n0.29999999999999993\n0\n-0.3\n-0.30000000000000004\n-1e+300\nTrue\n\n");
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
	struct tl_table *t = tl_table_new(&strings);
	struct tl_sheet_def def = { .keys = { { "k", NULL } }, .keys_ascending = true,
		.aggs = { { TL_AGG_COUNT, NULL, "n", NULL }, { TL_AGG_SUM, "v", "s", NULL } } };
	tl_table_add_column(t, "k");
	tl_table_add_column(t, "v");
	for (int i = 0; i < 200000; i++) {
		struct tl_cell *row = tl_table_add_row(t);
		row[0] = tl_cell_int((int64_t)(i % 50000) * 0x10001);
		row[1] = tl_cell_int(i);
	}
	struct tl_table *s = tl_sheet_make(&def, t, NULL);
	bool ok = s->n_rows == 50000;
	for (size_t i = 0; ok && i < s->n_rows; i++)
		ok = tl_table_cell(s, i, 0)->i == (int64_t)i * 0x10001 && tl_table_cell(s, i, 1)->i == 4 &&
		     tl_table_cell(s, i, 2)->i == (int64_t)(4 * i + 300000);
	check("50000 groups", ok);
	tl_table_free(s);
	tl_table_free(t);
}

/* ---- numerics ----------------------------------------------------------------------- */

/* Welford's deviation of one column, as the definition says it. */
static double welford_std(const double *a, size_t n)
{
	double mean = 0, squares = 0;
	for (size_t i = 0; i < n; i++) {
		double old = mean;
		mean += (a[i] - old) / (double)(i + 1);
		squares += (a[i] - mean) * (a[i] - old);
	}
	return n < 2 ? NAN : sqrt(squares / (double)(n - 1));
}

/* Four columns at once give what each gives alone, to the last bit. */
static void moments(void)
{
	double a[TL_MOMENT_LANES][300];
	struct tl_moments made[TL_MOMENT_LANES];
	bool ok = true;

	const double known[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	tl_moments((const double *[]){ known, known, known, known }, 8, made);
	check("deviation", made[0].std == 2.138089935299395);
	for (size_t n = 1; n <= 300; n += n < 5 ? 1 : 59) {
		for (size_t i = 0; i < n; i++)
			for (size_t l = 0; l < TL_MOMENT_LANES; l++)
				a[l][i] = l == 3 && i == n / 2 ? INFINITY : (double)((i * 7919 + l * 104729) % 1000) / (3 + (double)l) - 100;
		tl_moments((const double *[]){ a[0], a[1], a[2], a[3] }, n, made);
		for (size_t l = 0; l < TL_MOMENT_LANES; l++) {
			double sum = tl_kahan_sum(a[l], n), std = welford_std(a[l], n), min = a[l][0], max = min;
			for (size_t i = 1; i < n; i++) {
				min = fmin(min, a[l][i]);
				max = fmax(max, a[l][i]);
			}
			ok &= made[l].kahan == sum && made[l].min == min && made[l].max == max;
			ok &= made[l].std == std || (isnan(made[l].std) && isnan(std));
		}
	}
	check("moments of four columns", ok);
}

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
		struct memory_input in = { { "memory", hand_out }, tsv, strlen(tsv), step };
		struct tl_buf b = { 0 };
		struct tl_error err = { 0 };
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
	reads("a\nx\\y\n", "field 1: unknown escape; expected \\t, \\n, \\r or \\\\");
	reads("a\nx\\\n", "field 1: unknown escape; expected \\t, \\n, \\r or \\\\");

	struct tl_table *t = tl_table_new(&strings);
	tl_table_add_column(t, "a\tb");
	tl_table_add_column(t, "c");
	struct tl_cell *row = tl_table_add_row(t);
	row[0] = tl_cell_text(tl_intern(&strings, "x\t\n\r\\\"y", 7));
	row[1] = tl_cell_real(NAN);
	row = tl_table_add_row(t);
	row[0] = tl_cell_bool(true);
	row[1] = tl_cell_int(-5);
	struct tl_output full = { .name = "full", .write = refuse };
	struct tl_error err;
	check("a failing write is reported", tl_tsv_write(t, &full, &err) == TL_ERR_IO);
	sheet_is("cells as TSV", t, "a\\tb\tc\nx\\t\\n\\r\\\\\"y\t\nTrue\t-5\n");
}

int main(void)
{
	tl_strtab_init(&strings);
	grouping();
	aggregates();
	order_and_shares();
	close_numbers();
	raw_rows();
	columns_of_one_kind();
	many_groups();
	numerics();
	moments();
	tsv();
	tl_strtab_release(&strings);
	return failures != 0;
}
