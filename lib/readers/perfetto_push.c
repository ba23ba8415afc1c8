/* perfetto_push.c - slices of a Perfetto trace to events in the shape that traceconv's JSON
 * gives them: "X" on the track of a thread, "b" on other tracks of a process.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/perfetto.h"

#include <string.h>

#include "model/fields.h"

/* ---- texts and layouts in the reader's tables ---------------------------------------------- */

static uint32_t id_of(struct tl_pf_reader *r, const struct tl_pf_text *t)
{
	struct tl_pf_name *n = t->name;

	if (!n)
		return tl_add_string(&r->tables, t->s, t->len);
	if (n->epoch != r->epoch) {
		n->id = tl_add_string(&r->tables, t->s, t->len);
		n->epoch = r->epoch;
	}
	return n->id;
}

static bool push(struct tl_pf_reader *r, struct tl_layout *l, struct tl_event *e)
{
	l->fields = r->fields;
	e->layout = tl_add_layout(&r->tables, l);
	e->values = r->values;
	e->uid = r->uid++;
	r->report->n_events = r->uid;
	r->status = r->sink->ops->event(r->sink, e, &r->error);
	if (tl_source_reset(&r->tables, r->sink))
		r->epoch++;
	return !r->status;
}

bool tl_pf_push_meta(struct tl_pf_reader *r, const char *what, int64_t pid, int64_t tid, bool has_tid, const struct tl_pf_text *name)
{
	struct tl_layout l = { .kind = TL_KIND_META, .ph = 'M', .flags = TL_HAS_NAME | TL_HAS_ARGS, .n_fields = 1 };
	struct tl_event e = { .name = tl_add_text(&r->tables, what) };

	uint32_t process = tl_add_number(&r->tables, pid);
	e.track = tl_add_track(&r->tables, process, has_tid ? tl_add_number(&r->tables, tid) : 0);
	r->fields[0] = (struct tl_field){ .key = tl_add_text(&r->tables, TL_KEY_META_NAME), .type = TL_FIELD_STRING };
	r->values[0] = tl_add_string(&r->tables, name->s, name->len);
	return push(r, &l, &e);
}

/* A slice that ends where it begins is an instant in traceconv's JSON. */
static bool is_instant(const struct tl_pf_slice *s)
{
	return s->what == TL_PF_INSTANT || (s->what == TL_PF_SPAN && s->has_dur && !s->dur);
}

static char phase_of(const struct tl_pf_slice *s, const struct tl_pf_track *t)
{
	if (s->what == TL_PF_COUNTER)
		return 'C';
	if (is_instant(s))
		return t->on_thread ? 'I' : 'n';
	return t->on_thread ? 'X' : 'b';
}

bool tl_pf_push(struct tl_pf_reader *r, const struct tl_pf_slice *s, bool last)
{
	struct tl_pf_track *t = tl_pf_track(r, s->track);
	struct tl_layout l = { .kind = s->what == TL_PF_COUNTER ? TL_KIND_COUNTER : is_instant(s) ? TL_KIND_INSTANT : TL_KIND_OTHER,
	                       .flags = TL_HAS_ARGS, .n_fields = (uint32_t)s->n_args };
	struct tl_event e = { .ts = s->ts, .dur = s->has_dur ? s->dur : 0 };

	if (!t)
		return false;
	if (!tl_pf_locate(r, t, last)) {
		tl_buf_clear(&r->packed);
		tl_pf_pack(&r->packed, s);
		r->status = tl_spool_add(&r->late, r->packed.data, r->packed.len, &r->error);
		return !r->status;
	}
	e.track = t->id;
	e.name = id_of(r, &s->name);
	l.ph = phase_of(s, t);
	l.flags |= (uint8_t)((s->has_ts ? TL_HAS_TS : 0) | (s->has_dur && !is_instant(s) ? TL_HAS_DUR : 0) | (s->name.len ? TL_HAS_NAME : 0));
	l.cat = s->category.len ? id_of(r, &s->category) : 0;
	for (size_t i = 0; i < s->n_args; i++) {
		const struct tl_pf_arg *a = &s->args[i];
		r->fields[i] = (struct tl_field){ .key = id_of(r, &a->key), .type = (uint8_t)a->type };
		r->values[i] = a->type == TL_FIELD_INT ? a->value : id_of(r, &a->text);
	}
	r->n_events++;
	return push(r, &l, &e);
}

/* ---- packed slices --------------------------------------------------------------------------- */

struct packed_slice { uint64_t track; int64_t ts, dur, offset; uint32_t name, category, n_args; uint8_t what, has_ts, has_dur, unused; };
struct packed_arg { int64_t value; uint32_t key, text, type, unused; };

static uint32_t length(const struct tl_pf_text *t)
{
	return (uint32_t)t->len;
}

void tl_pf_pack(struct tl_buf *b, const struct tl_pf_slice *s)
{
	struct packed_slice head = { s->track, s->ts, s->dur, s->offset, length(&s->name), length(&s->category), (uint32_t)s->n_args,
	                             (uint8_t)s->what, s->has_ts, s->has_dur, 0 };

	tl_buf_add(b, &head, sizeof head);
	for (size_t i = 0; i < s->n_args; i++) {
		const struct tl_pf_arg *a = &s->args[i];
		bool text = a->type != TL_FIELD_INT;
		struct packed_arg arg = { text ? 0 : a->value, length(&a->key), text ? length(&a->text) : 0, (uint32_t)a->type, 0 };
		tl_buf_add(b, &arg, sizeof arg);
	}
	tl_buf_add(b, s->name.s, s->name.len);
	tl_buf_add(b, s->category.s, s->category.len);
	for (size_t i = 0; i < s->n_args; i++) {
		tl_buf_add(b, s->args[i].key.s, s->args[i].key.len);
		if (s->args[i].type != TL_FIELD_INT)
			tl_buf_add(b, s->args[i].text.s, s->args[i].text.len);
	}
}

static struct tl_pf_text take(const char **p, size_t len)
{
	struct tl_pf_text t = { *p, len, NULL };

	*p += len;
	return t;
}

void tl_pf_unpack(const char *p, struct tl_pf_slice *s)
{
	struct packed_slice head;
	struct packed_arg arg;

	memcpy(&head, p, sizeof head);
	const char *args = p + sizeof head, *texts = args + head.n_args * sizeof arg;
	s->what = (enum tl_pf_what)head.what;
	s->has_ts = head.has_ts;
	s->has_dur = head.has_dur;
	s->timed = false;
	s->track = head.track;
	s->ts = head.ts;
	s->dur = head.dur;
	s->offset = head.offset;
	s->n_args = head.n_args;
	s->name = take(&texts, head.name);
	s->category = take(&texts, head.category);
	for (size_t i = 0; i < s->n_args; i++) {
		memcpy(&arg, args + i * sizeof arg, sizeof arg);
		s->args[i].type = (enum tl_field_type)arg.type;
		s->args[i].value = arg.value;
		s->args[i].key = take(&texts, arg.key);
		s->args[i].text = take(&texts, arg.text);
	}
}
