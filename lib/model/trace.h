/* trace.h - a linked trace in memory: what sheets are computed from.
 *
 * Events are numbered 0..n_events-1 in file order (index), which is not the uid
 * when kinds were dropped. TL_NONE marks "no event". A sink fills it (tl_trace_sink_new).
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TRACE_H
#define TL_TRACE_H

#include "model/event.h"
#include "model/samples.h"
#include "model/sink.h"

#define TL_NONE UINT32_MAX

enum { /* tl_ev.flags: those of the tree, then those of the event's layout */
	TL_EV_IN_TREE = 1,
	TL_EV_ROOT = 2,
	TL_EV_RECOMPUTE = 4,
	TL_EV_LAYOUT_SHIFT = 3,
	TL_EV_HAS_TS = TL_HAS_TS << TL_EV_LAYOUT_SHIFT,
	TL_EV_HAS_DUR = TL_HAS_DUR << TL_EV_LAYOUT_SHIFT,
	TL_EV_INT_TS = TL_INT_TS << TL_EV_LAYOUT_SHIFT, /* ts was written without a fraction */
	TL_EV_INT_DUR = TL_INT_DUR << TL_EV_LAYOUT_SHIFT,
	TL_EV_HAS_ARGS = TL_HAS_ARGS << TL_EV_LAYOUT_SHIFT,
};

struct tl_ev {
	int64_t ts, dur;        /* ticks */
	uint32_t uid;
	uint32_t name;          /* string id in tl_trace.strings */
	uint32_t values;        /* where its values begin in tl_trace.values */
	uint32_t parent;        /* event index or TL_NONE; of a device event: the
	                           runtime call (the last one in file order) */
	uint32_t first_child, next_sibling; /* in the order of the links that made them */
	uint32_t track : 24;    /* index in tl_trace.tracks */
	uint8_t kind;
	uint32_t layout : 22;   /* index in tl_trace.layouts */
	uint32_t work : 2;      /* of a device event: what its name says, see work/device_events.h */
	uint8_t flags;
};

/* Has the event both a start and a duration? */
static inline bool tl_ev_has_span(const struct tl_ev *e)
{
	return (e->flags & TL_EV_HAS_TS) && (e->flags & TL_EV_HAS_DUR);
}

/* A device event launched by several runtime calls stands in the child list of
 * the last of them (its `parent`) only; tl_trace_launched shows it under all. */
struct tl_launch { uint32_t runtime, gpu; };

struct tl_trace_track { uint32_t pid, tid; /* string ids of JSON text, 0 absent */
	uint32_t process_name, process_label, thread_name; /* string ids; "Unknown" when absent */ };

struct tl_trace {
	struct tl_strtab strings;
	int64_t ticks_per_us;
	char *source;
	bool linked, python;
	bool work_marked;         /* tl_ev.work is known */
	struct tl_ev *events; uint32_t n_events; size_t cap_events;
	/* values of all events as varints, integers zigzag: most are small, and few are ever looked at */
	uint8_t *values; size_t n_values, cap_values;
	/* [0] of these two is "none": no fields, no process */
	struct tl_layout *layouts; uint32_t n_layouts; size_t cap_layouts;
	struct tl_trace_track *tracks; uint32_t n_tracks; size_t cap_tracks;
	struct tl_launch *launches; size_t n_launches, cap_launches; /* in link order */
	int64_t first_ts;         /* start of the trace: the earliest start of an event, kept or not,
	                             of any kind but TL_NOT_AT_START, so that the start does not
	                             depend on what a reader left out. Of a slice: that of the
	                             whole trace. INT64_MAX: no event has a start */
	uint64_t n_source_events; /* highest uid + 1 seen, meta and arrows included */
	struct tl_meta_entry { uint32_t key, json; } *meta; size_t n_meta, cap_meta;
	uint32_t *roots; size_t n_roots, cap_roots; /* outermost cpu_ops, in stack order */
	/* forward events and their backward nodes, in link order */
	struct tl_bwd { uint32_t fwd, bwd; } *bwds; size_t n_bwds, cap_bwds;
	/* [event]: of a backward node its forward event, of a device event its number among all of them, in file order; else TL_NONE */
	uint32_t *fwd_or_gpu; uint32_t n_gpus;
	struct tl_samples samples; /* of counters, see tl_trace_options.samples */
	struct tl_trace_index *index; /* for the files of this folder only */
	struct tl_arena arena;
};

#define TL_NOT_AT_START (1u << TL_KIND_PYTHON | 1u << TL_KIND_COUNTER | 1u << TL_KIND_INSTANT | \
	1u << TL_KIND_OVERHEAD | 1u << TL_KIND_TRACE)

void tl_trace_free(struct tl_trace *);

/* The forward event of a backward node, or TL_NONE. */
static inline uint32_t tl_trace_forward(const struct tl_trace *t, uint32_t event)
{
	return tl_kind_is_gpu(t->events[event].kind) ? TL_NONE : t->fwd_or_gpu[event];
}
/* The number of a device event, by which lists of what is known of device events alone are kept: they are few. */
static inline uint32_t tl_trace_gpu(const struct tl_trace *t, uint32_t event)
{
	return t->fwd_or_gpu[event];
}

/* Memory that lives as long as the trace, for what stages find out about it. */
void *tl_trace_alloc(const struct tl_trace *, size_t size);
/* What they find out and keep with it: memory of that size, zero bytes at the first call, and the same at
 * each call with the same `release`. tl_trace_free calls release(), which frees what the memory leads to. */
void *tl_trace_keep(const struct tl_trace *, size_t size, void (*release)(void *));

/* Value of a named member of args (top = false) or of the event itself.
 * Returns the field type (0 when absent) and the value. key is a string id;
 * resolve it once with tl_strtab_find(&t->strings, …). When a key stands twice
 * the last one counts. */
int tl_trace_field(const struct tl_trace *t, uint32_t event, uint32_t key, bool top, int64_t *value);

/* Value of field i of an event's layout; those of all its fields. */
int64_t tl_trace_value(const struct tl_trace *t, const struct tl_ev *e, uint32_t i);
void tl_trace_values(const struct tl_trace *t, const struct tl_ev *e, int64_t *out);
/* The event in whose child list e stands, or TL_NONE. That is e's parent, unless an
 * edit moved e to the children of another event and left the parent as it was. */
uint32_t tl_trace_owner(const struct tl_trace *t, uint32_t e);

/* A walk in depth-first order through the child lists below an event. The events stay
 * as they are during the walk:
 *   for (struct tl_walk w = tl_walk_below(t, top); w.event != TL_NONE; tl_walk_on(&w, true)) */
struct tl_walk {
	const struct tl_trace *t;
	uint32_t top, event; /* event: TL_NONE after the last one */
	long depth;          /* of event: 0 for the children of top */
};
struct tl_walk tl_walk_below(const struct tl_trace *, uint32_t top);
/* Goes on to the next event; into: to the children of this one first. */
void tl_walk_on(struct tl_walk *, bool into);

/* Who wrote the trace: its member TL_META_WRITER, else the source, "" if that is not known. */
const char *tl_trace_profiler(const struct tl_trace *t);
/* Does the trace have that member? */
bool tl_trace_of_other_writer(const struct tl_trace *);

/* ticks to microseconds, correctly rounded. */
double tl_trace_us(const struct tl_trace *t, int64_t ticks);

/* The index of the event with this uid, or TL_NONE. */
uint32_t tl_trace_by_uid(const struct tl_trace *t, uint64_t uid);

/* Leaves events out of all sums: they lose their start and duration, and device events their launches. Before anything is
 * asked about work below an event. The start of the trace is no longer theirs. */
void tl_trace_leave_out(struct tl_trace *t, const uint32_t *events, size_t n);

/* ---- work below an event ---- */

/* Device events launched by event e and by all below it (by parent links), as
 * event indexes in launch order (file order of the runtime calls); *n receives
 * their number. A device event launched twice below e appears twice. The
 * result stays valid until tl_trace_free. The first call takes time in proportion
 * to the trace, later ones to the result. Not safe to call from two threads. */
const uint32_t *tl_trace_work(struct tl_trace *t, uint32_t e, uint32_t *n);

/* The number of these device events, without making the list: in constant time unless
 * edits added work to events. */
uint32_t tl_trace_work_count(const struct tl_trace *t, uint32_t e);

/* Device events launched by the runtime call e itself, in link order, as event
 * indexes; *n receives their number. */
const uint32_t *tl_trace_launched(struct tl_trace *t, uint32_t e, uint32_t *n);

/* ---- the sink that fills a trace in memory --------------------------------------------------------------- */

struct tl_trace_options {
	uint32_t drop_kinds; /* bits 1u << kind: events of these kinds are not kept. Names
	                        of processes and threads are read all the same; python
	                        frames are kept if they are nodes of the tree */
	/* Called with the header, before any event: returns the kinds to drop in place of
	   drop_kinds. NULL: not called. */
	uint32_t (*drop_kinds_of)(void *ctx, const struct tl_header *);
	void *ctx;
	bool samples; /* counters become tl_trace.samples; else they are events like others */
	bool counters; /* with samples: they are events, too */
};

/* The trace is whole when end() has returned. Free the sink at any time; the trace
 * is the caller's (tl_trace_free). */
struct tl_sink *tl_trace_sink_new(struct tl_trace **out, const struct tl_trace_options *);
void tl_trace_sink_free(struct tl_sink *);

/* ---- events in the order of their starts ----------------------------------------------------------------- */

/* Sorts events (their indexes) by start; those with equal starts keep their order. */
void tl_sort_by_start(const struct tl_trace *, uint32_t *events, size_t n);
/* The same of each track, one track after the other. */
void tl_sort_by_track(const struct tl_trace *, uint32_t *events, size_t n);

#endif
