/* test_replay.c - operators run again: lists as Python writes them, logs, results of benchmarks.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "check.h"
#include "replay/bench_logs.h"
#include "replay/python_literal.h"
#include "replay/recorded_op.h"

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
	struct tl_shape s;
	int64_t numbers[4];
	size_t n;

	check("an operator is read", !tl_recorded_op_read(&op, &arena, "x", "[[2, 3, 4], [], [1, 1, 1, 1, 1, 1, 1, 1, 1]]", "['float', '', 'float']", NULL,
	      "['', '5', '']", NULL) && op.n == 3 && !strcmp(tl_recorded_type(&op, 0), "float") && !strcmp(tl_recorded_value(&op, 1), "5"));
	check("without strides a tensor is contiguous", tl_recorded_shape(&op, 0, &s) && s.n == 3 && s.strides[0] == 12 && s.strides[1] == 4 && s.strides[2] == 1);
	check("no argument, no shape", !tl_recorded_shape(&op, 3, &s) && !*tl_recorded_type(&op, 3) && !*tl_recorded_value(&op, 9));
	check("too many dimensions", !tl_recorded_shape(&op, 2, &s));
	check("no list is an error", tl_recorded_op_read(&op, &arena, "x", "7", "['float']", NULL, NULL, NULL) == TL_ERR_DATA);
	check("nothing recorded is an error", tl_recorded_op_read(&op, &arena, "x", NULL, "['float']", NULL, NULL, NULL) == TL_ERR_DATA);
	check("lists of numbers", tl_number_list("[1, -2,3]", numbers, 4, &n) && n == 3 && numbers[1] == -2 && tl_number_list("[]", numbers, 4, &n) && !n);
	check("no lists of numbers", !tl_number_list("[1, x]", numbers, 4, &n) && !tl_number_list("[1", numbers, 4, &n) && !tl_number_list("", numbers, 4, &n) &&
	      !tl_number_list("[1] 2", numbers, 4, &n) && !tl_number_list("[1,2,3,4,5]", numbers, 4, &n) && !tl_number_list("[99999999999999999999]", numbers, 4, &n));
	tl_arena_release(&arena);
}

static bool edits_to(enum tl_bench bench, const char *log, const char *commands)
{
	struct tl_buf b = { 0 };

	tl_bench_edit_log(bench, log, strlen(log), &b);
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
	bool has = tl_bench_time(bench, output, &found);

	return isnan(us) ? !has : has && found == us;
}

static void times(void)
{
	check("hipblaslt-bench: by column", time_is(TL_BENCH_HIPBLASLT, "v\n[0]:a,us,b\n  1,2.5,x\n --kernel name: k, 9, 8, 7\n", 2.5));
	check("the last result counts", time_is(TL_BENCH_HIPBLASLT, "a,us\n1,2\n1,3\nus,a\n4,1\n", 4));
	check("no header, no row, no number", time_is(TL_BENCH_HIPBLASLT, "1,2\n", (double)NAN) && time_is(TL_BENCH_HIPBLASLT, "a,us\n", (double)NAN) &&
	      time_is(TL_BENCH_HIPBLASLT, "a,us\n1,\n1,x\n", (double)NAN) && time_is(TL_BENCH_HIPBLASLT, "", (double)NAN));
	check("MIOpenDriver: ms", time_is(TL_BENCH_MIOPEN, "stats: name, n, timeMs\nstats: fwd, 1, 0.5\nOK\n", 500));
	check("cublasMatmulBench: the mean", time_is(TL_BENCH_CUBLAS, "x\n^^^^ gpu time statistics: runs 9, mean 0.25 ms, min 0.1 ms\n^^^^ CUDA : elapsed\n", 250) &&
	      time_is(TL_BENCH_CUBLAS, "gpu time statistics: none\n", (double)NAN));
}

int main(void)
{
	literals();
	shapes();
	logs();
	times();
	return failures != 0;
}
