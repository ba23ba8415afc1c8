/* perfetto.h - the parts of the reader of Perfetto traces, and what they share.
 *
 *   perfetto.c          bytes to packets: what each is, and whether it can be used
 *   perfetto_slice.c    what a sequence of packets has said before: names, clocks; a TrackEvent to a slice
 *   perfetto_tracks.c   tracks: of which process and thread, and what is open on them; slices to events
 *                       in the shape of traceconv's JSON
 *   perfetto_model.c    events in that shape to events of the model; traceconv's JSON
 *   perfetto_gpu.c      stages of a GPU, and which GPUs there are
 *   perfetto_counters.c counters of GPUs
 *   perfetto_names.c    what names and numbers stand for (perfetto-names.tsv)
 *   perfetto_own.c      a trace that tl-view wrote: the events as they were
 *
 * The format: perfetto.dev/docs/reference/trace-packet-proto. A trace is packets of several
 * sequences, each the work of one writer. A name is given once in a sequence and then
 * referred to by number ("interned"), until the sequence clears its numbers.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERFETTO_H
#define TL_PERFETTO_H

#include "readers/event_maker.h"
#include "readers/protobuf_fields.h"
#include "readers/spool.h"

/* ---- what names stand for (perfetto_names.c) -------------------------------------------- */

/* Zero bytes are a start. */
struct tl_pf_names { struct tl_pf_row *rows; size_t n, cap; struct tl_arena arena; };
void tl_pf_names_load(struct tl_pf_names *);
void tl_pf_names_release(struct tl_pf_names *);
/* The first mistake in a text in the form of the table. */
enum tl_status tl_pf_names_check(const char *file, const char *text, size_t len, struct tl_error *);

/* What a category stands for where this holds of the event: no text means that of any. */
struct tl_pf_where { enum { TL_PF_ALWAYS, TL_PF_NAME_BEGINS, TL_PF_STAGE_BEGINS, TL_PF_HAS_ARGUMENT } how; const char *text, *argument; };
struct tl_pf_category {
	size_t next;
	int kind;      /* -1: left out */
	bool alone;    /* its slices may tell no device */
	bool range;    /* their names are texts of ranges */
	struct tl_pf_where where;
};
/* The next row about the category, at first with zero bytes. False: there is none. */
bool tl_pf_category(const struct tl_pf_names *, const char *, size_t len, struct tl_pf_category *);
/* The kind that the names of a stage and an event (or NULL) tell; -1: none. */
int tl_pf_stage_kind(const struct tl_pf_names *, const char *stage, const char *event);
/* What the number in a track's name is. */
enum tl_pf_track_role { TL_PF_NO_TRACK, TL_PF_OF_GPU, TL_PF_OF_AGENT, TL_PF_OF_STREAM };
enum tl_pf_track_role tl_pf_track_role(const struct tl_pf_names *, const char *name, size_t len, int64_t *number);
/* Our name of an argument of a compute kernel; NULL: its own. */
const char *tl_pf_argument(const struct tl_pf_names *, const char *, size_t len);
/* What the field of a packet is that is not read; NULL: nothing about a device. */
const char *tl_pf_packet(const struct tl_pf_names *, uint32_t number);
/* The unit with this number (GpuCounterDescriptor.MeasureUnit); NULL: not known. */
const char *tl_pf_unit(const struct tl_pf_names *, uint64_t number);
/* The length of a counter's name without a mark at its end that says nothing of it. */
size_t tl_pf_without_mark(const struct tl_pf_names *, const char *, size_t len);

/* ---- texts ---------------------------------------------------------------------------- */

/* What the name of an argument is for. */
enum tl_pf_role { TL_PF_NO_ROLE, TL_PF_BEGIN, TL_PF_END, TL_PF_DELTA };

/* A text that a sequence has given a number. */
struct tl_pf_name {
	const char *s;
	uint32_t len;
	uint8_t role;
	struct tl_made_id id;
	int64_t number;   /* of a graphics context: its process; of a stage: its category; of counters: their GPU, -1: not told */
};
/* A text; name: where it is kept, or NULL. */
struct tl_pf_text { const char *s; size_t len; struct tl_pf_name *name; };
/* The text of a field. */
static inline struct tl_pf_text tl_pf_text(const struct tl_pb_field *f)
{
	return (struct tl_pf_text){ (const char *)f->data, f->wire == TL_PB_BYTES ? (size_t)f->value : 0, NULL };
}

/* ---- sequences ------------------------------------------------------------------------ */

enum tl_pf_interned { TL_PF_CATEGORIES, TL_PF_NAMES, TL_PF_ARG_NAMES, TL_PF_ARG_TEXTS,
	TL_PF_CONTEXTS, TL_PF_STAGES, TL_PF_KERNELS, TL_PF_KERNEL_ARGS, TL_PF_OLD_QUEUES, TL_PF_OLD_STAGES,
	TL_PF_COUNTERS /* the bytes of a descriptor */, TL_PF_INTERNED };
enum { TL_PF_BOOTTIME = 6, TL_PF_FIRST_OWN_CLOCK = 64, TL_PF_CLOCKS = 128 };

struct tl_pf_clock {
	bool known, incremental;
	uint64_t unit;   /* ns of one tick */
	int64_t last;    /* of an incremental one: where it stands, in ns */
	int64_t offset;  /* ns to add for the time of the trace (boot time) */
};

struct tl_pf_sequence {
	bool has_state;  /* its numbers were cleared, and no packet was lost since then */
	uint32_t clock;  /* of packets that name none */
	uint64_t track;  /* of events that name none */
	struct tl_pf_clock clocks[TL_PF_CLOCKS - TL_PF_FIRST_OWN_CLOCK];
	/* number -> index in names, + 1; the numbers of most writers are small */
	struct tl_pf_numbers { struct tl_by_id small; struct tl_map large; } numbers[TL_PF_INTERNED];
	struct tl_pf_name **names; size_t n_names, cap_names;
	struct tl_arena arena;
};

/* ---- slices ------------------------------------------------------------------------------ */

enum { TL_PF_MAX_ARGS = TL_MAX_FIELDS + 5, TL_PF_FOREIGN_ARGS = 512 }; /* of events that tl-view wrote; of others */
struct tl_pf_arg {
	struct tl_pf_text key, text;
	enum tl_field_type type;
	int64_t value;
};
enum tl_pf_what { TL_PF_SPAN, TL_PF_INSTANT, TL_PF_COUNTER };
struct tl_pf_slice {
	enum tl_pf_what what;
	bool has_ts, has_dur;
	bool timed;          /* its arguments say when it begins and ends */
	bool is_call;        /* a call of a GPU's interface */
	uint8_t tied;        /* which of the numbers below there are */
	int64_t ties[3];     /* by enum tl_pf_tie */
	uint64_t track;
	int64_t ts, dur;     /* ns */
	int64_t offset;      /* of its packet */
	struct tl_pf_text name, category;
	size_t n_args;
	struct tl_pf_arg args[TL_PF_MAX_ARGS];
};
/* What ties a call to its work: the number of a flow that leaves or ends here, or of what is submitted. */
enum tl_pf_tie { TL_PF_FLOW, TL_PF_FLOW_END, TL_PF_SUBMISSION };
/* Where it ends; the sum wraps around, as a damaged trace may need. */
static inline int64_t tl_pf_end(const struct tl_pf_slice *s)
{
	return (int64_t)((uint64_t)s->ts + (uint64_t)s->dur);
}

/* ---- tracks ------------------------------------------------------------------------------ */

/* A slice that waits for its end. */
struct tl_pf_open {
	struct tl_pf_open *below;
	uint64_t timed;      /* slices opened above it that need no end */
	size_t len;          /* bytes of the packed slice, which follow */
	char packed[];
};
/* What a CounterDescriptor says. The multiplier, 0: none, is a part of the unit: values stay as they are. */
struct tl_pf_counter_facts { bool counts_up; int64_t multiplier; struct tl_pf_text unit; };
struct tl_pf_track {
	uint64_t uuid, parent;
	bool described, has_process, has_thread;
	struct tl_pf_counter_facts facts;
	int64_t pid, tid;
	int64_t sum;         /* of a counter that counts up */
	uint64_t name_hash;  /* of the name that was told last */
	struct tl_pf_text name;
	uint64_t timed;      /* open slices at the bottom that need no end */
	struct tl_pf_open *top;
	struct tl_made_id id; /* of the track in the maker's tables */
	bool on_thread;      /* the track of a thread itself */
	enum tl_pf_track_role role;
	int64_t number;      /* in its name, of what the role says */
};

/* What packets tell of an event besides what traceconv's JSON has. */
struct tl_pf_beside {
	int64_t device, stream; /* -1: not told */
	bool is_call;
	uint8_t tied;
	int64_t ties[3];
};

/* ---- the reader ----------------------------------------------------------------------------- */

struct tl_pf_reader {
	const struct tl_read_options *options;
	struct tl_read_report *report;
	enum tl_status status;
	struct tl_error error;
	struct tl_maker make;
	uint64_t uid;
	int64_t offset;           /* of the packet at hand */
	uint64_t n_packets, n_events;
	struct tl_map sequence_of; /* id -> index in sequences, + 1 */
	struct tl_pf_sequence **sequences; size_t n_sequences, cap_sequences;
	struct tl_pf_clock clocks[TL_PF_FIRST_OWN_CLOCK]; /* of all sequences */
	struct tl_map track_of;    /* uuid -> index in tracks, + 1 */
	struct tl_pf_track *tracks; size_t n_tracks, cap_tracks;
	uint64_t n_open;           /* slices that wait for their end */
	struct tl_arena names;     /* of tracks */
	struct tl_pf_slice slice;  /* at hand */
	struct tl_arena scratch;   /* texts of that slice */
	struct tl_buf packed, text;
	struct tl_spool late;      /* packed slices whose track is not described yet, or whose GPU others may tell */
	struct tl_pf_names known;
	struct tl_pf_beside beside; /* of the event at hand */
	int64_t only_gpu;          /* that tracks name; -1: none, or several. Known at the end */
	struct tl_map lone;        /* streams that tell no GPU */
	struct tl_map queues;      /* of GPUs, that have their name */
	struct tl_pf_sequence *old; /* names of stages as old writers give them, for all sequences */
	bool begun;                /* the first packet was seen */
	struct tl_pf_own *own;     /* tl-view wrote the trace; else NULL */
	bool (*push_own)(struct tl_pf_reader *, const struct tl_pf_slice *); /* of such a trace */
	struct tl_sink *sink, *model; /* where events go in the end; model: NULL in a trace that tl-view wrote */
};

static inline void tl_pf_note(struct tl_pf_reader *r, const char *reason)
{
	tl_read_note(r->report, reason, r->n_packets, r->offset);
}

/* ---- perfetto_slice.c */

/* The sequence with that id, a new one if there is none; NULL: too many. */
struct tl_pf_sequence *tl_pf_sequence(struct tl_pf_reader *, uint32_t id);
void tl_pf_clear(struct tl_pf_sequence *);
void tl_pf_release_sequences(struct tl_pf_reader *);
/* InternedData and ClockSnapshot. False: damaged. */
bool tl_pf_intern(struct tl_pf_reader *, struct tl_pf_sequence *, struct tl_bytes);
bool tl_pf_snapshot(struct tl_pf_reader *, struct tl_pf_sequence *, struct tl_bytes);
/* A time stamp of a packet, in ns; clock: 0 if the packet names none. */
int64_t tl_pf_time(struct tl_pf_reader *, struct tl_pf_sequence *, uint64_t stamp, uint32_t clock);

/* The text that the sequence has given a number; an empty one if it has not. */
struct tl_pf_text tl_pf_interned(struct tl_pf_reader *, const struct tl_pf_sequence *, enum tl_pf_interned, uint64_t number);
/* Gives a number a name, if the text is another one than before. */
void tl_pf_name(struct tl_pf_sequence *, enum tl_pf_interned, uint64_t number, struct tl_pf_text, int64_t about);
/* A fraction as JSON. */
struct tl_pf_text tl_pf_fraction(struct tl_pf_reader *, uint64_t bits);
/* TrackEvent. has_time: ts is the packet's. False: damaged, or the sink failed. */
bool tl_pf_track_event(struct tl_pf_reader *, struct tl_pf_sequence *, struct tl_bytes, bool has_time, int64_t ts);

/* ---- perfetto_tracks.c */

/* Fails with the place of the packet at hand. Returns false. */
bool tl_pf_damaged(struct tl_pf_reader *, const char *what);

/* The track with that uuid, a new one if there is none; NULL: too many. Valid until the next call. */
struct tl_pf_track *tl_pf_track(struct tl_pf_reader *, uint64_t uuid);
/* TrackDescriptor. False: damaged. */
bool tl_pf_describe(struct tl_pf_reader *, struct tl_bytes);
/* A slice begins: it is pushed now or when its end comes. */
bool tl_pf_open_slice(struct tl_pf_reader *, struct tl_pf_slice *);
bool tl_pf_close_slice(struct tl_pf_reader *, uint64_t track, bool has_ts, int64_t ts);
/* Pushes the slices that never end, then those whose tracks were not described in time. */
bool tl_pf_finish_slices(struct tl_pf_reader *);
void tl_pf_release_tracks(struct tl_pf_reader *);

/* Makes the text JSON without blanks, in r->scratch. False: it is no JSON. */
bool tl_pf_check_json(struct tl_pf_reader *, struct tl_pf_text *);

/* Hands the slice to the sink. False: not yet, its track is not known (then it is kept), or
 * the status tells why. */
bool tl_pf_push(struct tl_pf_reader *, const struct tl_pf_slice *, bool last);

/* ---- perfetto_gpu.c: false: damaged, or the sink failed */

/* GpuRenderStageEvent at that time, and GpuInfo. */
bool tl_pf_stage(struct tl_pf_reader *, struct tl_pf_sequence *, struct tl_bytes, bool has_ts, int64_t ts);
bool tl_pf_gpus(struct tl_pf_reader *, struct tl_bytes);

/* ---- perfetto_counters.c: false: damaged, or the sink failed */

/* GpuCounterEvent at that time. */
bool tl_pf_gpu_counters(struct tl_pf_reader *, struct tl_pf_sequence *, struct tl_bytes, bool has_ts, int64_t ts);

/* ---- perfetto_own.c: false: damaged, or the sink failed */

/* Does a packet with these chrome_events begin a trace that tl-view wrote? */
bool tl_pf_is_own(struct tl_bytes bundle);
/* Begins such a trace. Its events are collected, as they are not in their order. */
bool tl_pf_own_begin(struct tl_pf_reader *, struct tl_bytes bundle);
/* Further chrome_events; ns: the time of their packet. */
bool tl_pf_own_bundle(struct tl_pf_reader *, struct tl_bytes, bool has_ts, int64_t ns);
/* Hands all to the sink, but for its end(). */
bool tl_pf_own_end(struct tl_pf_reader *, struct tl_sink *);
void tl_pf_own_free(struct tl_pf_own *);

/* ---- perfetto_model.c */

/* A sink for events in the shape of traceconv's JSON, as they stand in fields and args: it
 * passes them on as events of the model. Its header says the source "perfetto". pairs: slices
 * may come as two events, their begin and end (phases b and e), and become one. beside: of the event that is
 * pushed, or NULL. keep_ranges: as in tl_read_options. */
struct tl_sink *tl_pf_model_new(struct tl_sink *next, struct tl_read_report *, bool pairs, bool keep_ranges, const struct tl_pf_names *,
                                const struct tl_pf_beside *);
/* Notes the begins that have no end, and frees. */
void tl_pf_model_free(struct tl_sink *);

#endif
