/* pftrace_events.h - events as the sheets of traces of Perfetto see them; for the files
 * pftrace*.c only.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PFTRACE_EVENTS_H
#define TL_PFTRACE_EVENTS_H

#include "work/args.h"
#include "base/pattern.h"
#include "work/name_rules.h"
#include "sheets/pftrace.h"

/* Arguments that the sheets look at. */
enum tl_pftrace_arg {
	TL_PFA_BEGIN, TL_PFA_END, TL_PFA_DELTA, TL_PFA_AGENT, TL_PFA_TID, TL_PFA_STREAM, TL_PFA_OP,
	TL_PFA_GRID, TL_PFA_BLOCK, TL_PFA_VGPR, TL_PFA_ACCUM, TL_PFA_SGPR, TL_PFA_LDS, TL_PFA_SCRATCH,
	TL_PFA_BYTES, TL_PFA_FROM, TL_PFA_TO,
	TL_PFA_CORRELATIONS, TL_PFA_LAST_CORRELATION = TL_PFA_CORRELATIONS + 3,
	TL_PFA_DEVICES, TL_PFA_LAST_DEVICE = TL_PFA_DEVICES + 5,
	TL_PFA_KERNEL_NAMES, TL_PFA_LAST_KERNEL_NAME = TL_PFA_KERNEL_NAMES + 4,
	TL_PFA_OWN_DEVICE,
	TL_PFA_ARGS
};

/* A device event with an agent, or a call. */
struct tl_pftrace_event { uint32_t event, gpu; int64_t ts, dur; };
struct tl_pftrace_list { struct tl_pftrace_event *items; size_t n, cap; };

struct tl_pftrace {
	struct tl_trace *trace;
	struct tl_pftrace_options options;
	struct tl_arg args[TL_PFA_ARGS];
	uint32_t *order;       /* events as traceconv orders them; NULL: as they are */
	struct tl_map gpu_of;  /* agent -> number of the GPU */
	uint32_t *agents; size_t n_agents, cap_agents; /* by GPU: string id */
	struct tl_name_answers categories, launches;
	struct tl_pftrace_doubts doubts;
	bool listed;           /* the lists are made */
	struct tl_pftrace_list compute, communication; /* by GPU, then by time */
	struct tl_pftrace_list calls;
	const struct tl_table *rows; /* raw rows of the sheet that is being made */
	double total;                /* what its shares are of, ns */
};

/* The i-th event in the order of traceconv's JSON. */
static inline uint32_t tl_pftrace_at(const struct tl_pftrace *p, uint32_t i)
{
	return p->order ? p->order[i] : i;
}
struct tl_cell tl_pftrace_arg(struct tl_pftrace *, enum tl_pftrace_arg, uint32_t event);
/* The argument as an integer. False: it has none. */
bool tl_pftrace_int_arg(struct tl_pftrace *, enum tl_pftrace_arg, uint32_t event, int64_t *);
/* Is it a call of HIP? Other writers than rocprofv3 have a category of another name. */
bool tl_pftrace_is_hip(const struct tl_pftrace *, uint32_t event);
/* Is it a kernel of a writer that names no agent, such as rocprof-sys? It is on the device that the reader found. */
bool tl_pftrace_is_foreign(const struct tl_pftrace *, uint32_t event);
const char *tl_pftrace_category(const struct tl_pftrace *, uint32_t event);
/* pid and tid as traceconv's JSON has them: of a slice on no thread's track, the tid is the pid.
 * False: the event has none. */
bool tl_pftrace_pid(const struct tl_pftrace *, uint32_t event, int64_t *);
bool tl_pftrace_tid(const struct tl_pftrace *, uint32_t event, int64_t *);
/* The GPU of the event's agent; false: it has no agent. */
bool tl_pftrace_gpu(struct tl_pftrace *, uint32_t event, uint32_t *);
/* Start and duration of the event itself, in ns; with the option `reference`, in whole µs. false:
 * one of them is missing; it is 0 then. */
bool tl_pftrace_own_time(const struct tl_pftrace *, uint32_t event, int64_t *ts, int64_t *dur);

/* Classes of kernels (pftrace-categories.tsv), in the order of category_summary. */
enum { TL_PFTRACE_RCCL = 9, TL_PFTRACE_CLASSES = 10 };
extern const char *const tl_pftrace_classes[TL_PFTRACE_CLASSES];
int tl_pftrace_class(struct tl_pftrace *, uint32_t name);
/* Fills start and duration. Does the event count: does it take time, on a thread that is asked for? by_argument:
 * an argument may tell the thread. */
bool tl_pftrace_counts(struct tl_pftrace *, struct tl_pftrace_event *, bool by_argument);
/* Makes the lists of events of at least min_event_ns, in order. */
void tl_pftrace_list(struct tl_pftrace *);
/* The part of a list that is of a GPU, from *at on; *at becomes its end. */
struct tl_pftrace_list tl_pftrace_part(const struct tl_pftrace_list *, uint32_t gpu, size_t *at);

#endif
