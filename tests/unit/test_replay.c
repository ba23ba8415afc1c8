/* test_replay.c - operators run again: lists as Python writes them, logs, results of benchmarks.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "check.h"
#include "replay/bench_logs.h"
#include "replay/recorded_op.h"
#include "replay/replay_item.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Does a text of Python read as a value that prints as `repr`? NULL: it is none. */
static bool reads_as(const char *text, const char *repr)
{
	struct tl_arena arena = { 0 };
	struct tl_buf b = { 0 };
	struct tl_value v;
	bool good = !tl_python_parse(&arena, text, strlen(text), &v, NULL);

	if (good)
		tl_value_repr(&b, &v, false);
	good = repr ? good && !strcmp(b.data, repr) : !good;
	tl_buf_release(&b);
	tl_arena_release(&arena);
	return good;
}

static void literals(void)
{
	check("lists and tuples", reads_as("[[1, 2], (3,), [], ()]", "[[1, 2], [3], [], []]"));
	check("None, True, False, numbers", reads_as("[None, True, False, -1, 2.5]", "[None, True, False, -1, 2.5]"));
	check("texts in either quotes", reads_as("['a', \"b's\", 'say \"x\"']", "['a', \"b's\", 'say \"x\"']"));
	check("escapes", reads_as("['a\\\\b', 'it\\'s', '\\x41\\u00e9\\n']", "['a\\\\b', \"it's\", 'A\xc3\xa9\\n']"));
	check("None in a text stays", reads_as("['None', 'True']", "['None', 'True']"));
	check("a text without an end", reads_as("['a", NULL));
	check("a list without an end", reads_as("[1, 2", NULL));
	check("an escape at the end", reads_as("['a\\", NULL) && reads_as("['a\\x4", NULL));
	check("something else", reads_as("{1, 2}", NULL) && reads_as("x", NULL) && reads_as("", NULL));
}

static void shapes(void)
{
	struct tl_arena arena = { 0 };
	struct tl_recorded_op op;
	struct tl_value list;
	struct tl_shape s;

	check("an operator is read", !tl_recorded_op_read(&op, &arena, "x", "[[2, 3, 4], [], [1, 1, 1, 1, 1, 1, 1, 1, 1]]", "['float', '', 'float']", NULL,
	      "['', '5', '']", NULL) && op.n == 3 && !strcmp(tl_recorded_type(&op, 0), "float") && !strcmp(tl_recorded_value(&op, 1), "5"));
	check("without strides a tensor is contiguous", tl_recorded_shape(&op, 0, &s) && s.n == 3 && s.strides[0] == 12 && s.strides[1] == 4 && s.strides[2] == 1);
	check("no argument, no shape", !tl_recorded_shape(&op, 3, &s) && !*tl_recorded_type(&op, 3) && !*tl_recorded_value(&op, 9));
	check("too many dimensions", !tl_recorded_shape(&op, 2, &s));
	check("no list is an error", tl_recorded_op_read(&op, &arena, "x", "7", "['float']", NULL, NULL, NULL) == TL_ERR_DATA);
	check("nothing recorded is an error", tl_recorded_op_read(&op, &arena, "x", NULL, "['float']", NULL, NULL, NULL) == TL_ERR_DATA);
	check("lists of numbers", tl_python_list(&arena, "[1, -2,3]", TL_V_INT, &list) && list.len == 3 && list.items[1].i == -2 &&
	      tl_python_list(&arena, "[]", TL_V_INT, &list) && !list.len);
	check("no lists of numbers", !tl_python_list(&arena, "[1, x]", TL_V_INT, &list) && !tl_python_list(&arena, "[1", TL_V_INT, &list) &&
	      !tl_python_list(&arena, "", TL_V_INT, &list) && !tl_python_list(&arena, "[1] 2", TL_V_INT, &list) &&
	      !tl_python_list(&arena, "[1, True]", TL_V_INT, &list) && !tl_python_list(&arena, "7", TL_V_INT, &list));
	tl_arena_release(&arena);
}

static bool edits_to(enum tl_bench bench, const char *log, const char *commands)
{
	struct tl_buf b = { 0 };

	tl_bench_edit_log(bench, log, strlen(log), 512, &b);
	bool same = !strcmp(tl_buf_text(&b), commands);
	tl_buf_release(&b);
	return same;
}

#define MEASURE " --flush --initialization trig_float --use_gpu_timer --print_kernel_info"

static void logs(void)
{
	check("hipBLASLt: options of the measurement", edits_to(TL_BENCH_HIPBLASLT,
	      "x --algo_method index --solution_index 12 --rotating 7 --cold_iters 8 --iters 9\n",
	      "x --algo_method heuristic --requested_solution 1 --rotating 512 --cold_iters 100 --iters 100" MEASURE "\n"));
	check("hipBLASLt: each line, a last one without an end", edits_to(TL_BENCH_HIPBLASLT, "a\nb --aux_type f32_r c", "a" MEASURE "\nb  c" MEASURE));
	check("MIOpen: lines of calls only", edits_to(TL_BENCH_MIOPEN,
	      "[LogCmdFindConvolution] ./bin/a 1\nCommand [LogCmdConvolution] ./bin/MIOpenDriver conv -n 1\nmore", "MIOpenDriver conv -n 1\n"));
	check("an empty log", edits_to(TL_BENCH_MIOPEN, "", "") && edits_to(TL_BENCH_HIPBLASLT, "", ""));
}

static bool time_is(enum tl_bench bench, const char *output, double us)
{
	double found = (double)NAN;
	bool has = tl_bench_time(bench, output, false, &found);

	return isnan(us) ? !has : has && found == us;
}

static void times(void)
{
	check("hipblaslt-bench: by column", time_is(TL_BENCH_HIPBLASLT, "v\n[0]:a,us,b\n  1,2.5,x\n --kernel name: k, 9, 8, 7\n", 2.5));
	check("the last result counts", time_is(TL_BENCH_HIPBLASLT, "a,us\n1,2\n1,3\nus,a\n4,1\n", 4));
	check("no header, no row, no number", time_is(TL_BENCH_HIPBLASLT, "1,2\n", (double)NAN) && time_is(TL_BENCH_HIPBLASLT, "a,us\n", (double)NAN) &&
	      time_is(TL_BENCH_HIPBLASLT, "a,us\n1,\n1,x\n", (double)NAN) && time_is(TL_BENCH_HIPBLASLT, "", (double)NAN));
	check("MIOpenDriver: ms", time_is(TL_BENCH_MIOPEN, "stats: name, n, timeMs\nstats: fwd, 1, 0.5\nOK\n", 500));
	double us = 0;
	check("passes of one operator", tl_bench_time(TL_BENCH_MIOPEN, "timeMs,x\n0.5,1\ntimeMs,x\n0.25,1\n", true, &us) && us == 750);
	check("cublasMatmulBench: the mean", time_is(TL_BENCH_CUBLAS, "x\n^^^^ gpu time statistics: runs 9, mean 0.25 ms, min 0.1 ms\n^^^^ CUDA : elapsed\n", 250) &&
	      time_is(TL_BENCH_CUBLAS, "gpu time statistics: none\n", (double)NAN));
}

/* ---- what rows of tables say: tests/vectors ------------------------------------------- */

enum { CELLS = 8 };

/* Calls one(cells) for each line of tests/vectors/NAME. */
static void examples(const char *name, bool (*one)(const struct tl_replay_tables *, char **cells))
{
	const char *root = getenv("TL_ROOT");
	struct tl_replay_tables t;
	struct tl_buf path = { 0 };
	char *line = NULL;
	size_t cap = 0, n = 0, bad = 0;

	tl_replay_tables_read(&t);
	tl_buf_addf(&path, "%s/tests/vectors/%s", root ? root : ".", name);
	FILE *f = fopen(path.data, "r");
	while (f && getline(&line, &cap, f) > 0) {
		char *cells[CELLS], *s = line;
		line[strcspn(line, "\n")] = 0;
		char *end = line + strlen(line);
		if (*line == '#')
			continue;
		for (size_t i = 0; i < CELLS; i++) {
			cells[i] = s ? strsep(&s, "\t") : end;
		}
		n++;
		if (!one(&t, cells)) {
			bad++;
			printf("  %s: %s\n", name, cells[0]);
		}
	}
	check(name, n && !bad);
	free(line);
	if (f)
		fclose(f);
	tl_buf_release(&path);
	tl_replay_tables_release(&t);
}

static bool says(const char *got, const char *want)
{
	bool same = got && !strcmp(got, want);

	if (!same)
		printf("  got %s, expected %s\n", got ? got : "nothing", want);
	return same;
}

/* The lists of a recorded call; the n-th argument has a value of its own. */
static void add_recorded(struct tl_buf *dims, struct tl_buf *types, struct tl_buf *values, int n, char letter)
{
	const char *comma = n ? ", " : "";
	bool list = letter == 'I' || letter == 'B';

	tl_buf_addf(dims, letter == 'T' ? "%s[%d, 2]" : "%s[]", comma, n + 3);
	tl_buf_addf(types, "%s'%s'", comma, letter == 'T' ? "float" : letter == '-' ? "" : list ? "ScalarList" : "Scalar");
	tl_buf_addf(values, "%s'", comma);
	if (letter == 'i')
		tl_buf_addf(values, "%d", n + 11);
	else if (letter == 'r')
		tl_buf_addf(values, "%d.5", n);
	else if (letter == 'b')
		tl_buf_adds(values, n % 2 ? "True" : "False");
	else if (letter == 'I')
		tl_buf_addf(values, "[%d, %d]", n + 1, n + 4);
	else if (letter == 'B')
		tl_buf_addf(values, "[True, False, %s]", n % 2 ? "True" : "False");
	tl_buf_addc(values, '\'');
}

/* Arguments of a call as "TYPE NAME VALUE, ..."; of a tensor the shape. */
static void add_call(struct tl_buf *b, const struct tl_value *args, const char *before)
{
	for (uint32_t i = 0; i < args->len; i++) {
		const struct tl_value *arg = &args->items[i], *value = tl_value_member(arg, "value");
		const struct tl_value *shape = tl_value_member(value, "shape");
		tl_buf_addf(b, "%s%s %s ", i ? ", " : before, tl_value_text_member(arg, "arg_type"), tl_value_text_member(arg, "arg_name"));
		tl_value_repr(b, shape ? shape : value, false);
	}
}

/* Row, a letter an argument, the call. */
static bool call_is(const struct tl_replay_tables *t, char **c)
{
	struct tl_buf dims = { 0 }, types = { 0 }, values = { 0 }, call = { 0 };
	struct tl_arena arena = { 0 };
	struct tl_replay_item item;
	struct tl_value v;

	tl_buf_addc(&dims, '[');
	tl_buf_addc(&types, '[');
	tl_buf_addc(&values, '[');
	for (int n = 0; c[1][n]; n++)
		add_recorded(&dims, &types, &values, n, c[1][n]);
	tl_buf_addc(&dims, ']');
	tl_buf_addc(&types, ']');
	tl_buf_addc(&values, ']');
	c[0][strcspn(c[0], " ")] = 0;
	tl_replay_item_make(&item, &(struct tl_replay_row){ .name = c[0], .dims = dims.data, .types = types.data, .values = values.data }, TL_REPLAY_CONV, t);
	const char *record = item.forms[TL_FORM_RECORD].text;
	if (record && !tl_value_parse(&arena, record, strlen(record), &v, NULL)) {
		const struct tl_value *ir = tl_value_member(&v, "replay_ir");
		add_call(&call, tl_value_list_member(ir, "list_pos_args"), "");
		add_call(&call, tl_value_list_member(ir, "list_kwargs"), "; ");
	}
	bool ok = says(record ? tl_buf_text(&call) : item.forms[TL_FORM_RECORD].why, c[2]);
	tl_replay_item_release(&item);
	tl_buf_release(&dims);
	tl_buf_release(&types);
	tl_buf_release(&values);
	tl_buf_release(&call);
	tl_arena_release(&arena);
	return ok;
}

/* Has the script for PyTorch the line? */
static bool is_in_script(const struct tl_replay_tables *t, const char *line)
{
	struct tl_buf b = { 0 };

	tl_torch_script_write(&b, "title", "", t);
	bool has = strstr(b.data, line) != NULL;
	tl_buf_release(&b);
	return has;
}

/* Row, operator, dims, types, strides, values, form, its text or why there is none. */
static bool form_is(const struct tl_replay_tables *t, char **c)
{
	static const char *const names[TL_FORMS] = { "hipblaslt-bench", "MIOpenDriver", "cublasMatmulBench", "yaml", "record" };
	struct tl_replay_item item;
	bool found = !strcmp(c[6], "script") && is_in_script(t, c[7]);

	tl_replay_item_make(&item, &(struct tl_replay_row){ .name = c[1], .dims = c[2], .types = c[3], .strides = *c[4] ? c[4] : NULL, .values = c[5] },
	                    strcmp(c[6], "MIOpenDriver") ? TL_REPLAY_GEMM : TL_REPLAY_CONV, t);
	for (int i = 0; i < TL_FORMS; i++)
		if (!strcmp(names[i], c[6]))
			found = says(item.forms[i].text ? item.forms[i].text : item.forms[i].why, c[7]);
	tl_replay_item_release(&item);
	return found;
}

int main(void)
{
	literals();
	shapes();
	logs();
	times();
	examples("op-schemas.tsv", call_is);
	examples("bench-gemms.tsv", form_is);
	examples("bench-types.tsv", form_is);
	return failures != 0;
}
