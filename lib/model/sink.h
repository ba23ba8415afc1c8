/* sink.h - the one interface between stages.
 *
 * A source (a trace reader, the stream reader, the text reader) pushes a trace
 * into a sink: first begin(), then any mix of meta(), event() and link(), then
 * end(). A sink may be a stream writer, a text writer, an in-memory trace, or a
 * stage that looks and passes on to the next sink (the linker, tree edits).
 *
 * The source owns the tables that ids refer to and shows them in begin(). It
 * adds an entry before the first event that uses it. Entries stay as they are
 * until the source says reset(): then all ids are void, and the source empties
 * its tables. So a sink that knows something by id needs to forget it only
 * there. The source may free tables and texts after end().
 *
 * A reader looks like this; error handling is left out:
 *
 *	struct tl_tables t = { 0 };
 *	sink->ops->begin(sink, &header, &t, err);
 *	for each event:
 *		layout.cat = tl_add_string(&t, …), and so on for the keys of its fields
 *		event.layout = tl_add_layout(&t, &layout), event.name = tl_add_string(&t, …), …
 *		sink->ops->event(sink, &event, err);
 *		if (tl_source_reset(&t, sink)) forget the ids that are kept for later events
 *	sink->ops->end(sink, err);
 *	tl_tables_release(&t);
 *
 * A failing call returns other than TL_OK and fills *err; the source stops at
 * once and returns that status, and end() is not called: so a failed stage
 * never leaves a stream that looks whole.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SINK_H
#define TL_SINK_H

#include "base/error.h"
#include "model/tables.h"

struct tl_sink { const struct tl_sink_ops *ops; };
struct tl_sink_ops {
	enum tl_status (*begin)(struct tl_sink *, const struct tl_header *, const struct tl_tables *, struct tl_error *);
	/* Never inside another call of the same source. */
	void (*reset)(struct tl_sink *);
	/* A fact about the whole trace (a top-level member of the JSON): key and
	 * JSON text. */
	enum tl_status (*meta)(struct tl_sink *, const char *key, size_t key_len,
	                       const char *json, size_t json_len, struct tl_error *);
	enum tl_status (*event)(struct tl_sink *, const struct tl_event *, struct tl_error *);
	enum tl_status (*link)(struct tl_sink *, const struct tl_link *, struct tl_error *);
	enum tl_status (*end)(struct tl_sink *, struct tl_error *);
};

static inline enum tl_status tl_push_link(struct tl_sink *s, uint8_t type, uint64_t a, uint64_t b, struct tl_error *err)
{
	struct tl_link link = { type, a, b };
	return s->ops->link(s, &link, err);
}

/* For sinks that do nothing with links, or at the end. */
enum tl_status tl_ignore_link(struct tl_sink *, const struct tl_link *, struct tl_error *);
enum tl_status tl_ignore_end(struct tl_sink *, struct tl_error *);

/* Tells the sink a meta() member whose value is a whole number. */
enum tl_status tl_push_number(struct tl_sink *, const char *key, int64_t, struct tl_error *);
/* For a source that left out its last events: tells the sink how many there were,
 * which it cannot know then (TL_META_EVENTS). */
enum tl_status tl_push_event_count(struct tl_sink *, uint64_t n, struct tl_error *);

/* For a source, between two events: starts its tables anew when they are full,
 * so that its memory does not grow with the trace. True: ids that the source
 * itself remembers are void too. */
static inline bool tl_source_reset(struct tl_tables *t, struct tl_sink *s)
{
	if (!tl_tables_full(t))
		return false;
	s->ops->reset(s);
	tl_tables_clear(t);
	return true;
}

/* A sink that drops everything: for checking a trace. */
struct tl_sink *tl_null_sink(void);

#endif
