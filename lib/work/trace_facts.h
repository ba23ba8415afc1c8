/* trace_facts.h - what a trace says about itself in members beside its events: GPUs,
 * rank, versions.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TRACE_FACTS_H
#define TL_TRACE_FACTS_H

#include "base/value.h"
#include "model/trace.h"

/* The value of a member of the trace that is not an event ("cuda_runtime_version"), with
 * its parts in the arena. Of a key that stands twice, the last one counts. False: the
 * trace has no such member, or its JSON is malformed. */
bool tl_trace_member(const struct tl_trace *, const char *key, struct tl_arena *, struct tl_value *out);

/* A GPU of the list "deviceProperties", which PyTorch writes: all GPUs that the process saw,
 * used or not. */
struct tl_gpu_facts {
	const char *name; /* "NVIDIA H100 80GB HBM3"; never empty */
	int64_t id;       /* the number that device events give as "device" */
	int64_t units;    /* SMs or CUs; 0: the trace does not say */
	int64_t memory;   /* bytes; 0: the trace does not say */
	int64_t capability; /* NVIDIA's, in tenths: 90 is 9.0; 0: the trace does not say */
	int64_t registers, shared, threads; /* of a unit: 32-bit registers, bytes of shared memory, threads at once; 0: the same */
};

struct tl_trace_facts {
	struct tl_gpu_facts *gpus; size_t n_gpus; /* those with a name, in the trace's order */
	int64_t rank, world_size; /* of "distributedInfo"; -1: the trace does not say */
	const char *backend;      /* of "distributedInfo": "nccl"; NULL: the trace does not say */
	const char *host;         /* the name of its machine; NULL: the trace does not say, or names several */
	struct tl_arena arena;    /* of the texts */
};
void tl_trace_facts_read(struct tl_trace_facts *, const struct tl_trace *);
void tl_trace_facts_release(struct tl_trace_facts *);

/* The machine in the name of a file as torch.profiler.tensorboard_trace_handler gives it, HOST_PID.TIME.pt.trace.json, with the
 * folders before it and .gz behind it or not. False: it is not such a name, or what stands for PID is the rank of the trace. */
bool tl_host_in_name(const char *path, int64_t rank, const char **host, size_t *len);

/* Do the GPUs agree in name and units? */
bool tl_same_gpu_kind(const struct tl_gpu_facts *, const struct tl_gpu_facts *);
/* The one kind of GPU that the trace names. NULL: the trace names none, or GPUs that differ
 * in name or units. tl_working_gpu_kind of devices.h passes over GPUs without work. */
const struct tl_gpu_facts *tl_only_gpu_kind(const struct tl_trace_facts *);

/* A process of the member TL_META_PROCESSES (model/fields.h). */
struct tl_process_facts {
	uint32_t pid;       /* of its tracks: a string id; 0: not given */
	int64_t begin, end; /* ticks; INT64_MIN: not given */
};
/* The processes in the trace's order; NULL and *n = 0 if the trace has no such member. The
 * caller frees the list. */
struct tl_process_facts *tl_trace_processes(const struct tl_trace *, size_t *n);
/* When the first of these processes began, and the last ended; false: that is not given for all of them, or there is none. */
bool tl_life_of(const struct tl_process_facts *, size_t n, int64_t *begin, int64_t *end);

#endif
