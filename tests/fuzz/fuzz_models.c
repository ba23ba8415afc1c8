/* fuzz_models.c - hostile tables of operators and models, and hostile arguments
 * for the built-in ones: text that begins with '{' is the arguments of an event,
 * all else a table. A table is refused with a message or its operators can be
 * evaluated; a result is of one of three kinds.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "perf/perf.h"

static const char usual[] = "{\"Input Dims\":[[2,3],[3,4,5],[],null,[4]],\"Input type\":[\"float\",\"c10::BFloat16\",\"\"],"
	"\"Input Strides\":[[3,1],[20,5,1]],\"Concrete Inputs\":[\"\",\"[1, 2]\",\"7\",\"True\",\"0.5\"],\"Sequence number\":4}";

static const struct tl_value *arg(void *ctx, const char *key)
{
	return tl_value_member(ctx, key);
}

static void evaluate_all(const struct tl_registry *r, const char *json, size_t len, size_t from)
{
	static const char *const kernels[] = { "Cijk_Alik_Bljk_x", "nvjet_TNT" };
	struct tl_perf_memory *memory = tl_memory_new();
	struct tl_arena arena = { 0 };
	struct tl_value args;

	for (size_t i = from; tl_op_at(r, i) && !tl_value_parse(&arena, json, len, &args, NULL); i++) {
		const char *name = tl_op_at(r, i)->name;
		const struct tl_perf_op *op = tl_op_find(r, name);
		struct tl_perf_result res;
		struct tl_buf text = { 0 };
		const struct tl_value *note = tl_value_member(&args, "annotation");
		struct tl_perf_event ev = {
			.name = name, .name_len = strlen(name), .dims = tl_value_member(&args, "Input Dims"), .types = tl_value_member(&args, "Input type"),
			.strides = tl_value_member(&args, "Input Strides"), .concrete = tl_value_member(&args, "Concrete Inputs"),
			.out_types = tl_value_member(&args, "Output type"), .kernels = kernels, .n_kernels = 2,
			.annotation = note && note->type == TL_V_TEXT ? note->text : NULL, .arg = arg, .ctx = &args,
		};
		tl_op_models(r, op, &ev);
		for (int backward = 0; backward < 2; backward++) {
			tl_perf_evaluate(r, op, &ev, memory, backward, &arena, &res);
			if (res.outcome > TL_PERF_DROPPED || (res.outcome != TL_PERF_OK) != (res.reason[0] != 0))
				abort();
			for (size_t p = 0; p < res.n_params; p++)
				tl_value_repr(&text, &res.params[p].value, false);
			tl_perf_explain(r, op, &ev, memory, backward, &arena, &res, &text);
		}
		tl_buf_release(&text);
		tl_arena_clear(&arena);
	}
	tl_arena_release(&arena);
	tl_memory_free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct tl_registry *builtin;
	struct tl_registry *r;
	struct tl_error err = { 0 };
	size_t n = 0;

	if (size > 20000 || (!builtin && tl_registry_new(&builtin, false, NULL, 0, &err)))
		return 0;
	if (size && data[0] == '{') {
		evaluate_all(builtin, (const char *)data, size, 0);
		return 0;
	}
	while (tl_op_at(builtin, n))
		n++;
	enum tl_status s = tl_registry_new(&r, false, &(struct tl_table_text){ "table", (const char *)data, size }, 1, &err);
	if (s && (s != TL_ERR_DATA || !err.text[0]))
		abort();
	if (!s)
		evaluate_all(r, usual, sizeof usual - 1, n);
	tl_registry_free(r);
	return 0;
}
