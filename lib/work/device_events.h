/* device_events.h - the device events of a trace: what work they do, which of them count.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_DEVICE_EVENTS_H
#define TL_DEVICE_EVENTS_H

#include "work/spans.h"
#include "work/name_rules.h"
#include "model/trace.h"

/* The kinds of work that a device does. */
enum tl_gpu_work { TL_GPU_COMPUTE, TL_GPU_COMM, TL_GPU_MEMCPY, TL_GPU_WORKS };

/* Which rules tell by a name what a device event does. */
enum tl_work_rules {
	TL_WORK_REFERENCE, /* those of TraceLens, work/kernel-work.tsv */
	TL_WORK_TABLE,     /* these and those of more libraries, work/kernel-communication.tsv */
};
/* The rules, to which tl_name_rules_add may add others; the caller frees them. */
struct tl_name_rules *tl_work_rules_new(enum tl_work_rules);
/* What a device event of this name does, as they say. */
enum tl_gpu_work tl_work_of_name(struct tl_name_rules *, const char *name, size_t len);

/* Device events that are communication by one set of rules and not by another: how many,
 * and the ticks in which at least one of them runs. */
struct tl_work_difference { uint32_t more, fewer; int64_t more_ticks, fewer_ticks; };
/* Decides for each device event of a trace what it does, so that all sheets agree. Each
 * name is looked up once. other: rules to compare with; *diff tells what is communication
 * by `rules` and not by them (more), and the other way round (fewer). Both may be NULL. */
void tl_mark_work(struct tl_trace *, struct tl_name_rules *rules, struct tl_name_rules *other,
                  struct tl_work_difference *diff);
/* The same by TL_WORK_REFERENCE, unless the trace is marked. What makes sheets calls this first. */
void tl_mark_work_once(struct tl_trace *);

/* Of a marked trace. Is the event's name that of communication, whatever its kind? */
static inline bool tl_gpu_is_comm(const struct tl_ev *e)
{
	return e->work == TL_GPU_COMM;
}
/* Of a marked trace: the work of a device event. It is memcpy if that is its kind, else
 * what its name says. */
static inline enum tl_gpu_work tl_gpu_work(const struct tl_ev *e)
{
	return e->kind == TL_KIND_MEMCPY ? TL_GPU_MEMCPY : (enum tl_gpu_work)e->work;
}

/* A device event with a start and a duration. */
static inline bool tl_gpu_usable(const struct tl_ev *e)
{
	return tl_kind_is_gpu(e->kind) && tl_ev_has_span(e);
}
/* Was it launched by a runtime call of the trace? */
static inline bool tl_gpu_linked(const struct tl_ev *e)
{
	return (e->flags & TL_EV_IN_TREE) || e->parent != TL_NONE;
}
static inline int64_t tl_ev_end(const struct tl_ev *e)
{
	return tl_ticks_add(e->ts, e->dur);
}

/* Which device events a sheet is about. */
struct tl_gpu_select {
	bool include_unlinked;
	bool detect_recompute; /* two parts: recomputed work and the rest */
};

/* The *n chosen device events in file order; NULL if there are none. The caller frees
 * them. part: with detect_recompute, 0 for events that are not recomputed, 1 for
 * those that are; without it 0, for all. If no device event of the trace is linked,
 * unlinked ones are chosen even without include_unlinked, and *fell_back (fell_back
 * may be NULL) becomes true. A trace of another writer than its source (TL_META_WRITER) has all chosen. */
uint32_t *tl_gpu_events(const struct tl_trace *, const struct tl_gpu_select *, int part, size_t *n, bool *fell_back);
/* The same in the order of their starts, by what tl_devices_of keeps. */
uint32_t *tl_gpu_events_by_start(struct tl_trace *, const struct tl_gpu_select *, int part, size_t *n, bool *fell_back);

/* Device events that no runtime call of the trace launched. Sheets by operator cannot have
 * them; sheets of the device's time leave them out if tl_gpu_leaves_out says so. */
struct tl_unlinked {
	uint32_t events;      /* how many they are … */
	uint32_t linked;      /* … and how many others there are */
	bool counted;         /* whatever is asked for: the writer of the trace does not tell all launches */
	int64_t ticks;        /* in which one of them runs, but none of the others of its device … */
	int64_t busy;         /* … and in which any runs: sums over the devices */
};
/* A trace without unlinked device events costs one pass over its events, and both times
 * are 0 then. */
struct tl_unlinked tl_gpu_unlinked(struct tl_trace *);
static inline bool tl_gpu_leaves_out(const struct tl_gpu_select *sel, const struct tl_unlinked *u)
{
	return u->events && u->linked && !u->counted && !sel->include_unlinked;
}

/* Ticks in which at least one of these device events runs. *all_ints tells whether
 * the trace states all their starts and durations without fractions. scratch: spans
 * to work with; what they held is lost. */
int64_t tl_busy_ticks(const struct tl_trace *, const uint32_t *events, uint32_t n,
                      struct tl_spans *scratch, bool *all_ints);

/* The activity that torch.profiler is to be asked for so that it records the device of the trace; NULL: it is not its trace. */
const char *tl_device_activity(const struct tl_trace *);
/* Whether what makes the profiler of the trace record calls makes it record the work that they launch, too. */
bool tl_work_comes_with_calls(const struct tl_trace *);
/* Adds what a device did of which there are no device events, as the reader noted it in words that begin so, TL_NOT_ANALYSED or
 * TL_COUNTED: "3 events, work of an HPU (hpu_op)". How many events these are, 0: nothing is added. */
int64_t tl_add_not_analysed(struct tl_buf *, const struct tl_trace *, const char *words);
/* The name of a device that is no GPU, and whose work is not among the device events; NULL: the trace has none. */
const char *tl_other_device(const struct tl_trace *);
/* Kinds that no sheet reads, for tl_trace_options.drop_kinds. */
#define TL_UNUSED_BY_SHEETS (~(1u << TL_KIND_CPU_OP | 1u << TL_KIND_RUNTIME | 1u << TL_KIND_DRIVER | \
	1u << TL_KIND_KERNEL | 1u << TL_KIND_MEMCPY | 1u << TL_KIND_MEMSET | 1u << TL_KIND_OVERHEAD | \
	1u << TL_KIND_TRACE))

/* Has the trace no host operator? Then only sheets about device events make sense. */
bool tl_trace_gpu_only(const struct tl_trace *);

/* Of a trace without device events: adds "; ", how many calls launched work that was not recorded, why that happens, and
 * how it is recorded, as far as that can be told. Nothing of any other trace. */
void tl_add_why_no_gpu_events(struct tl_buf *, const struct tl_trace *);
/* TL_ERR_DATA "No GPU events found in the trace: …", with the events that it has. */
enum tl_status tl_no_gpu_events(const struct tl_trace *, struct tl_error *);

/* ---- what the time of devices was spent on --------------------------------------------------------------- */

/* In the order of the sheets. Exposed: what runs while nothing is computed, and for copies no
 * communication either. */
enum tl_gpu_time {
	TL_TIME_COMPUTATION, TL_TIME_EXPOSED_COMM, TL_TIME_EXPOSED_MEMCPY, TL_TIME_BUSY, TL_TIME_IDLE, TL_TIME_TOTAL,
	TL_TIME_COMM, TL_TIME_MEMCPY, TL_TIMES
};
/* "computation_time" and so on. */
extern const char *const tl_gpu_time_names[TL_TIMES];

/* Measures spans by kind of work, in ticks, and releases them. `all` becomes all of them, merged; the caller releases it;
 * NULL: nobody needs them. False: no spans. */
bool tl_gpu_times(struct tl_spans of[TL_GPU_WORKS], struct tl_spans *all, int64_t ticks[TL_TIMES]);

#endif
