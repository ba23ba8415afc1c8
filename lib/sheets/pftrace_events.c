/* pftrace_events.c - events of Perfetto's traces, their arguments and classes; those that the sheets of
 * activity count: computation, communication and calls.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/pftrace_events.h"

#include "base/merge_sort.h"
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const arg_names[TL_PFA_ARGS] = {
	"begin_ns", "end_ns", "delta_ns", "agent", "tid", "stream_ID", "operation",
	"grid_size", "workgroup_size", "VGPR_Count", "Accum_VGPR_Count", "SGPR_Count", "LDS_Block_Size", "Scratch_Size",
	"copy_bytes", "src_agent", "dst_agent",
	"corr_id", "correlation_id", "correlationId", "CorrId",
	"device_id", "deviceId", "dev_id", "DevId", "gpu_id", "gpuId",
	"kernel_name", "KernelName", "symbol", "symbol_name", "funcName", TL_KEY_DEVICE,
};

/* ---- events in the order of traceconv's JSON ------------------------------------------- */

TL_ORDER_IN(by_start, uint32_t, struct tl_trace,
	TL_ASC(ctx->layouts[ctx->events[*x].layout].ph == 'b') TL_ASC(ctx->events[*x].ts))

/* Events of a trace of packets are not in the order of time. */
static void order_events(struct tl_pftrace *p)
{
	const struct tl_trace *t = p->trace;
	bool of_packets = false;

	for (size_t i = 0; i < t->n_meta; i++)
		of_packets |= !strcmp(tl_str(&t->strings, t->meta[i].key), TL_META_PACKETS);
	if (!of_packets)
		return;
	p->order = tl_alloc(((size_t)t->n_events + 1) * sizeof *p->order);
	for (uint32_t i = 0; i < t->n_events; i++)
		p->order[i] = i;
	tl_merge_sort(p->order, t->n_events, sizeof *p->order, by_start, p->trace);
}

/* ---- arguments ---------------------------------------------------------------------------- */

struct tl_cell tl_pftrace_arg(struct tl_pftrace *p, enum tl_pftrace_arg arg, uint32_t event)
{
	return tl_arg_cell(p->trace, &p->args[arg], event);
}

/* "12", " -5 ", "1_000": digits with a sign, single underscores between them and blanks around. */
static bool int_of_text(const char *s, int64_t *n)
{
	char digits[32];
	size_t len = 0;
	bool was_digit = false;

	while (tl_is_blank(*s))
		s++;
	if (*s == '+' || *s == '-')
		digits[len++] = *s++;
	for (; tl_is_digit(*s) || (*s == '_' && was_digit && tl_is_digit(s[1])); s++) {
		was_digit = *s != '_';
		if (was_digit && len < sizeof digits - 1)
			digits[len++] = *s;
	}
	while (tl_is_blank(*s))
		s++;
	digits[len] = 0;
	errno = 0;
	*n = strtoll(digits, NULL, 10);
	return !*s && was_digit && !errno && len < sizeof digits - 1;
}

/* As Python's int() makes an integer of a value. False: it cannot. */
static bool int_of(const struct tl_pftrace *p, struct tl_cell c, int64_t *n)
{
	switch (c.type) {
	case TL_CELL_INT:
	case TL_CELL_BOOL:
		*n = c.i;
		return true;
	case TL_CELL_REAL:
		if (!(fabs(c.d) < 9.2e18))
			return false;
		*n = (int64_t)c.d;
		return true;
	case TL_CELL_TEXT: return int_of_text(tl_str(&p->trace->strings, c.text), n);
	default: return false;
	}
}

bool tl_pftrace_int_arg(struct tl_pftrace *p, enum tl_pftrace_arg arg, uint32_t event, int64_t *n)
{
	return p->args[arg].place[p->trace->events[event].layout] >= 0 && int_of(p, tl_pftrace_arg(p, arg, event), n);
}

const char *tl_pftrace_category(const struct tl_pftrace *p, uint32_t event)
{
	return tl_str(&p->trace->strings, p->trace->layouts[p->trace->events[event].layout].cat);
}

bool tl_pftrace_is_hip(const struct tl_pftrace *p, uint32_t event)
{
	const char *category = tl_pftrace_category(p, event);
	uint8_t kind = p->trace->layouts[p->trace->events[event].layout].kind;

	return !strcmp(category, "hip_api") || (!p->options.reference && kind == TL_KIND_RUNTIME && strstr(category, "hip"));
}

bool tl_pftrace_is_foreign(const struct tl_pftrace *p, uint32_t event)
{
	uint32_t layout = p->trace->events[event].layout;

	return !p->options.reference && p->trace->layouts[layout].kind == TL_KIND_KERNEL && p->args[TL_PFA_AGENT].place[layout] < 0 &&
	       p->args[TL_PFA_OWN_DEVICE].place[layout] >= 0;
}

/* ---- process, thread, GPU, time --------------------------------------------------------------- */

static bool number_of(const struct tl_pftrace *p, uint32_t json, int64_t *n)
{
	return json && int_of_text(tl_str(&p->trace->strings, json), n);
}

bool tl_pftrace_pid(const struct tl_pftrace *p, uint32_t event, int64_t *pid)
{
	return number_of(p, p->trace->tracks[p->trace->events[event].track].pid, pid);
}

bool tl_pftrace_tid(const struct tl_pftrace *p, uint32_t event, int64_t *tid)
{
	const struct tl_ev *e = &p->trace->events[event];
	char ph = p->trace->layouts[e->layout].ph;

	if (ph == 'b' || ph == 'n')
		return tl_pftrace_pid(p, event, tid);
	return number_of(p, p->trace->tracks[e->track].tid, tid);
}

/* Whether Python takes the value for true. */
static bool is_true(const struct tl_pftrace *p, struct tl_cell c)
{
	if (c.type == TL_CELL_TEXT)
		return *tl_str(&p->trace->strings, c.text) != 0;
	return c.type == TL_CELL_REAL ? c.d != 0 : (c.type == TL_CELL_INT || c.type == TL_CELL_BOOL) && c.i;
}

static bool agent_of(struct tl_pftrace *p, uint32_t event, uint64_t *key, struct tl_cell *agent)
{
	bool foreign = tl_pftrace_is_foreign(p, event);

	if (!foreign && p->args[TL_PFA_AGENT].place[p->trace->events[event].layout] < 0)
		return false;
	*agent = tl_pftrace_arg(p, foreign ? TL_PFA_OWN_DEVICE : TL_PFA_AGENT, event);
	*key = (uint64_t)agent->i * 2 + (agent->type == TL_CELL_TEXT);
	return foreign ? agent->type == TL_CELL_INT : is_true(p, *agent);
}

bool tl_pftrace_gpu(struct tl_pftrace *p, uint32_t event, uint32_t *gpu)
{
	struct tl_cell agent;
	uint64_t key;

	if (!agent_of(p, event, &key, &agent))
		return false;
	*gpu = *tl_map_get(&p->gpu_of, key);
	return true;
}

/* GPUs are numbered in the order in which their agents appear. */
static void number_gpus(struct tl_pftrace *p)
{
	struct tl_strtab *strings = &p->trace->strings;
	struct tl_cell agent;
	char digits[TL_DOUBLE_TEXT];
	uint64_t key;
	bool is_new;

	for (uint32_t i = 0; i < p->trace->n_events; i++) {
		if (!agent_of(p, tl_pftrace_at(p, i), &key, &agent))
			continue;
		uint32_t *gpu = tl_map_put(&p->gpu_of, key, &is_new);
		if (!is_new)
			continue;
		*gpu = (uint32_t)p->n_agents;
		TL_PUSH(p->agents, p->n_agents, p->cap_agents,
			agent.type == TL_CELL_TEXT ? agent.text : tl_intern(strings, digits, tl_cell_format(digits, agent, 1)));
	}
}

bool tl_pftrace_own_time(const struct tl_pftrace *p, uint32_t event, int64_t *ts, int64_t *dur)
{
	const struct tl_ev *e = &p->trace->events[event];

	*ts = e->flags & TL_EV_HAS_TS ? e->ts : 0;
	*dur = e->flags & TL_EV_HAS_DUR ? e->dur : 0;
	if (p->options.reference) {
		*ts = *ts / 1000 * 1000;
		*dur = *dur / 1000 * 1000;
	}
	return e->flags & TL_EV_HAS_TS && e->flags & TL_EV_HAS_DUR;
}

/* ---- classes of kernels, and the events that count ------------------------------------------ */

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

static const char *name_of(const struct tl_trace *t, const struct tl_pftrace_event *e)
{
	return tl_str(&t->strings, t->events[e->event].name);
}

TL_ORDER_IN(by_gpu, struct tl_pftrace_event, struct tl_trace,
	TL_ASC(x->gpu) TL_ASC(x->ts) TL_ASC(x->dur) TL_BY(strcmp(name_of(ctx, a), name_of(ctx, b))))

void tl_pftrace_list(struct tl_pftrace *p)
{
	struct tl_pftrace_list *const lists[] = { &p->compute, &p->communication, &p->calls };

	if (p->listed)
		return;
	p->listed = true;
	for (uint32_t i = 0; i < p->trace->n_events; i++) {
		struct tl_pftrace_event e = { .event = tl_pftrace_at(p, i) };
		if (tl_pftrace_gpu(p, e.event, &e.gpu) && tl_pftrace_counts(p, &e, false) && e.dur >= p->options.min_event_ns) {
			bool is_comm = tl_pftrace_class(p, p->trace->events[e.event].name) == TL_PFTRACE_RCCL;
			struct tl_pftrace_list *to = is_comm ? &p->communication : &p->compute;
			TL_PUSH(to->items, to->n, to->cap, e);
		}
		e.gpu = 0;
		if (tl_pftrace_is_hip(p, e.event) && tl_pftrace_counts(p, &e, true) && e.dur >= p->options.min_event_ns)
			TL_PUSH(p->calls.items, p->calls.n, p->calls.cap, e);
	}
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		tl_merge_sort(lists[i]->items, lists[i]->n, sizeof *lists[i]->items, by_gpu, p->trace);
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

/* ---- the whole ------------------------------------------------------------------------------------ */

struct tl_pftrace *tl_pftrace_new(struct tl_trace *t, const struct tl_pftrace_options *options)
{
	struct tl_pftrace *p = tl_calloc(1, sizeof *p);

	p->trace = t;
	p->options = *options;
	for (size_t i = 0; i < TL_PFA_ARGS; i++)
		p->args[i] = tl_arg_of(t, arg_names[i]);
	tl_name_answers_init(&p->categories, TL_PFTRACE_CATEGORIES, &t->strings);
	if (options->communication) {
		static const char rule[] = "0\trccl\tis:communication";
		struct tl_error err;
		tl_name_rules_ask(p->categories.rules, options->communication);
		tl_must(tl_name_rules_add(p->categories.rules, "--communication", rule, sizeof rule - 1, &err), &err);
	}
	tl_name_answers_init(&p->launches, TL_PFTRACE_LAUNCHES, &t->strings);
	order_events(p);
	number_gpus(p);
	return p;
}

void tl_pftrace_free(struct tl_pftrace *p)
{
	if (!p)
		return;
	tl_map_release(&p->gpu_of);
	tl_name_answers_release(&p->categories);
	tl_name_answers_release(&p->launches);
	free(p->order);
	free(p->agents);
	free(p->compute.items);
	free(p->communication.items);
	free(p->calls.items);
	free(p);
}

struct tl_pftrace_doubts tl_pftrace_doubts(const struct tl_pftrace *p)
{
	return p->doubts;
}

size_t tl_pftrace_agents(const struct tl_pftrace *p)
{
	return p->n_agents;
}

const char *tl_pftrace_agent(const struct tl_pftrace *p, size_t gpu)
{
	return tl_str(&p->trace->strings, p->agents[gpu]);
}
