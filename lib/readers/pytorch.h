/* pytorch.h - the parts of the PyTorch reader and what they share.
 *
 *   pytorch.c          the document: top members, the list of events, damage
 *   pytorch_event.c    one event: says what the text of an event means
 *   span_pairs.c       spans of two events
 *   event_templates.c  the same, faster, for events like those before
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PYTORCH_H
#define TL_PYTORCH_H

#include "json/document.h"
#include "readers/event_templates.h"
#include "readers/reader.h"
#include "readers/span_pairs.h"

#define MAX_PLACES 64

/* What has been read of one event. */
struct event {
	struct tl_layout layout;
	int kind_by_cat;    /* what the category says, -1: nothing */
	bool has_cat, has_ph, bad_time;
	int64_t values[TL_EVENT_VALUES];
	struct tl_field fields[TL_MAX_FIELDS];
	/* for the templates: */
	int64_t start;      /* offset in the text */
	struct tl_place places[MAX_PLACES];
	size_t n_places;
	bool unusual;       /* the templates learn nothing from this event */
};

/* Which field of an event has that key. */
struct known_field {
	uint64_t stamp;     /* the entry is valid while this is the reader's stamp */
	uint32_t key;
	uint16_t index;
	bool top;
};

struct reader {
	struct tl_json_doc doc;
	const struct tl_read_options *options;
	struct tl_sink *sink;
	struct tl_tables tables;
	struct tl_read_report *report;
	uint64_t uid;         /* of the event at hand */
	bool has_list;        /* traceEvents has been read */
	bool autograd;        /* the trace is one of torch.autograd.profiler, before torch.profiler */
	uint32_t autograd_op; /* the operator before, a string id */
	int64_t autograd_id;  /* its correlation */
	bool ended;           /* the trace ended too early, and that is tolerated */
	struct tl_buf members; /* names of other top members, for a message */
	struct tl_buf room;
	struct tl_json_piece text; /* the value at hand; may be in room */
	struct event event;
	struct known_field known[2 * TL_MAX_FIELDS]; /* a hash table */
	uint64_t stamp;
	struct known_track { uint32_t pid, tid, id, label; } tracks[64];
	struct tl_strtab labels; /* of merged traces, in front of their pids */
	struct tl_templates *templates;
	struct tl_span_pairs *pairs; /* NULL: no event needs them */
};

/* Parses the event at the document's place, an opening brace, and hands it to the
 * sink if it is not left out. False: the document's status tells why. */
bool tl_pytorch_event(struct reader *);

/* Counts the event at hand under a reason; offset is that of the trouble. */
static inline void tl_pytorch_note(struct reader *r, const char *reason, int64_t offset)
{
	tl_read_note(r->report, reason, r->uid, offset);
}
/* Notes what the checker has let pass in the text taken last; offset is that of the text. */
void tl_pytorch_problems(struct reader *, int64_t offset);

#endif
