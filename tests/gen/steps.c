/* steps.c - the events of one training step after another.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

enum { STREAM = 7, GRAPH_STREAM = 13, NCCL_STREAM = 20 };

int64_t gen_draw(uint64_t *random, int64_t lo, int64_t hi)
{
	uint64_t z = *random += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return lo + (int64_t)((z ^ (z >> 31)) % (uint64_t)(hi - lo + 1));
}

static int64_t between(struct gen *g, int64_t lo, int64_t hi)
{
	return gen_draw(&g->random, lo, hi);
}

/* How long what has this name takes, if it takes so long when nothing is faster. */
static int64_t takes(const struct gen *g, const char *name, int64_t ns)
{
	return g->opt->faster && !strcmp(name, g->opt->faster) ? ns / g->opt->times : ns;
}

static struct event *add(struct gen *g, enum what what, const char *name)
{
	struct event *e = &g->events[g->n_events++];

	if (g->n_events > MAX_EVENTS)
		abort();
	*e = (struct event){ .what = what, .name = name, .ts = g->now, .thread = g->thread, .shape = g->shape, .index = g->index++ };
	return e;
}

static struct event *begin_span(struct gen *g, enum what what, const char *name, int number)
{
	struct event *e = add(g, what, name);

	e->number = number;
	if (what == EV_PYTHON) {
		e->parent = g->frame;
		e->python_id = g->frame = ++g->python_id;
	} else {
		e->external_id = ++g->external_id;
	}
	return e;
}

static void end_span(struct gen *g, struct event *e)
{
	e->dur = g->now - e->ts;
	if (e->what == EV_PYTHON)
		g->frame = e->parent;
	g->now += between(g, 40, 400);
}

/* ---- device work and what launches it ---- */

static void arrow(struct gen *g, enum what what, int64_t ts, int thread)
{
	struct event *e = add(g, what, "ac2g");

	e->correlation = g->correlation;
	e->ts = ts;
	e->thread = thread;
}

/* A call that takes between these times. */
static void runtime_call(struct gen *g, const char *name, const struct kernel_info *kernel, int64_t lo, int64_t hi)
{
	struct event *e = add(g, !strncmp(name, "cuLaunch", 8) ? EV_DRIVER : EV_RUNTIME, name);

	e->kernel = kernel;
	e->correlation = ++g->correlation;
	e->external_id = g->op;
	g->now += takes(g, name, between(g, lo, hi));
	end_span(g, e);
}

/* Device work ends on all ranks at the same time, but does not begin so. */
static void be_late(struct gen *g, struct event *e)
{
	int64_t late = gen_draw(&g->lateness, 0, e->dur / 4);

	e->ts += late;
	e->dur -= late;
}

static void device_work(struct gen *g, enum kernel k, int stream, int64_t earliest, const char *spec)
{
	const struct kernel_info *info = &gen_kernels[k];
	struct event *e = add(g, info->what, info->name);
	int64_t free = g->stream_end[stream] + between(g, 300, 1400);

	e->ts = earliest > free ? earliest : free;
	e->dur = info->ns * between(g, 92, 110) / 100;
	e->dur = takes(g, info->name, e->dur + between(g, 0, 63));
	e->bytes = 8 << between(g, 4, 10);
	e->kernel = info;
	e->spec = spec;
	e->thread = stream;
	e->correlation = g->correlation;
	e->external_id = g->op;
	g->stream_end[stream] = e->ts + e->dur;
	if (g->opt->rank >= 0)
		be_late(g, e);
	arrow(g, EV_ARROW_END, e->ts, stream);
}

static void launch(struct gen *g, enum kernel k, const char *spec)
{
	const struct kernel_info *info = &gen_kernels[k];
	int64_t begin;

	if (between(g, 0, 15) == 0)
		runtime_call(g, "cudaStreamIsCapturing", NULL, 200, 900);
	begin = g->now;
	runtime_call(g, info->call, info, 2800, 7200);
	arrow(g, EV_ARROW_START, begin, g->thread);
	device_work(g, k, info->what == EV_NCCL ? NCCL_STREAM : STREAM, g->now + between(g, 1500, 6000), spec);
}

static void graph_replay(struct gen *g)
{
	static const enum kernel cycle[] = { K_NORM, K_GEMM_QKV, K_ROPE, K_FLASH, K_GEMM_OUT, K_NORM, K_GEMM_UP, K_GELU, K_GEMM_DOWN, K_SPLITK };
	int64_t begin = g->now;

	runtime_call(g, "cudaGraphLaunch", NULL, 12000, 40000);
	arrow(g, EV_ARROW_START, begin, g->thread);
	for (int i = 0; i < 10 * g->opt->layers; i++)
		device_work(g, cycle[i % 10], i % 10 == 7 ? GRAPH_STREAM : STREAM, g->now, NULL);
}

static void wait_for_device(struct gen *g)
{
	int64_t wait = 3000;

	for (size_t i = 0; i < sizeof g->stream_end / sizeof *g->stream_end; i++)
		if (g->stream_end[i] - g->now > wait)
			wait = g->stream_end[i] - g->now;
	runtime_call(g, "cudaDeviceSynchronize", NULL, wait + 800, wait + 3000);
}

static void gpu_annotation(struct gen *g, const struct event *note, int64_t begin, int stream)
{
	struct event *e = add(g, EV_GPU_ANNOTATION, note->name);

	e->number = note->number;
	e->external_id = note->external_id;
	e->ts = begin;
	e->dur = g->stream_end[stream] > begin ? g->stream_end[stream] - begin : 1000;
	e->thread = stream;
}

/* ---- calls ---- */

/* What run() passes on to every call: the number for names, the sequence number
 * of the first two levels of a backward pass (else 0), and whether calls get a
 * backward pass themselves. */
struct run { int number; uint32_t sequence; bool forward; };

static void run(struct gen *g, const struct node *n, struct run r);

static enum what what_of(const struct node *n)
{
	if (strstr(n->name, ".py(") || n->name[0] == '<' || !strncmp(n->name, "nn.Module", 9))
		return EV_PYTHON;
	return !strncmp(n->name, "nccl:", 5) || !strncmp(n->name, "Optimizer", 9) ? EV_ANNOTATION : EV_OP;
}

static void queue_backward(struct gen *g, const struct node *nodes)
{
	if (g->n_pending == MAX_PENDING)
		abort();
	g->pending[g->n_pending++] = (struct pending){ .sequence = g->sequence, .flow = ++g->flow, .nodes = nodes };
	add(g, EV_FORWARD, "fwdbwd")->correlation = g->flow;
}

/* ---- memory ---- */

/* Adds bytes to what is allocated, or takes them off. */
static void put_memory(struct gen *g, int64_t bytes, int64_t address, int64_t reserved)
{
	struct event *e = add(g, EV_MEMORY, "[memory]");

	e->bytes = bytes;
	e->dur = g->allocated += bytes;
	e->address = address ? address : 139000000000000 + e->dur;
	e->reserved = reserved;
}

static int64_t address_of(size_t block)
{
	return 139000000000000 + ((int64_t)block << 26);
}

static size_t allocate(struct gen *g)
{
	struct block *b = g->blocks;

	while (b->bytes)
		if (++b == g->blocks + MAX_BLOCKS)
			abort();
	b->bytes = 512 * gen_draw(&g->sizes, 256, 24576) * (4 + g->shape) / 4;
	int64_t room = (b->bytes + (1 << 21) - 1) >> 21 << 21, more = room > b->room ? room - b->room : 0;
	b->room += more;
	put_memory(g, b->bytes, address_of((size_t)(b - g->blocks)), g->reserved += more);
	return (size_t)(b - g->blocks);
}

static void release(struct gen *g, size_t block)
{
	put_memory(g, -g->blocks[block].bytes, address_of(block), g->reserved);
	g->blocks[block].bytes = 0;
}

static void release_kept(struct gen *g, size_t but)
{
	while (g->n_kept > but)
		release(g, g->kept[--g->n_kept]);
}

/* The output of an operator. Forward it stays; in the backward pass and in the optimizer it goes when the next one is there, and in
 * the backward pass one that stayed goes with it. */
static void allocate_output(struct gen *g)
{
	size_t block = allocate(g), before = g->temporary;

	if (g->keeps) {
		g->kept[g->n_kept++] = block;
		return;
	}
	g->temporary = block + 1;
	if (before)
		release(g, before - 1);
	if (g->thread && g->n_kept)
		release_kept(g, g->n_kept - 1);
}

/* ---- operators ---- */

static struct event *begin_op(struct gen *g, const struct node *n, struct run r)
{
	struct event *e = begin_span(g, EV_OP, n->name, 0);

	g->op = e->external_id;
	e->spec = n->spec;
	e->sequence = n->backward ? ++g->sequence : n->depth < 2 && !strstr(n->name, "Accumulate") ? r.sequence : 0;
	if (n->backward && r.forward)
		queue_backward(g, n->backward);
	if (!strncmp(n->name, "aten::empty", 11) && !g->opt->memory)
		put_memory(g, between(g, 1, 64) * (between(g, 0, 1) ? 524288 : -524288), 0, 2629828608);
	if (n->kernel && g->opt->memory)
		allocate_output(g);
	return e;
}

/* Makes the call at n and all inside it; returns the call after. */
static const struct node *call(struct gen *g, const struct node *n, struct run r)
{
	const struct node *self = n++;
	enum what what = what_of(self);
	struct event *span = NULL;
	uint32_t outer = g->op;

	if (what != EV_PYTHON || g->opt->python) {
		span = what == EV_OP ? begin_op(g, self, r) : begin_span(g, what, self->name, r.number);
		g->now += takes(g, self->name, between(g, 150, 1600));
	}
	if (self->inside)
		run(g, self->inside, r);
	while (n->depth > self->depth)
		n = call(g, n, r);
	if (self->kernel)
		launch(g, self->kernel, self->spec);
	if (span)
		end_span(g, span);
	if (what == EV_ANNOTATION && self->kernel)
		gpu_annotation(g, span, g->stream_end[NCCL_STREAM] - gen_kernels[self->kernel].ns, NCCL_STREAM);
	g->op = outer;
	return n;
}

static void run(struct gen *g, const struct node *n, struct run r)
{
	while (n->depth >= 0)
		n = call(g, n, r);
}

/* The backward pass on the autograd thread, in reverse order; a layer's share of
 * it may begin with the layer's forward pass once more, and ends with an
 * all-reduce. */
static void backward(struct gen *g)
{
	uint32_t outer = g->frame;
	size_t n = g->n_pending, each = n / (size_t)g->opt->layers + 1;

	g->thread = 1;
	g->frame = 0;
	while (g->n_pending) {
		struct pending p = g->pending[--g->n_pending];
		size_t done = n - g->n_pending;

		if (g->opt->recompute && done % each == 1)
			run(g, gen_recompute, (struct run){ .number = (int)(done / each) });
		add(g, EV_BACKWARD, "fwdbwd")->correlation = p.flow;
		run(g, p.nodes, (struct run){ .sequence = p.sequence });
		if (g->opt->nccl && done % each == 0)
			run(g, gen_all_reduce, (struct run){ 0 });
	}
	g->thread = 0;
	g->frame = outer;
}

/* ---- steps ---- */

static void step_body(struct gen *g)
{
	struct run r = { .forward = true };

	g->keeps = true;
	run(g, gen_begin, r);
	for (; r.number < g->opt->layers; r.number++)
		run(g, gen_layer, r);
	run(g, gen_end, r);
	g->keeps = false;
	if (g->opt->nccl)
		run(g, gen_all_gather, r);
	backward(g);
	release_kept(g, 0);
	run(g, gen_optimizer, r);
	graph_replay(g);
	run(g, gen_read_loss, r);
	wait_for_device(g);
}

/* A data loader without workers: the host waits for it, and the device for the host. */
static void load_batch(struct gen *g, int step)
{
	static const char *const names[] = { "torch/utils/data/dataloader.py(733): __next__", "data.py(57): __getitem__", "data.py(31): augment" };
	enum { N = sizeof names / sizeof names[0] };
	struct event *note = begin_span(g, EV_ANNOTATION, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0), *frames[N];

	for (size_t i = 0; i < N && g->opt->python; i++)
		frames[i] = begin_span(g, EV_PYTHON, names[i], 0);
	g->now += g->opt->loader_ns * (g->opt->hiccups && (step + 1) % g->opt->hiccups == 0 ? 4 : 1);
	for (size_t i = N; i-- && g->opt->python;)
		end_span(g, frames[i]);
	end_span(g, note);
}

void gen_step(struct gen *g, int step)
{
	struct event *note, *frame = NULL;
	int64_t begin = g->now;

	g->n_events = 0;
	g->shape = (int)between(g, 0, 3);
	note = begin_span(g, EV_ANNOTATION, "ProfilerStep#%d", step);
	g->now += between(g, 1000, 5000);
	if (g->opt->python)
		frame = begin_span(g, EV_PYTHON, "train.py(120): train_step", 0);
	if (g->opt->loader_ns)
		load_batch(g, step);
	step_body(g);
	if (frame)
		end_span(g, frame);
	end_span(g, note);
	gpu_annotation(g, note, begin + 20000, STREAM);
	g->now += between(g, 20000, 90000);
}

void gen_start(struct gen *g, const struct options *opt)
{
	*g = (struct gen){ .opt = opt, .random = opt->seed * 0x2545f4914f6cdd1du + 1, .now = opt->origin_ns,
	                   .lateness = (uint64_t)opt->rank * 0x2545f4914f6cdd1du,
	                   .correlation = 4000, .external_id = 1024, .allocated = 1003059712, .reserved = 1006632960,
	                   .sizes = opt->seed };
}
