/* span_pairs.h - makes one event of a span whose begin and end are two events (phases B and
 * E in Chrome's JSON). Spans of a track nest: an end belongs to the last begin of its process
 * and thread that has none.
 *
 * Kept in memory: the begins without an end, and their texts.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SPAN_PAIRS_H
#define TL_SPAN_PAIRS_H

#include "model/tables.h"

/* More begins than these cannot wait for their ends. */
#define TL_MAX_OPEN_SPANS (1u << 20)

/* The tables are those of the events. */
struct tl_span_pairs *tl_span_pairs_new(struct tl_tables *);
void tl_span_pairs_free(struct tl_span_pairs *);
/* To be called when the tables are emptied. */
void tl_span_pairs_forget(struct tl_span_pairs *);

/* Keeps a begin. False: too many wait, and it is lost. */
bool tl_span_pairs_begin(struct tl_span_pairs *, const struct tl_event *);
/* Gets an end, of which time and track count, and makes it the span: the name and fields are
 * those of the begin, the phase is X. Its values are valid until the next call. False: no
 * begin waits for it. */
bool tl_span_pairs_end(struct tl_span_pairs *, struct tl_event *);
/* How many begins wait. */
uint64_t tl_span_pairs_open(const struct tl_span_pairs *);

#endif
