/* trace_source.c - pushes events of a trace in memory into a sink.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "model/trace_source.h"

#include <stdlib.h>

enum { TIME_FLAGS = TL_HAS_TS | TL_HAS_DUR | TL_INT_TS | TL_INT_DUR };

static uint32_t string_of(struct tl_trace_source *s, uint32_t id)
{
	const struct tl_strtab *strings = &s->trace->strings;
	uint32_t *to = tl_by_id(&s->strings, id);

	if (!*to && id)
		*to = tl_add_string(&s->tables, tl_str(strings, id), tl_str_len(strings, id));
	return *to;
}

/* A layout with flags that may differ from those that it has in the times, and the mark behind its fields. */
static uint32_t layout_of(struct tl_trace_source *s, uint32_t id, uint8_t flags)
{
	uint32_t *to = tl_by_id(&s->layouts, id * (TIME_FLAGS + 1) + (flags & TIME_FLAGS));

	if (*to)
		return *to;
	struct tl_layout l = s->trace->layouts[id];
	struct tl_field *fields = tl_alloc(((size_t)l.n_fields + 1) * sizeof *fields);
	for (uint32_t i = 0; i < l.n_fields; i++) {
		fields[i] = l.fields[i];
		fields[i].key = string_of(s, fields[i].key);
	}
	if (s->mark)
		fields[l.n_fields++] = (struct tl_field){ tl_add_text(&s->tables, s->mark), TL_FIELD_INT, 0 };
	l.cat = string_of(s, l.cat);
	l.flags = flags;
	l.fields = fields;
	*to = tl_add_layout(&s->tables, &l);
	free(fields);
	return *to;
}

void tl_trace_source_forget(struct tl_trace_source *s)
{
	tl_by_id_forget(&s->strings);
	tl_by_id_forget(&s->tracks);
	tl_by_id_forget(&s->layouts);
}

void tl_trace_source_copy(struct tl_trace_source *s, uint32_t event, uint8_t times, struct tl_event *out)
{
	const struct tl_trace *t = s->trace;
	const struct tl_ev *e = &t->events[event];
	const struct tl_layout *l = &t->layouts[e->layout];

	TL_GROW(s->values, s->cap_values, (size_t)l->n_fields + 1);
	tl_trace_values(t, e, s->values);
	for (uint32_t i = 0; i < l->n_fields; i++)
		if (l->fields[i].type != TL_FIELD_INT)
			s->values[i] = string_of(s, (uint32_t)s->values[i]);
	s->values[l->n_fields] = 1;
	out->values = s->values;
	out->name = string_of(s, e->name);
	uint32_t *to = tl_by_id(&s->tracks, e->track);
	if (!*to && e->track) {
		uint32_t pid = string_of(s, s->trace->tracks[e->track].pid);
		*to = tl_add_track(&s->tables, pid, string_of(s, s->trace->tracks[e->track].tid));
	}
	out->track = *to;
	out->layout = layout_of(s, e->layout, (uint8_t)((l->flags & ~TIME_FLAGS) | times));
}

enum tl_status tl_trace_source_event(struct tl_trace_source *s, uint32_t event, int64_t ts, int64_t dur,
                                     struct tl_error *err)
{
	const struct tl_ev *e = &s->trace->events[event];
	uint8_t times = s->trace->layouts[e->layout].flags & TIME_FLAGS;
	struct tl_event out = { .uid = e->uid, .ts = ts, .dur = dur };

	if (ts % s->trace->ticks_per_us)
		times &= (uint8_t)~TL_INT_TS;
	if (dur % s->trace->ticks_per_us)
		times &= (uint8_t)~TL_INT_DUR;
	tl_trace_source_copy(s, event, times, &out);
	enum tl_status status = s->to->ops->event(s->to, &out, err);
	if (status == TL_OK && tl_source_reset(&s->tables, s->to))
		tl_trace_source_forget(s);
	return status;
}

void tl_trace_source_release(struct tl_trace_source *s)
{
	tl_tables_release(&s->tables);
	tl_by_id_release(&s->strings);
	tl_by_id_release(&s->tracks);
	tl_by_id_release(&s->layouts);
	free(s->values);
	*s = (struct tl_trace_source){ 0 };
}
