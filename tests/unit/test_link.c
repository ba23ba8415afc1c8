/* test_link.c - the linker and the trace in memory, driven by hand.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/memory_io.h"
#include "work/link.h"
#include "model/trace.h"
#include "edit/rewrite_rules.h"
#include "tl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;

static void check(int ok, const char *what)
{
	if (!ok)
		failures++;
	printf("%s %s\n", ok ? "ok" : "FAIL", what);
}

/* ---- making events ---- */

struct ev {
	int kind;
	const char *name, *thread; /* thread: "pid/tid" as JSON text */
	long long ts, dur;         /* ns; dur < -1000000: no dur; ts likewise */
	long long correlation, external, sequence; /* -1: absent */
	const char *text_correlation;
	char ph;
	long long id;
};
#define ABSENT -9000000000LL
#define EV(...) { .correlation = -1, .external = -1, .sequence = -1, .id = -1, __VA_ARGS__ }
#pragma GCC diagnostic ignored "-Woverride-init"
#if defined __clang__
#pragma clang diagnostic ignored "-Winitializer-overrides"
#endif

/* A source: events go to the sink. */
struct feed {
	struct tl_sink *sink;
	struct tl_tables tables;
	bool restless; /* starts its tables anew after every third event */
	uint64_t uid;
};

static uint32_t str(struct feed *f, const char *text)
{
	return tl_add_string(&f->tables, text, strlen(text));
}

static void add_field(struct feed *to, struct tl_layout *l, struct tl_field *f, int64_t *v,
                      const char *key, uint8_t type, bool top, int64_t value)
{
	f[l->n_fields] = (struct tl_field){ str(to, key), type, top };
	v[l->n_fields++] = value;
}

static void start_anew(struct feed *to)
{
	to->sink->ops->reset(to->sink);
	tl_tables_clear(&to->tables);
	str(to, "so that old ids mean something else");
}

static enum tl_status feed(struct feed *to, const struct ev *e)
{
	static const char *const cats[TL_KIND_COUNT] = {
		[TL_KIND_CPU_OP] = "cpu_op", [TL_KIND_RUNTIME] = "cuda_runtime",
		[TL_KIND_KERNEL] = "kernel", [TL_KIND_LAUNCH_FLOW] = "ac2g",
	};
	struct tl_field fields[8];
	int64_t values[8];
	char pid[32];
	const char *slash = strchr(e->thread, '/');
	struct tl_layout l = { .kind = (uint8_t)e->kind, .fields = fields,
	                       .ph = e->ph ? e->ph : 'X', .flags = TL_HAS_NAME };
	struct tl_event out = { .uid = to->uid++ };
	l.cat = cats[e->kind] ? str(to, cats[e->kind]) : 0;
	if (e->ts != ABSENT)
		l.flags |= TL_HAS_TS;
	if (e->dur != ABSENT && l.ph == 'X')
		l.flags |= TL_HAS_DUR;
	if (e->correlation >= 0)
		add_field(to, &l, fields, values, "correlation", TL_FIELD_INT, false, e->correlation);
	if (e->text_correlation)
		add_field(to, &l, fields, values, "correlation", TL_FIELD_STRING, false, str(to, e->text_correlation));
	if (e->external >= 0)
		add_field(to, &l, fields, values, "External id", TL_FIELD_INT, false, e->external);
	if (e->sequence >= 0)
		add_field(to, &l, fields, values, "Sequence number", TL_FIELD_INT, false, e->sequence);
	if (e->id >= 0)
		add_field(to, &l, fields, values, "id", TL_FIELD_INT, true, e->id);
	snprintf(pid, sizeof pid, "%.*s", (int)(slash - e->thread), e->thread);
	out.layout = tl_add_layout(&to->tables, &l);
	out.track = tl_add_track(&to->tables, str(to, pid), str(to, slash + 1));
	out.name = str(to, e->name);
	out.ts = e->ts == ABSENT ? 0 : e->ts;
	out.dur = e->dur == ABSENT ? 0 : e->dur;
	out.values = values;
	enum tl_status st = to->sink->ops->event(to->sink, &out, NULL);
	if (to->restless && to->uid % 3 == 0)
		start_anew(to);
	return st;
}

static enum tl_status begin(struct feed *f, bool linked)
{
	struct tl_header h = { .source = "pytorch", .ticks_per_us = 1000, .linked = linked };
	return f->sink->ops->begin(f->sink, &h, &f->tables, NULL);
}

/* Feeds the events, and ends. */
static enum tl_status feed_all(struct feed *f, const struct ev *events, size_t n)
{
	enum tl_status st = begin(f, false);
	for (size_t i = 0; i < n && st == TL_OK; i++)
		st = feed(f, &events[i]);
	if (st == TL_OK)
		st = f->sink->ops->end(f->sink, NULL);
	tl_tables_release(&f->tables);
	return st;
}

static struct tl_link_report last_report;

static struct tl_trace *link_up(const struct ev *events, size_t n, const struct tl_link_options *o, bool is_restless)
{
	struct tl_trace *t;
	struct tl_sink *sink = tl_trace_sink_new(&t, NULL), *linker = tl_linker_new(sink, o);
	struct feed f = { .sink = linker, .restless = is_restless };
	check(feed_all(&f, events, n) == TL_OK, "the trace is taken");
	last_report = *tl_linker_report(linker);
	tl_linker_free(linker);
	tl_trace_sink_free(sink);
	return t;
}

static bool work_is(struct tl_trace *t, uint32_t e, const char *want)
{
	char got[256] = "";
	uint32_t n;
	const uint32_t *w = tl_trace_work(t, e, &n);
	for (uint32_t i = 0; i < n; i++)
		snprintf(got + strlen(got), sizeof got - strlen(got), i ? " %u" : "%u", w[i]);
	if (strcmp(got, want))
		printf("work of %u: %s, expected %s\n", e, got, want);
	return !strcmp(got, want) && tl_trace_work_count(t, e) == n;
}

static bool children_are(const struct tl_trace *t, uint32_t e, const char *want)
{
	char got[256] = "";
	for (uint32_t c = t->events[e].first_child; c != TL_NONE; c = t->events[c].next_sibling)
		snprintf(got + strlen(got), sizeof got - strlen(got), *got ? " %u" : "%u", c);
	if (strcmp(got, want))
		printf("children of %u: %s, expected %s\n", e, got, want);
	return !strcmp(got, want);
}

#define LINK(t, events, ...) \
	struct tl_trace *t = link_up(events, sizeof events / sizeof *events, &(struct tl_link_options){ __VA_ARGS__ }, false)

/* ---- the cases ---- */

static void test_basic(bool is_restless)
{
	static const struct ev events[] = {
		EV(.kind = TL_KIND_CPU_OP, .name = "aten::outer", .thread = "10/10", .ts = 100000, .dur = 100000),
		EV(.kind = TL_KIND_CPU_OP, .name = "aten::inner", .thread = "10/10", .ts = 102000, .dur = 20000),
		EV(.kind = TL_KIND_RUNTIME, .name = "cudaLaunchKernel", .thread = "10/10", .ts = 105000, .dur = 5000, .correlation = 1),
		EV(.kind = TL_KIND_KERNEL, .name = "k1", .thread = "0/7", .ts = 130250, .dur = 12500, .correlation = 1),
		EV(.kind = TL_KIND_LAUNCH_FLOW, .name = "ac2g", .thread = "10/10", .ts = 105000, .ph = 's', .id = 1),
		EV(.kind = TL_KIND_LAUNCH_FLOW, .name = "ac2g", .thread = "0/7", .ts = 130250, .ph = 'f', .id = 1),
		EV(.kind = TL_KIND_RUNTIME, .name = "cudaGraphLaunch", .thread = "10/10", .ts = 150000, .dur = 5000, .correlation = 2),
		EV(.kind = TL_KIND_KERNEL, .name = "g1", .thread = "0/7", .ts = 160000, .dur = 100, .correlation = 2),
		EV(.kind = TL_KIND_KERNEL, .name = "g2", .thread = "0/8", .ts = 160000, .dur = 100, .correlation = 2),
		EV(.kind = TL_KIND_RUNTIME, .name = "cudaLaunchKernel", .thread = "10/10", .ts = 170000, .dur = 5000, .correlation = 3),
		EV(.kind = TL_KIND_KERNEL, .name = "other stream", .thread = "0/9", .ts = 180000, .dur = 100, .correlation = 3),
		EV(.kind = TL_KIND_LAUNCH_FLOW, .name = "ac2g", .thread = "10/10", .ts = 105000, .ph = 's', .id = 3),
		EV(.kind = TL_KIND_LAUNCH_FLOW, .name = "ac2g", .thread = "0/7", .ts = 130250, .ph = 'f', .id = 3),
		EV(.kind = TL_KIND_CPU_OP, .name = "aten::second", .thread = "10/10", .ts = 200000, .dur = 10),
		EV(.kind = TL_KIND_CPU_OP, .name = "no dur", .thread = "10/10", .ts = 200000, .dur = ABSENT),
	};
	struct tl_trace *t = link_up(events, sizeof events / sizeof *events, &(struct tl_link_options){ 0 }, is_restless);
	check(t->events[1].parent == 0 && t->events[2].parent == 1, "host events nest");
	check(children_are(t, 0, "1 6 9") && children_are(t, 2, "3"), "children stand in order");
	check(t->events[3].parent == 2, "a kernel hangs below its launch");
	check(t->events[7].parent == 6 && t->events[8].parent == 6, "a graph launch owns all kernels of its id");
	check(t->events[10].parent == TL_NONE, "an arrow to another stream links nothing");
	check(t->n_roots == 2 && t->roots[0] == 0 && t->roots[1] == 13, "outermost ops are roots");
	check(work_is(t, 0, "3 7 8") && work_is(t, 1, "3") && work_is(t, 13, ""), "work is found from above");
	check(!(t->events[14].flags & TL_EV_IN_TREE) && last_report.n_bad == 1, "an event without dur is left out");
	check(last_report.n_linked_gpu == 3 && last_report.n_gpu == 4 && !last_report.by_correlation, "the report counts");
	check(tl_trace_us(t, t->events[3].dur) == 12.5, "ticks become microseconds");
	tl_trace_free(t);
}

static void test_bleed(void)
{
	static const struct ev events[] = {
		EV(.kind = TL_KIND_CPU_OP, .name = "outer", .thread = "1/1", .ts = 0, .dur = 100000),
		EV(.kind = TL_KIND_CPU_OP, .name = "a", .thread = "1/1", .ts = 1000, .dur = 9000),
		/* 0.999 us into a's end */
		EV(.kind = TL_KIND_CPU_OP, .name = "b", .thread = "1/1", .ts = 9001, .dur = 9000),
		/* exactly 1 us into b's end */
		EV(.kind = TL_KIND_CPU_OP, .name = "c", .thread = "1/1", .ts = 17001, .dur = 9000),
		/* sticks out of outer, which is alone */
		EV(.kind = TL_KIND_CPU_OP, .name = "d", .thread = "1/1", .ts = 99500, .dur = 9000),
		/* another thread does not matter */
		EV(.kind = TL_KIND_CPU_OP, .name = "e", .thread = "1/\"1\"", .ts = 99500, .dur = 9000),
		/* same start, child first in the file: the parent fits nowhere */
		EV(.kind = TL_KIND_CPU_OP, .name = "child", .thread = "1/3", .ts = 5000, .dur = 10),
		EV(.kind = TL_KIND_CPU_OP, .name = "parent", .thread = "1/3", .ts = 5000, .dur = 5000),
	};
	LINK(t, events, .python = false);
	check(t->events[2].parent == 0, "an overlap below a microsecond becomes a sibling");
	check(t->events[3].parent == TL_NONE && !(t->events[3].flags & TL_EV_ROOT), "one of a microsecond falls out");
	check(t->events[4].parent == TL_NONE && !(t->events[4].flags & TL_EV_ROOT), "the jitter rule needs two on the stack");
	check(t->events[5].flags & TL_EV_ROOT, "thread \"1\" is not thread 1");
	check(t->events[6].flags & TL_EV_ROOT && !(t->events[7].flags & TL_EV_ROOT), "equal starts: the first in the file");
	check(last_report.n_dropped_nodes == 3, "what fits nowhere is counted");
	check(t->n_roots == 3, "roots");
	tl_trace_free(t);
}

static void test_keys(void)
{
	static const struct ev events[] = {
		EV(.kind = TL_KIND_KERNEL, .name = "early", .thread = "0/7", .ts = 20, .dur = 5, .correlation = 5, .external = 9),
		EV(.kind = TL_KIND_RUNTIME, .name = "hipMemcpyAsync", .thread = "1/1", .ts = 1, .dur = 5, .correlation = 8, .external = 9),
		EV(.kind = TL_KIND_RUNTIME, .name = "hipLaunchKernel", .thread = "1/1", .ts = 10, .dur = 5, .external = 9),
		EV(.kind = TL_KIND_LAUNCH_FLOW, .name = "ac2g", .thread = "1/1", .ts = 1, .ph = 's', .id = 9),
		EV(.kind = TL_KIND_LAUNCH_FLOW, .name = "ac2g", .thread = "0/7", .ts = 1, .ph = 'f', .id = 9),
	};
	LINK(t, events, .python = false);
	check(t->n_launches == 2 && t->events[0].parent == 2, "External id links when the first launch has no correlation");
	uint32_t n;
	check(tl_trace_launched(t, 1, &n)[0] == 0 && n == 1 && children_are(t, 1, "") && children_are(t, 2, "0"),
	      "a kernel launched twice is a child of the last launch");
	tl_trace_free(t);
	static const struct ev texts[] = {
		EV(.kind = TL_KIND_RUNTIME, .name = "cudaLaunchKernel", .thread = "1/1", .ts = 10, .dur = 5, .text_correlation = "1"),
		EV(.kind = TL_KIND_RUNTIME, .name = "cudaLaunchKernel", .thread = "1/1", .ts = 20, .dur = 5, .correlation = 1),
		EV(.kind = TL_KIND_KERNEL, .name = "number", .thread = "0/7", .ts = 20, .dur = 5, .correlation = 1),
		EV(.kind = TL_KIND_KERNEL, .name = "text", .thread = "0/7", .ts = 20, .dur = 5, .text_correlation = "1"),
	};
	LINK(u, texts, .python = false);
	check(last_report.by_correlation && u->events[2].parent == 1 && u->events[3].parent == 0,
	      "without arrows correlation links; the text 1 is not the number 1");
	tl_trace_free(u);
}

static void test_backward(void)
{
	static const struct ev events[] = {
		EV(.kind = TL_KIND_CPU_OP, .name = "aten::mm", .thread = "1/1", .ts = 10, .dur = 50, .sequence = 4),
		EV(.kind = TL_KIND_CPU_OP, .name = "aten::t", .thread = "1/1", .ts = 20, .dur = 5, .sequence = 4),
		EV(.kind = TL_KIND_CPU_OP, .name = "autograd::engine::evaluate_function: MmBackward0", .thread = "1/2", .ts = 100, .dur = 50, .sequence = 4),
		EV(.kind = TL_KIND_CPU_OP, .name = "MmBackward0", .thread = "1/2", .ts = 110, .dur = 5, .sequence = 4),
		EV(.kind = TL_KIND_CPU_OP, .name = "autograd::engine::evaluate_function: X", .thread = "1/2", .ts = 200, .dur = 5, .sequence = 5),
	};
	LINK(t, events, .python = false);
	check(t->n_bwds == 1 && t->bwds[0].fwd == 1 && t->bwds[0].bwd == 2, "the latest forward op belongs to the backward node");
	check(tl_trace_forward(t, 2) == 1 && tl_trace_forward(t, 4) == TL_NONE, "and is found from it");
	tl_trace_free(t);
	static const struct ev ranks[] = {
		EV(.kind = TL_KIND_CPU_OP, .name = "aten::mm", .thread = "1/1", .ts = 10, .dur = 50, .sequence = 4),
		EV(.kind = TL_KIND_CPU_OP, .name = "aten::mm", .thread = "101/1", .ts = 11, .dur = 50, .sequence = 4),
		EV(.kind = TL_KIND_CPU_OP, .name = "autograd::engine::evaluate_function: MmBackward0", .thread = "1/2", .ts = 100, .dur = 50, .sequence = 4),
		EV(.kind = TL_KIND_CPU_OP, .name = "autograd::engine::evaluate_function: MmBackward0", .thread = "101/2", .ts = 90, .dur = 50, .sequence = 4),
	};
	LINK(u, ranks, .python = false);
	check(u->n_bwds == 2 && tl_trace_forward(u, 2) == 0 && tl_trace_forward(u, 3) == 1, "sequence numbers of two processes do not meet");
	tl_trace_free(u);
}

static void test_python(void)
{
	static const struct ev events[] = {
		EV(.kind = TL_KIND_PYTHON, .name = "nn.Module: Block_0", .thread = "1/1", .ts = 0, .dur = 1000),
		EV(.kind = TL_KIND_PYTHON, .name = "torch/utils/checkpoint.py(9): recompute_fn", .thread = "1/1", .ts = 10, .dur = 500),
		EV(.kind = TL_KIND_CPU_OP, .name = "aten::mm", .thread = "1/1", .ts = 20, .dur = 50),
		EV(.kind = TL_KIND_RUNTIME, .name = "cudaLaunchKernel", .thread = "1/1", .ts = 30, .dur = 5, .correlation = 1),
		EV(.kind = TL_KIND_KERNEL, .name = "k", .thread = "0/7", .ts = 90, .dur = 5, .correlation = 1),
		EV(.kind = TL_KIND_CPU_OP, .name = "aten::mm", .thread = "1/1", .ts = 600, .dur = 50),
	};
	LINK(t, events, .recompute = true);
	check(t->python && t->events[2].parent == 1 && t->events[1].parent == 0, "frames are nodes");
	check(!(t->events[0].flags & TL_EV_RECOMPUTE) && t->events[1].flags & TL_EV_RECOMPUTE &&
	      t->events[2].flags & TL_EV_RECOMPUTE && t->events[3].flags & TL_EV_RECOMPUTE &&
	      t->events[4].flags & TL_EV_RECOMPUTE && !(t->events[5].flags & TL_EV_RECOMPUTE),
	      "all below a recompute frame is marked, kernels too");
	check(t->n_roots == 2, "roots are ops, not frames");
	tl_trace_free(t);
	LINK(u, events, .python = false);
	check(u->events[2].parent == TL_NONE && u->n_roots == 2, "frames stay out unless asked for");
	tl_trace_free(u);
}

/* ---- tree edits ---- */

static void edit(struct tl_sink *s, uint8_t type, uint64_t a, uint64_t b, enum tl_status want)
{
	struct tl_link l = { type, a, b };
	enum tl_status got = s->ops->link(s, &l, NULL);
	if (got != want)
		printf("link %u %d %d: %d\n", type, (int)a, (int)b, got);
	if (got != want)
		check(0, "an edit has the expected result");
}

static void test_edits(void)
{
	static const struct ev events[] = {
		EV(.kind = TL_KIND_CPU_OP, .name = "p", .thread = "1/1", .ts = 0, .dur = 100),
		EV(.kind = TL_KIND_RUNTIME, .name = "l1", .thread = "1/1", .ts = 10, .dur = 5),
		EV(.kind = TL_KIND_RUNTIME, .name = "l2", .thread = "1/1", .ts = 20, .dur = 5),
		EV(.kind = TL_KIND_KERNEL, .name = "k1", .thread = "0/7", .ts = 30, .dur = 5),
		EV(.kind = TL_KIND_KERNEL, .name = "k2", .thread = "0/7", .ts = 40, .dur = 5),
		EV(.kind = TL_KIND_CPU_OP, .name = "pseudo", .thread = "1/1", .ts = ABSENT, .dur = ABSENT),
		EV(.kind = TL_KIND_CPU_OP, .name = "above", .thread = "1/1", .ts = 0, .dur = 100),
	};
	struct tl_trace *t;
	struct tl_sink *s = tl_trace_sink_new(&t, NULL);
	struct feed f = { .sink = s };
	begin(&f, true);
	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		feed(&f, &events[i]);
	edit(s, TL_LINK_NODE, 0, TL_NO_UID, TL_OK);
	edit(s, TL_LINK_ROOT, 0, TL_NO_UID, TL_OK);
	edit(s, TL_LINK_NODE, 1, 0, TL_OK);
	edit(s, TL_LINK_NODE, 2, 0, TL_OK);
	edit(s, TL_LINK_NODE, 2, 0, TL_ERR_DATA);
	edit(s, TL_LINK_NODE, 3, 0, TL_ERR_DATA);
	edit(s, TL_LINK_LAUNCH, 1, 3, TL_OK);
	edit(s, TL_LINK_LAUNCH, 2, 4, TL_OK);
	edit(s, TL_LINK_LAUNCH, 3, 4, TL_ERR_DATA);
	/* isolate k1 */
	edit(s, TL_LINK_NODE, 5, 0, TL_OK);
	edit(s, TL_LINK_ADOPT, 5, 1, TL_OK);
	edit(s, TL_LINK_WORK, 5, 3, TL_OK);
	/* a node above p */
	edit(s, TL_LINK_REPLACE, 6, 0, TL_OK);
	edit(s, TL_LINK_REPARENT, 6, 0, TL_OK);
	edit(s, TL_LINK_ROOT, 6, TL_NO_UID, TL_OK);
	/* never a cycle */
	edit(s, TL_LINK_REPARENT, 1, 6, TL_ERR_DATA);
	edit(s, TL_LINK_ADOPT, 1, 5, TL_ERR_DATA);
	edit(s, TL_LINK_REPARENT, 2, 2, TL_ERR_DATA);
	edit(s, TL_LINK_REPLACE, 2, 1, TL_ERR_DATA);
	check(s->ops->end(s, NULL) == TL_OK, "edits end well");
	check(children_are(t, 0, "2 5") && children_are(t, 5, "1") && children_are(t, 1, "3"), "an adopted child moves");
	check(t->events[1].parent == 0, "but names its old parent");
	check(children_are(t, 6, "0") && t->events[0].parent == 6, "a node stands above another");
	check(work_is(t, 6, "3 4") && work_is(t, 0, "3 4") && work_is(t, 5, "3") && work_is(t, 1, "3"), "work follows parents and work records");
	check(t->n_roots == 1 && t->roots[0] == 6, "a new root replaces those below it");
	tl_tables_release(&f.tables);
	tl_trace_sink_free(s);
	tl_trace_free(t);
}

/* Events of test_edits's kinds, then links, of which only the last may be refused. */
static void check_links(const char *title, const struct tl_link *links, size_t n, const char *message)
{
	static const int kinds[] = { TL_KIND_CPU_OP, TL_KIND_RUNTIME, TL_KIND_RUNTIME, TL_KIND_KERNEL, TL_KIND_KERNEL };
	struct tl_trace *t;
	struct tl_sink *s = tl_trace_sink_new(&t, NULL);
	struct feed f = { .sink = s };
	struct tl_error err = { 0 };
	enum tl_status st = TL_OK;
	begin(&f, true);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		feed(&f, &(struct ev)EV(.kind = kinds[i], .name = "x", .thread = "1/1", .ts = 0, .dur = 100));
	for (size_t i = 0; i < n; i++) {
		check(st == TL_OK, "only the last link may be refused");
		st = s->ops->link(s, &links[i], &err);
	}
	check(message ? st == TL_ERR_DATA && strstr(err.text, message) : st == TL_OK, title);
	if (st)
		printf("# %s\n", err.text);
	s->ops->end(s, NULL);
	tl_tables_release(&f.tables);
	tl_trace_sink_free(s);
	tl_trace_free(t);
}

static void test_bad_links(void)
{
#define LINKS(message, ...) \
	do { \
		static const struct tl_link links[] = { __VA_ARGS__ }; \
		check_links(#__VA_ARGS__, links, sizeof links / sizeof *links, message); \
	} while (0)
	const char *no_parent = "the parent is not in the tree", *late = "an edit before it gave the event another place";
	const char *lone = "the event that replaces another must be a node without relations";
	LINKS("link node 3 -1: a device event cannot be a host node", { TL_LINK_NODE, 3, TL_NO_UID });
	LINKS("the event is in the tree already", { TL_LINK_NODE, 0, TL_NO_UID }, { TL_LINK_NODE, 0, TL_NO_UID });
	LINKS(no_parent, { TL_LINK_NODE, 1, 0 });
	LINKS(no_parent, { TL_LINK_NODE, 0, 0 });
	LINKS(no_parent, { TL_LINK_NODE, 0, TL_NO_UID }, { TL_LINK_LAUNCH, 0, 3 }, { TL_LINK_NODE, 1, 3 });
	LINKS(NULL, { TL_LINK_NODE, 0, TL_NO_UID }, { TL_LINK_NODE, 1, 0 }, { TL_LINK_NODE, 2, 1 });
	LINKS("not from the host to a device event", { TL_LINK_LAUNCH, 0, 1 });
	LINKS("not from the host to a device event", { TL_LINK_LAUNCH, 3, 4 });
	LINKS("a device event cannot have children", { TL_LINK_ADOPT, 3, 0 });
	LINKS("the event would be below itself", { TL_LINK_REPARENT, 0, 0 });
	LINKS("the event would be below itself", { TL_LINK_REPARENT, 0, 1 }, { TL_LINK_ADOPT, 1, 2 }, { TL_LINK_REPARENT, 2, 0 });
	LINKS("not a device event", { TL_LINK_WORK, 0, 1 });
	LINKS(NULL, { TL_LINK_WORK, 0, 3 }, { TL_LINK_WORK, 99, 3 }, { TL_LINK_WORK, 0, 99 }, { TL_LINK_NODE, 99, TL_NO_UID });
	LINKS("not a host event", { TL_LINK_REPLACE, 0, 0 });
	LINKS("not a host event", { TL_LINK_REPLACE, 3, 0 });
	LINKS(lone, { TL_LINK_REPARENT, 0, 1 }, { TL_LINK_REPLACE, 1, 2 });
	LINKS(lone, { TL_LINK_REPARENT, 0, 1 }, { TL_LINK_REPLACE, 0, 2 });
	LINKS(lone, { TL_LINK_ADOPT, 0, 1 }, { TL_LINK_REPLACE, 1, 2 });
	LINKS(late, { TL_LINK_NODE, 0, TL_NO_UID }, { TL_LINK_REPARENT, 0, 1 }, { TL_LINK_NODE, 1, 0 });
	LINKS(late, { TL_LINK_NODE, 0, TL_NO_UID }, { TL_LINK_ADOPT, 0, 1 }, { TL_LINK_NODE, 1, 0 });
	LINKS(late, { TL_LINK_NODE, 0, TL_NO_UID }, { TL_LINK_REPARENT, 1, 0 }, { TL_LINK_NODE, 1, 0 });
	LINKS(NULL, { TL_LINK_NODE, 0, TL_NO_UID }, { TL_LINK_REPARENT, 0, 1 }, { TL_LINK_NODE, 2, 0 });
#undef LINKS
}

/* Event numbers: the highest that is possible, and one with nothing near it. */
static void test_numbers(void)
{
	const uint64_t most = UINT32_MAX - 2;
	for (int linked = 0; linked < 2; linked++) {
		struct tl_trace *t;
		struct tl_sink *sink = tl_trace_sink_new(&t, NULL), *linker = linked ? tl_linker_new(sink, NULL) : NULL;
		struct feed f = { .sink = linked ? linker : sink };
		struct ev op = EV(.kind = TL_KIND_CPU_OP, .name = "x", .thread = "1/1", .ts = 5, .dur = 100);
		begin(&f, false);
		check(feed(&f, &op) == TL_OK, "the first event is taken");
		f.uid = most;
		check(feed(&f, &op) == TL_OK && feed(&f, &op) == TL_ERR_DATA, "event numbers are below 2^32 - 2");
		check(tl_trace_by_uid(t, 0) == 0 && tl_trace_by_uid(t, most) == 1 && tl_trace_by_uid(t, 1) == TL_NONE &&
		      tl_trace_by_uid(t, most + 1) == TL_NONE, "events are found by numbers that are far apart");
		tl_linker_free(linker);
		tl_trace_sink_free(sink);
		tl_tables_release(&f.tables);
		tl_trace_free(t);
	}
}

/* Graph launches of one id: further ones are linked until they would multiply the links. */
static void test_launches_again(void)
{
	enum { CALLS = 200, KERNELS = 2000, AGAIN = (16 * KERNELS + (1 << 18)) / KERNELS }; /* see link/linker.c */
	struct tl_trace *t;
	struct tl_sink *sink = tl_trace_sink_new(&t, NULL), *linker = tl_linker_new(sink, NULL);
	struct feed f = { .sink = linker };
	struct ev call = EV(.kind = TL_KIND_RUNTIME, .name = "cudaGraphLaunch", .thread = "1/1", .ts = 0, .dur = 1, .correlation = 1);
	struct ev kernel = EV(.kind = TL_KIND_KERNEL, .name = "k", .thread = "0/7", .ts = 0, .dur = 1, .correlation = 1);
	begin(&f, false);
	for (int i = 0; i < CALLS; i++, call.ts++)
		feed(&f, &call);
	for (int i = 0; i < KERNELS; i++)
		feed(&f, &kernel);
	check(linker->ops->end(linker, NULL) == TL_OK, "many launches of one id are taken");
	const struct tl_link_report *r = tl_linker_report(linker);
	check(r->n_linked_gpu == KERNELS && t->n_launches + r->n_left_out == (size_t)CALLS * KERNELS && r->n_left_out &&
	      t->n_launches == (size_t)KERNELS * (1 + AGAIN), "what is left out is counted");
	tl_linker_free(linker);
	tl_trace_sink_free(sink);
	tl_tables_release(&f.tables);
	tl_trace_free(t);
}

static bool is_text(const struct tl_trace *t, uint32_t id, const char *want)
{
	if (strcmp(tl_str(&t->strings, id), want))
		printf("# %s, expected %s\n", tl_str(&t->strings, id), want);
	return !strcmp(tl_str(&t->strings, id), want);
}

/* What metadata says: names of processes and threads, and when the trace begins. */
static void test_metadata(void)
{
	static const char json[] = "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":0,\"ts\":0,\"args\":{\"name\":\"p\"}},"
		"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":5,\"args\":{\"name\":\"of a thread\"}},"
		"{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":1,\"tid\":0,\"args\":{\"labels\":\"l\",\"name\":\"n\"}},"
		"{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":2,\"tid\":0,\"args\":{\"name\":\"n\"}},"
		"{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":2,\"tid\":6,\"args\":{\"labels\":\"of a thread\"}},"
		"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":5,\"labels\":\"no\",\"args\":{\"name\":7}},"
		"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":2,\"tid\":6,\"x\":1,\"args\":{\"labels\":\"no\"}},"
		"{\"ph\":\"M\",\"name\":\"other\",\"pid\":2,\"tid\":0,\"args\":{\"name\":\"no\"}},"
		"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1.0,\"tid\":5,\"ts\":3,\"dur\":1},"
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"b\",\"pid\":2,\"tid\":6,\"ts\":2,\"dur\":1},"
		"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"c\",\"ts\":2.5,\"dur\":1}]";
	struct tl_memory_input in = tl_memory_input("memory", json, sizeof json - 1);
	struct tl_trace *t;
	struct tl_sink *sink = tl_trace_sink_new(&t, NULL);
	check(tl_read(&in.in, NULL, sink, NULL, NULL) == TL_OK && t->n_events == 11, "metadata is taken");
	const struct tl_trace_track *a = &t->tracks[t->events[8].track], *b = &t->tracks[t->events[9].track], *c = &t->tracks[t->events[10].track];
	check(is_text(t, a->process_name, "p") && is_text(t, a->process_label, "l") && is_text(t, a->thread_name, "7"),
	      "names of process and thread; a pid of 1.0 is 1");
	check(is_text(t, b->process_name, "Unknown") && is_text(t, b->process_label, "Unknown") && is_text(t, b->thread_name, "Unknown"),
	      "names that are not told");
	check(is_text(t, c->thread_name, "Unknown") && !c->pid && !c->tid, "an event without a thread");
	check(t->first_ts == 2000 && t->n_source_events == 11, "the trace begins with its first event, not at a time that is 0");
	tl_trace_sink_free(sink);
	tl_trace_free(t);
}

/* Work must come in launch order also when the tree's order is another. */
static void test_work_order(void)
{
	static const struct ev events[] = {
		EV(.kind = TL_KIND_RUNTIME, .name = "cudaLaunchKernel", .thread = "1/1", .ts = 50, .dur = 5, .correlation = 1),
		EV(.kind = TL_KIND_RUNTIME, .name = "cudaLaunchKernel", .thread = "1/1", .ts = 20, .dur = 5, .correlation = 2),
		EV(.kind = TL_KIND_CPU_OP, .name = "p", .thread = "1/1", .ts = 0, .dur = 100),
		EV(.kind = TL_KIND_KERNEL, .name = "k1", .thread = "0/7", .ts = 30, .dur = 5, .correlation = 1),
		EV(.kind = TL_KIND_KERNEL, .name = "k2", .thread = "0/7", .ts = 40, .dur = 5, .correlation = 2),
	};
	LINK(t, events, .python = false);
	check(children_are(t, 2, "1 0"), "children are in time order");
	check(work_is(t, 2, "3 4") && work_is(t, 2, "3 4"), "work is in launch order");
	tl_trace_free(t);
}

/* Rules keep working when the source's ids change all the time. */
static void test_rules(bool is_restless)
{
	static const struct ev events[] = {
		EV(.kind = TL_KIND_CPU_OP, .name = "vllm::moe_forward", .thread = "1/1", .ts = 0, .dur = 1000),
		EV(.kind = TL_KIND_CPU_OP, .name = "sglang_profiler::op_12", .thread = "1/1", .ts = 5, .dur = 3),
		EV(.kind = TL_KIND_CPU_OP, .name = "vllm::rocm_aiter_fused_moe", .thread = "1/1", .ts = 10, .dur = 500, .sequence = 6),
		EV(.kind = TL_KIND_RUNTIME, .name = "hipLaunchKernel", .thread = "1/1", .ts = 20, .dur = 5, .correlation = 1),
		EV(.kind = TL_KIND_RUNTIME, .name = "hipLaunchKernel", .thread = "1/1", .ts = 30, .dur = 5, .correlation = 2),
		EV(.kind = TL_KIND_KERNEL, .name = "sort", .thread = "0/7", .ts = 40, .dur = 5, .correlation = 1),
		EV(.kind = TL_KIND_KERNEL, .name = "aiter::fmoe_x", .thread = "0/7", .ts = 50, .dur = 5, .correlation = 2),
	};
	struct tl_trace *t;
	struct tl_rules *rules = tl_rules_new();
	struct tl_sink *sink = tl_trace_sink_new(&t, NULL);
	check(tl_rules_add_pseudo_ops(rules, NULL) == TL_OK, "the built-in rules are rules");
	struct tl_sink *rewriter = tl_rewriter_new(sink, rules);
	struct tl_sink *linker = tl_linker_new(rewriter, NULL);
	struct feed f = { .sink = linker, .restless = is_restless };
	check(feed_all(&f, events, sizeof events / sizeof *events) == TL_OK, "rules end well");
	check(t->n_events == 8 && !strcmp(tl_str(&t->strings, t->events[7].name), "pseudo_op::moe_aiter_fused_1stage"),
	      "a pseudo operator is made");
	check(!strcmp(tl_str(&t->strings, t->events[1].name), "sglang_profiler::op"), "a name is changed");
	check(children_are(t, 2, "3 7") && children_are(t, 7, "4") && work_is(t, 7, "6") && work_is(t, 2, "5 6"),
	      "it stands between operator and launch");
	int64_t v;
	check(tl_trace_field(t, 7, tl_strtab_find(&t->strings, "External id", 11), false, &v) == TL_FIELD_INT && v == 2,
	      "and has its arguments");
	check(!strcmp(tl_str(&t->strings, t->tracks[t->events[7].track].tid), "1"), "and its thread");
	tl_linker_free(linker);
	tl_rewriter_free(rewriter);
	tl_trace_sink_free(sink);
	tl_trace_free(t);
	tl_rules_free(rules);
}

/* ---- memory ---- */

static long peak_kb(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

/* Runs n events, one of each kind in turn, and returns the bytes each cost. */
static double bytes_an_event(unsigned n, bool only_ops)
{
	struct tl_sink *l = tl_linker_new(tl_null_sink(), NULL);
	struct feed f = { .sink = l };
	struct ev op = EV(.kind = TL_KIND_CPU_OP, .name = "aten::mm", .thread = "1/1", .dur = 500);
	struct ev call = EV(.kind = TL_KIND_RUNTIME, .name = "cudaLaunchKernel", .thread = "1/1", .dur = 100);
	struct ev kernel = EV(.kind = TL_KIND_KERNEL, .name = "k", .thread = "0/7", .dur = 50);
	struct ev from = EV(.kind = TL_KIND_LAUNCH_FLOW, .name = "ac2g", .thread = "1/1", .ph = 's');
	struct ev to = EV(.kind = TL_KIND_LAUNCH_FLOW, .name = "ac2g", .thread = "0/7", .ph = 'f');
	long before = peak_kb();
	begin(&f, false);
	for (unsigned i = 0; i < n; i += only_ops ? 1 : 5) {
		unsigned place = (unsigned)((uint64_t)i * 2654435761u % n); /* not in time order */
		op.ts = (long long)place * 1000;
		op.sequence = i;
		feed(&f, &op);
		if (only_ops)
			continue;
		call.ts = kernel.ts = op.ts + 100;
		call.correlation = kernel.correlation = from.id = to.id = i;
		feed(&f, &call);
		feed(&f, &kernel);
		feed(&f, &from);
		feed(&f, &to);
	}
	l->ops->end(l, NULL);
	double each = (double)(peak_kb() - before) * 1024 / (double)f.uid;
	check(only_ops || tl_linker_report(l)->n_linked_gpu == n / 5, "all kernels are linked");
	tl_linker_free(l);
	tl_tables_release(&f.tables);
	return each;
}

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined __SANITIZE_ADDRESS__
#define SANITIZED 1
#endif

/* In a process of its own, whose peak is not another case's. */
static double measured(unsigned n, bool only_ops)
{
	int ends[2];
	double each = 1e9;
	fflush(stdout);
	if (pipe(ends))
		return each;
	pid_t child = fork();
	if (child == 0) {
		each = bytes_an_event(n, only_ops);
		fflush(stdout);
		_exit(write(ends[1], &each, sizeof each) != sizeof each);
	}
	if (child < 0 || read(ends[0], &each, sizeof each) != sizeof each)
		each = 1e9;
	waitpid(child, NULL, 0);
	close(ends[0]);
	close(ends[1]);
	return each;
}

static void test_memory(void)
{
	double mixed = measured(1000000, false), ops = measured(1000000, true);
	printf("bytes an event: %.1f of all kinds, %.1f ops with sequence numbers\n", mixed, ops);
#ifndef SANITIZED
	check(mixed <= 64 && ops <= 64, "at most 64 bytes an event");
#endif
}

int main(void)
{
	test_memory();
	test_basic(false);
	test_basic(true);
	test_bleed();
	test_keys();
	test_backward();
	test_python();
	test_edits();
	test_bad_links();
	test_numbers();
	test_launches_again();
	test_metadata();
	test_work_order();
	test_rules(false);
	test_rules(true);
	return failures != 0;
}
