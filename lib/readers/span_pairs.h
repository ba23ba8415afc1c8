/* span_pairs.h - makes one event of a span whose begin and end are two events (phases B and E,
 * b and e in Chrome's JSON). Spans of a place nest: an end belongs to the last begin there that
 * has none. The place is a track of the tables: that of the events, or one made for this.
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

/* Keeps a begin; ph is the phase of the span. False: too many wait, and it is lost. */
bool tl_span_pairs_begin(struct tl_span_pairs *, const struct tl_event *, uint32_t place, char ph);
/* Gets an end, of which the time counts, and makes it the span: name, track and fields are
 * those of the begin. Its values are valid until the next call. False: no begin waits for it. */
bool tl_span_pairs_end(struct tl_span_pairs *, struct tl_event *, uint32_t place);
/* How many begins wait. */
uint64_t tl_span_pairs_open(const struct tl_span_pairs *);

#endif
