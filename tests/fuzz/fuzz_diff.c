/* fuzz_diff.c - two traces compared: a hostile one with itself, or two that the bytes describe.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "compare/op_maps.h"

enum { MAX_EVENTS = 4000 };
static const struct tl_link_options links = { .python = true };

/* Makes all that a comparison makes. Returns whether the traces differ. */
static bool compare(struct tl_trace *a, struct tl_trace *b)
{
	struct tl_ancestors ancestors;
	struct tl_diff_tables tables;
	struct tl_buf text = { 0 };
	struct tl_list list = { 0 };
	struct tl_diff *d;

	if (tl_diff_new(&d, a, b, NULL) != TL_OK)
		return false;
	if (tl_tree_text(d, false, tl_null_output(), NULL) != TL_OK || tl_diff_tables_make(&tables, d, NULL) != TL_OK)
		abort();
	tl_ancestors_find(&ancestors, d);
	for (uint32_t i = 0; i < a->n_events; i++)
		tl_ancestors_of(&ancestors, i, &list);
	tl_op_map_of_trace(&text, &tables, 1);
	tl_op_names_unify(&tables);
	tl_op_map_of_both(&text, &tables);
	bool differ = !tables.identical;
	free(list.items);
	tl_buf_release(&text);
	tl_ancestors_release(&ancestors);
	tl_diff_tables_release(&tables);
	tl_diff_free(d);
	return differ;
}

/* ---- two traces that the bytes describe ------------------------------------------------------- */

struct tree { struct tl_buf json; struct { int at; uint8_t byte; } open[64]; int n_open, at, id, n; };

static void close_event(struct tree *t)
{
	int at = t->open[--t->n_open].at;
	uint8_t byte = t->open[t->n_open].byte;

	tl_buf_addf(&t->json, ",{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"n%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d,\"args\":{}}\n",
	            byte >> 2 & 1 ? "python_function" : "cpu_op", byte >> 5, at, t->at++ - at);
}

static void add_work(struct tree *t, uint8_t byte)
{
	static const char *const calls[] = { "cudaLaunchKernel", "cudaGraphLaunch", "cuLaunchKernel", "hipLaunchKernel" };

	t->id++;
	tl_buf_addf(&t->json, ",{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1,"
	            "\"args\":{\"correlation\":%d}}\n", calls[byte >> 3 & 3], t->at, t->id);
	tl_buf_addf(&t->json, ",{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"k%d\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":1,"
	            "\"args\":{\"correlation\":%d,\"stream\":7}}\n", byte >> 7 ? "gpu_memcpy" : "kernel", byte >> 5, t->at + 5, t->id);
	t->at += 2;
}

static void add_event(struct tree *t, uint8_t byte)
{
	if (t->n++ > MAX_EVENTS)
		return;
	if ((byte & 3) == 3) {
		add_work(t, byte);
	} else if ((byte & 3) == 0 && t->n_open) {
		close_event(t);
	} else if (t->n_open < 64) {
		t->open[t->n_open].at = t->at++;
		t->open[t->n_open++].byte = byte;
	}
}

static struct tl_trace *end_tree(struct tree *t)
{
	while (t->n_open)
		close_event(t);
	tl_buf_adds(&t->json, "]}");
	struct tl_trace *trace = fuzz_trace(t->json.data, t->json.len, &links);
	tl_buf_release(&t->json);
	if (!trace)
		abort();
	return trace;
}

/* Each pair of bytes is an event; the first byte says of which trace. */
static void compare_trees(const uint8_t *data, size_t size)
{
	struct tl_trace *traces[3];
	struct tree trees[3] = { { .n = 0 } };

	for (int s = 0; s < 3; s++)
		tl_buf_adds(&trees[s].json, "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,"
		            "\"ts\":1,\"dur\":1,\"args\":{}}\n");
	for (size_t i = 0; i + 1 < size; i += 2)
		for (int s = 0; s < 3; s++)
			if (data[i] % 5 != 1 + (s == 1)) /* the third one is the first again */
				add_event(&trees[s], data[i + 1]);
	for (int s = 0; s < 3; s++)
		traces[s] = end_tree(&trees[s]);
	compare(traces[0], traces[1]);
	if (compare(traces[0], traces[2]))
		abort(); /* a trace is like itself */
	for (int s = 0; s < 3; s++)
		tl_trace_free(traces[s]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size && *data != '{' && *data != 't') {
		compare_trees(data, size);
		return 0;
	}
	struct tl_trace *a = fuzz_trace(data, size, &links), *b = fuzz_trace(data, size, &links);
	if (a && b)
		compare(a, b);
	tl_trace_free(a);
	tl_trace_free(b);
	return 0;
}
