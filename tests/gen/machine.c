/* machine.c - a host and a GPU, simulated.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "machine.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void *need(void *p)
{
	if (!p)
		abort();
	return p;
}

/* What lasts as long as the machine; there is one at a time. */
static void **kept;
static size_t n_kept;

static void *keep(void *p)
{
	if (!(n_kept & (n_kept - 1)))
		kept = need(realloc(kept, (2 * n_kept + 1) * sizeof *kept));
	return kept[n_kept++] = need(p);
}

const char *machine_text(const char *format, ...)
{
	char *text;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		abort();
	va_end(args);
	return keep(text);
}

void machine_start(struct machine *m, const struct options *opt, int64_t now)
{
	*m = (struct machine){ .opt = opt, .now = now, .gap = 1000, .op_ns = 1200, .call_ns = 4200, .external_id = 1024, .correlation = 4000,
	                       .main_track = MAIN_STREAM, .arrows = true, .device_notes = true, .graph_nodes = true };
}

void machine_free(struct machine *m)
{
	free(m->events);
	free(m->seen);
	while (n_kept)
		free(kept[--n_kept]);
	free(kept);
	kept = NULL;
}

void machine_place(struct machine *m, uint64_t place)
{
	m->random = (m->opt->seed * 1000003 + place) * 0x2545f4914f6cdd1du;
	gen_draw(&m->random, 0, 1);
}

int64_t machine_draw(struct machine *m, int64_t lo, int64_t hi)
{
	return gen_draw(&m->random, lo, hi);
}

int64_t machine_about(struct machine *m, int64_t ns, int percent)
{
	return ns + ns * machine_draw(m, -1000, 1000) * percent / 100000;
}

void machine_host(struct machine *m, int64_t ns)
{
	m->now += machine_about(m, ns, 10);
}

/* ---- spans of the host ---- */

static struct event *add(struct machine *m, enum what what, const char *name)
{
	struct event *e;

	if (m->n_events == m->room)
		m->events = need(realloc(m->events, (m->room = 2 * m->room + 1024) * sizeof *m->events));
	e = &m->events[m->n_events++];
	*e = (struct event){ .what = what, .name = name, .spec = "", .ts = m->now, .thread = m->thread, .index = m->index++ };
	return e;
}

size_t machine_begin(struct machine *m, enum what what, const char *name, const char *spec)
{
	struct event *e;

	if (what == EV_PYTHON && !m->frames)
		return SIZE_MAX;
	e = add(m, what, name);
	e->spec = m->opt->no_shapes ? "" : spec;
	if (what == EV_PYTHON) {
		e->parent = m->frame;
		e->python_id = m->frame = ++m->python_id;
	} else {
		e->sequence = m->op; /* until the end: that of the operator around */
		e->external_id = m->op = ++m->external_id;
	}
	machine_host(m, m->op_ns / 2);
	return (size_t)(e - m->events);
}

void machine_end(struct machine *m, size_t span)
{
	struct event *e;

	if (span == SIZE_MAX)
		return;
	machine_host(m, m->op_ns / 4);
	e = &m->events[span];
	e->dur = m->now - e->ts;
	if (e->what == EV_PYTHON) {
		m->frame = e->parent;
	} else {
		m->op = e->sequence;
		e->sequence = 0;
	}
	machine_host(m, m->op_ns / 4);
}

size_t machine_op(struct machine *m, const char *name, const char *spec)
{
	return machine_begin(m, EV_OP, name, spec);
}

size_t machine_note(struct machine *m, const char *name)
{
	return machine_begin(m, EV_ANNOTATION, name, "");
}

size_t machine_frame(struct machine *m, const char *name)
{
	return machine_begin(m, EV_PYTHON, name, "");
}

static void call_at(struct machine *m, const char *name, const struct kernel_info *kernel, int64_t ns)
{
	struct event *e = add(m, !strncmp(name, "cuLaunch", 8) ? EV_DRIVER : EV_RUNTIME, name);

	e->kernel = kernel;
	e->external_id = m->op;
	e->correlation = ++m->correlation;
	e->dur = ns;
	m->now += ns;
}

void machine_call(struct machine *m, const char *name, int64_t ns)
{
	call_at(m, name, NULL, machine_about(m, ns, 10));
	machine_host(m, 200);
}

/* ---- work of the device ---- */

static void arrow(struct machine *m, enum what what, int64_t ts, int thread)
{
	struct event *e = add(m, what, "ac2g");

	e->correlation = m->correlation;
	e->ts = ts;
	e->thread = thread;
}

static struct event *device_work(struct machine *m, enum what what, const struct kernel_info *kernel, int stream, int64_t ns)
{
	int64_t arrives = m->now + machine_draw(m, 800, 1600), free = m->stream_end[stream] + machine_about(m, m->gap, 20);
	struct event *e = add(m, what, kernel->name);

	e->kernel = kernel;
	e->ts = arrives > free ? arrives : free;
	e->dur = ns;
	e->thread = stream;
	e->correlation = m->correlation;
	e->external_id = m->op;
	m->stream_end[stream] = e->ts + ns;
	if (!m->first_on_device)
		m->first_on_device = e->ts;
	return e;
}

static const struct kernel_info *info(const char *name, int grid, int block)
{
	struct kernel_info *k = keep(malloc(sizeof *k));

	*k = (struct kernel_info){ .name = name, .grid = grid, .block = block, .regs = block >= 256 ? 168 : 32 };
	return k;
}

/* How long this launch takes more than others: the first one of a kernel loads its module. */
static int64_t loading(struct machine *m, const char *name)
{
	uint64_t random = m->random + m->n_seen;

	for (size_t i = 0; i < m->n_seen; i++)
		if (!strcmp(m->seen[i], name))
			return 0;
	m->seen = need(realloc(m->seen, (m->n_seen + 1) * sizeof *m->seen));
	m->seen[m->n_seen++] = name;
	if (m->n_seen > m->slow_first)
		return 0;
	return m->slow_first_ns * gen_draw(&random, 40, 160) / 100;
}

/* The call that launches, and the arrow from it. */
static void launching(struct machine *m, const char *call, const struct kernel_info *k, int64_t ns)
{
	int64_t begin = m->now;

	call_at(m, call, k, machine_about(m, ns, 15));
	arrow(m, EV_ARROW_START, begin, m->thread);
}

/* The last call lasts longer, for something that the profiler has a name for, or has none. */
static void hold(struct machine *m, const char *name, int64_t ns)
{
	struct event *call = &m->events[m->n_events - 2], *e; /* the last event is its arrow */
	int64_t begin = call->ts + 1000;

	call->dur += ns;
	m->now += ns;
	if (!name || !name[0])
		return;
	e = add(m, EV_OVERHEAD, name);
	e->ts = begin;
	e->dur = ns;
}

void machine_launch(struct machine *m, const char *name, int64_t ns, int grid, int block)
{
	const struct kernel_info *k = info(name, grid, block);
	bool driver = !strncmp(name, "triton", 6) || !strncmp(name, "nvjet", 5);
	int64_t more = loading(m, name);

	ns = machine_about(m, ns, 2);
	launching(m, driver ? "cuLaunchKernelEx" : "cudaLaunchKernel", k, m->call_ns);
	if (m->held || more)
		hold(m, m->held ? m->held : m->slow_first_said ? "Lazy Function Loading" : NULL, m->held ? m->held_ns : more);
	m->held = NULL;
	device_work(m, EV_KERNEL, k, MAIN_STREAM, ns);
	arrow(m, EV_ARROW_END, m->stream_end[MAIN_STREAM] - ns, MAIN_STREAM);
}

void machine_kernel(struct machine *m, const char *op, const char *spec, const char *name, int64_t ns, int grid)
{
	size_t span = machine_op(m, op, spec);

	machine_launch(m, name, ns, grid, grid < 2000 ? 256 : 128);
	machine_end(m, span);
}

void machine_collective(struct machine *m, int64_t elements, int64_t ns)
{
	static const char *const name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
	const struct kernel_info *k = info(name, 24, 512);
	struct gen_group *g = keep(malloc(sizeof *g));
	const char *tensors = machine_text("G1:b%lld - - - s-1", (long long)elements);
	size_t c10d = machine_op(m, "c10d::allreduce_", tensors), params = machine_op(m, "record_param_comms", "allreduce");
	size_t note = machine_note(m, "nccl:all_reduce");

	*g = (struct gen_group){ .kind = "tp", .description = "tp", .stride = 1, .n = m->opt->ranks, .in = elements, .out = elements, .peer = -1 };
	m->events[params].spec = "allreduce";
	m->events[params].group = g;
	if (m->stream_end[NCCL_STREAM] < m->stream_end[MAIN_STREAM])
		m->stream_end[NCCL_STREAM] = m->stream_end[MAIN_STREAM];
	launching(m, "cudaLaunchKernelExC", k, m->call_ns);
	struct event *e = device_work(m, EV_NCCL, k, NCCL_STREAM, ns);
	e->spec = "allreduce";
	e->group = g;
	arrow(m, EV_ARROW_END, m->stream_end[NCCL_STREAM] - ns, NCCL_STREAM);
	machine_end(m, note);
	machine_end(m, params);
	machine_end(m, c10d);
}

void machine_join(struct machine *m, int stream)
{
	machine_call(m, "cudaStreamWaitEvent", 600);
	if (m->stream_end[MAIN_STREAM] < m->stream_end[stream])
		m->stream_end[MAIN_STREAM] = m->stream_end[stream];
}

void machine_copy(struct machine *m, const char *name, int64_t bytes, int64_t ns)
{
	const struct kernel_info *k = info(name, 0, 0);
	bool pageable = strstr(name, "Pageable");

	ns = machine_about(m, ns, 2);
	launching(m, "cudaMemcpyAsync", k, m->call_ns);
	device_work(m, EV_MEMCPY, k, MAIN_STREAM, ns)->bytes = bytes;
	arrow(m, EV_ARROW_END, m->stream_end[MAIN_STREAM] - ns, MAIN_STREAM);
	if (pageable) { /* the call returns when the data is on its way */
		struct event *call = &m->events[m->n_events - 4];

		m->now = m->stream_end[MAIN_STREAM] - ns / 16;
		call->dur = m->now - call->ts;
	}
}

void machine_graph(struct machine *m, const struct graph_kernel *kernels, size_t n)
{
	launching(m, "cudaGraphLaunch", NULL, 18000);
	for (size_t i = 0; i < n; i++) {
		int64_t ns = machine_about(m, kernels[i].ns, 2);

		device_work(m, EV_KERNEL, info(kernels[i].name, kernels[i].grid, 256), MAIN_STREAM, ns)->node = m->graph_nodes ? (uint32_t)i + 1 : 0;
		arrow(m, EV_ARROW_END, m->stream_end[MAIN_STREAM] - ns, MAIN_STREAM);
	}
}

int64_t machine_device_end(const struct machine *m)
{
	int64_t end = 0;

	for (int i = 0; i < N_STREAMS; i++)
		end = m->stream_end[i] > end ? m->stream_end[i] : end;
	return end;
}

void machine_wait(struct machine *m, const char *call)
{
	int64_t end = strcmp(call, "cudaDeviceSynchronize") != 0 ? m->stream_end[MAIN_STREAM] : machine_device_end(m);
	int64_t done = end + machine_draw(m, 1500, 3000), least = m->now + machine_draw(m, 1500, 3000);

	call_at(m, call, NULL, (done > least ? done : least) - m->now);
	machine_host(m, 300);
}

void machine_wait_for(struct machine *m, const char *call, int64_t time)
{
	int64_t end = m->stream_end[MAIN_STREAM];

	for (size_t i = 0; i < m->n_events; i++) {
		const struct event *e = &m->events[i];
		bool work = (e->what == EV_KERNEL || e->what == EV_MEMCPY || e->what == EV_MEMSET) && e->thread == MAIN_STREAM;
		if (work && e->ts + e->dur >= time && e->ts + e->dur < end)
			end = e->ts + e->dur;
	}
	call_at(m, call, NULL, end + machine_draw(m, 1500, 3000) - m->now);
	machine_host(m, 300);
}

void machine_overhead(struct machine *m, const char *name, int64_t ns, bool in_launch)
{
	if (in_launch) {
		m->held = name;
		m->held_ns = ns;
		return;
	}
	add(m, EV_OVERHEAD, name)->dur = ns;
	m->now += ns;
}

void machine_mark(struct machine *m)
{
	m->first_on_device = 0;
}

void machine_device_note(struct machine *m, size_t note)
{
	const char *name = m->events[note].name;
	uint32_t id = m->events[note].external_id;
	struct event *e;

	if (!m->first_on_device)
		return;
	e = add(m, EV_GPU_ANNOTATION, name);
	e->external_id = id;
	e->ts = m->first_on_device;
	e->dur = machine_device_end(m) - e->ts;
	e->thread = MAIN_STREAM;
}

/* ---- the trace ---- */

void machine_record(struct machine *m, bool backlog)
{
	m->from = m->now;
	m->from_correlation = m->correlation;
	m->backlog = backlog;
}

static bool recorded(const struct machine *m, const struct event *e)
{
	bool arrow = e->what == EV_ARROW_START || e->what == EV_ARROW_END;

	if ((arrow && !m->arrows) || (e->what == EV_GPU_ANNOTATION && !m->device_notes))
		return false;
	if (e->what >= EV_KERNEL && e->what <= EV_MEMSET && e->correlation <= m->from_correlation)
		return m->backlog && e->ts + e->dur > m->from;
	return e->ts >= m->from && (!arrow || e->correlation > m->from_correlation);
}

static void write_recorded(struct out *o, const struct machine *m, const struct event *e)
{
	struct event out = *e;

	if (!recorded(m, e))
		return;
	if ((e->what >= EV_KERNEL || e->what == EV_ARROW_END) && e->thread == MAIN_STREAM)
		out.thread = m->main_track;
	write_event(o, &out);
}

void machine_write(const struct machine *m)
{
	struct out o = { .file = stdout, .opt = m->opt };

	write_head(&o);
	for (int part = -1; part <= 1; part++) /* host, Python, device, as the profiler orders them */
		for (const struct event *e = m->events; e < m->events + m->n_events; e++)
			if ((e->what > EV_PYTHON) - (e->what < EV_PYTHON) == part)
				write_recorded(&o, m, e);
	write_tail(&o, m->now);
}
