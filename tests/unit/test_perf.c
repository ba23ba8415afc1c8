/* test_perf.c - performance models against vectors, and the language itself.
 * Vectors: operator, arguments and kernel names as JSON, outcome, flops, bytes,
 * backward flops and bytes ("fail", "drop" or empty), compute spec, parameters.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/perf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures, checks;

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

static const struct tl_value *member(const struct tl_value *dict, const char *key)
{
	const struct tl_value *found = NULL;
	for (uint32_t i = 0; dict->type == TL_V_DICT && i + 1 < dict->len; i += 2)
		if (dict->items[i].len == strlen(key) && !memcmp(dict->items[i].text, key, strlen(key)))
			found = &dict->items[i + 1];
	return found;
}

static const struct tl_value *arg_of(void *ctx, const char *key)
{
	return member(&((struct event *)ctx)->args, key);
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
		.name = name, .name_len = strlen(name), .dims = member(&e->args, "Input Dims"),
		.types = member(&e->args, "Input type"), .strides = member(&e->args, "Input Strides"),
		.concrete = member(&e->args, "Concrete Inputs"), .out_types = member(&e->args, "Output type"),
		.kernels = e->kernels, .n_kernels = k.type == TL_V_LIST ? k.len : 0,
		.annotation = text_of(a, member(&e->args, "annotation")), .arg = arg_of, .ctx = e,
	};
	return true;
}

static void number_text(const struct tl_value *v, enum tl_perf_outcome o, char *buf, size_t size)
{
	struct tl_buf b = { 0 };
	if (o == TL_PERF_OK && v->type != TL_V_NULL)
		tl_value_repr(&b, v, false);
	snprintf(buf, size, "%s", o == TL_PERF_FAILED ? "fail" : o == TL_PERF_DROPPED ? "drop" : b.data ? b.data : "");
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

static bool vector_ok(const struct tl_registry *r, struct tl_perf_memory *mem, char **f, const char *where)
{
	struct tl_arena arena = { 0 };
	struct tl_buf params = { 0 };
	struct tl_perf_result fwd, bwd;
	struct event e;
	char t[4][64];
	bool ok = true;
	const struct tl_perf_op *op = tl_op_find(r, f[0]);

	if (!op || !op->model || !load(&arena, f[0], f[1], f[2], &e)) {
		printf("  %s: no model or broken arguments\n", where);
		tl_arena_release(&arena);
		return false;
	}
	tl_perf_evaluate(r, op, &e.ev, mem, false, &arena, &fwd);
	tl_perf_evaluate(r, op, &e.ev, mem, true, &arena, &bwd);
	static const char *const outcomes[] = { "ok", "fail", "drop" };
	ok &= same("outcome", where, outcomes[fwd.outcome], f[3]);
	if (fwd.outcome == TL_PERF_OK && ok) {
		number_text(&fwd.flops_value, fwd.outcome, t[0], sizeof t[0]);
		number_text(&fwd.bytes_value, fwd.outcome, t[1], sizeof t[1]);
		params_text(&fwd, &params);
		ok &= same("flops", where, t[0], f[4]) & same("bytes", where, t[1], f[5]) &
		      same("spec", where, fwd.spec, f[8]) & (!strcmp(f[9], "-") || same("params", where, params.data, f[9]));
		if (strcmp(f[6], "-")) {
			number_text(&bwd.flops_value, bwd.outcome, t[2], sizeof t[2]);
			number_text(&bwd.bytes_value, bwd.outcome, t[3], sizeof t[3]);
			ok &= !strcmp(f[7], "fail") && strcmp(f[6], "fail") ? same("outcome bwd", where, outcomes[bwd.outcome], "fail")
			    : same("flops_bwd", where, t[2], f[6]) & same("bytes_bwd", where, t[3], f[7]);
		}
	} else if (!ok) {
		printf("  %s: %s\n", where, fwd.reason);
	}
	tl_buf_release(&params);
	tl_arena_release(&arena);
	return ok;
}

static void vectors(const struct tl_registry *r, const char *path, bool required)
{
	FILE *file = fopen(path, "r");
	char *line = NULL, what[400];
	size_t cap = 0, n = 0, bad = 0, row = 0;
	ssize_t len;
	struct tl_perf_memory *mem = tl_memory_new();

	if (!file) {
		if (required)
			check(false, path);
		else
			printf("skip %s is not there\n", path);
		tl_memory_free(mem);
		return;
	}
	while ((len = getline(&line, &cap, file)) > 0) {
		char *f[10] = { 0 }, *s = line;
		size_t fields = 0;
		row++;
		if (line[len - 1] == '\n')
			line[len - 1] = 0;
		if (*line == '#' || !*line)
			continue;
		while (fields < 10 && s)
			f[fields++] = strsep(&s, "\t");
		while (fields < 10)
			f[fields++] = what + strlen(what);
		snprintf(what, sizeof what, "row %zu %.60s", row, f[0]);
		for (size_t i = 0; i < 10; i++)
			if (!f[i])
				f[i] = what + strlen(what);
		n++;
		bad += !vector_ok(r, mem, f, what);
	}
	snprintf(what, sizeof what, "%s: %zu of %zu vectors", path, n - bad, n);
	check(!bad && n, what);
	printf("ok %s\n", what);
	free(line);
	fclose(file);
	tl_memory_free(mem);
}

int main(int argc, char **argv)
{
	struct tl_registry *r;
	struct tl_error err;

	if (tl_registry_new(&r, &err)) {
		printf("FAIL built-in tables: %s\n", err.text);
		return 1;
	}
	for (size_t i = 0; tl_op_at(r, i); i++) {
		const struct tl_perf_op *op = tl_op_find(r, tl_op_at(r, i)->name);
		struct tl_arena arena = { 0 };
		struct tl_perf_event ev = { .name = "", .name_len = 0 };
		struct tl_perf_result res;
		tl_perf_evaluate(r, op, &ev, NULL, false, &arena, &res);
		if (!strcmp(res.reason, "the model has a mistake"))
			check(false, op->name);
		tl_arena_release(&arena);
	}
	vectors(r, "../shared/spec/models-examples.tsv", false);
	vectors(r, argc > 1 ? argv[1] : "tests/data/model-vectors.tsv", argc > 1);
	tl_registry_free(r);
	printf("%s perf: %d of %d checks\n", failures ? "FAIL" : "ok", checks - failures, checks);
	return failures != 0;
}
