/* sink.h - the event model and the one interface between stages.
 *
 * A source (a trace reader, the stream reader, the text reader) pushes a trace
 * into a sink: first begin(), then any mix of definitions (string, track,
 * layout), meta(), event() and link(), then end(). A sink may be a stream
 * writer, a text writer, an in-memory trace, or a stage that looks and passes
 * on to the next sink (the linker, tree edits).
 *
 * Ids given by string(), track() and layout() belong to the sink. They stay
 * valid until the sink's `generation` changes, which can happen only inside
 * event() and link(): a sink with bounded tables starts them anew. A source
 * that caches ids compares `generation` before it uses them. Id 0 is "none".
 *
 * A failing call returns other than TL_OK and fills *err; the source stops at
 * once and returns that status, and end() is not called: so a failed stage
 * never leaves a stream that looks whole.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SINK_H
#define TL_SINK_H

#include "base/base.h"

/* What an event is, whichever profiler it came from. The text names (tl-view,
 * man page) are in tl_kind_name. Order is part of the stream format. */
enum tl_kind {
	TL_KIND_OTHER,          /* nothing below */
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
	uint32_t key;  /* string id */
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

/* One event. `uid` is its position in the source's event list, counted before
 * anything is dropped; strictly increasing in a stream. ts and dur are ticks
 * (struct tl_header), 0 when the layout says they are absent. values[i] belongs
 * to the layout's fields[i]. The sink must not keep pointers. */
struct tl_event {
	uint64_t uid;
	uint32_t layout;
	uint32_t name;   /* string id */
	uint32_t track;  /* track id: process and thread (or device and queue) */
	int64_t ts, dur;
	const int64_t *values;
};

/* What tl-link (and tree edits) found. Meaning of a and b (uids) by type. */
enum tl_link_type {
	TL_LINK_NODE = 1,  /* host event a entered the tree as last child of b
	                      (b = TL_NO_UID: no parent). In stack order. */
	TL_LINK_ROOT,      /* cpu_op a is the outermost cpu_op on its stack */
	TL_LINK_LAUNCH,    /* runtime call a launched device event b */
	TL_LINK_BACKWARD,  /* a ran forward, b is the backward node of it */
	TL_LINK_RECOMPUTE, /* a is recomputed work (activation checkpointing) */
	TL_LINK_MODULE,    /* innermost nn.Module frame around a is b */
	TL_LINK_ANNOTATE,  /* the annotation that labels a is b */
	TL_LINK_ADOPT,     /* b moves to the end of a's children; b still names
	                      its old parent when walking upward */
	TL_LINK_REPARENT,  /* b moves to the end of a's children, and names a */
	TL_LINK_REPLACE,   /* a takes b's place among the children of b's parent */
	TL_LINK_WORK,      /* device event b counts as work below a */
	TL_LINK_RENAME,    /* reserved: part of the format, written by no stage so far */
	TL_LINK_COUNT
};
#define TL_NO_UID UINT64_MAX
struct tl_link { uint8_t type; uint64_t a, b; };
const char *tl_link_name(unsigned type);         /* "node", …; NULL if none */
int tl_link_by_name(const char *s, size_t len);  /* -1 if none */

/* About the trace as a whole, known before the first event. */
struct tl_header {
	const char *source;   /* "pytorch", "rocprofv3", "xplane", "perfetto" */
	int64_t ticks_per_us; /* 1000: nanoseconds, 1000000: picoseconds */
	bool linked;          /* links follow; set by the linker */
	bool python;          /* python frames are part of the tree */
	const char *const *provenance; /* one line a stage, oldest first */
	size_t n_provenance;
};

/* Key of a meta() member: how many elements the source's event list has, given
 * when its last ones were left out, so that new events are numbered behind it. */
#define TL_META_EVENTS "tl-parse events"
/* That number, or 0 if the member is another one or holds no such number. */
uint64_t tl_meta_events(const char *key, size_t key_len, const char *json, size_t json_len);

/* What a stream has held. */
struct tl_counts {
	uint64_t events[TL_KIND_COUNT], strings, members;
	uint64_t next_uid; /* lowest uid that the next event may have */
};

#define TL_PACKED_SLACK 64

/* An event whose values are as tl-stream(5) encodes them. */
struct tl_packed_event {
	struct tl_event ev;    /* values is not set */
	const uint8_t *packed; /* the layout's values; TL_PACKED_SLACK bytes behind them are readable */
	size_t len;
};

struct tl_sink;
struct tl_sink_ops {
	enum tl_status (*begin)(struct tl_sink *, const struct tl_header *, struct tl_error *);
	/* Interns; never fails. */
	uint32_t (*string)(struct tl_sink *, const char *s, size_t len);
	/* pid and tid are string ids of JSON text (7, "Spans" with its quotes);
	 * 0 = absent. */
	uint32_t (*track)(struct tl_sink *, uint32_t pid, uint32_t tid);
	uint32_t (*layout)(struct tl_sink *, const struct tl_layout *);
	/* A fact about the whole trace (a top-level member of the JSON): key and
	 * JSON text. May come at any time between begin and end. */
	enum tl_status (*meta)(struct tl_sink *, const char *key, size_t key_len,
	                       const char *json, size_t json_len, struct tl_error *);
	enum tl_status (*event)(struct tl_sink *, const struct tl_event *, struct tl_error *);
	enum tl_status (*link)(struct tl_sink *, const struct tl_link *, struct tl_error *);
	enum tl_status (*end)(struct tl_sink *, struct tl_error *);
	/* Optional, all or none, for a sink whose generation never changes: a
	 * source that has values in the encoding of tl-stream(5) hands them over as
	 * they stand, and many events or links in one call (n is at least 1). The
	 * events of a call stand in one buffer, in order of their values: packed[0]
	 * is the lowest address, and what lies between two events belongs to
	 * nobody. It is the source's again when the call returns. table(): a string's
	 * number in such values is from now on its place among the calls of
	 * string() that follow, counted from 1. That values are as many as the
	 * layout has is certain, that string numbers are in range is not. */
	void (*table)(struct tl_sink *);
	enum tl_status (*packed_events)(struct tl_sink *, const struct tl_packed_event *, size_t n, struct tl_error *);
	enum tl_status (*links)(struct tl_sink *, const struct tl_link *, size_t n, struct tl_error *);
	/* Optional: a frame of tl-stream(5) that holds definitions, a reset,
	 * members or events, as it stands, its head included; what has come so far
	 * is counted. A source hands it over after the calls for what it holds, if
	 * the sink has those for packed values too; that sink may pass it on to the
	 * stream writer, for which it is instead of those calls. */
	enum tl_status (*frame)(struct tl_sink *, const uint8_t *frame, size_t len, const struct tl_counts *,
	                        struct tl_error *);
};
struct tl_sink {
	const struct tl_sink_ops *ops;
	uint32_t generation;
	struct tl_sink *instead; /* set by begin(), by a sink that only chooses where
	                            the trace goes: the source goes on with this one */
};

/* Calls begin(); *s becomes the sink to go on with. */
static inline enum tl_status tl_sink_begin(struct tl_sink **s, const struct tl_header *h, struct tl_error *err)
{
	enum tl_status st = (*s)->ops->begin(*s, h, err);

	if (st == TL_OK && (*s)->instead)
		*s = (*s)->instead;
	return st;
}

#endif
