/* event_templates.h - a fast way to parse events that are written like earlier ones.
 *
 * A profiler writes the members of its events in the same order again and again, so
 * the text between two values repeats. A template is the sequence of these literal
 * texts, with the meaning of the value behind each. Of an event that consists of a
 * template's texts, with values of the usual forms between them, only the values are
 * read; the template holds the rest.
 *
 * Templates are learnt from the plain parser, which reads every event that fits no
 * template. A sink receives the same events with templates and without.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_EVENT_TEMPLATES_H
#define TL_EVENT_TEMPLATES_H

#include "model/tables.h"

/* Indexes of the values of an event: these, then the fields. */
enum { TL_EVENT_NAME, TL_EVENT_PID, TL_EVENT_TID, TL_EVENT_TS, TL_EVENT_DUR, TL_EVENT_FIELDS };
#define TL_TOO_SHORT UINT32_MAX /* for the id of a layout: the event is left out by a `least` */
#define TL_EVENT_VALUES (TL_EVENT_FIELDS + TL_MAX_FIELDS)

/* How a value is written, and what it becomes. */
enum tl_form {
	TL_FORM_TEXT,    /* a string: the id of its text */
	TL_FORM_TRACK,   /* any value but null: the id of its JSON text */
	TL_FORM_JSON,    /* no string, no integer: the id of its JSON text */
	TL_FORM_INT,     /* an integer: itself */
	TL_FORM_MICROS,  /* microseconds, an integer: nanoseconds */
	TL_FORM_DECIMAL, /* microseconds with decimals: nanoseconds */
	TL_FORM_SKIP,    /* no value: the rest of the event is passed over */
	TL_FORM_END,     /* no value: the event has ended */
};

/* A value in the text of an event, as the plain parser found it. */
struct tl_place {
	uint32_t from, to; /* bytes from the event's start */
	uint16_t value;    /* TL_EVENT_NAME, ... */
	uint8_t form;      /* enum tl_form */
	int64_t least;     /* of a time: where it is less, the event is left out and its rest passed over, unless it is the call of a
	                      module by its name, which stands before; 0: never */
};

/* The tables are those that give texts and layouts their ids. */
struct tl_templates *tl_templates_new(struct tl_tables *);
void tl_templates_free(struct tl_templates *);
/* To be called when the tables are emptied. */
void tl_templates_forget(struct tl_templates *);

/* Reads the event whose opening brace is at p, if it fits a template and ends before
 * `end`, behind which are TL_JSON_PAD zero bytes. Fills values[TL_EVENT_VALUES] and
 * the id of the layout, which is 0 for an event of a kind to be left out. Returns the
 * position after the event; NULL if the plain parser must read the event. */
const char *tl_templates_parse(struct tl_templates *, const char *p, const char *end, int64_t *values, uint32_t *layout);

/* How many events fit no template: none had its texts; one had, but a value is of another
 * form, or damaged. */
void tl_templates_misses(const struct tl_templates *, uint64_t *texts, uint64_t *forms);

/* Learns from an event that the plain parser has read: its text, and the places of its
 * n values in order, of which the last has the form TL_FORM_SKIP or TL_FORM_END, or a `least`. */
void tl_templates_learn(struct tl_templates *, const char *text, const struct tl_place *places, size_t n, uint32_t layout);

#endif
