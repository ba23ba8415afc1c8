/* job.c - the traces of the ranks of one job: tensor-parallel and data-parallel groups, and faults that are planted.
 *
 * All ranks are computed together, as each waits for others: a collective begins for all when the last one arrives, and ends
 * on all at the same time. So what delays one rank goes through its groups to all.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

enum { COMPUTE_STREAM = 7, TP_STREAM = 20, DP_STREAM = 24 };
enum { TP_ELEMENTS = 4 << 20, DP_ELEMENTS = 64 << 20 };

/* What a rank does in a layer, forward and backward, between its all-reduces. */
static const struct { enum kernel kernel; const char *name, *spec; int ns; } work[] = {
	{ K_NORM, "aten::native_layer_norm", "bN,H L[1024] bH bH s1e-05", 40000 },
	{ K_GEMM_QKV, "aten::mm", "bN,H bH,Q", 420000 },
	{ K_FLASH, "aten::_flash_attention_forward", "bB,S,A,D bB,S,A,D bB,S,A,D - - s512 s512 s0. sTrue sFalse s0.125 - - - -", 300000 },
	{ K_NONE, "", "", 0 },
	{ K_GEMM_UP, "aten::mm", "bN,H bH,F", 520000 },
	{ K_GELU, "aten::gelu", "bN,F snone", 60000 },
	{ K_GEMM_DOWN, "aten::mm", "bN,F bF,H", 510000 },
	{ K_NONE, "", "", 0 },
};
enum { N_WORK = sizeof work / sizeof work[0] };

static struct job_rank { int64_t now, clock, begin; uint64_t random; int64_t joined; } *ranks;
static uint64_t job_random;

static const struct gen_job *job_of(const struct gen *g)
{
	return &g->opt->job;
}

/* ns with some tenths of a percent more or less */
static int64_t about(uint64_t *random, int64_t ns)
{
	return ns + gen_draw(random, -ns / 200, ns / 200);
}

/* ---- events of the rank that is written ---- */

static struct event *put_event(struct gen *g, enum what what, const char *name, int64_t ts, int64_t dur)
{
	struct event *e = &g->events[g->n_events++];

	if (g->n_events > MAX_EVENTS)
		abort();
	*e = (struct event){ .what = what, .name = name, .ts = ts + ranks[g->opt->rank].clock, .dur = dur, .index = g->index++ };
	return e;
}

/* An operator, the call in it, and the kernel that this launches. */
static void put_work(struct gen *g, const char *op, const char *spec, const struct kernel_info *k, int64_t launched, int64_t ts, int64_t dur, int stream,
                     const struct gen_group *group)
{
	struct event *o = put_event(g, EV_OP, op, launched, 9000), *e;

	o->spec = spec;
	o->external_id = ++g->external_id;
	o->group = group;
	e = put_event(g, EV_RUNTIME, k->call, launched + 2000, 5000);
	e->kernel = k;
	e->correlation = ++g->correlation;
	e->external_id = o->external_id;
	e = put_event(g, EV_ARROW_START, "ac2g", launched + 2000, 0);
	e->correlation = g->correlation;
	e = put_event(g, k->what, k->name, ts, dur);
	e->kernel = k;
	e->spec = spec;
	e->thread = stream;
	e->correlation = g->correlation;
	e->external_id = o->external_id;
	e->group = group;
	e = put_event(g, EV_ARROW_END, "ac2g", ts, 0);
	e->correlation = g->correlation;
	e->thread = stream;
}

/* ---- what all ranks do ---- */

/* The host runs ahead, but not before the step. */
static int64_t launch_time(const struct job_rank *r, int64_t ts)
{
	return ts - 30000 > r->begin ? ts - 30000 : r->begin;
}

static void compute(struct gen *g, int64_t rank, size_t i)
{
	struct job_rank *r = &ranks[rank];
	const struct gen_job *job = job_of(g);
	int64_t ns = about(&r->random, work[i].ns);

	if (rank == job->slow_rank && !strcmp(work[i].name, "aten::mm"))
		ns += ns / 10;
	if (rank == g->opt->rank)
		put_work(g, work[i].name, work[i].spec, &gen_kernels[work[i].kernel], launch_time(r, r->now), r->now, ns, COMPUTE_STREAM, NULL);
	r->now += ns + gen_draw(&r->random, 900, 1400);
}

/* The k-th member of a group. */
static int64_t member(const struct gen_job *job, bool tp, int64_t group, int64_t k)
{
	return tp ? group * job->tp + k : k * job->tp + group;
}

/* An all-reduce of one group. */
static void all_reduce(struct gen *g, bool tp, int64_t group)
{
	const struct gen_job *job = job_of(g);
	int64_t n = tp ? job->tp : job->dp, last = 0, ns = about(&job_random, tp ? 110000 : 1800000);
	struct gen_group *named = &g->groups[tp];

	if (!tp && group == job->slow_group)
		ns *= 2;
	for (int64_t k = 0; k < n; k++) {
		const struct job_rank *r = &ranks[member(job, tp, group, k)];
		last = r->now > last ? r->now : last;
	}
	for (int64_t k = 0; k < n; k++) {
		int64_t rank = member(job, tp, group, k), end = last + ns + gen_draw(&job_random, 0, 800);
		struct job_rank *r = &ranks[rank];
		if (rank == g->opt->rank) {
			*named = (struct gen_group){ .tp = tp, .number = group, .first = member(job, tp, group, 0), .stride = tp ? 1 : job->tp, .n = n,
				.elements = tp ? TP_ELEMENTS : DP_ELEMENTS, .sequence = job->numbered ? named->sequence + 1 : 0 };
			g->group_used[g->n_groups_used] = *named;
			if (!(rank == job->lossy_rank && tp && r->joined < 2))
				put_work(g, "record_param_comms", "allreduce", &gen_kernels[K_ALL_REDUCE], launch_time(r, r->now), r->now, end - r->now,
				         tp ? TP_STREAM : DP_STREAM, &g->group_used[g->n_groups_used++]);
		}
		r->joined += tp;
		r->now = end + gen_draw(&r->random, 900, 1400);
	}
}

static void all_reduces(struct gen *g, bool tp)
{
	for (int64_t i = 0; i < (tp ? job_of(g)->dp : job_of(g)->tp); i++)
		all_reduce(g, tp, i);
}

void gen_job_start(struct gen *g)
{
	const struct gen_job *job = job_of(g);
	int64_t n = job->tp * job->dp;

	ranks = calloc((size_t)n, sizeof *ranks);
	if (!ranks)
		abort();
	job_random = g->opt->seed * 0x9e3779b97f4a7c15u + 7;
	for (int64_t i = 0; i < n; i++) {
		ranks[i] = (struct job_rank){ .now = g->opt->origin_ns + gen_draw(&job_random, 0, 400000), .random = job_random ^ (uint64_t)(i + 1) * 0x2545f4914f6cdd1du };
		ranks[i].clock = job->clocks_ns ? gen_draw(&job_random, -job->clocks_ns, job->clocks_ns) : 0;
		if (i == job->ahead_rank)
			ranks[i].clock += 3600 * INT64_C(1000000000);
	}
}

void gen_job_step(struct gen *g, int step)
{
	const struct gen_job *job = job_of(g);
	int64_t n = job->tp * job->dp;
	struct job_rank *own = &ranks[g->opt->rank];

	g->n_events = g->n_groups_used = 0;
	struct event *note = put_event(g, EV_ANNOTATION, "ProfilerStep#%d", own->now, 0);
	int64_t begin = own->now;
	note->number = step;
	note->external_id = ++g->external_id;
	for (int64_t i = 0; i < n; i++) {
		ranks[i].begin = ranks[i].now;
		ranks[i].now += about(&ranks[i].random, 200000) + (i == job->stalled_rank ? 3000000 : 0);
	}
	for (int layer = 0; layer < 2 * g->opt->layers; layer++)
		for (size_t i = 0; i < N_WORK; i++) {
			for (int64_t r = 0; r < n && work[i].kernel; r++)
				compute(g, r, i);
			if (!work[i].kernel)
				all_reduces(g, true);
		}
	for (int bucket = 0; bucket < 2; bucket++)
		all_reduces(g, false);
	for (int64_t i = 0; i < n; i++) {
		int64_t ns = about(&ranks[i].random, 400000);
		if (i == g->opt->rank)
			put_work(g, "aten::_fused_adamw_", "G4:fH,H G4:fH,H G4:fH,H G4:fH,H - G4:f s0.0001 s0.9 s0.999 s0.01 s1e-08 sFalse sFalse - -",
			         &gen_kernels[K_ADAM], launch_time(own, own->now), own->now, ns, COMPUTE_STREAM, NULL);
		ranks[i].now += ns + 1000;
	}
	note->dur = own->now - begin;
	g->now = own->now + own->clock;
}
