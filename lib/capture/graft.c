/* graft.c - copies of events of a capture trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "capture/graft.h"

#include "model/fields.h"

#include <stdlib.h>
#include <string.h>

#define TIME_FLAGS (TL_HAS_TS | TL_HAS_DUR | TL_INT_TS | TL_INT_DUR)

void tl_graft_release(struct tl_graft *g)
{
	tl_by_id_release(&g->strings);
	tl_by_id_release(&g->layouts);
	tl_by_id_release(&g->tracks);
	free(g->values);
}

void tl_graft_forget(struct tl_graft *g)
{
	tl_by_id_forget(&g->strings);
	tl_by_id_forget(&g->layouts);
	tl_by_id_forget(&g->tracks);
	g->from = NULL;
}

/* ---- ids of the capture trace -> ids of the tables ------------------------------------- */

static uint32_t text(struct tl_graft *g, const char *s)
{
	return tl_add_string(g->tables, s, strlen(s));
}

static uint32_t own_string(struct tl_graft *g, uint32_t id)
{
	uint32_t *own = tl_by_id(&g->strings, id);
	if (!*own && id)
		*own = tl_add_string(g->tables, tl_str(&g->from->strings, id), tl_str_len(&g->from->strings, id));
	return *own;
}

static uint32_t own_track(struct tl_graft *g, uint32_t id)
{
	uint32_t *own = tl_by_id(&g->tracks, id);
	if (!*own && id) {
		uint32_t pid = own_string(g, g->from->tracks[id].pid);
		*own = tl_add_track(g->tables, pid, own_string(g, g->from->tracks[id].tid));
	}
	return *own;
}

/* The layout of an event, with the mark of copies behind its fields. */
static uint32_t own_layout(struct tl_graft *g, uint32_t id)
{
	uint32_t *own = tl_by_id(&g->layouts, id);
	if (*own)
		return *own;
	struct tl_layout l = g->from->layouts[id];
	struct tl_field *fields = tl_alloc((l.n_fields + (size_t)1) * sizeof *fields);
	l.cat = own_string(g, l.cat);
	for (uint32_t i = 0; i < l.n_fields; i++) {
		fields[i] = l.fields[i];
		fields[i].key = own_string(g, fields[i].key);
	}
	fields[l.n_fields++] = (struct tl_field){ text(g, TL_KEY_CAPTURED), TL_FIELD_INT, 0 };
	l.fields = fields;
	l.flags = (uint8_t)((l.flags & ~TIME_FLAGS) | g->time_flags);
	*own = tl_add_layout(g->tables, &l);
	free(fields);
	return *own;
}

/* ---- copies ------------------------------------------------------------------------------ */

/* Makes a capture trace the one that ids are of, and the flags of times those of copies. */
static void use(struct tl_graft *g, const struct tl_trace *from, uint8_t time_flags)
{
	if (g->from == from && g->time_flags == time_flags)
		return;
	tl_graft_forget(g);
	g->from = from;
	g->time_flags = time_flags;
}

static void copy(struct tl_graft *g, uint32_t event, struct tl_event *out)
{
	const struct tl_trace *t = g->from;
	const struct tl_ev *e = &t->events[event];
	const struct tl_layout *l = &t->layouts[e->layout];

	TL_GROW(g->values, g->cap_values, (size_t)l->n_fields + 1);
	tl_trace_values(t, e, g->values);
	for (uint32_t i = 0; i < l->n_fields; i++)
		if (l->fields[i].type != TL_FIELD_INT)
			g->values[i] = own_string(g, (uint32_t)g->values[i]);
	g->values[l->n_fields] = 1;
	out->layout = own_layout(g, e->layout);
	out->name = own_string(g, e->name);
	out->track = own_track(g, e->track);
}

static void make_root(struct tl_graft *g, struct tl_event *out)
{
	struct tl_field mark = { text(g, TL_KEY_CAPTURED), TL_FIELD_INT, 0 };
	struct tl_layout l = { .cat = text(g, "cuda_runtime"), .kind = TL_KIND_RUNTIME, .ph = 'X',
		.flags = (uint8_t)(TL_HAS_NAME | TL_HAS_ARGS | g->time_flags), .n_fields = 1, .fields = &mark };

	TL_GROW(g->values, g->cap_values, 1);
	g->values[0] = 1;
	out->layout = tl_add_layout(g->tables, &l);
	out->name = text(g, TL_CAPTURE_ROOT);
}

enum tl_status tl_graft_event(struct tl_graft *g, const struct tl_trace *from, uint32_t event, uint64_t uid,
                              const struct tl_ev *like, struct tl_error *err)
{
	struct tl_event e = { .uid = uid, .ts = like->ts, .dur = like->dur };

	use(g, from, like->flags >> TL_EV_LAYOUT_SHIFT & TIME_FLAGS);
	if (event == TL_NONE)
		make_root(g, &e);
	else
		copy(g, event, &e);
	e.values = g->values;
	return g->next->ops->event(g->next, &e, err);
}
