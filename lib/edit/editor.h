/* editor.h - a trace that is being edited: what rules look at, and where their
 * edits go.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_EDITOR_H
#define TL_EDITOR_H

#include "model/trace.h"
#include "edit/rewrite_rules.h"

struct tl_editor {
	const struct tl_rules *rules;
	struct tl_sink *next;
	struct tl_tables tables; /* of the events that go to `next` and into our trace */
	uint64_t n_events;       /* numbers taken: the next new event gets this one */
	struct tl_rewrite_report report;

	/* the trace, as the rules look at it, and the sink that fills it; NULL when
	 * they only rename */
	struct tl_trace *trace;
	struct tl_sink *inner;
	uint32_t *nodes; size_t n_nodes, cap_nodes; /* uids in stack order */
	uint32_t n_old; /* events before the first edit */
	uint64_t steps; /* events looked at above and below others */
	struct tl_by_id *verdicts; /* [pattern number], by the trace's string id: 1 no, 2 yes */

	enum tl_status failed; /* why an edit failed: what a sink said */
};
void tl_editor_init(struct tl_editor *, const struct tl_rules *, struct tl_sink *next);
void tl_editor_release(struct tl_editor *);

/* Puts an event or link into our trace and passes it to the next sink. *reset says
 * whether the tables were emptied afterwards, so that all their ids are void. */
enum tl_status tl_editor_push_event(struct tl_editor *, const struct tl_event *, bool *reset, struct tl_error *);
enum tl_status tl_editor_push_link(struct tl_editor *, const struct tl_link *, struct tl_error *);

/* Notes that a rule could not do something to an event; `why` is a constant text. */
void tl_editor_note(struct tl_editor *, const char *rule, const char *why, uint64_t uid);

/* Does a name, a string of the trace, match the pattern; any or all of a list of
 * patterns? A name is compared once with a pattern, however many events have it. */
bool tl_editor_name_is(struct tl_editor *, const struct tl_pattern *, uint32_t string);
bool tl_editor_any(struct tl_editor *, const struct tl_pattern *, uint32_t string);
bool tl_editor_all(struct tl_editor *, const struct tl_pattern *, uint32_t string);

/* Device work below an event as it was before any edit; *n receives how much. */
const uint32_t *tl_editor_old_work(struct tl_editor *, uint32_t event, uint32_t *n);

/* ---- the arguments of a new event ------------------------------------------------------- */

struct made_field { const char *key; uint8_t type; int64_t number; const char *text; size_t len; };
struct made {
	struct tl_buf name;
	uint32_t like;         /* event whose process and thread it has */
	bool timed;            /* it has the start and duration of `like` too */
	struct made_field fields[MAX_MADE]; size_t n_fields;
	struct tl_arena arena; /* texts of the fields */
};
struct made_context {      /* what extra arguments are computed from */
	uint32_t op, donor, kernel; /* events or TL_NONE */
	uint32_t index, call;
	const char *pick;
};
void tl_made_release(struct made *);
/* Adds an argument, in place of the one that has this key: an integer, or a text. */
void tl_made_set(struct made *, const char *key, uint8_t type, int64_t number, const char *text, size_t len);
/* Adds the four lists of arguments: each from `first`, or from `second` if `first` has
 * none (TL_NONE: no such event), or null. */
void tl_made_add_lists(struct tl_editor *, struct made *, uint32_t first, uint32_t second);
/* Adds the sequence number of `from`, or default_number if it has none. */
void tl_made_add_sequence(struct tl_editor *, struct made *, uint32_t from, uint64_t default_number);
void tl_made_add_extras(struct tl_editor *, struct made *, const struct extra *, const struct made_context *);

#endif
