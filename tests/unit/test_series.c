/* test_series.c - values over time, and the queues of streams.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/counters.h"
#include "work/queue.h"
#include "base/memory_io.h"
#include "check.h"
#include "work/link.h"
#include "model/trace.h"
#include "tl.h"

#include <math.h>
#include <string.h>

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static bool part_is(const struct tl_series *s, int64_t from, int64_t to, double mean, double least, double most, size_t *at)
{
	struct tl_series_part p = tl_series_part(s, (struct tl_span){ from, to }, at);

	if (!near(p.mean, mean) || !near(p.least, least) || !near(p.most, most))
		printf("# %g %g %g\n", p.mean, p.least, p.most);
	return near(p.mean, mean) && near(p.least, least) && near(p.most, most);
}

static void check_series(void)
{
	static const double shares[] = { 0, 0.1, 0.5, 0.9, 1 };
	struct tl_series s = { .before = 1 }, empty = { 0 };
	struct tl_series_shares share;
	double p[5];
	size_t at = 0;

	tl_series_add(&s, 10, 3);
	tl_series_add(&s, 20, 9);
	tl_series_add(&s, 20, 0);
	tl_series_add(&s, 40, 5);
	check("the value before the first point", part_is(&s, 0, 10, 1, 1, 1, &at));
	check("a point at the start hides what was before", part_is(&s, 10, 20, 3, 3, 3, &at));
	check("a value that lasts for no time is the greatest, but not in the mean", part_is(&s, 20, 30, 0, 0, 9, &at));
	check("a span without points", part_is(&s, 30, 35, 0, 0, 0, &at));
	check("a span around a point", part_is(&s, 35, 45, 2.5, 0, 5, &at));
	check("after the last point", part_is(&s, 50, 60, 5, 5, 5, &at));
	at = 0;
	check("the search may start anew", part_is(&s, 0, 50, (10 + 30 + 50) / 50., 0, 9, &at));
	at = 0;
	check("an empty span has no mean", part_is(&s, 20, 20, 0, 0, 0, &at) && part_is(&s, 30, 20, 0, 0, 0, &at));
	share = tl_series_shares(&s, (struct tl_span){ 0, 50 }, 5);
	check("shares of time", near(share.at_zero, 0.4) && near(share.at_limit, 0.2));
	share = tl_series_shares(&s, (struct tl_span){ 50, 50 }, 5);
	check("of no time", share.at_zero == 0 && share.at_limit == 0);
	tl_series_percentiles(&s, (struct tl_span){ 0, 50 }, shares, 5, p);
	check("percentiles by time", p[0] == 0 && p[1] == 0 && p[2] == 1 && p[3] == 5 && p[4] == 5);
	tl_series_percentiles(&s, (struct tl_span){ 0, 0 }, shares, 5, p);
	check("percentiles of no time", p[0] == 0 && p[4] == 0);
	at = 0;
	check("a series without points", part_is(&empty, INT64_MIN, INT64_MAX, 0, 0, 0, &at) &&
	      tl_series_shares(&empty, (struct tl_span){ INT64_MIN, INT64_MAX }, 1).at_zero == 1);
	tl_series_release(&s);
}

/* ---- queues ---------------------------------------------------------------------------- */

#define CALL(corr, ts, dur) "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":" #ts \
	",\"dur\":" #dur ",\"args\":{\"correlation\":" #corr "}},"
#define KERNEL(corr, stream, ts, dur) "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":" #stream ",\"ts\":" #ts \
	",\"dur\":" #dur ",\"args\":{\"correlation\":" #corr ",\"stream\":" #stream ",\"device\":0}},"
#define END "{\"ph\":\"M\",\"name\":\"end\",\"pid\":1}]}"

static struct tl_trace *read_trace(const char *json)
{
	struct tl_memory_input in = tl_memory_input("memory", json, strlen(json));
	struct tl_read_options options = { 0 };
	struct tl_read_report report = { 0 };
	struct tl_error err = { .text = "" };
	struct tl_trace *t;
	struct tl_sink *sink = tl_trace_sink_new(&t, NULL), *linker = tl_linker_new(sink, NULL);

	check("the trace is read", tl_read(&in.in, &options, linker, &report, &err) == TL_OK);
	tl_linker_free(linker);
	tl_trace_sink_free(sink);
	return t;
}

/* Are these its points? text: "TIME:VALUE TIME:VALUE …", times in µs from the first event. */
static bool points_are(const struct tl_trace *t, const struct tl_series *s, const char *text)
{
	struct tl_buf b = { 0 };

	for (size_t i = 0; i < s->n; i++)
		tl_buf_addf(&b, "%s%g:%g", i ? " " : "", (double)(s->items[i].at - t->first_ts) / 1000, s->items[i].value);
	bool same = !strcmp(tl_buf_text(&b), text);
	if (!same)
		printf("# %s\n", tl_buf_text(&b));
	tl_buf_release(&b);
	return same;
}

static void check_lengths(void)
{
	/* two calls at one time as a kernel starts; a call with three kernels on two streams; kernels without a call */
	struct tl_trace *t = read_trace("{\"traceEvents\":["
		CALL(1, 0, 2) CALL(2, 5, 1) CALL(3, 5, 1) CALL(4, 9, 9)
		KERNEL(1, 7, 5, 3) KERNEL(2, 7, 8, 0) KERNEL(3, 7, 9, 1) KERNEL(4, 7, 20, 1) KERNEL(4, 8, 21, 1) KERNEL(4, 7, 22, 1)
		KERNEL(77, 8, 2, 1) END);
	const struct tl_queues *q = tl_queues_of(t);

	check("a queue for each stream", q->n == 2);
	check("calls before starts at one time", points_are(t, &q->items[0].length, "0:1 5:2 5:3 5:2 8:1 9:3 9:2 20:1 22:0"));
	check("a call with work on two streams", points_are(t, &q->items[1].length, "9:1 21:0"));
	check("work without a call changes nothing", q->items[1].no_call == 1 && !q->items[0].no_call);
	check("launches with their lengths", q->n_launches == 5 && q->launches[1].before == 1 && q->launches[2].before == 2 &&
	      q->launches[3].before == 1 && q->launches[3].n == 2 && q->launches[4].n == 1 && q->launches[4].before == 0);
	check("clocks agree", !q->items[0].early && !q->items[1].early);
	check("they are found once", tl_queues_of(t) == q);
	tl_trace_free(t);
}

static void check_odd(void)
{
	struct tl_trace *t = read_trace("{\"traceEvents\":[" CALL(1, 10, 2) KERNEL(1, 7, 7, 5) END);
	const struct tl_queues *q = tl_queues_of(t);

	check("a start before its call", points_are(t, &q->items[0].length, "0:-1 3:0") && q->items[0].early == 1 && q->items[0].earliest == 3000);
	tl_trace_free(t);
	t = read_trace("{\"traceEvents\":[" CALL(1, 10, 2) END);
	check("no device events", !tl_queues_of(t)->n && !tl_queues_of(t)->n_launches);
	tl_trace_free(t);
}

static void check_blocked(void)
{
	/* the queue is 2 at the fourth and the fifth call */
	struct tl_trace *t = read_trace("{\"traceEvents\":["
		CALL(1, 0, 2) CALL(2, 5, 4) CALL(3, 10, 3) CALL(4, 20, 10) CALL(5, 40, 2)
		KERNEL(1, 7, 6, 20) KERNEL(2, 7, 26, 14) KERNEL(3, 7, 41, 1) KERNEL(4, 7, 42, 1) KERNEL(5, 7, 43, 1) END);
	const struct tl_queues *q = tl_queues_of(t);
	struct tl_queue_blocked b = tl_queue_blocked(q, t, 0, 2);

	check("calls on a full queue cost what they take beyond the median of others", b.calls == 2 && b.ticks == 7000 && !b.unknown);
	b = tl_queue_blocked(q, t, 0, 0);
	check("without others, all of it", b.calls == 5 && b.unknown == 5 && b.ticks == 21000);
	b = tl_queue_blocked(q, t, 0, 3);
	check("a queue that is never full", !b.calls && !b.ticks);
	tl_trace_free(t);
}

/* ---- counters --------------------------------------------------------------------------- */

#define COPY(name, device, ts, dur, bytes) "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"" name "\",\"pid\":" #device \
	",\"tid\":7,\"ts\":" #ts ",\"dur\":" #dur ",\"args\":{\"stream\":7,\"device\":" #device bytes "}},"
#define BYTES(n) ",\"bytes\":" #n

static bool is_counter(struct tl_trace *t, const struct tl_counter *c, int64_t device, const char *track)
{
	return c->device.type == TL_CELL_INT && c->device.i == device && c->track.type == TL_CELL_TEXT &&
		!strcmp(tl_str(&t->strings, c->track.text), track);
}

static void check_copies(void)
{
	/* of which two overlap, one begins as another ends, one has no bytes, one no length */
	struct tl_trace *t = read_trace("{\"traceEvents\":["
		COPY("Memcpy HtoD (Pageable -> Device)", 0, 0, 10, BYTES(1000)) COPY("Memcpy HtoD (Pinned -> Device)", 0, 5, 10, BYTES(7000))
		COPY("Memcpy HtoD (Pageable -> Device)", 0, 15, 5, BYTES(500)) COPY("Memcpy HtoD (Pageable -> Device)", 0, 30, 5, "")
		COPY("Memcpy DtoH (Device -> Pinned)", 1, 30, 0, BYTES(4)) COPY("Memcpy HtoD (Pinned -> Device)", 1, 30, 1, BYTES(0))
		KERNEL(0, 7, 40, 5) END);
	const struct tl_counters *c = tl_counters_of(t, TL_COUNTER_COPIES);

	check("a counter for each device and direction", c->n == 3 && is_counter(t, &c->items[0], 0, "HtoD") &&
	      is_counter(t, &c->items[1], 1, "DtoH") && is_counter(t, &c->items[2], 1, "HtoD"));
	check("rates of copies that run at one time add up", points_are(t, &c->items[0].series, "0:0.1 5:0.8 10:0.7 15:0.1 20:0"));
	check("bytes, and copies without", c->items[0].bytes == 8500 && c->items[0].events == 3 && c->items[0].no_bytes == 1 &&
	      tl_spans_length(&c->items[0].spans) == 20000);
	check("a copy of no length lasts 1 ns", points_are(t, &c->items[1].series, "30:4 30.001:0"));
	check("no bytes at all are a rate of 0", points_are(t, &c->items[2].series, "30:0 31:0") && c->items[2].events == 1);
	c = tl_counters_of(t, TL_COUNTER_BUSY);
	check("busy devices", c->n == 8 && is_counter(t, &c->items[0], 0, "busy") && is_counter(t, &c->items[7], 1, "copies"));
	check("what is busy", points_are(t, &c->items[0].series, "0:1 20:0 30:1 35:0 40:1 45:0") &&
	      points_are(t, &c->items[1].series, "40:1 45:0") && !c->items[2].series.n && points_are(t, &c->items[3].series, "0:1 20:0 30:1 35:0"));
	c = tl_counters_of(t, TL_COUNTER_QUEUE);
	check("a queue that nothing joins", c->n == 2 && !c->items[0].series.n && c->items[0].track.i == 7);
	check("no memory events", !tl_counters_of(t, TL_COUNTER_MEMORY)->n);
	tl_trace_free(t);
}

static void check_memory(void)
{
	static const char memory[] = "{\"traceEvents\":["
		"{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":1,\"args\":{\"Total Allocated\":50,\"Total Reserved\":80,"
		"\"Bytes\":20,\"Addr\":1,\"Device Id\":0,\"Device Type\":1}},"
		"{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":3,\"args\":{\"Total Allocated\":30,\"Total Reserved\":80,"
		"\"Bytes\":-20,\"Addr\":1,\"Device Id\":0,\"Device Type\":1}}," CALL(1, 0, 1) END;
	struct tl_trace *t = read_trace(memory);
	const struct tl_counters *c = tl_counters_of(t, TL_COUNTER_MEMORY);

	check("allocated and reserved memory", c->n == 2 && points_are(t, &c->items[0].series, "1:50 3:30") &&
	      points_are(t, &c->items[1].series, "1:80 3:80"));
	check("what was there before", c->n == 2 && c->items[0].series.before == 30);
	tl_trace_free(t);
}

int main(void)
{
	check_series();
	check_lengths();
	check_odd();
	check_blocked();
	check_copies();
	check_memory();
	return failures != 0;
}
