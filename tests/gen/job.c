/* job.c - the traces of the ranks of one job: tensor-parallel and data-parallel groups, pipelines, experts, and faults that are planted.
 *
 * All ranks are computed together, as each waits for others: a collective begins for all when the last one arrives, and ends
 * on all at the same time. So what delays one rank goes through its groups to all.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

enum { COMPUTE_STREAM = 7, TP_STREAM = 20, DP_STREAM = 24, SEND_STREAM = 28, RECV_STREAM = 32, EP_STREAM = 36 };
enum { TP_ELEMENTS = 4 << 20, DP_ELEMENTS = 64 << 20, PP_ELEMENTS = 2 << 20, EP_ELEMENTS = 1 << 18 };
enum group { DP, TP, EP };
enum { MICROBATCHES = 4, TRANSFER = 60000 };

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
static const int grouped_ns = 400000;

/* beside: when the stream of data-parallel collectives is free, if these run beside the backward pass. */
static struct job_rank { int64_t now, beside, clock, begin; uint64_t random; int64_t joined; } *ranks;
static uint64_t job_random;

static const struct gen_job *job_of(const struct gen *g)
{
	return &g->opt->job;
}

static int64_t layers_of(const struct gen *g, int64_t stage)
{
	return job_of(g)->layers[stage] ? job_of(g)->layers[stage] : g->opt->layers;
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

/* The call that launches a graph of all that comes until the host has something else to do; that, and the number of its node. */
static uint32_t graph_node(struct gen *g, int64_t launched)
{
	if (!g->graph) {
		struct event *e = put_event(g, EV_RUNTIME, "cudaGraphLaunch", launched, 7000);
		e->correlation = g->graph = ++g->correlation;
		g->nodes = 0;
	}
	return ++g->nodes;
}

static void put_node(struct gen *g, const struct kernel_info *k, int64_t launched, int64_t ts, int64_t dur, int stream)
{
	uint32_t node = graph_node(g, launched);
	struct event *e = put_event(g, EV_KERNEL, k->name, ts, dur);

	e->kernel = k;
	e->thread = stream;
	e->correlation = g->graph;
	e->node = node;
}

static bool in_graph(const struct gen_job *job, const struct gen_group *group)
{
	return job->graphs == GRAPHS_OF_ALL || (job->graphs && !group) || (job->graphs == GRAPHS_OF_LAYERS && !strcmp(group->kind, "tp"));
}

/* An operator, the call in it, and the kernel that this launches. */
static void put_work(struct gen *g, const char *op, const char *spec, const struct kernel_info *k, int64_t launched, int64_t ts, int64_t dur, int stream,
                     const struct gen_group *group)
{
	struct event *o, *e;

	if (in_graph(job_of(g), group)) {
		put_node(g, k, launched, ts, dur, stream);
		return;
	}
	g->graph = 0;
	o = put_event(g, EV_OP, op, launched, 9000);
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
	if (job->slow_stage >= 0 && (job->even || rank / (job->tp * job->dp) == job->slow_stage) && !strcmp(work[i].name, "aten::mm"))
		ns += ns * 3 / 10 / (job->even ? job->pp : 1);
	if (rank == g->opt->rank)
		put_work(g, work[i].name, work[i].spec, &gen_kernels[work[i].kernel], launch_time(r, r->now), r->now, ns, COMPUTE_STREAM, NULL);
	r->now += ns + gen_draw(&r->random, 900, 1400);
}

static int64_t members(const struct gen_job *job, enum group kind)
{
	return kind == TP ? job->tp : kind == DP ? job->dp : job->ep;
}

/* The k-th member of a group. */
static int64_t member(const struct gen_job *job, enum group kind, int64_t group, int64_t k)
{
	return kind == DP ? group / job->tp * job->tp * job->dp + k * job->tp + group % job->tp : group * members(job, kind) + k;
}

/* A collective of the rank that is written; peer -1: no transfer. */
static struct gen_group *put_group(struct gen *g, struct gen_group group, uint32_t *joined)
{
	group.sequence = job_of(g)->numbered ? ++*joined : 0;
	group.hot = -1;
	g->group_used[g->n_groups_used] = group;
	return &g->group_used[g->n_groups_used++];
}

/* What a rank has to do for its experts, if `usual` is what it had without a hot one. */
static int64_t tokens(const struct gen_job *job, int64_t rank, int64_t usual)
{
	if (job->hot_expert < 0 || rank / job->ep != job->hot_expert / job->ep)
		return usual;
	return job->even ? usual + usual / job->ep : rank == job->hot_expert ? 2 * usual : usual;
}

/* What the rank's event says of a collective of its group. */
static void put_collective_of(struct gen *g, const char *name, enum group kind, int64_t group, int64_t rank, int64_t ts, int64_t dur)
{
	static const struct { const char *name, *description; int stream, elements; } kinds[] = {
		[DP] = { "dp", "data", DP_STREAM, DP_ELEMENTS }, [TP] = { "tp", "tensor", TP_STREAM, TP_ELEMENTS }, [EP] = { "ep", "expert", EP_STREAM, EP_ELEMENTS } };
	const struct gen_job *job = job_of(g);
	int64_t n = members(job, kind);
	struct gen_group *named = put_group(g, (struct gen_group){ .kind = kinds[kind].name, .description = kinds[kind].description, .number = group,
		.first = member(job, kind, group, 0), .stride = kind == DP ? job->tp : 1, .n = n, .in = kinds[kind].elements, .out = kinds[kind].elements, .peer = -1 },
		&g->joined[kind]);
	bool combine = !strcmp(name, "combine"), hot = kind == EP && job->hot_expert >= 0 && job->hot_expert / job->ep == group;

	if (kind == EP) {
		int64_t sent = EP_ELEMENTS * (n + hot), received = tokens(job, rank, EP_ELEMENTS * n);
		named->hot = !combine && hot && !job->even ? job->hot_expert % job->ep : -1;
		named->share = combine ? received / n : job->even ? sent / n : EP_ELEMENTS;
		named->parts = n;
		named->in = combine ? received : sent;
		named->out = combine ? sent : received;
	}
	put_work(g, "record_param_comms", kind == EP ? "all_to_allv" : "allreduce", &gen_kernels[kind == EP ? K_SEND_RECV : K_ALL_REDUCE], launch_time(&ranks[rank], ts), ts, dur,
	         kinds[kind].stream, named);
}

/* When a rank comes to a collective: that of a bucket also waits for the bucket before it. */
static int64_t arrival(const struct gen_job *job, enum group kind, const struct job_rank *r)
{
	return kind == DP && job->overlap && r->beside > r->now ? r->beside : r->now;
}

/* A collective of one group, which begins when the last one comes. */
static void join(struct gen *g, const char *name, enum group kind, int64_t group)
{
	const struct gen_job *job = job_of(g);
	int64_t n = members(job, kind), last = 0, ns = about(&job_random, kind == DP ? 1800000 : 110000);

	if (kind == DP && group == job->slow_group)
		ns *= 2;
	if (kind == EP && job->hot_expert >= 0 && job->hot_expert / job->ep == group)
		ns = tokens(job, job->hot_expert, ns);
	for (int64_t k = 0; k < n; k++) {
		const struct job_rank *r = &ranks[member(job, kind, group, k)];
		last = arrival(job, kind, r) > last ? arrival(job, kind, r) : last;
	}
	for (int64_t k = 0; k < n; k++) {
		int64_t rank = member(job, kind, group, k), end = last + ns + gen_draw(&job_random, 0, 800);
		struct job_rank *r = &ranks[rank];
		if (rank == g->opt->rank && !(rank == job->lossy_rank && kind == TP && r->joined < 2))
			put_collective_of(g, name, kind, group, rank, arrival(job, kind, r), end - arrival(job, kind, r));
		else if (rank == g->opt->rank && job->numbered)
			g->joined[kind]++;
		r->joined += kind == TP;
		*(kind == DP && job->overlap ? &r->beside : &r->now) = end + gen_draw(&r->random, 900, 1400);
	}
}

/* Tokens to the experts and back. */
static void run_experts(struct gen *g, int64_t group)
{
	const struct gen_job *job = job_of(g);

	join(g, "dispatch", EP, group);
	for (int64_t k = 0; k < job->ep; k++) {
		int64_t rank = group * job->ep + k, ns = about(&ranks[rank].random, tokens(job, rank, grouped_ns));
		struct job_rank *r = &ranks[rank];
		if (rank == g->opt->rank)
			put_work(g, "aten::_grouped_mm", "bN,H bH,F", &gen_kernels[K_GROUPED], launch_time(r, r->now), r->now, ns, COMPUTE_STREAM, NULL);
		r->now += ns + 1000;
	}
	join(g, "combine", EP, group);
}

/* The host waits for the device, and then does something else before it launches more. */
static void synchronize(struct gen *g, int64_t rank)
{
	struct job_rank *r = &ranks[rank];

	if (rank == g->opt->rank)
		put_event(g, EV_RUNTIME, "cudaStreamSynchronize", launch_time(r, r->now) + 9000, r->now > launch_time(r, r->now) + 9000 ? r->now - launch_time(r, r->now) - 9000 : 0);
	r->begin = r->now + about(&r->random, job_of(g)->sync_ns);
	r->now = r->begin + 8000;
	g->graph = 0;
}

/* A layer of the ranks from first on, which are whole groups but for data parallelism. */
static void run_layer(struct gen *g, int64_t first, int64_t n)
{
	const struct gen_job *job = job_of(g);

	for (size_t i = 0; i < N_WORK; i++) {
		for (int64_t r = first; r < first + n && work[i].kernel; r++)
			compute(g, r, i);
		for (int64_t k = first / job->tp; k < (first + n) / job->tp && !work[i].kernel && job->tp > 1; k++)
			join(g, "", TP, k);
	}
	for (int64_t k = first; k < first + n && job->ep; k += job->ep)
		run_experts(g, k / job->ep);
	for (int64_t r = first; r < first + n && job->sync_ns; r++)
		synchronize(g, r);
}

/* ---- pipelines ---- */

/* What a replica's stage has done: forward and backward passes. When those ended, by chunk, microbatch and rank; 0: not yet. */
struct unit { int64_t forward, backward, *ends[2]; };

/* The ranks of a stage get from those of another what these sent when they were ready. */
static void receive(struct gen *g, int64_t first, int64_t n, int64_t peers, const int64_t *ready)
{
	const struct gen_job *job = job_of(g);

	for (int64_t i = 0; i < n; i++) {
		struct job_rank *r = &ranks[first + i];
		int64_t begin = r->now > ready[i] ? r->now : ready[i], end = begin + about(&job_random, TRANSFER);
		for (int side = 0; side < 2; side++) {
			int64_t rank = side ? first + i : peers + i, peer = side ? peers + i : first + i, ts = side ? r->now : ready[i];
			struct gen_group group = { .kind = "pp", .description = "pipeline", .number = rank % (job->tp * job->dp), .first = rank % (job->tp * job->dp),
				.stride = job->tp * job->dp, .n = job->pp, .in = PP_ELEMENTS, .out = PP_ELEMENTS, .peer = peer, .sends = !side };
			if (rank == g->opt->rank)
				put_work(g, "record_param_comms", side ? "recv" : "send", &gen_kernels[K_SEND_RECV], launch_time(&ranks[rank], ts), ts,
				         end - ts, side ? RECV_STREAM : SEND_STREAM, put_group(g, group, &g->joined[3]));
		}
		r->now = end + gen_draw(&r->random, 900, 1400);
	}
}

/* Has the stage to do a backward pass next? One forward, one backward, after those that fill the pipeline. */
static bool is_backward(const struct gen_job *job, const struct unit *u, int64_t stage)
{
	int64_t ahead = job->pp - 1 - stage, chunks = job->chunks;

	ahead = chunks > 1 ? 2 * ahead + (chunks - 1) * job->pp : ahead;
	return u->forward == MICROBATCHES * chunks || u->forward - u->backward > ahead;
}

/* The next pass of a stage of a replica, of all of its tensor-parallel ranks. A stage has several chunks of layers if pipelines are
 * interleaved: its passes are of as many microbatches as there are stages with one chunk, then with the next one. False: what it needs is not there. */
static bool run_pass(struct gen *g, struct unit *units, int64_t stage, int64_t replica)
{
	const struct gen_job *job = job_of(g);
	struct unit *u = &units[stage * job->dp + replica];
	int64_t first = (stage * job->dp + replica) * job->tp, each = MICROBATCHES * job->tp;
	bool back = is_backward(job, u, stage);
	int64_t k = back ? u->backward : u->forward, chunk = k / job->pp % job->chunks, microbatch = k / (job->pp * job->chunks) * job->pp + k % job->pp;
	int64_t from = stage + (back ? 1 : -1), last = back ? job->pp : -1;

	if (u->backward == MICROBATCHES * job->chunks)
		return false;
	chunk = back ? job->chunks - 1 - chunk : chunk;
	int64_t from_chunk = from != last ? chunk : back ? chunk + 1 : chunk - 1;
	from = (from + job->pp) % job->pp;
	if (from_chunk >= 0 && from_chunk < job->chunks) {
		const int64_t *ready = &units[from * job->dp + replica].ends[back][from_chunk * each + microbatch * job->tp];
		if (!ready[0])
			return false;
		receive(g, first, job->tp, (from * job->dp + replica) * job->tp, ready);
	}
	for (int64_t layer = 0; layer < layers_of(g, stage) * (back ? 2 : 1); layer++)
		run_layer(g, first, job->tp);
	for (int64_t i = 0; i < job->tp; i++)
		u->ends[back][chunk * each + microbatch * job->tp + i] = ranks[first + i].now;
	back ? u->backward++ : u->forward++;
	return true;
}

static void run_pipelines(struct gen *g)
{
	const struct gen_job *job = job_of(g);
	int64_t n = job->pp * job->dp, each = MICROBATCHES * job->chunks * job->tp;
	struct unit *units = calloc((size_t)n, sizeof *units);
	int64_t *ends = calloc((size_t)(2 * n * each), sizeof *ends);
	bool any = true;

	if (!units || !ends)
		abort();
	for (int64_t i = 0; i < n; i++)
		units[i] = (struct unit){ .ends = { ends + 2 * i * each, ends + (2 * i + 1) * each } };
	while (any) {
		any = false;
		for (int64_t i = 0; i < n; i++)
			any |= run_pass(g, units, i / job->dp, i % job->dp);
	}
	free(ends);
	free(units);
}

static void join_buckets(struct gen *g, int buckets)
{
	const struct gen_job *job = job_of(g);

	if (job->dp == 1 && job->graphs == GRAPHS_OF_ALL) /* nothing tells that they are of other groups */
		return;
	for (int bucket = 0; bucket < buckets; bucket++)
		for (int64_t i = 0; i < job->tp * job->pp; i++)
			join(g, "", DP, i);
}

void gen_job_start(struct gen *g)
{
	const struct gen_job *job = job_of(g);
	int64_t n = job->tp * job->dp * job->pp;

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
	int64_t n = job->tp * job->dp * job->pp;
	struct job_rank *own = &ranks[g->opt->rank];

	g->n_events = g->n_groups_used = 0;
	g->graph = 0;
	struct event *note = put_event(g, EV_ANNOTATION, "ProfilerStep#%d", own->now, 0);
	int64_t begin = own->now;
	note->number = step;
	note->external_id = ++g->external_id;
	for (int64_t i = 0; i < n; i++) {
		ranks[i].begin = ranks[i].now;
		ranks[i].now += about(&ranks[i].random, 200000) + (i == job->stalled_rank ? 3000000 : 0);
	}
	for (int layer = 0; layer < 2 * g->opt->layers && job->pp == 1; layer++) {
		run_layer(g, 0, n);
		if (job->overlap && layer + 1 == g->opt->layers + g->opt->layers / 2)
			join_buckets(g, 1);
	}
	if (job->pp > 1)
		run_pipelines(g);
	join_buckets(g, job->overlap ? 1 : 2);
	for (int64_t i = 0; i < n; i++)
		ranks[i].now = ranks[i].beside > ranks[i].now ? ranks[i].beside : ranks[i].now;
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
