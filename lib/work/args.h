/* args.h - arguments of events; arguments, names and durations as cells of a table.
 *
 * tl_arg_of looks up once where each layout of events has a named argument;
 * tl_arg_cell decodes each distinct JSON text once. What they find stays with the trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ARGS_H
#define TL_ARGS_H

#include "base/value.h"
#include "model/fields.h"
#include "model/trace.h"
#include "table/table.h"

/* One member of "args"; good as long as the trace, if no layouts are added to that. */
struct tl_arg { int32_t *place; /* by layout: index of the field, or -1 */ };
struct tl_arg tl_arg_of(const struct tl_trace *, const char *name);
/* The same for a member of the event itself. */
struct tl_arg tl_arg_of_event(const struct tl_trace *, const char *name);
/* The type of an event's argument (enum tl_field_type; 0: it has none) and its value. */
static inline int tl_arg_get(const struct tl_arg *a, const struct tl_trace *t, uint32_t event, int64_t *value)
{
	const struct tl_ev *e = &t->events[event];
	int32_t i = a->place[e->layout];

	if (i < 0)
		return 0;
	*value = tl_trace_value(t, e, (uint32_t)i);
	return t->layouts[e->layout].fields[i].type;
}

static inline bool tl_arg_has(const struct tl_arg *a, const struct tl_trace *t, uint32_t event)
{
	return a->place[t->events[event].layout] >= 0;
}

/* A JSON text of the trace, a string id, as a value, whose items stay with the trace; null if it is no JSON. Each text is parsed once. */
struct tl_value tl_value_of_json(const struct tl_trace *, uint32_t json);
/* The list that an event has as an argument, such as "Input Dims"; its items stay with the trace.
 * False: the event has no such argument, or its text is no list. */
bool tl_arg_list(const struct tl_arg *, const struct tl_trace *, uint32_t event, struct tl_value *list);

/* An argument as a cell: null for an absent one, for others as tl_value_cell, a list as a Python tuple. Texts go into
 * the trace's string table. */
struct tl_cell tl_arg_cell(struct tl_trace *, const struct tl_arg *, uint32_t event);
/* The same, but a list as a Python list. */
struct tl_cell tl_arg_list_cell(struct tl_trace *, const struct tl_arg *, uint32_t event);
/* An argument that is a number above 0; 0: there is none, as for what a profiler writes as 0 where it did not compute it. */
double tl_arg_positive(struct tl_trace *, const struct tl_arg *, uint32_t event);
/* A JSON text of the trace, a string id, as a cell: the pid or tid of a track. */
struct tl_cell tl_json_cell(struct tl_trace *, uint32_t json);
/* The cell, but a real with a whole number becomes an integer: 7.0 is the device 7. */
struct tl_cell tl_whole_cell(struct tl_cell);

/* A value as a cell: JSON's null, bools and numbers as such, all else as text, a list
 * as that of a Python list or tuple. Texts go into `strings`; buf is room to work in. */
struct tl_cell tl_value_cell(const struct tl_value *, bool lists_as_tuples, struct tl_strtab *strings,
                             struct tl_buf *buf);
/* An event's name, or another one for it (a string id). An event always has a name:
 * id 0 is the empty text, not null. */
struct tl_cell tl_name_cell(struct tl_trace *, uint32_t name);
/* How long after the start of the trace (tl_trace.first_ts) a time is; the time as it is if nothing in the trace has a start. */
struct tl_cell tl_start_cell(const struct tl_trace *, int64_t ticks);
static inline struct tl_cell tl_duration_cell(const struct tl_ev *e)
{
	return tl_cell_time(e->dur, (e->flags & TL_EV_INT_DUR) != 0);
}

/* ---- between which kinds of memory a copy goes, or which one is set -------------------------------------- */

/* "Pageable -> Device": the event's argument TL_KEY_MEMORY, which `memory` stands for, or else the last text in
 * parentheses of the name of a copy or set; null if neither tells. */
struct tl_cell tl_memory_kinds(struct tl_trace *, const struct tl_arg *memory, uint32_t event);

#endif
