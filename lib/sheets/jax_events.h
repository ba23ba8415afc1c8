/* jax_events.h - the device events of a JAX trace as its sheets see them; for the files
 * jax*.c only.
 *
 * TraceLens reads XPlane files through xprof's trace viewer. So the sheets number events as
 * that viewer does, which adds lines of its own to each GPU, and tell by a
 * kernel's name what it is.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_JAX_EVENTS_H
#define TL_JAX_EVENTS_H

#include "work/args.h"
#include "work/device_events.h"
#include "work/hlo_work.h"
#include "work/name_rules.h"
#include "sheet/jax.h"
#include "sheets/jax.h"

/* Arguments of kernels. */
enum tl_jax_arg {
	TL_JAX_HLO_OP, TL_JAX_HLO_MODULE, TL_JAX_PROGRAM, TL_JAX_TF_OP, TL_JAX_DETAILS, TL_JAX_GRAPH, TL_JAX_ARGS
};

/* A track of the trace. */
struct tl_jax_track {
	int64_t pid, tid;   /* -1: none */
	bool gpu;           /* its process is a GPU that did some work */
};

/* What the model of an operation says for a kernel of the operation. */
struct tl_jax_metrics {
	double gflops, bytes;
	bool has_bytes;
	const char *spec;   /* as "matrix_bf16" */
	struct tl_jax_param { const char *name; struct tl_cell value; } *params; size_t n_params;
};

/* An event on a stream of a GPU. */
struct tl_jax_event {
	uint32_t event;
	uint32_t call;      /* the call on the host that launched it, an event, or TL_NONE */
	uint64_t uid;       /* its number in the trace viewer */
	const char *category; /* of a kernel */
	const struct tl_hlo_op *op; /* its operation in the program; NULL: not known */
	const char *model;  /* its performance model; NULL: none, or one that fails */
	const struct tl_jax_metrics *metrics; /* what the model says; NULL: as before */
	enum tl_gpu_work work;
};

/* A GPU and its events on streams, which follow each other. */
struct tl_jax_gpu { int64_t pid; size_t first, n; };

struct tl_jax {
	struct tl_trace *trace;
	struct tl_jax_options options;
	struct tl_jax_track *tracks;                   /* by track of the trace */
	struct tl_jax_event *events; size_t n, cap;    /* those on streams, by uid */
	struct tl_jax_gpu *gpus; size_t n_gpus, cap_gpus; /* those that have events of any kind, by pid */
	struct tl_name_answers categories, copies;
	struct tl_name_rules *type_bits, *models, *precisions;
	struct tl_hlo *programs;
	struct tl_jax_doubts doubts;
	struct tl_arg args[TL_JAX_ARGS];
	/* what models say: by id in `modelled`, which has an operation, a model and a kernel's name each */
	struct tl_strtab modelled;
	struct tl_jax_answer { const struct tl_jax_metrics *metrics; const char *reason; } *answers; size_t cap_answers;
	struct tl_arena kept;                          /* of what models say */
};

/* The duration in ticks, at least 1: TraceLens counts 0 as 1 ps, which is a tick. */
static inline int64_t tl_jax_dur(const struct tl_jax *j, const struct tl_jax_event *e)
{
	int64_t dur = j->trace->events[e->event].dur;

	return dur > 0 ? dur : 1;
}
static inline const struct tl_jax_track *tl_jax_track(const struct tl_jax *j, uint32_t event)
{
	return &j->tracks[j->trace->events[event].track];
}
/* The number in the pid or tid of a track: in 7, "7 (line 2)"; -1: none. */
int64_t tl_jax_number(const char *json);
/* The string id of an argument; 0: the event has none, or it is no text. */
uint32_t tl_jax_text(const struct tl_jax *, enum tl_jax_arg, uint32_t event);
/* The category that a name says, a string id; "": none, or there is no name. */
const char *tl_jax_category(struct tl_jax *, uint32_t name);
/* Is it a kernel, not a copy or a set? The name alone decides: copy_fusion is a copy. */
static inline bool tl_jax_is_kernel(const struct tl_jax_event *e)
{
	return e->work != TL_GPU_MEMCPY;
}

/* The category of kernels that no rule names: XLA made them, or nothing says which operation they are of. */
#define TL_JAX_OTHER_KERNELS "Uncategorized Events/XLA"

#endif
