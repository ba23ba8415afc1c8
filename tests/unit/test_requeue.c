/* test_requeue.c - times of a trace found again: exactly, and with work that takes less time or a host that does less.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/requeue.h"
#include "base/memory_io.h"
#include "check.h"
#include "work/link.h"
#include "model/trace.h"
#include "tl.h"

#include <stdlib.h>
#include <string.h>

/* ---- traces ------------------------------------------------------------------------------------------------ */

static struct tl_buf text;
static int number; /* of the last call */

static void add(const char *category, const char *name, int pid, int tid, double ts, double dur, int id)
{
	tl_buf_addf(&text, "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%.1f,\"dur\":%.1f,\"args\":{\"correlation\":%d,"
	            "\"stream\":%d,\"device\":0}}", text.len ? ",\n" : "{\"traceEvents\":[\n", category, name, pid, tid, ts, dur, id, tid);
}

/* A call of a thread, and the kernels that it launches. */
static void call(int tid, double ts, double dur, const char *name)
{
	add("cuda_runtime", name, 1, tid, ts, dur, ++number);
}

static void kernel(int stream, double ts, double dur)
{
	add("kernel", "k", 0, stream, ts, dur, number);
}

static void launch(double ts, double start, double dur)
{
	call(1, ts, 5, "cudaLaunchKernel");
	kernel(7, start, dur);
}

static struct tl_trace *read_trace(void)
{
	struct tl_read_options options = { 0 };
	struct tl_read_report report = { 0 };
	struct tl_error err = { .text = "" };
	struct tl_trace *t;
	struct tl_sink *sink = tl_trace_sink_new(&t, NULL), *linker = tl_linker_new(sink, NULL);

	tl_buf_adds(&text, "\n]}");
	struct tl_memory_input in = tl_memory_input("memory", text.data, text.len);
	check("the trace is read", tl_read(&in.in, &options, linker, &report, &err) == TL_OK);
	tl_linker_free(linker);
	tl_trace_sink_free(sink);
	tl_buf_release(&text);
	text = (struct tl_buf){ 0 };
	return t;
}

static uint32_t draw(uint64_t *random, uint32_t n)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*random >> 33) % n;
}

/* Two threads that launch work on three streams, of which one runs graphs whose nodes overlap; each waits now and then, and so does a
 * thread that launches nothing. */
static struct tl_trace *random_trace(uint64_t random)
{
	static const char *const waits[] = { "cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize", "cudaMemcpy" };
	double now[4] = { 0 }, busy[3] = { 0 }, last = 0;

	for (int i = 0; i < 150; i++) {
		unsigned tid = draw(&random, 2), stream = draw(&random, 3);
		double at = now[tid] + draw(&random, 300) / 10.0, dur = 3 + draw(&random, draw(&random, 20) ? 90 : 9000) / 10.0;
		call((int)tid + 1, at, dur, stream ? "cudaLaunchKernel" : "cudaGraphLaunch");
		now[tid] = at + dur;
		at += draw(&random, 60) / 10.0;
		at = at > busy[stream] ? at : busy[stream] + draw(&random, 30) / 10.0;
		for (unsigned k = 0; k < (stream ? 1 : 5); k++) {
			double length = draw(&random, draw(&random, 9) ? 400 : 4000) / 10.0;
			kernel((int)stream, at, length);
			busy[stream] = at + length;
			at = busy[stream] - .1;
		}
		last = busy[stream] > last ? busy[stream] : last;
		unsigned waiter = draw(&random, 3);
		if (draw(&random, 10))
			continue;
		double end = (last > now[waiter] ? last : now[waiter]) + 2;
		call((int)waiter + 1, now[waiter], end - now[waiter], waits[draw(&random, 4)]);
		now[waiter] = end;
	}
	return read_trace();
}

/* ---- runs ------------------------------------------------------------------------------------------------------ */

struct asked { struct tl_trace *t; struct tl_requeue queue; int64_t *less; bool *may_go; bool without[8]; };

/* A trace with pieces of thread 1. */
static struct asked ask(struct tl_trace *t, const struct tl_span *pieces, size_t n)
{
	struct asked a = { .t = t, .less = tl_calloc(t->n_events + 1, sizeof *a.less), .may_go = tl_calloc(t->n_events + 1, 1) };
	struct tl_host_piece items[8];
	struct tl_span window = { 0, INT64_MAX };

	for (size_t i = 0; i < n; i++)
		items[i] = (struct tl_host_piece){ pieces[i].start * t->ticks_per_us, pieces[i].end * t->ticks_per_us, t->events[0].track, 0 };
	memset(a.may_go, 1, t->n_events);
	tl_requeue_init(&a.queue, t, tl_devices_of(t), &window, items, n, a.may_go);
	return a;
}

/* The ticks saved, as tenths of us. */
static int64_t saved(struct asked *a)
{
	return tl_requeue_run(&a->queue, a->less, a->without) * 10 / a->t->ticks_per_us;
}

static void less_of_kernel(struct asked *a, unsigned number_of_kernel, double us)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < a->t->n_events; i++)
		if (a->t->events[i].kind == TL_KIND_KERNEL && n++ == number_of_kernel)
			a->less[tl_trace_gpu(a->t, i)] = (int64_t)(us * (double)a->t->ticks_per_us);
}

static void done(struct asked *a)
{
	tl_requeue_release(&a->queue);
	tl_trace_free(a->t);
	free(a->less);
	free(a->may_go);
}

static bool is_itself(struct asked *a)
{
	bool same = tl_requeue_run(&a->queue, NULL, NULL) == 0;

	for (uint32_t i = 0; i < a->t->n_events; i++) {
		uint32_t node = tl_kind_is_gpu(a->t->events[i].kind) ? a->queue.node_of[tl_trace_gpu(a->t, i)] : TL_NONE;
		same = same && (node == TL_NONE || (a->queue.starts[node] == a->t->events[i].ts && a->queue.ends[node] == a->t->events[i].ts + a->t->events[i].dur));
	}
	return same;
}

static void check_random_traces(void)
{
	bool same = true, more = true, bounded = true, rises = true, pieces = true;

	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct tl_span idle[] = { { 100, 150 }, { 120, 180 }, { 500, 600 } };
		struct asked a = ask(random_trace(seed), idle, 3);
		uint64_t random = seed;
		int64_t before = 0, all = 0;
		same = same && is_itself(&a);
		for (int round = 0; round < 8; round++) {
			for (uint32_t i = 0; i < a.t->n_events; i++) {
				uint32_t gpu = tl_trace_gpu(a.t, i);
				if (!tl_kind_is_gpu(a.t->events[i].kind) || a.queue.node_of[gpu] == TL_NONE)
					continue;
				int64_t cut = draw(&random, 4) ? 0 : (a.t->events[i].dur - a.less[gpu]) / (1 + draw(&random, 3));
				a.less[gpu] += cut;
				all += cut;
			}
			int64_t now = tl_requeue_run(&a.queue, a.less, NULL);
			more = more && now >= before;
			bounded = bounded && now <= all;
			before = now;
		}
		a.without[0] = a.without[2] = true;
		int64_t with = tl_requeue_run(&a.queue, a.less, a.without);
		rises = rises && with >= before;
		a.without[1] = true;
		pieces = pieces && tl_requeue_run(&a.queue, a.less, a.without) >= with && tl_requeue_run(&a.queue, NULL, a.without) <= 180 * a.t->ticks_per_us;
		done(&a);
	}
	check("without a change all times are those of the trace", same);
	check("more less never saves less", more);
	check("no more is saved than work takes less", bounded);
	check("a host that does less never saves less", rises);
	check("pieces that overlap count once", pieces);
}

static void check_hidden_kernel(void)
{
	launch(0, 10, 100);
	launch(200, 210, 100);
	struct asked a = ask(read_trace(), NULL, 0);
	less_of_kernel(&a, 0, 90);
	check("a kernel behind which the next launch comes later saves nothing", saved(&a) == 0);
	less_of_kernel(&a, 1, 40);
	check("the last one saves all", saved(&a) == 400);
	done(&a);
}

static void check_graph(void)
{
	call(1, 0, 5, "cudaGraphLaunch");
	for (int i = 0; i < 20; i++)
		kernel(7, 10 + i * 9.9, 10);
	struct asked a = ask(read_trace(), NULL, 0);
	for (unsigned i = 0; i < 20; i++)
		less_of_kernel(&a, i, 5);
	check("kernels of a graph that overlap by 0.1 us follow each other", saved(&a) == 1000);
	done(&a);
}

/* Thread 1 launches a step when thread 2 has seen the end of the one before. */
static void check_other_thread(void)
{
	launch(0, 10, 500);
	call(2, 20, 495, "cudaEventSynchronize");
	launch(520, 530, 500);
	struct asked a = ask(read_trace(), NULL, 0);
	less_of_kernel(&a, 0, 200);
	check("what another thread waits for lets launches come earlier", saved(&a) == 2000);
	done(&a);
}

/* The host waits for a kernel before it launches the next one, and is busy in between. */
static void check_wait(void)
{
	struct tl_span busy[] = { { 520, 570 } };

	launch(0, 10, 500);
	call(1, 20, 500, "cudaStreamSynchronize");
	launch(570, 580, 500);
	struct asked a = ask(read_trace(), busy, 1);
	less_of_kernel(&a, 0, 500);
	check("a call that waits returns behind its own start at best", saved(&a) == 4980);
	less_of_kernel(&a, 0, 0);
	a.without[0] = true;
	check("what the host does behind a wait is saved", saved(&a) == 500);
	done(&a);
}

static void check_blocking(void)
{
	call(1, 0, 520, "cudaLaunchKernel");
	kernel(7, 10, 500);
	launch(530, 540, 100);
	struct asked a = ask(read_trace(), NULL, 0);
	less_of_kernel(&a, 0, 200);
	check("a launch that lasts as long as its kernel waits for it", saved(&a) == 2000);
	done(&a);
}

static void check_gone(void)
{
	for (int i = 0; i < 10; i++)
		launch(i * 20, 10 + i * 20, 2);
	struct asked a = ask(read_trace(), NULL, 0);
	for (unsigned i = 1; i < 9; i++)
		less_of_kernel(&a, i, 2);
	check("kernels that take no time are still launched", saved(&a) == 0);
	for (uint32_t i = 0; i < a.t->n_events; i++)
		a.less[i] = a.less[i] ? TL_REQUEUE_GONE : 0;
	check("those that are gone take their launches with them", saved(&a) == 1600);
	done(&a);
}

int main(void)
{
	check_random_traces();
	check_hidden_kernel();
	check_graph();
	check_other_thread();
	check_wait();
	check_blocking();
	check_gone();
	return failures != 0;
}
