/* counter_names.h - the names of counters: units, devices; counters of Chrome's JSON form.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_COUNTER_NAMES_H
#define TL_COUNTER_NAMES_H

#include "readers/event_maker.h"

/* Parts of a text that names a counter; no NUL follows. */
struct tl_counter_name {
	const char *name, *unit; size_t len, unit_len; /* unit_len 0: the text tells no unit */
	int64_t device;                                /* -1: it tells none */
};
/* "SM Active [Throughput %]": what stands in brackets is the unit; "Power (W)", "Power W": if it is one of counter-units.tsv; "W" is a
 * unit without a name. "GPU Power [0] (W)": a number in brackets is a device. */
struct tl_counter_name tl_counter_name(const char *text, size_t len);

/* Whether a text is a table of units, for tests. */
enum tl_status tl_counter_units_check(const char *file, const char *text, size_t len, struct tl_error *);

/* Begins an event of kind counter with this value, which is finite, and the name's unit and device. */
void tl_make_counter(struct tl_maker *, uint64_t uid, const struct tl_counter_name *, double value);

/* Gives the sink a counter for each argument of an event with ph C; ids are those of the tables, to which new ones are added. An
 * event that is a counter of tl-view passes as it is. */
enum tl_status tl_push_chrome_counters(struct tl_tables *, const struct tl_event *, const struct tl_layout *, struct tl_sink *,
                                       struct tl_read_report *, struct tl_error *);
/* What those are noted as that have no finite number. */
#define TL_NO_NUMBER "values of counters that are no finite number, left out"

#endif
