/* op-cost - prints the work of an operator with given arguments, and the least time
 * that a GPU needs for it: an example of a call of the performance models.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
 *
 *   cc op-cost.c $(pkg-config --cflags --libs tl) -o op-cost
 *   ./op-cost aten::mm '[[4096, 1024], [1024, 512]]' '["c10::BFloat16", "c10::BFloat16"]' H100-SXM
 */
#include <tl.h>

#include <stdio.h>
#include <string.h>

static int failed(const char *text)
{
	fprintf(stderr, "op-cost: error: %s\n", text);
	return 1;
}

static void print_cost(const struct tl_perf_result *cost, const struct tl_arch *arch)
{
	double peak = tl_arch_peak(arch, cost->spec), bandwidth = tl_arch_bandwidth(arch);
	double compute_us = peak > 0 ? cost->flops / peak / 1e6 : 0;
	double memory_us = bandwidth > 0 ? cost->bytes / bandwidth / 1e3 : 0;

	printf("operations\t%.0f\nbytes\t%.0f\nspec\t%s\n", cost->flops, cost->has_bytes ? cost->bytes : 0, cost->spec);
	printf("least time us\t%.3f\n", compute_us > memory_us ? compute_us : memory_us);
}

int main(int argc, char **argv)
{
	struct tl_registry *registry = NULL;
	struct tl_arch *arch = NULL;
	struct tl_arena arena = { 0 };
	struct tl_value dims, types;
	struct tl_error err;
	int status = 1;

	if (argc != 5)
		return failed("expected: operator, shapes, types, GPU");
	if (tl_registry_new(&registry, NULL, 0, &err) != TL_OK || tl_arch_by_name(&arch, argv[4], &err) != TL_OK ||
	    tl_value_parse(&arena, argv[2], strlen(argv[2]), &dims, &err) != TL_OK ||
	    tl_value_parse(&arena, argv[3], strlen(argv[3]), &types, &err) != TL_OK) {
		failed(err.text);
	} else {
		const struct tl_perf_op *op = tl_op_find(registry, argv[1]);
		struct tl_perf_event event = { .name = argv[1], .name_len = strlen(argv[1]), .dims = &dims, .types = &types };
		struct tl_perf_result cost = { .outcome = TL_PERF_FAILED, .reason = "no model for this operator" };

		if (op)
			tl_perf_evaluate(registry, op, &event, NULL, false, &arena, &cost);
		status = cost.outcome != TL_PERF_OK;
		if (status)
			failed(cost.reason);
		else
			print_cost(&cost, arch);
	}
	tl_arch_free(arch);
	tl_registry_free(registry);
	tl_arena_release(&arena);
	return status;
}
