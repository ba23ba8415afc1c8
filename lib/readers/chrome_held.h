/* chrome_held.h - the events of a trace in Chrome's JSON form whose writer is not known yet: they are kept until it is, and then
 * become what that writer means by them (chrome-kinds.tsv, chrome-fields.tsv). Names of processes and threads, the operator
 * that launched a kernel, and the end of an arrow may all stand behind the events that need them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CHROME_HELD_H
#define TL_CHROME_HELD_H

#include "readers/reader.h"

/* Zero bytes hold nothing. The tables of the events must not start anew while any is held. */
struct tl_held {
	struct tl_event *events;  /* in file order; their values are copies */
	size_t n, cap;
	struct tl_arena values;
	bool keep_counters;       /* see tl_read_options; may be set */
};
/* Keeps a copy. */
void tl_hold(struct tl_held *, const struct tl_tables *, const struct tl_event *);
/* Gives all events to the sink, in order, and holds nothing then. writer: a word of chrome-writers.tsv, or NULL: they stay as they
 * are. What is not understood is counted in the report. */
enum tl_status tl_held_push(struct tl_held *, const char *writer, struct tl_tables *, struct tl_sink *, struct tl_read_report *, struct tl_error *);
void tl_held_release(struct tl_held *);

/* The first mistake in a text in the form of the tables. */
enum tl_status tl_chrome_kinds_check(const char *file, const char *text, size_t len, struct tl_error *);
enum tl_status tl_chrome_fields_check(const char *file, const char *text, size_t len, struct tl_error *);

#endif
