/* event.h - the event model: what a trace is made of, whichever profiler it came
 * from. Strings, tracks and layouts are named by ids; what an id means stands in
 * the tables of the trace's source (model/tables.h). Id 0 is "none".
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_EVENT_H
#define TL_EVENT_H

#include "base/strings.h"

#include <stdbool.h>

/* What an event is. The text names (tl-view, man page) are in tl_kind_name.
 * The order is part of the stream format. */
enum tl_kind {
	TL_KIND_OTHER,          /* none of the others */
	TL_KIND_META,           /* process and thread names, sort indexes */
	TL_KIND_CPU_OP,         /* framework operator on the host */
	TL_KIND_RUNTIME,        /* CUDA/HIP runtime call */
	TL_KIND_DRIVER,         /* CUDA/HIP driver call */
	TL_KIND_KERNEL,
	TL_KIND_MEMCPY,
	TL_KIND_MEMSET,
	TL_KIND_PYTHON,         /* python function frame */
	TL_KIND_ANNOTATION,     /* user annotation on the host */
	TL_KIND_GPU_ANNOTATION, /* user annotation on the device */
	TL_KIND_LAUNCH_FLOW,    /* arrow from a runtime call to device work */
	TL_KIND_FWDBWD_FLOW,    /* arrow from forward to backward */
	TL_KIND_FLOW,           /* any other arrow */
	TL_KIND_COUNTER,
	TL_KIND_INSTANT,
	TL_KIND_OVERHEAD,
	TL_KIND_TRACE,          /* the profiler about itself */
	TL_KIND_COUNT
};
const char *tl_kind_name(unsigned kind);          /* "cpu_op", …; NULL if none */
int tl_kind_by_name(const char *s, size_t len);   /* -1 if none */
static inline bool tl_kind_is_gpu(unsigned k) { return k >= TL_KIND_KERNEL && k <= TL_KIND_MEMSET; }
static inline bool tl_kind_is_launch(unsigned k) { return k == TL_KIND_RUNTIME || k == TL_KIND_DRIVER; }

/* Type of a named field's value. */
enum tl_field_type {
	TL_FIELD_INT = 1,  /* value is the int64 itself */
	TL_FIELD_STRING,   /* value is a string id: text, escapes resolved (UTF-8) */
	TL_FIELD_JSON,     /* value is a string id: JSON text without blanks, for
	                      all else: fractions, big integers, lists, objects,
	                      true, false, null */
};

struct tl_field {
	uint32_t key;  /* string id, never 0 */
	uint8_t type;  /* enum tl_field_type */
	uint8_t top;   /* 1: a member of the event itself, 0: of its "args" */
};

/* The shape shared by many events. Two events with the same category, phase,
 * flags and fields have the same layout. */
enum {
	TL_HAS_TS = 1,
	TL_HAS_DUR = 2,
	TL_INT_TS = 4,    /* the source wrote ts without a fraction */
	TL_INT_DUR = 8,
	TL_HAS_ARGS = 16, /* an args object was present, maybe empty */
	TL_HAS_NAME = 32,
	TL_LAYOUT_FLAGS = 63 /* all of these */
};
#define TL_MAX_FIELDS 4096
struct tl_layout {
	uint32_t cat;  /* string id, 0 = none */
	uint8_t kind;  /* enum tl_kind */
	char ph;       /* Chrome trace phase letter, 'X' for a span; 0 = none */
	uint8_t flags; /* TL_HAS_* */
	uint32_t n_fields;
	const struct tl_field *fields;
};

/* Process and thread (or device and queue): string ids of JSON text (7, "Spans"
 * with its quotes), 0 = absent. */
struct tl_track { uint32_t pid, tid; };

/* One event. `uid` is its position in the source's event list, counted before
 * anything is dropped; strictly increasing in a trace, but for counters of one record, which share it. ts and dur are ticks
 * (struct tl_header), 0 when the layout says they are absent. values[i] belongs
 * to the layout's fields[i]; a sink that gets an event must not keep the pointer. */
#define TL_NO_UID UINT64_MAX
struct tl_event {
	uint64_t uid;
	uint32_t layout; /* layout id, never 0 */
	uint32_t name;   /* string id */
	uint32_t track;  /* track id */
	int64_t ts, dur;
	const int64_t *values;
};

/* A relation that tl-link found or tl-rewrite made. a and b are uids; what they mean
 * depends on the type. The order is part of the stream format. */
enum tl_link_type {
	TL_LINK_NODE = 1,  /* host event a entered the tree as last child of b
	                      (b = TL_NO_UID: no parent). In stack order. */
	TL_LINK_ROOT,      /* cpu_op a is the outermost cpu_op on its stack */
	TL_LINK_LAUNCH,    /* runtime call a launched device event b */
	TL_LINK_BACKWARD,  /* a ran forward, b is the backward node of it */
	TL_LINK_RECOMPUTE, /* a is recomputed work (activation checkpointing) */
	TL_LINK_ADOPT,     /* b moves to the end of a's children, but its parent
	                      stays the same */
	TL_LINK_REPARENT,  /* b moves to the end of a's children, and a becomes
	                      its parent */
	TL_LINK_REPLACE,   /* a takes b's place among the children of b's parent */
	TL_LINK_WORK,      /* device event b counts as work below a */
	TL_LINK_COUNT
};
struct tl_link { uint8_t type; uint64_t a, b; };
const char *tl_link_name(unsigned type);         /* "node", …; NULL if none */
int tl_link_by_name(const char *s, size_t len);  /* -1 if none */

/* About the trace as a whole, known before the first event. */
struct tl_header {
	const char *source;   /* "pytorch", "rocprofv3", "xplane", "perfetto", "memory timeline" */
	int64_t ticks_per_us; /* 1000: nanoseconds, 1000000: picoseconds; at least 1 */
	bool linked;          /* links follow; set by the linker */
	bool python;          /* python frames are part of the tree */
	const char *const *provenance; /* one line a stage, oldest first */
	size_t n_provenance;
};

/* Key of a meta() member: the length of the source's event list. A reader gives it
 * when it left out the last events, so that new events are numbered behind them. */
#define TL_META_EVENTS "tl-parse events"
/* Key of another one: how many Python frames the reader left out because they are short. */
#define TL_META_SHORT_FRAMES "tl-parse short frames"
/* Key of another one: who wrote the trace, a text, where the header's source tells only its form (readers/chrome-writers.tsv). */
#define TL_META_WRITER "tl-parse writer"
/* The value of the member TL_META_EVENTS; 0 if the key is another one or the value no such number. */
uint64_t tl_meta_events(const char *key, size_t key_len, const char *json, size_t json_len);
/* Key of a meta() member of a slice: the start of the whole trace, in ticks. */
#define TL_META_START "tl-slice start"
/* Key of another one: a list of texts, what was chosen by each tl-slice, the oldest first. */
#define TL_META_SLICES "tl-slice parts"
/* Key of another one, of a part: a list of start and end of its window (steps/recorded.h), in ticks, and for each time in it in
 * which a device ran what is not in the part, or is unrecorded, the device's place among those of the part, start and end. */
#define TL_META_WINDOW "tl-slice window"
/* Is this a member TL_META_START? *start receives the value. */
bool tl_meta_start(const char *key, size_t key_len, const char *json, size_t json_len, int64_t *start);

#endif
