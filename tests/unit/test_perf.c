/* test_perf.c - performance models against vectors, and the language itself.
 * Vectors: operator, arguments and kernel names as JSON, outcome, flops, bytes,
 * backward flops and bytes ("fail", "drop" or empty), compute spec, parameters,
 * category, sheets. Those of tests/vectors begin with the row that they show.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/text.h"
#include "perf/arch.h"
#include "perf/perf.h"

#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int failures, checks;

/* A registry with a table of the user named t. */
static enum tl_status registry_with(struct tl_registry **r, const char *text, size_t len, struct tl_error *err)
{
	return tl_registry_new(r, false, &(struct tl_table_text){ "t", text, len }, 1, err);
}

static void check(bool ok, const char *what)
{
	checks++;
	if (!ok) {
		failures++;
		printf("FAIL %s\n", what);
	}
}

/* ---- vectors ----------------------------------------------------------------- */

struct event {
	struct tl_perf_event ev;
	struct tl_value args;
	const char *kernels[64];
};

static const struct tl_value *arg_of(void *ctx, const char *key)
{
	return tl_value_member(&((struct event *)ctx)->args, key);
}

static const char *text_of(struct tl_arena *a, const struct tl_value *v)
{
	return v && v->type == TL_V_TEXT ? tl_arena_dup(a, v->text, v->len) : NULL;
}

static bool load(struct tl_arena *a, const char *name, const char *args, const char *kernels, struct event *e)
{
	struct tl_value k;
	memset(e, 0, sizeof *e);
	if (tl_value_parse(a, args, strlen(args), &e->args, NULL) || tl_value_parse(a, kernels, strlen(kernels), &k, NULL))
		return false;
	for (uint32_t i = 0; k.type == TL_V_LIST && i < k.len && i < 64; i++)
		e->kernels[i] = text_of(a, &k.items[i]);
	e->ev = (struct tl_perf_event){
		.name = name, .name_len = strlen(name), .dims = tl_value_member(&e->args, "Input Dims"),
		.types = tl_value_member(&e->args, "Input type"), .strides = tl_value_member(&e->args, "Input Strides"),
		.concrete = tl_value_member(&e->args, "Concrete Inputs"), .out_types = tl_value_member(&e->args, "Output type"),
		.kernels = e->kernels, .n_kernels = k.type == TL_V_LIST ? k.len : 0,
		.annotation = text_of(a, tl_value_member(&e->args, "annotation")), .arg = arg_of, .ctx = e,
	};
	return true;
}

static void number_text(const struct tl_value *v, enum tl_perf_outcome o, char *buf, size_t size)
{
	struct tl_buf b = { 0 };
	if (o == TL_PERF_OK && v->type != TL_V_NULL)
		tl_value_repr(&b, v, false);
	snprintf(buf, size, "%s", o == TL_PERF_FAILED ? "fail" : o == TL_PERF_DROPPED ? "drop" : tl_buf_text(&b));
	tl_buf_release(&b);
}

static void params_text(const struct tl_perf_result *r, struct tl_buf *b)
{
	tl_buf_addc(b, '{');
	for (size_t i = 0; i < r->n_params; i++) {
		tl_buf_addf(b, "%s'%s': ", i ? ", " : "", r->params[i].name);
		tl_value_repr(b, &r->params[i].value, false);
	}
	tl_buf_addc(b, '}');
}

static bool same(const char *what, const char *where, const char *got, const char *want)
{
	if (!strcmp(got, want))
		return true;
	printf("  %s: %s: got %s, expected %s\n", where, what, got, want);
	return false;
}

/* Does the family make one sheet? */
static bool one_sheet(const struct tl_registry *r, const char *family, bool inference)
{
	const char *name;
	bool one = false;

	for (size_t i = 0; (name = tl_family_at(r, i, inference, &one)) && strcmp(name, family); i++)
		one = false;
	return name && one;
}

/* The sheet of an operator's row, that of its backward pass, and what else its line says of rows. */
static void sheets_text(const struct tl_registry *r, const struct tl_perf_op *op, struct tl_buf *b)
{
	bool has = op && op->family, training = has && one_sheet(r, op->family, false);

	tl_buf_adds(b, has ? "" : "-");
	for (int inference = 0; has && inference < 2; inference++) {
		bool one = one_sheet(r, op->family, inference);
		if (inference && one == training)
			continue;
		tl_buf_addf(b, "%s%s%s", inference ? "; inference " : "", op->family, one ? "" : op->moved ? "_bwd" : "_fwd");
		if (!op->linked_none)
			tl_buf_addf(b, " %s%s%s", op->family, one ? "" : "_bwd", op->linked_hidden ? " hidden" : "");
	}
	if (op && op->backward)
		tl_buf_addf(b, "; backward %s", op->backward);
	if (op && (op->annotated || op->annotated_inference))
		tl_buf_addf(b, "; annotation%s", op->annotated ? "" : " inference");
}

/* What does not depend on the arguments. */
static bool labels_ok(const struct tl_registry *r, const struct event *e, const char *category, const char *sheets, const char *where)
{
	struct tl_buf b = { 0 };

	sheets_text(r, tl_op_find(r, e->ev.name), &b);
	bool ok = same("category", where, tl_op_category(r, e->ev.name, e->ev.n_kernels ? e->kernels[0] : NULL), category) &
	          same("sheets", where, b.data, sheets);
	tl_buf_release(&b);
	return ok;
}

static bool numbers_ok(const struct tl_registry *r, const struct tl_perf_op *op, const struct tl_perf_event *ev, struct tl_perf_memory *mem,
                       struct tl_arena *arena, char **f, const char *where)
{
	static const char *const outcomes[] = { "ok", "fail", "drop" };
	struct tl_perf_result fwd, bwd;
	struct tl_buf params = { 0 };
	char t[4][64];

	tl_perf_evaluate(r, op, ev, mem, false, arena, &fwd);
	tl_perf_evaluate(r, op, ev, mem, true, arena, &bwd);
	bool ok = same("outcome", where, outcomes[fwd.outcome], f[3]);
	if (fwd.outcome == TL_PERF_OK && ok) {
		number_text(&fwd.flops_value, fwd.outcome, t[0], sizeof t[0]);
		number_text(&fwd.bytes_value, fwd.outcome, t[1], sizeof t[1]);
		params_text(&fwd, &params);
		ok &= same("flops", where, t[0], f[4]) & same("bytes", where, t[1], f[5]) &
		      same("spec", where, fwd.spec, f[8]) & same("params", where, params.data, f[9]);
		number_text(&bwd.flops_value, bwd.outcome, t[2], sizeof t[2]);
		number_text(&bwd.bytes_value, bwd.outcome, t[3], sizeof t[3]);
		ok &= !strcmp(f[7], "fail") && strcmp(f[6], "fail") ? same("outcome bwd", where, outcomes[bwd.outcome], "fail")
		    : same("flops_bwd", where, t[2], f[6]) & same("bytes_bwd", where, t[3], f[7]);
	} else if (!ok) {
		printf("  %s: %s\n", where, fwd.reason);
	}
	tl_buf_release(&params);
	return ok;
}

static bool vector_ok(const struct tl_registry *r, struct tl_perf_memory *mem, char **f, const char *where)
{
	struct tl_arena arena = { 0 };
	struct event e;
	const struct tl_perf_op *op = tl_op_find(r, f[0]);
	bool ok = load(&arena, f[0], f[1], f[2], &e) && (!op || !op->model) == !strcmp(f[3], "none");

	if (!ok)
		printf("  %s: no model or broken arguments\n", where);
	if (ok && *f[10])
		ok = labels_ok(r, &e, f[10], f[11], where);
	if (ok && op && op->model)
		ok = numbers_ok(r, op, &e.ev, mem, &arena, f, where);
	tl_arena_release(&arena);
	return ok;
}

/* How many vectors each model has, by its name. */
struct counts { struct tl_strtab names; size_t *n, cap; };

static void count_vector(struct counts *c, const struct tl_registry *r, const char *op_name)
{
	const struct tl_perf_op *op = tl_op_find(r, op_name);
	uint32_t id = op && op->model_name ? tl_intern_str(&c->names, op->model_name) : 0;
	size_t had = c->cap;

	TL_GROW(c->n, c->cap, (size_t)id + 1);
	memset(c->n + had, 0, (c->cap - had) * sizeof *c->n);
	c->n[id]++;
}

/* own: of tests/vectors. counts may be NULL. */
static void vectors(const struct tl_registry *r, const char *path, bool own, struct counts *counts)
{
	enum { FIELDS = 12 };
	FILE *file = fopen(path, "r");
	char *line = NULL, what[400];
	size_t cap = 0, n = 0, bad = 0, row = 0;
	ssize_t len;
	struct tl_perf_memory *mem = tl_memory_new();

	if (!file) {
		if (own)
			check(false, path);
		else
			printf("ok vectors of %s # skip it is not there\n", path);
		tl_memory_free(mem);
		return;
	}
	while ((len = getline(&line, &cap, file)) > 0) {
		char *f[FIELDS], *s = line;
		row++;
		if (line[len - 1] == '\n')
			line[len - 1] = 0;
		if (*line == '#' || !*line)
			continue;
		if (own)
			strsep(&s, "\t");
		for (size_t i = 0; i < FIELDS; i++) {
			f[i] = s ? strsep(&s, "\t") : NULL;
			f[i] = f[i] ? f[i] : line + len - 1; /* "" */
		}
		snprintf(what, sizeof what, "row %zu %.60s", row, f[0]);
		n++;
		bad += !vector_ok(r, mem, f, what);
		if (counts)
			count_vector(counts, r, f[0]);
	}
	snprintf(what, sizeof what, "%s: %zu of %zu vectors", path, n - bad, n);
	check(!bad && n, what);
	printf("ok %s\n", what);
	free(line);
	fclose(file);
	tl_memory_free(mem);
}

/* ---- the language ---------------------------------------------------------------- */

/* Value of an expression for an event with a few arguments, in a step with this annotation (NULL: none), as text. */
static void value_text(const char *expr, const char *annotation, struct tl_buf *out)
{
	static const char args[] = "{\"Input Dims\":[[2,3],[3,4,5],[],null],\"Input type\":[\"float\",\"c10::BFloat16\"],"
		"\"Input Strides\":[[3,1],[20,5,1]],\"Concrete Inputs\":[\"\",\"[1, 2]\",\"7\",\"True\",\"0.5\",\"x\"],\"k\":4}";
	struct tl_arena arena = { 0 };
	struct tl_perf_result res;
	struct tl_registry *r;
	struct tl_error err;
	struct event e;
	struct tl_buf table = { 0 };

	tl_buf_addf(&table, "model t\n\tcategory T\n\tflops 0\n\tparam r=%s\nop lib::op t\n", expr);
	tl_buf_clear(out);
	if (registry_with(&r, table.data, table.len, &err)) {
		tl_buf_adds(out, err.text);
	} else if (load(&arena, "lib::op", args, "[\"Cijk_Alik_Bljk_x\"]", &e)) {
		e.ev.annotation = annotation;
		tl_perf_evaluate(r, tl_op_find(r, "lib::op"), &e.ev, NULL, false, &arena, &res);
		if (res.outcome == TL_PERF_OK)
			tl_value_repr(out, &res.params[0].value, false);
		else
			tl_buf_addf(out, "%s: %s", res.outcome == TL_PERF_FAILED ? "failed" : "dropped", res.reason);
	}
	tl_registry_free(r);
	tl_arena_release(&arena);
	tl_buf_release(&table);
}

static void language(void)
{
	static const struct { const char *expr, *value; } cases[] = {
		/* numbers keep their kind */
		{ "2+3*4", "14" }, { "7/2", "3.5" }, { "6/2", "3.0" }, { "7//2", "3" }, { "-7//2", "-4" }, { "-7%3", "2" },
		{ "7.0//2", "3.0" }, { "2*1.5", "3.0" }, { "1e3", "1000.0" }, { "-(2)", "-2" }, { "2-3-4", "-5" }, { "True+1", "2" },
		/* beyond 64 and 128 bits */
		{ "9223372036854775807+1", "9223372036854775808" },
		{ "100000000000000000000*1000000000000000000", "100000000000000000000000000000000000000" },
		{ "100000000000000000000*10000000000000000000", "1e+39" },
		{ "(100000000000000000000*10000000000000000000)//3", "3.3333333333333333e+38" },
		{ "1/0", "failed: division by zero" }, { "1//0", "failed: division by zero" }, { "1%0", "failed: division by zero" },
		{ "1.0/0", "failed: division by zero" }, { "pow(0,-1)", "failed: division by zero" },
		{ "pow(10.0,400)", "failed: a power that is not a number" }, { "pow(2,10)", "1024.0" },
		/* conditions */
		{ "1<2 and 2<1", "False" }, { "not 0", "True" }, { "null or 3", "3" }, { "0 and 1/0", "0" }, { "sel(True,1,1/0)", "1" },
		{ "sel([],1,2)", "2" }, { "(1,2)==(1,2)", "True" }, { "1==1.0", "True" }, { "\"a\"<\"b\"", "True" }, { "1<\"b\"", "failed: an integer cannot be compared with a text" },
		{ "null+1", "failed: arithmetic on null" },
		{ "known(1,null,1/0)", "None" }, { "known(1,2)", "2" }, { "known(null,1/0)", "None" }, { "null==null", "True" }, { "null!=0", "True" },
		/* lists */
		{ "()", "()" }, { "(1,)", "(1,)" }, { "(1)", "1" }, { "[1,(2,3)]", "[1, (2, 3)]" }, { "len(slice((1,2,3),1))", "2" },
		{ "slice([1,2,3],0,2)", "[1, 2]" }, { "cat((1,),[2])", "(1, 2)" }, { "cat([],(1,))", "[1]" }, { "range(3)", "(0, 1, 2)" }, { "range(-1)", "()" },
		{ "range(10000000)", "failed: a small integer is needed" }, { "range(1000000)", "failed: list of 1000000 items is too long" },
		{ "len(range(65536))", "65536" }, { "len(range(65537))", "failed: list of 65537 items is too long" },
		{ "sum((1,2.5))", "3.5" }, { "sum([])", "0" }, { "sum((1,null))", "failed: arithmetic on null" }, { "prod((2,3,4))", "24" }, { "prod(())", "1" },
		{ "item((1,2),-1)", "2" }, { "item((1,2),2)", "failed: no item 2 in 2" }, { "bcast((4,1),(3,))", "(4, 3)" },
		{ "bcast((4,),(3,))", "failed: shapes that cannot be broadcast" }, { "max(1,2.5,2)", "2.5" }, { "max((1,3,2))", "3" }, { "min([2,1])", "1" },
		{ "max(())", "failed: an empty list has no largest and no smallest item" }, { "max(\"a\",\"b\")", "failed: a number is needed" },
		{ "max(9007199254740992,9007199254740993)", "9007199254740993" }, { "min(9007199254740993,9007199254740992)", "9007199254740992" },
		{ "bcast((9007199254740993,),(9007199254740993,))", "(9007199254740993,)" }, { "cdiv(7,2)", "4" },
		{ "each(x,(1,2),x*x)", "(1, 4)" }, { "each(x,[1,2],x+1)", "[2, 3]" }, { "each(x,(1,null,2),x)", "(1, 2)" },
		{ "each(x,(1,2),each(y,(3,4),x*y))", "((3, 4), (6, 8))" }, { "each(x,each(x,(1,2),x+1),x*x)", "(4, 9)" }, { "each(x,1,x)", "failed: each() needs a list, not an integer" },
		/* what is no number is neither more nor less than another */
		{ "1e308*10-1e308*10>1", "False" }, { "1e308*10-1e308*10<=1", "False" }, { "1e308*10-1e308*10==1", "False" },
		/* arguments */
		{ "dim(1,-1)", "5" }, { "dim(0,2)", "failed: no position 2 in a list of 2" }, { "dim(4,0)", "failed: no Input Dims[4]: there are 4" },
		{ "dim(4,0,null)", "None" }, { "dim(1,3,7)", "7" }, { "dim(3,0,7)", "7" }, { "dim(1,1,7)", "4" },
		{ "rank(2)", "0" }, { "rank(3)", "failed: Input Dims[3] is not a list" }, { "shp(1)", "(3, 4, 5)" }, { "shp(3)", "None" }, { "shp(4,())", "()" },
		{ "len(shp())", "4" }, { "shp(-1)", "failed: no Input Dims[-1]: there are 4" }, { "typ(1)", "'c10::BFloat16'" }, { "typ(2,\"d\")", "'d'" },
		{ "typ()", "('float', 'c10::BFloat16')" }, { "stup(1)", "(20, 5, 1)" }, { "stup(5,null)", "None" }, { "con(2)", "'7'" }, { "con(6,null)", "None" },
		{ "arg(\"k\")", "4" }, { "arg(\"z\",1)", "1" }, { "arg(\"z\")", "None" }, { "operands()", "[((2, 3), 'float'), ((3, 4, 5), 'c10::BFloat16')]" },
		{ "bpe(typ(0))", "4" }, { "prec(typ(1))", "'bf16'" }, { "bpe(\"weird\")", "None" }, { "bpe(null)", "None" }, { "hasname(\"::op\")", "True" },
		{ "lookup(\"moe-bytes\",\"FP8\")", "1" }, { "lookup(\"moe-bytes\",\"x\",2)", "2" }, { "lookup(\"moe-bytes\",null)", "None" },
		{ "transpose()", "(True, False)" }, { "kernel0()", "'Cijk_Alik_Bljk_x'" },
		/* texts */
		{ "int(con(2))", "7" }, { "int(con(5))", "failed: not an integer" }, { "int(con(5),3)", "3" }, { "int(2.9)", "2" }, { "int(-2.9)", "-2" },
		{ "float(con(4))", "0.5" }, { "float(con(5))", "failed: not a number" }, { "float(con(5),0.0)", "0.0" }, { "lit(con(3))", "True" }, { "lit(con(1))", "[1, 2]" },
		{ "lit(\"(1,)\")", "(1,)" }, { "lit(\"[1, 2\")", "failed: not a literal" }, { "lit(\"\")", "failed: not a literal" }, { "lit(\"[1] 2\")", "failed: not a literal" },
		{ "lit(3)", "failed: not a literal" }, { "lit(\"['a', None, -1.5]\")", "['a', None, -1.5]" }, { "lit(\"x\")", "failed: not a literal" },
		{ "lower(\"AbC\")", "'abc'" }, { "lower(con(3))==\"true\"", "True" }, { "has(\"abc\",\"b\")", "True" }, { "join(\"-\",[\"a\",\"b\"])", "'a-b'" },
		{ "join(\"\",())", "''" }, { "join(\"-\",[\"a\",1])", "failed: join takes a text and a list of texts, 1000000 bytes in all" },
		{ "dflt(null,1)", "1" }, { "dflt(0,1)", "0" }, { "bool(\"\")", "False" },
		{ "drop()", "dropped: not modelled" }, { "need(False)", "failed: a condition of the model does not hold" }, { "annot()", "None" },
		/* mistakes: file, line, column, what was expected */
		{ "1+", "t:4:12: expected a number, a text, a name or \"(\", found the end of the line" },
		{ "dim(0)", "t:4:10: dim takes 2 to 3 arguments, not 1" }, { "nosuch(1)", "t:4:10: no function \"nosuch\"; tl-models(5) lists the functions" },
		{ "isnull(1)", "t:4:10: no function \"isnull\"; write x==null" },
		{ "xyz", "t:4:10: unknown name \"xyz\": expected a slot or a let before this place" },
		{ "(1,2", "t:4:14: expected \",\" or \")\", found the end of the line" }, { "1 2", "t:4:12: expected \"if\", \";\" or the end of the line" },
		{ "\"abc", "t:4:10: text without its closing quote" }, { "1<2<3", "t:4:13: comparisons do not chain; join them with \"and\"" },
		{ "12ab", "t:4:10: a number runs into a name; put a blank or an operator between" },
		{ "each(1,(1,2),3)", "t:4:15: expected a name for the items of a list and \",\", found \"1,(1,2),3)\"" },
		{ "each(x,(1,2),x)+x", "t:4:26: unknown name \"x\": expected a slot or a let before this place" }, { "known(1)", "t:4:10: known takes 2 to 16 arguments, not 1" },
	};
	struct tl_buf got = { 0 };
	char what[300];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		value_text(cases[i].expr, NULL, &got);
		snprintf(what, sizeof what, "%s = %s, not %s", cases[i].expr, cases[i].value, tl_buf_text(&got));
		check(got.data && !strcmp(got.data, cases[i].value), what);
	}
	tl_buf_release(&got);
	printf("ok expressions of models\n");
}

static void annotations(void)
{
	static const struct { const char *text, *sums; } cases[] = {
		{ "execute_5_context_1(sq4sk6sqsq16sqsk24)_generation_2(sq2sk10sqsq3sqsk11)", "(4, 6, 16, 24, 2, 10, 3, 11)" },
		{ "step[MIXED bs=3 c_sq=4 c_sk=6 c_sqsq=16 c_sqsk=24 g_sq=2 g_sk=10 g_sqsq=3 g_sqsk=11]", "(4, 6, 16, 24, 2, 10, 3, 11)" },
		{ "prefill[bs=2 tok=30\tctx=[10, tok=7]...+3 sk=31\tsqsq=500 sqsk=600]", "(30, 31, 500, 600, 0, 0, 0, 0)" },
		{ "decode[bs=4 tok=x sqsq=4 sqsk=9]", "(0, 0, 0, 0, 0, 0, 4, 9)" },
		{ "decode[bs=4 tok=4 sqsq=4]", "None" }, { "step[IDLE bs=3 g_sq=2 g_sqsq=3]", "None" }, { "a step", "None" },
	};
	struct tl_buf got = { 0 };
	char what[300];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		value_text("annot()", cases[i].text, &got);
		snprintf(what, sizeof what, "sums of %s: %s, not %s", cases[i].text, cases[i].sums, tl_buf_text(&got));
		check(got.data && !strcmp(got.data, cases[i].sums), what);
	}
	tl_buf_release(&got);
	printf("ok sums of annotations\n");
}

/* ---- tables ----------------------------------------------------------------------- */

/* 199 operators a line */
#define ONES_9 "+1+1+1+1+1+1+1+1+1"
#define ONES_99 ONES_9 ONES_9 ONES_9 ONES_9 ONES_9 ONES_9 ONES_9 ONES_9 ONES_9 ONES_9 ONES_9
#define ONES ONES_99 ONES_99 "+1"
#define DEEP "model m\n\tdef a(x)=x" ONES "\n\tdef b(x)=a(x)" ONES "\n\tdef c(x)=b(x)" ONES "\n\tdef d(x)=c(x)" ONES \
	"\n\tdef e(x)=d(x)\n\tdef f(x)=e(x)" ONES "\n"

static void tables(void)
{
	static const struct { const char *text, *error; } cases[] = {
		{ "op a::b nosuch\n", "t:1:9: no model \"nosuch\"; \"tl-models models\" lists the models" },
		{ "op a::b gemm A=0\n", "t:1:9: slot \"B\" of model \"gemm\" must be set" },
		{ "op a::b gemm A=0 A=1 B=2\n", "t:1:18: slot \"A\" is set twice" },
		{ "op a::b gemm A=0 B=1 C=2\n", "t:1:22: model \"gemm\" has no slot \"C\"; its slots are A, B, transA, transB, packed, bias, "
		  "tA, tB, tO, tC, types, bA, bB, bO, bC, precision, strideA, strideB, valid, twice" },
		{ "op a::b gemm A=0 B=M\n", "t:1:20: unknown name \"M\": expected a slot or a let before this place" },
		{ "model m\n\tslot A B\n\tflops 1\n", "t:2:9: expected \"=\", \";\" or the end of the line" },
		{ "model m\n\tslot A, B\n\tflops 1\n", "t:2:8: expected \"=\", \";\" or the end of the line" },
		{ "model m\n\tflops 1\n\tlet a=1\n\tflops 2\n", "t:4:2: \"flops\" is given twice" },
		{ "model m\n\tflops 1\n\tbytes_bwd 2\n\tbytes_bwd 2\n", "t:4:2: \"bytes_bwd\" is given twice" },
		{ "model m\n\tspec matrix \"a\"\n\tspec vector \"a\"\n\tflops 1\n", "t:3:7: \"spec\" is given twice" },
		{ "model m\n\tlet a=1; b=a\n\tlet a=2\n\tflops 1\n", "t:3:6: \"a\" is given twice" },
		{ "model m\n\tslot a; b; a=1\n\tflops 1\n", "t:2:13: \"a\" is given twice" },
		{ "model m\n\tlet f=1\n\tdef f(x)=x\n\tflops 1\n", "t:3:6: \"f\" is given twice" },
		{ "model m like=gemm\n\tlet M=1\n\tlet M=2\n", "t:3:6: \"M\" is given twice" },
		{ "model m\n\tlet a=1\n\tparam a; b=2; a=3\n\tflops 1\n", "t:3:16: \"a\" is given twice" },
		{ "model m\n\tcategory A\n\tfamily A\n\tcategory B\n\tflops 1\n", "t:4:2: \"category\" is given twice" },
		{ "model m\n\tfamily A\n\tfamily B\n\tflops 1\n", "t:3:2: \"family\" is given twice" },
		{ "model m\n\tbackward A\n\tbackward A\n\tflops 1\n", "t:3:2: \"backward\" is given twice" },
		{ "model m\n\tdef f(a, a)=a\n\tflops 1\n", "t:2:11: \"a\" is given twice" },
		{ "model m\n\tdef f(a, null)=a\n\tflops 1\n", "t:2:11: \"null\" is a word of the language" },
		{ "model m\n\tdef not(a)=a\n\tflops 1\n", "t:2:6: \"not\" is a word of the language" },
		{ "model m\n\tslot True=3\n\tflops 1\n", "t:2:7: \"True\" is a word of the language" },
		{ "model m\n\tlet if=3\n\tflops 1\n", "t:2:6: \"if\" is a word of the language" },
		{ "model m\n\tslot row=3\n\tflops 1\n", "t:2:7: \"row\" has another meaning in op lines" },
		{ "map bytes int4 -1\n", "t:1:16: expected a number, 0 or more, in the map bytes" },
		{ "map bytes int4 abc\n", "t:1:16: expected a number, 0 or more, in the map bytes" },
		{ "map moe-bytes X inf\n", "t:1:17: expected a number, 0 or more, in the map moe-bytes" },
		{ "map triton-bytes X 1e999\n", "t:1:20: expected a number, 0 or more, in the map triton-bytes" },
		{ "map triton-cost X nan\n", "t:1:19: expected a number, 0 or more, in the map triton-cost" },
		{ "map precision int4 4\n", "t:1:20: expected the name of a precision, such as bf16" },
		{ "map precision int4 \"a b\"\n", "t:1:20: expected the name of a precision, such as bf16" },
		{ "\xef\xbb\xbfop a::b nosuch\n", "t:1:9: no model \"nosuch\"; \"tl-models models\" lists the models" },
		{ "op a::b gemm A=0 B=\xc3\xa9t\xc3\xa9+1\n", "t:1:20: expected a number, a text, a name or \"(\", found \"\xc3\xa9t\xc3\xa9+1\"" },
		{ "op a::b gemm A=0 B=\xe9\n", "t:1:20: expected a number, a text, a name or \"(\", found \"?\"" },
		{ "op a::b gemm A=0 B=+aaaaaaaaaaaaaaaaaa\xe2\x82\xac\xe2\x82\xac\n", "t:1:20: expected a number, a text, a name or \"(\", found \"+aaaaaaaaaaaaaaaaaa\xe2\x82\xac\"" },
		{ "nonsens\xc3\xa9\n", "t:1:1: expected op, prefix, model, category, category-prefix, kernel, family or map, found \"nonsens\xc3\xa9\"" },
		{ "op a::b gemm 5\n", "t:1:14: expected SLOT=EXPRESSION" },
		{ "op a::b\n", "t:1:8: expected the name of a model" },
		{ "op a::b sdpa q=0 k=1 v=2 row=up\n", "t:1:30: expected row=moved" },
		{ "\n# x\nnonsense 1\n", "t:3:1: expected op, prefix, model, category, category-prefix, kernel, family or map, found \"nonsense\"" },
		{ "\tflops 1\n", "t:1:2: a line that begins with a blank belongs to a model; none was begun" },
		{ "model m\n\tcategory C\n", "t:1:7: model \"m\" has no flops line" },
		{ "model m\n\tflop 1\n", "t:2:2: expected category, family, backward, slot, let, def, need, drop, only, flops, bytes, flops_bwd, bytes_bwd, spec or param, found \"flop\"" },
		{ "model m like=nosuch\n", "t:1:14: no model \"nosuch\" before this line" },
		{ "model m\n\tlet dim=1\n\tflops 1\n", "t:2:6: \"dim\" is the name of a function" },
		{ "model m\n\tlet a=b; b=1\n\tflops a\n", "t:2:8: unknown name \"b\": expected a slot or a let before this place" },
		{ "model m\n\tdef f(x)=f(x)\n\tflops f(1)\n", "t:2:11: no function \"f\"; tl-models(5) lists the functions" },
		{ "model m\n\tspec bf16\n\tflops 1\n", "t:2:7: expected matrix or vector and an expression for the precision" },
		{ "family X three\n", "t:1:10: expected \"one\" or \"two\" sheets, found \"three\"" },
		{ "category a::b\n", "t:1:14: expected a category" },
		{ "map bytes x\n", "t:1:12: expected a value" },
		{ "category a b c\n", "t:1:14: expected the end of the line" },
		/* the reserved names of an op line */
		{ "op a gemm A=0 B=1 category=\n", "t:1:28: expected a category after category=" },
		{ "op a gemm category= A=0 B=1\n", "t:1:20: expected a category after category=" },
		{ "op a gemm A=0 B=1 category=\"\"\n", "t:1:28: expected a category" },
		{ "op a gemm A=0 B=1 category=\"X\n", "t:1:28: a category without its closing quote" },
		{ "op a gemm A=0 B=1 category=X Y\n", "t:1:30: expected SLOT=EXPRESSION" },
		{ "op a gemm A=0 B=1 category=X category=Y\n", "t:1:30: \"category\" is set twice" },
		{ "op a gemm A=0 B=1 row=moved row=moved\n", "t:1:29: \"row\" is set twice" },
		{ "op a gemm A=0 B=1 linked=\n", "t:1:26: expected linked=none or linked=hidden" },
		{ "op a gemm A=0 B=1 linked=none linked=hidden\n", "t:1:31: \"linked\" is set twice" },
		{ "op a gemm A=0 B=\n", "t:1:17: expected a number, a text, a name or \"(\", found the end of the line" },
		/* lines of a model with nothing in them, or too much */
		{ "model m\n\tflops 1\n\tparam\n", "t:3:7: expected the name of a parameter" },
		{ "model m\n\tflops 1\n\tneed\n", "t:3:6: expected a number, a text, a name or \"(\", found the end of the line" },
		{ "model m\n\tflops 1; bytes 2\n", "t:2:9: expected the end of the line" },
		{ "model m\n\tcategory\n\tflops 1\n", "t:2:10: expected a category" },
		{ "model m\n\tfamily\n\tflops 1\n", "t:2:8: expected a sheet family" },
		/* categories are text */
		{ "category a \"x\ty\"\n", "t:1:12: expected a category of characters that can be printed" },
		{ "category-prefix a \"x\001\"\n", "t:1:19: expected a category of characters that can be printed" },
		{ DEEP, "t:7:11: expression of more than 1000 levels, with those of the definitions it calls" },
		{ "kernel a b \"\377\"\n", "t:1:12: expected a category of characters that can be printed" },
		{ "category a \"\"\n", "t:1:12: expected a category" },
	};
	char what[600];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tl_registry *r;
		struct tl_error err = { 0 };
		enum tl_status s = registry_with(&r, cases[i].text, strlen(cases[i].text), &err);
		snprintf(what, sizeof what, "%.60s -> %.200s, not %.200s", cases[i].text, cases[i].error, s ? err.text : "fine");
		check(s == TL_ERR_DATA && !strcmp(err.text, cases[i].error), what);
		tl_registry_free(r);
	}
	printf("ok mistakes in tables\n");
}

/* The message for a table, "" for none. */
static const char *message_of(const char *text)
{
	static struct tl_error err;
	struct tl_registry *r;

	enum tl_status s = registry_with(&r, text, strlen(text), &err);
	tl_registry_free(r);
	return s ? err.text : "";
}

/* A model that makes a line of an earlier table wrong is where the mistake is. */
static void blame(void)
{
	static const struct { const char *text, *begin, *end; } cases[] = {
		{ "\nmodel gemm\n\tflops 1\n", "t:2:7: model \"gemm\" does not fit an operator of an earlier table: ops:", ": model \"gemm\" has no slot \"A\"; it has none" },
		{ "model sdpa like=sdpa\n\tslot more\n", "t:1:7: model \"sdpa\" does not fit an operator of an earlier table: ops:",
		  ": slot \"more\" of model \"sdpa\" must be set" },
		{ "model m like=sdpa\n\tdef masked(a)=a\n", "t:1:7: model \"m\" does not fit a line of the model it is like: models:",
		  ": masked takes 1 argument, not 3" },
		{ "model m like=gemm\n\tdef M(x)=x\n", "t:1:7: model \"m\" does not fit a line of the model it is like: models:",
		  ": unknown name \"M\": expected a slot or a let before this place" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *got = message_of(cases[i].text);
		size_t n = strlen(got), end = strlen(cases[i].end);
		check(!strncmp(got, cases[i].begin, strlen(cases[i].begin)) && n > end && !strcmp(got + n - end, cases[i].end), got);
	}
	printf("ok mistakes that show in other tables\n");
}

/* A family names sheets and files, whether a family line or a category says it. */
static void family_names(void)
{
	static const struct { const char *name, *error; } cases[] = {
		{ "My.Family-2+x", "" }, { "_x", "" }, { "\"My family\"", "" }, { "abcdefghijklmnopqrstuvwxyz1", "" },
		{ "abcdefghijklmnopqrstuvwxyz12", "t:2:9: expected a sheet family of 1 to 27 characters that begins with a letter, a digit or \"_\"" },
		{ "../x", "t:2:9: expected a sheet family of 1 to 27 characters that begins with a letter, a digit or \"_\"" },
		{ "-x", "t:2:9: expected a sheet family of 1 to 27 characters that begins with a letter, a digit or \"_\"" },
		{ "\"x \"", "t:2:10: expected a sheet family of 1 to 27 characters that begins with a letter, a digit or \"_\"" },
		{ "x/y", "t:2:10: expected a sheet family of letters, digits, \"_\", \"-\", \".\", \"+\" and blanks: it names files" },
		{ "\"x\ty\"", "t:2:11: expected a sheet family of letters, digits, \"_\", \"-\", \".\", \"+\" and blanks: it names files" },
		{ "x_Fwd", "t:2:9: expected a sheet family without _fwd, _bwd or _kl_overlap at its end: its sheets get these" },
		{ "x_kl_overlap", "t:2:9: expected a sheet family without _fwd, _bwd or _kl_overlap at its end: its sheets get these" },
		{ "Sdpa", "t:2:9: expected another sheet family: \"Sdpa\" is \"SDPA\" but for upper and lower case" },
	};
	char table[200], what[600];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		snprintf(table, sizeof table, "model m\n\tfamily %s\n\tflops 1\nop a m\n", cases[i].name);
		const char *got = message_of(table);
		snprintf(what, sizeof what, "%.60s -> %.200s, not %.200s", cases[i].name, cases[i].error, got);
		check(!strcmp(got, cases[i].error), what);
	}
	const char *slash = "expected a sheet family of letters, digits, \"_\", \"-\", \".\", \"+\" and blanks: it names files";
	check(strstr(message_of("model m\n\tcategory x/y_fwd\n\tflops 1\nop a m\n"), slash) != NULL, "a category that names a sheet is checked");
	check(!*message_of("model m\n\tcategory x/y\n\tfamily X\n\tflops 1\nop a m\n"), "one that names no sheet: a family does");
	check(!*message_of("model m\n\tcategory x/y\n\tfamily -\n\tflops 1\nop a m\n"), "one that names no sheet: there is none");
	check(!*message_of("model m\n\tcategory x/y\n\tflops 1\nprefix a m\n"), "one that names no sheet: of a prefix");
	/* told at the later one, though the sheet of its operator comes first */
	check(!strcmp(message_of("model m\n\tflops 1\n\tfamily Gemm\nop aten::mm m\n"),
	              "t:3:9: expected another sheet family: \"Gemm\" is \"GEMM\" but for upper and lower case"), "a family before that of the built-in tables");
	static const char gemm[] = "model m\n\tfamily mine\n\tflops 1\nop a m\n";
	struct tl_registry *r;
	struct tl_error err;
	if (!registry_with(&r, gemm, strlen(gemm), &err)) {
		check(tl_family_reserve(r, "other", &err) == TL_OK, "a name that no family has");
		check(tl_family_reserve(r, "Mine", &err) == TL_ERR_DATA &&
		      !strcmp(err.text, "t:2:9: expected another sheet family: Mine is a sheet of its own"), "a name that a family has");
		tl_registry_free(r);
	}
	printf("ok names of families\n");
}

/* The operator and its name alone say the same. */
static void one_category(const struct tl_registry *r, const char *name, const char *want)
{
	check(!strcmp(tl_op_category(r, name, "void at::native::reduce"), want), name);
	check(!strcmp(tl_op_category_by_name(r, name), want), name);
}

static void overrides(void)
{
	static const char table[] =
		"op aten::mm gemm A=1 B=0 category=MINE\n"    /* defined again: keeps its place */
		"category aten::bmm OTHER\nprefix my_ unary X=0 out=1\nprefix my_special_ binary X=0 Y=1 out=2\n"
		"op joined gemm\\\n A=0 B=1 category=JOINED\\\n row=moved\n"
		"prefix my_own_ unary X=0 out=1 category=OWN\ncategory my_own_special SPECIAL\nprefix triton_mine_ gemm A=0 B=1\n"
		"map bytes my::half 2\nfamily CONV one\n"
		"model sdpa2 like=sdpa\n\tflops 2*forward(Nq, Nk)\nop \"a b\" sdpa2 q=0 k=1 v=2\n";
	struct tl_registry *r;
	struct tl_error err;
	bool one;

	if (registry_with(&r, table, strlen(table), &err)) {
		check(false, err.text);
		return;
	}
	check(!strcmp(tl_op_at(r, 0)->name, "aten::mm"), "an operator defined again keeps its place");
	check(!strcmp(tl_op_category(r, "aten::mm", NULL), "MINE"), "category=MINE");
	check(!strcmp(tl_op_category(r, "aten::bmm", NULL), "OTHER"), "category line");
	check(!strcmp(tl_op_category(r, "tritonx", NULL), "triton"), "category by prefix");
	check(!strcmp(tl_op_category(r, "foo", "void at::native::vectorized_elementwise_kernel"), "elementwise"), "category by kernel");
	check(!strcmp(tl_op_category(r, "foo", "other"), "other"), "category other");
	check(!strcmp(tl_op_find(r, "my_x")->model_name, "unary"), "prefix");
	check(!strcmp(tl_op_find(r, "my_special_x")->model_name, "binary"), "the longest prefix counts");
	one_category(r, "aten::bmm", "OTHER");       /* a category line */
	one_category(r, "aten::mm", "MINE");         /* an op line's own */
	one_category(r, "joined", "JOINED");         /* over several lines */
	check(tl_op_find(r, "joined")->moved, "row=moved on a line of its own");
	one_category(r, "my_x", "elementwise");      /* a prefix line's model */
	one_category(r, "my_special_x", "elementwise");
	one_category(r, "my_own_x", "OWN");          /* a prefix line's own */
	one_category(r, "my_own_special", "SPECIAL"); /* a category line for one of its names */
	one_category(r, "my_own_x", "OWN");
	one_category(r, "triton_poi_x", "triton");   /* built in */
	one_category(r, "triton_mine_x", "GEMM");    /* a prefix line before a category-prefix line */
	check(tl_op_find(r, "a b") != NULL, "a name with a blank");
	for (size_t i = 0; i < tl_families(r); i++)
		if (!strcmp(tl_family_at(r, i, false, &one), "CONV"))
			check(one, "family CONV one");
	tl_registry_free(r);
	printf("ok user tables add and override\n");
}

/* A chain of definitions that doubles its work at each step ends. */
static void bounded(void)
{
	struct tl_buf b = { 0 };
	struct tl_registry *r;
	struct tl_error err;
	struct tl_arena arena = { 0 };
	struct tl_perf_result res;

	tl_buf_adds(&b, "model m\n\tcategory C\n\tdef f0()=1\n");
	for (int i = 1; i < 60; i++)
		tl_buf_addf(&b, "\tdef f%d()=f%d()+f%d()\n", i, i - 1, i - 1);
	tl_buf_adds(&b, "\tflops f59()\nop x::y m\n");
	if (registry_with(&r, b.data, b.len, &err)) {
		check(false, err.text);
	} else {
		tl_perf_evaluate(r, tl_op_find(r, "x::y"), &(struct tl_perf_event){ .name = "x::y", .name_len = 4 }, NULL, false, &arena, &res);
		check(res.outcome == TL_PERF_FAILED && strstr(res.reason, "steps"), "endless work is stopped");
	}
	tl_registry_free(r);
	static const char *const endless[] = { /* lists of the same list, texts without end, in one more way */
		"\tflops sel(l44==l44,1,2)\n", "\tparam l44\n\tflops 1\n", "\tflops len(remember(\"t\",l44,1))\n",
		"\tflops len(remember(\"t\",1,l44))\n", "\tflops len(each(x,range(100),l10))\n", "\tflops len(cat(l15,l15))\n",
		"\tlet t=join(\"abcdefgh\",each(x,range(60000),\"\"))\n\tdef f(a)=has(lower(a),lower(a))+has(lower(a),lower(a))\n\tflops f(t)+f(t)+f(t)\n",
		"\tlet t=join(\"\",each(x,range(16000),\"abcdefghijklmnop\"))\n\tflops len(each(x,range(12),has(join(\"\",(t,)),\"z\")))\n",
	};
	for (size_t k = 0; k < sizeof endless / sizeof *endless; k++) {
		struct tl_perf_memory *mem = tl_memory_new();
		tl_buf_clear(&b);
		tl_buf_adds(&b, "model m\n\tcategory C\n\tlet l0=[1,1]\n");
		for (int i = 1; i < 45; i++)
			tl_buf_addf(&b, "\tlet l%d=[l%d,l%d]\n", i, i - 1, i - 1);
		tl_buf_addf(&b, "%sop x::y m\n", endless[k]);
		if (registry_with(&r, b.data, b.len, &err)) {
			check(false, err.text);
		} else {
			tl_perf_evaluate(r, tl_op_find(r, "x::y"), &(struct tl_perf_event){ .name = "x::y", .name_len = 4 }, mem, false, &arena, &res);
			check(res.outcome == TL_PERF_FAILED && (strstr(res.reason, "steps") || strstr(res.reason, "65536 items")), endless[k]);
		}
		tl_registry_free(r);
		tl_arena_clear(&arena);
		tl_memory_free(mem);
	}
	tl_arena_release(&arena);
	tl_buf_release(&b);
	printf("ok work is bounded\n");
}

static const struct tl_value *one_arg(void *ctx, const char *key)
{
	return !strcmp(key, "k") ? ctx : NULL;
}

/* What is remembered outlives the event that it came from. */
static void kept(void)
{
	static const char table[] = "model a\n\tcategory A\n\tlet w=remember(\"t\",1,arg(\"k\"))\n\tparam w\n\tflops 1\n"
		"model b\n\tcategory B\n\tparam v=recall(\"t\",1)\n\tflops 1\nop x::a a\nop x::b b\n";
	static const char *const values[] = { "{'a': 'bbbbb', 'c': [1, 2]}", "123456789012345678901234567890123456789012345678901234", "'text'", "None" };
	static const char *const json[] = { "{\"a\":\"bbbbb\",\"c\":[1,2]}", "123456789012345678901234567890123456789012345678901234", "\"text\"", "null" };
	struct tl_registry *r;
	struct tl_error err;

	if (registry_with(&r, table, strlen(table), &err)) {
		check(false, err.text);
		return;
	}
	for (size_t i = 0; i < sizeof json / sizeof *json; i++) {
		struct tl_arena arena = { 0 };
		struct tl_perf_memory *mem = tl_memory_new();
		struct tl_perf_result res;
		struct tl_value v;
		struct tl_buf b = { 0 };
		struct tl_perf_event ev = { .name = "x::a", .name_len = 4, .arg = one_arg, .ctx = &v };
		tl_value_parse(&arena, json[i], strlen(json[i]), &v, NULL);
		tl_perf_evaluate(r, tl_op_find(r, "x::a"), &ev, mem, false, &arena, &res);
		tl_arena_release(&arena);
		arena = (struct tl_arena){ 0 };
		ev.ctx = NULL;
		tl_perf_evaluate(r, tl_op_find(r, "x::b"), &ev, mem, false, &arena, &res);
		if (res.outcome == TL_PERF_OK)
			tl_value_repr(&b, &res.params[0].value, false);
		check(b.data && !strcmp(b.data, values[i]), values[i]);
		tl_buf_release(&b);
		tl_memory_free(mem);
		tl_arena_release(&arena);
	}
	tl_registry_free(r);
	printf("ok what is remembered\n");
}

/* Nobody adds a model without showing what it makes of a few shapes. */
static void own_vectors(const struct tl_registry *r, struct counts *c)
{
	enum { LEAST = 3 };
	struct tl_buf b = { 0 };
	char what[200];

	for (size_t i = 0; i < tl_models(r); i++) {
		tl_buf_clear(&b);
		tl_model_describe(r, i, &b);
		size_t len = strcspn(b.data, "\t");
		uint32_t id = tl_strtab_find(&c->names, b.data, len);
		snprintf(what, sizeof what, "model %.*s has %zu vectors in tests/vectors/models.tsv; at least %d are expected",
		         (int)(len > 60 ? 60 : len), b.data, id ? c->n[id] : 0, LEAST);
		check(id && c->n[id] >= LEAST, what);
	}
	tl_buf_release(&b);
	printf("ok every model has vectors\n");
}

static void root_vectors(const struct tl_registry *r, const char *name, bool own, struct counts *counts)
{
	struct tl_buf path = { 0 };
	const char *root = getenv("TL_ROOT");

	tl_buf_addf(&path, "%s/%s", root ? root : ".", name);
	vectors(r, path.data, own, counts);
	tl_buf_release(&path);
}

/* The operators that the reference has no model of; counts: those of the others. */
static void more_vectors(struct counts *counts)
{
	struct tl_registry *r;
	struct tl_error err;

	if (tl_registry_new(&r, true, NULL, 0, &err)) {
		check(false, err.text);
		return;
	}
	root_vectors(r, "tests/vectors/more-ops.tsv", true, counts);
	own_vectors(r, counts);
	tl_registry_free(r);
}

/* What an architecture says of itself. */
static void architectures(void)
{
	static const char own[] = "name\tmem_bw_gbps\tcache_mb\tmatrix_tf32\tvector_fp32\tbasis\tsource\thost_gbps\tpeer_gbps\nx\t10\t2\t30\t4\tguess\tme\t5\t6\n";
	static const char json[] = "{\"mem_bw_gbps\":10,\"host_gbps\":5,\"peer_gbps\":6.5,\"max_achievable_tflops\":{}}";
	struct tl_arch *a;
	struct tl_error err;

	check(tl_arch_by_name(&a, "mi300x", &err) == TL_OK, "a built-in architecture is found");
	check(!strcmp(a->name, "MI300X"), "its name is that of the table");
	check(!strcmp(a->basis, "achievable") && strstr(a->source, "TraceLens"), "its numbers are achievable");
	check(a->cache == 256 * 1048576.0, "its cache is known");
	tl_arch_free(a);
	check(tl_arch_from_text(&a, "own", own, strlen(own), &err) == TL_OK, "a table is read");
	check(!strcmp(a->basis, "guess") && !strcmp(a->source, "me"), "its labels are kept");
	check(a->bandwidth == 10 && a->cache == 2 * 1048576.0, "its bandwidth and cache are no peaks");
	check(a->host == 5 && a->peers == 6, "its links are no peaks");
	check(a->n_peaks == 2 && !strcmp(a->peaks[0].spec, "matrix_tf32") && a->peaks[0].tflops == 30 &&
	      !strcmp(a->peaks[1].spec, "vector_fp32"), "its peaks are listed");
	tl_arch_free(a);
	check(tl_arch_from_text(&a, "own", json, strlen(json), &err) == TL_OK, "JSON is read");
	check(a->bandwidth == 10 && a->host == 5 && a->peers == 6.5 && !a->cache, "its links are, too");
	tl_arch_free(a);
}

/* Lines of tests/vectors/NAME; calls one(cells) for each. */
static void examples(const char *name, bool (*one)(const struct tl_registry *, char **cells), const struct tl_registry *r)
{
	enum { CELLS = 9 };
	const char *root = getenv("TL_ROOT");
	struct tl_buf path = { 0 };
	char *line = NULL;
	size_t cap = 0, n = 0, bad = 0;

	tl_buf_addf(&path, "%s/tests/vectors/%s", root ? root : ".", name);
	FILE *f = fopen(path.data, "r");
	while (f && getline(&line, &cap, f) > 0) {
		char *cells[CELLS] = { 0 }, *s = line;
		line[strcspn(line, "\n")] = 0;
		for (size_t i = 0; i < CELLS; i++)
			cells[i] = s ? strsep(&s, "\t") : line + strlen(line);
		if (*line == '#')
			continue;
		n++;
		if (!one(r, cells)) {
			bad++;
			printf("  %s: %s %s\n", name, cells[0], cells[1]);
		}
	}
	check(n && !bad, name);
	printf("ok %s: %zu of %zu examples\n", name, n - bad, n);
	free(line);
	if (f)
		fclose(f);
	tl_buf_release(&path);
}

/* Is the architecture of the device, with so many units, the one of that name? */
static bool fits_device(const char *device, int64_t units, const char *name)
{
	struct tl_buf b = { 0 };
	bool fits = tl_arch_for_device(device, units, &b) && !strcmp(b.data, name);

	tl_buf_release(&b);
	return fits;
}

/* Architecture, device, units, basis, bandwidth, cache, link to the host, links to other GPUs, peaks. */
static bool architecture_is(const struct tl_registry *r, char **c)
{
	int64_t units = atoi(c[2]);
	bool ok = !strcmp(c[1], "-") || (fits_device(c[1], units, c[0]) && fits_device(c[1], 0, c[0]) &&
	                                 !fits_device(c[1], units + 1, c[0]) && !fits_device(c[1], units - 1, c[0]));
	struct tl_buf b = { 0 };
	struct tl_arch *a;
	struct tl_error err;

	(void)r;
	if (!strcmp(c[0], "name")) /* the header */
		return true;
	if (tl_arch_by_name(&a, c[0], &err))
		return false;
	for (size_t i = 0; i < a->n_peaks; i++)
		tl_buf_addf(&b, "%s%s %.15g", i ? ", " : "", a->peaks[i].spec, a->peaks[i].tflops);
	ok = ok && !strcmp(a->name, c[0]) && !strcmp(a->basis, c[3]) && a->bandwidth == atof(c[4]) &&
	     a->cache == atof(c[5]) * 1048576 && a->host == atof(c[6]) && a->peers == atof(c[7]) &&
	     !strcmp(tl_buf_text(&b), c[8]);
	tl_arch_free(a);
	tl_buf_release(&b);
	return ok;
}

/* Row, GPU, its SMs, its capability in tenths, the peaks that are estimated. */
static bool is_estimated_so(const struct tl_registry *r, char **c)
{
	struct tl_arch *a = tl_arch_estimate(c[1], atoi(c[2]), atoi(c[3]));
	struct tl_buf b = { 0 };

	(void)r;
	for (size_t i = 0; a && i < a->n_peaks; i++)
		tl_buf_addf(&b, "%s%s %.4g", i ? ", " : "", a->peaks[i].spec, a->peaks[i].tflops);
	bool ok = !strcmp(a ? tl_buf_text(&b) : "-", c[4]) && (!a || (!strcmp(a->basis, TL_ARCH_ESTIMATED) && !(a->bandwidth > 0)));
	if (!ok)
		printf("%s: got %s, expected %s\n", c[1], tl_buf_text(&b), c[4]);
	tl_arch_free(a);
	tl_buf_release(&b);
	return ok;
}

/* What the data sheets of GPUs that are listed say is estimated within 5 %. */
static void estimates_agree(void)
{
	static const struct { const char *name, *device; int64_t units, capability; const char *spec; } listed[] = {
		{ "RTX-3090", "NVIDIA GeForce RTX 3090", 82, 86, "matrix_fp16" }, { "RTX-4090", "NVIDIA GeForce RTX 4090", 128, 89, "matrix_fp8" },
		{ "RTX-5090", "NVIDIA GeForce RTX 5090", 170, 120, "matrix_fp32" }, { "A10", "NVIDIA A10", 72, 86, "matrix_tf32" },
		{ "T4", "Tesla T4", 40, 75, "matrix_fp16" }, { "A100-40GB", "NVIDIA A100-SXM4-40GB", 108, 80, "matrix_tf32" },
		{ "H100-SXM", "NVIDIA H100 80GB HBM3", 132, 90, "matrix_bf16" }, { "B200", "NVIDIA B200", 148, 100, "matrix_fp8" },
		{ "L40S", "NVIDIA L40S", 142, 89, "matrix_fp16" }, { "V100", "Tesla V100-SXM2-16GB", 80, 70, "matrix_fp16" },
	};

	for (size_t i = 0; i < sizeof listed / sizeof *listed; i++) {
		struct tl_arch *sheet, *estimate = tl_arch_estimate(listed[i].device, listed[i].units, listed[i].capability);
		struct tl_error err;
		bool known = tl_arch_by_name(&sheet, listed[i].name, &err) == TL_OK && estimate;
		check(known && fabs(tl_arch_peak(estimate, listed[i].spec) / tl_arch_peak(sheet, listed[i].spec) - 1) < 0.05, listed[i].device);
		tl_arch_free(sheet);
		tl_arch_free(estimate);
	}
}

/* Row, body of the name of a kernel, the operators that it lists. */
static bool body_lists(const struct tl_registry *r, char **c)
{
	struct tl_buf name = { 0 }, want = { 0 };
	struct tl_arena arena = { 0 };
	struct tl_perf_result res;
	struct event e;

	tl_buf_addf(&name, "triton_poi_fused_%s_0", c[1]);
	for (char *op; (op = strsep(&c[2], " "));)
		tl_buf_addf(&want, "%saten.%s", want.len ? ", " : "", op);
	bool ok = load(&arena, name.data, "{\"Input Dims\":[[2]],\"Input type\":[\"c10::Float\"],\"Concrete Inputs\":[\"\",\"2\"]}", "[]", &e);
	if (ok)
		tl_perf_evaluate(r, tl_op_find(r, name.data), &e.ev, NULL, false, &arena, &res);
	ok = ok && res.outcome == TL_PERF_OK && tl_text_is(res.params[0].value.text, res.params[0].value.len, tl_buf_text(&want));
	tl_arena_release(&arena);
	tl_buf_release(&name);
	tl_buf_release(&want);
	return ok;
}

int main(int argc, char **argv)
{
	struct tl_registry *r;
	struct tl_error err;

	if (tl_registry_new(&r, false, NULL, 0, &err)) {
		printf("FAIL built-in tables: %s\n", err.text);
		return 1;
	}
	if (argc > 1) {
		vectors(r, argv[1], false, NULL);
	} else {
		root_vectors(r, "../shared/spec/models-examples.tsv", false, NULL);
		struct counts counts = { 0 };
		root_vectors(r, "tests/vectors/models.tsv", true, &counts);
		root_vectors(r, "tests/vectors/ops.tsv", true, NULL);
		own_vectors(r, &counts);
		more_vectors(&counts);
		examples("arch.tsv", architecture_is, r);
		examples("arch-sm.tsv", is_estimated_so, r);
		estimates_agree();
		examples("aten-ops.tsv", body_lists, r);
		tl_strtab_release(&counts.names);
		free(counts.n);
		language();
	annotations();
		tables();
		blame();
		family_names();
		overrides();
		bounded();
		kept();
		architectures();
	}
	tl_registry_free(r);
	printf("%s perf: %d of %d checks\n", failures ? "FAIL" : "ok", checks - failures, checks);
	return failures != 0;
}
