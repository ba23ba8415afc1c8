/* perfetto_model.c - events in the shape of traceconv's JSON to events of the model: kinds by
 * category, times and tracks from the arguments that rocprofv3 writes, well-known fields; and
 * traceconv's JSON itself.
 * Both readers of Perfetto's traces end here, so that they give the same events.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/perfetto.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/decimal.h"
#include "base/scan.h"
#include "readers/span_pairs.h"

/* Arguments that tell more than they say as they stand. */
enum arg { BEGIN, END, DELTA, THREAD, STREAM, QUEUE, AGENT, FROM, TO, BYTES, CORRELATION, STREAM_OR_NONE, OWN_STREAM, BLOCK, ITEMS, N_ARGS };
static const char *const arg_names[N_ARGS] = {
	"begin_ns", "end_ns", "delta_ns", "tid", "stream_ID", "queue", "agent", "src_agent", "dst_agent", "copy_bytes", "corr_id", "stream_id",
	TL_KEY_STREAM, "workgroup_size", "grid_size",
};

/* A layout of the source. */
struct shape {
	bool known;
	uint8_t kind;
	char ph;
	int place[N_ARGS];     /* index of the field; -1: none, or no integer (but for agents) */
	bool is_text[N_ARGS];  /* of agents */
	size_t asks;           /* the first row about its category that asks for the event's name or a value, + 1 */
	bool left_out, is_known, is_range; /* is_known: its category is */
	bool has_correlation, has_device; /* fields of ours, as they stand */
	uint32_t layouts[4];   /* the layouts made of it, by variant; 0: not yet */
};
enum { TIMED = 1, OTHER_PROCESS = 2 };

struct model {
	struct tl_sink base;
	struct tl_sink *next;
	struct tl_maker make;
	struct tl_translation translation;
	struct shape *shapes; size_t n_shapes, cap_shapes; /* by layout of the source */
	struct tl_by_id agents;    /* string id -> number of its device, + 1 */
	struct tl_strtab devices;  /* agents without a number in their name */
	struct tl_buf first_pid;
	struct tl_read_report *report;
	const struct tl_pf_names *names;
	const struct tl_pf_beside *beside;
	uint8_t kind;              /* of the event at hand */
	struct tl_span_pairs *pairs; /* NULL: slices come as one event each */
	uint64_t uid;              /* of the event at hand */
	bool known;                /* its layout: only its values are needed */
};

static struct model *self(struct tl_sink *s)
{
	return (struct model *)s;
}

/* Ids of the source, or of this stage, have become void. */
static void forget(struct model *m)
{
	tl_translation_forget(&m->translation);
	tl_by_id_forget(&m->agents);
	m->n_shapes = 0;
	if (m->pairs)
		tl_span_pairs_forget(m->pairs);
}

/* ---- layouts ------------------------------------------------------------------------------ */

/* The index of an argument; -1: there is none. */
static int find_field(const struct tl_strtab *strings, const struct tl_layout *l, const char *key)
{
	for (uint32_t i = 0; i < l->n_fields; i++)
		if (!l->fields[i].top && tl_text_is(tl_str(strings, l->fields[i].key), tl_str_len(strings, l->fields[i].key), key))
			return (int)i;
	return -1;
}

/* Does the row hold of all events of the layout? asks: it may hold of some. */
static bool holds(const struct tl_strtab *strings, const struct tl_layout *l, const struct tl_pf_where *w, bool *asks)
{
	bool has = w->how != TL_PF_HAS_ARGUMENT || find_field(strings, l, w->argument) >= 0;

	*asks = has && w->how != TL_PF_ALWAYS && *w->text;
	return has && !*asks;
}

/* Sets the kind, as far as the category tells it. */
static void set_kind(const struct model *m, const struct tl_strtab *strings, const struct tl_layout *l, struct shape *s)
{
	bool asks;

	s->kind = l->kind;
	if (l->kind == TL_KIND_META || l->kind == TL_KIND_COUNTER)
		return;
	for (struct tl_pf_category c = { 0 }; tl_pf_category(m->names, tl_str(strings, l->cat), tl_str_len(strings, l->cat), &c); ) {
		if (c.where.how == TL_PF_STAGE_BEGINS)
			return; /* a stage has its kind */
		s->is_known = true;
		if (holds(strings, l, &c.where, &asks)) {
			s->left_out = c.kind < 0;
			s->is_range = c.range;
			s->kind = c.kind < 0 ? s->kind : (uint8_t)c.kind;
			return;
		}
		if (asks && !s->asks)
			s->asks = c.next;
	}
}

static struct shape read_shape(const struct model *m, const struct tl_tables *from, const struct tl_layout *l)
{
	struct shape s = { .known = true, .ph = l->ph };

	set_kind(m, &from->strings, l, &s);
	s.has_correlation = find_field(&from->strings, l, TL_KEY_CORRELATION) >= 0;
	s.has_device = find_field(&from->strings, l, TL_KEY_DEVICE) >= 0;

	for (int a = 0; a < N_ARGS; a++) {
		s.place[a] = -1;
		for (uint32_t i = 0; i < l->n_fields; i++) {
			const struct tl_field *f = &l->fields[i];
			bool agent = ((a >= AGENT && a <= TO) || a == BLOCK || a == ITEMS) && f->type == TL_FIELD_STRING;
			if (!f->top && (f->type == TL_FIELD_INT || agent) &&
			    tl_text_is(tl_str(&from->strings, f->key), tl_str_len(&from->strings, f->key), arg_names[a])) {
				s.place[a] = (int)i;
				s.is_text[a] = agent;
			}
		}
	}
	if (s.kind == TL_KIND_OTHER && s.place[AGENT] >= 0)
		s.kind = TL_KIND_KERNEL; /* work of an agent */
	return s;
}

static struct shape *shape_of(struct model *m, uint32_t layout)
{
	if (layout >= m->n_shapes) {
		TL_GROW(m->shapes, m->cap_shapes, layout + 1);
		memset(m->shapes + m->n_shapes, 0, (layout + 1 - m->n_shapes) * sizeof *m->shapes);
		m->n_shapes = layout + 1;
	}
	if (!m->shapes[layout].known)
		m->shapes[layout] = read_shape(m, m->translation.from, tl_layout_of(m->translation.from, layout));
	return &m->shapes[layout];
}

/* Does the row hold of the event? */
static bool holds_of(const struct model *m, const struct tl_layout *l, const struct tl_event *e, const struct tl_pf_where *w)
{
	const struct tl_strtab *strings = &m->translation.from->strings;
	int field = w->how == TL_PF_HAS_ARGUMENT ? find_field(strings, l, w->argument) : -1;

	if (w->how == TL_PF_NAME_BEGINS)
		return tl_starts_with(tl_str(strings, e->name), w->text);
	if (field < 0)
		return w->how == TL_PF_ALWAYS;
	return !*w->text || (l->fields[field].type == TL_FIELD_STRING && !strcmp(tl_str(strings, (uint32_t)e->values[field]), w->text));
}

static uint8_t kind_of(const struct model *m, const struct shape *s, const struct tl_event *e)
{
	const struct tl_layout *l = tl_layout_of(m->translation.from, e->layout);
	struct tl_pf_category c = { .next = s->asks ? s->asks - 1 : 0 };

	while (s->asks && tl_pf_category(m->names, tl_str(&m->translation.from->strings, l->cat), tl_str_len(&m->translation.from->strings, l->cat), &c))
		if (holds_of(m, l, e, &c.where))
			return c.kind < 0 ? s->kind : (uint8_t)c.kind;
	return s->kind == TL_KIND_OTHER && !s->is_known && m->beside && m->beside->is_call ? TL_KIND_RUNTIME : s->kind;
}

/* ---- times and tracks ------------------------------------------------------------------------ */

/* Takes begin and duration from the arguments, which tell both. False: they make no span. */
static bool take_times(const struct shape *s, const int64_t *v, struct tl_event *e)
{
	int64_t begin = v[s->place[BEGIN]], dur;
	if (begin < 0 || begin > TL_JSON_FIXED_MAX)
		return false;
	if (s->place[DELTA] >= 0)
		dur = v[s->place[DELTA]];
	else
		dur = v[s->place[END]] < begin ? -1 : v[s->place[END]] - begin;
	if (dur < 0 || dur > TL_JSON_FIXED_MAX - begin)
		return false;
	e->ts = begin;
	e->dur = dur;
	return true;
}

/* The place of the stream: rocprof-sys writes stream 0 where it tells the queue only. */
static int stream_place(const struct shape *s, const int64_t *v)
{
	if (s->place[STREAM] >= 0)
		return s->place[STREAM];
	if (s->place[STREAM_OR_NONE] >= 0 && v[s->place[STREAM_OR_NONE]])
		return s->place[STREAM_OR_NONE];
	return s->place[STREAM_OR_NONE] >= 0 || s->asks ? s->place[QUEUE] : -1;
}

/* Slices that are on no thread's track have the process as their thread; the arguments say
 * which thread or stream it was. */
static void set_track(struct model *m, const struct shape *s, const int64_t *v, uint32_t source)
{
	uint32_t track = tl_translate_track(&m->translation, source);
	int place = s->place[THREAD];

	m->make.pid = tl_track_of(&m->make.tables, track).pid;
	if (tl_kind_is_gpu(m->kind)) {
		place = stream_place(s, v);
		place = place >= 0 ? place : s->place[OWN_STREAM] >= 0 ? s->place[OWN_STREAM] : s->place[QUEUE];
	}
	if ((s->ph == 'b' || s->ph == 'n') && place >= 0)
		tl_make_thread(&m->make, v[place]);
	else if (tl_kind_is_gpu(m->kind) && place < 0 && m->beside && m->beside->stream >= 0)
		tl_make_thread(&m->make, m->beside->stream);
	else
		m->make.event.track = track;
}

/* ---- devices ----------------------------------------------------------------------------------- */

/* "GPU-3" is the device 3; an agent whose name has no number at its end gets the next one. */
static int64_t device_of_text(struct model *m, uint32_t id)
{
	const struct tl_strtab *strings = &m->translation.from->strings;
	const char *s = tl_str(strings, id);
	size_t len = tl_str_len(strings, id), i = len;
	uint32_t *known = tl_by_id(&m->agents, id);
	int64_t number = 0;

	if (*known)
		return (int64_t)*known - 1;
	while (i > 0 && tl_is_digit(s[i - 1]) && len - i < 6)
		i--;
	for (size_t k = i; k < len; k++)
		number = number * 10 + (s[k] - '0');
	if (i == len)
		number = (int64_t)tl_intern(&m->devices, s, len) - 1;
	*known = (uint32_t)number + 1;
	return number;
}

/* Which argument names the device: the agent, or the end of a copy that is on a device. */
static enum arg device_arg(const struct model *m, const struct shape *s, uint32_t name)
{
	if (s->place[AGENT] >= 0)
		return AGENT;
	const char *text = tl_str(&m->translation.from->strings, name);
	return s->place[TO] >= 0 && !strstr(text, "DEVICE_TO_HOST") ? TO : FROM;
}

/* ---- events --------------------------------------------------------------------------------------- */

/* What packets tell of what the event is tied to; -1: nothing that is needed. */
static int tie_of(const struct model *m, const struct shape *s)
{
	unsigned tied = m->beside && !s->has_correlation && s->place[CORRELATION] < 0 ? m->beside->tied : 0;

	if (!tied || !(tl_kind_is_gpu(m->kind) || tl_kind_is_launch(m->kind)))
		return -1;
	if (tied >> TL_PF_SUBMISSION & 1)
		return TL_PF_SUBMISSION;
	return tied >> TL_PF_FLOW_END & 1 && (tl_kind_is_gpu(m->kind) || !(tied >> TL_PF_FLOW & 1)) ? TL_PF_FLOW_END : TL_PF_FLOW;
}

static bool other_process(struct model *m, const struct shape *s, int tie)
{
	if (s->place[CORRELATION] < 0 && tie != TL_PF_SUBMISSION)
		return false;
	if (m->beside && !m->make.pid)
		return false; /* a track of no process; calls have one */
	const char *pid = m->make.pid ? tl_str(&m->make.tables.strings, m->make.pid) : "none";
	if (!m->first_pid.len)
		tl_buf_adds(&m->first_pid, pid);
	return strcmp(m->first_pid.data, pid) != 0;
}

static void add_field(struct model *m, const char *key, enum tl_field_type type, int64_t value)
{
	if (m->known)
		m->make.values[m->make.layout.n_fields++] = value;
	else
		tl_make_field(&m->make, key, type, value);
}

/* The fields that the source has. */
static void take_fields(struct model *m, const struct tl_layout *from, const int64_t *values)
{
	for (uint32_t i = 0; i < from->n_fields; i++) {
		struct tl_field field = from->fields[i];
		m->make.values[i] = field.type == TL_FIELD_INT ? values[i] : tl_translate_string(&m->translation, (uint32_t)values[i]);
		if (m->known)
			continue;
		field.key = tl_translate_string(&m->translation, field.key);
		m->make.fields[i] = field;
	}
	m->make.layout.n_fields = from->n_fields;
}

/* Ids of a process mean nothing in another one, whose get its pid. */
static void add_correlation(struct model *m, int64_t id, bool other)
{
	struct tl_buf *b = &m->make.text;

	if (!other) {
		add_field(m, TL_KEY_CORRELATION, TL_FIELD_INT, id);
		return;
	}
	tl_buf_clear(b);
	tl_buf_addf(b, "%s:%lld", tl_str(&m->make.tables.strings, m->make.pid), (long long)id);
	add_field(m, TL_KEY_CORRELATION, TL_FIELD_STRING, tl_add_string(&m->make.tables, b->data, b->len));
}

/* Do the packets tell the device? */
static bool tells_device(const struct model *m)
{
	return m->beside && m->beside->device >= 0;
}

static bool has_sizes(const struct shape *s)
{
	return s->is_text[BLOCK] || s->is_text[ITEMS];
}

static void add_number(struct model *m, const char *key, int place, const int64_t *v)
{
	if (place >= 0)
		add_field(m, key, TL_FIELD_INT, v[place]);
}

/* Flows are of the whole trace. */
static void add_tie(struct model *m, int tie, bool other)
{
	struct tl_buf *b = &m->make.text;

	if (tie == TL_PF_SUBMISSION) {
		add_correlation(m, m->beside->ties[tie], other);
		return;
	}
	tl_buf_clear(b);
	tl_buf_addf(b, "flow %llu", (unsigned long long)m->beside->ties[tie]);
	add_field(m, TL_KEY_CORRELATION, TL_FIELD_STRING, tl_add_string(&m->make.tables, b->data, b->len));
}

/* Three numbers, "(256,1,1)", as rocprof-sys writes sizes. */
static const int64_t *take_size(const struct model *m, const struct shape *s, enum arg a, const int64_t *v, int64_t size[3])
{
	if (s->place[a] < 0 || !s->is_text[a])
		return NULL;
	const char *p = tl_str(&m->translation.from->strings, (uint32_t)v[s->place[a]]);
	for (int i = 0; i < 3; i++) {
		if (*p++ != "(,,"[i] || !tl_is_digit(*p))
			return NULL;
		for (size[i] = 0; tl_is_digit(*p) && size[i] <= UINT32_MAX; p++)
			size[i] = size[i] * 10 + (*p - '0');
	}
	return strcmp(p, ")") == 0 ? size : NULL;
}

static void add_sizes(struct model *m, const struct shape *s, const int64_t *v)
{
	int64_t items[3], block[3];

	if (m->kind == TL_KIND_KERNEL && has_sizes(s))
		tl_make_work_items(&m->make, take_size(m, s, ITEMS, v, items), take_size(m, s, BLOCK, v, block));
}

static void add_device(struct model *m, const struct shape *s, const struct tl_event *e)
{
	enum arg device = device_arg(m, s, e->name);
	const int64_t *v = e->values;

	if (s->has_device)
		return;
	if (s->place[device] >= 0 && s->is_text[device])
		add_field(m, TL_KEY_DEVICE, TL_FIELD_INT, device_of_text(m, (uint32_t)v[s->place[device]]));
	else if (s->place[device] < 0 && tells_device(m))
		add_field(m, TL_KEY_DEVICE, TL_FIELD_INT, m->beside->device);
	else
		add_number(m, TL_KEY_DEVICE, s->place[device], v);
}

static void add_fields(struct model *m, const struct shape *s, const struct tl_event *e, int tie, bool other)
{
	const int64_t *v = e->values;

	if (s->place[CORRELATION] >= 0)
		add_correlation(m, v[s->place[CORRELATION]], other);
	else if (tie >= 0)
		add_tie(m, tie, other);
	if (!tl_kind_is_gpu(m->kind)) {
		add_number(m, TL_KEY_STREAM, s->place[STREAM], v);
		return;
	}
	if (s->place[OWN_STREAM] < 0 && stream_place(s, v) < 0 && m->beside && m->beside->stream >= 0)
		add_field(m, TL_KEY_STREAM, TL_FIELD_INT, m->beside->stream);
	else if (s->place[OWN_STREAM] < 0)
		add_number(m, TL_KEY_STREAM, stream_place(s, v), v);
	add_device(m, s, e);
	add_number(m, TL_KEY_THREAD, s->place[THREAD], v);
	add_number(m, TL_KEY_BYTES, s->place[BYTES], v);
	add_sizes(m, s, v);
}

/* Do all events of the layout get the same fields, but for what the variants tell? */
static bool is_plain(const struct model *m, const struct shape *s, int tie)
{
	return !s->asks && !s->is_range && tie < 0 && s->place[STREAM_OR_NONE] < 0 && !has_sizes(s) && m->kind == s->kind &&
	       !(tl_kind_is_gpu(m->kind) && m->beside && (m->beside->device >= 0 || m->beside->stream >= 0));
}

static enum tl_status send(struct model *m, struct tl_error *err)
{
	uint64_t epoch = m->make.epoch;
	enum tl_status st = tl_push_made(&m->make, err);

	if (m->make.epoch != epoch)
		forget(m);
	return st;
}

/* ---- slices whose begin and end are two events --------------------------------------------------- */

static void note(struct model *m, const char *reason)
{
	tl_read_note(m->report, reason, m->uid, -1);
}

/* Where the slices nest: those of a process that have the same category and id, as a track. */
static uint32_t place_of(struct model *m, const struct tl_event *e)
{
	const struct tl_strtab *strings = &m->translation.from->strings;
	const struct tl_layout *l = tl_layout_of(m->translation.from, e->layout);
	uint32_t pid = tl_track_of(&m->make.tables, tl_translate_track(&m->translation, e->track)).pid;

	tl_buf_clear(&m->make.text);
	tl_buf_adds(&m->make.text, tl_str(strings, l->cat));
	for (uint32_t i = 0; i < l->n_fields; i++) {
		const struct tl_field *f = &l->fields[i];
		if (!f->top || strncmp(tl_str(strings, f->key), "id", 2) != 0)
			continue;
		if (f->type == TL_FIELD_INT)
			tl_buf_addf(&m->make.text, " %lld", (long long)e->values[i]);
		else
			tl_buf_addf(&m->make.text, " %s", tl_str(strings, (uint32_t)e->values[i]));
	}
	return tl_add_track(&m->make.tables, pid, tl_add_string(&m->make.tables, m->make.text.data, m->make.text.len));
}

/* The end of a slice whose arguments say when it ends has no begin that waits. */
static enum tl_status end_pair(struct model *m, const struct tl_event *source, struct tl_error *err)
{
	struct tl_event e = *source;

	if (!tl_span_pairs_end(m->pairs, &e, place_of(m, source)))
		return TL_OK;
	if (e.dur >= 0) {
		tl_make_event(&m->make, e.uid, TL_KIND_OTHER, 0);
		m->make.event = e;
		return send(m, err);
	}
	note(m, "dropped: end (ph e) before its begin");
	return TL_OK;
}

/* ---- an event ---------------------------------------------------------------------------------------- */

static enum tl_status push_event(struct model *m, const struct tl_event *e, struct tl_error *err)
{
	const struct tl_layout *from = tl_layout_of(m->translation.from, e->layout);
	struct tl_maker *make = &m->make;
	struct shape *s = shape_of(m, e->layout);
	bool tells = s->place[BEGIN] >= 0 && (s->place[DELTA] >= 0 || s->place[END] >= 0);

	if (s->left_out) {
		note(m, "samples of the processor, left out");
		return TL_OK;
	}
	m->kind = kind_of(m, s, e);
	tl_make_event(make, e->uid, m->kind, s->ph);
	make->event.ts = e->ts;
	make->event.dur = e->dur;
	unsigned variant = tells && take_times(s, e->values, &make->event) ? TIMED : 0;
	if (tells && !variant)
		note(m, "begin_ns, end_ns and delta_ns make no span, not used");
	set_track(m, s, e->values, e->track);
	make->event.name = tl_translate_string(&m->translation, e->name);
	int tie = tie_of(m, s);
	bool other = other_process(m, s, tie), plain = is_plain(m, s, tie);
	variant |= other ? OTHER_PROCESS : 0;
	make->event.layout = plain ? s->layouts[variant] : 0;
	m->known = make->event.layout;
	take_fields(m, from, e->values);
	add_fields(m, s, e, tie, other);
	if (!m->known) {
		make->layout.cat = tl_translate_string(&m->translation, from->cat);
		make->layout.flags = from->flags;
		if (variant & TIMED)
			make->layout.flags = (uint8_t)((from->flags & ~(TL_INT_TS | TL_INT_DUR)) | TL_HAS_TS | TL_HAS_DUR);
		if (s->is_range)
			tl_make_range(make, tl_str(&m->translation.from->strings, e->name), tl_str_len(&m->translation.from->strings, e->name), NULL, 0, true);
		make->event.layout = tl_add_layout(&make->tables, &make->layout);
		if (plain)
			s->layouts[variant] = make->event.layout;
	}
	if (!m->pairs || from->ph != 'b' || variant & TIMED || !(from->flags & TL_HAS_TS))
		return send(m, err);
	tl_make_place(make);
	if (!tl_span_pairs_begin(m->pairs, &m->make.event, place_of(m, e), 'b'))
		note(m, "dropped: begin (ph b) while a million others have no end");
	return TL_OK;
}

/* ---- the sink --------------------------------------------------------------------------------------- */

static enum tl_status begin(struct tl_sink *sink, const struct tl_header *h, const struct tl_tables *tables, struct tl_error *err)
{
	struct model *m = self(sink);
	struct tl_header out = *h;

	out.source = "perfetto";
	m->translation = (struct tl_translation){ .from = tables, .to = &m->make.tables };
	return tl_maker_begin(&m->make, m->next, m->report, &out, err);
}

static void reset(struct tl_sink *sink)
{
	forget(self(sink));
}

static enum tl_status meta(struct tl_sink *sink, const char *key, size_t key_len, const char *json, size_t json_len, struct tl_error *err)
{
	struct tl_sink *next = self(sink)->next;

	return next->ops->meta(next, key, key_len, json, json_len, err);
}

static enum tl_status event(struct tl_sink *sink, const struct tl_event *e, struct tl_error *err)
{
	struct model *m = self(sink);

	m->uid = e->uid;
	if (m->pairs && tl_layout_of(m->translation.from, e->layout)->ph == 'e')
		return end_pair(m, e, err);
	return push_event(m, e, err);
}

static enum tl_status link(struct tl_sink *sink, const struct tl_link *k, struct tl_error *err)
{
	struct tl_sink *next = self(sink)->next;

	return next->ops->link(next, k, err);
}

static enum tl_status end(struct tl_sink *sink, struct tl_error *err)
{
	struct tl_sink *next = self(sink)->next;

	return next->ops->end(next, err);
}

struct tl_sink *tl_pf_model_new(struct tl_sink *next, struct tl_read_report *report, bool pairs, bool keep_ranges,
                                const struct tl_pf_names *names, const struct tl_pf_beside *beside)
{
	static const struct tl_sink_ops ops = {
		.begin = begin, .reset = reset, .meta = meta, .event = event, .link = link, .end = end,
	};
	struct model *m = tl_calloc(1, sizeof *m);

	m->base.ops = &ops;
	m->next = next;
	m->report = report;
	m->beside = beside;
	m->make.keep_ranges = keep_ranges;
	m->names = names;
	m->pairs = pairs ? tl_span_pairs_new(&m->make.tables) : NULL;
	return &m->base;
}

void tl_pf_model_free(struct tl_sink *sink)
{
	struct model *m = self(sink);

	for (uint64_t i = 1; m->pairs && i <= tl_span_pairs_open(m->pairs); i++)
		tl_read_note(m->report, "dropped: begin (ph b) without its end", m->uid + i, -1);
	tl_maker_release(&m->make);
	tl_translation_release(&m->translation);
	tl_span_pairs_free(m->pairs);
	tl_by_id_release(&m->agents);
	tl_strtab_release(&m->devices);
	tl_buf_release(&m->first_pid);
	free(m->shapes);
	free(m);
}

/* ---- traceconv's JSON: PyTorch's reader knows the document ---------------------------------- */

extern const struct tl_reader tl_reader_pytorch;

enum { PEEK = 4096 };

/* Categories of early events, besides those of rocprofv3. The records about processes and threads of any trace of Chrome's
 * are __metadata; one that PyTorch's profiler wrote, and some tool of Perfetto has written
 * again, stays PyTorch's. */
static const struct { const char *name; enum tl_match match; } categories[] = {
	{ "cpu_op", TL_MATCH_NO }, { "user_annotation", TL_MATCH_NO }, { "python_function", TL_MATCH_NO },
	{ "cuda_runtime", TL_MATCH_NO }, { "cuda_driver", TL_MATCH_NO }, { "gpu_memcpy", TL_MATCH_NO }, { "kernel", TL_MATCH_NO },
	{ "__metadata", TL_MATCH_MORE },
};

/* What the category that the text begins with tells; TL_MATCH_DEFAULT: nothing. */
static enum tl_match match_category(const char *text, size_t len)
{
	const char *end = memchr(text, '"', len);

	if (end && tl_rocprofv3_kind(text, (size_t)(end - text)) >= 0)
		return TL_MATCH_YES;
	for (size_t i = 0; end && i < sizeof categories / sizeof *categories; i++)
		if (tl_text_is(text, (size_t)(end - text), categories[i].name))
			return categories[i].match;
	return TL_MATCH_DEFAULT;
}

/* Does the text, but for blanks, end as a document does? */
static bool has_end(const char *text, size_t len)
{
	while (len && tl_json_is_blank(text[len - 1]))
		len--;
	return len && text[len - 1] == '}';
}

/* A list of events alone, of which the first one that tells more than __metadata decides; if
 * none does, __metadata counts. */
static enum tl_match match_json(const unsigned char *first, size_t len)
{
	static const char *const start[] = { "{", "\"traceEvents\"", ":", "[", NULL }, *const text_follows[] = { ":", "\"", NULL };
	const char *text = (const char *)first;
	size_t at = 0, size;
	enum tl_match m = tl_match_json(first, len, start, &at);
	bool metadata = false;

	if (m != TL_MATCH_YES)
		return m;
	for (const char *p = text + at; (p = memmem(p, (size_t)(text + len - p), "\"cat\"", 5)); p += 5) {
		if (tl_match_json((const unsigned char *)p + 5, (size_t)(text + len - p) - 5, text_follows, &size) != TL_MATCH_YES)
			continue;
		const char *cat = p + 5 + size;
		m = match_category(cat, (size_t)(text + len - cat));
		if (m == TL_MATCH_YES || m == TL_MATCH_NO)
			return m;
		metadata |= m == TL_MATCH_MORE;
	}
	if (metadata && (len == PEEK || has_end(text, len)))
		return TL_MATCH_YES;
	return len < PEEK ? TL_MATCH_MORE : TL_MATCH_NO;
}

static enum tl_status read_json(struct tl_input *in, const struct tl_read_options *options, struct tl_sink *sink,
                                struct tl_read_report *report, struct tl_error *err)
{
	struct tl_pf_names names = { 0 };
	struct tl_sink *model = tl_pf_model_new(sink, report, true, options->keep_ranges, &names, NULL);
	struct tl_read_options all = *options;
	enum tl_status st;

	tl_pf_names_load(&names);
	all.drop_kinds = 0; /* kinds are found out behind that reader */
	all.known_writer = true;
	st = tl_reader_pytorch.read(in, &all, model, report, err);
	tl_pf_model_free(model);
	tl_pf_names_release(&names);
	return st;
}

const struct tl_reader tl_reader_perfetto_json = { "traceconv's JSON", match_json, read_json };
