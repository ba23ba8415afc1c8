/* gen.h - parts of the trace generator: the workload model and the writer.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_GEN_H
#define TL_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum style { STYLE_KINETO, STYLE_PRETTY, STYLE_COMPACT };

struct options {
	uint64_t seed;
	uint64_t events, size; /* how much; 0 = not given */
	int style;
	int layers;            /* transformer layers a step */
	int graph_kernels;     /* kernels of a graph launch */
	int64_t origin_ns;     /* clock at the first event */
	bool amd, arrows, python, nccl, graphs, train, recompute, era2021, integer, gpu_only;
};

/* What an event is; decides its category, its arguments and in which part of
 * the file it stands (the profiler writes host, python and device apart). */
enum what {
	EV_OP, EV_ANNOTATION, EV_FWD, EV_BWD, EV_MEMORY, EV_COUNTER,
	EV_PYTHON,
	EV_RUNTIME, EV_DRIVER, EV_ARROW_START, EV_ARROW_END,
	EV_KERNEL, EV_NCCL, EV_MEMCPY, EV_MEMSET, EV_GPU_ANNOTATION,
};

/* Sizes an op's shapes are written with. */
struct shape { int batch, seq; };

struct ev {
	const char *name;    /* JSON-escaped, lives as long as the step */
	const char *spec;    /* inputs of an op (see model.c), kind of a copy */
	int64_t ts, dur;     /* ns */
	int64_t num;         /* bytes, elements, python id */
	uint32_t ext, corr;  /* 0 = none */
	uint32_t seq;        /* sequence number + 1 */
	uint32_t index;      /* "Ev Idx" */
	uint32_t parent;     /* python parent id */
	uint32_t grid, block, regs;
	uint16_t tid;        /* thread (0 main, 1 autograd) or stream */
	uint8_t what, shape;
};

struct gen {
	const struct options *opt;
	uint64_t rng;
	int64_t now;          /* clock of the host */
	int64_t stream_end[32];
	struct ev *ev;        /* events of the step in hand */
	size_t n_ev, cap_ev;
	char *names;          /* arena of the step's made-up names */
	size_t n_names, cap_names;
	struct pending { uint32_t seq; int64_t ts; const struct node *nodes; uint32_t flow; } *pending;
	size_t n_pending, cap_pending;
	uint32_t ext, corr, seq, index, python_id, flow;
	uint32_t op_ext, op_seq, python_parent;
	uint16_t tid;
	uint8_t shape;
	int64_t allocated;
};

extern const struct shape gen_shapes[4];

/* Starts over: the same options give the same events. */
void gen_start(struct gen *g, const struct options *opt);
/* Makes the events of the next step in g->ev, replacing the last step's. */
void gen_step(struct gen *g, int step);
void gen_release(struct gen *g);

struct out {
	FILE *file;          /* NULL: only counts */
	int style;
	uint64_t bytes;
	int depth;           /* of the indenter */
	bool in_string, escaped, fresh;
	char *buf;
	size_t n, cap;
};
void out_text(struct out *o, const char *s);
void out_int(struct out *o, int64_t x);
void out_us(struct out *o, int64_t ns, bool integer);
void out_flush(struct out *o);

/* Inputs of an op as the four lists of its args. */
void write_inputs(struct out *o, const char *spec, const struct shape *shape);
void write_event(struct out *o, const struct options *opt, const struct ev *e);
/* In which part of the file an event stands: 0 host, 1 python, 2 device. */
int event_part(const struct ev *e);
void write_head(struct out *o, const struct options *opt);
void write_tail(struct out *o, const struct options *opt, int64_t begin, int64_t end);

#endif
