/* test_retime.c - times of the graph of a path: found again as they are, and with an edge that takes longer.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/memory_io.h"
#include "check.h"
#include "work/link.h"
#include "model/trace.h"
#include "path/graph.h"
#include "tl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint32_t draw(uint64_t *random, uint32_t n)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*random >> 33) % n;
}

/* A host that launches work on three streams, which start their work in order, and waits for a stream now and then. */
static void write_trace(struct tl_buf *b, uint64_t random)
{
	enum { STREAMS = 3, OPERATORS = 150 };
	int64_t free_at[STREAMS] = { 0 }, now = 0;

	tl_buf_adds(b, "{\"traceEvents\":[\n");
	for (int i = 0; i < OPERATORS; i++) {
		int stream = (int)draw(&random, STREAMS);
		int64_t call = now + draw(&random, 20), end = call + 3 + draw(&random, 5), k = end + draw(&random, 9);
		k = k > free_at[stream] ? k : free_at[stream] + draw(&random, 3);
		free_at[stream] = k + draw(&random, 60);
		tl_buf_addf(b, "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":%" PRId64 ",\"dur\":%" PRId64
		            ",\"args\":{\"correlation\":%d}},\n", call, end - call, i);
		tl_buf_addf(b, "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%d\",\"pid\":0,\"tid\":%d,\"ts\":%" PRId64 ",\"dur\":%" PRId64
		            ",\"args\":{\"correlation\":%d,\"stream\":%d,\"device\":0}},\n", i % 7, stream, k, free_at[stream] - k, i, stream);
		if (!draw(&random, 12)) {
			int64_t until = (free_at[stream] > end ? free_at[stream] : end) + 2;
			tl_buf_addf(b, "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaStreamSynchronize\",\"pid\":1,\"tid\":1,\"ts\":%" PRId64
			            ",\"dur\":%" PRId64 ",\"args\":{\"correlation\":%d}},\n", end + 1, until - end - 1, OPERATORS + i);
			end = until;
		}
		tl_buf_addf(b, "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op%d\",\"pid\":1,\"tid\":1,\"ts\":%" PRId64 ",\"dur\":%" PRId64 ",\"args\":{}},\n",
		            i % 5, now, end + 1 - now);
		now = end + 1 + draw(&random, 4);
	}
	tl_buf_adds(b, "{\"ph\":\"M\",\"name\":\"end\",\"pid\":1}]}");
}

static struct tl_trace *make_trace(uint64_t random)
{
	struct tl_buf b = { 0 };
	struct tl_read_options options = { 0 };
	struct tl_read_report report = { 0 };
	struct tl_error err = { .text = "" };
	struct tl_trace *t;
	struct tl_sink *sink = tl_trace_sink_new(&t, NULL), *linker = tl_linker_new(sink, NULL);

	write_trace(&b, random);
	struct tl_memory_input in = tl_memory_input("memory", b.data, b.len);
	check("the trace is read", tl_read(&in.in, &options, linker, &report, &err) == TL_OK);
	tl_linker_free(linker);
	tl_trace_sink_free(sink);
	tl_buf_release(&b);
	return t;
}

static void check_times(const struct tl_path_graph *g, const int64_t *slack)
{
	int64_t *times = tl_alloc(g->n_nodes * sizeof *times);
	bool same = true, none_below = true, none_on_path = true;
	size_t n;
	struct tl_path_step *steps = tl_longest(g, &n);

	tl_retime(g, NULL, times);
	for (size_t v = 0; v < g->n_nodes; v++) {
		same = same && times[v] == g->nodes[v].at;
		none_below = none_below && slack[v] >= 0;
	}
	for (size_t i = 0; i < n; i++)
		none_on_path = none_on_path && !slack[steps[i].to];
	check("every node's time comes back", same);
	check("no slack is below 0", none_below);
	check("there is none on the path", none_on_path && n > 100);
	free(steps);
	free(times);
}

/* Longer by its slack, an edge changes nothing; by more, the end comes later by the rest. */
static void check_longer(const struct tl_path_graph *g, const int64_t *slack)
{
	int64_t *times = tl_alloc(g->n_nodes * sizeof *times), *less = tl_calloc(g->n_edges, sizeof *less);
	size_t wrong = 0, off_path = 0;

	for (uint32_t v = 1; v < g->n_nodes; v++)
		for (uint32_t e = g->nodes[v].in; e != TL_NONE; e = g->edges[e].next) {
			int64_t spare = slack[v] + g->nodes[v].at - g->nodes[g->edges[e].from].at - g->edges[e].delay;
			off_path += spare > 0;
			less[e] = -spare;
			tl_retime(g, less, times);
			wrong += times[g->sink] != g->window.end;
			less[e] = -spare - 7;
			tl_retime(g, less, times);
			wrong += times[g->sink] != g->window.end + 7;
			less[e] = 0;
		}
	check("longer by its slack an edge changes nothing, by more the rest", !wrong);
	check("some edges have slack", off_path > 100);
	free(times);
	free(less);
}

/* Edges that take less never make the path longer, nor shorter by more than what all of them lose. */
static void check_shorter(const struct tl_path_graph *g, uint64_t random)
{
	int64_t *times = tl_alloc(g->n_nodes * sizeof *times), *less = tl_calloc(g->n_edges, sizeof *less), before = g->window.end, all = 0;
	bool shorter = true, no_more = true;

	for (int round = 0; round < 200; round++) {
		uint32_t e = draw(&random, (uint32_t)g->n_edges);
		all += g->edges[e].delay - less[e];
		less[e] = g->edges[e].delay;
		tl_retime(g, less, times);
		shorter = shorter && times[g->sink] <= before;
		no_more = no_more && g->window.end - times[g->sink] <= all;
		before = times[g->sink];
	}
	check("what takes less does not make the path longer", shorter && before < g->window.end);
	check("nor shorter by more than that", no_more);
	free(times);
	free(less);
}

int main(void)
{
	for (uint64_t random = 1; random <= 3; random++) {
		struct tl_trace *t = make_trace(random);
		struct tl_path_graph g;
		struct tl_error err = { .text = "" };
		check("there is a path", tl_path_graph_make(&g, t, &(struct tl_path_options){ .step = -1 }, &err) == TL_OK);
		int64_t *slack = tl_path_slack(&g);
		check_times(&g, slack);
		check_longer(&g, slack);
		check_shorter(&g, random);
		free(slack);
		tl_path_graph_release(&g);
		tl_trace_free(t);
	}
	return failures != 0;
}
