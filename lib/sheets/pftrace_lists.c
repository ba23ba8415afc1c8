/* pftrace_lists.c - the events that the sheets of activity count: computation, communication and
 * calls; classes of kernels.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/pftrace_events.h"

#include "base/merge_sort.h"

#include <string.h>

const char *const tl_pftrace_classes[TL_PFTRACE_CLASSES] = {
	"xla", "aiterfwd", "aiterbwd", "gemm", "ckbwd", "ckfwd", "te", "memcpy/memset", "fillBuffer", "rccl",
};

int tl_pftrace_class(struct tl_pftrace *p, uint32_t name)
{
	const char *answer = tl_name_answer(&p->categories, name);
	int i = TL_PFTRACE_CLASSES - 1;

	while (i > 0 && strcmp(tl_pftrace_classes[i], answer) != 0)
		i--;
	return i;
}

/* ---- events ------------------------------------------------------------------------------- */

/* Start and duration, in ns. TraceLens takes a time stamp of 10^10 µs and more for one of ns. */
static bool time_of(struct tl_pftrace *p, uint32_t event, int64_t *ts, int64_t *dur)
{
	uint32_t layout = p->trace->events[event].layout;
	const int64_t ns_from = 10000000000;

	if (p->args[TL_PFA_BEGIN].place[layout] >= 0 && p->args[TL_PFA_DELTA].place[layout] >= 0) {
		bool ok = tl_pftrace_int_arg(p, TL_PFA_BEGIN, event, ts) && tl_pftrace_int_arg(p, TL_PFA_DELTA, event, dur);
		p->doubts.bad_times += !ok;
		return ok;
	}
	tl_pftrace_own_time(p, event, ts, dur);
	if (p->options.reference && *ts / 1000 >= ns_from) {
		*ts /= 1000;
		*dur /= 1000;
	}
	return true;
}

bool tl_pftrace_counts(struct tl_pftrace *p, struct tl_pftrace_event *e, bool by_argument)
{
	int64_t tid;

	if (!time_of(p, e->event, &e->ts, &e->dur) || e->dur <= 0)
		return false;
	if (!tl_pftrace_tid(p, e->event, &tid) && !(by_argument && tl_pftrace_int_arg(p, TL_PFA_TID, e->event, &tid)))
		tid = -1;
	return tid >= p->options.min_tid && tid <= p->options.max_tid;
}

static void add(struct tl_pftrace_list *l, const struct tl_pftrace_event *e)
{
	TL_GROW(l->items, l->cap, l->n + 1);
	l->items[l->n++] = *e;
}

static int compare_events(const void *pa, const void *pb, void *ctx)
{
	const struct tl_pftrace_event *a = pa, *b = pb;
	const struct tl_trace *t = ctx;

	if (a->gpu != b->gpu)
		return a->gpu < b->gpu ? -1 : 1;
	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	if (a->dur != b->dur)
		return a->dur < b->dur ? -1 : 1;
	return strcmp(tl_str(&t->strings, t->events[a->event].name), tl_str(&t->strings, t->events[b->event].name));
}

static void sort(struct tl_pftrace *p, struct tl_pftrace_list *l)
{
	if (l->n)
		tl_merge_sort(l->items, l->n, sizeof *l->items, compare_events, p->trace);
}

static void add_event(struct tl_pftrace *p, uint32_t event)
{
	struct tl_pftrace_event e = { .event = event };

	if (tl_pftrace_gpu(p, event, &e.gpu) && tl_pftrace_counts(p, &e, false) && e.dur >= p->options.min_event_ns) {
		bool is_comm = tl_pftrace_class(p, p->trace->events[event].name) == TL_PFTRACE_RCCL;
		add(is_comm ? &p->communication : &p->compute, &e);
	}
	e.gpu = 0;
	if (tl_pftrace_is(p, event, "hip_api") && tl_pftrace_counts(p, &e, true) && e.dur >= p->options.min_event_ns)
		add(&p->calls, &e);
}

void tl_pftrace_list(struct tl_pftrace *p)
{
	if (p->listed)
		return;
	p->listed = true;
	for (uint32_t i = 0; i < p->trace->n_events; i++)
		add_event(p, tl_pftrace_at(p, i));
	sort(p, &p->compute);
	sort(p, &p->communication);
	sort(p, &p->calls);
}

bool tl_pftrace_has_fa3(struct tl_pftrace *p)
{
	const struct tl_trace *t = p->trace;

	for (uint32_t i = 0; i < t->n_events; i++) {
		struct tl_pftrace_event e = { .event = i };
		if (strstr(tl_str(&t->strings, t->events[i].name), "kernel_func") && tl_pftrace_gpu(p, i, &e.gpu) &&
		    !strcmp(tl_pftrace_classes[tl_pftrace_class(p, t->events[i].name)], "ckbwd") && tl_pftrace_counts(p, &e, false))
			return true;
	}
	return false;
}

struct tl_pftrace_list tl_pftrace_part(const struct tl_pftrace_list *l, uint32_t gpu, size_t *at)
{
	struct tl_pftrace_list part = { .items = l->items + *at };

	while (*at < l->n && l->items[*at].gpu == gpu) {
		part.n++;
		++*at;
	}
	return part;
}
