/* gen.h - parts of the trace generator: workload, steps and writer.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_GEN_H
#define TL_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* How a writer of traces spells the same events. */
struct style {
	const char *name;
	enum { REBASED, MICROS, NANOS } stamps; /* decimals since a start; microseconds since 1970, whole or with decimals */
	enum { AS_IS, CRLF, ONE_LINE, INDENTED, NO_BLANKS, SCATTERED } blanks; /* scattered: in each event other ones */
	bool old;      /* categories and tids of 2020 and 2021 */
	bool each_line; /* arguments stand on lines of their own */
	bool autograd; /* the profiler before Kineto: a list of spans with their times, and no more */
};
extern const struct style gen_styles[]; /* the last one has no name */

/* A job of tp * dp * pp ranks: neighbours are a tensor-parallel group, ranks tp apart a data-parallel one, ranks tp * dp apart a
 * pipeline. Of expert parallelism, ep neighbours are a group. And what is wrong with it; -1: nothing. */
struct gen_job {
	int64_t tp, dp, pp;     /* tp 0: no job */
	int64_t ep;             /* 0: no experts */
	int64_t steps;
	int64_t clocks_ns;      /* clocks of ranks are up to so much ahead or behind */
	int64_t ahead_rank;     /* whose clock is an hour ahead */
	bool overlap;           /* a data-parallel bucket runs beside the backward pass */
	int64_t slow_rank;      /* whose matrix products take a tenth longer */
	int64_t slow_group;     /* data-parallel group whose link has half the bandwidth */
	int64_t stalled_rank;   /* which waits for 3 ms in each step */
	int64_t slow_stage;     /* whose matrix products take 30 % longer */
	int64_t hot_expert;     /* rank that gets twice the tokens */
	int64_t lossy_rank;     /* whose trace lacks its first two tensor-parallel collectives */
	bool numbered;          /* collectives have their numbers ("Seq") */
	bool even;              /* what a slow stage or a hot expert has too much is spread over the others as well */
	int64_t chunks;         /* of layers that a stage has; more than 1: pipelines are interleaved */
	int64_t layers[64];     /* of each chunk of a stage; 0: as many as all others have */
	int64_t sync_ns;        /* after each layer the host waits for the device, then does something else for so long; 0: it does not */
	enum { NO_GRAPHS, GRAPHS_OF_WORK, GRAPHS_OF_LAYERS, GRAPHS_OF_ALL } graphs; /* of what is between collectives; with the tensor-parallel ones; with all */
};
/* A process group of a job. */
struct gen_group {
	const char *kind, *description; int64_t number, first, stride, n;
	int64_t in, out; uint32_t sequence;
	int64_t peer; bool sends;     /* of a transfer; -1: it is none */
	int64_t hot, share, parts;    /* of an all-to-all of so many parts: the member that is sent two shares of elements; parts 0: it is none */
};

/* A GPU as traces name it, and what its data sheet says it reaches: TF/s of matrix products, GB/s. */
struct gpu {
	const char *name;
	int major, minor, sms, gb;
	double bf16, tf32, fp32, memory, host, peer;
};

struct options {
	struct gen_job job;
	const struct gpu *gpu;
	const struct style *style; /* NULL: not given */
	uint64_t seed;
	uint64_t events, bytes; /* how many; 0 = not given */
	int layers;             /* transformer layers of a step */
	int64_t origin_ns;      /* clock at the first event */
	int64_t loader_ns;      /* what the data loader takes before each step; 0: there is none */
	const char *faster;     /* calls, operators without children, or device work of this name take … */
	int64_t times;          /* … so many times less; faster NULL: none */
	int64_t hiccups;        /* of so many batches the last one takes four times as long to load; 0: none does */
	int64_t rank, ranks;    /* of how many; rank -1: a trace for itself, that of rank 0 */
	bool arrows, python, nccl, recompute, gpu_only, memory;
	bool no_shapes, no_stacks; /* what the head says was not recorded */
	bool fp16;              /* tensors of 16 bits are fp16's, not bfloat16's */
	int device, main_tid;   /* 0: the thread has the number of the process */
	const char *plant, *without; /* kinds of faults, separated by commas; NULL: none */
	int64_t warm;           /* so many steps more */
	bool truth;             /* print what the faults cost, in place of the trace */
};

/* What an event is: this decides its category and its arguments. The profiler
 * writes the events before EV_PYTHON first, then Python, then the others. */
enum what {
	EV_OP, EV_ANNOTATION, EV_FORWARD, EV_BACKWARD, EV_MEMORY,
	EV_PYTHON,
	EV_RUNTIME, EV_DRIVER, EV_ARROW_START, EV_ARROW_END,
	EV_KERNEL, EV_NCCL, EV_MEMCPY, EV_MEMSET, EV_GPU_ANNOTATION, EV_OVERHEAD,
};

/* ---- workload.c: what is computed ---- */

enum kernel {
	K_NONE, K_CONV, K_NORM, K_GEMM_QKV, K_GEMM_OUT, K_GEMM_UP, K_GEMM_DOWN, K_FLASH, K_ADD, K_GELU, K_COPY, K_SUM, K_EMBED,
	K_GEMM_DX, K_GEMM_DW, K_NORM_BWD, K_FLASH_BWD, K_ADAM, K_CONV_BWD, K_TRITON, K_ROPE, K_SPLITK,
	K_MEMSET, K_HTOD, K_DTOH, K_DTOD, K_ALL_REDUCE, K_ALL_GATHER, K_SEND_RECV, K_GROUPED, K_COUNT
};

/* A piece of device work. */
struct kernel_info {
	enum what what;
	const char *call; /* the runtime or driver call that launches it */
	int ns;           /* typical time */
	int grid, block, regs;
	const char *name;
};
extern const struct kernel_info gen_kernels[K_COUNT];

/* A call; the nodes after it with a greater depth are made inside it. A name
 * with ".py(", "<built-in" or "nn.Module" is a Python frame's, one that starts
 * with "nccl:" or "Optimizer" an annotation's, any other an operator's; %d stands
 * for the layer's number. The spec lists an operator's inputs, separated by
 * blanks:
 *   bN,H   a tensor of type b (b bfloat16, f float, l long) and these sizes:
 *          numbers, or B batch, S sequence, N = B*S, H hidden, Q = 3*H,
 *          F = 4*H, V vocabulary, A heads, D size of a head
 *   bN,H'  the same, transposed
 *   s1     a scalar with this text; L[1,2] a list of scalars
 *   G3:fH  a list of 3 tensors; - nothing
 * For record_param_comms the spec is the collective's name. */
struct node {
	int depth;                   /* -1: end of the table */
	const char *name, *spec;
	enum kernel kernel;          /* launched at the end of the call */
	const struct node *inside;   /* calls of another table */
	const struct node *backward; /* what the backward pass runs for it */
};
extern const struct node gen_begin[], gen_layer[], gen_end[], gen_optimizer[], gen_read_loss[],
	gen_recompute[], gen_all_reduce[], gen_all_gather[];

/* ---- steps.c: when it happens ---- */

struct event {
	enum what what;
	const char *name;        /* %d in it stands for the number */
	int number;
	const char *spec;
	const struct kernel_info *kernel;
	int64_t ts, dur;         /* ns */
	int64_t bytes;           /* of a copy, of an allocation */
	int64_t address, reserved; /* of an allocation; what the device has reserved then */
	uint32_t external_id, correlation, sequence, python_id, parent; /* 0 = none */
	uint32_t index;          /* "Ev Idx" */
	int thread;              /* 0 main, 1 autograd, 2 another; on the device the stream */
	int shape;
	uint32_t node;           /* of a graph, from 1; 0: launched by itself */
	const struct gen_group *group; /* of a collective; NULL: of all ranks */
};

/* what a step of MAX_LAYERS layers has, and some room */
enum { MAX_LAYERS = 4, MAX_EVENTS = 8192, MAX_PENDING = 128, MAX_BLOCKS = 512 };

struct gen {
	const struct options *opt;
	uint64_t random;
	uint64_t lateness;       /* another random sequence: how late this rank is */
	int64_t now;             /* clock of the host */
	int64_t stream_end[32];
	struct event events[MAX_EVENTS]; /* of the step in hand */
	size_t n_events;
	struct pending { uint32_t sequence, flow; const struct node *nodes; } pending[MAX_PENDING]; /* backward pass */
	size_t n_pending;
	uint32_t external_id, correlation, sequence, index, python_id, flow; /* the last one given */
	uint32_t op, frame;      /* the open operator's external id, the open frame's Python id */
	int thread, shape;
	uint32_t graph, nodes;   /* correlation of the graph that is launched, 0: none; its nodes so far */
	int64_t allocated, reserved;
	/* with --memory: blocks of the caching allocator, and which of them hold outputs for the backward pass */
	struct block { int64_t bytes, room; } blocks[MAX_BLOCKS]; /* bytes 0: free */
	size_t kept[MAX_BLOCKS], n_kept, temporary; /* numbers in blocks; temporary + 1, 0: none */
	bool keeps;              /* outputs stay */
	uint64_t sizes;          /* a random sequence of its own */
	uint32_t joined[4];      /* collectives of the rank, by the kind of the group */
	struct gen_group group_used[MAX_EVENTS]; /* those of the events of the step */
	size_t n_groups_used;
};

/* Starts: the same options give the same events. */
void gen_start(struct gen *g, const struct options *opt);
/* Makes the events of the next step in g->events, in place of the last step's. */
void gen_step(struct gen *g, int step);
/* lo to hi. */
int64_t gen_draw(uint64_t *random, int64_t lo, int64_t hi);
/* ---- job.c: the same of a rank of a job ---- */
void gen_job_start(struct gen *g);
void gen_job_step(struct gen *g, int step);

/* ---- plants.c: programs with one fault or two ---- */

/* Writes the trace of opt->plant without the faults of opt->without, or what they cost; ends the program if a kind is not known. */
void plant(struct options *opt);
/* Prints the kinds of faults, and of which programs they can be: faults of one trace need one program. */
void plant_list(void);

/* ---- write.c: what it looks like ---- */

struct out {
	FILE *file;
	const struct options *opt;
	uint64_t events, bytes; /* written so far */
	char buf[1 << 14];      /* the event in hand */
	size_t n;
	/* of JSON that is written with other blanks: */
	bool in_string, escaped, opened; /* opened: the last byte opened a list or object */
	int depth, zeros;       /* zeros: that may end a number's decimals */
	char last;              /* the last byte that is no blank */
	bool decimals;
	uint64_t scatter;       /* random */
};

void write_head(struct out *o);
void write_event(struct out *o, const struct event *e);
void write_tail(struct out *o, int64_t end);

#endif
