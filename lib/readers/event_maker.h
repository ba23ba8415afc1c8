/* event_maker.h - makes events of what a reader finds in its trace: layouts, fields and tracks as ids of one
 * set of tables, which starts anew when it is full; and tells of the trace's processes and GPUs.
 *
 *	tl_make_event(&m, uid, TL_KIND_KERNEL, 'X');
 *	tl_make_name(&m, "gemm", 4);
 *	tl_make_span(&m, start, dur);
 *	tl_make_int(&m, TL_KEY_STREAM, 7);
 *	status = tl_push_made(&m, &error);
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_EVENT_MAKER_H
#define TL_EVENT_MAKER_H

#include "model/fields.h"
#include "readers/ranges.h"
#include "readers/reader.h"

enum { TL_MAKE_FIELDS = TL_MAX_FIELDS + 5, TL_MAKE_KNOWN = 256 };

/* The id of a text that a reader has at hand again and again. Zero bytes: not known yet. */
struct tl_made_id { uint32_t id; uint64_t epoch; };

/* Zero bytes are one that did not begin. */
struct tl_maker {
	struct tl_sink *sink;
	struct tl_read_report *report;
	struct tl_tables tables;
	uint64_t epoch;         /* of the tables' ids: another one when they start anew */
	struct tl_buf text;     /* room to work in; no function uses it that is given a text */
	bool keep_ranges;       /* tl_make_range leaves events as they are; may be set */
	struct tl_ranges *ranges; /* NULL: not needed yet */
	/* the event at hand */
	struct tl_layout layout;
	struct tl_event event;  /* .layout and .track: if 0, tl_push_made sets them */
	uint32_t pid;           /* of its track, a string id */
	bool has_tid;
	int64_t tid;            /* thread, stream or queue */
	struct tl_field fields[TL_MAKE_FIELDS];
	int64_t values[TL_MAKE_FIELDS];
	/* what was looked up last, by hash; of this epoch */
	struct tl_make_key { const char *key; uint32_t id; } keys[TL_MAKE_KNOWN];
	struct tl_make_size { int64_t size[3]; uint32_t id; } sizes[TL_MAKE_KNOWN];
	struct tl_make_track { int64_t tid; uint32_t pid, id; } tracks[TL_MAKE_KNOWN];
	struct tl_layout last;  /* its fields are those of the tables */
	uint32_t last_id;
	/* about the trace */
	struct tl_map pids;     /* that are taken by a track */
	struct tl_buf processes, gpus; /* lists of JSON without their end */
};
/* Begins the trace: calls the sink's begin(). */
enum tl_status tl_maker_begin(struct tl_maker *, struct tl_sink *, struct tl_read_report *, const struct tl_header *, struct tl_error *);
void tl_maker_release(struct tl_maker *);

/* The kind of records and events of this category of rocprofv3's; -1: it has no such. */
int tl_rocprofv3_kind(const char *category, size_t len);

/* Starts an event: no name, track, time and fields. Its layout has TL_HAS_NAME and TL_HAS_ARGS. */
void tl_make_event(struct tl_maker *, uint64_t uid, unsigned kind, char ph);
/* The id of a constant text: the key of a field, or a category. */
uint32_t tl_make_constant(struct tl_maker *, const char *);
/* The id of the text that `known` is about. */
static inline uint32_t tl_make_known(struct tl_maker *m, struct tl_made_id *known, const char *s, size_t len)
{
	if (known->epoch != m->epoch)
		*known = (struct tl_made_id){ tl_add_string(&m->tables, s, len), m->epoch };
	return known->id;
}
static inline void tl_make_name(struct tl_maker *m, const char *s, size_t len)
{
	m->event.name = tl_add_string(&m->tables, s, len);
}
static inline void tl_make_start(struct tl_maker *m, int64_t ts)
{
	m->layout.flags |= TL_HAS_TS;
	m->event.ts = ts;
}
static inline void tl_make_span(struct tl_maker *m, int64_t ts, int64_t dur)
{
	m->layout.flags |= TL_HAS_TS | TL_HAS_DUR;
	m->event.ts = ts;
	m->event.dur = dur;
}
static inline void tl_make_instant(struct tl_maker *m, int64_t ts)
{
	m->layout.ph = 'i';
	tl_make_start(m, ts);
}
/* Adds an argument; the key is a constant text. value: as in event.h. */
void tl_make_field(struct tl_maker *, const char *key, enum tl_field_type, int64_t value);
void tl_make_int(struct tl_maker *, const char *key, int64_t);
void tl_make_text(struct tl_maker *, const char *key, const char *, size_t len);
/* The grid in work-items and the block, three sizes each or NULL, and the grid in blocks if that is exact;
 * a size alone. */
void tl_make_work_items(struct tl_maker *, const int64_t *items, const int64_t *block);
void tl_make_size(struct tl_maker *, const char *key, const int64_t size[3]);
/* An id that is unique in its scope only (a process, or one of several databases in a file); scopes count
 * from 1. 0 is no id. */
void tl_make_correlation(struct tl_maker *, uint64_t scope, int64_t id);
static inline void tl_make_thread(struct tl_maker *m, int64_t tid)
{
	m->has_tid = true;
	m->tid = tid;
}
/* The event at hand, a whole one of kind annotation, is a range with this text: gives it the kind, name and fields that the text tells
 * (ranges.h). nests: it lies within those that began before it on its thread. To be called behind all others but tl_push_made. */
void tl_make_range(struct tl_maker *, const char *text, size_t len, const char *domain, size_t domain_len, bool nests);
/* Gives the event the track of its process and thread, if it has none. */
void tl_make_place(struct tl_maker *);
/* Does that, hands the event to the sink, and counts it in the report. */
enum tl_status tl_push_made(struct tl_maker *, struct tl_error *);
/* For an event that is not pushed: starts the tables anew if they are full, as tl_push_made does. */
void tl_maker_rest(struct tl_maker *);
/* Makes and pushes an event that names a process or a thread; what: "process_name" or "thread_name";
 * pid, tid: string ids, 0: none. */
enum tl_status tl_push_name(struct tl_maker *, uint64_t uid, const char *what, uint32_t pid, uint32_t tid,
                            const char *name, size_t len, struct tl_error *);

/* ---- about the trace ------------------------------------------------------------------- */

/* Zero bytes with a number, from 1, are a start. */
struct tl_process {
	uint64_t number;
	int64_t pid, init, fini;
	bool has_pid, has_init, has_fini;
	struct tl_buf hostname, command; /* JSON; empty: not given */
	struct tl_buf track;   /* the pid of its tracks, as JSON */
	struct tl_made_id id;  /* of that */
};
/* Gives the process's tracks their pid. Two processes with one pid, of two hosts or containers, get
 * different ones. */
void tl_process_place(struct tl_maker *, struct tl_process *);
/* The event at hand is on a track of the process. */
static inline void tl_make_process(struct tl_maker *m, struct tl_process *p)
{
	m->pid = tl_make_known(m, &p->id, p->track.data, p->track.len);
}
/* Adds a process, which has its place, to the list of them. */
void tl_process_describe(struct tl_maker *, const struct tl_process *);
void tl_process_release(struct tl_process *);
/* Adds a GPU to a list; name: JSON; units: multiprocessors or compute units. */
void tl_gpu_describe(struct tl_buf *, int64_t number, const char *name, bool has_units, int64_t units);
/* Tells the sink of the processes and the GPUs. */
enum tl_status tl_push_members(struct tl_maker *, struct tl_error *);

#endif
